//! A conclusion for each thing that can be wrong.

use super::{Finding, of};
use crate::elf::Elf;
use crate::facts::{Facts, Program};
use crate::manifests::Manifests;
use crate::probe::Outcome;
use crate::system::System;
use crate::vendors::{Place, Vendor};
use serde_json::{Value, json};

fn elf() -> Elf {
    Elf {
        bits: usize::BITS,
        interpreted: true,
        needs: Some((2, 34)),
        ..Elf::default()
    }
}

fn vendor(file: &str, library: &str) -> Vendor {
    Vendor {
        file: file.into(),
        library: library.to_string(),
        path: Some(library.into()),
        elf: Ok(elf()),
    }
}

fn answer(value: Value) -> Outcome {
    Outcome::Answer(value, String::new())
}

/// A system on which everything is well.
fn well() -> Facts {
    Facts {
        // A path that exists.
        library: Some("/".into()),
        elf: Some(Ok(elf())),
        driver: answer(json!({ "devices": [{ "name": "GPU", "open": true }] })),
        glibc: Some((2, 36)),
        place: Place {
            variable: None,
            path: "/etc/OpenCL/vendors".into(),
        },
        vendors: Ok(vec![(
            Vendor {
                path: Some("/".into()),
                ..vendor("/v/pumice.icd", "/usr/lib/libpumice.so")
            },
            answer(json!([])),
        )]),
        default_vendors: vec!["pumice.icd".to_string()],
        loader: answer(json!({ "platforms": [{ "name": "Pumice", "devices": 1 }] })),
        vulkan: Vec::new(),
        system: System::default(),
        program: None,
    }
}

fn lines(facts: &Facts) -> Vec<String> {
    let show = |finding: &Finding| {
        let kind = if finding.problem { "problem" } else { "note" };
        format!("{kind}: {}; {}", finding.cause, finding.cure)
    };
    of(facts).iter().map(show).collect()
}

fn check(change: impl Fn(&mut Facts), expected: &[&str]) {
    let mut facts = well();
    change(&mut facts);
    assert_eq!(lines(&facts), expected);
}

#[test]
fn nothing_is_said_of_a_system_that_is_well() {
    assert!(well().works());
    check(|_| {}, &[]);
}

#[test]
fn containers_without_gpus_are_told_of() {
    let docker = |kind: &'static str, nvidia: bool| {
        move |facts: &mut Facts| {
            facts.driver = answer(json!({ "devices": [{ "name": "a", "type": kind }] }));
            facts.system.container = Some("Docker");
            facts.system.nvidia = nvidia;
        }
    };
    check(
        docker("Cpu", false),
        &[
            "note: Docker gives no /dev/dri: no GPU is seen, only drivers on the processor; \
             start the container with --device /dev/dri, or for NVIDIA's GPUs with --gpus all \
             (NVIDIA's container toolkit)",
        ],
    );
    check(docker("Cpu", true), &[]);
    check(docker("DiscreteGpu", false), &[]);
    check(
        |facts| {
            facts.system.nodes = vec![(
                "/dev/dri/renderD128".into(),
                Some("Permission denied".into()),
            )]
        },
        &[
            "note: /dev/dri/renderD128 cannot be opened (Permission denied): its GPU is not seen; \
           sudo usermod -aG render $USER, then log in again",
        ],
    );
}

#[test]
fn a_library_that_cannot_be_loaded_has_its_reason() {
    let library = |elf: Result<Elf, String>| {
        move |facts: &mut Facts| {
            facts.elf = Some(elf.clone());
            facts.driver = Outcome::Failed("some text".into());
        }
    };
    check(
        library(Err("Permission denied (os error 13)".into())),
        &["problem: this user cannot read /; sudo chmod a+r /"],
    );
    check(
        library(Ok(Elf {
            needs: Some((2, 39)),
            ..elf()
        })),
        &["problem: / needs glibc 2.39, this system has 2.36; \
           install a package made for this system, or build Pumice on it"],
    );
    check(
        library(Ok(Elf { bits: 32, ..elf() })),
        &[
            "problem: / is a 32-bit library, programs here have 64 bits; \
           install the package for this processor",
        ],
    );
    check(
        library(Ok(elf())),
        &["problem: / cannot be loaded: some text; install Pumice again"],
    );
    check(
        |facts| facts.library = None,
        &[
            "problem: libpumice.so is nowhere; install the package pumice, or name it with --library",
        ],
    );
}

