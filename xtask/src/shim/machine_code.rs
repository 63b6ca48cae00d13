//! The machine code that drivers of real GPUs make of kernels, beside hand-written shaders: `pumice-bench isa`
//! on every card of the list, against the committed summaries.

use super::{Bench, CARDS, Card};
use crate::clients::Setting;
use crate::drivers;
use crate::private_apt;
use crate::sh::{self, Result};
use crate::test::{self, Report};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// clang and ROCm's device libraries of one version.
const AMD_COMPILER: &[&str] = &["clang-21", "rocm-device-libs-21"];

/// The folder of its LLVM below `usr/lib`.
const LLVM: &str = "llvm-21";

/// The folder of shaders and summaries.
fn folder() -> PathBuf {
    sh::root().join("cts-harness/isa")
}

/// Returns whether a card is one of those whose code is compared: a summary of it is committed.
fn is_compared(card: &Card) -> bool {
    let summary = folder().join(format!("summary/{}.tsv", card.name));
    summary.exists()
}

/// The step. The filter chooses cards, and of one card, behind a colon, kernels.
pub fn run(report: &mut Report) -> Result {
    let bench = Bench::set_up("")?;
    test::build_runner()?;
    let tool = sh::target().join("debug/pumice-bench");
    let bless = std::env::var_os("PUMICE_BLESS").is_some();
    let filter = report.filter.clone();
    let (named, only) = filter.split_once(':').unwrap_or((&filter, ""));
    let chosen = |card: &&Card| card.name.contains(named) && is_compared(card);
    for card in CARDS.iter().filter(chosen) {
        let out = bench.folder.join(format!("isa-{}.tsv", card.name));
        let outcome = compile(&bench, card, &tool, &out, only).and_then(|table| {
            println!("{}:\n{table}", card.name);
            match only {
                "" => judge(&tool, card, &out, bless),
                _ => Ok(()),
            }
        });
        report.record(&format!("isa · {}", card.name), outcome);
    }
    if bless && only.is_empty() {
        for card in CARDS.iter().filter(chosen) {
            of_clang(&bench, card, &tool)?;
        }
        let compared = CARDS.iter().filter(|card| is_compared(card));
        let names = compared.map(|card| card.name);
        let mut command = Command::new(&tool);
        command.args(["isa", "page"]);
        command
            .arg(sh::root().join("docs/gpu-code.md"))
            .arg(folder());
        sh::output(command.args(names))?;
    }
    Ok(())
}

/// Commits what AMD's own compiler makes of the kernels, for a card of AMD's.
fn of_clang(bench: &Bench, card: &Card, tool: &Path) -> Result {
    let name = format!("{}.tsv", card.name);
    let made = bench.folder.join(format!("clang-{name}"));
    let mut command = Command::new(tool);
    command.args(["isa", "clang", card.name]).arg(&made);
    sh::output(command.args(clang()?))?;
    match made.exists() {
        true => sh::write(&folder().join("clang").join(name), sh::read(&made)?),
        false => Ok(()),
    }
}

/// The command that starts AMD's own compiler: Debian sid's clang, by sid's dynamic linker.
fn clang() -> Result<Vec<String>> {
    let place = private_apt::unpack_closure("sid", "clang-for-amd", AMD_COMPILER)?;
    let libraries = place.join(drivers::LIBRARIES);
    let linker = libraries.join("ld-linux-x86-64.so.2");
    let llvm = place.join("usr/lib").join(LLVM);
    let path = std::env::join_paths([&libraries, &llvm.join("lib")]);
    let path = path.map_err(|error| error.to_string())?;
    let library_path = path.to_string_lossy().into_owned();
    Ok(vec![
        linker.display().to_string(),
        "--library-path".to_string(),
        library_path,
        llvm.join("bin/clang").display().to_string(),
        format!("-resource-dir={}", llvm.join("lib/clang/21").display()),
    ])
}

/// Compiles everything on a card, writes the summary and returns the table.
fn compile(bench: &Bench, card: &Card, tool: &Path, out: &Path, only: &str) -> Result<String> {
    let driver = bench.shims.driver(card)?;
    let list = bench.folder.join(format!("isa-{}.txt", card.name));
    let layers = "VK_LAYER_PUMICE_completion:VK_LAYER_PUMICE_pipelines";
    let mut env = bench.on_card(card, layers);
    env.push(("LAYER_PIPELINES", list.display().to_string()));
    env.push(("PUMICE_MASK", card.finds.to_string()));
    env.push(("MESA_SHADER_CACHE_DISABLE", "true".to_string()));
    let setting = Setting {
        vendors: &bench.vendors,
        driver: Some(&driver),
        loader: None,
        env: &env,
    };
    let mut command = bench.shims.command(card, tool);
    command
        .args(["isa", "Pumice"])
        .arg(folder())
        .arg(out)
        .arg(only);
    setting.apply(&mut command);
    // The library path is on the command line.
    command.env_remove("LD_LIBRARY_PATH");
    let done = sh::run_limited(&mut command, Duration::from_secs(1200))?;
    done.verdict().map(|()| done.stdout)
}

/// Compares a summary with the committed one, or commits it.
fn judge(tool: &Path, card: &Card, out: &Path, bless: bool) -> Result {
    let name = format!("{}.tsv", card.name);
    let (first, committed) = (
        folder().join("first").join(&name),
        folder().join("summary").join(&name),
    );
    if bless {
        let text = sh::read(out)?;
        if !first.exists() {
            sh::write(&first, &text)?;
        }
        return sh::write(&committed, &text);
    }
    let mut command = Command::new(tool);
    command.args(["isa", "compare"]).arg(&committed).arg(out);
    sh::output(&mut command).map(drop)
}
