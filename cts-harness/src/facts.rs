//! Facts about a driver and its device, through clGetPlatformInfo and clGetDeviceInfo.
//!
//! They are gathered in a process of their own (`pumice-cts facts`), since the driver may hang or
//! crash; what that process could not say is a fact too.

use crate::cl::{Result as ClResult, Session};
use crate::process::{self, End};
use cl_sys as cl;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// The key of CL_PLATFORM_NAME.
pub const PLATFORM: &str = "platform";
/// The key of CL_DEVICE_NAME.
pub const DEVICE: &str = "device";
/// The key of CL_DEVICE_TYPE.
pub const DEVICE_TYPE: &str = "device type";
/// The key of CL_DEVICE_IMAGE_SUPPORT, `yes` or `no`.
pub const IMAGES: &str = "images";
/// The key of CL_DEVICE_SINGLE_FP_CONFIG.
pub const SINGLE_CONFIG: &str = "single config";
/// The key of CL_DEVICE_DOUBLE_FP_CONFIG.
pub const DOUBLE_CONFIG: &str = "double config";
/// The key of the Vulkan driver's name and version, where the device has one.
pub const VULKAN_DRIVER: &str = "vulkan driver";
/// Bytes of our driver's log that are read: the line that names the Vulkan driver comes before one for each of its quirks.
const LOG_BYTES: usize = 1 << 16;
/// The key of what went wrong while asking.
pub const ERROR: &str = "facts error";

/// Format of a value.
#[derive(Clone, Copy, Debug)]
enum Form {
    Text,
    Number,
    Bytes,
    Type,
    Hex,
    Yes,
}

/// Device queries, in the order of reports. Keys sort by themselves.
const QUERIES: &[(&str, cl::cl_device_info, Form)] = &[
    (DEVICE, cl::CL_DEVICE_NAME, Form::Text),
    ("device vendor", cl::CL_DEVICE_VENDOR, Form::Text),
    (DEVICE_TYPE, cl::CL_DEVICE_TYPE, Form::Type),
    ("device version", cl::CL_DEVICE_VERSION, Form::Text),
    ("driver version", cl::CL_DRIVER_VERSION, Form::Text),
    (
        "OpenCL C version",
        cl::CL_DEVICE_OPENCL_C_VERSION,
        Form::Text,
    ),
    ("profile", cl::CL_DEVICE_PROFILE, Form::Text),
    ("extensions", cl::CL_DEVICE_EXTENSIONS, Form::Text),
    (
        "compute units",
        cl::CL_DEVICE_MAX_COMPUTE_UNITS,
        Form::Number,
    ),
    (
        "clock, MHz",
        cl::CL_DEVICE_MAX_CLOCK_FREQUENCY,
        Form::Number,
    ),
    ("address bits", cl::CL_DEVICE_ADDRESS_BITS, Form::Number),
    ("global memory", cl::CL_DEVICE_GLOBAL_MEM_SIZE, Form::Bytes),
    (
        "largest buffer",
        cl::CL_DEVICE_MAX_MEM_ALLOC_SIZE,
        Form::Bytes,
    ),
    ("local memory", cl::CL_DEVICE_LOCAL_MEM_SIZE, Form::Bytes),
    (
        "constant memory",
        cl::CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE,
        Form::Bytes,
    ),
    (
        "argument bytes",
        cl::CL_DEVICE_MAX_PARAMETER_SIZE,
        Form::Number,
    ),
    (
        "work-group size",
        cl::CL_DEVICE_MAX_WORK_GROUP_SIZE,
        Form::Number,
    ),
    (IMAGES, cl::CL_DEVICE_IMAGE_SUPPORT, Form::Yes),
    ("half config", 0x1033, Form::Hex),
    (SINGLE_CONFIG, cl::CL_DEVICE_SINGLE_FP_CONFIG, Form::Hex),
    (DOUBLE_CONFIG, cl::CL_DEVICE_DOUBLE_FP_CONFIG, Form::Hex),
    ("SVM capabilities", 0x1053, Form::Hex),
    ("compiler", cl::CL_DEVICE_COMPILER_AVAILABLE, Form::Yes),
];

