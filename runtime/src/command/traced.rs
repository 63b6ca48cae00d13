//! The details of a kernel's launch in a trace.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::base::json::Fields;
use crate::base::object::Ref;
use crate::base::trace;
use crate::executable::{ArgKind, NdRange};
use crate::memory::Mem;
use crate::program::device_kernel::DeviceKernel;
use crate::program::kernel::{ArgBlock, Argument, Kernel};

/// The kernel, its sizes, the work-items of an invocation where they are several, and the bytes of its arguments.
pub(super) fn launch(
    (kernel, device_kernel): (&Ref<Kernel>, &DeviceKernel),
    (range, items): (&NdRange, u32),
    used: (&ArgBlock, &[Ref<Mem>]),
) -> Fields {
    let dimensions = range.work_dim as usize;
    let (global, local) = (range.global_size, range.local_size);
    let fields = Fields::default()
        .text("kernel", kernel.name())
        .with("global", format!("{:?}", &global[..dimensions]))
        .with("local", format!("{:?}", &local[..dimensions]));
    let fields = match argument_bytes(device_kernel, used) {
        0 => fields,
        bytes => fields.with("argument_bytes", bytes),
    };
    // Drivers may leave their compiler's work to the first launch, which then takes long.
    let fields = match kernel.is_second_form(device_kernel) {
        true => fields.text("buffers", "descriptors"),
        false => fields,
    };
    let fields = match items {
        1 => fields,
        _ => fields.with("items_per_invocation", items),
    };
    match trace::first_launch((kernel.handle(), local, items)) {
        true => fields.with("first_launch", true),
        false => fields,
    }
}

/// The sizes of the buffers, images and shared allocations that a kernel is given and uses, each object once.
fn argument_bytes(
    device_kernel: &DeviceKernel,
    (args, pointed_at): (&ArgBlock, &[Ref<Mem>]),
) -> usize {
    let mut sizes: BTreeMap<usize, usize> = BTreeMap::new();
    for (arg, meta) in args.values.iter().zip(&device_kernel.info().args) {
        if matches!(meta.kind, ArgKind::Unused) {
            continue;
        }
        match arg {
            Some(Argument::Memory(object)) => {
                sizes.insert(object.handle(), object.size());
            }
            Some(Argument::Shared { allocation, offset }) => {
                let size = sizes.entry(Arc::as_ptr(allocation).addr()).or_default();
                *size = (*size).max(allocation.size().saturating_sub(*offset));
            }
            _ => {}
        }
    }
    let others = pointed_at.iter();
    sizes.extend(others.map(|object| (object.handle(), object.size())));
    sizes.values().sum()
}
