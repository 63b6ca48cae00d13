//! The `; run` line of IR file tests.

use pumice_interp::{Arg, Inputs, NdRange};

/// `global G local L args …`: buffers of a fixed pattern (`buf:N`), zeros, local sizes, bytes,
/// integers and floats by bits.
pub fn parse_run(line: &str) -> (NdRange, Inputs) {
    let words: Vec<&str> = line.split_whitespace().collect();
    let number = |after: &str| -> u64 {
        let at = words.iter().position(|w| *w == after).expect(after);
        words[at + 1].parse().expect("number")
    };
    let range = NdRange::linear(number("global"), number("local"));
    let args_at = words.iter().position(|w| *w == "args").expect("args");
    let mut inputs = Inputs::default();
    for word in &words[args_at + 1..] {
        let (kind, text) = word.split_once(':').expect("kind:value");
        let arg = match kind {
            "buf" | "zeros" => {
                let size: usize = text.parse().expect("size");
                let index = inputs.buffers.len();
                inputs.buffers.push(
                    (0..size)
                        .map(|i| {
                            if kind == "zeros" {
                                0
                            } else {
                                ((i * 37 + 11 + index * 5) % 251) as u8
                            }
                        })
                        .collect(),
                );
                Arg::Buffer { index, offset: 0 }
            }
            "local" => Arg::Local(text.parse().expect("size")),
            "bytes" => Arg::Bytes(
                (0..text.len() / 2)
                    .map(|i| u8::from_str_radix(&text[2 * i..2 * i + 2], 16).expect("hex"))
                    .collect(),
            ),
            "i8" => Arg::Bytes(vec![text.parse::<i64>().expect("integer") as u8]),
            "i32" => Arg::Bytes(
                (text.parse::<i64>().expect("integer") as i32)
                    .to_le_bytes()
                    .into(),
            ),
            "i64" => Arg::Bytes(text.parse::<i64>().expect("integer").to_le_bytes().into()),
            _ => {
                // fNxM: bit patterns in hexadecimal.
                let mut bytes: Vec<u8> = text
                    .split(',')
                    .flat_map(|t| u32::from_str_radix(t, 16).expect("hex").to_le_bytes())
                    .collect();
                bytes.resize(bytes.len().next_power_of_two(), 0);
                Arg::Bytes(bytes)
            }
        };
        inputs.args.push(arg);
    }
    (range, inputs)
}
