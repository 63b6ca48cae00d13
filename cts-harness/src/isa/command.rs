//! The command line of `pumice-bench isa`.

use super::clang::{self, Compiled};
use super::page::{Device, page};
use super::summary::Summary;
use std::path::Path;

/// Its forms.
pub const USAGE: &str = "\
pumice-bench isa PLATFORM SHADERS OUT [TEXT]
    statistics of the driver's machine code for kernels whose name contains the text, beside those of the
    shaders in the folder; the environment is that of cargo xtask test isa
pumice-bench isa compare EARLIER NOW
    fails where a kernel costs more than in the earlier summary
pumice-bench isa clang CARD OUT COMMAND...
    statistics of what clang makes of the kernels for a card of AMD's; COMMAND starts clang
pumice-bench isa page OUT FOLDER NAME...
    the page of the documentation, of FOLDER/first/NAME.tsv, FOLDER/summary/NAME.tsv and FOLDER/clang/NAME.tsv
";

fn read(path: &Path) -> Result<Summary, String> {
    let text =
        std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    Summary::parse(&text).map_err(|why| format!("{}: {why}", path.display()))
}

fn write(path: &str, text: &str) -> Result<(), String> {
    std::fs::write(path, text).map_err(|error| format!("{path}: {error}"))
}

/// Reads what clang made for a card; `None` where there is nothing.
fn compiled(path: &Path) -> Result<Option<Compiled>, String> {
    let Ok(text) = std::fs::read_to_string(path) else {
        return Ok(None);
    };
    let compiled = Compiled::parse(&text).map_err(|why| format!("{}: {why}", path.display()))?;
    Ok(Some(compiled))
}

/// Reads the summaries of devices.
pub(super) fn devices(folder: &str, names: &[&str]) -> Result<Vec<Device>, String> {
    let of = |name: &&str| {
        let path = |which: &str| Path::new(folder).join(which).join(format!("{name}.tsv"));
        Ok(Device {
            name: (*name).to_string(),
            first: read(&path("first"))?,
            now: read(&path("summary"))?,
            clang: compiled(&path("clang"))?,
        })
    };
    names.iter().map(of).collect()
}

/// Does what the words behind `isa` say.
///
/// # Errors
/// Cards and kernels that cannot be read or compiled, and figures that got worse.
pub fn command(words: &[String]) -> Result<(), String> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["compare", earlier, now] => {
            let worse = read(Path::new(now))?.regressions(&read(Path::new(earlier))?);
            match worse.is_empty() {
                true => Ok(()),
                false => Err(worse.join("\n")),
            }
        }
        ["page", out, folder, names @ ..] => write(out, &page(&devices(folder, names)?)),
        ["clang", card, out, clang @ ..] => match clang::compile(card, clang)? {
            Some(compiled) => write(out, &compiled.text()),
            None => Ok(()),
        },
        [platform, shaders, out] => measure(platform, shaders, out, ""),
        [platform, shaders, out, only] => measure(platform, shaders, out, only),
        _ => Err(USAGE.to_string()),
    }
}

fn measure(platform: &str, shaders: &str, out: &str, only: &str) -> Result<(), String> {
    let summary = super::run(platform, only, Path::new(shaders))?;
    print!("{}", summary.table());
    write(out, &summary.text())
}
