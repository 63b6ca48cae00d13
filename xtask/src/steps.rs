//! The steps of `cargo xtask test`: the one list of them.

use crate::packages::{
    BINUTILS, BUILD, CLIENTS, CLINFO, CLUSTER, GIT, GLSL, LOADER, MAKE, MESA, Package, RPM, SPIRV,
    VALIDATION, VULKAN, VULKAN_HEADERS,
};
use crate::sh::Result;
use crate::test::{self, Report};
use crate::{
    arm64, cluster, faults, foreign, graphs, guide, info, installation, low_floor, newest_layer,
    package, programs, shim, tidy, validation, venus,
};

/// A named step.
pub struct Step {
    /// The name on the command line.
    pub name: &'static str,
    /// Contents, in words.
    pub what: &'static str,
    /// Debian packages that are installed before the step runs.
    pub needs: &'static [&'static [Package]],
    /// Runs only where it is named: it takes long or downloads much.
    pub on_request: bool,
    /// Runs it.
    pub run: fn(&mut Report) -> Result,
}

/// All steps, in order.
pub const STEPS: &[Step] = &[
    Step {
        name: "fmt",
        what: "cargo fmt --check",
        needs: &[],
        on_request: false,
        run: test::fmt,
    },
    Step {
        name: "tidy",
        what: "habits that no compiler sees (cargo xtask tidy)",
        needs: &[],
        on_request: false,
        run: |_| tidy::run(&[]),
    },
    Step {
        name: "clippy",
        what: "clippy, warnings denied",
        needs: &[],
        on_request: false,
        run: test::clippy,
    },
    Step {
        name: "unit",
        what: "unit tests, filetests, interpreter runs, spirv-val",
        needs: &[VULKAN, VALIDATION, SPIRV, LOADER],
        on_request: false,
        run: test::unit,
    },
    Step {
        name: "devices",
        what: "dispatch tests of the runtime and the Vulkan layer on the second Vulkan driver",
        needs: &[VULKAN, SPIRV],
        on_request: false,
        run: test::devices,
    },
    Step {
        name: "library",
        what: "the debug library: relocations, needed libraries, exports",
        needs: &[BINUTILS],
        on_request: false,
        run: test::library,
    },
    Step {
        name: "info",
        what: "pumice-info on set-ups that are broken on purpose",
        needs: &[VULKAN, LOADER, CLIENTS],
        on_request: false,
        run: info::run,
    },
    Step {
        name: "install",
        what: "cargo xtask install for a user of its own, what a new shell finds, and uninstall",
        needs: &[VULKAN, LOADER, CLIENTS, CLINFO],
        on_request: false,
        run: installation::run,
    },
    Step {
        name: "guide",
        what: "the user's guide: it builds without a warning, and its commands run",
        needs: &[VULKAN, LOADER, CLIENTS, CLINFO, MAKE, BUILD],
        on_request: false,
        run: guide::test,
    },
    Step {
        name: "package",
        what: "a Debian package, an RPM and a tarball of the debug build, made twice",
        needs: &[RPM, BINUTILS, GIT],
        on_request: false,
        run: package::test,
    },
    Step {
        name: "clients",
        what: "end-to-end clients on two Vulkan drivers and two loaders, with descriptors only; those that suit layers run on Debian 12's Mesa by the step validation",
        needs: &[VULKAN, SPIRV, LOADER, CLIENTS, CLINFO],
        on_request: false,
        run: test::end_to_end,
    },
    Step {
        name: "low-floor",
        what: "clients and kernel files on SwiftShader and on Vulkan 1.1, and with what they lack masked",
        needs: &[VULKAN, SPIRV, LOADER, CLIENTS],
        on_request: false,
        run: low_floor::run,
    },
    Step {
        name: "random",
        what: "random programs on two Vulkan drivers against the interpreter",
        needs: &[VULKAN, LOADER],
        on_request: false,
        run: programs::random,
    },
    Step {
        name: "random-low",
        what: "the next random programs on SwiftShader, and with what low devices lack masked",
        needs: &[VULKAN, LOADER],
        on_request: true,
        run: programs::random_low,
    },
    Step {
        name: "apps",
        what: "real applications, those that install within a minute",
        needs: &[VULKAN, LOADER, CLIENTS],
        on_request: false,
        run: programs::applications,
    },
    Step {
        name: "validation",
        what: "clients on Debian 12's Mesa under the Khronos validation layer, with addresses and without",
        needs: &[VULKAN, VALIDATION, SPIRV, LOADER, CLIENTS, CLINFO],
        on_request: false,
        run: validation::run,
    },
    Step {
        name: "newest-layer",
        what: "the same under Debian sid's layer, with synchronization validation",
        needs: &[VULKAN, VALIDATION, SPIRV, LOADER, CLIENTS, CLINFO],
        on_request: false,
        run: newest_layer::run,
    },
    Step {
        name: "faults",
        what: "every client while Vulkan calls fail: no crash, panic or hang",
        needs: &[VULKAN, LOADER, CLIENTS],
        on_request: true,
        run: faults::run,
    },
    Step {
        name: "gpu-like",
        what: "the same on a lavapipe with the memory, limits and queues of a card",
        needs: &[VULKAN, VULKAN_HEADERS, LOADER, CLIENTS],
        on_request: true,
        run: newest_layer::run_gpu_like,
    },
    Step {
        name: "newest-mesa",
        what: "the same on Debian sid's lavapipe",
        needs: &[VULKAN, VULKAN_HEADERS, LOADER, CLIENTS],
        on_request: true,
        run: newest_layer::run_newest_mesa,
    },
    Step {
        name: "shim",
        what: "end-to-end clients on GPUs' own drivers (Debian sid's), without the GPUs",
        needs: &[VULKAN_HEADERS, LOADER, CLIENTS],
        on_request: true,
        run: shim::run,
    },
    Step {
        name: "boards",
        what: "the driver cross-built, on the drivers of arm64 boards' GPUs (Debian sid's), without the GPUs",
        needs: &[],
        on_request: true,
        run: shim::boards::run,
    },
    Step {
        name: "venus",
        what: "end-to-end clients and kernel files on Mesa's Venus (Debian sid's), as in a virtual machine",
        needs: &[VULKAN_HEADERS, LOADER, CLIENTS],
        on_request: true,
        run: venus::run,
    },
    Step {
        name: "isa",
        what: "machine code of kernels by GPUs' own compilers, against the committed summaries",
        needs: &[VULKAN_HEADERS, LOADER, CLIENTS, GLSL],
        on_request: true,
        run: shim::machine_code::run,
    },
    Step {
        name: "arm64",
        what: "the driver cross-built, under qemu-user on Debian's arm64 lavapipe",
        needs: &[],
        on_request: true,
        run: arm64::run,
    },
    Step {
        name: "cluster",
        what: "PoCL-Remote, Dask and MPI on the driver; servers that are killed, PoCL's own remote tests",
        needs: &[VULKAN, LOADER, CLIENTS, CLUSTER, MAKE],
        on_request: true,
        run: cluster::test,
    },
    Step {
        name: "graphs",
        what: "work graphs on a lavapipe with beta extensions, built from Debian's source",
        needs: &[VULKAN, LOADER, CLIENTS, MESA],
        on_request: true,
        run: graphs::run,
    },
    Step {
        name: "foreign",
        what: "driver and tools checked by the compiler for Windows and Android",
        needs: &[],
        on_request: true,
        run: foreign::run,
    },
];

/// Steps that run only what a filter names.
pub const FILTERED: &[&str] = &[
    "unit",
    "devices",
    "guide",
    "info",
    "clients",
    "low-floor",
    "newest-layer",
    "faults",
    "gpu-like",
    "newest-mesa",
    "shim",
    "boards",
    "venus",
    "isa",
    "arm64",
    "cluster",
    "graphs",
    "foreign",
];
