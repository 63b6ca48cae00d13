//! Test steps of programs that nobody wrote for Pumice: random ones and real applications.

use crate::clients::{self, Setting};
use crate::drivers::{self, VulkanDriver};
use crate::sh::{self, Result};
use crate::test::{Report, build_debug, build_runner, cargo, mark};
use std::process::Command;
use std::time::Duration;

/// Random programs of one kind: the generator's word for it, the name in reports, how many, and more options of the
/// tool.
struct Kind {
    word: Option<&'static str>,
    name: &'static str,
    count: u32,
    options: &'static [&'static str],
}

const PLAIN: Kind = Kind {
    word: None,
    name: "random programs",
    count: 20,
    options: &["--options", "-cl-opt-disable"],
};

const ENQUEUEING: Kind = Kind {
    word: Some("enqueues"),
    name: "random programs that enqueue",
    count: 5,
    options: &["--share", "100"],
};

/// A fixed handful of random programs. Longer runs are by hand: `pumice-difffuzz --help`'s text
/// and docs/fuzzing.md say how.
pub fn random(report: &mut Report) -> Result {
    let system = drivers::system()?;
    let backports = drivers::backports()?;
    let runs = [
        (&system, &PLAIN),
        (&backports, &PLAIN),
        (&backports, &ENQUEUEING),
    ];
    run_random(report, &runs, &[])
}

/// Random programs that enqueue kernels, on one driver with these variables.
pub fn random_enqueueing(
    report: &mut Report,
    driver: &VulkanDriver,
    env: &[(&str, String)],
) -> Result {
    run_random(report, &[(driver, &ENQUEUEING)], env)
}

fn run_random(
    report: &mut Report,
    runs: &[(&VulkanDriver, &Kind)],
    env: &[(&str, String)],
) -> Result {
    let library = build_debug()?;
    build_runner()?;
    let example = [
        "--package",
        "pumice-compiler",
        "--example",
        "random_kernels",
    ];
    sh::run(cargo(&["build", "--quiet"]).args(example))?;
    let debug = sh::target().join("debug");
    let vendors = clients::vendors_folder("debug", &library)?;
    for &(driver, kind) in runs {
        let folder = sh::target().join("difffuzz").join("test");
        let mut command = Command::new(debug.join("pumice-difffuzz"));
        command
            .arg("--generator")
            .arg(debug.join("examples/random_kernels"))
            .arg("--folder")
            .arg(&folder)
            .args(["--from", "1", "--count", &kind.count.to_string()]);
        if let Some(word) = kind.word {
            command.args(["--kind", word]);
        }
        command.args(kind.options).arg("Pumice");
        let setting = Setting {
            vendors: &vendors,
            driver: Some(driver),
            loader: None,
            env,
        };
        setting.apply(&mut command);
        let done = sh::run_limited(&mut command, Duration::from_secs(300))?;
        let outcome = done.verdict();
        println!(
            "  {} {} · {}: {}",
            mark(&outcome),
            kind.name,
            driver.name,
            done.stdout.trim()
        );
        report.record(&format!("{} · {}", kind.name, driver.name), outcome);
    }
    Ok(())
}

/// The quick tier of the harness's applications on the debug driver; missing packages are
/// installed. What is skipped (for a feature that the device lacks) is named by the tool.
pub fn applications(_: &mut Report) -> Result {
    let library = build_debug()?;
    let tool = build_runner()?.with_file_name("pumice-cts");
    let system = drivers::system()?;
    let mut command = Command::new(tool);
    command
        .args(["apps", "--quick", "--install", "--icd"])
        .arg(&library)
        .arg("--home")
        .arg(sh::target().join("apps"))
        .arg("--out")
        .arg(sh::target().join("apps-result.json"))
        // Some checks are that no line has the word `error`; the driver has one about old Mesa.
        .env("PUMICE_LOG", "device=off");
    system.select(&mut command);
    sh::run(&mut command)
}