#[test]
fn other_drivers_that_are_in_the_way_are_named() {
    check(
        |facts| {
            let other = (
                vendor("/v/other.icd", "/lib/libother.so"),
                Outcome::Crashed(11),
            );
            facts.vendors.as_mut().unwrap().push(other);
            let broken = (
                vendor("/v/x.icd", "libx.so"),
                Outcome::Failed("no such file".into()),
            );
            facts.vendors.as_mut().unwrap().push(broken);
        },
        &[
            "problem: /lib/libother.so of /v/other.icd crashes (signal 11), and takes every OpenCL \
             program along; remove /v/other.icd, or set OCL_ICD_VENDORS to a folder without it",
            "note: libx.so of /v/x.icd cannot be loaded: no such file; \
             loaders skip it; install that driver again, or remove the file",
        ],
    );
}

#[test]
fn a_folder_of_links_that_is_stale_is_told_of() {
    let stale = |variable: Option<&'static str>| {
        move |facts: &mut Facts| {
            facts.default_vendors.push("new.icd".to_string());
            facts.place = Place {
                variable: variable.map(String::from),
                path: "/v".into(),
            };
        }
    };
    check(stale(None), &[]);
    check(
        stale(Some("OCL_ICD_VENDORS")),
        &["note: OCL_ICD_VENDORS=/v lacks new.icd of the system; \
           log in again, if ~/.profile reads Pumice's env.sh, or unset the variable"],
    );
}

#[test]
fn missing_vulkan_is_told_apart() {
    let failure = |text: &'static str| {
        move |facts: &mut Facts| {
            facts.driver = answer(json!({ "vulkan_failure": text, "devices": [] }));
        }
    };
    check(
        failure("Vulkan is not available: libvulkan.so.1: cannot open shared object file"),
        &[
            "problem: the Vulkan loader is missing (libvulkan.so.1: cannot open shared object file); \
           install libvulkan1 (Debian) or vulkan-loader (Fedora), or unset PUMICE_VULKAN_LIBRARY",
        ],
    );
    check(
        failure("Vulkan is not available: vkCreateInstance: ERROR_INCOMPATIBLE_DRIVER"),
        &[
            "problem: no Vulkan driver is installed, or none has a device; \
           install mesa-vulkan-drivers (Debian, Fedora) or the GPU maker's driver",
        ],
    );
}

/// A system whose Vulkan driver has no device, with manifests and what became of loading their libraries.
fn without_device(
    variable: Option<&'static str>,
    outcomes: impl IntoIterator<Item = Outcome>,
) -> Facts {
    let failure = "Vulkan is not available: vkCreateInstance: ERROR_INCOMPATIBLE_DRIVER";
    let vulkan = outcomes.into_iter().enumerate();
    Facts {
        driver: answer(json!({ "vulkan_failure": failure, "devices": [] })),
        vulkan: vulkan
            .map(|(number, outcome)| (format!("/m/{number}.json").into(), outcome))
            .collect(),
        system: System {
            manifests: Manifests {
                variable,
                ..Manifests::default()
            },
            ..System::default()
        },
        ..well()
    }
}

fn load(library: &str, error: Option<&str>) -> Outcome {
    answer(json!({ "library": library, "error": error }))
}

fn missing(library: &str, name: &str) -> Outcome {
    let error = format!("{name}: cannot open shared object file: No such file or directory");
    load(library, Some(&error))
}

#[test]
fn a_vulkan_driver_that_loads_has_no_device() {
    let names = Some("VK_DRIVER_FILES");
    let no_device = "problem: the Vulkan driver that VK_DRIVER_FILES names has no device here; unset VK_DRIVER_FILES";
    assert_eq!(
        lines(&without_device(names, [load("liba.so", None)])),
        [no_device]
    );
    let not_tried = Outcome::Unavailable("no probe".into());
    assert_eq!(lines(&without_device(names, [not_tried])), [no_device]);
    // A driver for 32-bit programs beside one that loads is no reason.
    let foreign = || load("/b.so", Some("/b.so: wrong ELF class: ELFCLASS32"));
    let both = [foreign(), load("liba.so", None)];
    assert_eq!(
        lines(&without_device(None, both)),
        [
            "problem: no Vulkan driver is installed, or none has a device; \
             install mesa-vulkan-drivers (Debian, Fedora) or the GPU maker's driver"
        ]
    );
    assert_eq!(
        lines(&without_device(None, [foreign()])),
        [
            "problem: the Vulkan driver /b.so of /m/0.json cannot be loaded (/b.so: wrong ELF class: \
             ELFCLASS32); install the driver for this processor"
        ]
    );
}

