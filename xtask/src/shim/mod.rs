//! Clients on the Vulkan drivers of real GPUs, without the GPUs.
//!
//! Debian sid's mesa-drm-shim stands in for the kernel's side of RADV, NVK, Turnip and Honeykrisp, and a shim of
//! `tests/shims` for that of ANV and hasvk: the drivers run whole, shader compilers included, and nothing executes. Layers of `tests/layers` complete
//! what was submitted and count calls; the newest validation layer looks on. What clients find wrong
//! because nothing executes stands in `tests/clients/nothing_executes.txt`; anything else fails.

pub mod boards;
mod cards;
mod conformance;
mod descriptions;
mod devices;
mod known;
mod list;
pub mod machine_code;
mod matrices;
mod pipelines;
mod work;

use self::cards::{CARDS, Card, Shim};
use self::known::{Files, KnownFailures};
use self::work::{OtherCommands, Work};
use crate::clients::{self, Client, Setting};
use crate::compiler::Compiler;
use crate::demo;
use crate::drivers::{self, VulkanDriver};
use crate::layer_messages::Messages;
use crate::newest_layer::{self, Layer};
use crate::private_apt;
use crate::sh::{self, Result};
use crate::test::{self, Report};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// The drivers, the shim, the validation layer and the C++ library; their dependencies come too.
const PACKAGES: &[&str] = &[
    "mesa-vulkan-drivers",
    "mesa-drm-shim",
    "vulkan-validationlayers",
    "libvulkan1",
    "libstdc++6",
];

/// The name that clients are linked with, instead of LD_PRELOAD, which other programs that they
/// start would load too and cannot.
const SHIM: &str = "libpumice-drm-shim.so";

/// sid's drivers and what belongs to them.
pub struct Shims {
    place: PathBuf,
    /// sid's validation layer and C library.
    pub layer: Layer,
}

impl Shims {
    pub fn unpack() -> Result<Self> {
        let place = private_apt::unpack_closure("sid", "drm-shim", PACKAGES)?;
        link_llvm(&place)?;
        compile_own_shims()?;
        let layer = Layer::at(&place);
        Ok(Self { place, layer })
    }

    /// Makes an empty library of the name [`SHIM`], to link with.
    fn stub(&self) -> Result<PathBuf> {
        let folder = sh::target().join("drm-shim/stub");
        sh::make_folder(&folder)?;
        let mut command = Command::new("gcc");
        command.args(["-shared", "-x", "c", "/dev/null", "-o"]);
        command.arg(folder.join(SHIM));
        sh::output(command.arg(format!("-Wl,-soname,{SHIM}")))?;
        Ok(folder)
    }

    /// The folder in which [`SHIM`] is the card's.
    fn folder(&self, card: &Card) -> Result<PathBuf> {
        let folder = sh::target().join("drm-shim").join(card.name);
        sh::make_folder(&folder)?;
        link_to(&self.library(card), &folder.join(SHIM))?;
        Ok(folder)
    }

    /// The card's shim.
    fn library(&self, card: &Card) -> PathBuf {
        match card.shim {
            Shim::Mesa(name) => {
                let library = format!("lib{name}_noop_drm_shim.so");
                self.layer.libraries.join(library)
            }
            Shim::Own(name) => own_shim(name),
        }
    }

    /// A command that runs a program which was not linked with a shim.
    fn command(&self, card: &Card, program: &Path) -> Command {
        let mut command = Command::new(self.layer.dynamic_linker());
        command.arg("--library-path").arg(&self.layer.libraries);
        command
            .arg("--preload")
            .arg(self.library(card))
            .arg(program);
        command
    }

    /// The card's driver.
    fn driver(&self, card: &Card) -> Result<VulkanDriver> {
        Ok(VulkanDriver {
            name: card.name,
            manifest: drivers::absolute_manifest(&self.place, card.driver)?,
            driver_info: "Mesa",
            library_path: vec![self.folder(card)?],
            lacks: card.lacks,
            faulty: false,
        })
    }

    /// The lavapipe of the same release: what clients do where everything executes.
    pub fn lavapipe(&self) -> Result<VulkanDriver> {
        Ok(VulkanDriver {
            name: "lavapipe (sid)",
            manifest: drivers::absolute_manifest(&self.place, "lvp")?,
            driver_info: "llvmpipe Mesa",
            library_path: Vec::new(),
            lacks: &["denormals"],
            faulty: false,
        })
    }

    /// Compiles the clients to run with sid's libraries, and with a shim or without.
    fn compile(&self, library: &Path, with_shim: bool) -> Result<Vec<Client>> {
        let (folder, arguments) = match with_shim {
            true => ("clients-drm-shim", self.link_arguments()?),
            false => ("clients-sid", self.layer.link_arguments()),
        };
        clients::compile_into(&sh::target().join(folder), library, &arguments)
    }

