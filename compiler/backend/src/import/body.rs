//! Function bodies: blocks, phis, terminators, and what ids stand for inside a function.
//!
//! Aggregates are exploded into their leaves; those with many leaves are kept in memory.

use super::consts::{Const, ConstVal};
use super::enqueue::Enqueue;
use super::functions::{Decls, FuncDecl};
use super::library::Library;
use super::locals::{Leaves, Local, Locals, Val};
use super::preamble::{Def, Preamble};
use super::reader::{Inst, Result};
use super::types::{Leaf, Ty};
use super::variables::{Variable, VariableForm, Variables};
use cranelift_entity::PrimaryMap;
use pumice_ir::{
    AccessFlags, AddressSpace, Block, ConvertOp, Function, GlobalData, GlobalId, InstKind, IntCond,
    Linkage, Scalar, SourceLoc, StackSlotData, StringTable, Type, Value,
};
use rspirv::spirv::{Decoration, FunctionParameterAttribute, Op};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::ops::Range;

/// Room is made for at most so many instructions before they are there.
const MOST_RESERVED: usize = 1 << 12;

/// Facts about a label that are known before the walk.
#[derive(Clone, Debug)]
pub(super) struct Label<'a> {
    pub block: Option<Block>,
    pub phis: Vec<Inst<'a>>,
    pub successors: SmallVec<[u32; 2]>,
    /// The instructions behind the label.
    pub body: Range<usize>,
    pub reachable: bool,
}

/// The parts of the module that grow while bodies are imported.
pub(super) struct Tables<'m> {
    pub globals: &'m mut PrimaryMap<GlobalId, GlobalData>,
    pub strings: &'m mut StringTable,
    pub library: &'m mut Library,
    pub enqueue: &'m mut Enqueue,
    /// Without an id, before each body.
    pub locals: &'m mut Locals,
    /// Becomes true if the body has an instruction on cooperative matrices.
    pub matrices: &'m mut bool,
}

/// Imports one function.
pub(super) struct Body<'a, 'm> {
    pub pre: &'m Preamble<'a>,
    pub decls: &'m Decls,
    pub globals: &'m mut PrimaryMap<GlobalId, GlobalData>,
    pub strings: &'m mut StringTable,
    pub library: &'m mut Library,
    pub enqueue: &'m mut Enqueue,
    pub matrices: &'m mut bool,
    pub variables: Variables,
    pub func: Function,
    /// The block being filled; `None` after a terminator.
    pub block: Option<Block>,
    pub loc: SourceLoc,
    pub label: u32,
    locals: &'m mut Locals,
    /// The result types of this function's ids, once they are asked for.
    pub result_types: Option<FxHashMap<u32, u32>>,
    pub labels: FxHashMap<u32, Label<'a>>,
}

impl<'a, 'm> Body<'a, 'm> {
    pub fn new(
        pre: &'m Preamble<'a>,
        decls: &'m Decls,
        tables: Tables<'m>,
        func: Function,
    ) -> Self {
        Self {
            pre,
            decls,
            globals: tables.globals,
            strings: tables.strings,
            library: tables.library,
            enqueue: tables.enqueue,
            matrices: tables.matrices,
            variables: Variables::new(false),
            func,
            block: None,
            loc: SourceLoc::default(),
            label: 0,
            locals: tables.locals,
            result_types: None,
            labels: FxHashMap::default(),
        }
    }

