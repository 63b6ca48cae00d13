//! The arguments of kernels, as launches take them.

use std::sync::Arc;

use crate::base::object::Ref;
use crate::context::device_queue::DeviceQueue;
use crate::context::svm::Allocation;
use crate::executable::ArgValue;
use crate::memory::Mem;
use crate::memory::sampler::Sampler;

/// The value given to clSetKernelArg, its handle resolved.
#[derive(Clone)]
pub enum Argument {
    /// A value that is the same for all devices.
    Value(ArgValue),
    /// A buffer or image.
    Memory(Ref<Mem>),
    /// A sampler.
    Sampler(Ref<Sampler>),
    /// A device queue.
    Queue(Ref<DeviceQueue>),
    /// A pointer into shared memory.
    Shared {
        /// The allocation.
        allocation: Arc<Allocation>,
        /// The byte in it.
        offset: usize,
    },
    /// The address of a byte of a buffer on the device that the kernel is enqueued for.
    DevicePointer(u64),
}

impl Argument {
    /// Tells whether both are the same value. False where that takes a search, or time.
    pub(super) fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Value(one), Self::Value(other)) => one.same(other),
            (Self::Memory(one), Self::Memory(other)) => Arc::ptr_eq(one, other),
            (Self::Sampler(one), Self::Sampler(other)) => Arc::ptr_eq(one, other),
            (Self::Queue(one), Self::Queue(other)) => Arc::ptr_eq(one, other),
            (
                Self::Shared { allocation, offset },
                Self::Shared {
                    allocation: other,
                    offset: at,
                },
            ) => Arc::ptr_eq(allocation, other) && offset == at,
            _ => false,
        }
    }
}

/// The arguments of one enqueue: an immutable snapshot that keeps its buffers.
#[derive(Clone, Default)]
pub struct ArgBlock {
    /// One for each argument, `None` for those that are not set.
    pub values: Vec<Option<Argument>>,
    /// Addresses of bytes of the buffers that the kernel uses beside its arguments.
    pub indirect: Vec<u64>,
}
