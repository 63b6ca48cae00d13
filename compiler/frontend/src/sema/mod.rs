//! Syntax tree to typed tree.
//!
//! Takes an [`Ast`], gives a [`TypedModule`] or diagnostics. Every rule of the language is
//! checked here: after a pass without errors, emission can rely on all that the typed tree
//! promises. Functions that may fail report the error themselves and return `None`, so that one
//! mistake gives one diagnostic.

pub mod dump;
pub mod typed;

mod array_size;
mod atomic_nand;
mod attr;
mod bit_field;
mod block;
mod c_exact;
mod c_function;
mod c_integer;
mod c_memory;
mod c_unevaluated;
mod c_vector;
mod call;
mod call_arguments;
mod cast;
mod compare;
mod const_data;
mod const_eval;
mod convert;
mod decl;
mod derive;
mod designator;
mod enqueue;
mod enumeration;
mod expr;
mod flow;
mod func;
mod function_pointer;
mod hints;
mod init;
mod kernel;
mod label;
mod layout;
mod literal;
mod local;
mod loops;
mod mangle;
mod member;
mod ops;
mod pointer;
mod printf;
mod program_variable;
mod record;
mod recursion;
mod requires;
mod sampler;
mod scope;
mod specs;
mod steps;
mod stmt;
mod suspicious;
mod tail_call;
mod type_words;
mod typed_stmt;
mod usage;
mod vector;

use std::cell::OnceCell;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::diagnostics::{Diagnostics, Report, Warning};
use crate::lang::LangOptions;
use crate::lang::types::{AddrSpace, QualType, RecordId, TypeId};
use crate::parse::ast::{Ast, ExternalDecl, Pragma, PragmaKind, StaticAssert};
use crate::source::{Interner, Span, Symbol};
use block::{BlockState, BlockValue};
use const_eval::Value;
use func::FuncState;
use pumice_budget as budget;
use scope::{FuncMeta, Scope};
use typed::{
    Body, Expr, ExprId, ExprKind, FuncId, Global, GlobalId, Init, LocalId, Lvalue, LvalueId,
    LvalueKind, TypedModule,
};

/// Expressions nested deeper than this are refused rather than recursed into.
const MAX_DEPTH: u32 = 12_000;

/// Checks a translation unit. The result is fit for emission only when `diagnostics` then holds
/// no error.
pub fn check(
    ast: &Ast,
    names: &Interner,
    diagnostics: &Diagnostics,
    lang: LangOptions<'_>,
) -> TypedModule {
    let mut sema = Sema {
        ast,
        names,
        diags: diagnostics,
        lang,
        module: TypedModule::default(),
        scopes: vec![Scope::new(true)],
        funcs: Vec::new(),
        body: Body::default(),
        func: None,
        const_locals: FxHashMap::default(),
        global_meta: Vec::new(),
        strings: FxHashMap::default(),
        builtin_names: FxHashMap::default(),
        defined_names: OnceCell::new(),
        host_sized: FxHashMap::default(),
        calls: Vec::new(),
        blocks: Vec::new(),
        block_inits: Vec::new(),
        enqueued: FxHashSet::default(),
        without_result: FxHashMap::default(),
        array_captures: FxHashMap::default(),
        depth: 0,
    };
    if sema.lang.narrow_addresses {
        sema.module.types.narrow_addresses();
    }
    for decl in &ast.decls {
        if diagnostics.should_stop() {
            break;
        }
        sema.external(decl);
    }
    if !diagnostics.should_stop() {
        sema.finish();
    }
    sema.module
}

/// An expression before it is known whether its value, the lvalue or its address is wanted.
#[derive(Clone, Copy, Debug)]
enum Operand {
    /// An rvalue.
    Value(ExprId),
    /// An lvalue.
    Lvalue(LvalueId),
    /// A function of this program (possibly overloaded), by name.
    Function(Symbol),
    /// A built-in function, by name.
    Builtin(Symbol),
    /// A block.
    Block(BlockValue),
}

