//! The Vulkan drivers that the end-to-end tests run on, and the two ICD loaders.

use crate::private_apt;
use crate::sh::{self, Result};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A Vulkan driver to run clients on.
pub struct VulkanDriver {
    /// Short name for messages.
    pub name: &'static str,
    /// Value for VK_DRIVER_FILES.
    pub manifest: PathBuf,
    /// Required beginning of VkPhysicalDeviceDriverProperties::driverName and driverInfo with a space
    /// between them: a wrong path would silently test the system's driver. `…` stands for anything.
    pub driver_info: &'static str,
    /// Folders that the driver needs on LD_LIBRARY_PATH.
    pub library_path: Vec<PathBuf>,
    /// Things that clients and kernel files may need and the driver lacks.
    pub lacks: &'static [&'static str],
    /// Pumice leaves its device out, because of wrong results, unless it is asked for.
    pub faulty: bool,
}

impl VulkanDriver {
    /// Makes a command use this driver alone, a faulty one too. `library_path` is left to the caller.
    pub fn select(&self, command: &mut Command) {
        command.env("VK_DRIVER_FILES", &self.manifest);
        command.env("VK_ICD_FILENAMES", &self.manifest);
        match self.faulty {
            true => command.env(FAULTY_DRIVERS, "on"),
            false => command.env_remove(FAULTY_DRIVERS),
        };
    }
}

/// The option that makes Pumice use drivers which give wrong results.
pub const FAULTY_DRIVERS: &str = "PUMICE_FAULTY_DRIVERS";

/// Makes lavapipe leave out LLVM's optimiser, which takes most of its time. For tests of what Pumice makes, beside others that
/// run with the optimiser on the same driver.
pub const WITHOUT_OPTIMISER: &str = "GALLIVM_PERF=nopt";

/// The same, for the environment of a command or a setting.
pub fn without_optimiser() -> (&'static str, String) {
    let (name, value) = WITHOUT_OPTIMISER
        .split_once('=')
        .expect("a variable and its value");
    (name, value.to_string())
}

/// Debian 12's own lavapipe.
pub fn system() -> Result<VulkanDriver> {
    let dir = Path::new("/usr/share/vulkan/icd.d");
    let manifest = sh::files_with(dir, &["json"])?
        .into_iter()
        .find(|path| {
            path.file_name()
                .is_some_and(|name| name.to_string_lossy().starts_with("lvp_icd"))
        })
        .ok_or("no lavapipe manifest: is mesa-vulkan-drivers installed?")?;
    Ok(VulkanDriver {
        name: "lavapipe (Debian 12)",
        manifest,
        driver_info: "llvmpipe Mesa 22.3",
        library_path: Vec::new(),
        lacks: &["pipes", "device-queues", "long-loops", "exact-fma"],
        faulty: true,
    })
}

/// The lavapipe of Debian 12's backports, unpacked beside the system's.
pub fn backports() -> Result<VulkanDriver> {
    let place = private_apt::unpack(
        "bookworm-backports",
        &["mesa-vulkan-drivers", "libdrm2", "libdrm-amdgpu1"],
    )?;
    Ok(VulkanDriver {
        name: "lavapipe (backports)",
        manifest: absolute_manifest(&place, "lvp")?,
        driver_info: "llvmpipe Mesa 25.0",
        library_path: vec![place.join(LIBRARIES)],
        lacks: &["exact-fma"],
        faulty: false,
    })
}

/// SwiftShader, as Debian's Chromium brings it along: a device with words and floats only, whose
/// sub-groups have four lanes.
pub fn swiftshader() -> Result<VulkanDriver> {
    let place = private_apt::unpack("bookworm", &["chromium-common"])?;
    let library = place.join("usr/lib/chromium/libvk_swiftshader.so");
    let manifest = serde_json::json!({
        "file_format_version": "1.0.0",
        "ICD": { "library_path": library.display().to_string(), "api_version": "1.3.0" },
    });
    let path = place.join("swiftshader.json");
    sh::write(&path, manifest.to_string())?;
    Ok(VulkanDriver {
        name: "SwiftShader",
        manifest: path,
        driver_info: "SwiftShader driver",
        library_path: Vec::new(),
        lacks: &[
            "doubles",
            "device-queues",
            "denormals",
            "clocks",
            "int64-atomics",
            "half-atomics",
            "sub-groups-of-8",
        ],
        faulty: false,
    })
}

/// The folder of libraries of an unpacked package.
pub const LIBRARIES: &str = "usr/lib/x86_64-linux-gnu";

/// Writes a manifest of an unpacked driver of Mesa that names its library by the whole path: the
/// shipped one names the file alone, which would find the system's.
pub fn absolute_manifest(place: &Path, driver: &str) -> Result<PathBuf> {
    let path = place.join(format!("{driver}_icd.absolute.json"));
    let file = library_file(place, driver)?;
    let library = place.join(LIBRARIES).join(file);
    sh::write(&path, manifest_naming(place, driver, &library)?)?;
    Ok(path)
}

/// The manifest that an unpacked driver of Mesa came with.
fn shipped_manifest(place: &Path, driver: &str) -> Result<serde_json::Value> {
    let shipped = place.join(format!("usr/share/vulkan/icd.d/{driver}_icd.json"));
    serde_json::from_str(&sh::read(&shipped)?)
        .map_err(|error| format!("{}: {error}", shipped.display()))
}

/// The file name of an unpacked driver's library, below [`LIBRARIES`].
pub fn library_file(place: &Path, driver: &str) -> Result<PathBuf> {
    let manifest = shipped_manifest(place, driver)?;
    let named = manifest["ICD"]["library_path"].as_str().map(Path::new);
    let file = named.and_then(Path::file_name).map(PathBuf::from);
    file.ok_or_else(|| {
        format!(
            "{}: the manifest of {driver} names no library",
            place.display()
        )
    })
}

/// The text of an unpacked driver's manifest, with its library at a path.
pub fn manifest_naming(place: &Path, driver: &str, library: &Path) -> Result<String> {
    let mut manifest = shipped_manifest(place, driver)?;
    manifest["ICD"]["library_path"] = library.display().to_string().into();
    Ok(manifest.to_string())
}

/// Two drivers in one process, of which one may lack features.
pub fn together(one: &VulkanDriver, other: &VulkanDriver) -> Result<VulkanDriver> {
    let manifests = std::env::join_paths([&one.manifest, &other.manifest]);
    let mut library_path = one.library_path.clone();
    library_path.extend(other.library_path.iter().cloned());
    Ok(VulkanDriver {
        name: "two drivers",
        manifest: manifests.map_err(|error| error.to_string())?.into(),
        driver_info: "llvmpipe Mesa",
        library_path,
        lacks: match other.lacks {
            [] => one.lacks,
            lacks => lacks,
        },
        faulty: one.faulty || other.faulty,
    })
}

/// The folder of the Khronos ICD loader's libOpenCL.so.1. Debian has it from sid on; that build
/// needs no newer C library than Debian 12's.
pub fn khronos_loader() -> Result<PathBuf> {
    let place = private_apt::unpack("sid", &["khronos-opencl-icd-libopencl1"])?;
    Ok(place.join("usr/lib/x86_64-linux-gnu"))
}
