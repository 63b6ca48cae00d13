//! `NonSemantic.Pumice.1`: what `NonSemantic.ClspvReflection` cannot say.
//!
//! | number | name | operand |
//! |---|---|---|
//! | 1 | Initializer | *Kernel*: a Kernel of ClspvReflection that runs before all others |
//! | 2 | Finalizer | *Kernel*: a Kernel of ClspvReflection that runs when its program goes |
//! | 3, 4 | SubgroupSize, PrivateMemory | what a launch of a kernel needs, see `needs.rs` |
//! | 5 | InitialData | more than 128 KiB of initial data, see `data.rs` |
//! | 6 | AddressDelta | pointers are not device addresses, see `address_delta.rs` |
//! | 7, 19 | NearArguments, NoOffset | what a launch may promise, see `promise.rs` |
//! | 8 to 11 | DeviceLaunch, QueueArgument, Block, Scheduler | a kernel's part in device-side enqueue, see `needs.rs` |
//! | 12 to 14 | HandleFactPushConstant, HandleFactUniform, ImageLevel | images with mip levels and their samplers, see `needs.rs` |
//! | 15 | SubgroupCount | a required number of sub-groups, see `needs.rs` |
//! | 16 | CheckMemory | memory of a launch's checks, see `needs.rs` |
//! | 17 | CheckSite | a place that kernels test, see `check.rs` |
//! | 18 | RawImage | the view that a kernel has of an image, see `needs.rs` |
//! | 20 | TerminationFlag | a word that tells kernels to end, see `termination_flag.rs` |
//! | 21 | SrgbWrites | images whose channels may be of sRGB, see `needs.rs` |
//! | 22 | GraphNode | a kernel that is a node of a work graph, see `needs.rs` |
//! | 23 | WholeSubgroups | a promise about work-groups, see `needs.rs` |
//! | 24 | SampledPixels | images with samples a pixel, see `needs.rs` |
//! | 25 | FollowedArgument | a pointer argument that is a device address, see `needs.rs` |
//! | 26 | MadeSubgroups | sub-groups that are the code's own, see `needs.rs` |
//! | 27 | Coarse | a kernel whose invocations run several work-items of another, see `needs.rs` |
//! | 28 | UnseenGroups | a kernel that cannot tell how its work-items are grouped, see `needs.rs` |
//! | 29 | SeenSubgroups | a kernel that can tell how large its sub-groups are, see `needs.rs` |
//! | 30 | NoWaits | a kernel whose work-items wait for no other, see `needs.rs` |
//! | 31 | LocalMemory | local memory in a buffer, see `needs.rs` |
//!
//! The first two are OpenCL's program initialization and clean-up kernels (OpenCL 2.2 API §3.2.1): one
//! work-item without arguments, run by the implementation and not by applications. The set is
//! imported where a module has such kernels or data. Without it the kernels are kernels like any
//! other, and a module with such data is refused.

use crate::error::{ReadError, WriteError};
use crate::operand::{KernelRef, Operand, Sink};

/// The set's import string.
pub const PUMICE_SET: &str = "NonSemantic.Pumice.1";

/// An instruction of the set: a kernel that its program runs by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KernelRole {
    /// Runs once per device, before every other kernel of the program.
    Initializer(KernelRef),
    /// Runs once per device, when the program is deleted.
    Finalizer(KernelRef),
}

impl KernelRole {
    /// The instruction's name.
    pub fn name(self) -> &'static str {
        match self {
            KernelRole::Initializer(_) => "Initializer",
            KernelRole::Finalizer(_) => "Finalizer",
        }
    }

    /// The kernel.
    pub fn kernel(self) -> KernelRef {
        match self {
            KernelRole::Initializer(kernel) | KernelRole::Finalizer(kernel) => kernel,
        }
    }

    /// The instruction's number.
    pub(crate) fn number(self) -> u32 {
        match self {
            KernelRole::Initializer(_) => 1,
            KernelRole::Finalizer(_) => 2,
        }
    }

    /// Returns the constructor of the role that instruction `number` encodes.
    ///
    /// # Errors
    /// [`ReadError::UnknownRole`] for any other number.
    pub(crate) fn of(number: u32) -> Result<fn(KernelRef) -> KernelRole, ReadError> {
        [
            KernelRole::Initializer as fn(KernelRef) -> KernelRole,
            KernelRole::Finalizer,
        ]
        .into_iter()
        .find(|role| role(KernelRef(0)).number() == number)
        .ok_or(ReadError::UnknownRole { number })
    }

    /// Encodes the operands.
    pub(crate) fn encode(self, sink: &mut Sink<'_, '_>) -> Result<(), WriteError> {
        self.kernel().encode(sink, "Kernel")
    }
}
