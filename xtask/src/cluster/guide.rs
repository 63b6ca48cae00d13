//! The boxes of the guide's page on clusters, on servers of this machine.

use super::engine::{self, Engine};
use super::network::Network;
use super::python;
use super::servers::Server;
use crate::clients::Setting;
use crate::guide;
use crate::sh::{self, Result};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(300);

/// The addresses of servers in the guide.
const SERVERS: [&str; 2] = ["192.168.1.11", "192.168.1.12"];
/// The first of their ports.
const PORT: &str = "12000";

/// Runs them: two servers, a client that lists both devices and a program on them, and ranks of MPI.
pub fn boxes(engine: &Engine, setting: &Setting<'_>) -> Result {
    let boxes = guide::boxes_of("cluster")?;
    let with = |word: &str| {
        let found = boxes.iter().find(|script| script.contains(word));
        found.ok_or_else(|| format!("no box of the guide has {word}"))
    };
    let place = sh::target().join("cluster/guide");
    let _ = std::fs::remove_dir_all(&place);
    sh::make_folder(&place)?;
    for name in ["pocl", "build"] {
        let mut link = Command::new("ln");
        sh::output(link.arg("-s").arg(format!("../{name}")).arg(&place))?;
    }
    let server = with("pocld -a")?;
    let servers = start_servers(server, &place, engine, setting)?;
    run_client(with("POCL_DEVICES")?, with("./program")?, &place, &servers)?;
    run_ranks(with("mpiexec")?, setting)
}

/// Builds as the box says, and starts two servers by its last line.
fn start_servers(
    script: &str,
    place: &Path,
    engine: &Engine,
    setting: &Setting<'_>,
) -> Result<Vec<Server>> {
    let (build, start) = script
        .rsplit_once('\n')
        .ok_or("the server's box is one line")?;
    // The folder of the build knows the sources by another path.
    let build = build.replace("-S pocl -B build", "-S ../pocl -B ../build");
    sh::output(Command::new("sh").args(["-ec", &build]).current_dir(place))?;
    let start = start
        .replace(SERVERS[0], "$1")
        .replace(PORT, "$3")
        .replace("build/pocld", "exec build/pocld");
    let script = format!("cd '{}' && exec >\"$4\" 2>&1 && {start}", place.display());
    let server = |number| Server::start_by(&script, engine, &Network::Loopback, number, setting);
    (1..=SERVERS.len()).map(server).collect()
}

/// Runs the client's boxes as one script, with a program in the folder.
fn run_client(client: &str, program: &str, place: &Path, servers: &[Server]) -> Result {
    let workload = engine::program("workload")?;
    let own = format!(
        "#!/bin/sh\nexec '{}' 'Portable Computing Language' 2 stencil\n",
        workload.display()
    );
    sh::write(&place.join("program"), own)?;
    let mut script = format!("set -e\nchmod +x program\n{client}\n{program}\n");
    for (name, server) in SERVERS.iter().zip(servers) {
        script = script.replace(&format!("{name}:{PORT}"), &server.address);
    }
    // A terminal that nobody types at.
    let quiet = "mkfifo terminal && exec sh -c \"$1\" 0<>terminal";
    let mut command = Command::new("sh");
    command
        .args(["-c", quiet, "sh", &script])
        .current_dir(place);
    let done = sh::run_limited(&mut command, LIMIT)?;
    let devices = done.stdout.matches("-- Device #").count();
    match done.ok && devices == SERVERS.len() && done.stdout.contains("seconds ") {
        true => Ok(()),
        false => Err(format!(
            "{script}{}\n{}{}",
            done.status, done.stdout, done.stderr
        )),
    }
}

/// Runs the box of MPI where its packages are.
fn run_ranks(script: &str, setting: &Setting<'_>) -> Result {
    let place = python::environment()?;
    let mut command = Command::new("sh");
    setting.apply(&mut command);
    command.args(["-ec", script]).current_dir(sh::root());
    let path = std::env::var("PATH").unwrap_or_default();
    command
        .env("PATH", format!("{}:{path}", place.join("bin").display()))
        .env("PIP_DISABLE_PIP_VERSION_CHECK", "1")
        .env("PYOPENCL_NO_CACHE", "1")
        .env("PYTHONDONTWRITEBYTECODE", "1");
    let done = sh::run_limited(&mut command, LIMIT)?;
    match done.ok && done.stdout.contains("right True") {
        true => Ok(()),
        false => Err(format!("{}\n{}{}", done.status, done.stdout, done.stderr)),
    }
}
