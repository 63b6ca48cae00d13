//! Common questions to instructions: operands, targets, effects.

use super::{
    AccessFlags, AddressSpace, Block, BlockCall, BuiltIn, Function, InstKind, MathOp, MatrixOp,
    MatrixType, PrintfArg, Scope, Type, Value,
};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// The one traversal of operands, for shared (`iter`) and mutable (`iter_mut`) visits.
macro_rules! visit_operands {
    ($kind:expr, $f:ident, $iter:ident) => {
        match $kind {
            InstKind::Unary { arg, .. }
            | InstKind::Convert { arg, .. }
            | InstKind::Splat { arg } => $f(arg),
            InstKind::Binary { args, .. }
            | InstKind::ICmp { args, .. }
            | InstKind::FCmp { args, .. }
            | InstKind::Shuffle { args, .. } => args.$iter().for_each(&mut $f),
            InstKind::Select { cond, then, other } => {
                [cond, then, other].into_iter().for_each(&mut $f)
            }
            InstKind::Math { args, .. }
            | InstKind::Group { args, .. }
            | InstKind::Matrix { args, .. } => args.$iter().for_each(&mut $f),
            InstKind::Node { args, .. } | InstKind::Image { args, .. } => {
                args.$iter().for_each(&mut $f)
            }
            InstKind::Build { lanes } => lanes.$iter().for_each(&mut $f),
            InstKind::Extract { vector, .. } => $f(vector),
            InstKind::LoadArgWord { index, .. } => $f(index),
            InstKind::Insert { vector, scalar, .. } => {
                [vector, scalar].into_iter().for_each(&mut $f)
            }
            InstKind::ExtractDyn { vector, index } => [vector, index].into_iter().for_each(&mut $f),
            InstKind::InsertDyn {
                vector,
                scalar,
                index,
            } => [vector, scalar, index].into_iter().for_each(&mut $f),
            InstKind::PtrAdd { base, offset } => [base, offset].into_iter().for_each(&mut $f),
            InstKind::Load { ptr, .. } | InstKind::AtomicLoad { ptr, .. } => $f(ptr),
            InstKind::Store { ptr, value, .. }
            | InstKind::AtomicStore { ptr, value, .. }
            | InstKind::AtomicRmw { ptr, value, .. } => [ptr, value].into_iter().for_each(&mut $f),
            InstKind::MemCopy { dst, src, size, .. } => {
                [dst, src, size].into_iter().for_each(&mut $f)
            }
            InstKind::AtomicCmpXchg {
                ptr,
                expected,
                desired,
                ..
            } => [ptr, expected, desired].into_iter().for_each(&mut $f),
            InstKind::Call { args, .. } => args.$iter().for_each(&mut $f),
            InstKind::Printf { args, .. } => {
                for arg in args {
                    if let PrintfArg::Value(value) = arg {
                        $f(value);
                    }
                }
            }
            InstKind::Jump { dest } => dest.args.$iter().for_each(&mut $f),
            InstKind::Branch { cond, then, other } => {
                $f(cond);
                then.args
                    .$iter()
                    .chain(other.args.$iter())
                    .for_each(&mut $f);
            }
            InstKind::Switch {
                value,
                default,
                cases,
            } => {
                $f(value);
                default.args.$iter().for_each(&mut $f);
                for (_, call) in cases {
                    call.args.$iter().for_each(&mut $f);
                }
            }
            InstKind::Return { values } => values.$iter().for_each(&mut $f),
            InstKind::StackAddr { .. }
            | InstKind::GlobalAddr { .. }
            | InstKind::Fence { .. }
            | InstKind::Barrier { .. }
            | InstKind::ReadClock { .. }
            | InstKind::BuiltIn { .. }
            | InstKind::BuiltInWord { .. }
            | InstKind::HandleArg { .. }
            | InstKind::HandleInfo { .. }
            | InstKind::LoadArg { .. }
            | InstKind::LocalArg { .. }
            | InstKind::Unreachable => {}
        }
    };
}

