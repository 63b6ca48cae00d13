//! clCreatePipe.

use opencl_sys as cl;
use pumice_compiler::target::pipe::PipeLayout;

use crate::base::error::{Error, Result};
use crate::base::host_ptr::HostBlock;
use crate::base::object::Ref;
use crate::base::region::Sides;
use crate::context::Context;
use crate::device::extensions;
use crate::memory::buffer::{Content, Mem, MemDesc};
use crate::memory::pipe::Pipe;
use crate::memory::storage::Storage;

impl Mem {
    /// clCreatePipe; `properties` tells whether a list of properties is given.
    ///
    /// # Errors
    /// Those that the specification lists for clCreatePipe, in its order.
    pub fn create_pipe(
        context: &Ref<Context>,
        flags: u64,
        packet_size: u32,
        max_packets: u32,
        properties: bool,
    ) -> Result<Ref<Mem>> {
        let devices = context.devices();
        // CL_INVALID_OPERATION if no device of the context supports pipes.
        let sizes = devices
            .iter()
            .map(|device| extensions::max_packet_size(device.capabilities()));
        let largest = sizes.max().unwrap_or(0);
        if largest == 0 {
            let reason = "no device of the context supports pipes";
            return Err(Error::InvalidOperation.because(reason));
        }
        let flags = check_flags(flags)?;
        // CL_INVALID_VALUE if properties is not NULL.
        if properties {
            let reason = "properties are given: there are none for pipes";
            return Err(Error::InvalidValue.because(reason));
        }
        // CL_INVALID_PIPE_SIZE if a size is 0, or that of packets beyond every device's
        // CL_DEVICE_PIPE_MAX_PACKET_SIZE.
        if packet_size == 0 || max_packets == 0 || packet_size > largest {
            return Err(Error::InvalidPipeSize.because(format!(
                "{max_packets} packets of {packet_size} bytes: both must be above 0, and packets have \
                 at most {largest} bytes"
            )));
        }
        let most = devices.iter().map(|device| device.max_allocation()).max();
        let layout = PipeLayout::new(packet_size, max_packets)
            .filter(|layout| Some(layout.size()) <= most)
            .ok_or_else(|| {
                let reason = "the pipe is larger than CL_DEVICE_MAX_MEM_ALLOC_SIZE of every device";
                Error::MemObjectAllocationFailure.because(reason)
            })?;
        let size = layout.size() as usize;
        let storage = Storage::new(devices, size, None, None, None, false)?;
        // The functions of pipes read and write what they like.
        storage.written().lose();
        let header = layout.header();
        let mut bytes = HostBlock::new(header.len()).ok_or(Error::OutOfHostMemory)?;
        bytes.slice().write(&header);
        storage.write(0, Sides::linear(0, header.len()), bytes.slice())?;
        let desc = MemDesc {
            context: context.clone(),
            flags,
            size,
            properties: None,
            parent: None,
            host_address: 0,
            external: None,
        };
        let pipe = Pipe {
            packet_size,
            max_packets,
            storage,
        };
        Ok(Mem::of_desc(desc, Content::Pipe(pipe)))
    }
}

/// Checks the flags of a pipe; gives them with the default filled in.
fn check_flags(flags: u64) -> Result<u64> {
    // CL_INVALID_VALUE if there are others than these.
    let known = cl::CL_MEM_READ_WRITE | cl::CL_MEM_HOST_NO_ACCESS;
    match flags {
        0 => Ok(known),
        _ if flags & !known == 0 => Ok(flags),
        _ => {
            let reason = format!("flags {:#x} are not for pipes", flags & !known);
            Err(Error::InvalidValue.because(reason))
        }
    }
}
