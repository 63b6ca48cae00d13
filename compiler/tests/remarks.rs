//! File tests of `-Rpass`: what `pumicec` remarks on `filetests/remarks/*.cl`.
//!
//! A line `// options:` holds more words of the command line. The messages stand in the `.out` file beside
//! (`PUMICE_BLESS=1`).

use pumice_filetests::{directive, golden};
use pumice_test_support::filetests;
use std::path::Path;
use std::process::Command;

fn run(path: &Path) -> Result<String, String> {
    let text = std::fs::read_to_string(path).expect("readable");
    let options = directive::value(&text, "options").unwrap_or_default();
    let name = path.file_name().expect("a file");
    let output = Command::new(env!("CARGO_BIN_EXE_pumicec"))
        .current_dir(path.parent().expect("a folder"))
        .args(["-Rpass=all", "--emit=none", "-cl-std=CL3.0"])
        .args(options.split_whitespace())
        .arg(name)
        .output()
        .expect("pumicec runs");
    let messages = String::from_utf8_lossy(&output.stderr).into_owned();
    match output.status.success() {
        true => Ok(messages),
        false => Err(messages),
    }
}

#[test]
fn remarks_are_word_for_word() {
    golden::run_files(&filetests("remarks"), &["cl"], 5, "out", run);
}
