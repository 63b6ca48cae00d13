//! Rvalues that are no records.

use rspirv::spirv::Op;

use super::EmitError;
use super::bit_field::Bits;
use super::function::FunctionEmitter;
use crate::lang::types::{AddrSpace, OpaqueKind, Type, TypeId, TypeTable};
use crate::sema::typed::{ArithOp, CompareOp, ExprId, ExprKind, LvalueKind, NO_LANE};
use crate::source::Span;
use pumice_target::Check;

impl FunctionEmitter<'_, '_> {
    /// Evaluates an expression; records go to a temporary and give its address. Void
    /// expressions give 0.
    pub fn expr(&mut self, id: ExprId) -> Result<u32, EmitError> {
        let body = self.body;
        let expr = body.expr(id);
        let ty = expr.ty;
        if self.e.is_record(ty) {
            return self.record_in_memory(id);
        }
        Ok(match &expr.kind {
            ExprKind::Int(value) => self.int_constant(ty, *value),
            ExprKind::Float(value) => self.float_constant(ty, *value),
            ExprKind::Null | ExprKind::Zero => {
                if *self.e.module.types.get(ty) == Type::Bool {
                    self.bool_constant(false)
                } else {
                    let ty = self.e.value_type(ty);
                    self.e.b.const_null(ty)
                }
            }
            ExprKind::Block { context, .. } => self.block(*context)?,
            ExprKind::Sampler(mask) => self.sampler(*mask, ty),
            ExprKind::Load(lvalue) if self.is_handle(ty) => {
                let LvalueKind::Local(local) = body.lvalue(*lvalue).kind else {
                    unreachable!("only parameters hold images, samplers and pipes");
                };
                self.local(local)
            }
            ExprKind::Load(lvalue) => {
                let addr = self.lvalue(*lvalue)?;
                self.checked_access(*lvalue);
                self.load(&addr)
            }
            ExprKind::AddrOf(lvalue) => self.address_of(*lvalue, ty)?,
            ExprKind::Decay(lvalue) => self.decay(*lvalue, ty)?,
            ExprKind::Convert { kind, operand } => self.convert(*kind, *operand, ty)?,
            ExprKind::Neg(operand) => {
                let value = self.expr(*operand)?;
                let is_float = self.is_float(ty);
                let op = if is_float { Op::FNegate } else { Op::SNegate };
                let ty = self.e.value_type(ty);
                self.e.b.op(op, ty, &[value])
            }
            ExprKind::BitNot(operand) => {
                let value = self.expr(*operand)?;
                let ty = self.e.value_type(ty);
                self.e.b.op(Op::Not, ty, &[value])
            }
            ExprKind::Not(operand) => self.logical_not(*operand, ty)?,
            ExprKind::Binary {
                op,
                lhs,
                rhs,
                contract,
            } => match self.mul_add(id, ty)? {
                Some(sum) => sum,
                None => {
                    let result = self.binary((*op, expr.span), *lhs, *rhs, ty)?;
                    self.fast_math(result, ty, *contract);
                    result
                }
            },
            ExprKind::Compare { op, lhs, rhs } => self.compare(*op, *lhs, *rhs, ty)?,
            ExprKind::Logical { and, lhs, rhs } => self.logical(*and, *lhs, *rhs)?,
            ExprKind::VectorLogical { and, lhs, rhs } => {
                let lhs = self.expr(*lhs)?;
                let rhs = self.expr(*rhs)?;
                let op = if *and { Op::BitwiseAnd } else { Op::BitwiseOr };
                let ty = self.e.value_type(ty);
                self.e.b.op(op, ty, &[lhs, rhs])
            }
            ExprKind::Cond {
                cond,
                then,
                otherwise,
            } => self.conditional(*cond, *then, *otherwise, ty)?,
            ExprKind::Select {
                cond,
                then,
                otherwise,
            } => {
                let cond_ty = body.expr(*cond).ty;
                let mask = self.expr(*cond)?;
                let then = self.expr(*then)?;
                let otherwise = self.expr(*otherwise)?;
                let picked = self.sign_bits(mask, cond_ty);
                let ty = self.e.value_type(ty);
                self.e.b.op(Op::Select, ty, &[picked, then, otherwise])
            }
            ExprKind::Stmts { stmts, value } => {
                for &stmt in stmts {
                    self.stmt(stmt)?;
                }
                if self.e.b.block().is_none() {
                    // An endless loop: what follows is never reached, yet needs a block.
                    let block = self.e.b.id();
                    self.e.b.start_block(block);
                }
                match value {
                    Some(value) => self.expr(*value)?,
                    None => 0,
                }
            }
            ExprKind::PtrAdd { base, index } => self.pointer_add(*base, *index, ty)?,
            ExprKind::PtrDiff {
                lhs,
                rhs,
                elem_size,
            } => {
                let long = self.e.size_type();
                let lhs = self.expr(*lhs)?;
                let rhs = self.expr(*rhs)?;
                let lhs = self.e.b.op(Op::ConvertPtrToU, long, &[lhs]);
                let rhs = self.e.b.op(Op::ConvertPtrToU, long, &[rhs]);
                let bytes = self.e.b.op(Op::ISub, long, &[lhs, rhs]);
                if *elem_size <= 1 {
                    bytes
                } else {
                    let size = self.e.size_constant(*elem_size);
                    self.e.b.op(Op::SDiv, long, &[bytes, size])
                }
            }
            ExprKind::Assign { lvalue, value } => {
                // The target first, as every C compiler that people compare with does.
                let addr = self.lvalue(*lvalue)?;
                let value = self.expr(*value)?;
                self.checked_access(*lvalue);
                self.store(&addr, value);
                self.stored(&addr, value)
            }
            ExprKind::Update { lvalue, value, old } => {
                let addr = self.lvalue(*lvalue)?;
                self.updates.push((addr.clone(), None));
                let new = self.expr(*value);
                let read = self.updates.pop().and_then(|(_, read)| read);
                let new = new?;
                self.checked_access(*lvalue);
                self.store(&addr, new);
                match read {
                    Some(read) if *old => read,
                    _ => self.stored(&addr, new),
                }
            }
            ExprKind::OldValue => {
                let (addr, read) = self
                    .updates
                    .last()
                    .cloned()
                    .expect("an old value is inside its update");
                match read {
                    Some(read) => read,
                    None => {
                        self.checked_at(expr.span);
                        let value = self.load(&addr);
                        if let Some(top) = self.updates.last_mut() {
                            top.1 = Some(value);
                        }
                        value
                    }
                }
            }
            ExprKind::Comma { lhs, rhs } => {
                self.expr(*lhs)?;
                self.expr(*rhs)?
            }
            ExprKind::Call { .. } | ExprKind::CallPointer { .. } => self.any_call(id, None)?,
            ExprKind::AddrOfFunction(func) => {
                let function = self.e.functions[func.0 as usize];
                let pointer = self.e.value_type(ty);
                let op = Op::ConstantFunctionPointerINTEL;
                self.e.b.unique(op, Some(pointer), &[function])
            }
            ExprKind::Builtin { id: row, args } => self.builtin(id, *row, args)?,
            ExprKind::VectorBuild(parts) => self.vector_build(parts, ty)?,
            ExprKind::Swizzle { base, lanes } => {
                let (elem, _) = self.e.module.types.elem_lanes(body.expr(*base).ty);
                let base = self.expr(*base)?;
                self.swizzle(base, elem, lanes)
            }
            ExprKind::ExtractLane { base, index } => {
                let vector = self.expr(*base)?;
                let elem = self.e.value_type(ty);
                if let ExprKind::Int(lane) = body.expr(*index).kind {
                    let (_, lanes) = self.e.module.types.elem_lanes(body.expr(*base).ty);
                    if lane < u64::from(lanes) {
                        let operands = [vector, lane as u32];
                        return Ok(self.e.b.op(Op::CompositeExtract, elem, &operands));
                    }
                }
                let index = self.expr(*index)?;
                self.e
                    .b
                    .op(Op::VectorExtractDynamic, elem, &[vector, index])
            }
            ExprKind::ExtractField { base, field } => {
                let (pointer, align) = self.extracted_field(*base, *field)?;
                match self.bits_in(body.expr(*base).ty, *field) {
                    Some(bits) => self.load_bits(Bits::private(pointer, bits, ty)),
                    None => self.load_value(pointer, ty, align, false),
                }
            }
        })
    }

