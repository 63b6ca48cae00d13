//! Blocks (OpenCL C 3.0 §6.14): functions with captured variables.
//!
//! A literal becomes a function of the module whose first parameter points to its context, a
//! record with a copy of every variable that the body takes from around it; of an array it has the
//! address. OpenCL C wants every
//! block variable initialised and constant, and no block as an argument or result; so a name
//! always stands for one literal, and no block is ever a value.
use rustc_hash::FxHashMap;

use super::const_eval::Value;
use super::func::FuncState;
use super::layout::{FieldSpec, Packing, lay_out};
use super::scope::{Entity, FuncMeta};
use super::typed::{
    Body, ConvertKind, ExprId, ExprKind, FuncId, Function, Init, InitElem, Inlining, Linkage,
    LocalId, LvalueId, LvalueKind, StmtId, StmtKind,
};
use super::{Operand, Sema};
use crate::lang::types::{
    AddrSpace, Field, OpaqueKind, QualType, Quals, RecordId, Type, TypeId, TypeTable,
};
use crate::parse::ast::{self, BlockLit, Declarator, ParamDecl};
use crate::source::{Span, Symbol};

/// Function that a block expression or variable stands for.
#[derive(Clone, Copy, Debug)]
pub(super) struct BlockValue {
    /// The literal's function.
    pub(super) func: FuncId,
    /// Its function type, without the context.
    pub(super) signature: TypeId,
    /// The variable that holds the context, and how many blocks are around it.
    context: Option<(usize, LocalId)>,
    /// A literal's initialiser of that variable, in [`Sema::block_inits`].
    init: Option<usize>,
}

/// A block whose body is being checked, and what was under way around it.
pub(super) struct BlockState {
    /// The first scope of the block.
    base: usize,
    record: RecordId,
    record_ty: TypeId,
    /// Variables around the block that it uses, in the order of the context's fields: how many
    /// blocks are around the variable, and which it is.
    captures: Vec<(usize, LocalId)>,
    /// An array among them: its name and declaration.
    array: Option<(String, Span)>,
    body: Body,
    func: Option<FuncState>,
    const_locals: FxHashMap<LocalId, Value>,
}

impl<'a> Sema<'a> {
    /// The binding of a name that is a private variable, as an lvalue here: captured if a block
    /// lies between.
    pub(super) fn variable(
        &mut self,
        name: Symbol,
        local: LocalId,
        span: Span,
    ) -> Option<LvalueId> {
        let level = self.level_of(name);
        if level == self.blocks.len() {
            self.note_named(local);
        } else if let Some(func) = self.blocks.get_mut(level).and_then(|b| b.func.as_mut()) {
            func.usage.capture(local);
        }
        self.variable_at(level, local, span)
    }

    /// Returns the number of blocks around the declaration that a name refers to.
    fn level_of(&self, name: Symbol) -> usize {
        if self.blocks.is_empty() {
            return 0;
        }
        let mut scopes = self.scopes.iter();
        let at = scopes
            .rposition(|s| s.names.contains_key(&name))
            .unwrap_or(0);
        self.blocks.iter().filter(|b| b.base <= at).count()
    }

    /// Refuses a block variable of the function or block around (OpenCL C 3.0 §6.14).
    pub(super) fn check_block_reference(&mut self, name: Symbol, span: Span) -> Option<()> {
        let is_local = self
            .scopes
            .iter()
            .skip(1)
            .any(|s| s.names.contains_key(&name));
        if is_local && self.level_of(name) < self.blocks.len() {
            self.error(span, "cannot refer to a block inside block");
            return None;
        }
        Some(())
    }

    /// Returns whether an lvalue is a variable that the block around has captured.
    pub(super) fn is_capture(&self, lvalue: LvalueId) -> bool {
        let Some(state) = self.blocks.last() else {
            return false;
        };
        match self.body.lvalue(lvalue).kind {
            LvalueKind::Field { base, .. } => self.body.lvalue(base).ty.ty == state.record_ty,
            _ => false,
        }
    }

