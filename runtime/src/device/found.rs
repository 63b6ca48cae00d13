//! Finds the devices: those that applications see, and those that are left out, with the reasons.

use std::sync::OnceLock;

use opencl_sys as cl;
use parking_lot::Mutex;
use pumice_compiler::target::similar::closest;
use pumice_vulkan_layer::{
    DeviceType, Fault, Features, Instance, InstanceConfig, LeftOut, PhysicalDevice, can_mask,
};

use crate::base::config;
use crate::base::log;
use crate::base::object::{Object, Ref};
use crate::device::opened::Opened;
use crate::device::platform::Platform;
use crate::device::{Device, conditions, extensions};

/// Vulkan features and extensions to treat as absent.
fn masked() -> Vec<String> {
    let mut masked = config::MASK.list();
    for word in &masked {
        if !can_mask(word) && !conditions::MASKED.contains(&word.as_str()) {
            let names = Features::NAMES.iter().map(|name| name.to_string());
            let meant = closest(word, names)
                .map_or(String::new(), |name| format!("; did you mean {name}?"));
            log::error!("{}: there is no feature `{word}`{meant}", config::MASK.name);
        }
    }
    if !config::IMAGES.flag(true) {
        masked.push(extensions::IMAGES.into());
    }
    match config::ABI.value().as_deref() {
        None | Some("addresses" | "mixed") => {}
        Some("descriptors") => masked.push("bufferDeviceAddress".into()),
        Some(_) => {
            config::ABI.refused("not addresses, descriptors or mixed; each device takes its own")
        }
    }
    masked
}

/// The devices found, and those that are not offered.
#[derive(Debug, Default)]
pub struct Found {
    /// Devices that the application sees.
    pub devices: Vec<Ref<Device>>,
    /// Devices below the floor, and those of faulty drivers.
    pub left_out: Vec<Absent>,
    /// Names of the devices that `PUMICE_DEVICES` leaves out.
    pub hidden: Vec<String>,
    /// Reason why Vulkan cannot be used at all.
    pub failure: Option<String>,
}

/// A device that is not offered.
#[derive(Debug)]
pub struct Absent {
    /// Name and reason.
    pub device: LeftOut,
    /// Advice to the user.
    pub cure: String,
    /// Another version of its driver is offered: nobody misses this one.
    pub replaced: bool,
}

impl Absent {
    fn new(instance: &Instance, device: &LeftOut) -> Self {
        let replaced = instance.is_replaced(device);
        let cure = match (replaced, device.faulty) {
            (true, _) => "nothing is to be done: another version of its driver is used".to_string(),
            (false, true) => format!(
                "{}, name another driver with VK_DRIVER_FILES, or set {}=on to use it all the same",
                device.cure,
                config::FAULTY_DRIVERS.name
            ),
            (false, false) => device.cure.clone(),
        };
        Self {
            device: device.clone(),
            cure,
            replaced,
        }
    }

    /// One line of the log: name, reason and, of a faulty driver, the cure.
    fn line(&self) -> String {
        let LeftOut { name, reason, .. } = &self.device;
        match self.device.faulty {
            true => format!("{name} is left out: {reason}; {}", self.cure),
            false => format!("{name} is left out: {reason}"),
        }
    }

    /// A wrong result must have a name: what keeps a device away because of one is told unasked.
    fn is_told(&self) -> bool {
        self.device.faulty && !self.replaced
    }
}

impl Found {
    /// Logs the reason why there is no device.
    fn report_absence(&self) {
        let reasons = self.left_out.iter().map(Absent::line);
        let mut reasons: Vec<String> = self.failure.iter().cloned().chain(reasons).collect();
        if !self.hidden.is_empty() {
            let hidden = self.hidden.join(", ");
            reasons.push(format!("{} leaves out {hidden}", config::DEVICES.name));
        }
        if reasons.is_empty() {
            reasons.push("no Vulkan driver has a device".to_string());
        }
        log::error!(
            "no devices: {} (pumice-info tells more)",
            reasons.join("; ")
        );
    }
}

/// Finds the devices above the floor.
pub fn enumerate(platform: &Ref<Platform>) -> Found {
    let found = look(platform);
    for absent in &found.left_out {
        match absent.is_told() && !found.devices.is_empty() {
            true => log::error!("{}", absent.line()),
            false => log::info!("{}", absent.line()),
        }
    }
    if found.devices.is_empty() {
        found.report_absence();
    }
    found
}

