use pumice_compiler::*;
fn main() {
    for path in std::env::args().skip(1) {
        let bytes = std::fs::read(&path).unwrap();
        let words: Vec<u32> = bytes
            .chunks_exact(4)
            .map(|c| u32::from_le_bytes(c.try_into().unwrap()))
            .collect();
        let m = KernelModule {
            words,
            is_library: false,
        };
        for _ in 0..3 {
            let t = std::time::Instant::now();
            let o = lower(&m, &Target::reference(), &LowerOptions::default());
            eprintln!("{path}: {:?} {}", t.elapsed(), o.log);
            if let Some(v) = o.output {
                std::fs::write(
                    format!("{path}.vk"),
                    v.words
                        .iter()
                        .flat_map(|w| w.to_le_bytes())
                        .collect::<Vec<u8>>(),
                )
                .unwrap();
            }
        }
    }
}
