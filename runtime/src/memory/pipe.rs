//! Pipes: packets in memory that only kernels read and write. `pumice_target::pipe` has the layout.

use std::sync::Arc;

use opencl_sys as cl;

use crate::base::error::{Error, Result};
use crate::base::info::Info;
use crate::memory::storage::Storage;

/// A pipe's sizes, as given to clCreatePipe, and its memory.
pub struct Pipe {
    /// Bytes of a packet.
    pub packet_size: u32,
    /// The most packets that it holds.
    pub max_packets: u32,
    /// Header, packets and their states.
    pub storage: Arc<Storage>,
}

impl Pipe {
    /// clGetPipeInfo.
    ///
    /// # Errors
    /// [`Error::InvalidValue`] for other names.
    pub fn info(&self, name: u32) -> Result<Info> {
        Ok(match name {
            cl::CL_PIPE_PACKET_SIZE => Info::u32(self.packet_size),
            cl::CL_PIPE_MAX_PACKETS => Info::u32(self.max_packets),
            // No pipe is made with any.
            cl::CL_PIPE_PROPERTIES => Info::empty(),
            _ => return Err(Error::InvalidValue),
        })
    }
}
