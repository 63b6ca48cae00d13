//! Typed tree to Kernel SPIR-V.
//!
//! Takes a checked translation unit, gives the words of one module in the conventions of the
//! LLVM translator (Physical64, OpenCL memory model, OpenCL.std; records pass through
//! Function pointers with FuncParamAttr ByVal and Sret). Only what a kernel or an external
//! function reaches is written. Knows nothing of tokens or names, and never diagnoses the
//! language: sema has. What SPIR-V cannot say is an [`EmitError`].

mod async_copy;
mod atomic;
mod attributes;
mod bit_field;
pub mod builder;
mod builtin;
mod contract;
mod convert;
mod device;
mod expr;
mod function;
mod globals;
mod group;
mod image;
mod init;
mod lvalue;
mod matrix;
mod media;
mod motion;
mod record;
mod stmt;
mod types;

use std::rc::Rc;

use rspirv::spirv::{BuiltIn, Capability, Decoration, FPFastMathMode, StorageClass};
use rustc_hash::FxHashMap;

use crate::diagnostics::SourceMap;
use crate::lang::types::{RecordId, TypeId};
use crate::sema::typed::{ExprKind, FuncId, GlobalId, TypedModule};
use crate::source::Span;
use builder::Builder;
use pumice_budget as budget;
use pumice_target::options::{ClStd, CompileOptions};
use pumice_target::{Checks, Target};
use types::RecordShape;

/// Something that the language allows and this emitter cannot write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmitError {
    /// Position in the source.
    pub span: Span,
    /// Text of the error.
    pub message: String,
}

/// The state of one module.
struct Emitter<'a> {
    module: &'a TypedModule,
    options: &'a CompileOptions,
    sources: Option<&'a SourceMap>,
    /// The checks that the kernels are to be built with.
    checks: Checks,
    /// Names of files that an OpLine refers to, with their OpStrings.
    files: FxHashMap<Rc<str>, u32>,
    fp16: bool,
    /// The highest SPIR-V version that may be raised to for what 1.0 cannot say.
    il_version: (u8, u8),
    b: Builder,
    value_types: Vec<u32>,
    memory_types: Vec<u32>,
    /// Cache: true for types that are records, point to records or contain them.
    mentions_record: FxHashMap<TypeId, bool>,
    records: FxHashMap<RecordId, Rc<RecordShape>>,
    globals: Vec<u32>,
    /// Globals that are no OpVariable themselves, and theirs.
    split_globals: Vec<(u32, u32)>,
    active_globals: Vec<GlobalId>,
    /// Nameless constant variables by their initialiser.
    anonymous: FxHashMap<u32, u32>,
    /// OpFunction ids; 0 for functions that nothing reaches.
    functions: Vec<u32>,
    /// Built-in variables in use: id and the type that a load has.
    inputs: FxHashMap<BuiltIn, (u32, u32)>,
    /// FPFastMathMode of float operations.
    fast_math: FPFastMathMode,
}

/// Writes a translation unit. `sources` gives OpLine its positions: of statements with `-g`, of accesses and
/// operations too where kernels are built with checks, which then also have the sources' text (OpSource).
pub fn emit(
    module: &TypedModule,
    options: &CompileOptions,
    target: &Target,
    sources: &SourceMap,
) -> Result<Vec<u32>, EmitError> {
    for function in &module.functions {
        check_name(&function.link_name, function.span)?;
        let args = || function.kernel.iter().flat_map(|k| &k.args);
        for arg in args() {
            check_name(&arg.name, function.span)?;
        }
        let types: usize = args().map(|arg| arg.type_name.len() + 1).sum();
        if types > MAX_TYPES {
            return Err(EmitError {
                span: function.span,
                message: format!(
                    "names of the kernel's parameter types are longer than {MAX_TYPES} bytes"
                ),
            });
        }
    }
    for global in &module.globals {
        check_name(&global.name, global.span)?;
    }
    let mut emitter = Emitter {
        module,
        options,
        sources: (options.debug_info || target.checks.any()).then_some(sources),
        checks: target.checks,
        files: FxHashMap::default(),
        fp16: target.has_extension("cl_khr_fp16"),
        il_version: target.il_version,
        b: Builder::new(options.narrow_addresses),
        value_types: Vec::new(),
        memory_types: Vec::new(),
        mentions_record: FxHashMap::default(),
        records: FxHashMap::default(),
        globals: vec![0; module.globals.len()],
        split_globals: Vec::new(),
        active_globals: Vec::new(),
        anonymous: FxHashMap::default(),
        functions: vec![0; module.functions.len()],
        inputs: FxHashMap::default(),
        fast_math: contract::fast_math_bits(&options.math),
    };
    emitter.declare_fast_math();
    emitter.run()?;
    Ok(emitter.b.finish())
}

