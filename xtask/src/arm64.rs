//! The test step of arm64: the driver cross-built, and run by qemu-user on Debian's arm64 lavapipe.
//!
//! The compiler, the emulator and the arm64 libraries are Debian's, unpacked under `target/`; only the
//! private apt configuration knows of a second architecture.

use crate::clients::{self, Client, Setting};
use crate::compiler::{Compiler, write_script};
use crate::drivers::VulkanDriver;
use crate::kernel_files::{self, Passed};
use crate::sh::{self, Result};
use crate::test::{self, Matrix, Report};
use crate::{install, private_apt, workers};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Rust's name of the target.
const TARGET: &str = "aarch64-unknown-linux-gnu";

/// The variable that names cargo's linker for the target.
const LINKER: &str = "CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER";

/// The emulator, of Debian 12's backports: its own, 7.2, fills the memory with drivers that have threads.
const EMULATOR: &[&str] = &["qemu-user"];

/// The cross compiler with its libraries: programs of this machine.
const TOOLS: &[&str] = &[
    "binutils-aarch64-linux-gnu",
    "gcc-12-aarch64-linux-gnu",
    "cpp-12-aarch64-linux-gnu",
    "g++-12-aarch64-linux-gnu",
    "libgcc-12-dev-arm64-cross",
    "libstdc++-12-dev-arm64-cross",
    "libisl23",
    "libmpc3",
    "libmpfr6",
    "libgmp10",
    "libjansson4",
];

/// The arm64 system: what programs link with, and what they run with.
const SYSTEM: &[&str] = &[
    "mesa-vulkan-drivers/bookworm-backports",
    "libdrm2/bookworm-backports",
    "libdrm-amdgpu1/bookworm-backports",
    "libvulkan1",
    "libvulkan-dev",
    "ocl-icd-libopencl1",
    "ocl-icd-opencl-dev",
    "opencl-c-headers",
    "opencl-clhpp-headers",
    "clinfo",
    "libc6-dev",
    "libstdc++-12-dev",
];

/// Clients where the architecture can matter: strings (`char` has no sign), variable arguments,
/// threads, atomics, mapped pages and addresses. None that starts another program: the emulator runs one.
pub const CLIENTS: &[&str] = &[
    "list_devices",
    "queries",
    "platforms",
    "buffers",
    "events",
    "out_of_order",
    "printf_callback",
    "svm",
    "usm",
    "litmus",
    "threads",
    "images_kernels",
    "programs",
    "binaries",
    "doubles",
    "il",
    "check_mode",
    "command_buffers",
    "device_enqueue",
    "large_local",
];

/// Beginnings of the names of kernel files that do not run: the emulated compiler takes a minute or
/// more for each, and what they test does not depend on the architecture.
const LONG_KERNEL_FILES: &[&str] = &["long_tables", "math_", "native_math", "conversions"];

/// The tools and the system, unpacked, and the folder of what is made with them.
pub struct Arm64 {
    tools: PathBuf,
    emulator: PathBuf,
    root: PathBuf,
    out: PathBuf,
}

impl Arm64 {
    /// Unpacks what is missing, and writes the scripts that call the compilers.
    pub fn unpack() -> Result<Self> {
        let suites = "bookworm bookworm-backports";
        let arm64 = Self {
            tools: private_apt::unpack("bookworm", TOOLS)?,
            emulator: private_apt::unpack("bookworm-backports", EMULATOR)?,
            root: private_apt::unpack_foreign("arm64", "root", suites, SYSTEM)?,
            out: sh::target().join("arm64"),
        };
        for compiler in ["gcc", "g++"] {
            let program = format!("aarch64-linux-gnu-{compiler}-12");
            let program = arm64.tools.join("usr/bin").join(program);
            let libraries = arm64.tools.join("usr/lib/x86_64-linux-gnu");
            let words = [
                "env".to_string(),
                format!("LD_LIBRARY_PATH={}", libraries.display()),
                program.display().to_string(),
            ];
            let sysroot = PathBuf::from(format!("--sysroot={}", arm64.root.display()));
            write_script(&arm64.out.join(compiler), &words, &sysroot)?;
        }
        Ok(arm64)
    }

    /// The compilers. `root` is the system that their programs run with.
    pub fn compiler(&self, root: &Path) -> Compiler {
        Compiler {
            c: self.out.join("gcc"),
            cpp: self.out.join("g++"),
            emulator: Some(self.emulator(root)),
        }
    }

    /// The words before a program's path that run it with a system's libraries.
    pub fn emulator(&self, root: &Path) -> Vec<String> {
        let qemu = self.emulator.join("usr/bin/qemu-aarch64");
        let [qemu, root] = [&qemu, root].map(|path| path.display().to_string());
        vec![qemu, "-L".to_string(), root]
    }

    /// Builds the driver, pumice-probe and the tools of the harness; returns their folder.
    pub fn build(&self) -> Result<PathBuf> {
        add_rust_target()?;
        let mut command = test::cargo(&["build", "--quiet", "--target", TARGET]);
        for package in ["pumice-icd", "pumice-info", "pumice-cts-harness"] {
            command.args(["--package", package]);
        }
        sh::run(command.env(LINKER, self.out.join("gcc")))?;
        Ok(sh::target().join(TARGET).join("debug"))
    }

