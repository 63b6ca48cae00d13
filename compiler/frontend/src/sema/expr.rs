//! Expressions: dispatch, names, traits.
use super::const_eval::Value;
use super::literal::IntLiteral;
use super::scope::{Entity, SpacedType};
use super::typed::{ExprId, ExprKind, Global, Init, Linkage, LvalueId, LvalueKind};
use super::{Operand, Sema};
use crate::builtins;
use crate::lang::foreign;
use crate::lang::types::{AddrSpace, OpaqueKind, QualType, Quals, Type, TypeId, TypeTable};
use crate::parse::ast::{self, Designator, Trait, UnaryOp};
use crate::pp::float_constant;
use crate::source::{Span, Symbol};

impl<'a> Sema<'a> {
    /// Checks an expression.
    pub(super) fn operand(&mut self, id: ast::ExprId) -> Option<Operand> {
        let span = self.ast.expr(id).span;
        self.enter(span)?;
        let result = self.operand_inner(id, span);
        self.leave();
        result
    }

    /// Checks an expression whose value is wanted.
    pub(super) fn rvalue(&mut self, id: ast::ExprId) -> Option<ExprId> {
        let operand = self.operand(id)?;
        self.value_of(operand, self.ast.expr(id).span)
    }

    /// The type of an expression that is not evaluated; arrays do not decay.
    pub(super) fn unevaluated(&mut self, id: ast::ExprId) -> Option<QualType> {
        let operand = self.without_evaluation(|sema| sema.operand(id));
        self.type_of_operand(operand?, id)
    }

    pub(super) fn type_of_operand(
        &mut self,
        operand: Operand,
        id: ast::ExprId,
    ) -> Option<QualType> {
        match operand {
            Operand::Value(expr) => Some(QualType::plain(self.ty(expr))),
            Operand::Lvalue(lvalue) => Some(self.body.lvalue(lvalue).ty),
            function => {
                self.value_of(function, self.ast.expr(id).span)?;
                None
            }
        }
    }

