//! Module-level emission: which functions, which variables, which entry points.

use super::abi::{ModuleConstant, ModuleConstants, constants_of, range_form};
use super::arguments::InfoPlace;
use super::builder::{Builder, Id};
use super::descriptors::{Descriptors, Slot};
use super::images::{self, LevelSlot};
use super::local_memory::{LocalBuffer, LocalStart};
use super::matrix;
use super::narrow::Parts;
use super::nodes::PayloadIds;
use super::promises::Near;
use super::rotations::Rotations;
use crate::{LowerOptions, Target};
use cranelift_entity::SecondaryMap;
use pumice_ir::ArgLayout;
use pumice_ir::LowerError;
use pumice_ir::analysis::bases::{Base, Bases};
use pumice_ir::analysis::partition::Partitions;
use pumice_ir::analysis::{FunctionSummary, reachable_functions, summarize_functions};
use pumice_ir::{
    AddressSpace, Block, BuiltIn, FuncId, GlobalId, HandleInfo, Module, PayloadId, Scalar,
    SourceLoc, Texel, Type, Value, ValueDef,
};
use pumice_reflection::PromiseKind;
use pumice_target::QuirkKind;
use pumice_target::abi::RangeForm;
use rspirv::spirv::{
    AddressingModel, BuiltIn as SpvBuiltIn, Capability, Decoration, MemoryModel, Op, StorageClass,
};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// A local or private array.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ArrayVar {
    /// The variable.
    pub var: Id,
    /// Its storage class.
    pub class: StorageClass,
}

/// The place of a kernel's argument block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ArgBlock {
    /// In push constants from this byte on.
    Push(u32),
    /// In a uniform buffer (the variable).
    Uniform(Id, Slot),
    /// In a storage buffer (the variable).
    Storage(Id, Slot),
}

