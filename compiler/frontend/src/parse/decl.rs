//! Declarations: specifiers, records, enumerations, function definitions.

use super::ast::{
    DeclPart, DeclSpecs, Declaration, EnumSpec, Enumerator, ExternalDecl, FunctionDef,
    FunctionSpec, Init, InitDeclarator, MemberDecl, MemberDeclarator, Qual, RecordSpec,
    StaticAssert, StorageClass, TypeSpec, TypeWord,
};
use super::{NameKind, Parse, Parser, Reported};
use crate::pp::literal::parse_string;
use crate::pp::token::{Keyword, Punct, TokenKind};
use crate::source::{Loc, Span};
use pumice_budget as budget;

/// Role of a keyword among declaration specifiers.
pub(super) enum Specifier {
    Storage(StorageClass),
    Function(FunctionSpec),
    Qual(Qual),
    Word(TypeWord),
}

pub(super) fn specifier(keyword: Keyword) -> Option<Specifier> {
    Some(match keyword {
        Keyword::Typedef => Specifier::Storage(StorageClass::Typedef),
        Keyword::Extern => Specifier::Storage(StorageClass::Extern),
        Keyword::Static => Specifier::Storage(StorageClass::Static),
        Keyword::Auto => Specifier::Storage(StorageClass::Auto),
        Keyword::Register => Specifier::Storage(StorageClass::Register),
        Keyword::ThreadLocal => Specifier::Storage(StorageClass::ThreadLocal),
        Keyword::Inline => Specifier::Function(FunctionSpec::Inline),
        Keyword::Kernel => Specifier::Function(FunctionSpec::Kernel),
        Keyword::Noreturn => Specifier::Function(FunctionSpec::Noreturn),
        Keyword::Void => Specifier::Word(TypeWord::Void),
        Keyword::Bool => Specifier::Word(TypeWord::Bool),
        Keyword::Char => Specifier::Word(TypeWord::Char),
        Keyword::Short => Specifier::Word(TypeWord::Short),
        Keyword::Int => Specifier::Word(TypeWord::Int),
        Keyword::Long => Specifier::Word(TypeWord::Long),
        Keyword::Half => Specifier::Word(TypeWord::Half),
        Keyword::Float => Specifier::Word(TypeWord::Float),
        Keyword::Double => Specifier::Word(TypeWord::Double),
        Keyword::Signed => Specifier::Word(TypeWord::Signed),
        Keyword::Unsigned => Specifier::Word(TypeWord::Unsigned),
        Keyword::Complex => Specifier::Word(TypeWord::Complex),
        other => Specifier::Qual(qualifier(other)?),
    })
}

/// Returns the qualifier that a keyword denotes.
pub(super) fn qualifier(keyword: Keyword) -> Option<Qual> {
    Some(match keyword {
        Keyword::Const => Qual::Const,
        Keyword::Volatile => Qual::Volatile,
        Keyword::Restrict => Qual::Restrict,
        Keyword::Atomic => Qual::Atomic,
        Keyword::Private => Qual::Private,
        Keyword::Global => Qual::Global,
        Keyword::Local => Qual::Local,
        Keyword::Constant => Qual::Constant,
        Keyword::Generic => Qual::Generic,
        Keyword::ReadOnly => Qual::ReadOnly,
        Keyword::WriteOnly => Qual::WriteOnly,
        Keyword::ReadWrite => Qual::ReadWrite,
        _ => return None,
    })
}

