//! An opened device: the parent of every other object.

use std::mem::ManuallyDrop;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use ash::vk;
use gpu_allocator::vulkan::{Allocator, AllocatorCreateDesc};
use parking_lot::Mutex;

use crate::caps::{Capabilities, Probes, query};
use crate::error::{Context, Error, Result};
use crate::quirks;
use crate::raw::enqueue;

pub(crate) mod fault;
mod functions;
pub(crate) mod host_pages;
pub(crate) mod instance;
pub(crate) mod memory;
pub(crate) mod pools;
pub(crate) mod sampler;
mod tools;

use functions::Functions;
use host_pages::Window;
use instance::{InstanceShared, PhysicalDevice};
use pools::{Clock, DescriptorPools, Recycled};
use sampler::Samplers;
use tools::Turnstile;

/// An opened device. Cheap to clone; the Vulkan device goes with the last object of it.
#[derive(Clone)]
pub struct LogicalDevice {
    pub(crate) shared: Arc<DeviceShared>,
}

pub(crate) struct DeviceShared {
    /// Goes after the device.
    pub instance: Arc<InstanceShared>,
    pub physical: vk::PhysicalDevice,
    pub raw: ash::Device,
    pub functions: Functions,
    pub caps: Arc<Capabilities>,
    /// Guards gpu-allocator's block lists. Dropped before the device.
    pub allocator: ManuallyDrop<Mutex<Allocator>>,
    pub memory_types: Vec<vk::MemoryType>,
    /// The device's VkQueues; each lock is Vulkan's external synchronisation of its queue. One that only copies
    /// is the last.
    pub queues: Vec<Mutex<vk::Queue>>,
    pub families: Families,
    next_queue: AtomicUsize,
    pub pipeline_cache: vk::PipelineCache,
    pub host_memory: Option<ash::ext::external_memory_host::Device>,
    pub memory_fd: Option<ash::khr::external_memory_fd::Device>,
    pub semaphore_fd: Option<ash::khr::external_semaphore_fd::Device>,
    pub calibrated: Option<ash::ext::calibrated_timestamps::Device>,
    /// Commands of work graphs.
    pub graphs: Option<enqueue::Functions>,
    pub descriptors: DescriptorPools,
    pub samplers: Samplers,
    /// Timeline semaphores that no queue uses.
    pub timelines: Recycled<vk::Semaphore>,
    /// Fences, and binary semaphores between queues, of devices without timeline semaphores.
    pub fences: Recycled<vk::Fence>,
    pub links: Recycled<vk::Semaphore>,
    /// Passed by every call that waits for a timeline, reads one or moves one on.
    pub turnstile: Turnstile,
    pub clock: Clock,
    /// True once the driver has said that the device is lost.
    pub lost: AtomicBool,
    /// True if the device's queues run commands strictly in order, even without barriers.
    pub runs_in_order: bool,
    /// True if a pipeline's machine code is generated when it is first dispatched.
    pub generates_code_late: bool,
    /// True if copies between buffers begin at multiples of 16 bytes of the target, but for the first few bytes.
    pub splits_unaligned_copies: bool,
    pub probes: OnceLock<Probes>,
    /// The host's side of pointers; `None` where they are addresses, or there is no room.
    pub window: OnceLock<Option<Window>>,
    /// True if the host and kernels can share memory as a whole.
    pub shares_memory: OnceLock<bool>,
}

/// The queue families of a device's VkQueues.
pub(crate) struct Families {
    pub compute: u32,
    /// That of the queue that only copies, if there is one.
    pub transfer: Option<u32>,
}

impl Families {
    fn of(instance: &ash::Instance, physical: vk::PhysicalDevice) -> Result<Self> {
        let Some((compute, _)) = query::compute_family(instance, physical) else {
            return Err(Error::Unsupported("compute queues".into()));
        };
        Ok(Self {
            compute,
            transfer: query::transfer_family(instance, physical),
        })
    }

    /// The families that buffers are shared by; none if they have one owner.
    pub fn sharing(&self) -> Option<[u32; 2]> {
        self.transfer.map(|transfer| [self.compute, transfer])
    }
}

