//! Capabilities and probes.

use pumice_filetests::skip::skip;
use pumice_vulkan_layer::DeviceType;

use crate::setup::with_device;

#[test]
fn capabilities_are_filled() {
    with_device(|device| {
        let caps = device.capabilities();
        assert!(!caps.name.is_empty() && !caps.driver.name.is_empty());
        assert!(caps.api_version >= (1, 2, 0));
        assert!(caps.device_memory() > 1 << 20);
        assert!(caps.limits.max_group_invocations >= 128);
        assert!(caps.limits.max_push_constants >= 128);
        assert!(caps.limits.max_buffer >= 1 << 27);
        assert!(caps.subgroup.size.is_power_of_two());
        assert!(caps.subgroup.min_size <= caps.subgroup.max_size);
        assert!(caps.queue_count > 0);
        assert!(caps.features.names().contains(&"shaderInt64"));
        eprintln!("{caps:#?}\n{:#?}", device.probes());
    });
}

/// The Mesa CPU driver is where every test runs: what is known of it must be found.
#[test]
fn the_cpu_driver_keeps_denormals_and_rounds_exactly() {
    with_device(|device| {
        let caps = device.capabilities();
        if caps.device_type != DeviceType::Cpu || caps.driver.name != "llvmpipe" {
            skip(&format!(
                "the device is {} by {}",
                caps.name, caps.driver.name
            ));
            return;
        }
        let probes = device.probes();
        assert!(
            probes.arithmetic.denorms_f32 && probes.denorms_f64,
            "{probes:?}"
        );
        assert!(
            probes.arithmetic.exact_div_f32 && probes.arithmetic.exact_sqrt_f32,
            "{probes:?}"
        );
        assert!(
            probes.arithmetic.exact_div_f64 && probes.arithmetic.exact_sqrt_f64,
            "{probes:?}"
        );
        assert!(
            probes.arithmetic.denorms_f16 && probes.arithmetic.exact_div_f16,
            "{probes:?}"
        );
        assert!(probes.host_addresses, "{probes:?}");
        assert!(std::ptr::eq(probes, device.probes()));
    });
}

/// The probe of functions, which start-up leaves out on processors, runs there and gives the same twice.
#[test]
fn functions_are_probed() {
    with_device(|device| {
        let probe = || device.probe_functions(device.capabilities().float_controls[1], true);
        let functions = probe().expect("a result");
        assert_eq!(probe().expect("a result"), functions);
        assert!(functions.divide, "{functions:?}");
        if device.capabilities().device_type == DeviceType::Cpu {
            let probes = device.probes();
            assert!(!probes.arithmetic.accurate_exp2_f32 && !probes.arithmetic.accurate_log2_f32);
            assert!(!probes.arithmetic.relaxed_exp2_f32 && !probes.arithmetic.relaxed_log2_f32);
            assert!(!probes.arithmetic.accurate_roots_f32 && !probes.arithmetic.accurate_sine_f32);
        }
        eprintln!("{functions:?}");
    });
}
