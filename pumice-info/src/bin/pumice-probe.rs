//! `pumice-probe`: loads one driver, for `pumice-info`, which runs this program as a child: a driver that
//! crashes ends the child alone.
//!
//! ```text
//! pumice-probe report LIBRARY    the report of a libpumice.so, as JSON
//! pumice-probe driver LIBRARY    the platforms of a driver, as JSON
//! pumice-probe loader            the platforms that the system's ICD loader lists, as JSON
//! ```
//!
//! Exit status 1, with the reason on standard error, where something cannot be loaded or asked.

use std::ffi::{CStr, c_char, c_void};
use std::process::ExitCode;

use libloading::Library;
use opencl_sys::cl_icd::cl_icd_dispatch;
use opencl_sys::{
    CL_DEVICE_TYPE_ALL, CL_PLATFORM_NAME, cl_device_id, cl_int, cl_platform_id, cl_uint,
};
use serde_json::{Value, json};

type GetPlatformIds = unsafe extern "C" fn(cl_uint, *mut cl_platform_id, *mut cl_uint) -> cl_int;
type GetPlatformInfo =
    unsafe extern "C" fn(cl_platform_id, cl_uint, usize, *mut c_void, *mut usize) -> cl_int;
type GetDeviceIds =
    unsafe extern "C" fn(cl_platform_id, u64, cl_uint, *mut cl_device_id, *mut cl_uint) -> cl_int;
type Function = unsafe extern "C" fn(*const c_char) -> *mut c_void;
type FunctionForPlatform = unsafe extern "C" fn(cl_platform_id, *const c_char) -> *mut c_void;
/// `pumiceReport`: size, text and size_ret as in the clGet*Info calls.
type Report = unsafe extern "C" fn(cl_platform_id, usize, *mut c_void, *mut usize) -> cl_int;

/// The error is a message.
type Answer<T> = Result<T, String>;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let answer = match words[..] {
        ["report", library] => report(library),
        ["driver", library] => driver(library).map(|found| found.to_string()),
        ["loader"] => loader().map(|found| found.to_string()),
        _ => Err("usage: pumice-probe report LIBRARY | driver LIBRARY | loader".to_string()),
    };
    match answer {
        Ok(text) => {
            println!("{text}");
            ExitCode::SUCCESS
        }
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}

/// Loads a library for the rest of the process's life.
fn load(path: &str) -> Answer<&'static Library> {
    // SAFETY: a library's initialisers run; they are what the caller wants to try.
    let library = unsafe { Library::new(path) }.map_err(|error| error.to_string())?;
    Ok(Box::leak(Box::new(library)))
}

fn symbol<T: Copy>(library: &'static Library, name: &CStr) -> Answer<T> {
    // SAFETY: the caller names a function of the C API with its type.
    let found = unsafe { library.get::<T>(name.to_bytes_with_nul()) };
    found.map(|found| *found).map_err(|error| error.to_string())
}

fn status(call: &str, code: cl_int) -> Answer<()> {
    match code {
        0 => Ok(()),
        _ => Err(format!("{call} gives error {code}")),
    }
}

fn platforms(call: &str, get: GetPlatformIds) -> Answer<Vec<cl_platform_id>> {
    let mut count = 0;
    // SAFETY: the driver's function gets a NULL list and a place for the count.
    status(call, unsafe { get(0, std::ptr::null_mut(), &mut count) })?;
    let mut platforms = vec![std::ptr::null_mut(); count as usize];
    if count > 0 {
        // SAFETY: the list has room for `count` handles.
        status(call, unsafe {
            get(count, platforms.as_mut_ptr(), std::ptr::null_mut())
        })?;
    }
    Ok(platforms)
}

/// Name and number of devices of a platform.
fn describe(
    platform: cl_platform_id,
    info: GetPlatformInfo,
    devices: GetDeviceIds,
) -> Answer<Value> {
    let mut name = vec![0_u8; 256];
    // SAFETY: the buffer has the size that the call is told.
    let code = unsafe {
        info(
            platform,
            CL_PLATFORM_NAME,
            name.len(),
            name.as_mut_ptr().cast(),
            std::ptr::null_mut(),
        )
    };
    status("clGetPlatformInfo", code)?;
    let name = CStr::from_bytes_until_nul(&name).unwrap_or_default();
    let mut count = 0;
    // SAFETY: a NULL list and a place for the count. An error means that there is none.
    unsafe {
        devices(
            platform,
            CL_DEVICE_TYPE_ALL,
            0,
            std::ptr::null_mut(),
            &mut count,
        )
    };
    Ok(json!({ "name": name.to_string_lossy(), "devices": count }))
}