    /// Lanes of a vector value; one lane gives a scalar.
    pub fn swizzle(&mut self, vector: u32, elem: TypeId, lanes: &[u8]) -> u32 {
        let ty = self.vector_type((elem, lanes.len() as u8));
        if let [NO_LANE] = lanes {
            return self.e.b.op(Op::Undef, ty, &[]);
        }
        if let [lane] = lanes {
            let operands = [vector, u32::from(*lane)];
            return self.e.b.op(Op::CompositeExtract, ty, &operands);
        }
        let mut operands = vec![vector, vector];
        operands.extend(lanes.iter().map(|l| match *l {
            // OpVectorShuffle's number for a component without source.
            NO_LANE => u32::MAX,
            lane => u32::from(lane),
        }));
        self.e.b.op(Op::VectorShuffle, ty, &operands)
    }

    /// An integer, bool or enumeration constant.
    pub fn int_constant(&mut self, ty: TypeId, value: u64) -> u32 {
        match self.e.module.types.get(ty) {
            Type::Bool => self.bool_constant(value != 0),
            _ => {
                let bits = (self.e.module.types.size(ty) * 8) as u32;
                self.e.b.const_int(bits, value)
            }
        }
    }

    /// OpConstantTrue or OpConstantFalse.
    pub fn bool_constant(&mut self, value: bool) -> u32 {
        let ty = self.e.b.ty_bool();
        let op = if value {
            Op::ConstantTrue
        } else {
            Op::ConstantFalse
        };
        self.e.b.unique(op, Some(ty), &[])
    }

