//! Cooperative matrices (SPV_KHR_cooperative_matrix), made of plain code.
//!
//! A matrix is held by the first `lanes` work-items of a sub-group, a power of two that divides the columns: work-item
//! `l` has the columns `l`, `l + lanes`, and so on, each from the first row to the last. The next `lanes` work-items hold the
//! same again. So every component exists, all uses of one shape are laid out alike, and a product needs nothing
//! but broadcasts: of a column of A, from the work-item that has it, to be multiplied with the own columns of B.
//!
//! Matrices that are the device's own take another road (`matrix_native.rs`); `matrix_roads.rs` chooses.

use super::body::Body;
use super::locals::Leaves;
use super::memory::access;
use super::ops::{self, ByComponent};
use super::preamble::{Def, Preamble};
use super::reader::{ImportError, Inst, Result};
use super::types::{Ty, TypeKind};
use pumice_ir::{
    AccessFlags, BinaryOp, BlockCall, BuiltIn, ConvertOp, EnqueueRole, FuncId, InstKind, IntCond,
    Module, Scalar, Type, UnaryOp, Value, align_at,
};
use pumice_target::matrix::{Component, Use, is_operand};
use rspirv::spirv::{CooperativeMatrixLayout, ExecutionMode, Op, StorageClass};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// A cooperative matrix type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Matrix {
    /// The components' type.
    pub component: Ty,
    pub rows: u32,
    pub columns: u32,
    pub which: Use,
    /// Work-items that hold it together.
    pub lanes: u32,
}

impl Matrix {
    /// Components that one work-item holds.
    pub fn components(&self) -> u32 {
        self.rows * self.columns / self.lanes
    }

    /// The place of a component of the work-item's n-th column among those that it holds.
    pub fn place(&self, column: u32, row: u32) -> usize {
        (column * self.rows + row) as usize
    }

    /// Columns that one work-item holds.
    pub fn own_columns(&self) -> u32 {
        self.columns / self.lanes
    }
}

/// A matrix in memory.
pub(super) struct MatrixMemory {
    /// The first component's address.
    pub base: Value,
    /// Rows lie one behind the other, else columns do.
    pub row_major: bool,
    /// Bytes from one to the next.
    pub stride: Value,
    /// The alignment of each component.
    pub align: u32,
    pub flags: AccessFlags,
}

/// The components that a scalar of the IR may stand for.
pub(super) fn component_of(ty: Type) -> Option<Component> {
    Some(match ty.scalar {
        _ if ty.lanes != 1 => return None,
        Scalar::F16 => Component::Half,
        Scalar::F32 => Component::Float,
        Scalar::F64 => Component::Double,
        Scalar::I8 => Component::Char,
        Scalar::I32 => Component::Int,
        _ => return None,
    })
}

/// SPIR-V's name of a use.
fn use_name(which: Use) -> &'static str {
    match which {
        Use::A => "MatrixAKHR",
        Use::B => "MatrixBKHR",
        Use::Accumulator => "MatrixAccumulatorKHR",
    }
}

/// SPIR-V's number of the scope Subgroup.
const SUB_GROUP: u64 = 3;

