//! The comments of kernel files that say how to run them and what to expect.

use pumice_interp::Arg;

/// One `// kernel:` block of a kernel file (the format is told in
/// `cts-harness/src/kernel_file.rs`; expectations with a tolerance are left to that runner).
#[derive(Debug, Default)]
pub struct Run {
    pub kernel: String,
    pub range: [[u64; 3]; 3],
    pub dims: u32,
    pub args: Vec<Arg>,
    pub buffers: Vec<Vec<u8>>,
    pub expects: Vec<(usize, Vec<Option<Vec<u8>>>)>,
}

fn element_bytes(name: &str) -> (usize, usize) {
    let digits = name.trim_start_matches(|c: char| !c.is_ascii_digit());
    let bytes = match name[..name.len() - digits.len()].trim_start_matches('u') {
        "char" => 1,
        "short" | "half" => 2,
        "int" | "float" => 4,
        _ => 8,
    };
    (bytes, digits.parse().unwrap_or(1))
}

fn encode(ty: &str, text: &str) -> Vec<u8> {
    let (size, _) = element_bytes(ty);
    let bits = if let Some(hex) = text.strip_prefix("0x") {
        u64::from_str_radix(hex, 16).expect("hex")
    } else if ty.starts_with("float") {
        u64::from(text.parse::<f32>().expect("float").to_bits())
    } else if ty.starts_with("double") {
        text.parse::<f64>().expect("double").to_bits()
    } else if text.starts_with('-') {
        text.parse::<i64>().expect("integer") as u64
    } else {
        text.parse::<u64>().expect("integer")
    };
    bits.to_le_bytes()[..size].to_vec()
}

fn elements(ty: &str, words: &[&str]) -> Vec<Option<Vec<u8>>> {
    let mut list = Vec::new();
    let one = |text: &str| (text != "?").then(|| encode(ty, text));
    for word in words {
        if let Some((count, value)) = word.split_once('*') {
            list.extend(vec![one(value); count.parse().expect("count")]);
        } else if let Some((first, last)) = word.split_once("..") {
            let bounds: [i64; 2] = [first, last].map(|t| t.parse().expect("bound"));
            list.extend((bounds[0]..=bounds[1]).map(|n| one(&n.to_string())));
        } else {
            list.push(one(word));
        }
    }
    list
}

fn sizes(text: &str, fill: u64) -> [u64; 3] {
    let mut sizes = [fill; 3];
    for (size, word) in sizes.iter_mut().zip(text.split_whitespace()) {
        *size = word.parse().expect("size");
    }
    sizes
}

/// The build options and the runs of a file; no runs for files that must not build.
pub fn parse(text: &str) -> (String, Vec<Run>) {
    let (mut options, mut runs): (String, Vec<Run>) = Default::default();
    for line in text.lines() {
        let directive = line
            .trim()
            .strip_prefix("// ")
            .and_then(|l| l.split_once(':'));
        let Some((key, value)) = directive else {
            continue;
        };
        let value = value.trim();
        let words: Vec<&str> = value.split_whitespace().collect();
        match (key, runs.last_mut()) {
            ("options", _) => options = value.to_string(),
            ("build-log", _) => return (options, Vec::new()),
            ("kernel", _) => runs.push(Run {
                kernel: value.to_string(),
                range: [[1; 3], [0; 3], [0; 3]],
                ..Run::default()
            }),
            ("global", Some(run)) => {
                run.range[0] = sizes(value, 1);
                run.dims = words.len() as u32;
            }
            ("local", Some(run)) => run.range[1] = sizes(value, 1),
            ("offset", Some(run)) => run.range[2] = sizes(value, 0),
            ("arg", Some(run)) => run.args.push(match words[..] {
                ["buffer", "null"] => Arg::Null,
                ["buffer", ty, ..] => {
                    let list = elements(ty, &words[2..]);
                    run.buffers
                        .push(list.into_iter().flatten().flatten().collect());
                    Arg::Buffer {
                        index: run.buffers.len() - 1,
                        offset: 0,
                    }
                }
                ["local", size] => Arg::Local(size.parse().expect("size")),
                _ => {
                    let list = elements(words[0], &words[1..]);
                    let mut bytes: Vec<u8> = list.into_iter().flatten().flatten().collect();
                    let (size, lanes) = element_bytes(words[0]);
                    let whole = size * if lanes == 3 { 4 } else { lanes };
                    bytes.resize(bytes.len().max(whole), 0);
                    Arg::Bytes(bytes)
                }
            }),
            (_, Some(run)) => {
                if let Some(arg) = key.strip_prefix("expect ").filter(|arg| *arg != "printf") {
                    if !words.iter().any(|w| matches!(*w, "ulp" | "abs")) {
                        let arg = arg.trim().parse().expect("argument number");
                        run.expects.push((arg, elements(words[0], &words[1..])));
                    }
                }
            }
            _ => {}
        }
    }
    (options, runs)
}

pub fn check_expectations(run: &Run, buffers: &[Vec<u8>]) -> Result<(), String> {
    for (arg, list) in &run.expects {
        let Some(Arg::Buffer { index, .. }) = run.args.get(*arg) else {
            return Err(format!("argument {arg} is no buffer"));
        };
        let mut at = 0;
        for (n, want) in list.iter().enumerate() {
            let Some(want) = want else {
                at += list.iter().flatten().next().map_or(4, Vec::len);
                continue;
            };
            let got = &buffers[*index][at..at + want.len()];
            if got != want.as_slice() {
                return Err(format!(
                    "argument {arg}, element {n}: {got:02x?} instead of {want:02x?}"
                ));
            }
            at += want.len();
        }
    }
    Ok(())
}
