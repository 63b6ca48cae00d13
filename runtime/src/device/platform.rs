//! The platform: what is true without any device, and the list of devices.

use std::sync::{Arc, OnceLock};

use opencl_sys as cl;

use crate::base::error::{Error, Result};
use crate::base::info::{Info, make_version};
use crate::base::object::{self, Kind, Object, Ref};
use crate::device::command_buffers;
use crate::device::extensions;
use crate::device::format_sets::Profile;
use crate::device::svm_types;
use crate::device::{self, Device, Found};
use pumice_vulkan_layer::Capabilities;

/// The newest version of OpenCL, major and minor, that a device here can have.
pub const VERSION: (u8, u8) = (3, 1);

/// CL_PLATFORM_VERSION and CL_DEVICE_VERSION of a version. Never names the Vulkan driver:
/// applications refuse versions that contain certain driver names. Nor our release, which CL_DRIVER_VERSION is:
/// applications search for "1.0" and find it in 0.1.0.
pub fn version_string((major, minor): (u8, u8)) -> String {
    format!("OpenCL {major}.{minor} Pumice")
}

/// CL_PLATFORM_NUMERIC_VERSION and CL_DEVICE_NUMERIC_VERSION of a version.
pub fn numeric_version((major, minor): (u8, u8)) -> u32 {
    make_version(major.into(), minor.into(), 0)
}

/// The platform object (one per process).
#[derive(Debug, Default)]
pub struct Platform {
    found: OnceLock<Found>,
}

impl Kind for Platform {
    const TAG: u64 = u64::from_le_bytes(*b"pmcPLATF");
    const INVALID: Error = Error::InvalidPlatform;
}

static PLATFORM: OnceLock<Ref<Platform>> = OnceLock::new();

/// The platform's devices; none before there is a platform.
pub fn known_devices() -> &'static [Ref<Device>] {
    PLATFORM.get().map_or(&[], |platform| platform.devices())
}

/// The platform, made at the first call. `table` is the address of the ICD's dispatch table.
pub fn platform(table: usize) -> &'static Ref<Platform> {
    PLATFORM.get_or_init(|| {
        object::set_dispatch(table);
        let platform = Object::new(Platform::default());
        // The platform lives as long as the process; this reference is never given back.
        platform.clone().publish();
        platform
    })
}

impl Object<Platform> {
    /// Every device, found through Vulkan at the first call; none is a valid answer.
    pub fn devices(self: &Arc<Self>) -> &[Ref<Device>] {
        &self.found().devices
    }

    /// The devices, and those that are not offered.
    pub(crate) fn found(self: &Arc<Self>) -> &Found {
        self.found.get_or_init(|| device::enumerate(self))
    }

    /// clGetDeviceIDs without the output rules.
    ///
    /// # Errors
    /// [`Error::InvalidDeviceType`], [`Error::DeviceNotFound`].
    pub fn devices_of_type(self: &Ref<Platform>, device_type: u64) -> Result<Vec<Ref<Device>>> {
        let known = cl::CL_DEVICE_TYPE_DEFAULT
            | cl::CL_DEVICE_TYPE_CPU
            | cl::CL_DEVICE_TYPE_GPU
            | cl::CL_DEVICE_TYPE_ACCELERATOR
            | cl::CL_DEVICE_TYPE_CUSTOM;
        // CL_INVALID_DEVICE_TYPE if device_type is not a valid value.
        if device_type != cl::CL_DEVICE_TYPE_ALL && (device_type == 0 || device_type & !known != 0)
        {
            return Err(Error::InvalidDeviceType);
        }
        let devices = self.devices();
        // CL_DEVICE_TYPE_ALL is every device except custom ones, of which there are none.
        let mut found: Vec<_> = devices
            .iter()
            .filter(|d| device_type == cl::CL_DEVICE_TYPE_ALL || d.device_type() & device_type != 0)
            .cloned()
            .collect();
        // CL_DEVICE_TYPE_DEFAULT is the first device.
        if device_type & cl::CL_DEVICE_TYPE_DEFAULT != 0 && device_type != cl::CL_DEVICE_TYPE_ALL {
            if let Some(first) = devices.first() {
                if !found.iter().any(|d| d.handle() == first.handle()) {
                    found.insert(0, first.clone());
                }
            }
        }
        // CL_DEVICE_NOT_FOUND if no device matches.
        if found.is_empty() {
            return Err(Error::DeviceNotFound);
        }
        Ok(found)
    }

