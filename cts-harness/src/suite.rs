//! The suites of an OpenCL-CTS build: what its CSV lists name, and the sub-tests of each binary.

use crate::run::Job;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Thoroughness of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tier {
    /// The quick list and the suites that only the full list has, all with `-w`.
    Wimpy,
    /// The quick list as it stands.
    Quick,
    /// The full list as it stands.
    Full,
}

impl Tier {
    /// All, with the words of the command line.
    pub const ALL: [(&'static str, Tier); 3] = [
        ("wimpy", Tier::Wimpy),
        ("quick", Tier::Quick),
        ("full", Tier::Full),
    ];

    /// The tier of that name.
    pub fn named(name: &str) -> Option<Tier> {
        (Tier::ALL.iter()).find_map(|&(word, tier)| (word == name).then_some(tier))
    }

    /// The suites of a build, in the order of its lists.
    ///
    /// # Errors
    /// A list that cannot be read.
    pub fn suites(self, bin: &Path) -> Result<Vec<Suite>, String> {
        let read = |kind: &str| {
            let path = bin.join(format!("opencl_conformance_tests_{kind}.csv"));
            let text = std::fs::read_to_string(&path);
            text.map_err(|error| format!("{}: {error}", path.display()))
        };
        match self {
            Tier::Quick => Ok(read_list(&read("quick")?, bin)),
            Tier::Full => Ok(read_list(&read("full")?, bin)),
            Tier::Wimpy => {
                let mut suites = read_list(&read("quick")?, bin);
                let quick = suites.clone();
                suites.extend(
                    read_list(&read("full")?, bin)
                        .into_iter()
                        .filter(|suite| quick.iter().all(|have| have.binary != suite.binary)),
                );
                for suite in &mut suites {
                    if !suite.flags.iter().any(|flag| flag == "-w") {
                        suite.flags.push("-w".to_string());
                    }
                }
                Ok(suites)
            }
        }
    }
}

/// One line of a CTS list: a test binary with arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suite {
    /// The list's name for it, for example `Common Functions`.
    pub title: String,
    /// The folder of the binary below the build's, for example `commonfns` or
    /// `images/clFillImage`. Binaries are not always named like it (`multiple_device_context`
    /// has `test_multiples`).
    pub name: String,
    /// The binary.
    pub binary: PathBuf,
    /// Flags that go with every sub-test, for example `-w`.
    pub flags: Vec<String>,
    /// The other words: patterns of sub-tests (`quick*`) or arguments of the suite
    /// (`max_images`). Only the binary can tell which.
    pub words: Vec<String>,
    /// The only type of device that the line is for, for example `CL_DEVICE_TYPE_CPU`.
    pub device_type: Option<String>,
}

impl Suite {
    /// A binary that no list names, found below `bin` by its folder's name.
    pub fn in_folder(bin: &Path, name: &str) -> Option<Suite> {
        let folder = bin.join(name);
        let mut binaries: Vec<PathBuf> = std::fs::read_dir(&folder)
            .ok()?
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| path.is_file() && stem(path).is_some())
            .collect();
        binaries.sort();
        Some(Suite {
            title: name.to_string(),
            name: name.to_string(),
            binary: binaries.into_iter().next()?,
            flags: Vec::new(),
            words: Vec::new(),
            device_type: None,
        })
    }

    /// Returns whether a user's `wanted` names this suite: its folder, the folder's last part or
    /// the binary's name, in any case.
    pub fn is_called(&self, wanted: &str) -> bool {
        let last = self.name.rsplit('/').next().unwrap_or_default();
        [Some(self.name.as_str()), Some(last), stem(&self.binary)]
            .into_iter()
            .flatten()
            .any(|name| name.eq_ignore_ascii_case(wanted))
    }

    /// Lists the sub-tests to run: those that the binary names, the suite's list selects and, unless
    /// `only` is empty, one of its patterns matches.
    ///
    /// # Errors
    /// A binary that cannot be run or names no sub-test.
    pub fn jobs(&self, only: &[String]) -> Result<Vec<Job>, String> {
        let names = self.sub_tests()?;
        let (patterns, arguments): (Vec<&String>, Vec<&String>) = (self.words.iter())
            // "all" would select every sub-test again, whatever comes after it.
            .filter(|word| *word != "all")
            .partition(|word| names.iter().any(|name| matches(word, name)));
        let mut suite = self.name.clone();
        if !arguments.is_empty() {
            let words: Vec<&str> = arguments.iter().map(|word| word.as_str()).collect();
            suite = format!("{suite}({})", words.join(","));
        }
        let job = |test: &str, words: Vec<String>, verdict: &str| {
            let mut args = self.flags.clone();
            args.extend(arguments.iter().map(|word| word.to_string()));
            args.extend(self.data_arguments());
            args.extend(words);
            Job {
                suite: suite.clone(),
                test: test.to_string(),
                binary: self.binary.clone(),
                args,
                verdict: verdict.to_string(),
            }
        };
        let mut jobs = Vec::new();
        for name in &names {
            if !patterns.is_empty() && !patterns.iter().any(|pattern| matches(pattern, name)) {
                continue;
            }
            if name == "conversions" {
                // One sub-test that takes hours, but also the formats as arguments.
                jobs.extend(
                    conversions()
                        .into_iter()
                        .map(|(test, formats)| job(&test, formats, name)),
                );
            } else {
                jobs.push(job(name, vec![name.clone()], name));
            }
        }
        jobs.retain(|job| {
            only.is_empty() || only.iter().any(|pattern| matches(pattern, &job.test))
        });
        Ok(jobs)
    }

    /// Arguments that name the data that the build put beside the binary.
    fn data_arguments(&self) -> Vec<String> {
        let data = self.binary.with_file_name("spirv_bin");
        if self.name == "spirv_new" && data.is_dir() {
            vec![
                "--spirv-binaries-path".to_string(),
                data.display().to_string(),
            ]
        } else {
            Vec::new()
        }
    }

    /// The names that the binary lists.
    fn sub_tests(&self) -> Result<Vec<String>, String> {
        if !self.binary.is_file() {
            return Err(format!("{} is not built", self.binary.display()));
        }
        let output = Command::new(&self.binary)
            .arg("--list")
            .stdin(Stdio::null())
            .output()
            .map_err(|error| format!("{}: {error}", self.binary.display()))?;
        let text = String::from_utf8_lossy(&output.stdout);
        let names: Vec<String> = text
            .lines()
            .filter_map(|line| line.strip_prefix('\t'))
            .map(|line| line.trim().to_string())
            .filter(|name| !name.is_empty() && !name.contains(' '))
            .collect();
        if names.is_empty() {
            return Err(format!(
                "{} --list names no sub-test:\n{text}",
                self.binary.display()
            ));
        }
        Ok(names)
    }
}

