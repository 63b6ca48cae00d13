//! Suites of OpenCL-CTS on the cards: what a sub-test finds wrong because nothing executes stands in
//! `cts-harness/expectations/nothing-executes.txt`; crashes, hangs, Vulkan objects that pile up, messages of the newest
//! validation layer and anything else fail.

use super::{Bench, CARDS, Card};
use crate::kit::CTS_BUILD;
use crate::layer_messages::Messages;
use crate::sh::{self, Result};
use crate::test::{self, Report};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Suites that reach everything but the results of kernels, in groups with the arguments of their test programs.
const SUITES: &[(&[&str], &str)] = &[
    (
        &[
            "api",
            "buffers",
            "computeinfo",
            "device_partition",
            "events",
            "mem_host_flags",
            "multiple_device_context",
            "profiling",
        ],
        "-w",
    ),
    // Of the memory that a card has, the shim has little.
    (&["allocations"], "2%"),
];

/// Runs them, if the variable is set.
pub fn run(report: &mut Report, bench: &Bench) -> Result {
    let Some(build) = std::env::var_os(CTS_BUILD).map(PathBuf::from) else {
        println!("  {CTS_BUILD} names no folder: OpenCL-CTS is left out");
        return Ok(());
    };
    test::build_runner()?;
    let runner = sh::target().join("debug/pumice-cts");
    let messages = Messages::new(&bench.folder)?;
    messages.settings("error,warn,perf", Some(true))?;
    for card in CARDS.iter().filter(|card| card.runs_clients) {
        for (suites, argument) in SUITES {
            messages.forget()?;
            bench.files.forget();
            let out = format!("cts-{}-{}.json", suites[0], card.name);
            let mut command = command(bench, card, &runner, &build)?;
            command.arg("--out").arg(bench.folder.join(out));
            for suite in *suites {
                command.args(["--suite", suite]);
            }
            command.args(["--", argument]);
            let done = sh::run_limited(&mut command, Duration::from_secs(3600))?;
            let outcome = done
                .verdict()
                .map_err(|why| format!("{why}\n{}", done.stdout))
                .and_then(|()| messages.silent())
                .and_then(|()| bench.files.leaks());
            let name = format!("OpenCL-CTS {} · {}", suites.join(", "), card.name);
            println!("  {} {name}", test::mark(&outcome));
            report.record(&name, outcome);
        }
    }
    Ok(())
}

fn command(bench: &Bench, card: &Card, runner: &Path, build: &Path) -> Result<Command> {
    let expected = sh::root().join("cts-harness/expectations/nothing-executes.txt");
    let mut command = Command::new(runner);
    command
        .args(["run", "--timeout", "300", "--bin"])
        .arg(build);
    command.arg("--icd").arg(&bench.library);
    command.arg("--expect").arg(expected);
    command.arg("--through").arg(through(bench, card)?);
    Ok(command)
}

/// The command that runs a test binary with sid's libraries and the card's shim.
fn through(bench: &Bench, card: &Card) -> Result<String> {
    let driver = bench.shims.driver(card)?;
    let mut words = vec![
        "env".to_string(),
        format!("VK_DRIVER_FILES={}", driver.manifest.display()),
    ];
    let env = bench.on_card(
        card,
        "VK_LAYER_KHRONOS_validation:VK_LAYER_PUMICE_completion",
    );
    words.extend(env.iter().map(|(name, value)| format!("{name}={value}")));
    words.push(bench.shims.layer.dynamic_linker().display().to_string());
    words.extend([
        "--library-path".to_string(),
        bench.shims.layer.libraries.display().to_string(),
        "--preload".to_string(),
        bench.shims.library(card).display().to_string(),
    ]);
    Ok(words.join(" "))
}
