//! Facts about a Vulkan module that its reflection lacks: capabilities, work-group sizes
//! fixed in the module, built-ins in use, and how much work-group memory a kernel takes.
//!
//! Reads instruction words only as far as it needs them; operands out of place make a fact
//! unknown or the module refused, never a panic.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use pumice_spirv::{self as spirv, Inst, op};
use pumice_vulkan_layer::ImageKind;
use rustc_hash::{FxHashMap, FxHashSet};

use super::image_reads::ImageReads;

const UNIFORM_CONSTANT: u32 = 0;
const WORKGROUP: u32 = 4;
const PUSH_CONSTANT: u32 = 9;
const GL_COMPUTE: u32 = 5;
/// A bit of memory operands.
const VOLATILE: u32 = 1;
/// OpAtomicLoad to OpAtomicXor.
const ATOMICS: std::ops::RangeInclusive<u16> = 227..=242;
/// Those of flags and of floats.
const MORE_ATOMICS: [u16; 5] = [318, 319, 5614, 5615, 6035];

/// The parts of a module that launches depend on.
#[derive(Debug, Default)]
pub(in crate::executable) struct ModuleScan {
    pub version: (u8, u8),
    pub capabilities: Vec<u32>,
    /// Interface variables of each GLCompute entry point's function.
    interfaces: FxHashMap<u32, Vec<u32>>,
    local_sizes: FxHashMap<u32, LocalSize>,
    /// BuiltIn decorations on variables.
    pub built_ins: FxHashSet<u32>,
    /// Some function has an atomic operation or a volatile read, by which work-groups could wait for each other.
    pub atomics: bool,
    /// The module has a WorkgroupSize constant, which overrides execution modes.
    workgroup_size: Option<u32>,
    types: FxHashMap<u32, Type>,
    constants: FxHashMap<u32, Constant>,
    spec_ids: FxHashMap<u32, u32>,
    /// Descriptor sets and bindings of variables.
    sets: FxHashMap<u32, u32>,
    bindings: FxHashMap<u32, u32>,
    /// The types that UniformConstant variables hold.
    resources: FxHashMap<u32, u32>,
    pub image_reads: ImageReads,
    /// Workgroup variables and the types that they hold.
    workgroup: FxHashMap<u32, u32>,
    /// PushConstant variables and the types of their blocks.
    push_blocks: FxHashMap<u32, u32>,
    /// Offset decorations: of a struct's members, by their number.
    offsets: FxHashMap<u32, FxHashMap<u32, u32>>,
    /// ArrayStride decorations.
    strides: FxHashMap<u32, u32>,
    /// Variables that each function's instructions have as operands, and the functions it calls;
    /// empty where interfaces are complete.
    functions: FxHashMap<u32, Function>,
}

#[derive(Debug, Default)]
struct Function {
    /// Variables of the Workgroup, UniformConstant and PushConstant classes.
    globals: FxHashSet<u32>,
    calls: FxHashSet<u32>,
}

#[derive(Clone, Copy, Debug)]
enum LocalSize {
    Literal([u32; 3]),
    Ids([u32; 3]),
}

#[derive(Clone, Debug)]
enum Type {
    Bytes(u64),
    Array { element: u32, length: u32 },
    Repeat { element: u32, count: u32 },
    Struct(Vec<u32>),
    Pointer { class: u32, to: u32 },
    Image { dim: u32, arrayed: bool },
}

#[derive(Clone, Debug)]
enum Constant {
    Value(u64),
    Composite(Vec<u32>),
    Op {
        ty: u32,
        opcode: u32,
        operands: Vec<u32>,
    },
}

/// Returns whether an instruction is an atomic operation, or a read that is not left out of loops.
fn is_shared_access(inst: &Inst<'_>) -> bool {
    match (inst.opcode, inst.operands) {
        (op::LOAD, &[_, _, _, access, ..]) => access & VOLATILE != 0,
        (opcode, _) => ATOMICS.contains(&opcode) || MORE_ATOMICS.contains(&opcode),
    }
}

/// Values of specialization ids; others keep their defaults.
pub(in crate::executable) type SpecValues = HashMap<u32, u32>;

