//! Figures of a process of its own, with one driver alone: `pumice-bench child TASK PLATFORM`.
//!
//! The ICD loader loads every driver that it sees, so a process that is measured for its memory or
//! its start may see only one.

use super::rows::{fresh, resident};
use super::vulkan::Twin;
use super::{Failure, Result};
use crate::cl::{Arg, Session};
use crate::process::{self, End};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// Measurement of a child process. It reads a text from its standard input file and prints a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// Milliseconds of building the text.
    Build,
    /// Milliseconds to a device with context and queue.
    StartUp,
    /// MiB resident after building and running the text's kernel `small`.
    Resident,
    /// As `StartUp` for Vulkan alone; the text is the device's name.
    TwinStartUp,
    /// As `Resident` for Vulkan alone; the text is the device's name.
    TwinResident,
    /// No figure: prints the first platform's name.
    Platform,
}

impl Task {
    const ALL: [(&'static str, Task); 6] = [
        ("build", Task::Build),
        ("start", Task::StartUp),
        ("resident", Task::Resident),
        ("twin-start", Task::TwinStartUp),
        ("twin-resident", Task::TwinResident),
        ("platform", Task::Platform),
    ];

    fn word(self) -> &'static str {
        (Task::ALL.iter())
            .find(|(_, task)| *task == self)
            .map_or("", |(word, _)| word)
    }
}

/// The child's side: the words after `child` are task, platform and the file with the text.
///
/// # Errors
/// Words that say nothing known, or what went wrong.
pub fn serve(words: &[String]) -> Result<String> {
    let [task, platform, file] = words else {
        return Err(Failure("child TASK PLATFORM FILE".to_string()));
    };
    let task = Task::ALL.iter().find(|(word, _)| word == task);
    let (_, task) = task.ok_or_else(|| Failure("no such task".to_string()))?;
    let text = std::fs::read_to_string(file).map_err(|e| Failure(format!("{file}: {e}")))?;
    let start = Instant::now();
    let since = |start: Instant| start.elapsed().as_secs_f64() * 1e3;
    let figure = match task {
        Task::Platform => return Ok(Session::find("")?.0),
        Task::StartUp => {
            let _device = Session::open(platform)?;
            since(start)
        }
        Task::Build => {
            let device = Session::open(platform)?;
            let start = Instant::now();
            let _program = device.build(text.as_bytes(), "")?;
            since(start)
        }
        Task::Resident => {
            let device = Session::open(platform)?;
            let program = device.build(fresh(&text).as_bytes(), "")?;
            let buffer = device.buffer(&[0; 4096])?;
            let kernel = program.kernel("small")?;
            let args = [Arg::Buffer(&buffer), Arg::Bytes(&[2, 0, 0, 0])];
            device.run(&kernel, &args, None, &[64], None)?;
            device.read(&buffer)?;
            resident("VmRSS")?
        }
        Task::TwinStartUp => {
            let _twin = Twin::open(&text, 4096)?;
            since(start)
        }
        Task::TwinResident => {
            let twin = Twin::open(&text, 4096)?;
            twin.launch(1)?;
            resident("VmRSS")?
        }
    };
    Ok(figure.to_string())
}

/// Variables besides XDG_CACHE_HOME that set the cache folders of drivers and the layers below them.
const CACHE_FOLDERS: [&str; 3] = [
    "PUMICE_CACHE_DIR",
    "MESA_SHADER_CACHE_DIR",
    "POCL_CACHE_DIR",
];

/// A name for a folder that no other home of any process has.
fn scratch(icd: &Path) -> PathBuf {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let name = icd.file_stem().unwrap_or_default().to_string_lossy();
    std::env::temp_dir().join(format!(
        "pumice-bench-{}-{count}-{name}",
        std::process::id()
    ))
}

/// One driver alone: a vendors folder with its .icd file only, and caches that no earlier run has
/// filled.
#[derive(Clone, Debug)]
pub struct Home {
    platform: String,
    scratch: PathBuf,
    /// The .icd file; none when the loader was given no folder to search.
    icd: PathBuf,
}

