//! Running commands and finding places in the checkout.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Result of xtask's commands; the error is the message for the user.
pub type Result<T = ()> = std::result::Result<T, String>;

/// The root of the checkout.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("xtask lies in the workspace")
        .to_path_buf()
}

/// The workspace's target folder.
pub fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| root().join("target"), |dir| root().join(dir))
}

/// Returns whether a program of that name is on the PATH.
pub fn on_path(program: &str) -> bool {
    std::env::var_os("PATH")
        .is_some_and(|path| std::env::split_paths(&path).any(|dir| dir.join(program).is_file()))
}

/// The command as a user would type it, for messages.
pub fn shown(command: &Command) -> String {
    let mut text = command.get_program().to_string_lossy().into_owned();
    for arg in command.get_args() {
        text.push(' ');
        text.push_str(&arg.to_string_lossy());
    }
    text
}

/// Runs a command with its output shown; an error when it fails.
pub fn run(command: &mut Command) -> Result {
    let status = command
        .status()
        .map_err(|error| format!("{}: {error}", shown(command)))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("{}: {status}", shown(command)))
    }
}

/// Runs a command, keeps its output and returns it; an error (with the output) when it fails.
pub fn output(command: &mut Command) -> Result<String> {
    let output = command
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("{}: {error}", shown(command)))?;
    let text = both(&output);
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    } else {
        Err(format!("{}: {}\n{text}", shown(command), output.status))
    }
}

/// Standard output and standard error as one text.
pub fn both(output: &Output) -> String {
    format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

/// Outcome of a command that ran under a time limit.
pub struct Finished {
    /// True if it ended by itself with exit status 0.
    pub ok: bool,
    /// Exit status, signal or "timed out", in words.
    pub status: String,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

impl Finished {
    /// `Ok` if the command succeeded and printed no `FAIL`; else how it ended and what it said.
    pub fn verdict(&self) -> Result {
        if self.ok && !self.stdout.contains("FAIL") {
            Ok(())
        } else {
            Err(format!("{}\n{}{}", self.status, self.stdout, self.stderr))
        }
    }
}

/// The last part of a path as text.
pub fn file_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

/// Runs a command under a time limit. Output goes through files, so that a child that hangs
/// with a full pipe cannot hang us.
pub fn run_limited(command: &mut Command, limit: Duration) -> Result<Finished> {
    let scratch = target().join("xtask-output");
    make_folder(&scratch)?;
    let id = format!("{}-{:?}", std::process::id(), std::thread::current().id());
    let out_path = scratch.join(format!("{id}.out"));
    let err_path = scratch.join(format!("{id}.err"));
    let open = |path: &Path| {
        std::fs::File::create(path).map_err(|error| format!("{}: {error}", path.display()))
    };
    let mut child = command
        .stdin(Stdio::null())
        .stdout(open(&out_path)?)
        .stderr(open(&err_path)?)
        .spawn()
        .map_err(|error| format!("{}: {error}", shown(command)))?;
    let start = Instant::now();
    let (ok, status) = loop {
        match child.try_wait().map_err(|error| error.to_string())? {
            Some(status) => break (status.success(), status.to_string()),
            None if start.elapsed() > limit => {
                // A child that has just ended, and was not waited for yet, is killed without error.
                child
                    .kill()
                    .and_then(|()| child.wait())
                    .map_err(|error| format!("{}: cannot be ended: {error}", shown(command)))?;
                break (false, format!("timed out after {} s", limit.as_secs()));
            }
            None => std::thread::sleep(Duration::from_millis(5)),
        }
    };
    let read = |path: &Path| {
        let bytes = std::fs::read(path).unwrap_or_default();
        // Scratch files are only for this run; a leftover does no harm.
        let _ = std::fs::remove_file(path);
        String::from_utf8_lossy(&bytes).into_owned()
    };
    Ok(Finished {
        ok,
        status,
        stdout: read(&out_path),
        stderr: read(&err_path),
    })
}

/// Writes a file, making its folder first.
pub fn write(path: &Path, contents: impl AsRef<[u8]>) -> Result {
    path.parent().map_or(Ok(()), make_folder)?;
    std::fs::write(path, contents).map_err(|error| format!("{}: {error}", path.display()))
}

/// Makes a folder and those above it.
pub fn make_folder(path: &Path) -> Result {
    std::fs::create_dir_all(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// Removes a file, which need not exist.
pub fn remove(file: &Path) {
    // Not there is as good.
    let _ = std::fs::remove_file(file);
}

/// Reads a text file.
pub fn read(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// The entries of a folder with one of the given extensions, sorted by name.
pub fn files_with(dir: &Path, extensions: &[&str]) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(dir).map_err(|error| format!("{}: {error}", dir.display()))?;
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| {
            path.extension()
                .is_some_and(|ext| extensions.iter().any(|wanted| ext == *wanted))
        })
        .collect();
    files.sort();
    Ok(files)
}
