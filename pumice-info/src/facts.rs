//! Everything that is known about the system, gathered once.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::elf::{self, Elf, Glibc};
use crate::os;
use crate::probe::{Outcome, Probe};
use crate::system::System;
use crate::vendors::{self, Place, Vendor};

/// Folders of the driver's library below the one of this program.
const FOLDERS: &[&str] = &[
    "../lib/x86_64-linux-gnu",
    "../lib/aarch64-linux-gnu",
    "../lib64",
    "../lib",
    ".",
];

/// A program that is to use Pumice.
#[derive(Debug)]
pub struct Program {
    /// Its file.
    pub path: PathBuf,
    /// The program, or the reason why it cannot be read.
    pub elf: Result<Elf, String>,
    /// It runs with rights that its user lacks.
    pub privileged: bool,
}

/// The facts.
#[derive(Debug)]
pub struct Facts {
    /// The library that was asked.
    pub library: Option<PathBuf>,
    /// The same as a file.
    pub elf: Option<Result<Elf, String>>,
    /// The driver's own report.
    pub driver: Outcome,
    /// The newest symbol version of the system's C library.
    pub glibc: Option<Glibc>,
    /// The place of the `.icd` files.
    pub place: Place,
    /// The drivers there with what became of loading each, or the reason why there are none.
    pub vendors: Result<Vec<(Vendor, Outcome)>, String>,
    /// The names of the `.icd` files for all users.
    pub default_vendors: Vec<String>,
    /// The answers of the ICD loader.
    pub loader: Outcome,
    /// The manifests of Vulkan drivers with what became of loading each; tried only where Vulkan has no device.
    pub vulkan: Vec<(PathBuf, Outcome)>,
    /// The system around.
    pub system: System,
    /// The program that was asked about.
    pub program: Option<Program>,
}

impl Facts {
    /// Looks at everything; loads drivers in child processes only.
    pub fn gather(library: Option<PathBuf>, program: Option<PathBuf>) -> Facts {
        let variable = |name: &str| std::env::var(name).ok();
        let probe = Probe::find();
        let place = vendors::place(variable);
        let listed = vendors::list(&place.path);
        let installed = listed.iter().flatten().find(|vendor| vendor.is_pumice());
        let installed = installed.and_then(|vendor| vendor.path.clone());
        let library = library.or(installed).or_else(beside);
        let driver = match &library {
            Some(path) => probe.run(&["report", &path.display().to_string()]),
            None => Outcome::Unavailable("libpumice.so was not found".to_string()),
        };
        let tried = |vendor: Vendor| {
            let outcome = try_vendor(&probe, &vendor);
            (vendor, outcome)
        };
        let system = System::look(Path::new("/"), variable);
        let vulkan = match driver.answer().is_some_and(lacks_vulkan_driver) {
            true => try_manifests(&probe, &system.manifests.files),
            false => Vec::new(),
        };
        Facts {
            elf: library.as_deref().map(elf::read),
            library,
            driver,
            glibc: elf::system_glibc(Path::new("/"), usize::BITS),
            vendors: listed.map(|vendors| vendors.into_iter().map(tried).collect()),
            place,
            default_vendors: vendors::default_names(),
            loader: probe.run(&["loader"]),
            vulkan,
            system,
            program: program.map(look_at_program),
        }
    }

    /// The platforms that the loader lists: names and numbers of devices.
    pub fn platforms(&self) -> Vec<(String, u64)> {
        let answer = self.loader.answer();
        let platforms = answer.and_then(|answer| answer["platforms"].as_array());
        platforms
            .map(|list| list.iter().map(name_and_devices).collect())
            .unwrap_or_default()
    }

    /// Tells whether OpenCL programs find Pumice and a device of it.
    pub fn works(&self) -> bool {
        self.platforms()
            .iter()
            .any(|(name, devices)| name == "Pumice" && *devices > 0)
    }

    /// The driver's report.
    pub fn report(&self) -> Option<&Value> {
        self.driver.answer()
    }

