//! Shared memory: allocations whose pointers are the same on the host and in kernels.
//!
//! A device has it where its addresses are the process's own (a start-up probe finds out), or where kernels add a
//! number to pointers (`pumice_vulkan_layer::Device::address_delta`). In the first case the host and the device use one
//! memory at any time: maps and migrations move nothing, and pointers that no allocation covers are as good
//! (fine-grained system memory). In the second an allocation is one of three things ([`Sharing`]): memory that both
//! see, device memory with a copy for the host, or device memory alone. docs/shared-memory.md tells which device gives
//! which.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use opencl_sys as cl;
use parking_lot::Mutex;
use pumice_vulkan_layer::{Buffer, MemoryClass, Sharing};

use crate::base::error::{Error, Result};
use crate::base::host_ptr::HostSlice;
use crate::base::object::{Object, Ref};
use crate::base::reason::null_because;
use crate::context::Context;
use crate::context::unified_svm::Unified;
use crate::context::usm::Usm;
use crate::device::{Device, checks, gpu};

const ACCESS_BITS: u64 = cl::CL_MEM_READ_WRITE | cl::CL_MEM_WRITE_ONLY | cl::CL_MEM_READ_ONLY;
const FINE_BITS: u64 = cl::CL_MEM_SVM_FINE_GRAIN_BUFFER | cl::CL_MEM_SVM_ATOMICS;
/// Every allocation is aligned to this, in bytes.
pub const ALIGNMENT: u32 = 256;

/// The access that an allocation is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// The host's between maps and unmaps only.
    Coarse,
    /// The host's and the device's at any time.
    Fine,
    /// The device's alone.
    Device,
}

/// The call that an allocation comes from.
#[derive(Clone)]
pub enum Origin {
    /// clSVMAlloc.
    Svm {
        /// True for fine-grained memory.
        fine: bool,
        /// True if the host and kernels may use atomics on it at the same time.
        atomics: bool,
    },
    /// cl_intel_unified_shared_memory.
    Usm(Usm),
    /// clSVMAllocWithPropertiesKHR.
    Unified(Unified),
}

impl Origin {
    /// The name of the call.
    pub fn call(&self) -> &'static str {
        match self {
            Origin::Svm { .. } => "clSVMAlloc",
            Origin::Usm(usm) => usm.call(),
            Origin::Unified(_) => "clSVMAllocWithPropertiesKHR",
        }
    }
}

/// An allocation to make.
pub struct Request {
    /// The place in the context of the device that gets the memory.
    pub device: usize,
    /// In bytes.
    pub size: usize,
    /// The access that it is for.
    pub wanted: Wanted,
    /// The pointer is a multiple of it: a power of two, or 0 for that of the largest type.
    pub alignment: u32,
    /// True if all devices of the context get the pointer.
    pub for_all: bool,
    /// The call.
    pub origin: Origin,
}

/// A range of shared memory.
pub struct Allocation {
    origin: Origin,
    memory: Buffer,
    /// The pointer to the first byte.
    start: usize,
    size: usize,
    /// The place in the context of the device that `memory` is on.
    device: usize,
    /// The host's memory at the pointer; `None` where the host has no access.
    host: Option<HostSlice>,
    /// True if the host's memory is a copy.
    copied: bool,
    /// Guards the mapped ranges of a copy.
    maps: Mutex<Vec<Map>>,
}

/// A mapped range of an allocation whose host memory is a copy.
#[derive(Clone, Copy, Debug)]
pub struct Map {
    /// The pointer to its first byte.
    pub address: usize,
    /// In bytes.
    pub size: usize,
    /// True if the application may write.
    pub writes: bool,
}

impl std::fmt::Debug for Allocation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Allocation")
            .field("start", &self.start)
            .field("size", &self.size)
            .field("copied", &self.copied)
            .finish_non_exhaustive()
    }
}

impl Allocation {
    /// The call that it comes from.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// Tells whether a kernel may wait for what the host writes to it while the kernel runs.
    pub fn has_atomics(&self) -> bool {
        matches!(self.origin, Origin::Svm { atomics: true, .. })
    }

    /// The device's memory, which may have bytes behind the allocation's.
    pub fn memory(&self) -> &Buffer {
        &self.memory
    }

    /// The pointer to the first byte.
    pub fn start(&self) -> usize {
        self.start
    }

    /// In bytes.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The place in the context of the device that the memory is on.
    pub fn device(&self) -> usize {
        self.device
    }

    /// Tells whether the host reads and writes other memory than the device, or none.
    pub fn is_away(&self) -> bool {
        self.copied || self.host.is_none()
    }

    /// The host's copy of the range; `None` where it is no copy.
    pub fn copy_for_host(&self, offset: usize, size: usize) -> Option<HostSlice> {
        let host = self.host.filter(|_| self.copied)?;
        Some(host.part(offset, size))
    }

    /// Tells whether the host may read and write there.
    pub fn has_host(&self) -> bool {
        self.host.is_some()
    }

