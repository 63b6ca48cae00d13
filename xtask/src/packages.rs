//! Debian packages that a command needs: the one list, and installing what is missing.

use crate::sh::{self, Result};
use std::process::Command;

/// A Debian package and why we need it.
pub struct Package {
    /// Package name.
    pub name: &'static str,
    /// Reason, shown to the user before anything is installed.
    pub why: &'static str,
}

const fn package(name: &'static str, why: &'static str) -> Package {
    Package { name, why }
}

/// Packages that `cargo xtask demo` needs.
pub const DEMO: &[Package] = &[
    package(
        "mesa-vulkan-drivers",
        "a Vulkan driver, for machines without a GPU too",
    ),
    package("libvulkan1", "the Vulkan loader"),
    package("ocl-icd-libopencl1", "the OpenCL ICD loader"),
    package(
        "ocl-icd-opencl-dev",
        "libOpenCL.so to link programs against",
    ),
    package("opencl-c-headers", "CL/cl.h"),
    package("opencl-clhpp-headers", "CL/opencl.hpp"),
    package("g++", "the C++ program of the demo"),
    package("clinfo", "shows the device"),
    package("clpeak", "a benchmark that knows nothing of Pumice"),
];

/// A Vulkan driver to run on.
pub const VULKAN: &[Package] = &[
    package("mesa-vulkan-drivers", "the Vulkan driver that tests run on"),
    package("libvulkan1", "the Vulkan loader"),
];

/// The Khronos validation layer.
pub const VALIDATION: &[Package] = &[package(
    "vulkan-validationlayers",
    "tests run under the Khronos validation layer",
)];

/// Headers of the test layers.
pub const VULKAN_HEADERS: &[Package] = &[package(
    "libvulkan-dev",
    "headers of the Vulkan layers that tests are run under",
)];

/// The SPIR-V tools.
pub const SPIRV: &[Package] = &[package("spirv-tools", "spirv-val, spirv-as and spirv-dis")];

/// An ICD loader to link against and run through.
pub const LOADER: &[Package] = &[
    package("ocl-icd-libopencl1", "the OpenCL ICD loader"),
    package(
        "ocl-icd-opencl-dev",
        "libOpenCL.so to link test clients against",
    ),
];

/// Headers and compilers of the test clients.
pub const CLIENTS: &[Package] = &[
    package("opencl-c-headers", "CL/cl.h"),
    package("opencl-clhpp-headers", "CL/opencl.hpp"),
    package("g++", "C++ test clients"),
    package("libvulkan-dev", "the client that is a Vulkan program too"),
    package(
        "libegl-dev",
        "EGL of the clients that share objects with OpenGL",
    ),
    package("libgl-dev", "OpenGL and GLX of these clients"),
    package("libopengl-dev", "OpenGL without GLX of these clients"),
    package("libgl1-mesa-dri", "the OpenGL driver that they run on"),
    package("xvfb", "the X server of the client for GLX"),
    package(
        "libmpfr-dev",
        "the exact results of the client that measures errors",
    ),
];

/// The compiler of shaders.
pub const GLSL: &[Package] = &[package(
    "glslang-tools",
    "shaders that kernels are compared with",
)];

/// Tools and libraries that Mesa's build needs, beside meson.
pub const MESA: &[Package] = &[
    package("dpkg-dev", "unpacks Mesa's source package"),
    package("g++", "builds Mesa"),
    package("ninja-build", "builds Mesa"),
    package("pkgconf", "finds Mesa's libraries"),
    package("bison", "Mesa's parsers"),
    package("flex", "Mesa's parsers"),
    package("python3-mako", "Mesa's generators of code"),
    package("python3-yaml", "Mesa's generators of code"),
    package("python3-packaging", "Mesa's generators of code"),
    package("glslang-tools", "Mesa's own shaders"),
    package("llvm-15-dev", "llvmpipe's compiler"),
    package("libdrm-dev", "headers that Mesa needs"),
    package("libexpat1-dev", "headers that Mesa needs"),
    package("zlib1g-dev", "headers that Mesa needs"),
];

/// Makes and reads RPM packages.
pub const RPM: &[Package] = &[package("rpm", "makes and checks the RPM package")];

/// Dates and authors of packages.
pub const GIT: &[Package] = &[package("git", "the date and the author of the packages")];

/// Build systems of the guide.
pub const BUILD: &[Package] = &[
    package("cmake", "the CMake project of the user's guide"),
    package("pkgconf", "asks for Pumice in the user's guide"),
];

/// Makefiles of the guide.
pub const MAKE: &[Package] = &[package(
    "make",
    "the Makefile of the user's guide, and PoCL-Remote's",
)];

/// Reads libraries.
pub const BINUTILS: &[Package] = &[package(
    "binutils",
    "readelf, for the checks of the library",
)];

/// Builds PoCL-Remote and makes networks for it; Python's engines.
pub const CLUSTER: &[Package] = &[
    package("cmake", "builds PoCL-Remote"),
    package("pkg-config", "finds PoCL-Remote's OpenCL loader"),
    package("xz-utils", "unpacks PoCL's source package"),
    package("iproute2", "network namespaces for servers"),
    package("python3-venv", "Dask and MPI"),
];

/// An application that every system has.
pub const CLINFO: &[Package] = &[package("clinfo", "a real client")];

fn installed(name: &str) -> bool {
    let mut query = Command::new("dpkg-query");
    query.args(["-W", "-f", "${db:Status-Status}", name]);
    sh::output(&mut query).is_ok_and(|status| status == "installed")
}

/// True if commands run as root.
pub fn is_root() -> Result<bool> {
    Ok(sh::output(Command::new("id").arg("-u"))?.trim() == "0")
}

/// Installs the packages that are missing, after saying which and why. Goes through sudo where
/// the user is not root; without either it lists them and stops.
pub fn ensure<'a>(packages: impl IntoIterator<Item = &'a Package>) -> Result {
    let mut missing: Vec<&Package> = packages
        .into_iter()
        .filter(|package| !installed(package.name))
        .collect();
    missing.sort_by_key(|package| package.name);
    missing.dedup_by_key(|package| package.name);
    if missing.is_empty() {
        return Ok(());
    }
    println!("Debian packages to install:");
    for package in &missing {
        println!("  {:24} {}", package.name, package.why);
    }
    let names: Vec<&str> = missing.iter().map(|package| package.name).collect();
    let root = is_root()?;
    let sudo = !root && sh::on_path("sudo");
    if !root && !sudo {
        return Err(format!(
            "not root and no sudo: please have these installed and run again:\n  apt-get install {}",
            names.join(" ")
        ));
    }
    let apt = |args: &[&str]| {
        let mut command = if sudo {
            let mut command = Command::new("sudo");
            command.args(["env", "DEBIAN_FRONTEND=noninteractive", "apt-get"]);
            command
        } else {
            let mut command = Command::new("apt-get");
            command.env("DEBIAN_FRONTEND", "noninteractive");
            command
        };
        command.args(["-qq", "-o", "Dpkg::Use-Pty=0"]);
        // Seconds: a machine that has just started installs its updates.
        command.args(["-o", "DPkg::Lock::Timeout=300"]).args(args);
        command
    };
    let mut install = apt(&["install", "-y", "--no-install-recommends"]);
    install.args(&names);
    // The package lists may be absent (a bare machine) or old: refresh only then.
    if sh::output(&mut install).is_err() {
        sh::output(&mut apt(&["update"]))?;
        sh::output(&mut install)?;
    }
    println!("installed {}\n", names.join(" "));
    Ok(())
}
