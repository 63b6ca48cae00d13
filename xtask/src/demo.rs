//! `cargo xtask demo`: from a bare machine to real OpenCL programs running on the driver.

use crate::sh::{self, Result};
use crate::{clients, install, packages, release};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// The part of the platform's name by which the programs pick it.
const PLATFORM: &str = "Pumice";

/// A row of the table at the end.
struct Row {
    program: String,
    checked: String,
    build_ms: Option<f64>,
    run_ms: Option<f64>,
    ok: bool,
}

fn step(number: usize, text: &str) {
    println!("\n[{number}/6] {text}");
}

/// Runs the demo.
pub fn run(args: &[String]) -> Result {
    if let Some(arg) = args.first() {
        return Err(format!("demo takes no argument, got {arg:?}"));
    }
    let start = Instant::now();
    step(1, "Debian packages");
    packages::ensure(packages::DEMO)?;
    step(
        2,
        "building the driver (release; the first time takes some minutes)",
    );
    let built = release::library()?;
    step(
        3,
        "registering it for this user only, with a Vulkan driver that gives right results",
    );
    let vendors = install::install_for_user(&built)?;
    println!("  {}", install::environment_line(&vendors));
    step(4, "the device as clinfo sees it");
    show_device(&vendors)?;
    step(
        5,
        "programs, compiled by the system's gcc and g++ against its own headers and -lOpenCL",
    );
    let mut rows = programs(&vendors)?;
    step(6, "clpeak, unmodified");
    rows.push(clpeak(&vendors)?);
    table(&rows);
    println!(
        "\n{:.0} s in all. To use the driver in your own programs:\n  {}",
        start.elapsed().as_secs_f64(),
        install::environment_line(&vendors)
    );
    match rows.iter().filter(|row| !row.ok).count() {
        0 => Ok(()),
        wrong => Err(format!("{wrong} of {} programs failed", rows.len())),
    }
}

fn show_device(vendors: &Path) -> Result {
    let text = sh::output(Command::new("clinfo").env("OCL_ICD_VENDORS", vendors))?;
    if let Some(line) = text.lines().find(|line| line.contains(": error -")) {
        return Err(format!("clinfo reports: {}", line.trim()));
    }
    let wanted = [
        "Platform Name",
        "Platform Version",
        "Device Name",
        "Device Vendor  ",
        "Device Version",
        "Device OpenCL C Version",
        "Max compute units",
        "Global memory size",
        "Local memory size",
        "Max work group size",
        "Double-precision Floating-point support",
        "Half-precision Floating-point support",
    ];
    let mut inside = false;
    for line in text.lines() {
        let trimmed = line.trim_end();
        if line.trim_start().starts_with("Platform Name") {
            inside = trimmed.contains(PLATFORM);
        }
        if inside && wanted.iter().any(|key| line.trim_start().starts_with(key)) {
            println!("{trimmed}");
        }
    }
    if text.contains(PLATFORM) {
        Ok(())
    } else {
        Err("clinfo does not list the platform".to_string())
    }
}

fn programs(vendors: &Path) -> Result<Vec<Row>> {
    let out = sh::target().join("demo");
    let picture = out.join("mandelbrot.png");
    let mut rows = Vec::new();
    for source in sh::files_with(&sh::root().join("demos"), &["c", "cpp"])? {
        let name = source
            .file_stem()
            .expect("listed files have names")
            .to_string_lossy()
            .into_owned();
        let program = out.join(&name);
        print!("  {name:14} ");
        flush();
        clients::compile(&source, &program, &["-lOpenCL".to_string()])?;
        let mut command = Command::new(&program);
        command
            .arg(PLATFORM)
            .env("OCL_ICD_VENDORS", vendors)
            .current_dir(&out);
        match name.as_str() {
            "mandelbrot" => {
                command.arg(&picture);
            }
            "sha256" => {
                command.args([
                    program.as_path(),
                    &sh::root().join("Cargo.lock"),
                    Path::new("/bin/ls"),
                ]);
            }
            _ => {}
        }
        let done = sh::run_limited(&mut command, Duration::from_secs(180))?;
        let row = read_result(&name, &done);
        println!("{}", if row.ok { &row.checked } else { "FAILED" });
        for line in done
            .stdout
            .lines()
            .filter(|line| !line.starts_with("RESULT|"))
        {
            println!("    | {line}");
        }
        if !row.ok {
            println!("    {}\n{}", done.status, done.stderr);
        }
        rows.push(row);
    }
    println!("  the picture: {}", picture.display());
    Ok(rows)
}