impl Preamble<'_> {
    /// Reads an OpTypeCooperativeMatrixKHR.
    pub(super) fn matrix_type(&mut self, inst: &Inst<'_>) -> Result<Ty> {
        let component = self.type_of_id(inst, inst.arg(0)?)?;
        let number = |n: usize| {
            let constant = self.constant(inst, inst.arg(n)?)?;
            let number = constant.scalar(&self.types);
            number.ok_or_else(|| inst.error(format_args!("operand {n} is not a constant integer")))
        };
        let (scope, rows, columns, which) = (number(1)?, number(2)?, number(3)?, number(4)?);
        if scope != SUB_GROUP {
            return Err(inst.error(format_args!(
                "a cooperative matrix of scope {scope} is not supported: it must be Subgroup"
            )));
        }
        let which = Use::ALL
            .into_iter()
            .find(|known| *known as u64 == which)
            .ok_or_else(|| {
                inst.error(format_args!(
                    "use {which} of a cooperative matrix is not supported"
                ))
            })?;
        let known = self.types.get(component).leaf.and_then(component_of);
        let size = u32::try_from(rows).ok().zip(u32::try_from(columns).ok());
        let size = size.filter(|&(rows, columns)| {
            known.is_some_and(|component| is_known(which, component, rows, columns))
        });
        let Some((rows, columns)) = size else {
            let component = known.map_or("such components", Component::name);
            return Err(inst.error(format_args!(
                "there is no product with a {} of {rows}x{columns} {component}",
                use_name(which)
            )));
        };
        let lanes = 1
            << columns
                .trailing_zeros()
                .min(self.smallest_sub_group().ilog2());
        let matrix = Matrix {
            component,
            rows,
            columns,
            which,
            lanes,
        };
        let native = self.native_types.get(&inst.id).copied();
        Ok(self.types.matrix(matrix, native))
    }

    /// The number of work-items that every sub-group of the module's kernels has at least.
    fn smallest_sub_group(&self) -> u32 {
        let mode = ExecutionMode::SubgroupSize as u32;
        let required = self.modes.iter().filter(|other| other.mode == mode);
        let required = required.filter_map(|mode| mode.args.first().copied());
        required.fold(self.sub_group_size, u32::min).max(1)
    }

    /// Refuses pointers to matrices in memory that others can see.
    pub(super) fn check_matrix_class(
        &self,
        inst: &Inst<'_>,
        class: StorageClass,
        pointee: u32,
    ) -> Result<()> {
        let Def::Type(ty) = self.def(pointee) else {
            return Ok(());
        };
        let private = matches!(class, StorageClass::Function | StorageClass::Generic);
        if self.types.get(ty).holds_matrix && !private {
            return Err(inst.error("a cooperative matrix lies in private memory only"));
        }
        Ok(())
    }

    /// The constituents of a constant matrix, all of them the only one that is named; `None` for other types.
    pub(super) fn matrix_constituents(&self, inst: &Inst<'_>, ty: Ty) -> Result<Option<Vec<u32>>> {
        let TypeKind::Matrix(matrix) = self.types.get(ty).kind else {
            return Ok(None);
        };
        if self.types.native_matrix_of(ty).is_some() {
            return Ok(Some(vec![only_constituent(inst)?]));
        }
        Ok(Some(vec![
            only_constituent(inst)?;
            matrix.components() as usize
        ]))
    }
}

/// Returns whether a matrix is an operand of a product, its integers signed or not.
fn is_known(which: Use, component: Component, rows: u32, columns: u32) -> bool {
    let mut alike = Component::ALL
        .into_iter()
        .filter(|other| other.looks_like(component));
    alike.any(|component| is_operand(which, component, rows, columns))
}

/// The one constituent that stands for all components of a matrix.
fn only_constituent(inst: &Inst<'_>) -> Result<u32> {
    match inst.args {
        &[one] => Ok(one),
        _ => Err(inst.error("a cooperative matrix is made of one constituent")),
    }
}

/// Says of kernels that reach a function with matrices that their work-groups have whole sub-groups only.
pub(super) fn mark_kernels(module: &mut Module, mut with: FxHashSet<FuncId>) -> Result<()> {
    if with.is_empty() {
        return Ok(());
    }
    let mut callers: FxHashMap<FuncId, Vec<FuncId>> = FxHashMap::default();
    for (caller, func) in &module.functions {
        for &block in &func.layout.blocks {
            for &inst in &func.layout.insts[block] {
                if let InstKind::Call { func: callee, .. } = func.insts[inst].kind {
                    callers.entry(callee).or_default().push(caller);
                }
            }
        }
    }
    let mut next: Vec<FuncId> = with.iter().copied().collect();
    while let Some(callee) = next.pop() {
        let callers = callers.get(&callee).into_iter().flatten();
        next.extend(callers.filter(|&&caller| with.insert(caller)));
    }
    for kernel in &mut module.kernels {
        kernel.whole_sub_groups = with.contains(&kernel.func);
        if kernel.whole_sub_groups && matches!(kernel.enqueue, Some(EnqueueRole::Block { .. })) {
            return Err(ImportError::new(
                "a block that kernels enqueue cannot use cooperative matrices",
            ));
        }
    }
    Ok(())
}

