//! The one table of options.
//!
//! An option has the value of its environment variable, else of its line in a configuration file:
//! the file that `PUMICE_CONFIG` names, else `$XDG_CONFIG_HOME/pumice.conf` (`~/.config` where that
//! is not set), else `/etc/pumice.conf`. Only the first of these that is there is read.
//!
//! ```text
//! # What stands here is for every program.
//! log = warn
//! [hashcat]
//! # What stands here is for that one, by the name of its executable.
//! device_type = gpu
//! ```
//!
//! Names in the file are those of the variables in small letters without `PUMICE_`.
//!
//! In a process with rights that its user lacks (a set-uid executable) nothing comes from the
//! environment: only `/etc/pumice.conf` is read.

use std::collections::HashMap;
use std::ffi::OsString;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::base::files;
use crate::base::log;
use crate::os::{self, Folder, SYSTEM};
use pumice_compiler::target::similar::closest;

/// An option.
#[derive(Clone, Copy, Debug)]
pub struct Variable {
    /// The name of its environment variable.
    pub name: &'static str,
    /// Its effect, in one line.
    pub help: &'static str,
}

/// A configuration file is no larger than this, in bytes.
const MAX_FILE: u64 = 1 << 20;

/// The beginning of every name.
const PREFIX: &str = "PUMICE_";

impl Variable {
    /// Its value, if it is set to something that is not empty.
    pub fn value(&self) -> Option<String> {
        text_of_environment(self.name)
            .or_else(|| file().values.get(&key(self.name)).cloned())
            .filter(|value| !value.is_empty())
    }

    /// Its value as a switch, `unset` where it has none.
    pub fn flag(&self, unset: bool) -> bool {
        match self.value() {
            None => unset,
            Some(value) => !["0", "off", "no", "false"].contains(&value.as_str()),
        }
    }

    /// Its value as a list separated by commas.
    pub fn list(&self) -> Vec<String> {
        let value = self.value().unwrap_or_default();
        let parts = value.split(',').map(str::trim).filter(|p| !p.is_empty());
        parts.map(str::to_string).collect()
    }

    /// Logs that its value is `not` what it can be, and what holds instead.
    pub fn refused(&self, not: &str) {
        let value = self.value().unwrap_or_default();
        log::error!("{}={value}: {not}", self.name);
    }
}

