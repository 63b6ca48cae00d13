//! The test step of `pumice-info`: set-ups that are broken on purpose, and the line that names cause
//! and cure of each.

use crate::clients;
use crate::drivers;
use crate::sh::{self, Finished, Result};
use crate::test::{self, Report};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// Time for a run; drivers are loaded several times.
const LIMIT: Duration = Duration::from_secs(180);

/// A broken set-up; `{}` in values and lines is the folder of the test's files.
struct Setup {
    name: &'static str,
    /// Variables to set.
    env: &'static [(&'static str, &'static str)],
    /// Arguments.
    args: &'static [&'static str],
    /// True if OpenCL programs find a device all the same.
    works: bool,
    /// A part of the line that is expected.
    line: &'static str,
}

const SETUPS: &[Setup] = &[
    Setup {
        name: "no Vulkan loader",
        env: &[("PUMICE_VULKAN_LIBRARY", "/nowhere/libvulkan.so.1")],
        args: &[],
        works: false,
        line: "the Vulkan loader is missing (/nowhere/libvulkan.so.1: cannot open shared object file: \
               No such file or directory); install libvulkan1 (Debian)",
    },
    Setup {
        name: "no Vulkan driver",
        env: &[("VK_DRIVER_FILES", "/nowhere/a.json")],
        args: &[],
        works: false,
        line: "VK_DRIVER_FILES names /nowhere/a.json, which does not exist; unset VK_DRIVER_FILES, or \
               correct it",
    },
    Setup {
        name: "a Vulkan driver that lacks a library",
        env: &[("VK_DRIVER_FILES", "{}/vulkan/lacking.json")],
        args: &[],
        works: false,
        line: "the Vulkan driver {}/vulkan/lib/liblacking.so of {}/vulkan/lacking.json cannot be loaded \
               (libpumice-gone.so.1: cannot open shared object file: No such file or directory); install the \
               package that has libpumice-gone.so.1",
    },
    Setup {
        name: "a Vulkan driver that is no library",
        env: &[("VK_DRIVER_FILES", "{}/vulkan/text.json")],
        args: &[],
        works: false,
        line: "the Vulkan driver {}/vulkan/lib/text.so of {}/vulkan/text.json cannot be loaded \
               ({}/vulkan/lib/text.so: file too short); install that driver again, or unset VK_DRIVER_FILES",
    },
    Setup {
        name: "a Vulkan driver without a device",
        env: &[("VK_DRIVER_FILES", "{}/vulkan/crash.json")],
        args: &[],
        works: false,
        line: "the Vulkan driver that VK_DRIVER_FILES names has no device here; unset VK_DRIVER_FILES",
    },
    Setup {
        name: "a device below the floor",
        env: &[("PUMICE_MASK", "vulkan1.0")],
        args: &[],
        works: false,
        line: " is left out: it has Vulkan 1.0, 1.1 is needed; a newer Vulkan driver may have it",
    },
    Setup {
        name: "a device that is not chosen",
        env: &[("PUMICE_DEVICES", "7")],
        args: &[],
        works: false,
        line: "PUMICE_DEVICES leaves out llvmpipe",
    },
    Setup {
        name: "a wrong vendors path",
        env: &[("OCL_ICD_VENDORS", "{}/nowhere")],
        args: &[],
        works: false,
        line: "OCL_ICD_VENDORS={}/nowhere does not exist: programs find no driver; unset \
               OCL_ICD_VENDORS, or name a folder with pumice.icd",
    },
    Setup {
        name: "a vendors folder without Pumice",
        env: &[("OCL_ICD_VENDORS", "{}/empty")],
        args: &[],
        works: false,
        line: "OCL_ICD_VENDORS={}/empty has no .icd file: programs find no driver; unset \
               OCL_ICD_VENDORS, or name a folder with pumice.icd",
    },
    Setup {
        name: "a library that is gone",
        env: &[("OCL_ICD_VENDORS", "{}/gone")],
        args: &[],
        works: false,
        line: "{}/gone/pumice.icd names /nowhere/libpumice.so, which does not exist; install Pumice \
               again, or correct the file",
    },
    Setup {
        name: "a home folder that cannot be written",
        env: &[
            ("HOME", "/proc/version"),
            ("XDG_CACHE_HOME", ""),
            ("PUMICE_CACHE", "on"),
        ],
        args: &[],
        works: true,
        line: "programs are compiled at each start, the cache /proc/version/.cache/pumice is not used: \
               it cannot be made in /proc/version; set PUMICE_CACHE_DIR to a folder that can be written",
    },
    Setup {
        name: "a cache folder that others can write",
        env: &[
            ("PUMICE_CACHE_DIR", "{}/open-cache"),
            ("PUMICE_CACHE", "on"),
        ],
        args: &[],
        works: true,
        line: "programs are compiled at each start, the cache {}/open-cache is not used: other users may \
               write to it (mode 777); chmod go-w {}/open-cache",
    },
    Setup {
        name: "a stale cache folder",
        env: &[
            ("PUMICE_CACHE_DIR", "{}/stale-cache"),
            ("PUMICE_CACHE", "on"),
        ],
        args: &[],
        works: true,
        line: "the cache {}/stale-cache is stale: 2 of 2 entries are damaged or of an older version; \
               rm -r {}/stale-cache: it is made again as programs are built",
    },
    Setup {
        name: "a container without /dev/dri",
        env: &[("container", "podman")],
        args: &[],
        works: true,
        line: " gives no /dev/dri: no GPU is seen, only drivers on the processor; start the container \
               with --device /dev/dri, or for NVIDIA's GPUs with --gpus all",
    },
    Setup {
        name: "another driver that crashes",
        env: &[("OCL_ICD_VENDORS", "{}/crash")],
        args: &[],
        works: false,
        line: "{}/libcrash.so of {}/crash/crash.icd crashes (signal 11), and takes every OpenCL program \
               along; remove {}/crash/crash.icd, or set OCL_ICD_VENDORS to a folder without it",
    },
    Setup {
        name: "a C library that is too old",
        env: &[("OCL_ICD_VENDORS", "{}/glibc")],
        args: &[],
        works: false,
        line: "{}/libpumice.so.new needs glibc 9.99, this system has 2.",
    },
    Setup {
        name: "a library of 32 bits",
        env: &[("OCL_ICD_VENDORS", "{}/bits")],
        args: &[],
        works: false,
        line: "{}/libpumice.so.32 is a 32-bit library, programs here have 64 bits; install the package \
               for this processor",
    },
    Setup {
        name: "a 32-bit program",
        env: &[],
        args: &["--program", "{}/libpumice.so.32"],
        works: true,
        line: "{}/libpumice.so.32 is a 32-bit program, Pumice has 64 bits; use a 64-bit build of the \
               program",
    },
    Setup {
        name: "a setting that is spelled wrong",
        env: &[("PUMICE_CAHCE", "off")],
        args: &[],
        works: true,
        line: "a setting is ignored: PUMICE_CAHCE is set, but no option of the driver; did you mean \
               PUMICE_CACHE?; docs/environment.md lists the options",
    },
    Setup {
        name: "a setting that is none",
        env: &[("PUMICE_NONE", "1")],
        args: &[],
        works: true,
        line: "a setting is ignored: PUMICE_NONE is set, but no option of the driver; \
               docs/environment.md lists the options",
    },
];

