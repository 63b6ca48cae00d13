//! Pipes and device-side enqueue.

use rspirv::spirv::{Op, Scope};

use super::EmitError;
use super::function::FunctionEmitter;
use crate::builtins::table::Lower;
use crate::lang::types::{AddrSpace, OpaqueKind, QualType, TypeId, TypeTable};
use crate::sema::typed::{ExprId, ExprKind};

/// CLK_ENQUEUE_FAILURE.
const ENQUEUE_FAILURE: u64 = -101_i32 as u32 as u64;

impl FunctionEmitter<'_, '_> {
    /// Functions on pipes, queues and events; `None` for other rows.
    pub fn device(
        &mut self,
        lower: Lower,
        args: &[ExprId],
        ty: TypeId,
    ) -> Result<Option<u32>, EmitError> {
        let is_device = matches!(
            lower,
            Lower::Pipe(..)
                | Lower::Device(_)
                | Lower::NdRange(_)
                | Lower::Enqueue
                | Lower::KernelQuery(_)
        );
        if !is_device {
            return Ok(None);
        }
        let mut values = Vec::with_capacity(args.len());
        for arg in args {
            values.push(self.expr(*arg)?);
        }
        Ok(Some(match lower {
            Lower::Pipe(op, scope) => self.pipe(op, scope, args, &values, ty),
            Lower::NdRange(dimensions) => self.ndrange(dimensions, args, &values, ty),
            Lower::Enqueue => {
                let mut operands = values[..6].to_vec();
                self.block_operands(args[6], values[6], &mut operands);
                operands.extend(&values[7..]);
                let int = self.e.b.ty_int(32);
                let status = self.e.b.op(Op::EnqueueKernel, int, &operands);
                self.enqueue_status(status)
            }
            Lower::KernelQuery(op) => {
                let last = args.len() - 1;
                let mut operands = values[..last].to_vec();
                self.block_operands(args[last], values[last], &mut operands);
                let int = self.e.b.ty_int(32);
                self.e.b.op(op, int, &operands)
            }
            Lower::Device(op) if ty == TypeTable::VOID => {
                self.e.b.op_void(op, &values);
                0
            }
            Lower::Device(Op::EnqueueMarker) => {
                let int = self.e.b.ty_int(32);
                let status = self.e.b.op(Op::EnqueueMarker, int, &values);
                self.enqueue_status(status)
            }
            Lower::Device(op) => {
                let result = self.e.value_type(ty);
                self.e.b.op(op, result, &values)
            }
            _ => return Ok(None),
        }))
    }

    /// The status of an enqueueing function: without -g each error is CLK_ENQUEUE_FAILURE.
    fn enqueue_status(&mut self, status: u32) -> u32 {
        if self.e.options.debug_info {
            return status;
        }
        let int = self.e.b.ty_int(32);
        let bool_ty = self.e.b.ty_bool();
        let zero = self.e.b.const_int(32, 0);
        let failure = self.e.b.const_int(32, ENQUEUE_FAILURE);
        let failed = self.e.b.op(Op::INotEqual, bool_ty, &[status, zero]);
        self.e.b.op(Op::Select, int, &[failed, failure, zero])
    }

    /// Invoke, Param, Param Size and Param Align of a block.
    fn block_operands(&mut self, block: ExprId, context: u32, operands: &mut Vec<u32>) {
        let body = self.body;
        let ExprKind::Block {
            func,
            context: source,
        } = body.expr(block).kind
        else {
            unreachable!("sema takes nothing else for a block");
        };
        let function = self.e.functions[func.0 as usize];
        // The context's own type stands before its conversion to bytes.
        let mut record = None;
        let mut at = source;
        while let ExprKind::Convert { operand, .. } = body.expr(at).kind {
            at = operand;
            record = self.e.module.types.pointer_parts(body.expr(at).ty);
        }
        let types = &self.e.module.types;
        let (size, align) =
            record.map_or((0, 1), |(to, _)| (types.size(to.ty), types.align(to.ty)));
        let size = self.e.b.const_u32(size as u32);
        let align = self.e.b.const_u32(align as u32);
        operands.extend([function, context, size, align]);
    }

    fn pipe(
        &mut self,
        op: Op,
        scope: Option<Scope>,
        args: &[ExprId],
        values: &[u32],
        ty: TypeId,
    ) -> u32 {
        let types = &self.e.module.types;
        let Some(OpaqueKind::Pipe(packet, _)) = types.opaque(self.body.expr(args[0]).ty) else {
            unreachable!("the table's pipe functions take a pipe first");
        };
        let (size, align) = (types.size(packet), types.align(packet));
        let op = match (op, values.len()) {
            (Op::ReadPipe, 4) => Op::ReservedReadPipe,
            (Op::WritePipe, 4) => Op::ReservedWritePipe,
            (op, _) => op,
        };
        let mut operands = Vec::with_capacity(values.len() + 3);
        operands.extend(scope.map(|s| self.e.b.const_u32(s as u32)));
        operands.extend(values);
        operands.push(self.e.b.const_u32(size as u32));
        operands.push(self.e.b.const_u32(align as u32));
        if ty == TypeTable::VOID {
            self.e.b.op_void(op, &operands);
            return 0;
        }
        let result = self.e.value_type(ty);
        self.e.b.op(op, result, &operands)
    }

    /// OpBuildNDRange: global size, local size, global offset. In C the offset comes first.
    fn ndrange(&mut self, dimensions: u8, args: &[ExprId], values: &[u32], ty: TypeId) -> u32 {
        let mut parts = Vec::with_capacity(3);
        for (arg, value) in args.iter().zip(values) {
            parts.push(self.sizes(dimensions, *arg, *value));
        }
        let zero = if dimensions == 1 {
            self.e.size_constant(0)
        } else {
            let size = self.e.size_type();
            let array = self.e.b.ty_array(size, u64::from(dimensions));
            self.e.b.const_null(array)
        };
        let (global, local, offset) = match parts[..] {
            [global] => (global, zero, zero),
            [global, local] => (global, local, zero),
            [offset, global, local] => (global, local, offset),
            _ => unreachable!("the table has one to three"),
        };
        let result = self.e.value_type(ty);
        let operands = [global, local, offset];
        self.e.b.op(Op::BuildNDRange, result, &operands)
    }

    /// One number for one dimension, else the array behind a pointer.
    fn sizes(&mut self, dimensions: u8, arg: ExprId, value: u32) -> u32 {
        let parts = self.e.module.types.pointer_parts(self.body.expr(arg).ty);
        let Some((_, space)) = parts else {
            return value;
        };
        let size = self.e.size_type();
        let array = self.e.b.ty_array(size, u64::from(dimensions));
        let class = super::types::storage_class(space);
        let pointer = self.e.b.ty_pointer(class, array);
        let pointer = self.e.b.op(Op::Bitcast, pointer, &[value]);
        // Aligned, as size_t is.
        let align = self.e.module.types.address_size() as u32;
        self.e.b.op(Op::Load, array, &[pointer, 2, align])
    }

    /// The value of a block: the address of its context.
    pub fn block(&mut self, context: ExprId) -> Result<u32, EmitError> {
        let void = QualType::plain(TypeTable::VOID);
        debug_assert!(
            self.e
                .module
                .types
                .pointer_parts(self.body.expr(context).ty)
                == Some((void, AddrSpace::Generic))
        );
        self.expr(context)
    }
}
