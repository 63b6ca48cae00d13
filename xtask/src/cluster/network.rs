//! The network between client and servers: a namespace for each where root allows, else loopback
//! addresses.

use crate::sh::{self, Result};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// The bridge that joins the namespaces, in the client's.
const BRIDGE: &str = "cluster";

/// Bytes on the wire.
#[derive(Clone, Copy, Default)]
pub struct Traffic {
    /// Sent by the client.
    pub sent: u64,
    /// Received by the client.
    pub received: u64,
    /// Sent by servers, to the client and to one another.
    by_servers: u64,
}

impl Traffic {
    /// Bytes between servers.
    pub fn peers(&self) -> u64 {
        self.by_servers.saturating_sub(self.received)
    }

    /// The bytes moved since an earlier state.
    pub fn since(&self, earlier: &Traffic) -> Traffic {
        Traffic {
            sent: self.sent - earlier.sent,
            received: self.received - earlier.received,
            by_servers: self.by_servers - earlier.by_servers,
        }
    }
}

/// A network for one client and its servers.
pub enum Network {
    /// Addresses of this machine's loopback interface.
    Loopback,
    /// Namespaces: that of the client is held by a process, which ends with this one.
    Namespaces(Child),
}

impl Drop for Network {
    fn drop(&mut self) {
        if let Network::Namespaces(holder) = self {
            // It may have ended by itself.
            let _ = holder.kill();
            let _ = holder.wait();
        }
    }
}

impl Network {
    /// Makes namespaces, or says why there are none.
    pub fn namespaces() -> Result<Network> {
        let mut command = Command::new("unshare");
        command.args(["--net", "sh", "-c", "echo ready; exec cat"]);
        let holder = start(&mut command)?;
        let network = Network::Namespaces(holder);
        for words in [
            &["link", "set", "lo", "up"][..],
            &["link", "add", BRIDGE, "type", "bridge"],
            &[
                "addr",
                "add",
                &format!("{}/24", network.client()),
                "dev",
                BRIDGE,
            ],
            &["link", "set", BRIDGE, "up"],
        ] {
            sh::output(network.command(Path::new("ip")).args(words))?;
        }
        Ok(network)
    }