    /// Notes a mapped range.
    pub fn add_map(&self, map: Map) {
        self.maps.lock().push(map);
    }

    /// Ends the latest map that began at `address`.
    pub fn take_map(&self, address: usize) -> Option<Map> {
        let mut maps = self.maps.lock();
        let index = maps.iter().rposition(|map| map.address == address)?;
        Some(maps.remove(index))
    }
}

/// A context's allocations.
#[derive(Default)]
pub struct Allocations {
    /// Guards the allocations, by the pointer to their first byte.
    by_address: Mutex<BTreeMap<usize, Arc<Allocation>>>,
    /// Guards the ranges that were freed last, for reports of checks: pointer, size, the call they came from.
    freed: Mutex<VecDeque<(usize, usize, &'static str)>>,
    /// Guards allocations that were freed after the context's termination, whose last kernels may still run.
    kept: Mutex<Vec<Arc<Allocation>>>,
}

/// Freed ranges that are remembered.
const MOST_FREED: usize = 64;

impl Device {
    /// CL_DEVICE_SVM_CAPABILITIES.
    pub fn svm_capabilities(&self) -> u64 {
        let Ok(gpu) = self.gpu() else { return 0 };
        let mut all = 0;
        if gpu.raw().shares_pointers() {
            all |= cl::CL_DEVICE_SVM_COARSE_GRAIN_BUFFER;
            if gpu.raw().shares_memory() {
                all |= cl::CL_DEVICE_SVM_FINE_GRAIN_BUFFER;
            }
        }
        if gpu.probes().host_addresses {
            all |= cl::CL_DEVICE_SVM_ATOMICS;
            // Checks know allocations, not all memory of the process.
            if !checks::of_all_programs().of_memory() {
                all |= cl::CL_DEVICE_SVM_FINE_GRAIN_SYSTEM;
            }
        }
        all
    }

    /// Tells whether its pointers can be the host's.
    pub fn has_svm(&self) -> bool {
        self.svm_capabilities() != 0
    }
}

/// Tells whether clSVMAlloc's flags are right and supported by all of `devices`.
fn supported(devices: &[Ref<Device>], flags: u64) -> bool {
    let known = flags & !(ACCESS_BITS | FINE_BITS) == 0;
    let access = (flags & ACCESS_BITS).count_ones() <= 1;
    let atomics = flags & cl::CL_MEM_SVM_ATOMICS != 0;
    let fine = flags & cl::CL_MEM_SVM_FINE_GRAIN_BUFFER != 0;
    let mut needed = cl::CL_DEVICE_SVM_COARSE_GRAIN_BUFFER;
    if fine {
        needed |= cl::CL_DEVICE_SVM_FINE_GRAIN_BUFFER;
    }
    if atomics {
        needed |= cl::CL_DEVICE_SVM_ATOMICS;
    }
    let has = |device: &Ref<Device>| device.svm_capabilities() & needed == needed;
    known && access && (fine || !atomics) && devices.iter().all(has)
}

/// The memory of an allocation on a device.
fn share(gpu: &gpu::OpenDevice, size: u64, wanted: Wanted, alignment: u32) -> Result<Buffer> {
    let device = gpu.raw();
    let unified = device.capabilities().unified_memory;
    let class = match unified {
        true => MemoryClass::HostVisibleDevice,
        false => MemoryClass::DeviceLocal,
    };
    let sharing = match wanted {
        Wanted::Device => Sharing::DeviceOnly,
        Wanted::Fine => Sharing::Whole,
        // A copy costs what a device of its own memory saves by it.
        Wanted::Coarse if unified && device.shares_memory() => Sharing::Whole,
        Wanted::Coarse => Sharing::Copied,
    };
    let buffer = device.create_shared_buffer(size, class, sharing, u64::from(alignment));
    let buffer = buffer.map_err(gpu::error)?;
    gpu.clear(&buffer)?;
    Ok(buffer)
}

impl Object<Context> {
    /// Allocates shared memory.
    ///
    /// # Errors
    /// CL_OUT_OF_HOST_MEMORY; CL_OUT_OF_RESOURCES, also where several devices would have to agree on a pointer.
    pub fn share(&self, request: Request) -> Result<Arc<Allocation>> {
        let Request {
            device,
            size,
            wanted,
            alignment,
            ..
        } = request;
        let open = self.devices()[device].gpu()?;
        if request.for_all && self.devices().len() > 1 {
            // Each such device has pointers of its own.
            let own = |device: &Ref<Device>| {
                let gpu = device.gpu();
                gpu.is_ok_and(|gpu| gpu.raw().address_delta() != 0)
            };
            if self.devices().iter().any(own) {
                let reason = "the context's devices have no pointers in common";
                return Err(Error::OutOfResources.because(reason));
            }
        }
        let memory = share(open, size as u64, wanted, alignment).map_err(|error| match error {
            Error::OutOfHostMemory => error,
            _ => Error::OutOfResources,
        })?;
        let start = memory.pointer() as usize;
        if alignment != 0 && start % alignment as usize != 0 {
            let reason = format!("the device's memory is not aligned to {alignment}");
            return Err(Error::OutOfResources.because(reason));
        }
        let host = HostSlice::at_pointer(&memory);
        let copied = host.is_some_and(|(_, copied)| copied);
        let host = host.map(|(slice, _)| slice.part(0, size));
        if wanted != Wanted::Device && host.is_none() {
            let reason = "memory for SVM lies elsewhere for the device than for the host";
            return Err(Error::OutOfResources.because(reason));
        }
        let allocation = Arc::new(Allocation {
            origin: request.origin,
            memory,
            start,
            size,
            device,
            host,
            copied,
            maps: Mutex::default(),
        });
        let mut all = self.svm().by_address.lock();
        all.insert(start, allocation.clone());
        Ok(allocation)
    }