    /// The kinds of handles that all devices have.
    fn common(self: &Ref<Platform>, of: impl Fn(&Capabilities) -> Vec<u32>) -> Vec<u32> {
        let mut all = self.devices().iter().map(|device| of(device.offered()));
        let first = all.next().unwrap_or_default();
        all.fold(first, |common, other| {
            let shared = common.into_iter().filter(|kind| other.contains(kind));
            shared.collect()
        })
    }

    /// clGetPlatformInfo.
    ///
    /// # Errors
    /// [`Error::InvalidValue`] for other names.
    pub fn info(self: &Ref<Platform>, name: u32) -> Result<Info> {
        Ok(match name {
            // Such platforms may have devices of the embedded profile.
            cl::CL_PLATFORM_PROFILE => Info::string(Profile::Full.name()),
            cl::CL_PLATFORM_VERSION => Info::string(&version_string(VERSION)),
            cl::CL_PLATFORM_NUMERIC_VERSION => Info::u32(numeric_version(VERSION)),
            cl::CL_PLATFORM_NAME => Info::string("Pumice"),
            cl::CL_PLATFORM_VENDOR => Info::string("Pumice"),
            cl::CL_PLATFORM_EXTENSIONS => {
                Info::string(&extensions::platform_string(capabilities(self.devices())))
            }
            cl::CL_PLATFORM_EXTENSIONS_WITH_VERSION => {
                Info::name_versions(extensions::platform_versions(capabilities(self.devices())))
            }
            // 0: device and host timers are read together on request, not free of charge.
            cl::CL_PLATFORM_HOST_TIMER_RESOLUTION => Info::u64(1),
            cl::CL_PLATFORM_COMMAND_BUFFER_CAPABILITIES_KHR => {
                Info::u64(command_buffers::PLATFORM_CAPABILITIES)
            }
            cl::CL_PLATFORM_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR => {
                Info::u32s(&self.common(extensions::memory_handles))
            }
            cl::CL_PLATFORM_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR
            | cl::CL_PLATFORM_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR => {
                Info::u32s(&self.common(extensions::semaphore_handles))
            }
            cl::CL_PLATFORM_SEMAPHORE_TYPES_KHR => Info::u32s(&[cl::CL_SEMAPHORE_TYPE_BINARY_KHR]),
            cl::CL_PLATFORM_SVM_TYPE_CAPABILITIES_KHR
                if self.devices().iter().any(|device| device.has_addresses()) =>
            {
                Info::u64s(&svm_types::platform_types())
            }
            cl::CL_PLATFORM_ICD_SUFFIX_KHR => Info::string("PMC"),
            _ => return Err(Error::InvalidValue),
        })
    }
}

/// The capabilities of devices as Vulkan tells them: the question opens no device, since loaders ask it for
/// every program.
fn capabilities(devices: &[Ref<Device>]) -> impl Iterator<Item = &Capabilities> {
    devices.iter().map(|device| device.capabilities())
}

#[cfg(test)]
mod tests {
    use super::VERSION;

    /// Loaders read the version before they load the library.
    #[test]
    fn the_manifest_states_the_version() {
        let manifest = include_str!("../../../OpenCL.icd.json");
        let (major, minor) = VERSION;
        let line = format!("\"api_version\": \"{major}.{minor}\"");
        assert!(manifest.contains(&line), "{manifest}");
    }
}
