//! Log lines, asked for by `PUMICE_LOG`; those of errors are written without being asked for.
//!
//! A line's group is that of the module that it stands in ([`GROUPS`]); nothing names it.

use std::fmt::Arguments;
use std::fs::File;
use std::io::Write;
use std::sync::OnceLock;

use crate::base::config;
use crate::base::files::{self, OpenMode};
use crate::os;

/// The amount of log lines; each level includes the ones before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Nothing.
    Off,
    /// The driver's own failures, and the reason why there is no device or a setting is ignored.
    Error,
    /// Something does not work as the application may expect.
    Warn,
    /// Devices found and left out, and why.
    Info,
    /// Error codes returned, builds, submissions.
    Debug,
}

const LEVELS: &[(&str, Level)] = &[
    ("off", Level::Off),
    ("error", Level::Error),
    ("warn", Level::Warn),
    ("info", Level::Info),
    ("debug", Level::Debug),
];

/// Lines that belong together.
#[derive(Clone, Copy, Debug)]
pub struct Group {
    /// Its name in `PUMICE_LOG`.
    pub name: &'static str,
    /// The subject of its lines.
    pub help: &'static str,
    /// The beginnings of the paths of its modules, without the crate; the longest one that fits decides.
    /// The last group has the rest.
    modules: &'static [&'static str],
}

/// All groups.
pub const GROUPS: &[Group] = &[
    Group {
        name: "api",
        help: "calls that gave an error",
        modules: &["shim"],
    },
    Group {
        name: "build",
        help: "compiling, linking, loading of programs",
        modules: &["program", "executable"],
    },
    Group {
        name: "cache",
        help: "the cache of built programs",
        modules: &["cache", "program::cached", "device::pipelines"],
    },
    Group {
        name: "device",
        help: "what Vulkan has and does",
        modules: &["device", "context", "memory"],
    },
    Group {
        name: "queue",
        help: "commands and their order",
        modules: &["queue", "command", "base::callback"],
    },
    Group {
        name: "driver",
        help: "everything else",
        modules: &[],
    },
];

/// The group of a module's lines, as an index into [`GROUPS`].
fn group(module: &str) -> usize {
    let path = module.split_once("::").map_or("", |(_, path)| path);
    let matched = |start: &&str| {
        let rest = path.strip_prefix(*start)?;
        (rest.is_empty() || rest.starts_with("::")).then_some(start.len())
    };
    let longest = |group: &Group| group.modules.iter().filter_map(matched).max();
    let best = (0..GROUPS.len()).max_by_key(|&index| (longest(&GROUPS[index]), index));
    best.unwrap_or(GROUPS.len() - 1)
}

/// The levels of all groups.
type Levels = [Level; GROUPS.len()];

/// Reads `PUMICE_LOG`; gives what it does not understand as well.
fn parse(text: &str) -> (Levels, Vec<String>) {
    let mut levels = [Level::Error; GROUPS.len()];
    let mut strange = Vec::new();
    let level = |name: &str| LEVELS.iter().find(|(n, _)| *n == name).map(|(_, l)| *l);
    for part in text.split(',').map(str::trim).filter(|p| !p.is_empty()) {
        let (chosen, name) = match part.split_once('=') {
            None => (Some(0..GROUPS.len()), part),
            Some((group, name)) => {
                let index = GROUPS.iter().position(|g| g.name == group.trim());
                (index.map(|index| index..index + 1), name.trim())
            }
        };
        match (chosen, level(name)) {
            (Some(chosen), Some(level)) => levels[chosen].fill(level),
            _ => strange.push(part.to_string()),
        }
    }
    (levels, strange)
}

fn levels() -> &'static Levels {
    static LEVELS: OnceLock<Levels> = OnceLock::new();
    LEVELS.get_or_init(|| {
        let (levels, strange) = parse(&config::LOG.value().unwrap_or_default());
        for part in strange {
            write(format_args!(
                "pumice: warn: {}: {part}?\n",
                config::LOG.name
            ));
        }
        levels
    })
}

/// The path that an option names, with the process's number in the place of `%p`.
pub(crate) fn process_path(option: &config::Variable) -> Option<String> {
    let path = option.value()?;
    Some(path.replace("%p", &std::process::id().to_string()))
}