    /// clSVMAlloc; `None` where the specification answers NULL.
    pub fn svm_alloc(&self, flags: u64, size: usize, alignment: u32) -> Option<usize> {
        let devices = self.devices();
        let most = devices.iter().map(|device| device.max_allocation()).min()?;
        if !supported(devices, flags) {
            null_because(format!("no device supports flags {flags:#x}"));
            return None;
        }
        if size == 0 || size as u64 > most {
            null_because(format!("{size} bytes, a device allocates 1 to {most}"));
            return None;
        }
        // 0 is the alignment of the largest type.
        if alignment != 0 && !alignment.is_power_of_two() || alignment > ALIGNMENT {
            null_because(format!(
                "alignment {alignment} is no power of 2 up to {ALIGNMENT}"
            ));
            return None;
        }
        let wanted = match flags & cl::CL_MEM_SVM_FINE_GRAIN_BUFFER {
            0 => Wanted::Coarse,
            _ => Wanted::Fine,
        };
        let request = Request {
            device: 0,
            size,
            wanted,
            alignment,
            for_all: true,
            origin: Origin::Svm {
                fine: wanted == Wanted::Fine,
                atomics: flags & cl::CL_MEM_SVM_ATOMICS != 0,
            },
        };
        match self.share(request) {
            Ok(allocation) => Some(allocation.start()),
            Err(error) => {
                null_because(format!("the allocation failed with {error}"));
                None
            }
        }
    }

    /// Frees the allocation that begins at a pointer, if its origin is `right`; tells whether there was one. Commands
    /// that use it keep it.
    pub(super) fn unshare(&self, pointer: usize, right: impl Fn(&Origin) -> bool) -> bool {
        let mut all = self.svm().by_address.lock();
        let found = all.get(&pointer);
        if !found.is_some_and(|allocation| right(&allocation.origin)) {
            return false;
        }
        let freed = all.remove(&pointer);
        drop(all);
        if let Some(allocation) = &freed {
            let mut list = self.svm().freed.lock();
            if list.len() == MOST_FREED {
                list.pop_front();
            }
            list.push_back((pointer, allocation.size, allocation.origin.call()));
        }
        if self.is_terminated() {
            self.svm().kept.lock().extend(freed);
        }
        true
    }

    /// clSVMFree. What is no allocation is left alone.
    pub fn svm_free(&self, address: usize) {
        self.unshare(address, |origin| !matches!(origin, Origin::Usm(_)));
    }

    /// All allocations: pointer, size, the call that they came from, and true for those that were freed.
    pub fn svm_ranges(&self) -> Vec<(usize, usize, &'static str, bool)> {
        let live: Vec<_> = (self.svm().by_address.lock().values())
            .map(|one| (one.start, one.size, one.origin.call(), false))
            .collect();
        let freed = self.svm().freed.lock();
        let freed = freed
            .iter()
            .map(|&(start, size, call)| (start, size, call, true));
        live.into_iter().chain(freed).collect()
    }

    /// The allocation that holds an address, with the address's offset in it.
    pub fn svm_find(&self, address: usize) -> Option<(Arc<Allocation>, usize)> {
        let allocations = self.svm().by_address.lock();
        let (start, allocation) = allocations.range(..=address).next_back()?;
        let offset = address - start;
        (offset < allocation.size).then(|| (allocation.clone(), offset))
    }

    /// CL_INVALID_VALUE if the application gives memory for the host's use that the host has no access to.
    ///
    /// # Errors
    /// [`Error::InvalidValue`].
    pub fn check_host_memory(&self, memory: HostSlice) -> Result<()> {
        match self.svm_find(memory.address()) {
            Some((allocation, _)) if !allocation.has_host() => {
                let reason = "the pointer is of memory that the host has no access to";
                Err(Error::InvalidValue.because(reason))
            }
            _ => Ok(()),
        }
    }

    /// Tells whether the pointers of any of its devices can be the host's.
    pub fn has_svm(&self) -> bool {
        self.devices().iter().any(|device| device.has_svm())
    }
}