/// Optional feature of a device that tests and applications need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feature {
    /// CL_DEVICE_IMAGE_SUPPORT.
    Images,
    /// Some CL_DEVICE_DOUBLE_FP_CONFIG.
    Doubles,
    /// CL_FP_DENORM in CL_DEVICE_SINGLE_FP_CONFIG.
    Denormals,
}

impl Feature {
    /// All of them.
    pub const ALL: [Feature; 3] = [Feature::Images, Feature::Doubles, Feature::Denormals];

    /// The word in `needs` directives and messages.
    pub fn name(self) -> &'static str {
        match self {
            Feature::Images => "images",
            Feature::Doubles => "doubles",
            Feature::Denormals => "denormals",
        }
    }

    /// Returns whether a device with these facts has it; `None` if they do not tell.
    pub fn is_in(self, facts: &BTreeMap<String, String>) -> Option<bool> {
        let bits = |key| {
            let digits = facts.get(key)?.strip_prefix("0x")?;
            u64::from_str_radix(digits, 16).ok()
        };
        match self {
            Feature::Images => facts.get(IMAGES).map(|answer| answer == "yes"),
            Feature::Doubles => bits(DOUBLE_CONFIG).map(|config| config != 0),
            Feature::Denormals => bits(SINGLE_CONFIG).map(|config| config & cl::CL_FP_DENORM != 0),
        }
    }

    /// Returns the first feature that `words` name and that a device with these facts does not have. Words that are no
    /// feature's are passed over.
    pub fn first_missing(words: &[&str], facts: &BTreeMap<String, String>) -> Option<Feature> {
        let mut named =
            (Feature::ALL.into_iter()).filter(|feature| words.contains(&feature.name()));
        named.find(|feature| feature.is_in(facts) == Some(false))
    }

    /// The reason for leaving out what needs it.
    pub fn is_missing(self) -> String {
        format!("needs {}, which the device does not have", self.name())
    }
}

fn show(bytes: &[u8], form: Form) -> String {
    if matches!(form, Form::Text) {
        return String::from_utf8_lossy(bytes)
            .trim_end_matches('\0')
            .trim()
            .to_string();
    }
    let mut word = [0u8; 8];
    let count = bytes.len().min(8);
    word[..count].copy_from_slice(&bytes[..count]);
    let number = u64::from_le_bytes(word);
    match form {
        Form::Text => unreachable!("handled above"),
        Form::Number => number.to_string(),
        Form::Bytes if number < 1 << 20 => format!("{} KiB", number >> 10),
        Form::Bytes => format!("{} MiB", number >> 20),
        Form::Hex => format!("{number:#x}"),
        Form::Yes => if number != 0 { "yes" } else { "no" }.to_string(),
        Form::Type => {
            let kinds = [(2, "CPU"), (4, "GPU"), (8, "accelerator"), (16, "custom")];
            let names: Vec<&str> = (kinds.iter())
                .filter(|(bit, _)| number & bit != 0)
                .map(|(_, name)| *name)
                .collect();
            names.join(" ")
        }
    }
}

/// Asks the first device of the first platform whose name contains `platform`, in this process.
///
/// # Errors
/// No such device. Queries that the device does not know are left out.
pub fn gather(platform: &str) -> ClResult<BTreeMap<String, String>> {
    let (platform_name, device) = Session::find(platform)?;
    let mut facts = BTreeMap::from([(PLATFORM.to_string(), platform_name)]);
    for (key, query, form) in QUERIES {
        if let Ok(bytes) = device.info(*query) {
            facts.insert(key.to_string(), show(&bytes, *form));
        }
    }
    Ok(facts)
}