    /// A float constant that its type represents exactly.
    pub fn float_constant(&mut self, ty: TypeId, value: f64) -> u32 {
        let bits = (self.e.module.types.size(ty) * 8) as u32;
        let pattern = match bits {
            16 => u64::from(pumice_numerics::half_from_f64(value)),
            32 => u64::from((value as f32).to_bits()),
            _ => value.to_bits(),
        };
        self.e.value_type(ty);
        self.e.b.const_float_bits(bits, pattern)
    }

    /// Returns whether values are images, samplers or pipes, which are never stored in memory.
    pub fn is_handle(&self, ty: TypeId) -> bool {
        let opaque = self.e.module.types.opaque(ty);
        opaque.is_some_and(OpaqueKind::is_handle)
    }

    /// Returns whether a type or its elements are floats.
    pub fn is_float(&self, ty: TypeId) -> bool {
        let types = &self.e.module.types;
        types.is_float(types.elem_lanes(ty).0)
    }

    /// The bool type with as many lanes as `ty`.
    pub fn bool_type(&mut self, ty: TypeId) -> u32 {
        let (_, lanes) = self.e.module.types.elem_lanes(ty);
        let bool_ty = self.e.b.ty_bool();
        self.e.b.ty_vector(bool_ty, u32::from(lanes))
    }

    /// Zero of a scalar or vector type.
    pub fn zero(&mut self, ty: TypeId) -> u32 {
        let (elem, lanes) = self.e.module.types.elem_lanes(ty);
        if lanes == 1 && !self.is_float(ty) {
            return self.int_constant(elem, 0);
        }
        let ty = self.e.value_type(ty);
        self.e.b.const_null(ty)
    }

    /// The same scalar constant in all lanes of an integer type.
    pub fn int_splat(&mut self, ty: TypeId, value: u64) -> u32 {
        let (elem, lanes) = self.e.module.types.elem_lanes(ty);
        let scalar = self.int_constant(elem, value);
        if lanes == 1 {
            return scalar;
        }
        let ty = self.e.value_type(ty);
        let parts = vec![scalar; usize::from(lanes)];
        self.e.b.const_composite(ty, &parts)
    }

    /// The most significant bit of each lane, as bool.
    pub fn sign_bits(&mut self, value: u32, ty: TypeId) -> u32 {
        let zero = self.zero(ty);
        let bools = self.bool_type(ty);
        self.e.b.op(Op::SLessThan, bools, &[value, zero])
    }

    /// bool to the integer result of a comparison: 1 for scalars, -1 in lanes.
    pub fn truth(&mut self, value: u32, ty: TypeId) -> u32 {
        let (_, lanes) = self.e.module.types.elem_lanes(ty);
        let yes = self.int_splat(ty, if lanes == 1 { 1 } else { u64::MAX });
        let no = self.zero(ty);
        let ty = self.e.value_type(ty);
        self.e.b.op(Op::Select, ty, &[value, yes, no])
    }