/// Emission state.
pub(crate) struct Emitter<'m> {
    pub b: Builder,
    pub module: &'m Module,
    pub target: &'m Target,
    pub options: &'m LowerOptions,
    pub parts: Partitions,
    /// Functions that kernels reach, callees before callers.
    pub functions: Vec<FuncId>,
    /// Summaries of those functions.
    pub summaries: SecondaryMap<FuncId, FunctionSummary>,
    pub kernel_of: SecondaryMap<FuncId, Option<u32>>,
    pub constants: ModuleConstants,
    /// The descriptor form's sets and bindings.
    pub descriptors: Option<Descriptors>,
    /// Variables of descriptors, by element width and lanes (0 for rows of a uniform buffer), and whether they are for loads
    /// of what nothing in the launch writes.
    pub buffer_vars: FxHashMap<(Slot, u32, u32, bool), Id>,
    /// Their block types.
    pub buffer_blocks: FxHashMap<(u32, u32), Id>,
    /// The private array of constant data, if it has no buffer.
    pub private_constants: Option<Id>,
    /// Byte offset of each global or constant variable in its program-scope buffer.
    pub data_offsets: FxHashMap<GlobalId, u64>,
    /// Size of the program-scope buffer: of constants, of the others. Without descriptors both
    /// are in the second.
    pub data_sizes: [u64; 2],
    pub push_var: Option<Id>,
    pub push_words: u32,
    /// Of each kernel: the offsets in its layout at which blocks begin, ascending.
    pub arg_blocks: Vec<Vec<(u32, ArgBlock)>>,
    pub arg_layouts: Vec<ArgLayout>,
    /// Of each kernel: its images and samplers, by ordinal.
    pub handle_slots: Vec<Vec<(u32, Slot)>>,
    /// Of each kernel: the levels of images that it accesses as images of their own.
    pub level_slots: FxHashMap<u32, Vec<LevelSlot>>,
    /// The binding of the first of them, behind all others of any kernel's set.
    pub first_level_binding: u32,
    /// Variables of images and samplers, by type.
    pub handle_vars: FxHashMap<(Slot, Id), Id>,
    /// Those that are written as well as read.
    pub coherent: BTreeSet<Id>,
    /// Classes of numbers by kernel and ordinal of the image.
    pub image_classes: FxHashMap<(u32, u32), Texel>,
    /// Masks of the literal samplers, by binding.
    pub literal_samplers: Vec<u32>,
    /// True if a fence is for images too.
    pub storage_images: bool,
    /// Places of the facts that the driver tells of images and samplers, by kernel and ordinal.
    pub info_places: FxHashMap<(u32, u32, HandleInfo), InfoPlace>,
    /// Module-scope arrays by partition number.
    pub arrays: FxHashMap<u32, ArrayVar>,
    /// In robust mode the numbers of the last elements of arrays, by variable.
    pub last_elements: FxHashMap<Id, Id>,
    /// Pointer value of each local argument.
    pub local_args: FxHashMap<(u32, u32), Id>,
    /// Local memory that is in a buffer, by the kernel's function.
    pub local_buffers: FxHashMap<FuncId, LocalBuffer>,
    /// The variable that called functions find the start of such memory in.
    pub local_start: Option<LocalStart>,
    /// SpecId of each local argument, by kernel and ordinal.
    pub local_specs: FxHashMap<(u32, u32), u32>,
    pub next_spec: u32,
    /// The three spec constants of the work-group size, or constants.
    pub group_size: [Id; 3],
    /// The fixed work-group size of each kernel, if all have one.
    pub fixed_group_sizes: Option<Vec<[u32; 3]>>,
    /// True if Vulkan's work-groups are a single row of OpenCL's size.
    pub single_row: bool,
    /// The module has matrices of the device's own.
    pub has_matrices: bool,
    pub matrices: matrix::Matrices,
    /// True if what is written now may be skipped by a branch.
    pub behind_branch: bool,
    pub work_dim: Option<(Id, u32)>,
    pub global_offset: Option<[(Id, u32); 3]>,
    pub subgroup_max_size: Option<(Id, u32)>,
    /// The constants for images whose channels may be of sRGB, by kernel and ordinal.
    pub srgb_specs: BTreeMap<(u32, u32), (Id, u32)>,
    /// Conditions of what launches promise, with their SpecIds.
    pub promises: FxHashMap<PromiseKind, (Id, u32)>,
    /// Blocks of one member that nothing writes, by its type.
    pub read_only_blocks: FxHashMap<Id, Id>,
    pub inputs: FxHashMap<u32, Id>,
    pub func_ids: SecondaryMap<FuncId, Id>,
    /// Types of payload arrays, and the variables of the kernels that receive payloads.
    pub payload_ids: FxHashMap<PayloadId, PayloadIds>,
    pub payload_inputs: FxHashMap<FuncId, Id>,
    /// Module-scope variables that each function uses itself.
    pub uses: FxHashMap<FuncId, BTreeSet<Id>>,
    pub float_widths: BTreeSet<u32>,

    // Per function.
    pub cur: FuncId,
    /// The address that local pointers count from, if they lead to a buffer.
    pub local_base: Option<Id>,
    /// The buffers that its pointers point into, in the descriptor form.
    pub bases: Option<Bases>,
    /// The source position of the instruction that is being written.
    pub loc: SourceLoc,
    pub vals: SecondaryMap<Value, Id>,
    pub labels: SecondaryMap<Block, Id>,
    pub cur_uses: BTreeSet<Id>,
    pub frame: FxHashMap<u32, Id>,
    /// Vector built-ins of which only single lanes are used: written lane by lane.
    pub lane_builtins: FxHashMap<Value, BuiltIn>,
    pub rotations: Rotations,
    /// The parts of the offsets of local and private memory.
    pub parts_of: FxHashMap<Id, Parts>,
    /// Low words of distances that the current block has computed.
    pub low_words: FxHashMap<Value, Id>,
    /// Pointers at a distance from arguments.
    pub near_of: FxHashMap<Value, Near>,
    /// The words of numbers of 64 bits, on devices without such integers.
    pub words_of: FxHashMap<Id, [Id; 2]>,
}

