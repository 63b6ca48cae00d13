//! Servers that are killed and connections that are cut, while a program runs.

use super::engine::{self, Engine};
use super::network::Network;
use super::relay::Relay;
use super::servers::{self, Server};
use crate::clients::Setting;
use crate::sh::Result;
use std::io::{BufRead, BufReader, Write};
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
            .stdin(Stdio::piped())
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
            let line = self.lines.recv_timeout(left).map_err(|error| {
                format!(
                    "no line \"{beginning}...\": {error}\n{}",
                    self.seen.join("\n")
                )
            })?;
            self.seen.push(line.clone());
            if line.starts_with(beginning) {
                return Ok(line);
            }
        }
    }

    /// Sends a line.
    fn tell(&mut self) -> Result {
        let input = self.child.stdin.as_mut().expect("it is piped");
        let sent = input.write_all(b"go\n").and_then(|()| input.flush());
        sent.map_err(|error| error.to_string())
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

/// Kills one of two servers while they exchange edges: the program says so and ends, and a server that
/// is started again serves the next program together with the one that stayed.
pub fn killed_server(engine: &Engine, setting: &Setting<'_>) -> Result {
    let network = Network::Loopback;
    let mut servers = servers::start_all(engine, &network, 2, setting)?;
    let workload = engine::program("workload")?;
    let client = |servers: &[Server], work: &str| {
        let mut command = Command::new(&workload);
        servers::connect(engine, &mut command, servers);
        command.args(["Portable Computing Language", "2", work]);
        command
    };
    let mut program = Watched::start(&mut client(&servers, "endless"))?;
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
    servers[1] = Server::start(engine, &network, 2, setting)?;
    let done = crate::sh::run_limited(&mut client(&servers, "stencil"), LIMIT)?;
    done.verdict()
        .map_err(|why| format!("after the restart: {why}"))
}

/// Cuts a client's connections: it connects again, every command is done, and none is done twice.
pub fn cut_connection(engine: &Engine, setting: &Setting<'_>) -> Result {
    let network = Network::Loopback;
    let server = Server::start(engine, &network, 1, setting)?;
    let relay = Relay::to(&server.address)?;
    let mut command = Command::new(engine::program("reconnect")?);
    engine.connect(&mut command, &[relay.address.clone()]);
    let mut program = Watched::start(&mut command)?;
    program.line("ready")?;
    let before = relay.cut();
    program.tell()?;
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
