//! Clients, demos and kernel files on Debian 12's Mesa, under Debian 12's Khronos validation layer.

use crate::clients::{self, Client, Setting};
use crate::drivers;
use crate::kernel_files::{self, run_kernel_files};
use crate::layer_messages::Messages;
use crate::sh::{self, Result};
use crate::test::{self, Matrix, Report};
use crate::workers;
use std::path::Path;
use std::time::Duration;

/// The step: lavapipe with device addresses, and an old device without.
pub fn run(report: &mut Report) -> Result {
    let library = test::build_debug()?;
    let runner = test::build_runner()?;
    let vendors = clients::vendors_folder("debug", &library)?;
    let all = clients::compile_all(&library)?;
    let system = drivers::system()?;
    let messages = Messages::new(&sh::target().join("validation"))?;
    let env = [
        (
            "VK_INSTANCE_LAYERS",
            "VK_LAYER_KHRONOS_validation".to_string(),
        ),
        messages.variable(),
    ];
    let matrix = Matrix {
        messages: Some(&messages),
        label: "validation layer".to_string(),
        setting: Setting {
            vendors: &vendors,
            driver: Some(&system),
            loader: None,
            env: &env,
        },
    };
    // With information messages on, the layer must say that it is active.
    messages.settings("error,warn,perf,info", None)?;
    let list = test::list_devices(&all)?;
    messages.forget()?;
    clients::run(list, &matrix.setting, Duration::from_secs(120))?;
    if !messages.take()?.contains("Khronos Validation Layer Active") {
        return Err("the validation layer is not active".to_string());
    }

    messages.settings("error,warn,perf", None)?;
    run_validated(report, &all, &runner, &matrix, &messages)?;
    let [a, b] = env.clone();
    let old = kernel_files::old_device_without_addresses();
    let env = [a, b, old, drivers::without_optimiser()];
    let matrix = Matrix {
        messages: Some(&messages),
        label: "validation layer, an old device without addresses".to_string(),
        setting: Setting {
            env: &env,
            ..matrix.setting
        },
    };
    run_validated(report, &all, &runner, &matrix, &messages)
}

/// Runs everything and checks the layer's messages.
fn run_validated(
    report: &mut Report,
    all: &[Client],
    runner: &Path,
    matrix: &Matrix<'_>,
    messages: &Messages,
) -> Result {
    let validated = |client: &&Client| client.runs_validated() && client.suits(&matrix.setting);
    let chosen: Vec<&Client> = all.iter().filter(validated).collect();
    let (name, label) = (clients::name, &matrix.label);
    test::run_at_once(report, &chosen, name, label, workers::count(), |client| {
        messages.run(client, &matrix.setting, None)
    });
    test::run_demos(report, matrix)?;
    run_kernel_files(report, runner, matrix)
}