impl LogicalDevice {
    /// Returns whether both handles refer to the same device.
    pub fn same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.shared, &other.shared)
    }

    pub(crate) fn open(physical: &PhysicalDevice) -> Result<Self> {
        memory::check_headroom()?;
        fault::begin_anew();
        let instance = Arc::clone(&physical.instance);
        let caps = Arc::clone(&physical.caps);
        let families = Families::of(&instance.raw, physical.raw)?;
        let count = caps.opened_queues();
        let priorities = vec![1.0; count as usize];
        let queue_info = |family, priorities| {
            vk::DeviceQueueCreateInfo::default()
                .queue_family_index(family)
                .queue_priorities(priorities)
        };
        let mut queue_infos = vec![queue_info(families.compute, &priorities)];
        let copying = families.transfer;
        queue_infos.extend(copying.map(|family| queue_info(family, &priorities[..1])));
        let extensions: Vec<_> = (caps.extensions_to_enable().into_iter())
            .map(|name| name.as_ptr())
            .collect();
        let mut chain = caps.features.to_chain();
        let raw = chain.link(caps.to_enable(), |features| {
            let info = vk::DeviceCreateInfo::default()
                .queue_create_infos(&queue_infos)
                .enabled_extension_names(&extensions)
                .push_next(features);
            // SAFETY: `info` and all it points at live through the call; the features are a
            // subset of what the device reported.
            unsafe { instance.raw.create_device(physical.raw, &info, None) }
        });
        let raw = raw.call("vkCreateDevice")?;

        let guard = DestroyOnError(Some(raw.clone()));
        // SAFETY: family and indices are those that the device was created with.
        let queue = |family, index| Mutex::new(unsafe { raw.get_device_queue(family, index) });
        let queues = (0..count).map(|index| queue(families.compute, index));
        let queues = queues.chain(copying.map(|family| queue(family, 0)));
        let queues = queues.collect();
        let mut quiet = gpu_allocator::AllocatorDebugSettings::default();
        quiet.log_leaks_on_shutdown = false;
        let allocator = Allocator::new(&AllocatorCreateDesc {
            instance: instance.raw.clone(),
            device: raw.clone(),
            physical_device: physical.raw,
            debug_settings: quiet,
            buffer_device_address: caps.features.buffer_device_address,
            // Memory that the host maps takes NVIDIA's driver 0.3 ms for each MiB, in every process that opens the device.
            allocation_sizes: gpu_allocator::AllocationSizes::new(64 << 20, 16 << 20)
                .with_max_host_memblock_size(64 << 20),
        });
        let allocator = allocator.map_err(|_| Error::OutOfHostMemory)?;
        // SAFETY: the info is complete; `physical` was enumerated from the instance.
        let (pipeline_cache, memory) = unsafe {
            (
                raw.create_pipeline_cache(&vk::PipelineCacheCreateInfo::default(), None),
                (instance.raw).get_physical_device_memory_properties(physical.raw),
            )
        };
        let pipeline_cache = pipeline_cache.call("vkCreatePipelineCache")?;
        let host_memory = caps
            .host_import_alignment
            .map(|_| ash::ext::external_memory_host::Device::new(&instance.raw, &raw));
        let memory_fd = caps
            .imports_memory()
            .then(|| ash::khr::external_memory_fd::Device::new(&instance.raw, &raw));
        let semaphore_fd = caps
            .shares_semaphores()
            .then(|| ash::khr::external_semaphore_fd::Device::new(&instance.raw, &raw));
        let calibrated = caps
            .calibrated_timestamps
            .then(|| ash::ext::calibrated_timestamps::Device::new(&instance.raw, &raw));
        let graphs = caps.to_enable().enqueue.then(|| {
            // SAFETY: the device was opened with the extension, which is listed in no other revision.
            unsafe { enqueue::Functions::load(&instance.raw, &raw) }
        });
        let turnstile = Turnstile::of(physical);
        // A layer that validates looks at what Vulkan promises, not at what the driver does.
        let runs_in_order =
            quirks::has(&caps.driver, quirks::QuirkKind::RunsInOrder) && !turnstile.is_narrow();
        let generates_code_late = quirks::has(&caps.driver, quirks::QuirkKind::CodeAtFirstDispatch);
        let splits_unaligned_copies =
            quirks::has(&caps.driver, quirks::QuirkKind::UnalignedCopiesSplit);
        guard.disarm();
        Ok(Self {
            shared: Arc::new(DeviceShared {
                functions: Functions::load(&instance.raw, &raw, caps.api_version),
                instance,
                physical: physical.raw,
                raw,
                caps,
                allocator: ManuallyDrop::new(Mutex::new(allocator)),
                memory_types: memory.memory_types_as_slice().to_vec(),
                queues,
                families,
                next_queue: AtomicUsize::new(0),
                pipeline_cache,
                host_memory,
                memory_fd,
                semaphore_fd,
                calibrated,
                graphs: graphs.flatten(),
                descriptors: DescriptorPools::default(),
                samplers: Samplers::default(),
                timelines: Recycled::default(),
                fences: Recycled::default(),
                links: Recycled::default(),
                turnstile,
                clock: Clock::default(),
                lost: AtomicBool::new(false),
                runs_in_order,
                generates_code_late,
                splits_unaligned_copies,
                probes: OnceLock::new(),
                window: OnceLock::new(),
                shares_memory: OnceLock::new(),
            }),
        })
    }

    /// Returns the device's identity, limits and features.
    pub fn capabilities(&self) -> &Capabilities {
        &self.shared.caps
    }

    /// Returns whether a submission or a wait has found the device lost: nothing can be submitted any more.
    pub fn is_lost(&self) -> bool {
        self.shared.is_lost()
    }

    /// Waits until the driver is through with everything submitted, its own bookkeeping included,
    /// which a timeline's value does not tell. Gives up after a second for each VkQueue that
    /// another thread is using.
    pub fn wait_idle(&self) {
        for queue in &self.shared.queues {
            if let Some(queue) = queue.try_lock_for(std::time::Duration::from_secs(1)) {
                // SAFETY: the queue belongs to the device and is locked. A lost device's wait
                // fails, and there is nothing to wait for then.
                let _ = unsafe { self.shared.raw.queue_wait_idle(*queue) };
            }
        }
    }

    /// Returns the driver's pipeline cache, for use by another process.
    ///
    /// # Errors
    /// Out of memory.
    pub fn pipeline_cache_data(&self) -> Result<Vec<u8>> {
        // SAFETY: the cache belongs to the device and is alive.
        let data = unsafe {
            self.shared
                .raw
                .get_pipeline_cache_data(self.shared.pipeline_cache)
        };
        data.call("vkGetPipelineCacheData")
    }

    /// Adds what [`LogicalDevice::pipeline_cache_data`] gave, in this process or another. Data of another
    /// driver is ignored.
    ///
    /// # Errors
    /// Out of memory.
    pub fn add_pipeline_cache_data(&self, data: &[u8]) -> Result<()> {
        let raw = &self.shared.raw;
        let info = vk::PipelineCacheCreateInfo::default().initial_data(data);
        // SAFETY: `info` points at `data`, which lives through the call; drivers check the header.
        let other = unsafe { raw.create_pipeline_cache(&info, None) };
        let other = other.call("vkCreatePipelineCache")?;
        // SAFETY: both caches belong to the device; the source is destroyed once, after the merge.
        let merged = unsafe {
            let merged = raw.merge_pipeline_caches(self.shared.pipeline_cache, &[other]);
            raw.destroy_pipeline_cache(other, None);
            merged
        };
        merged.call("vkMergePipelineCaches")
    }
}