    /// As JSON.
    pub fn json(&self) -> Value {
        let elf = |elf: &Result<Elf, String>| match elf {
            Ok(elf) => json!({ "bits": elf.bits, "needs_glibc": version(elf.needs) }),
            Err(why) => json!({ "error": why }),
        };
        let vendors = match &self.vendors {
            Ok(list) => list
                .iter()
                .map(|(vendor, outcome)| json!({ "icd": vendor.json(), "probe": outcome.json() }))
                .collect(),
            Err(why) => json!({ "error": why }),
        };
        json!({
            "version": env!("CARGO_PKG_VERSION"),
            "works": self.works(),
            "library": { "path": self.library, "file": self.elf.as_ref().map(elf) },
            "glibc": version(self.glibc),
            "driver": self.driver.json(),
            "vendors": { "path": self.place.path, "variable": self.place.variable, "drivers": vendors },
            "loader": self.loader.json(),
            "vulkan": self.vulkan.iter().map(|(manifest, outcome)| json!({
                "manifest": manifest,
                "probe": outcome.json(),
            })).collect::<Vec<_>>(),
            "system": self.system.json(),
            "program": self.program.as_ref().map(|program| json!({
                "path": program.path,
                "file": elf(&program.elf),
                "privileged": program.privileged,
            })),
        })
    }
}

/// Tells of a driver's report whether Vulkan has no driver, or none with a device.
pub fn lacks_vulkan_driver(report: &Value) -> bool {
    let failure = report["vulkan_failure"].as_str().unwrap_or_default();
    let empty = |key: &&str| report[*key].as_array().is_none_or(Vec::is_empty);
    let nothing = ["devices", "left_out", "hidden"].iter().all(empty);
    failure.contains("INCOMPATIBLE_DRIVER") || (failure.is_empty() && nothing)
}

/// Name and number of devices of a platform of the probe's answer.
pub fn name_and_devices(platform: &Value) -> (String, u64) {
    let name = platform["name"].as_str().unwrap_or_default();
    (
        name.to_string(),
        platform["devices"].as_u64().unwrap_or_default(),
    )
}

/// `2.36`.
pub fn version(glibc: Option<Glibc>) -> Option<String> {
    glibc.map(|(major, minor)| format!("{major}.{minor}"))
}

/// The library where this program was installed or built.
fn beside() -> Option<PathBuf> {
    let program = std::env::current_exe().ok()?;
    let folder = program.parent()?;
    let folders = FOLDERS
        .iter()
        .filter_map(|below| folder.join(below).canonicalize().ok());
    let mut paths = folders.map(|folder| folder.join("libpumice.so"));
    paths.find(|path| path.exists())
}

/// Loads a driver, unless its file says already that it cannot be.
fn try_vendor(probe: &Probe, vendor: &Vendor) -> Outcome {
    match (&vendor.elf, &vendor.path) {
        (Err(why), Some(_)) => Outcome::Failed(why.clone()),
        (Err(why), None) if vendor.library.is_empty() => Outcome::Failed(why.clone()),
        (Ok(elf), _) if elf.bits != usize::BITS => {
            Outcome::Failed(format!("it is a {}-bit library", elf.bits))
        }
        (_, Some(path)) => probe.run(&["driver", &path.display().to_string()]),
        (_, None) => probe.run(&["driver", &vendor.library]),
    }
}

/// Loads the Vulkan driver of each manifest, each in a process of its own: a crash is that driver's alone.
fn try_manifests(probe: &Probe, files: &[PathBuf]) -> Vec<(PathBuf, Outcome)> {
    let tried = |file: &PathBuf| {
        let outcome = probe.run(&["vulkan", &file.display().to_string()]);
        (file.clone(), outcome)
    };
    files.iter().map(tried).collect()
}

fn look_at_program(path: PathBuf) -> Program {
    Program {
        elf: elf::read(&path),
        privileged: std::fs::metadata(&path).is_ok_and(|meta| os::is_privileged(&meta)),
        path,
    }
}
