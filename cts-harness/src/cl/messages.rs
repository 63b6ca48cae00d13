//! Messages of a context to its notification function.

use super::{Result, Session, check};
use cl_sys::{CL_COMPLETE, cl_event, cl_int};
use std::ffi::{CStr, c_char, c_void};
use std::ptr;
use std::sync::{Arc, Condvar, Mutex, PoisonError};

/// Messages in the order in which they came.
#[derive(Default)]
pub(super) struct Messages(Mutex<Vec<String>>);

/// The notification function; `data` is a [`Messages`] that is never freed.
pub(super) extern "C" fn notify(
    text: *const c_char,
    _info: *const c_void,
    _size: usize,
    data: *mut c_void,
) {
    // SAFETY: the driver passes what clCreateContext got, and a string that ends in a NUL.
    let (messages, text) = unsafe { (&*data.cast::<Messages>(), CStr::from_ptr(text)) };
    let mut list = messages.0.lock().unwrap_or_else(PoisonError::into_inner);
    list.push(text.to_string_lossy().into_owned());
}

/// True once the callback of an event has run.
type Signal = Arc<(Mutex<bool>, Condvar)>;

extern "C" fn signal(_event: cl_event, _status: cl_int, data: *mut c_void) {
    // SAFETY: `data` is the reference that `Session::messages` gave away for this one call.
    let signal = unsafe { Arc::from_raw(data.cast::<(Mutex<bool>, Condvar)>()) };
    *signal.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
    signal.1.notify_all();
}

impl Session {
    /// Takes the messages of all commands so far: those of a later command's callback come behind them.
    ///
    /// # Errors
    /// The error of the OpenCL call.
    pub fn messages(&self) -> Result<Vec<String>> {
        let mut event: cl_event = ptr::null_mut();
        // SAFETY: a valid queue, and room for one event.
        let code = unsafe { cl_sys::clEnqueueMarker(self.queue, &mut event) };
        check("clEnqueueMarker", code)?;
        let done: Signal = Arc::default();
        let data = Arc::into_raw(done.clone()).cast_mut().cast::<c_void>();
        // SAFETY: the function takes the reference back; it runs once.
        let code = unsafe { cl_sys::clSetEventCallback(event, CL_COMPLETE, Some(signal), data) };
        check("clSetEventCallback", code)?;
        self.finish()?;
        let mut ended = done.0.lock().unwrap_or_else(PoisonError::into_inner);
        while !*ended {
            ended = done.1.wait(ended).unwrap_or_else(PoisonError::into_inner);
        }
        // SAFETY: the event is released once.
        unsafe { cl_sys::clReleaseEvent(event) };
        let mut list = (self.messages.0.lock()).unwrap_or_else(PoisonError::into_inner);
        Ok(std::mem::take(&mut *list))
    }
}
