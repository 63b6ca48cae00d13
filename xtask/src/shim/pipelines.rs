//! Every kernel of the tests through the shader compilers of real GPUs' drivers: errors, times and
//! spilled registers, as the layer `pipelines` of `tests/layers` writes them.

use crate::sh::{self, Result};
use std::path::{Path, PathBuf};

/// Files of kernels that the compilers get: those of the tests, and of the benchmark.
pub fn files() -> Result<Vec<PathBuf>> {
    let mut files = sh::files_with(&sh::root().join("compiler/filetests/run"), &["cl"])?;
    files.extend(sh::files_with(
        &sh::root().join("cts-harness/bench"),
        &["cl"],
    )?);
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