    fn operand_inner(&mut self, id: ast::ExprId, span: Span) -> Option<Operand> {
        let ast = self.ast;
        let value = match &ast.expr(id).kind {
            ast::ExprKind::Ident(name) => return self.identifier(*name, span),
            ast::ExprKind::Paren(inner) => return self.operand(*inner),
            &ast::ExprKind::Int {
                value,
                too_large,
                decimal,
                unsigned,
                long,
            } => {
                let literal = IntLiteral {
                    value,
                    too_large,
                    decimal,
                    unsigned,
                    long: long > 0,
                };
                Some(self.int_literal(literal, span))
            }
            &ast::ExprKind::Float { text, suffix } => self.float_literal(text, suffix, span),
            &ast::ExprKind::Char { value } => {
                Some(self.mk(ExprKind::Int(u64::from(value as u32)), TypeTable::INT, span))
            }
            ast::ExprKind::Str(bytes) => {
                self.afford(2 * bytes.len() as u64, span)?;
                let global = self.string_literal(bytes, span);
                return Some(Operand::Lvalue(self.global_lvalue(global, span)));
            }
            ast::ExprKind::Unary { op, operand } => return self.unary(*op, *operand, span),
            ast::ExprKind::Postfix { increment, operand } => {
                self.increment(*operand, *increment, true, span)
            }
            ast::ExprKind::Binary {
                op,
                op_span,
                lhs,
                rhs,
            } => self.binary(*op, *op_span, *lhs, *rhs, span),
            ast::ExprKind::Assign {
                op,
                op_span,
                lhs,
                rhs,
            } => self.assignment(*op, *op_span, *lhs, *rhs, span),
            ast::ExprKind::Cond {
                cond,
                then,
                otherwise,
                op_span,
            } => self.conditional(*cond, *then, *otherwise, *op_span, span),
            ast::ExprKind::Comma { lhs, rhs } => {
                let left = self.operand(*lhs);
                let left_ty = match left {
                    Some(Operand::Lvalue(lvalue)) => self.body.lvalue(lvalue).ty.ty,
                    Some(Operand::Value(value)) => self.ty(value),
                    _ => TypeTable::VOID,
                };
                let left = left.and_then(|left| self.discard(left, self.ast.expr(*lhs).span));
                let right = self.rvalue(*rhs);
                let (lhs, rhs) = (left?, right?);
                let ty = self.ty(rhs);
                // Handles are arguments of functions and nothing else (OpenCL C 3.0 §6.11).
                let is_handle = |ty| {
                    let kind = self.module.types.opaque(ty);
                    kind.is_some_and(OpaqueKind::is_handle)
                };
                if is_handle(left_ty) || is_handle(ty) {
                    self.invalid_operands(left_ty, ty, span);
                    return None;
                }
                Some(self.mk(ExprKind::Comma { lhs, rhs }, ty, span))
            }
            ast::ExprKind::Call {
                callee,
                args,
                rparen,
            } => match self.unevaluated_call(*callee, args, *rparen, span) {
                Some(operand) => return operand,
                None => self.call(*callee, args, *rparen, span),
            },
            ast::ExprKind::Index { base, index } => return self.index(*base, *index, span),
            ast::ExprKind::Member {
                base,
                arrow,
                name,
                name_span,
            } => return self.member(*base, *arrow, *name, *name_span, span),
            ast::ExprKind::Cast { ty, operand } if self.is_block_literal(*operand) => {
                return self.block_cast(*ty, *operand, span);
            }
            ast::ExprKind::Cast { ty, operand } => self.cast(*ty, *operand, span),
            ast::ExprKind::VectorLit { ty, elems } => self.vector_literal(*ty, elems, span),
            ast::ExprKind::CompoundLit { ty, init } => {
                return self.compound_literal(*ty, init, span);
            }
            ast::ExprKind::TraitExpr { which, operand } => {
                let ty = self.measured(*which, *operand);
                ty.and_then(|q| self.type_trait(*which, q.ty, span))
            }
            ast::ExprKind::TraitType { which, ty } => {
                let ty = self.type_name(*ty);
                ty.and_then(|t| self.type_trait(*which, t.q.ty, span))
            }
            ast::ExprKind::AsType { operand, ty } => self.as_type(*operand, *ty, span),
            ast::ExprKind::ConvertVector { operand, ty } => {
                self.converted_vector(*operand, *ty, span)
            }
            ast::ExprKind::TypesCompatible { first, second } => {
                self.types_compatible(*first, *second, span)
            }
            ast::ExprKind::OffsetOf { ty, path } => self.offset_of(*ty, path, span),
            ast::ExprKind::BlockLit(lit) => return self.block_literal(lit, span),
            ast::ExprKind::Generic { control, arms } => {
                return self.generic_selection(*control, arms, span);
            }
            ast::ExprKind::StmtExpr(body) => self.statement_expression(*body, span),
            ast::ExprKind::Error => None,
        };
        value.map(Operand::Value)
    }

    fn identifier(&mut self, name: Symbol, span: Span) -> Option<Operand> {
        let text = self.name(name);
        if let Some(binding) = self.lookup(name) {
            match binding.entity {
                Entity::Local(local) => {
                    return self.variable(name, local, span).map(Operand::Lvalue);
                }
                Entity::Block(block) => {
                    self.check_block_reference(name, span)?;
                    return Some(Operand::Block(block));
                }
                Entity::Global(global) => {
                    return Some(Operand::Lvalue(self.global_lvalue(global, span)));
                }
                Entity::Functions(_) => return Some(Operand::Function(name)),
                Entity::Enumerator(ty, bits) => {
                    return Some(Operand::Value(self.mk(ExprKind::Int(bits), ty, span)));
                }
                Entity::Sampler(mask) => {
                    return Some(Operand::Value(self.sampler(mask, span)));
                }
                Entity::Typedef(_) => {
                    self.error(
                        span,
                        format!("unexpected type name '{text}': expected expression"),
                    );
                    return None;
                }
                Entity::Poisoned => return None,
            }
        }
        if let Some((ty, bits)) = builtins::constant(text, &self.lang) {
            return Some(Operand::Value(self.mk(ExprKind::Int(bits), ty, span)));
        }
        if matches!(text, "true" | "false") {
            let bit = u64::from(text == "true");
            return Some(Operand::Value(self.mk(
                ExprKind::Int(bit),
                TypeTable::INT,
                span,
            )));
        }
        if builtins::is_builtin(text) {
            return Some(Operand::Builtin(name));
        }
        if matches!(text, "__func__" | "__FUNCTION__") {
            let own = self.func.as_ref().map_or(String::new(), |f| f.name.clone());
            let global = self.string_literal(own.as_bytes(), span);
            return Some(Operand::Lvalue(self.global_lvalue(global, span)));
        }
        self.undeclared(text, span);
        None
    }

