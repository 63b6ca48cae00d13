//! Tests of the list of quirks.

use crate::caps::{DeviceType, Driver, hosts};
use crate::quirks::{QUIRKS, Quirk, QuirkKind, has, wrong_results};

#[test]
fn rows_hold_by_driver_and_version() {
    let driver = |id, info: &str| Driver {
        id,
        name: "any name".into(),
        info: info.into(),
        version: 1,
        ..Driver::default()
    };
    let probes = |driver: &Driver| has(driver, QuirkKind::ProbeHostAddresses);
    assert!(probes(&driver(13, "Mesa 22.3.6 (LLVM 15.0.6)")));
    assert!(probes(&driver(13, "Mesa 25.0.7-2 (LLVM 19.1.7)")));
    assert!(!probes(&driver(13, "Mesa 21.3.0 (LLVM 13)")));
    assert!(!probes(&driver(13, "something else")));
    assert!(!probes(&driver(3, "Mesa 25.0.7")));
    let wrong = |driver: &Driver| wrong_results(driver).map(|quirk| quirk.kind);
    let old = driver(13, "Mesa 22.3.6 (LLVM 15.0.6)");
    assert_eq!(wrong(&old), Some(QuirkKind::LoopsStop));
    assert_eq!(wrong(&driver(13, "Mesa 23.0.0 (LLVM 15.0.6)")), None);
    let denormals = |driver: &Driver| has(driver, QuirkKind::ProbeDenormals);
    assert!(denormals(&driver(4, "550.54.14")));
    assert!(!denormals(&driver(4, "")));
    assert!(!denormals(&driver(3, "550.54.14")));
}

/// Of a driver that something else runs on, the faults count that programs would see.
#[test]
fn faults_of_hosts_count() {
    let venus = |device_type, vendor| Driver {
        id: 22,
        hosts: hosts(22, device_type, vendor),
        ..Driver::default()
    };
    let cpu = venus(DeviceType::Cpu, 0x10005);
    assert!(has(&cpu, QuirkKind::ExactConversions));
    assert!(!has(&cpu, QuirkKind::UnsignedToFloatByHalves));
    assert!(!has(&cpu, QuirkKind::ProbeHostAddresses));
    assert!(!has(&cpu, QuirkKind::LocalIdsFromLanes));
    assert!(!has(&cpu, QuirkKind::LoopsStop));
    let nvidia = venus(DeviceType::DiscreteGpu, 0x10de);
    assert!(has(&nvidia, QuirkKind::NoSmallChannels));
    assert!(!has(&nvidia, QuirkKind::ForkedExits));
    assert!(!has(&nvidia, QuirkKind::ExactConversions));
    assert_eq!(hosts(13, DeviceType::Cpu, 0x10005), []);
}

/// Of a driver that is told by name and version, the rows hold but for those of the process.
#[test]
fn rows_of_the_host_hold() {
    let venus = |info: &str| Driver {
        id: 22,
        name: "venus".into(),
        info: "Mesa 26.2.6".into(),
        host: Some(Box::new(Driver {
            id: 13,
            name: "llvmpipe".into(),
            info: info.into(),
            ..Driver::default()
        })),
        ..Driver::default()
    };
    let new = venus("Mesa 26.2.6 (LLVM 22.1.8)");
    assert!(has(&new, QuirkKind::ExactConversions));
    assert!(has(&new, QuirkKind::LocalIdsFromLanes));
    assert!(!has(&new, QuirkKind::ProbeHostAddresses));
    assert!(!has(&new, QuirkKind::LocalMemoryInBuffers));
    assert_eq!(wrong_results(&new).map(|quirk| quirk.kind), None);
    assert_eq!(
        new.to_string(),
        "venus Mesa 26.2.6, on llvmpipe Mesa 26.2.6 (LLVM 22.1.8)"
    );
    let old = venus("Mesa 22.3.6 (LLVM 15.0.6)");
    assert_eq!(
        wrong_results(&old).map(|quirk| quirk.kind),
        Some(QuirkKind::LoopsStop)
    );
}

/// A cure names a version, so every row that leaves devices out has one.
#[test]
fn what_leaves_devices_out_has_a_cure() {
    let rows = QUIRKS.iter().filter(|quirk| quirk.kind.leaves_out());
    let cures: Vec<String> = rows.map(Quirk::cure).collect();
    let mesa = "install Mesa 23.0 or newer (Debian 12: apt install -t bookworm-backports \
                mesa-vulkan-drivers)";
    assert_eq!(cures, [mesa]);
}