/// Reads a program's `RESULT|name|ok|what|build ms|run ms` line.
fn read_result(name: &str, done: &sh::Finished) -> Row {
    let fields: Option<Vec<&str>> = done
        .stdout
        .lines()
        .find_map(|line| line.strip_prefix("RESULT|"))
        .map(|line| line.split('|').collect());
    match fields.as_deref() {
        Some([title, verdict, what, build, run]) => Row {
            program: title.to_string(),
            checked: what.to_string(),
            build_ms: build.parse().ok(),
            run_ms: run.parse().ok(),
            ok: done.ok && *verdict == "ok",
        },
        _ => Row {
            program: name.to_string(),
            checked: done.status.clone(),
            build_ms: None,
            run_ms: None,
            ok: false,
        },
    }
}

fn clpeak(vendors: &Path) -> Result<Row> {
    // clpeak takes a platform index; the loaders number platforms in their own order.
    let list = sh::output(
        Command::new("clinfo")
            .arg("--list")
            .env("OCL_ICD_VENDORS", vendors),
    )?;
    let index = list
        .lines()
        .filter_map(|line| line.strip_prefix("Platform #"))
        .find(|line| line.contains(PLATFORM))
        .and_then(|line| line.split(':').next())
        .ok_or("clinfo --list does not show the platform")?
        .to_string();
    let start = Instant::now();
    let mut command = Command::new("clpeak");
    command
        .args(["-p", &index])
        .env("OCL_ICD_VENDORS", vendors)
        // A device that is left out is told of by the other programs, and is no fault of this one.
        .env("PUMICE_LOG", "device=off");
    let done = sh::run_limited(&mut command, Duration::from_secs(300))?;
    print!("{}", done.stdout);
    let figures = done
        .stdout
        .lines()
        .filter(|line| {
            line.split(':')
                .nth(1)
                .is_some_and(|value| value.trim().starts_with(|c: char| c.is_ascii_digit()))
        })
        .count();
    let trouble = done.stdout.lines().chain(done.stderr.lines()).find(|line| {
        let line = line.to_lowercase();
        line.contains("error") || line.contains("fail") || line.contains("skipped")
    });
    let ok = done.ok && figures > 20 && trouble.is_none();
    if !ok {
        println!("    {}\n{}", done.status, done.stderr);
    }
    Ok(Row {
        program: "clpeak".to_string(),
        checked: match trouble {
            Some(line) => line.trim().to_string(),
            None => format!("{figures} figures"),
        },
        build_ms: None,
        run_ms: Some(start.elapsed().as_secs_f64() * 1e3),
        ok,
    })
}

fn table(rows: &[Row]) {
    let figure = |value: Option<f64>| value.map_or("-".to_string(), |ms| format!("{ms:.1} ms"));
    println!(
        "\n{:36} {:8} {:>12} {:>12}  checked against the host",
        "program", "", "build", "run"
    );
    for row in rows {
        println!(
            "{:36} {:8} {:>12} {:>12}  {}",
            row.program,
            if row.ok { "ok" } else { "FAILED" },
            figure(row.build_ms),
            figure(row.run_ms),
            row.checked
        );
    }
}

fn flush() {
    use std::io::Write;
    // Progress only; a closed terminal is no reason to stop.
    let _ = std::io::stdout().flush();
}

/// Returns the sources of the demo programs; the tests run them too.
pub fn sources() -> Result<Vec<PathBuf>> {
    sh::files_with(&sh::root().join("demos"), &["c", "cpp"])
}
