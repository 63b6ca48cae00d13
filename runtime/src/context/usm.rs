//! cl_intel_unified_shared_memory: memory of the host's, of a device, or shared by both, allocated by pointer.

use opencl_sys as cl;

use crate::base::error::{Error, Result};
use crate::base::info::Info;
use crate::base::object::{Object, Ref};
use crate::base::property::{Property, repeats};
use crate::context::Context;
use crate::context::svm::{Origin, Request, Wanted};
use crate::device::Device;

const ACCESS: u64 = cl::CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL;
const ATOMIC: u64 = cl::CL_UNIFIED_SHARED_MEMORY_ATOMIC_ACCESS_INTEL;
const CONCURRENT: u64 = cl::CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ACCESS_INTEL;
const CONCURRENT_ATOMIC: u64 = cl::CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ATOMIC_ACCESS_INTEL;

/// The largest alignment in bytes: a page. The extension allows CL_INVALID_VALUE for what is above the size of the
/// largest type (128), but programs ask for pages (every hipHostMalloc of chipStar's), and other drivers let them.
pub const MOST_ALIGNMENT: u32 = 4096;

/// A kind of allocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// clHostMemAllocINTEL.
    Host,
    /// clDeviceMemAllocINTEL.
    Device,
    /// clSharedMemAllocINTEL.
    Shared,
}

/// The properties of an allocation of the extension.
#[derive(Clone)]
pub struct Usm {
    kind: Kind,
    /// The device that it is associated with.
    device: Option<Ref<Device>>,
    /// `cl_mem_alloc_flags_intel`.
    flags: u64,
}

impl Usm {
    /// The kind of allocation.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The call that it comes from.
    pub fn call(&self) -> &'static str {
        match self.kind {
            Kind::Host => "clHostMemAllocINTEL",
            Kind::Device => "clDeviceMemAllocINTEL",
            Kind::Shared => "clSharedMemAllocINTEL",
        }
    }

    /// The device that it is associated with.
    pub fn device(&self) -> Option<&Ref<Device>> {
        self.device.as_ref()
    }
}

impl Kind {
    /// The queries of the devices' capabilities for it.
    fn queries(self) -> &'static [u32] {
        match self {
            Kind::Host => &[cl::CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL],
            Kind::Device => &[cl::CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL],
            Kind::Shared => &[
                cl::CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL,
                cl::CL_DEVICE_CROSS_DEVICE_SHARED_MEM_CAPABILITIES_INTEL,
            ],
        }
    }

    /// Tells whether a device supports it.
    pub fn is_supported(self, device: &Device) -> bool {
        let mut queries = self.queries().iter();
        queries.any(|query| device.usm_capabilities(*query) != 0)
    }

    /// Checks the properties; gives the flags.
    fn flags(self, properties: &[Property]) -> Result<u64> {
        // CL_INVALID_PROPERTY if a name is not supported or stands there twice, or its value is not valid.
        let invalid = |reason: &str| Error::InvalidProperty.because(reason.to_string());
        if repeats(properties) {
            return Err(invalid("a property stands there twice"));
        }
        let mut flags = 0;
        for property in properties {
            match (property.name, property.values.first()) {
                (cl::CL_MEM_ALLOC_FLAGS_INTEL, Some(value)) => flags = *value,
                _ => return Err(invalid("a property is not known")),
            }
        }
        let placements = cl::CL_MEM_ALLOC_INITIAL_PLACEMENT_DEVICE_INTEL
            | cl::CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL;
        if flags & !(cl::CL_MEM_ALLOC_WRITE_COMBINED_INTEL | placements) != 0 {
            return Err(invalid("CL_MEM_ALLOC_FLAGS_INTEL has unknown flags"));
        }
        // CL_INVALID_PROPERTY if a placement is given for anything but shared memory, or both are.
        let most = if self == Kind::Shared { 1 } else { 0 };
        if (flags & placements).count_ones() > most {
            return Err(invalid(
                "the initial placement does not go with the allocation",
            ));
        }
        Ok(flags)
    }
}

impl Device {
    /// The capabilities of one kind of allocation, by the name of its query; 0 for other names.
    pub fn usm_capabilities(&self, query: u32) -> u64 {
        let Ok(gpu) = self.gpu() else { return 0 };
        let is_same = gpu.probes().host_addresses;
        // Atomic operations may not pass the bus to memory of the host's.
        let on_host = match self.capabilities().unified_memory {
            true => ACCESS | CONCURRENT | ATOMIC,
            false => ACCESS | CONCURRENT,
        };
        let all = ACCESS | ATOMIC | CONCURRENT | CONCURRENT_ATOMIC;
        match query {
            cl::CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL if gpu.raw().shares_pointers() => {
                ACCESS | ATOMIC
            }
            cl::CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL
            | cl::CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL
            | cl::CL_DEVICE_CROSS_DEVICE_SHARED_MEM_CAPABILITIES_INTEL
            | cl::CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL
                if is_same =>
            {
                all
            }
            cl::CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL
            | cl::CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL
                if gpu.raw().shares_memory() =>
            {
                on_host
            }
            _ => 0,
        }
    }
}

