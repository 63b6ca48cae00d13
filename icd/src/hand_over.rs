//! Entry points that acquire objects that another API has too, and release them.

use opencl_sys::{cl_command_queue, cl_event, cl_mem, cl_uint};
use pumice_runtime::base::error::{Error, Result};
use pumice_runtime::hand_over;
use pumice_runtime::memory::Mem;
use pumice_runtime::memory::external::Owner;
use pumice_runtime::queue::Queue;

use crate::handle;

macro_rules! hand_overs {
    ($($name:ident: $owner:ident, $to_us:literal;)*) => {
        $(
            pub unsafe fn $name(
                command_queue: cl_command_queue,
                num_objects: cl_uint,
                mem_objects: *const cl_mem,
                num_events_in_wait_list: cl_uint,
                event_wait_list: *const cl_event,
                event: *mut cl_event,
            ) -> Result<()> {
                // SAFETY: the arguments are those of the API's function.
                unsafe {
                    let queue = handle::get::<Queue>(command_queue)?;
                    let objects =
                        handle::list::<Mem>(num_objects, mem_objects, Error::InvalidValue)?;
                    let wait =
                        handle::wait_list(num_events_in_wait_list, event_wait_list, event)?;
                    let done = hand_over::enqueue(&queue, Owner::$owner, objects, $to_us, wait)?;
                    handle::give_event(event, done);
                }
                Ok(())
            }
        )*
    };
}

hand_overs! {
    acquire_gl: Gl, true;
    release_gl: Gl, false;
    acquire_egl: Egl, true;
    release_egl: Egl, false;
    acquire_memory: Memory, true;
    release_memory: Memory, false;
}