/// Set-ups on Debian 12's own lavapipe, whose results are wrong.
const FAULTY: &[Setup] = &[
    Setup {
        name: "a driver with wrong results",
        env: &[("PUMICE_FAULTY_DRIVERS", "")],
        args: &[],
        works: false,
        line: " gives wrong results: a work-item's loops end after 65,535 rounds in sum; install Mesa 23.0 or \
               newer (Debian 12: apt install -t bookworm-backports mesa-vulkan-drivers), name another driver \
               with VK_DRIVER_FILES, or set PUMICE_FAULTY_DRIVERS=on to use it all the same",
    },
    Setup {
        name: "a driver with wrong results that is asked for",
        env: &[],
        args: &[],
        works: true,
        line: " gives wrong results: a work-item's loops end after 65,535 rounds in sum; install Mesa 23.0 or \
               newer (Debian 12: apt install -t bookworm-backports mesa-vulkan-drivers)",
    },
];

/// Set-ups with both lavapipes.
const BOTH: &[Setup] = &[Setup {
    name: "a driver with wrong results beside a newer one",
    env: &[("PUMICE_FAULTY_DRIVERS", "")],
    args: &[],
    works: true,
    line: "; nothing is to be done: another version of its driver is used",
}];

/// Runs a set-up that is well, then every broken one.
pub fn run(report: &mut Report) -> Result {
    let library = test::build_debug()?;
    sh::run(&mut test::cargo(&["build", "--quiet", "-p", "pumice-info"]))?;
    let folder = sh::target().join("info");
    make_files(&folder, &library)?;
    let backports = drivers::backports()?;
    let vendors = clients::vendors_folder("info", &library)?;
    let setting = clients::Setting {
        vendors: &vendors,
        driver: Some(&backports),
        loader: None,
        env: &[],
    };
    let start = |setting: &clients::Setting<'_>| {
        let mut command = Command::new(sh::target().join("debug/pumice-info"));
        setting.apply(&mut command);
        command
    };
    let done = sh::run_limited(&mut start(&setting), LIMIT)?;
    report.record("a set-up that is well", well(&done));
    let done = sh::run_limited(start(&setting).arg("--json"), LIMIT)?;
    report.record("as JSON", json(&done));
    let system = drivers::system()?;
    let both = drivers::together(&system, &backports)?;
    let groups = [(&backports, SETUPS), (&system, FAULTY), (&both, BOTH)];
    let all = groups
        .iter()
        .flat_map(|(driver, setups)| setups.iter().map(move |setup| (driver, setup)));
    for (driver, setup) in all {
        if !setup.name.contains(&report.filter) {
            continue;
        }
        let fill = |text: &str| text.replace("{}", &folder.display().to_string());
        let setting = clients::Setting {
            driver: Some(driver),
            ..setting
        };
        let mut command = start(&setting);
        command.args(setup.args.iter().map(|arg| fill(arg)));
        command.envs(setup.env.iter().map(|(name, value)| (name, fill(value))));
        if setup.env.iter().any(|(name, _)| *name == "container") {
            command = without_gpus(&command).unwrap_or(command);
        }
        let done = sh::run_limited(&mut command, LIMIT)?;
        let outcome = verdict(&done, &fill(setup.line), setup.works);
        report.record(setup.name, outcome);
    }
    Ok(())
}

