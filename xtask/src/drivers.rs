//! The Vulkan drivers that the end-to-end tests run on, and the two ICD loaders.

use crate::private_apt;
use crate::sh::{self, Result};
use std::path::{Path, PathBuf};

/// A Vulkan driver to run clients on.
pub struct VulkanDriver {
    /// Short name for messages.
    pub name: &'static str,
    /// Value for VK_DRIVER_FILES.
    pub manifest: PathBuf,
    /// Required beginning of VkPhysicalDeviceDriverProperties::driverName and driverInfo with a space
    /// between them: a wrong path would silently test the system's driver.
    pub driver_info: &'static str,
    /// Folders that the driver needs on LD_LIBRARY_PATH.
    pub library_path: Vec<PathBuf>,
    /// Things that clients and kernel files may need and the driver lacks.
    pub lacks: &'static [&'static str],
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
        lacks: &[],
    })
}

/// The lavapipe of Debian 12's backports, unpacked beside the system's.
pub fn backports() -> Result<VulkanDriver> {
    let place = private_apt::unpack(
        "bookworm-backports",
        &["mesa-vulkan-drivers", "libdrm2", "libdrm-amdgpu1"],
    )?;
    let libraries = place.join("usr/lib/x86_64-linux-gnu");
    let shipped = sh::read(&place.join("usr/share/vulkan/icd.d/lvp_icd.json"))?;
    let mut manifest: serde_json::Value = serde_json::from_str(&shipped)
        .map_err(|error| format!("lvp_icd.json of backports: {error}"))?;
    // The manifest names the library by its file name alone, which would find the system's.
    manifest["ICD"]["library_path"] = libraries
        .join("libvulkan_lvp.so")
        .display()
        .to_string()
        .into();
    let path = place.join("lvp_icd.absolute.json");
    sh::write(&path, manifest.to_string())?;
    Ok(VulkanDriver {
        name: "lavapipe (backports)",
        manifest: path,
        driver_info: "llvmpipe Mesa 25.0",
        library_path: vec![libraries],
        lacks: &[],
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
            "images",
            "doubles",
            "denormals",
            "clocks",
            "int64-atomics",
            "sub-groups-of-8",
        ],
    })
}

/// Both in one process.
pub fn together(one: &VulkanDriver, other: &VulkanDriver) -> Result<VulkanDriver> {
    let manifests = std::env::join_paths([&one.manifest, &other.manifest]);
    let mut library_path = one.library_path.clone();
    library_path.extend(other.library_path.iter().cloned());
    Ok(VulkanDriver {
        name: "two drivers",
        manifest: manifests.map_err(|error| error.to_string())?.into(),
        driver_info: "llvmpipe Mesa",
        library_path,
        lacks: &[],
    })
}

/// The folder of the Khronos ICD loader's libOpenCL.so.1. Debian has it from sid on; that build
/// needs no newer C library than Debian 12's.
pub fn khronos_loader() -> Result<PathBuf> {
    let place = private_apt::unpack("sid", &["khronos-opencl-icd-libopencl1"])?;
    Ok(place.join("usr/lib/x86_64-linux-gnu"))
}