/// Asks in a process of its own: `command`, which runs this tool, gets the word `facts` and the run's environment.
pub fn ask(
    mut command: Command,
    platform: &str,
    env: &[(String, String)],
    scratch: &Path,
    limit: Duration,
) -> BTreeMap<String, String> {
    let failed = |why: String| BTreeMap::from([(ERROR.to_string(), why)]);
    let (out, err) = (scratch.join("facts.json"), scratch.join("facts.txt"));
    let files = std::fs::create_dir_all(scratch)
        .and_then(|()| Ok((std::fs::File::create(&out)?, std::fs::File::create(&err)?)));
    let (stdout, stderr) = match files {
        Ok(files) => files,
        Err(error) => return failed(format!("{}: {error}", scratch.display())),
    };
    command
        .args(["facts", platform])
        .envs(env.iter().map(|(key, value)| (key, value)))
        // Our driver then says which Vulkan driver a device is of.
        .env("PUMICE_LOG", "info")
        .stdin(Stdio::null())
        .stdout(stdout)
        .stderr(stderr);
    let end = process::run_to(&mut command, limit);
    let log = process::tail(&err, LOG_BYTES);
    match end {
        Ok(End::Exit(0)) => {}
        Ok(End::Exit(code)) => return failed(format!("exit status {code}: {}", log.trim())),
        Ok(End::Signal(signal)) => return failed(format!("killed by signal {signal}")),
        Ok(End::Timeout) => return failed(format!("no answer in {} s", limit.as_secs())),
        Err(error) => return failed(error.to_string()),
    }
    let mut facts: BTreeMap<String, String> =
        serde_json::from_str(&process::tail(&out, usize::MAX)).unwrap_or_default();
    let device = facts.get(DEVICE).cloned().unwrap_or_default();
    if let Some(driver) = vulkan_driver(&log, &device) {
        facts.insert(VULKAN_DRIVER.to_string(), driver);
    }
    facts
}

/// `driver NAME VERSION` of the device's line in our driver's log.
fn vulkan_driver(log: &str, device: &str) -> Option<String> {
    let line = log
        .lines()
        .find(|line| line.contains(", driver ") && line.contains(device))?;
    let (_, driver) = line.split_once(", driver ")?;
    Some(driver.trim().to_string())
}

#[cfg(test)]
mod tests {
    use super::{DOUBLE_CONFIG, ERROR, Feature, Form, IMAGES, SINGLE_CONFIG, show, vulkan_driver};

    #[test]
    fn values_are_shown_by_kind() {
        assert_eq!(show(&[2, 0, 0, 0, 0, 0, 0, 0], Form::Type), "CPU");
        assert_eq!(show(&(3u64 << 20).to_le_bytes(), Form::Bytes), "3 MiB");
        assert_eq!(show(b"name \0", Form::Text), "name");
        assert_eq!(show(&1u32.to_le_bytes(), Form::Yes), "yes");
    }

    #[test]
    fn features_are_read_off_facts() {
        let facts = |list: &[(&str, &str)]| {
            let owned = |(key, value): &(&str, &str)| (key.to_string(), value.to_string());
            list.iter().map(owned).collect()
        };
        let none = facts(&[(ERROR, "exit status 1")]);
        assert!(Feature::ALL.map(|feature| feature.is_in(&none)) == [None; 3]);
        let some = facts(&[
            (IMAGES, "no"),
            (SINGLE_CONFIG, "0xbe"),
            (DOUBLE_CONFIG, "0x3f"),
        ]);
        let has = Feature::ALL.map(|feature| feature.is_in(&some));
        assert_eq!(has, [Some(false), Some(true), Some(false)]);
        let other = facts(&[
            (IMAGES, "yes"),
            (SINGLE_CONFIG, "0xbf"),
            (DOUBLE_CONFIG, "0x0"),
        ]);
        let has = Feature::ALL.map(|feature| feature.is_in(&other));
        assert_eq!(has, [Some(true), Some(false), Some(true)]);
    }

    #[test]
    fn the_vulkan_driver_is_read_off_the_log() {
        let log = "pumice: other\npumice: device llvmpipe (LLVM 15.0.6, 256 bits), Vulkan (1, 3), \
                   driver llvmpipe Mesa 22.3.6 (LLVM 15.0.6)\n";
        let driver = vulkan_driver(log, "llvmpipe (LLVM 15.0.6, 256 bits)");
        assert_eq!(
            driver.as_deref(),
            Some("llvmpipe Mesa 22.3.6 (LLVM 15.0.6)")
        );
        assert_eq!(vulkan_driver("nothing", "x"), None);
    }
}
