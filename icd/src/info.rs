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
            return Err(Error::InvalidValue);
        }
        // SAFETY: `value` has at least `size` ≥ `bytes.len()` writable bytes.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), value.cast::<u8>(), bytes.len()) };
    }
    // SAFETY: the caller's contract.
    unsafe { handle::write(size_ret, bytes.len()) };
    Ok(())
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
    if (capacity == 0 && !out.is_null()) || (out.is_null() && count_ret.is_null()) {
        return Err(Error::InvalidValue);
    }
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