    /// Makes an executable start with sid's libraries and a shim.
    fn link_arguments(&self) -> Result<Vec<String>> {
        let mut arguments = self.layer.link_arguments();
        arguments.extend([
            "-Wl,--no-as-needed".to_string(),
            format!("-L{}", self.stub()?.display()),
            format!("-l:{SHIM}"),
        ]);
        Ok(arguments)
    }

    /// Compiles programs whose kernels the compilers get: the demos, and the client that calls every
    /// function of the mathematical library.
    fn kernels_of_programs(&self, clients: &[Client]) -> Result<Vec<PathBuf>> {
        let mut arguments = vec!["-lOpenCL".to_string()];
        arguments.extend(self.link_arguments()?);
        let mut programs = Vec::new();
        for source in demo::sources()? {
            let name = source.file_stem().unwrap_or_default().to_string_lossy();
            let program = sh::target()
                .join("clients-drm-shim")
                .join(format!("demo-{name}"));
            clients::compile(&source, &program, &arguments)?;
            programs.push(program);
        }
        let ulp = clients.iter().find(|client| client.name == "ulp");
        programs.extend(ulp.map(|client| client.path.clone()));
        Ok(programs)
    }
}

/// Lets libLLVM of unpacked packages find its libraries: it looks in $ORIGIN/../lib and, for that, not where its user
/// says.
pub fn link_llvm(place: &Path) -> Result {
    link_to(Path::new("x86_64-linux-gnu"), &place.join("usr/lib/lib"))
}

/// A shim of `tests/shims`.
fn own_shim(name: &str) -> PathBuf {
    sh::target().join(format!("drm-shim/lib{name}.so"))
}

/// Compiles the shims of `tests/shims` for this machine's cards.
fn compile_own_shims() -> Result {
    let own = CARDS.iter().filter_map(|card| match card.shim {
        Shim::Own(name) => Some(name),
        Shim::Mesa(_) => None,
    });
    // Several GPUs share one.
    for name in own.collect::<BTreeSet<_>>() {
        compile_shim(&Compiler::system(), name, &own_shim(name))?;
    }
    Ok(())
}

/// Compiles a shim of `tests/shims`. The newest kernel's headers come first: they know more ioctls than libdrm's copies.
fn compile_shim(compiler: &Compiler, name: &str, to: &Path) -> Result {
    let kernel = private_apt::unpack("sid", &["linux-libc-dev"])?.join("usr/include");
    let libdrm = private_apt::unpack("bookworm", &["libdrm-dev"])?.join("usr/include");
    let source = sh::root().join(format!("tests/shims/{name}.c"));
    let mut flags = vec!["-shared".to_string(), "-fPIC".to_string()];
    let folders = [kernel.join("drm"), libdrm.clone(), libdrm.join("libdrm")];
    flags.extend(folders.map(|folder| format!("-I{}", folder.display())));
    // Its other headers only where the system has none.
    flags.push(format!("-idirafter{}", kernel.display()));
    compiler.compile(&source, to, &flags)
}

/// Makes a symbolic link, unless it is there.
fn link_to(target: &Path, link: &Path) -> Result {
    if link.is_symlink() {
        return Ok(());
    }
    std::os::unix::fs::symlink(target, link).map_err(|error| format!("{}: {error}", link.display()))
}

/// State that all runs of the step share.
struct Bench {
    shims: Shims,
    library: PathBuf,
    vendors: PathBuf,
    loader: PathBuf,
    /// The folder of logs and settings.
    folder: PathBuf,
    /// VK_LAYER_PATH.
    layers: String,
    /// A part of the names of the clients that run.
    clients: String,
    /// The layer that counts OpenCL calls.
    count: PathBuf,
    files: Files,
}

impl Bench {
    /// `filter` is a part of clients' names, or a card's name.
    fn set_up(filter: &str) -> Result<Self> {
        let (_, clients) = chosen(CARDS, |card| card.name, filter);
        let library = test::build_debug()?;
        let shims = Shims::unpack()?;
        let manifest = clients::compile_vulkan_layer("completion")?;
        clients::compile_vulkan_layer("pipelines")?;
        clients::compile_vulkan_layer("memory")?;
        clients::compile_vulkan_layer("commands")?;
        let layers = [shims.layer.manifests.as_path()]
            .into_iter()
            .chain(manifest.parent());
        let layers = std::env::join_paths(layers).map_err(|error| error.to_string())?;
        let folder = sh::target().join("drm-shim");
        // Layers write there, and clients to the folder of the usual ones.
        for folder in [&folder, &sh::target().join("clients")] {
            sh::make_folder(folder)?;
        }
        Ok(Self {
            vendors: clients::vendors_folder("debug", &library)?,
            loader: drivers::khronos_loader()?,
            layers: layers.to_string_lossy().into_owned(),
            clients: clients.to_string(),
            count: clients::compile_layer("count")?,
            files: Files {
                leaks: folder.join("leaks.txt"),
                calls: folder.join("calls.txt"),
                commands: folder.join("commands.txt"),
            },
            shims,
            library,
            folder,
        })
    }

