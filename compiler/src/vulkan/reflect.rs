//! The module's NonSemantic.ClspvReflection.

use super::abi::{MODULE_CONSTANTS, ModuleConstant};
use super::emitter::{ArgBlock, Emitter};
use crate::ir::{ArgAccess, ArgAddress, ArgInfo, BuiltIn, FuncId, InstKind, KernelArgKind};
use crate::passes::LowerError;
use pumice_reflection::{
    ArgumentInfo, BlockArgument, ByteString, DataPush, FunctionId, HexBytes, Instruction, Kernel,
    KernelProperties, MAY_USE_PRINTF, PrintfBufferPush, PrintfInfo, PushArgument, PushRange,
    Reflection, Relocation, RequiredWorkgroupSize, SpecId, SpecIds3, WorkgroupArgument,
};
use std::collections::BTreeSet;

fn info_of(info: &ArgInfo) -> ArgumentInfo {
    // CL_KERNEL_ARG_ADDRESS_GLOBAL is 0x119B, CL_KERNEL_ARG_ACCESS_READ_ONLY 0x11A0.
    let address = info.address.map(|a| match a {
        ArgAddress::Global => 0x119B,
        ArgAddress::Local => 0x119C,
        ArgAddress::Constant => 0x119D,
        ArgAddress::Private => 0x119E,
    });
    let access = info.access.map(|a| match a {
        ArgAccess::ReadOnly => 0x11A0,
        ArgAccess::WriteOnly => 0x11A1,
        ArgAccess::ReadWrite => 0x11A2,
        ArgAccess::None => 0x11A3,
    });
    // Operands are positional: the first unknown one ends the list.
    let type_name = (!info.type_name.is_empty()).then(|| info.type_name.clone());
    let address_qualifier = type_name.as_ref().and(address);
    let access_qualifier = address_qualifier.and(access);
    let type_qualifier = access_qualifier.and(info.type_qualifier);
    ArgumentInfo {
        name: info.name.clone(),
        type_name,
        address_qualifier,
        access_qualifier,
        type_qualifier,
    }
}

fn word(value: u64, what: &str) -> Result<u32, LowerError> {
    u32::try_from(value).map_err(|_| LowerError::new(format!("{what} does not fit in 4 GiB")))
}

