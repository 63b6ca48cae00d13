//! clImportMemoryARM (cl_arm_import_memory): buffers of the application's memory or of a dma_buf. They are that
//! memory itself, never a copy.

use std::fs::File;
use std::io::{Seek, SeekFrom};

use opencl_sys as cl;
use pumice_vulkan_layer::MemoryFd;

use crate::base::error::{Error, Result};
use crate::base::host_ptr::HostSlice;
use crate::base::object::Ref;
use crate::context::Context;
use crate::device::{Device, extensions, gpu};
use crate::memory::Mem;
use crate::memory::flags::{self, HOST_PTR_BITS};
use crate::memory::storage::Storage;
use crate::os::{self, Fd};

/// The kinds of memory (CL_IMPORT_TYPE_ARM).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImportKind {
    /// CL_IMPORT_TYPE_HOST_ARM.
    Host,
    /// CL_IMPORT_TYPE_DMA_BUF_ARM.
    DmaBuf,
}

/// Memory to import.
pub enum Imported {
    /// Memory of the process: its bytes.
    Host(HostSlice),
    /// Another descriptor of a dma_buf.
    DmaBuf(Fd),
}

/// Checks flags, size and properties.
///
/// # Errors
/// CL_INVALID_VALUE, CL_INVALID_BUFFER_SIZE, CL_INVALID_PROPERTY.
pub fn check(flags: u64, size: usize, properties: &[[isize; 2]]) -> Result<ImportKind> {
    flags::check_flags(flags)?;
    let others = HOST_PTR_BITS & !cl::CL_MEM_USE_HOST_PTR
        | cl::CL_MEM_KERNEL_READ_AND_WRITE
        | cl::CL_MEM_IMMUTABLE_EXT;
    // CL_INVALID_VALUE on invalid flag input.
    if flags & others != 0 {
        let reason = format!("flags {flags:#x} are not for memory that is imported");
        return Err(Error::InvalidValue.because(reason));
    }
    // CL_INVALID_BUFFER_SIZE when size is 0.
    if size == 0 {
        return Err(Error::InvalidBufferSize.because("the size is 0"));
    }
    let (mut kind, mut consistency) = (ImportKind::Host, false);
    for (index, [name, value]) in properties.iter().copied().enumerate() {
        // CL_INVALID_PROPERTY when invalid properties or combinations of them are passed.
        if properties[..index].iter().any(|[other, _]| *other == name) {
            return Err(Error::InvalidProperty);
        }
        match (name, value) {
            (cl::CL_IMPORT_TYPE_ARM, cl::CL_IMPORT_TYPE_HOST_ARM) => {}
            (cl::CL_IMPORT_TYPE_ARM, cl::CL_IMPORT_TYPE_DMA_BUF_ARM) => kind = ImportKind::DmaBuf,
            (cl::CL_IMPORT_DMA_BUF_DATA_CONSISTENCY_WITH_HOST_ARM, 0 | 1) => consistency = true,
            _ => return Err(Error::InvalidProperty),
        }
    }
    if consistency && kind != ImportKind::DmaBuf {
        return Err(Error::InvalidProperty);
    }
    Ok(kind)
}

impl Mem {
    /// clImportMemoryARM, after [`check`].
    ///
    /// # Errors
    /// CL_INVALID_PROPERTY if the device does not have the kind, CL_INVALID_OPERATION if the memory cannot be used
    /// without a copy, CL_INVALID_BUFFER_SIZE if it is too small.
    pub fn import(
        context: &Ref<Context>,
        flags: u64,
        size: usize,
        memory: Imported,
    ) -> Result<Ref<Mem>> {
        // Devices share no memory, and nothing is copied.
        let [device] = context.devices() else {
            let reason = "the context has several devices, which could only share a copy";
            return Err(Error::InvalidOperation.because(reason));
        };
        // CL_INVALID_BUFFER_SIZE as for clCreateBuffer.
        if size as u64 > device.max_allocation() {
            let reason = format!("{size} bytes are more than CL_DEVICE_MAX_MEM_ALLOC_SIZE");
            return Err(Error::InvalidBufferSize.because(reason));
        }
        let storage = match memory {
            Imported::Host(memory) => host(device, memory)?,
            Imported::DmaBuf(fd) => (dma_buf(context, device, fd, size)?, 0),
        };
        let flags = flags & !cl::CL_MEM_USE_HOST_PTR;
        Ok(Mem::imported(context, flags, size, storage))
    }
}

/// The storage of the whole pages that memory of the process lies in, and its offset there.
fn host(device: &Ref<Device>, memory: HostSlice) -> Result<(std::sync::Arc<Storage>, usize)> {
    if !extensions::imports_host_memory(device.capabilities()) {
        return Err(Error::InvalidProperty);
    }
    let pages = memory.whole_pages();
    // CL_INVALID_OPERATION when pages of the range are not mapped.
    if !os::is_mapped(pages.address(), pages.len()) {
        return Err(Error::InvalidOperation.because("pages of the memory are not mapped"));
    }
    let origin = memory.address() - pages.address();
    let aligned = origin % device.base_alignment() == 0;
    if device.abi().descriptors().is_some() && !aligned {
        let reason = format!(
            "the memory does not begin on a multiple of {} bytes",
            device.base_alignment()
        );
        return Err(Error::InvalidOperation.because(reason));
    }
    let storage = Storage::of_host(device, pages)?;
    let reason = "the device cannot use this memory itself";
    let storage = storage.ok_or_else(|| Error::InvalidOperation.because(reason))?;
    Ok((storage, origin))
}

fn dma_buf(
    context: &Ref<Context>,
    device: &Ref<Device>,
    fd: Fd,
    size: usize,
) -> Result<std::sync::Arc<Storage>> {
    let kind = MemoryFd::DmaBuf;
    if !pumice_vulkan_layer::imports(device.capabilities(), kind) {
        return Err(Error::InvalidProperty);
    }
    // CL_INVALID_BUFFER_SIZE when size is greater than that of the allocation.
    let mut file = File::from(fd);
    if let Ok(there) = file.seek(SeekFrom::End(0)) {
        if there < size as u64 {
            let reason = format!("the dma_buf has {there} bytes");
            return Err(Error::InvalidBufferSize.because(reason));
        }
    }
    let bytes = device
        .gpu()?
        .raw()
        .import_memory(kind, file.into(), size as u64);
    let bytes = bytes.map_err(|error| match gpu::error(error) {
        Error::OutOfResources => Error::InvalidOperation,
        other => other,
    })?;
    Storage::external(context.devices(), size, (0, bytes))
}
