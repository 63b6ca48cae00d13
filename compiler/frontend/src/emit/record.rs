//! Records (and arrays inside them) as values: they live in memory and are copied.

use rspirv::spirv::Op;

use super::EmitError;
use super::function::{FunctionEmitter, SpirvSignature};
use super::lvalue::Addr;
use crate::lang::types::{AddrSpace, Type, TypeId, TypeTable};
use crate::sema::typed::{ConvertKind, ExprId, ExprKind, FuncId};

/// Objects up to this many bytes are cleared by one store.
const SMALL: u64 = 128;

impl FunctionEmitter<'_, '_> {
    /// Evaluates a record and gives the address of memory that holds it. The memory may be the
    /// object itself: read it before anything else is evaluated.
    pub fn record_in_memory(&mut self, id: ExprId) -> Result<u32, EmitError> {
        let ty = self.body.expr(id).ty;
        let temporary = self.temporary(ty);
        self.record_into(id, temporary, AddrSpace::Private, self.align(ty))?;
        Ok(temporary)
    }

    /// Alignment of a type.
    pub fn align(&self, ty: TypeId) -> u64 {
        self.e.module.types.align(ty)
    }

    /// Evaluates a record into memory that the expression cannot refer to.
    pub fn record_into(
        &mut self,
        id: ExprId,
        target: u32,
        space: AddrSpace,
        align: u64,
    ) -> Result<(), EmitError> {
        let body = self.body;
        let expr = body.expr(id);
        let ty = expr.ty;
        match &expr.kind {
            ExprKind::Load(lvalue) => {
                let Addr::Memory {
                    pointer,
                    align: source,
                    volatile,
                    ..
                } = self.lvalue(*lvalue)?
                else {
                    unreachable!("a record is never a vector's lane");
                };
                self.checked_access(*lvalue);
                self.copy(target, pointer, ty, align.min(source), volatile);
            }
            ExprKind::Zero => self.clear(target, ty, align)?,
            ExprKind::Call { .. } | ExprKind::CallPointer { .. } if space == AddrSpace::Private => {
                self.any_call(id, Some(target))?;
            }
            ExprKind::Call { .. } | ExprKind::CallPointer { .. } => {
                let temporary = self.temporary(ty);
                self.any_call(id, Some(temporary))?;
                self.copy(target, temporary, ty, align.min(self.align(ty)), false);
            }
            ExprKind::Assign { lvalue, value } => {
                let Addr::Memory {
                    pointer,
                    align: own,
                    volatile,
                    ..
                } = self.lvalue(*lvalue)?
                else {
                    unreachable!("a record is never a vector's lane");
                };
                // `a = f(&a)` and `s.a = *p` may read what they write: through a temporary,
                // except for plain copies.
                if let ExprKind::Load(source) = &body.expr(*value).kind {
                    if let Addr::Memory {
                        pointer: source,
                        align: other,
                        volatile: reads_volatile,
                        ..
                    } = self.lvalue(*source)?
                    {
                        let volatile = volatile || reads_volatile;
                        self.copy(pointer, source, ty, own.min(other), volatile);
                    }
                } else {
                    let value = self.record_in_memory(*value)?;
                    self.copy(pointer, value, ty, own.min(self.align(ty)), volatile);
                }
                if target != 0 {
                    self.copy(target, pointer, ty, align.min(own), false);
                }
            }
            ExprKind::Comma { lhs, rhs } => {
                self.expr(*lhs)?;
                self.record_into(*rhs, target, space, align)?;
            }
            ExprKind::Cond {
                cond,
                then,
                otherwise,
            } => {
                let cond = self.expr(*cond)?;
                let (yes, no, end) = (self.e.b.id(), self.e.b.id(), self.e.b.id());
                self.e.b.branch_if(cond, yes, no);
                self.e.b.start_block(yes);
                self.record_into(*then, target, space, align)?;
                self.e.b.branch(end);
                self.e.b.start_block(no);
                self.record_into(*otherwise, target, space, align)?;
                self.e.b.start_block(end);
            }
            ExprKind::ExtractField { base, field } => {
                let (source, source_align) = self.extracted_field(*base, *field)?;
                self.copy(target, source, ty, align.min(source_align), false);
            }
            ExprKind::Convert {
                kind: ConvertKind::Same,
                operand,
            } => self.record_into(*operand, target, space, align)?,
            _ => {
                return Err(EmitError {
                    span: expr.span,
                    message: "expression of struct or union type is not supported here".to_string(),
                });
            }
        }
        Ok(())
    }

