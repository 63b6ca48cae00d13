//! Runs `pumice-probe`, which loads a driver, under a time limit.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::os;

/// Time for a driver to answer. Opening a device compiles the probes' shaders.
const LIMIT: Duration = Duration::from_secs(60);
/// Folders of the helper below the one of this program.
const FOLDERS: &[&str] = &[".", "../libexec/pumice", "../lib/pumice"];

/// The end of a child.
#[derive(Debug)]
pub enum Outcome {
    /// It answered; with what stood on standard error.
    Answer(Value, String),
    /// It said why it cannot.
    Failed(String),
    /// A signal ended it.
    Crashed(i32),
    /// It did not answer in time.
    Hung,
    /// It could not be started.
    Unavailable(String),
}

/// The helper.
#[derive(Debug)]
pub struct Probe {
    /// Its file; `None` where it is not found.
    pub path: Option<PathBuf>,
}

impl Probe {
    /// Finds the helper beside this program.
    pub fn find() -> Probe {
        let program = std::env::current_exe().unwrap_or_default();
        let folder = program
            .parent()
            .unwrap_or(Path::new("/usr/bin"))
            .to_path_buf();
        let paths = FOLDERS
            .iter()
            .map(|below| folder.join(below).join("pumice-probe"));
        let path = paths.into_iter().find(|path| path.exists());
        Probe { path }
    }

    /// Runs the helper with these words.
    pub fn run(&self, words: &[&str]) -> Outcome {
        let Some(path) = &self.path else {
            return Outcome::Unavailable("pumice-probe is not installed".to_string());
        };
        let mut command = Command::new(path);
        command.args(words);
        run(&mut command, LIMIT)
    }
}

fn run(command: &mut Command, limit: Duration) -> Outcome {
    let spawned = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = match spawned {
        Ok(child) => child,
        Err(error) => return Outcome::Unavailable(error.to_string()),
    };
    let out = reader(child.stdout.take());
    let err = reader(child.stderr.take());
    let status = wait(&mut child, limit);
    let Some(status) = status else {
        return Outcome::Hung;
    };
    if let Some(signal) = os::crash(status) {
        return Outcome::Crashed(signal);
    }
    let text = |thread: std::thread::JoinHandle<String>| thread.join().unwrap_or_default();
    let (out, err) = (text(out), text(err));
    match serde_json::from_str(&out) {
        Ok(answer) if status.success() => Outcome::Answer(answer, err),
        _ => Outcome::Failed(match err.trim() {
            "" => status.to_string(),
            text => text.to_string(),
        }),
    }
}

/// Reads a pipe on a thread of its own, so that a full one does not stop the child.
fn reader(pipe: Option<impl Read + Send + 'static>) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            // What was read before an error still counts.
            let _ = pipe.read_to_end(&mut bytes);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// Waits for a child; `None` if it was ended at the limit.
fn wait(child: &mut Child, limit: Duration) -> Option<ExitStatus> {
    let start = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status),
            Ok(None) if start.elapsed() < limit => std::thread::sleep(Duration::from_millis(5)),
            _ => {
                // A child that has just ended is killed without effect.
                let _ = child.kill();
                let _ = child.wait();
                return None;
            }
        }
    }
}

impl Outcome {
    /// The answer, if there is one.
    pub fn answer(&self) -> Option<&Value> {
        match self {
            Outcome::Answer(answer, _) => Some(answer),
            _ => None,
        }
    }

    /// In words.
    pub fn trouble(&self) -> Option<String> {
        match self {
            Outcome::Answer(..) => None,
            Outcome::Failed(why) => Some(format!("cannot be loaded: {}", last_line(why))),
            Outcome::Crashed(signal) => Some(format!("crashes (signal {signal})")),
            Outcome::Hung => Some(format!("does not answer in {} s", LIMIT.as_secs())),
            Outcome::Unavailable(why) => Some(format!("was not tried: {why}")),
        }
    }

    /// As JSON.
    pub fn json(&self) -> Value {
        match self {
            Outcome::Answer(answer, log) => json!({ "answer": answer, "log": log }),
            _ => json!({ "trouble": self.trouble() }),
        }
    }
}

fn last_line(text: &str) -> &str {
    text.lines().last().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{Outcome, run};
    use std::process::Command;
    use std::time::Duration;

    fn shell(script: &str) -> Outcome {
        let mut command = Command::new("sh");
        run(command.args(["-c", script]), Duration::from_millis(500))
    }

    #[test]
    fn every_end_is_told_apart() {
        let answered = shell("echo '{\"a\": 1}'; echo note >&2");
        assert!(
            matches!(&answered, Outcome::Answer(value, log) if value["a"] == 1 && log == "note\n")
        );
        assert!(matches!(shell("echo first >&2; echo why >&2; exit 1"),
                         Outcome::Failed(why) if why.ends_with("why\n") || why.ends_with("why")));
        assert!(matches!(shell("kill -SEGV $$"), Outcome::Crashed(11)));
        assert!(matches!(shell("exec sleep 60"), Outcome::Hung));
        let nothing = run(&mut Command::new("/nowhere/probe"), Duration::from_secs(1));
        assert!(matches!(nothing, Outcome::Unavailable(_)));
    }
}
