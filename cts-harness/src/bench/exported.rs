//! Memory that another user of Vulkan, or OpenGL, has allocated, handed over and back.

use super::rows::time_of_each;
use super::vulkan::{Devices, call, entry};
use super::{Result, Subject};
use crate::cl::{GlContext, Session};
use ash::{khr, vk};

/// A Vulkan device with one buffer, whose memory leaves it as a file descriptor.
///
/// Every handle is made here and destroyed in `Drop`, in reverse order; that is what the SAFETY lines mean by "own".
struct Exported {
    // Keeps the loader's functions; there is nothing to destroy.
    _entry: ash::Entry,
    instance: ash::Instance,
    device: ash::Device,
    buffer: vk::Buffer,
    memory: vk::DeviceMemory,
}

const OPAQUE: vk::ExternalMemoryHandleTypeFlags = vk::ExternalMemoryHandleTypeFlags::OPAQUE_FD;

impl Exported {
    /// Opens the device whose name is `like`, or the first, and gives a buffer's memory and its descriptor.
    fn open(like: &str, size: usize) -> Result<(Self, i32)> {
        let entry = entry()?;
        let devices = Devices::list(&entry, vk::API_VERSION_1_1)?;
        let chosen = devices.like(like)?;
        let instance = devices.instance;
        let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
        let names = [khr::external_memory_fd::NAME.as_ptr()];
        let info = vk::DeviceCreateInfo::default()
            .queue_create_infos(&queues)
            .enabled_extension_names(&names);
        // SAFETY: one queue of the first family, and an extension that the call refuses where it is absent.
        let device = call("vkCreateDevice", unsafe {
            instance.create_device(chosen, &info, None)
        })?;
        let mut external = vk::ExternalMemoryBufferCreateInfo::default().handle_types(OPAQUE);
        let usage = vk::BufferUsageFlags::STORAGE_BUFFER
            | vk::BufferUsageFlags::TRANSFER_SRC
            | vk::BufferUsageFlags::TRANSFER_DST;
        let info = vk::BufferCreateInfo::default()
            .size(size as u64)
            .usage(usage)
            .push_next(&mut external);
        // SAFETY: own device.
        let buffer = call("vkCreateBuffer", unsafe {
            device.create_buffer(&info, None)
        })?;
        // SAFETY: own buffer.
        let needs = unsafe { device.get_buffer_memory_requirements(buffer) };
        let mut dedicated = vk::MemoryDedicatedAllocateInfo::default().buffer(buffer);
        let mut export = vk::ExportMemoryAllocateInfo::default().handle_types(OPAQUE);
        let info = vk::MemoryAllocateInfo::default()
            .allocation_size(needs.size)
            .memory_type_index(needs.memory_type_bits.trailing_zeros())
            .push_next(&mut dedicated)
            .push_next(&mut export);
        // SAFETY: the first type of memory that the buffer may have.
        let memory = call("vkAllocateMemory", unsafe {
            device.allocate_memory(&info, None)
        })?;
        let functions = khr::external_memory_fd::Device::new(&instance, &device);
        let info = vk::MemoryGetFdInfoKHR::default()
            .memory(memory)
            .handle_type(OPAQUE);
        // SAFETY: own buffer and memory, which may be exported.
        let fd = unsafe {
            let bound = device.bind_buffer_memory(buffer, memory, 0);
            call("vkBindBufferMemory", bound)?;
            call("vkGetMemoryFdKHR", functions.get_memory_fd(&info))?
        };
        let made = Self {
            _entry: entry,
            instance,
            device,
            buffer,
            memory,
        };
        Ok((made, fd))
    }
}

impl Drop for Exported {
    fn drop(&mut self) {
        // SAFETY: own handles, each destroyed once; nothing was submitted.
        unsafe {
            self.device.destroy_buffer(self.buffer, None);
            self.device.free_memory(self.memory, None);
            self.device.destroy_device(None);
            self.instance.destroy_instance(None);
        }
    }
}

impl Subject {
    /// Microseconds of acquiring and releasing memory of another user of Vulkan, as large as the buffers.
    pub(super) fn hand_over(&self) -> Result<f64> {
        let size = self.host.len();
        let (exported, fd) = Exported::open(&self.device.name, size)?;
        let shared = self.device.shared_buffer(fd, size)?;
        // What lies in it is brought to the device once, if at all.
        shared.hand_over()?;
        let taken = time_of_each(1, || {
            shared.hand_over()?;
            Ok(self.device.finish()?)
        });
        drop(shared);
        drop(exported);
        taken
    }

    /// Microseconds of acquiring and releasing a buffer of OpenGL's, as large as the buffers.
    pub(super) fn hand_over_gl(&self) -> Result<f64> {
        let gl = GlContext::open()?;
        let session = Session::open_with_gl(&self.device.platform_name, &gl)?;
        let shared = session.gl_buffer(&gl, self.host.len())?;
        shared.hand_over()?;
        time_of_each(1, || {
            shared.hand_over()?;
            Ok(session.finish()?)
        })
    }
}
