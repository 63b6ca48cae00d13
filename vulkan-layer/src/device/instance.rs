//! The Vulkan instance, loaded at first use, and the devices above the floor.

use std::ffi::{CStr, OsString, c_void};
use std::sync::Arc;

use ash::vk;
use parking_lot::Mutex;

use crate::caps::{Capabilities, Driver, query};
use crate::device::LogicalDevice;
use crate::device::fault::{self, Fault};
use crate::error::{Context, Error, Result};
use crate::os::VULKAN_LIBRARY;
use crate::quirks::{self, QuirkKind};

/// Creation parameters of an instance. The runtime reads them from its configuration; this crate
/// reads no environment.
#[derive(Clone, Debug, Default)]
pub struct InstanceConfig {
    /// Load the Khronos validation layer and collect its messages; an error where it is missing.
    pub validation: bool,
    /// Treated as absent: features and device extensions by Vulkan name, results of probes
    /// (`denormals`, `exactFma`, `exactDivide`, `exactSqrt`), and what is newer than a version (`vulkan1.1`).
    pub masked: Vec<String>,
    /// The Vulkan loader to open instead of `libvulkan.so.1`.
    pub library: Option<OsString>,
    /// Calls that are to fail, in tests.
    pub faults: Vec<Fault>,
    /// Leave out devices whose driver gives wrong results that nothing works around.
    pub without_faulty: bool,
}

/// A device that is not offered, and why.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// deviceName.
    pub name: String,
    /// Its driver, where that could be read.
    pub driver: Driver,
    /// Missing requirement, or fault of the driver.
    pub reason: String,
    /// Advice to the user.
    pub cure: String,
    /// Left out because of [`InstanceConfig::without_faulty`].
    pub faulty: bool,
}

/// A Vulkan instance. Cheap to clone.
#[derive(Clone)]
pub struct Instance {
    shared: Arc<InstanceShared>,
    devices: Arc<[PhysicalDevice]>,
    left_out: Arc<[LeftOut]>,
}

/// A device that can be opened.
#[derive(Clone)]
pub struct PhysicalDevice {
    pub(crate) instance: Arc<InstanceShared>,
    pub(crate) raw: vk::PhysicalDevice,
    pub(crate) caps: Arc<Capabilities>,
    /// Its place among the loader's devices.
    index: usize,
}

pub(crate) struct InstanceShared {
    pub entry: ash::Entry,
    pub raw: ash::Instance,
    messenger: Option<(ash::ext::debug_utils::Instance, vk::DebugUtilsMessengerEXT)>,
    config: InstanceConfig,
    /// The process that made it.
    process: u32,
    /// Validation messages. Boxed apart since the callback holds its address.
    messages: Box<Mutex<Vec<String>>>,
}

pub(super) const VALIDATION_LAYER: &CStr = c"VK_LAYER_KHRONOS_validation";

impl Instance {
    /// Loads Vulkan, makes an instance and looks at every device.
    ///
    /// # Errors
    /// [`Error::NoVulkan`] where there is no Vulkan 1.1; nothing is printed and nothing aborts.
    pub fn load(config: &InstanceConfig) -> Result<Self> {
        fault::plan(&config.faults);
        let entry = load_entry(config)?;
        // SAFETY: the entry was loaded from a Vulkan loader.
        let version = unsafe { entry.try_enumerate_instance_version() };
        let version = version.call("vkEnumerateInstanceVersion")?;
        if version.unwrap_or(vk::API_VERSION_1_0) < vk::API_VERSION_1_1 {
            return Err(Error::NoVulkan(
                "the loader is older than Vulkan 1.1".into(),
            ));
        }
        let shared = Arc::new(create_instance(entry, config)?);

        // SAFETY: the instance is alive.
        let physical = unsafe { shared.raw.enumerate_physical_devices() };
        let physical = physical.call("vkEnumeratePhysicalDevices")?;
        let mut devices = Vec::new();
        let mut left_out = Vec::new();
        for (index, raw) in physical.into_iter().enumerate() {
            let mut caps =
                match query::capabilities(&shared.entry, &shared.raw, raw, &config.masked) {
                    Ok(caps) => caps,
                    Err(result) => {
                        left_out.push(LeftOut {
                            name: "unknown".into(),
                            reason: format!("its properties cannot be read: {result:?}"),
                            cure: "vulkaninfo --summary tells more".into(),
                            ..LeftOut::default()
                        });
                        continue;
                    }
                };
            if quirks::has(&caps.driver, QuirkKind::TexelWritesByDevice) {
                caps.write_texels_by_device();
            }
            if quirks::has(&caps.driver, QuirkKind::SubGroupsOf16) {
                caps.prefer_sub_groups_of_16();
            }
            match leave_out(&caps, config.without_faulty) {
                Some(reasons) => left_out.push(reasons),
                None => devices.push(PhysicalDevice {
                    instance: Arc::clone(&shared),
                    raw,
                    caps: Arc::new(caps),
                    index,
                }),
            }
        }
        Ok(Self {
            shared,
            devices: devices.into(),
            left_out: left_out.into(),
        })
    }

