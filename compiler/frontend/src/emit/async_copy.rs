//! Asynchronous copies between global and local memory.

use rspirv::spirv::{Capability, Op, Scope};

use super::EmitError;
use super::function::FunctionEmitter;
use crate::builtins::table::Lower;
use crate::lang::types::{AddrSpace, TypeId, TypeTable};
use crate::sema::typed::ExprId;

/// Memory operand: an alignment follows.
const ALIGNED: u32 = 2;

/// One side of a copy of lines.
struct Side {
    /// The first byte.
    pointer: u32,
    /// The pointer's type.
    ty: u32,
    /// Elements from line to line.
    line: u32,
    /// Elements from plane to plane.
    plane: Option<u32>,
}

impl FunctionEmitter<'_, '_> {
    /// Asynchronous copies and the wait for them; `None` for other rows.
    pub fn async_copies(
        &mut self,
        lower: Lower,
        args: &[ExprId],
        ty: TypeId,
    ) -> Result<Option<u32>, EmitError> {
        let copies = matches!(
            lower,
            Lower::AsyncCopy(_) | Lower::AsyncCopyLines(_) | Lower::WaitEvents
        );
        if !copies {
            return Ok(None);
        }
        self.e.b.capability(Capability::Kernel);
        let mut values = Vec::with_capacity(args.len() + 2);
        for arg in args {
            values.push(self.expr(*arg)?);
        }
        let scope = self.e.b.const_u32(Scope::Workgroup as u32);
        Ok(Some(match lower {
            Lower::AsyncCopyLines(planes) => self.copy_lines(planes, args, &values, ty),
            Lower::AsyncCopy(strided) => {
                if !strided {
                    let one = self.e.size_constant(1);
                    values.insert(3, one);
                }
                values.insert(0, scope);
                let event = self.e.value_type(ty);
                self.e.b.op(Op::GroupAsyncCopy, event, &values)
            }
            _ => {
                values.insert(0, scope);
                self.e.b.op_void(Op::GroupWaitEvents, &values);
                0
            }
        }))
    }

    /// async_work_group_copy_2D2D and _3D3D: a loop of copies, one for each line, that share an event.
    fn copy_lines(&mut self, planes: bool, args: &[ExprId], values: &[u32], event: TypeId) -> u32 {
        let word = self.e.size_type();
        let size = values[4];
        let (count, steps) = if planes {
            let all = self.e.b.op(Op::IMul, word, &[values[6], values[7]]);
            (all, 8)
        } else {
            (values[6], 7)
        };
        // The source's steps come first.
        let step = |at: usize| match planes {
            true => (values[steps + 2 * at], Some(values[steps + 2 * at + 1])),
            false => (values[steps + at], None),
        };
        let line_bytes = self.e.b.op(Op::IMul, word, &[values[5], size]);
        let to = self.side(args[0], [values[0], values[1], size], step(1));
        let from = self.side(args[2], [values[2], values[3], size], step(0));
        let shared = self.temporary(event);
        let size_type = self.e.module.types.size_type();
        let index = self.temporary(size_type);
        let (event_ty, zero) = (self.e.value_type(event), self.e.size_constant(0));
        let one = self.e.size_constant(1);
        let last = *values.last().unwrap_or(&0);
        self.e.b.op_void(Op::Store, &[shared, last, ALIGNED, 8]);
        self.e.b.op_void(Op::Store, &[index, zero, ALIGNED, 8]);

        let [head, body, end] = std::array::from_fn(|_| self.e.b.id());
        self.e.b.branch(head);
        self.e.b.start_block(head);
        let at = self.e.b.op(Op::Load, word, &[index, ALIGNED, 8]);
        let truth = self.e.b.ty_bool();
        let more = self.e.b.op(Op::ULessThan, truth, &[at, count]);
        self.e.b.branch_if(more, body, end);
        self.e.b.start_block(body);
        let place = match planes {
            true => {
                let plane = self.e.b.op(Op::UDiv, word, &[at, values[6]]);
                let line = self.e.b.op(Op::UMod, word, &[at, values[6]]);
                [line, plane]
            }
            false => [at, zero],
        };
        let to = self.line_of(&to, place, size);
        let from = self.line_of(&from, place, size);
        let scope = self.e.b.const_u32(Scope::Workgroup as u32);
        let before = self.e.b.op(Op::Load, event_ty, &[shared, ALIGNED, 8]);
        let operands = [scope, to, from, line_bytes, one, before];
        let after = self.e.b.op(Op::GroupAsyncCopy, event_ty, &operands);
        self.e.b.op_void(Op::Store, &[shared, after, ALIGNED, 8]);
        let next = self.e.b.op(Op::IAdd, word, &[at, one]);
        self.e.b.op_void(Op::Store, &[index, next, ALIGNED, 8]);
        self.e.b.branch(head);
        self.e.b.start_block(end);
        self.e.b.op(Op::Load, event_ty, &[shared, ALIGNED, 8])
    }

    /// One side of a copy, from its pointer, the offset in elements and their size.
    fn side(
        &mut self,
        arg: ExprId,
        [pointer, offset, size]: [u32; 3],
        (line, plane): (u32, Option<u32>),
    ) -> Side {
        let parts = self.e.module.types.pointer_parts(self.body.expr(arg).ty);
        let space = parts.map_or(AddrSpace::Global, |(_, space)| space);
        let ty = self.e.pointer_to(TypeTable::CHAR, space);
        let pointer = self.moved(ty, pointer, offset, size);
        Side {
            pointer,
            ty,
            line,
            plane,
        }
    }

    /// The pointer to a line of a plane.
    fn line_of(&mut self, side: &Side, [line, plane]: [u32; 2], size: u32) -> u32 {
        let word = self.e.size_type();
        let mut elements = self.e.b.op(Op::IMul, word, &[line, side.line]);
        if let Some(step) = side.plane {
            let before = self.e.b.op(Op::IMul, word, &[plane, step]);
            elements = self.e.b.op(Op::IAdd, word, &[elements, before]);
        }
        self.moved(side.ty, side.pointer, elements, size)
    }

    /// A pointer to bytes, so many elements of a size further on.
    fn moved(&mut self, ty: u32, pointer: u32, elements: u32, size: u32) -> u32 {
        let word = self.e.size_type();
        let bytes = self.e.b.op(Op::IMul, word, &[elements, size]);
        self.e.b.op(Op::PtrAccessChain, ty, &[pointer, bytes])
    }
}
