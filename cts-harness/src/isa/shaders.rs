//! Hand-written compute shaders, compiled by glslangValidator and given to the Vulkan driver.
//!
//! Every handle is made here and destroyed in `Drop`, in reverse order; that is what the SAFETY
//! lines mean by "own".

use crate::bench::vulkan::{Devices, call, entry, make_pipeline, words};
use ash::vk;
use std::path::Path;
use std::process::Command;

type Result<T> = std::result::Result<T, String>;

/// Storage buffers that a shader may name.
const BINDINGS: u32 = 4;
/// Bytes of push constants.
const PUSH_CONSTANTS: u32 = 64;

/// A Vulkan device on which pipelines are made.
pub struct Device {
    // Keeps the loader's functions; there is nothing to destroy.
    _entry: ash::Entry,
    instance: ash::Instance,
    device: ash::Device,
    set: vk::DescriptorSetLayout,
    layout: vk::PipelineLayout,
}

impl Device {
    /// Opens the first device with everything that Vulkan 1.2 can turn on but robustness, which costs
    /// instructions.
    ///
    /// # Errors
    /// No Vulkan, or the call that failed.
    pub fn open() -> Result<Self> {
        Self::make().map_err(|failure| failure.to_string())
    }

    fn make() -> crate::bench::Result<Self> {
        let entry = entry()?;
        let devices = Devices::list(&entry, vk::API_VERSION_1_2)?;
        let physical = devices.first()?;
        let instance = devices.instance;
        let mut v11 = vk::PhysicalDeviceVulkan11Features::default();
        let mut v12 = vk::PhysicalDeviceVulkan12Features::default();
        let mut features = vk::PhysicalDeviceFeatures2::default()
            .push_next(&mut v11)
            .push_next(&mut v12);
        // SAFETY: the instance's device; structs of Vulkan 1.2.
        unsafe { instance.get_physical_device_features2(physical, &mut features) };
        features.features.robust_buffer_access = vk::FALSE;
        let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
        let info = vk::DeviceCreateInfo::default()
            .queue_create_infos(&queues)
            .push_next(&mut features);
        // SAFETY: the device's first family, which compute drivers have, and features that it told.
        let device = call("vkCreateDevice", unsafe {
            instance.create_device(physical, &info, None)
        })?;
        let bindings: Vec<_> = (0..BINDINGS)
            .map(|binding| {
                vk::DescriptorSetLayoutBinding::default()
                    .binding(binding)
                    .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
                    .descriptor_count(1)
                    .stage_flags(vk::ShaderStageFlags::COMPUTE)
            })
            .collect();
        let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
        // SAFETY: own device.
        let set = call("vkCreateDescriptorSetLayout", unsafe {
            device.create_descriptor_set_layout(&info, None)
        })?;
        let sets = [set];
        let ranges = [vk::PushConstantRange::default()
            .stage_flags(vk::ShaderStageFlags::COMPUTE)
            .size(PUSH_CONSTANTS)];
        let info = vk::PipelineLayoutCreateInfo::default()
            .set_layouts(&sets)
            .push_constant_ranges(&ranges);
        // SAFETY: own set layout.
        let layout = call("vkCreatePipelineLayout", unsafe {
            device.create_pipeline_layout(&info, None)
        })?;
        Ok(Self {
            _entry: entry,
            instance,
            device,
            set,
            layout,
        })
    }

    /// Makes a pipeline of a module's entry point `main` and destroys it: the driver's compiler runs.
    ///
    /// # Errors
    /// The call that failed.
    pub fn compile(&self, words: &[u32]) -> Result<()> {
        let plain = vk::SpecializationInfo::default();
        let pipeline = make_pipeline(&self.device, words, self.layout, &plain);
        let pipeline = pipeline.map_err(|failure| failure.to_string())?;
        // SAFETY: own pipeline, which nothing uses.
        unsafe { self.device.destroy_pipeline(pipeline, None) };
        Ok(())
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        // SAFETY: own handles, each destroyed once; nothing was submitted.
        unsafe {
            self.device.destroy_pipeline_layout(self.layout, None);
            self.device.destroy_descriptor_set_layout(self.set, None);
            self.device.destroy_device(None);
            self.instance.destroy_instance(None);
        }
    }
}

/// Compiles the section of a GLSL file that a macro chooses, by way of a scratch file.
///
/// # Errors
/// glslangValidator is missing, or what it says.
pub fn assemble(file: &Path, section: &str, scratch: &Path) -> Result<Vec<u32>> {
    let output = Command::new("glslangValidator")
        .args(["-V", "--target-env", "vulkan1.2", &format!("-D{section}")])
        .arg(file)
        .arg("-o")
        .arg(scratch)
        .output()
        .map_err(|error| format!("glslangValidator (package glslang-tools): {error}"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stdout);
        return Err(format!("{}, {section}:\n{said}", file.display()));
    }
    let bytes =
        std::fs::read(scratch).map_err(|error| format!("{}: {error}", scratch.display()))?;
    Ok(words(&bytes))
}
