//! Loads and stores, read in one way.

use crate::{AccessFlags, AddressSpace, Function, Inst, InstKind, Type, Value};

/// A load or store.
#[derive(Clone, Copy, Debug)]
pub struct MemoryAccess {
    /// The address.
    pub ptr: Value,
    /// The type of what is accessed.
    pub ty: Type,
    /// The alignment of the address, in bytes.
    pub align: u32,
    /// The access's flags.
    pub flags: AccessFlags,
    /// The value of a store.
    pub stored: Option<Value>,
}

impl MemoryAccess {
    /// The load or store that an instruction is.
    pub fn of(func: &Function, inst: Inst) -> Option<Self> {
        let (ptr, align, flags, stored) = match func.insts[inst].kind {
            InstKind::Load { ptr, align, flags } => (ptr, align, flags, None),
            InstKind::Store {
                ptr,
                value,
                align,
                flags,
            } => (ptr, align, flags, Some(value)),
            _ => return None,
        };
        Some(Self {
            ptr,
            ty: func.ty(stored.unwrap_or_else(|| func.result(inst))),
            align,
            flags,
            stored,
        })
    }

    /// Returns whether it is a store.
    pub fn is_store(&self) -> bool {
        self.stored.is_some()
    }

    /// The address space of the address.
    pub fn space(&self, func: &Function) -> Option<AddressSpace> {
        func.ty(self.ptr).address_space()
    }
}