impl<'m> Emitter<'m> {
    /// Prepares the emission of a module.
    pub fn new(
        module: &'m Module,
        target: &'m Target,
        options: &'m LowerOptions,
    ) -> Result<Self, LowerError> {
        let functions = reachable_functions(module)?;
        let parts = Partitions::compute(module, &functions)?;
        let summaries = summarize_functions(module, &functions);
        let kernel_of = module.kernel_of_each();
        let mut used = ModuleConstant::always(target);
        for &func in &functions {
            let f = &module.functions[func];
            for &block in &f.layout.blocks {
                for &inst in &f.layout.insts[block] {
                    for &constant in constants_of(&f.insts[inst].kind, module, &target.abi) {
                        used.insert(constant as u32);
                    }
                }
            }
        }
        let wide = range_form(&target.abi) == RangeForm::WideRegions;
        let constants = ModuleConstants::new(wide, |c| used.contains(&(c as u32)));
        let layouts: Vec<ArgLayout> = (module.kernels.iter())
            .map(|kernel| ArgLayout::of(kernel, &target.abi))
            .collect();
        let literal_samplers = images::literal_samplers(module);
        let descriptors = (target.abi.descriptors())
            .map(|options| Descriptors::of(module, &layouts, options, !literal_samplers.is_empty()))
            .transpose()?;
        let handle_slots = match &descriptors {
            Some(descriptors) => (descriptors.kernels.iter())
                .map(|kernel| kernel.handles.clone())
                .collect(),
            None => (module.kernels.iter())
                .map(images::slots_behind_block)
                .collect(),
        };
        let mut emitter = Self {
            b: Builder::new(target.spirv_version),
            module,
            target,
            options,
            parts,
            functions,
            summaries,
            kernel_of,
            behind_branch: false,
            constants,
            descriptors,
            buffer_vars: FxHashMap::default(),
            buffer_blocks: FxHashMap::default(),
            private_constants: None,
            data_offsets: FxHashMap::default(),
            data_sizes: [0; 2],
            push_var: None,
            push_words: 0,
            arg_blocks: Vec::new(),
            arg_layouts: layouts,
            level_slots: FxHashMap::default(),
            first_level_binding: images::first_level_binding(module),
            handle_slots,
            handle_vars: FxHashMap::default(),
            coherent: BTreeSet::new(),
            image_classes: images::classes(module),
            literal_samplers,
            storage_images: images::has_storage_images(module),
            info_places: FxHashMap::default(),
            arrays: FxHashMap::default(),
            last_elements: FxHashMap::default(),
            local_args: FxHashMap::default(),
            local_buffers: FxHashMap::default(),
            local_start: None,
            local_specs: FxHashMap::default(),
            next_spec: 3,
            group_size: [0; 3],
            fixed_group_sizes: None,
            single_row: false,
            has_matrices: false,
            matrices: matrix::Matrices::default(),
            work_dim: None,
            global_offset: None,
            subgroup_max_size: None,
            srgb_specs: BTreeMap::new(),
            promises: FxHashMap::default(),
            read_only_blocks: FxHashMap::default(),
            inputs: FxHashMap::default(),
            func_ids: SecondaryMap::new(),
            payload_ids: FxHashMap::default(),
            payload_inputs: FxHashMap::default(),
            uses: FxHashMap::default(),
            float_widths: BTreeSet::new(),
            cur: FuncId::from_u32(0),
            local_base: None,
            bases: None,
            loc: SourceLoc::default(),
            vals: SecondaryMap::new(),
            labels: SecondaryMap::new(),
            cur_uses: BTreeSet::new(),
            frame: FxHashMap::default(),
            lane_builtins: FxHashMap::default(),
            rotations: Rotations::default(),
            parts_of: FxHashMap::default(),
            low_words: FxHashMap::default(),
            near_of: FxHashMap::default(),
            words_of: FxHashMap::default(),
        };
        emitter.declare_model();
        emitter.declare_nodes()?;
        emitter.declare_data()?;
        emitter.has_matrices = emitter.uses_matrices();
        let in_rows = target.quirks.has(QuirkKind::SubGroupsInRows) && emitter.uses_sub_groups();
        emitter.single_row = in_rows || emitter.has_matrices || emitter.has_blocks();
        emitter.declare_group_size();
        emitter.declare_arguments()?;
        emitter.declare_local_memory()?;
        Ok(emitter)
    }

    fn declare_model(&mut self) {
        self.b.capability(Capability::Shader);
        let addressing = if self.has_buffers() {
            AddressingModel::Logical
        } else {
            self.b
                .capability(Capability::PhysicalStorageBufferAddresses);
            AddressingModel::PhysicalStorageBuffer64
        };
        let model = if self.target.vulkan_memory_model {
            self.b.capability(Capability::VulkanMemoryModel);
            MemoryModel::Vulkan
        } else {
            MemoryModel::GLSL450
        };
        self.b.memory_model(addressing, model);
    }

