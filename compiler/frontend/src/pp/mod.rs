//! The preprocessor: bytes to the tokens that the parser reads.
//!
//! Takes a [`Source`], the options, the target and the include callback; gives a vector of
//! [`Token`]s that ends with [`TokenKind::Eof`]. Errors go to [`Diagnostics`]. Work is linear
//! in what is read and produced, and what may be produced is limited.
//!
//! - `lexer`: bytes to preprocessing tokens
//! - `directives`: `#include`, conditionals, `#define`, pragmas
//! - `condition`: the expressions of `#if`
//! - `expand`: macro expansion
//! - `predefined`: what is defined before the first line

use std::path::PathBuf;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::diagnostics::{Diagnostics, FileId, Loc, MacroNameId};
use crate::symbol::{Interner, Symbol};
use crate::{IncludeResolver, Source};
use pumice_budget as budget;
use pumice_target::Target;
use pumice_target::options::CompileOptions;

mod compiler_macros;
mod condition;
mod directives;
mod expand;
mod include;
mod lexer;
pub mod literal;
mod motion_estimation;
mod pragma;
mod predefined;
mod print;
mod substitute;
pub mod token;
mod trigraphs;

pub use lexer::measure_token;
pub use predefined::{base_interner, float_constant, language_version, version_number};
pub use print::print_tokens;

use lexer::Lexer;
use predefined::BuiltinMacro;
use token::{KEYWORDS, LINE_START, NO_EXPAND, SPACE_BEFORE, Token, TokenKind, needs_cl20};

/// Everything that the preprocessor must know besides the source.
pub struct Config<'a> {
    /// Build options.
    pub options: &'a CompileOptions,
    /// The device.
    pub target: &'a Target,
    /// Finds `#include`d files.
    pub includes: &'a dyn IncludeResolver,
    /// Answers `__has_builtin`.
    pub has_builtin: &'a dyn Fn(&str) -> bool,
}

/// Inclusions inside inclusions at most.
const MAX_INCLUDE_DEPTH: usize = 200;

/// Inclusions in one compile at most.
const MAX_INCLUSIONS: usize = 100_000;

/// Steps of macro expansion in one compile at most (each produces or passes one token).
const MAX_EXPANSION_STEPS: u64 = 1 << 24;

/// Macro arguments inside macro arguments at most.
const MAX_ARGUMENT_DEPTH: usize = 2000;

/// Preprocesses one source. `names` must come from [`base_interner`].
pub fn preprocess(
    source: Source<'_>,
    config: &Config<'_>,
    names: &mut Interner,
    diagnostics: &mut Diagnostics,
) -> Vec<Token> {
    let mut pp = Preprocessor::new(config, names, diagnostics);
    pp.run(source)
}

/// A macro's definition.
#[derive(Debug)]
struct Macro {
    name: Symbol,
    /// `None` for an object-like macro. The last one of a variadic macro collects the rest.
    params: Option<Vec<Symbol>>,
    variadic: bool,
    body: Rc<[Token]>,
    /// The name in the definition.
    loc: Loc,
    /// Given on first expansion.
    name_id: Option<MacroNameId>,
    /// While its own expansion is being read.
    disabled: bool,
    /// One of the constants: it may be redefined silently.
    predefined: bool,
    /// Kept by `#pragma push_macro`: it may be redefined silently, too.
    kept: bool,
    builtin: Option<BuiltinMacro>,
    has_paste: bool,
}

/// Meaning of a name to the preprocessor.
#[derive(Clone, Copy, Debug)]
enum Slot {
    Undefined,
    /// A predefined macro that was not used yet: where its definition begins.
    Lazy(u32),
    /// Index into [`Preprocessor::macros`].
    Defined(u32),
}

/// `#if` … `#endif`.
#[derive(Debug)]
struct Conditional {
    loc: Loc,
    /// Some group was taken already.
    taken: bool,
    else_seen: bool,
}

/// State of the search for an include guard: the whole file inside one `#ifndef X … #endif`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Guard {
    Start,
    Inside(Symbol),
    After(Symbol),
    Broken,
}