    /// The environment under which calls and commands are counted.
    fn counting(&self) -> Vec<(&'static str, String)> {
        vec![
            ("OPENCL_LAYERS", self.count.display().to_string()),
            ("LAYER_CALLS", self.files.calls.display().to_string()),
            ("LAYER_COMMANDS", self.files.commands.display().to_string()),
        ]
    }

    /// The environment of a card, with Vulkan layers from the application's side to the driver's.
    fn on_card(&self, card: &Card, layers: &str) -> Vec<(&'static str, String)> {
        let mut env = vec![
            ("VK_INSTANCE_LAYERS", layers.to_string()),
            ("VK_LAYER_PATH", self.layers.clone()),
            ("VK_LAYER_SETTINGS_PATH", self.folder.display().to_string()),
            ("LAYER_LEAKS", self.files.leaks.display().to_string()),
            ("CLIENT_VALUES", "ignore".to_string()),
            // The card's driver of OpenGL would wait for what never executes.
            ("LIBGL_ALWAYS_SOFTWARE", "true".to_string()),
            // The system's EGL warns of GPUs that are newer than it.
            ("EGL_LOG_LEVEL", "fatal".to_string()),
        ];
        env.extend(card.choice.map(|(name, value)| (name, value.to_string())));
        env
    }
}

/// The GPU that the filter names, and the part of clients' names that it is otherwise.
fn chosen<'f, Gpu>(
    all: &'static [Gpu],
    name: impl Fn(&Gpu) -> &'static str,
    filter: &'f str,
) -> (Option<&'static Gpu>, &'f str) {
    let named = all.iter().find(|gpu| name(gpu) == filter);
    (named, if named.is_some() { "" } else { filter })
}

fn left_out(client: &Client) -> bool {
    !client.runs_validated() || client.without_newest_layer
}

/// The step.
pub fn run(report: &mut Report) -> Result {
    let bench = Bench::set_up(&report.filter)?;
    let cards: Vec<&Card> = match chosen(CARDS, |card| card.name, &report.filter).0 {
        Some(card) => vec![card],
        None => CARDS.iter().filter(|card| card.runs_clients).collect(),
    };
    // Copies go through memory of the host on cards that have memory of their own.
    let staging = ("PUMICE_STAGING_ONLY", "on".to_string());
    let mut baselines = [BTreeMap::new(), BTreeMap::new()];
    for (baseline, settings) in baselines.iter_mut().zip([&[][..], &[staging]]) {
        let shares_memory = settings.is_empty();
        if cards.iter().any(|card| card.shares_memory == shares_memory) {
            *baseline = work_of_clients(&bench, settings)?;
        }
    }
    let all = bench.shims.compile(&bench.library, true)?;
    let mut known = KnownFailures::read()?;
    let mut others = OtherCommands::read()?;
    for card in cards {
        let expected = Expected {
            baseline: &baselines[usize::from(!card.shares_memory)],
            known: &mut known,
            others: &mut others,
        };
        run_clients(report, &bench, card, &all, expected)?;
        run_without_counters(report, &bench, card, &all, &mut known)?;
    }
    if report.filter.is_empty() {
        for (list, stale) in [
            ("nothing_executes.txt", known.stale()),
            ("other_commands.txt", others.stale()),
        ] {
            let outcome = match stale.is_empty() {
                true => Ok(()),
                false => Err(format!("lines that no driver gives:\n{}", stale.join("\n"))),
            };
            report.record(list, outcome);
        }
    }
    if "cooperative_matrix".contains(&report.filter) {
        matrices::run(report, &bench)?;
    }
    if "devices".contains(&report.filter) {
        devices::run(report, &bench, &all)?;
    }
    if "descriptions".contains(&report.filter) {
        descriptions::run(report, &bench)?;
    }
    if "pipelines".contains(&report.filter) {
        let runner = test::build_runner()?;
        let programs = bench.shims.kernels_of_programs(&all)?;
        for card in CARDS {
            pipelines::run(report, &bench, card, &runner, &programs)?;
        }
    }
    if report.filter == "conformance" || report.filter.is_empty() {
        conformance::run(report, &bench)?;
    }
    Ok(())
}

