//! Every client while Vulkan calls fail (`PUMICE_FAULTS`): no process crashes, panics or hangs.
//!
//! Clients check their calls' errors, so that most of them end at the first failure. A client that complains first of
//! something else than an error for want of resources is listed: that may be a wrong value that no error told of.

use crate::clients::{self, Client, Setting};
use crate::drivers;
use crate::sh::{self, Result};
use crate::test::{self, Report};
use crate::workers;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::time::Duration;

/// The plans: the failures come early and late, all kinds of them.
const PLANS: &[&str] = &[
    "*:device:2",
    "*:host:3",
    "*:device:7",
    "*:host:19",
    "*:device:53",
    "*:host:151",
    "*:lost:5",
    "*:lost:40",
];

/// Clients that set plans of their own.
const OWN_PLANS: &[&str] = &["faults", "device_loss", "zero_submissions"];

/// Clients whose kernels end only when they are told to. A device that is lost by a plan goes on with them.
const ENDLESS: &[&str] = &["terminate_running"];

/// Codes for want of memory or another resource, and of commands that wait for one which had such an error.
const WANTS: &[&str] = &["-4", "-5", "-6", "-14"];

/// The step, on Mesa of the backports; a filter chooses clients.
pub fn run(report: &mut Report) -> Result {
    let library = test::build_debug()?;
    let vendors = clients::vendors_folder("debug", &library)?;
    let all = clients::compile_all(&library)?;
    let backports = drivers::backports()?;
    let crashes = clients::compile_layer("crashes")?;
    let setting = Setting {
        vendors: &vendors,
        driver: Some(&backports),
        loader: None,
        env: &[],
    };
    let suits = |client: &&Client| {
        !client.without_vulkan
            && !OWN_PLANS.contains(&client.name.as_str())
            && client.suits(&setting)
            && client.name.contains(&report.filter)
    };
    let suited: Vec<&Client> = all.iter().filter(suits).collect();
    for plan in PLANS {
        let ends =
            |client: &&Client| !plan.contains(":lost:") || !ENDLESS.contains(&client.name.as_str());
        let chosen: Vec<&Client> = suited.iter().copied().filter(ends).collect();
        let plain = Mutex::new(Vec::new());
        let counts = Mutex::new([0usize; 2]);
        let (name, workers) = (clients::name, workers::count());
        test::run_at_once(report, &chosen, name, plan, workers, |client| {
            let (ok, complaint) = run_one(client, &setting, plan, &crashes)?;
            let mut counts = counts.lock().expect("no holder panics");
            counts[usize::from(!ok)] += 1;
            if let Some(complaint) = complaint {
                let mut plain = plain.lock().expect("no holder panics");
                plain.push(format!("{}: {complaint}", client.name));
            }
            Ok(())
        });
        let [well, failed] = *counts.lock().expect("no holder panics");
        println!("  {plan}: {well} clients ended well, {failed} with an error");
        for line in plain.lock().expect("no holder panics").iter() {
            println!("    {line}");
        }
    }
    Ok(())
}

/// Runs a client with a plan: whether it ended well, and its first complaint if that is not about want of resources.
fn run_one(
    client: &Client,
    setting: &Setting<'_>,
    plan: &str,
    crashes: &Path,
) -> Result<(bool, Option<String>)> {
    let note = note_of(client);
    let _ = std::fs::remove_file(&note);
    let mut command = Command::new(&client.path);
    command.current_dir(sh::root());
    setting.apply(&mut command);
    command.envs(client.env.iter().map(|(key, value)| (key, value)));
    command.env("PUMICE_FAULTS", plan);
    command.env("CRASHES", &note).env("LD_PRELOAD", crashes);
    let done = sh::run_limited(&mut command, Duration::from_secs(300))?;
    if let Ok(text) = std::fs::read_to_string(&note) {
        let _ = std::fs::remove_file(&note);
        return Err(format!("{text}{}", done.stderr));
    }
    if done.status.starts_with("timed out") || done.stderr.contains("panicked at") {
        return Err(format!("{}\n{}", done.status, done.stderr));
    }
    let first =
        (done.stderr.lines()).find(|line| line.starts_with("tests/") || line.contains(".c:"));
    let complaint = first.filter(|line| !wants(line)).map(str::to_string);
    Ok((done.ok, complaint))
}

/// A file for the notes of crashes.
fn note_of(client: &Client) -> PathBuf {
    let id = std::process::id();
    sh::target().join(format!("xtask-output/crashes-{id}-{}", client.name))
}

/// Returns whether a complaint names an error for want of resources.
fn wants(line: &str) -> bool {
    let words = line.split([' ', ',']);
    let mut words = words.filter(|word| WANTS.contains(word));
    words.next().is_some()
}