#[derive(Debug)]
struct OpenFile {
    id: FileId,
    lexer: Lexer,
    conditionals: Vec<Conditional>,
    guard: Guard,
    /// Identity for include guards; its plain path is that for `#pragma once`.
    path: Rc<str>,
}

/// Tokens to read before the file goes on.
#[derive(Debug)]
struct Context {
    tokens: Vec<Token>,
    pos: usize,
    /// The macro to enable again at the end.
    of_macro: Option<u32>,
    /// Reading stops here: the end of an argument that is expanded on its own.
    barrier: bool,
}

#[derive(Clone, Debug)]
struct CachedFile {
    path: Rc<str>,
    text: Rc<[u8]>,
}

struct Preprocessor<'a> {
    config: &'a Config<'a>,
    names: &'a mut Interner,
    diagnostics: &'a mut Diagnostics,
    slots: Vec<Slot>,
    macros: Vec<Macro>,
    /// The definitions that `#pragma push_macro` keeps.
    kept: FxHashMap<Symbol, Vec<Slot>>,
    predefined_file: FileId,
    files: Vec<OpenFile>,
    contexts: Vec<Context>,
    free_lists: Vec<Vec<Token>>,
    /// Resolved `#include`s by (name, angled, including file).
    resolved: FxHashMap<(String, bool, Rc<str>), Option<CachedFile>>,
    /// The files with `#pragma once`, by their plain paths.
    once: FxHashSet<PathBuf>,
    guards: FxHashMap<Rc<str>, Symbol>,
    inclusions: usize,
    counter: u32,
    steps: u64,
    argument_depth: usize,
    /// Inside the expression of `#if`.
    in_condition: bool,
    va_args: Symbol,
    va_opt: Symbol,
    pragma_operator: Symbol,
    /// Keywords of the language version, by symbol number.
    keywords: Vec<TokenKind>,
}

impl<'a> Preprocessor<'a> {
    fn new(
        config: &'a Config<'a>,
        names: &'a mut Interner,
        diagnostics: &'a mut Diagnostics,
    ) -> Self {
        let std = language_version(config.options);
        let mut target_macros = Vec::with_capacity(128);
        let text = predefined::text(config.options, config.target, |name, offset| {
            target_macros.push((names.intern(name), offset));
        });
        let predefined_file = diagnostics
            .sources
            .add_file("<built-in>".into(), text.as_bytes().into(), Loc::NONE)
            .expect("the first file fits");
        let keywords = KEYWORDS
            .iter()
            .enumerate()
            .map(|(index, (text, keyword))| {
                if needs_cl20(text) && std < pumice_target::options::ClStd::Cl20 {
                    TokenKind::Ident(Symbol(index as u32))
                } else {
                    TokenKind::Keyword(*keyword)
                }
            })
            .collect();
        let mut pp = Self {
            config,
            slots: vec![Slot::Undefined; names.len() + 64],
            va_args: names.intern("__VA_ARGS__"),
            va_opt: names.intern("__VA_OPT__"),
            pragma_operator: names.intern("_Pragma"),
            names,
            diagnostics,
            macros: Vec::new(),
            kept: FxHashMap::default(),
            predefined_file,
            files: Vec::new(),
            contexts: Vec::new(),
            free_lists: Vec::new(),
            resolved: FxHashMap::default(),
            once: FxHashSet::default(),
            guards: FxHashMap::default(),
            inclusions: 0,
            counter: 0,
            steps: 0,
            argument_depth: 0,
            in_condition: false,
            keywords,
        };
        let constants = predefined::constants(std, config.target);
        for (name, offset) in constants.chain(target_macros) {
            pp.slots[name.index()] = Slot::Lazy(offset);
        }
        for (name, builtin) in predefined::BUILTIN_MACROS {
            let name = pp.names.intern(name);
            let id = pp.macros.len() as u32;
            pp.macros.push(Macro {
                name,
                params: None,
                variadic: false,
                body: Rc::from([]),
                loc: Loc::NONE,
                name_id: None,
                disabled: false,
                predefined: true,
                kept: false,
                builtin: Some(*builtin),
                has_paste: false,
            });
            pp.set_slot(name, Slot::Defined(id));
        }
        pp
    }