impl Parser<'_> {
    pub(super) fn translation_unit(&mut self) {
        while self.kind() != TokenKind::Eof && !self.diagnostics.should_stop() {
            let before = self.pos;
            match self.external() {
                Ok(Some(decl)) => budget::push(&mut self.ast.decls, decl),
                Ok(None) => {}
                Err(Reported) => {
                    self.depth = 0;
                    while !self.scopes.is_empty() {
                        self.pop_scope();
                    }
                    self.skip_external();
                    if self.pos == before {
                        self.advance();
                    }
                }
            }
        }
    }

    fn external(&mut self) -> Parse<Option<ExternalDecl>> {
        match self.kind() {
            TokenKind::Pragma => return Ok(self.pragma().map(ExternalDecl::Pragma)),
            TokenKind::Punct(Punct::Semicolon) => {
                self.advance();
                return Ok(Some(ExternalDecl::Empty));
            }
            TokenKind::Punct(Punct::RBrace) => {
                self.error(self.loc(), "extraneous closing brace ('}')");
                self.advance();
                return Ok(None);
            }
            TokenKind::Keyword(Keyword::StaticAssert) => {
                return Ok(Some(ExternalDecl::StaticAssert(self.static_assert()?)));
            }
            TokenKind::Keyword(Keyword::Asm) => {
                self.error(self.loc(), "inline assembly is not supported in OpenCL C");
                return Err(Reported);
            }
            TokenKind::Ident(name) => {
                if let Some(message) = self.foreign_word(name) {
                    self.error(self.loc(), message);
                    return Err(Reported);
                }
            }
            _ => {}
        }
        let start = self.loc();
        let specs = self.specifiers()?;
        if self.at(Punct::Semicolon) {
            if matches!(specs.ty, TypeSpec::Missing) && specs.storage.is_empty() {
                return Err(self.expected("external declaration"));
            }
            self.advance();
            return Ok(Some(ExternalDecl::Declaration(Declaration {
                specs,
                declarators: Vec::new(),
                span: self.span_from(start),
            })));
        }
        if matches!(specs.ty, TypeSpec::Missing) && !matches!(self.kind(), TokenKind::Ident(_)) {
            return Err(self.expected("external declaration"));
        }
        let declarator = self.named_declarator()?;
        let is_function = matches!(declarator.parts.first(), Some(DeclPart::Function { .. }));
        if self.at(Punct::LBrace) {
            if !is_function {
                self.error(self.loc(), "expected ';' after top level declarator");
                return Err(Reported);
            }
            if let Some((name, _)) = declarator.name {
                self.declare(name, NameKind::Ordinary);
            }
            self.push_scope();
            if let Some(DeclPart::Function { params, .. }) = declarator.parts.first() {
                for param in params {
                    if let Some((name, _)) = param.declarator.name {
                        self.declare(name, NameKind::Ordinary);
                    }
                }
            }
            let body = self.compound();
            self.pop_scope();
            return Ok(Some(ExternalDecl::Function(Box::new(FunctionDef {
                specs,
                declarator,
                body: body?,
            }))));
        }
        let declaration = self.rest_of_declaration(start, specs, Some(declarator))?;
        Ok(Some(ExternalDecl::Declaration(declaration)))
    }

    /// Declarators, initialisers and the semicolon behind `specs`.
    pub(super) fn rest_of_declaration(
        &mut self,
        start: Loc,
        specs: DeclSpecs,
        first: Option<super::ast::Declarator>,
    ) -> Parse<Declaration> {
        let is_typedef = specs
            .storage
            .iter()
            .any(|(class, _)| *class == StorageClass::Typedef);
        let kind = if is_typedef {
            NameKind::Typedef
        } else {
            NameKind::Ordinary
        };
        let mut declarators = Vec::new();
        let mut next = first;
        loop {
            let declarator = match next.take() {
                Some(declarator) => declarator,
                None if declarators.is_empty() && self.at(Punct::Semicolon) => break,
                None => self.named_declarator()?,
            };
            if let Some((name, _)) = declarator.name {
                self.declare(name, kind);
            }
            let init = match self.accept(Punct::Equal) {
                true => Some(self.initializer()?),
                false => None,
            };
            budget::push(&mut declarators, InitDeclarator { declarator, init });
            if !self.accept(Punct::Comma) {
                break;
            }
        }
        self.refuse_nested_function(&declarators)?;
        let place = match self.scopes.is_empty() {
            true => "after top level declarator",
            false => "at end of declaration",
        };
        self.expect_semicolon(place)?;
        Ok(Declaration {
            specs,
            declarators,
            span: self.span_from(start),
        })
    }

    pub(super) fn static_assert(&mut self) -> Parse<StaticAssert> {
        let start = self.advance().loc;
        let open = self.expect(Punct::LParen, "after '_Static_assert'")?;
        let cond = self.conditional()?;
        let mut message = None;
        if self.accept(Punct::Comma) {
            let TokenKind::Str(s) = self.kind() else {
                return Err(
                    self.expected("string literal for diagnostic message in static assertion")
                );
            };
            self.advance();
            let mut text = Vec::new();
            let _ = parse_string(self.names.bytes(s), &mut text);
            message = Some(text);
        }
        self.expect_close(Punct::RParen, open)?;
        self.expect_semicolon("after '_Static_assert'")?;
        Ok(StaticAssert {
            cond,
            message,
            span: self.span_from(start),
        })
    }

    /// Returns whether a type name or declaration specifiers begin here.
    pub(super) fn starts_type(&mut self) -> bool {
        match self.kind() {
            TokenKind::Ident(name) => {
                self.is_type(name) || self.later_qualifier(name) || self.is_foreign_qualifier(name)
            }
            kind => self.token_starts_type(kind),
        }
    }

    /// Returns whether a type name or declaration specifiers begin with this token.
    pub(super) fn token_starts_type(&mut self, kind: TokenKind) -> bool {
        use Keyword::{AutoType, Enum, PipeType, Struct, Typeof, Union};
        match kind {
            TokenKind::Ident(name) => self.is_type(name),
            TokenKind::Keyword(Struct | Union | Enum | Typeof | AutoType | PipeType) => true,
            TokenKind::Keyword(keyword) => specifier(keyword).is_some(),
            _ => false,
        }
    }

    /// Declaration specifiers in any order.
    pub(super) fn specifiers(&mut self) -> Parse<DeclSpecs> {
        let start = self.loc();
        let mut specs = DeclSpecs::default();
        let first = self.pos;
        loop {
            let loc = self.loc();
            match self.kind() {
                TokenKind::Keyword(Keyword::Attribute) => self.attributes(&mut specs.attrs)?,
                TokenKind::Keyword(Keyword::Extension) => {
                    self.advance();
                }
                TokenKind::Keyword(Keyword::Struct | Keyword::Union) => {
                    self.only_type(&specs)?;
                    specs.ty = TypeSpec::Record(Box::new(self.record()?));
                    specs.ty_span = self.span_from(loc);
                }
                TokenKind::Keyword(Keyword::Enum) => {
                    self.only_type(&specs)?;
                    specs.ty = TypeSpec::Enum(Box::new(self.enumeration()?));
                    specs.ty_span = self.span_from(loc);
                }
                TokenKind::Keyword(Keyword::AutoType) => {
                    self.only_type(&specs)?;
                    self.advance();
                    specs.ty = TypeSpec::Auto;
                    specs.ty_span = self.span_from(loc);
                }
                TokenKind::Keyword(Keyword::Typeof) => {
                    self.only_type(&specs)?;
                    specs.ty = self.type_of()?;
                    specs.ty_span = self.span_from(loc);
                }
                TokenKind::Keyword(Keyword::Atomic)
                    if self.ahead(1) == TokenKind::Punct(Punct::LParen) =>
                {
                    self.only_type(&specs)?;
                    self.advance();
                    let open = self.advance().loc;
                    let inner = self.type_name()?;
                    self.expect_close(Punct::RParen, open)?;
                    specs.ty = TypeSpec::Atomic(inner);
                    specs.ty_span = self.span_from(loc);
                }
                TokenKind::Keyword(Keyword::PipeType) => {
                    self.only_type(&specs)?;
                    self.advance();
                    let element = self.specifiers()?;
                    specs.quals.extend(element.quals);
                    specs.ty = TypeSpec::Pipe(Box::new(element.ty));
                    specs.ty_span = self.span_from(loc);
                }
                TokenKind::Keyword(keyword) => match specifier(keyword) {
                    None => break,
                    Some(found) => {
                        self.advance();
                        self.add_specifier(&mut specs, found, Span::at(loc))?;
                    }
                },
                TokenKind::Ident(name) if self.later_qualifier(name) => {
                    self.advance();
                    specs.quals.push((Qual::Generic, Span::at(loc)));
                }
                TokenKind::Ident(name) if self.is_foreign_qualifier(name) => {
                    self.unknown_type(name);
                    self.advance();
                }
                TokenKind::Ident(name) if matches!(specs.ty, TypeSpec::Missing) => {
                    if self.is_type(name) {
                        self.advance();
                        specs.ty = TypeSpec::Named(name);
                        specs.ty_span = Span::at(loc);
                    } else if self.looks_like_unknown_type() {
                        self.unknown_type(name);
                        self.advance();
                        specs.ty = TypeSpec::Error;
                        specs.ty_span = Span::at(loc);
                    } else {
                        break;
                    }
                }
                _ => break,
            }
        }
        specs.span = if self.pos > first {
            self.span_from(start)
        } else {
            Span::at(start)
        };
        Ok(specs)
    }

    fn add_specifier(&mut self, specs: &mut DeclSpecs, found: Specifier, at: Span) -> Parse<()> {
        match found {
            Specifier::Storage(class) => specs.storage.push((class, at)),
            Specifier::Function(function) => specs.function.push((function, at)),
            Specifier::Qual(qual) => specs.quals.push((qual, at)),
            Specifier::Word(word) => match &mut specs.ty {
                TypeSpec::Missing => {
                    specs.ty = TypeSpec::Words(vec![(word, at)]);
                    specs.ty_span = at;
                }
                TypeSpec::Words(words) => {
                    words.push((word, at));
                    specs.ty_span = specs.ty_span.to(at);
                }
                // Reported already.
                TypeSpec::Error => {}
                _ => {
                    return Err(self.second_type(at, specs));
                }
            },
        }
        Ok(())
    }

    /// Refuses a type specifier behind another one.
    fn only_type(&self, specs: &DeclSpecs) -> Parse<()> {
        if matches!(specs.ty, TypeSpec::Missing) {
            return Ok(());
        }
        Err(self.second_type(Span::at(self.loc()), specs))
    }

    /// Behind the members of a record it is the semicolon that is missing.
    fn second_type(&self, at: Span, specs: &DeclSpecs) -> Reported {
        match &specs.ty {
            TypeSpec::Record(record) if record.members.is_some() => {
                let word = if record.is_union { "union" } else { "struct" };
                self.error(specs.ty_span.end(), format!("expected ';' after {word}"));
            }
            _ => {
                self.error(at, "cannot combine with previous type specifier")
                    .highlight(specs.ty_span);
            }
        }
        Reported
    }

    fn type_of(&mut self) -> Parse<TypeSpec> {
        self.advance();
        let open = self.expect(Punct::LParen, "after 'typeof'")?;
        let ty = if self.starts_type() {
            TypeSpec::TypeofType(self.type_name()?)
        } else {
            TypeSpec::TypeofExpr(self.expression()?)
        };
        self.expect_close(Punct::RParen, open)?;
        Ok(ty)
    }

    fn record(&mut self) -> Parse<RecordSpec> {
        let keyword = self.advance();
        let is_union = keyword.kind == TokenKind::Keyword(Keyword::Union);
        let mut attrs = Vec::new();
        self.attributes(&mut attrs)?;
        let tag = match self.kind() {
            TokenKind::Ident(name) => Some((name, Span::at(self.advance().loc))),
            _ => None,
        };
        self.attributes(&mut attrs)?;
        let (mut members, mut pack) = (None, None);
        if self.at(Punct::LBrace) {
            self.enter()?;
            pack = self.pack;
            let body = self.record_body();
            self.leave();
            members = Some(body?);
        } else if tag.is_none() {
            let what = if is_union { "union" } else { "struct" };
            return Err(self.expected(&format!("identifier or '{{' after '{what}'")));
        }
        let span = self.span_from(keyword.loc);
        if members.is_some() {
            self.attributes(&mut attrs)?;
        }
        Ok(RecordSpec {
            is_union,
            tag,
            members,
            pack,
            attrs,
            span,
        })
    }

    fn record_body(&mut self) -> Parse<Vec<MemberDecl>> {
        let open = self.advance().loc;
        let mut members = Vec::new();
        while !self.at(Punct::RBrace) {
            match self.kind() {
                TokenKind::Eof => break,
                TokenKind::Pragma => {
                    self.pragma();
                }
                TokenKind::Punct(Punct::Semicolon) => {
                    self.advance();
                }
                TokenKind::Keyword(Keyword::StaticAssert) => {
                    members.push(MemberDecl::StaticAssert(self.static_assert()?));
                }
                _ => match self.member() {
                    Ok(member) => budget::push(&mut members, member),
                    Err(Reported) => {
                        if self.diagnostics.should_stop() {
                            return Err(Reported);
                        }
                        self.skip_statement();
                        members.push(MemberDecl::Broken);
                    }
                },
            }
        }
        self.expect_close(Punct::RBrace, open)?;
        Ok(members)
    }

    fn member(&mut self) -> Parse<MemberDecl> {
        let start = self.loc();
        let specs = self.specifiers()?;
        if matches!(specs.ty, TypeSpec::Missing) {
            return Err(match self.kind() {
                TokenKind::Ident(name) => {
                    self.unknown_type(name);
                    Reported
                }
                _ => self.expected("member declaration or '}'"),
            });
        }
        let mut declarators = Vec::new();
        while !self.at(Punct::Semicolon) {
            let declarator = if self.at(Punct::Colon) {
                self.no_declarator()
            } else {
                self.named_declarator()?
            };
            let bit_width = match self.accept(Punct::Colon) {
                true => Some(self.conditional()?),
                false => None,
            };
            let mut member = MemberDeclarator {
                declarator,
                bit_width,
            };
            self.attributes(&mut member.declarator.attrs)?;
            budget::push(&mut declarators, member);
            if !self.accept(Punct::Comma) {
                break;
            }
        }
        self.expect_semicolon("at end of declaration list")?;
        Ok(MemberDecl::Field {
            specs,
            declarators,
            span: self.span_from(start),
        })
    }

    fn enumeration(&mut self) -> Parse<EnumSpec> {
        let keyword = self.advance();
        let mut attrs = Vec::new();
        self.attributes(&mut attrs)?;
        let tag = match self.kind() {
            TokenKind::Ident(name) => Some((name, Span::at(self.advance().loc))),
            _ => None,
        };
        // Behind the tag of a bit-field's type stands its width.
        let mut underlying = None;
        if self.at(Punct::Colon) && self.token_starts_type(self.ahead(1)) {
            self.advance();
            underlying = Some(self.type_name()?);
        }
        let mut enumerators = None;
        if self.at(Punct::LBrace) {
            let open = self.advance().loc;
            let mut list = Vec::new();
            while let TokenKind::Ident(name) = self.kind() {
                let span = Span::at(self.advance().loc);
                let mut ignored = Vec::new();
                self.attributes(&mut ignored)?;
                let value = match self.accept(Punct::Equal) {
                    true => Some(self.conditional()?),
                    false => None,
                };
                self.declare(name, NameKind::Ordinary);
                budget::push(&mut list, Enumerator { name, span, value });
                if !self.accept(Punct::Comma) {
                    break;
                }
            }
            if list.is_empty() && self.at(Punct::RBrace) {
                self.error(Span::at(open), "an enumeration needs an enumerator");
            }
            self.expect_close(Punct::RBrace, open)?;
            enumerators = Some(list);
        } else if tag.is_none() {
            return Err(self.expected("identifier or '{' after 'enum'"));
        }
        let span = self.span_from(keyword.loc);
        self.attributes(&mut attrs)?;
        Ok(EnumSpec {
            tag,
            underlying,
            enumerators,
            attrs,
            span,
        })
    }

    /// Parses the initializer behind `=`.
    pub(super) fn initializer(&mut self) -> Parse<Init> {
        if self.at(Punct::LBrace) {
            return Ok(Init::List(self.init_list()?));
        }
        Ok(Init::Expr(self.assignment()?))
    }
}
