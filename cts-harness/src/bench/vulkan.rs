//! The raw-Vulkan twin: what launches and transfers cost without OpenCL, as the floor of what a
//! driver on Vulkan can reach. The same Vulkan library, the device of the same name.
//!
//! Every handle is made here and destroyed in `Drop`, in reverse order; that is what the SAFETY
//! lines mean by "own".

use super::{Failure, Result};
use ash::vk;

/// The empty shader, which a test assembles anew.
const SHADER: &[u8] = include_bytes!("../../bench/empty.spv");

/// A Vulkan device with a queue, an empty compute pipeline and a mapped buffer.
pub struct Twin {
    // Keeps the loader's functions; there is nothing to destroy.
    _entry: ash::Entry,
    instance: ash::Instance,
    device: ash::Device,
    queue: vk::Queue,
    pool: vk::CommandPool,
    commands: vk::CommandBuffer,
    fence: vk::Fence,
    layout: vk::PipelineLayout,
    pipeline: vk::Pipeline,
    buffer: vk::Buffer,
    memory: vk::DeviceMemory,
    /// On the device.
    target: vk::Buffer,
    target_memory: vk::DeviceMemory,
    mapped: *mut u8,
    size: usize,
    /// The physical device's name.
    pub name: String,
}

/// Turns a Vulkan error into a failure that names the call.
pub(crate) fn call<T>(name: &str, result: std::result::Result<T, vk::Result>) -> Result<T> {
    result.map_err(|code| Failure(format!("{name}: {code:?}")))
}

/// Loads the Vulkan loader, for ever.
pub(crate) fn entry() -> Result<ash::Entry> {
    let missing = |error: libloading::Error| Failure(error.to_string());
    // SAFETY: the Vulkan loader's initialisers have no precondition.
    let library = unsafe { libloading::Library::new("libvulkan.so.1") }.map_err(missing)?;
    // SAFETY: every Vulkan loader exports the symbol with this type.
    let get_instance_proc_addr = unsafe {
        *library
            .get::<vk::PFN_vkGetInstanceProcAddr>(b"vkGetInstanceProcAddr\0")
            .map_err(missing)?
    };
    // Drivers' threads and exit handlers may still run in it.
    std::mem::forget(library);
    let functions = ash::StaticFn {
        get_instance_proc_addr,
    };
    // SAFETY: the library is never unloaded.
    Ok(unsafe { ash::Entry::from_static_fn(functions) })
}

/// An instance of Vulkan, which its user destroys, and its devices.
pub(crate) struct Devices {
    /// The instance.
    pub instance: ash::Instance,
    /// Its devices in the loader's order.
    list: Vec<vk::PhysicalDevice>,
}

impl Devices {
    /// Makes an instance of that version and lists its devices.
    pub fn list(entry: &ash::Entry, version: u32) -> Result<Devices> {
        let application = vk::ApplicationInfo::default().api_version(version);
        let info = vk::InstanceCreateInfo::default().application_info(&application);
        // SAFETY: `info` and what it points at live through the call.
        let instance = call("vkCreateInstance", unsafe {
            entry.create_instance(&info, None)
        })?;
        // SAFETY: own instance.
        let list = call("vkEnumeratePhysicalDevices", unsafe {
            instance.enumerate_physical_devices()
        })?;
        Ok(Devices { instance, list })
    }

    /// The name of a device.
    pub fn name(&self, device: vk::PhysicalDevice) -> String {
        // SAFETY: the instance's device.
        let properties = unsafe { self.instance.get_physical_device_properties(device) };
        let name = properties.device_name_as_c_str().unwrap_or_default();
        name.to_string_lossy().into_owned()
    }

    /// The first device.
    pub fn first(&self) -> Result<vk::PhysicalDevice> {
        let first = self.list.first().copied();
        first.ok_or_else(|| Failure("no Vulkan device".to_string()))
    }

    /// The first device whose name is `like`, or the first of all.
    pub fn like(&self, like: &str) -> Result<vk::PhysicalDevice> {
        let mut devices = self.list.iter().copied();
        let like = devices.find(|device| self.name(*device) == like);
        like.map_or_else(|| self.first(), Ok)
    }
}

