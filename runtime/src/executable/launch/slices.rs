//! Slices: parts of a launch that are submitted one after the other, because the watchdog of a GPU that draws a desktop
//! ends what runs for seconds.

use std::sync::OnceLock;

use pumice_vulkan_layer::{Capabilities, DeviceType};

use crate::base::config;

/// The work-groups of a slice where nothing else is set: milliseconds of simple kernels, and many times what the largest
/// GPUs run at once.
const GROUPS: u64 = 1 << 20;

/// The most slices of a launch, about: they are submitted at once.
pub(super) const MOST: u64 = 4096;

/// The work-groups of a slice, as the user wants it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wish {
    /// [`GROUPS`] where no kernel can tell.
    Default,
    /// So many.
    Groups(u64),
    /// Whole launches.
    Off,
}

fn parse(text: Option<&str>) -> Result<Wish, &'static str> {
    match text {
        None => Ok(Wish::Default),
        Some("off" | "0") => Ok(Wish::Off),
        Some(text) => match text.parse() {
            Ok(groups) => Ok(Wish::Groups(groups)),
            Err(_) => Err("neither a number of work-groups nor off; launches are cut as usual"),
        },
    }
}

fn wish() -> Wish {
    static WISH: OnceLock<Wish> = OnceLock::new();
    *WISH.get_or_init(|| {
        let value = config::SLICES.value();
        parse(value.as_deref()).unwrap_or_else(|reason| {
            config::SLICES.refused(reason);
            Wish::Default
        })
    })
}

/// The most work-groups of a slice; `None` if launches run as a whole. Work-groups of a kernel may wait for one another if
/// `may_wait`, which they must not do, but which works where all of them run at once.
pub(super) fn most_groups(caps: &Capabilities, may_wait: bool) -> Option<u64> {
    chosen(wish(), caps.device_type, may_wait)
}

fn chosen(wish: Wish, kind: DeviceType, may_wait: bool) -> Option<u64> {
    let is_gpu = matches!(kind, DeviceType::DiscreteGpu | DeviceType::IntegratedGpu);
    match wish {
        Wish::Groups(groups) => Some(groups),
        Wish::Default => (is_gpu && !may_wait).then_some(GROUPS),
        Wish::Off => None,
    }
}

#[cfg(test)]
mod tests {
    use pumice_vulkan_layer::DeviceType;

    use super::{GROUPS, Wish, chosen, parse};

    #[test]
    fn wishes() {
        assert_eq!(parse(None), Ok(Wish::Default));
        assert_eq!(parse(Some("off")), Ok(Wish::Off));
        assert_eq!(parse(Some("0")), Ok(Wish::Off));
        assert_eq!(parse(Some("4096")), Ok(Wish::Groups(4096)));
        assert!(parse(Some("many")).is_err() && parse(Some("-1")).is_err());
    }

    #[test]
    fn kernels_that_could_tell_run_as_a_whole() {
        let gpu = DeviceType::DiscreteGpu;
        assert_eq!(chosen(Wish::Default, gpu, false), Some(GROUPS));
        assert_eq!(chosen(Wish::Default, DeviceType::Cpu, false), None);
        assert_eq!(chosen(Wish::Default, gpu, true), None);
        assert_eq!(chosen(Wish::Groups(5), DeviceType::Cpu, true), Some(5));
        assert_eq!(chosen(Wish::Off, gpu, false), None);
    }
}
