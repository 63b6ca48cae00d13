//! The command line: its one list of options, the help, and the completions of shells.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

/// An option.
struct Row {
    name: &'static str,
    /// The value that it takes, as the help calls it; empty for none.
    value: &'static str,
    help: &'static str,
}

/// THE list of options.
const OPTIONS: &[Row] = &[
    Row {
        name: "-o",
        value: "PAGE",
        help: "write the page to PAGE instead of pumice-trace.html",
    },
    Row {
        name: "--keep",
        value: "FOLDER",
        help: "run: leave the traces in FOLDER, as PROCESS.json",
    },
    Row {
        name: "--completions",
        value: "SHELL",
        help: "write the completions of bash, zsh or fish",
    },
    Row {
        name: "--version",
        value: "",
        help: "write the version",
    },
    Row {
        name: "--help",
        value: "",
        help: "write this",
    },
];

/// The page's name where none is given.
const PAGE: &str = "pumice-trace.html";

const INTRODUCTION: &str = "\
usage: pumice-trace run [-o PAGE] [--keep FOLDER] -- PROGRAM [ARGUMENT]...
       pumice-trace report [-o PAGE] TRACE...

Shows as a page what Pumice ran: kernels, transfers, builds, calls, and the gaps between them on a time
line. `run` runs a program with a trace; `report` reads traces that PUMICE_TRACE wrote, also ones that a
crash cut short. The page is one HTML file, which needs no network.

";

const ENDING: &str = "
Exit status: of run, that of the program, 128 and the signal's number where a signal ended it, 126 or 127 where it
cannot be started, and 125 if the program succeeded but there is no page. Of report, 0, or 1 if there is no page.
2 if the command line is wrong.
";

/// The work to do.
#[derive(Debug, PartialEq, Eq)]
pub enum Work {
    /// Run a program.
    Run {
        /// The program and its arguments.
        command: Vec<OsString>,
        /// The page's path.
        page: PathBuf,
        /// The folder for the traces, where they are to stay.
        keep: Option<PathBuf>,
    },
    /// Read traces.
    Report {
        /// Their paths.
        traces: Vec<PathBuf>,
        /// The page's path.
        page: PathBuf,
    },
    /// Write a text.
    Tell(String),
}

/// Reads a command line without the program's own name.
///
/// # Errors
/// The first fault that it has.
pub fn parse(args: impl IntoIterator<Item = OsString>) -> Result<Work, String> {
    let mut args = args.into_iter();
    let (mut verb, mut page, mut keep) = (None, None, None);
    let mut words: Vec<OsString> = Vec::new();
    while let Some(arg) = args.next() {
        let is_run = verb.as_deref() == Some(OsStr::new("run"));
        let (name, joined) = split(&arg);
        let mut value = || {
            let value = joined.clone().or_else(|| args.next());
            value.ok_or_else(|| format!("{name} takes a value"))
        };
        match name.as_str() {
            "-o" => page = Some(PathBuf::from(value()?)),
            "--keep" => keep = Some(PathBuf::from(value()?)),
            "--completions" => return completions(&value()?.to_string_lossy()).map(Work::Tell),
            "--version" => {
                return Ok(Work::Tell(format!(
                    "pumice-trace {}\n",
                    env!("CARGO_PKG_VERSION")
                )));
            }
            "--help" | "-h" => return Ok(Work::Tell(usage())),
            "--" => words.extend(args.by_ref()),
            name if name.starts_with('-') && name.len() > 1 => {
                return Err(format!("unknown option '{name}'; --help lists all"));
            }
            _ if verb.is_none() => verb = Some(arg),
            // All further words are the program's.
            _ if is_run => {
                words.push(arg);
                words.extend(args.by_ref());
            }
            _ => words.push(arg),
        }
    }
    let page = page.unwrap_or_else(|| PathBuf::from(PAGE));
    match (verb.as_deref().and_then(OsStr::to_str), words.is_empty()) {
        (Some("run"), false) => Ok(Work::Run {
            command: words,
            page,
            keep,
        }),
        (Some("run"), true) => Err("no program to run".to_string()),
        (Some("report"), _) if keep.is_some() => Err("--keep goes with run".to_string()),
        (Some("report"), false) => Ok(Work::Report {
            traces: words.into_iter().map(PathBuf::from).collect(),
            page,
        }),
        (Some("report"), true) => Err("no trace to read".to_string()),
        (Some(other), _) => Err(format!("unknown command '{other}'; known: run, report")),
        (None, _) => Err("neither run nor report".to_string()),
    }
}

/// An argument's option and the value behind `=`, of long options.
fn split(arg: &OsStr) -> (String, Option<OsString>) {
    let text = arg.to_string_lossy();
    match (text.starts_with("--"), text.split_once('=')) {
        (true, Some((name, value))) => (name.to_string(), Some(OsString::from(value))),
        _ => (text.into_owned(), None),
    }
}

