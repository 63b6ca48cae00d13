//! The rows of the guide's table of devices, as a client finds them on the cards.

use super::{Bench, CARDS};
use crate::clients::{self, Client, Setting};
use crate::sh::{self, Result};
use crate::test::{self, Report};
use std::time::Duration;

/// The client that prints a row, and the variable that names the driver in it.
pub const CLIENT: &str = "device_facts";
const VARIABLE: &str = "CLIENT_ROW";

/// The page with the table.
const PAGE: &str = "docs/guide/devices.md";

/// Compares the table's rows with those of the cards.
pub fn run(report: &mut Report, bench: &Bench, all: &[Client]) -> Result {
    for card in CARDS {
        let driver = bench.shims.driver(card)?;
        let setting = Setting {
            vendors: &bench.vendors,
            driver: Some(&driver),
            loader: Some(&bench.loader),
            env: &bench.on_card(card, "VK_LAYER_PUMICE_completion"),
        };
        compare(report, (card.name, card.row), all, &setting)?;
    }
    Ok(())
}

/// Compares the row of a device, by its short name and its name in the table, with the one that it has in a setting.
pub fn compare(
    report: &mut Report,
    (device, name): (&str, &str),
    all: &[Client],
    setting: &Setting<'_>,
) -> Result {
    let page = sh::read(&sh::root().join(PAGE))?;
    let client = all.iter().find(|client| client.name == CLIENT);
    let client = client.ok_or_else(|| format!("there is no client {CLIENT}"))?;
    let mut env = setting.env.to_vec();
    env.push((VARIABLE, name.to_string()));
    let setting = Setting {
        env: &env,
        ..*setting
    };
    let done = clients::run(client, &setting, Duration::from_secs(120))?;
    let mut rows = done
        .stdout
        .lines()
        .filter_map(|line| line.strip_prefix("row: "));
    let row = rows.next().unwrap_or("no row");
    let outcome = done
        .verdict()
        .and_then(|()| match page.lines().any(|line| line == row) {
            true => Ok(()),
            false => Err(format!("{PAGE} lacks\n{row}")),
        });
    let name = format!("row of the table of devices · {device}");
    println!("  {} {name}", test::mark(&outcome));
    report.record(&name, outcome);
    Ok(())
}
