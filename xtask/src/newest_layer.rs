//! Clients and kernel files under the newest Khronos validation layer, with synchronization
//! validation, which knows rules that Debian 12's layer does not.
//!
//! The layer is Debian sid's and needs sid's C and C++ libraries, which are unpacked beside it: no
//! chroot, no root. Clients are linked to be started by sid's dynamic linker, so that what they
//! start themselves is under the layer too; everything else that they load is the system's.

use crate::clients::{self, Client, Setting};
use crate::drivers::{self, VulkanDriver};
use crate::kernel_files;
use crate::layer_messages::Messages;
use crate::private_apt;
use crate::sh::{self, Result};
use crate::shim::Shims;
use crate::test::{self, Report};
use crate::workers;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// The layer and what it needs.
const PACKAGES: &[&str] = &[
    "vulkan-validationlayers",
    "libvulkan1",
    "libc6",
    "libgcc-s1",
    "libstdc++6",
];

/// The layer with sid's C library, unpacked.
pub struct Layer {
    /// The folder with all libraries.
    pub libraries: PathBuf,
    /// The folder with the layer's manifest.
    pub manifests: PathBuf,
}

impl Layer {
    fn unpack() -> Result<Self> {
        Ok(Self::at(&private_apt::unpack("sid", PACKAGES)?))
    }

    /// The layer in a folder of unpacked packages.
    pub fn at(place: &Path) -> Self {
        Self {
            libraries: place.join(drivers::LIBRARIES),
            manifests: place.join("usr/share/vulkan/explicit_layer.d"),
        }
    }

    /// sid's dynamic linker.
    pub fn dynamic_linker(&self) -> PathBuf {
        self.libraries.join("ld-linux-x86-64.so.2")
    }

    /// Makes an executable start under sid's dynamic linker with sid's libraries. RPATH, unlike
    /// RUNPATH, holds for what libraries load in turn.
    pub fn link_arguments(&self) -> Vec<String> {
        vec![
            format!("-Wl,--dynamic-linker={}", self.dynamic_linker().display()),
            // The C library that sid's libraries need is found when the program runs.
            "-Wl,--allow-shlib-undefined".to_string(),
            format!(
                "-Wl,--disable-new-dtags,-rpath,{}",
                self.libraries.display()
            ),
        ]
    }

    /// A command that runs a program which was not linked so.
    pub fn command(&self, program: &Path, driver: &VulkanDriver) -> Result<Command> {
        let folders = [&self.libraries].into_iter().chain(&driver.library_path);
        let path = std::env::join_paths(folders).map_err(|error| error.to_string())?;
        let mut command = Command::new(self.dynamic_linker());
        command.arg("--library-path").arg(path).arg(program);
        Ok(command)
    }
}

/// Checks that the layer and its synchronization validation are active: with information messages on, it
/// must say so.
pub fn check_active(messages: &Messages, list: &Client, setting: &Setting<'_>) -> Result {
    messages.settings("error,warn,perf,info", Some(true))?;
    messages.forget()?;
    let done = clients::run(list, setting, Duration::from_secs(120))?;
    let text = messages.take()?;
    let enabled = [
        "Current Validation Enabled",
        "Core Checks",
        "Synchronization",
    ];
    if enabled.iter().all(|line| text.contains(line)) {
        return Ok(());
    }
    Err(format!(
        "the newest validation layer is not active:\n{text}{}",
        done.stderr
    ))
}

/// sid's layer and C library, and the Vulkan driver that clients run on.
pub struct Stand {
    pub layer: Layer,
    pub driver: VulkanDriver,
    /// The folder of compiled clients, below the target folder.
    pub clients: &'static str,
    /// The folder of the layer's messages, below the target folder.
    pub messages: &'static str,
}

impl Stand {
    /// The lavapipe of Debian 12's backports.
    fn backports(messages: &'static str) -> Result<Self> {
        Ok(Self {
            layer: Layer::unpack()?,
            driver: drivers::backports()?,
            clients: "clients-newest-layer",
            messages,
        })
    }
}

/// The step: lavapipe with device addresses and without.
pub fn run(report: &mut Report) -> Result {
    let masked = [
        kernel_files::without_addresses(),
        drivers::without_optimiser(),
    ];
    let ways = [
        ("newest layer", &[][..]),
        ("newest layer, without device addresses", &masked),
    ];
    run_ways(report, &Stand::backports("newest-layer")?, &ways, None)
}

/// The step on sid's own lavapipe: the newest Mesa under the newest layer.
pub fn run_newest_mesa(report: &mut Report) -> Result {
    let shims = Shims::unpack()?;
    let stand = Stand {
        driver: shims.lavapipe()?,
        layer: shims.layer,
        clients: "clients-sid",
        messages: "newest-mesa",
    };
    run_ways(report, &stand, &[("newest Mesa", &[])], None)
}

