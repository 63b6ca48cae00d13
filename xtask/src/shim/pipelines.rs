//! Every kernel of the tests through the shader compilers of real GPUs' drivers: errors, times and
//! spilled registers, as the layer `pipelines` of `tests/layers` writes them.

use super::{Bench, Card};
use crate::clients::Setting;
use crate::kernel_files;
use crate::sh::{self, Finished, Result};
use crate::test::{self, Report};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// The variable that names a folder of kernels by others.
const CORPUS: &str = "KERNELS_OF_OTHERS";

/// Makes a pipeline of every kernel that there is.
pub fn run(
    report: &mut Report,
    bench: &Bench,
    card: &Card,
    runner: &Path,
    programs: &[PathBuf],
) -> Result {
    let files = files(bench, card)?;
    let (done, made) = make(bench, card, "pipelines", (runner, &files), programs)?;
    made.record(report, card.name, &done);
    if let Some(folder) = std::env::var_os(CORPUS).map(PathBuf::from) {
        let mut files = Vec::new();
        find(&folder, &mut files)?;
        let (done, made) = make(bench, card, "others", (runner, &files), &[])?;
        let outcome = ended(&done).and_then(|()| made.verdict());
        let name = format!("kernels of others · {}", card.name);
        let refused = (done.stdout.lines()).filter(|line| line.starts_with("FAIL "));
        println!(
            "  {} {name}: {} of {} files refused; {}",
            test::mark(&outcome),
            refused.count(),
            files.len(),
            made.summary()
        );
        sh::write(&list(bench, card, "others-log"), &done.stdout)?;
        report.record(&name, outcome);
    }
    Ok(())
}

/// Judges a run on files of others, some of which are wrong on purpose: it has come to its end.
fn ended(done: &Finished) -> Result {
    match done.ok || done.status == "exit status: 1" && done.stdout.contains(" passed, ") {
        true => Ok(()),
        false => Err(format!("{}\n{}", done.status, done.stderr)),
    }
}

/// Adds all files of OpenCL C below a folder.
fn find(folder: &Path, files: &mut Vec<PathBuf>) -> Result {
    files.extend(sh::files_with(folder, &["cl"])?);
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.is_dir() {
            find(&path, files)?;
        }
    }
    files.sort();
    Ok(())
}

/// The file of what a card has done.
fn list(bench: &Bench, card: &Card, what: &str) -> PathBuf {
    bench.folder.join(format!("{what}-{}.txt", card.name))
}

/// Launches every kernel of files and of programs, and gives the end of the first and all pipelines.
fn make(
    bench: &Bench,
    card: &Card,
    what: &str,
    (runner, files): (&Path, &[PathBuf]),
    programs: &[PathBuf],
) -> Result<(Finished, Pipelines)> {
    let driver = bench.shims.driver(card)?;
    let list = list(bench, card, what);
    let mut env = bench.on_card(card, "VK_LAYER_PUMICE_completion:VK_LAYER_PUMICE_pipelines");
    env.push(("LAYER_PIPELINES", list.display().to_string()));
    env.push(("PUMICE_DOUBLES", "flushed".to_string()));
    env.push(("PUMICE_MASK", card.finds.to_string()));
    // Each is compiled, and in a time of its own.
    env.push(("MESA_SHADER_CACHE_DISABLE", "true".to_string()));
    let setting = Setting {
        vendors: &bench.vendors,
        driver: Some(&driver),
        loader: None,
        env: &env,
    };
    let mut command = bench.shims.command(card, runner);
    command.args(["--all-kernels", "Pumice"]);
    command.args(files);
    setting.apply(&mut command);
    // The library path is on the command line.
    command.env_remove("LD_LIBRARY_PATH");
    sh::remove(&list);
    let done = sh::run_limited(&mut command, Duration::from_secs(3600))?;
    for program in programs {
        let mut command = Command::new(program);
        setting.apply(&mut command);
        // Its results are wrong, and it says so.
        sh::run_limited(command.current_dir(&bench.folder), Duration::from_secs(300))?;
    }
    Ok((done, Pipelines::read(&list)?))
}