impl Body<'_, '_> {
    /// Imports an instruction on cooperative matrices; false if it is none.
    pub(super) fn matrix(&mut self, inst: &Inst<'_>) -> Result<bool> {
        if self.native_matrix(inst)? {
            *self.matrices = true;
            return Ok(true);
        }
        match inst.op {
            Op::CooperativeMatrixLoadKHR => self.matrix_load(inst)?,
            Op::CooperativeMatrixStoreKHR => self.matrix_store(inst)?,
            Op::CooperativeMatrixMulAddKHR => self.matrix_product(inst)?,
            Op::CooperativeMatrixLengthKHR => self.matrix_length(inst)?,
            _ => return self.matrix_lane_wise(inst),
        }
        *self.matrices = true;
        Ok(true)
    }

    /// The matrix type of that number, with the type of its components.
    pub(super) fn matrix_of(&self, inst: &Inst<'_>, ty: Ty) -> Result<(Matrix, Type)> {
        let TypeKind::Matrix(matrix) = self.pre.types.get(ty).kind else {
            return Err(inst.error("the type is not a cooperative matrix"));
        };
        let component = self.pre.types.get(matrix.component).leaf;
        component
            .map(|component| (matrix, component))
            .ok_or_else(|| inst.error("the components are no numbers"))
    }

    pub(super) fn matrix_result(&self, inst: &Inst<'_>) -> Result<(Matrix, Type)> {
        let ty = self.pre.type_of_id(inst, inst.ty)?;
        self.matrix_of(inst, ty)
    }

    pub(super) fn matrix_arg(&mut self, inst: &Inst<'_>, n: usize) -> Result<(Matrix, Leaves)> {
        let (ty, leaves) = self.leaves(inst, inst.arg(n)?)?;
        Ok((self.matrix_of(inst, ty)?.0, leaves))
    }

    fn matrix_length(&mut self, inst: &Inst<'_>) -> Result<()> {
        let ty = self.pre.type_of_id(inst, inst.arg(0)?)?;
        let (matrix, _) = self.matrix_of(inst, ty)?;
        let count = self.func.i32(matrix.components() as i32);
        self.define_value(inst, count)
    }

    /// A matrix whose components are all the same.
    pub(super) fn matrix_of_one(&mut self, inst: &Inst<'_>) -> Result<()> {
        let (matrix, component) = self.matrix_result(inst)?;
        let value = self.value(inst, only_constituent(inst)?)?;
        if self.func.ty(value) != component {
            return Err(inst.error("the constituent's type is not the components'"));
        }
        *self.matrices = true;
        let ty = self.pre.type_of_id(inst, inst.ty)?;
        if let Some(native) = self.pre.types.native_matrix_of(ty) {
            let value = self.native_fill(native, value);
            return self.define_value(inst, value);
        }
        let count = matrix.components() as usize;
        self.define_leaves(inst, SmallVec::from_elem(value, count))
    }

    /// Arithmetic and conversions, component by component; false if the result is no matrix or the instruction is not
    /// one of these.
    fn matrix_lane_wise(&mut self, inst: &Inst<'_>) -> Result<bool> {
        if inst.ty == 0 {
            return Ok(false);
        }
        let ty = self.pre.type_of_id(inst, inst.ty)?;
        if !matches!(self.pre.types.get(ty).kind, TypeKind::Matrix(_)) {
            return Ok(false);
        }
        let (result, component) = self.matrix_of(inst, ty)?;
        let leaves = match ops::by_component(inst.op) {
            Some(ByComponent::Unary(op)) => self.matrix_negated(inst, op, result)?,
            Some(ByComponent::Binary(op)) => self.matrix_pairs(inst, op, result)?,
            Some(ByComponent::Convert) => self.matrix_converted(inst, result, component)?,
            None if inst.op == Op::Bitcast => self.matrix_converted(inst, result, component)?,
            None => return Ok(false),
        };
        *self.matrices = true;
        self.define_leaves(inst, leaves)?;
        Ok(true)
    }