    fn declare_data(&mut self) -> Result<(), LowerError> {
        let in_buffers = self.has_buffers();
        if !in_buffers
            && self
                .constants
                .offset(ModuleConstant::ProgramScope)
                .is_none()
        {
            return Ok(());
        }
        for (id, global) in &self.module.globals {
            if global.space == AddressSpace::Local {
                continue;
            }
            let constant = in_buffers && Base::of_global(self.module, id) == Base::Constants;
            let end = &mut self.data_sizes[usize::from(!constant)];
            let align = u64::from(global.align.max(1));
            let offset = end.checked_next_multiple_of(align).unwrap_or(u64::MAX);
            self.data_offsets.insert(id, offset);
            *end = offset.saturating_add(global.size);
        }
        self.declare_private_constants()
    }

    fn declare_group_size(&mut self) {
        let sizes: Option<Vec<[u32; 3]>> = (self.module.kernels.iter())
            .map(|k| k.required_work_group_size)
            .collect();
        // A range that the required size does not divide still needs smaller groups at its end.
        let uniform = self.options.math.uniform_work_group_size
            || !range_form(&self.target.abi).has_regions();
        // What kernels share knows one size only.
        let alone = self.functions.len() == self.module.kernels.len();
        let fixed = sizes.filter(|sizes| {
            let same = sizes.iter().all(|size| *size == sizes[0]);
            // Whoever dispatches reads OpenCL's size from the modules that fix it.
            !self.single_row && uniform && !sizes.is_empty() && (same || alone)
        });
        let u32_ty = self.b.ty_int(32);
        if let Some(sizes) = fixed {
            self.group_size = sizes[0].map(|n| self.b.const_u32(n));
            self.fixed_group_sizes = Some(sizes);
            return;
        }
        for i in 0..3 {
            let id = self.b.global(Op::SpecConstant, Some(u32_ty), &[1]);
            self.b.decorate(id, Decoration::SpecId, &[i as u32]);
            self.group_size[i] = id;
        }
        let v3 = self.b.ty_vector(u32_ty, 3);
        let [x, y, z] = self.group_size;
        let size = if self.single_row {
            let area = self.b.spec_op(Op::IMul, u32_ty, &[x, y]);
            let items = self.b.spec_op(Op::IMul, u32_ty, &[area, z]);
            [items, self.b.const_u32(1), self.b.const_u32(1)]
        } else {
            [x, y, z]
        };
        let id = self.b.global(Op::SpecConstantComposite, Some(v3), &size);
        self.b
            .decorate(id, Decoration::BuiltIn, &[SpvBuiltIn::WorkgroupSize as u32]);
    }

    /// The array of a partition, made on first use for private ones.
    pub fn array(&mut self, partition: u32) -> ArrayVar {
        if let Some(&array) = self.arrays.get(&partition) {
            self.cur_uses.insert(array.var);
            return array;
        }
        let class = StorageClass::Function;
        if let Some(&var) = self.frame.get(&partition) {
            return ArrayVar { var, class };
        }
        let part = &self.parts.list[partition as usize];
        let (unit, bytes) = (part.unit, part.fixed_bytes);
        let element = self.b.ty_int(unit * 8);
        let length = self.b.const_u32(bytes.div_ceil(unit).max(1));
        let array = self.b.unique(Op::TypeArray, None, &[element, length]);
        let ptr = self.b.ty_pointer(class, array);
        let var = self.b.local(ptr);
        self.confine_array(var, length);
        self.frame.insert(partition, var);
        ArrayVar { var, class }
    }

    /// The type of one lane in registers.
    pub fn scalar_ty(&mut self, scalar: Scalar) -> Id {
        match scalar {
            Scalar::Bool => self.b.ty_bool(),
            Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 => self.b.ty_int(scalar.bits()),
            Scalar::F16 | Scalar::F32 | Scalar::F64 => {
                self.float_widths.insert(scalar.bits());
                self.b.ty_float(scalar.bits())
            }
            Scalar::Ptr(_) if self.is_offset_pointer(Type::scalar(scalar)) => self.b.ty_int(32),
            Scalar::Ptr(_) => self.wide_ty(),
            Scalar::Matrix(matrix) => self.matrix_ty(matrix),
        }
    }