    /// Says it in words.
    pub fn describe(&self) -> &'static str {
        match self {
            Network::Loopback => "loopback addresses",
            Network::Namespaces(_) => "a network namespace for each server",
        }
    }

    /// A command in the client's place.
    pub fn command(&self, program: &Path) -> Command {
        match self {
            Network::Loopback => Command::new(program),
            Network::Namespaces(holder) => {
                let mut command = Command::new("nsenter");
                command.arg(format!("--net=/proc/{}/ns/net", holder.id()));
                command.arg(program);
                command
            }
        }
    }

    fn client(&self) -> String {
        self.address(0)
    }

    /// The address of a server, from 1 on.
    pub fn address(&self, server: usize) -> String {
        match self {
            Network::Loopback => "127.0.0.1".to_string(),
            Network::Namespaces(_) => format!("10.77.0.{}", 1 + server),
        }
    }

    /// The first of a server's ports. Servers without namespaces share them, also with another run,
    /// so that those depend on the number of the process.
    pub fn port(&self, server: usize) -> u16 {
        match self {
            Network::Loopback => {
                let run = std::process::id() % 300;
                10_000 + run as u16 * 64 + server as u16 * 4
            }
            Network::Namespaces(_) => 12_000,
        }
    }

    /// Starts a shell script in a server's place. `$1` is the server's address; further `words` follow.
    /// The process is killed when this one ends.
    pub fn server(
        &self,
        number: usize,
        script: &str,
        words: &[&str],
        prepare: impl FnOnce(&mut Command),
    ) -> Result<Child> {
        let address = self.address(number);
        let lasting = ["setpriv", "--pdeathsig", "KILL", "sh", "-c"];
        let up = match self {
            Network::Loopback => "",
            Network::Namespaces(_) => {
                "ip link set lo up && ip addr add $1/24 dev eth0 && ip link set eth0 up && "
            }
        };
        let whole = format!("echo ready; read go && {up}{script}");
        let mut command = match self {
            Network::Loopback => Command::new(lasting[0]),
            Network::Namespaces(_) => {
                let mut command = self.command(Path::new("unshare"));
                command.args(["--net", lasting[0]]);
                command
            }
        };
        command
            .args(&lasting[1..])
            .args([whole.as_str(), "sh", address.as_str()])
            .args(words);
        prepare(&mut command);
        let mut child = start(&mut command)?;
        let joined = self.join(number, child.id());
        let go = child.stdin.as_mut().expect("it is piped").write_all(b"\n");
        match joined.and(go.map_err(|error| error.to_string())) {
            Ok(()) => Ok(child),
            Err(error) => {
                // The error says what went wrong; the child has nothing to add.
                let _ = child.kill();
                let _ = child.wait();
                Err(error)
            }
        }
    }

    /// Joins a server's namespace with the client's.
    fn join(&self, number: usize, process: u32) -> Result {
        if let Network::Loopback = self {
            return Ok(());
        }
        let (near, process) = (format!("server{number}"), process.to_string());
        for words in [
            &[
                "link", "add", &near, "type", "veth", "peer", "name", "eth0", "netns", &process,
            ][..],
            &["link", "set", &near, "master", BRIDGE, "up"],
        ] {
            sh::output(self.command(Path::new("ip")).args(words))?;
        }
        Ok(())
    }

    /// Removes what joined servers that have ended; the kernel would do so at a later time.
    pub fn forget_servers(&self) -> Result {
        if let Network::Loopback = self {
            return Ok(());
        }
        let text = sh::output(self.command(Path::new("cat")).arg("/proc/net/dev"))?;
        let names = text.lines().filter_map(|line| line.split_once(':'));
        for (name, _) in names.filter(|(name, _)| name.trim().starts_with("server")) {
            // The kernel may be faster.
            let _ = sh::output(
                self.command(Path::new("ip"))
                    .args(["link", "del", name.trim()]),
            );
        }
        Ok(())
    }

    /// The bytes moved so far; none where loopback does not tell who sent them.
    pub fn traffic(&self) -> Result<Option<Traffic>> {
        if let Network::Loopback = self {
            return Ok(None);
        }
        let text = sh::output(self.command(Path::new("cat")).arg("/proc/net/dev"))?;
        Ok(Some(read_traffic(&text)))
    }
}

/// Reads the text of `/proc/net/dev`.
fn read_traffic(text: &str) -> Traffic {
    let mut traffic = Traffic::default();
    for line in text.lines() {
        let Some((name, numbers)) = line.split_once(':') else {
            continue;
        };
        let numbers: Vec<u64> = numbers
            .split_whitespace()
            .filter_map(|word| word.parse().ok())
            .collect();
        let [received, sent] = [0, 8].map(|at| numbers.get(at).copied().unwrap_or(0));
        match name.trim() {
            BRIDGE => (traffic.received, traffic.sent) = (received, sent),
            name if name.starts_with("server") => traffic.by_servers += received,
            _ => {}
        }
    }
    traffic
}

/// Starts a command that writes a line once it runs, and waits for the line.
fn start(command: &mut Command) -> Result<Child> {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| format!("{}: {error}", command.get_program().to_string_lossy()))?;
    let mut line = String::new();
    let out = child.stdout.take().expect("it is piped");
    let read = BufReader::new(out).read_line(&mut line);
    if read.is_ok() && line == "ready\n" {
        return Ok(child);
    }
    // It has ended, or ends now.
    let _ = child.kill();
    let status = child.wait().map_err(|error| error.to_string())?;
    Err(format!(
        "{}: {status}",
        command.get_program().to_string_lossy()
    ))
}

#[cfg(test)]
mod tests {
    use super::read_traffic;

    #[test]
    fn traffic_between_servers_is_what_the_client_does_not_receive() {
        let text = "Inter-|   Receive\n face |bytes packets\n    lo: 9 9 0 0 0 0 0 0 9 9\n\
                    cluster: 100 1 0 0 0 0 0 0 40 1\nserver1: 90 1 0 0 0 0 0 0 70 1\n\
                    server2: 60 1 0 0 0 0 0 0 80 1\n";
        let traffic = read_traffic(text);
        assert_eq!(
            (traffic.sent, traffic.received, traffic.peers()),
            (40, 100, 50)
        );
    }
}
