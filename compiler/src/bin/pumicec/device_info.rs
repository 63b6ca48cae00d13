//! The OpenCL-CTS's device info file: `KEY=VALUE` lines about the device that will run the
//! module (test_common/harness/cl_offline_compiler-interface.txt).

use pumice_compiler::Target;

/// The target that a device info file describes; what it does not say is the reference's.
pub fn target(text: &str) -> Result<Target, String> {
    let mut target = Target::reference();
    for line in text.lines().map(str::trim) {
        let Some((key, value)) = line.split_once('=').filter(|_| !line.starts_with('#')) else {
            continue;
        };
        let value = value.trim().trim_matches('"');
        match key.trim() {
            "CL_DEVICE_ADDRESS_BITS" if value != "64" => {
                return Err(format!(
                    "devices with {value}-bit addresses are not supported"
                ));
            }
            "CL_DEVICE_EXTENSIONS" => {
                target.extensions = value.split_whitespace().map(String::from).collect();
            }
            "CL_DEVICE_VERSION" => {
                let version = version(value).ok_or_else(|| format!("unreadable line: {line}"))?;
                target.opencl_version = version;
                target.opencl_c_version = version;
            }
            _ => {}
        }
    }
    let has = |name: &str| target.extensions.iter().any(|e| e == name);
    (target.float16, target.float64) = (has("cl_khr_fp16"), has("cl_khr_fp64"));
    if !target.float64 {
        target.features.retain(|f| f != "__opencl_c_fp64");
    }
    Ok(target)
}

/// `OpenCL 3.0 …`
fn version(text: &str) -> Option<(u8, u8)> {
    let (major, minor) = text
        .strip_prefix("OpenCL ")?
        .split(' ')
        .next()?
        .split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::target;

    #[test]
    fn a_file_sets_version_and_extensions() {
        let text = "# OpenCL device info affecting SPIR-V offline compilation:\n\
            CL_DEVICE_ADDRESS_BITS=64\n\
            CL_DEVICE_EXTENSIONS=\"cl_khr_fp16 cl_khr_subgroups \"\n\
            CL_DEVICE_IL_VERSION=\"SPIR-V_1.2\"\n\
            CL_DEVICE_VERSION=\"OpenCL 1.2 vendor=x\"\n\
            CL_DEVICE_IMAGE_SUPPORT=0\n\
            CL_DEVICE_NAME=\"some device\"\n";
        let target = target(text).unwrap();
        assert_eq!(target.opencl_c_version, (1, 2));
        assert_eq!(target.extensions, ["cl_khr_fp16", "cl_khr_subgroups"]);
        assert!(target.float16 && !target.float64);
        assert!(!target.features.iter().any(|f| f == "__opencl_c_fp64"));
    }

    #[test]
    fn what_cannot_be_served_is_said() {
        assert!(target("CL_DEVICE_ADDRESS_BITS=32").is_err());
        assert!(target("CL_DEVICE_VERSION=\"new\"").is_err());
    }
}
