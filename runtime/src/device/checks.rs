//! The checks that programs are built with (`PUMICE_CHECK`).

use std::sync::{Arc, Once, OnceLock};
use std::time::Instant;

use pumice_compiler::Target;
use pumice_compiler::target::{Check, Checks};
use pumice_vulkan_layer::Capabilities;

use crate::base::config;
use crate::base::log;
use crate::base::robust_limits;
use crate::device::conditions::zeroes_local;

/// The checks that all programs get.
pub fn of_all_programs() -> Checks {
    static CHECKS: OnceLock<Checks> = OnceLock::new();
    *CHECKS.get_or_init(|| {
        let words = config::CHECK.value().unwrap_or_default();
        Checks::parse(&words).unwrap_or_else(|word| {
            // Who asks for protection has it, whatever else is wrong.
            let robust = config::CHECK.list().iter().any(|word| word == "robust");
            let (checks, rest) = match robust {
                true => (Checks::NONE.with(Check::Robust), "robust mode alone is on"),
                false => (Checks::NONE, "nothing is checked"),
            };
            log::error!("{}: there is no check `{word}`: {rest}", config::CHECK.name);
            checks
        })
    })
}

/// Tells whether all programs mark what they write to buffers. Those that are built without checks are no exception: what
/// they write to is followed no longer.
pub fn follows_buffers() -> bool {
    of_all_programs().has(Check::Uninit)
}

/// Tells whether a call that asks for these checks builds in robust mode.
pub fn is_robust(own: Checks) -> bool {
    of_all_programs().or(own).robust()
}

/// The time at which a build of such a call ends, in robust mode.
pub fn end_of_build(own: Checks) -> Option<Instant> {
    is_robust(own).then(|| Instant::now() + robust_limits::build_time())
}

/// A target with more checks, for a device; only devices with addresses have any. Robust mode stays asked for
/// where it cannot be had: nothing builds then.
pub fn add(target: &Arc<Target>, checks: Checks, caps: &Capabilities) -> Arc<Target> {
    let checks = target.checks.or(checks);
    let has_none = target.abi.descriptors().is_some();
    if has_none && checks.any() && !checks.robust() {
        static TOLD: Once = Once::new();
        TOLD.call_once(|| log::error!("nothing is checked: the device has no addresses"));
    }
    let checks = match (has_none, checks.robust()) {
        (true, true) => Checks::NONE.with(Check::Robust),
        (true, false) => Checks::NONE,
        (false, _) => checks,
    };
    // What other kernels left in local and private memory is not for strangers.
    let zero_local = target.zero_local || checks.robust() && zeroes_local(caps);
    let zero_private = target.zero_private || checks.robust();
    match checks == target.checks && !checks.robust() {
        true => target.clone(),
        false => Arc::new(Target {
            checks,
            zero_local,
            zero_private,
            ..(**target).clone()
        }),
    }
}
