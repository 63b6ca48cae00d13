//! Kernel files (`compiler/filetests/run` and `check`) on drivers.

use crate::clients::{self, Setting};
use crate::drivers;
use crate::sh::{self, Finished, Result, file_name};
use crate::test::{self, Matrix, Report};
use crate::workers;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

/// The environment of a device without device addresses, with fences in place of timeline semaphores.
pub fn without_addresses() -> (&'static str, String) {
    let mask = "bufferDeviceAddress,timelineSemaphore";
    (clients::MASK, mask.to_string())
}

/// Kernel files that need device addresses: the one list of them.
pub fn needs_addresses() -> Result<Vec<String>> {
    let text = sh::read(&sh::root().join("compiler/filetests/needs_addresses.txt"))?;
    let names = text.lines().filter(|line| !line.starts_with('#'));
    Ok(names
        .filter_map(|line| line.split_once(':'))
        .map(|(name, _)| name.trim().to_string())
        .collect())
}

/// The environment of an old device: Vulkan 1.1 with extensions, no timeline semaphores, no queries that
/// the host resets. Its modules hold code for promises of launches, as those of cards do.
pub fn old_device() -> (&'static str, String) {
    let mask = "vulkan1.1,timelineSemaphore,hostQueryReset,+launchPromises";
    (clients::MASK, mask.to_string())
}

/// The environment of an old device without device addresses.
pub fn old_device_without_addresses() -> (&'static str, String) {
    let ((name, old), (_, addresses)) = (old_device(), without_addresses());
    (name, format!("{old},{addresses}"))
}

/// Returns whether a setting takes a feature away.
pub fn masks(setting: &Setting<'_>, feature: &str) -> bool {
    let mut masks = setting
        .env
        .iter()
        .filter(|(name, _)| *name == clients::MASK);
    masks.any(|(_, features)| features.split(',').any(|masked| masked == feature))
}

