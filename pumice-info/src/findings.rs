//! Conclusions from the facts: each names a cause and what would help.

use std::path::Path;

use serde_json::Value;

use crate::elf::Elf;
use crate::facts::{Facts, Program, lacks_vulkan_driver, version};
use crate::probe::Outcome;
use crate::vendors::Vendor;

/// The end of the linker's error about a library that is not there; the name stands before it.
const NO_FILE: &str = ": cannot open shared object file: No such file or directory";
/// A part of its error about a library for programs of another size of addresses.
const OTHER_BITS: &str = "wrong ELF class";

/// A conclusion.
#[derive(Debug, PartialEq, Eq)]
pub struct Finding {
    /// It keeps programs from Pumice or from right results; others are notes.
    pub problem: bool,
    /// The cause.
    pub cause: String,
    /// The cure.
    pub cure: String,
}

fn problem(cause: impl Into<String>, cure: impl Into<String>) -> Finding {
    let (cause, cure) = (cause.into(), cure.into());
    Finding {
        problem: true,
        cause,
        cure,
    }
}

fn note(cause: impl Into<String>, cure: impl Into<String>) -> Finding {
    Finding {
        problem: false,
        ..problem(cause, cure)
    }
}

/// Draws the conclusions, problems first.
pub fn of(facts: &Facts) -> Vec<Finding> {
    let mut found = Vec::new();
    found.extend(library(facts));
    found.extend(vendors(facts));
    found.extend(loader(facts));
    if let Some(report) = facts.report() {
        found.extend(vulkan(facts, report));
        found.extend(devices(report));
        found.extend(cache(report));
        found.extend(configuration(report));
    }
    found.extend(render_nodes(facts));
    found.extend(facts.program.iter().flat_map(program));
    found.sort_by_key(|finding| !finding.problem);
    found
}

/// The driver's own library.
fn library(facts: &Facts) -> Vec<Finding> {
    let (Some(path), Some(elf)) = (&facts.library, &facts.elf) else {
        return vec![problem(
            "libpumice.so is nowhere",
            "install the package pumice, or name it with --library",
        )];
    };
    unusable(path, elf, &facts.driver, facts)
        .into_iter()
        .collect()
}

/// The reason why a driver cannot be loaded.
fn unusable(
    path: &Path,
    elf: &Result<Elf, String>,
    outcome: &Outcome,
    facts: &Facts,
) -> Option<Finding> {
    let path = path.display();
    let elf = match elf {
        Ok(elf) => elf,
        Err(why) if why.contains("Permission denied") => {
            let cure = format!("sudo chmod a+r {path}");
            return Some(problem(format!("this user cannot read {path}"), cure));
        }
        Err(why) => {
            return Some(problem(
                format!("{path} cannot be read: {why}"),
                "install Pumice again",
            ));
        }
    };
    if elf.bits != usize::BITS {
        let cause = format!(
            "{path} is a {}-bit library, programs here have {} bits",
            elf.bits,
            usize::BITS
        );
        return Some(problem(cause, "install the package for this processor"));
    }
    if elf.needs > facts.glibc {
        let (needs, has) = (version(elf.needs)?, version(facts.glibc)?);
        let cause = format!("{path} needs glibc {needs}, this system has {has}");
        return Some(problem(
            cause,
            "install a package made for this system, or build Pumice on it",
        ));
    }
    match outcome {
        Outcome::Answer(..) | Outcome::Unavailable(_) => None,
        _ => Some(problem(
            format!("{path} {}", outcome.trouble()?),
            "install Pumice again",
        )),
    }
}

