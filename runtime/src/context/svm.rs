//! Shared virtual memory: allocations whose host and device addresses are the same.
//!
//! A device supports it where its addresses are the process's own (a start-up probe finds out).
//! There the host and the device use one memory at any time, so that maps and migrations move
//! nothing, and pointers that no allocation covers are as good (fine-grained system memory).

use std::collections::BTreeMap;

use opencl_sys as cl;
use parking_lot::Mutex;
use pumice_vulkan_layer::Buffer;

use crate::base::host_ptr::HostSlice;
use crate::base::log;
use crate::base::object::{Object, Ref};
use crate::base::reason::null_because;
use crate::context::Context;
use crate::device::Device;

const ACCESS_BITS: u64 = cl::CL_MEM_READ_WRITE | cl::CL_MEM_WRITE_ONLY | cl::CL_MEM_READ_ONLY;
const FINE_BITS: u64 = cl::CL_MEM_SVM_FINE_GRAIN_BUFFER | cl::CL_MEM_SVM_ATOMICS;
/// Every allocation is aligned to this, in bytes.
const ALIGNMENT: u32 = 256;

/// A context's allocations.
#[derive(Default)]
pub struct Allocations {
    /// Guards the buffers, by the address of their first byte.
    by_address: Mutex<BTreeMap<usize, Buffer>>,
}

impl Device {
    /// CL_DEVICE_SVM_CAPABILITIES.
    pub fn svm_capabilities(&self) -> u64 {
        let same = self.gpu().is_ok_and(|gpu| gpu.probes().host_addresses);
        if !same {
            return 0;
        }
        cl::CL_DEVICE_SVM_COARSE_GRAIN_BUFFER
            | cl::CL_DEVICE_SVM_FINE_GRAIN_BUFFER
            | cl::CL_DEVICE_SVM_FINE_GRAIN_SYSTEM
    }

    /// Tells whether it shares addresses with the host.
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

impl Object<Context> {
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
        let gpu = devices[0].gpu().ok()?;
        let buffer = gpu.allocate(size as u64, false).ok()?;
        gpu.clear(&buffer).ok()?;
        let address = HostSlice::of_buffer(&buffer)?.address();
        if address as u64 != buffer.address() {
            log::error!("memory for SVM lies elsewhere for the device than for the host");
            return None;
        }
        self.svm().by_address.lock().insert(address, buffer);
        Some(address)
    }

    /// clSVMFree. What is no allocation is left alone; commands that use one keep it.
    pub fn svm_free(&self, address: usize) {
        let freed = self.svm().by_address.lock().remove(&address);
        drop(freed);
    }

    /// The allocation that holds an address, with the address's offset in it.
    pub fn svm_find(&self, address: usize) -> Option<(Buffer, u64)> {
        let allocations = self.svm().by_address.lock();
        let (start, buffer) = allocations.range(..=address).next_back()?;
        let offset = (address - start) as u64;
        (offset < buffer.size()).then(|| (buffer.clone(), offset))
    }

    /// Tells whether any of its devices shares addresses with the host.
    pub fn has_svm(&self) -> bool {
        self.devices().iter().any(|device| device.has_svm())
    }
}