    fn variable_at(&mut self, level: usize, local: LocalId, span: Span) -> Option<LvalueId> {
        let here = self.blocks.len();
        if level == here {
            return Some(self.local_lvalue(local, span));
        }
        let variable = match self.blocks.get(level) {
            Some(inner) => inner.body.local(local).clone(),
            None => return None,
        };
        let ty = variable.ty;
        if self.is_immaterial(ty.ty) {
            let message = format!(
                "cannot refer to variable of type {} inside block",
                self.show(ty.ty)
            );
            self.error(span, message)
                .note(variable.span, format!("'{}' declared here", variable.name));
            return None;
        }
        let by_reference = matches!(self.module.types.get(ty.ty), Type::Array { .. });
        let held = match by_reference {
            true => QualType::plain(self.module.types.pointer(ty, AddrSpace::Private)),
            false => ty,
        };
        let state = self.blocks.last_mut()?;
        if by_reference && state.array.is_none() {
            state.array = Some((variable.name.clone(), variable.span));
        }
        let known = state.captures.iter().position(|c| *c == (level, local));
        let (record, record_ty) = (state.record, state.record_ty);
        let field = known.unwrap_or_else(|| {
            state.captures.push((level, local));
            state.captures.len() - 1
        });
        if known.is_none() {
            self.module.types.records[record.0 as usize]
                .fields
                .push(Field {
                    name: variable.name.clone(),
                    ty: held,
                    offset: 0,
                    bits: None,
                    span,
                });
        }
        // The context comes as the first parameter.
        let base = self.context_lvalue(record_ty, span);
        let q = self.add_quals(ty, Quals::CONST);
        let align = self.module.types.align(held.ty);
        let kind = LvalueKind::Field {
            base,
            field: field as u32,
        };
        if !by_reference {
            return Some(self.mk_lvalue(kind, q, AddrSpace::Generic, align, span));
        }
        let pointer = self.mk_lvalue(kind, held, AddrSpace::Generic, align, span);
        let pointer = self.loaded(pointer, span);
        let align = self.module.types.align(ty.ty);
        let kind = LvalueKind::Deref(pointer);
        Some(self.mk_lvalue(kind, q, AddrSpace::Private, align, span))
    }

    /// The part of a block's context that stands for a variable: its value, of an array the address.
    fn captured_value(&mut self, level: usize, local: LocalId, span: Span) -> Option<ExprId> {
        let lvalue = self.variable_at(level, local, span)?;
        let q = self.body.lvalue(lvalue).ty;
        if !matches!(self.module.types.get(q.ty), Type::Array { .. }) {
            return Some(self.loaded(lvalue, span));
        }
        match self.body.lvalue(lvalue).kind {
            LvalueKind::Deref(pointer) => Some(pointer),
            _ => {
                let ty = self.module.types.pointer(q, AddrSpace::Private);
                Some(self.mk(ExprKind::AddrOf(lvalue), ty, span))
            }
        }
    }

    fn context_lvalue(&mut self, record_ty: TypeId, span: Span) -> LvalueId {
        let loaded = self.local_value(LocalId(0), span);
        let q = QualType::plain(record_ty);
        let pointer = self.module.types.pointer(q, AddrSpace::Generic);
        let kind = ExprKind::Convert {
            kind: ConvertKind::PtrToPtr,
            operand: loaded,
        };
        let typed = self.mk(kind, pointer, span);
        self.mk_lvalue(LvalueKind::Deref(typed), q, AddrSpace::Generic, 8, span)
    }