/// The `.icd` files.
fn vendors(facts: &Facts) -> Vec<Finding> {
    let place = match &facts.place.variable {
        Some(variable) => format!("{variable}={}", facts.place.path.display()),
        None => facts.place.path.display().to_string(),
    };
    let cure = match &facts.place.variable {
        Some(variable) => format!("unset {variable}, or name a folder with pumice.icd"),
        None => "install Pumice for all users, or set OCL_ICD_VENDORS to a folder with pumice.icd"
            .to_string(),
    };
    let list = match &facts.vendors {
        Ok(list) => list,
        Err(why) => {
            return vec![problem(
                format!("{place} {why}: programs find no driver"),
                cure,
            )];
        }
    };
    let mut found = Vec::new();
    let ours = list.iter().filter(|(vendor, _)| vendor.is_pumice());
    let ours: Vec<_> = ours.map(|(vendor, _)| vendor.name()).collect();
    if ours.len() > 1 {
        let cause = format!(
            "{} all name Pumice: its devices are there more than once",
            ours.join(", ")
        );
        found.push(note(cause, "remove all but one"));
    }
    if ours.is_empty() {
        found.push(problem(
            format!("no .icd file of {place} names libpumice.so"),
            cure,
        ));
    }
    let listed = |name: &&String| list.iter().any(|(vendor, _)| vendor.name() == **name);
    let others = facts
        .default_vendors
        .iter()
        .filter(|name| *name != "pumice.icd");
    let lost: Vec<_> = others.filter(|name| !listed(name)).cloned().collect();
    if !lost.is_empty() && facts.place.variable.is_some() {
        let cause = format!("{place} lacks {} of the system", lost.join(", "));
        let cure = "log in again, if ~/.profile reads Pumice's env.sh, or unset the variable";
        found.push(note(cause, cure));
    }
    for (vendor, outcome) in list {
        found.extend(vendor_trouble(facts, vendor, outcome));
    }
    found
}

fn vendor_trouble(facts: &Facts, vendor: &Vendor, outcome: &Outcome) -> Option<Finding> {
    let (file, library) = (vendor.file.display(), &vendor.library);
    let missing = vendor.path.as_deref().filter(|path| !path.exists());
    if vendor.is_pumice() {
        if let Some(path) = missing {
            let cause = format!("{file} names {}, which does not exist", path.display());
            return Some(problem(cause, "install Pumice again, or correct the file"));
        }
        // The library that was asked has its findings already.
        return match vendor.path == facts.library {
            true => None,
            false => unusable(vendor.path.as_deref()?, &vendor.elf, outcome, facts),
        };
    }
    match outcome {
        Outcome::Answer(..) | Outcome::Unavailable(_) => None,
        Outcome::Crashed(_) | Outcome::Hung => {
            let trouble = outcome.trouble()?;
            let cause =
                format!("{library} of {file} {trouble}, and takes every OpenCL program along");
            let cure = format!("remove {file}, or set OCL_ICD_VENDORS to a folder without it");
            Some(problem(cause, cure))
        }
        Outcome::Failed(_) if library.is_empty() => Some(note(
            format!("{file} cannot be read"),
            format!("sudo chmod a+r {file}"),
        )),
        Outcome::Failed(_) => {
            let trouble = outcome.trouble()?;
            let cause = format!("{library} of {file} {trouble}");
            Some(note(
                cause,
                "loaders skip it; install that driver again, or remove the file",
            ))
        }
    }
}

