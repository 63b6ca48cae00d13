//! Places of a kernel's arguments in its argument block.
//!
//! Invariant: arguments are read as 32-bit words, so every argument begins on a word.

use crate::{KernelArgKind, KernelInfo};
use pumice_target::Abi;

/// Place of one argument in the argument block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArgPlace {
    /// Byte offset in the block.
    pub offset: u32,
    /// Size in bytes that the application passes.
    pub size: u32,
}

/// The argument block of one kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ArgLayout {
    /// One place per argument; `None` for local arguments and for handles.
    pub places: Vec<Option<ArgPlace>>,
    /// Place of the address of private memory, behind the arguments.
    pub private: Option<ArgPlace>,
    /// Place of the address of local memory that is in a buffer, behind that.
    pub local: Option<ArgPlace>,
    /// Place of the address of the memory of device-side enqueue, behind that.
    pub launch: Option<ArgPlace>,
    /// Place of the address of the memory of checks, behind that.
    pub check: Option<ArgPlace>,
    /// Bytes of the whole block, a multiple of 4.
    pub size: u32,
}

impl ArgLayout {
    /// Lays out a kernel's arguments in order.
    ///
    /// With descriptors only plain data lies in the block, as aligned as its types are. Pointers
    /// get numbers behind it that no block has: which argument a `LoadArg` means.
    pub fn of(kernel: &KernelInfo, abi: &Abi) -> Self {
        if abi.descriptors().is_some() {
            return Self::of_descriptors(kernel);
        }
        let mut layout = ArgLayout::default();
        for arg in &kernel.args {
            let Some(size) = arg.kind.block_bytes() else {
                layout.places.push(None);
                continue;
            };
            layout.places.push(Some(ArgPlace {
                offset: layout.size,
                size,
            }));
            layout.size += size.next_multiple_of(4);
        }
        let mut address = |is_there: bool| {
            let offset = layout.size;
            layout.size += if is_there { 8 } else { 0 };
            is_there.then_some(ArgPlace { offset, size: 8 })
        };
        let private = address(kernel.private_bytes > 0);
        let local = address(kernel.local_in_buffer);
        let launch = address(kernel.takes_launch());
        let check = address(kernel.checked);
        ArgLayout {
            private,
            local,
            launch,
            check,
            ..layout
        }
    }

    /// The ordinal of an address behind the kernel's arguments.
    pub fn ordinal_behind(&self, address: ArgPlace) -> u32 {
        let behind = [self.private, self.local, self.launch, self.check];
        let before = behind.iter().flatten();
        let before = before.filter(|place| place.offset < address.offset).count();
        (self.places.len() + before) as u32
    }

    /// The number of addresses behind the kernel's arguments.
    pub fn addresses_behind(&self) -> usize {
        let behind = [self.private, self.local, self.launch, self.check];
        behind.iter().flatten().count()
    }

    fn of_descriptors(kernel: &KernelInfo) -> Self {
        let mut layout = ArgLayout {
            places: vec![None; kernel.args.len()],
            ..ArgLayout::default()
        };
        for (place, arg) in layout.places.iter_mut().zip(&kernel.args) {
            let (size, align) = match arg.kind {
                KernelArgKind::Value(ty) => (ty.alloc_bytes(), ty.alloc_bytes()),
                KernelArgKind::ByVal { size, align } => (size, align),
                KernelArgKind::Pointer(_)
                | KernelArgKind::Local { .. }
                | KernelArgKind::Image(_)
                | KernelArgKind::Sampler => continue,
            };
            let offset = layout.size.next_multiple_of(align.max(4));
            *place = Some(ArgPlace { offset, size });
            layout.size = offset + size.next_multiple_of(4);
        }
        let mut number = layout.size.next_multiple_of(8);
        for (place, arg) in layout.places.iter_mut().zip(&kernel.args) {
            if matches!(arg.kind, KernelArgKind::Pointer(_)) {
                *place = Some(ArgPlace {
                    offset: number,
                    size: 8,
                });
                number += 8;
            }
        }
        layout
    }
}
