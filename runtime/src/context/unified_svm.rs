//! cl_khr_unified_svm 0.9.0 (experimental): shared memory by type, with properties.
//!
//! The specification of this version is a header and a list of names; errors follow the draft and the calls that it
//! unites.

use opencl_sys as cl;

use crate::base::error::{Error, Result};
use crate::base::info::Info;
use crate::base::object::{Object, Ref};
use crate::base::property::{Property, repeats};
use crate::context::Context;
use crate::context::svm::{Allocation, Origin, Request, Wanted};
use crate::context::usm::{Kind, check_alignment};
use crate::device::Device;
use crate::device::svm_types::{SvmType, TYPES, platform_types};

const ACCESS_FLAGS: u64 = cl::CL_SVM_ALLOC_ACCESS_HOST_NOREAD_KHR
    | cl::CL_SVM_ALLOC_ACCESS_HOST_NOWRITE_KHR
    | cl::CL_SVM_ALLOC_ACCESS_DEVICE_NOREAD_KHR
    | cl::CL_SVM_ALLOC_ACCESS_DEVICE_NOWRITE_KHR;
/// Every capability bit.
const CAPABILITIES: u64 = (cl::CL_SVM_CAPABILITY_INDIRECT_ACCESS_KHR << 1) - 1;

/// The properties of an allocation of clSVMAllocWithPropertiesKHR.
#[derive(Clone)]
pub struct Unified {
    kind: SvmType,
    properties: Properties,
}

/// A list of `cl_svm_alloc_properties_khr`, checked.
#[derive(Clone, Default)]
pub struct Properties {
    /// The list as given, with its terminator; empty for NULL.
    list: Vec<u64>,
    device: Option<Ref<Device>>,
    access: u64,
    alignment: u64,
}

impl Properties {
    /// Checks a list. `device` gives the device of a handle.
    ///
    /// # Errors
    /// CL_INVALID_PROPERTY; CL_INVALID_DEVICE.
    pub fn check(
        context: &Object<Context>,
        (properties, list): (Option<Vec<Property>>, Vec<u64>),
        device: impl Fn(u64) -> Result<Ref<Device>>,
    ) -> Result<Self> {
        let mut checked = Self {
            list,
            ..Self::default()
        };
        let properties = properties.unwrap_or_default();
        // CL_INVALID_PROPERTY if a name is not supported or stands there twice, or its value is not valid.
        let invalid = || Error::InvalidProperty.because("a property is not known, or not valid");
        if repeats(&properties) {
            return Err(invalid());
        }
        for property in &properties {
            let value = property.values.first().copied().ok_or_else(invalid)?;
            match property.name {
                cl::CL_SVM_ALLOC_ASSOCIATED_DEVICE_HANDLE_KHR => {
                    // CL_INVALID_DEVICE if it is none of the context's.
                    let device = device(value)?;
                    context.device_index(&device).ok_or(Error::InvalidDevice)?;
                    checked.device = Some(device);
                }
                cl::CL_SVM_ALLOC_ACCESS_FLAGS_KHR if value & !ACCESS_FLAGS == 0 => {
                    checked.access = value;
                }
                cl::CL_SVM_ALLOC_ALIGNMENT_KHR if check_alignment(value).is_ok() => {
                    checked.alignment = value;
                }
                _ => return Err(invalid()),
            }
        }
        Ok(checked)
    }
}

/// The type of an allocation.
fn type_of(allocation: &Allocation) -> SvmType {
    match allocation.origin() {
        Origin::Svm { fine: false, .. } => SvmType::Coarse,
        Origin::Svm { fine: true, .. } => SvmType::Fine,
        Origin::Usm(usm) => match usm.kind() {
            Kind::Device => SvmType::Device,
            Kind::Host => SvmType::Host,
            Kind::Shared => SvmType::Shared,
        },
        Origin::Unified(unified) => unified.kind,
    }
}

impl Object<Context> {
    /// The devices that an allocation with these properties concerns.
    fn concerned(&self, properties: &Properties) -> Vec<Ref<Device>> {
        match &properties.device {
            Some(device) => vec![device.clone()],
            None => self.devices().to_vec(),
        }
    }

    /// clSVMAllocWithPropertiesKHR; gives the pointer.
    ///
    /// # Errors
    /// CL_INVALID_VALUE, CL_INVALID_DEVICE, CL_INVALID_OPERATION, CL_INVALID_BUFFER_SIZE, CL_OUT_OF_RESOURCES,
    /// CL_OUT_OF_HOST_MEMORY.
    pub fn unified_alloc(&self, properties: Properties, index: u32, size: usize) -> Result<usize> {
        // CL_INVALID_VALUE if the platform has no type of that index.
        let types = platform_types();
        let kind = TYPES.into_iter().take(types.len()).nth(index as usize);
        let kind = kind.ok_or_else(|| {
            let reason = format!(
                "the platform has {} types, index {index} given",
                types.len()
            );
            Error::InvalidValue.because(reason)
        })?;
        // CL_INVALID_DEVICE if the type needs an associated device and none is given.
        let unassociated = cl::CL_SVM_CAPABILITY_DEVICE_UNASSOCIATED_KHR;
        let is_needed = types[index as usize] & unassociated == 0;
        if properties.device.is_none() && is_needed {
            let reason = "this type of memory is associated with a device, and none is given";
            return Err(Error::InvalidDevice.because(reason));
        }
        // CL_INVALID_OPERATION if no device that the allocation concerns supports the type.
        let concerned = self.concerned(&properties);
        let supports = |device: &Ref<Device>| device.svm_type_capabilities(kind) != 0;
        if !concerned.iter().any(supports) {
            let reason = "no device supports this type of memory";
            return Err(Error::InvalidOperation.because(reason));
        }
        // CL_INVALID_BUFFER_SIZE if the size is 0.
        if size == 0 {
            return Err(Error::InvalidBufferSize.because("the size is 0"));
        }
        let most = concerned.iter().map(|device| device.max_allocation()).min();
        if most.is_some_and(|most| size as u64 > most) {
            let reason = format!("{size} bytes are more than a device allocates");
            return Err(Error::OutOfResources.because(reason));
        }
        let index = properties.device.as_ref();
        let request = Request {
            device: index
                .and_then(|device| self.device_index(device))
                .unwrap_or(0),
            size,
            alignment: properties.alignment as u32,
            wanted: match kind {
                SvmType::Device => Wanted::Device,
                SvmType::Coarse => Wanted::Coarse,
                _ => Wanted::Fine,
            },
            for_all: !is_needed,
            origin: Origin::Unified(Unified { kind, properties }),
        };
        Ok(self.share(request)?.start())
    }

