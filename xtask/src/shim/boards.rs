//! Clients and kernels on the Vulkan drivers of GPUs that stand on arm64 boards alone, without the GPUs.
//!
//! Debian has Broadcom's V3DV, Arm's PanVK and Imagination's PowerVR for arm64 only. The driver is cross-built and runs under
//! qemu-user with Debian sid's libraries; a shim stands in for the kernel: mesa-drm-shim's for PowerVR, ours for the others, for
//! which it has none that is enough.

use super::descriptions;
use super::devices;
use super::known::KnownFailures;
use super::pipelines::Pipelines;
use crate::arm64::Arm64;
use crate::clients::{self, Client, Setting};
use crate::drivers::{self, VulkanDriver};
use crate::install;
use crate::kernel_files;
use crate::layer_messages::Messages;
use crate::newest_layer;
use crate::private_apt;
use crate::sh::{self, Result};
use crate::test::{self, Matrix, Report};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// The drivers, Mesa's shims, the validation layer, the loaders and the C++ library; their dependencies come too.
const PACKAGES: &[&str] = &[
    "mesa-vulkan-drivers",
    "mesa-drm-shim",
    "vulkan-validationlayers",
    "libvulkan1",
    "ocl-icd-libopencl1",
    "libstdc++6",
];

/// The libraries of an unpacked arm64 system.
const LIBRARIES: &str = "usr/lib/aarch64-linux-gnu";

/// Beginnings of the names of clients that do not run on boards.
const LEFT_OUT: &[&str] = &[
    // They start other programs, which the emulator does not.
    "api_fuzz",
    "buffer_forms",
    "cache",
    "device_loss",
    "equal_programs",
    "exit_",
    "fairness",
    "faults",
    "faulty_drivers",
    "full_disk",
    "groups_of_one",
    "includes",
    "joined_groups",
    "memory_limits",
    "options",
    "printf_room",
    "private_files",
    "progress",
    "reasons",
    "robust",
    "sub_group_blocks",
    "untold_failures",
    "waits",
    // They link with libraries that the unpacked system lacks.
    "egl_",
    "gl_",
    "ulp",
    // Work-groups of 256 work-items, and arguments of 60,000 bytes, which PowerVR does not have.
    "coarse_lanes",
    "large_argument",
    // The shim of Mali's kernel driver exports no memory.
    "external_memory",
    // V3DV's compiler, emulated, had not ended after eight minutes.
    "deep_nests",
    // They count the process's memory, of which the emulator has a part.
    "leaks",
];

/// The names of the clients that run on boards.
fn client_names() -> Result<Vec<String>> {
    let sources = sh::files_with(&sh::root().join("tests/clients"), &["c"])?;
    let names = sources.iter().filter_map(|source| source.file_stem());
    let names = names.map(|name| name.to_string_lossy().into_owned());
    Ok(names
        .filter(|name| !LEFT_OUT.iter().any(|begin| name.starts_with(begin)))
        .collect())
}