    /// `^ … { … }`
    pub(super) fn block_literal(&mut self, lit: &'a BlockLit, span: Span) -> Option<Operand> {
        let enqueue = "__opencl_c_device_enqueue";
        if !self.lang.core_feature(enqueue) {
            self.requires(span, "blocks", enqueue);
            return None;
        }
        if let Some(dots) = lit.variadic {
            self.check_variadic(dots)?;
        }
        let ret = match lit.ret {
            Some(ty) => Some(self.block_result(ty, &lit.result)?),
            None => None,
        };
        let mut params = Vec::with_capacity(lit.params.len());
        for param in &lit.params {
            let ty = self.param_type(param)?;
            if !self.module.types.is_complete(ty.q.ty) {
                let message = format!("variable has incomplete type {}", self.show(ty.q.ty));
                self.error(param.span, message);
                return None;
            }
            params.push(ty.q);
        }
        // Blocks in blocks are named after the function around them all.
        let outermost = match self.blocks.first() {
            Some(block) => &block.func,
            None => &self.func,
        };
        let outer = outermost.as_ref().map_or("", |f| f.name.as_str());
        let name = format!("__{outer}_block_invoke_{}", self.module.functions.len());
        let void = QualType::plain(TypeTable::VOID);
        let context = self.module.types.pointer(void, AddrSpace::Generic);
        let (record, record_ty) = self.module.types.add_record("", false, span);
        let mut types = vec![context];
        types.extend(params.iter().map(|q| q.ty));
        let declared = ret.unwrap_or(TypeTable::VOID);
        let id = self.push_block_function(name.clone(), declared, types, span);
        let state = FuncState::new(id, name, declared);
        let state = FuncState {
            infer_ret: ret.is_none(),
            ..state
        };
        self.blocks.push(BlockState {
            base: self.scopes.len(),
            record,
            record_ty,
            captures: Vec::new(),
            array: None,
            body: std::mem::take(&mut self.body),
            func: self.func.replace(state),
            const_locals: std::mem::take(&mut self.const_locals),
        });
        self.push_scope();
        self.add_local(String::new(), QualType::plain(context), 0, span);
        self.bind_block_params(&lit.params, &params);
        let root = self.function_body(lit.body);
        self.pop_scope();
        self.finish_labels();
        let checked = self.func.take();
        self.body.root = Some(root);
        self.body.label_count = checked.as_ref().map_or(0, |f| f.label_count);
        let ret = checked.map_or(TypeTable::VOID, |f| f.ret);
        let inner = std::mem::take(&mut self.body);
        let state = self.blocks.pop()?;
        if let Some(array) = state.array {
            self.array_captures.insert(id, array);
        }
        self.body = state.body;
        self.func = state.func;
        self.const_locals = state.const_locals;
        let function = &mut self.module.functions[id.0 as usize];
        function.ret = ret;
        function.body = Some(inner);
        let signature = self.module.types.intern(Type::Function {
            ret,
            params: params.iter().map(|q| q.ty).collect(),
            variadic: false,
        });
        let (context, init) = self.context(record, record_ty, &state.captures, span)?;
        Some(Operand::Block(BlockValue {
            func: id,
            signature,
            context,
            init,
        }))
    }

    /// Adds the function of a block, without its body.
    pub(super) fn push_block_function(
        &mut self,
        name: String,
        ret: TypeId,
        params: Vec<TypeId>,
        span: Span,
    ) -> FuncId {
        self.module.functions.push(Function {
            link_name: name.clone(),
            name,
            ret,
            params,
            linkage: Linkage::Internal,
            inlining: Inlining::Free,
            kernel: None,
            body: None,
            span,
        });
        self.funcs.push(FuncMeta {
            overloadable: false,
            variadic: false,
            defined: true,
            params: Vec::new(),
            must_use: false,
            is_static: false,
            weak: false,
            used: true,
        });
        FuncId(self.module.functions.len() as u32 - 1)
    }

    fn block_result(&mut self, ty: ast::TypeNameId, result: &'a Declarator) -> Option<TypeId> {
        let ast = self.ast;
        let base = self.spec_type(&ast.type_name(ty).specs)?;
        Some(self.declarator_type(base, result)?.q.ty)
    }

    fn bind_block_params(&mut self, params: &'a [ParamDecl], types: &[QualType]) {
        for (param, q) in params.iter().zip(types) {
            let (name, span) = match param.declarator.name {
                Some((name, span)) => (Some(name), span),
                None => (None, param.span),
            };
            let text = name.map_or(String::new(), |n| self.name(n).to_string());
            let id = self.add_local(text, *q, 0, span);
            if let Some(name) = name {
                self.bind_new(name, Entity::Local(id), span);
            }
        }
    }