fn look(platform: &Ref<Platform>) -> Found {
    log::report_options();
    let config = InstanceConfig {
        validation: config::VALIDATION.flag(false),
        masked: masked(),
        faults: faults(&config::FAULTS.list()),
        library: config::VULKAN_LIBRARY.value().map(Into::into),
        without_faulty: !config::FAULTY_DRIVERS.flag(false),
    };
    let instance = match Instance::load(&config) {
        Ok(instance) => instance,
        Err(error) => {
            return Found {
                failure: Some(error.to_string()),
                ..Found::default()
            };
        }
    };
    if config.validation {
        let _ = VALIDATED.set(instance.clone());
    }
    let name = config::DEVICE_NAME.value();
    let device_type = match config::DEVICE_TYPE.value().as_deref() {
        Some("cpu") => Some(cl::CL_DEVICE_TYPE_CPU),
        Some("gpu") => Some(cl::CL_DEVICE_TYPE_GPU),
        Some("accelerator") => Some(cl::CL_DEVICE_TYPE_ACCELERATOR),
        Some(_) => {
            config::DEVICE_TYPE.refused("not cpu, gpu or accelerator; devices keep their types");
            None
        }
        None => None,
    };
    let all = instance.devices();
    let chosen = chosen(all, &config::DEVICES.list());
    let hidden = (0..all.len()).filter(|index| !chosen.contains(index));
    let hidden = hidden.map(|index| all[index].capabilities().name.clone());
    let hidden = hidden.collect();
    let devices = chosen
        .into_iter()
        .map(|index| &all[index])
        .map(|physical| {
            let caps = physical.capabilities();
            log::info!(
                "device {}, Vulkan {:?}, driver {}",
                caps.name,
                caps.api_version,
                caps.driver
            );
            let natural = match caps.device_type {
                DeviceType::Cpu => cl::CL_DEVICE_TYPE_CPU,
                DeviceType::DiscreteGpu | DeviceType::IntegratedGpu | DeviceType::VirtualGpu => {
                    cl::CL_DEVICE_TYPE_GPU
                }
                DeviceType::Other => cl::CL_DEVICE_TYPE_ACCELERATOR,
            };
            let device = Object::new(Device {
                platform: platform.handle(),
                name: name.clone().unwrap_or_else(|| caps.name.clone()),
                device_type: device_type.unwrap_or(natural),
                gpu: Opened::default(),
                target: OnceLock::new(),
                offered: OnceLock::new(),
                doubles: OnceLock::new(),
                kept: OnceLock::new(),
                physical: physical.clone(),
            });
            // Root devices are never released.
            device.clone().publish();
            device
        })
        .collect();
    let left_out = instance.left_out().iter();
    let left_out = left_out.map(|device| Absent::new(&instance, device));
    let left_out = left_out.collect();
    Found {
        devices,
        left_out,
        hidden,
        failure: None,
    }
}

/// The faults that tests ask for.
fn faults(list: &[String]) -> Vec<Fault> {
    let mut faults = Vec::new();
    for text in list {
        match Fault::parse(text) {
            Some(fault) => faults.push(fault),
            None => log::error!("{}: there is no fault `{text}`", config::FAULTS.name),
        }
    }
    faults
}

/// The devices that the application is to see: all for an empty list, else those that an entry
/// names by its number or a part of its name, in the list's order.
fn chosen(all: &[PhysicalDevice], list: &[String]) -> Vec<usize> {
    let names: Vec<&str> = all.iter().map(|d| d.capabilities().name.as_str()).collect();
    choose(&names, list)
}

fn choose(names: &[&str], list: &[String]) -> Vec<usize> {
    if list.is_empty() {
        return (0..names.len()).collect();
    }
    let mut found = Vec::new();
    for wanted in list {
        let number = wanted.parse::<usize>().ok();
        let lower = wanted.to_lowercase();
        let matches = |&index: &usize| match number {
            Some(number) => index == number,
            None => names[index].to_lowercase().contains(&lower),
        };
        let before = found.len();
        found.extend((0..names.len()).filter(matches));
        if found.len() == before {
            log::error!(
                "{}: there is no device {wanted}; there are {}",
                config::DEVICES.name,
                numbered(names)
            );
        }
    }
    let mut seen = std::collections::HashSet::new();
    found.retain(|index| seen.insert(*index));
    found
}

/// The instance whose validation messages are reported (PUMICE_VALIDATION).
static VALIDATED: OnceLock<Instance> = OnceLock::new();

/// Prints what the validation layer has said since the last call.
pub(crate) fn report_validation() {
    static REPORTED: Mutex<usize> = Mutex::new(0);
    let Some(instance) = VALIDATED.get() else {
        return;
    };
    let messages = instance.validation_messages();
    let mut reported = REPORTED.lock();
    for message in messages.iter().skip(*reported) {
        eprintln!("pumice: validation: {message}");
    }
    *reported = messages.len();
}

/// The devices with their numbers, for messages.
fn numbered(names: &[&str]) -> String {
    let numbered = names.iter().enumerate();
    let words: Vec<String> = numbered.map(|(n, name)| format!("{n} ({name})")).collect();
    match words.is_empty() {
        true => "none".to_string(),
        false => words.join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::choose;

    #[test]
    fn devices_are_chosen_by_number_or_name() {
        let names = ["Radeon RX", "llvmpipe (LLVM 15)", "llvmpipe (LLVM 19)"];
        let of = |list: &[&str]| {
            let list: Vec<String> = list.iter().map(|s| s.to_string()).collect();
            choose(&names, &list)
        };
        assert_eq!(of(&[]), [0, 1, 2]);
        assert_eq!(of(&["2", "radeon"]), [2, 0]);
        assert_eq!(of(&["llvm", "1"]), [1, 2]);
        assert!(of(&["3", "GeForce"]).is_empty());
    }
}
