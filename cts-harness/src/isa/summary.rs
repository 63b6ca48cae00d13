//! Statistics of kernels, as text that is committed and compared.

use std::collections::BTreeMap;
use std::fmt::Write as _;

/// A statistic of drivers that summaries keep.
struct Kept {
    /// Name in summaries.
    name: &'static str,
    /// Names that drivers give it.
    of_drivers: &'static [&'static str],
}

const fn kept(name: &'static str, of_drivers: &'static [&'static str]) -> Kept {
    Kept { name, of_drivers }
}

/// The one list of them, the driver's estimate of the time first: a driver's first is the cost by which
/// kernels are compared.
const KEPT: &[Kept] = &[
    kept("inverse throughput", &["Inverse Throughput"]),
    kept("static cycles", &["Static cycle count"]),
    // Of ANV.
    kept("cycles", &["Cycles"]),
    kept("ALU", &["ALU"]),
    kept("latency", &["Latency"]),
    kept(
        "instructions",
        &["Instructions", "Instruction count", "Instruction Count"],
    ),
    kept("VALU", &["VALU"]),
    kept("SALU", &["SALU"]),
    kept("VMEM", &["VMEM"]),
    kept("SMEM", &["SMEM"]),
    kept("messages", &["SENDs"]),
    kept(
        "registers",
        &[
            "VGPRs",
            "Number of GPRs",
            "Full registers",
            "GPRs",
            "Max live registers",
        ],
    ),
    kept("scalar registers", &["SGPRs"]),
    kept("half registers", &["Half registers"]),
    kept(
        "spilled",
        &["Spilled VGPRs", "Spills to memory", "Spills", "STP Count"],
    ),
    kept(
        "scratch",
        &["Scratch size", "SLM size", "Scratch", "Scratch Memory Size"],
    ),
    // clang's alone.
    kept("loops", &[]),
];

/// A driver's statistics of one pipeline, those of [`KEPT`] in its order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Statistics(Vec<(&'static str, f64)>);

impl Statistics {
    /// Reads a line `ENTRY RESULT NANOSECONDS | NAME VALUE ...` of the layer; `None` for a pipeline that was
    /// not made, or of which the driver tells nothing.
    pub fn parse(line: &str) -> Option<Self> {
        let mut parts = line.split(" | ");
        parts
            .next()?
            .rsplit(' ')
            .nth(1)
            .filter(|&word| word == "0")?;
        let all: BTreeMap<&str, f64> = parts
            .filter_map(|part| {
                let (name, value) = part.rsplit_once(' ')?;
                Some((name, value.parse().ok()?))
            })
            .collect();
        let value = |kept: &Kept| {
            let value = kept.of_drivers.iter().find_map(|name| all.get(name))?;
            Some((kept.name, *value))
        };
        let kept: Vec<_> = KEPT.iter().filter_map(value).collect();
        (!kept.is_empty()).then_some(Self(kept))
    }

    /// The statistics of these names, in the order of [`KEPT`]; `None` for a name that is not kept.
    pub fn named(values: &[(&str, f64)]) -> Option<Self> {
        let known = |name: &str| KEPT.iter().any(|kept| kept.name == name);
        if !values.iter().all(|(name, _)| known(name)) {
            return None;
        }
        let value = |kept: &Kept| {
            let (_, value) = values.iter().find(|(name, _)| *name == kept.name)?;
            Some((kept.name, *value))
        };
        Some(Self(KEPT.iter().filter_map(value).collect()))
    }

    /// All of them.
    pub fn all(&self) -> impl Iterator<Item = (&'static str, f64)> {
        self.0.iter().copied()
    }

    /// One statistic.
    pub fn get(&self, name: &str) -> Option<f64> {
        self.0
            .iter()
            .find(|(kept, _)| *kept == name)
            .map(|&(_, value)| value)
    }

    /// The name of the first.
    pub fn cost_name(&self) -> Option<&'static str> {
        self.0.first().map(|&(name, _)| name)
    }
}

/// A kernel's statistics.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The group's name.
    pub group: String,
    /// Kernel.
    pub kernel: String,
    /// Of the kernel by way of OpenCL.
    pub ours: Statistics,
    /// Of the hand-written shader.
    pub glsl: Statistics,
}

impl Entry {
    /// A statistic of the kernel divided by that of the shader; `None` where one of them is missing or zero.
    pub fn ratio(&self, name: &str) -> Option<f64> {
        let (ours, glsl) = (self.ours.get(name)?, self.glsl.get(name)?);
        (ours > 0.0 && glsl > 0.0).then(|| ours / glsl)
    }
}

/// The kernels on one device.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// The device's name, which tells the driver too.
    pub device: String,
    /// In the list's order.
    pub entries: Vec<Entry>,
}

/// The geometric mean, and of how many.
pub fn mean(values: impl Iterator<Item = f64>) -> (f64, usize) {
    let logs: Vec<f64> = values.map(f64::ln).collect();
    let count = logs.len();
    (
        (logs.iter().sum::<f64>() / count.max(1) as f64).exp(),
        count,
    )
}

impl Summary {
    /// One without kernels.
    pub fn new(device: &str) -> Self {
        Self {
            device: device.to_string(),
            entries: Vec::new(),
        }
    }