/// Makes libraries that cannot be loaded, and the folders that name them.
fn make_files(folder: &Path, library: &Path) -> Result {
    let icd = |name: &str, library: &Path| {
        let path = folder.join(name);
        sh::write(&path, format!("{}\n", library.display()))
    };
    sh::write(&folder.join("empty/other.txt"), b"")?;
    icd("gone/pumice.icd", Path::new("/nowhere/libpumice.so"))?;
    let crash = folder.join("libcrash.so");
    let flags = ["-shared", "-fPIC"].map(String::from);
    clients::compile(&sh::root().join("tests/icds/crash.c"), &crash, &flags)?;
    icd("crash/crash.icd", &crash)?;
    icd("crash/pumice.icd", library)?;
    make_vulkan_drivers(&folder.join("vulkan"), &crash)?;
    // The same library, which asks for symbols of a C library that does not exist yet.
    let new = folder.join("libpumice.so.new");
    let mut bytes =
        std::fs::read(library).map_err(|error| format!("{}: {error}", library.display()))?;
    let (old_version, new_version) = (b"GLIBC_2.34\0", b"GLIBC_9.99\0");
    let mut windows = bytes.windows(old_version.len());
    let at = windows.position(|window| window == old_version);
    let at = at.ok_or("libpumice.so does not need GLIBC_2.34")?;
    bytes[at..at + new_version.len()].copy_from_slice(new_version);
    sh::write(&new, &bytes)?;
    icd("glibc/pumice.icd", &new)?;
    // The header of a 32-bit library, without sections.
    let mut header = [0_u8; 52];
    header[..7].copy_from_slice(b"\x7fELF\x01\x01\x01");
    header[16..20].copy_from_slice(&[3, 0, 3, 0]);
    header[20] = 1;
    header[40] = 52;
    let bits = folder.join("libpumice.so.32");
    sh::write(&bits, header)?;
    icd("bits/pumice.icd", &bits)?;
    // What an older version wrote, and what was cut short.
    let stale = folder.join("stale-cache");
    sh::write(
        &stale.join("old"),
        [b"PUMICE\0\n".as_slice(), &[0; 64]].concat(),
    )?;
    sh::write(&stale.join("cut"), b"PUM")?;
    allow(&stale, 0o700)?;
    let open = folder.join("open-cache");
    sh::write(&open.join("entry"), b"")?;
    allow(&open, 0o777)
}