    fn logical_not(&mut self, operand: ExprId, ty: TypeId) -> Result<u32, EmitError> {
        let operand_ty = self.body.expr(operand).ty;
        let value = self.expr(operand)?;
        let bools = self.bool_type(operand_ty);
        if *self.e.module.types.get(operand_ty) == Type::Bool {
            return Ok(self.e.b.op(Op::LogicalNot, bools, &[value]));
        }
        let zero = self.zero(operand_ty);
        let op = if self.is_float(operand_ty) {
            Op::FOrdEqual
        } else {
            Op::IEqual
        };
        let is_zero = self.e.b.op(op, bools, &[value, zero]);
        if *self.e.module.types.get(ty) == Type::Bool {
            return Ok(is_zero);
        }
        Ok(self.truth(is_zero, ty))
    }

    fn binary(
        &mut self,
        (op, span): (ArithOp, Span),
        lhs: ExprId,
        rhs: ExprId,
        ty: TypeId,
    ) -> Result<u32, EmitError> {
        let body = self.body;
        let left = self.expr(lhs)?;
        let mut right = self.expr(rhs)?;
        let types = &self.e.module.types;
        let is_float = self.is_float(ty);
        let signed = types.is_signed(ty);
        if matches!(op, ArithOp::Shl | ArithOp::Shr) {
            let (elem, _) = types.elem_lanes(ty);
            let bits = types.size(elem) * 8;
            let in_range = matches!(body.expr(rhs).kind, ExprKind::Int(n) if n < bits);
            // A check reports the count itself; the back end takes it modulo the width likewise.
            if !in_range && !self.e.checks.has(Check::Shift) {
                let mask = self.int_splat(ty, bits - 1);
                let value = self.e.value_type(ty);
                right = self.e.b.op(Op::BitwiseAnd, value, &[right, mask]);
            }
        }
        let opcode = match (op, is_float, signed) {
            (ArithOp::Add, true, _) => Op::FAdd,
            (ArithOp::Sub, true, _) => Op::FSub,
            (ArithOp::Mul, true, _) => Op::FMul,
            (ArithOp::Div, true, _) => Op::FDiv,
            (ArithOp::Rem, true, _) => Op::FRem,
            (ArithOp::Add, ..) => Op::IAdd,
            (ArithOp::Sub, ..) => Op::ISub,
            (ArithOp::Mul, ..) => Op::IMul,
            (ArithOp::Div, _, true) => Op::SDiv,
            (ArithOp::Div, ..) => Op::UDiv,
            (ArithOp::Rem, _, true) => Op::SRem,
            (ArithOp::Rem, ..) => Op::UMod,
            (ArithOp::Shl, ..) => Op::ShiftLeftLogical,
            (ArithOp::Shr, _, true) => Op::ShiftRightArithmetic,
            (ArithOp::Shr, ..) => Op::ShiftRightLogical,
            (ArithOp::And, ..) => Op::BitwiseAnd,
            (ArithOp::Or, ..) => Op::BitwiseOr,
            (ArithOp::Xor, ..) => Op::BitwiseXor,
        };
        let value = self.e.value_type(ty);
        if !is_float {
            self.checked_at(span);
        }
        Ok(self.e.b.op(opcode, value, &[left, right]))
    }

