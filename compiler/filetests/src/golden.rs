//! Golden files: what a test gives stands in a file beside its input.
//!
//! `PUMICE_BLESS=1` writes the files anew. `PUMICE_FILETEST=word` runs only the tests whose path
//! contains the word.

use crate::directive;
use similar::TextDiff;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Lines of a difference that are shown at most.
const SHOWN: usize = 60;

/// Failures of the file tests of one `#[test]`, reported together.
#[derive(Debug, Default)]
pub struct Failures {
    list: Vec<String>,
}

impl Failures {
    /// Adds the failure of one file.
    pub fn add(&mut self, path: &Path, why: impl std::fmt::Display) {
        self.list.push(format!("==== {}\n{why}", path.display()));
    }

    /// Adds the outcome of one file, if it is a failure.
    pub fn take(&mut self, path: &Path, outcome: Result<(), String>) {
        if let Err(why) = outcome {
            self.add(path, why);
        }
    }

    /// Runs `check` on every file, on all processors, and adds the failures in the order of the files.
    ///
    /// # Panics
    /// If `check` panics.
    pub fn check_all(
        &mut self,
        files: &[PathBuf],
        check: impl Fn(&Path) -> Result<(), String> + Sync,
    ) {
        let next = AtomicUsize::new(0);
        let failed = Mutex::new(Vec::new());
        let work = || {
            loop {
                let at = next.fetch_add(1, Ordering::Relaxed);
                let Some(path) = files.get(at) else { return };
                if let Err(why) = check(path) {
                    failed.lock().expect("no panic in here").push((at, why));
                }
            }
        };
        let workers = std::thread::available_parallelism().map_or(1, usize::from);
        std::thread::scope(|scope| {
            for _ in 0..workers {
                scope.spawn(work);
            }
        });
        let mut failed = failed.into_inner().expect("no panic in here");
        failed.sort();
        for (at, why) in failed {
            self.add(&files[at], why);
        }
    }

    /// Ends the test.
    ///
    /// # Panics
    /// With every failure, where there is one.
    pub fn finish(self) {
        assert!(
            self.list.is_empty(),
            "{} failed:\n{}",
            self.list.len(),
            self.list.join("\n")
        );
    }
}

/// The files of `folder` with one of the extensions, by name, without those that
/// `PUMICE_FILETEST` leaves out. The first line of each names the test that the folder is for.
///
/// # Panics
/// If the folder cannot be read or has fewer than `least` such files: a test of nothing. If a
/// file's first line does not name the folder's test.
pub fn files(folder: &Path, extensions: &[&str], least: usize) -> Vec<PathBuf> {
    let entries =
        std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.expect("a readable folder").path())
        .filter(|path| {
            let extension = path.extension().and_then(|e| e.to_str());
            extension.is_some_and(|extension| extensions.contains(&extension))
        })
        .collect();
    let count = files.len();
    assert!(count >= least, "{}: {count} files", folder.display());
    files.sort();
    if let Ok(word) = std::env::var("PUMICE_FILETEST") {
        files.retain(|path| path.to_string_lossy().contains(&word));
    }
    for path in &files {
        check_header(path).unwrap_or_else(|why| panic!("{}: {why}", path.display()));
    }
    files
}

/// Checks that a file's first line is `test: KIND`, with the name of the file's folder.
///
/// # Errors
/// The line that is expected.
fn check_header(path: &Path) -> Result<(), String> {
    let text = std::fs::read(path).map_err(|error| error.to_string())?;
    let line = text.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let line = String::from_utf8_lossy(line);
    let folder = path.parent().and_then(Path::file_name).unwrap_or_default();
    let kind = directive::value(&line, "test");
    if kind.is_some_and(|kind| folder == kind) {
        return Ok(());
    }
    let comment = match path.extension().is_some_and(|extension| extension == "cl") {
        true => "//",
        false => ";",
    };
    Err(format!(
        "the first line must be `{comment} test: {}`",
        folder.to_string_lossy()
    ))
}

