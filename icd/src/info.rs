//! The one writer for all `clGet*Info` calls.

use std::ffi::c_void;

use pumice_runtime::base::error::{Error, Result};
use pumice_runtime::base::info::Info;

use crate::handle;

/// Copies a query's answer to the application: CL_INVALID_VALUE if `size` is smaller than the
/// answer and `value` is not NULL; the answer's size goes to `size_ret` if that is not NULL.
///
/// # Safety
/// `value` is NULL or has `size` writable bytes; `size_ret` is NULL or writable.
pub unsafe fn write(
    info: Result<Info>,
    size: usize,
    value: *mut c_void,
    size_ret: *mut usize,
) -> Result<()> {
    let info = info?;
    let bytes = info.bytes();
    if !value.is_null() {
        if size < bytes.len() {
            return Err(Error::InvalidValue.because(format!(
                "param_value has {size} bytes, the answer {}",
                bytes.len()
            )));
        }
        // SAFETY: `value` has at least `size` ≥ `bytes.len()` writable bytes.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), value.cast::<u8>(), bytes.len()) };
    }
    // SAFETY: the caller's contract.
    unsafe { handle::write(size_ret, bytes.len()) };
    Ok(())
}

/// Checks the places for a list of handles: CL_INVALID_VALUE if `capacity` is zero and `out` is not NULL, or
/// if both outputs are NULL.
pub fn check_handles(capacity: u32, out: *const *mut c_void, count_ret: *const u32) -> Result<()> {
    let reason = match (capacity, out.is_null(), count_ret.is_null()) {
        (0, false, _) => "a list is given, but it has room for 0 entries",
        (_, true, true) => "neither a list nor a place for its length is given",
        _ => return Ok(()),
    };
    Err(Error::InvalidValue.because(reason))
}

/// Copies a list of handles: CL_INVALID_VALUE if `capacity` is zero and `out` is not NULL, or if
/// both outputs are NULL. At most `capacity` handles are written.
///
/// # Safety
/// `out` is NULL or has room for `capacity` handles; `count_ret` is NULL or writable.
pub unsafe fn write_handles(
    handles: &[usize],
    capacity: u32,
    out: *mut *mut c_void,
    count_ret: *mut u32,
) -> Result<()> {
    check_handles(capacity, out, count_ret)?;
    if !out.is_null() {
        for (index, handle) in handles.iter().take(capacity as usize).enumerate() {
            // SAFETY: `index` is below `capacity`.
            unsafe { out.add(index).write(*handle as *mut c_void) };
        }
    }
    // SAFETY: the caller's contract.
    unsafe { handle::write(count_ret, handles.len() as u32) };
    Ok(())
}