/// Makes manifests of Vulkan drivers: of a library that needs another which is gone, of a text, and of a library that
/// is no driver.
fn make_vulkan_drivers(folder: &Path, other: &Path) -> Result {
    let manifest = |name: &str, library: &str| {
        let text = serde_json::json!({
            "file_format_version": "1.0.0",
            "ICD": { "library_path": library, "api_version": "1.3.0" },
        });
        sh::write(&folder.join(name), text.to_string())
    };
    sh::write(&folder.join("lib/text.so"), b"no library")?;
    manifest("text.json", "lib/text.so")?;
    manifest("crash.json", &other.display().to_string())?;
    let source = sh::root().join("tests/icds/crash.c");
    let compile = |name: &str, flags: &[&str]| {
        let flags: Vec<_> = ["-shared", "-fPIC"].iter().chain(flags).collect();
        let flags: Vec<_> = flags.iter().map(|flag| flag.to_string()).collect();
        let to = folder.join("lib").join(name);
        clients::compile(&source, &to, &flags).map(|()| to)
    };
    // No file has the name by which it is to be loaded.
    let gone = compile("libgone.so", &["-Wl,-soname,libpumice-gone.so.1"])?;
    let needed = gone.display().to_string();
    compile("liblacking.so", &["-Wl,--no-as-needed", &needed])?;
    manifest("lacking.json", "lib/liblacking.so")
}

fn allow(folder: &Path, mode: u32) -> Result {
    std::fs::set_permissions(folder, std::fs::Permissions::from_mode(mode))
        .map_err(|error| format!("{}: {error}", folder.display()))
}

/// The program and its words where no device file of a GPU is seen: a system that has some hides them.
fn without_gpus(command: &Command) -> Option<Command> {
    let hide = "mount -t tmpfs none /mnt && for f in null zero full random urandom; do \
                touch /mnt/$f && mount --bind /dev/$f /mnt/$f || exit; done && \
                mkdir /mnt/shm && mount --move /mnt /dev && exec \"$@\"";
    let files = ["/dev/dri", "/dev/nvidiactl"];
    files.iter().any(|file| Path::new(file).exists()).then(|| {
        let mut hidden = Command::new("unshare");
        hidden
            .args(["--map-root-user", "--mount", "sh", "-c", hide, "sh"])
            .arg(command.get_program())
            .args(command.get_args());
        for (name, value) in command.get_envs() {
            match value {
                Some(value) => hidden.env(name, value),
                None => hidden.env_remove(name),
            };
        }
        hidden
    })
}

fn verdict(done: &Finished, line: &str, works: bool) -> Result {
    let mut lines = done.stdout.lines();
    let found = lines.any(|shown| shown.contains(line));
    match found && done.ok == works {
        true => Ok(()),
        false => Err(format!(
            "expected: {line}\n{}\n{}{}",
            done.status, done.stdout, done.stderr
        )),
    }
}

/// Nothing is wrong, and the page fits a screen.
fn well(done: &Finished) -> Result {
    let text = &done.stdout;
    let verdict = text.contains(": OpenCL programs find one device of Pumice here.\n");
    if !done.ok || !verdict || text.contains("\nProblems\n") || text.lines().count() > 60 {
        return Err(format!("{}\n{text}{}", done.status, done.stderr));
    }
    Ok(())
}

fn json(done: &Finished) -> Result {
    let value: serde_json::Value =
        serde_json::from_str(&done.stdout).map_err(|error| format!("{error}\n{}", done.stdout))?;
    let device = &value["driver"]["answer"]["devices"][0];
    let driver = device["driver"].as_str().unwrap_or_default();
    let right = done.ok
        && value["works"] == true
        && value["vulkan"].as_array().is_some_and(Vec::is_empty)
        && value["loader"]["answer"]["platforms"][0]["name"] == "Pumice"
        && driver.starts_with("llvmpipe Mesa 25.0")
        && device["probes"]["denormals_double"].is_boolean();
    match right {
        true => Ok(()),
        false => Err(format!("{}\n{value:#}", done.status)),
    }
}