struct Sema<'a> {
    ast: &'a Ast,
    names: &'a Interner,
    diags: &'a Diagnostics,
    lang: LangOptions<'a>,
    module: TypedModule,
    scopes: Vec<Scope>,
    /// Beside `module.functions`.
    funcs: Vec<FuncMeta>,
    /// The function being checked; at program scope a scratch for initialisers.
    body: Body,
    func: Option<FuncState>,
    /// Values of `const` integer variables, for array sizes and case labels.
    const_locals: FxHashMap<LocalId, Value>,
    /// Beside `module.globals`: whether a definition was tentative.
    global_meta: Vec<scope::GlobalMeta>,
    strings: FxHashMap<Vec<u8>, GlobalId>,
    /// `size_t` and the like, under their own names.
    builtin_names: FxHashMap<Symbol, TypeId>,
    /// The names of all functions that have a body, made when the first is asked for.
    defined_names: OnceCell<FxHashSet<Symbol>>,
    /// Records with a `size_t` or its like, which kernels do not take, and the first such member.
    host_sized: FxHashMap<RecordId, usize>,
    /// Edges of the call graph (caller, callee, position), for the check against recursion.
    calls: Vec<(FuncId, FuncId, Span)>,
    /// Blocks around what is being checked, innermost last.
    blocks: Vec<BlockState>,
    /// Contexts of block literals.
    block_inits: Vec<Init>,
    /// Functions of blocks that are arguments of the enqueueing functions.
    enqueued: FxHashSet<FuncId>,
    /// Functions that call a block's function and drop its result, which enqueue_kernel takes.
    without_result: FxHashMap<FuncId, FuncId>,
    /// Functions of blocks that hold the address of an array of the function around: its name and
    /// declaration.
    array_captures: FxHashMap<FuncId, (String, Span)>,
    depth: u32,
}