    /// The devices above the floor, in the loader's order.
    pub fn devices(&self) -> &[PhysicalDevice] {
        &self.devices
    }

    /// The devices that are not offered.
    pub fn left_out(&self) -> &[LeftOut] {
        &self.left_out
    }

    /// Tells whether another version of a left-out device's driver is among the devices, so that nobody
    /// misses it.
    pub fn is_replaced(&self, left_out: &LeftOut) -> bool {
        let known = left_out.driver != Driver::default();
        let same = |device: &PhysicalDevice| device.caps.driver.id == left_out.driver.id;
        known && self.devices.iter().any(same)
    }

    /// Warnings and errors of the validation layer since the instance was made.
    pub fn validation_messages(&self) -> Vec<String> {
        self.shared.messages.lock().clone()
    }
}

impl PhysicalDevice {
    /// Returns the device's identity, limits and features.
    pub fn capabilities(&self) -> &Capabilities {
        &self.caps
    }

    /// Opens the device with every feature that [`Capabilities`] lists.
    ///
    /// In a child that was forked after the instance was made, the device is that of an instance of the
    /// child's own: lavapipe gives out memory from a file that parent and child would share.
    ///
    /// # Errors
    /// Whatever vkCreateDevice says; in such a child also those of [`Instance::load`].
    pub fn open(&self) -> Result<LogicalDevice> {
        if self.instance.process == std::process::id() {
            return LogicalDevice::open(self);
        }
        let own = Instance::load(&self.instance.config)?;
        let is_same = |d: &&PhysicalDevice| d.index == self.index && d.caps.name == self.caps.name;
        let device = own.devices().iter().find(is_same);
        let device = device.ok_or_else(|| Error::Unsupported("a forked process".into()))?;
        LogicalDevice::open(device)
    }
}

/// Returns the reason why a device is not offered; `None` if it is.
fn leave_out(caps: &Capabilities, without_faulty: bool) -> Option<LeftOut> {
    let left_out = |reason, cure, faulty| LeftOut {
        name: caps.name.clone(),
        driver: caps.driver.clone(),
        reason,
        cure,
        faulty,
    };
    if let Some(reason) = below_floor(caps) {
        return Some(left_out(
            reason,
            "a newer Vulkan driver may have it".into(),
            false,
        ));
    }
    let quirk = quirks::wrong_results(&caps.driver).filter(|_| without_faulty)?;
    let Driver { name, info, .. } = &caps.driver;
    let reason = format!(
        "its driver, {name} {info}, gives wrong results: {}",
        quirk.reason
    );
    Some(left_out(reason, quirk.cure(), true))
}

/// Returns the reason why a device cannot be used; `None` if it can.
fn below_floor(caps: &Capabilities) -> Option<String> {
    if caps.api_version < (1, 1, 0) {
        let (major, minor, _) = caps.api_version;
        return Some(format!("it has Vulkan {major}.{minor}, 1.1 is needed"));
    }
    (caps.queue_count == 0).then(|| "it has no compute queue".into())
}

fn load_entry(config: &InstanceConfig) -> Result<ash::Entry> {
    let unavailable = |error: libloading::Error| Error::NoVulkan(error.to_string());
    let name = (config.library.clone()).unwrap_or_else(|| VULKAN_LIBRARY.into());
    // SAFETY: the Vulkan loader's initialisers have no precondition.
    let library = unsafe { libloading::Library::new(name) }.map_err(unavailable)?;
    // SAFETY: every Vulkan loader exports the symbol with this type.
    let get_instance_proc_addr = unsafe {
        *library
            .get::<vk::PFN_vkGetInstanceProcAddr>(b"vkGetInstanceProcAddr\0")
            .map_err(unavailable)?
    };
    // Unloading a driver stack that may have threads and exit handlers is never safe.
    std::mem::forget(library);
    let functions = ash::StaticFn {
        get_instance_proc_addr,
    };
    // SAFETY: the function pointer stays valid since the library is never unloaded.
    Ok(unsafe { ash::Entry::from_static_fn(functions) })
}

