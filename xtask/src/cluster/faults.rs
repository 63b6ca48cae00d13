//! Servers that are killed and connections that are cut, while a program runs.

use super::engine::{self, Engine};
use super::network::Network;
use super::relay::Relay;
use super::servers::{self, Server};
use crate::clients::Setting;
use crate::sh::{self, Result};
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

/// Time for the whole program: a hang is a failure.
const LIMIT: Duration = Duration::from_secs(120);

/// A program whose lines are read while it runs.
struct Watched {
    child: Child,
    lines: Receiver<String>,
    seen: Vec<String>,
    start: Instant,
}

impl Drop for Watched {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Watched {
    fn start(command: &mut Command) -> Result<Watched> {
        let mut child = command
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| error.to_string())?;
        let out = BufReader::new(child.stdout.take().expect("it is piped"));
        let (send, lines) = mpsc::channel();
        std::thread::spawn(move || {
            for line in out.lines().map_while(std::io::Result::ok) {
                if send.send(line).is_err() {
                    break;
                }
            }
        });
        Ok(Watched {
            child,
            lines,
            seen: Vec::new(),
            start: Instant::now(),
        })
    }

    /// Waits for a line that begins so.
    fn line(&mut self, beginning: &str) -> Result<String> {
        loop {
            let left = LIMIT.saturating_sub(self.start.elapsed());
            let Ok(line) = self.lines.recv_timeout(left) else {
                let status = self.end()?;
                let seen = self.seen.join("\n");
                return Err(format!("no line \"{beginning}...\": {status}\n{seen}"));
            };
            self.seen.push(line.clone());
            if line.starts_with(beginning) {
                return Ok(line);
            }
        }
    }

    /// Waits for its end; an error if it does not come in time.
    fn end(&mut self) -> Result<ExitStatus> {
        loop {
            match self.child.try_wait().map_err(|error| error.to_string())? {
                Some(status) => return Ok(status),
                None if self.start.elapsed() > LIMIT => return Err("it hangs".to_string()),
                None => std::thread::sleep(Duration::from_millis(20)),
            }
        }
    }
}

/// Exit status of a program that says it has lost a server (`tests/cluster/remote.h`).
const LOST: i32 = 3;

/// Kills one of two servers while they exchange edges: the program says so and ends, and servers that are
/// started again serve the next program.
pub fn killed_server(engine: &Engine, setting: &Setting<'_>) -> Result {
    let network = Network::Loopback;
    let mut servers = servers::start_all(engine, &network, 2, setting)?;
    let workload = engine::program("workload")?;
    let client = |servers: &[Server], work: &str| -> Result<Command> {
        let mut command = servers::client(engine, &network, &workload, servers)?;
        command.args(["Portable Computing Language", "2", work]);
        Ok(command)
    };
    let mut program = Watched::start(&mut client(&servers, "endless")?)?;
    program.line("begun")?;
    servers[1].kill();
    let lost = program.line("lost: ")?;
    let status = program.end()?;
    println!("  after kill -9 of server 2: {lost}");
    if status.code() != Some(LOST) || !lost.contains("CL_DEVICE_NOT_AVAILABLE") {
        return Err(format!("{status}: {lost}"));
    }
    if !servers[0].runs() {
        return Err(format!("the other server ended:\n{}", servers[0].said()));
    }
    drop(servers);
    let servers = servers::start_all(engine, &network, 2, setting)?;
    let done = sh::run_limited(&mut client(&servers, "stencil")?, LIMIT)?;
    done.verdict()
        .map_err(|why| format!("after the restart: {why}"))
}

/// Cuts a client's connections: it connects again, every command is done, and none is done twice.
pub fn cut_connection(engine: &Engine, setting: &Setting<'_>) -> Result {
    let network = Network::Loopback;
    let server = Server::start(engine, &network, 1, setting)?;
    let relay = Relay::to(&server.address)?;
    let cut = sh::target().join("cluster/cut");
    // It may be there from an earlier run.
    let _ = std::fs::remove_file(&cut);
    let addresses = [relay.address.clone()];
    let mut command = engine.client(&network, &engine::program("reconnect")?, &addresses)?;
    let mut program = Watched::start(command.arg(&cut))?;
    program.line("ready")?;
    let before = relay.cut();
    let start = Instant::now();
    while relay.made() < 2 * before && start.elapsed() < LIMIT {
        std::thread::sleep(Duration::from_millis(5));
    }
    sh::write(&cut, "")?;
    let rounds = program.line("rounds ")?;
    program.end()?;
    let made = relay.made();
    println!("  after a cut of {before} connections: {made} in all, {rounds}");
    match made > before && before > 0 {
        true => Ok(()),
        false => Err(format!(
            "{before} connections before the cut, {made} in all"
        )),
    }
}
