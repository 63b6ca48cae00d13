//! Platform entry points, cl_khr_icd and the address queries.

use std::ffi::{CStr, c_char, c_void};

use opencl_sys::cl_icd::cl_icd_dispatch;
use opencl_sys::{cl_platform_id, cl_platform_info, cl_uint};
use pumice_runtime::base::error::Result;
use pumice_runtime::base::info::Info;
use pumice_runtime::base::object::Ref;
use pumice_runtime::device::platform::{self, Platform};

use crate::{exit, handle, info, print};

/// Finds an extension's entry point by name; NULL if there is none.
pub type Addresses = fn(&CStr) -> *mut c_void;

/// The one platform, whose objects point at `table`.
pub fn instance(table: &'static cl_icd_dispatch) -> &'static Ref<Platform> {
    print::install();
    exit::watch_forks();
    platform::platform(&raw const *table as usize)
}

/// A platform argument; NULL selects the only platform (as the loader chooses the first).
///
/// # Safety
/// As [`handle::get`].
pub unsafe fn argument(only: &Ref<Platform>, platform: cl_platform_id) -> Result<Ref<Platform>> {
    if platform.is_null() {
        return Ok(only.clone());
    }
    // SAFETY: the caller's contract.
    unsafe { handle::get::<Platform>(platform) }
}

pub unsafe fn get_platform_ids(
    only: &Ref<Platform>,
    num_entries: cl_uint,
    platforms: *mut cl_platform_id,
    num_platforms: *mut cl_uint,
) -> Result<()> {
    // SAFETY: the arguments are those of clGetPlatformIDs.
    unsafe { info::write_handles(&[only.handle()], num_entries, platforms, num_platforms) }
}

pub unsafe fn icd_get_platform_ids(
    only: &Ref<Platform>,
    num_entries: cl_uint,
    platforms: *mut cl_platform_id,
    num_platforms: *mut cl_uint,
) -> Result<()> {
    // SAFETY: the arguments are those of clIcdGetPlatformIDsKHR, which has the same rules.
    unsafe { get_platform_ids(only, num_entries, platforms, num_platforms) }
}

pub unsafe fn get_platform_info(
    only: &Ref<Platform>,
    platform: cl_platform_id,
    param_name: cl_platform_info,
    param_value_size: usize,
    param_value: *mut c_void,
    param_value_size_ret: *mut usize,
) -> Result<()> {
    // SAFETY: the arguments are those of clGetPlatformInfo.
    unsafe {
        let platform = argument(only, platform)?;
        info::write(
            platform.info(param_name),
            param_value_size,
            param_value,
            param_value_size_ret,
        )
    }
}

/// `pumiceReport(platform, size, text, size_ret)`: the driver's state as JSON, for `pumice-info`.
/// A private entry: its text may change with every version. Rules of the clGet*Info calls.
pub unsafe fn report(
    platform: cl_platform_id,
    size: usize,
    text: *mut c_void,
    size_ret: *mut usize,
) -> Result<()> {
    // SAFETY: the arguments are those of pumiceReport.
    unsafe {
        let platform = handle::get::<Platform>(platform)?;
        let report = pumice_runtime::report::report(&platform);
        info::write(Ok(Info::string(&report)), size, text, size_ret)
    }
}

pub unsafe fn get_extension_function_address(
    addresses: Addresses,
    func_name: *const c_char,
) -> *mut c_void {
    // SAFETY: func_name is a string by the contract of clGetExtensionFunctionAddress.
    match unsafe { handle::string(func_name) } {
        Ok(name) => addresses(name),
        Err(_) => std::ptr::null_mut(),
    }
}

pub unsafe fn get_extension_function_address_for_platform(
    addresses: Addresses,
    platform: cl_platform_id,
    func_name: *const c_char,
) -> *mut c_void {
    // SAFETY: the arguments are those of clGetExtensionFunctionAddressForPlatform.
    unsafe {
        match handle::get::<Platform>(platform) {
            Ok(_) => get_extension_function_address(addresses, func_name),
            Err(_) => std::ptr::null_mut(),
        }
    }
}