    /// Reports an unknown name, with the one that was perhaps meant.
    pub(super) fn undeclared(&mut self, text: &str, span: Span) {
        if let Some(float) = float_constant(text).filter(|_| !self.lang.fp64()) {
            let message = format!("use of undeclared identifier '{text}'");
            self.error(span, message).hint(format!(
                "'{text}' is for doubles, which this device does not have; write '{float}'"
            ));
            return;
        }
        let advice = foreign::advice(text, || self.suggest_value(text));
        let message = advice.complete(format!("use of undeclared identifier '{text}'"));
        let report = self.error(span, message);
        if let Some(hint) = advice.hint {
            report.hint(hint);
        } else if let Some(other) = advice.name {
            if let Some(declared) = self.declared_at(&other) {
                report.note(declared, format!("'{other}' declared here"));
            }
        }
    }

    pub(super) fn local_lvalue(&mut self, local: super::typed::LocalId, span: Span) -> LvalueId {
        let variable = self.body.local(local);
        let (ty, align) = (variable.ty, variable.align);
        self.mk_lvalue(
            LvalueKind::Local(local),
            ty,
            AddrSpace::Private,
            align,
            span,
        )
    }

    pub(super) fn global_lvalue(&mut self, global: super::typed::GlobalId, span: Span) -> LvalueId {
        let variable = self.module.global(global);
        let (ty, space, align) = (variable.ty, variable.space, variable.align);
        self.mk_lvalue(LvalueKind::Global(global), ty, space, align, span)
    }

    fn unary(&mut self, op: UnaryOp, operand: ast::ExprId, span: Span) -> Option<Operand> {
        match op {
            UnaryOp::Extension => return self.operand(operand),
            UnaryOp::Deref => return self.deref(operand, span),
            UnaryOp::AddrOf => return self.address_of(operand, span).map(Operand::Value),
            UnaryOp::Complex => {
                self.error(span, "complex types are not supported in OpenCL C");
                return None;
            }
            _ => {}
        }
        let value = match op {
            UnaryOp::PreInc => self.increment(operand, true, false, span),
            UnaryOp::PreDec => self.increment(operand, false, false, span),
            UnaryOp::Not => self.logical_not(operand, span),
            UnaryOp::BitNot => self.bit_not(operand, span),
            UnaryOp::Minus => match self.least_long(operand, span) {
                None => self.sign(operand, true, span),
                least => least,
            },
            _ => self.sign(operand, false, span),
        };
        value.map(Operand::Value)
    }

    /// An expression whose value nobody wants: any type, even an lvalue.
    pub(super) fn discarded(&mut self, id: ast::ExprId) -> Option<ExprId> {
        let operand = self.operand(id)?;
        self.discard(operand, self.ast.expr(id).span)
    }

    fn discard(&mut self, operand: Operand, span: Span) -> Option<ExprId> {
        if let Operand::Lvalue(lvalue) = operand {
            let q = self.body.lvalue(lvalue).ty;
            if !q.quals.contains(Quals::VOLATILE) || !self.module.types.is_complete(q.ty) {
                self.check_half_access(q.ty, "load", span)?;
                return Some(self.lvalue_for_effect(lvalue, span));
            }
        }
        self.value_of(operand, span)
    }