    fn run(&mut self, source: Source<'_>) -> Vec<Token> {
        let options_text = predefined::command_line_text(self.config.options);
        let mut tokens = Vec::new();
        if !options_text.is_empty() {
            tokens = self.run_text("<command line>", &options_text);
            // The end of the options is not that of the source.
            tokens.pop();
        }
        let rest = self.run_text(source.name, source.text);
        if tokens.is_empty() {
            return rest;
        }
        tokens.extend(rest);
        tokens
    }

    /// Reads a text to its end.
    fn run_text(&mut self, name: &str, text: &[u8]) -> Vec<Token> {
        // The text is copied once more.
        let text = match budget::charge(text.len() as u64) {
            Ok(()) => text,
            Err(why) => {
                self.diagnostics.fatal(Loc::NONE, why.to_string());
                &[]
            }
        };
        let mut out = Vec::with_capacity((text.len() / 4 + 16).min(1 << 20));
        self.push_file(name.into(), name.into(), text.into(), Loc::NONE);
        loop {
            let mut token = self.next_expanded();
            match token.kind {
                TokenKind::Ident(name) if name == self.pragma_operator => {
                    self.pragma_operator(token);
                    continue;
                }
                TokenKind::Ident(name) => {
                    if let Some(kind) = self.keywords.get(name.index()) {
                        token.kind = *kind;
                    }
                }
                TokenKind::Placemarker => continue,
                TokenKind::Eof => {
                    out.push(token);
                    return out;
                }
                _ => {}
            }
            out.push(token);
            budget::spend_on::<Token>(1);
            self.afford(0, token.loc);
            if self.diagnostics.should_stop() {
                self.abandon();
            }
        }
    }

    /// Tells of memory before it is allocated. False when it is too much; everything left is
    /// dropped then.
    fn afford(&mut self, bytes: u64, at: Loc) -> bool {
        let Err(why) = budget::charge(bytes) else {
            return true;
        };
        let at = self.diagnostics.sources.expansion(at);
        self.diagnostics.fatal(at, why.to_string());
        self.drop_contexts();
        false
    }

    /// Drops everything that is still to be read.
    fn abandon(&mut self) {
        self.contexts.clear();
        if let Some(last) = self.files.last() {
            let end = Lexer::new(Rc::from([]), last.lexer.loc(), 0);
            self.files.truncate(1);
            self.files[0].lexer = end;
            self.files[0].conditionals.clear();
        }
    }

    /// Begins to read a file. Gives false if it does not fit.
    fn push_file(&mut self, name: Rc<str>, path: Rc<str>, text: Rc<[u8]>, at: Loc) -> bool {
        let text = trigraphs::replace(text);
        let added = self.diagnostics.sources.add_file(name, text.clone(), at);
        let Ok(id) = added else {
            self.diagnostics.fatal(at, "translation unit is too large");
            if self.files.is_empty() {
                // The main file: read an empty one instead.
                let end = Lexer::new(Rc::from([]), Loc::NONE, 0);
                self.files.push(OpenFile {
                    id: self.predefined_file,
                    lexer: end,
                    conditionals: Vec::new(),
                    guard: Guard::Broken,
                    path,
                });
            }
            return false;
        };
        let base = self.diagnostics.sources.loc(id, 0);
        self.files.push(OpenFile {
            id,
            lexer: Lexer::new(text, base, 0),
            conditionals: Vec::new(),
            guard: Guard::Start,
            path,
        });
        true
    }

    fn set_slot(&mut self, name: Symbol, slot: Slot) {
        if name.index() >= self.slots.len() {
            self.slots
                .resize(name.index() + name.index() / 2 + 1, Slot::Undefined);
        }
        self.slots[name.index()] = slot;
    }