impl InstKind {
    /// Returns whether the effect may depend on which work-items make a sub-group.
    pub fn sees_sub_groups(&self) -> bool {
        match *self {
            InstKind::BuiltIn { which } | InstKind::BuiltInWord { which, .. } => {
                which.is_of_sub_group()
            }
            InstKind::Group { scope, .. } => scope == Scope::Subgroup,
            InstKind::Barrier { execution, .. } => execution == Scope::Subgroup,
            InstKind::Matrix { .. } => true,
            _ => false,
        }
    }

    /// Returns whether the instruction ends a block.
    pub fn is_terminator(&self) -> bool {
        matches!(
            self,
            InstKind::Jump { .. }
                | InstKind::Branch { .. }
                | InstKind::Switch { .. }
                | InstKind::Return { .. }
                | InstKind::Unreachable
        )
    }

    /// Returns whether work-items meet at the instruction: a barrier, or an operation of a group, of matrices or of nodes.
    pub fn is_convergent(&self) -> bool {
        matches!(
            self,
            InstKind::Barrier { .. }
                | InstKind::Group { .. }
                | InstKind::Matrix { .. }
                | InstKind::Node { .. }
        )
    }

    /// Returns whether removing the instruction when its results are unused could be noticed.
    pub fn has_side_effects(&self) -> bool {
        match self {
            InstKind::Store { .. }
            | InstKind::MemCopy { .. }
            | InstKind::AtomicLoad { .. }
            | InstKind::AtomicStore { .. }
            | InstKind::AtomicRmw { .. }
            | InstKind::AtomicCmpXchg { .. }
            | InstKind::Fence { .. }
            | InstKind::Barrier { .. }
            | InstKind::ReadClock { .. }
            | InstKind::Group { .. }
            | InstKind::Node { .. }
            | InstKind::Call { .. }
            | InstKind::Printf { .. }
            | InstKind::Jump { .. }
            | InstKind::Branch { .. }
            | InstKind::Switch { .. }
            | InstKind::Return { .. }
            | InstKind::Unreachable => true,
            InstKind::Image { op, .. } => op.has_side_effects(),
            InstKind::Matrix { op, .. } => op.is_collective(),
            InstKind::Load { flags, .. } => flags.contains(AccessFlags::VOLATILE),
            // OpenCL.std instructions with pointer operands (sincos, fract, …) write memory.
            InstKind::Math {
                op: MathOp::Ocl(_), ..
            } => true,
            InstKind::Unary { .. }
            | InstKind::Binary { .. }
            | InstKind::ICmp { .. }
            | InstKind::FCmp { .. }
            | InstKind::Select { .. }
            | InstKind::Convert { .. }
            | InstKind::Math { .. }
            | InstKind::Build { .. }
            | InstKind::Splat { .. }
            | InstKind::Extract { .. }
            | InstKind::Insert { .. }
            | InstKind::ExtractDyn { .. }
            | InstKind::InsertDyn { .. }
            | InstKind::Shuffle { .. }
            | InstKind::StackAddr { .. }
            | InstKind::GlobalAddr { .. }
            | InstKind::PtrAdd { .. }
            | InstKind::BuiltIn { .. }
            | InstKind::BuiltInWord { .. }
            | InstKind::HandleArg { .. }
            | InstKind::HandleInfo { .. }
            | InstKind::LoadArg { .. }
            | InstKind::LoadArgWord { .. }
            | InstKind::LocalArg { .. } => false,
        }
    }

