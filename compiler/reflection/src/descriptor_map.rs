//! The descriptor map: the comma-separated text that told of descriptors before reflection did,
//! in the format of the document "OpenCL C 1.2 Language on Vulkan".
//!
//! Samplers and constant data come first, then each kernel with its arguments, then what holds
//! for the whole module. What the format has no line for (printf, program-scope variables) is in
//! the listing only.

use std::fmt::Write;

use crate::model::{Instruction, Reflection};
use crate::operand::{InfoRef, KernelRef};

/// The names of a literal sampler's properties, as a sampler expression has them.
fn sampler_expression(mask: u32) -> String {
    let normalized = match mask & 1 {
        0 => "CLK_NORMALIZED_COORDS_FALSE",
        _ => "CLK_NORMALIZED_COORDS_TRUE",
    };
    let address = match mask & 0xe {
        0 => "CLK_ADDRESS_NONE",
        2 => "CLK_ADDRESS_CLAMP_TO_EDGE",
        4 => "CLK_ADDRESS_CLAMP",
        6 => "CLK_ADDRESS_REPEAT",
        8 => "CLK_ADDRESS_MIRRORED_REPEAT",
        _ => "CLK_ADDRESS_UNKNOWN",
    };
    let filter = match mask & 0x30 {
        0x20 => "CLK_FILTER_LINEAR",
        _ => "CLK_FILTER_NEAREST",
    };
    format!("{address}|{filter}|{normalized}")
}

fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// Returns kernel, ordinal, argument info and the text of the fields behind the ordinal.
fn place(inst: &Instruction) -> Option<(KernelRef, u32, Option<InfoRef>, String)> {
    use Instruction as I;
    let kind = match inst {
        I::ArgumentStorageBuffer(_) => "buffer",
        I::ArgumentUniform(_) => "buffer_ubo",
        I::ArgumentPodStorageBuffer(_) => "pod",
        I::ArgumentPodUniform(_) => "pod_ubo",
        I::ArgumentPodPushConstant(_) => "pod_pushconstant",
        I::ArgumentPointerUniform(_) => "pointer_ubo",
        I::ArgumentPointerPushConstant(_) => "pointer_pushconstant",
        I::ArgumentSampledImage(_) => "ro_image",
        I::ArgumentStorageImage(_) => "wo_image",
        I::ArgumentSampler(_) => "sampler",
        I::ArgumentStorageTexelBuffer(_) => "storage_texel_buffer",
        I::ArgumentUniformTexelBuffer(_) => "uniform_texel_buffer",
        I::ArgumentWorkgroup(_) => "local",
        _ => return None,
    };
    Some(match inst {
        I::ArgumentStorageBuffer(a)
        | I::ArgumentUniform(a)
        | I::ArgumentSampledImage(a)
        | I::ArgumentStorageImage(a)
        | I::ArgumentSampler(a)
        | I::ArgumentStorageTexelBuffer(a)
        | I::ArgumentUniformTexelBuffer(a) => {
            let (set, binding) = (a.set, a.binding);
            let text = format!("descriptorSet,{set},binding,{binding},offset,0,argKind,{kind}");
            (a.kernel, a.ordinal, a.info, text)
        }
        I::ArgumentPodStorageBuffer(a)
        | I::ArgumentPodUniform(a)
        | I::ArgumentPointerUniform(a) => {
            let (set, binding, offset, size) = (a.set, a.binding, a.offset, a.size);
            let text = format!(
                "descriptorSet,{set},binding,{binding},offset,{offset},argKind,{kind},argSize,{size}"
            );
            (a.kernel, a.ordinal, a.info, text)
        }
        I::ArgumentPodPushConstant(a) | I::ArgumentPointerPushConstant(a) => {
            let (offset, size) = (a.offset, a.size);
            let text = format!("offset,{offset},argKind,{kind},argSize,{size}");
            (a.kernel, a.ordinal, a.info, text)
        }
        I::ArgumentWorkgroup(a) => {
            let (size, spec) = (a.elem_size, a.spec_id);
            let text = format!("argKind,{kind},arrayElemSize,{size},arrayNumElemSpecId,{spec}");
            (a.kernel, a.ordinal, a.info, text)
        }
        _ => return None,
    })
}