macro_rules! variables {
    ($($ident:ident = $name:literal, $help:literal;)*) => {
        $(#[doc = $help] pub const $ident: Variable = Variable { name: $name, help: $help };)*
        /// All of them, in the order of the documentation.
        pub const VARIABLES: &[Variable] = &[$($ident,)*];
    };
}

variables! {
    CONFIG = "PUMICE_CONFIG",
        "The configuration file (in the environment only).";
    LOG = "PUMICE_LOG",
        "What to log: off, error (default), warn, info or debug; a group's own level as `build=debug`; several with commas.";
    LOG_FILE = "PUMICE_LOG_FILE",
        "Log to the end of this file instead of stderr; %p becomes the process's number.";
    TRACE = "PUMICE_TRACE",
        "Write API calls, builds and what the device ran to this file, which Perfetto opens; %p as above.";
    PROGRESS = "PUMICE_PROGRESS",
        "Seconds after which a build tells on stderr how far it is (2 by default); on: 2 seconds also where stderr is no terminal; off: never.";
    DUMP = "PUMICE_DUMP",
        "Write every stage of every build to files in this folder; builds then do not use the cache.";
    DEVICES = "PUMICE_DEVICES",
        "The devices to report, and their order: numbers or parts of names, separated by commas.";
    FAULTY_DRIVERS = "PUMICE_FAULTY_DRIVERS",
        "on: use devices also where the Vulkan driver is known to give wrong results that nothing works around; they are left out otherwise.";
    DEVICE_TYPE = "PUMICE_DEVICE_TYPE",
        "Report every device as cpu, gpu or accelerator instead of what Vulkan says it is.";
    DEVICE_NAME = "PUMICE_DEVICE_NAME",
        "Report this text as CL_DEVICE_NAME of every device.";
    CACHE = "PUMICE_CACHE",
        "off: neither read nor write the cache of built programs.";
    CACHE_DIR = "PUMICE_CACHE_DIR",
        "The cache's folder instead of $XDG_CACHE_HOME/pumice or ~/.cache/pumice.";
    CACHE_SIZE = "PUMICE_CACHE_SIZE",
        "How much the cache may hold, in MiB (default 512); what was longest unused goes first.";
    INCLUDES = "PUMICE_INCLUDES",
        "Files that #include may open beside clCompileProgram's headers: on (default), listed: only those in -I folders or below, off: none.";
    VALIDATION = "PUMICE_VALIDATION",
        "on: load the Khronos validation layer (no devices without it), print its messages.";
    MASK = "PUMICE_MASK",
        "Vulkan features and device extensions to treat as absent, separated by commas; also what start-up probes find: denormals, exactFma, exactDivide, exactSqrt, accurateDivide, accurateExp2, accurateLog2, relaxedExp2, relaxedLog2, accurateRoots, accurateSine, exactMatrices, hostAddresses (a plus sign before one of the first twelve takes it for found, where nothing executes); timestamps: the host measures commands; vulkan1.1 or vulkan1.2: what is newer than that version; fullProfile: the embedded profile on devices with images; sampleExactly: use the samplers of devices where they are coarse; launchPromises: no code for what launches promise, or with a plus sign on processors too.";
    ABI = "PUMICE_ABI",
        "addresses: kernels get the addresses of buffers (default on most devices); descriptors: do without device addresses, pointers are descriptors then; mixed: descriptors where the program and the launch allow it, else addresses (default where drivers compile that better).";
    IMAGES = "PUMICE_IMAGES",
        "off: offer neither images nor samplers, whatever the device has.";
    DOUBLES = "PUMICE_DOUBLES",
        "flushed: offer doubles as the device computes them where it takes their denormals for zeros (CL_FP_DENORM is then missing), which is faster there than making them exact. soft: offer doubles made of integers where the device has none that are exact (CL_FP_SOFT_FLOAT is then set); a sum takes about twenty times as long.";
    PRINTF_BUFFER = "PUMICE_PRINTF_BUFFER",
        "How much a launch can print, in MiB (default 1, 1024 at most): more is lost, which the log and the context's callback tell.";
    CHECK = "PUMICE_CHECK",
        "Build kernels that test what they do and report faults: all, or bounds, null, align, div, shift, uninit, barrier, race, separated by commas; stop: the first report ends the launch (docs/guide/check-mode.md); robust: kernels of strangers stay within their memory and end (docs/security.md).";
    LOOP_LIMIT = "PUMICE_LOOP_LIMIT",
        "How many million rounds the loops of a work-item may go in robust mode (default 256, on GPUs 64): a launch that needs more ends with CL_OUT_OF_RESOURCES.";
    BUILD_LIMIT = "PUMICE_BUILD_LIMIT",
        "How many seconds a build may take in robust mode (default 60): one that needs more fails.";
    ZERO_MEMORY = "PUMICE_ZERO_MEMORY",
        "off: leave in new buffers, images and SVM allocations what their memory held before; they read as zero otherwise.";
    COARSE = "PUMICE_COARSE",
        "Kernels whose invocations run eight, four or two work-items each, on processors: auto (default): for kernels that have run for 20 ms and twice as long as they took to compile; always: wherever sizes allow it; off: none.";
    STAGING_ONLY = "PUMICE_STAGING_ONLY",
        "on: copy buffers through staging memory even where the host can reach them.";
    SLICES = "PUMICE_SLICES",
        "How many work-groups of a launch are submitted at once, so that a display's watchdog sees short work: by default 1048576 on GPUs, for kernels whose work-items wait for no other, which cannot tell; a number: for all kernels, on every device; off: all at once.";
    FAULTS = "PUMICE_FAULTS",
        "Vulkan calls that are to fail, for tests: `CALL:host|device|lost:EVERY`, separated by commas; CALL may be *; the device is lost once, by the call of that number.";
    VULKAN_LIBRARY = "PUMICE_VULKAN_LIBRARY",
        "The Vulkan loader to open instead of libvulkan.so.1.";
}

/// The key of a variable in the configuration file.
fn key(name: &str) -> String {
    let short = name.strip_prefix(PREFIX).unwrap_or(name);
    short.to_ascii_lowercase()
}

/// A configuration file as read.
#[derive(Debug, Default)]
struct File {
    /// Its path; `None` where there is none.
    path: Option<PathBuf>,
    values: HashMap<String, String>,
    /// Lines that say nothing, for the log.
    complaints: Vec<String>,
}

fn file() -> &'static File {
    static FILE: OnceLock<File> = OnceLock::new();
    FILE.get_or_init(|| {
        let Some((path, text)) = find() else {
            return File::default();
        };
        let text = match text {
            Ok(text) => text,
            Err(error) => {
                return File {
                    complaints: vec![format!("{}: {error}", path.display())],
                    path: Some(path),
                    ..File::default()
                };
            }
        };
        let program = std::env::current_exe().unwrap_or_default();
        let program = program.file_name().unwrap_or_default().to_string_lossy();
        let mut file = parse(&text, &program);
        for complaint in &mut file.complaints {
            complaint.insert_str(0, &format!("{}:", path.display()));
        }
        file.path = Some(path);
        file
    })
}

