//! `pumice-probe`: loads one driver, for `pumice-info`, which runs this program as a child: a driver that
//! crashes ends the child alone.
//!
//! ```text
//! pumice-probe report LIBRARY    the report of a libpumice.so, as JSON
//! pumice-probe driver LIBRARY    the platforms of a driver, as JSON
//! pumice-probe vulkan MANIFEST   whether a Vulkan driver can be loaded, as JSON
//! pumice-probe loader            the platforms that the system's ICD loader lists, as JSON
//! ```
//!
//! Exit status 1, with the reason on standard error, where something cannot be loaded or asked.

use std::ffi::{CStr, c_char, c_void};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
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

/// Bytes of a manifest that are read.
const LONGEST_MANIFEST: u64 = 1 << 20;

/// The error is a message.
type Answer<T> = Result<T, String>;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let answer = match words[..] {
        ["report", library] => report(library),
        ["driver", library] => driver(library).map(|found| found.to_string()),
        ["vulkan", manifest] => Ok(vulkan(Path::new(manifest)).to_string()),
        ["loader"] => loader().map(|found| found.to_string()),
        _ => Err(
            "usage: pumice-probe report LIBRARY | driver LIBRARY | vulkan MANIFEST | loader"
                .to_string(),
        ),
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

/// Loads the library that a manifest of a Vulkan driver names; `library` is null where it names none, and
/// `error` where all is well.
fn vulkan(manifest: &Path) -> Value {
    let (library, error) = match vulkan_library(manifest) {
        Ok(library) => {
            let library = library.display().to_string();
            let error = load(&library).err();
            (Some(library), error)
        }
        Err(why) => (None, Some(why)),
    };
    json!({ "manifest": manifest.display().to_string(), "library": library, "error": error })
}

/// The library of a manifest, as the Vulkan loader hands it to the linker: a path counts from the manifest's
/// folder, the linker looks for a name alone.
fn vulkan_library(manifest: &Path) -> Answer<PathBuf> {
    let unreadable = |error: std::io::Error| format!("cannot be read: {error}");
    let mut text = Vec::new();
    let file = File::open(manifest).map_err(unreadable)?;
    (file.take(LONGEST_MANIFEST).read_to_end(&mut text)).map_err(unreadable)?;
    let object: Value =
        serde_json::from_slice(&text).map_err(|error| format!("is not JSON: {error}"))?;
    let library = object["ICD"]["library_path"].as_str();
    let library = library.filter(|library| !library.is_empty());
    let library = library.ok_or("has no ICD.library_path")?;
    let folder = manifest.parent().filter(|_| library.contains('/'));
    Ok(folder.unwrap_or(Path::new("")).join(library))
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

#[cfg(test)]
mod tests {
    use super::{LONGEST_MANIFEST, vulkan};
    use serde_json::{Value, json};

    #[test]
    fn manifests_of_vulkan_drivers_are_tried() {
        let folder = std::env::temp_dir().join(format!("vulkan-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("lib")).unwrap();
        std::fs::write(folder.join("lib/none.so"), "no library").unwrap();
        let path = |name: &str| folder.join(name).display().to_string();
        let ask = |text: &[u8]| {
            let manifest = folder.join("a.json");
            std::fs::write(&manifest, text).unwrap();
            vulkan(&manifest)
        };
        let naming = |library: Value| {
            ask(json!({ "ICD": { "library_path": library } })
                .to_string()
                .as_bytes())
        };
        let loaded = naming(json!("libc.so.6"));
        let here = naming(json!("lib/none.so"));
        let above = naming(json!("./../nowhere.so"));
        let absolute = naming(json!("/nowhere/lib.so"));
        let searched = naming(json!("libpumice-nowhere.so.7"));
        let long = vec![b' '; LONGEST_MANIFEST as usize + 9];
        let bad = [
            (naming(json!(7)), "has no ICD.library_path"),
            (naming(json!("")), "has no ICD.library_path"),
            (ask(b"[1]"), "has no ICD.library_path"),
            (ask(b"\xff"), "is not JSON: "),
            (ask("[".repeat(9999).as_bytes()), "is not JSON: "),
            (ask(&long), "is not JSON: "),
            (vulkan(&folder), "cannot be read: "),
            (vulkan(&folder.join("nowhere.json")), "cannot be read: "),
        ];
        let expected = json!({ "manifest": path("a.json"), "library": "libc.so.6", "error": null });
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!(loaded, expected);
        assert_eq!(here["library"], path("lib/none.so"));
        assert!(
            here["error"]
                .as_str()
                .unwrap()
                .starts_with(&path("lib/none.so"))
        );
        assert_eq!(above["library"], path("./../nowhere.so"));
        let missing = "cannot open shared object file: No such file or directory";
        assert_eq!(absolute["error"], format!("/nowhere/lib.so: {missing}"));
        assert_eq!(searched["library"], "libpumice-nowhere.so.7");
        assert_eq!(
            searched["error"],
            format!("libpumice-nowhere.so.7: {missing}")
        );
        for (answer, error) in bad {
            let told = answer["error"].as_str().unwrap();
            assert!(
                answer["library"].is_null() && told.starts_with(error),
                "{answer}"
            );
        }
    }
}