/// A library that stands in for the kernel.
enum Shim {
    /// `tests/shims/NAME.c`.
    Ours(&'static str),
    /// `libNAME_noop_drm_shim.so` of mesa-drm-shim.
    Mesa(&'static str),
}

/// A GPU of a board.
struct Board {
    /// Short name for messages.
    name: &'static str,
    /// The driver's manifest is named `DRIVER_icd.json`.
    driver: &'static str,
    /// The beginning of driverName and driverInfo.
    driver_info: &'static str,
    shim: Shim,
    /// The variable that chooses the GPU, and its value.
    choice: (&'static str, &'static str),
    /// Its name in the guide's table of devices.
    row: &'static str,
    /// Clients run on it; kernels are compiled on all.
    runs_clients: bool,
    /// Things that clients and kernel files may need and the device lacks.
    lacks: &'static [&'static str],
}

/// The one list of them.
const BOARDS: &[Board] = &[
    Board {
        name: "pi4",
        driver: "broadcom",
        driver_info: "V3DV Mesa Mesa",
        shim: Shim::Ours("v3d_kernel"),
        choice: ("V3D_GPU", "pi4"),
        row: "V3DV, VideoCore 6 (Raspberry Pi 4)",
        runs_clients: false,
        lacks: &[
            "doubles",
            "device-queues",
            "int64-atomics",
            "images",
            "read-write-images",
            "sub-groups-of-8",
            "sub-groups-to-32",
        ],
    },
    Board {
        name: "pi5",
        driver: "broadcom",
        driver_info: "V3DV Mesa Mesa",
        shim: Shim::Ours("v3d_kernel"),
        choice: ("V3D_GPU", "pi5"),
        row: "V3DV, VideoCore 7 (Raspberry Pi 5)",
        runs_clients: true,
        lacks: &[
            "doubles",
            "device-queues",
            "int64-atomics",
            "images",
            "read-write-images",
        ],
    },
    Board {
        name: "g610",
        driver: "panfrost",
        driver_info: "panvk Mesa",
        shim: Shim::Ours("panthor_kernel"),
        choice: ("MALI_GPU", "g610"),
        row: "PanVK, Mali-G610",
        runs_clients: true,
        lacks: &["doubles"],
    },
    Board {
        name: "bxs",
        driver: "powervr_mesa",
        driver_info: "Imagination open-source Mesa driver Mesa",
        shim: Shim::Mesa("powervr"),
        choice: ("PVR_SHIM_DEVICE_BVNC", "36.53.104.796"),
        row: "PowerVR, BXS-4-64",
        runs_clients: true,
        lacks: &[
            "doubles",
            "device-addresses",
            "pipes",
            "timestamps",
            "device-queues",
            "int64-atomics",
            "images",
            "read-write-images",
        ],
    },
];

/// Programs for the boards, and the system that they run with.
struct Bench {
    arm64: Arm64,
    /// sid's libraries.
    system: PathBuf,
    /// The folder of what is made.
    out: PathBuf,
    vendors: PathBuf,
    /// The folder of the built driver and tools.
    built: PathBuf,
    clients: Vec<Client>,
}

impl Bench {
    fn set_up() -> Result<Self> {
        let arm64 = Arm64::unpack()?;
        let system = private_apt::unpack_foreign("arm64", "boards", "sid", PACKAGES)?;
        // Programs name their dynamic linker in /lib.
        super::link_to(Path::new("usr/lib"), &system.join("lib"))?;
        let out = sh::target().join("boards");
        let libraries = arm64.compiler(&system).of_libraries();
        for board in BOARDS {
            if let Shim::Ours(shim) = board.shim {
                super::compile_shim(&libraries, shim, &our_shim(&out, shim))?;
            }
        }
        for layer in ["completion", "pipelines"] {
            clients::compile_vulkan_layer_into(&libraries, layer, &out.join("layers"))?;
        }
        let built = arm64.build()?;
        let library = built.join(install::library_name()?);
        let names = client_names()?;
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let compiler = arm64.compiler(&system);
        let clients = clients::compile_named(&compiler, &names, &out.join("clients"), &library)?;
        Ok(Self {
            vendors: clients::vendors_folder("arm64", &library)?,
            arm64,
            system,
            out,
            built,
            clients,
        })
    }

    fn driver(&self, board: &Board) -> Result<VulkanDriver> {
        let file = drivers::library_file(&self.system, board.driver)?;
        let library = self.system.join(LIBRARIES).join(file);
        let manifest = self.out.join(format!("{}.json", board.driver));
        let text = drivers::manifest_naming(&self.system, board.driver, &library)?;
        sh::write(&manifest, text)?;
        Ok(VulkanDriver {
            name: board.name,
            manifest,
            driver_info: board.driver_info,
            library_path: Vec::new(),
            lacks: board.lacks,
            faulty: false,
        })
    }

    /// The command that runs a built program with sid's libraries.
    fn emulated(&self, program: &str) -> Command {
        let mut words = self.arm64.emulator(&self.system).into_iter();
        let mut command = Command::new(words.next().unwrap_or_default());
        command.args(words).arg(self.built.join(program));
        command
    }

