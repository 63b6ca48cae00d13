//! `cargo xtask test`: everything that CI runs, step by step.

use crate::clients::{self, Client, Setting};
use crate::compiler::Compiler;
use crate::drivers::{self, VulkanDriver};
use crate::kernel_files::{run_check_files, run_kernel_files, run_unoptimised, without_addresses};
use crate::layer_messages::Messages;
use crate::packages;
use crate::sh::{self, Finished, Result};
use crate::steps::{FILTERED, STEPS, Step};
use crate::{binary_checks, cargo_tests, demo, install, trace, workers};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Counts what ran.
#[derive(Default)]
pub struct Report {
    passed: usize,
    failures: Vec<String>,
    /// Only tests whose names contain this run; empty for all.
    pub filter: String,
}

impl Report {
    /// Records the outcome of one test.
    pub fn record(&mut self, name: &str, outcome: std::result::Result<(), String>) {
        match outcome {
            Ok(()) => self.passed += 1,
            Err(why) => {
                println!("  FAIL {name}\n{why}");
                self.failures.push(name.to_string());
            }
        }
    }

    /// Records tests that failed and have said why.
    pub fn fail(&mut self, names: Vec<String>) {
        self.failures.extend(names);
    }
}

/// Runs all steps, or the named ones. Of [`FILTERED`] steps only tests run whose names contain the
/// words behind `--`.
pub fn run(args: &[String]) -> Result {
    let (args, filter) = match args.iter().position(|arg| arg == "--") {
        Some(at) => (&args[..at], args[at + 1..].join(" ")),
        None => (args, String::new()),
    };
    let unfiltered = |arg: &&String| !FILTERED.contains(&arg.as_str());
    if !filter.is_empty() && (args.is_empty() || args.iter().any(|arg| unfiltered(&arg))) {
        let steps = FILTERED.join(", ");
        return Err(format!("a filter goes with these steps alone: {steps}"));
    }
    if args.iter().any(|arg| arg == "--list") {
        for step in STEPS {
            let when = if step.on_request { " (on request)" } else { "" };
            println!("{:12} {}{when}", step.name, step.what);
        }
        return Ok(());
    }
    if let Some(unknown) = args
        .iter()
        .find(|arg| STEPS.iter().all(|step| step.name != arg.as_str()))
    {
        return Err(format!(
            "no test step named {unknown:?}; see cargo xtask test --list"
        ));
    }
    let chosen = |step: &&Step| match args.is_empty() {
        true => !step.on_request,
        false => args.iter().any(|arg| arg == step.name),
    };
    let needs = STEPS.iter().filter(chosen).flat_map(|step| step.needs);
    packages::ensure(needs.copied().flatten())?;
    let start = Instant::now();
    let mut report = Report {
        filter,
        ..Report::default()
    };
    for step in STEPS.iter().filter(chosen) {
        println!("\n=== {}: {}", step.name, step.what);
        let began = Instant::now();
        let outcome = (step.run)(&mut report);
        report.record(step.name, outcome);
        println!(
            "=== {} took {:.0} s",
            step.name,
            began.elapsed().as_secs_f64()
        );
    }
    println!("\n{:.0} s in all", start.elapsed().as_secs_f64());
    for name in &report.failures {
        println!("failed: {name}");
    }
    println!("{} passed, {} failed", report.passed, report.failures.len());
    if report.failures.is_empty() {
        Ok(())
    } else {
        Err("some tests failed".to_string())
    }
}

/// The variable with which tests may skip nothing.
pub const REQUIRE_ALL: &str = "PUMICE_REQUIRE_ALL";

/// A cargo command in the checkout, whose tests may skip nothing.
pub fn cargo(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO"));
    command
        .args(args)
        .current_dir(sh::root())
        .env(REQUIRE_ALL, "1");
    command
}

pub fn fmt(_: &mut Report) -> Result {
    sh::run(&mut cargo(&["fmt", "--all", "--check"]))
}

pub fn clippy(_: &mut Report) -> Result {
    sh::run(&mut cargo(&[
        "clippy",
        "--quiet",
        "--workspace",
        "--all-targets",
        "--",
        "-D",
        "warnings",
    ]))
}

pub fn unit(report: &mut Report) -> Result {
    let system = drivers::system()?;
    // Tests that dispatch do so on a known driver.
    cargo_tests::run(report, &["--workspace"], |command| {
        system.select(command);
        command.envs([drivers::without_optimiser()]);
    })
}

/// The tests that dispatch, on backports Mesa too. The system's validation layer is older than
/// that driver, so it stays off.
pub fn devices(report: &mut Report) -> Result {
    let backports = drivers::backports()?;
    let library_path =
        std::env::join_paths(&backports.library_path).map_err(|error| error.to_string())?;
    let packages = [
        "--package",
        "pumice-runtime",
        "--package",
        "pumice-vulkan-layer",
    ];
    cargo_tests::run(report, &packages, |command| {
        backports.select(command);
        command
            .envs([drivers::without_optimiser()])
            .env("LD_LIBRARY_PATH", &library_path)
            .env("PUMICE_TEST_WITHOUT_VALIDATION", "1");
    })
}