impl Home {
    /// Finds the .icd file of a platform in the folder that `OCL_ICD_VENDORS` names.
    ///
    /// # Errors
    /// No such variable, no such folder, or no file in it that brings the platform.
    pub fn find(platform: &str) -> Result<Home> {
        let folder = std::env::var_os("OCL_ICD_VENDORS")
            .map_or_else(|| PathBuf::from("/etc/OpenCL/vendors"), PathBuf::from);
        let why = |error: std::io::Error| Failure(format!("{}: {error}", folder.display()));
        let mut files: Vec<PathBuf> = std::fs::read_dir(&folder)
            .map_err(why)?
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| path.extension().is_some_and(|ext| ext == "icd"))
            .collect();
        files.sort();
        for icd in files {
            let scratch = scratch(&icd);
            let vendors = scratch.join("vendors");
            let made = std::fs::create_dir_all(&vendors)
                .and_then(|()| std::fs::copy(&icd, vendors.join("one.icd")));
            made.map_err(|error| Failure(format!("{}: {error}", vendors.display())))?;
            let home = Home {
                platform: String::new(),
                scratch,
                icd,
            };
            // A driver without a device here answers nothing; the next file may be the one.
            let found = home.ask(Task::Platform, "");
            if found.is_ok_and(|name| name.contains(platform)) {
                return Ok(Home {
                    platform: platform.to_string(),
                    ..home
                });
            }
            home.remove();
        }
        Err(Failure(format!(
            "no .icd file in {} brings {platform}",
            folder.display()
        )))
    }

    fn ask(&self, task: Task, text: &str) -> Result<String> {
        let problem = |error: std::io::Error| Failure(format!("child {}: {error}", task.word()));
        let (input, output) = (self.scratch.join("text"), self.scratch.join("said"));
        std::fs::write(&input, text).map_err(problem)?;
        let own = std::env::current_exe().map_err(problem)?;
        let mut command = Command::new(own);
        command
            .args(["child", task.word(), &self.platform])
            .arg(&input)
            .env("OCL_ICD_VENDORS", self.scratch.join("vendors"))
            .env("XDG_CACHE_HOME", self.caches())
            .stdout(std::fs::File::create(&output).map_err(problem)?)
            .stderr(Stdio::null());
        for name in CACHE_FOLDERS {
            command.env_remove(name);
        }
        match process::run_to(&mut command, Duration::from_secs(120)).map_err(problem)? {
            End::Exit(0) => Ok(process::tail(&output, 4096).trim().to_string()),
            end => Err(Failure(format!("child {}: {end:?}", task.word()))),
        }
    }

    fn caches(&self) -> PathBuf {
        self.scratch.join("caches")
    }

    /// Empties the caches that the driver's processes have filled.
    ///
    /// # Errors
    /// Errors of the file system.
    pub fn forget(&self) -> Result<()> {
        match std::fs::remove_dir_all(self.caches()) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(Failure(format!("{}: {error}", self.caches().display())))
            }
            _ => Ok(()),
        }
    }

    /// A figure from a process with this driver alone.
    ///
    /// # Errors
    /// The child's exit status or signal, if it failed.
    pub fn child(&self, task: Task, text: &str) -> Result<f64> {
        let said = self.ask(task, text)?;
        said.parse()
            .map_err(|_| Failure(format!("child {} said {said:?}", task.word())))
    }

    /// MiB of the library that the .icd file names.
    ///
    /// # Errors
    /// A library that is not where the loader would look.
    pub fn library_size(&self) -> Result<f64> {
        let text = std::fs::read_to_string(&self.icd)
            .map_err(|error| Failure(format!("{}: {error}", self.icd.display())))?;
        let name = text.trim();
        let folders = [
            "",
            "/usr/lib/x86_64-linux-gnu",
            "/usr/lib/aarch64-linux-gnu",
            "/usr/lib",
            "/usr/local/lib",
        ];
        let found = (folders.iter())
            .map(|folder| Path::new(folder).join(name))
            .find_map(|path| path.metadata().ok());
        let size = found.ok_or_else(|| Failure(format!("{name} is not found")))?;
        Ok(size.len() as f64 / f64::from(1 << 20))
    }

    /// Takes the folder away.
    pub fn remove(&self) {
        // A folder left among temporary files does no harm.
        let _ = std::fs::remove_dir_all(&self.scratch);
    }
}

#[cfg(test)]
mod tests {
    use super::{Home, scratch};
    use std::path::Path;

    /// Two drivers from .icd files of one name, as when one folder is searched for both.
    #[test]
    fn homes_share_no_folder() {
        let homes = [(); 2].map(|()| {
            let icd = Path::new("vendors/one.icd").to_path_buf();
            let home = Home {
                platform: String::new(),
                scratch: scratch(&icd),
                icd,
            };
            std::fs::create_dir_all(home.caches()).unwrap();
            home
        });
        homes[0].remove();
        assert!(!homes[0].scratch.exists() && homes[1].caches().exists());
        homes[1].forget().unwrap();
        assert!(!homes[1].caches().exists() && homes[1].scratch.exists());
        homes[1].forget().unwrap();
        homes[1].remove();
    }
}
