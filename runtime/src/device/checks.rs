//! The checks that programs are built with (`PUMICE_CHECK`).

use std::sync::{Arc, Once, OnceLock};

use pumice_compiler::Target;
use pumice_compiler::target::Checks;

use crate::base::config;
use crate::base::log;

/// The checks that all programs get.
pub fn of_all_programs() -> Checks {
    static CHECKS: OnceLock<Checks> = OnceLock::new();
    *CHECKS.get_or_init(|| {
        let words = config::CHECK.value().unwrap_or_default();
        Checks::parse(&words).unwrap_or_else(|word| {
            log::error!(
                "{}: there is no check `{word}`: nothing is checked",
                config::CHECK.name
            );
            Checks::NONE
        })
    })
}

/// A target with more checks; only devices with addresses have any.
pub fn add(target: &Arc<Target>, checks: Checks) -> Arc<Target> {
    let checks = target.checks.or(checks);
    let has_none = target.abi.descriptors().is_some();
    if has_none && checks.any() {
        static TOLD: Once = Once::new();
        TOLD.call_once(|| log::error!("nothing is checked: the device has no addresses"));
    }
    let checks = if has_none { Checks::NONE } else { checks };
    match checks == target.checks {
        true => target.clone(),
        false => Arc::new(Target {
            checks,
            ..(**target).clone()
        }),
    }
}