/// Names become literal strings, whose instructions have at most 65535 words.
fn check_name(name: &str, span: Span) -> Result<(), EmitError> {
    if name.len() > MAX_NAME {
        return Err(EmitError {
            span,
            message: format!("names of more than {MAX_NAME} bytes are not supported"),
        });
    }
    Ok(())
}

/// A quarter of the 256 KiB that an instruction holds, so that a kernel's strings fit.
const MAX_NAME: usize = 64 << 10;

/// All type names of a kernel's arguments together.
const MAX_TYPES: usize = 128 << 10;

impl Emitter<'_> {
    fn run(&mut self) -> Result<(), EmitError> {
        let module = self.module;
        let version = match self.options.std {
            Some(ClStd::Cl10) => 100_000,
            Some(ClStd::Cl11) => 101_000,
            None | Some(ClStd::Cl12) => 102_000,
            Some(ClStd::Cl20) => 200_000,
            Some(ClStd::Cl30) => 300_000,
            Some(ClStd::Cl31) => 301_000,
        };
        self.b.source(version);
        for (index, global) in module.globals.iter().enumerate() {
            self.check_memory(global.span)?;
            if global.linkage.is_exported() {
                self.global(GlobalId(index as u32))?;
            }
        }
        let (reached, called_kernels) = reachable(module);
        for (index, function) in module.functions.iter().enumerate() {
            if !reached[index] {
                continue;
            }
            let id = self.b.id();
            self.functions[index] = id;
            self.b.name(id, &function.name);
            let is_entry = function.kernel.is_some() && function.linkage.is_exported();
            let linkage = globals::linkage_type(function.linkage).filter(|_| !is_entry);
            if let Some(linkage) = linkage {
                self.b.linkage(id, &function.link_name, linkage);
            }
        }
        let mut kernels = Vec::new();
        for (index, function) in module.functions.iter().enumerate() {
            if !reached[index] {
                continue;
            }
            let id = FuncId(index as u32);
            self.function(id)?;
            self.check_memory(function.span)?;
            if function.kernel.is_some() && function.body.is_some() {
                // OpEntryPoint functions must not be called: such a kernel gets a wrapper.
                let entry = if called_kernels[index] {
                    self.kernel_wrapper(id)
                } else {
                    self.functions[index]
                };
                kernels.push((id, entry));
            }
        }
        let mut interface: Vec<u32> = self.inputs.values().map(|(id, _)| *id).collect();
        if self.b.version() >= (1, 4) {
            // From 1.4 on the interface names variables of every storage class.
            let split = |id: u32| self.split_globals.iter().find(|s| s.0 == id);
            let written = self.globals.iter().filter(|id| **id != 0);
            interface.extend(written.map(|&id| split(id).map_or(id, |s| s.1)));
            interface.extend(self.anonymous.values());
        }
        interface.sort_unstable();
        for (id, entry) in kernels {
            self.kernel_attributes(id, entry, &interface);
        }
        if self.checks.any() {
            self.source_texts(version);
        }
        Ok(())
    }

    /// OpSource with the text of each file that an OpLine refers to.
    fn source_texts(&mut self, version: u32) {
        let Some(sources) = self.sources else {
            return;
        };
        for (name, text) in sources.plain_files() {
            if let Some(&file) = self.files.get(name) {
                self.b
                    .source_text(version, file, &String::from_utf8_lossy(text));
            }
        }
    }

    /// Fails when the program takes more memory than it may.
    fn check_memory(&self, span: Span) -> Result<(), EmitError> {
        budget::check().map_err(|why| EmitError {
            span,
            message: why.to_string(),
        })
    }

    /// `size_t`.
    fn size_type(&mut self) -> u32 {
        let bits = self.module.types.address_size() * 8;
        self.b.ty_int(bits as u32)
    }

    /// A constant of `size_t`.
    fn size_constant(&mut self, value: u64) -> u32 {
        let bits = self.module.types.address_size() * 8;
        self.b.const_int(bits as u32, value)
    }

    /// The variable of a SPIR-V built-in and the type of its value.
    fn input(&mut self, which: BuiltIn) -> (u32, u32) {
        if let Some(known) = self.inputs.get(&which) {
            return *known;
        }
        let ty = match which {
            BuiltIn::GlobalInvocationId
            | BuiltIn::LocalInvocationId
            | BuiltIn::WorkgroupId
            | BuiltIn::NumWorkgroups
            | BuiltIn::GlobalSize
            | BuiltIn::WorkgroupSize
            | BuiltIn::EnqueuedWorkgroupSize
            | BuiltIn::GlobalOffset => {
                let size = self.size_type();
                self.b.ty_vector(size, 3)
            }
            BuiltIn::SubgroupEqMask
            | BuiltIn::SubgroupGeMask
            | BuiltIn::SubgroupGtMask
            | BuiltIn::SubgroupLeMask
            | BuiltIn::SubgroupLtMask => {
                self.b.need_version((1, 3));
                self.b.capability(Capability::GroupNonUniformBallot);
                let int = self.b.ty_int(32);
                self.b.ty_vector(int, 4)
            }
            BuiltIn::GlobalLinearId | BuiltIn::LocalInvocationIndex => self.size_type(),
            _ => self.b.ty_int(32),
        };
        let pointer = self.b.ty_pointer(StorageClass::Input, ty);
        let class = [StorageClass::Input as u32];
        let id = self
            .b
            .global(rspirv::spirv::Op::Variable, Some(pointer), &class);
        self.b.decorate(id, Decoration::BuiltIn, &[which as u32]);
        self.b.decorate(id, Decoration::Constant, &[]);
        let name = format!("__spirv_BuiltIn{which:?}");
        self.b.name(id, &name);
        self.inputs.insert(which, (id, ty));
        (id, ty)
    }
}

/// Returns the functions to be emitted, and the kernels that other functions call.
fn reachable(module: &TypedModule) -> (Vec<bool>, Vec<bool>) {
    let mut reached = vec![false; module.functions.len()];
    let mut called_kernels = vec![false; module.functions.len()];
    let mut work: Vec<usize> = Vec::new();
    for (index, function) in module.functions.iter().enumerate() {
        let is_root = function.kernel.is_some() || function.linkage.is_exported();
        if is_root && function.body.is_some() {
            reached[index] = true;
            work.push(index);
        }
    }
    while let Some(index) = work.pop() {
        let Some(body) = &module.functions[index].body else {
            continue;
        };
        for expr in &body.exprs {
            if let ExprKind::Call { func, .. }
            | ExprKind::AddrOfFunction(func)
            | ExprKind::Block { func, .. } = expr.kind
            {
                let callee = func.0 as usize;
                called_kernels[callee] |= module.functions[callee].kernel.is_some();
                if !reached[callee] {
                    reached[callee] = true;
                    work.push(callee);
                }
            }
        }
    }
    (reached, called_kernels)
}