/// The words of SPIR-V in a file's bytes.
pub(crate) fn words(bytes: &[u8]) -> Vec<u32> {
    bytes
        .chunks_exact(4)
        .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
        .collect()
}

/// A pipeline of a module's entry point `main`.
pub(crate) fn make_pipeline(
    device: &ash::Device,
    words: &[u32],
    layout: vk::PipelineLayout,
    specialization: &vk::SpecializationInfo<'_>,
) -> Result<vk::Pipeline> {
    let info = vk::ShaderModuleCreateInfo::default().code(words);
    // SAFETY: valid SPIR-V by glslangValidator.
    let module = call("vkCreateShaderModule", unsafe {
        device.create_shader_module(&info, None)
    })?;
    let stage = vk::PipelineShaderStageCreateInfo::default()
        .stage(vk::ShaderStageFlags::COMPUTE)
        .module(module)
        .name(c"main")
        .specialization_info(specialization);
    let info = [vk::ComputePipelineCreateInfo::default()
        .stage(stage)
        .layout(layout)];
    // SAFETY: own module and layout.
    let made = unsafe { device.create_compute_pipelines(vk::PipelineCache::null(), &info, None) };
    // SAFETY: own module, not needed once the pipeline is made.
    unsafe { device.destroy_shader_module(module, None) };
    Ok(call("vkCreateComputePipelines", made.map_err(|(_, code)| code))?[0])
}

/// A buffer and memory of its own, with these properties.
fn make_buffer(
    device: &ash::Device,
    memories: &vk::PhysicalDeviceMemoryProperties,
    size: usize,
    wanted: vk::MemoryPropertyFlags,
) -> Result<(vk::Buffer, vk::DeviceMemory)> {
    let usage = vk::BufferUsageFlags::STORAGE_BUFFER
        | vk::BufferUsageFlags::TRANSFER_SRC
        | vk::BufferUsageFlags::TRANSFER_DST;
    let info = vk::BufferCreateInfo::default()
        .size(size as u64)
        .usage(usage);
    // SAFETY: own device.
    let buffer = call("vkCreateBuffer", unsafe {
        device.create_buffer(&info, None)
    })?;
    // SAFETY: own buffer.
    let needs = unsafe { device.get_buffer_memory_requirements(buffer) };
    let kind = (0..memories.memory_type_count)
        .find(|&index| {
            needs.memory_type_bits & (1 << index) != 0
                && memories.memory_types[index as usize]
                    .property_flags
                    .contains(wanted)
        })
        .ok_or_else(|| Failure("no memory of that kind".to_string()))?;
    let info = vk::MemoryAllocateInfo::default()
        .allocation_size(needs.size)
        .memory_type_index(kind);
    // SAFETY: a memory type of the device.
    let memory = call("vkAllocateMemory", unsafe {
        device.allocate_memory(&info, None)
    })?;
    // SAFETY: own buffer and memory, of the size that the buffer needs.
    call("vkBindBufferMemory", unsafe {
        device.bind_buffer_memory(buffer, memory, 0)
    })?;
    Ok((buffer, memory))
}

