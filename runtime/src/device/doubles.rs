//! Doubles on devices that have none, or that may take their denormals for zeros, which OpenCL C does not allow them
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
    /// Made of integers by the compiler (`soft_doubles`), because `PUMICE_DOUBLES` wants them.
    Soft,
}

/// The choice of `PUMICE_DOUBLES` for devices that have no doubles that OpenCL C allows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Exact,
    Flushed,
    Soft,
}

impl Doubles {
    /// The doubles of a device of which the probes found this; `None` for a device that cannot be opened, which is taken
    /// by its word: nothing runs there.
    pub fn of(caps: &Capabilities, probes: Option<&Probes>) -> Self {
        let flushes = match probes {
            Some(probes) => Self::depend_on_probes(caps) && !probes.denorms_f64,
            None => false,
        };
        if caps.features.shader_float64 && !flushes {
            return Doubles::Own;
        }
        let is_exact = |probes: &Probes| {
            probes.arithmetic.exact_fma_f64
                && probes.arithmetic.exact_div_f64
                && probes.arithmetic.exact_sqrt_f64
        };
        match wanted() {
            Wanted::Flushed if flushes => Doubles::Flushed,
            _ if flushes && probes.is_some_and(is_exact) => Doubles::MadeExact,
            Wanted::Soft => Doubles::Soft,
            _ => Doubles::Absent,
        }
    }

    /// Tells whether a probe has to find out: the device does not promise to keep denormals.
    pub fn depend_on_probes(caps: &Capabilities) -> bool {
        caps.features.shader_float64 && !caps.float_controls[2].denorm_preserve
    }
}

fn wanted() -> Wanted {
    match config::DOUBLES.value().as_deref() {
        Some("flushed") => Wanted::Flushed,
        Some("soft") => Wanted::Soft,
        None => Wanted::Exact,
        Some(_) => {
            config::DOUBLES
                .refused("neither flushed nor soft; the device has exact doubles or none");
            Wanted::Exact
        }
    }
}