/// The text of `--help`.
fn usage() -> String {
    let mut text = INTRODUCTION.to_string();
    for option in OPTIONS {
        let form = format!("{} {}", option.name, option.value);
        text += &format!("  {form:22} {}\n", option.help);
    }
    text + ENDING
}

/// A shell's completions.
fn completions(shell: &str) -> Result<String, String> {
    let names: Vec<&str> = OPTIONS.iter().map(|option| option.name).collect();
    match shell {
        "bash" => Ok(format!(
            "\
_pumice_trace() {{
    local current=${{COMP_WORDS[COMP_CWORD]}}
    COMPREPLY=()
    case $current in
    -*) COMPREPLY=($(compgen -W '{}' -- \"$current\")) ;;
    *)
        if [ \"$COMP_CWORD\" -eq 1 ]; then
            COMPREPLY=($(compgen -W 'run report' -- \"$current\"))
        else
            COMPREPLY=($(compgen -f -- \"$current\"; [ \"${{COMP_WORDS[1]}}\" = run ] && compgen -c -- \"$current\"))
        fi
        ;;
    esac
}}
complete -o filenames -F _pumice_trace pumice-trace
",
            names.join(" ")
        )),
        "zsh" => {
            let options = OPTIONS.iter().map(|option| {
                let value = match option.value {
                    "" => String::new(),
                    value => format!(":{value}:_files"),
                };
                // A colon would begin the next part.
                let help = option.help.replace(':', "");
                format!("  '{}[{help}]{value}' \\\n", option.name)
            });
            let options: String = options.collect();
            Ok(format!(
                "#compdef pumice-trace\n_arguments \\\n{options}  '1:command:(run report)' \\\n  '*::file:_files'\n"
            ))
        }
        "fish" => {
            let mut text = "complete -c pumice-trace -n __fish_is_first_arg -a 'run report'\n".to_string();
            for option in OPTIONS {
                let form = match option.name.strip_prefix("--") {
                    Some(long) => format!("-l {long}"),
                    None => format!("-s {}", option.name.trim_start_matches('-')),
                };
                let takes = if option.value.is_empty() { "" } else { " -r" };
                text += &format!("complete -c pumice-trace {form}{takes} -d '{}'\n", option.help);
            }
            Ok(text)
        }
        _ => Err(format!("unknown shell '{shell}'; known: bash, zsh, fish")),
    }
}

#[cfg(test)]
mod tests {
    use super::{OPTIONS, Work, completions, parse, usage};
    use std::path::PathBuf;

    fn of(words: &[&str]) -> Result<Work, String> {
        parse(words.iter().map(Into::into))
    }

    #[test]
    fn the_program_keeps_its_own_options() {
        let wanted = Work::Run {
            command: ["prog", "-o", "x", "--", "--help"].map(Into::into).into(),
            page: PathBuf::from("p.html"),
            keep: Some(PathBuf::from("d")),
        };
        assert_eq!(
            of(&[
                "run", "-o", "p.html", "--keep=d", "--", "prog", "-o", "x", "--", "--help"
            ]),
            Ok(wanted)
        );
        // Without the two dashes, too.
        let wanted = Work::Run {
            command: ["prog", "--help"].map(Into::into).into(),
            page: PathBuf::from("pumice-trace.html"),
            keep: None,
        };
        assert_eq!(of(&["run", "prog", "--help"]), Ok(wanted));
    }

    #[test]
    fn a_report_reads_several_traces() {
        let wanted = Work::Report {
            traces: ["a.json", "b.json"].map(PathBuf::from).into(),
            page: PathBuf::from("p"),
        };
        assert_eq!(of(&["report", "a.json", "b.json", "-o", "p"]), Ok(wanted));
    }

    #[test]
    fn wrong_command_lines_are_explained() {
        for (words, why) in [
            (&[][..], "neither run nor report"),
            (&["run"], "no program to run"),
            (&["run", "--"], "no program to run"),
            (&["report"], "no trace to read"),
            (&["report", "-o"], "-o takes a value"),
            (&["report", "--keep", "d", "t"], "--keep goes with run"),
            (&["show", "t"], "unknown command 'show'; known: run, report"),
            (
                &["report", "--loud", "t"],
                "unknown option '--loud'; --help lists all",
            ),
            (
                &["--completions=csh"],
                "unknown shell 'csh'; known: bash, zsh, fish",
            ),
        ] {
            assert_eq!(of(words), Err(why.to_string()));
        }
    }

    #[test]
    fn help_completions_and_manual_page_have_every_option() {
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/man/pumice-trace.1");
        let page = std::fs::read_to_string(page).unwrap().replace("\\-", "-");
        for option in OPTIONS {
            assert!(
                usage().contains(&format!("\n  {} ", option.name)),
                "{}",
                option.name
            );
            assert!(
                page.contains(&format!("\\fB{}\\fR", option.name)),
                "{}",
                option.name
            );
            for shell in ["bash", "zsh", "fish"] {
                let text = completions(shell).unwrap();
                let name = option.name.trim_start_matches('-');
                assert!(text.contains(name), "{shell}: {}", option.name);
            }
        }
    }
}
