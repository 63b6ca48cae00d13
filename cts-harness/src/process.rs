//! Commands under a time limit: how they end, and what they said.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, Stdio};
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

/// A command that runs a program, by way of the words of another command if there are any.
pub fn command(through: &[String], program: &Path) -> Command {
    match through.split_first() {
        None => Command::new(program),
        Some((first, rest)) => {
            let mut command = Command::new(first);
            command.args(rest).arg(program);
            command
        }
    }
}

/// Runs a command with standard output and error in the file `log`, made anew. Output goes
/// through a file so that a child which hangs with a full pipe cannot hang us. At the limit the
/// command and everything it started are killed.
///
/// # Errors
/// The system's, where the file cannot be made, or the command not be started or, at the limit,
/// not be killed.
pub fn run(command: &mut Command, log: &Path, limit: Duration) -> std::io::Result<End> {
    let out = File::create(log)?;
    let err = out.try_clone()?;
    run_to(command.stdout(out).stderr(err), limit)
}

/// Runs a command whose output is set already.
///
/// # Errors
/// The system's, where the command cannot be started or, at the limit, not be killed.
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
            let killed = kill_group(&child);
            // A child that the signal did not reach would be waited for without end.
            if killed.is_err() {
                child.kill()?;
            }
            child.wait()?;
            killed?;
            return Ok(End::Timeout);
        }
        std::thread::sleep(nap);
        nap = (nap * 2).min(Duration::from_millis(20));
    }
}

/// Sends SIGKILL to the process group that a child leads. A child that has ended but was not yet
/// waited for still has its group, so that the id cannot be another's.
///
/// # Errors
/// The system's refusal, with the id of the group.
fn kill_group(child: &Child) -> std::io::Result<()> {
    let group = libc::pid_t::try_from(child.id()).map_err(std::io::Error::other)?;
    // SAFETY: killpg(2) takes two integers and touches none of this process's memory.
    if unsafe { libc::killpg(group, libc::SIGKILL) } == 0 {
        return Ok(());
    }
    let error = std::io::Error::last_os_error();
    let text = format!("cannot end the process group {group}: {error}");
    Err(std::io::Error::new(error.kind(), text))
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
    let read = || {
        let mut file = File::open(path)?;
        let (length, bytes) = (
            file.metadata()?.len(),
            u64::try_from(bytes).unwrap_or(u64::MAX),
        );
        // The rest may be larger than this process's memory.
        file.seek(SeekFrom::Start(length.saturating_sub(bytes)))?;
        let mut end = Vec::new();
        file.take(bytes).read_to_end(&mut end)?;
        std::io::Result::Ok(end)
    };
    String::from_utf8_lossy(&read().unwrap_or_default()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::{End, kill_group, run, tail};
    use std::os::unix::process::CommandExt;
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

    /// The smallest systems have a shell and no `kill` program.
    #[test]
    fn hung_commands_end_on_a_system_without_the_kill_program() {
        let name = format!("pumice-no-kill-{}", std::process::id());
        let programs = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&programs).unwrap();
        for program in ["sh", "sleep"] {
            let link = programs.join(program);
            std::os::unix::fs::symlink(format!("/bin/{program}"), link).unwrap();
        }
        let test = "process::tests::a_command_that_hangs_ends_with_what_it_started";
        let output = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", test])
            .env("PATH", &programs)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{said}");
        assert!(said.contains("1 passed"), "{said}");
        std::fs::remove_dir_all(&programs).unwrap();
    }

    #[test]
    fn a_group_that_cannot_be_ended_is_an_error() {
        // A child in our own group leads none.
        let mut child = Command::new("true").spawn().unwrap();
        let error = kill_group(&child).unwrap_err();
        let text = format!("cannot end the process group {}: ", child.id());
        assert!(error.to_string().starts_with(&text), "{error}");
        child.wait().unwrap();
        // One that has ended unseen still has its group.
        let mut child = Command::new("true").process_group(0).spawn().unwrap();
        let state = format!("/proc/{}/stat", child.id());
        while !std::fs::read_to_string(&state).unwrap().contains(") Z ") {
            std::thread::yield_now();
        }
        kill_group(&child).unwrap();
        child.wait().unwrap();
    }
}