    /// The environment of a board, with Vulkan layers from the application's side to the driver's.
    fn on_board(&self, board: &Board, layers: &str) -> Result<Vec<(&'static str, String)>> {
        let folders = [
            self.system.join("usr/share/vulkan/explicit_layer.d"),
            self.out.join("layers"),
        ];
        let folders = std::env::join_paths(folders).map_err(|error| error.to_string())?;
        let shim = match board.shim {
            Shim::Ours(name) => our_shim(&self.out, name),
            Shim::Mesa(name) => {
                let file = format!("lib{name}_noop_drm_shim.so");
                self.system.join(LIBRARIES).join(file)
            }
        };
        let (variable, gpu) = board.choice;
        Ok(vec![
            // The emulated program's environment: the emulator itself cannot load the shim.
            ("QEMU_SET_ENV", format!("LD_PRELOAD={}", shim.display())),
            (variable, gpu.to_string()),
            ("VK_INSTANCE_LAYERS", layers.to_string()),
            ("VK_LAYER_PATH", folders.to_string_lossy().into_owned()),
            ("VK_LAYER_SETTINGS_PATH", self.out.display().to_string()),
            ("CLIENT_VALUES", "ignore".to_string()),
            ("MESA_SHADER_CACHE_DISABLE", "true".to_string()),
        ])
    }
}

fn our_shim(out: &Path, shim: &str) -> PathBuf {
    out.join(format!("lib{shim}.so"))
}

/// The step.
pub fn run(report: &mut Report) -> Result {
    let bench = Bench::set_up()?;
    let (named, clients) = super::chosen(BOARDS, |board| board.name, &report.filter);
    let clients = clients.to_string();
    let mut known = KnownFailures::read()?;
    for board in named.map_or(BOARDS, std::slice::from_ref) {
        if board.runs_clients || named.is_some() {
            run_clients(report, &bench, board, &clients, &mut known)?;
        }
        let driver = bench.driver(board)?;
        let setting = Setting {
            vendors: &bench.vendors,
            driver: Some(&driver),
            loader: None,
            env: &bench.on_board(board, "VK_LAYER_PUMICE_completion")?,
        };
        if "devices".contains(&clients) {
            devices::compare(report, (board.name, board.row), &bench.clients, &setting)?;
        }
        if "descriptions".contains(&clients) {
            let described = describe(&bench, board, &setting)?;
            descriptions::compare(report, board.name, &described)?;
        }
        if "pipelines".contains(&clients) {
            make_pipelines(report, &bench, board)?;
        }
    }
    Ok(())
}

/// Runs the clients on a board under the validation layer.
fn run_clients(
    report: &mut Report,
    bench: &Bench,
    board: &Board,
    part: &str,
    known: &mut KnownFailures,
) -> Result {
    let driver = bench.driver(board)?;
    let layers = "VK_LAYER_KHRONOS_validation:VK_LAYER_PUMICE_completion";
    let matrix = Matrix {
        messages: None,
        label: board.name.to_string(),
        setting: Setting {
            vendors: &bench.vendors,
            driver: Some(&driver),
            loader: None,
            env: &bench.on_board(board, layers)?,
        },
    };
    // The layer waits for a reader of the pipe that an earlier run's settings name.
    let messages = Messages::new(&bench.out)?;
    let list = test::list_devices(&bench.clients)?;
    test::assert_driver(list, &matrix, &driver)?;
    newest_layer::check_active(&messages, list, &matrix.setting)?;
    let chosen = bench.clients.iter().filter(|client| {
        client.name.contains(part) && client.suits(&matrix.setting) && client.runs_validated()
    });
    for client in chosen {
        messages.begin(client)?;
        let done = clients::run(client, &matrix.setting, Duration::from_secs(1800))?;
        let outcome = known
            .judge(&client.name, &done)
            .and_then(|()| messages.silent());
        let name = format!("{} · {}", client.name, board.name);
        println!("  {} {name}", test::mark(&outcome));
        report.record(&name, outcome);
    }
    Ok(())
}

/// Asks the driver for the board's target. Where nothing executes, start-up probes choose the safe forms.
fn describe(bench: &Bench, board: &Board, setting: &Setting<'_>) -> Result<String> {
    let mut command = bench.emulated("pumice-probe");
    let library = bench.built.join(install::library_name()?);
    setting.apply(command.arg("report").arg(library));
    descriptions::told(board.name, &mut command)
}

/// Makes a pipeline of each kernel of the tests that needs nothing the board lacks.
fn make_pipelines(report: &mut Report, bench: &Bench, board: &Board) -> Result {
    let driver = bench.driver(board)?;
    let layers = "VK_LAYER_PUMICE_completion:VK_LAYER_PUMICE_pipelines";
    let list = bench.out.join(format!("pipelines-{}.txt", board.name));
    sh::remove(&list);
    let mut env = bench.on_board(board, layers)?;
    env.push(("LAYER_PIPELINES", list.display().to_string()));
    let setting = Setting {
        vendors: &bench.vendors,
        driver: Some(&driver),
        loader: None,
        env: &env,
    };
    let mut command = bench.emulated("pumice-clrun");
    command.args(["--all-kernels", "Pumice"]);
    command.args(kernel_files::served(&setting)?);
    setting.apply(&mut command);
    let done = sh::run_limited(&mut command, Duration::from_secs(2 * 3600))?;
    Pipelines::read(&list)?.record(report, board.name, &done);
    Ok(())
}
