//! Byte memory in regions.

use super::ErrorKind;
use pumice_ir::AddressSpace;

/// The address of a global buffer: buffers are the first regions of global memory.
pub fn buffer_address(index: usize) -> u64 {
    (index as u64 + 1) << 32
}

const TAG_SHIFT: u32 = 62;
const TAG_MASK: u64 = 3 << TAG_SHIFT;

/// One allocation.
#[derive(Clone, Debug)]
pub(super) struct Region {
    pub bytes: Vec<u8>,
    /// Marks the bytes that were stored to; `None` if that is not followed.
    written: Option<Vec<bool>>,
    align: u32,
    read_only: bool,
    alive: bool,
}

/// The regions of one address space.
#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    pub regions: Vec<Region>,
}

/// The needs of an access.
#[derive(Clone, Copy, Debug)]
pub(super) struct Access {
    pub address: u64,
    pub size: u64,
    pub align: u32,
}

impl Memory {
    /// A new region; gives its address.
    pub fn add(&mut self, bytes: Vec<u8>, align: u32, read_only: bool) -> u64 {
        self.regions.push(Region {
            bytes,
            written: None,
            align,
            read_only,
            alive: true,
        });
        (self.regions.len() as u64) << 32
    }

    /// A new region whose bytes count as never written to if `follow`.
    pub fn add_fresh(&mut self, size: u64, align: u32, follow: bool) -> u64 {
        let address = self.add(vec![0; size as usize], align, false);
        if follow {
            if let Some(region) = self.regions.last_mut() {
                region.written = Some(vec![false; size as usize]);
            }
        }
        address
    }

    /// Ends a region's life; accesses to it are errors from now on.
    pub fn free(&mut self, address: u64) {
        if let Some(region) = self.regions.get_mut((address >> 32) as usize - 1) {
            region.alive = false;
            region.bytes = Vec::new();
            region.written = None;
        }
    }

    fn find(&self, access: Access) -> Result<(usize, usize), ErrorKind> {
        let Access {
            address,
            size,
            align,
        } = access;
        let offset = address & 0xffff_ffff;
        let outside = ErrorKind::OutOfBounds { address, size };
        let index = (address >> 32) as usize;
        if index == 0 || index > self.regions.len() {
            return Err(outside);
        }
        let region = &self.regions[index - 1];
        if !region.alive {
            return Err(ErrorKind::Dangling { address });
        }
        if offset + size > region.bytes.len() as u64 {
            return Err(outside);
        }
        if offset % u64::from(align) != 0 || align > region.align {
            return Err(ErrorKind::Misaligned { address, align });
        }
        Ok((index - 1, offset as usize))
    }

    pub fn load(&self, access: Access) -> Result<&[u8], ErrorKind> {
        if access.size == 0 {
            return Ok(&[]);
        }
        let (index, offset) = self.find(access)?;
        let region = &self.regions[index];
        let range = offset..offset + access.size as usize;
        if let Some(written) = &region.written {
            if let Some(first) = written[range.clone()].iter().position(|w| !w) {
                return Err(ErrorKind::Uninitialised {
                    address: access.address + first as u64,
                });
            }
        }
        Ok(&region.bytes[range])
    }

    /// Bytes and which of them were written to, for copies.
    pub fn peek(&self, access: Access) -> Result<(Vec<u8>, Option<Vec<bool>>), ErrorKind> {
        if access.size == 0 {
            return Ok((Vec::new(), None));
        }
        let (index, offset) = self.find(access)?;
        let region = &self.regions[index];
        let range = offset..offset + access.size as usize;
        let written = region.written.as_ref().map(|w| w[range.clone()].to_vec());
        Ok((region.bytes[range].to_vec(), written))
    }

    pub fn store(
        &mut self,
        access: Access,
        bytes: &[u8],
        written: Option<&[bool]>,
    ) -> Result<(), ErrorKind> {
        if bytes.is_empty() {
            return Ok(());
        }
        let (index, offset) = self.find(access)?;
        let region = &mut self.regions[index];
        if region.read_only {
            return Err(ErrorKind::ReadOnly {
                address: access.address,
            });
        }
        let range = offset..offset + bytes.len();
        region.bytes[range.clone()].copy_from_slice(bytes);
        if let Some(flags) = &mut region.written {
            match written {
                Some(written) => flags[range].copy_from_slice(written),
                None => flags[range].fill(true),
            }
        }
        Ok(())
    }
}

/// The memory that a space's accesses go to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MemoryKind {
    Global,
    Local,
    Private,
}

/// The memory and the untagged address that a pointer means.
pub(super) fn resolve(space: AddressSpace, pointer: u64) -> (MemoryKind, u64) {
    match space {
        AddressSpace::Global | AddressSpace::Constant => (MemoryKind::Global, pointer),
        AddressSpace::Local => (MemoryKind::Local, pointer),
        AddressSpace::Private => (MemoryKind::Private, pointer),
        AddressSpace::Generic => {
            let kind = match pointer >> TAG_SHIFT {
                1 => MemoryKind::Local,
                2 => MemoryKind::Private,
                _ => MemoryKind::Global,
            };
            (kind, pointer & !TAG_MASK)
        }
    }
}

/// A pointer in another address space; NULL stays NULL, and so becomes a generic pointer that
/// does not point into the space asked for.
pub(super) fn cast(from: AddressSpace, to: AddressSpace, pointer: u64) -> u64 {
    if pointer == 0 || from == to {
        return pointer;
    }
    let (kind, address) = resolve(from, pointer);
    let tag: u64 = match kind {
        MemoryKind::Global => 0,
        MemoryKind::Local => 1,
        MemoryKind::Private => 2,
    };
    if to == AddressSpace::Generic {
        return address | tag << TAG_SHIFT;
    }
    if resolve(to, 0).0 == kind { address } else { 0 }
}
