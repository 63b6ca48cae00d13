//! Test steps of programs that nobody wrote for Pumice: random ones and real applications.

use crate::clients::{self, Setting};
use crate::drivers::{self, VulkanDriver};
use crate::low_floor;
use crate::sh::{self, Result};
use crate::test::{Report, build_debug, build_runner, cargo, mark};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// A fixed handful of random programs. Longer runs are by hand: `pumice-difffuzz --help`'s text
/// and docs/fuzzing.md say how.
pub fn random(report: &mut Report) -> Result {
    let vendors = build_random()?;
    for driver in [&drivers::system()?, &drivers::backports()?] {
        let mut command = campaign("test");
        command
            .args(["--from", "1", "--count", "20"])
            .args(["--options", "-cl-opt-disable"]);
        run_campaign(
            report,
            command,
            &setting(&vendors, driver, &[]),
            driver.name,
        )?;
    }
    Ok(())
}

/// The next programs on SwiftShader, and on lavapipe with each thing masked that low devices lack. Each
/// form has a folder below `target/difffuzz`, which holds the next seed and what failed.
pub fn random_low(report: &mut Report) -> Result {
    let vendors = build_random()?;
    let mut command = campaign("low-swiftshader");
    command.args(["--count", "25", "--skip", "double"]);
    let (low, full) = (drivers::swiftshader()?, drivers::backports()?);
    run_campaign(report, command, &setting(&vendors, &low, &[]), low.name)?;
    for (what, mask) in low_floor::MASKS {
        let mut command = campaign(&format!("low-{}", what.replace(' ', "-")));
        command.args(["--count", "25"]);
        let env = [
            ("PUMICE_MASK", mask.to_string()),
            // LLVM's optimiser takes most of the time, and is not what is tested.
            ("GALLIVM_PERF", "nopt".to_string()),
        ];
        run_campaign(report, command, &setting(&vendors, &full, &env), what)?;
    }
    Ok(())
}

/// Builds the driver, the generator and the tool; returns the folder that registers the driver.
fn build_random() -> Result<PathBuf> {
    let library = build_debug()?;
    build_runner()?;
    let example = [
        "--package",
        "pumice-compiler",
        "--example",
        "random_kernels",
    ];
    sh::run(cargo(&["build", "--quiet"]).args(example))?;
    clients::vendors_folder("debug", &library)
}

/// The tool that compares random programs, with a folder of its own.
fn campaign(folder: &str) -> Command {
    let debug = sh::target().join("debug");
    let mut command = Command::new(debug.join("pumice-difffuzz"));
    command
        .arg("--generator")
        .arg(debug.join("examples/random_kernels"))
        .arg("--folder")
        .arg(sh::target().join("difffuzz").join(folder));
    command
}

fn setting<'a>(
    vendors: &'a Path,
    driver: &'a VulkanDriver,
    env: &'a [(&'a str, String)],
) -> Setting<'a> {
    Setting {
        vendors,
        driver: Some(driver),
        loader: None,
        env,
    }
}

/// Runs the tool in a setting and records its outcome.
fn run_campaign(
    report: &mut Report,
    mut command: Command,
    setting: &Setting<'_>,
    name: &str,
) -> Result {
    command.arg("Pumice");
    setting.apply(&mut command);
    let done = sh::run_limited(&mut command, Duration::from_secs(1200))?;
    let outcome = done.verdict();
    println!("  {} {name}: {}", mark(&outcome), done.stdout.trim());
    report.record(&format!("random programs · {name}"), outcome);
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