/// The name of a test binary without `test_`.
fn stem(path: &Path) -> Option<&str> {
    path.file_name()?.to_str()?.strip_prefix("test_")
}

/// The conversion suite by destination and saturation: a name, and the formats that it takes.
fn conversions() -> Vec<(String, Vec<String>)> {
    const TYPES: [&str; 11] = [
        "uchar", "char", "ushort", "short", "uint", "int", "half", "float", "double", "ulong",
        "long",
    ];
    let mut list = Vec::new();
    for to in TYPES {
        for saturation in ["", "_sat"] {
            if !saturation.is_empty() && matches!(to, "half" | "float" | "double") {
                continue;
            }
            let mut formats = Vec::new();
            for rounding in ["", "_rte", "_rtp", "_rtn", "_rtz"] {
                formats.extend(TYPES.map(|from| format!("{to}{saturation}{rounding}_{from}")));
            }
            list.push((format!("{to}{saturation}"), formats));
        }
    }
    list
}

/// Reads a CTS list (`opencl_conformance_tests_*.csv`): lines of
/// `[device type,] title, path arguments`, `#` comments. `bin` is the folder that the paths are
/// relative to.
pub fn read_list(text: &str, bin: &Path) -> Vec<Suite> {
    let mut suites = Vec::new();
    for line in text.lines() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let fields: Vec<&str> = line.split(',').map(str::trim).collect();
        let (device_type, title, command) = match fields[..] {
            [title, command] => (None, title, command),
            [device_type, title, command] => (Some(device_type), title, command),
            _ => continue,
        };
        let mut arguments = command.split_whitespace();
        let Some(path) = arguments.next() else {
            continue;
        };
        let (flags, words) = arguments
            .map(String::from)
            .partition(|word: &String| word.starts_with('-'));
        let folder = Path::new(path).parent().unwrap_or(Path::new(""));
        suites.push(Suite {
            title: title.to_string(),
            name: folder.display().to_string(),
            binary: bin.join(path),
            flags,
            words,
            device_type: device_type.map(String::from),
        });
    }
    suites
}

/// Returns whether a name matches a pattern, in which `*` stands for any text.
pub fn matches(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((head, tail)) => {
            let Some(rest) = name.strip_prefix(head) else {
                return false;
            };
            // Each further `*` may swallow any length.
            tail.is_empty()
                || (0..=rest.len())
                    .any(|at| rest.is_char_boundary(at) && matches(tail, &rest[at..]))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{conversions, matches, read_list};
    use std::path::Path;

    #[test]
    fn reads_the_lists_of_the_cts() {
        let text = "# comment\nBasic,basic/test_basic\n\n\
                    Multiple Device/Context, multiple_device_context/test_multiples -w\n\
                    CL_DEVICE_TYPE_CPU, Images,images/clCopyImage/test_cl_copy_images max_images\n";
        let suites = read_list(text, Path::new("/b"));
        assert_eq!(suites.len(), 3);
        assert_eq!(
            (suites[0].name.as_str(), suites[0].binary.as_path()),
            ("basic", Path::new("/b/basic/test_basic"))
        );
        assert!(suites[1].is_called("multiples") && suites[1].is_called("MULTIPLE_device_context"));
        assert_eq!(suites[1].flags, ["-w"]);
        assert_eq!(
            (suites[2].words.as_slice(), suites[2].name.as_str()),
            (&["max_images".to_string()][..], "images/clCopyImage")
        );
        assert_eq!(suites[2].device_type.as_deref(), Some("CL_DEVICE_TYPE_CPU"));
        assert!(suites[2].is_called("clCopyImage"));
    }

    #[test]
    fn patterns() {
        assert!(matches("quick*", "quick_1d"));
        assert!(!matches("quick*", "full_1d"));
        assert!(matches("*_1d*", "full_1d_implicit"));
        assert!(!matches("a", "ab"));
    }

    #[test]
    fn conversions_saturate_only_to_integers() {
        let list = conversions();
        assert_eq!(list.len(), 11 + 8);
        assert!(list.iter().all(|(_, formats)| formats.len() == 55));
        assert!(list.iter().all(|(name, _)| name != "float_sat"));
    }
}