    fn matrix_negated(&mut self, inst: &Inst<'_>, op: UnaryOp, result: Matrix) -> Result<Leaves> {
        let (matrix, leaves) = self.matrix_arg(inst, 0)?;
        let fits = leaves
            .iter()
            .all(|&leaf| op.takes(self.func.ty(leaf).scalar));
        if !fits || matrix != result {
            return Err(inst.error("the operand's type is wrong"));
        }
        Ok(leaves
            .into_iter()
            .map(|leaf| self.unary(op, leaf))
            .collect())
    }

    fn matrix_pairs(&mut self, inst: &Inst<'_>, op: BinaryOp, result: Matrix) -> Result<Leaves> {
        let (a, left) = self.matrix_arg(inst, 0)?;
        let (b, right) = self.matrix_arg(inst, 1)?;
        let fits = left.iter().all(|&leaf| op.takes(self.func.ty(leaf).scalar));
        if !fits || a != result || b != result {
            return Err(inst.error("the operands' types are wrong"));
        }
        let flags = self.binary_flags(inst.id, op);
        let pairs = left.into_iter().zip(right);
        Ok(pairs
            .map(|(a, b)| self.binary_with(op, [a, b], flags))
            .collect())
    }

    fn matrix_converted(&mut self, inst: &Inst<'_>, to: Matrix, component: Type) -> Result<Leaves> {
        let (from, leaves) = self.matrix_arg(inst, 0)?;
        let same = Matrix {
            component: to.component,
            ..from
        };
        if same != to {
            return Err(inst.error("a conversion changes the components' type alone"));
        }
        let convert = |leaf| match inst.op {
            Op::Bitcast => self.bitcast(inst, leaf, component),
            _ => self.converted(inst, leaf, component),
        };
        leaves.into_iter().map(convert).collect()
    }

    /// The place of the work-item among those that hold a matrix.
    fn matrix_lane(&mut self, matrix: Matrix) -> Value {
        let lane = self.subgroup_built_in(BuiltIn::SubgroupLocalId);
        let mask = self.func.i32(matrix.lanes as i32 - 1);
        self.binary(BinaryOp::And, [lane, mask])
    }

    /// Reads the operands of a load or store: from `n` on they are layout, stride and memory operands.
    pub(super) fn matrix_memory(
        &mut self,
        inst: &Inst<'_>,
        pointer: usize,
        n: usize,
        component: Type,
    ) -> Result<MatrixMemory> {
        let (local, base) = self.pointer(inst, pointer)?;
        let pointee = self.pre.pointee(inst, local.ty)?;
        let info = self.pre.types.get(pointee);
        let number = |leaf: Type| leaf.scalar.is_int() || leaf.scalar.is_float();
        if !info.leaf.is_some_and(number) {
            return Err(inst.error("the pointer is not to a number or a vector of numbers"));
        }
        let (unit, natural) = (info.size, info.align);
        let layout = self.arg(inst, n)?;
        let row_major = match self
            .func
            .const_bits(layout)
            .map(|bits| CooperativeMatrixLayout::from_u32(bits as u32))
        {
            Some(Some(CooperativeMatrixLayout::RowMajorKHR)) => true,
            Some(Some(CooperativeMatrixLayout::ColumnMajorKHR)) => false,
            Some(_) => {
                return Err(
                    inst.error("only the layouts RowMajorKHR and ColumnMajorKHR are supported")
                );
            }
            None => return Err(inst.error("the layout is not a constant")),
        };
        if inst.args.len() <= n + 1 {
            return Err(inst.error("the stride is missing"));
        }
        let stride = self.arg(inst, n + 1)?;
        let stride = self.resize_int(inst, stride, Type::I64)?;
        let (access, _) = access(inst, n + 2)?;
        let bytes = u64::from(component.access_bytes());
        let align = access
            .align
            .unwrap_or(if local.packed { 1 } else { natural });
        // The stride is counted in what the pointer points to.
        let align = align
            .min(bytes as u32)
            .min(align_at(u32::MAX / 2 + 1, unit));
        let unit = self.func.i64(unit as i64);
        let stride = self.binary(BinaryOp::IMul, [stride, unit]);
        Ok(MatrixMemory {
            base,
            row_major,
            stride,
            align,
            flags: access.flags,
        })
    }

