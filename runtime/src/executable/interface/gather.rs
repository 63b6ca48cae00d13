//! Reflection to [`Interface`].
//!
//! Every offset, set, binding and size is checked here: building a dispatch cannot fail on the module.

use std::collections::BTreeMap;

use pumice_reflection::{
    ArgumentInfo, DataDescriptor, DataPush, DescriptorArgument, Instruction, KernelRef,
    MAY_USE_PRINTF, PushRange, Reflection, Relocation,
};
use pumice_vulkan_layer::{BindingKind, Capabilities};

use super::coarse::CoarseCopy;
use super::enqueue::EnqueueKernels;
use super::init_fini::InitFini;
use super::kernel_draft::KernelDraft;
use super::limits::{check_data, check_set, pointer_size, push_end, set_once};
use super::module_scan::ModuleScan;
use super::{
    ArgKind, ArgMeta, ArgPlace, BindingSource, Content, Interface, ModuleData, ModulePlace,
    PrintfBuffer, RangePush,
};

/// More arguments are refused: one per byte of the largest CL_DEVICE_MAX_PARAMETER_SIZE.
const MAX_ARGUMENTS: u32 = 4096;

pub(super) type Result<T> = std::result::Result<T, String>;

pub(super) struct InterfaceBuilder<'a> {
    pub caps: &'a Capabilities,
    pub scan: &'a ModuleScan,
    infos: Vec<&'a ArgumentInfo>,
    drafts: Vec<KernelDraft>,
    pub interface: Interface,
    /// Bindings of the whole module.
    pub shared: BTreeMap<(u32, u32), (BindingKind, BindingSource)>,
    relocations: Vec<Relocation>,
    /// The index in `data` of the program-scope variables.
    variables: Option<usize>,
    /// The end of the module's push constants.
    pub push_end: u32,
}

/// Builds the interface of a module.
///
/// # Errors
/// A line for the build log that names what the module asks for and the device or this
/// implementation does not have, or what contradicts itself.
pub(in crate::executable) fn gather(
    reflection: &Reflection,
    scan: &ModuleScan,
    caps: &Capabilities,
) -> Result<Interface> {
    let mut builder = InterfaceBuilder {
        caps,
        scan,
        infos: reflection.infos().collect(),
        drafts: Vec::new(),
        interface: Interface {
            read_images: scan.image_reads.need_formats(caps),
            ..Interface::default()
        },
        shared: BTreeMap::new(),
        relocations: Vec::new(),
        variables: None,
        push_end: 0,
    };
    for kernel in reflection.kernels() {
        if builder.drafts.iter().any(|draft| draft.name == kernel.name) {
            return Err(format!("kernel `{}` is declared twice", kernel.name));
        }
        let properties = kernel.properties.as_ref();
        if let Some(count) = properties
            .map(|p| p.num_arguments)
            .filter(|&n| n > MAX_ARGUMENTS)
        {
            return Err(format!("kernel `{}` has {count} arguments", kernel.name));
        }
        builder.drafts.push(KernelDraft {
            name: kernel.name.clone(),
            attributes: properties.map_or_else(String::new, |p| p.attributes.clone()),
            function: kernel.function.0,
            num_args: properties.map(|p| p.num_arguments),
            may_use_printf: properties.map(|p| p.flags & MAY_USE_PRINTF != 0),
            args: BTreeMap::new(),
            places: Vec::new(),
            block_kinds: BTreeMap::new(),
            required: None,
        });
    }
    for inst in &reflection.instructions {
        builder.instruction(inst)?;
    }
    for need in &reflection.needs {
        builder.image_need(*need)?;
    }
    builder.finish(reflection)
}

