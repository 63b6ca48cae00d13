//! The test step of the low floor: SwiftShader, a second driver that executes and has words and
//! floats only; lavapipe with each of what SwiftShader lacks masked, and as a device of Vulkan 1.1
//! without timeline semaphores. Kernel files have doubles that are made of integers where the device has none.

use crate::clients::{self, Setting};
use crate::drivers;
use crate::kernel_files;
use crate::sh::Result;
use crate::test::{self, Matrix, Report};

/// The feature whose lack makes doubles of integers. They take the driver minutes to compile: those made of words are
/// SwiftShader's, and only those made of 64-bit integers are compiled for lavapipe.
const DOUBLES: &str = "shaderFloat64";

/// The features that devices may lack, by PUMICE_MASK: each alone, then all together.
pub const MASKS: &[(&str, &str)] = &[
    ("without 64-bit integers", "shaderInt64"),
    ("without 16-bit integers", "shaderInt16"),
    ("without 8-bit integers", "shaderInt8"),
    (
        "without small storage",
        "storageBuffer8BitAccess,storageBuffer16BitAccess",
    ),
    ("without halves", "shaderFloat16"),
    ("without doubles", DOUBLES),
    (
        "with words only",
        "shaderInt64,shaderInt16,shaderInt8,shaderFloat16,shaderFloat64,\
         storageBuffer8BitAccess,storageBuffer16BitAccess",
    ),
];

/// Runs clients, kernel files and demos on SwiftShader and on an old device, kernel files on lavapipe
/// under the masks, and the clients of several devices on both drivers in one context.
pub fn run(report: &mut Report) -> Result {
    let library = test::build_debug()?;
    let runner = test::build_runner()?;
    let vendors = clients::vendors_folder("debug", &library)?;
    let all = clients::compile_all(&library)?;
    let list = test::list_devices(&all)?;
    let (system, low) = (drivers::system()?, drivers::swiftshader()?);
    let soft = ("PUMICE_DOUBLES", "soft".to_string());
    let on_low = |env| Matrix {
        messages: None,
        label: low.name.to_string(),
        setting: Setting {
            vendors: &vendors,
            driver: Some(&low),
            loader: None,
            env,
        },
    };
    let matrix = on_low(&[]);
    let checked = test::assert_driver(list, &matrix, &low);
    report.record("driverInfo · SwiftShader", checked);
    test::run_clients(report, &all, &matrix, test::Share::OfDriver);
    test::run_demos(report, &matrix)?;
    kernel_files::run_unoptimised(report, &runner, &matrix)?;
    let env = [soft.clone()];
    kernel_files::run_kernel_files(report, &runner, &on_low(&env))?;
    let (newer, old) = (drivers::backports()?, [kernel_files::old_device()]);
    let matrix = Matrix {
        messages: None,
        label: format!("{} · Vulkan 1.1", newer.name),
        setting: Setting {
            vendors: &vendors,
            driver: Some(&newer),
            loader: None,
            env: &old,
        },
    };
    test::run_clients(report, &all, &matrix, test::Share::OfSetting);
    kernel_files::run_kernel_files(report, &runner, &matrix)?;
    for &(what, mask) in MASKS {
        let mut env = vec![
            (clients::MASK, mask.to_string()),
            drivers::without_optimiser(),
        ];
        if mask == DOUBLES {
            env.push(soft.clone());
        }
        let matrix = Matrix {
            messages: None,
            label: format!("{} · {what}", system.name),
            setting: Setting {
                vendors: &vendors,
                driver: Some(&system),
                loader: None,
                env: &env,
            },
        };
        kernel_files::run_kernel_files(report, &runner, &matrix)?;
    }
    test::run_clients_of_several(report, all, &vendors, [&system, &low])
}
