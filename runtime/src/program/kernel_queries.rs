//! clGetKernelInfo, clGetKernelWorkGroupInfo, clGetKernelSubGroupInfo, clGetKernelArgInfo.

use opencl_sys as cl;

use crate::base::error::{Error, Result};
use crate::base::info::Info;
use crate::base::object::{Object, Ref};
use crate::device::{Device, extensions};
use crate::program::Origin;
use crate::program::kernel::Kernel;

/// cl_intel_required_subgroup_size.
const CL_KERNEL_SPILL_MEM_SIZE_INTEL: u32 = 0x4109;
const CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL: u32 = 0x410A;

impl Kernel {
    /// The device that a query is about: the only one for `None`.
    fn query_device(&self, device: Option<Ref<Device>>) -> Result<Ref<Device>> {
        let devices = self.program().devices();
        match device {
            // CL_INVALID_DEVICE if device is not one of the kernel's.
            Some(device) => {
                let index = self.program().device_index(&device).ok_or_else(|| {
                    Error::InvalidDevice.because("the device is not one of the kernel's program")
                })?;
                Ok(devices[index].clone())
            }
            // CL_INVALID_DEVICE if it is NULL and there is more than one.
            None if devices.len() == 1 => Ok(devices[0].clone()),
            None => Err(Error::InvalidDevice.because(format!(
                "device is NULL, but the kernel's program has {} devices",
                devices.len()
            ))),
        }
    }

    /// clGetKernelWorkGroupInfo.
    ///
    /// # Errors
    /// Those that the specification lists for clGetKernelWorkGroupInfo.
    pub fn work_group_info(&self, device: Option<Ref<Device>>, name: u32) -> Result<Info> {
        let device = self.query_device(device)?;
        let device_kernel = self.device_kernel(&device)?;
        let limits = device_kernel.limits(&device);
        Ok(match name {
            cl::CL_KERNEL_WORK_GROUP_SIZE => Info::size(limits.group_size),
            cl::CL_KERNEL_COMPILE_WORK_GROUP_SIZE => {
                Info::sizes(&limits.required.unwrap_or([0; 3]))
            }
            cl::CL_KERNEL_LOCAL_MEM_SIZE => {
                let arguments = self.local_arguments();
                let executable = &device_kernel.executable;
                Info::u64(executable.local_memory(device_kernel.index, &arguments))
            }
            cl::CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE => Info::size(limits.multiple),
            // Beside that, Vulkan does not tell how much a pipeline spills.
            cl::CL_KERNEL_PRIVATE_MEM_SIZE | CL_KERNEL_SPILL_MEM_SIZE_INTEL => {
                Info::u64(u64::from(device_kernel.info().private_bytes.unwrap_or(0)))
            }
            // CL_KERNEL_GLOBAL_WORK_SIZE is for custom devices and built-in kernels.
            _ => return Err(Error::InvalidValue),
        })
    }

    /// clGetKernelSubGroupInfo. `input` holds the values of input_value, `None` for NULL;
    /// `capacity` is how many dimensions param_value has room for.
    ///
    /// # Errors
    /// Those that the specification lists for clGetKernelSubGroupInfo.
    pub fn sub_group_info(
        &self,
        device: Option<Ref<Device>>,
        name: u32,
        input: Option<&[usize]>,
        capacity: usize,
    ) -> Result<Info> {
        let device = self.query_device(device)?;
        let known = [
            cl::CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE,
            cl::CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE,
            cl::CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT,
            cl::CL_KERNEL_MAX_NUM_SUB_GROUPS,
            cl::CL_KERNEL_COMPILE_NUM_SUB_GROUPS,
            CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL,
        ];
        // CL_INVALID_VALUE if param_name is not valid.
        if !known.contains(&name) {
            return Err(Error::InvalidValue);
        }
        // CL_INVALID_OPERATION if the device does not support sub-groups.
        let usual = extensions::sub_group_size(device.capabilities())
            .ok_or_else(|| Error::InvalidOperation.because("the device has no sub-groups"))?
            as usize;
        let device_kernel = self.device_kernel(&device)?;
        let limits = device_kernel.limits(&device);
        let required = device_kernel.info().required_sub_group_size;
        let (sub_group, most) = match required.filter(|&size| size != 0) {
            Some(size) => (size as usize, limits.group_size.div_ceil(size as usize)),
            None => (usual, device.max_sub_groups() as usize),
        };
        let most = most.min(limits.group_size.div_ceil(sub_group));
        // CL_INVALID_VALUE if input_value is NULL or its size is not that of 1 to 3 sizes.
        let range = || {
            input
                .filter(|sizes| (1..=3).contains(&sizes.len()))
                .ok_or_else(|| {
                    Error::InvalidValue.because("input_value is no list of 1 to 3 sizes")
                })
        };
        Ok(match name {
            cl::CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE => {
                range()?;
                Info::size(sub_group)
            }
            cl::CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE => {
                let items = range()?
                    .iter()
                    .try_fold(1_usize, |items, size| items.checked_mul(*size))
                    .ok_or(Error::InvalidValue)?;
                Info::size(items.div_ceil(sub_group))
            }
            cl::CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT => {
                // CL_INVALID_VALUE if input_value is not one size.
                let [count] = *range()? else {
                    return Err(Error::InvalidValue.because("input_value is not one size"));
                };
                let items = count.saturating_mul(sub_group);
                let local = match limits.required {
                    Some(required) if required.iter().product::<usize>() == items => required,
                    // Zeros if no work-group size gives that many.
                    Some(_) => [0; 3],
                    None if count <= most && items <= limits.item_sizes[0] => [items, 1, 1],
                    None => [0; 3],
                };
                Info::sizes(&local[..capacity.clamp(1, 3)])
            }
            cl::CL_KERNEL_MAX_NUM_SUB_GROUPS => Info::size(most),
            CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL => Info::size(required.unwrap_or(0) as usize),
            // CL_KERNEL_COMPILE_NUM_SUB_GROUPS: only SPIR-V can ask for a number.
            _ => Info::size(device_kernel.info().required_sub_groups.unwrap_or(0) as usize),
        })
    }