fn create_instance(entry: ash::Entry, config: &InstanceConfig) -> Result<InstanceShared> {
    let (_, minor) = query::highest_version(&config.masked).clamp((1, 1), (1, 3));
    let application = vk::ApplicationInfo::default()
        .application_name(c"Pumice")
        .engine_name(c"Pumice")
        .api_version(vk::make_api_version(0, 1, minor, 0));
    let mut layers = Vec::new();
    let mut extensions = Vec::new();
    if config.validation {
        // SAFETY: the entry was loaded from a Vulkan loader.
        let listed = unsafe { entry.enumerate_instance_layer_properties() };
        let listed = listed.call("vkEnumerateInstanceLayerProperties")?;
        if !(listed.iter()).any(|layer| layer.layer_name_as_c_str() == Ok(VALIDATION_LAYER)) {
            return Err(Error::NoVulkan(
                "the validation layer is not installed".into(),
            ));
        }
        layers.push(VALIDATION_LAYER.as_ptr());
        extensions.push(ash::ext::debug_utils::NAME.as_ptr());
    }
    let info = vk::InstanceCreateInfo::default()
        .application_info(&application)
        .enabled_layer_names(&layers)
        .enabled_extension_names(&extensions);
    // SAFETY: `info` and what it points at live through the call.
    let raw = unsafe { entry.create_instance(&info, None) };
    let raw = raw.map_err(|result| Error::NoVulkan(format!("vkCreateInstance: {result:?}")))?;

    let mut shared = InstanceShared {
        entry,
        raw,
        messenger: None,
        config: config.clone(),
        process: std::process::id(),
        messages: Box::default(),
    };
    if config.validation {
        let utils = ash::ext::debug_utils::Instance::new(&shared.entry, &shared.raw);
        let messages: *const Mutex<Vec<String>> = &*shared.messages;
        let info = vk::DebugUtilsMessengerCreateInfoEXT::default()
            .message_severity(
                vk::DebugUtilsMessageSeverityFlagsEXT::WARNING
                    | vk::DebugUtilsMessageSeverityFlagsEXT::ERROR,
            )
            .message_type(
                vk::DebugUtilsMessageTypeFlagsEXT::GENERAL
                    | vk::DebugUtilsMessageTypeFlagsEXT::VALIDATION,
            )
            .pfn_user_callback(Some(collect_message))
            .user_data(messages.cast_mut().cast());
        // SAFETY: the callback's data is the boxed list, which outlives the messenger.
        let messenger = unsafe { utils.create_debug_utils_messenger(&info, None) };
        shared.messenger = Some((utils, messenger.call("vkCreateDebugUtilsMessengerEXT")?));
    }
    Ok(shared)
}

/// Called by the validation layer.
unsafe extern "system" fn collect_message(
    _severity: vk::DebugUtilsMessageSeverityFlagsEXT,
    _types: vk::DebugUtilsMessageTypeFlagsEXT,
    data: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
    user: *mut c_void,
) -> vk::Bool32 {
    // SAFETY: `user` is the message list given at creation, alive as long as the messenger.
    let messages = unsafe { &*user.cast::<Mutex<Vec<String>>>() };
    // SAFETY: the layer passes a valid struct whose message is NULL or a C string.
    let text = unsafe { data.as_ref().and_then(|data| data.message_as_c_str()) };
    let text = text.map(|text| text.to_string_lossy().into_owned());
    messages.lock().push(text.unwrap_or_default());
    vk::FALSE
}

impl Drop for InstanceShared {
    fn drop(&mut self) {
        // SAFETY: every child holds an Arc of this, so none is left; the messenger goes first.
        unsafe {
            if let Some((utils, messenger)) = self.messenger.take() {
                utils.destroy_debug_utils_messenger(messenger, None);
            }
            self.raw.destroy_instance(None);
        }
    }
}
