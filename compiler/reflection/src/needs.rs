//! Requirements of a kernel's launch that `NonSemantic.ClspvReflection` cannot express: further
//! instructions of `NonSemantic.Pumice.1` (see `roles.rs`).
//!
//! | number | name | operands |
//! |---|---|---|
//! | 3 | SubgroupSize | *Kernel*, *Size*: required number of work-items per sub-group |
//! | 4 | PrivateMemory | *Kernel*, *Ordinal*, *Bytes*: the last argument is not the application's but scratch memory, *Bytes* for each work-item of a dispatch |
//! | 8 | DeviceLaunch | *Kernel*, *Ordinal*: the last argument is not the application's but memory of device-side enqueue |
//! | 9 | QueueArgument | *Kernel*, *Ordinal*: the 8 bytes are the number of a device queue |
//! | 10 | Block | *Kernel*, *Number*, *Captured*: kernels enqueue it, with *Captured* bytes of variables |
//! | 11 | Scheduler | *Kernel*, *Times*: decides between dispatches which blocks run next; 1 if it wants their times |
//! | 12 | HandleFactPushConstant | *Kernel*, *Ordinal*, *Fact*, *Offset*: the word of the push constants for a [`Fact`](crate::Fact) about an image or sampler argument |
//! | 13 | HandleFactUniform | *Kernel*, *Ordinal*, *Fact*, *Set*, *Binding*, *Offset*: the same in a uniform buffer |
//! | 14 | ImageLevel | *Kernel*, *Ordinal*, *Level*, *Set*, *Binding*: a storage image that is a mip level of an image argument |
//! | 15 | SubgroupCount | *Kernel*, *Count*: required number of sub-groups per work-group |
//! | 16 | CheckMemory | *Kernel*, *Ordinal*: the last argument is not the application's but memory of the launch's checks |
//! | 18 | RawImage | *Kernel*, *Ordinal*: the image shows its pixels of 1, 2 or 4 bytes as one unsigned integer each |
//! | 21 | SrgbWrites | *Kernel*, *Ordinal*, *SpecId*: the specialization constant that is 1 if what the kernel writes to the image becomes sRGB |
//! | 22 | GraphNode | *Kernel*, *Part*: a node of a work graph that runs what kernels enqueue: of the scheduler if *Part* is 0, else of the block with that number plus 1 |
//! | 23 | WholeSubgroups | *Kernel*: the number of work-items of each work-group is a multiple of the sub-groups' size |
//! | 24 | SampledPixels | *Kernel*, *Ordinal*, *Arrayed*: the image has samples a pixel, which the kernel reads as layers of planes; *Arrayed* is 1 if it has layers of its own |
//! | 25 | FollowedArgument | *Kernel*, *Ordinal*: the pointer has the address delta in it (AddressDelta), so that it is a device address |
//! | 26 | MadeSubgroups | *Kernel*: the sub-groups of the required size are the code's own, made of the work-group's memory and barriers |
//! | 27 | Coarse | *Kernel*, *Of*, *Items*, *Spacing*, *Multiples*, *SpanMultiples*, *Disjoint*: each invocation runs *Items* work-items of the kernel *Of*, which are neighbours in the first dimension if *Spacing* is 1; else they are *Spacing* work-items apart, which is the number of lanes of a sub-group, and the sub-group's lanes have neighbours: launches have rows of whole sub-groups; launches have an offset in the first dimension that is a multiple of *Items* times *Spacing*, and *Of*'s arguments, of which pointers are aligned to 16 bytes and point into objects of at most 2 GiB; each bit of *Multiples* is an argument that is a multiple of four, the lowest the first, and each bit of *SpanMultiples* one that is a multiple of *Items* times *Spacing*; if *Disjoint* is 1, no two of the objects overlap |
//! | 28 | UnseenGroups | *Kernel*: work-groups of other sizes give the same results, also where launches are promised work-groups of one size |
//! | 29 | SeenSubgroups | *Kernel*: its results may depend on the size of sub-groups, which is the device's unless it requires another |
//! | 30 | NoWaits | *Kernel*: its work-items wait for no other, so that any of them may run side by side, and any after any other |
//! | 31 | LocalMemory | *Kernel*, *Ordinal*, *Bytes*, *Align*: the last argument is not the application's but the memory of local variables, a part for each work-group of a dispatch: *Bytes*, then each local argument from a multiple of *Align* on, to a multiple of *Align* and of 16; the address is a multiple of *Align* |
//!
//! A consumer that does not know the set sees an ordinary last argument: nobody sets it, so the kernel cannot be launched.

