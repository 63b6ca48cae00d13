//! Calls of the built-in functions that take blocks (OpenCL C 3.0 §6.15.18).
use super::convert::Purpose;
use super::typed::{ExprId, ExprKind, FuncId, StmtKind};
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
            Lower::Enqueue => self.enqueue_arguments(text, values, rparen, span),
            _ => self.query_arguments(text, values, rparen, span),
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

    /// Reports an argument of the wrong type, in clang's words.
    fn expected_type(&mut self, text: &str, arg: ExprId, expected: &str) {
        let message = format!("illegal call to '{text}', expected {expected} argument type");
        self.error(self.span(arg), message);
    }

    /// Queue, flags, range, number of events, wait list, event, block, sizes: all of them.
    fn enqueue_arguments(
        &mut self,
        text: &str,
        args: Vec<ExprId>,
        rparen: Span,
        span: Span,
    ) -> Option<Vec<ExprId>> {
        self.check_argument_count("function", &args, 4..=usize::MAX, rparen)
            .ok()?;
        let purpose = Purpose::Argument(None);
        let mut out = self.launch_arguments(text, &args)?;
        let wait = self.event_pointer(Quals::CONST);
        let event = self.event_pointer(Quals::empty());
        let place = match args.len() {
            _ if self.is_block(args[3]) => 3,
            4 => {
                self.expected_type(text, args[3], "block");
                return None;
            }
            5 | 6 => {
                let message = format!("illegal call to {text}, incorrect argument types");
                self.error(span, message);
                return None;
            }
            _ => 6,
        };
        if place == 6 {
            if !self.is_block(args[6]) {
                self.expected_type(text, args[6], "block");
                return None;
            }
            if !self.module.types.is_integer(self.ty(args[3])) {
                self.expected_type(text, args[3], "integer");
                return None;
            }
            for &list in &args[4..6] {
                self.check_event_pointer(text, list)?;
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
        let sizes = &args[place + 1..];
        self.check_enqueued(args[place], text, sizes.len(), span)?;
        out.push(self.returning_nothing(args[place]));
        for &size in sizes {
            if !self.module.types.is_integer(self.ty(size)) {
                let message = format!(
                    "illegal call to {text}, parameter needs to be specified as integer type"
                );
                self.error(self.span(size), message);
                return None;
            }
            out.push(self.assign_convert(size, TypeTable::UINT, purpose)?);
        }
        Some(out)
    }

    /// The first three arguments of enqueue_kernel: queue, flags and range.
    fn launch_arguments(&mut self, text: &str, args: &[ExprId]) -> Option<Vec<ExprId>> {
        let queue = self.opaque(OpaqueKind::Queue);
        let range = self.opaque(OpaqueKind::NdRange);
        let is_queue = self.ty(args[0]) == queue || self.is_null_constant(args[0]);
        let wrong = if !is_queue {
            Some((0, "'queue_t'"))
        } else if !self.module.types.is_integer(self.ty(args[1])) {
            Some((1, "'kernel_enqueue_flags_t' (i.e. uint)"))
        } else if self.ty(args[2]) != range {
            Some((2, "'ndrange_t'"))
        } else {
            None
        };
        if let Some((index, expected)) = wrong {
            self.expected_type(text, args[index], expected);
            return None;
        }
        let mut out = Vec::with_capacity(args.len() + 3);
        for (&arg, ty) in args.iter().zip([queue, TypeTable::INT, range]) {
            out.push(self.assign_convert(arg, ty, Purpose::Argument(None))?);
        }
        Some(out)
    }

    fn check_event_pointer(&mut self, text: &str, arg: ExprId) -> Option<()> {
        let ty = self.ty(arg);
        let parts = self.module.types.pointer_parts(ty);
        let is_event = parts
            .is_some_and(|(to, _)| self.module.types.opaque(to.ty) == Some(OpaqueKind::ClkEvent));
        if is_event || self.is_null_constant(arg) {
            return Some(());
        }
        self.expected_type(text, arg, "'clk_event_t *'");
        None
    }

    /// Checks that the block takes as many local pointers as there are sizes.
    fn check_enqueued(
        &mut self,
        block: ExprId,
        text: &str,
        sizes: usize,
        span: Span,
    ) -> Option<()> {
        let ExprKind::Block { func, .. } = self.body.expr(block).kind else {
            return None;
        };
        let params = self.block_params(func).len();
        if sizes == 0 && params > 0 {
            let message =
                format!("blocks with parameters are not accepted in this prototype of {text} call");
            self.error(self.span(block), message);
            return None;
        }
        self.check_block_params(func, block)?;
        if let Some((array, declared)) = self.array_captures.get(&func) {
            // By reference (OpenCL C 3.0 §6.14): the array may be gone when the block runs.
            let message = format!("block passed to {text} refers to the array '{array}'");
            self.error(self.span(block), message)
                .note(*declared, format!("'{array}' declared here"))
                .hint("copy the array into a struct, which a block captures by value");
            return None;
        }
        if params != sizes {
            let message = "mismatch in number of block parameters and local size arguments passed";
            let report = self.error(span, message);
            let at = self.module.function(func).span;
            report.note(at, format!("the block has {params} parameters"));
            return None;
        }
        Some(())
    }

    fn check_block_params(&mut self, func: FuncId, block: ExprId) -> Option<()> {
        if self.takes_local_pointers(func) {
            return Some(());
        }
        let message = "blocks used in enqueue_kernel call are expected to have parameters of type \
                       'local void*'";
        self.error(self.span(block), message);
        None
    }

    /// The block as the device enqueues it: if it returns a value, a function that drops it is
    /// invoked in its place (SPIR-V OpEnqueueKernel takes functions without a result).
    fn returning_nothing(&mut self, block: ExprId) -> ExprId {
        let ExprKind::Block { func, context } = self.body.expr(block).kind else {
            return block;
        };
        let ret = self.module.function(func).ret;
        if ret == TypeTable::VOID || ret == TypeTable::ERROR {
            return block;
        }
        let func = match self.without_result.get(&func) {
            Some(&known) => known,
            None => self.dropping_result(func),
        };
        let (ty, at) = (self.ty(block), self.span(block));
        self.mk(ExprKind::Block { func, context }, ty, at)
    }

    /// A new function that calls a block's with its own parameters and returns nothing.
    fn dropping_result(&mut self, callee: FuncId) -> FuncId {
        let called = self.module.function(callee);
        let (ret, params, span) = (called.ret, called.params.clone(), called.span);
        let name = format!("{}_enqueued", called.name);
        let outer = std::mem::take(&mut self.body);
        let mut args = Vec::with_capacity(params.len());
        for &ty in &params {
            let local = self.add_local(String::new(), QualType::plain(ty), 0, span);
            args.push(self.local_value(local, span));
        }
        let call = self.mk(ExprKind::Call { func: callee, args }, ret, span);
        let call = self.mk_stmt(StmtKind::Expr(call), span);
        self.body.root = Some(self.mk_stmt(StmtKind::Block(vec![call]), span));
        let body = std::mem::replace(&mut self.body, outer);
        let id = self.push_block_function(name, TypeTable::VOID, params, span);
        self.module.functions[id.0 as usize].body = Some(body);
        self.calls.push((id, callee, span));
        self.without_result.insert(callee, id);
        id
    }

    /// Refuses the queries about sub-groups where there are none.
    fn check_sub_group_query(&mut self, text: &str, span: Span) -> Option<()> {
        let feature = "__opencl_c_subgroups";
        let extension = "cl_khr_subgroups";
        if self.lang.extension(extension) || self.lang.feature(feature) {
            return Some(());
        }
        let needs = format!("{extension} or {feature}");
        self.requires(span, &format!("declaration '{text}'"), &needs);
        None
    }

    /// A range where the function takes one, then a block.
    fn query_arguments(
        &mut self,
        text: &str,
        args: Vec<ExprId>,
        rparen: Span,
        span: Span,
    ) -> Option<Vec<ExprId>> {
        let count = if text.ends_with("_for_ndrange") { 2 } else { 1 };
        self.check_argument_count("function", &args, count..=count, rparen)
            .ok()?;
        let block = args[count - 1];
        if count == 2 {
            self.check_sub_group_query(text, span)?;
        }
        let range = self.opaque(OpaqueKind::NdRange);
        if count == 2 && self.ty(args[0]) != range {
            self.expected_type(text, args[0], "'ndrange_t'");
            return None;
        }
        let ExprKind::Block { func, .. } = self.body.expr(block).kind else {
            self.expected_type(text, block, "block");
            return None;
        };
        self.check_block_params(func, block)?;
        let mut out = args[..count - 1].to_vec();
        out.push(self.returning_nothing(block));
        Some(out)
    }
}
