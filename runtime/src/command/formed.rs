//! The form of a kernel that a launch takes, and its range.

use crate::base::error::Result;
use crate::command::ndrange::refused;
use crate::context::Placement;
use crate::executable::{NdRange, RangeLimits, RangeRequest};
use crate::program::device_kernel::DeviceKernel;
use crate::program::kernel::{ArgBlock, Kernel};

/// A kernel in the form for a launch, with the range that it has there.
pub(super) struct Formed {
    pub device_kernel: DeviceKernel,
    pub range: NdRange,
    pub asks: Asks,
}

/// The further forms that a launch asks for when it is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Asks {
    /// See [`DeviceKernel::takes_copies`].
    pub copies: bool,
    /// See [`DeviceKernel::joins`].
    pub joined: bool,
}

impl Formed {
    /// The form for a launch with these arguments.
    ///
    /// # Errors
    /// Those of clEnqueueNDRangeKernel for its range.
    pub fn new(
        on: &Placement,
        (kernel, device_kernel): (&Kernel, &DeviceKernel),
        args: &ArgBlock,
        request: &RangeRequest,
    ) -> Result<Self> {
        let device = on.device();
        // Asked before the form is chosen: it may be ready in between.
        let copies = device_kernel.takes_copies();
        let chosen = device_kernel.for_arguments(args, device);
        let range = resolve(kernel, &chosen, &chosen.limits(device), request)?;
        let chosen = chosen.for_range(&range, device);
        let joined = chosen.joins();
        let asks = Asks { copies, joined };
        let form = joined.then(|| chosen.joined(&range, device)).flatten();
        Ok(match form {
            Some((joined, range)) => Self {
                asks: Asks::of(&joined),
                device_kernel: joined.for_arguments(args, device),
                range,
            },
            None => Self {
                device_kernel: chosen,
                range,
                asks,
            },
        })
    }
}

impl Asks {
    /// The forms that a launch of the kernel asks for if it is made now.
    pub fn of(device_kernel: &DeviceKernel) -> Self {
        Self {
            copies: device_kernel.takes_copies(),
            joined: device_kernel.joins(),
        }
    }
}

/// Checks the range of a launch; chooses the size of work-groups that the application left out.
///
/// # Errors
/// Those of clEnqueueNDRangeKernel for its range.
pub(super) fn resolve(
    kernel: &Kernel,
    device_kernel: &DeviceKernel,
    limits: &RangeLimits,
    request: &RangeRequest,
) -> Result<NdRange> {
    let range = limits.resolve(request);
    let range = range.map_err(|error| refused(kernel, &error))?;
    let chosen = request.local.or(limits.required).is_none() && limits.sub_groups.is_none();
    Ok(match chosen {
        true => {
            let (executable, index) = (&device_kernel.executable, device_kernel.index);
            executable.with_known_size(index, range, limits.multiple)
        }
        false => range,
    })
}