use crate::error::{ReadError, WriteError};
use crate::operand::{KernelRef, Operand, Sink, Source};

/// An instruction of the set: what the kernel needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Need {
    /// Sub-groups of one size.
    SubgroupSize {
        /// The kernel.
        kernel: KernelRef,
        /// Work-items of a sub-group.
        size: u32,
    },
    /// The sub-groups of the required size are the code's own.
    MadeSubgroups {
        /// The kernel.
        kernel: KernelRef,
    },
    /// Work-groups of so many sub-groups.
    SubgroupCount {
        /// The kernel.
        kernel: KernelRef,
        /// Sub-groups of a work-group.
        count: u32,
    },
    /// Work-groups of whole sub-groups.
    WholeSubgroups {
        /// The kernel.
        kernel: KernelRef,
    },
    /// Work-groups of any size, unless the application has chosen it.
    UnseenGroups {
        /// The kernel.
        kernel: KernelRef,
    },
    /// No work-items that run at the same time.
    NoWaits {
        /// The kernel.
        kernel: KernelRef,
    },
    /// Sub-groups of the size that the device tells. The driver chooses that of other kernels.
    SeenSubgroups {
        /// The kernel.
        kernel: KernelRef,
    },
    /// Memory for private variables.
    PrivateMemory {
        /// The kernel.
        kernel: KernelRef,
        /// The pointer argument that the memory's address takes the place of: the last one.
        ordinal: u32,
        /// Bytes of a work-item.
        bytes: u32,
    },
    /// Memory for local variables.
    LocalMemory {
        /// The kernel.
        kernel: KernelRef,
        /// The pointer argument that the memory's address takes the place of: the last one.
        ordinal: u32,
        /// Bytes of a work-group, but for local arguments.
        bytes: u32,
        /// Alignment of each local argument and of the work-group's part, in bytes: a power of two.
        align: u32,
    },
    /// Memory for device-side enqueue.
    DeviceLaunch {
        /// The kernel.
        kernel: KernelRef,
        /// The pointer argument that the memory's address takes the place of: the last one.
        ordinal: u32,
    },
    /// Memory for checks.
    CheckMemory {
        /// The kernel.
        kernel: KernelRef,
        /// The pointer argument that the memory's address takes the place of: the last one.
        ordinal: u32,
    },
    /// A device queue.
    QueueArgument {
        /// The kernel.
        kernel: KernelRef,
        /// The argument.
        ordinal: u32,
    },
    /// A pointer with the address delta in it.
    FollowedArgument {
        /// The kernel.
        kernel: KernelRef,
        /// The argument.
        ordinal: u32,
    },
    /// To be run for what kernels enqueue.
    Block {
        /// The kernel.
        kernel: KernelRef,
        /// Its number among the module's blocks.
        number: u32,
        /// Bytes of captured variables.
        captured: u32,
    },
    /// To be run before each dispatch of blocks.
    Scheduler {
        /// The kernel.
        kernel: KernelRef,
        /// 1 if it wants to know the times of dispatches, else 0.
        times: u32,
    },
    /// To be a node of a work graph instead of a kernel that is dispatched.
    GraphNode {
        /// The kernel.
        kernel: KernelRef,
        /// 0 for the scheduler, else the number of a block plus 1.
        part: u32,
    },
    /// To be run in place of another kernel.
    Coarse {
        /// The kernel.
        kernel: KernelRef,
        /// The other kernel.
        of: KernelRef,
        /// Work-items of an invocation.
        items: u32,
        /// The distance between two of them, in work-items: 1, or the number of lanes of a sub-group.
        spacing: u32,
        /// A bit for each of the first 32 arguments that is a multiple of four.
        multiples: u32,
        /// A bit for each of them that is a multiple of `items * spacing`.
        span_multiples: u32,
        /// 1 if the objects that pointer arguments point at do not overlap, else 0.
        disjoint: u32,
    },
    /// A fact about an image or sampler argument, in the push constants.
    HandleFactPushConstant {
        /// The kernel.
        kernel: KernelRef,
        /// The argument.
        ordinal: u32,
        /// The number of a [`Fact`](crate::Fact).
        fact: u32,
        /// The first byte of the word.
        offset: u32,
    },
    /// A fact about an image or sampler argument, in a uniform buffer.
    HandleFactUniform {
        /// The kernel.
        kernel: KernelRef,
        /// The argument.
        ordinal: u32,
        /// The number of a [`Fact`](crate::Fact).
        fact: u32,
        /// The buffer's set.
        set: u32,
        /// The buffer's binding.
        binding: u32,
        /// The first byte of the word.
        offset: u32,
    },
    /// An image whose bits count, whatever its channels.
    RawImage {
        /// The kernel.
        kernel: KernelRef,
        /// The argument.
        ordinal: u32,
    },
    /// An image with samples a pixel, which the kernel reads as layers of planes: layer times samples, plus the sample.
    SampledPixels {
        /// The kernel.
        kernel: KernelRef,
        /// The argument.
        ordinal: u32,
        /// 1 if the image has layers of its own, else 0.
        arrayed: u32,
    },
    /// An image whose channels may be of sRGB, which the kernel writes as the numbers that they hold.
    SrgbWrites {
        /// The kernel.
        kernel: KernelRef,
        /// The argument.
        ordinal: u32,
        /// The specialization constant; its default is 0.
        spec_id: u32,
    },
    /// A level of an image argument, as a storage image of its own.
    ImageLevel {
        /// The kernel.
        kernel: KernelRef,
        /// The argument.
        ordinal: u32,
        /// The level, from 1 on and below [`MAX_LEVELS`](crate::MAX_LEVELS).
        level: u32,
        /// The image's set.
        set: u32,
        /// The image's binding.
        binding: u32,
    },
}

