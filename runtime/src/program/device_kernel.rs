//! A kernel as a device of its program has it.

use std::sync::Arc;

use crate::device::Device;
use crate::executable::{
    ArgBytes, ArgValue, Executable, KernelInfo, LeastGroups, NdRange, Prepared, RangeLimits,
};
use crate::program::arguments::{ArgBlock, Argument};
use crate::program::coarse_form::CoarseForm;
use crate::program::groups_of_one::{self, GroupsOfOne};
use crate::program::large_local::LargeLocal;
use crate::program::lowering::Form;

/// A kernel on one device.
#[derive(Clone)]
pub struct DeviceKernel {
    /// The program's executable for the device.
    pub executable: Arc<Executable>,
    /// The same with descriptors for buffers, if the program has that form.
    pub by_descriptors: Option<Arc<Executable>>,
    /// The same with coarse copies, if the program may get that form.
    pub coarse: Option<Arc<CoarseForm>>,
    /// The same for work-groups of one work-item, if the program may get that form.
    pub groups_of_one: Option<Arc<GroupsOfOne>>,
    /// The same with local memory in buffers, if the program may get that form.
    pub large_local: Option<Arc<LargeLocal>>,
    /// Its place among the executable's kernels.
    pub index: usize,
    /// True if the program was built with `-cl-uniform-work-group-size`, or from OpenCL C before 2.0.
    pub uniform_groups: bool,
    /// True if the program was built in robust mode.
    pub robust: bool,
}

impl DeviceKernel {
    /// Its description.
    pub fn info(&self) -> &KernelInfo {
        &self.executable.kernels()[self.index]
    }

    /// The kernel in the form for a launch with these arguments. Descriptors show whole memory objects: a pointer that may be
    /// followed beyond one, into shared memory or by a device address, needs addresses.
    #[must_use]
    pub fn for_arguments(&self, args: &ArgBlock, device: &Device) -> Self {
        let large = self.large_local.as_ref();
        let large = large.filter(|large| large.is_asked(self.index, args));
        let in_shared = large.filter(|_| !self.executable.has_local_buffer(self.index));
        if let Some(form) = in_shared.and_then(|large| large.form.get(&self.executable, device)) {
            return self.in_form(form);
        }
        // With descriptors, kernels have shared memory alone.
        let form = self.by_descriptors.as_ref().filter(|_| {
            let mut values = args.values.iter().flatten();
            large.is_none()
                && args.indirect.is_empty()
                && values.all(|value| has_descriptor(value, device))
        });
        let copies = || {
            let coarse = self.coarse.as_ref()?;
            coarse.for_launch(self.index, (&self.executable, device))
        };
        let executable = form.cloned().or_else(copies);
        Self {
            executable: executable.unwrap_or_else(|| self.executable.clone()),
            by_descriptors: None,
            coarse: self.coarse.clone(),
            groups_of_one: self.groups_of_one.clone(),
            large_local: None,
            ..*self
        }
    }

    /// The kernel in another form of its program.
    fn in_form(&self, form: &Form) -> Self {
        Self {
            executable: form.executable.clone(),
            by_descriptors: None,
            coarse: form.coarse.clone(),
            groups_of_one: None,
            large_local: None,
            ..*self
        }
    }

    /// The kernel for launches of a range, which remembers the form for work-groups of one work-item only if that may pay.
    #[must_use]
    pub fn for_range(self, range: &NdRange, device: &Device) -> Self {
        let form = self.groups_of_one.clone();
        Self {
            groups_of_one: form.filter(|_| groups_of_one::may_pay(&self, range, device)),
            ..self
        }
    }

    /// Returns whether the next launch asks for the form for work-groups of one work-item.
    pub fn joins(&self) -> bool {
        let form = self.groups_of_one.as_ref();
        form.is_some_and(|form| form.is_due(self))
    }

    /// The kernel in the form for work-groups of one work-item, and the range with larger ones, if it has such.
    pub fn joined(&self, range: &NdRange, device: &Device) -> Option<(Self, NdRange)> {
        let form = self.groups_of_one.as_ref()?;
        let form = form.form.get(&self.executable, device)?;
        let joined = self.in_form(form);
        let limits = joined.limits(device);
        let limits = RangeLimits {
            least_joined: limits.least_joined.map(|least| LeastGroups {
                small: device.groups_that_use_it(),
                parts: true,
                ..least
            }),
            ..limits
        };
        let range = NdRange {
            local_size: limits.joined(range)?,
            ..*range
        };
        let range = (form.executable).with_known_size(self.index, range, limits.multiple);
        Some((joined, range))
    }

    /// Returns whether the next launch takes the form with coarse copies.
    pub fn takes_copies(&self) -> bool {
        let coarse = self.coarse.as_ref();
        coarse.is_some_and(|coarse| coarse.executable(self.index).is_some())
    }

    /// Notes for how many nanoseconds the device has run it.
    pub fn note_time(&self, nanoseconds: u64) {
        if let Some(coarse) = &self.coarse {
            coarse.note_time(self.index, nanoseconds);
        }
    }

    /// See [`Executable::rewrite`].
    pub fn rewrite(&self, prepared: &Prepared, bytes: &[(u32, ArgBytes)]) -> Option<Prepared> {
        self.executable.rewrite(self.index, prepared, bytes)
    }

    /// The limits of its work-groups.
    pub fn limits(&self, device: &Device) -> RangeLimits {
        let limits = self.executable.limits(self.index, device.capabilities());
        RangeLimits {
            non_uniform: limits.non_uniform && !self.uniform_groups,
            uneven_choice: limits.uneven_choice
                && (!self.uniform_groups || self.executable.hides_groups(self.index)),
            neighbours: self.executable.coarse_items(self.index) as usize,
            large_groups: self.executable.has_roomy_copies(self.index),
            least_joined: (self.executable.may_join_groups(self.index)).then(|| LeastGroups {
                large: device.groups_that_fill_it(),
                small: device.groups_that_fill_it(),
                parts: false,
            }),
            ..limits
        }
    }
}

/// Tells whether a kernel can have the argument without an address.
fn has_descriptor(argument: &Argument, device: &Device) -> bool {
    match argument {
        Argument::Memory(object) if object.kernel_storage().is_ok() => {
            let most = device.capabilities().limits.max_storage_buffer_range;
            let aligned = object.origin() % device.base_alignment() == 0;
            aligned && object.size() as u64 <= u64::from(most)
        }
        Argument::Value(ArgValue::Pointer(_)) => false,
        Argument::Memory(_) | Argument::Value(_) | Argument::Sampler(_) => true,
        Argument::Queue(_) | Argument::Shared { .. } | Argument::DevicePointer(_) => false,
    }
}
