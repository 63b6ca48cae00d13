//! The work of `cargo xtask cluster N`: a stencil and a matrix product over 1, 2, 4 ... N servers, and
//! the price of a command, beside the same on the driver without a network.

use super::engine::{self, Engine};
use super::network::{Network, Traffic};
use super::servers;
use crate::clients::Setting;
use crate::sh::{self, Result};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

/// PoCL's platform.
const REMOTE: &str = "Portable Computing Language";
/// Time for one program.
const LIMIT: Duration = Duration::from_secs(300);

/// The devices that execute the work.
#[derive(Clone, Copy)]
enum Place {
    /// The driver in the client's process.
    Local,
    /// The driver behind so many servers.
    Servers(usize),
}

impl Place {
    /// Says it in words.
    fn name(self) -> String {
        match self {
            Place::Local => "no server".to_string(),
            Place::Servers(1) => "1 server".to_string(),
            Place::Servers(more) => format!("{more} servers"),
        }
    }
}

/// Runs the works in the places of one set-up.
struct Works<'a> {
    program: PathBuf,
    engine: &'a Engine,
    network: &'a Network,
    setting: &'a Setting<'a>,
}

/// The numbers that a program printed, and the bytes on the wire.
struct Outcome {
    numbers: BTreeMap<String, f64>,
    traffic: Option<Traffic>,
}

impl Outcome {
    fn number(&self, name: &str) -> Result<f64> {
        let number = self.numbers.get(name).copied();
        number.ok_or_else(|| format!("the program printed no {name}"))
    }
}

impl Works<'_> {
    /// Runs one work; its values are checked by the program. Servers are started for it: PoCL 7.1 numbers
    /// the sessions at each server and takes the numbers of one for those of another.
    fn run(&self, work: &str, place: Place) -> Result<Outcome> {
        let (mut said, mut moved) = (String::new(), None);
        let done = match place {
            Place::Local => {
                let mut command = Command::new(&self.program);
                self.setting.apply(&mut command);
                sh::run_limited(command.args(["Pumice", "1", work]), LIMIT)?
            }
            Place::Servers(count) => servers::until_no_crash(|| {
                let mut servers =
                    servers::start_all(self.engine, self.network, count, self.setting)?;
                let before = self.network.traffic()?;
                let mut command =
                    servers::client(self.engine, self.network, &self.program, &servers)?;
                command.args([REMOTE, &count.to_string(), work]);
                let done = sh::run_limited(&mut command, LIMIT);
                said = servers.iter().map(|server| server.said() + "\n").collect();
                let after = self.network.traffic()?;
                moved = before
                    .zip(after)
                    .map(|(before, after)| after.since(&before));
                done.map(|done| servers::with_crashes(&mut servers, done))
            })?,
        };
        done.verdict()
            .map_err(|why| format!("{work}, {}: {why}{said}", place.name()))?;
        let words: Vec<&str> = done.stdout.split_whitespace().collect();
        let pairs = words.chunks(2).filter_map(|pair| match pair {
            [name, value] => Some((name.to_string(), value.parse().ok()?)),
            _ => None,
        });
        Ok(Outcome {
            numbers: pairs.collect(),
            traffic: moved,
        })
    }
}

/// 1, 2, 4 and so on below `most`, and `most`.
fn counts(most: usize) -> Vec<usize> {
    let powers = std::iter::successors(Some(1), |count| Some(count * 2));
    powers
        .take_while(|count| *count < most)
        .chain([most])
        .collect()
}

/// Runs everything and prints the table.
///
/// # Errors
/// A server that does not start, or a program that finds a wrong value or fails.
pub fn run(engine: &Engine, network: &Network, most: usize, setting: &Setting<'_>) -> Result {
    let works = Works {
        program: engine::program("workload")?,
        engine,
        network,
        setting,
    };
    println!(
        "up to {most} servers of PoCL {}, each with Pumice on one thread of lavapipe; {}",
        engine.version()?,
        network.describe()
    );
    let counts = counts(most);
    let places = || {
        let remote = counts.iter().copied().map(Place::Servers);
        std::iter::once(Place::Local).chain(remote)
    };
    let mut table = vec![row("", places().map(Place::name).collect())];
    let mut wire = Vec::new();
    for (work, name) in [
        ("stencil", "stencil, 1024x1024, 60 rounds (s)"),
        ("matrix", "matrix product, 768x768 (s)"),
    ] {
        let outcomes: Vec<Outcome> = places()
            .map(|place| works.run(work, place))
            .collect::<Result<_>>()?;
        let cells = outcomes.iter().map(|outcome| outcome.number("seconds"));
        table.push(row(name, format_all(cells, 3)?));
        let mega = |key: &'static str| {
            let cells = outcomes.iter().map(move |outcome| outcome.number(key));
            format_all(cells.map(|cell| Ok(cell? / 1e6)), 1)
        };
        wire.push(row(
            &format!("{work}: host's transfers (MB)"),
            mega("host")?,
        ));
        wire.push(row(
            &format!("{work}: between devices (MB)"),
            mega("peers")?,
        ));
        wire.extend(on_the_wire(work, &outcomes));
    }
    let outcomes: Vec<Outcome> = places()
        .map(|place| works.run("overhead", place))
        .collect::<Result<_>>()?;
    for (key, name) in [
        ("many", "launch, one of 1000 in a row (us)"),
        ("single", "launch that is waited for (us)"),
        ("hop", "launch after one on the next device (us)"),
    ] {
        let cells = outcomes.iter().map(|outcome| outcome.number(key));
        table.push(row(name, format_all(cells, 1)?));
    }
    for line in table.iter().chain(&wire) {
        println!("{line}");
    }
    let cores = std::thread::available_parallelism().map_or(1, |count| count.get());
    println!("all values are those of the host");
    if most >= cores {
        println!(
            "this machine has {cores} processors: client and servers share them, which bounds the gain"
        );
    }
    Ok(())
}

/// The rows of bytes measured on the wire, if they were.
fn on_the_wire(work: &str, outcomes: &[Outcome]) -> Vec<String> {
    let remote = &outcomes[1..];
    let measured: Option<Vec<Traffic>> = remote.iter().map(|outcome| outcome.traffic).collect();
    let Some(measured) = measured else {
        return Vec::new();
    };
    let cells = |bytes: fn(&Traffic) -> u64| {
        let numbers = measured.iter().map(|traffic| bytes(traffic) as f64 / 1e6);
        let cells = numbers.map(|number| format!("{number:.1}"));
        std::iter::once("-".to_string()).chain(cells).collect()
    };
    vec![
        row(
            &format!("{work}: on the wire, client and servers (MB)"),
            cells(|traffic| traffic.sent + traffic.received),
        ),
        row(
            &format!("{work}: on the wire, between servers (MB)"),
            cells(Traffic::peers),
        ),
    ]
}

fn format_all(cells: impl Iterator<Item = Result<f64>>, digits: usize) -> Result<Vec<String>> {
    cells
        .map(|cell| Ok(format!("{:.digits$}", cell?)))
        .collect()
}

fn row(name: &str, cells: Vec<String>) -> String {
    let cells: String = cells.iter().map(|cell| format!("{cell:>12}")).collect();
    format!("{name:46}{cells}")
}

#[cfg(test)]
mod tests {
    use super::counts;

    #[test]
    fn servers_double() {
        assert_eq!(counts(1), [1]);
        assert_eq!(counts(4), [1, 2, 4]);
        assert_eq!(counts(6), [1, 2, 4, 6]);
    }
}
