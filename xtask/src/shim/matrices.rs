//! Matrices that the Vulkan device has itself, where they execute: on sid's lavapipe, under its validation layer.

use super::Bench;
use crate::clients::{self, Setting};
use crate::layer_messages::Messages;
use crate::newest_layer;
use crate::sh::Result;
use crate::test::{self, Report};
use std::time::Duration;

/// The clients whose names contain this.
const CLIENTS: &str = "cooperative_matrix";

/// The masks: the products of a processor too, which it has only if it is told to, and plain code for all.
const MASKS: [(&str, &str); 2] = [("native", "+exactMatrices"), ("plain", "cooperativeMatrix")];

/// Runs the clients with each mask: their values are right, and the layer is silent.
pub fn run(report: &mut Report, bench: &Bench) -> Result {
    let driver = bench.shims.lavapipe()?;
    let all = bench.shims.compile(&bench.library, false)?;
    let messages = Messages::new(&bench.folder)?;
    for (road, mask) in MASKS {
        let env = [
            (
                "VK_INSTANCE_LAYERS",
                "VK_LAYER_KHRONOS_validation".to_string(),
            ),
            ("VK_LAYER_PATH", bench.layers.clone()),
            ("VK_LAYER_SETTINGS_PATH", bench.folder.display().to_string()),
            ("PUMICE_MASK", mask.to_string()),
        ];
        let setting = Setting {
            vendors: &bench.vendors,
            driver: Some(&driver),
            loader: Some(&bench.loader),
            env: &env,
        };
        newest_layer::check_active(&messages, test::list_devices(&all)?, &setting)?;
        for client in all.iter().filter(|client| client.name.contains(CLIENTS)) {
            messages.forget()?;
            messages.settings("error,warn,perf", Some(true))?;
            let done = clients::run(client, &setting, Duration::from_secs(600))?;
            let outcome = done.verdict().and_then(|()| messages.silent());
            // A road that nothing takes would test nothing.
            let has_native = !done.stdout.contains("native products: 0\n");
            let outcome = outcome.and_then(|()| match has_native == (road == "native") {
                _ if !done.stdout.contains("native products: ") => Ok(()),
                true => Ok(()),
                false => Err(done.stdout),
            });
            let name = format!("{} · lavapipe, {road} matrices", client.name);
            println!("  {} {name}", test::mark(&outcome));
            report.record(&name, outcome);
        }
    }
    Ok(())
}
