//! Kernel files as devices of Vulkan 1.1 take them: SPIR-V 1.3, or 1.4 by an extension.

use pumice_compiler::abi::{Abi, DescriptorOptions};
use pumice_compiler::target::FloatControls;
use pumice_compiler::{LowerOptions, Target, lower};
use pumice_filetests::KernelFile;
use pumice_filetests::golden::{Failures, files};
use pumice_test_support::build::{compiled, linked_alone};
use pumice_test_support::{filetests, low_target, run_target, spirv_tools};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Devices, each with a name and the environment that their modules are validated for.
fn targets() -> Vec<(&'static str, &'static str, Target)> {
    let controls = FloatControls {
        signed_zero_inf_nan_preserve: true,
        denorm_preserve: true,
        denorm_flush_to_zero: true,
        rounding_rte: true,
        rounding_rtz: true,
    };
    let all = Target {
        spirv_version: (1, 3),
        float_controls: [controls; 3],
        ..run_target()
    };
    let least = Target {
        spirv_version: (1, 3),
        vulkan_memory_model: false,
        memory_model_device_scope: false,
        ..low_target()
    };
    let descriptors = Target {
        abi: Abi::Descriptors(DescriptorOptions::of_driver()),
        ..all.clone()
    };
    let newer = Target {
        spirv_version: (1, 4),
        ..all.clone()
    };
    vec![
        ("everything", "vulkan1.1", all),
        ("hardly anything", "vulkan1.1", least),
        ("descriptors", "vulkan1.1", descriptors),
        ("SPIR-V 1.4", "vulkan1.1spv1.4", newer),
    ]
}

/// The module of a source; `None` if it does not compile for the device.
fn build(text: &str, options: &str, target: &Target) -> Result<Option<Vec<u32>>, String> {
    let Ok(module) = compiled(text, options, target) else {
        return Ok(None);
    };
    let module = linked_alone(&module)?;
    let lowered = lower(&module, target, &LowerOptions::default());
    match lowered.output {
        Some(lowered) => Ok(Some(lowered.words)),
        None if lowered.log.contains("device addresses") => Ok(None),
        None => Err(lowered.log),
    }
}

#[test]
fn kernel_files_need_no_later_version() {
    let mut failures = Failures::default();
    for (name, environment, target) in targets() {
        let built = AtomicUsize::new(0);
        failures.check_all(&files(&filetests("run"), &["cl"], 60), |path| {
            let text = std::fs::read_to_string(path).expect("readable");
            let options = KernelFile::parse(&text).expect("a kernel file").options;
            let outcome = build(&text, &options, &target).and_then(|words| {
                let Some(words) = words else {
                    return Ok(());
                };
                built.fetch_add(1, Ordering::Relaxed);
                assert_eq!(words[1] >> 8 & 0xFF, u32::from(target.spirv_version.1));
                let stripped = pumice_reflection::strip_non_semantic(&words);
                spirv_tools::validate(&stripped, environment)
            });
            outcome.map_err(|why| format!("{name}: {why}"))
        });
        let built = built.into_inner();
        let filtered = std::env::var_os("PUMICE_FILETEST").is_some();
        assert!(built > 40 || filtered, "{name}: {built} files were built");
    }
    failures.finish();
}
