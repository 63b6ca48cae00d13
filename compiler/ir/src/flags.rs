//! Properties of arithmetic and of memory accesses.

use serde::{Deserialize, Serialize};
bitflags::bitflags! {
    /// The freedoms of an optimiser with a floating-point operation, and one that it does not have.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
    pub struct FloatFlags: u8 {
        /// Operands and results are no NaN.
        const NO_NAN = 1;
        /// Operands and results are no infinity.
        const NO_INF = 2;
        /// The sign of zero does not matter.
        const NO_SIGNED_ZERO = 4;
        /// A reciprocal may stand for a division.
        const ALLOW_RECIP = 8;
        /// Algebraic transformations are allowed.
        const REASSOC = 16;
        /// Multiply-add contraction is allowed.
        const CONTRACT = 32;
        /// Denormals may be taken for zeros: the code around is right all the same.
        const MAY_FLUSH = 64;
        /// A quotient or square root is correctly rounded, whatever the program's options ask for.
        const CORRECTLY_ROUNDED = 128;
        /// All that FPFastMathMode Fast allows.
        const FAST = Self::NO_NAN.bits()
            | Self::NO_INF.bits()
            | Self::NO_SIGNED_ZERO.bits()
            | Self::ALLOW_RECIP.bits()
            | Self::REASSOC.bits()
            | Self::CONTRACT.bits();
    }
}

bitflags::bitflags! {
    /// Properties of a memory access.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
    pub struct AccessFlags: u8 {
        /// Neither removed, duplicated nor reordered with other volatile accesses.
        const VOLATILE = 1;
        /// A hint that the data is used once.
        const NONTEMPORAL = 2;
        /// An I32 of which only the low byte is in memory, the rest being zero.
        const BYTE = 4;
        /// An I32 of which only the low two bytes are in memory, the rest being zero.
        const SHORT = 8;
        /// Nothing in the launch writes the memory before the load.
        const READ_ONLY = 16;
        /// A load of all lanes of a sub-group from one address, or of none.
        const TOGETHER = 32;
    }
}

impl AccessFlags {
    /// The bytes that an access takes of memory where they are fewer than the value's: 1 or 2.
    pub fn part_bytes(self) -> Option<u32> {
        if self.contains(AccessFlags::BYTE) {
            Some(1)
        } else if self.contains(AccessFlags::SHORT) {
            Some(2)
        } else {
            None
        }
    }

    /// The alignment by which an access asks for narrow elements: one of a part is for devices whose
    /// elements are words.
    pub fn element_align(self, align: u32) -> u32 {
        self.part_bytes().map_or(align, |_| 4)
    }

    /// Returns whether another access with the same pointer and type sees the same bytes: neither
    /// volatile nor of a part.
    pub fn is_plain(self) -> bool {
        !self.intersects(AccessFlags::VOLATILE | AccessFlags::BYTE | AccessFlags::SHORT)
    }
}
