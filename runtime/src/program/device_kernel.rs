//! A kernel as a device of its program has it.

use std::sync::Arc;

use crate::device::Device;
use crate::executable::{ArgBytes, Executable, KernelInfo, Prepared, RangeLimits};

/// A kernel on one device.
#[derive(Clone)]
pub struct DeviceKernel {
    /// The program's executable for the device.
    pub executable: Arc<Executable>,
    /// Its place among the executable's kernels.
    pub index: usize,
    /// True if the program was built with `-cl-uniform-work-group-size`.
    pub uniform_groups: bool,
}

impl DeviceKernel {
    /// Its description.
    pub fn info(&self) -> &KernelInfo {
        &self.executable.kernels()[self.index]
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
            ..limits
        }
    }
}
