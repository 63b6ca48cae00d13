//! Commands under a time limit: how they end, and what they said.

use std::fs::File;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Way in which a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// With this exit status.
    Exit(i32),
    /// By this signal.
    Signal(i32),
    /// It was killed at the time limit.
    Timeout,
}

/// Runs a command with standard output and error in the file `log`, made anew. Output goes
/// through a file so that a child which hangs with a full pipe cannot hang us. At the limit the
/// command and everything it started are killed.
///
/// # Errors
/// Errors of the system if the command cannot be run or the file cannot be made.
pub fn run(command: &mut Command, log: &Path, limit: Duration) -> std::io::Result<End> {
    let out = File::create(log)?;
    let err = out.try_clone()?;
    run_to(command.stdout(out).stderr(err), limit)
}

/// Runs a command whose output is set already.
///
/// # Errors
/// Errors of the system if the command cannot be run.
pub fn run_to(command: &mut Command, limit: Duration) -> std::io::Result<End> {
    let started = Instant::now();
    let mut child = command.stdin(Stdio::null()).process_group(0).spawn()?;
    let mut nap = Duration::from_millis(1);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(match (status.code(), status.signal()) {
                (Some(code), _) => End::Exit(code),
                (None, signal) => End::Signal(signal.unwrap_or_default()),
            });
        }
        if started.elapsed() >= limit {
            // The group carries the child's id. That some of it has just ended does no harm.
            let group = format!("-{}", child.id());
            let _ = Command::new("kill")
                .args(["-KILL", "--", &group])
                .stderr(Stdio::null())
                .status();
            let _ = child.kill();
            child.wait()?;
            return Ok(End::Timeout);
        }
        std::thread::sleep(nap);
        nap = (nap * 2).min(Duration::from_millis(20));
    }
}

/// Processor time of all processes so far that this one started and that have ended, and of those
/// that they waited for.
pub fn processor_time() -> Option<Duration> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The name, in parentheses, may hold anything. Behind it cutime and cstime are fields 14 and 15,
    // in the hundredths of a second that Linux gives programs.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |at: usize| fields.get(at)?.parse::<u64>().ok();
    Some(Duration::from_millis(10 * (ticks(13)? + ticks(14)?)))
}

/// The last `bytes` bytes of a file as text; empty when there is none.
pub fn tail(path: &Path, bytes: usize) -> String {
    let all = std::fs::read(path).unwrap_or_default();
    String::from_utf8_lossy(&all[all.len().saturating_sub(bytes)..]).into_owned()
}

#[cfg(test)]
mod tests {
    use super::{End, run, tail};
    use std::process::Command;
    use std::time::{Duration, Instant};

    #[test]
    fn a_command_that_hangs_ends_with_what_it_started() {
        let dir = std::env::temp_dir().join(format!("pumice-process-{}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        let log = dir.join("log");
        let script = format!(
            "sleep 600 & echo $! > {}/pid; echo said; wait",
            dir.display()
        );
        let begin = Instant::now();
        let end = run(
            Command::new("sh").args(["-c", &script]),
            &log,
            Duration::from_millis(500),
        );
        assert_eq!(end.unwrap(), End::Timeout);
        assert!(begin.elapsed() < Duration::from_secs(300));
        assert_eq!(tail(&log, 100), "said\n");
        let pid = std::fs::read_to_string(dir.join("pid")).unwrap();
        // Killed, though perhaps not at once and not yet reaped by whoever inherited it.
        let gone = || {
            let state = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim()));
            state.map_or(true, |stat| stat.contains(") Z "))
        };
        while !gone() && begin.elapsed() < Duration::from_secs(300) {
            std::thread::sleep(Duration::from_millis(5));
        }
        assert!(gone());
        std::fs::remove_dir_all(&dir).unwrap();
    }
}
