//! The properties that clCreateCommandQueue and clCreateCommandQueueWithProperties take.

use opencl_sys as cl;

use crate::base::error::{Error, Result};
use crate::device::Device;

/// CL_QUEUE_PRIORITY_KHR (cl_khr_priority_hints).
const CL_QUEUE_PRIORITY_KHR: u32 = 0x1096;
/// CL_QUEUE_THROTTLE_KHR (cl_khr_throttle_hints).
const CL_QUEUE_THROTTLE_KHR: u32 = 0x1097;
/// CL_QUEUE_FAMILY_INTEL (cl_intel_command_queue_families).
pub(super) const CL_QUEUE_FAMILY_INTEL: u32 = cl::CL_QUEUE_FAMILY_INTEL as u32;
/// CL_QUEUE_INDEX_INTEL.
pub(super) const CL_QUEUE_INDEX_INTEL: u32 = cl::CL_QUEUE_INDEX_INTEL as u32;

/// The checked properties of a queue.
#[derive(Clone, Copy, Debug, Default)]
pub struct QueueProperties {
    /// `cl_command_queue_properties`.
    pub bits: u64,
    /// CL_QUEUE_SIZE (bytes), of a device queue only.
    pub size: Option<u32>,
    /// The device's queue that commands are submitted to (CL_QUEUE_INDEX_INTEL); `None` for any.
    pub index: Option<u32>,
}

const NO_DEVICE_QUEUES: &str = "the device has no device queues";

/// Checks the list of clCreateCommandQueueWithProperties. All queues of a device are of one family.
///
/// # Errors
/// [`Error::InvalidValue`], [`Error::InvalidQueueProperties`], as the specification of the call
/// says.
pub fn check_properties(device: &Device, pairs: &[[u64; 2]]) -> Result<QueueProperties> {
    let queues = device.capabilities().opened_queues();
    let (mut bits, mut size, mut family, mut queue) = (0, None, None, None);
    let mut has_hints = false;
    for (index, [name, value]) in pairs.iter().copied().enumerate() {
        // CL_INVALID_VALUE if a property or its value is not valid.
        if pairs[..index].iter().any(|[earlier, _]| *earlier == name) {
            let reason = format!("property {name:#x} is given twice");
            return Err(Error::InvalidValue.because(reason));
        }
        match u32::try_from(name) {
            Ok(cl::CL_QUEUE_PROPERTIES) => bits = value,
            // Hints, which no Vulkan queue of ours takes: one of three values each.
            Ok(CL_QUEUE_PRIORITY_KHR | CL_QUEUE_THROTTLE_KHR) if [1, 2, 4].contains(&value) => {
                has_hints = true;
            }
            // CL_INVALID_VALUE if there are not so many families, or queues in the family.
            Ok(CL_QUEUE_FAMILY_INTEL) if value == 0 => family = Some(value),
            Ok(CL_QUEUE_INDEX_INTEL) if value < u64::from(queues) => queue = Some(value as u32),
            Ok(cl::CL_QUEUE_SIZE) if !device.has_device_enqueue() => {
                return Err(Error::InvalidQueueProperties.because(NO_DEVICE_QUEUES));
            }
            Ok(cl::CL_QUEUE_SIZE) if value > 0 => {
                size = Some(u32::try_from(value).unwrap_or(u32::MAX));
            }
            _ => {
                let reason = format!("{name:#x} is no property of queues, or cannot be {value:#x}");
                return Err(Error::InvalidValue.because(reason));
            }
        }
    }
    // CL_INVALID_VALUE if one of family and index is given without the other.
    if family.is_some() != queue.is_some() {
        return Err(Error::InvalidValue.because("a queue's family and index go together"));
    }
    check_bits(device, bits)?;
    // CL_INVALID_QUEUE_PROPERTIES: cl_khr_priority_hints and cl_khr_throttle_hints are for the host's queues.
    if has_hints && is_on_device(bits) {
        return Err(Error::InvalidQueueProperties.because("a device queue takes no hints"));
    }
    // CL_INVALID_VALUE: the size is a device queue's.
    if size.is_some() && !is_on_device(bits) {
        return Err(Error::InvalidValue.because("CL_QUEUE_SIZE without CL_QUEUE_ON_DEVICE"));
    }
    Ok(QueueProperties {
        bits,
        size,
        index: queue,
    })
}

/// Checks a `cl_command_queue_properties` bit field.
///
/// # Errors
/// [`Error::InvalidValue`] for unknown or contradicting bits, [`Error::InvalidQueueProperties`] for
/// device queues where the device has none.
pub fn check_bits(device: &Device, bits: u64) -> Result<()> {
    let host = cl::CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | cl::CL_QUEUE_PROFILING_ENABLE;
    let on_device_bits = cl::CL_QUEUE_ON_DEVICE | cl::CL_QUEUE_ON_DEVICE_DEFAULT;
    // CL_INVALID_VALUE if the bits are not known.
    if bits & !(host | on_device_bits) != 0 {
        let reason = format!("the bits {bits:#x} of CL_QUEUE_PROPERTIES are not all known");
        return Err(Error::InvalidValue.because(reason));
    }
    // CL_INVALID_VALUE: a device queue must be out of order, a default one on the device.
    let on_device = is_on_device(bits);
    if (on_device && bits & cl::CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE == 0)
        || (bits & cl::CL_QUEUE_ON_DEVICE_DEFAULT != 0 && !on_device)
    {
        return Err(Error::InvalidValue.because(
            "CL_QUEUE_ON_DEVICE needs CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, and CL_QUEUE_ON_DEVICE_DEFAULT needs CL_QUEUE_ON_DEVICE",
        ));
    }
    // CL_INVALID_QUEUE_PROPERTIES if the device does not support them.
    if on_device && !device.has_device_enqueue() {
        return Err(Error::InvalidQueueProperties.because(NO_DEVICE_QUEUES));
    }
    Ok(())
}

/// Tells whether the bit field is a device queue's.
pub fn is_on_device(bits: u64) -> bool {
    bits & cl::CL_QUEUE_ON_DEVICE != 0
}
