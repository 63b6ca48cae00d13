//! Developer commands, run as `cargo xtask COMMAND`.
//!
//! Takes a checkout on a Debian machine with Rust and gcc; gives a built, registered, tested
//! driver. It installs Debian packages that are missing (saying so first) and keeps everything
//! else that it makes under `target/`. It never edits the user's apt sources.

mod arm64;
mod bare;
mod binary_checks;
mod bless;
mod cargo_tests;
mod clients;
mod cluster;
mod compiler;
mod demo;
mod drivers;
mod faults;
mod foreign;
mod graphs;
mod guide;
mod info;
mod install;
mod installation;
mod kernel_files;
mod kit;
mod lavapipe;
mod layer_messages;
mod layout;
mod low_floor;
mod newest_layer;
mod package;
mod packages;
mod private_apt;
mod programs;
mod release;
mod sh;
mod shim;
mod steps;
mod test;
mod tidy;
mod trace;
mod validation;
mod venus;
mod workers;

use std::process::ExitCode;

const USAGE: &str = "\
cargo xtask COMMAND

  demo                      install what is missing, build, register the driver for this user,
                            run real OpenCL programs on it
  test [STEP...] [-- NAME]  everything that CI runs, or only the named steps (test --list), and
                            of unit, devices and clients only the tests with NAME in their names
  tidy                      habits that no compiler sees, such as the length of files
  bare [XTASK COMMAND]      demo and test, or that command, from a clean clone on a minimal
                            Debian made for it (needs root)
  guide                     the user's guide in target/guide
  cluster [N]               work over N servers of PoCL-Remote with Pumice behind each: docs/guide/cluster.md
  bless                     write the snapshots and the compiled built-in library anew
  install [--prefix P] [--user] [--without-lavapipe]
                            build the release and install it; sudo is called where it is needed
  uninstall [--prefix P] [--user] [--cache]
                            undo install, and remove the cache of built programs
  kit [FILE]                one file with driver, tools and tests, for a machine with a GPU and without Rust:
                            docs/gpu-drivers.md; target/kit/pumice-kit.tar.xz unless FILE is given
  package                   a Debian package, an RPM and a tarball in target/package
  package again             build them once more elsewhere: they must be equal
  package try [SUITE]...    install that package in a minimal Debian made for it (needs root)
";

/// Tells whether the first word behind a command is one for help; the others have pages of their own.
fn asks_for_help(words: &[String]) -> bool {
    words
        .first()
        .is_some_and(|word| word == "--help" || word == "-h")
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let result = match args.split_first() {
        Some((command, rest)) => match command.as_str() {
            "demo" | "test" | "bare" | "tidy" | "bless" if asks_for_help(rest) => {
                print!("{USAGE}");
                Ok(())
            }
            "demo" => demo::run(rest),
            "test" => test::run(rest),
            "bare" => bare::run(rest),
            "tidy" => tidy::run(rest),
            "bless" => bless::run(rest),
            "guide" => guide::run(rest),
            "cluster" => cluster::run(rest),
            "install" => install::install(rest),
            "kit" => kit::run(rest),
            "package" => package::run(rest),
            "uninstall" => install::uninstall(rest),
            "help" | "--help" | "-h" => {
                print!("{USAGE}");
                Ok(())
            }
            other => Err(format!("no command named {other:?}\n\n{USAGE}")),
        },
        None => Err(USAGE.to_string()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::FAILURE
        }
    }
}
