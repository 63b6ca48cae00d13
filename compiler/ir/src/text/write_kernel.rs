//! Writing the text form of kernels.

use super::super::{ArgInfo, EnqueueRole, KernelArgKind, KernelInfo};
use super::node::write_node;
use super::write::{flag, quoted};
use pumice_target::coarse::Multiples;
use std::fmt::Write;

/// Writes a kernel: its function, attributes and arguments.
pub(super) fn write_kernel(out: &mut String, kernel: &KernelInfo) {
    let _ = write!(
        out,
        "\nkernel {} {}",
        quoted(kernel.name.as_bytes()),
        kernel.func
    );
    for (word, size) in [
        ("reqd", kernel.required_work_group_size),
        ("hint", kernel.work_group_size_hint),
    ] {
        if let Some([x, y, z]) = size {
            let _ = write!(out, " {word}({x}, {y}, {z})");
        }
    }
    if let Some(size) = kernel.required_sub_group_size {
        let _ = write!(out, " subgroup({size})");
    }
    out.push_str(flag(kernel.made_sub_groups, " made_subgroups"));
    if let Some(count) = kernel.required_sub_groups {
        let _ = write!(out, " subgroups({count})");
    }
    if kernel.private_bytes > 0 {
        let _ = write!(out, " private({})", kernel.private_bytes);
    }
    out.push_str(flag(kernel.local_in_buffer, " local_in_buffer"));
    out.push_str(flag(kernel.checked, " checked"));
    if let Some(coarse) = kernel.coarse {
        let _ = write!(out, " coarse({}, {}", coarse.of, coarse.items);
        let Multiples { of_four, of_span } = coarse.multiples;
        let numbers = [
            (", ", of_four, 0),
            (" every ", coarse.spacing, 1),
            (" spans ", of_span, 0),
        ];
        for (word, number, _) in numbers.iter().filter(|(_, number, usual)| number != usual) {
            let _ = write!(out, "{word}{number}");
        }
        let _ = write!(out, "{})", flag(coarse.disjoint, " disjoint"));
    }
    let _ = match kernel.enqueue {
        None => Ok(()),
        Some(EnqueueRole::Parent) => write!(out, " enqueues"),
        Some(EnqueueRole::Scheduler { times: false }) => write!(out, " scheduler"),
        Some(EnqueueRole::Scheduler { times: true }) => write!(out, " scheduler times"),
        Some(EnqueueRole::Block { number, captured }) => {
            write!(out, " block({number}, {captured})")
        }
        Some(EnqueueRole::SchedulerNode) => write!(out, " scheduler_node"),
        Some(EnqueueRole::BlockNode { number }) => write!(out, " block_node({number})"),
    };
    for (word, ordinal) in kernel.ordinals() {
        let _ = write!(out, " {word}({ordinal})");
    }
    for (word, is) in [
        ("no_waits", kernel.no_waits),
        ("whole_subgroups", kernel.whole_sub_groups),
        ("initializer", kernel.initializer),
        ("finalizer", kernel.finalizer),
    ] {
        if is {
            let _ = write!(out, " {word}");
        }
    }
    if let Some(node) = &kernel.node {
        write_node(out, node);
    }
    if !kernel.attributes.is_empty() {
        let _ = write!(out, " attributes {}", quoted(kernel.attributes.as_bytes()));
    }
    out.push_str(" {\n");
    for arg in &kernel.args {
        let _ = match arg.kind {
            KernelArgKind::Value(ty) => write!(out, "  value {ty}"),
            KernelArgKind::ByVal { size, align } => {
                write!(out, "  byval size {size} align {align}")
            }
            KernelArgKind::Pointer(space) => write!(out, "  pointer {}", space.name()),
            KernelArgKind::Local { align } => write!(out, "  local align {align}"),
            KernelArgKind::Image(image) => write!(out, "  image.{}", image.words().join(".")),
            KernelArgKind::Sampler => write!(out, "  sampler"),
        };
        if let Some(info) = &arg.info {
            write_arg_info(out, info);
        }
        out.push('\n');
    }
    out.push_str("}\n");
}

fn write_arg_info(out: &mut String, info: &ArgInfo) {
    let mut parts = Vec::new();
    if !info.name.is_empty() {
        parts.push(format!("name {}", quoted(info.name.as_bytes())));
    }
    if !info.type_name.is_empty() {
        parts.push(format!("type {}", quoted(info.type_name.as_bytes())));
    }
    if let Some(address) = info.address {
        parts.push(format!("address {}", address.name()));
    }
    if let Some(access) = info.access {
        parts.push(format!("access {}", access.name()));
    }
    if let Some(quals) = info.type_qualifier {
        parts.push(format!("quals {quals}"));
    }
    let _ = write!(out, " info({})", parts.join(", "));
}