    /// The addresses of the components that the work-item holds, of a matrix in memory.
    fn matrix_places(
        &mut self,
        memory: &MatrixMemory,
        (matrix, component): (Matrix, Type),
    ) -> Vec<Value> {
        let bytes = self.func.i64(i64::from(component.access_bytes()));
        let (row_step, column_step) = if memory.row_major {
            (memory.stride, bytes)
        } else {
            (bytes, memory.stride)
        };
        let lane = self.matrix_lane(matrix);
        let lane = self.convert(ConvertOp::ZExt, lane, Type::I64);
        let first = self.binary(BinaryOp::IMul, [lane, column_step]);
        let first = self.matrix_step(memory.base, first);
        let mut places = Vec::with_capacity(matrix.components() as usize);
        for column in 0..matrix.own_columns() {
            let mut place = first;
            if column > 0 {
                let number = self.func.i64(i64::from(column * matrix.lanes));
                let offset = self.binary(BinaryOp::IMul, [number, column_step]);
                place = self.matrix_step(first, offset);
            }
            for row in 0..matrix.rows {
                if row > 0 {
                    place = self.matrix_step(place, row_step);
                }
                places.push(place);
            }
        }
        places
    }

    pub(super) fn matrix_step(&mut self, base: Value, offset: Value) -> Value {
        let ty = self.func.ty(base);
        self.emit(InstKind::PtrAdd { base, offset }, ty)
    }

    fn matrix_load(&mut self, inst: &Inst<'_>) -> Result<()> {
        let (matrix, component) = self.matrix_result(inst)?;
        let memory = self.matrix_memory(inst, 0, 1, component)?;
        let places = self.matrix_places(&memory, (matrix, component));
        let load = |place| self.load_leaf(place, component, memory.align, memory.flags);
        let leaves = places.into_iter().map(load).collect();
        self.define_leaves(inst, leaves)
    }

    fn matrix_store(&mut self, inst: &Inst<'_>) -> Result<()> {
        let (ty, leaves) = self.leaves(inst, inst.arg(1)?)?;
        let (matrix, component) = self.matrix_of(inst, ty)?;
        let memory = self.matrix_memory(inst, 0, 2, component)?;
        let places = self.matrix_places(&memory, (matrix, component));
        // Work-items that hold the same again write nothing.
        let lane = self.subgroup_built_in(BuiltIn::SubgroupLocalId);
        let lanes = self.func.i32(matrix.lanes as i32);
        let writes = self.icmp(IntCond::Ult, [lane, lanes]);
        let (write, done) = (self.func.make_block(), self.func.make_block());
        self.effect(InstKind::Branch {
            cond: writes,
            then: BlockCall::new(write, &[]),
            other: BlockCall::new(done, &[]),
        });
        self.place(write);
        self.block = Some(write);
        for (place, leaf) in places.into_iter().zip(leaves) {
            self.store_leaf(place, leaf, memory.align, memory.flags);
        }
        self.effect(InstKind::Jump {
            dest: BlockCall::new(done, &[]),
        });
        self.place(done);
        self.block = Some(done);
        Ok(())
    }
}