/// Files of kernels that a card's compiler gets: those of the tests that need nothing it lacks, and of the benchmark.
fn files(bench: &Bench, card: &Card) -> Result<Vec<PathBuf>> {
    let driver = bench.shims.driver(card)?;
    let setting = Setting {
        vendors: &bench.vendors,
        driver: Some(&driver),
        loader: None,
        env: &[],
    };
    let mut files = kernel_files::served(&setting)?;
    files.extend(kernel_files::served_of("cts-harness/bench", &setting)?);
    Ok(files)
}

/// Statistics that count registers kept in memory, by the names that drivers give them.
const SPILLS: &[&str] = &["Spilled VGPRs", "Spills to memory", "Spills", "STP Count"];

/// A pipeline that was made, or was not.
struct Made {
    entry: String,
    /// VkResult.
    result: i32,
    nanoseconds: u64,
    spills: u64,
}

impl Made {
    /// Reads a line `ENTRY RESULT NANOSECONDS | NAME VALUE ...`.
    fn parse(line: &str) -> Option<Self> {
        let mut parts = line.split(" | ");
        let mut head = parts.next()?.rsplitn(3, ' ');
        let nanoseconds = head.next()?.parse().ok()?;
        let result = head.next()?.parse().ok()?;
        let entry = head.next()?.to_string();
        let value = |part: &str| {
            let (name, value) = part.rsplit_once(' ')?;
            SPILLS.contains(&name).then(|| value.parse::<u64>().ok())?
        };
        Some(Self {
            entry,
            result,
            nanoseconds,
            spills: parts.filter_map(value).sum(),
        })
    }
}

/// The pipelines of a driver.
pub struct Pipelines(Vec<Made>);

impl Pipelines {
    /// Reads what the layer wrote.
    pub fn read(path: &Path) -> Result<Self> {
        let text = sh::read(path)?;
        let all = text
            .lines()
            .map(|line| Made::parse(line).ok_or_else(|| format!("{}: {line}", path.display())));
        Ok(Self(all.collect::<Result<_>>()?))
    }

    /// Reports the pipelines of a GPU whose program has ended.
    pub fn record(&self, report: &mut Report, gpu: &str, done: &Finished) {
        let outcome = done.verdict().and_then(|()| self.verdict());
        let name = format!("pipelines · {gpu}");
        println!("  {} {name}: {}", test::mark(&outcome), self.summary());
        report.record(&name, outcome);
    }

    /// Judges them: none may have failed, and there must be some.
    pub fn verdict(&self) -> Result {
        let failed = self.0.iter().filter(|made| made.result != 0);
        let failed: Vec<String> = failed
            .map(|made| format!("{}: VkResult {}", made.entry, made.result))
            .collect();
        if self.0.is_empty() {
            return Err("no pipeline was made".to_string());
        }
        match failed.is_empty() {
            true => Ok(()),
            false => Err(failed.join("\n")),
        }
    }

    /// Reports the count, the time, the slowest pipelines and those that spill.
    pub fn summary(&self) -> String {
        let total: u64 = self.0.iter().map(|made| made.nanoseconds).sum();
        let milliseconds = |nanoseconds: u64| nanoseconds as f64 / 1e6;
        let mut by_time: Vec<&Made> = self.0.iter().collect();
        by_time.sort_by_key(|made| std::cmp::Reverse(made.nanoseconds));
        let slow: Vec<String> = (by_time.iter().take(3))
            .map(|made| format!("{} {:.0}", made.entry, milliseconds(made.nanoseconds)))
            .collect();
        let mut spilling: Vec<&Made> = self.0.iter().filter(|made| made.spills > 0).collect();
        spilling.sort_by_key(|made| std::cmp::Reverse(made.spills));
        let worst: Vec<String> = (spilling.iter().take(8))
            .map(|made| format!("{} {}", made.entry, made.spills))
            .collect();
        format!(
            "{} pipelines, {:.0} ms, the slowest {}; {} spill: {}",
            self.0.len(),
            milliseconds(total),
            slow.join(", "),
            spilling.len(),
            worst.join(", ")
        )
    }
}

#[cfg(test)]
mod tests {
    use super::Made;

    #[test]
    fn lines_of_the_layer() {
        let made = Made::parse("a 0 1500 | Spilled SGPRs 7 | Spilled VGPRs 3 | Code size 9");
        let made = made.expect("a line of the layer");
        assert_eq!((made.entry.as_str(), made.result), ("a", 0));
        assert_eq!((made.nanoseconds, made.spills), (1500, 3));
        assert!(Made::parse("a b").is_none());
    }
}
