//! `pumice-info`: what Pumice finds on this system, what is in its way and what would help.
//!
//! A client of the ICD loader that links neither OpenCL nor the driver: a static executable, so that
//! it starts where the driver cannot be loaded. Whatever loads a driver runs in a child process
//! (`pumice-probe`), so that a driver that crashes or hangs is a line of the report.
//!
//! `facts` gathers, `findings` concludes, `page` prints. Nothing here changes the system.
#![forbid(unsafe_code)]

mod elf;
mod facts;
mod findings;
mod manifests;
mod os;
mod page;
mod probe;
mod system;
mod vendors;

use std::path::PathBuf;
use std::process::ExitCode;

use facts::Facts;

const USAGE: &str = "\
usage: pumice-info [OPTIONS]

Says what Pumice finds on this system, what is in its way and what would help.

  --json            write everything as JSON, for bug reports and scripts
  --library FILE    ask this libpumice.so instead of the installed one
  --program FILE    look whether FILE is a program that can use Pumice
  --version         write the version
  --help            write this

Exit status: 0 OpenCL programs find Pumice and a device of it; 1 they do not; 2 the command line is
wrong.
";

/// A command line.
#[derive(Default)]
struct Arguments {
    json: bool,
    library: Option<PathBuf>,
    program: Option<PathBuf>,
}

/// Reads a command line; `Ok(Err(text))` for one that asks for a text.
fn parse(
    mut args: impl Iterator<Item = String>,
) -> Result<Result<Arguments, &'static str>, String> {
    let mut parsed = Arguments::default();
    while let Some(arg) = args.next() {
        let mut file = || {
            args.next()
                .map(PathBuf::from)
                .ok_or(format!("{arg} takes a file"))
        };
        match arg.as_str() {
            "--json" => parsed.json = true,
            "--library" => parsed.library = Some(file()?),
            "--program" => parsed.program = Some(file()?),
            "--help" | "-h" => return Ok(Err(USAGE)),
            "--version" => {
                return Ok(Err(concat!(
                    "pumice-info ",
                    env!("CARGO_PKG_VERSION"),
                    "\n"
                )));
            }
            _ => return Err(format!("unknown argument: '{arg}'; --help lists all")),
        }
    }
    Ok(Ok(parsed))
}

fn main() -> ExitCode {
    let args = match parse(std::env::args().skip(1)) {
        Ok(Ok(args)) => args,
        Ok(Err(text)) => {
            page::print(text);
            return ExitCode::SUCCESS;
        }
        Err(why) => {
            eprintln!("pumice-info: error: {why}");
            return ExitCode::from(2);
        }
    };
    let facts = Facts::gather(args.library, args.program);
    let findings = findings::of(&facts);
    page::print(&match args.json {
        true => page::json(&facts, &findings),
        false => page::text(&facts, &findings),
    });
    match facts.works() {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}

#[cfg(test)]
mod tests {
    use super::{USAGE, parse};

    #[test]
    fn wrong_command_lines_are_told() {
        let error = |words: &[&str]| parse(words.iter().map(|word| word.to_string())).err();
        for (words, message) in [
            (
                &["--jsno"][..],
                "unknown argument: '--jsno'; --help lists all",
            ),
            (&["--library"], "--library takes a file"),
            (&["--json", "x"], "unknown argument: 'x'; --help lists all"),
        ] {
            assert_eq!(error(words).as_deref(), Some(message));
        }
        let help = parse(["--help".to_string()].into_iter());
        assert!(matches!(help, Ok(Err(USAGE))));
    }
}