/// Builds the driver with debug assertions (the compiler verifies after every pass).
pub fn build_debug() -> Result<PathBuf> {
    sh::run(&mut cargo(&["build", "--quiet", "--package", "pumice-icd"]))?;
    Ok(sh::target().join("debug").join(install::library_name()?))
}

pub fn library(_: &mut Report) -> Result {
    binary_checks::check(&build_debug()?, false)
}

/// Label and setting of one matrix entry of the end-to-end run.
pub struct Matrix<'a> {
    /// Shown behind the name of each test.
    pub label: String,
    /// Environment and drivers.
    pub setting: Setting<'a>,
    /// Messages of Debian 12's validation layer, where the setting loads it.
    pub messages: Option<&'a Messages>,
}

impl Matrix<'_> {
    /// Runs a program, which ends within a time and about which the layer says nothing.
    pub fn run(&self, name: &str, mut command: Command, limit: Duration) -> Result<Finished> {
        self.setting.apply(&mut command);
        let Some(messages) = self.messages else {
            return sh::run_limited(&mut command, limit);
        };
        let own = messages.own(name, None)?;
        let (variable, folder) = own.variable();
        let done = sh::run_limited(command.env(variable, folder), limit)?;
        own.silent().map(|()| done)
    }
}

/// The client that only lists devices, for checks of the set-up itself.
pub fn list_devices(all: &[Client]) -> Result<&Client> {
    all.iter()
        .find(|client| client.name == "list_devices")
        .ok_or_else(|| "tests/clients/list_devices.c is missing".to_string())
}

/// Returns the first word of a progress line.
pub fn mark(outcome: &Result) -> &'static str {
    if outcome.is_ok() { "ok  " } else { "FAIL" }
}

/// Asserts that the driver under test is the one that we mean: the log of device selection
/// names its driverInfo.
pub fn assert_driver(list: &Client, matrix: &Matrix<'_>, driver: &VulkanDriver) -> Result {
    let mut command = Command::new(&list.path);
    matrix.setting.apply(&mut command);
    command.env("PUMICE_LOG", "info");
    let done = sh::run_limited(&mut command, Duration::from_secs(60))?;
    let expected = format!("driver {}", driver.driver_info);
    let is_named = |line: &str| expected.split('…').all(|part| line.contains(part));
    if done.stderr.lines().any(is_named) {
        Ok(())
    } else {
        Err(format!(
            "{}: no \"{expected}…\" in the log:\n{}",
            matrix.label, done.stderr
        ))
    }
}

/// The clients that a setting runs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Share {
    /// All.
    All,
    /// Those that run with each driver.
    OfDriver,
    /// Those that run with each setting of a driver.
    OfSetting,
    /// Those that the step `validation` leaves out.
    OutsideLayers,
}

impl Share {
    fn has(self, client: &Client) -> bool {
        match self {
            Self::All => true,
            Self::OfDriver => !client.once,
            Self::OfSetting => !client.once && !client.once_a_driver,
            Self::OutsideLayers => !client.runs_validated(),
        }
    }
}

pub fn run_clients(report: &mut Report, all: &[Client], matrix: &Matrix<'_>, share: Share) {
    let chosen = |client: &&Client| {
        share.has(client) && client.suits(&matrix.setting) && client.name.contains(&report.filter)
    };
    let chosen: Vec<&Client> = all.iter().filter(chosen).collect();
    let (name, label) = (clients::name, &matrix.label);
    run_at_once(report, &chosen, name, label, workers::count(), |client| {
        clients::run(client, &matrix.setting, Duration::from_secs(240))?.verdict()
    });
}

/// Runs clients or files on some threads at once, and prints and records each as it ends. `run` tells its
/// outcome.
pub fn run_at_once<T: Sync>(
    report: &mut Report,
    items: &[T],
    name: impl Fn(&T) -> String + Sync,
    label: &str,
    workers: usize,
    run: impl Fn(&T) -> Result + Sync,
) {
    let report = Mutex::new(report);
    workers::map(items, workers, |item| {
        let began = Instant::now();
        let outcome = run(item);
        let (name, seconds) = (
            format!("{} · {label}", name(item)),
            began.elapsed().as_secs_f64(),
        );
        let mut report = report.lock().unwrap_or_else(PoisonError::into_inner);
        println!("  {} {name} ({seconds:.1} s)", mark(&outcome));
        report.record(&name, outcome);
    });
}

/// The demo's programs are end-to-end tests too: they check their results themselves.
pub fn run_demos(report: &mut Report, matrix: &Matrix<'_>) -> Result {
    let folder = sh::target().join("clients");
    run_demos_of(report, matrix, &Compiler::system(), &folder)
}