/// The step on a lavapipe that behaves like a discrete card.
pub fn run_gpu_like(report: &mut Report) -> Result {
    clients::compile_vulkan_layer("memory")?;
    let log = |name| sh::target().join("gpu_like").join(name);
    let logs = [
        ("LAYER_MEMORY", log("memory.txt").display().to_string()),
        ("LAYER_QUEUES", log("queues.txt").display().to_string()),
    ];
    sh::remove(&log("queues.txt"));
    let mut old = logs.to_vec();
    old.push(kernel_files::old_device());
    let ours = "VK_LAYER_PUMICE_memory:VK_LAYER_PUMICE_gpu_like";
    let ways = [
        ("like a GPU", &logs[..]),
        ("like a GPU of Vulkan 1.1", &old),
    ];
    let stand = Stand::backports("gpu_like")?;
    run_ways(report, &stand, &ways, Some(("gpu_like", ours)))
}

/// Runs clients and kernel files under the validation layer, once for each label and environment of `ways`.
/// `ours` are test layers between the validation layer and the driver: the name of the one under test, and
/// the list of all.
pub fn run_ways(
    report: &mut Report,
    stand: &Stand,
    ways: &[(&str, &[(&'static str, String)])],
    ours: Option<(&str, &str)>,
) -> Result {
    let library = test::build_debug()?;
    let runner = test::build_runner()?;
    let vendors = clients::vendors_folder("debug", &library)?;
    let layer = &stand.layer;
    let folder = sh::target().join(stand.clients);
    let all = clients::compile_into(&folder, &library, &layer.link_arguments())?;
    // Clients write files there wherever they lie themselves.
    sh::make_folder(&sh::target().join("clients"))?;
    let messages = Messages::new(&sh::target().join(stand.messages))?;
    let mut names = "VK_LAYER_KHRONOS_validation".to_string();
    let mut manifests = vec![layer.manifests.clone()];
    if let Some((name, layers)) = ours {
        names.push_str(&format!(":{layers}"));
        let manifest = clients::compile_vulkan_layer(name)?;
        manifests.extend(manifest.parent().map(Path::to_path_buf));
    }
    let manifests = std::env::join_paths(manifests).map_err(|error| error.to_string())?;
    for (label, more) in ways {
        let mut env = vec![
            ("VK_INSTANCE_LAYERS", names.clone()),
            ("VK_LAYER_PATH", manifests.to_string_lossy().into_owned()),
            messages.variable(),
        ];
        env.extend(more.iter().cloned());
        let setting = Setting {
            vendors: &vendors,
            driver: Some(&stand.driver),
            loader: None,
            env: &env,
        };
        check_active(&messages, test::list_devices(&all)?, &setting)?;
        // Layers of ours write files that all clients share.
        let workers = ours.map_or_else(workers::count, |_| 1);
        run_clients(report, &all, &setting, label, &messages, workers);
        if report.filter.is_empty() {
            run_kernel_files(report, layer, &runner, &setting, label, &messages, workers)?;
        }
    }
    Ok(())
}

fn run_clients(
    report: &mut Report,
    all: &[Client],
    setting: &Setting<'_>,
    label: &str,
    messages: &Messages,
    workers: usize,
) {
    let left_out = |client: &Client| {
        !client.runs_validated() || client.without_newest_layer || !client.suits(setting)
    };
    let named = |client: &&Client| client.name.contains(&report.filter) && !left_out(client);
    let chosen: Vec<&Client> = all.iter().filter(named).collect();
    test::run_at_once(report, &chosen, clients::name, label, workers, |client| {
        messages.run(client, setting, Some(!client.races))
    });
}

/// The kernel files that the device can run, in some processes at once.
fn run_kernel_files(
    report: &mut Report,
    layer: &Layer,
    runner: &Path,
    setting: &Setting<'_>,
    label: &str,
    messages: &Messages,
    workers: usize,
) -> Result {
    let mut files = kernel_files::served(setting)?;
    if kernel_files::masks(setting, "bufferDeviceAddress") {
        let needing = kernel_files::needs_addresses()?;
        files.retain(|file| !needing.iter().any(|name| file.ends_with(name)));
    }
    let driver = setting.driver.ok_or("no Vulkan driver to run on")?;
    let parts = workers::parts(&files, workers);
    let parts: Vec<(usize, &Vec<PathBuf>)> = parts.iter().enumerate().collect();
    let name = |(index, part): &(usize, &Vec<PathBuf>)| {
        format!("{} kernel files, part {index}", part.len())
    };
    test::run_at_once(report, &parts, name, label, workers, |(index, part)| {
        let own = messages.own(&format!("kernel-files-{index}"), Some(true))?;
        let mut command = layer.command(runner, driver)?;
        command.arg("Pumice").args(*part);
        setting.apply(&mut command);
        let (variable, folder) = own.variable();
        command.env(variable, folder);
        // The library path is on the command line; in the environment it would reach sid's libraries.
        command.env_remove("LD_LIBRARY_PATH");
        let done = sh::run_limited(&mut command, Duration::from_secs(600))?;
        done.verdict().and_then(|()| own.silent())
    });
    Ok(())
}
