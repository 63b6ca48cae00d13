//! Servers of PoCL-Remote, each with Pumice behind it.

use super::engine::Engine;
use super::network::Network;
use crate::clients::Setting;
use crate::sh::{self, Finished, Result};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

/// A running server. It is killed when it is dropped.
pub struct Server {
    child: Child,
    log: PathBuf,
    /// The first of three ports: commands, data, and other servers.
    port: u16,
    /// `ADDRESS:PORT`.
    pub address: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}

impl Server {
    /// Starts a server and waits until it listens. `setting` is that of its driver.
    pub fn start(
        engine: &Engine,
        network: &Network,
        number: usize,
        setting: &Setting<'_>,
    ) -> Result<Server> {
        // A client that comes back finds its session.
        let script =
            "POCLD_ALLOW_CLIENT_RECONNECT=1 exec \"$2\" -a $1 -p $3 -v err,warn > \"$4\" 2>&1";
        Self::start_by(script, engine, network, number, setting)
    }

    /// The same by a script that ends as the server, gets the address as `$1`, the server's program as `$2`, the
    /// port as `$3` and the log as `$4`.
    pub fn start_by(
        script: &str,
        engine: &Engine,
        network: &Network,
        number: usize,
        setting: &Setting<'_>,
    ) -> Result<Server> {
        let log = sh::target().join(format!("cluster/server{number}.log"));
        sh::write(&log, "")?;
        let program = engine.server().display().to_string();
        let port = network.port(number);
        let (port_word, log_word) = (port.to_string(), log.display().to_string());
        let words = [&*program, &port_word, &log_word];
        let child = network.server(number, script, &words, |command| setting.apply(command))?;
        let mut server = Server {
            child,
            log,
            port,
            address: format!("{}:{port}", network.address(number)),
        };
        let start = Instant::now();
        while !server.listens() {
            let ended = server.child.try_wait().map_err(|error| error.to_string())?;
            if ended.is_some() || start.elapsed() > Duration::from_secs(120) {
                let said = server.said();
                return Err(format!(
                    "server {number} does not listen: {ended:?}\n{said}"
                ));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(server)
    }

    /// Reads from the kernel's list of sockets whether all three ports listen.
    fn listens(&self) -> bool {
        let list = format!("/proc/{}/net/tcp", self.child.id());
        let text = std::fs::read_to_string(list).unwrap_or_default();
        let host = self.address.split(':').next().unwrap_or_default();
        // Other servers are listened to on all addresses.
        listening(&text, host, self.port)
            && listening(&text, host, self.port + 1)
            && listening(&text, "0.0.0.0", self.port + 2)
    }

    /// Kills it, as by `kill -9`.
    pub fn kill(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Tells whether it still runs.
    pub fn runs(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// Tells whether a SIGSEGV has ended it.
    fn crashed(&mut self) -> bool {
        let ended = self.child.try_wait().ok().flatten();
        ended.is_some_and(|status| status.signal() == Some(11))
    }

    /// The end of its log.
    pub fn said(&self) -> String {
        let text = std::fs::read_to_string(&self.log).unwrap_or_default();
        let lines: Vec<&str> = text.lines().collect();
        lines[lines.len().saturating_sub(20)..].join("\n")
    }
}

/// Tells from the text of `/proc/PID/net/tcp` whether a port of an IPv4 address listens.
fn listening(text: &str, host: &str, port: u16) -> bool {
    let octets: Vec<u8> = host
        .split('.')
        .filter_map(|part| part.parse().ok())
        .collect();
    let Ok(octets) = <[u8; 4]>::try_from(octets) else {
        return false;
    };
    let address = format!("{:08X}:{port:04X}", u32::from_le_bytes(octets));
    text.lines().any(|line| {
        let mut words = line.split_whitespace().skip(1);
        words.next() == Some(&address) && words.nth(1) == Some("0A")
    })
}

/// Starts servers from number 1 on; none may run in the network.
pub fn start_all(
    engine: &Engine,
    network: &Network,
    count: usize,
    setting: &Setting<'_>,
) -> Result<Vec<Server>> {
    network.forget_servers()?;
    (1..=count)
        .map(|number| Server::start(engine, network, number, setting))
        .collect()
}

/// A command that runs a program as a client of these servers.
pub fn client(
    engine: &Engine,
    network: &Network,
    program: &Path,
    servers: &[Server],
) -> Result<Command> {
    let addresses: Vec<String> = servers
        .iter()
        .map(|server| server.address.clone())
        .collect();
    engine.client(network, program, &addresses)
}

/// Attempts at a program whose PoCL crashes.
const ATTEMPTS: usize = 10;

/// Exit status of a program that crashed, in words.
const CRASH: &str = "signal: 11";

/// Gives a program's end the status of a crash if a server crashed under it.
pub fn with_crashes(servers: &mut [Server], done: Finished) -> Finished {
    match servers.iter_mut().any(Server::crashed) {
        true => Finished {
            ok: false,
            status: format!("{CRASH} of a server; the program: {}", done.status),
            ..done
        },
        false => done,
    }
}

/// Runs a program until it does not end by a crash, ten times at most, and prints each crash. `start` starts
/// new servers.
///
/// The fault is not the driver's. PoCL 7.1's client has its requests on the stack of the thread that waits for the
/// answer, and its thread `pocl_remote_writer_pthread` stores the time of the request after it has sent it: over the
/// frame of another function, where the answer is as fast as here. Mostly the client crashes. Where that frame holds
/// the offset of a launch, the server is sent the time as an offset (seen in cores: `RunKernelMsg_t` has
/// CLOCK_MONOTONIC's nanoseconds in `offset.y`), and its kernel reads far outside its buffers.
pub fn until_no_crash(mut start: impl FnMut() -> Result<Finished>) -> Result<Finished> {
    for _ in 1..ATTEMPTS {
        let done = start()?;
        if !done.status.starts_with(CRASH) {
            return Ok(done);
        }
        println!(
            "  PoCL's client wrote over its stack ({}): once more",
            done.status
        );
    }
    start()
}

/// The same for a check that says how its program ended.
pub fn check_until_no_crash(mut check: impl FnMut() -> Result) -> Result {
    for _ in 1..ATTEMPTS {
        match check() {
            Err(why) if why.contains(CRASH) => {
                println!("  PoCL's client wrote over its stack: once more")
            }
            outcome => return outcome,
        }
    }
    check()
}

#[cfg(test)]
mod tests {
    use super::listening;

    #[test]
    fn sockets_that_listen_are_found() {
        let text = "  sl  local_address rem_address   st\n\
                    0: 0100007F:2EE0 00000000:0000 0A 0\n   1: 0100007F:2EE1 00000000:0000 01 0\n";
        assert!(listening(text, "127.0.0.1", 12000));
        assert!(!listening(text, "127.0.0.1", 12001));
        assert!(!listening(text, "127.0.0.2", 12000));
    }
}