impl<'a> Sema<'a> {
    fn name(&self, symbol: Symbol) -> &'a str {
        self.names.resolve(symbol)
    }

    fn error(&self, span: Span, message: impl Into<String>) -> Report<'a> {
        self.diags.error(span, message.into())
    }

    fn warning(&self, warning: Warning, span: Span, message: impl Into<String>) -> Report<'a> {
        self.diags.warning(warning, span, message.into())
    }

    /// A type for a message, in quotes; with a typedef's name it is `'name' (aka 'type')`.
    fn show(&self, ty: TypeId) -> String {
        self.show_qual(QualType::plain(ty))
    }

    /// The same with qualifiers.
    fn show_qual(&self, ty: QualType) -> String {
        self.module.types.message_text("", ty)
    }

    /// A new rvalue.
    fn mk(&mut self, kind: ExprKind, ty: TypeId, span: Span) -> ExprId {
        budget::push(&mut self.body.exprs, Expr { kind, ty, span });
        ExprId(self.body.exprs.len() as u32 - 1)
    }

    /// A new lvalue.
    fn mk_lvalue(
        &mut self,
        kind: LvalueKind,
        ty: QualType,
        space: AddrSpace,
        align: u64,
        span: Span,
    ) -> LvalueId {
        budget::spend_on::<Lvalue>(1);
        self.body.lvalues.push(Lvalue {
            kind,
            ty,
            space,
            align,
            span,
        });
        LvalueId(self.body.lvalues.len() as u32 - 1)
    }

    fn ty(&self, expr: ExprId) -> TypeId {
        self.body.expr(expr).ty
    }

    fn span(&self, expr: ExprId) -> Span {
        self.body.expr(expr).span
    }

    fn external(&mut self, decl: &'a ExternalDecl) {
        match decl {
            ExternalDecl::Declaration(declaration) => {
                self.declaration_at_program_scope(declaration)
            }
            ExternalDecl::Function(function) => self.function_definition(function),
            ExternalDecl::StaticAssert(assert) => self.static_assert(assert),
            ExternalDecl::Pragma(pragma) => self.pragma(pragma),
            ExternalDecl::Empty => {}
        }
        if self.func.is_none() {
            self.body = Body::default();
        }
    }

    fn pragma(&mut self, pragma: &Pragma) {
        match &pragma.kind {
            PragmaKind::Extension {
                name,
                name_span,
                enable,
            } => {
                let name = self.name(*name);
                if !self.lang.pragma_extension(name, *enable) {
                    let message = if name == "all" {
                        "expected 'disable' - ignoring".to_string()
                    } else {
                        format!("unsupported OpenCL extension '{name}' - ignoring")
                    };
                    self.warning(Warning::IgnoredPragmas, *name_span, message);
                }
            }
            PragmaKind::FpContract(on) => self.set_contract(on.unwrap_or(true)),
            PragmaKind::Undefine(name) => self.lang.undefine_feature(self.names.resolve(*name)),
            PragmaKind::Unroll(_) | PragmaKind::NoUnroll => self.loop_expected(pragma),
        }
    }

    fn static_assert(&mut self, assert: &StaticAssert) {
        let not_constant = "static assertion expression is not an integral constant expression";
        let Some(value) = self.constant_or(assert.cond, not_constant) else {
            return;
        };
        if value == 0 {
            let message = match &assert.message {
                Some(text) => format!("static assertion failed: {}", String::from_utf8_lossy(text)),
                None => "static assertion failed".to_string(),
            };
            self.error(self.ast.expr(assert.cond).span, message);
        }
    }

    /// Checks that need the whole translation unit.
    fn finish(&mut self) {
        self.check_recursion();
        self.finish_globals();
        self.finish_weak_functions();
        self.finish_kernels();
        if !self.diags.has_errors() {
            self.warn_unused_functions();
            self.warn_local_memory();
        }
    }

    fn warn_unused_functions(&self) {
        for (meta, function) in self.funcs.iter().zip(&self.module.functions) {
            if meta.is_static && meta.defined && !meta.used && function.kernel.is_none() {
                let message = format!("unused function '{}'", function.name);
                self.warning(Warning::UnusedFunction, function.span, message);
            }
        }
    }

    /// Warns of kernels that the device cannot run for their variables in local memory.
    fn warn_local_memory(&self) {
        let most = self.lang.local_memory;
        for (index, function) in self.module.functions.iter().enumerate() {
            let own =
                |g: &&Global| g.space == AddrSpace::Local && g.owner == Some(FuncId(index as u32));
            let sizes = self.module.globals.iter().filter(own);
            let total: u64 = sizes.map(|g| self.module.types.size(g.ty.ty)).sum();
            if total > most {
                let name = &function.name;
                let message = format!(
                    "local memory ({total} bytes) exceeds the device's limit ({most}) in kernel '{name}'"
                );
                self.warning(Warning::Unnamed, function.span, message)
                    .hint("enqueueing the kernel gives CL_OUT_OF_RESOURCES");
            }
        }
    }

    /// Enters one level of nesting; `None` (with a diagnostic) when too deep.
    fn enter(&mut self, span: Span) -> Option<()> {
        if self.depth >= MAX_DEPTH {
            self.error(
                span,
                format!("nesting level exceeded maximum of {MAX_DEPTH}"),
            );
            return None;
        }
        self.afford(0, span)?;
        self.depth += 1;
        Some(())
    }

    /// Tells of memory before it is allocated; `None` (with a diagnostic) when it is too much.
    fn afford(&self, bytes: u64, span: Span) -> Option<()> {
        let charged = budget::charge(bytes);
        if let Err(why) = &charged {
            self.diags.fatal(span, why.to_string());
        }
        charged.ok()
    }

    fn leave(&mut self) {
        self.depth -= 1;
    }
}