    /// clSVMFreeWithPropertiesKHR. NULL is left alone.
    ///
    /// # Errors
    /// CL_INVALID_PROPERTY for any property, CL_INVALID_VALUE for any flag, and for a pointer that no allocation of
    /// SVM gave.
    pub fn unified_free(&self, has_properties: bool, flags: u64, pointer: usize) -> Result<()> {
        if has_properties {
            return Err(Error::InvalidProperty.because("no property is known"));
        }
        if flags != 0 {
            return Err(Error::InvalidValue.because(format!("unknown flags {flags:#x}")));
        }
        let is_svm = |origin: &Origin| !matches!(origin, Origin::Usm(_));
        if pointer == 0 || self.unshare(pointer, is_svm) {
            return Ok(());
        }
        let reason = format!("{pointer:#x} is not the beginning of an allocation");
        Err(Error::InvalidValue.because(reason))
    }

    /// clGetSVMPointerInfoKHR, for a pointer to any byte; capabilities are those on `device`, or the platform's.
    ///
    /// # Errors
    /// CL_INVALID_DEVICE if the device is none of the context's; [`Error::InvalidValue`] for other names.
    pub fn unified_info(
        &self,
        device: Option<Ref<Device>>,
        pointer: usize,
        name: u32,
    ) -> Result<Info> {
        if let Some(device) = &device {
            self.device_index(device).ok_or(Error::InvalidDevice)?;
        }
        let found = self.svm_find(pointer).map(|(allocation, _)| allocation);
        let found = found.as_deref();
        let properties = found.and_then(|allocation| match allocation.origin() {
            Origin::Unified(unified) => Some(&unified.properties),
            _ => None,
        });
        Ok(match name {
            cl::CL_SVM_INFO_TYPE_INDEX_KHR => {
                Info::u32(found.map_or(u32::MAX, |allocation| type_of(allocation).index()))
            }
            cl::CL_SVM_INFO_CAPABILITIES_KHR => {
                let kind = found.map(type_of);
                Info::u64(kind.map_or(0, |kind| match &device {
                    Some(device) => device.svm_type_capabilities(kind),
                    None => platform_types()[kind.index() as usize],
                }))
            }
            cl::CL_SVM_INFO_PROPERTIES_KHR => {
                Info::u64s(properties.map_or(&[][..], |properties| &properties.list))
            }
            cl::CL_SVM_INFO_ACCESS_FLAGS_KHR => {
                Info::u64(properties.map_or(0, |properties| properties.access))
            }
            cl::CL_SVM_INFO_BASE_PTR_KHR => {
                Info::size(found.map_or(0, |allocation| allocation.start()))
            }
            cl::CL_SVM_INFO_SIZE_KHR => Info::size(found.map_or(0, |allocation| allocation.size())),
            cl::CL_SVM_INFO_ASSOCIATED_DEVICE_HANDLE_KHR => {
                let of_usm = found.and_then(|allocation| match allocation.origin() {
                    Origin::Usm(usm) => usm.device(),
                    _ => None,
                });
                let device = properties.and_then(|properties| properties.device.as_ref());
                Info::optional(device.or(of_usm))
            }
            _ => return Err(Error::InvalidValue),
        })
    }

    /// clGetSVMSuggestedTypeIndexKHR: the type with all required capabilities and most of the desired ones on the
    /// associated device, else on every device of the context; `u32::MAX` if there is none.
    ///
    /// # Errors
    /// CL_INVALID_VALUE for unknown capabilities.
    pub fn unified_suggestion(
        &self,
        required: u64,
        desired: u64,
        properties: &Properties,
    ) -> Result<u32> {
        if (required | desired) & !CAPABILITIES != 0 {
            return Err(Error::InvalidValue.because("unknown capabilities are asked for"));
        }
        let concerned = self.concerned(properties);
        let count = platform_types().len();
        let common = |kind: SvmType| {
            let all = concerned.iter().map(|d| d.svm_type_capabilities(kind));
            all.reduce(|a, b| a & b).unwrap_or(0)
        };
        let fitting = TYPES[..count].iter().copied().filter(|kind| {
            let has = common(*kind);
            has != 0 && has & required == required
        });
        // The first of equals.
        let best = fitting
            .rev()
            .max_by_key(|kind| (common(*kind) & desired).count_ones());
        Ok(best.map_or(u32::MAX, SvmType::index))
    }
}
