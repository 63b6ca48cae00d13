//! A program's form for launches with more local memory than Vulkan's shared memory holds: kernels have it in a buffer
//! (`passes/legalize/local_in_buffers`). Kernels whose variables alone are larger have it there in every form.
//!
//! The first such launch makes the form.

use std::sync::OnceLock;

use pumice_compiler::Target;
use pumice_vulkan_layer::Capabilities;

use crate::base::exit;
use crate::device::Device;
use crate::executable::{ArgValue, Executable};
use crate::program::arguments::{ArgBlock, Argument};
use crate::program::device_kernel::DeviceKernel;
use crate::program::lowering::{Form, Lowering};

/// Arguments begin at multiples of at most so many bytes: a vector of 16 doubles.
const MOST_ALIGN: u64 = 128;

/// The form of one build.
pub struct LargeLocal {
    lowering: Lowering,
    /// The bytes of each kernel's local variables.
    variables: Vec<u64>,
    /// The bytes of shared memory.
    shared: u64,
    /// The form, once a launch has asked for it; `None` if the program has none.
    made: OnceLock<Option<Form>>,
}

impl LargeLocal {
    /// The form of a program that may get it: the device offers more local memory than Vulkan, and the program has no variables of
    /// its own, of which there would be two.
    pub(super) fn new(
        executable: &Executable,
        lowering: &Lowering,
        caps: &Capabilities,
    ) -> Option<Self> {
        let target = &lowering.target;
        let is_offered = target.max_local_memory_size > target.max_shared_memory_size;
        let fits = is_offered && target.may_keep_local_in_buffers() && executable.is_stateless();
        fits.then(|| Self {
            lowering: lowering.clone(),
            variables: (0..executable.kernels().len())
                .map(|kernel| executable.local_memory(kernel, &[]))
                .collect(),
            shared: u64::from(caps.limits.max_shared_memory),
            made: OnceLock::new(),
        })
    }

    /// The form for a launch with these arguments, if they ask for it.
    pub fn for_arguments(
        &self,
        kernel: &DeviceKernel,
        args: &ArgBlock,
        device: &Device,
    ) -> Option<&Form> {
        let sizes = args.values.iter().filter_map(|value| match value {
            Some(Argument::Value(ArgValue::Local { size })) => Some(*size),
            _ => None,
        });
        let behind = |end: u64, size: u64| {
            let start = end.checked_next_multiple_of(MOST_ALIGN);
            start.unwrap_or(u64::MAX).saturating_add(size)
        };
        let asks = sizes.fold(self.variables[kernel.index], behind) > self.shared;
        if !asks || exit::is_leaving() {
            return None;
        }
        let make = || self.make(&kernel.executable, device.capabilities());
        self.made.get_or_init(make).as_ref()
    }

    fn make(&self, executable: &Executable, caps: &Capabilities) -> Option<Form> {
        let target = Target {
            local_in_buffers: true,
            ..Target::clone(&self.lowering.target)
        };
        let purpose = "lower with local memory in buffers";
        self.lowering.form(target, (executable, caps), purpose)
    }
}
