fn main() {
    let mut args = std::env::args().skip(1);
    let path = args.next().unwrap();
    let quiet = args.next().is_some();
    let bytes = std::fs::read(path).unwrap();
    let words: Vec<u32> = bytes
        .chunks_exact(4)
        .map(|c| u32::from_le_bytes(c.try_into().unwrap()))
        .collect();
    let t = std::time::Instant::now();
    match pumice_compiler::import::import(&words, &Default::default()) {
        Ok(m) => {
            let e = t.elapsed();
            if !quiet {
                println!("{}", pumice_compiler::ir::text::module_to_text(&m));
            }
            eprintln!("ok {e:?}");
        }
        Err(e) => eprintln!("ERROR {e}"),
    }
}
