//! The machine code that drivers of real GPUs make of kernels, beside hand-written shaders: `pumice-bench isa`
//! on every card of the list, against the committed summaries.

use super::{Bench, CARDS, Card};
use crate::clients::Setting;
use crate::sh::{self, Result};
use crate::test::{self, Report};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// The folder of shaders and summaries.
fn folder() -> PathBuf {
    sh::root().join("cts-harness/isa")
}

/// The step. The filter chooses cards, and of one card, behind a colon, kernels.
pub fn run(report: &mut Report) -> Result {
    let bench = Bench::set_up()?;
    test::build_runner()?;
    let tool = sh::target().join("debug/pumice-bench");
    let bless = std::env::var_os("PUMICE_BLESS").is_some();
    let filter = report.filter.clone();
    let (named, only) = filter.split_once(':').unwrap_or((&filter, ""));
    let chosen = |card: &&Card| card.name.contains(named);
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
        let names = CARDS.iter().map(|card| card.name);
        let mut command = Command::new(&tool);
        command.args(["isa", "page"]);
        command
            .arg(sh::root().join("docs/gpu-code.md"))
            .arg(folder());
        sh::output(command.args(names))?;
    }
    Ok(())
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
