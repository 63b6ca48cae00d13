//! Function bodies: blocks, phis, terminators, and what ids stand for inside a function.
//!
//! Aggregates are exploded into their leaves; those with many leaves are kept in memory.

use super::consts::{Const, ConstVal};
use super::functions::FuncDecl;
use super::preamble::{Def, Preamble};
use super::reader::{Inst, Result};
use super::types::{Leaf, MAX_VALUE_LEAVES, Ty};
use crate::ir::{
    AccessFlags, AddressSpace, Block, BlockCall, BuiltIn, ConvertOp, Function, GlobalData,
    GlobalId, InstKind, IntCond, Linkage, Scalar, SourceLoc, StackSlotData, StringId, Type, Value,
};
use cranelift_entity::PrimaryMap;
use rspirv::spirv::{Decoration, FunctionParameterAttribute, Op};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::ops::Range;

pub(super) type Leaves = SmallVec<[Value; 1]>;

/// The value of an id inside a function.
#[derive(Clone, Debug)]
pub(super) enum Val {
    /// One value per leaf of the type.
    Leaves(Leaves),
    /// A pointer to memory that holds the aggregate and never changes.
    Memory(Value),
    /// The address of a built-in variable, or of one lane of it.
    BuiltIn(BuiltIn, Option<Value>),
}

#[derive(Clone, Debug)]
pub(super) struct Local {
    pub ty: Ty,
    pub val: Val,
    /// A pointer into a packed structure: natural alignment does not hold.
    pub packed: bool,
}

/// What is known of a label before the walk.
#[derive(Clone, Debug)]
struct Label<'a> {
    block: Option<Block>,
    phis: Vec<Inst<'a>>,
    successors: SmallVec<[u32; 2]>,
    /// The instructions behind the label.
    body: Range<usize>,
    reachable: bool,
}

/// Imports one function.
pub(super) struct Body<'a, 'm> {
    pub pre: &'m Preamble<'a>,
    pub decls: &'m [FuncDecl],
    pub globals: &'m mut PrimaryMap<GlobalId, GlobalData>,
    pub strings: &'m mut PrimaryMap<StringId, Vec<u8>>,
    pub func: Function,
    /// The block being filled; `None` after a terminator.
    pub block: Option<Block>,
    pub loc: SourceLoc,
    label: u32,
    values: FxHashMap<u32, Local>,
    labels: FxHashMap<u32, Label<'a>>,
}

impl<'a, 'm> Body<'a, 'm> {
    pub fn new(
        pre: &'m Preamble<'a>,
        decls: &'m [FuncDecl],
        globals: &'m mut PrimaryMap<GlobalId, GlobalData>,
        strings: &'m mut PrimaryMap<StringId, Vec<u8>>,
        func: Function,
    ) -> Self {
        Self {
            pre,
            decls,
            globals,
            strings,
            func,
            block: None,
            loc: SourceLoc::default(),
            label: 0,
            values: FxHashMap::default(),
            labels: FxHashMap::default(),
        }
    }