/// Checks an alignment.
///
/// # Errors
/// CL_INVALID_VALUE if it is neither 0 nor a power of two up to [`MOST_ALIGNMENT`].
pub fn check_alignment(alignment: u64) -> Result<()> {
    let is_valid =
        alignment == 0 || alignment.is_power_of_two() && alignment <= u64::from(MOST_ALIGNMENT);
    match is_valid {
        true => Ok(()),
        false => {
            let reason = format!("alignment {alignment} is no power of 2 up to {MOST_ALIGNMENT}");
            Err(Error::InvalidValue.because(reason))
        }
    }
}

fn is_usm(origin: &Origin) -> bool {
    matches!(origin, Origin::Usm(_))
}

impl Object<Context> {
    /// clHostMemAllocINTEL, clDeviceMemAllocINTEL and clSharedMemAllocINTEL; gives the pointer.
    ///
    /// # Errors
    /// Those that the extension lists for them, in its order.
    pub fn usm_alloc(
        &self,
        kind: Kind,
        device: Option<Ref<Device>>,
        properties: &[Property],
        size: usize,
        alignment: u32,
    ) -> Result<usize> {
        // CL_INVALID_DEVICE if the device is none of the context's.
        let index = device.as_ref().map(|device| {
            let index = self.device_index(device);
            index.ok_or_else(|| Error::InvalidDevice.because("the device is not the context's"))
        });
        let index = index.transpose()?;
        // CL_INVALID_OPERATION if the device, or every device, does not support such memory.
        let supports = |device: &&Ref<Device>| kind.is_supported(device);
        let of_context = self.devices();
        let concerned = match index {
            Some(index) => &of_context[index..=index],
            None => of_context,
        };
        let supporting: Vec<_> = concerned.iter().filter(supports).collect();
        if supporting.is_empty() {
            let reason = format!("no device supports {kind:?} allocations").to_lowercase();
            return Err(Error::InvalidOperation.because(reason));
        }
        check_alignment(u64::from(alignment))?;
        let flags = kind.flags(properties)?;
        // CL_INVALID_BUFFER_SIZE if the size is 0, or more than a device that supports it allocates.
        let most = supporting
            .iter()
            .map(|device| device.max_allocation())
            .min();
        let most = most.unwrap_or(0);
        if size == 0 || size as u64 > most {
            let reason = format!("{size} bytes, a device allocates 1 to {most}");
            return Err(Error::InvalidBufferSize.because(reason));
        }
        let request = Request {
            device: index.unwrap_or(0),
            size,
            alignment,
            wanted: match kind {
                Kind::Device => Wanted::Device,
                Kind::Host | Kind::Shared => Wanted::Fine,
            },
            for_all: index.is_none(),
            origin: Origin::Usm(Usm {
                kind,
                device,
                flags,
            }),
        };
        Ok(self.share(request)?.start())
    }

    /// clMemFreeINTEL. NULL is left alone.
    ///
    /// # Errors
    /// CL_INVALID_VALUE if the pointer is not one that an allocation of the extension gave.
    pub fn usm_free(&self, pointer: usize) -> Result<()> {
        if pointer == 0 || self.unshare(pointer, is_usm) {
            return Ok(());
        }
        let reason = format!("{pointer:#x} is not the beginning of an allocation");
        Err(Error::InvalidValue.because(reason))
    }

    /// Returns whether an allocation of the extension begins at the pointer.
    pub fn usm_begins_at(&self, pointer: usize) -> bool {
        let found = self.svm_find(pointer);
        found.is_some_and(|(allocation, offset)| offset == 0 && is_usm(allocation.origin()))
    }

    /// clGetMemAllocInfoINTEL, for a pointer to any byte.
    ///
    /// # Errors
    /// [`Error::InvalidValue`] for other names.
    pub fn usm_info(&self, pointer: usize, name: u32) -> Result<Info> {
        let found = self.svm_find(pointer).map(|(allocation, _)| allocation);
        let found = found.as_ref().and_then(|allocation| {
            let Origin::Usm(usm) = allocation.origin() else {
                return None;
            };
            Some((allocation, usm))
        });
        Ok(match name {
            cl::CL_MEM_ALLOC_TYPE_INTEL => Info::u32(match found.map(|(_, usm)| usm.kind) {
                None => cl::CL_MEM_TYPE_UNKNOWN_INTEL,
                Some(Kind::Host) => cl::CL_MEM_TYPE_HOST_INTEL,
                Some(Kind::Device) => cl::CL_MEM_TYPE_DEVICE_INTEL,
                Some(Kind::Shared) => cl::CL_MEM_TYPE_SHARED_INTEL,
            }),
            cl::CL_MEM_ALLOC_BASE_PTR_INTEL => {
                Info::size(found.map_or(0, |(allocation, _)| allocation.start()))
            }
            cl::CL_MEM_ALLOC_SIZE_INTEL => {
                Info::size(found.map_or(0, |(allocation, _)| allocation.size()))
            }
            cl::CL_MEM_ALLOC_DEVICE_INTEL => {
                Info::optional(found.and_then(|(_, usm)| usm.device.as_ref()))
            }
            _ if u64::from(name) == cl::CL_MEM_ALLOC_FLAGS_INTEL => {
                Info::u64(found.map_or(0, |(_, usm)| usm.flags))
            }
            _ => return Err(Error::InvalidValue),
        })
    }
}