/// The things that a setting lacks: those of its driver, and those that its mask takes away.
fn lacks(setting: &Setting<'_>) -> Vec<&'static str> {
    let mut lacks = setting
        .driver
        .map_or(&[][..], |driver| driver.lacks)
        .to_vec();
    for (feature, thing) in [
        ("shaderInt64", "int64-atomics"),
        ("shaderFloat16", "half-atomics"),
        ("shaderInt64", "device-queues"),
        ("bufferDeviceAddress", "pipes"),
        ("bufferDeviceAddress", "device-queues"),
    ] {
        if masks(setting, feature) {
            lacks.push(thing);
        }
    }
    let soft = setting
        .env
        .iter()
        .any(|(name, value)| *name == "PUMICE_DOUBLES" && value == "soft");
    if masks(setting, "shaderFloat64") && !soft {
        lacks.push("doubles");
    }
    lacks
}

/// Returns whether a kernel file needs one of these things, by its `needs:` line or the list of those that need device
/// addresses.
fn needs_any(file: &Path, lacks: &[&str]) -> Result<bool> {
    let text = sh::read(file)?;
    let needs = text
        .lines()
        .filter_map(|line| line.strip_prefix("// needs: "));
    let mut needs = needs.flat_map(str::split_whitespace);
    let addressed =
        lacks.contains(&"device-addresses") && needs_addresses()?.contains(&file_name(file));
    Ok(addressed || needs.any(|thing| lacks.contains(&thing)))
}

/// The kernel files that need nothing that a setting lacks.
pub fn served(setting: &Setting<'_>) -> Result<Vec<PathBuf>> {
    served_of("compiler/filetests/run", setting)
}

/// The sources in a folder that need nothing that a setting lacks.
pub fn served_of(folder: &str, setting: &Setting<'_>) -> Result<Vec<PathBuf>> {
    let lacks = lacks(setting);
    let mut served = Vec::new();
    for file in sh::files_with(&sh::root().join(folder), &["cl"])? {
        if !needs_any(&file, &lacks)? {
            served.push(file);
        }
    }
    Ok(served)
}

/// The time that a file may take: functions of doubles made of words take lavapipe 22.3 more than two minutes on a slow
/// processor.
const LIMIT: Duration = Duration::from_secs(400);

/// The files that run in one process: starting it and the driver takes longer than most files.
const TOGETHER: usize = 8;

/// Runs each kernel file, a source with expectations in its comments, some in each process.
pub fn run_kernel_files(report: &mut Report, runner: &Path, matrix: &Matrix<'_>) -> Result {
    let addresses = !masks(&matrix.setting, "bufferDeviceAddress");
    let needs_addresses = needs_addresses()?;
    let mut files = served(&matrix.setting)?;
    files.retain(|file| file_name(file).contains(&report.filter));
    let (refused, built): (Vec<_>, Vec<_>) = files
        .into_iter()
        .partition(|file| !addresses && needs_addresses.contains(&file_name(file)));
    let of_refused = workers::map(&refused, workers::count(), |file| {
        run_refused(runner, matrix, file)
    });
    let parts = workers::parts(&built, built.len().div_ceil(TOGETHER));
    let of_parts = workers::map(&parts, workers::count(), |part| {
        run_together(part, |files| {
            run_process(runner, matrix, files, LIMIT, |_| ())?.verdict()
        })
    });
    let files = refused.iter().chain(parts.iter().flatten());
    let outcomes = of_refused.into_iter().chain(of_parts.into_iter().flatten());
    let (mut passed, mut all) = (0, 0);
    for (file, outcome) in files.zip(outcomes) {
        all += 1;
        passed += usize::from(outcome.is_ok());
        report.record(&format!("{} · {}", file_name(file), matrix.label), outcome);
    }
    println!("  {passed} of {all} kernel files · {}", matrix.label);
    Ok(())
}

/// Runs kernel files in one process. `set_up` gives the command options of the runner and more environment.
fn run_process(
    runner: &Path,
    matrix: &Matrix<'_>,
    files: &[PathBuf],
    limit: Duration,
    set_up: impl FnOnce(&mut Command),
) -> Result<Finished> {
    let mut command = Command::new(runner);
    set_up(&mut command);
    command.arg("Pumice").args(files);
    let name = files.first().map_or(String::new(), |file| file_name(file));
    matrix.run(&name, command, limit)
}

/// Runs a file that a device without device addresses must refuse.
fn run_refused(runner: &Path, matrix: &Matrix<'_>, file: &PathBuf) -> Result {
    let done = run_process(runner, matrix, std::slice::from_ref(file), LIMIT, |_| ())?;
    match done.verdict().is_err() && done.stdout.contains("device addresses") {
        true => Ok(()),
        false => Err("it builds without device addresses".to_string()),
    }
}

/// The outcome of each file, from one process if that passes, else from a process for each file.
/// Files that fail only together all have that failure.
fn run_together(files: &[PathBuf], run: impl Fn(&[PathBuf]) -> Result) -> Vec<Result> {
    let Err(why) = run(files) else {
        return vec![Ok(()); files.len()];
    };
    let alone: Vec<Result> = files.chunks(1).map(&run).collect();
    match alone.iter().all(Result::is_ok) {
        true => vec![Err(format!("only together with others: {why}")); files.len()],
        false => alone,
    }
}

/// The fewest kernels with faults that the files have.
const FEWEST_FAULTY: usize = 60;

/// The kernels whose faults were found, and all that have some, as the runner tells them.
fn faults_found(stdout: &str) -> Option<(usize, usize)> {
    let mut lines = stdout.lines();
    let counts = lines.find_map(|line| line.strip_suffix(" kernels' faults found"))?;
    let (found, all) = counts.split_once(" of ")?;
    Some((found.parse().ok()?, all.parse().ok()?))
}

/// Runs the files with faults that checks must report, some in each process, where kernels can have checks.
pub fn run_check_files(report: &mut Report, runner: &Path, matrix: &Matrix<'_>) -> Result {
    if matrix.setting.env.contains(&without_addresses()) {
        return Ok(());
    }
    let files = sh::files_with(&sh::root().join("compiler/filetests/check"), &["cl"])?;
    let counts = in_processes(runner, matrix, &[], &files, |done| {
        done.verdict()?;
        faults_found(&done.stdout).ok_or_else(|| "no count of faults".to_string())
    });
    let outcome = counts.and_then(|counts| {
        let found: usize = counts.iter().map(|(found, _)| found).sum();
        let all: usize = counts.iter().map(|(_, all)| all).sum();
        println!(
            "  {found} of {all} kernels' faults found · {}",
            matrix.label
        );
        match found == all && all >= FEWEST_FAULTY {
            true => Ok(()),
            false => Err(format!("{found} of {all}, at least {FEWEST_FAULTY}")),
        }
    });
    report.record(&format!("check files · {}", matrix.label), outcome);
    Ok(())
}

/// Runs files in a few processes at once, with options of the runner and without the driver's optimiser, and looks at how each
/// ended.
fn in_processes<R: Send>(
    runner: &Path,
    matrix: &Matrix<'_>,
    options: &[&str],
    files: &[PathBuf],
    look: impl Fn(&Finished) -> Result<R> + Sync,
) -> Result<Vec<R>> {
    let parts = workers::parts(files, workers::count());
    let outcomes = workers::map(&parts, workers::count(), |part| {
        let limit = Duration::from_secs(600);
        let done = run_process(runner, matrix, part, limit, |command| {
            let command = command.args(options);
            command.envs([drivers::without_optimiser()]);
        })?;
        look(&done)
    });
    outcomes.into_iter().collect()
}

/// Runs the kernel files without optimisation, some in each process.
pub fn run_unoptimised(report: &mut Report, runner: &Path, matrix: &Matrix<'_>) -> Result {
    let files = served(&matrix.setting)?;
    let options = ["--options", "-cl-opt-disable"];
    let outcome = in_processes(runner, matrix, &options, &files, |done| {
        println!("  {}", done.stdout.lines().last().unwrap_or_default());
        done.verdict()
    });
    let label = format!("kernel files unoptimised · {}", matrix.label);
    report.record(&label, outcome.map(|_| ()));
    Ok(())
}

/// The kernel files that passed in earlier runs: an empty file of a folder for each.
pub struct Passed {
    /// The folder.
    pub folder: PathBuf,
    /// The driver and the runner: a file that passed before one of them was made has to pass again.
    pub made_with: Vec<PathBuf>,
}

impl Passed {
    fn mark(&self, file: &Path) -> PathBuf {
        self.folder.join(file_name(file))
    }

    /// Returns whether a file passed since it, the driver and the runner last changed.
    fn has(&self, file: &Path) -> bool {
        let changed = |path: &Path| -> Option<SystemTime> { path.metadata().ok()?.modified().ok() };
        let Some(passed) = changed(&self.mark(file)) else {
            return false;
        };
        let mut inputs = self.made_with.iter().map(PathBuf::as_path).chain([file]);
        inputs.all(|input| changed(input).is_some_and(|time| time <= passed))
    }
}

/// Runs those kernel files that have not passed yet, each in a process of its own and some at once.
pub fn run_rest(
    report: &mut Report,
    runner: &Path,
    matrix: &Matrix<'_>,
    files: &[PathBuf],
    passed: &Passed,
    limit: Duration,
) {
    let left: Vec<&PathBuf> = files.iter().filter(|file| !passed.has(file)).collect();
    if left.len() < files.len() {
        let (done, all, folder) = (files.len() - left.len(), files.len(), &passed.folder);
        println!(
            "  {done} of {all} kernel files passed before ({})",
            folder.display()
        );
    }
    test::run_at_once(
        report,
        &left,
        |file| file_name(file),
        &matrix.label,
        workers::count(),
        |file| {
            let mut command = Command::new(runner);
            command.arg("Pumice").arg(file);
            matrix.setting.apply(&mut command);
            sh::run_limited(&mut command, limit)?.verdict()?;
            sh::write(&passed.mark(file), "")
        },
    );
}

#[cfg(test)]
mod tests {
    use super::{Passed, run_together};
    use crate::sh;
    use std::path::{Path, PathBuf};
    use std::time::{Duration, SystemTime};

    #[test]
    fn files_that_fail_are_told_from_those_beside_them() {
        let files: Vec<PathBuf> = ["a", "b", "c"].map(PathBuf::from).to_vec();
        let outcomes = |fails: fn(&[PathBuf]) -> bool| -> Vec<bool> {
            let run = |files: &[PathBuf]| match fails(files) {
                true => Err("failed".to_string()),
                false => Ok(()),
            };
            let outcomes = run_together(&files, run);
            outcomes.iter().map(Result::is_ok).collect()
        };
        assert_eq!(outcomes(|_| false), [true; 3]);
        let second = |files: &[PathBuf]| files.contains(&PathBuf::from("b"));
        assert_eq!(outcomes(second), [true, false, true]);
        assert_eq!(outcomes(|files| files.len() > 1), [false; 3]);
    }

    fn write_at(path: &Path, seconds: u64) {
        sh::write(path, "").unwrap();
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        let file = std::fs::File::options().write(true).open(path).unwrap();
        file.set_modified(time).unwrap();
    }

    /// A file that passed runs again once it or what it ran with changes.
    #[test]
    fn files_pass_until_something_changes() {
        let folder = sh::target().join(format!("passed-{}", std::process::id()));
        let (library, file) = (folder.join("driver"), folder.join("run.cl"));
        let passed = Passed {
            folder: folder.join("passed"),
            made_with: vec![library.clone()],
        };
        write_at(&library, 100);
        write_at(&file, 100);
        assert!(!passed.has(&file), "it never ran");
        write_at(&passed.mark(&file), 200);
        assert!(passed.has(&file));
        write_at(&library, 300);
        assert!(!passed.has(&file), "the driver is new");
        write_at(&passed.mark(&file), 400);
        assert!(passed.has(&file));
        write_at(&file, 500);
        assert!(!passed.has(&file), "the file changed");
        std::fs::remove_dir_all(folder).unwrap();
    }
}
