//! Pointers that a kernel gets without the handle of a memory object: arguments that are pointers, and those that
//! clSetKernelExecInfo lists.

use opencl_sys as cl;

use super::kernel::{Argument, Kernel};
use crate::base::error::{Error, Result};
use crate::executable::{ArgKind, ArgValue};
use crate::memory::device_address;
use crate::program::kernel_checks::NO_SVM;

impl Kernel {
    /// clSetKernelArgSVMPointer.
    ///
    /// # Errors
    /// Those that the specification lists for clSetKernelArgSVMPointer, in its order.
    pub fn set_arg_svm(&self, index: u32, address: usize) -> Result<()> {
        let context = self.program().context();
        // CL_INVALID_OPERATION if no device of the context supports SVM.
        if !context.has_svm() {
            return Err(Error::InvalidOperation.because(NO_SVM));
        }
        let value = match self.arg_kind(index)? {
            ArgKind::Unused => Argument::Value(ArgValue::Null),
            // CL_INVALID_ARG_VALUE if the argument is a pipe.
            ArgKind::Buffer if self.arg(index)?.is_pipe() => {
                return Err(self.arg_error(Error::InvalidArgValue, index, "it is a pipe"));
            }
            ArgKind::Buffer if address == 0 => Argument::Value(ArgValue::Null),
            ArgKind::Buffer => match context.svm_find(address) {
                Some((allocation, offset)) => Argument::Shared { allocation, offset },
                // A pointer into no allocation is the system's memory.
                None => Argument::Value(ArgValue::Pointer(address as u64)),
            },
            // CL_INVALID_ARG_VALUE if the argument is no pointer to global or constant memory.
            _ => {
                let reason = "it is no pointer to global or constant memory";
                return Err(self.arg_error(Error::InvalidArgValue, index, reason));
            }
        };
        self.store(index, value);
        Ok(())
    }

    /// clSetKernelArgDevicePointerEXT. Any address may be given; it is looked up when the kernel is enqueued.
    ///
    /// # Errors
    /// Those that the specification lists for clSetKernelArgDevicePointerEXT, in its order.
    pub fn set_arg_device_pointer(&self, index: u32, address: u64) -> Result<()> {
        device_address::check_support(self.program().context())?;
        let arg = self.arg(index)?;
        // CL_INVALID_ARG_INDEX if the argument is no pointer to global memory. What a kernel does not use has no
        // kind, and other compilers' modules do not tell address spaces.
        let space = arg.info.as_ref().and_then(|info| info.address_qualifier);
        let in_global = space.is_none_or(|space| space == cl::CL_KERNEL_ARG_ADDRESS_GLOBAL);
        let is_pointer = match arg.kind {
            ArgKind::Buffer => in_global,
            ArgKind::Unused => in_global && space.is_some(),
            _ => false,
        };
        if !is_pointer {
            let reason = "it is no pointer to global memory";
            return Err(self.arg_error(Error::InvalidArgIndex, index, reason));
        }
        self.store(
            index,
            match (arg.kind, address) {
                (ArgKind::Unused, _) | (_, 0) => Argument::Value(ArgValue::Null),
                _ => Argument::DevicePointer(address),
            },
        );
        Ok(())
    }

    /// clSetKernelExecInfo with CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT: the buffers that launches use beside those
    /// among the arguments, each by an address in it.
    pub fn set_device_pointers(&self, addresses: Vec<u64>) {
        self.store_indirect(addresses);
    }
}
