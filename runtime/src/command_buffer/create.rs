//! Creation of command buffers, and queries.

use opencl_sys as cl;
use parking_lot::Mutex;

use super::{CommandBuffer, State};
use crate::base::error::{Error, Result};
use crate::base::info::Info;
use crate::base::object::{Object, Ref};
use crate::queue::Queue;

/// The flags that a command buffer can have.
const FLAGS: u64 = cl::CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR
    | cl::CL_COMMAND_BUFFER_MUTABLE_KHR
    | cl::CL_COMMAND_BUFFER_DEVICE_SIDE_SYNC_KHR;

/// CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR (`opencl_sys` has another number than the registry).
const ASSERTS: u64 = 0x12B7;

/// Checks a list of properties. CL_INVALID_VALUE if a name or value is not valid, or a name is repeated.
/// `valid` gives the bits that a property's value may have, `None` for an unknown property.
pub(super) fn check_properties(
    pairs: &[[u64; 2]],
    valid: impl Fn(u64) -> Option<u64>,
) -> Result<()> {
    for (index, [name, value]) in pairs.iter().copied().enumerate() {
        let repeated = pairs[..index].iter().any(|[earlier, _]| *earlier == name);
        let bits = valid(name).filter(|bits| value & !bits == 0);
        if repeated || bits.is_none() {
            return Err(Error::InvalidValue);
        }
    }
    Ok(())
}

/// The value of a property, if the list has it.
pub(super) fn property(pairs: &[[u64; 2]], name: u64) -> Option<u64> {
    let mut found = pairs.iter().filter(|[there, _]| *there == name);
    found.next().map(|[_, value]| *value)
}

/// A list of properties as the application gave it.
pub(super) fn with_terminator(pairs: &[[u64; 2]]) -> Vec<u64> {
    pairs.iter().flatten().copied().chain([0]).collect()
}

impl CommandBuffer {
    /// clCreateCommandBufferKHR.
    ///
    /// # Errors
    /// Those that the specification lists for clCreateCommandBufferKHR, in its order.
    pub fn create(
        queues: Vec<Ref<Queue>>,
        properties: Option<Vec<[u64; 2]>>,
    ) -> Result<Ref<CommandBuffer>> {
        // CL_INVALID_VALUE if num_queues is zero or queues is NULL.
        let first = queues.first().ok_or(Error::InvalidValue)?;
        let context = first.context().clone();
        context.check_live()?;
        // CL_INVALID_CONTEXT if the queues do not have the same context.
        for queue in &queues {
            queue.on().check_context(&context)?;
        }
        let pairs = properties.as_deref().unwrap_or_default();
        check_properties(pairs, |name| match name {
            cl::CL_COMMAND_BUFFER_FLAGS_KHR => Some(FLAGS),
            ASSERTS => Some(cl::CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR),
            _ => None,
        })?;
        let flags = property(pairs, cl::CL_COMMAND_BUFFER_FLAGS_KHR).unwrap_or(0);
        // CL_INCOMPATIBLE_COMMAND_QUEUE_KHR if device-side synchronization is asked for and the queues have
        // several devices: a device synchronizes only with itself.
        let same = |queue: &Ref<Queue>| queue.device().handle() == first.device().handle();
        if flags & cl::CL_COMMAND_BUFFER_DEVICE_SIDE_SYNC_KHR != 0 && !queues.iter().all(same) {
            return Err(Error::IncompatibleCommandQueue);
        }
        Ok(Self::empty(
            &queues,
            properties.as_deref().map(with_terminator),
            flags,
        ))
    }

    /// A command buffer without commands.
    pub(super) fn empty(
        queues: &[Ref<Queue>],
        property_list: Option<Vec<u64>>,
        flags: u64,
    ) -> Ref<CommandBuffer> {
        Object::new(CommandBuffer {
            context: queues[0].context().clone(),
            queues: queues.to_vec(),
            property_list,
            flags,
            state: Mutex::new(State::default()),
        })
    }

    /// Tells whether clUpdateMutableCommandsKHR may change its commands.
    pub(super) fn is_mutable(&self) -> bool {
        self.flags & cl::CL_COMMAND_BUFFER_MUTABLE_KHR != 0
    }
}

impl Object<CommandBuffer> {
    /// The context.
    pub fn context(&self) -> &Ref<crate::context::Context> {
        &self.context
    }

    /// clGetCommandBufferInfoKHR.
    ///
    /// # Errors
    /// [`Error::InvalidValue`] for other names.
    pub fn info(self: &Ref<CommandBuffer>, name: u32) -> Result<Info> {
        Ok(match name {
            cl::CL_COMMAND_BUFFER_NUM_QUEUES_KHR => Info::u32(self.queues.len() as u32),
            cl::CL_COMMAND_BUFFER_QUEUES_KHR => Info::objects(&self.queues),
            cl::CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR => Info::u32(self.reference_count()),
            cl::CL_COMMAND_BUFFER_STATE_KHR => Info::u32(self.state.lock().cl_state()),
            cl::CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR => {
                Info::u64s(self.property_list.as_deref().unwrap_or_default())
            }
            cl::CL_COMMAND_BUFFER_CONTEXT_KHR => Info::object(&self.context),
            _ => return Err(Error::InvalidValue),
        })
    }
}

impl State {
    /// CL_COMMAND_BUFFER_STATE_KHR.
    pub(super) fn cl_state(&self) -> u32 {
        match &self.segments {
            None => cl::CL_COMMAND_BUFFER_STATE_RECORDING_KHR,
            Some(_) if self.complete => cl::CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR,
            Some(_) => cl::CL_COMMAND_BUFFER_STATE_FINALIZED_KHR,
        }
    }
}
