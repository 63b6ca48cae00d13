//! The suites of an OpenCL-CTS build: what its CSV lists name, and the sub-tests of each binary.

use std::path::{Path, PathBuf};
use std::process::Command;

/// One line of a CTS list: a test binary with fixed arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suite {
    /// The list's name for it, for example `Common Functions`.
    pub title: String,
    /// The binary's name without `test_`, for example `commonfns`.
    pub name: String,
    /// The binary.
    pub binary: PathBuf,
    /// Flags that go with every sub-test, for example `-w`.
    pub flags: Vec<String>,
    /// Sub-test names or patterns with `*`; empty for all.
    pub patterns: Vec<String>,
}

/// Reads a CTS list (`opencl_conformance_tests_*.csv`): lines of `Title,path arguments`, `#`
/// comments. `bin` is the folder that the paths are relative to.
pub fn read_list(text: &str, bin: &Path) -> Vec<Suite> {
    let mut suites = Vec::new();
    for line in text.lines() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        // Some lines end in a comma-separated filter of device types; it is not an argument.
        let mut fields = line.split(',');
        let (Some(title), Some(command)) = (fields.next(), fields.next_back()) else {
            continue;
        };
        let mut words = command.split_whitespace();
        let Some(path) = words.next() else { continue };
        let (flags, patterns) = words
            .map(String::from)
            .partition(|word: &String| word.starts_with('-'));
        let file = Path::new(path)
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        suites.push(Suite {
            title: title.to_string(),
            name: file.strip_prefix("test_").unwrap_or(&file).to_string(),
            binary: bin.join(path),
            flags,
            patterns,
        });
    }
    suites
}

/// Whether a CTS pattern (`quick*`) matches a name.
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

impl Suite {
    /// Asks the binary for its sub-tests and keeps those that the list selects.
    pub fn sub_tests(&self) -> Result<Vec<String>, String> {
        let output = Command::new(&self.binary)
            .arg("--list")
            .output()
            .map_err(|error| format!("{}: {error}", self.binary.display()))?;
        let text = String::from_utf8_lossy(&output.stdout);
        let names: Vec<String> = text
            .lines()
            .filter_map(|line| line.strip_prefix('\t'))
            .map(|line| line.trim().to_string())
            .filter(|name| !name.is_empty() && !name.contains(' '))
            .filter(|name| {
                self.patterns.is_empty()
                    || self.patterns.iter().any(|pattern| matches(pattern, name))
            })
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

#[cfg(test)]
mod tests {
    use super::{matches, read_list};
    use std::path::Path;

    #[test]
    fn reads_the_lists_of_the_cts() {
        let text = "# comment\nBasic,basic/test_basic\n\nQuick,thread_dimensions/test_thread_dimensions quick*\n\
                    Images,CL_DEVICE_TYPE_ALL,images/clCopyImage/test_cl_copy_images -w max_images\n";
        let suites = read_list(text, Path::new("/b"));
        assert_eq!(suites.len(), 3);
        assert_eq!(
            (suites[0].name.as_str(), suites[0].binary.as_path()),
            ("basic", Path::new("/b/basic/test_basic"))
        );
        assert_eq!(suites[1].patterns, ["quick*"]);
        assert_eq!(
            (suites[2].flags.as_slice(), suites[2].name.as_str()),
            (&["-w".to_string()][..], "cl_copy_images")
        );
    }

    #[test]
    fn patterns() {
        assert!(matches("quick*", "quick_1d"));
        assert!(!matches("quick*", "full_1d"));
        assert!(matches("*_1d*", "full_1d_implicit"));
        assert!(!matches("a", "ab"));
    }
}