    /// The type of a value in registers.
    pub fn ty(&mut self, ty: Type) -> Id {
        let scalar = self.scalar_ty(ty.scalar);
        self.b.ty_vector(scalar, u32::from(ty.lanes))
    }

    /// The IR type of a value of the current function.
    pub fn value_ty(&self, value: Value) -> Type {
        self.module.functions[self.cur].ty(value)
    }

    /// A constant of any type.
    pub fn constant(&mut self, ty: Type, lanes: &[u64]) -> Id {
        let mut ids = Vec::with_capacity(lanes.len());
        for &bits in lanes {
            let scalar = self.scalar_ty(ty.scalar);
            let id = match ty.scalar {
                Scalar::Bool if bits & 1 == 1 => self.b.unique(Op::ConstantTrue, Some(scalar), &[]),
                Scalar::Bool => self.b.unique(Op::ConstantFalse, Some(scalar), &[]),
                Scalar::F64 => self.b.unique(
                    Op::Constant,
                    Some(scalar),
                    &[bits as u32, (bits >> 32) as u32],
                ),
                Scalar::F16 | Scalar::F32 => {
                    self.b.unique(Op::Constant, Some(scalar), &[bits as u32])
                }
                Scalar::Ptr(_) if self.is_offset_pointer(ty.lane()) => {
                    self.b.const_u32(bits as u32)
                }
                Scalar::Ptr(_) => self.wide_constant(bits),
                other => self.b.const_int(other.bits(), bits),
            };
            ids.push(id);
        }
        if let [one] = ids[..] {
            return one;
        }
        let vector = self.ty(ty);
        self.b.unique(Op::ConstantComposite, Some(vector), &ids)
    }

    /// The id of a value of the current function.
    pub fn value(&mut self, value: Value) -> Id {
        let id = self.vals[value];
        if id != 0 {
            return id;
        }
        let f = &self.module.functions[self.cur];
        let ty = f.ty(value);
        let id = match f.def(value) {
            ValueDef::Const(lanes) => {
                let lanes = lanes.clone();
                self.constant(ty, &lanes)
            }
            ValueDef::Undef => {
                // Any value will do, and zero is the same at each use.
                if let Some(matrix) = ty.scalar.matrix() {
                    return self.zero_matrix(matrix);
                }
                let ty = self.ty(ty);
                self.b.unique(Op::ConstantNull, Some(ty), &[])
            }
            // Forward reference through a loop: the definition takes this id.
            ValueDef::Result(..) | ValueDef::Param(..) => self.b.id(),
        };
        self.vals[value] = id;
        id
    }

    /// An Input variable of the given built-in.
    pub fn input(&mut self, builtin: SpvBuiltIn, ty: Id) -> Id {
        let var = match self.inputs.get(&(builtin as u32)) {
            Some(&var) => var,
            None => {
                let ptr = self.b.ty_pointer(StorageClass::Input, ty);
                let var = self.b.variable(ptr, StorageClass::Input);
                self.b.decorate(var, Decoration::BuiltIn, &[builtin as u32]);
                self.inputs.insert(builtin as u32, var);
                var
            }
        };
        self.cur_uses.insert(var);
        self.b.op(Op::Load, ty, &[var])
    }

    /// A specialization constant with the next free SpecId.
    pub fn spec_constant(&mut self, default: u32) -> (Id, u32) {
        let ty = self.b.ty_int(32);
        let id = self.b.global(Op::SpecConstant, Some(ty), &[default]);
        let spec = self.next_spec;
        self.b.decorate(id, Decoration::SpecId, &[spec]);
        self.next_spec += 1;
        (id, spec)
    }

    /// The block of push constants.
    pub fn push_variable(&self) -> Result<Id, LowerError> {
        self.push_var
            .ok_or_else(|| LowerError::new("internal: push constant read without a block"))
    }

    /// One word of the push constants.
    pub fn push_word(&mut self, word: u32) -> Result<Id, LowerError> {
        let var = self.push_variable()?;
        self.cur_uses.insert(var);
        let u32_ty = self.b.ty_int(32);
        let ptr = self.b.ty_pointer(StorageClass::PushConstant, u32_ty);
        let (zero, index) = (self.b.const_u32(0), self.b.const_u32(word));
        let chain = self.b.op(Op::AccessChain, ptr, &[var, zero, index]);
        Ok(self.b.op(Op::Load, u32_ty, &[chain]))
    }
}