    /// Imports the instructions of `decl` into the function and gives it back.
    pub fn run(
        mut self,
        decl: &FuncDecl,
        insts: &[Inst<'a>],
        variables: VariableForm,
    ) -> Result<Function> {
        let body = &insts[decl.body.clone()];
        let Some(first) = body.first() else {
            return Ok(self.func);
        };
        let entry = self.scan_labels(body)?;
        if entry == 0 {
            return Err(first.error("the function has no block"));
        }
        let order = self.block_order(first, entry)?;
        self.func.reserve(body.len().min(MOST_RESERVED));
        for &id in &order {
            self.declare_block(id)?;
        }
        let dom = match variables {
            VariableForm::Memory => None,
            VariableForm::Values { zero } => self.choose_variables(zero, body, &order)?,
        };
        self.declare_params(decl, insts, entry)?;
        let fill = |this: &mut Self, label| this.fill_block(label, body, decl.ret);
        match dom {
            Some(dom) => self.fill_by_dominance(&dom, &order, fill)?,
            None => order.iter().try_for_each(|&id| fill(&mut self, id))?,
        }
        self.locals.clear();
        Ok(self.func)
    }

    fn fill_block(&mut self, label: u32, body: &[Inst<'a>], ret: Ty) -> Result<()> {
        let Label {
            block, body: range, ..
        } = &self.labels[&label];
        let range = range.clone();
        self.block = *block;
        self.label = label;
        self.loc = SourceLoc::default();
        body[range].iter().try_for_each(|inst| self.inst(inst, ret))
    }

    /// Makes the entry block's parameters and defines the parameters' ids.
    fn declare_params(&mut self, decl: &FuncDecl, insts: &[Inst<'a>], entry: u32) -> Result<()> {
        let block = self.labels[&entry].block;
        let Some(block) = block else { return Ok(()) };
        if !self.func.blocks[block].params.is_empty() {
            return Err(insts[decl.body.start].error("a phi in the entry block"));
        }
        self.block = Some(block);
        for param in &insts[decl.params.clone()] {
            if param.op != Op::FunctionParameter {
                continue;
            }
            let ty = self.pre.type_of_id(param, param.ty)?;
            let info = self.pre.types.get(ty);
            let by_val = self.is_by_val(param.id);
            let val = if info.leaf.is_some() {
                let leaf = self.type_leaves(param, ty)?[0].ty;
                let mut value = self.func.append_param(block, leaf);
                if by_val && !decl.is_kernel {
                    value = self.copy_of_argument(param, ty, value)?;
                }
                Val::Leaves(SmallVec::from_elem(value, 1))
            } else if decl.is_kernel {
                let ptr = self
                    .func
                    .append_param(block, Type::ptr(AddressSpace::Private));
                Val::Memory(ptr)
            } else {
                let leaves = self.type_leaves(param, ty)?;
                Val::Leaves(
                    leaves
                        .iter()
                        .map(|leaf| self.func.append_param(block, leaf.ty))
                        .collect(),
                )
            };
            self.define(param, ty, val)?;
        }
        Ok(())
    }

    /// Returns whether a pointer parameter stands for a copy of what it points to.
    fn is_by_val(&self, id: u32) -> bool {
        let by_val = FunctionParameterAttribute::ByVal as u32;
        self.pre.decorations.get(&id).is_some_and(|decos| {
            decos.iter().any(|deco| {
                deco.kind == Decoration::FuncParamAttr as u32 && deco.args.first() == Some(&by_val)
            })
        })
    }

    /// The callee's own copy of a by-value argument: callers pass the original.
    fn copy_of_argument(&mut self, inst: &Inst<'_>, ty: Ty, ptr: Value) -> Result<Value> {
        let pointee = self.pre.pointee(inst, ty)?;
        let (size, align) = self.size_align(pointee);
        let copy = self.slot(inst, size, align)?;
        let size = self.func.i64(size as i64);
        self.effect(InstKind::MemCopy {
            dst: copy,
            src: ptr,
            size,
            dst_align: align,
            src_align: align,
            flags: AccessFlags::empty(),
        });
        Ok(copy)
    }

    /// Size and alignment of a type.
    pub fn size_align(&self, ty: Ty) -> (u64, u32) {
        let info = self.pre.types.get(ty);
        (info.size, info.align)
    }

    /// The leaves of a type.
    pub fn type_leaves(&self, inst: &Inst<'_>, ty: Ty) -> Result<SmallVec<[Leaf; 1]>> {
        let leaves = self
            .pre
            .types
            .leaves(ty)
            .map_err(|error| inst.error(error.message))?;
        if leaves.is_empty() && !self.pre.types.is_sized(ty) {
            return Err(inst.error("the type has no values"));
        }
        Ok(leaves)
    }

    // ---- emission ----

    pub(super) fn current(&mut self) -> Block {
        match self.block {
            Some(block) => block,
            // The scan refuses instructions behind a terminator; should one come through,
            // a fresh dead block keeps the IR whole.
            None => {
                let block = self.func.append_block();
                self.block = Some(block);
                block
            }
        }
    }

    /// Appends an instruction with one result.
    pub fn emit(&mut self, kind: InstKind, ty: Type) -> Value {
        let block = self.current();
        self.func.append_value(block, kind, ty, self.loc)
    }

    /// Appends an instruction without results.
    pub fn effect(&mut self, kind: InstKind) {
        let block = self.current();
        self.func.append(block, kind, &[], self.loc);
    }

    /// Appends a terminator.
    pub fn terminate(&mut self, kind: InstKind) {
        self.effect(kind);
        self.block = None;
    }

    pub fn convert(&mut self, op: ConvertOp, arg: Value, ty: Type) -> Value {
        self.emit(
            InstKind::Convert {
                op,
                arg,
                rounding: None,
            },
            ty,
        )
    }

    /// A private variable; its address.
    pub fn slot(&mut self, inst: &Inst<'_>, size: u64, align: u32) -> Result<Value> {
        let size = u32::try_from(size)
            .ok()
            .filter(|&size| size <= 1 << 30)
            .ok_or_else(|| inst.error("a private variable of this size is not supported"))?;
        let slot = self.func.slots.push(StackSlotData::new(size, align));
        Ok(self.emit(
            InstKind::StackAddr { slot },
            Type::ptr(AddressSpace::Private),
        ))
    }

    /// `ptr + offset` for a constant offset.
    pub fn offset(&mut self, ptr: Value, offset: u64) -> Value {
        if offset == 0 {
            return ptr;
        }
        let ty = self.func.ty(ptr);
        let offset = self.func.i64(offset as i64);
        self.emit(InstKind::PtrAdd { base: ptr, offset }, ty)
    }

    /// Sign-extends or truncates an integer to I64.
    pub fn index_i64(&mut self, inst: &Inst<'_>, value: Value) -> Result<Value> {
        let ty = self.func.ty(value);
        match ty.scalar {
            _ if ty.lanes != 1 => Err(inst.error("the index is not a scalar")),
            Scalar::I64 => Ok(value),
            Scalar::I8 | Scalar::I16 | Scalar::I32 => match self.func.const_signed(value) {
                Some(constant) => Ok(self.func.i64(constant)),
                None => Ok(self.convert(ConvertOp::SExt, value, Type::I64)),
            },
            _ => Err(inst.error("the index is not an integer")),
        }
    }

    /// `value != 0`.
    pub fn is_nonzero(&mut self, value: Value) -> Value {
        let ty = self.func.ty(value);
        let zero = self.func.splat_constant(ty, 0);
        self.emit(
            InstKind::ICmp {
                cond: IntCond::Ne,
                args: [value, zero],
            },
            ty.as_bool(),
        )
    }

    // ---- ids ----

    /// The meaning of an id of this function that is the address of a matrix's component.
    pub fn component_address(&self, id: u32) -> Option<Local> {
        let local = self.locals.get(id)?;
        matches!(local.val, Val::Component(..)).then(|| local.clone())
    }

    /// The variable whose address an id of this function is, if it becomes values.
    pub fn variable_operand(&self, id: u32) -> Option<Variable> {
        match self.locals.get(id)?.val {
            Val::Variable(variable) => Some(variable),
            _ => None,
        }
    }

    /// Gives the meaning of an id; makes constants and addresses here.
    pub fn local(&mut self, inst: &Inst<'_>, id: u32) -> Result<Local> {
        if let Some(local) = self.locals.get(id) {
            return Ok(local.clone());
        }
        let (ty, val) = match self.pre.def(id) {
            Def::Const(_) => {
                let pre = self.pre;
                let constant = pre.constant(inst, id)?;
                (constant.ty, self.materialise(inst, constant)?)
            }
            Def::Global(global, ty) => {
                let space = self.globals[global].space;
                let addr = self.emit(InstKind::GlobalAddr { global }, Type::ptr(space));
                (ty, Val::Leaves(SmallVec::from_elem(addr, 1)))
            }
            Def::BuiltIn(which, ty) => (ty, Val::BuiltIn(which, None)),
            _ => {
                return Err(inst.error(format_args!("id {id} is used before its definition")));
            }
        };
        Ok(Local {
            ty,
            val,
            packed: false,
        })
    }

    fn materialise(&mut self, inst: &Inst<'_>, constant: &Const) -> Result<Val> {
        let pre = self.pre;
        let info = pre.types.get(constant.ty);
        if self.is_big(constant.ty) {
            let (init, relocations) = constant.image(&pre.types, inst)?;
            let global = self.globals.push(GlobalData {
                name: String::new(),
                space: AddressSpace::Constant,
                size: info.size,
                align: info.align,
                init,
                relocations,
                linkage: Linkage::Internal,
            });
            let ty = Type::ptr(AddressSpace::Constant);
            return Ok(Val::Memory(self.emit(InstKind::GlobalAddr { global }, ty)));
        }
        let mut leaves = Leaves::new();
        self.constant_leaves(inst, constant, &mut leaves)?;
        Ok(Val::Leaves(leaves))
    }

    fn constant_leaves(
        &mut self,
        inst: &Inst<'_>,
        constant: &Const,
        out: &mut Leaves,
    ) -> Result<()> {
        let pre = self.pre;
        if let Some(matrix) = pre.types.native_matrix_of(constant.ty) {
            out.push(self.constant_matrix(inst, matrix, &constant.val)?);
            return Ok(());
        }
        if let Some(ty) = pre.types.get(constant.ty).leaf {
            out.push(match &constant.val {
                ConstVal::Undef => self.func.undef(ty),
                ConstVal::Addr { global, addend } => self.address(inst, *global, *addend, ty)?,
                _ => {
                    let lanes = constant
                        .lanes(&pre.types)
                        .filter(|lanes| lanes.len() == usize::from(ty.lanes))
                        .ok_or_else(|| inst.error("a constant does not fit its type"))?;
                    self.func.constant(ty, &lanes)
                }
            });
            return Ok(());
        }
        match &constant.val {
            ConstVal::Composite(parts) => {
                for part in parts {
                    self.constant_leaves(inst, part, out)?;
                }
            }
            ConstVal::Bytes(_) => {
                let count = pre.types.member_count(constant.ty).unwrap_or(0);
                for index in 0..count {
                    let part = constant.part(&pre.types, index);
                    let (val, ty) =
                        part.ok_or_else(|| inst.error("a constant does not fit its type"))?;
                    let ty = ty.unwrap_or(constant.ty);
                    self.constant_leaves(inst, &Const { ty, val }, out)?;
                }
            }
            ConstVal::Undef => {
                for leaf in self.type_leaves(inst, constant.ty)? {
                    out.push(self.func.undef(leaf.ty));
                }
            }
            _ => {
                for leaf in self.type_leaves(inst, constant.ty)? {
                    out.push(self.func.splat_constant(leaf.ty, 0));
                }
            }
        }
        Ok(())
    }

    fn address(
        &mut self,
        inst: &Inst<'_>,
        global: GlobalId,
        addend: i64,
        ty: Type,
    ) -> Result<Value> {
        let own = Type::ptr(self.globals[global].space);
        let base = self.emit(InstKind::GlobalAddr { global }, own);
        let addr = self.offset(base, addend as u64);
        match ty.scalar {
            _ if ty == own => Ok(addr),
            Scalar::Ptr(_) if ty.lanes == 1 => {
                Ok(self.convert(ConvertOp::AddressSpaceCast, addr, ty))
            }
            Scalar::I64 if ty.lanes == 1 => Ok(self.convert(ConvertOp::PtrToInt, addr, ty)),
            _ => Err(inst.error("an address does not fit the type")),
        }
    }

    /// The leaves of an operand and its type.
    pub fn leaves(&mut self, inst: &Inst<'_>, id: u32) -> Result<(Ty, Leaves)> {
        let local = self.local(inst, id)?;
        match local.val {
            Val::Leaves(leaves) => Ok((local.ty, leaves)),
            Val::Memory(ptr) => {
                let leaves = self.load_leaves(inst, ptr, local.ty)?;
                Ok((local.ty, leaves))
            }
            Val::BuiltIn(..) => {
                Err(inst.error("a built-in variable is used for more than loading"))
            }
            Val::Component(..) => Err(inst.error("a component's address is not a value")),
            Val::Variable(..) => Err(inst.error("the variable has no address")),
        }
    }

    /// An operand that is one scalar, vector or pointer.
    pub fn value(&mut self, inst: &Inst<'_>, id: u32) -> Result<Value> {
        // Most operands are values that are there.
        if let Some(Local { ty, val, .. }) = self.locals.get(id) {
            if let (Val::Leaves(leaves), Some(_)) = (val, self.pre.types.get(*ty).leaf) {
                if let &[value] = leaves.as_slice() {
                    return Ok(value);
                }
            }
        }
        let (ty, leaves) = self.leaves(inst, id)?;
        match (leaves.as_slice(), self.pre.types.get(ty).leaf) {
            (&[value], Some(_)) => Ok(value),
            _ => Err(inst.error(format_args!("operand {id} is an aggregate"))),
        }
    }

    /// The n-th operand as one value.
    pub fn arg(&mut self, inst: &Inst<'_>, n: usize) -> Result<Value> {
        let id = inst.arg(n)?;
        self.value(inst, id)
    }

    /// Defines an id.
    pub fn define(&mut self, inst: &Inst<'_>, ty: Ty, val: Val) -> Result<()> {
        self.define_local(
            inst,
            Local {
                ty,
                val,
                packed: false,
            },
        )
    }

    pub fn define_local(&mut self, inst: &Inst<'_>, local: Local) -> Result<()> {
        if self.pre.def(inst.id) != Def::None || !self.locals.define(inst.id, local) {
            return Err(inst.error(format_args!("id {} is already defined", inst.id)));
        }
        Ok(())
    }

    /// Defines the result as one value, whose type must be the result type's.
    pub fn define_value(&mut self, inst: &Inst<'_>, value: Value) -> Result<()> {
        let (ty, leaf) = self.result_type(inst)?;
        if self.func.ty(value) != leaf {
            return Err(inst.error("the result type does not fit the operands"));
        }
        self.define(inst, ty, Val::Leaves(SmallVec::from_elem(value, 1)))
    }

    /// Defines the result as leaves, whose types must be the result type's.
    pub fn define_leaves(&mut self, inst: &Inst<'_>, leaves: Leaves) -> Result<()> {
        let ty = self.pre.type_of_id(inst, inst.ty)?;
        let expected = self.type_leaves(inst, ty)?;
        let found = leaves.iter().map(|&leaf| self.func.ty(leaf));
        if !expected.iter().map(|leaf| leaf.ty).eq(found) {
            return Err(inst.error("the result type does not fit the operands"));
        }
        self.define(inst, ty, Val::Leaves(leaves))
    }

    /// The result type, which must be a scalar, vector or pointer.
    pub fn result_type(&self, inst: &Inst<'_>) -> Result<(Ty, Type)> {
        let ty = self.pre.type_of_id(inst, inst.ty)?;
        let leaf = self.pre.types.get(ty).leaf;
        Ok((
            ty,
            leaf.ok_or_else(|| inst.error("the result type is not a scalar, vector or pointer"))?,
        ))
    }
}
