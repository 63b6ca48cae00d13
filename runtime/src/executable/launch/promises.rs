//! What a launch can promise ([`PromiseKind`]), so that its pipelines are shorter.

use pumice_reflection::PromiseKind;

use super::regions::Region;
use super::{ArgValue, Executable, KernelInterface, Launch};

impl Executable {
    /// Sets what the launch can promise for a region; pipelines of launches that can differ.
    pub(super) fn promise(
        &self,
        kernel: &KernelInterface,
        launch: &Launch<'_>,
        region: &Region,
        specialization: &mut Vec<(u32, u32)>,
    ) {
        let holds = |kind| match kind {
            PromiseKind::NearArguments => arguments_are_near(kernel, launch.args),
            PromiseKind::NoOffset => {
                launch.range.global_offset == [0; 3] && region.first_group == [0; 3]
            }
        };
        let held = self.interface.promises.iter().filter(|p| holds(p.kind));
        specialization.extend(held.map(|promise| (promise.spec_id, 1)));
    }
}

/// Returns whether every pointer argument is a buffer that 32 bits can count the bytes of. Pointers into shared
/// memory may point into the middle of it.
fn arguments_are_near(kernel: &KernelInterface, args: &[Option<ArgValue>]) -> bool {
    const MOST: u64 = 1 << 32;
    args.iter()
        .take(kernel.info.args.len())
        .all(|arg| match arg {
            Some(ArgValue::Buffer { size, .. }) => *size <= MOST,
            Some(ArgValue::Pointer(_)) => false,
            _ => true,
        })
}