/// As the loaders do: a driver's functions stand in the table behind each of its objects.
fn driver(path: &str) -> Answer<Value> {
    let library = load(path)?;
    let get: GetPlatformIds = match symbol(library, c"clIcdGetPlatformIDsKHR") {
        Ok(get) => get,
        // Some drivers export the way to it alone.
        Err(why) => {
            let function: Function = symbol(library, c"clGetExtensionFunctionAddress")?;
            // SAFETY: the name is a C string.
            let address = unsafe { function(c"clIcdGetPlatformIDsKHR".as_ptr()) };
            if address.is_null() {
                return Err(why);
            }
            // SAFETY: cl_khr_icd gives the function of that name this type.
            unsafe { std::mem::transmute::<*mut c_void, GetPlatformIds>(address) }
        }
    };
    // Loaders take PLATFORM_NOT_FOUND_KHR (-1001) for a driver without platforms.
    let found =
        platforms("clIcdGetPlatformIDsKHR", get).or_else(|why| match why.contains("-1001") {
            true => Ok(Vec::new()),
            false => Err(why),
        })?;
    let mut names = Vec::new();
    for platform in found {
        // SAFETY: an object of a driver for ICD loaders begins with the address of its table.
        let table = unsafe { *platform.cast::<*const cl_icd_dispatch>() };
        // SAFETY: the table lives as long as the driver, which is never unloaded here.
        let table = unsafe { &*table };
        let info = table
            .clGetPlatformInfo
            .ok_or("the driver's table lacks clGetPlatformInfo")?;
        let devices = table
            .clGetDeviceIDs
            .ok_or("the driver's table lacks clGetDeviceIDs")?;
        names.push(describe(platform, info, devices)?);
    }
    Ok(Value::Array(names))
}

fn loader() -> Answer<Value> {
    let library = load("libOpenCL.so.1")?;
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let path = maps.lines().find(|line| line.contains("libOpenCL.so"));
    let path = path.and_then(|line| line.split_whitespace().last());
    let found = platforms("clGetPlatformIDs", symbol(library, c"clGetPlatformIDs")?);
    let found = found.or_else(|why| match why.contains("-1001") {
        true => Ok(Vec::new()),
        false => Err(why),
    })?;
    let mut names = Vec::new();
    for platform in found {
        let info = symbol(library, c"clGetPlatformInfo")?;
        let devices = symbol(library, c"clGetDeviceIDs")?;
        names.push(describe(platform, info, devices)?);
    }
    Ok(json!({ "library": path, "platforms": names }))
}

fn report(path: &str) -> Answer<String> {
    let library = load(path)?;
    let get = symbol(library, c"clIcdGetPlatformIDsKHR")?;
    let found = platforms("clIcdGetPlatformIDsKHR", get)?;
    let platform = *found.first().ok_or("the driver has no platform")?;
    let function: FunctionForPlatform =
        symbol(library, c"clGetExtensionFunctionAddressForPlatform")?;
    // SAFETY: the platform is the driver's own, the name a C string.
    let address = unsafe { function(platform, c"pumiceReport".as_ptr()) };
    if address.is_null() {
        return Err("it is not Pumice, or another version of it".to_string());
    }
    // SAFETY: Pumice documents this type for the name (`icd/src/platform.rs`).
    let report = unsafe { std::mem::transmute::<*mut c_void, Report>(address) };
    let mut size = 0;
    // SAFETY: a NULL text and a place for its size.
    status("pumiceReport", unsafe {
        report(platform, 0, std::ptr::null_mut(), &mut size)
    })?;
    // What is in use may have grown in between.
    let mut text = vec![0_u8; size + 4096];
    // SAFETY: the buffer has the size that the call is told.
    let code = unsafe { report(platform, text.len(), text.as_mut_ptr().cast(), &mut size) };
    status("pumiceReport", code)?;
    let text = CStr::from_bytes_until_nul(&text).map_err(|error| error.to_string())?;
    Ok(text.to_string_lossy().into_owned())
}