/// The value of an environment variable; `None` for all in a process that must not follow its user.
fn environment(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|_| !os::is_privileged())
}

/// The same as text; `None` where it is none, of which [`complaints`] tells.
fn text_of_environment(name: &str) -> Option<String> {
    environment(name)?.into_string().ok()
}

/// A folder of the user's by the XDG base directory specification: what the variable says, if it
/// is absolute, else below the home folder.
pub(crate) fn user_folder(folder: Folder) -> Option<PathBuf> {
    SYSTEM.find(folder, environment)
}

/// The first configuration file that there is, and its text.
fn find() -> Option<(PathBuf, io::Result<String>)> {
    let read = |path: PathBuf| {
        let text = files::read_text(&path, MAX_FILE);
        (path, text)
    };
    let named = environment(CONFIG.name).filter(|name| !name.is_empty());
    if let Some(path) = named {
        return Some(read(path.into()));
    }
    let user = user_folder(SYSTEM.settings);
    let paths = [
        user.map(|folder| folder.join("pumice.conf")),
        Some(PathBuf::from(SYSTEM.system_file)),
    ];
    // A home folder that this user may not even look into says nothing either.
    let absent = [
        ErrorKind::NotFound,
        ErrorKind::NotADirectory,
        ErrorKind::PermissionDenied,
    ];
    // Refusals of our own, which have no number of the system's, are told.
    let is_there = |text: &io::Result<String>| match text {
        Ok(_) => true,
        Err(error) => error.raw_os_error().is_none() || !absent.contains(&error.kind()),
    };
    (paths.into_iter().flatten().map(read)).find(|(_, text)| is_there(text))
}

/// Reads the settings of a file for a program.
fn parse(text: &str, program: &str) -> File {
    let mut file = File::default();
    let mut general = HashMap::new();
    let mut section = None;
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some(name) = line.strip_prefix('[').and_then(|l| l.strip_suffix(']')) {
            section = Some(name.trim());
            continue;
        }
        let number = index + 1;
        let Some((name, value)) = line.split_once('=') else {
            let text = format!("{number}: neither `name = value` nor `[program]`");
            file.complaints.push(text);
            continue;
        };
        let name = name.trim();
        let known = |variable: &Variable| key(variable.name) == name;
        if !VARIABLES.iter().any(known) || name == key(CONFIG.name) {
            let hint = hint(name, key);
            file.complaints
                .push(format!("{number}: no option `{name}`{hint}"));
            continue;
        }
        let value = value.trim().to_string();
        match section {
            None => drop(general.insert(name.to_string(), value)),
            Some(section) if section == program => {
                file.values.insert(name.to_string(), value);
            }
            Some(_) => {}
        }
    }
    for (name, value) in general {
        file.values.entry(name).or_insert(value);
    }
    file
}

