//! A relay between a client and a server, whose connections can be cut.

use crate::sh::Result;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// Both ends of each connection, in the order in which they were made.
type Connections = Arc<Mutex<Vec<[TcpStream; 2]>>>;

/// Listens on two neighbouring ports, as a server of PoCL does for its clients. Its threads end with
/// the process.
pub struct Relay {
    /// `ADDRESS:PORT` of the first.
    pub address: String,
    connections: Connections,
}

impl Relay {
    /// Relays to the server at `ADDRESS:PORT`.
    pub fn to(server: &str) -> Result<Relay> {
        let failed = |error: std::io::Error| format!("the relay to {server}: {error}");
        let (host, port) = server
            .split_once(':')
            .and_then(|(host, port)| Some((host.to_string(), port.parse::<u16>().ok()?)))
            .ok_or_else(|| format!("{server} is no address"))?;
        let listeners = pair_of_ports().map_err(failed)?;
        let address = listeners[0].local_addr().map_err(failed)?.to_string();
        let connections = Connections::default();
        for (offset, listener) in (0..).zip(listeners) {
            let (host, connections) = (host.clone(), connections.clone());
            std::thread::spawn(move || {
                for near in listener.incoming().flatten() {
                    // A client that is not served sees its connection closed.
                    let _ = relay(near, (&host, port + offset), &connections);
                }
            });
        }
        Ok(Relay {
            address,
            connections,
        })
    }

    /// Cuts all connections, and tells how many there have been so far.
    pub fn cut(&self) -> usize {
        let connections = self.connections.lock().expect("no thread panics under it");
        for stream in connections.iter().flatten() {
            // It may be closed already.
            let _ = stream.shutdown(Shutdown::Both);
        }
        connections.len()
    }

    /// The number of connections that have been made.
    pub fn made(&self) -> usize {
        let connections = self.connections.lock();
        connections.expect("no thread panics under it").len()
    }
}

/// Two listeners on neighbouring ports.
fn pair_of_ports() -> std::io::Result<[TcpListener; 2]> {
    let mut last = std::io::Error::other("no two neighbouring ports are free");
    for _ in 0..100 {
        let first = TcpListener::bind("127.0.0.1:0")?;
        let port = first.local_addr()?.port();
        match TcpListener::bind(("127.0.0.1", port.saturating_add(1))) {
            Ok(second) => return Ok([first, second]),
            Err(error) => last = error,
        }
    }
    Err(last)
}

fn relay(near: TcpStream, to: (&str, u16), connections: &Connections) -> std::io::Result<()> {
    let far = TcpStream::connect(to)?;
    near.set_nodelay(true)?;
    far.set_nodelay(true)?;
    let ends = [near.try_clone()?, far.try_clone()?];
    let made = connections.lock();
    made.expect("no thread panics under it").push(ends);
    let (from, into) = (near.try_clone()?, far.try_clone()?);
    std::thread::spawn(move || pass(from, into));
    std::thread::spawn(move || pass(far, near));
    Ok(())
}

/// Passes bytes on until either end closes.
fn pass(mut from: TcpStream, mut into: TcpStream) {
    let mut bytes = vec![0; 1 << 16];
    while let Ok(count @ 1..) = from.read(&mut bytes) {
        if into.write_all(&bytes[..count]).is_err() {
            break;
        }
    }
    // The other direction may have closed them.
    let _ = from.shutdown(Shutdown::Both);
    let _ = into.shutdown(Shutdown::Both);
}