impl ModuleScan {
    /// Reads a module whose instruction words are sound (the reflection reader has checked that).
    pub fn read(words: &[u32]) -> Result<Self, String> {
        let header = spirv::header(words).map_err(|error| error.to_string())?;
        let mut scan = Self {
            version: header.version,
            ..Self::default()
        };
        let mut function = None;
        for inst in spirv::instructions(words) {
            let inst = inst.map_err(|error| error.to_string())?;
            match inst.opcode {
                op::FUNCTION => function = inst.operands.get(1).copied(),
                op::FUNCTION_END => function = None,
                _ => {}
            }
            match function {
                Some(id) => scan.in_function(id, &inst),
                None => scan.at_module_level(&inst),
            }
        }
        if scan.capabilities.contains(&6) {
            return Err("the module has capability Kernel: it is not Vulkan SPIR-V".into());
        }
        Ok(scan)
    }

    fn in_function(&mut self, function: u32, inst: &Inst<'_>) {
        self.atomics |= is_shared_access(inst);
        self.image_reads.instruction(inst);
        if self.interfaces_are_complete() {
            return;
        }
        let entry = self.functions.entry(function).or_default();
        if inst.opcode == op::FUNCTION_CALL {
            entry.calls.extend(inst.operands.get(2));
        }
        // A literal operand may equal a variable's id; that counts a variable too much, never
        // one too little.
        let known = [&self.workgroup, &self.resources, &self.push_blocks];
        let variables = (inst.operands.iter())
            .filter(|id| known.iter().any(|variables| variables.contains_key(id)));
        entry.globals.extend(variables);
    }

    fn at_module_level(&mut self, inst: &Inst<'_>) {
        match (inst.opcode, inst.operands) {
            (op::CAPABILITY, &[capability]) => self.capabilities.push(capability),
            (op::ENTRY_POINT, &[GL_COMPUTE, function, ref rest @ ..]) => {
                let words = spirv::string(rest).map_or(rest.len(), |(_, words)| words);
                self.interfaces.insert(function, rest[words..].to_vec());
            }
            (op::EXECUTION_MODE, &[function, 17, x, y, z]) => {
                self.local_sizes
                    .insert(function, LocalSize::Literal([x, y, z]));
            }
            (op::EXECUTION_MODE_ID, &[function, 38, x, y, z]) => {
                self.local_sizes.insert(function, LocalSize::Ids([x, y, z]));
            }
            (op::DECORATE, &[target, 11, built_in]) => {
                if built_in == 25 {
                    self.workgroup_size = Some(target);
                }
                self.built_ins.insert(built_in);
            }
            (op::DECORATE, &[target, 1, spec_id]) => {
                self.spec_ids.insert(target, spec_id);
            }
            (op::DECORATE, &[target, 34, set]) => {
                self.sets.insert(target, set);
            }
            (op::DECORATE, &[target, 33, binding]) => {
                self.bindings.insert(target, binding);
            }
            (op::DECORATE, &[target, 6, stride]) => {
                self.strides.insert(target, stride);
            }
            (op::MEMBER_DECORATE, &[target, member, 35, offset]) => {
                (self.offsets.entry(target).or_default()).insert(member, offset);
            }
            (op::TYPE_IMAGE, &[id, _, dim, _, arrayed, ..]) => {
                self.image_reads.image_type(inst.operands);
                let arrayed = arrayed != 0;
                self.define_type(id, Type::Image { dim, arrayed });
            }
            (op::TYPE_BOOL, &[id]) => self.define_type(id, Type::Bytes(1)),
            (op::TYPE_INT | op::TYPE_FLOAT, &[id, width, ..]) => {
                self.define_type(id, Type::Bytes(u64::from(width / 8)));
            }
            (op::TYPE_VECTOR | op::TYPE_MATRIX, &[id, element, count]) => {
                self.define_type(id, Type::Repeat { element, count });
            }
            (op::TYPE_ARRAY, &[id, element, length]) => {
                self.define_type(id, Type::Array { element, length });
            }
            (op::TYPE_STRUCT, &[id, ref members @ ..]) => {
                self.define_type(id, Type::Struct(members.to_vec()));
            }
            (op::TYPE_POINTER, &[id, class, to]) => {
                self.define_type(id, Type::Pointer { class, to });
            }
            (op::CONSTANT | op::SPEC_CONSTANT, &[_, id, low, ref high @ ..]) => {
                let high = u64::from(high.first().copied().unwrap_or(0));
                self.constants
                    .insert(id, Constant::Value(high << 32 | u64::from(low)));
            }
            (op::SPEC_CONSTANT_COMPOSITE | 44, &[_, id, ref parts @ ..]) => {
                self.constants
                    .insert(id, Constant::Composite(parts.to_vec()));
            }
            (op::SPEC_CONSTANT_OP, &[ty, id, opcode, ref operands @ ..]) => {
                let operands = operands.to_vec();
                self.constants.insert(
                    id,
                    Constant::Op {
                        ty,
                        opcode,
                        operands,
                    },
                );
            }
            (op::VARIABLE, &[pointer, id, class, ..]) if class == WORKGROUP => {
                if let Some(&Type::Pointer {
                    class: WORKGROUP,
                    to,
                }) = self.types.get(&pointer)
                {
                    self.workgroup.insert(id, to);
                }
            }
            (op::VARIABLE, &[pointer, id, UNIFORM_CONSTANT, ..]) => {
                if let Some(&Type::Pointer { to, .. }) = self.types.get(&pointer) {
                    self.image_reads.variable(id, to);
                    self.resources.insert(id, to);
                }
            }
            (op::VARIABLE, &[pointer, id, PUSH_CONSTANT, ..]) => {
                if let Some(&Type::Pointer { to, .. }) = self.types.get(&pointer) {
                    self.push_blocks.insert(id, to);
                }
            }
            _ => {}
        }
    }