    /// clGetKernelArgInfo.
    ///
    /// # Errors
    /// Those that the specification lists for clGetKernelArgInfo.
    pub fn arg_info(&self, index: u32, name: u32) -> Result<Info> {
        let arg = self.arg(index)?;
        let known = [
            cl::CL_KERNEL_ARG_ADDRESS_QUALIFIER,
            cl::CL_KERNEL_ARG_ACCESS_QUALIFIER,
            cl::CL_KERNEL_ARG_TYPE_NAME,
            cl::CL_KERNEL_ARG_TYPE_QUALIFIER,
            cl::CL_KERNEL_ARG_NAME,
        ];
        // CL_INVALID_VALUE if param_name is not valid.
        if !known.contains(&name) {
            return Err(Error::InvalidValue);
        }
        // CL_KERNEL_ARG_INFO_NOT_AVAILABLE if source was compiled without -cl-kernel-arg-info, or if
        // the module does not tell.
        let hidden = self.program().builds().iter().any(|b| b.hides_arguments);
        let info = arg.info.as_ref().filter(|_| !hidden);
        let answer = match name {
            cl::CL_KERNEL_ARG_ADDRESS_QUALIFIER => {
                info.and_then(|i| i.address_qualifier).map(Info::u32)
            }
            cl::CL_KERNEL_ARG_ACCESS_QUALIFIER => {
                info.and_then(|i| i.access_qualifier).map(Info::u32)
            }
            cl::CL_KERNEL_ARG_TYPE_NAME => {
                info.and_then(|i| i.type_name.as_deref()).map(Info::string)
            }
            cl::CL_KERNEL_ARG_TYPE_QUALIFIER => info
                .and_then(|i| i.type_qualifier)
                .map(|bits| Info::u64(u64::from(bits))),
            _ => info.map(|i| Info::string(&i.name)),
        };
        answer.ok_or_else(|| {
            Error::KernelArgInfoNotAvailable.because(match hidden {
                true => "the program was compiled without -cl-kernel-arg-info",
                false => "the module does not tell",
            })
        })
    }
}

impl Object<Kernel> {
    /// clGetKernelInfo.
    ///
    /// # Errors
    /// [`Error::InvalidValue`] for other names.
    pub fn info(self: &Ref<Kernel>, name: u32) -> Result<Info> {
        Ok(match name {
            cl::CL_KERNEL_FUNCTION_NAME => Info::string(self.name()),
            cl::CL_KERNEL_NUM_ARGS => Info::u32(self.description()?.args.len() as u32),
            cl::CL_KERNEL_REFERENCE_COUNT => Info::u32(self.reference_count()),
            cl::CL_KERNEL_CONTEXT => Info::object(self.program().context()),
            cl::CL_KERNEL_PROGRAM => Info::object(self.program()),
            // Empty unless the program came from clCreateProgramWithSource (OpenCL 3.0 API §5.9.4).
            cl::CL_KERNEL_ATTRIBUTES => Info::string(match self.program().origin() {
                Origin::Source(_) | Origin::Linked => &self.description()?.attributes,
                Origin::Il { .. } | Origin::Binary => "",
            }),
            _ => return Err(Error::InvalidValue),
        })
    }
}
