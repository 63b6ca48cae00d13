//! Doubles on devices that may take their denormals for zeros, which OpenCL C does not allow them
//! (CL_DEVICE_DOUBLE_FP_CONFIG).

use pumice_vulkan_layer::Capabilities;

use crate::base::config;
use crate::device::gpu::Probes;

/// The doubles of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doubles {
    /// None: the device has none, or it flushes their denormals and its arithmetic is not exact enough to mend that.
    Absent,
    /// The device's own, which keep denormals.
    Own,
    /// The device's own, whose denormals are flushed, because `PUMICE_DOUBLES` wants them so.
    Flushed,
    /// Made exact by the compiler (`legalize_doubles`): the device flushes denormals.
    MadeExact,
}

impl Doubles {
    /// The doubles of a device of which the probes found this; `None` for a device that cannot be opened, which is taken
    /// by its word: nothing runs there.
    pub fn of(caps: &Capabilities, probes: Option<&Probes>) -> Self {
        if !caps.features.shader_float64 {
            return Doubles::Absent;
        }
        match probes {
            Some(probes) if Self::depend_on_probes(caps) && !probes.denorms_f64 => {
                let exact = probes.exact_fma_f64 && probes.exact_div_f64 && probes.exact_sqrt_f64;
                if wants_flushed() {
                    Doubles::Flushed
                } else if exact {
                    Doubles::MadeExact
                } else {
                    Doubles::Absent
                }
            }
            _ => Doubles::Own,
        }
    }

    /// Tells whether a probe has to find out: the device does not promise to keep denormals.
    pub fn depend_on_probes(caps: &Capabilities) -> bool {
        caps.features.shader_float64 && !caps.float_controls[2].denorm_preserve
    }
}

fn wants_flushed() -> bool {
    match config::DOUBLES.value().as_deref() {
        Some("flushed") => true,
        None => false,
        Some(_) => {
            config::DOUBLES.refused("not flushed; denormals of doubles are kept");
            false
        }
    }
}