    /// The shape of a kernel's images at a binding; `None` where there is none or the module does
    /// not tell, and for buffers.
    pub fn image_kind(&self, function: u32, set: u32, binding: u32) -> Option<ImageKind> {
        let here = |variable: &u32| {
            self.sets.get(variable) == Some(&set) && self.bindings.get(variable) == Some(&binding)
        };
        let used = self.variables_of(function);
        let mut kinds = (used.iter().filter(|variable| here(variable)))
            .map(|variable| self.kind_of_image(*self.resources.get(variable)?));
        let first = kinds.next()?;
        first.filter(|_| kinds.all(|kind| kind == first))
    }

    /// The set and binding of a variable.
    pub fn place_of(&self, variable: u32) -> Option<(u32, u32)> {
        Some((*self.sets.get(&variable)?, *self.bindings.get(&variable)?))
    }

    fn kind_of_image(&self, ty: u32) -> Option<ImageKind> {
        let &Type::Image { dim, arrayed } = self.types.get(&ty)? else {
            return None;
        };
        Some(match (dim, arrayed) {
            (0, false) => ImageKind::D1,
            (0, true) => ImageKind::D1Array,
            (1, false) => ImageKind::D2,
            (1, true) => ImageKind::D2Array,
            (2, _) => ImageKind::D3,
            _ => return None,
        })
    }

    fn define_type(&mut self, id: u32, ty: Type) {
        self.types.insert(id, ty);
    }

    /// A run over types and constants with these specialization values.
    fn evaluation<'a>(&'a self, spec: &'a SpecValues) -> Evaluation<'a> {
        Evaluation {
            scan: self,
            spec,
            values: RefCell::default(),
            sizes: RefCell::default(),
            depth: Cell::new(0),
        }
    }

    /// Returns whether kernels have work-group memory.
    pub fn has_local_memory(&self) -> bool {
        !self.workgroup.is_empty()
    }

    /// Returns whether a kernel has work-group memory, of whatever size.
    pub fn uses_local_memory(&self, function: u32) -> bool {
        let variables = self.variables_of(function);
        variables
            .iter()
            .any(|variable| self.workgroup.contains_key(variable))
    }

    /// Work-group memory of a kernel in bytes, for these specialization values. `known` are
    /// sizes that the reflection gives.
    pub fn local_memory(&self, function: u32, spec: &SpecValues, known: &HashMap<u32, u32>) -> u64 {
        let sizes = self.local_sizes(function, spec, known).into_values();
        sizes.fold(0, u64::saturating_add)
    }

    /// The same without the variables whose sizes change from the first specialization values to the others.
    pub fn constant_local_memory(
        &self,
        function: u32,
        [spec, others]: [&SpecValues; 2],
        known: &HashMap<u32, u32>,
    ) -> u64 {
        let other_sizes = self.local_sizes(function, others, known);
        let sizes = self.local_sizes(function, spec, known).into_iter();
        sizes
            .filter(|(variable, size)| other_sizes.get(variable) == Some(size))
            .fold(0, |sum, (_, size)| sum.saturating_add(size))
    }

