//! The descriptions of the cards that come with the compiler (`pumicec --device`), as the driver reports them on the cards
//! with what its start-up probes find on real ones.

use super::{Bench, CARDS, Card};
use crate::clients::Setting;
use crate::sh::{self, Result};
use crate::test::{self, Report};
use serde_json::Value;
use std::time::Duration;

/// The folder of the descriptions.
const FOLDER: &str = "compiler/target/devices";

/// Compares them; with `PUMICE_BLESS` it writes them.
pub fn run(report: &mut Report, bench: &Bench) -> Result {
    sh::run(&mut test::cargo(&["build", "--quiet", "-p", "pumice-info"]))?;
    for card in CARDS {
        let path = sh::root().join(FOLDER).join(format!("{}.json", card.name));
        let described = describe(bench, card)?;
        if std::env::var_os("PUMICE_BLESS").is_some() {
            sh::write(&path, &described)?;
        }
        let outcome = match sh::read(&path)? == described {
            true => Ok(()),
            false => Err(format!(
                "{} differs from the driver's:\n{described}",
                path.display()
            )),
        };
        let name = format!("description · {}", card.name);
        println!("  {} {name}", test::mark(&outcome));
        report.record(&name, outcome);
    }
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
    let done = sh::run_limited(&mut command, Duration::from_secs(60))?;
    done.verdict()?;
    let answer: Value = serde_json::from_str(&done.stdout).map_err(|error| error.to_string())?;
    match &answer["devices"][0]["target"] {
        Value::Null => Err(format!("{} is not described:\n{}", card.name, done.stdout)),
        target => Ok(format!("{target:#}\n")),
    }
}