    /// Keeps the side effects of an lvalue that is not read: the expressions inside it.
    fn lvalue_for_effect(&mut self, lvalue: LvalueId, span: Span) -> ExprId {
        match &self.body.lvalue(lvalue).kind {
            LvalueKind::Deref(pointer) => *pointer,
            LvalueKind::Field { base, .. } | LvalueKind::Lanes { base, .. } => {
                let base = *base;
                self.lvalue_for_effect(base, span)
            }
            LvalueKind::Lane { index, .. } => *index,
            LvalueKind::Temporary(value) => *value,
            LvalueKind::Local(_) | LvalueKind::Global(_) => {
                self.mk(ExprKind::Int(0), TypeTable::INT, span)
            }
            LvalueKind::Literal { .. } => {
                let q = self.body.lvalue(lvalue).ty;
                let ty = self.module.types.pointer(q, AddrSpace::Private);
                self.mk(ExprKind::AddrOf(lvalue), ty, span)
            }
        }
    }

    fn type_trait(&mut self, which: Trait, ty: TypeId, span: Span) -> Option<ExprId> {
        let types = &self.module.types;
        let number = match which {
            Trait::VecStep => match *types.get(ty) {
                Type::Vector { len: 3, .. } => 4,
                Type::Vector { len, .. } => u64::from(len),
                Type::Void => 1,
                _ if types.is_arithmetic(ty) => 1,
                _ => {
                    let message = format!(
                        "'vec_step' requires built-in scalar or vector type, {} invalid",
                        self.show(ty)
                    );
                    self.error(span, message);
                    return None;
                }
            },
            Trait::SizeOf | Trait::AlignOf if !types.is_complete(ty) => {
                let word = if which == Trait::SizeOf {
                    "sizeof"
                } else {
                    "alignof"
                };
                let message = format!(
                    "invalid application of '{word}' to an incomplete type {}",
                    self.show(ty)
                );
                self.error(span, message);
                return None;
            }
            Trait::SizeOf => types.size(ty),
            Trait::AlignOf => types.align(ty),
        };
        let ty = if which == Trait::VecStep {
            TypeTable::INT
        } else {
            self.module.types.size_type()
        };
        Some(self.mk(ExprKind::Int(number), ty, span))
    }

    fn offset_of(
        &mut self,
        ty: ast::TypeNameId,
        path: &'a [Designator],
        span: Span,
    ) -> Option<ExprId> {
        let mut current = self.type_name(ty)?.q.ty;
        let mut offset: u64 = 0;
        for step in path {
            match step {
                Designator::Field(name, name_span) => {
                    let text = self.name(*name);
                    let record = self.module.types.record_id(current);
                    let Some(fields) = record.and_then(|r| self.find_field(r, text)) else {
                        let message = format!("no member named '{text}' in {}", self.show(current));
                        self.error(*name_span, message);
                        return None;
                    };
                    for field in fields {
                        if self.bits_at(current, &[field.into()]).is_some() {
                            let message = format!("cannot compute offset of bit-field '{text}'");
                            self.error(*name_span, message);
                            return None;
                        }
                        let (at, inner) = self.path_offset(current, &[u64::from(field)])?;
                        offset += at;
                        current = inner;
                    }
                }
                Designator::Index(index, index_span) => {
                    let value = self.integer_constant(*index)?;
                    let Type::Array { elem, .. } = *self.module.types.get(current) else {
                        self.error(
                            *index_span,
                            format!(
                                "offsetof requires array type, {} invalid",
                                self.show(current)
                            ),
                        );
                        return None;
                    };
                    let size = i128::from(self.module.types.size(elem.ty));
                    offset = offset.wrapping_add((value.wrapping_mul(size)) as u64);
                    current = elem.ty;
                }
                Designator::Range(_, _, range_span) => {
                    self.error(*range_span, "array range is not allowed in offsetof");
                    return None;
                }
            }
        }
        let ty = self.module.types.size_type();
        Some(self.mk(ExprKind::Int(offset), ty, span))
    }