impl Twin {
    /// Opens the device whose name is `like`, or the first, with `size` bytes of buffer.
    ///
    /// # Errors
    /// No Vulkan, no compute queue, or what a call returned.
    pub fn open(like: &str, size: usize) -> Result<Twin> {
        let entry = entry()?;
        let devices = Devices::list(&entry, vk::API_VERSION_1_1)?;
        let chosen = devices.like(like)?;
        let name = devices.name(chosen);
        let instance = devices.instance;
        // SAFETY: the instance's device.
        let families = unsafe { instance.get_physical_device_queue_family_properties(chosen) };
        let family = families
            .iter()
            .position(|family| family.queue_flags.contains(vk::QueueFlags::COMPUTE))
            .ok_or_else(|| Failure("no compute queue".to_string()))? as u32;
        // SAFETY: the instance's device.
        let memories = unsafe { instance.get_physical_device_memory_properties(chosen) };
        let queues = [vk::DeviceQueueCreateInfo::default()
            .queue_family_index(family)
            .queue_priorities(&[1.0])];
        let info = vk::DeviceCreateInfo::default().queue_create_infos(&queues);
        // SAFETY: a family of the device, and one queue of it.
        let device = call("vkCreateDevice", unsafe {
            instance.create_device(chosen, &info, None)
        })?;
        // SAFETY: own device, the one queue asked for.
        let queue = unsafe { device.get_device_queue(family, 0) };

        let info = vk::CommandPoolCreateInfo::default()
            .queue_family_index(family)
            .flags(vk::CommandPoolCreateFlags::RESET_COMMAND_BUFFER);
        // SAFETY: own device.
        let pool = call("vkCreateCommandPool", unsafe {
            device.create_command_pool(&info, None)
        })?;
        let info = vk::CommandBufferAllocateInfo::default()
            .command_pool(pool)
            .command_buffer_count(1);
        // SAFETY: own pool.
        let commands = call("vkAllocateCommandBuffers", unsafe {
            device.allocate_command_buffers(&info)
        })?[0];
        // SAFETY: own device.
        let fence = call("vkCreateFence", unsafe {
            device.create_fence(&vk::FenceCreateInfo::default(), None)
        })?;

        // SAFETY: own device.
        let layout = call("vkCreatePipelineLayout", unsafe {
            device.create_pipeline_layout(&vk::PipelineLayoutCreateInfo::default(), None)
        })?;
        let pipeline = make_pipeline(
            &device,
            &words(SHADER),
            layout,
            &vk::SpecializationInfo::default(),
        )?;

        let visible =
            vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
        let (buffer, memory) = make_buffer(&device, &memories, size, visible)?;
        let local = vk::MemoryPropertyFlags::DEVICE_LOCAL;
        let (target, target_memory) = make_buffer(&device, &memories, size, local)?;
        // SAFETY: own memory, host-visible, mapped once.
        let mapped = call("vkMapMemory", unsafe {
            device.map_memory(memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty())
        })?;
        Ok(Twin {
            _entry: entry,
            instance,
            device,
            queue,
            pool,
            commands,
            fence,
            layout,
            pipeline,
            buffer,
            memory,
            target,
            target_memory,
            mapped: mapped.cast(),
            size,
            name,
        })
    }

    /// Records so many launches with a memory barrier after each, submits and waits.
    ///
    /// # Errors
    /// Errors of Vulkan calls.
    pub fn launch(&self, count: usize) -> Result<()> {
        self.record(count, vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT)?;
        self.submit()
    }

    /// Records so many launches with a memory barrier after each.
    ///
    /// # Errors
    /// Errors of Vulkan calls.
    pub fn record(&self, count: usize, flags: vk::CommandBufferUsageFlags) -> Result<()> {
        let device = &self.device;
        let begin = vk::CommandBufferBeginInfo::default().flags(flags);
        let barrier = [vk::MemoryBarrier::default()
            .src_access_mask(vk::AccessFlags::SHADER_WRITE)
            .dst_access_mask(vk::AccessFlags::SHADER_READ | vk::AccessFlags::SHADER_WRITE)];
        // SAFETY: own handles; the commands are not pending, since every earlier submission was
        // waited for.
        unsafe {
            call(
                "vkBeginCommandBuffer",
                device.begin_command_buffer(self.commands, &begin),
            )?;
            device.cmd_bind_pipeline(self.commands, vk::PipelineBindPoint::COMPUTE, self.pipeline);
            for _ in 0..count {
                device.cmd_dispatch(self.commands, 1, 1, 1);
                device.cmd_pipeline_barrier(
                    self.commands,
                    vk::PipelineStageFlags::COMPUTE_SHADER,
                    vk::PipelineStageFlags::COMPUTE_SHADER,
                    vk::DependencyFlags::empty(),
                    &barrier,
                    &[],
                    &[],
                );
            }
            call(
                "vkEndCommandBuffer",
                device.end_command_buffer(self.commands),
            )
        }
    }