#[test]
fn a_vulkan_driver_that_cannot_be_loaded_has_its_reason() {
    let mut facts = without_device(
        None,
        [
            load("liba.so", None),
            missing("/lib/libvulkan_b.so", "libdrm.so.2"),
            load("/c.so", Some("/c.so: file too short")),
            answer(json!({ "library": null, "error": "has no ICD.library_path" })),
            Outcome::Crashed(11),
        ],
    );
    let reasons = |again: [&str; 3]| {
        let [third, fourth, fifth] =
            again.map(|cure| format!("install that driver again, or {cure}"));
        [
            "problem: the Vulkan driver /lib/libvulkan_b.so of /m/1.json cannot be loaded (libdrm.so.2: cannot \
             open shared object file: No such file or directory); install the package that has libdrm.so.2"
                .to_string(),
            format!(
                "problem: the Vulkan driver /c.so of /m/2.json cannot be loaded (/c.so: file too short); {third}"
            ),
            format!("problem: the manifest /m/3.json of a Vulkan driver has no ICD.library_path; {fourth}"),
            format!("problem: the Vulkan driver of /m/4.json crashes (signal 11); {fifth}"),
        ]
    };
    let removed = ["remove /m/2.json", "remove /m/3.json", "remove /m/4.json"];
    assert_eq!(lines(&facts), reasons(removed));
    facts.system.manifests.variable = Some("VK_DRIVER_FILES");
    assert_eq!(lines(&facts), reasons(["unset VK_DRIVER_FILES"; 3]));
    facts.system.manifests.missing = vec!["/nowhere/a.json".to_string()];
    let found = lines(&facts);
    assert_eq!(
        found[0],
        "problem: VK_DRIVER_FILES names /nowhere/a.json, which does not exist; unset VK_DRIVER_FILES, or \
         correct it"
    );
    assert_eq!(found[1..], reasons(["unset VK_DRIVER_FILES"; 3]));
}

#[test]
fn nvidias_vulkan_driver_has_packages_of_its_own() {
    let check = |name: &str, container: Option<&'static str>, cure: &str| {
        let names = Some("VK_DRIVER_FILES");
        let outcome = missing("libGLX_nvidia.so.0", name);
        let mut facts = without_device(names, [outcome]);
        facts.system.container = container;
        facts.system.nvidia = true;
        let cause = format!(
            "the Vulkan driver libGLX_nvidia.so.0 of /m/0.json cannot be loaded ({name}: cannot open shared \
             object file: No such file or directory)"
        );
        assert_eq!(lines(&facts), [format!("problem: {cause}; {cure}")]);
    };
    check(
        "libX11.so.6",
        Some("Docker"),
        "install the package that has libX11.so.6; on Debian, NVIDIA's driver needs libx11-6, libxext6 and \
         libglvnd0",
    );
    check(
        "libGLX_nvidia.so.0",
        Some("Docker"),
        "start the container with --gpus all and NVIDIA_DRIVER_CAPABILITIES=graphics,utility",
    );
    check(
        "libGLX_nvidia.so.0",
        None,
        "install the package that has libGLX_nvidia.so.0",
    );
}

#[test]
fn containers_with_nvidias_device_but_no_vulkan_driver_lack_a_capability() {
    let mut facts = without_device(None, []);
    facts.system.container = Some("Docker");
    facts.system.nvidia = true;
    assert_eq!(
        lines(&facts),
        [
            "problem: no Vulkan driver is here, although NVIDIA's driver has its device file; start the \
          container with NVIDIA_DRIVER_CAPABILITIES=all, or name graphics among them"
        ]
    );
}

#[test]
fn programs_that_cannot_load_it_are_told() {
    let program = |elf: Elf, privileged: bool| {
        move |facts: &mut Facts| {
            facts.program = Some(Program {
                path: "/p".into(),
                elf: Ok(Elf { ..elf }),
                privileged,
            });
        }
    };
    check(
        program(Elf { bits: 32, ..elf() }, false),
        &["problem: /p is a 32-bit program, Pumice has 64 bits; use a 64-bit build of the program"],
    );
    check(
        program(
            Elf {
                interpreted: false,
                ..elf()
            },
            true,
        ),
        &[
            "problem: /p is linked statically and can load no driver; link it with libOpenCL.so",
            "note: /p is set-uid or set-gid: it ignores PUMICE_* and loaders' variables; \
             put options into /etc/pumice.conf",
        ],
    );
    check(program(elf(), false), &[]);
}