    fn lavapipe(&self) -> Result<VulkanDriver> {
        let folder = self.root.join("usr/share/vulkan/icd.d");
        let manifests = sh::files_with(&folder, &["json"])?;
        let is_lavapipe = |path: &PathBuf| sh::file_name(path).starts_with("lvp_icd");
        let manifest = manifests.into_iter().find(is_lavapipe);
        Ok(VulkanDriver {
            name: "lavapipe (backports, arm64)",
            manifest: manifest.ok_or_else(|| format!("{}: no lavapipe", folder.display()))?,
            driver_info: "llvmpipe Mesa 25.0",
            library_path: Vec::new(),
            // Its vectors have 128 bits.
            lacks: &["sub-groups-of-8"],
            faulty: false,
        })
    }
}

/// Makes sure that rustup has Rust's library for the target.
fn add_rust_target() -> Result {
    let sysroot = sh::output(Command::new("rustc").args(["--print", "sysroot"]))?;
    let library = Path::new(sysroot.trim()).join("lib/rustlib").join(TARGET);
    if library.is_dir() {
        return Ok(());
    }
    println!("  rustup target add {TARGET}");
    sh::run(Command::new("rustup").args(["target", "add", TARGET]))
}

/// Runs clinfo, clients, demos and kernel files under the emulator.
pub fn run(report: &mut Report) -> Result {
    let arm64 = Arm64::unpack()?;
    let built = arm64.build()?;
    let library = built.join(install::library_name()?);
    let vendors = clients::vendors_folder("arm64", &library)?;
    let driver = arm64.lavapipe()?;
    let matrix = Matrix {
        messages: None,
        label: driver.name.to_string(),
        setting: Setting {
            vendors: &vendors,
            driver: Some(&driver),
            loader: None,
            env: &[],
        },
    };
    let compiler = arm64.compiler(&arm64.root);
    let all = clients::compile_named(&compiler, CLIENTS, &arm64.out, &library)?;
    let checked = test::assert_driver(test::list_devices(&all)?, &matrix, &driver);
    report.record("driverInfo · arm64", checked);
    if "clinfo".contains(&report.filter) {
        let outcome = clinfo(&arm64, &matrix.setting);
        println!("  {} clinfo · {}", test::mark(&outcome), matrix.label);
        report.record("clinfo · arm64", outcome);
    }
    run_clients(report, &all, &matrix);
    test::run_demos_of(report, &matrix, &compiler, &arm64.out)?;
    let runner = arm64.out.join("pumice-clrun");
    write_script(
        &runner,
        &arm64.emulator(&arm64.root),
        &built.join("pumice-clrun"),
    )?;
    let passed = Passed {
        folder: arm64.out.join("passed"),
        made_with: vec![library, built.join("pumice-clrun")],
    };
    run_kernel_files(report, &runner, &matrix, &passed)
}

/// Runs the clients, as many at once as there are processors.
fn run_clients(report: &mut Report, all: &[Client], matrix: &Matrix<'_>) {
    let chosen: Vec<&Client> = all
        .iter()
        .filter(|client| client.name.contains(&report.filter))
        .collect();
    let limit = Duration::from_secs(1800);
    let (name, label) = (clients::name, &matrix.label);
    test::run_at_once(report, &chosen, name, label, workers::count(), |client| {
        clients::run(client, &matrix.setting, limit)?.verdict()
    });
}

/// Asserts that clinfo shows a device of OpenCL 3 with the full profile, and no query that fails.
fn clinfo(arm64: &Arm64, setting: &Setting<'_>) -> Result {
    let script = arm64.out.join("clinfo");
    write_script(
        &script,
        &arm64.emulator(&arm64.root),
        &arm64.root.join("usr/bin/clinfo"),
    )?;
    let mut command = Command::new(script);
    setting.apply(&mut command);
    let done = sh::run_limited(&mut command, Duration::from_secs(600))?;
    let failed = |why: &str| format!("{why}: {}\n{}{}", done.status, done.stdout, done.stderr);
    if !done.ok || done.stdout.contains(": error -") {
        return Err(failed("a query failed"));
    }
    let shows = |name: &str, begin: &str| {
        let values = done
            .stdout
            .lines()
            .filter_map(|line| line.trim().strip_prefix(name));
        values
            .map(str::trim_start)
            .any(|value| value.starts_with(begin))
    };
    for (name, begin) in [
        ("Platform Name", "Pumice"),
        ("Device Version", "OpenCL 3."),
        ("Device Profile", "FULL_PROFILE"),
        ("Address bits", "64, Little-Endian"),
    ] {
        if !shows(name, begin) {
            return Err(failed(&format!("no {name} that begins with {begin}")));
        }
    }
    Ok(())
}

/// Runs the kernel files that have not passed in earlier runs.
fn run_kernel_files(
    report: &mut Report,
    runner: &Path,
    matrix: &Matrix<'_>,
    passed: &Passed,
) -> Result {
    let mut files = kernel_files::served(&matrix.setting)?;
    let all = "kernel files".contains(&report.filter);
    files.retain(|file| {
        let name = sh::file_name(file);
        let mut long = LONG_KERNEL_FILES.iter();
        !long.any(|begin| name.starts_with(begin)) && (all || name.contains(&report.filter))
    });
    let limit = Duration::from_secs(3600);
    kernel_files::run_rest(report, runner, matrix, &files, passed, limit);
    Ok(())
}
