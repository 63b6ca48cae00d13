//! The test of `pumice-trace`: a client runs under it, and the page tells what the client did.

use crate::clients::{Client, Setting};
use crate::sh::{self, Result};
use crate::test::cargo;
use std::process::Command;
use std::time::Duration;

/// The client, which is one that writes traces, and the word that makes it do its work once.
const CLIENT: [&str; 2] = ["trace", "ends"];

/// Parts of the page: two launches of a kernel, a fill, a copy and a read.
const PARTS: &[&str] = &[
    "<h1>What ran: trace</h1>",
    "<td class=\"name\">named</td><td class=\"n\" data-v=\"2\">2</td>",
    "<td>8 × 6 / 4 × 2</td>",
    "<td class=\"name\">fill</td><td>the device</td><td class=\"n\" data-v=\"1\">1</td>\
     <td class=\"n\" data-v=\"128\">128 B</td>",
    "<td class=\"name\">copy</td><td>the device</td><td class=\"n\" data-v=\"1\">1</td>\
     <td class=\"n\" data-v=\"192\">192 B</td>",
    "<td class=\"name\">transfer: read</td>",
    "<td class=\"name\">map</td><td>the host</td><td class=\"n\" data-v=\"1\">1</td>\
     <td class=\"n\" data-v=\"48\">48 B</td>",
    "<td class=\"name\">the Vulkan driver compiles</td>",
    "<td class=\"name\">lower</td>",
    "The cache of built programs: 0 hits, 0 misses, 1 build without the cache.",
    "<td class=\"name\">clEnqueueNDRangeKernel</td><td class=\"n\" data-v=\"2\">2</td>\
     <td class=\"n\" data-v=\"0\">0</td>",
    " busy, of ",
];

/// Runs a client under the program and looks for what it did.
pub fn check(clients: &[Client], setting: &Setting<'_>) -> Result {
    sh::run(&mut cargo(&["build", "--quiet", "-p", "pumice-trace"]))?;
    let [name, word] = CLIENT;
    let client = clients.iter().find(|client| client.name == name);
    let client = client.ok_or_else(|| format!("no client {name}"))?;
    let page = sh::target().join("trace/page.html");
    sh::write(&page, "")?;
    let mut command = Command::new(sh::target().join("debug/pumice-trace"));
    setting.apply(&mut command);
    command.args(["run", "-o"]).arg(&page).arg("--");
    command.arg(&client.path).arg(word);
    let done = sh::run_limited(&mut command, Duration::from_secs(120))?;
    done.verdict()?;
    let text = sh::read(&page)?;
    match PARTS.iter().find(|part| !text.contains(**part)) {
        Some(part) => Err(format!("{}: no {part}", page.display())),
        None => Ok(()),
    }
}
