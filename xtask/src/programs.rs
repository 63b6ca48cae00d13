//! Test steps of programs that nobody wrote for Pumice: random ones and real applications.

use crate::clients::{self, Setting};
use crate::drivers::{self, VulkanDriver, WITHOUT_OPTIMISER};
use crate::low_floor;
use crate::sh::{self, Result};
use crate::test::{Report, build_debug, build_runner, cargo, mark};
use std::path::PathBuf;
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

const GRIDS: Kind = Kind {
    word: Some("grids"),
    name: "random programs on grids",
    count: 15,
    // Kernels get their copies at once.
    options: &["--env", "PUMICE_COARSE=always"],
};

const ENQUEUEING: Kind = Kind {
    word: Some("enqueues"),
    name: "random programs that enqueue",
    count: 5,
    // One program in five keeps LLVM's optimiser busy for most of a minute, and that is not what is tested.
    options: &["--share", "100", "--env", WITHOUT_OPTIMISER],
};

/// A fixed handful of random programs. Longer runs are by hand: `pumice-difffuzz --help`'s text
/// and docs/fuzzing.md say how.
pub fn random(report: &mut Report) -> Result {
    let system = drivers::system()?;
    let backports = drivers::backports()?;
    let runs = [
        (&system, &PLAIN),
        (&backports, &PLAIN),
        (&system, &GRIDS),
        (&backports, &GRIDS),
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

/// The next programs on SwiftShader, and on lavapipe with each thing masked that low devices lack. The
/// folder `target/difffuzz/low` holds the next seed and what failed.
pub fn random_low(report: &mut Report) -> Result {
    let vendors = build_random()?;
    let (low, full) = (drivers::swiftshader()?, drivers::backports()?);
    let mut words: Vec<String> = ["--count", "25"].map(String::from).into();
    // LLVM's optimiser and wide vectors take most of the time, and are not what is tested.
    for variable in [WITHOUT_OPTIMISER, "LP_NATIVE_VECTOR_WIDTH=128"] {
        words.extend(["--env", variable].map(String::from));
    }
    for (what, mask) in low_floor::MASKS {
        let mask = format!("PUMICE_MASK={mask}");
        words.extend(["--form", what, "--env", &mask].map(String::from));
    }
    words.extend(["--form", low.name].map(String::from));
    words.extend(["--skip", "double"].map(String::from));
    for variable in ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"] {
        let driver = format!("{variable}={}", low.manifest.display());
        words.extend(["--env".to_string(), driver]);
    }
    let setting = Setting {
        vendors: &vendors,
        driver: Some(&full),
        loader: None,
        env: &[],
    };
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let label = "random programs on low devices";
    run_campaign(report, "low", &words, &setting, label)
}

fn run_random(
    report: &mut Report,
    runs: &[(&VulkanDriver, &Kind)],
    env: &[(&str, String)],
) -> Result {
    let vendors = build_random()?;
    for &(driver, kind) in runs {
        let count = kind.count.to_string();
        let mut words = vec!["--from", "1", "--count", &count];
        if let Some(word) = kind.word {
            words.extend(["--kind", word]);
        }
        words.extend(kind.options);
        let setting = Setting {
            vendors: &vendors,
            driver: Some(driver),
            loader: None,
            env,
        };
        let label = format!("{} · {}", kind.name, driver.name);
        run_campaign(report, "test", &words, &setting, &label)?;
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

/// Runs the tool with a folder below `target/difffuzz` and more words, and records its outcome.
fn run_campaign(
    report: &mut Report,
    folder: &str,
    words: &[&str],
    setting: &Setting<'_>,
    label: &str,
) -> Result {
    let debug = sh::target().join("debug");
    let mut command = Command::new(debug.join("pumice-difffuzz"));
    command
        .arg("--generator")
        .arg(debug.join("examples/random_kernels"))
        .arg("--folder")
        .arg(sh::target().join("difffuzz").join(folder))
        .args(words)
        .arg("Pumice");
    setting.apply(&mut command);
    let done = sh::run_limited(&mut command, Duration::from_secs(1200))?;
    let outcome = done.verdict();
    println!("  {} {label}: {}", mark(&outcome), done.stdout.trim());
    report.record(label, outcome);
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
