//! A program's form for launches with more local memory than Vulkan's shared memory holds: kernels have it in a buffer
//! (`passes/legalize/local_in_buffers`). The first such launch of a kernel that has its own in shared memory makes the form.

use pumice_vulkan_layer::Capabilities;

use crate::executable::{ArgValue, Executable, end_of_arguments};
use crate::program::arguments::{ArgBlock, Argument};
use crate::program::lowering::{LazyForm, Lowering};

/// Arguments begin at multiples of at most so many bytes: a vector of 16 doubles.
const MOST_ALIGN: u64 = 128;

/// The form of one build.
pub struct LargeLocal {
    /// The form itself.
    pub form: LazyForm,
    /// The bytes of each kernel's local variables.
    variables: Vec<u64>,
    /// The bytes of shared memory.
    shared: u64,
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
        let fits = target.keeps_large_local_in_buffers() && executable.is_stateless();
        fits.then(|| Self {
            form: LazyForm::new(
                lowering,
                |target| target.local_in_buffers = true,
                "lower with local memory in buffers",
            ),
            variables: (0..executable.kernels().len())
                .map(|kernel| executable.local_memory(kernel, &[]))
                .collect(),
            shared: u64::from(caps.limits.max_shared_memory),
        })
    }

    /// Returns whether a launch of a kernel with these arguments takes more than shared memory.
    pub fn is_asked(&self, kernel: usize, args: &ArgBlock) -> bool {
        let sizes = args.values.iter().filter_map(|value| match value {
            Some(Argument::Value(ArgValue::Local { size })) => Some(*size),
            _ => None,
        });
        end_of_arguments(self.variables[kernel], MOST_ALIGN, sizes) > self.shared
    }
}
