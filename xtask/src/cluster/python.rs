//! Python's engines on the driver: Dask and MPI, from PyPI into a virtual environment below
//! `target/cluster`.

use crate::clients::Setting;
use crate::sh::{self, Result};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(300);

fn folder() -> PathBuf {
    sh::root().join("tests/cluster")
}

/// The virtual environment with the packages of `tests/cluster/requirements.txt`; made once.
pub fn environment() -> Result<PathBuf> {
    let place = sh::target().join("cluster/python");
    let wanted = folder().join("requirements.txt");
    let text = sh::read(&wanted)?;
    let stamp = place.join("requirements.txt");
    if !sh::read(&stamp).is_ok_and(|there| there == text) {
        println!(
            "installing Dask, mpi4py and PyOpenCL in {} (once)",
            place.display()
        );
        sh::output(Command::new("python3").args(["-m", "venv"]).arg(&place))?;
        let mut install = Command::new(place.join("bin/pip"));
        install.args(["install", "--quiet", "--disable-pip-version-check", "-r"]);
        sh::output(install.arg(&wanted))?;
        sh::write(&stamp, text)?;
    }
    Ok(place)
}

/// Runs a command of the environment in a folder of its own, and prints its last line.
fn run(command: &mut Command, place: &Path, setting: &Setting<'_>) -> Result {
    setting.apply(command);
    let scratch = sh::target().join("cluster/work");
    sh::make_folder(&scratch)?;
    command
        .current_dir(&scratch)
        .env("PYOPENCL_NO_CACHE", "1")
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("VIRTUAL_ENV", place);
    let done = sh::run_limited(command, LIMIT)?;
    done.verdict()?;
    println!("  {}", done.stdout.lines().last().unwrap_or_default());
    match done.stdout.contains("right True") {
        true => Ok(()),
        false => Err(format!("{}{}", done.stdout, done.stderr)),
    }
}

/// A job on two workers of Dask.
pub fn dask(setting: &Setting<'_>) -> Result {
    let place = environment()?;
    let mut command = Command::new(place.join("bin/python"));
    run(command.arg(folder().join("dask_job.py")), &place, setting)
}

/// A job on two ranks of MPI.
pub fn mpi(setting: &Setting<'_>) -> Result {
    let place = environment()?;
    let mut command = Command::new(place.join("bin/mpiexec"));
    command.args(["-n", "2"]).arg(place.join("bin/python"));
    run(command.arg(folder().join("mpi_job.py")), &place, setting)
}