    /// Copies bytes to memory of the device by way of the mapped buffer, so often in one submission, and
    /// waits.
    ///
    /// # Errors
    /// Errors of Vulkan calls.
    pub fn copy(&mut self, from: &[u8], count: usize) -> Result<()> {
        let flags = vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT;
        let begin = vk::CommandBufferBeginInfo::default().flags(flags);
        let barrier = [vk::MemoryBarrier::default()
            .src_access_mask(vk::AccessFlags::TRANSFER_WRITE)
            .dst_access_mask(vk::AccessFlags::TRANSFER_WRITE)];
        let stage = vk::PipelineStageFlags::TRANSFER;
        let none = vk::DependencyFlags::empty();
        let region = [vk::BufferCopy::default().size(from.len().min(self.size) as u64)];
        // SAFETY: own handles; the commands are not pending, since every earlier submission was
        // waited for.
        let begun = unsafe { self.device.begin_command_buffer(self.commands, &begin) };
        call("vkBeginCommandBuffer", begun)?;
        for _ in 0..count {
            self.write(from);
            // SAFETY: own handles, of buffers that hold the region.
            unsafe {
                let (device, commands) = (&self.device, self.commands);
                device.cmd_copy_buffer(commands, self.buffer, self.target, &region);
                device.cmd_pipeline_barrier(commands, stage, stage, none, &barrier, &[], &[]);
            }
        }
        // SAFETY: as above.
        let ended = unsafe { self.device.end_command_buffer(self.commands) };
        call("vkEndCommandBuffer", ended)?;
        self.submit()
    }

    /// Makes a pipeline of the empty shader and destroys it. Caches know none for a number that is new.
    ///
    /// # Errors
    /// Errors of Vulkan calls.
    pub fn make_pipeline(&self, number: u32) -> Result<()> {
        let bytes = number.to_ne_bytes();
        let entry = [vk::SpecializationMapEntry::default().size(bytes.len())];
        let specialization = vk::SpecializationInfo::default()
            .map_entries(&entry)
            .data(&bytes);
        let pipeline = make_pipeline(&self.device, &words(SHADER), self.layout, &specialization)?;
        // SAFETY: own pipeline, which nothing uses.
        unsafe { self.device.destroy_pipeline(pipeline, None) };
        Ok(())
    }

    /// Submits what was recorded last, and waits.
    ///
    /// # Errors
    /// Errors of Vulkan calls.
    pub fn submit(&self) -> Result<()> {
        let device = &self.device;
        let buffers = [self.commands];
        let submits = [vk::SubmitInfo::default().command_buffers(&buffers)];
        let fences = [self.fence];
        // SAFETY: own handles; the commands are complete and not pending.
        unsafe {
            call(
                "vkQueueSubmit",
                device.queue_submit(self.queue, &submits, self.fence),
            )?;
            call(
                "vkWaitForFences",
                device.wait_for_fences(&fences, true, u64::MAX),
            )?;
            call("vkResetFences", device.reset_fences(&fences))
        }
    }

    /// Copies into the buffer's memory.
    pub fn write(&mut self, from: &[u8]) {
        let count = from.len().min(self.size);
        // SAFETY: `size` bytes are mapped, nothing else refers to them, and no launch is pending.
        unsafe { std::ptr::copy_nonoverlapping(from.as_ptr(), self.mapped, count) };
        std::hint::black_box(self.mapped);
    }

    /// Copies out of the buffer's memory.
    pub fn read(&self, to: &mut [u8]) {
        let count = to.len().min(self.size);
        // SAFETY: `size` bytes are mapped, and no launch is pending.
        unsafe { std::ptr::copy_nonoverlapping(self.mapped, to.as_mut_ptr(), count) };
        std::hint::black_box(to);
    }
}

impl Drop for Twin {
    fn drop(&mut self) {
        // SAFETY: own handles, each destroyed once, after the device is idle; an error of the wait
        // leaves nothing else to do.
        unsafe {
            let _ = self.device.device_wait_idle();
            self.device.destroy_buffer(self.target, None);
            self.device.free_memory(self.target_memory, None);
            self.device.destroy_buffer(self.buffer, None);
            self.device.free_memory(self.memory, None);
            self.device.destroy_pipeline(self.pipeline, None);
            self.device.destroy_pipeline_layout(self.layout, None);
            self.device.destroy_fence(self.fence, None);
            self.device.destroy_command_pool(self.pool, None);
            self.device.destroy_device(None);
            self.instance.destroy_instance(None);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::SHADER;
    use std::process::Command;

    #[test]
    fn the_shader_is_its_text_assembled() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/bench");
        let output = Command::new("spirv-as")
            .args(["--target-env", "vulkan1.1", "empty.spvasm", "-o", "-"])
            .current_dir(folder)
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        assert_eq!(output.stdout, SHADER);
    }
}