/// The same with a compiler of choice, whose programs go into a folder.
pub fn run_demos_of(
    report: &mut Report,
    matrix: &Matrix<'_>,
    compiler: &Compiler,
    folder: &Path,
) -> Result {
    let name = |source: &PathBuf| {
        let stem = source.file_stem().expect("listed files have names");
        stem.to_string_lossy().into_owned()
    };
    let mut sources = demo::sources()?;
    sources.retain(|source| name(source).contains(&report.filter));
    let title = |source: &PathBuf| format!("demo {}", name(source));
    let label = &matrix.label;
    run_at_once(report, &sources, title, label, workers::count(), |source| {
        let name = name(source);
        let program = folder.join(format!("demo-{name}"));
        compiler.compile(source, &program, &["-lOpenCL".to_string()])?;
        let mut command = Command::new(&program);
        command.arg("Pumice").current_dir(sh::target());
        if name == "sha256" {
            command.arg(sh::root().join("Cargo.lock"));
        }
        let done = matrix.run(&name, command, Duration::from_secs(240))?;
        done.verdict()
    });
    Ok(())
}

/// Builds the tools of the harness and returns the kernel-file runner.
pub fn build_runner() -> Result<PathBuf> {
    sh::run(&mut cargo(&[
        "build",
        "--quiet",
        "--package",
        "pumice-cts-harness",
    ]))?;
    Ok(sh::target().join("debug/pumice-clrun"))
}

pub fn end_to_end(report: &mut Report) -> Result {
    let library = build_debug()?;
    let runner = build_runner()?;
    let vendors = clients::vendors_folder("debug", &library)?;
    let all = clients::compile_all(&library)?;
    let list = list_devices(&all)?;
    let (system, backports, khronos) = (
        drivers::system()?,
        drivers::backports()?,
        drivers::khronos_loader()?,
    );
    let masked = [without_addresses(), drivers::without_optimiser()];
    // Kernels add a number to pointers; the host and the device see one memory, or the host has copies. With the first,
    // invocations run several work-items each wherever they can.
    let shifted = [
        ("PUMICE_MASK", "hostAddresses".to_string()),
        ("PUMICE_COARSE", "always".to_string()),
        drivers::without_optimiser(),
    ];
    let copied = "hostAddresses,VK_EXT_external_memory_host";
    let copied = [
        ("PUMICE_MASK", copied.to_string()),
        drivers::without_optimiser(),
    ];
    // The Khronos loader manages the dispatch (cl_khr_icd 2), with a layer in between.
    let layer = clients::compile_layer("print")?;
    let layered = [("OPENCL_LAYERS", layer.display().to_string())];
    if "pumice-trace".contains(&report.filter) {
        let setting = Setting {
            vendors: &vendors,
            driver: Some(&backports),
            loader: None,
            env: &[],
        };
        report.record("pumice-trace", trace::check(&all, &setting));
    }
    let (other_loader, addressless) = ("Khronos loader", "without device addresses");
    let khronos = Some(khronos.as_path());
    for (driver, loader, what, env, share) in [
        (&system, None, "ocl-icd", &[][..], Share::OutsideLayers),
        (&backports, None, "ocl-icd", &[], Share::OfDriver),
        (&system, khronos, other_loader, &layered, Share::OfSetting),
        (&system, None, addressless, &masked, Share::OutsideLayers),
        (&backports, None, addressless, &masked, Share::OfSetting),
        (
            &backports,
            None,
            "pointers shifted, coarse",
            &shifted,
            Share::OfSetting,
        ),
        (
            &system,
            None,
            "pointers shifted, copies",
            &copied,
            Share::OfSetting,
        ),
    ] {
        let matrix = Matrix {
            messages: None,
            label: format!("{} · {what}", driver.name),
            setting: Setting {
                vendors: &vendors,
                driver: Some(driver),
                loader,
                env,
            },
        };
        report.record(
            &format!("driverInfo · {}", matrix.label),
            assert_driver(list, &matrix, driver),
        );
        run_clients(report, &all, &matrix, share);
        // The step `validation` runs the demos and the kernel files with these two.
        let validated = share == Share::OutsideLayers;
        if !validated {
            run_demos(report, &matrix)?;
        }
        // Another loader is nothing that a kernel sees.
        if loader.is_some() {
            continue;
        }
        if !validated {
            run_kernel_files(report, &runner, &matrix)?;
        }
        if "check files".contains(&report.filter) {
            run_check_files(report, &runner, &matrix)?;
        }
        if env.is_empty() && report.filter.is_empty() {
            run_unoptimised(report, &runner, &matrix)?;
        }
    }
    run_clients_of_several(report, all, &vendors, [&system, &backports])
}

/// Runs the clients that use several devices, with two drivers in one process.
pub fn run_clients_of_several(
    report: &mut Report,
    mut clients: Vec<Client>,
    vendors: &Path,
    [one, other]: [&VulkanDriver; 2],
) -> Result {
    clients.retain(|client| client.all_drivers);
    let both = drivers::together(one, other)?;
    let matrix = Matrix {
        messages: None,
        label: format!("{} and {}", one.name, other.name),
        setting: Setting {
            vendors,
            driver: Some(&both),
            loader: None,
            env: &[],
        },
    };
    run_clients(report, &clients, &matrix, Share::All);
    Ok(())
}