    /// Returns whether the instruction computes one value of its operands and does nothing else.
    pub fn is_computation(&self) -> bool {
        match self {
            InstKind::Unary { .. }
            | InstKind::Binary { .. }
            | InstKind::ICmp { .. }
            | InstKind::FCmp { .. }
            | InstKind::Select { .. }
            | InstKind::Convert { .. }
            | InstKind::Build { .. }
            | InstKind::Splat { .. }
            | InstKind::Extract { .. }
            | InstKind::Insert { .. }
            | InstKind::ExtractDyn { .. }
            | InstKind::InsertDyn { .. }
            | InstKind::Shuffle { .. }
            | InstKind::PtrAdd { .. } => true,
            InstKind::Math { op, .. } => !matches!(op, MathOp::Ocl(_)),
            _ => false,
        }
    }

    /// The pointer of a load, store or atomic operation, of matrices too.
    pub fn pointer(&self) -> Option<Value> {
        match *self {
            InstKind::Load { ptr, .. }
            | InstKind::Store { ptr, .. }
            | InstKind::AtomicLoad { ptr, .. }
            | InstKind::AtomicStore { ptr, .. }
            | InstKind::AtomicRmw { ptr, .. }
            | InstKind::AtomicCmpXchg { ptr, .. } => Some(ptr),
            InstKind::Matrix { op, ref args } if op.is_access() => args.first().copied(),
            _ => None,
        }
    }

    /// Calls `f` on every operand, branch arguments included.
    pub fn for_each_value(&self, mut f: impl FnMut(Value)) {
        let mut f = |value: &Value| f(*value);
        visit_operands!(self, f, iter);
    }

    /// Calls `f` on every operand, branch arguments included, allowing replacement.
    pub fn for_each_value_mut(&mut self, mut f: impl FnMut(&mut Value)) {
        visit_operands!(self, f, iter_mut);
    }

    /// Gives the operands that have an entry the values that stand for them.
    pub fn replace_values(&mut self, values: &FxHashMap<Value, Value>) {
        self.for_each_value_mut(|value| *value = values.get(value).copied().unwrap_or(*value));
    }

    /// The branch targets, in order.
    pub fn successors(&self) -> SmallVec<[&BlockCall; 2]> {
        match self {
            InstKind::Jump { dest } => SmallVec::from_slice(&[dest]),
            InstKind::Branch { then, other, .. } => SmallVec::from_slice(&[then, other]),
            InstKind::Switch { default, cases, .. } => std::iter::once(default)
                .chain(cases.iter().map(|(_, call)| call))
                .collect(),
            _ => SmallVec::new(),
        }
    }

    /// The blocks that it branches to, each once, in order.
    pub fn targets(&self) -> SmallVec<[Block; 2]> {
        let mut list: SmallVec<[Block; 2]> = SmallVec::new();
        match self {
            InstKind::Switch { default, cases, .. } => {
                let calls = cases.iter().map(|(_, call)| call);
                let mut seen: FxHashSet<Block> = FxHashSet::default();
                for call in std::iter::once(default).chain(calls) {
                    if seen.insert(call.block) {
                        list.push(call.block);
                    }
                }
            }
            InstKind::Branch { then, other, .. } => {
                list.push(then.block);
                if other.block != then.block {
                    list.push(other.block);
                }
            }
            InstKind::Jump { dest } => list.push(dest.block),
            _ => {}
        }
        list
    }

    /// The branch targets, in order, for rewriting.
    pub fn successors_mut(&mut self) -> SmallVec<[&mut BlockCall; 2]> {
        match self {
            InstKind::Jump { dest } => std::iter::once(dest).collect(),
            InstKind::Branch { then, other, .. } => [then, other].into_iter().collect(),
            InstKind::Switch { default, cases, .. } => std::iter::once(default)
                .chain(cases.iter_mut().map(|(_, call)| call))
                .collect(),
            _ => SmallVec::new(),
        }
    }
}

impl Function {
    /// The type of a value that is a matrix.
    pub fn matrix_type(&self, value: Value) -> Option<MatrixType> {
        self.ty(value).scalar.matrix()
    }

