//! The part of an executable on its device: the compiled module, data buffers, and room for argument blocks.

use parking_lot::Mutex;
use pumice_vulkan_layer::{Buffer, Error, LogicalDevice, MemoryClass, Result};
use std::sync::Arc;

use super::compiled_module::CompiledModule;
use super::interface::{Interface, ModuleData};

/// The state that all launches of an executable share.
pub(super) struct DeviceModule {
    pub device: LogicalDevice,
    /// Other executables may have the same.
    pub compiled: Arc<CompiledModule>,
    /// One buffer per data block of the module, in its order.
    pub data: Vec<Buffer>,
    /// Bound where an argument is NULL or the kernel does not print.
    pub null_buffer: Buffer,
    /// Guards the block that arguments are being placed in.
    arena: Mutex<Option<(Buffer, u64)>>,
    /// Private memory by the queue whose launches use it in turn.
    variables: Mutex<Vec<(usize, Buffer)>>,
    /// The number that the module adds to pointers; 0 for one that takes addresses.
    pub delta: u64,
    /// Printf buffers that no launch uses.
    printf: Mutex<Vec<Buffer>>,
}

/// Argument blocks are cut from buffers of this size.
const ARENA: u64 = 64 << 10;
/// Four of them are a PrintfID that no module uses.
const HOLE: u8 = 0xff;
/// No more printf buffers than this are kept.
const KEPT_PRINTF_BUFFERS: usize = 4;

impl DeviceModule {
    pub fn new(device: &LogicalDevice, words: &Arc<[u32]>, interface: &Interface) -> Result<Self> {
        let compiled = CompiledModule::of(device, words, interface)?;
        let delta = match interface.address_delta {
            Some(_) => device.address_delta(),
            None => 0,
        };
        let data = (interface.data.iter())
            .map(|data| data_buffer(device, data, delta))
            .collect::<Result<_>>()?;
        let null_buffer = device.create_buffer(256, MemoryClass::HostVisibleDevice)?;
        null_buffer.write(0, &[0; 256])?;
        Ok(Self {
            device: device.clone(),
            compiled,
            delta,
            data,
            null_buffer,
            arena: Mutex::default(),
            variables: Mutex::default(),
            printf: Mutex::default(),
        })
    }

    /// The pointer to a byte at a device address, as the module takes it.
    pub fn pointer(&self, address: u64) -> u64 {
        address.wrapping_sub(self.delta)
    }

    /// A place for an argument block, never given out twice: its buffer lives as long as the
    /// launches that use it.
    pub fn place_block(&self, bytes: &[u8]) -> Result<(Buffer, u64)> {
        let limits = &self.device.capabilities().limits;
        let alignment = (limits.min_uniform_buffer_alignment)
            .max(limits.min_storage_buffer_alignment)
            .max(16);
        let size = bytes.len() as u64;
        if size > ARENA / 4 {
            let buffer = self
                .device
                .create_buffer(size, MemoryClass::HostVisibleDevice)?;
            buffer.write(0, bytes)?;
            return Ok((buffer, 0));
        }
        let mut arena = self.arena.lock();
        let fits = |&(_, used): &(Buffer, u64)| used + size <= ARENA;
        let (buffer, offset) = match arena.take().filter(fits) {
            Some(there) => there,
            None => (
                self.device
                    .create_buffer(ARENA, MemoryClass::HostVisibleDevice)?,
                0,
            ),
        };
        buffer.write(offset, bytes)?;
        *arena = Some((buffer.clone(), (offset + size).next_multiple_of(alignment)));
        Ok((buffer, offset))
    }

    /// Memory of private or local variables, of `size` bytes or more, which no other queue uses.
    pub fn variable_memory(&self, queue: usize, size: u64) -> Result<Buffer> {
        let mut all = self.variables.lock();
        // Launches hold what they use until they have ended.
        let known = (all.iter_mut()).find(|(owner, buffer)| *owner == queue || buffer.is_only());
        if let Some((owner, buffer)) = known {
            *owner = queue;
            if buffer.size() < size {
                *buffer = self.device.create_buffer(size, MemoryClass::DeviceLocal)?;
            }
            return Ok(buffer.clone());
        }
        let buffer = self.device.create_buffer(size, MemoryClass::DeviceLocal)?;
        all.push((queue, buffer.clone()));
        Ok(buffer)
    }

    /// A printf buffer of `size` bytes with nothing in it.
    ///
    /// Behind word 0 it holds [`HOLE`] only: a kernel that reserves room and writes nothing, as
    /// for a record that does not fit, leaves no record of an earlier launch to be seen.
    pub fn printf_buffer(&self, size: u32) -> Result<Buffer> {
        let kept = self.printf.lock().pop();
        let buffer = match kept {
            Some(buffer) => buffer,
            None => {
                let size = size.max(8).next_multiple_of(4);
                let buffer = self
                    .device
                    .create_buffer(u64::from(size), MemoryClass::Readback)?;
                empty_printf(&buffer, u64::from(size))?;
                buffer
            }
        };
        Ok(buffer)
    }

    /// Takes a printf buffer back with nothing in it.
    pub fn keep_printf(&self, buffer: Buffer) {
        let mut kept = self.printf.lock();
        if kept.len() < KEPT_PRINTF_BUFFERS {
            kept.push(buffer);
        }
    }
}

/// Empties a printf buffer of which `used` bytes were used.
pub(super) fn empty_printf(buffer: &Buffer, used: u64) -> Result<()> {
    buffer.write(0, &vec![HOLE; used as usize])?;
    buffer.write(0, &[0; 4])
}

/// A buffer with the data, its pointers set to those of its own objects.
fn data_buffer(device: &LogicalDevice, data: &ModuleData, delta: u64) -> Result<Buffer> {
    let size = (data.bytes.len() as u64).next_multiple_of(16).max(16);
    let buffer = device.create_buffer(size, MemoryClass::HostVisibleDevice)?;
    let mut bytes = data.bytes.clone();
    for relocation in &data.relocations {
        let address = buffer.address().wrapping_sub(delta);
        let address = address.wrapping_add(u64::from(relocation.object_offset));
        let address = address.to_le_bytes();
        let (low, high) = address.split_at(relocation.pointer_size as usize);
        if high.iter().any(|&byte| byte != 0) {
            return Err(Error::Unsupported("4-byte pointers to this memory".into()));
        }
        // Both ranges were checked when the interface was built.
        let at = relocation.pointer_offset as usize;
        bytes[at..at + low.len()].copy_from_slice(low);
    }
    bytes.resize(size as usize, 0);
    buffer.write(0, &bytes)?;
    Ok(buffer)
}