impl Need {
    /// The instruction's name.
    pub fn name(self) -> &'static str {
        self.row().1
    }

    /// The instruction's number.
    pub(crate) fn number(self) -> u32 {
        self.row().0
    }

    fn row(self) -> (u32, &'static str) {
        match self {
            Need::SubgroupSize { .. } => (3, "SubgroupSize"),
            Need::SubgroupCount { .. } => (15, "SubgroupCount"),
            Need::MadeSubgroups { .. } => (26, "MadeSubgroups"),
            Need::WholeSubgroups { .. } => (23, "WholeSubgroups"),
            Need::UnseenGroups { .. } => (28, "UnseenGroups"),
            Need::NoWaits { .. } => (30, "NoWaits"),
            Need::SeenSubgroups { .. } => (29, "SeenSubgroups"),
            Need::PrivateMemory { .. } => (4, "PrivateMemory"),
            Need::LocalMemory { .. } => (31, "LocalMemory"),
            Need::DeviceLaunch { .. } => (8, "DeviceLaunch"),
            Need::CheckMemory { .. } => (16, "CheckMemory"),
            Need::QueueArgument { .. } => (9, "QueueArgument"),
            Need::FollowedArgument { .. } => (25, "FollowedArgument"),
            Need::Block { .. } => (10, "Block"),
            Need::Scheduler { .. } => (11, "Scheduler"),
            Need::GraphNode { .. } => (22, "GraphNode"),
            Need::Coarse { .. } => (27, "Coarse"),
            Need::HandleFactPushConstant { .. } => (12, "HandleFactPushConstant"),
            Need::HandleFactUniform { .. } => (13, "HandleFactUniform"),
            Need::ImageLevel { .. } => (14, "ImageLevel"),
            Need::RawImage { .. } => (18, "RawImage"),
            Need::SampledPixels { .. } => (24, "SampledPixels"),
            Need::SrgbWrites { .. } => (21, "SrgbWrites"),
        }
    }

    /// The kernel.
    pub fn kernel(self) -> KernelRef {
        match self {
            Need::SubgroupSize { kernel, .. }
            | Need::SubgroupCount { kernel, .. }
            | Need::MadeSubgroups { kernel }
            | Need::WholeSubgroups { kernel }
            | Need::UnseenGroups { kernel }
            | Need::NoWaits { kernel }
            | Need::SeenSubgroups { kernel }
            | Need::PrivateMemory { kernel, .. }
            | Need::LocalMemory { kernel, .. }
            | Need::DeviceLaunch { kernel, .. }
            | Need::CheckMemory { kernel, .. }
            | Need::QueueArgument { kernel, .. }
            | Need::FollowedArgument { kernel, .. }
            | Need::Block { kernel, .. }
            | Need::Scheduler { kernel, .. }
            | Need::GraphNode { kernel, .. }
            | Need::Coarse { kernel, .. }
            | Need::HandleFactPushConstant { kernel, .. }
            | Need::HandleFactUniform { kernel, .. }
            | Need::ImageLevel { kernel, .. }
            | Need::RawImage { kernel, .. }
            | Need::SampledPixels { kernel, .. }
            | Need::SrgbWrites { kernel, .. } => kernel,
        }
    }

    /// The need of that number, with nothing in it.
    pub(crate) fn of(number: u32) -> Option<Need> {
        let kernel = KernelRef(0);
        [
            Need::SubgroupSize { kernel, size: 0 },
            Need::SubgroupCount { kernel, count: 0 },
            Need::MadeSubgroups { kernel },
            Need::WholeSubgroups { kernel },
            Need::UnseenGroups { kernel },
            Need::NoWaits { kernel },
            Need::SeenSubgroups { kernel },
            Need::PrivateMemory {
                kernel,
                ordinal: 0,
                bytes: 0,
            },
            Need::LocalMemory {
                kernel,
                ordinal: 0,
                bytes: 0,
                align: 0,
            },
            Need::DeviceLaunch { kernel, ordinal: 0 },
            Need::CheckMemory { kernel, ordinal: 0 },
            Need::QueueArgument { kernel, ordinal: 0 },
            Need::FollowedArgument { kernel, ordinal: 0 },
            Need::Block {
                kernel,
                number: 0,
                captured: 0,
            },
            Need::Scheduler { kernel, times: 0 },
            Need::GraphNode { kernel, part: 0 },
            Need::Coarse {
                kernel,
                of: kernel,
                items: 0,
                spacing: 0,
                multiples: 0,
                span_multiples: 0,
                disjoint: 0,
            },
            Need::HandleFactPushConstant {
                kernel,
                ordinal: 0,
                fact: 0,
                offset: 0,
            },
            Need::HandleFactUniform {
                kernel,
                ordinal: 0,
                fact: 0,
                set: 0,
                binding: 0,
                offset: 0,
            },
            Need::ImageLevel {
                kernel,
                ordinal: 0,
                level: 0,
                set: 0,
                binding: 0,
            },
            Need::RawImage { kernel, ordinal: 0 },
            Need::SampledPixels {
                kernel,
                ordinal: 0,
                arrayed: 0,
            },
            Need::SrgbWrites {
                kernel,
                ordinal: 0,
                spec_id: 0,
            },
        ]
        .into_iter()
        .find(|need| need.number() == number)
    }

    /// Decodes the operands of an instruction of this one's number.
    pub(crate) fn decode(self, source: &mut Source<'_>) -> Result<Need, ReadError> {
        let kernel = KernelRef::decode(source, "Kernel")?;
        Ok(match self {
            Need::SubgroupSize { .. } => Need::SubgroupSize {
                kernel,
                size: u32::decode(source, "Size")?,
            },
            Need::SubgroupCount { .. } => Need::SubgroupCount {
                kernel,
                count: u32::decode(source, "Count")?,
            },
            Need::MadeSubgroups { .. } => Need::MadeSubgroups { kernel },
            Need::WholeSubgroups { .. } => Need::WholeSubgroups { kernel },
            Need::UnseenGroups { .. } => Need::UnseenGroups { kernel },
            Need::NoWaits { .. } => Need::NoWaits { kernel },
            Need::SeenSubgroups { .. } => Need::SeenSubgroups { kernel },
            Need::PrivateMemory { .. } => Need::PrivateMemory {
                kernel,
                ordinal: u32::decode(source, "Ordinal")?,
                bytes: u32::decode(source, "Bytes")?,
            },
            Need::LocalMemory { .. } => Need::LocalMemory {
                kernel,
                ordinal: u32::decode(source, "Ordinal")?,
                bytes: u32::decode(source, "Bytes")?,
                align: u32::decode(source, "Align")?,
            },
            Need::DeviceLaunch { .. } => Need::DeviceLaunch {
                kernel,
                ordinal: u32::decode(source, "Ordinal")?,
            },
            Need::CheckMemory { .. } => Need::CheckMemory {
                kernel,
                ordinal: u32::decode(source, "Ordinal")?,
            },
            Need::QueueArgument { .. } => Need::QueueArgument {
                kernel,
                ordinal: u32::decode(source, "Ordinal")?,
            },
            Need::FollowedArgument { .. } => Need::FollowedArgument {
                kernel,
                ordinal: u32::decode(source, "Ordinal")?,
            },
            Need::Block { .. } => Need::Block {
                kernel,
                number: u32::decode(source, "Number")?,
                captured: u32::decode(source, "Captured")?,
            },
            Need::Scheduler { .. } => Need::Scheduler {
                kernel,
                times: u32::decode(source, "Times")?,
            },
            Need::GraphNode { .. } => Need::GraphNode {
                kernel,
                part: u32::decode(source, "Part")?,
            },
            Need::Coarse { .. } => Need::Coarse {
                kernel,
                of: KernelRef::decode(source, "Of")?,
                items: u32::decode(source, "Items")?,
                spacing: u32::decode(source, "Spacing")?,
                multiples: u32::decode(source, "Multiples")?,
                span_multiples: u32::decode(source, "SpanMultiples")?,
                disjoint: u32::decode(source, "Disjoint")?,
            },
            Need::HandleFactPushConstant { .. } => Need::HandleFactPushConstant {
                kernel,
                ordinal: u32::decode(source, "Ordinal")?,
                fact: u32::decode(source, "Fact")?,
                offset: u32::decode(source, "Offset")?,
            },
            Need::HandleFactUniform { .. } => Need::HandleFactUniform {
                kernel,
                ordinal: u32::decode(source, "Ordinal")?,
                fact: u32::decode(source, "Fact")?,
                set: u32::decode(source, "Set")?,
                binding: u32::decode(source, "Binding")?,
                offset: u32::decode(source, "Offset")?,
            },
            Need::RawImage { .. } => Need::RawImage {
                kernel,
                ordinal: u32::decode(source, "Ordinal")?,
            },
            Need::SampledPixels { .. } => Need::SampledPixels {
                kernel,
                ordinal: u32::decode(source, "Ordinal")?,
                arrayed: u32::decode(source, "Arrayed")?,
            },
            Need::SrgbWrites { .. } => Need::SrgbWrites {
                kernel,
                ordinal: u32::decode(source, "Ordinal")?,
                spec_id: u32::decode(source, "SpecId")?,
            },
            Need::ImageLevel { .. } => Need::ImageLevel {
                kernel,
                ordinal: u32::decode(source, "Ordinal")?,
                level: u32::decode(source, "Level")?,
                set: u32::decode(source, "Set")?,
                binding: u32::decode(source, "Binding")?,
            },
        })
    }

    /// Encodes the operands.
    pub(crate) fn encode(self, sink: &mut Sink<'_, '_>) -> Result<(), WriteError> {
        self.kernel().encode(sink, "Kernel")?;
        match self {
            Need::SubgroupSize { size, .. } => size.encode(sink, "Size"),
            Need::SubgroupCount { count, .. } => count.encode(sink, "Count"),
            Need::MadeSubgroups { .. }
            | Need::WholeSubgroups { .. }
            | Need::UnseenGroups { .. }
            | Need::NoWaits { .. }
            | Need::SeenSubgroups { .. } => Ok(()),
            Need::PrivateMemory { ordinal, bytes, .. } => {
                ordinal.encode(sink, "Ordinal")?;
                bytes.encode(sink, "Bytes")
            }
            Need::LocalMemory {
                ordinal,
                bytes,
                align,
                ..
            } => {
                ordinal.encode(sink, "Ordinal")?;
                bytes.encode(sink, "Bytes")?;
                align.encode(sink, "Align")
            }
            Need::DeviceLaunch { ordinal, .. }
            | Need::QueueArgument { ordinal, .. }
            | Need::FollowedArgument { ordinal, .. }
            | Need::RawImage { ordinal, .. }
            | Need::CheckMemory { ordinal, .. } => ordinal.encode(sink, "Ordinal"),
            Need::Block {
                number, captured, ..
            } => {
                number.encode(sink, "Number")?;
                captured.encode(sink, "Captured")
            }
            Need::Scheduler { times, .. } => times.encode(sink, "Times"),
            Need::GraphNode { part, .. } => part.encode(sink, "Part"),
            Need::Coarse {
                of,
                items,
                spacing,
                multiples,
                span_multiples,
                disjoint,
                ..
            } => {
                of.encode(sink, "Of")?;
                items.encode(sink, "Items")?;
                spacing.encode(sink, "Spacing")?;
                multiples.encode(sink, "Multiples")?;
                span_multiples.encode(sink, "SpanMultiples")?;
                disjoint.encode(sink, "Disjoint")
            }
            Need::SampledPixels {
                ordinal, arrayed, ..
            } => {
                ordinal.encode(sink, "Ordinal")?;
                arrayed.encode(sink, "Arrayed")
            }
            Need::SrgbWrites {
                ordinal, spec_id, ..
            } => {
                ordinal.encode(sink, "Ordinal")?;
                spec_id.encode(sink, "SpecId")
            }
            Need::HandleFactPushConstant {
                ordinal,
                fact,
                offset,
                ..
            } => {
                ordinal.encode(sink, "Ordinal")?;
                fact.encode(sink, "Fact")?;
                offset.encode(sink, "Offset")
            }
            Need::HandleFactUniform {
                ordinal,
                fact,
                set,
                binding,
                offset,
                ..
            } => {
                ordinal.encode(sink, "Ordinal")?;
                fact.encode(sink, "Fact")?;
                set.encode(sink, "Set")?;
                binding.encode(sink, "Binding")?;
                offset.encode(sink, "Offset")
            }
            Need::ImageLevel {
                ordinal,
                level,
                set,
                binding,
                ..
            } => {
                ordinal.encode(sink, "Ordinal")?;
                level.encode(sink, "Level")?;
                set.encode(sink, "Set")?;
                binding.encode(sink, "Binding")
            }
        }
    }
}