/// Runs the clients where everything executes, with more environment, and gives the work of each.
fn work_of_clients(
    bench: &Bench,
    more: &[(&'static str, String)],
) -> Result<BTreeMap<String, Work>> {
    let driver = bench.shims.lavapipe()?;
    let mut env = bench.counting();
    env.push(("VK_INSTANCE_LAYERS", "VK_LAYER_PUMICE_commands".to_string()));
    env.push(("VK_LAYER_PATH", bench.layers.clone()));
    env.extend_from_slice(more);
    let setting = Setting {
        vendors: &bench.vendors,
        driver: Some(&driver),
        loader: Some(&bench.loader),
        env: &env,
    };
    let mut work = BTreeMap::new();
    for client in bench.shims.compile(&bench.library, false)? {
        if left_out(&client) || !client.name.contains(&bench.clients) {
            continue;
        }
        bench.files.forget();
        // The step `clients` judges whether it passes there.
        clients::run(&client, &setting, Duration::from_secs(600))?;
        work.insert(client.name, bench.files.work());
    }
    Ok(work)
}

/// The expected behaviour of clients where nothing executes.
struct Expected<'a> {
    /// Their work where everything executes.
    baseline: &'a BTreeMap<String, Work>,
    known: &'a mut KnownFailures,
    others: &'a mut OtherCommands,
}

/// Runs the clients on a card under the validation layer.
fn run_clients(
    report: &mut Report,
    bench: &Bench,
    card: &Card,
    all: &[Client],
    expected: Expected<'_>,
) -> Result {
    let driver = bench.shims.driver(card)?;
    let mut env = bench.on_card(
        card,
        "VK_LAYER_KHRONOS_validation:VK_LAYER_PUMICE_commands:VK_LAYER_PUMICE_completion:VK_LAYER_PUMICE_memory",
    );
    env.extend(bench.counting());
    let memory = bench.folder.join("memory.txt").display().to_string();
    env.push(("LAYER_MEMORY", memory));
    let setting = Setting {
        vendors: &bench.vendors,
        driver: Some(&driver),
        loader: Some(&bench.loader),
        env: &env,
    };
    let messages = Messages::new(&bench.folder)?;
    check_device(test::list_devices(all)?, card, &setting)?;
    newest_layer::check_active(&messages, test::list_devices(all)?, &setting)?;
    let chosen = all.iter().filter(|client| {
        client.name.contains(&bench.clients) && client.suits(&setting) && !left_out(client)
    });
    for client in chosen {
        messages.begin(client)?;
        bench.files.forget();
        let done = clients::run(client, &setting, Duration::from_secs(600))?;
        let work = bench.files.work();
        let usual = expected.baseline.get(&client.name);
        let usual = usual.cloned().unwrap_or_default();
        let outcomes = [
            expected.known.judge(&client.name, &done),
            expected.others.judge(&client.name, &work, &usual),
            messages.silent(),
            bench.files.leaks(),
        ];
        let wrong: Vec<String> = outcomes.into_iter().filter_map(Result::err).collect();
        let outcome = match wrong.is_empty() {
            true => Ok(()),
            false => Err(wrong.join("\n")),
        };
        let name = format!("{} · {}", client.name, card.name);
        println!(
            "  {} {name} ({} of {} calls, {} of {} entry points)",
            test::mark(&outcome),
            work.calls,
            usual.calls,
            work.entries,
            usual.entries
        );
        report.record(&name, outcome);
    }
    Ok(())
}

/// Runs two clients that need no timestamps without the layer `completion`: there the counters of semaphores
/// stand still, and the driver must take a successful wait as completion.
fn run_without_counters(
    report: &mut Report,
    bench: &Bench,
    card: &Card,
    all: &[Client],
    known: &mut KnownFailures,
) -> Result {
    let driver = bench.shims.driver(card)?;
    let env = bench.on_card(card, "");
    let setting = Setting {
        vendors: &bench.vendors,
        driver: Some(&driver),
        loader: None,
        env: &env,
    };
    let named = |client: &&Client| {
        matches!(client.name.as_str(), "multi_device" | "out_of_order")
            && client.name.contains(&bench.clients)
    };
    let chosen: Vec<&Client> = all.iter().filter(named).collect();
    for client in chosen {
        let done = clients::run(client, &setting, Duration::from_secs(60))?;
        let outcome = known.judge(&client.name, &done);
        let name = format!("{} · {} without counters", client.name, card.name);
        println!("  {} {name}", test::mark(&outcome));
        report.record(&name, outcome);
    }
    Ok(())
}

/// Checks that the device is the card that we mean.
fn check_device(list: &Client, card: &Card, setting: &Setting<'_>) -> Result {
    let mut command = Command::new(&list.path);
    setting.apply(&mut command);
    command.env("PUMICE_LOG", "info");
    let done = sh::run_limited(&mut command, Duration::from_secs(60))?;
    match done.stderr.contains(card.device) {
        true => Ok(()),
        false => Err(format!("no {} in the log:\n{}", card.device, done.stderr)),
    }
}