    /// The bytes of each Workgroup variable that a kernel uses.
    fn local_sizes(
        &self,
        function: u32,
        spec: &SpecValues,
        known: &HashMap<u32, u32>,
    ) -> FxHashMap<u32, u64> {
        let evaluation = self.evaluation(spec);
        let bytes = |variable| {
            let ty = *self.workgroup.get(&variable)?;
            let size = match known.get(&variable) {
                Some(&size) => u64::from(size),
                None => evaluation.size(ty),
            };
            Some((variable, size))
        };
        let variables = self.variables_of(function).into_iter();
        variables.filter_map(bytes).collect()
    }

    /// Bytes up to the end of the push-constant blocks that a kernel declares: its layout must hold
    /// all of a block, whatever the kernel reads of it.
    pub fn push_block_end(&self, function: u32) -> u64 {
        let spec = SpecValues::new();
        let evaluation = self.evaluation(&spec);
        let blocks = self.variables_of(function).into_iter();
        let blocks = blocks.filter_map(|variable| self.push_blocks.get(&variable));
        blocks.map(|&ty| evaluation.size(ty)).max().unwrap_or(0)
    }

    /// Returns whether an entry point's interface lists every global variable that it uses, as it
    /// does since SPIR-V 1.4.
    fn interfaces_are_complete(&self) -> bool {
        self.version >= (1, 4)
    }

    /// The variables that a kernel uses: of the Workgroup, UniformConstant and PushConstant classes
    /// at least.
    pub fn variables_of(&self, function: u32) -> FxHashSet<u32> {
        let mut variables = FxHashSet::default();
        if self.interfaces_are_complete() {
            variables.extend(
                self.interfaces
                    .get(&function)
                    .into_iter()
                    .flatten()
                    .copied(),
            );
        } else {
            let mut seen = FxHashSet::default();
            let mut left = vec![function];
            while let Some(id) = left.pop() {
                let Some(function) = self.functions.get(&id).filter(|_| seen.insert(id)) else {
                    continue;
                };
                variables.extend(&function.globals);
                left.extend(&function.calls);
            }
        }
        variables
    }

    /// The work-group size that the module fixes for an entry point, if it does.
    pub fn local_size(&self, function: u32) -> Option<[u32; 3]> {
        let ids = match (self.workgroup_size, self.local_sizes.get(&function)) {
            (Some(id), _) => match self.constants.get(&id)? {
                Constant::Composite(parts) => <[u32; 3]>::try_from(parts.as_slice()).ok()?,
                _ => return None,
            },
            (None, Some(LocalSize::Ids(ids))) => *ids,
            (None, Some(LocalSize::Literal(size))) => return Some(*size),
            (None, None) => return None,
        };
        let spec = SpecValues::new();
        let evaluation = self.evaluation(&spec);
        let value = |id: u32| u32::try_from(evaluation.value(id)?).ok();
        Some([value(ids[0])?, value(ids[1])?, value(ids[2])?])
    }
}

/// Values and sizes worked out so far: each once, since constants and types form a graph in
/// which one may be reached over very many paths.
struct Evaluation<'a> {
    scan: &'a ModuleScan,
    spec: &'a SpecValues,
    values: RefCell<FxHashMap<u32, Option<u64>>>,
    sizes: RefCell<FxHashMap<u32, u64>>,
    /// The depth to which constants and types are nested at the moment.
    depth: Cell<u32>,
}

/// Deeper nesting is not followed: the stack is finite, and the universal limits are lower.
const MAX_DEPTH: u32 = 512;

