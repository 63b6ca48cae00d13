//! A program's form for launches whose work-groups are of one work-item (`passes/optimize/groups_of_one`).
//!
//! Programs for processors launch such groups, each of which leaves all lanes of a sub-group but one idle. Kernels of the form do
//! not tell how their work-items are grouped, so that a launch runs many groups as one (`executable/launch/join.rs`).
//!
//! Drivers for processors compile a kernel for up to a minute. A launch takes the form if the driver has compiled the kernel in
//! it, in no form so far, or has run the program's own for as long as it compiled that. The first such launch makes the form.

use pumice_vulkan_layer::DeviceType;

use crate::device::Device;
use crate::executable::{ArgKind, Executable, NdRange};
use crate::program::device_kernel::DeviceKernel;
use crate::program::lowering::{LazyForm, Lowering};

/// The form of one build.
pub struct GroupsOfOne {
    /// The form itself.
    pub form: LazyForm,
}

impl GroupsOfOne {
    /// The form of a program that may get it: it has no variables of its own, of which there would be two.
    pub(super) fn new(executable: &Executable, lowering: &Lowering) -> Option<Self> {
        let fits = lowering.may_have_forms() && !lowering.target.zero_local;
        (fits && executable.is_stateless()).then(|| Self {
            form: LazyForm::new(
                lowering,
                |target| target.groups_of_one = true,
                "lower for work-groups of one work-item",
            ),
        })
    }

    /// Returns whether it is time for launches of a kernel to take the form, as far as it may pay.
    pub fn is_due(&self, kernel: &DeviceKernel) -> bool {
        let made = self.form.made();
        made.is_some_and(|form| form.executable.has_pipeline(kernel.index))
            || !kernel.executable.has_pipeline(kernel.index)
            || (kernel.coarse.as_ref()).is_none_or(|coarse| coarse.may_pay_again(kernel.index))
    }
}

/// Returns whether it may pay to join a launch's work-groups: they are of one work-item, there are enough of them, and the kernel
/// has no local memory whose size only the launch knows, nor any on a device other than a processor. There local memory is fast,
/// and private memory is not.
pub fn may_pay(kernel: &DeviceKernel, range: &NdRange, device: &Device) -> bool {
    let groups = || {
        let groups = range.num_groups().into_iter();
        groups.fold(1, u64::saturating_mul)
    };
    if range.local_size != [1; 3] || groups() <= device.groups_that_use_it() {
        return false;
    }
    let (executable, info) = (&kernel.executable, kernel.info());
    let is_processor = device.capabilities().device_type == DeviceType::Cpu;
    let has_local_argument = (info.args.iter()).any(|arg| matches!(arg.kind, ArgKind::Local));
    // Otherwise the program's own kernel is joined where that may be.
    let sees_groups =
        !executable.hides_groups(kernel.index) || info.required_work_group_size.is_some();
    sees_groups
        && !has_local_argument
        && (is_processor || executable.local_memory(kernel.index, &[]) == 0)
}
