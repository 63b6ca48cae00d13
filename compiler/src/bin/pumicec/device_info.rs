//! The OpenCL-CTS's device info file: `KEY=VALUE` lines about the device that will run the
//! module (test_common/harness/cl_offline_compiler-interface.txt).

use pumice_compiler::Target;

/// The target that a device info file describes. The file knows no features: a device is taken to
/// have those that its extensions and image support do not rule out, since whoever loads the
/// module checks its capabilities.
pub fn target(text: &str) -> Result<Target, String> {
    let mut target = pumice_compiler::full_target();
    let mut images = true;
    for line in text.lines().map(str::trim) {
        let Some((key, value)) = line.split_once('=').filter(|_| !line.starts_with('#')) else {
            continue;
        };
        let value = value.trim().trim_matches('"');
        let unreadable = || format!("unreadable line: {line}");
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
                let version = version(value).ok_or_else(unreadable)?;
                target.opencl_version = version;
                target.opencl_c_version = version;
            }
            "CL_DEVICE_IL_VERSION" => {
                let spirv = value.split_whitespace().filter_map(|il| {
                    let (major, minor) = il.strip_prefix("SPIR-V_")?.split_once('.')?;
                    Some((major.parse().ok()?, minor.parse().ok()?))
                });
                target.il_version = spirv.max().ok_or_else(unreadable)?;
            }
            "CL_DEVICE_IMAGE_SUPPORT" => images = value != "0",
            _ => {}
        }
    }
    let has = |name: &str| target.extensions.iter().any(|e| e == name);
    (target.float16, target.float64) = (has("cl_khr_fp16"), has("cl_khr_fp64"));
    (
        target.images,
        target.read_write_images,
        target.image_3d_writes,
    ) = (images, images, images);
    let float64 = target.float64;
    target.features.retain(|f| match f.as_str() {
        "__opencl_c_fp64" => float64,
        "__opencl_c_images" | "__opencl_c_read_write_images" | "__opencl_c_3d_image_writes" => {
            images
        }
        _ => true,
    });
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
        let feature = |name: &str| target.features.iter().any(|f| f == name);
        assert!(!feature("__opencl_c_fp64") && !feature("__opencl_c_images"));
        assert!(feature("__opencl_c_generic_address_space"));
        assert_eq!(target.il_version, (1, 2));
    }

    #[test]
    fn what_cannot_be_served_is_said() {
        assert!(target("CL_DEVICE_ADDRESS_BITS=32").is_err());
        assert!(target("CL_DEVICE_VERSION=\"new\"").is_err());
        assert!(target("CL_DEVICE_IL_VERSION=\"other\"").is_err());
    }
}
