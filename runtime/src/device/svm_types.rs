//! The types of shared memory that cl_khr_unified_svm lists.
//!
//! Devices support more or fewer of them, in one order. So the list has the types that every device with pointers supports
//! first, then those of devices that share memory, then that of devices whose addresses are the process's own. It ends where no
//! device of the platform supports more.

use opencl_sys as cl;

use crate::device::Device;
use crate::device::platform;

/// A type of shared memory, by its index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SvmType {
    /// Memory of one device.
    Device,
    /// Coarse-grained buffers.
    Coarse,
    /// Memory of the host.
    Host,
    /// Memory that the host and one device share.
    Shared,
    /// Fine-grained buffers.
    Fine,
    /// The process's memory.
    System,
}

/// The types in the order of their indices.
pub const TYPES: [SvmType; 6] = [
    SvmType::Device,
    SvmType::Coarse,
    SvmType::Host,
    SvmType::Shared,
    SvmType::Fine,
    SvmType::System,
];

impl SvmType {
    /// Its index in the lists.
    pub fn index(self) -> u32 {
        self as u32
    }
}

impl Device {
    /// The capabilities of a type of shared memory on this device; 0 if it does not support the type.
    pub fn svm_type_capabilities(&self, kind: SvmType) -> u64 {
        let usm = |query| {
            let atomic = cl::CL_UNIFIED_SHARED_MEMORY_ATOMIC_ACCESS_INTEL;
            let concurrent = cl::CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ACCESS_INTEL;
            let both = cl::CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ATOMIC_ACCESS_INTEL;
            let has = self.usm_capabilities(query);
            let mut more = 0;
            for (bit, capability) in [
                (atomic, cl::CL_SVM_CAPABILITY_DEVICE_ATOMIC_ACCESS_KHR),
                (concurrent, cl::CL_SVM_CAPABILITY_CONCURRENT_ACCESS_KHR),
                (both, cl::CL_SVM_CAPABILITY_CONCURRENT_ATOMIC_ACCESS_KHR),
            ] {
                if has & bit != 0 {
                    more |= capability;
                }
            }
            (has != 0).then_some(more)
        };
        let svm = self.svm_capabilities();
        // Kernels follow every pointer.
        let indirect = cl::CL_SVM_CAPABILITY_INDIRECT_ACCESS_KHR;
        let atomics = match svm & cl::CL_DEVICE_SVM_ATOMICS {
            0 => 0,
            _ => cl::CL_SVM_CAPABILITY_CONCURRENT_ATOMIC_ACCESS_KHR,
        };
        let grain = |bit: u64, macro_bits: u64| match svm & bit {
            0 => 0,
            _ => macro_bits | indirect,
        };
        match kind {
            SvmType::Device => usm(cl::CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL)
                .map_or(0, |more| cl::CL_SVM_TYPE_MACRO_DEVICE_KHR | more),
            SvmType::Host => usm(cl::CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL)
                .map_or(0, |more| cl::CL_SVM_TYPE_MACRO_HOST_KHR | more),
            SvmType::Shared => usm(cl::CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL)
                .map_or(0, |more| {
                    cl::CL_SVM_TYPE_MACRO_SINGLE_DEVICE_SHARED_KHR | more
                }),
            SvmType::Coarse => grain(
                cl::CL_DEVICE_SVM_COARSE_GRAIN_BUFFER,
                cl::CL_SVM_TYPE_MACRO_COARSE_GRAIN_BUFFER_KHR,
            ),
            SvmType::Fine => grain(
                cl::CL_DEVICE_SVM_FINE_GRAIN_BUFFER,
                cl::CL_SVM_TYPE_MACRO_FINE_GRAIN_BUFFER_KHR | atomics,
            ),
            SvmType::System => grain(
                cl::CL_DEVICE_SVM_FINE_GRAIN_SYSTEM,
                cl::CL_SVM_TYPE_MACRO_SYSTEM_KHR,
            ),
        }
    }

    /// CL_DEVICE_SVM_TYPE_CAPABILITIES_KHR: as many as the platform has.
    pub fn svm_types(&self) -> Vec<u64> {
        let count = platform_types().len();
        let types = TYPES.iter().take(count);
        types
            .map(|kind| self.svm_type_capabilities(*kind))
            .collect()
    }
}

/// CL_PLATFORM_SVM_TYPE_CAPABILITIES_KHR: what all devices that support the type have.
pub fn platform_types() -> Vec<u64> {
    let common = |kind: SvmType| {
        let devices = platform::known_devices().iter();
        let all = devices.map(|device| device.svm_type_capabilities(kind));
        all.filter(|capabilities| *capabilities != 0)
            .reduce(|a, b| a & b)
    };
    TYPES.iter().map_while(|kind| common(*kind)).collect()
}

#[cfg(test)]
mod tests {
    use super::TYPES;

    #[test]
    fn indices_are_places() {
        let mut places = (0..).zip(TYPES);
        assert!(places.all(|(place, kind)| kind.index() == place));
    }
}