    /// The components that a load or store of a matrix accesses one by one; `None` for other operations, which show
    /// nobody an address.
    pub fn accessed_component(
        &self,
        op: MatrixOp,
        args: &[Value],
        result: Option<Value>,
    ) -> Option<Type> {
        let matrix = match op {
            MatrixOp::Load { .. } => result?,
            MatrixOp::Store { .. } => args[1],
            _ => return None,
        };
        Some(self.matrix_type(matrix)?.component_type())
    }

    /// The built-in variables that it reads.
    pub fn built_ins(&self) -> impl Iterator<Item = BuiltIn> {
        let insts = (self.layout.blocks.iter()).flat_map(|&block| &self.layout.insts[block]);
        insts.filter_map(|&inst| match self.insts[inst].kind {
            InstKind::BuiltIn { which } => Some(which),
            _ => None,
        })
    }
}

impl BuiltIn {
    /// Returns whether it means something else in a block that kernels enqueue than in other kernels.
    pub fn depends_on_place(self) -> bool {
        matches!(
            self,
            BuiltIn::GlobalId
                | BuiltIn::GroupId
                | BuiltIn::GlobalSize
                | BuiltIn::EnqueuedLocalSize
                | BuiltIn::NumGroups
                | BuiltIn::GlobalOffset
                | BuiltIn::WorkDim
                | BuiltIn::GlobalLinearId
                | BuiltIn::NumEnqueuedSubgroups
                | BuiltIn::DeviceLaunch
                | BuiltIn::DeviceRecord
        )
    }

    /// Returns whether the value depends on which work-items make a sub-group.
    pub fn is_of_sub_group(self) -> bool {
        matches!(
            self,
            BuiltIn::SubgroupSize
                | BuiltIn::SubgroupMaxSize
                | BuiltIn::NumSubgroups
                | BuiltIn::NumEnqueuedSubgroups
                | BuiltIn::SubgroupId
                | BuiltIn::SubgroupLocalId
                | BuiltIn::SubgroupEqMask
                | BuiltIn::SubgroupGeMask
                | BuiltIn::SubgroupGtMask
                | BuiltIn::SubgroupLeMask
                | BuiltIn::SubgroupLtMask
        )
    }

    /// The type of the value.
    pub fn ty(self) -> Type {
        use super::Scalar;
        match self {
            BuiltIn::GlobalId
            | BuiltIn::LocalId
            | BuiltIn::GroupId
            | BuiltIn::GlobalSize
            | BuiltIn::LocalSize
            | BuiltIn::EnqueuedLocalSize
            | BuiltIn::NumGroups
            | BuiltIn::GlobalOffset => Type::vector(Scalar::I64, 3),
            BuiltIn::GlobalLinearId | BuiltIn::LocalLinearId | BuiltIn::AddressDelta => Type::I64,
            BuiltIn::WorkDim
            | BuiltIn::SubgroupSize
            | BuiltIn::SubgroupMaxSize
            | BuiltIn::NumSubgroups
            | BuiltIn::NumEnqueuedSubgroups
            | BuiltIn::SubgroupId
            | BuiltIn::SubgroupLocalId
            | BuiltIn::MaxWorkGroupSize
            | BuiltIn::RemainingRecursionLevels
            | BuiltIn::ShaderIndex
            | BuiltIn::DeviceRecord
            | BuiltIn::DispatchGroup => Type::I32,
            BuiltIn::SubgroupEqMask
            | BuiltIn::SubgroupGeMask
            | BuiltIn::SubgroupGtMask
            | BuiltIn::SubgroupLeMask
            | BuiltIn::SubgroupLtMask => Type::vector(Scalar::I32, 4),
            BuiltIn::PrintfBuffer
            | BuiltIn::PrivateMemory
            | BuiltIn::CheckMemory
            | BuiltIn::TerminationFlag
            | BuiltIn::DeviceLaunch => Type::ptr(AddressSpace::Global),
        }
    }
}