/// Lines that hold for the whole module, samplers and constants apart.
fn module_wide(inst: &Instruction, map: &mut String) {
    use Instruction as I;
    let mut spec = |names: &[&str], ids: &[u32]| {
        for (name, id) in names.iter().zip(ids) {
            let _ = writeln!(map, "spec_constant,{name},spec_id,{id}");
        }
    };
    match inst {
        I::SpecConstantWorkgroupSize(ids) => spec(
            &["workgroup_size_x", "workgroup_size_y", "workgroup_size_z"],
            &[ids.x, ids.y, ids.z],
        ),
        I::SpecConstantGlobalOffset(ids) => spec(
            &["global_offset_x", "global_offset_y", "global_offset_z"],
            &[ids.x, ids.y, ids.z],
        ),
        I::SpecConstantWorkDim(dim) => spec(&["work_dim"], &[dim.id]),
        I::SpecConstantSubgroupMaxSize(size) => spec(&["subgroup_max_size"], &[size.id]),
        I::PushConstantGlobalOffset(r)
        | I::PushConstantEnqueuedLocalSize(r)
        | I::PushConstantGlobalSize(r)
        | I::PushConstantRegionOffset(r)
        | I::PushConstantNumWorkgroups(r)
        | I::PushConstantRegionGroupOffset(r) => {
            let name = match inst {
                I::PushConstantGlobalOffset(_) => "global_offset",
                I::PushConstantEnqueuedLocalSize(_) => "enqueued_local_size",
                I::PushConstantGlobalSize(_) => "global_size",
                I::PushConstantRegionOffset(_) => "region_offset",
                I::PushConstantNumWorkgroups(_) => "num_workgroups",
                _ => "region_group_offset",
            };
            let (offset, size) = (r.offset, r.size);
            let _ = writeln!(map, "pushconstant,name,{name},offset,{offset},size,{size}");
        }
        _ => {}
    }
}

/// The descriptor map of a module with this reflection.
pub fn descriptor_map(reflection: &Reflection) -> String {
    use Instruction as I;
    let mut map = String::new();
    for inst in &reflection.instructions {
        let _ = match inst {
            I::LiteralSampler(s) => writeln!(
                map,
                "sampler,{},samplerExpr,\"{}\",descriptorSet,{},binding,{}",
                s.mask,
                sampler_expression(s.mask),
                s.set,
                s.binding
            ),
            I::ConstantDataStorageBuffer(d) | I::ConstantDataUniform(d) => {
                let kind = match inst {
                    I::ConstantDataUniform(_) => "buffer_ubo",
                    _ => "buffer",
                };
                writeln!(
                    map,
                    "constant,descriptorSet,{},binding,{},kind,{kind},hexbytes,{}",
                    d.set,
                    d.binding,
                    hex(&d.data.0)
                )
            }
            _ => Ok(()),
        };
    }
    let infos: Vec<_> = reflection.infos().collect();
    for (index, kernel) in reflection.kernels().enumerate() {
        let name = &kernel.name;
        let _ = writeln!(map, "kernel_decl,{name}");
        for inst in &reflection.instructions {
            let Some((of, ordinal, info, place)) = place(inst) else {
                continue;
            };
            if of.0 as usize == index {
                let arg = info.and_then(|info| infos.get(info.0 as usize));
                let arg = arg.map_or("", |info| &info.name);
                let _ = writeln!(map, "kernel,{name},arg,{arg},argOrdinal,{ordinal},{place}");
            }
        }
    }
    for inst in &reflection.instructions {
        module_wide(inst, &mut map);
    }
    map
}

#[cfg(test)]
mod tests {
    use super::sampler_expression;

    #[test]
    fn the_documents_samplers() {
        assert_eq!(
            sampler_expression(18),
            "CLK_ADDRESS_CLAMP_TO_EDGE|CLK_FILTER_NEAREST|CLK_NORMALIZED_COORDS_FALSE"
        );
        assert_eq!(
            sampler_expression(35),
            "CLK_ADDRESS_CLAMP_TO_EDGE|CLK_FILTER_LINEAR|CLK_NORMALIZED_COORDS_TRUE"
        );
    }
}