    fn compare(
        &mut self,
        op: CompareOp,
        lhs: ExprId,
        rhs: ExprId,
        ty: TypeId,
    ) -> Result<u32, EmitError> {
        let operand_ty = self.body.expr(lhs).ty;
        let mut left = self.expr(lhs)?;
        let mut right = self.expr(rhs)?;
        let bools = self.bool_type(operand_ty);
        let module = self.e.module;
        let mut signed = module.types.is_signed(operand_ty);
        match module.types.get(operand_ty) {
            Type::Pointer { .. } => {
                let long = self.e.b.ty_int(64);
                left = self.e.b.op(Op::ConvertPtrToU, long, &[left]);
                right = self.e.b.op(Op::ConvertPtrToU, long, &[right]);
                signed = false;
            }
            Type::Bool => {
                left = self.truth_int(left);
                right = self.truth_int(right);
            }
            Type::Opaque(_) => {
                left = self.handle_bits(left, operand_ty);
                right = self.handle_bits(right, operand_ty);
            }
            _ => {}
        }
        let opcode = if self.is_float(operand_ty) {
            match op {
                CompareOp::Eq => Op::FOrdEqual,
                CompareOp::Ne => Op::FUnordNotEqual,
                CompareOp::Lt => Op::FOrdLessThan,
                CompareOp::Le => Op::FOrdLessThanEqual,
                CompareOp::Gt => Op::FOrdGreaterThan,
                CompareOp::Ge => Op::FOrdGreaterThanEqual,
            }
        } else {
            match (op, signed) {
                (CompareOp::Eq, _) => Op::IEqual,
                (CompareOp::Ne, _) => Op::INotEqual,
                (CompareOp::Lt, true) => Op::SLessThan,
                (CompareOp::Lt, false) => Op::ULessThan,
                (CompareOp::Le, true) => Op::SLessThanEqual,
                (CompareOp::Le, false) => Op::ULessThanEqual,
                (CompareOp::Gt, true) => Op::SGreaterThan,
                (CompareOp::Gt, false) => Op::UGreaterThan,
                (CompareOp::Ge, true) => Op::SGreaterThanEqual,
                (CompareOp::Ge, false) => Op::UGreaterThanEqual,
            }
        };
        let result = self.e.b.op(opcode, bools, &[left, right]);
        if *module.types.get(ty) == Type::Bool {
            return Ok(result);
        }
        Ok(self.truth(result, ty))
    }

    /// The bits of an event or a queue. No instruction converts these types, so the value goes
    /// through memory.
    fn handle_bits(&mut self, value: u32, ty: TypeId) -> u32 {
        let variable = self.temporary(ty);
        let align = self.align(ty);
        self.store_value(variable, ty, value, align, false);
        let word = self.e.module.types.size_type();
        let words = self.e.pointer_to(word, AddrSpace::Private);
        let pointer = self.e.b.op(Op::Bitcast, words, &[variable]);
        self.load_value(pointer, word, align, false)
    }

    /// bool as a 32-bit 0 or 1.
    pub fn truth_int(&mut self, value: u32) -> u32 {
        self.truth(value, TypeTable::INT)
    }

    fn logical(&mut self, and: bool, lhs: ExprId, rhs: ExprId) -> Result<u32, EmitError> {
        let left = self.expr(lhs)?;
        let short = self.bool_constant(!and);
        let from = self.current_block();
        let (more, end) = (self.e.b.id(), self.e.b.id());
        if and {
            self.e.b.branch_if(left, more, end);
        } else {
            self.e.b.branch_if(left, end, more);
        }
        self.e.b.start_block(more);
        let right = self.expr(rhs)?;
        let last = self.current_block();
        self.e.b.start_block(end);
        let ty = self.e.b.ty_bool();
        Ok(self.e.b.op(Op::Phi, ty, &[short, from, right, last]))
    }

    /// The open block, opening one behind a jump.
    fn current_block(&mut self) -> u32 {
        match self.e.b.block() {
            Some(block) => block,
            None => {
                let block = self.e.b.id();
                self.e.b.start_block(block);
                block
            }
        }
    }

    fn conditional(
        &mut self,
        cond: ExprId,
        then: ExprId,
        otherwise: ExprId,
        ty: TypeId,
    ) -> Result<u32, EmitError> {
        let cond = self.expr(cond)?;
        let (yes, no, end) = (self.e.b.id(), self.e.b.id(), self.e.b.id());
        self.e.b.branch_if(cond, yes, no);
        self.e.b.start_block(yes);
        let then = self.expr(then)?;
        let yes_end = self.current_block();
        self.e.b.branch(end);
        self.e.b.start_block(no);
        let otherwise = self.expr(otherwise)?;
        let no_end = self.current_block();
        self.e.b.start_block(end);
        if ty == TypeTable::VOID {
            return Ok(0);
        }
        let ty = self.e.value_type(ty);
        let operands = [then, yes_end, otherwise, no_end];
        Ok(self.e.b.op(Op::Phi, ty, &operands))
    }

    fn vector_build(&mut self, parts: &[ExprId], ty: TypeId) -> Result<u32, EmitError> {
        let mut values = Vec::with_capacity(parts.len());
        for part in parts {
            values.push(self.expr(*part)?);
        }
        let ty = self.e.value_type(ty);
        Ok(match values[..] {
            // One part covers all lanes: it is the vector.
            [only] => only,
            _ => self.e.b.construct(ty, &values),
        })
    }
}