    /// Evaluates a record for its effects only.
    pub fn record_effects(&mut self, id: ExprId) -> Result<(), EmitError> {
        let body = self.body;
        let expr = body.expr(id);
        if let ExprKind::Assign { .. } = expr.kind {
            self.record_into(id, 0, AddrSpace::Private, 1)
        } else {
            self.record_in_memory(id).map(|_| ())
        }
    }

    /// Address and alignment of a field of an rvalue record.
    pub fn extracted_field(&mut self, base: ExprId, field: u32) -> Result<(u32, u64), EmitError> {
        let body = self.body;
        let record_ty = body.expr(base).ty;
        let pointer = self.record_in_memory(base)?;
        let address = self.field_address(pointer, record_ty, field, AddrSpace::Private);
        let types = &self.e.module.types;
        let offset = types
            .record_id(record_ty)
            .map_or(0, |r| types.record(r).fields[field as usize].offset);
        // The lowest set bit of the offset bounds the alignment.
        let align = types.align(record_ty);
        let bound = if offset == 0 {
            align
        } else {
            align.min(1 << offset.trailing_zeros())
        };
        Ok((address, bound))
    }

    /// Copies an object.
    pub fn copy(&mut self, target: u32, source: u32, ty: TypeId, align: u64, volatile: bool) {
        let size = self.e.module.types.size(ty);
        if size == 0 || target == source {
            return;
        }
        let size = self.e.b.const_int(64, size);
        let mask = 2 | u32::from(volatile);
        let operands = [target, source, size, mask, align.max(1) as u32];
        self.e.b.op_void(Op::CopyMemorySized, &operands);
    }

    /// Fills an object with zeros.
    pub fn clear(&mut self, target: u32, ty: TypeId, align: u64) -> Result<(), EmitError> {
        let size = self.e.module.types.size(ty);
        if size == 0 {
            return Ok(());
        }
        let memory = self.e.memory_type(ty);
        let zero = self.e.b.const_null(memory);
        if size <= SMALL {
            let operands = [target, zero, 2, align.max(1) as u32];
            self.e.b.op_void(Op::Store, &operands);
        } else {
            let source = self.e.anonymous(ty, zero);
            self.copy(target, source, ty, align, false);
        }
        Ok(())
    }

    /// A call of a function or through a pointer. A returned record goes to `target` (or a
    /// temporary, whose address is the result).
    pub fn any_call(&mut self, id: ExprId, target: Option<u32>) -> Result<u32, EmitError> {
        match &self.body.expr(id).kind {
            ExprKind::Call { func, args } => self.call(*func, args, target),
            ExprKind::CallPointer { callee, args } => self.call_pointer(*callee, args, target),
            _ => unreachable!("only calls"),
        }
    }

    fn call(
        &mut self,
        func: FuncId,
        args: &[ExprId],
        target: Option<u32>,
    ) -> Result<u32, EmitError> {
        let module = self.e.module;
        let function = module.function(func);
        let signature = self.e.signature(&function.params, function.ret);
        let callee = self.e.functions[func.0 as usize];
        let op = Op::FunctionCall;
        self.write_call(op, callee, signature, function.ret, args, target)
    }

    fn call_pointer(
        &mut self,
        pointer: ExprId,
        args: &[ExprId],
        target: Option<u32>,
    ) -> Result<u32, EmitError> {
        let module = self.e.module;
        let callee = self.expr(pointer)?;
        let pointee = module.types.pointer_parts(self.body.expr(pointer).ty);
        let Some(Type::Function { ret, params, .. }) = pointee.map(|(q, _)| module.types.get(q.ty))
        else {
            unreachable!("only functions are called");
        };
        let signature = self.e.signature(params, *ret);
        let op = Op::FunctionPointerCallINTEL;
        self.write_call(op, callee, signature, *ret, args, target)
    }

    fn write_call(
        &mut self,
        op: Op,
        callee: u32,
        signature: SpirvSignature,
        ret: TypeId,
        args: &[ExprId],
        target: Option<u32>,
    ) -> Result<u32, EmitError> {
        let body = self.body;
        let mut operands = vec![callee];
        let mut result = 0;
        if signature.sret {
            result = target.unwrap_or_else(|| self.temporary(ret));
            operands.push(result);
        }
        for arg in args {
            debug_assert_ne!(body.expr(*arg).ty, TypeTable::VOID);
            operands.push(self.expr(*arg)?);
        }
        let value = self.e.b.op(op, signature.result, &operands);
        Ok(if signature.sret {
            result
        } else if ret == TypeTable::VOID {
            0
        } else {
            value
        })
    }
}
