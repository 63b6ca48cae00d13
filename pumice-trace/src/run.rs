//! Runs a program with a trace.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use crate::os;

/// The variable that makes Pumice write a trace.
const VARIABLE: &str = "PUMICE_TRACE";

/// A program that has ended.
pub struct Ended {
    /// Its status.
    pub status: ExitStatus,
    /// Nanoseconds from its start to its end.
    pub time: u64,
}

impl Ended {
    /// The exit status that a shell has for it.
    pub fn code(&self) -> u8 {
        let code = match (self.status.code(), os::signal(self.status)) {
            (Some(code), _) => code,
            (None, Some(signal)) => 128 + signal,
            (None, None) => 125,
        };
        u8::try_from(code).unwrap_or(125)
    }

    /// Its end in words.
    pub fn words(&self) -> String {
        match (self.status.code(), os::signal(self.status)) {
            (Some(code), _) => format!("status {code}"),
            (None, Some(signal)) => format!("signal {signal}"),
            (None, None) => "no status".to_string(),
        }
    }
}

/// The folder of a run's traces.
pub struct Folder {
    path: PathBuf,
    /// True if it goes when the page is written.
    temporary: bool,
}

impl Folder {
    /// The folder that is asked for, or a new one that nobody else can read.
    ///
    /// # Errors
    /// A folder that cannot be made.
    pub fn new(keep: Option<PathBuf>) -> Result<Self, String> {
        let temporary = keep.is_none();
        let path = keep.unwrap_or_else(|| {
            let now = SystemTime::now()
                .duration_since(UNIX_EPOCH)
                .unwrap_or_default();
            let name = format!("pumice-trace-{}-{}", std::process::id(), now.as_nanos());
            std::env::temp_dir().join(name)
        });
        let mut builder = std::fs::DirBuilder::new();
        // A kept folder may exist; a temporary one of that name would be another's.
        os::make_private(&mut builder);
        let made = builder.recursive(!temporary).create(&path);
        let path = made
            .and_then(|()| path.canonicalize())
            .map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(Self { path, temporary })
    }

    /// The traces in it, with the times at which they were last written.
    ///
    /// # Errors
    /// A folder that cannot be read.
    pub fn traces(&self) -> Result<BTreeMap<PathBuf, SystemTime>, String> {
        let told = |error: io::Error| format!("{}: {error}", self.path.display());
        let mut traces = BTreeMap::new();
        for entry in std::fs::read_dir(&self.path).map_err(told)? {
            let path = entry.map_err(told)?.path();
            if path.extension() == Some(OsStr::new("json")) {
                let written = path.metadata().and_then(|data| data.modified());
                traces.insert(path, written.map_err(told)?);
            }
        }
        Ok(traces)
    }

    /// The file name pattern for [`VARIABLE`].
    fn pattern(&self) -> PathBuf {
        self.path.join("%p.json")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if self.temporary {
            // What cannot be removed is left to the system.
            let _ = std::fs::remove_dir_all(&self.path);
        }
    }
}

/// Runs the program to its end. Interrupts from the terminal are the program's: this one waits for its end.
///
/// # Errors
/// A program that cannot be started.
pub fn run(command: &[OsString], folder: &Folder) -> io::Result<Ended> {
    let [program, args @ ..] = command else {
        return Err(io::ErrorKind::NotFound.into());
    };
    for &signal in os::INTERRUPTS {
        // The handler does not outlive the program's start: it has the signal's default action.
        signal_hook::flag::register(signal, Arc::new(AtomicBool::new(false)))?;
    }
    let start = Instant::now();
    let status = Command::new(program)
        .args(args)
        .env(VARIABLE, folder.pattern())
        .status()?;
    let time = u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
    Ok(Ended { status, time })
}

/// Explains an error of [`run`]; gives the exit status that shells have for it.
pub fn not_started(program: &Path, error: &io::Error) -> (String, u8) {
    let code = match error.kind() {
        io::ErrorKind::NotFound => 127,
        _ => 126,
    };
    (format!("{}: {error}", program.display()), code)
}