fn write(text: Arguments<'_>) {
    static FILE: OnceLock<Option<File>> = OnceLock::new();
    let file = FILE.get_or_init(|| {
        let path = process_path(&config::LOG_FILE)?;
        let opened = files::open_private(path.as_ref(), OpenMode::Append);
        opened
            .inspect_err(|error| eprintln!("pumice: error: {path}: {error}"))
            .ok()
    });
    // One write a line: those of several threads and processes do not mix.
    let line = text.to_string();
    match file.as_ref() {
        Some(file) => drop((&*file).write_all(line.as_bytes())),
        None => eprint!("{line}"),
    }
}

/// Tells whether lines of this level are wanted from a module.
pub fn enabled(wanted: Level, module: &str) -> bool {
    wanted <= levels()[group(module)]
}

/// Writes one line; the macros below call it.
pub fn line(wanted: Level, module: &str, text: Arguments<'_>) {
    if wanted != Level::Off && enabled(wanted, module) {
        let level = LEVELS[wanted as usize].0;
        let group = GROUPS[group(module)].name;
        write(format_args!("pumice: {level}: {group}: {text}\n"));
    }
}

/// Writes a report of several lines as it is, unless no errors are wanted.
pub(crate) fn report(text: &str) {
    if enabled(Level::Error, module_path!()) {
        write(format_args!("{text}\n"));
    }
}

/// Logs at [`Level::Error`].
#[macro_export]
macro_rules! log_error {
    ($($arg:tt)*) => { $crate::base::log::line($crate::base::log::Level::Error, module_path!(), format_args!($($arg)*)) };
}
/// Logs at [`Level::Warn`].
#[macro_export]
macro_rules! log_warn {
    ($($arg:tt)*) => { $crate::base::log::line($crate::base::log::Level::Warn, module_path!(), format_args!($($arg)*)) };
}
/// Logs at [`Level::Info`].
#[macro_export]
macro_rules! log_info {
    ($($arg:tt)*) => { $crate::base::log::line($crate::base::log::Level::Info, module_path!(), format_args!($($arg)*)) };
}
/// Logs at [`Level::Debug`].
#[macro_export]
macro_rules! log_debug {
    ($($arg:tt)*) => { $crate::base::log::line($crate::base::log::Level::Debug, module_path!(), format_args!($($arg)*)) };
}

pub use crate::{log_debug as debug, log_error as error, log_info as info, log_warn as warn};

/// Logs the options that have no effect.
pub(crate) fn report_options() {
    for complaint in config::complaints() {
        error!("{complaint}");
    }
    if os::is_privileged() {
        info!("the environment is not read: the process has rights that its user lacks");
    }
}

#[cfg(test)]
mod tests {
    use super::{GROUPS, Level, group, parse};

    #[test]
    fn a_module_says_its_group() {
        let name = |module: &str| GROUPS[group(module)].name;
        assert_eq!(name("pumice::shim"), "api");
        assert_eq!(name("pumice_runtime::program::build"), "build");
        assert_eq!(name("pumice_runtime::program::cached"), "cache");
        assert_eq!(name("pumice_runtime::device::gpu"), "device");
        assert_eq!(name("pumice_runtime::device"), "device");
        assert_eq!(name("pumice_runtime::devices"), "driver");
        assert_eq!(name("pumice_runtime::base::callback"), "queue");
        assert_eq!(name("pumice_runtime::base::config"), "driver");
        assert_eq!(name("pumice"), "driver");
    }

    #[test]
    fn the_documentation_has_every_group() {
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/environment.md");
        let text = std::fs::read_to_string(page).unwrap();
        let rows: Vec<&str> = text
            .lines()
            .skip_while(|line| !line.starts_with("| Group |"))
            .filter(|line| line.starts_with("| `"))
            .collect();
        let wanted: Vec<String> = GROUPS
            .iter()
            .map(|group| format!("| `{}` | {} |", group.name, group.help))
            .collect();
        let wanted_text = wanted.join("\n");
        assert_eq!(
            rows, wanted,
            "docs/environment.md should have:\n{wanted_text}"
        );
    }

    #[test]
    fn groups_have_their_own_level() {
        let (levels, strange) = parse("warn, build=debug,api=off");
        let of = |name: &str| levels[GROUPS.iter().position(|g| g.name == name).unwrap()];
        assert!(strange.is_empty());
        assert_eq!(of("build"), Level::Debug);
        assert_eq!(of("api"), Level::Off);
        assert_eq!(of("queue"), Level::Warn);
        assert_eq!(parse("").0, [Level::Error; GROUPS.len()]);
        assert_eq!(parse("off").0, [Level::Off; GROUPS.len()]);
        let (_, strange) = parse("loud,nothing=warn,api=very");
        assert_eq!(strange, ["loud", "nothing=warn", "api=very"]);
    }
}
