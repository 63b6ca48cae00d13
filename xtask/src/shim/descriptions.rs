//! The descriptions of GPUs that come with the compiler (`pumicec --device`), as the driver reports them: cards with what its
//! start-up probes find on real ones.

use super::{Bench, CARDS, Card};
use crate::clients::Setting;
use crate::sh::{self, Result};
use crate::test::{self, Report};
use serde_json::Value;
use std::process::Command;
use std::time::Duration;

/// The folder of the descriptions.
const FOLDER: &str = "compiler/target/devices";

/// Compares them all.
pub fn run(report: &mut Report, bench: &Bench) -> Result {
    sh::run(&mut test::cargo(&["build", "--quiet", "-p", "pumice-info"]))?;
    for card in CARDS {
        compare(report, card.name, &describe(bench, card)?)?;
    }
    Ok(())
}

/// Compares a device's description with the driver's; with `PUMICE_BLESS` it writes that.
pub fn compare(report: &mut Report, device: &str, described: &str) -> Result {
    let path = sh::root().join(FOLDER).join(format!("{device}.json"));
    if std::env::var_os("PUMICE_BLESS").is_some() {
        sh::write(&path, described)?;
    }
    let outcome = match sh::read(&path)? == described {
        true => Ok(()),
        false => Err(format!(
            "{} differs from the driver's:\n{described}",
            path.display()
        )),
    };
    let name = format!("description · {device}");
    println!("  {} {name}", test::mark(&outcome));
    report.record(&name, outcome);
    Ok(())
}

/// Asks the driver for the card's target.
fn describe(bench: &Bench, card: &Card) -> Result<String> {
    let driver = bench.shims.driver(card)?;
    let mut env = bench.on_card(card, "VK_LAYER_PUMICE_completion");
    env.push(("PUMICE_MASK", card.finds.to_string()));
    let setting = Setting {
        vendors: &bench.vendors,
        driver: Some(&driver),
        loader: None,
        env: &env,
    };
    let mut command = (bench.shims).command(card, &sh::target().join("debug/pumice-probe"));
    command.arg("report").arg(&bench.library);
    setting.apply(&mut command);
    // The library path is on the command line.
    command.env_remove("LD_LIBRARY_PATH");
    told(card.name, &mut command)
}

/// The target that pumice-probe reports of a device, whose short name is given.
pub fn told(device: &str, probe: &mut Command) -> Result<String> {
    let done = sh::run_limited(probe, Duration::from_secs(60))?;
    done.verdict()?;
    let answer: Value = serde_json::from_str(&done.stdout).map_err(|error| error.to_string())?;
    match &answer["devices"][0]["target"] {
        Value::Null => Err(format!("{device} is not described:\n{}", done.stdout)),
        target => Ok(format!("{target:#}\n")),
    }
}