    fn compound_literal(
        &mut self,
        ty: ast::TypeNameId,
        init: &'a ast::InitList,
        span: Span,
    ) -> Option<Operand> {
        let named = self.type_name(ty)?;
        if self.is_immaterial(named.q.ty) {
            let message = format!(
                "compound literal of type {} is not allowed",
                self.show(named.q.ty)
            );
            self.error(span, message);
            return None;
        }
        let open = matches!(
            self.module.types.get(named.q.ty),
            Type::Array { len: None, .. }
        );
        if !open && !self.module.types.is_complete(named.q.ty) {
            let message = format!("variable has incomplete type {}", self.show(named.q.ty));
            self.error(span, message);
            return None;
        }
        let (ty, init) = self.list_initialiser(named.q.ty, init)?;
        let q = QualType::new(ty, named.q.quals);
        if self.module.types.is_vector(ty) {
            if let super::typed::Init::Expr(expr) = init {
                return Some(Operand::Value(expr));
            }
        }
        if self.func.is_none() {
            return self.static_literal(named, q, &init, span);
        }
        Some(Operand::Lvalue(self.temporary(q, init, span)))
    }

    /// A compound literal at program scope: a nameless variable, in the constant address space
    /// unless it says otherwise.
    fn static_literal(
        &mut self,
        named: SpacedType,
        q: QualType,
        init: &Init,
        span: Span,
    ) -> Option<Operand> {
        let space = match named.space {
            None | Some(AddrSpace::Constant) => AddrSpace::Constant,
            Some(AddrSpace::Global) if self.lang.program_scope_globals() => AddrSpace::Global,
            Some(space) => {
                let message = format!(
                    "program scope compound literal cannot be in the {} address space",
                    space.name()
                );
                self.error(span, message);
                return None;
            }
        };
        let Some(data) = self.init_data(init, q.ty) else {
            self.not_constant(span);
            return None;
        };
        let id = self.push_global(Global {
            name: format!(".literal.{}", self.module.globals.len()),
            ty: q,
            space,
            linkage: Linkage::Internal,
            align: self.module.types.align(q.ty),
            init: Some(data),
            owner: None,
            is_string: false,
            span,
        });
        Some(Operand::Lvalue(self.global_lvalue(id, span)))
    }

    /// The arm of `_Generic` that has the controlling expression's type (C11 6.5.1.1); the
    /// others are not looked at.
    fn generic_selection(
        &mut self,
        control: ast::ExprId,
        arms: &'a [(Option<ast::TypeNameId>, ast::ExprId, Span)],
        span: Span,
    ) -> Option<Operand> {
        // The type of the value: arrays decay, qualifiers go.
        let value = self.rvalue(control)?;
        let wanted = self.ty(value);
        let mut default: Option<(ast::ExprId, Span)> = None;
        let mut chosen = None;
        let mut seen: Vec<(TypeId, Span)> = Vec::new();
        for &(name, value, at) in arms {
            let Some(name) = name else {
                if let Some((_, previous)) = default.replace((value, at)) {
                    self.error(at, "duplicate default generic association")
                        .note(previous, "previous default generic association is here");
                    return None;
                }
                continue;
            };
            let q = self.type_name(name)?.q;
            if !self.module.types.is_complete(q.ty) {
                let message = format!("type {} in generic association incomplete", self.show(q.ty));
                self.error(at, message);
                return None;
            }
            if let Some(&(_, previous)) = seen.iter().find(|(ty, _)| *ty == q.ty) {
                let shown = self.show(q.ty);
                let message = format!(
                    "type {shown} in generic association compatible with previously specified type {shown}"
                );
                self.error(at, message)
                    .note(previous, format!("compatible type {shown} specified here"));
                return None;
            }
            seen.push((q.ty, at));
            if q.ty == wanted && q.quals.is_empty() {
                chosen = Some(value);
            }
        }
        match chosen.or(default.map(|(value, _)| value)) {
            Some(value) => self.operand(value),
            None => {
                let message = format!(
                    "controlling expression type {} not compatible with any generic association type",
                    self.show(wanted)
                );
                self.error(span, message);
                None
            }
        }
    }

    /// The number in a constant integer expression node.
    pub(super) fn constant_number(&self, expr: ExprId) -> Option<i128> {
        match self.eval(expr)? {
            Value::Int(bits) => Some(self.signed_value(bits, self.ty(expr))),
            _ => None,
        }
    }
}