    /// The statistics that the driver tells of, in order.
    pub fn names(&self) -> Vec<&'static str> {
        let first = self.entries.first();
        first.map_or_else(Vec::new, |entry| {
            entry.ours.0.iter().map(|&(name, _)| name).collect()
        })
    }

    /// The statistic by which kernels are compared.
    pub fn cost(&self) -> &'static str {
        let first = self.entries.first();
        first.and_then(|entry| entry.ours.cost_name()).unwrap_or("")
    }

    /// The groups, in order.
    pub fn groups(&self) -> Vec<&str> {
        let mut groups: Vec<&str> = self
            .entries
            .iter()
            .map(|entry| entry.group.as_str())
            .collect();
        groups.dedup();
        groups
    }

    /// The geometric mean of a statistic's ratios in a group, and of how many kernels.
    pub fn mean(&self, group: &str, name: &str) -> (f64, usize) {
        let entries = self.entries.iter().filter(|entry| entry.group == group);
        mean(entries.filter_map(|entry| entry.ratio(name)))
    }

    /// The text that is committed: the device, then a line `GROUP KERNEL STATISTIC=OURS:GLSL ...` for each
    /// kernel, separated by tabs.
    pub fn text(&self) -> String {
        let mut text = format!("{}\n", self.device);
        for entry in &self.entries {
            text += &format!("{}\t{}", entry.group, entry.kernel);
            for (name, ours) in &entry.ours.0 {
                let glsl = entry.glsl.get(name).unwrap_or(0.0);
                let _ = write!(text, "\t{name}={ours}:{glsl}");
            }
            text.push('\n');
        }
        text
    }

    /// Reads such a text.
    ///
    /// # Errors
    /// The line that is none.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut lines = text.lines();
        let mut summary = Self::new(lines.next().unwrap_or(""));
        for line in lines {
            let entry = parse_entry(line).ok_or_else(|| format!("the summary's line {line:?}"))?;
            summary.entries.push(entry);
        }
        Ok(summary)
    }

    /// The ratios for a terminal.
    pub fn table(&self) -> String {
        let mut text = String::new();
        for entry in &self.entries {
            let ratio = entry.ratio(self.cost()).unwrap_or(0.0);
            let _ = write!(text, "{:24}{ratio:6.2}", entry.kernel);
            for (name, ours) in &entry.ours.0 {
                let glsl = entry.glsl.get(name).unwrap_or(0.0);
                let _ = write!(text, "  {name} {ours}:{glsl}");
            }
            text.push('\n');
        }
        for group in self.groups() {
            let (mean, count) = self.mean(group, self.cost());
            let _ = writeln!(text, "{group}: {mean:.3} ({count} kernels)");
        }
        text
    }

    /// Tells what is worse than in an earlier summary: kernels that cost more, and such that are gone.
    pub fn regressions(&self, earlier: &Self) -> Vec<String> {
        let mut worse = Vec::new();
        for before in &earlier.entries {
            let now = (self.entries.iter())
                .find(|now| (&now.group, &now.kernel) == (&before.group, &before.kernel));
            let Some(now) = now else {
                worse.push(format!("{}: gone", before.kernel));
                continue;
            };
            for name in [earlier.cost(), "registers", "spilled"] {
                let (was, is) = (before.ours.get(name), now.ours.get(name));
                if let (Some(was), Some(is)) = (was, is) {
                    if is > was {
                        worse.push(format!("{}: {name} {was} → {is}", before.kernel));
                    }
                }
            }
        }
        worse
    }
}

fn parse_entry(line: &str) -> Option<Entry> {
    let mut fields = line.split('\t');
    let (group, kernel) = (fields.next()?, fields.next()?);
    let (mut ours, mut glsl) = (Vec::new(), Vec::new());
    for field in fields {
        let (name, values) = field.split_once('=')?;
        let name = KEPT.iter().find(|kept| kept.name == name)?.name;
        let (one, other) = values.split_once(':')?;
        ours.push((name, one.parse().ok()?));
        glsl.push((name, other.parse().ok()?));
    }
    Some(Entry {
        group: group.to_string(),
        kernel: kernel.to_string(),
        ours: Statistics(ours),
        glsl: Statistics(glsl),
    })
}

#[cfg(test)]
mod tests {
    use super::{Entry, Statistics, Summary};

    fn statistics(cost: u32, registers: u32) -> Statistics {
        let line = format!(
            "main 0 1500 | VGPRs {registers} | Code size 9 | Latency 7 | Inverse Throughput {cost}"
        );
        Statistics::parse(&line).expect("a line of the layer")
    }

    fn summary(cost: u32, registers: u32) -> Summary {
        let mut summary = Summary::new("a device");
        summary.entries.push(Entry {
            group: "memory".to_string(),
            kernel: "strided".to_string(),
            ours: statistics(cost, registers),
            glsl: statistics(10, 8),
        });
        summary
    }

    #[test]
    fn a_text_is_read_back() {
        let summary = summary(20, 8);
        assert_eq!(Summary::parse(&summary.text()), Ok(summary.clone()));
        assert_eq!(summary.cost(), "inverse throughput");
        assert_eq!(summary.mean("memory", "inverse throughput"), (2.0, 1));
    }

    #[test]
    fn failed_pipelines_have_no_statistics() {
        assert_eq!(Statistics::parse("main -3 1500"), None);
        assert_eq!(Statistics::parse("main 0 1500"), None);
        assert_eq!(Statistics::parse(""), None);
    }

    #[test]
    fn what_grows_is_a_regression() {
        let before = summary(20, 8);
        assert!(summary(19, 8).regressions(&before).is_empty());
        let worse = [
            "strided: inverse throughput 20 → 21",
            "strided: registers 8 → 9",
        ];
        assert_eq!(summary(21, 9).regressions(&before), worse);
        assert_eq!(Summary::new("").regressions(&before), ["strided: gone"]);
    }

    #[test]
    fn lines_that_are_none() {
        assert!(Summary::parse("device\nmemory\tstrided\tVALU=1").is_err());
        assert!(Summary::parse("device\nmemory\tstrided\tshoes=1:2").is_err());
    }
}