impl InterfaceBuilder<'_> {
    fn instruction(&mut self, inst: &Instruction) -> Result<()> {
        use Instruction as I;
        let interface = &mut self.interface;
        match inst {
            I::Kernel(_) | I::ArgumentInfo(_) => Ok(()),
            I::ArgumentStorageBuffer(a) => {
                self.descriptor(a, BindingKind::StorageBuffer, ArgKind::Buffer)
            }
            I::ArgumentUniform(a) => {
                self.descriptor(a, BindingKind::UniformBuffer, ArgKind::Buffer)
            }
            I::ArgumentPodStorageBuffer(a) => self.block(a, BindingKind::StorageBuffer, false),
            I::ArgumentPodUniform(a) => self.block(a, BindingKind::UniformBuffer, false),
            I::ArgumentPointerUniform(a) => self.block(a, BindingKind::UniformBuffer, true),
            I::ArgumentPodPushConstant(a) => {
                let place = ArgPlace::Push {
                    offset: a.offset,
                    size: a.size,
                    content: Content::Bytes,
                };
                let kind = ArgKind::Pod { size: a.size };
                self.argument(a.kernel, a.ordinal, a.info, kind, place)
            }
            I::ArgumentPointerPushConstant(a) => {
                pointer_size(self.caps, a.size)?;
                let place = ArgPlace::Push {
                    offset: a.offset,
                    size: a.size,
                    content: Content::Pointer,
                };
                self.argument(a.kernel, a.ordinal, a.info, ArgKind::Buffer, place)
            }
            I::ArgumentWorkgroup(a) => {
                if a.elem_size == 0 {
                    return Err("a local argument has elements of 0 bytes".into());
                }
                let place = ArgPlace::Local {
                    spec_id: a.spec_id,
                    elem_size: a.elem_size,
                };
                self.argument(a.kernel, a.ordinal, a.info, ArgKind::Local, place)
            }
            I::SpecConstantWorkgroupSize(ids) => set_once(
                &mut interface.spec_local_size,
                [ids.x, ids.y, ids.z],
                "SpecConstantWorkgroupSize",
            ),
            I::SpecConstantGlobalOffset(ids) => set_once(
                &mut interface.spec_global_offset,
                [ids.x, ids.y, ids.z],
                "SpecConstantGlobalOffset",
            ),
            I::SpecConstantWorkDim(spec) => {
                set_once(&mut interface.spec_work_dim, spec.id, "SpecConstantWorkDim")
            }
            I::SpecConstantSubgroupMaxSize(spec) => {
                let slot = &mut interface.spec_subgroup_size;
                set_once(slot, spec.id, "SpecConstantSubgroupMaxSize")
            }
            I::PushConstantGlobalOffset(range)
            | I::PushConstantEnqueuedLocalSize(range)
            | I::PushConstantGlobalSize(range)
            | I::PushConstantRegionOffset(range)
            | I::PushConstantNumWorkgroups(range)
            | I::PushConstantRegionGroupOffset(range) => self.range_push(inst, range),
            I::ConstantDataStorageBuffer(d) => {
                self.data_descriptor(d, BindingKind::StorageBuffer, false)
            }
            I::ConstantDataUniform(d) => self.data_descriptor(d, BindingKind::UniformBuffer, false),
            I::ProgramScopeVariablesStorageBuffer(d) => {
                self.data_descriptor(d, BindingKind::StorageBuffer, true)
            }
            I::ConstantDataPointerPushConstant(d) => self.data_push(d, false),
            I::ProgramScopeVariablePointerPushConstant(d) => self.data_push(d, true),
            I::ProgramScopeVariablePointerRelocation(relocation) => {
                self.relocations.push(relocation.clone());
                Ok(())
            }
            I::PropertyRequiredWorkgroupSize(size) => {
                let draft = self.draft(size.kernel)?;
                let dimensions = [size.x, size.y, size.z];
                if dimensions.contains(&0) {
                    return Err(format!("kernel `{}` requires groups of size 0", draft.name));
                }
                set_once(
                    &mut draft.required,
                    dimensions,
                    "PropertyRequiredWorkgroupSize",
                )
            }
            I::PrintfInfo(info) => {
                if interface.formats.insert(info) {
                    Ok(())
                } else {
                    Err(format!("PrintfInfo {} is declared twice", info.id))
                }
            }
            I::PrintfBufferStorageBuffer(buffer) => {
                let place = ModulePlace::Descriptor;
                let size = buffer.size;
                set_once(
                    &mut interface.printf,
                    PrintfBuffer { place, size },
                    "a printf buffer",
                )?;
                let kind = BindingKind::StorageBuffer;
                self.share(buffer.set, buffer.binding, kind, BindingSource::Printf)
            }
            I::PrintfBufferPointerPushConstant(buffer) => {
                pointer_size(self.caps, buffer.size)?;
                let (offset, size) = (buffer.offset, buffer.size);
                let place = ModulePlace::Push { offset, size };
                let size = buffer.buffer_size;
                set_once(
                    &mut interface.printf,
                    PrintfBuffer { place, size },
                    "a printf buffer",
                )?;
                self.reserve(buffer.offset, buffer.size)
            }
            I::WorkgroupVariableSize(variable) => {
                interface
                    .variable_sizes
                    .insert(variable.variable.0, variable.size);
                Ok(())
            }
            I::ArgumentSampledImage(_)
            | I::ArgumentStorageImage(_)
            | I::ArgumentStorageTexelBuffer(_)
            | I::ArgumentUniformTexelBuffer(_)
            | I::ArgumentSampler(_)
            | I::LiteralSampler(_)
            | I::ImageArgumentInfoChannelOrderPushConstant(_)
            | I::ImageArgumentInfoChannelDataTypePushConstant(_)
            | I::ImageArgumentInfoChannelOrderUniform(_)
            | I::ImageArgumentInfoChannelDataTypeUniform(_)
            | I::NormalizedSamplerMaskPushConstant(_) => self.image_instruction(inst),
        }
    }

    pub(super) fn descriptor(
        &mut self,
        a: &DescriptorArgument,
        kind: BindingKind,
        arg: ArgKind,
    ) -> Result<()> {
        let place = ArgPlace::Descriptor {
            set: a.set,
            binding: a.binding,
            kind,
        };
        self.argument(a.kernel, a.ordinal, a.info, arg, place)
    }

    pub(super) fn draft(&mut self, kernel: KernelRef) -> Result<&mut KernelDraft> {
        // The reader gives references to earlier kernels only.
        let index = kernel.0 as usize;
        self.drafts
            .get_mut(index)
            .ok_or_else(|| format!("there is no kernel {index}"))
    }

    fn argument(
        &mut self,
        kernel: KernelRef,
        ordinal: u32,
        info: Option<pumice_reflection::InfoRef>,
        kind: ArgKind,
        place: ArgPlace,
    ) -> Result<()> {
        let info = info
            .and_then(|info| self.infos.get(info.0 as usize))
            .map(|info| (*info).clone());
        let draft = self.draft(kernel)?;
        let name = &draft.name;
        if ordinal >= draft.num_args.unwrap_or(MAX_ARGUMENTS) {
            return Err(format!("kernel `{name}` has no argument {ordinal}"));
        }
        if (draft.args.insert(ordinal, ArgMeta::new(kind, info))).is_some() {
            return Err(format!(
                "argument {ordinal} of kernel `{name}` is declared twice"
            ));
        }
        draft.places.push((ordinal as usize, place));
        Ok(())
    }

    fn block(
        &mut self,
        a: &pumice_reflection::BlockArgument,
        kind: BindingKind,
        pointer: bool,
    ) -> Result<()> {
        if pointer {
            pointer_size(self.caps, a.size)?;
        }
        let place = ArgPlace::Block {
            set: a.set,
            binding: a.binding,
            offset: a.offset,
            size: a.size,
            content: if pointer {
                Content::Pointer
            } else {
                Content::Bytes
            },
        };
        let arg = if pointer {
            ArgKind::Buffer
        } else {
            ArgKind::Pod { size: a.size }
        };
        self.argument(a.kernel, a.ordinal, a.info, arg, place)?;
        let draft = self.draft(a.kernel)?;
        draft.note_block(a.set, a.binding, kind)
    }

    fn range_push(&mut self, inst: &Instruction, range: &PushRange) -> Result<()> {
        let name = inst.row().name;
        let wide = match range.size {
            12 | 16 => false,
            24 | 32 => true,
            size => return Err(format!("{name} has {size} bytes, 12 or 24 are supported")),
        };
        let offset = range.offset;
        let value = RangePush { offset, wide };
        let interface = &mut self.interface;
        use Instruction as I;
        let slot = match inst {
            I::PushConstantGlobalOffset(_) => &mut interface.global_offset,
            I::PushConstantEnqueuedLocalSize(_) => &mut interface.enqueued_local_size,
            I::PushConstantGlobalSize(_) => &mut interface.global_size,
            I::PushConstantRegionOffset(_) => &mut interface.region_offset,
            I::PushConstantNumWorkgroups(_) => &mut interface.num_groups,
            _ => &mut interface.region_group_offset,
        };
        set_once(slot, value, name)?;
        self.reserve(offset, range.size)
    }

    /// Counts a range into the push constants of every kernel.
    pub(super) fn reserve(&mut self, offset: u32, size: u32) -> Result<()> {
        self.push_end = self.push_end.max(push_end(self.caps, offset, size)?);
        Ok(())
    }

    pub(super) fn share(
        &mut self,
        set: u32,
        binding: u32,
        kind: BindingKind,
        source: BindingSource,
    ) -> Result<()> {
        check_set(self.caps, set)?;
        match self.shared.insert((set, binding), (kind, source)) {
            None => Ok(()),
            Some(_) => Err(format!("set {set} binding {binding} is declared twice")),
        }
    }

    fn add_data(&mut self, data: ModuleData, variables: bool) -> Result<usize> {
        let index = self.interface.data.len();
        if variables {
            set_once(&mut self.variables, index, "program-scope variables")?;
            self.interface.program_scope_bytes = data.bytes.len();
        }
        self.interface.data.push(data);
        Ok(index)
    }

    fn data_descriptor(
        &mut self,
        d: &DataDescriptor,
        kind: BindingKind,
        variables: bool,
    ) -> Result<()> {
        let data = ModuleData {
            place: ModulePlace::Descriptor,
            bytes: d.data.0.clone(),
            relocations: Vec::new(),
            uniform: kind == BindingKind::UniformBuffer,
        };
        let index = self.add_data(data, variables)?;
        self.share(d.set, d.binding, kind, BindingSource::Data(index))
    }

    fn data_push(&mut self, d: &DataPush, variables: bool) -> Result<()> {
        let (offset, size) = (d.offset, d.size);
        pointer_size(self.caps, size)?;
        let data = ModuleData {
            place: ModulePlace::Push { offset, size },
            bytes: d.data.0.clone(),
            relocations: Vec::new(),
            uniform: false,
        };
        self.add_data(data, variables)?;
        self.reserve(offset, size)
    }

    fn finish(mut self, reflection: &Reflection) -> Result<Interface> {
        self.place_relocations()?;
        for data in &self.interface.data {
            check_data(self.caps, data)?;
        }
        self.interface.address_delta = reflection.address_delta.map(|delta| delta.offset);
        self.interface.termination_flag = reflection.termination_flag.map(|flag| flag.offset);
        let interface = &self.interface;
        let numbers = [interface.address_delta, interface.termination_flag];
        for offset in numbers.into_iter().flatten() {
            self.reserve(offset, 8)?;
        }
        self.interface.promises.clone_from(&reflection.promises);
        for (number, draft) in (0..).zip(std::mem::take(&mut self.drafts)) {
            let mut kernel = self.finish_kernel(draft)?;
            kernel.info.number = number;
            self.interface.kernels.push(kernel);
        }
        let kernels = &mut self.interface.kernels;
        for need in &reflection.needs {
            // The reader gives references to kernels that are there.
            if let Some(kernel) = kernels.get_mut(need.kernel().0 as usize) {
                kernel.add_need(*need)?;
            }
        }
        self.interface.checks.clone_from(&reflection.checks);
        self.interface.init_fini = InitFini::take(&reflection.roles, kernels)?;
        self.interface.enqueue = EnqueueKernels::find(kernels)?;
        self.interface.coarse = CoarseCopy::find(kernels, self.scan)?;
        Ok(self.interface)
    }

    fn place_relocations(&mut self) -> Result<()> {
        if self.relocations.is_empty() {
            return Ok(());
        }
        let Some(variables) = self.variables else {
            return Err("a pointer relocation without program-scope variables".into());
        };
        let data = &mut self.interface.data[variables];
        for relocation in &self.relocations {
            pointer_size(self.caps, relocation.pointer_size)?;
            let end = u64::from(relocation.pointer_offset) + u64::from(relocation.pointer_size);
            let size = data.bytes.len() as u64;
            if end > size || u64::from(relocation.object_offset) > size {
                return Err("a pointer relocation beyond the program-scope variables".into());
            }
        }
        data.relocations = std::mem::take(&mut self.relocations);
        Ok(())
    }
}
