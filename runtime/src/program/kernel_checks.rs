//! Checks of arguments, and errors of kernel objects with their reasons.

use opencl_sys as cl;
use pumice_vulkan_layer::BindingKind;

use crate::base::error::{Error, Result};
use crate::base::object::Ref;
use crate::context::Context;
use crate::context::usm::Kind;
use crate::device::Device;
use crate::device::format::NO_ACCESS;
use crate::executable::ArgKind;
use crate::memory::{Mem, device_address};
use crate::program::Program;
use crate::program::kernel::{Argument, Kernel};

pub(super) const NO_SVM: &str = "no device of the context supports shared virtual memory";

impl Kernel {
    /// Checks the support for a name that clSetKernelExecInfo was given.
    ///
    /// # Errors
    /// CL_INVALID_OPERATION if no device of the context supports it, CL_INVALID_VALUE for other names.
    pub fn check_exec_info(&self, name: u32) -> Result<()> {
        let context = self.program().context();
        match name {
            cl::CL_KERNEL_EXEC_INFO_SVM_PTRS
            | cl::CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM
            | cl::CL_KERNEL_EXEC_INFO_SVM_INDIRECT_ACCESS_KHR => match context.has_svm() {
                true => Ok(()),
                false => Err(Error::InvalidOperation.because(NO_SVM)),
            },
            cl::CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL => {
                check_usm(context, &[Kind::Host, Kind::Device, Kind::Shared])
            }
            cl::CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL => check_usm(context, &[Kind::Host]),
            cl::CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL => {
                check_usm(context, &[Kind::Device])
            }
            cl::CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL => {
                check_usm(context, &[Kind::Shared])
            }
            cl::CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT => device_address::check_support(context),
            _ => Err(Error::InvalidValue.because(format!("no name {name:#x} is known"))),
        }
    }

    /// An argument in the words of a message: `kernel k, argument 3 (int n)`.
    pub(super) fn shown_arg(&self, index: u32) -> String {
        let info = self.arg(index).ok().and_then(|arg| arg.info.as_ref());
        let declared = info.map_or(String::new(), |info| match &info.type_name {
            Some(ty) => format!(" ({ty} {})", info.name),
            None => format!(" ({})", info.name),
        });
        format!("kernel {}, argument {index}{declared}", self.name())
    }

    /// An error of an argument, with its reason.
    pub(crate) fn arg_error(&self, error: Error, index: u32, reason: &str) -> Error {
        error.because(format!("{}: {reason}", self.shown_arg(index)))
    }

    /// Checks arg_size.
    ///
    /// # Errors
    /// CL_INVALID_ARG_SIZE if it is not the size of the argument's type.
    pub fn check_arg_size(&self, index: u32, given: usize, expected: usize) -> Result<()> {
        if given == expected {
            return Ok(());
        }
        let reason = format!("{given} bytes given, {expected} expected");
        Err(self.arg_error(Error::InvalidArgSize, index, &reason))
    }

    /// CL_INVALID_DEVICE_QUEUE if the value is no device queue of the kernel's context.
    pub(super) fn check_queue(&self, index: u32, value: Option<Argument>) -> Result<Argument> {
        let context = self.program().context().handle();
        match value {
            Some(Argument::Queue(queue)) if queue.context().handle() == context => {
                Ok(Argument::Queue(queue))
            }
            _ => {
                let reason = "a device queue of the kernel's context is expected";
                Err(self.arg_error(Error::InvalidDeviceQueue, index, reason))
            }
        }
    }

    /// CL_INVALID_MEM_OBJECT if a memory object is not one of the kernel's context.
    pub(super) fn check_memory(&self, index: u32, object: &Ref<Mem>) -> Result<()> {
        if object.context().handle() != self.program().context().handle() {
            let reason = "the memory object is of another context";
            return Err(self.arg_error(Error::InvalidMemObject, index, reason));
        }
        Ok(())
    }

    /// CL_INVALID_ARG_VALUE if a buffer is immutable and the pointer's type lets the kernel write.
    pub(super) fn check_writes(&self, index: u32, buffer: &Ref<Mem>) -> Result<()> {
        if buffer.check_mutable().is_err() && self.arg(index)?.is_mutable_pointer() {
            let reason = "the buffer is immutable, the argument no pointer to const";
            return Err(self.arg_error(Error::InvalidArgValue, index, reason));
        }
        Ok(())
    }

    /// Checks that an image suits an argument.
    pub(super) fn check_image(&self, index: u32, mem: &Ref<Mem>, expected: ArgKind) -> Result<()> {
        let ArgKind::Image {
            binding,
            kind,
            samples,
            ..
        } = expected
        else {
            return Ok(());
        };
        let image = mem.image().ok_or_else(|| {
            let reason = "a buffer is given, an image expected";
            self.arg_error(Error::InvalidMemObject, index, reason)
        })?;
        // CL_INVALID_MEM_OBJECT if the image is of another type than the argument.
        let of_buffer = image.image_type() == cl::CL_MEM_OBJECT_IMAGE1D_BUFFER;
        let texels = matches!(
            binding,
            BindingKind::UniformTexelBuffer | BindingKind::StorageTexelBuffer
        );
        let shape = of_buffer || kind.is_none_or(|kind| kind == image.kind());
        if of_buffer != texels || !shape || samples != (image.samples() > 0) {
            let reason = "the image is of another type than the argument";
            return Err(self.arg_error(Error::InvalidMemObject, index, reason));
        }
        // CL_INVALID_ARG_VALUE if kernels may not access the image as the argument's qualifier
        // says.
        let info = self.arg(index)?.info.as_ref();
        let qualifier = info.and_then(|info| info.access_qualifier);
        let refused = match qualifier {
            Some(cl::CL_KERNEL_ARG_ACCESS_READ_ONLY) => cl::CL_MEM_WRITE_ONLY,
            Some(cl::CL_KERNEL_ARG_ACCESS_WRITE_ONLY) => {
                cl::CL_MEM_READ_ONLY | cl::CL_MEM_IMMUTABLE_EXT
            }
            Some(cl::CL_KERNEL_ARG_ACCESS_READ_WRITE) => {
                cl::CL_MEM_READ_ONLY | cl::CL_MEM_WRITE_ONLY | cl::CL_MEM_IMMUTABLE_EXT
            }
            _ => 0,
        };
        let refused = refused | NO_ACCESS;
        if mem.flags() & refused != 0 {
            let reason = "the image's flags do not allow the access of the argument's qualifier";
            return Err(self.arg_error(Error::InvalidArgValue, index, reason));
        }
        Ok(())
    }
}

/// CL_INVALID_OPERATION if no device of the context supports any of these kinds of memory.
fn check_usm(context: &Ref<Context>, kinds: &[Kind]) -> Result<()> {
    let supports = |device: &Ref<Device>| kinds.iter().any(|kind| kind.is_supported(device));
    match context.devices().iter().any(supports) {
        true => Ok(()),
        false => {
            let reason = "no device of the context supports this memory";
            Err(Error::InvalidOperation.because(reason))
        }
    }
}

/// CL_INVALID_KERNEL_NAME, with the names that there are.
pub(super) fn unknown_name(program: &Ref<Program>, name: &str) -> Error {
    const SHOWN: usize = 16;
    let names = program.kernel_names().unwrap_or_default();
    let more = if names.len() > SHOWN { ", ..." } else { "" };
    let shown = names[..names.len().min(SHOWN)].join(", ");
    let reason = format!("the program has no kernel {name}; its kernels: {shown}{more}");
    Error::InvalidKernelName.because(reason)
}