impl Evaluation<'_> {
    /// The value of a scalar constant; `None` where it cannot be worked out.
    fn value(&self, id: u32) -> Option<u64> {
        if let Some(&value) = self.values.borrow().get(&id) {
            return value;
        }
        // Entered first, so that a constant made of itself has no value instead of no end.
        self.values.borrow_mut().insert(id, None);
        let value = self.nested(|| self.compute(id)).flatten();
        self.values.borrow_mut().insert(id, value);
        value
    }

    fn nested<T>(&self, work: impl FnOnce() -> T) -> Option<T> {
        let depth = self.depth.get();
        if depth == MAX_DEPTH {
            return None;
        }
        self.depth.set(depth + 1);
        let result = work();
        self.depth.set(depth);
        Some(result)
    }

    fn compute(&self, id: u32) -> Option<u64> {
        let scan = self.scan;
        if let Some(value) = scan.spec_ids.get(&id).and_then(|id| self.spec.get(id)) {
            return Some(u64::from(*value));
        }
        match scan.constants.get(&id)? {
            Constant::Value(value) => Some(*value),
            Constant::Composite(_) => None,
            Constant::Op {
                ty,
                opcode,
                operands,
            } => {
                let mask = match scan.types.get(ty) {
                    Some(Type::Bytes(4)) => u64::from(u32::MAX),
                    Some(Type::Bytes(8)) => u64::MAX,
                    _ => 1,
                };
                Some(self.operation(*opcode, operands)? & mask)
            }
        }
    }

    /// An operation of OpSpecConstantOp on unsigned values.
    fn operation(&self, opcode: u32, operands: &[u32]) -> Option<u64> {
        let value = |index: usize| self.value(*operands.get(index)?);
        let shift = || u32::try_from(value(1)?).ok();
        Some(match opcode {
            // UConvert, SConvert and Bitcast of values without a sign
            113 | 114 | 124 => value(0)?,
            128 => value(0)?.wrapping_add(value(1)?),
            130 => value(0)?.wrapping_sub(value(1)?),
            132 => value(0)?.wrapping_mul(value(1)?),
            134 | 135 => value(0)?.checked_div(value(1)?)?,
            137 => value(0)?.checked_rem(value(1)?)?,
            194 => value(0)?.checked_shr(shift()?)?,
            196 => value(0)?.checked_shl(shift()?)?,
            197 => value(0)? | value(1)?,
            199 => value(0)? & value(1)?,
            200 => !value(0)?,
            169 => value(if value(0)? != 0 { 1 } else { 2 })?,
            170 => u64::from(value(0)? == value(1)?),
            171 => u64::from(value(0)? != value(1)?),
            172 => u64::from(value(0)? > value(1)?),
            174 => u64::from(value(0)? >= value(1)?),
            176 => u64::from(value(0)? < value(1)?),
            178 => u64::from(value(0)? <= value(1)?),
            _ => return None,
        })
    }

    /// The size of a type's value in bytes, unpadded unless the module lays it out; 0 where it cannot be worked out.
    fn size(&self, ty: u32) -> u64 {
        if let Some(&size) = self.sizes.borrow().get(&ty) {
            return size;
        }
        // Entered first, so that a type that holds itself counts as 0 instead of for ever.
        self.sizes.borrow_mut().insert(ty, 0);
        let size = self.nested(|| self.measure(ty)).unwrap_or(0);
        self.sizes.borrow_mut().insert(ty, size);
        size
    }

    fn measure(&self, ty: u32) -> u64 {
        match self.scan.types.get(&ty) {
            None => 0,
            Some(Type::Bytes(bytes)) => *bytes,
            Some(Type::Pointer { .. }) => 8,
            // No memory of the work-group holds one.
            Some(Type::Image { .. }) => 0,
            Some(Type::Repeat { element, count }) => {
                self.size(*element).saturating_mul(u64::from(*count))
            }
            Some(Type::Array { element, length }) => {
                let length = self.value(*length).unwrap_or(0);
                let stride = self.scan.strides.get(&ty).map(|&stride| u64::from(stride));
                (stride.unwrap_or_else(|| self.size(*element))).saturating_mul(length)
            }
            Some(Type::Struct(members)) => self.measure_struct(ty, members),
        }
    }

    /// Up to the end of the last member, where their offsets are given; else the members' sizes.
    fn measure_struct(&self, ty: u32, members: &[u32]) -> u64 {
        let offsets = self.scan.offsets.get(&ty);
        let mut size = 0_u64;
        for (number, &member) in (0_u32..).zip(members) {
            let offset = offsets.and_then(|offsets| offsets.get(&number));
            let start = offset.map_or(size, |&offset| u64::from(offset));
            size = size.max(start.saturating_add(self.size(member)));
        }
        size
    }
}
