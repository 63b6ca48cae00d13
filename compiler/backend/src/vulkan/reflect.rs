//! The module's NonSemantic.ClspvReflection.

use super::abi::{MODULE_CONSTANTS, ModuleConstant};
use super::checks;
use super::descriptors::{Descriptors, Slot};
use super::emitter::{ArgBlock, Emitter};
use pumice_ir::ArgPlace;
use pumice_ir::LowerError;
use pumice_ir::{
    AddressSpace, ArgAccess, ArgAddress, ArgInfo, EnqueueRole, FuncId, GlobalId, KernelArg,
    KernelArgKind, KernelInfo,
};
use pumice_reflection::{
    AddressDelta, ArgumentInfo, BlockArgument, ByteString, DataDescriptor, DataPush,
    DescriptorArgument, FunctionId, HexBytes, InfoRef, Instruction, Kernel, KernelProperties,
    KernelRef, KernelRole, MAY_USE_PRINTF, Need, PrintfBufferDescriptor, PrintfBufferPush,
    PrintfInfo, Promise, PushArgument, PushRange, Reflection, Relocation, RequiredWorkgroupSize,
    SpecId, SpecIds3, TerminationFlag, WorkgroupArgument,
};

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
    // Operands are positional: the first unknown one ends the list. That an argument is a pipe must
    // be there even where its packets' type is unknown.
    let known = !info.type_name.is_empty() || info.is_pipe();
    let type_name = known.then(|| info.type_name.clone());
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
    /// Returns whether a kernel or what it calls uses the printf buffer.
    fn uses_printf(&self, kernel: FuncId) -> bool {
        self.summaries[kernel].printf
    }

    /// Returns whether a kernel gives the same results with work-groups of other sizes.
    fn hides_groups(&self, kernel: &KernelInfo) -> bool {
        let is_local = |arg: &KernelArg| matches!(arg.kind, KernelArgKind::Local { .. });
        !self.summaries[kernel.func].sees_groups && !kernel.args.iter().any(is_local)
    }

    /// Addresses in the initial bytes of variables.
    fn relocations(&self) -> Result<Vec<Relocation>, LowerError> {
        let mut relocations = Vec::new();
        for (id, global) in &self.module.globals {
            let Some(&base) = self.data_offsets.get(&id) else {
                continue;
            };
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
        Ok(relocations)
    }

    /// Program-scope data behind an address: constant data where it is nothing else.
    fn reflect_data_address(
        &self,
        range: PushRange,
        reflection: &mut Reflection,
    ) -> Result<(), LowerError> {
        let relocations = self.relocations()?;
        let place = DataPush {
            offset: range.offset,
            size: range.size,
            data: HexBytes(self.data_bytes(false)?),
        };
        let constant = |id: &GlobalId| self.module.globals[*id].space == AddressSpace::Constant;
        if relocations.is_empty() && self.data_offsets.keys().all(constant) {
            reflection.push(Instruction::ConstantDataPointerPushConstant(place));
            return Ok(());
        }
        for relocation in relocations {
            let relocation = Instruction::ProgramScopeVariablePointerRelocation(relocation);
            reflection.push(relocation);
        }
        let data = Instruction::ProgramScopeVariablePointerPushConstant(place);
        reflection.push(data);
        Ok(())
    }

    /// The module's own descriptors. Pointers in initial bytes stay NULL: what comes out of
    /// memory is no pointer that a kernel with descriptors could use.
    fn reflect_data_descriptors(
        &self,
        descriptors: &Descriptors,
        reflection: &mut Reflection,
    ) -> Result<(), LowerError> {
        let data = |slot: Slot, constants: bool| -> Result<DataDescriptor, LowerError> {
            Ok(DataDescriptor {
                set: slot.set,
                binding: slot.binding,
                data: HexBytes(self.data_bytes(constants)?),
            })
        };
        if descriptors.options.constants_in_buffer && self.data_sizes[0] > 0 {
            let data = data(descriptors.constants, true)?;
            reflection.push(match descriptors.options.constant_args_uniform {
                true => Instruction::ConstantDataUniform(data),
                false => Instruction::ConstantDataStorageBuffer(data),
            });
        }
        if self.data_sizes[1] > 0 {
            let data = data(descriptors.variables, false)?;
            reflection.push(Instruction::ProgramScopeVariablesStorageBuffer(data));
        }
        if self.module.kernels.iter().any(|k| self.uses_printf(k.func)) {
            reflection.push(Instruction::PrintfBufferStorageBuffer(
                PrintfBufferDescriptor {
                    set: descriptors.printf.set,
                    binding: descriptors.printf.binding,
                    size: self.target.printf_buffer_size,
                },
            ));
        }
        Ok(())
    }

    /// The order in which a kernel's arguments are told: a block of plain data, which has a
    /// descriptor behind all others, comes behind them here too.
    fn argument_order(&self, k: usize) -> Vec<usize> {
        let args = &self.module.kernels[k].args;
        let clustered = (self.descriptors.as_ref()).is_some_and(|d| d.options.cluster_pods);
        let is_pod = |ordinal: &usize| {
            matches!(
                args[*ordinal].kind,
                KernelArgKind::Value(_) | KernelArgKind::ByVal { .. }
            )
        };
        let mut order: Vec<usize> = (0..args.len()).collect();
        if clustered {
            order.sort_by_key(is_pod);
        }
        order
    }

    fn reflect_argument(
        &self,
        k: usize,
        kernel: KernelRef,
        ordinal: usize,
        info: Option<InfoRef>,
    ) -> Option<Instruction> {
        let pointer = matches!(
            self.module.kernels[k].args[ordinal].kind,
            KernelArgKind::Pointer(_)
        );
        let number = ordinal as u32;
        if self.module.kernels[k].args[ordinal].kind.is_handle() {
            return self.reflect_handle(k, kernel, number, info);
        }
        let Some(place) = self.arg_layouts[k].places[ordinal] else {
            let spec_id = *self.local_specs.get(&(k as u32, number))?;
            return Some(Instruction::ArgumentWorkgroup(WorkgroupArgument {
                kernel,
                ordinal: number,
                spec_id,
                elem_size: self.local_element(k as u32, number),
                info,
            }));
        };
        if let (Some(descriptors), true) = (&self.descriptors, pointer) {
            let pointer = descriptors.pointer(k as u32, place.offset)?;
            let argument = DescriptorArgument {
                kernel,
                ordinal: number,
                set: pointer.slot.set,
                binding: pointer.slot.binding,
                info,
            };
            return Some(match pointer.uniform {
                true => Instruction::ArgumentUniform(argument),
                false => Instruction::ArgumentStorageBuffer(argument),
            });
        }
        self.reflect_in_block(k, kernel, (number, place), pointer, info)
    }

    /// An argument in a block or push constants.
    fn reflect_in_block(
        &self,
        k: usize,
        kernel: KernelRef,
        (ordinal, place): (u32, ArgPlace),
        pointer: bool,
        info: Option<InfoRef>,
    ) -> Option<Instruction> {
        let blocks = self.arg_blocks[k].iter().rev();
        let &(start, block) = blocks.clone().find(|(start, _)| *start <= place.offset)?;
        let in_block = |slot: Slot| BlockArgument {
            kernel,
            ordinal,
            set: slot.set,
            binding: slot.binding,
            offset: place.offset - start,
            size: place.size,
            info,
        };
        Some(match block {
            ArgBlock::Push(base) => {
                let argument = PushArgument {
                    kernel,
                    ordinal,
                    offset: base + place.offset,
                    size: place.size,
                    info,
                };
                match pointer {
                    true => Instruction::ArgumentPointerPushConstant(argument),
                    false => Instruction::ArgumentPodPushConstant(argument),
                }
            }
            ArgBlock::Uniform(_, slot) if pointer => {
                Instruction::ArgumentPointerUniform(in_block(slot))
            }
            ArgBlock::Uniform(_, slot) => Instruction::ArgumentPodUniform(in_block(slot)),
            ArgBlock::Storage(_, slot) => Instruction::ArgumentPodStorageBuffer(in_block(slot)),
        })
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
                    num_arguments: (kernel.args.len() + self.arg_layouts[k].addresses_behind())
                        as u32,
                    flags,
                    attributes: kernel.attributes.clone(),
                }),
            });
            for (is, role) in [
                (kernel.initializer, KernelRole::Initializer(reference)),
                (kernel.finalizer, KernelRole::Finalizer(reference)),
            ] {
                if is {
                    reflection.roles.push(role);
                }
            }
            if let Some(size) = kernel.required_sub_group_size {
                let kernel = reference;
                reflection.needs.push(Need::SubgroupSize { kernel, size });
            }
            if kernel.made_sub_groups {
                let kernel = reference;
                reflection.needs.push(Need::MadeSubgroups { kernel });
            }
            if let Some(count) = kernel.required_sub_groups {
                let kernel = reference;
                reflection.needs.push(Need::SubgroupCount { kernel, count });
            }
            if kernel.whole_sub_groups {
                let kernel = reference;
                reflection.needs.push(Need::WholeSubgroups { kernel });
            }
            if self.summaries[kernel.func].sees_sub_groups {
                let kernel = reference;
                reflection.needs.push(Need::SeenSubgroups { kernel });
            }
            if self.hides_groups(kernel) {
                let kernel = reference;
                reflection.needs.push(Need::UnseenGroups { kernel });
            }
            if kernel.no_waits {
                let kernel = reference;
                reflection.needs.push(Need::NoWaits { kernel });
            }
            if let Some(coarse) = kernel.coarse {
                reflection.needs.push(Need::Coarse {
                    kernel: reference,
                    of: KernelRef(coarse.of),
                    items: coarse.items,
                    spacing: coarse.spacing,
                    multiples: coarse.multiples.of_four,
                    span_multiples: coarse.multiples.of_span,
                    disjoint: coarse.disjoint.into(),
                });
            }
            for ordinal in self.argument_order(k) {
                // Nobody asks for those of a copy.
                let info = kernel.args[ordinal].info.as_ref();
                let info = info.filter(|_| kernel.coarse.is_none());
                let info = info.map(|info| reflection.add_info(info_of(info)));
                if let Some(argument) = self.reflect_argument(k, reference, ordinal, info) {
                    reflection.push(argument);
                }
            }
            let followed = kernel.followed.iter();
            reflection
                .needs
                .extend(followed.map(|&ordinal| Need::FollowedArgument {
                    kernel: reference,
                    ordinal,
                }));
            self.reflect_enqueue(k, reference, reflection);
            self.reflect_check(k, reference, reflection);
            self.reflect_memory(k, reference, reflection);
            self.reflect_infos(k, reference, reflection);
            self.reflect_raw_images(k as u32, reference, reflection);
            self.reflect_samples(k, reference, reflection);
            self.reflect_levels(k, reference, reflection);
            self.reflect_srgb_writes(k as u32, reference, reflection);
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

    /// Says where a kernel finds the memory of private and local variables.
    fn reflect_memory(&self, k: usize, kernel: KernelRef, reflection: &mut Reflection) {
        let layout = &self.arg_layouts[k];
        if let Some(place) = layout.private {
            let ordinal = self.reflect_address(k, kernel, place, reflection);
            reflection.needs.push(Need::PrivateMemory {
                kernel,
                ordinal,
                bytes: self.module.kernels[k].private_bytes,
            });
        }
        if let (Some(place), Some(local)) = (layout.local, self.local_buffer_of(k)) {
            let (bytes, align) = (local.bytes, local.align);
            let ordinal = self.reflect_address(k, kernel, place, reflection);
            if self.target.address_delta {
                let need = Need::FollowedArgument { kernel, ordinal };
                reflection.needs.push(need);
            }
            reflection.needs.push(Need::LocalMemory {
                kernel,
                ordinal,
                bytes,
                align,
            });
        }
    }

    /// Describes an address behind the kernel's arguments; gives its ordinal.
    fn reflect_address(
        &self,
        k: usize,
        kernel: KernelRef,
        place: ArgPlace,
        reflection: &mut Reflection,
    ) -> u32 {
        let ordinal = self.arg_layouts[k].ordinal_behind(place);
        let argument = self.reflect_in_block(k, kernel, (ordinal, place), true, None);
        reflection.instructions.extend(argument);
        ordinal
    }

    /// Says what part a kernel has in device-side enqueue.
    fn reflect_enqueue(&self, k: usize, kernel: KernelRef, reflection: &mut Reflection) {
        let info = &self.module.kernels[k];
        for &ordinal in &info.queues {
            let need = Need::QueueArgument { kernel, ordinal };
            reflection.needs.push(need);
        }
        let part = match info.enqueue {
            Some(EnqueueRole::SchedulerNode) => Some(0),
            Some(EnqueueRole::BlockNode { number }) => Some(number + 1),
            _ => None,
        };
        let nodes = part.map(|part| Need::GraphNode { kernel, part });
        reflection.needs.extend(nodes);
        let Some(place) = self.arg_layouts[k].launch else {
            return;
        };
        let ordinal = self.reflect_address(k, kernel, place, reflection);
        reflection
            .needs
            .push(Need::DeviceLaunch { kernel, ordinal });
        match info.enqueue {
            Some(EnqueueRole::Block { number, captured }) => reflection.needs.push(Need::Block {
                kernel,
                number,
                captured,
            }),
            Some(EnqueueRole::Scheduler { times }) => reflection.needs.push(Need::Scheduler {
                kernel,
                times: times.into(),
            }),
            Some(
                EnqueueRole::Parent | EnqueueRole::BlockNode { .. } | EnqueueRole::SchedulerNode,
            )
            | None => {}
        }
    }

    /// Says where a kernel finds the memory of its checks.
    fn reflect_check(&self, k: usize, kernel: KernelRef, reflection: &mut Reflection) {
        let Some(place) = self.arg_layouts[k].check else {
            return;
        };
        let ordinal = self.reflect_address(k, kernel, place, reflection);
        let need = Need::CheckMemory { kernel, ordinal };
        reflection.needs.push(need);
    }

    /// Describes the emitted module.
    pub fn reflection(&self) -> Result<Reflection, LowerError> {
        let mut reflection = Reflection::default();
        self.reflect_kernels(&mut reflection);
        if self.fixed_group_sizes.is_none() {
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
        if let Some([(_, x), (_, y), (_, z)]) = self.global_offset {
            reflection.push(Instruction::SpecConstantGlobalOffset(SpecIds3 { x, y, z }));
        }
        let promises = self.promises.iter();
        let promises = promises.map(|(&kind, &(_, spec_id))| Promise { kind, spec_id });
        reflection.promises = promises.collect();
        reflection.promises.sort_unstable();
        self.reflect_literal_samplers(&mut reflection);
        if let Some(descriptors) = &self.descriptors {
            self.reflect_data_descriptors(descriptors, &mut reflection)?;
        }
        for constant in MODULE_CONSTANTS {
            let Some(offset) = self.constants.offset(constant) else {
                continue;
            };
            let size = constant.size(self.constants.wide);
            let range = PushRange { offset, size };
            reflection.push(match constant {
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
                    self.reflect_data_address(range, &mut reflection)?;
                    continue;
                }
                ModuleConstant::AddressDelta => {
                    reflection.address_delta = Some(AddressDelta { offset });
                    continue;
                }
                ModuleConstant::TerminationFlag => {
                    reflection.termination_flag = Some(TerminationFlag { offset });
                    continue;
                }
                ModuleConstant::PrintfBuffer => {
                    Instruction::PrintfBufferPointerPushConstant(PrintfBufferPush {
                        offset,
                        size,
                        buffer_size: self.target.printf_buffer_size,
                    })
                }
            });
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
        let sites = self.module.checks.iter();
        reflection.checks = sites.map(|site| checks::site(self.module, site)).collect();
        Ok(reflection)
    }
}