impl Emitter<'_> {
    /// Whether a kernel or what it calls uses the printf buffer.
    fn uses_printf(&self, kernel: FuncId) -> bool {
        let mut seen = BTreeSet::new();
        let mut work = vec![kernel];
        while let Some(func) = work.pop() {
            if !seen.insert(func) {
                continue;
            }
            let f = &self.module.functions[func];
            for &block in &f.layout.blocks {
                for &inst in &f.layout.insts[block] {
                    match f.insts[inst].kind {
                        InstKind::Call { func, .. } => work.push(func),
                        InstKind::BuiltIn {
                            which: BuiltIn::PrintfBuffer,
                        } => return true,
                        _ => {}
                    }
                }
            }
        }
        false
    }

    fn program_scope_data(&self) -> Result<(Vec<u8>, Vec<Relocation>), LowerError> {
        let size = word(self.data_size, "program-scope data")?;
        let mut bytes = vec![0u8; size as usize];
        let mut relocations = Vec::new();
        for (id, global) in &self.module.globals {
            let Some(&base) = self.data_offsets.get(&id) else {
                continue;
            };
            let at = base as usize;
            let init = &global.init;
            bytes[at..at + init.len()].copy_from_slice(init);
            for relocation in &global.relocations {
                let Some(&target) = self.data_offsets.get(&relocation.target) else {
                    return Err(LowerError::new(format!(
                        "the initialiser of '{}' holds the address of a local variable",
                        global.name
                    )));
                };
                relocations.push(Relocation {
                    object_offset: word(
                        target.wrapping_add_signed(relocation.addend),
                        "an address in program-scope data",
                    )?,
                    pointer_offset: word(base + relocation.offset, "program-scope data")?,
                    pointer_size: 8,
                });
            }
        }
        Ok((bytes, relocations))
    }

    fn reflect_kernels(&self, reflection: &mut Reflection) {
        for (k, kernel) in self.module.kernels.iter().enumerate() {
            let flags = if self.uses_printf(kernel.func) {
                MAY_USE_PRINTF
            } else {
                0
            };
            let reference = reflection.add_kernel(Kernel {
                function: FunctionId(self.func_ids[kernel.func]),
                name: kernel.name.clone(),
                properties: Some(KernelProperties {
                    num_arguments: kernel.args.len() as u32,
                    flags,
                    attributes: kernel.attributes.clone(),
                }),
            });
            for (ordinal, arg) in kernel.args.iter().enumerate() {
                let info = arg
                    .info
                    .as_ref()
                    .map(|info| reflection.add_info(info_of(info)));
                let ordinal = ordinal as u32;
                let pointer = matches!(arg.kind, KernelArgKind::Pointer(_));
                let Some(place) = self.arg_layouts[k].places[ordinal as usize] else {
                    let spec = self
                        .local_specs
                        .iter()
                        .find(|&&(kernel, o, _)| kernel == k as u32 && o == ordinal);
                    if let Some(&(_, _, spec_id)) = spec {
                        reflection.push(Instruction::ArgumentWorkgroup(WorkgroupArgument {
                            kernel: reference,
                            ordinal,
                            spec_id,
                            elem_size: 1,
                            info,
                        }));
                    }
                    continue;
                };
                match self.arg_blocks[k] {
                    ArgBlock::Push(base) => {
                        let argument = PushArgument {
                            kernel: reference,
                            ordinal,
                            offset: base + place.offset,
                            size: place.size,
                            info,
                        };
                        reflection.push(if pointer {
                            Instruction::ArgumentPointerPushConstant(argument)
                        } else {
                            Instruction::ArgumentPodPushConstant(argument)
                        });
                    }
                    ArgBlock::Uniform(_) => {
                        let argument = BlockArgument {
                            kernel: reference,
                            ordinal,
                            set: 0,
                            binding: 0,
                            offset: place.offset,
                            size: place.size,
                            info,
                        };
                        reflection.push(if pointer {
                            Instruction::ArgumentPointerUniform(argument)
                        } else {
                            Instruction::ArgumentPodUniform(argument)
                        });
                    }
                }
            }
            if let Some([x, y, z]) = kernel.required_work_group_size {
                reflection.push(Instruction::PropertyRequiredWorkgroupSize(
                    RequiredWorkgroupSize {
                        kernel: reference,
                        x,
                        y,
                        z,
                    },
                ));
            }
        }
    }

    /// Describes the emitted module.
    pub fn reflection(&self) -> Result<Reflection, LowerError> {
        let mut reflection = Reflection::default();
        self.reflect_kernels(&mut reflection);
        if self.fixed_group_size.is_none() {
            reflection.push(Instruction::SpecConstantWorkgroupSize(SpecIds3 {
                x: 0,
                y: 1,
                z: 2,
            }));
        }
        if let Some((_, id)) = self.work_dim {
            reflection.push(Instruction::SpecConstantWorkDim(SpecId { id }));
        }
        if let Some((_, id)) = self.subgroup_max_size {
            reflection.push(Instruction::SpecConstantSubgroupMaxSize(SpecId { id }));
        }
        for (constant, size) in MODULE_CONSTANTS {
            let Some(offset) = self.constants.offset(constant) else {
                continue;
            };
            let range = PushRange { offset, size };
            let instruction = match constant {
                ModuleConstant::RegionOffset => Instruction::PushConstantRegionOffset(range),
                ModuleConstant::GlobalOffset => Instruction::PushConstantGlobalOffset(range),
                ModuleConstant::GlobalSize => Instruction::PushConstantGlobalSize(range),
                ModuleConstant::EnqueuedLocalSize => {
                    Instruction::PushConstantEnqueuedLocalSize(range)
                }
                ModuleConstant::NumWorkgroups => Instruction::PushConstantNumWorkgroups(range),
                ModuleConstant::RegionGroupOffset => {
                    Instruction::PushConstantRegionGroupOffset(range)
                }
                ModuleConstant::ProgramScope => {
                    let (data, relocations) = self.program_scope_data()?;
                    for relocation in relocations {
                        reflection.push(Instruction::ProgramScopeVariablePointerRelocation(
                            relocation,
                        ));
                    }
                    Instruction::ProgramScopeVariablePointerPushConstant(DataPush {
                        offset,
                        size,
                        data: HexBytes(data),
                    })
                }
                ModuleConstant::PrintfBuffer => {
                    Instruction::PrintfBufferPointerPushConstant(PrintfBufferPush {
                        offset,
                        size,
                        buffer_size: self.target.printf_buffer_size,
                    })
                }
            };
            reflection.push(instruction);
        }
        for record in &self.module.printf {
            let text = &self.module.strings[record.text];
            let end = text.iter().position(|&b| b == 0).unwrap_or(text.len());
            reflection.push(Instruction::PrintfInfo(PrintfInfo {
                id: record.id,
                format: ByteString(text[..end].to_vec()),
                argument_sizes: record.argument_sizes.clone(),
            }));
        }
        Ok(reflection)
    }
}