/// The ICD loader.
fn loader(facts: &Facts) -> Option<Finding> {
    match &facts.loader {
        Outcome::Failed(why) if why.contains("libOpenCL") => Some(problem(
            "there is no ICD loader, libOpenCL.so.1",
            "install ocl-icd-libopencl1 (Debian) or ocl-icd (Fedora, Arch)",
        )),
        Outcome::Unavailable(why) => {
            let cause = format!("drivers could not be tried: {why}");
            Some(problem(
                cause,
                "install the package pumice again; its probe is missing or does not run here",
            ))
        }
        _ => None,
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn texts(value: &Value) -> Vec<&str> {
    value
        .as_array()
        .map(|list| list.iter().map(text).collect())
        .unwrap_or_default()
}

/// The reason why Vulkan gives no device.
fn vulkan(facts: &Facts, report: &Value) -> Vec<Finding> {
    let mut found = Vec::new();
    let failure = text(&report["vulkan_failure"]);
    if failure.contains("cannot open shared object") {
        let cause = failure.trim_start_matches("Vulkan is not available: ");
        let cause = format!("the Vulkan loader is missing ({cause})");
        found.push(problem(
            cause,
            "install libvulkan1 (Debian) or vulkan-loader (Fedora), or unset PUMICE_VULKAN_LIBRARY",
        ));
    } else if lacks_vulkan_driver(report) {
        found.extend(vulkan_drivers(facts));
    } else if !failure.is_empty() {
        found.push(problem(failure, "vulkaninfo --summary tells more"));
    }
    for device in report["left_out"].as_array().into_iter().flatten() {
        let (name, reason) = (text(&device["name"]), text(&device["reason"]));
        let cause = format!("{name} is left out: {reason}");
        let cure = text(&device["cure"]);
        found.push(match facts.works() {
            true => note(cause, cure),
            false => problem(cause, cure),
        });
    }
    let hidden = texts(&report["hidden"]);
    if !hidden.is_empty() {
        let cause = format!("PUMICE_DEVICES leaves out {}", hidden.join(", "));
        let none = report["devices"].as_array().is_none_or(Vec::is_empty);
        let cure = "unset it, or name the device";
        found.push(if none {
            problem(cause, cure)
        } else {
            note(cause, cure)
        });
    }
    found
}

/// The reasons why no Vulkan driver has a device.
fn vulkan_drivers(facts: &Facts) -> Vec<Finding> {
    let (manifests, mut found) = (&facts.system.manifests, Vec::new());
    if let (Some(name), false) = (manifests.variable, manifests.missing.is_empty()) {
        let missing = manifests.missing.join(", ");
        found.push(problem(
            format!("{name} names {missing}, which does not exist"),
            format!("unset {name}, or correct it"),
        ));
    }
    let error = |outcome: &Outcome| outcome.answer().map(|answer| answer["error"].clone());
    let loads = |outcome| error(outcome).is_some_and(|error| error.is_null());
    let one_loads = facts.vulkan.iter().any(|(_, outcome)| loads(outcome));
    for (manifest, outcome) in &facts.vulkan {
        // Systems with 32-bit programs have drivers for these beside the others.
        let foreign = error(outcome).is_some_and(|error| text(&error).contains(OTHER_BITS));
        if !(foreign && one_loads) {
            found.extend(vulkan_driver(facts, manifest, outcome));
        }
    }
    if found.is_empty() {
        found.push(match manifests.variable {
            Some(name) => problem(
                format!("the Vulkan driver that {name} names has no device here"),
                format!("unset {name}"),
            ),
            // The toolkit's default brings the libraries of CUDA and OpenCL alone.
            None if facts.system.nvidia && facts.system.container.is_some() => problem(
                "no Vulkan driver is here, although NVIDIA's driver has its device file",
                "start the container with NVIDIA_DRIVER_CAPABILITIES=all, or name graphics among them",
            ),
            None => problem(
                "no Vulkan driver is installed, or none has a device",
                "install mesa-vulkan-drivers (Debian, Fedora) or the GPU maker's driver",
            ),
        });
    }
    found
}

/// The reason why a Vulkan driver cannot be loaded.
fn vulkan_driver(facts: &Facts, manifest: &Path, outcome: &Outcome) -> Option<Finding> {
    let file = manifest.display();
    let again = match facts.system.manifests.variable {
        Some(name) => format!("install that driver again, or unset {name}"),
        None => format!("install that driver again, or remove {file}"),
    };
    let answer = match outcome {
        Outcome::Unavailable(_) => return None,
        Outcome::Answer(answer, _) => answer,
        _ => {
            let cause = format!("the Vulkan driver of {file} {}", outcome.trouble()?);
            return Some(problem(cause, again));
        }
    };
    let error = answer["error"].as_str()?;
    let Some(library) = answer["library"].as_str() else {
        let cause = format!("the manifest {file} of a Vulkan driver {error}");
        return Some(problem(cause, again));
    };
    let cause = format!("the Vulkan driver {library} of {file} cannot be loaded ({error})");
    let nvidia = |name: &str| name.contains("nvidia");
    let cure = match error.strip_suffix(NO_FILE) {
        // NVIDIA's container toolkit brings the driver's libraries along.
        Some(missing) if nvidia(missing) && facts.system.container.is_some() => {
            "start the container with --gpus all and NVIDIA_DRIVER_CAPABILITIES=graphics,utility"
                .to_string()
        }
        Some(missing) if nvidia(library) && !nvidia(missing) => format!(
            "install the package that has {missing}; on Debian, NVIDIA's driver needs libx11-6, \
             libxext6 and libglvnd0"
        ),
        Some(missing) => format!("install the package that has {missing}"),
        None if error.contains(OTHER_BITS) => "install the driver for this processor".to_string(),
        None => again,
    };
    Some(problem(cause, cure))
}

/// Devices that do not do what they should.
fn devices(report: &Value) -> Vec<Finding> {
    let mut found = Vec::new();
    for device in report["devices"].as_array().into_iter().flatten() {
        let (name, driver) = (text(&device["name"]), text(&device["driver"]));
        if device["open"] == false {
            found.push(problem(
                format!("{name} cannot be opened"),
                "vulkaninfo tells more; another program may hold it",
            ));
        }
        for quirk in device["quirks"].as_array().into_iter().flatten() {
            if quirk["wrong_results"] == true {
                let cause = format!("{driver} gives wrong results: {}", text(&quirk["reason"]));
                found.push(problem(cause, text(&quirk["cure"])));
            }
        }
        if device["pointers"] == "descriptors" {
            let cause = format!(
                "{name} has no device addresses: no shared virtual memory, smaller buffers"
            );
            found.push(note(cause, "a driver with bufferDeviceAddress has them"));
        }
    }
    found
}

/// The cache of built programs.
fn cache(report: &Value) -> Option<Finding> {
    let (folder, fault) = (
        text(&report["cache"]["folder"]),
        text(&report["cache"]["fault"]),
    );
    if fault.is_empty() {
        let stale = report["cache"]["stale"]
            .as_u64()
            .filter(|count| *count > 0)?;
        let cause = format!(
            "the cache {folder} is stale: {stale} of {} entries are damaged or of an older version",
            report["cache"]["entries"]
        );
        let cure = format!("rm -r {folder}: it is made again as programs are built");
        return Some(note(cause, cure));
    }
    let cure = match fault {
        _ if fault.contains("may write") => format!("chmod go-w {folder}"),
        _ if fault.contains("belongs to") => {
            format!("sudo rm -r {folder}: it was perhaps made under sudo")
        }
        _ => "set PUMICE_CACHE_DIR to a folder that can be written".to_string(),
    };
    let cause =
        format!("programs are compiled at each start, the cache {folder} is not used: {fault}");
    Some(note(cause.replace("  ", " "), cure))
}

/// Settings without effect.
fn configuration(report: &Value) -> Vec<Finding> {
    let ignored = texts(&report["configuration"]["ignored"]);
    let finding = |line: &str| {
        note(
            format!("a setting is ignored: {line}"),
            "docs/environment.md lists the options",
        )
    };
    ignored.into_iter().map(finding).collect()
}

/// GPUs that this process cannot reach.
fn render_nodes(facts: &Facts) -> Vec<Finding> {
    let (nodes, mut found) = (&facts.system.nodes, Vec::new());
    for (path, error) in nodes {
        if let Some(error) = error {
            let cause = format!(
                "{} cannot be opened ({error}): its GPU is not seen",
                path.display()
            );
            found.push(note(
                cause,
                "sudo usermod -aG render $USER, then log in again",
            ));
        }
    }
    let devices = facts
        .report()
        .and_then(|report| report["devices"].as_array());
    let is_gpu = |device: &Value| !matches!(text(&device["type"]), "" | "Cpu");
    // NVIDIA's own driver needs no render node.
    let reached = facts.system.nvidia || devices.is_some_and(|devices| devices.iter().any(is_gpu));
    if let (Some(kind), true, false) = (facts.system.container, nodes.is_empty(), reached) {
        let cause =
            format!("{kind} gives no /dev/dri: no GPU is seen, only drivers on the processor");
        let cure = "start the container with --device /dev/dri, or for NVIDIA's GPUs with --gpus all \
                    (NVIDIA's container toolkit)";
        found.push(note(cause, cure));
    }
    found
}

/// The program that is to use Pumice.
fn program(program: &Program) -> Vec<Finding> {
    let path = program.path.display();
    let elf = match &program.elf {
        Ok(elf) => elf,
        Err(why) => {
            return vec![problem(
                format!("{path}: {why}"),
                "name the executable itself, not a script",
            )];
        }
    };
    let mut found = Vec::new();
    if elf.bits != usize::BITS {
        let cause = format!(
            "{path} is a {}-bit program, Pumice has {} bits",
            elf.bits,
            usize::BITS
        );
        found.push(problem(cause, "use a 64-bit build of the program"));
    } else if !elf.interpreted {
        let cause = format!("{path} is linked statically and can load no driver");
        found.push(problem(cause, "link it with libOpenCL.so"));
    }
    if program.privileged {
        let cause =
            format!("{path} is set-uid or set-gid: it ignores PUMICE_* and loaders' variables");
        found.push(note(cause, "put options into /etc/pumice.conf"));
    }
    found
}

#[cfg(test)]
mod tests;