    fn is_defined(&self, name: Symbol) -> bool {
        !matches!(self.slots.get(name.index()), None | Some(Slot::Undefined))
    }

    /// The definition of a name, tokenised now if it is predefined and used for the first time.
    fn definition(&mut self, name: Symbol) -> Option<u32> {
        match *self.slots.get(name.index())? {
            Slot::Undefined => None,
            Slot::Defined(id) => Some(id),
            Slot::Lazy(offset) => {
                let text = self.diagnostics.sources.text(self.predefined_file).clone();
                let base = self.diagnostics.sources.loc(self.predefined_file, 0);
                let mut lexer = Lexer::new(text, base, offset as usize);
                lexer.in_directive = true;
                let id = self.read_definition(&mut lexer)?;
                self.macros[id as usize].predefined = true;
                self.set_slot(name, Slot::Defined(id));
                Some(id)
            }
        }
    }

    /// The next token without expansion; directives are obeyed on the way.
    fn next_raw(&mut self) -> Token {
        loop {
            if let Some(context) = self.contexts.last_mut() {
                if let Some(token) = context.tokens.get(context.pos) {
                    context.pos += 1;
                    return *token;
                }
                if context.barrier {
                    return Token {
                        kind: TokenKind::Eof,
                        flags: 0,
                        loc: Loc::NONE,
                    };
                }
                self.pop_context();
                continue;
            }
            let Some(file) = self.files.last_mut() else {
                return Token {
                    kind: TokenKind::Eof,
                    flags: 0,
                    loc: Loc::NONE,
                };
            };
            let token = file.lexer.next(self.names, self.diagnostics);
            match token.kind {
                TokenKind::Punct(token::Punct::Hash)
                    if token.flags & LINE_START != 0 && !file.lexer.in_directive =>
                {
                    self.directive(token);
                }
                TokenKind::Eof => {
                    let last = self.files.len() == 1;
                    self.pop_file();
                    if last {
                        return token;
                    }
                }
                _ => {
                    if !matches!(file.guard, Guard::Inside(_) | Guard::Broken) {
                        file.guard = Guard::Broken;
                    }
                    return token;
                }
            }
        }
    }

    fn pop_context(&mut self) {
        if let Some(mut context) = self.contexts.pop() {
            if let Some(id) = context.of_macro {
                self.macros[id as usize].disabled = false;
            }
            context.tokens.clear();
            self.free_lists.push(context.tokens);
        }
    }

    fn push_context(&mut self, tokens: Vec<Token>, of_macro: Option<u32>, barrier: bool) {
        self.contexts.push(Context {
            tokens,
            pos: 0,
            of_macro,
            barrier,
        });
    }

    fn pop_file(&mut self) {
        let Some(file) = self.files.pop() else {
            return;
        };
        for conditional in &file.conditionals {
            self.diagnostics
                .error(conditional.loc, "unterminated conditional directive");
        }
        if let Guard::After(name) = file.guard {
            self.guards.insert(file.path, name);
        }
    }

    fn spelling<'t>(&'t self, token: &'t Token) -> &'t [u8] {
        spelling(self.names, &token.kind)
    }
}

/// The characters of a token.
fn spelling<'t>(names: &'t Interner, kind: &'t TokenKind) -> &'t [u8] {
    match kind {
        TokenKind::Ident(s) | TokenKind::Number(s) | TokenKind::Char(s) | TokenKind::Str(s) => {
            names.bytes(*s)
        }
        TokenKind::Keyword(k) => k.spelling().as_bytes(),
        TokenKind::Punct(p) => p.spelling().as_bytes(),
        TokenKind::Other(b) => std::slice::from_ref(b),
        TokenKind::Paste => b"##",
        TokenKind::Eof
        | TokenKind::Pragma
        | TokenKind::PragmaEnd
        | TokenKind::EndOfLine
        | TokenKind::Param(_)
        | TokenKind::Stringify(_)
        | TokenKind::VaOpt { .. }
        | TokenKind::Placemarker => b"",
    }
}
