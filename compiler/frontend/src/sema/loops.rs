//! Loops: what their `for` may declare, and hints of unrolling, which stand before loops alone.
use super::Sema;
use super::typed::LoopHint;
use crate::parse::ast::{self, Attr, AttrArg, Pragma, PragmaKind, StorageClass};

impl<'a> Sema<'a> {
    /// Refuses a hint of unrolling in front of a statement that is no loop.
    pub(super) fn check_hinted(&self, attrs: &[Attr], body: ast::StmtId) {
        let Some(attr) = self.find_attr(attrs, "opencl_unroll_hint") else {
            return;
        };
        if !self.is_loop(body) {
            let message = "'opencl_unroll_hint' attribute only applies to 'for', 'while', and 'do' statements";
            self.error(attr.span, message);
        }
    }

    /// Refuses a declaration of a `for` statement that declares no variable of the loop (C99 6.8.5p3).
    pub(super) fn check_loop_declaration(&self, init: ast::StmtId) {
        let ast::StmtKind::Decl(declaration) = &self.ast.stmt(init).kind else {
            return;
        };
        let specs = &declaration.specs;
        let stored = |class| specs.storage.iter().any(|(found, _)| *found == class);
        let mut declarators = declaration.declarators.iter().map(|item| &item.declarator);
        let is_function =
            |d: &ast::Declarator| matches!(d.parts.first(), Some(ast::DeclPart::Function { .. }));
        let first = declaration.declarators.first();
        let name = first.and_then(|item| item.declarator.name);
        let span = name.map_or(declaration.span, |(_, span)| span);
        let declares_tag = matches!(specs.ty, ast::TypeSpec::Record(_) | ast::TypeSpec::Enum(_));
        if stored(StorageClass::Typedef)
            || declarators.all(is_function) && (name.is_some() || declares_tag)
        {
            self.error(span, "non-variable declaration in 'for' loop");
        } else if stored(StorageClass::Static) || stored(StorageClass::Extern) {
            self.error(span, "declaration of non-local variable in 'for' loop");
        }
    }

    /// Returns whether a statement is a loop, whatever its attributes.
    pub(super) fn is_loop(&self, mut id: ast::StmtId) -> bool {
        while let ast::StmtKind::Attributed { body, .. } = &self.ast.stmt(id).kind {
            id = *body;
        }
        matches!(
            self.ast.stmt(id).kind,
            ast::StmtKind::For { .. } | ast::StmtKind::While { .. } | ast::StmtKind::DoWhile { .. }
        )
    }

    /// Reports a pragma of unrolling in front of what is no loop.
    pub(super) fn loop_expected(&self, pragma: &Pragma) {
        let name = match pragma.kind {
            PragmaKind::NoUnroll => "nounroll",
            _ => "unroll",
        };
        let message = format!("expected a for, while, or do-while loop to follow '#pragma {name}'");
        self.error(pragma.span, message);
    }

    /// The hint of a pragma of unrolling.
    pub(super) fn pragma_hint(&mut self, pragma: &Pragma) -> Option<LoopHint> {
        let count = match pragma.kind {
            PragmaKind::Unroll(None) => return Some(LoopHint::Unroll),
            PragmaKind::Unroll(Some(count)) => count,
            PragmaKind::NoUnroll => return Some(LoopHint::DontUnroll),
            _ => return None,
        };
        let Some(value) = self.integer_constant(count) else {
            return Some(LoopHint::None);
        };
        Some(match u32::try_from(value) {
            Ok(0 | 1) => LoopHint::DontUnroll,
            Ok(n) => LoopHint::UnrollCount(n),
            Err(_) => {
                let message = format!("invalid value '{value}'; must be positive");
                self.error(self.ast.expr(count).span, message);
                LoopHint::None
            }
        })
    }

    /// The hint of `opencl_unroll_hint`.
    pub(super) fn unroll_hint(&mut self, attrs: &[Attr]) -> Option<LoopHint> {
        let attr = self.find_attr(attrs, "opencl_unroll_hint")?;
        if attr.args.len() > 1 {
            let message = "'opencl_unroll_hint' attribute takes no more than 1 argument";
            self.error(attr.span, message);
            return None;
        }
        let Some(AttrArg::Expr(expr)) = attr.args.first() else {
            return Some(LoopHint::Unroll);
        };
        match self.integer_constant(*expr)? {
            0 => Some(LoopHint::Unroll),
            1 => Some(LoopHint::DontUnroll),
            n => match u32::try_from(n) {
                Ok(n) => Some(LoopHint::UnrollCount(n)),
                Err(_) => {
                    self.error(
                        attr.span,
                        "'opencl_unroll_hint' attribute requires a non-negative integral compile time constant expression",
                    );
                    None
                }
            },
        }
    }
}