    /// Finishes the context's record and makes the variable for it, if there is anything in it.
    #[allow(clippy::type_complexity, reason = "two parts of one block value")]
    fn context(
        &mut self,
        record: RecordId,
        record_ty: TypeId,
        captures: &[(usize, LocalId)],
        span: Span,
    ) -> Option<(Option<(usize, LocalId)>, Option<usize>)> {
        let def = self.module.types.record(record);
        let specs = def.fields.iter().map(|field| FieldSpec {
            name: field.name.clone(),
            ty: field.ty,
            align: 0,
            packed: false,
            host_sized: false,
            bits: None,
            span: field.span,
        });
        let packing = Packing {
            align: 8,
            ..Packing::default()
        };
        let layout = lay_out(&self.module.types, specs.collect(), false, packing)?;
        let def = &mut self.module.types.records[record.0 as usize];
        def.fields = layout.fields;
        def.size = layout.size;
        def.align = layout.align;
        def.complete = true;
        if captures.is_empty() {
            return Some((None, None));
        }
        let mut elems = Vec::with_capacity(captures.len());
        for (index, &(level, local)) in captures.iter().enumerate() {
            elems.push(InitElem {
                path: vec![index as u64],
                value: self.captured_value(level, local, span)?,
            });
        }
        let q = QualType::plain(record_ty);
        let local = self.add_local(String::new(), q, 8, span);
        self.block_inits.push(Init::List {
            zero_fill: false,
            elems,
        });
        let level = self.blocks.len();
        Some((Some((level, local)), Some(self.block_inits.len() - 1)))
    }

    /// A block as an argument of a built-in function or of its own function: the address of its
    /// context.
    fn block_context(&mut self, value: BlockValue, span: Span) -> Option<ExprId> {
        let void = QualType::plain(TypeTable::VOID);
        let bytes = self.module.types.pointer(void, AddrSpace::Generic);
        let Some((level, local)) = value.context else {
            return Some(self.mk(ExprKind::Null, bytes, span));
        };
        let lvalue = match value.init {
            Some(init) => {
                let init = self.block_inits[init].clone();
                self.initialised(local, init, span)
            }
            None => self.variable_at(level, local, span)?,
        };
        let (q, space) = (self.body.lvalue(lvalue).ty, self.body.lvalue(lvalue).space);
        let q = QualType::plain(q.ty);
        let own = self.module.types.pointer(q, space);
        let generic = self.module.types.pointer(q, AddrSpace::Generic);
        let address = self.mk(ExprKind::AddrOf(lvalue), own, span);
        let address = self.pointer_convert(address, generic);
        Some(self.pointer_convert(address, bytes))
    }

    /// A block as an operand of the enqueueing functions.
    pub(super) fn block_argument(&mut self, value: BlockValue, span: Span) -> Option<ExprId> {
        let context = self.block_context(value, span)?;
        self.enqueued.insert(value.func);
        let ty = self.ty(context);
        let kind = ExprKind::Block {
            func: value.func,
            context,
        };
        Some(self.mk(kind, ty, span))
    }

    /// Parameter types of a block.
    pub(super) fn block_params(&self, func: FuncId) -> &[TypeId] {
        &self.module.function(func).params[1..]
    }

    /// `block(args)`
    pub(super) fn call_block(
        &mut self,
        value: BlockValue,
        args: &[ExprId],
        rparen: Span,
        span: Span,
    ) -> Option<ExprId> {
        let params = self.block_params(value.func).to_vec();
        let ret = self.module.function(value.func).ret;
        let taken = super::call_arguments::taken(params.len(), false);
        if let Err(report) = self.check_argument_count("block", args, taken, rparen) {
            let declared = self.module.function(value.func).span;
            report.note(declared, "block declared here");
            return None;
        }
        let mut all = vec![self.block_context(value, span)?];
        for (&arg, param) in args.iter().zip(params) {
            let purpose = super::convert::Purpose::Argument(None);
            all.push(self.assign_convert(arg, param, purpose)?);
        }
        if let Some(current) = &self.func {
            self.calls.push((current.id, value.func, span));
        } else {
            self.not_constant(span);
            return None;
        }
        let kind = ExprKind::Call {
            func: value.func,
            args: all,
        };
        Some(self.mk(kind, ret, span))
    }