impl DeviceShared {
    /// vkQueueSubmit on the VkQueue with an index.
    ///
    /// # Safety
    /// Command buffers are complete, everything that they use is kept until they are done, and whatever orders
    /// the signals of the semaphores is locked.
    pub unsafe fn submit(
        &self,
        queue: usize,
        infos: &[vk::SubmitInfo<'_>],
        fence: vk::Fence,
    ) -> Result<()> {
        self.note_loss(fault::check("vkQueueSubmit"))?;
        let queue = self.queues[queue].lock();
        // A loss that another thread met waits for this lock before it takes the device for idle.
        if fault::lost() || self.is_lost() {
            return Err(Error::DeviceLost);
        }
        let turn = self.turnstile.enter();
        // SAFETY: the caller's promise; the VkQueue is locked.
        let submitted = unsafe { self.raw.queue_submit(*queue, infos, fence) };
        drop(turn);
        drop(queue);
        self.note_loss(submitted.call("vkQueueSubmit"))
    }

    pub fn is_lost(&self) -> bool {
        self.lost.load(Ordering::Acquire)
    }

    /// Notes a loss that a call told of.
    pub fn note_loss<T>(&self, result: Result<T>) -> Result<T> {
        if matches!(result, Err(Error::DeviceLost)) {
            self.lost.store(true, Ordering::Release);
        }
        result
    }

    /// The error of a device that is known to be lost, without asking the driver.
    pub fn check_loss(&self) -> Result<()> {
        match self.is_lost() {
            true => Err(Error::DeviceLost),
            false => Ok(()),
        }
    }

    /// The next compute queue's index, round robin.
    pub fn pick_queue(&self) -> usize {
        self.next_queue.fetch_add(1, Ordering::Relaxed) % self.caps.opened_queues() as usize
    }

    /// The index of the queue that only copies, if there is one.
    pub fn copying_queue(&self) -> Option<usize> {
        self.families.transfer.map(|_| self.queues.len() - 1)
    }

    /// The family of a queue, by the queue's index.
    pub fn family(&self, queue: usize) -> u32 {
        let copies = self.copying_queue() == Some(queue);
        let transfer = self.families.transfer.filter(|_| copies);
        transfer.unwrap_or(self.families.compute)
    }
}

/// Destroys a half-made device when its creation fails further on.
struct DestroyOnError(Option<ash::Device>);

impl DestroyOnError {
    fn disarm(mut self) {
        self.0 = None;
    }
}

impl Drop for DestroyOnError {
    fn drop(&mut self) {
        if let Some(device) = self.0.take() {
            // SAFETY: nothing but the device was made, or the children were dropped before.
            unsafe { device.destroy_device(None) };
        }
    }
}

impl Drop for DeviceShared {
    fn drop(&mut self) {
        // SAFETY: every object of the device holds an Arc of this, so none is left, and the
        // driver's own threads are through with it after the wait (a lost device's fails). The
        // allocator is dropped exactly once, and before the device that its blocks belong to.
        unsafe {
            let _ = self.raw.device_wait_idle();
            let destroy = |semaphore| self.raw.destroy_semaphore(semaphore, None);
            self.timelines.drain(destroy);
            self.links.drain(destroy);
            self.fences
                .drain(|fence| self.raw.destroy_fence(fence, None));
            self.descriptors.destroy(&self.raw);
            self.samplers.destroy(&self.raw);
            self.raw.destroy_pipeline_cache(self.pipeline_cache, None);
            ManuallyDrop::drop(&mut self.allocator);
            self.raw.destroy_device(None);
        }
    }
}