/// Compares `actual` with the golden file beside `input` that has another extension.
///
/// # Errors
/// The difference, or the file that cannot be written.
pub fn compare(input: &Path, extension: &str, actual: &str) -> Result<(), String> {
    compare_file(&input.with_extension(extension), actual)
}

/// Compares `actual` with a golden file.
///
/// # Errors
/// The difference, or the file that cannot be written.
pub fn compare_file(golden: &Path, actual: &str) -> Result<(), String> {
    let expected = std::fs::read_to_string(golden).unwrap_or_default();
    if expected == actual {
        return Ok(());
    }
    if blessing() {
        return std::fs::write(golden, actual)
            .map_err(|error| format!("{}: {error}", golden.display()));
    }
    Err(difference(&expected, actual))
}

/// Tells whether golden files are to be written anew.
pub fn blessing() -> bool {
    std::env::var_os("PUMICE_BLESS").is_some()
}

/// The lines that differ, with three lines around them.
fn difference(expected: &str, actual: &str) -> String {
    let diff = TextDiff::from_lines(expected, actual);
    let text = diff
        .unified_diff()
        .context_radius(3)
        .header("expected", "actual")
        .to_string();
    let mut shown: String = text.lines().take(SHOWN).flat_map(|l| [l, "\n"]).collect();
    let more = text.lines().count().saturating_sub(SHOWN);
    if more > 0 {
        shown.push_str(&format!(
            "({more} more lines; PUMICE_BLESS=1 writes the file anew)\n"
        ));
    }
    shown
}

/// Runs every file of a folder with one of the extensions and compares what `run` gives with its
/// golden file.
///
/// # Panics
/// With all differences and errors together, or where the folder has fewer than `least` files.
pub fn run_files(
    folder: &Path,
    extensions: &[&str],
    least: usize,
    golden: &str,
    run: impl Fn(&Path) -> Result<String, String> + Sync,
) {
    let mut failures = Failures::default();
    failures.check_all(&files(folder, extensions, least), |path| {
        run(path).and_then(|actual| compare(path, golden, &actual))
    });
    failures.finish();
}

#[cfg(test)]
mod tests {
    use super::{Failures, check_header, difference};
    use std::path::PathBuf;

    #[test]
    fn every_file_is_checked_and_failures_keep_their_order() {
        let files: Vec<PathBuf> = (0..100).map(|n| PathBuf::from(format!("{n:02}"))).collect();
        let mut failures = Failures::default();
        failures.check_all(&files, |path| match path.to_string_lossy().ends_with('7') {
            true => Err("odd".to_string()),
            false => Ok(()),
        });
        let expected: Vec<String> = (0..10).map(|n| format!("==== {n}7\nodd")).collect();
        assert_eq!(failures.list, expected);
    }

    #[test]
    fn the_first_line_names_the_test() {
        let folder = std::env::temp_dir().join(format!("pumice-header-{}", std::process::id()));
        let folder = folder.join("sema");
        std::fs::create_dir_all(&folder).expect("a folder");
        let path = folder.join("a.cl");
        let check = |text: &str| {
            std::fs::write(&path, text).expect("writable");
            check_header(&path)
        };
        assert_eq!(check("// test: sema\nint a;\n"), Ok(()));
        let wanted = Err("the first line must be `// test: sema`".to_string());
        for text in [
            "",
            "int a;\n",
            "// test: parse\n",
            "int a;\n// test: sema\n",
        ] {
            assert_eq!(check(text), wanted, "{text:?}");
        }
        std::fs::remove_dir_all(folder.parent().expect("above")).expect("removable");
    }

    #[test]
    fn a_difference_shows_the_lines_that_differ() {
        let expected: String = (0..100).map(|n| format!("line {n}\n")).collect();
        let actual = expected.replace("line 50\n", "line fifty\n");
        let text = difference(&expected, &actual);
        assert!(text.contains("-line 50\n+line fifty\n"), "{text}");
        assert!(text.lines().count() < 12, "{text}");
    }
}
