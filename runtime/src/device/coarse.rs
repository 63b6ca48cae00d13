//! The user's choice about kernels whose invocations run several work-items each.

use std::sync::OnceLock;

use pumice_vulkan_layer::{Capabilities, DeviceType};

use crate::base::config;

/// The value of PUMICE_COARSE.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Choice {
    /// Never.
    Off,
    /// For kernels that the device has run for long enough.
    Auto,
    /// Wherever the sizes allow it.
    Always,
}

/// Returns what the user has chosen.
pub(crate) fn choice() -> Choice {
    static CHOICE: OnceLock<Choice> = OnceLock::new();
    *CHOICE.get_or_init(|| match config::COARSE.value().as_deref() {
        None | Some("auto") => Choice::Auto,
        Some("always") => Choice::Always,
        Some("off") => Choice::Off,
        Some(_) => {
            config::COARSE.refused("neither auto, always nor off; auto holds");
            Choice::Auto
        }
    })
}

/// Returns whether kernels are built with copies that run several work-items in an invocation. A GPU's threads hide the time
/// of dependent instructions; processors have few.
pub(super) fn takes_copies(caps: &Capabilities) -> bool {
    caps.device_type == DeviceType::Cpu && choice() == Choice::Always
}

/// Returns whether kernels that run for long get copies.
pub(crate) fn takes_copies_later(caps: &Capabilities) -> bool {
    caps.device_type == DeviceType::Cpu && choice() == Choice::Auto
}
