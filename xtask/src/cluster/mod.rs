//! Many machines: `cargo xtask cluster N`, and the test step `cluster`.
//!
//! PoCL-Remote's servers run Pumice unmodified; a program sees their devices as one platform. Dask and
//! MPI run Pumice in processes of their own.

mod demo;
mod engine;
mod faults;
mod guide;
mod network;
mod python;
mod relay;
mod servers;
mod upstream;

use self::engine::Engine;
use self::network::Network;
use crate::clients::{self, Setting};
use crate::drivers;
use crate::packages;
use crate::release::{self, Profile};
use crate::sh::Result;
use crate::test::{self, Report};
use std::path::Path;

const USAGE: &str = "\
cargo xtask cluster [N] [--debug | --library FILE]

Builds PoCL-Remote from Debian's source package below target/cluster (once), starts N servers (4) with
Pumice behind each, runs a stencil and a matrix product over 1, 2, 4 ... N of them, checks all values, and
prints times, the price of a command and the bytes moved. Pumice is built for it; --debug takes the debug
build, --library a libpumice.so that is there.
";

/// Most servers: programs of tests/cluster take as many devices.
const MOST: usize = 16;

/// Runs the command.
pub fn run(args: &[String]) -> Result {
    let (mut most, mut profile, mut library) = (4, Profile::Release, None);
    let mut words = args.iter();
    while let Some(word) = words.next() {
        match (word.as_str(), word.parse()) {
            ("--help" | "-h", _) => {
                print!("{USAGE}");
                return Ok(());
            }
            ("--debug", _) => profile = Profile::Debug,
            ("--library", _) => {
                let file = words.next().ok_or("--library needs a file")?;
                let path = std::path::absolute(file).map_err(|error| format!("{file}: {error}"))?;
                library = Some(path);
            }
            (_, Ok(count @ 1..=MOST)) => most = count,
            _ => {
                return Err(format!(
                    "{word:?} is no number of servers from 1 to {MOST}\n\n{USAGE}"
                ));
            }
        }
    }
    let needs = [
        packages::CLUSTER,
        packages::MAKE,
        packages::LOADER,
        packages::CLIENTS,
    ];
    packages::ensure(needs.into_iter().flatten())?;
    let library = match library {
        Some(path) => path,
        None => release::library(profile)?,
    };
    let engine = Engine::get()?;
    with_setting(&library, |setting| {
        demo::run(&engine, &network(), most, setting)
    })
}

/// Namespaces where there can be some.
fn network() -> Network {
    Network::namespaces().unwrap_or_else(|why| {
        println!("no network namespaces ({}): loopback addresses", why.trim());
        Network::Loopback
    })
}

/// Calls with the setting of a server's driver: lavapipe with one thread, so that a server is as good
/// as any other, and as a client without servers.
fn with_setting<T>(library: &Path, call: impl FnOnce(&Setting<'_>) -> Result<T>) -> Result<T> {
    let vendors = clients::vendors_folder("cluster", library)?;
    let driver = drivers::backports()?;
    let env = [("LP_NUM_THREADS", "1".to_string())];
    let setting = Setting {
        vendors: &vendors,
        driver: Some(&driver),
        loader: None,
        env: &env,
    };
    call(&setting)
}

/// The test step.
pub fn test(report: &mut Report) -> Result {
    let library = test::build_debug()?;
    let engine = Engine::get()?;
    with_setting(&library, |setting| {
        let wanted = |report: &Report, name: &str| name.contains(&report.filter);
        for (name, check) in [
            (
                "killed server",
                faults::killed_server as fn(&Engine, &Setting<'_>) -> Result,
            ),
            ("cut connection", faults::cut_connection),
            ("demo", |engine, setting| {
                demo::run(engine, &network(), 4, setting)
            }),
            ("dask", |_, setting| python::dask(setting)),
            ("mpi", |_, setting| python::mpi(setting)),
            ("guide", guide::boxes),
        ] {
            if wanted(report, name) {
                let outcome = servers::check_until_no_crash(|| check(&engine, setting));
                println!("  {} {name}", test::mark(&outcome));
                report.record(name, outcome);
            }
        }
        if wanted(report, "upstream") {
            upstream::run(report, &engine, setting)?;
        }
        Ok(())
    })
}