    /// `T (^name)(…) = ^…;`
    pub(super) fn block_variable(
        &mut self,
        (name, name_span): (Symbol, Span),
        ty: TypeId,
        init: Option<&'a ast::Init>,
        out: &mut Vec<StmtId>,
    ) -> Option<()> {
        let Some(ast::Init::Expr(init)) = init else {
            let message = "invalid block variable declaration - must be initialized";
            self.error(name_span, message);
            return None;
        };
        let at = self.ast.expr(*init).span;
        let operand = self.operand(*init)?;
        let Operand::Block(value) = operand else {
            let message = format!(
                "initializing {} with an expression that is not a block",
                self.show(ty)
            );
            self.error(at, message);
            return None;
        };
        if self.module.function(value.func).ret == TypeTable::ERROR {
            return None;
        }
        if self.module.types.get(ty) != &Type::Block(value.signature) {
            let block = self.module.types.intern(Type::Block(value.signature));
            let message = format!(
                "initializing {} with an expression of incompatible type {}",
                self.show(ty),
                self.show(block)
            );
            self.error(at, message);
            return None;
        }
        if let (Some((_, local)), Some(init)) = (value.context, value.init) {
            let init = Some(self.block_inits[init].clone());
            let stmt = self.mk_stmt(StmtKind::Decl { local, init }, at);
            out.push(stmt);
        }
        let bound = BlockValue {
            init: None,
            ..value
        };
        self.bind_new(name, Entity::Block(bound), name_span);
        Some(())
    }

    /// Refuses a block, or the call of one, as an operand of `?:` (OpenCL C 3.0 §6.14).
    pub(super) fn refuse_block_operand(&mut self, operand: ast::ExprId) -> Option<()> {
        let mut at = operand;
        loop {
            at = match self.ast.expr(at).kind {
                ast::ExprKind::Paren(inner) => inner,
                ast::ExprKind::Call { callee, .. } => callee,
                _ => break,
            };
        }
        let is_block = match self.ast.expr(at).kind {
            ast::ExprKind::BlockLit(_) => true,
            ast::ExprKind::Ident(name) => {
                let binding = self.lookup(name);
                matches!(binding.map(|b| &b.entity), Some(Entity::Block(_)))
            }
            _ => false,
        };
        if is_block {
            let message = "block type cannot be used as expression in ternary expression in OpenCL";
            self.error(self.ast.expr(operand).span, message);
        }
        (!is_block).then_some(())
    }

    /// Returns whether an expression is a block literal.
    pub(super) fn is_block_literal(&self, id: ast::ExprId) -> bool {
        matches!(self.ast.expr(id).kind, ast::ExprKind::BlockLit(_))
    }

    /// A block literal cast to its own type: `(block_t)^(local void *p) { … }`.
    pub(super) fn block_cast(
        &mut self,
        name: ast::TypeNameId,
        literal: ast::ExprId,
        span: Span,
    ) -> Option<Operand> {
        let named = self.type_name(name);
        let operand = self.operand(literal)?;
        let (Operand::Block(value), to) = (&operand, named?.q.ty) else {
            return None;
        };
        if self.module.function(value.func).ret == TypeTable::ERROR {
            return None;
        }
        let from = Type::Block(value.signature);
        if self.module.types.get(to) != &from {
            let from = self.module.types.intern(from);
            let message = format!(
                "casting {} to incompatible type {}",
                self.show(from),
                self.show(to)
            );
            self.error(span, message);
            return None;
        }
        Some(operand)
    }

    /// Returns whether a block has the parameters that enqueue_kernel passes: pointers to local
    /// memory, whose sizes come with the call. They point to void; with
    /// cl_khr_device_enqueue_local_arg_types to any type.
    pub(super) fn takes_local_pointers(&self, func: FuncId) -> bool {
        let any_type = (self.lang).knows_extension("cl_khr_device_enqueue_local_arg_types");
        self.block_params(func).iter().all(|&param| {
            let parts = self.module.types.pointer_parts(param);
            parts.is_some_and(|(to, space)| {
                space == AddrSpace::Local && (any_type || to.ty == TypeTable::VOID)
            })
        })
    }

    /// The opaque type of a kind.
    pub(super) fn opaque(&mut self, kind: OpaqueKind) -> TypeId {
        self.module.types.intern(Type::Opaque(kind))
    }
}
