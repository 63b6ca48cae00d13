//! Function definitions in the style of K&R: names first, then their declarations (C99 6.9.1).
use super::ast::{DeclSpecs, Declarator, ParamDecl, TypeSpec};
use super::{NameKind, Parse, Parser};
use crate::pp::token::{Punct, TokenKind};
use crate::source::{Span, Symbol};

impl Parser<'_> {
    /// Returns whether a list of names stands here, closed and with declarations behind it.
    pub(super) fn at_name_list(&mut self) -> bool {
        let mut at = 0;
        loop {
            match self.ahead(at) {
                TokenKind::Ident(name) if !self.is_type(name) => {}
                _ => return false,
            }
            match self.ahead(at + 1) {
                TokenKind::Punct(Punct::Comma) => at += 2,
                TokenKind::Punct(Punct::RParen) => break,
                _ => return false,
            }
        }
        let behind = self.ahead(at + 2);
        self.token_starts_type(behind)
    }

    /// Names and declarations of parameters, up to the body.
    pub(super) fn old_style_parameters(&mut self) -> Parse<Vec<ParamDecl>> {
        let mut names: Vec<(Symbol, Span)> = Vec::new();
        while let TokenKind::Ident(name) = self.kind() {
            names.push((name, Span::at(self.advance().loc)));
            if !self.accept(Punct::Comma) {
                break;
            }
        }
        self.expect(Punct::RParen, "behind the names of parameters")?;
        let mut declared: Vec<Option<ParamDecl>> = vec![None; names.len()];
        while !self.at(Punct::LBrace) {
            let specs = self.specifiers()?;
            loop {
                let declarator = self.named_declarator()?;
                self.old_style_parameter(&names, &mut declared, &specs, declarator);
                if !self.accept(Punct::Comma) {
                    break;
                }
            }
            self.expect_semicolon("at end of declaration")?;
        }
        let mut params = Vec::with_capacity(names.len());
        for ((name, span), param) in names.into_iter().zip(declared) {
            match param {
                Some(param) => {
                    self.declare(name, NameKind::Ordinary);
                    params.push(param);
                }
                None => {
                    let text = self.names.resolve(name);
                    self.error(span, format!("parameter '{text}' was not declared"));
                    params.push(ParamDecl {
                        specs: DeclSpecs {
                            ty: TypeSpec::Error,
                            ..DeclSpecs::default()
                        },
                        declarator: Declarator {
                            name: Some((name, span)),
                            span,
                            ..Declarator::default()
                        },
                        span,
                    });
                }
            }
        }
        Ok(params)
    }

    fn old_style_parameter(
        &self,
        names: &[(Symbol, Span)],
        declared: &mut [Option<ParamDecl>],
        specs: &DeclSpecs,
        declarator: Declarator,
    ) {
        let Some((name, at)) = declarator.name else {
            return;
        };
        let text = self.names.resolve(name);
        match names.iter().position(|(other, _)| *other == name) {
            None => {
                self.error(at, format!("parameter named '{text}' is missing"));
            }
            Some(index) if declared[index].is_some() => {
                self.error(at, format!("redefinition of parameter '{text}'"));
            }
            Some(index) => {
                declared[index] = Some(ParamDecl {
                    specs: specs.clone(),
                    span: specs.span.to(declarator.span),
                    declarator,
                });
            }
        }
    }
}
