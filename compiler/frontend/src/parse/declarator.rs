//! Declarators, parameters, type names and braced initialisers.

use super::ast::{
    DeclPart, Declarator, Designator, Init, InitItem, InitList, ParamDecl, Qual, TypeName,
    TypeNameId, TypeSpec,
};
use super::decl::qualifier;
use super::{NameKind, Parse, Parser, Reported};
use crate::pp::token::{Keyword, Punct, TokenKind};
use crate::source::Span;
use pumice_budget as budget;

/// Rule about the name of a declarator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Naming {
    Required,
    Optional,
    Forbidden,
}

impl Parser<'_> {
    /// A declarator of a declaration, with the attributes behind it.
    pub(super) fn named_declarator(&mut self) -> Parse<Declarator> {
        self.declarator(Naming::Required)
    }

    /// The declarator of an unnamed bit-field.
    pub(super) fn no_declarator(&self) -> Declarator {
        Declarator {
            span: Span::at(self.loc()),
            ..Declarator::default()
        }
    }

    fn declarator(&mut self, naming: Naming) -> Parse<Declarator> {
        let start = self.loc();
        let first = self.pos;
        let mut out = Declarator::default();
        self.declarator_parts(naming, &mut out)?;
        out.span = if self.pos > first {
            self.span_from(start)
        } else {
            Span::at(start)
        };
        if self.at_keyword(Keyword::Asm) {
            self.error(self.loc(), "asm labels are not supported in OpenCL C");
            return Err(Reported);
        }
        self.attributes(&mut out.attrs)?;
        Ok(out)
    }

    /// Appends derivations from the name outwards.
    fn declarator_parts(&mut self, naming: Naming, out: &mut Declarator) -> Parse<()> {
        self.enter()?;
        self.attributes(&mut out.attrs)?;
        let mut pointers = Vec::new();
        while let TokenKind::Punct(punct @ (Punct::Star | Punct::Caret)) = self.kind() {
            let span = Span::at(self.advance().loc);
            let mut attrs = Vec::new();
            let quals = self.pointer_qualifiers(&mut attrs)?;
            pointers.push(if punct == Punct::Star {
                DeclPart::Pointer { quals, attrs, span }
            } else {
                DeclPart::Block { span }
            });
        }
        match self.kind() {
            TokenKind::Ident(name) if naming != Naming::Forbidden => {
                out.name = Some((name, Span::at(self.advance().loc)));
            }
            TokenKind::Punct(Punct::LParen) if self.nested_declarator(naming) => {
                let open = self.advance().loc;
                self.declarator_parts(naming, out)?;
                self.expect_close(Punct::RParen, open)?;
            }
            _ if naming == Naming::Required => {
                return Err(self.expected("identifier or '('"));
            }
            _ => {}
        }
        loop {
            match self.kind() {
                TokenKind::Punct(Punct::LBracket) => {
                    let part = self.array_part()?;
                    out.parts.push(part);
                }
                TokenKind::Punct(Punct::LParen) => {
                    let part = self.function_part()?;
                    out.parts.push(part);
                }
                _ => break,
            }
        }
        out.parts.extend(pointers.into_iter().rev());
        self.leave();
        Ok(())
    }

    /// Returns whether the parenthesis here groups a declarator (otherwise it opens parameters).
    fn nested_declarator(&mut self, naming: Naming) -> bool {
        match self.ahead(1) {
            TokenKind::Punct(Punct::Star | Punct::Caret | Punct::LParen | Punct::LBracket) => true,
            TokenKind::Keyword(Keyword::Attribute) => true,
            TokenKind::Ident(name) => match naming {
                Naming::Required => true,
                Naming::Optional => !self.is_type(name),
                Naming::Forbidden => false,
            },
            _ => naming == Naming::Required,
        }
    }

    fn pointer_qualifiers(
        &mut self,
        attrs: &mut Vec<super::ast::Attr>,
    ) -> Parse<Vec<(Qual, Span)>> {
        let mut quals = Vec::new();
        loop {
            match self.kind() {
                TokenKind::Keyword(Keyword::Attribute) => self.attributes(attrs)?,
                TokenKind::Keyword(keyword) => match qualifier(keyword) {
                    Some(qual) => quals.push((qual, Span::at(self.advance().loc))),
                    None => return Ok(quals),
                },
                _ => return Ok(quals),
            }
        }
    }

    fn array_part(&mut self) -> Parse<DeclPart> {
        let open = self.advance().loc;
        // `static` and qualifiers, of parameters only, change nothing that a kernel could see.
        while let TokenKind::Keyword(keyword) = self.kind() {
            if keyword != Keyword::Static && qualifier(keyword).is_none() {
                break;
            }
            self.advance();
        }
        let is_star = self.at(Punct::Star) && self.ahead(1) == TokenKind::Punct(Punct::RBracket);
        let mut size = None;
        if is_star {
            self.advance();
        } else if !self.at(Punct::RBracket) {
            size = Some(self.assignment()?);
        }
        self.expect_close(Punct::RBracket, open)?;
        Ok(DeclPart::Array {
            size,
            is_star,
            span: self.span_from(open),
        })
    }

    pub(super) fn function_part(&mut self) -> Parse<DeclPart> {
        let open = self.advance().loc;
        self.push_scope();
        let params = self.parameters(open);
        self.pop_scope();
        let (params, variadic) = params?;
        Ok(DeclPart::Function {
            params,
            variadic,
            span: self.span_from(open),
        })
    }

    fn parameters(&mut self, open: crate::source::Loc) -> Parse<(Vec<ParamDecl>, Option<Span>)> {
        let mut params = Vec::new();
        let mut variadic = None;
        if self.accept(Punct::RParen) {
            return Ok((params, None));
        }
        // `(void)`
        if self.at_keyword(Keyword::Void) && self.ahead(1) == TokenKind::Punct(Punct::RParen) {
            self.advance();
            self.advance();
            return Ok((params, None));
        }
        if self.at_name_list() {
            return Ok((self.old_style_parameters()?, None));
        }
        loop {
            if self.at(Punct::Ellipsis) {
                variadic = Some(Span::at(self.advance().loc));
                break;
            }
            let parameter = self.parameter()?;
            budget::push(&mut params, parameter);
            if !self.accept(Punct::Comma) {
                break;
            }
        }
        self.expect_close(Punct::RParen, open)?;
        Ok((params, variadic))
    }

    fn parameter(&mut self) -> Parse<ParamDecl> {
        let start = self.loc();
        let mut specs = self.specifiers()?;
        if matches!(specs.ty, TypeSpec::Missing) {
            match self.kind() {
                TokenKind::Ident(name) => {
                    self.unknown_type(name);
                    specs.ty_span = Span::at(self.advance().loc);
                    specs.ty = TypeSpec::Error;
                }
                _ if specs.span.lo == self.loc() => {
                    return Err(self.expected("parameter declarator"));
                }
                _ => {}
            }
        }
        let mut declarator = self.declarator(Naming::Optional)?;
        // What C++ has here is read, so that the function is declared and calls of it are not refused as well.
        if self.at(Punct::Amp) {
            let message = "references are not supported in OpenCL C; use a pointer";
            self.error(self.loc(), message);
            self.advance();
            declarator = self.declarator(Naming::Optional)?;
            specs.ty = TypeSpec::Error;
        }
        if let Some((name, _)) = declarator.name {
            self.declare(name, NameKind::Ordinary);
        }
        if self.at(Punct::Equal) {
            self.error(self.loc(), "C does not support default arguments");
            self.advance();
            self.conditional()?;
        }
        Ok(ParamDecl {
            specs,
            declarator,
            span: self.span_from(start),
        })
    }

    /// A type name: specifiers and an abstract declarator.
    pub(super) fn type_name(&mut self) -> Parse<TypeNameId> {
        let specs = self.specifiers()?;
        if let Some((_, at)) = specs.storage.first() {
            self.error(
                *at,
                "type name does not allow storage class to be specified",
            );
        }
        if let Some((_, at)) = specs.function.first() {
            self.error(
                *at,
                "type name does not allow function specifier to be specified",
            );
        }
        if matches!(specs.ty, TypeSpec::Missing) {
            return Err(self.expected("a type"));
        }
        let declarator = self.declarator(Naming::Forbidden)?;
        Ok(self.ast.add_type_name(TypeName { specs, declarator }))
    }

    /// `{ … }` as an initialiser.
    pub(super) fn init_list(&mut self) -> Parse<InitList> {
        let open = self.expect(Punct::LBrace, "at start of initializer")?;
        self.enter()?;
        let mut items = Vec::new();
        while !self.at(Punct::RBrace) {
            let mut designators = Vec::new();
            // GNU's old `name: value`.
            if let (TokenKind::Ident(name), TokenKind::Punct(Punct::Colon)) =
                (self.kind(), self.ahead(1))
            {
                designators.push(Designator::Field(name, Span::at(self.advance().loc)));
                self.advance();
            } else {
                self.designators(&mut designators)?;
                if !designators.is_empty() {
                    self.expect(Punct::Equal, "or another designator")?;
                }
            }
            let init = if self.at(Punct::LBrace) {
                Init::List(self.init_list()?)
            } else {
                Init::Expr(self.assignment()?)
            };
            budget::push(&mut items, InitItem { designators, init });
            if !self.accept(Punct::Comma) {
                break;
            }
        }
        self.expect_close(Punct::RBrace, open)?;
        self.leave();
        Ok(InitList {
            items,
            span: self.span_from(open),
        })
    }

    /// `.name` and `[index]`, any number of them.
    pub(super) fn designators(&mut self, out: &mut Vec<Designator>) -> Parse<()> {
        loop {
            if self.accept(Punct::Dot) {
                let TokenKind::Ident(name) = self.kind() else {
                    return Err(self.expected("a field designator, such as '.field = 4'"));
                };
                out.push(Designator::Field(name, Span::at(self.advance().loc)));
            } else if self.at(Punct::LBracket) {
                let open = self.advance().loc;
                let first = self.conditional()?;
                let last = match self.accept(Punct::Ellipsis) {
                    true => Some(self.conditional()?),
                    false => None,
                };
                self.expect_close(Punct::RBracket, open)?;
                let span = self.span_from(open);
                out.push(match last {
                    Some(last) => Designator::Range(first, last, span),
                    None => Designator::Index(first, span),
                });
            } else {
                return Ok(());
            }
        }
    }
}