    /// Imports the instructions of `decl` into the function and gives it back.
    pub fn run(mut self, decl: &FuncDecl, insts: &[Inst<'a>]) -> Result<Function> {
        let body = &insts[decl.body.clone()];
        let Some(first) = body.first() else {
            return Ok(self.func);
        };
        let entry = self.scan_labels(body)?;
        if entry == 0 {
            return Err(first.error("the function has no block"));
        }
        let order = self.block_order(first, entry)?;
        for &id in &order {
            self.declare_block(id)?;
        }
        self.declare_params(decl, insts, entry)?;
        for &id in &order {
            let label = &self.labels[&id];
            let range = label.body.clone();
            self.block = label.block;
            self.label = id;
            self.loc = SourceLoc::default();
            for inst in &body[range] {
                self.inst(inst, decl.ret)?;
            }
        }
        Ok(self.func)
    }

    /// The reachable blocks in reverse postorder, so that definitions come before uses
    /// whatever order the module has. Blocks that nothing reaches may use anything; they are
    /// left out.
    fn block_order(&mut self, first: &Inst<'_>, entry: u32) -> Result<Vec<u32>> {
        let mut postorder = Vec::new();
        let mut stack = vec![(entry, 0)];
        while let Some((id, next)) = stack.last_mut() {
            let id = *id;
            let label = self
                .labels
                .get_mut(&id)
                .ok_or_else(|| first.error(format_args!("id {id} is not a label here")))?;
            label.reachable = true;
            // The last successor first, so that the first one follows its block.
            let at = label.successors.len().checked_sub(*next + 1);
            let Some(successor) = at.map(|at| label.successors[at]) else {
                postorder.push(id);
                stack.pop();
                continue;
            };
            *next += 1;
            if successor == entry {
                return Err(first.error("a branch to the entry block"));
            }
            if self
                .labels
                .get(&successor)
                .is_none_or(|label| !label.reachable)
            {
                stack.push((successor, 0));
            }
        }
        postorder.reverse();
        Ok(postorder)
    }

    /// Finds labels, phis and branches; gives the entry's label.
    fn scan_labels(&mut self, body: &[Inst<'a>]) -> Result<u32> {
        let (mut entry, mut current, mut open) = (0, 0, false);
        for (at, inst) in body.iter().enumerate() {
            if inst.op == Op::Label {
                if current == 0 {
                    entry = inst.id;
                } else if open {
                    return Err(inst.error("the block before has no terminator"));
                }
                current = inst.id;
                let label = Label {
                    block: None,
                    phis: Vec::new(),
                    successors: SmallVec::new(),
                    body: at + 1..at + 1,
                    reachable: false,
                };
                if self.labels.insert(current, label).is_some() {
                    return Err(inst.error("the id is already defined"));
                }
                open = true;
                continue;
            }
            if current == 0 {
                if matches!(inst.op, Op::Line | Op::NoLine | Op::Nop) {
                    continue;
                }
                return Err(inst.error("an instruction outside a block"));
            }
            if !open {
                return Err(inst.error("an instruction behind its block's terminator"));
            }
            let mut successors: SmallVec<[u32; 2]> = SmallVec::new();
            match inst.op {
                Op::Phi => {
                    if let Some(label) = self.labels.get_mut(&current) {
                        label.phis.push(*inst);
                    }
                    continue;
                }
                Op::Branch => successors.push(inst.arg(0)?),
                Op::BranchConditional => {
                    successors.push(inst.arg(1)?);
                    successors.push(inst.arg(2)?);
                }
                // The literals' width depends on the selector's type, which only the walk
                // knows; every other word is a label, or every third.
                Op::Switch => {
                    successors.push(inst.arg(1)?);
                    let width = self.switch_literal_words(inst, body)?;
                    for case in inst.rest(2).chunks(width + 1) {
                        if case.len() != width + 1 {
                            return Err(inst.error("the last case has no label"));
                        }
                        successors.push(case[width]);
                    }
                }
                Op::Return | Op::ReturnValue | Op::Unreachable | Op::Kill => {}
                _ => continue,
            }
            if let Some(label) = self.labels.get_mut(&current) {
                label.successors = successors;
                label.body.end = at + 1;
            }
            open = false;
        }
        if open {
            let message = "the last block has no terminator";
            return Err(body[body.len() - 1].error(message));
        }
        Ok(entry)
    }

    /// Words per case literal: two for 64-bit selectors.
    fn switch_literal_words(&self, switch: &Inst<'_>, body: &[Inst<'_>]) -> Result<usize> {
        let selector = switch.arg(0)?;
        let ty = match self.pre.constant_or_none(selector) {
            Some(constant) => Some(constant.ty),
            None => body
                .iter()
                .find(|inst| inst.id == selector && inst.ty != 0)
                .map(|inst| inst.ty)
                .or_else(|| self.decls.iter().find_map(|decl| decl.param_type(selector)))
                .map(|ty| self.pre.type_of_id(switch, ty))
                .transpose()?,
        };
        let leaf = ty.and_then(|ty| self.pre.types.get(ty).leaf);
        match leaf {
            Some(leaf) if leaf.scalar.is_int() && leaf.lanes == 1 => {
                Ok(if leaf.scalar == Scalar::I64 { 2 } else { 1 })
            }
            _ => Err(switch.error("the selector is not an integer")),
        }
    }

    /// Makes the block of a label, its phis as parameters.
    fn declare_block(&mut self, id: u32) -> Result<()> {
        let block = self.func.append_block();
        let phis = match self.labels.get_mut(&id) {
            Some(label) => {
                label.block = Some(block);
                label.phis.clone()
            }
            None => Vec::new(),
        };
        for phi in &phis {
            let ty = self.pre.type_of_id(phi, phi.ty)?;
            let leaves: Leaves = self
                .type_leaves(phi, ty)?
                .iter()
                .map(|leaf| self.func.append_param(block, leaf.ty))
                .collect();
            self.define(phi, ty, Val::Leaves(leaves))?;
        }
        Ok(())
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

    /// Whether a pointer parameter stands for a copy of what it points to.
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

    fn current(&mut self) -> Block {
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
        let slot = self.func.slots.push(StackSlotData { size, align });
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

    /// What an id stands for; constants and addresses are made here.
    pub fn local(&mut self, inst: &Inst<'_>, id: u32) -> Result<Local> {
        if let Some(local) = self.values.get(&id) {
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
        if info.leaf.is_none() && info.leaves > MAX_VALUE_LEAVES {
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
        }
    }

    /// An operand that is one scalar, vector or pointer.
    pub fn value(&mut self, inst: &Inst<'_>, id: u32) -> Result<Value> {
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
        if self.pre.def(inst.id) != Def::None || self.values.insert(inst.id, local).is_some() {
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

    // ---- terminators ----

    fn target(&mut self, inst: &Inst<'_>, id: u32) -> Result<BlockCall> {
        let label = self
            .labels
            .get(&id)
            .ok_or_else(|| inst.error(format_args!("id {id} is not a label here")))?;
        let (block, phis) = (label.block, label.phis.clone());
        let block = block.ok_or_else(|| inst.error("a branch to a missing block"))?;
        let mut args = SmallVec::new();
        for phi in &phis {
            let from = self.label;
            let value = phi
                .args
                .chunks(2)
                .find(|pair| pair.len() == 2 && pair[1] == from)
                .map(|pair| pair[0])
                .ok_or_else(|| phi.error(format_args!("no value for predecessor {from}")))?;
            let (ty, leaves) = self.leaves(phi, value)?;
            let phi_ty = self.pre.type_of_id(phi, phi.ty)?;
            if !self.pre.types.same_leaves(ty, phi_ty) {
                return Err(phi.error("a value's type is not the result type"));
            }
            args.extend(leaves);
        }
        Ok(BlockCall { block, args })
    }

    /// Terminators and calls of control flow.
    pub fn terminator(&mut self, inst: &Inst<'_>, decl_ret: Ty) -> Result<()> {
        let kind = match inst.op {
            Op::Branch => InstKind::Jump {
                dest: self.target(inst, inst.arg(0)?)?,
            },
            Op::BranchConditional => {
                let cond = self.arg(inst, 0)?;
                if self.func.ty(cond) != Type::BOOL {
                    return Err(inst.error("the condition is not a bool"));
                }
                InstKind::Branch {
                    cond,
                    then: self.target(inst, inst.arg(1)?)?,
                    other: self.target(inst, inst.arg(2)?)?,
                }
            }
            Op::Switch => {
                let value = self.arg(inst, 0)?;
                let ty = self.func.ty(value);
                if !ty.scalar.is_int() || ty.lanes != 1 {
                    return Err(inst.error("the selector is not an integer"));
                }
                let width = if ty.scalar == Scalar::I64 { 2 } else { 1 };
                let default = self.target(inst, inst.arg(1)?)?;
                let mut seen = FxHashSet::default();
                let mut cases = Vec::new();
                for case in inst.rest(2).chunks(width + 1) {
                    let [literal @ .., label] = case else {
                        continue;
                    };
                    let bits = literal
                        .iter()
                        .rev()
                        .fold(0, |bits, &word| bits << 32 | u64::from(word));
                    let bits = crate::passes::eval::mask(ty.scalar, bits);
                    if !seen.insert(bits) {
                        return Err(inst.error(format_args!("case {bits} stands twice")));
                    }
                    cases.push((bits, self.target(inst, *label)?));
                }
                InstKind::Switch {
                    value,
                    default,
                    cases,
                }
            }
            Op::Return => InstKind::Return {
                values: SmallVec::new(),
            },
            Op::ReturnValue => {
                let (ty, leaves) = self.leaves(inst, inst.arg(0)?)?;
                if !self.pre.types.same_leaves(ty, decl_ret) {
                    return Err(inst.error("the value is not of the function's type"));
                }
                InstKind::Return {
                    values: leaves.into_iter().collect(),
                }
            }
            _ => InstKind::Unreachable,
        };
        if let InstKind::Return { values } = &kind {
            if values.len() != self.func.results.len() {
                return Err(inst.error("the function returns a value"));
            }
        }
        self.terminate(kind);
        Ok(())
    }
}
