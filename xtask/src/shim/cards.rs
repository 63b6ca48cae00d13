//! The GPUs that shims pretend to be.

/// The library that pretends to be a kernel.
pub enum Shim {
    /// `libNAME_noop_drm_shim.so` of mesa-drm-shim.
    Mesa(&'static str),
    /// Compiled from `tests/shims/NAME.c`.
    Own(&'static str),
}

/// A GPU that a shim pretends to be.
pub struct Card {
    /// Short name for messages.
    pub name: &'static str,
    /// The driver's manifest is named `DRIVER_icd.json`.
    pub driver: &'static str,
    pub shim: Shim,
    /// The variable that chooses the GPU.
    pub choice: Option<(&'static str, &'static str)>,
    /// A part of VkPhysicalDeviceProperties::deviceName.
    pub device: &'static str,
    /// Its name in the guide's table of devices.
    pub row: &'static str,
    /// Clients run on it; kernels are compiled on all.
    pub runs_clients: bool,
    /// Device and host share memory.
    pub shares_memory: bool,
    /// Findings of the start-up probes on the GPU itself, by the mask's names.
    pub finds: &'static str,
    /// Things that clients and kernel files may need and the device lacks.
    pub lacks: &'static [&'static str],
}

const fn amd(
    name: &'static str,
    device: &'static str,
    row: &'static str,
    runs_clients: bool,
) -> Card {
    Card {
        name,
        driver: "radeon",
        shim: Shim::Mesa("amdgpu"),
        choice: Some(("AMDGPU_GPU_ID", name)),
        device,
        row,
        runs_clients,
        shares_memory: false,
        finds: "+exactFma,+denormals,+accurateExp2,+accurateLog2,+relaxedExp2,+relaxedLog2,+accurateRoots,+accurateSine",
        lacks: &[],
    }
}

const fn intel(
    name: &'static str,
    device: &'static str,
    row: &'static str,
    runs_clients: bool,
    shares_memory: bool,
    lacks: &'static [&'static str],
) -> Card {
    Card {
        name,
        driver: "intel",
        shim: Shim::Own("intel_kernel"),
        choice: Some(("INTEL_GPU", name)),
        device,
        row,
        runs_clients,
        shares_memory,
        finds: "+exactFma,+denormals,+relaxedExp2,+relaxedLog2,+accurateSine",
        lacks,
    }
}

/// The one list of them.
pub const CARDS: &[Card] = &[
    amd(
        "navi31",
        "RADV NAVI31",
        "RADV, RDNA 3 (Radeon RX 7900)",
        true,
    ),
    amd(
        "polaris10",
        "RADV POLARIS10",
        "RADV, GCN 4 (Radeon RX 480)",
        false,
    ),
    amd(
        "vega10",
        "RADV VEGA10",
        "RADV, GCN 5 (Radeon RX Vega)",
        false,
    ),
    amd(
        "navi21",
        "RADV NAVI21",
        "RADV, RDNA 2 (Radeon RX 6900)",
        false,
    ),
    amd(
        "gfx1201",
        "RADV GFX1201",
        "RADV, RDNA 4 (Radeon RX 9070)",
        false,
    ),
    Card {
        name: "nvk",
        driver: "nouveau",
        shim: Shim::Mesa("nouveau"),
        choice: Some(("NOUVEAU_CHIPSET", "172")),
        device: "NVK",
        row: "NVK, Ampere (GeForce RTX 30)",
        runs_clients: true,
        shares_memory: false,
        finds: "+exactFma,+denormals,+relaxedExp2,+relaxedLog2,+accurateSine",
        lacks: &[],
    },
    Card {
        name: "turnip",
        driver: "freedreno",
        shim: Shim::Mesa("freedreno"),
        choice: Some(("FD_GPU_ID", "730")),
        device: "Turnip Adreno",
        row: "Turnip, Adreno 730",
        runs_clients: true,
        shares_memory: true,
        finds: "+relaxedExp2,+relaxedLog2,+accurateSine",
        lacks: &[],
    },
    Card {
        name: "honeykrisp",
        driver: "asahi",
        shim: Shim::Mesa("asahi"),
        choice: None,
        device: "Apple M1",
        row: "Honeykrisp, Apple M1",
        runs_clients: true,
        shares_memory: true,
        finds: "+exactFma,+relaxedExp2,+relaxedLog2,+accurateSine",
        lacks: &[],
    },
    Card {
        driver: "intel_hasvk",
        ..intel(
            "hsw",
            "HSW GT2",
            "hasvk, Gen 7.5 (HD Graphics 4600)",
            false,
            true,
            &[
                "doubles",
                "int64-atomics",
                "pipes",
                "device-queues",
                "device-addresses",
            ],
        )
    },
    Card {
        driver: "intel_hasvk",
        ..intel(
            "bdw",
            "BDW GT2",
            "hasvk, Gen 8 (HD Graphics 5500)",
            false,
            true,
            &["int64-atomics", "exact-fma"],
        )
    },
    intel(
        "skl",
        "SKL GT2",
        "ANV, Gen 9 (HD Graphics 530)",
        false,
        true,
        &["int64-atomics"],
    ),
    intel("tgl", "TGL GT2", "ANV, Xe-LP (Iris Xe)", true, true, &[]),
    intel("dg2", "DG2", "ANV, Xe-HPG (Arc A770)", true, false, &[]),
    Card {
        shim: Shim::Own("xe_kernel"),
        ..intel(
            "bmg",
            "BMG G21",
            "ANV, Xe2 (Arc B580)",
            true,
            false,
            &["int64-atomics"],
        )
    },
    Card {
        shim: Shim::Own("xe_kernel"),
        ..intel(
            "ptl",
            "PTL",
            "ANV, Xe3 (Panther Lake)",
            false,
            true,
            &["int64-atomics"],
        )
    },
];