/// The configuration file that counts.
pub(crate) fn file_path() -> Option<&'static Path> {
    file().path.as_deref()
}

/// The options that are set, with their values and true for those of the environment.
pub(crate) fn in_force() -> Vec<(&'static Variable, String, bool)> {
    let set = VARIABLES.iter().filter_map(|variable| {
        let text = text_of_environment(variable.name);
        let from_environment = text.is_some_and(|value| !value.is_empty());
        Some((variable, variable.value()?, from_environment))
    });
    set.collect()
}

/// The lines of the file, and the variables that look like ours, that have no effect.
pub(crate) fn complaints() -> Vec<String> {
    let mut complaints = file().complaints.clone();
    if os::is_privileged() {
        return complaints;
    }
    for (name, value) in std::env::vars_os() {
        let name = name.to_string_lossy();
        if !name.starts_with(PREFIX) {
            continue;
        }
        if !VARIABLES.iter().any(|variable| variable.name == name) {
            let hint = hint(&key(&name), str::to_string);
            complaints.push(format!("{name} is set, but no option of the driver{hint}"));
        } else if name != CONFIG.name && value.to_str().is_none() {
            // The path of the configuration file alone is taken as it is.
            let shown = value.to_string_lossy();
            complaints.push(format!("{name}={shown}: not UTF-8; it counts as not set"));
        }
    }
    complaints
}

/// The end of a message about an option that does not exist: the one that may be meant, given by its key, and
/// told as `shown` writes a variable's name.
fn hint(given: &str, shown: fn(&str) -> String) -> String {
    let meant = closest(given, VARIABLES.iter().map(|variable| key(variable.name)));
    let meant = VARIABLES
        .iter()
        .find(|variable| meant.as_deref() == Some(&key(variable.name)));
    meant.map_or(String::new(), |variable| {
        format!("; did you mean {}?", shown(variable.name))
    })
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn names_are_unique_and_prefixed() {
        let mut names: Vec<_> = super::VARIABLES.iter().map(|v| v.name).collect();
        assert!(names.iter().all(|n| n.starts_with("PUMICE_")));
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), super::VARIABLES.len());
    }

    #[test]
    fn the_documentation_has_every_variable() {
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/environment.md");
        let text = std::fs::read_to_string(page).unwrap();
        let same = |rows: &[&str], wanted: &[String]| {
            let wanted_text = wanted.join("\n");
            assert_eq!(
                rows, wanted,
                "docs/environment.md should have:\n{wanted_text}"
            );
        };
        let rows: Vec<&str> = text
            .lines()
            .filter(|l| l.starts_with("| `PUMICE_"))
            .collect();
        let wanted: Vec<String> = super::VARIABLES
            .iter()
            .map(|v| format!("| `{}` | {} |", v.name, v.help))
            .collect();
        same(&rows, &wanted);
    }

    #[test]
    fn a_program_has_its_own_section() {
        let text =
            "# comment\nlog = warn\n cache=off \n[other]\nlog = debug\n[hashcat]\nlog=info\n";
        let of = |program: &str, name: &str| parse(text, program).values.get(name).cloned();
        assert_eq!(of("hashcat", "log").unwrap(), "info");
        assert_eq!(of("hashcat", "cache").unwrap(), "off");
        assert_eq!(of("clinfo", "log").unwrap(), "warn");
        assert!(parse(text, "clinfo").complaints.is_empty());
    }

    #[test]
    fn what_cannot_be_meant_is_told_of() {
        let file = parse(
            "log: warn\n\nno_such = 1\nconfig = x\n= y\nlog = info\ncahce = on",
            "clinfo",
        );
        let told = [
            "1: neither `name = value` nor `[program]`",
            "3: no option `no_such`",
            "4: no option `config`",
            "5: no option ``",
            "7: no option `cahce`; did you mean cache?",
        ];
        assert_eq!(file.complaints, told);
        assert_eq!(file.values.len(), 1);
    }
}
