//! Calls of the built-in functions that take blocks (OpenCL C 3.0 §6.15.18).
use super::convert::Purpose;
use super::typed::{ExprId, ExprKind};
use super::{Operand, Sema};
use crate::builtins::{self, table::Lower};
use crate::lang::types::{AddrSpace, OpaqueKind, QualType, Quals, TypeId, TypeTable};
use crate::parse::ast;
use crate::source::{Span, Symbol};

impl<'a> Sema<'a> {
    /// A call of such a function; `None` for other functions.
    pub(super) fn enqueueing_call(
        &mut self,
        name: Symbol,
        args: &'a [ast::ExprId],
        rparen: Span,
        span: Span,
    ) -> Option<Option<ExprId>> {
        let (id, lower) = builtins::taking_blocks(self.name(name))?;
        let mut values = Vec::with_capacity(args.len());
        for &arg in args {
            let at = self.ast.expr(arg).span;
            let value = self.operand(arg).and_then(|operand| match operand {
                Operand::Block(block) => self.block_argument(block, at),
                other => self.value_of(other, at),
            });
            values.push(value);
        }
        let values: Option<Vec<ExprId>> = values.into_iter().collect();
        let text = self.name(name);
        let checked = values.and_then(|values| match lower {
            Lower::Enqueue => self.enqueue_arguments(text, values, rparen),
            _ => self.query_arguments(text, values, rparen),
        });
        Some(checked.map(|args| {
            let ty = if lower == Lower::Enqueue {
                TypeTable::INT
            } else {
                TypeTable::UINT
            };
            self.mk(ExprKind::Builtin { id, args }, ty, span)
        }))
    }

    fn is_block(&self, arg: ExprId) -> bool {
        matches!(self.body.expr(arg).kind, ExprKind::Block { .. })
    }

    fn event_pointer(&mut self, quals: Quals) -> TypeId {
        let event = self.opaque(OpaqueKind::ClkEvent);
        let q = QualType::new(event, quals);
        self.module.types.pointer(q, AddrSpace::Generic)
    }

    /// Queue, flags, range, number of events, wait list, event, block, sizes: all of them.
    fn enqueue_arguments(
        &mut self,
        text: &str,
        args: Vec<ExprId>,
        rparen: Span,
    ) -> Option<Vec<ExprId>> {
        if args.len() < 4 {
            let message = format!(
                "too few arguments to function call, expected at least 4, have {}",
                args.len()
            );
            self.error(rparen, message);
            return None;
        }
        let Some(place) = [3, 6]
            .into_iter()
            .find(|&place| args.get(place).is_some_and(|&a| self.is_block(a)))
        else {
            let at = self.span(args[3]);
            let message = format!("illegal call to {text}, expected block as argument 4 or 7");
            self.error(at, message);
            return None;
        };
        let purpose = Purpose::Argument(None);
        let queue = self.opaque(OpaqueKind::Queue);
        let range = self.opaque(OpaqueKind::NdRange);
        let mut out = Vec::with_capacity(args.len() + 3);
        for (&arg, ty) in args.iter().zip([queue, TypeTable::INT, range]) {
            out.push(self.assign_convert(arg, ty, purpose)?);
        }
        let wait = self.event_pointer(Quals::CONST);
        let event = self.event_pointer(Quals::empty());
        if place == 6 {
            for &list in &args[4..6] {
                self.check_event_pointer(list)?;
            }
            for (&arg, ty) in args[3..6].iter().zip([TypeTable::UINT, wait, event]) {
                out.push(self.assign_convert(arg, ty, purpose)?);
            }
        } else {
            let at = self.span(args[3]);
            out.push(self.mk(ExprKind::Int(0), TypeTable::UINT, at));
            out.push(self.mk(ExprKind::Null, wait, at));
            out.push(self.mk(ExprKind::Null, event, at));
        }
        let block = args[place];
        out.push(block);
        let sizes = &args[place + 1..];
        self.check_enqueued(block, text, sizes.len())?;
        for &size in sizes {
            let ty = self.ty(size);
            if !self.module.types.is_integer(ty) {
                let message = format!(
                    "illegal call to {text}, expected local size of integer type, not {}",
                    self.show(ty)
                );
                self.error(self.span(size), message);
                return None;
            }
            out.push(self.assign_convert(size, TypeTable::UINT, purpose)?);
        }
        Some(out)
    }

    fn check_event_pointer(&mut self, arg: ExprId) -> Option<()> {
        let ty = self.ty(arg);
        let parts = self.module.types.pointer_parts(ty);
        let is_event = parts
            .is_some_and(|(to, _)| self.module.types.opaque(to.ty) == Some(OpaqueKind::ClkEvent));
        if is_event || self.is_null_constant(arg) {
            return Some(());
        }
        let message = format!(
            "illegal call to enqueue_kernel, expected 'clk_event_t *' argument type, not {}",
            self.show(ty)
        );
        self.error(self.span(arg), message);
        None
    }

    /// Checks that the block returns nothing and takes as many local pointers as there are sizes.
    fn check_enqueued(&mut self, block: ExprId, text: &str, sizes: usize) -> Option<()> {
        let ExprKind::Block { func, .. } = self.body.expr(block).kind else {
            return None;
        };
        let params = self.block_params(func).len();
        let at = self.span(block);
        let message = if self.module.function(func).ret != TypeTable::VOID {
            format!("illegal call to {text}, block must return 'void'")
        } else if !self.takes_local_pointers(func) {
            format!(
                "blocks used in {text} call are expected to have parameters of type 'local void *'"
            )
        } else if params != sizes {
            format!("block has {params} parameters, but {sizes} local sizes are passed to {text}")
        } else {
            return Some(());
        };
        self.error(at, message);
        None
    }

    /// A range where the function takes one, then a block.
    fn query_arguments(
        &mut self,
        text: &str,
        args: Vec<ExprId>,
        rparen: Span,
    ) -> Option<Vec<ExprId>> {
        let count = if text.ends_with("_for_ndrange") { 2 } else { 1 };
        if args.len() != count {
            let (few, at) = if args.len() < count {
                ("few", rparen)
            } else {
                ("many", self.span(args[count]))
            };
            let message = format!(
                "too {few} arguments to function call, expected {count}, have {}",
                args.len()
            );
            self.error(at, message);
            return None;
        }
        let block = args[count - 1];
        let ExprKind::Block { func, .. } = self.body.expr(block).kind else {
            let message = format!("illegal call to {text}, expected block as argument {count}");
            self.error(self.span(block), message);
            return None;
        };
        if !self.takes_local_pointers(func) {
            let message = format!(
                "blocks used in {text} call are expected to have parameters of type 'local void *'"
            );
            self.error(self.span(block), message);
            return None;
        }
        let mut out = Vec::with_capacity(2);
        if count == 2 {
            let range = self.opaque(OpaqueKind::NdRange);
            let purpose = Purpose::Argument(None);
            out.push(self.assign_convert(args[0], range, purpose)?);
        }
        out.push(block);
        Some(out)
    }
}
