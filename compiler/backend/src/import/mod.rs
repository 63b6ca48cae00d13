//! Kernel SPIR-V to IR.
//!
//! Takes: the words of a Kernel module, from the front end or from clCreateProgramWithIL,
//! and the values of specialisation constants. Nothing about the words is trusted.
//! Gives: a [`Module`] in which aggregates are exploded, pointers are untyped, and
//! every access chain is byte arithmetic.
//! Never: panics or unbounded work on bad input; errors name opcode and word offset.
//!
//! Invariant: layout is OpenCL C's (natural alignment, `CPacked` without padding), so that
//! host and device agree on every struct.

pub mod accepted;
mod access_chain;
mod arith;
mod blocks;
mod body;
mod composite;
mod const_ops;
mod consts;
mod dot;
mod enqueue;
mod extensions;
mod function_pointers;
mod functions;
mod groups;
mod images;
mod intel_subgroups;
mod library;
mod locals;
mod matrix;
mod matrix_native;
mod matrix_product;
mod matrix_roads;
mod memory;
mod ocl_std;
mod ops;
mod pipes;
mod preamble;
mod promote;
pub(crate) mod reader;
mod run_time;
mod sync;
mod type_insts;
mod types;
mod variables;
mod versions;

pub use matrix_roads::NativeMatrices;
pub use reader::ImportError;
pub use variables::VariableForm;

use blocks::unroll_hint;
use body::{Body, Tables};
use enqueue::Enqueue;
use library::Library;
use locals::Locals;
use preamble::{Def, ExtSet, Preamble};
use pumice_ir::{FuncId, Function, Module, SourceLoc, StringTable};
use reader::{Inst, ModuleWords, Result, charge};
use rspirv::spirv::Op;
use rustc_hash::{FxHashMap, FxHashSet};

/// Values of specialisation constants by SpecId, as clSetProgramSpecializationConstant got
/// them: the bits of the constant, zero-extended.
pub type SpecConstants = FxHashMap<u32, u64>;

/// Choices of the form of a module's IR.
#[derive(Clone, Copy, Debug)]
pub struct ImportOptions<'a> {
    /// Work-items of a sub-group of the device, where a kernel does not require another number.
    pub sub_group_size: u32,
    /// Matrices that meet in these products only become the device's own.
    pub native: &'a NativeMatrices,
    /// The form of variables of functions.
    pub variables: VariableForm,
}

/// Work-items of a sub-group in the interpreter.
const INTERPRETED_SUB_GROUP: u32 = 8;

/// Imports a Kernel module for the interpreter, with all variables in memory.
///
/// # Errors
/// Words that are no valid Kernel SPIR-V, or a construct that is not supported; the text
/// names the instruction.
pub fn import(words: &[u32], spec: &SpecConstants) -> std::result::Result<Module, ImportError> {
    import_as(words, spec, VariableForm::Memory)
}

/// The same with variables in the given form.
///
/// # Errors
/// As [`import`].
pub fn import_as(
    words: &[u32],
    spec: &SpecConstants,
    variables: VariableForm,
) -> std::result::Result<Module, ImportError> {
    let options = ImportOptions {
        sub_group_size: INTERPRETED_SUB_GROUP,
        native: &NativeMatrices::default(),
        variables,
    };
    import_for(words, spec, &options)
}

/// Imports a Kernel module for a device.
///
/// # Errors
/// As [`import`].
pub fn import_for(
    words: &[u32],
    spec: &SpecConstants,
    options: &ImportOptions<'_>,
) -> std::result::Result<Module, ImportError> {
    let given = ModuleWords::new(words)?;
    let insts = given.insts()?;
    versions::check_all(&insts, given.minor)?;
    let Some(plain) = function_pointers::resolve(&given, &insts)? else {
        return import_module(&given, &insts, spec, options);
    };
    let words = ModuleWords::new(&plain)?;
    import_module(&words, &words.insts()?, spec, options)
}

/// Imports a module without pointers to functions.
fn import_module(
    words: &ModuleWords<'_>,
    insts: &[Inst<'_>],
    spec: &SpecConstants,
    options: &ImportOptions<'_>,
) -> std::result::Result<Module, ImportError> {
    let &ImportOptions {
        sub_group_size,
        native,
        variables,
    } = options;
    let (mut pre, start) = Preamble::read(words, insts, spec, sub_group_size, native)?;
    let decls = functions::declare(&mut pre, insts, start)?;
    let mut module = Module {
        globals: std::mem::take(&mut pre.globals),
        files: pre.take_files(),
        ..Module::default()
    };
    for decl in decls.iter() {
        let inst = &insts[decl.params.start - 1];
        let func = functions::signature(&pre, decl, inst)?;
        module.functions.push(func);
    }
    let mut strings = StringTable::default();
    let mut library = Library::new(module.functions.len());
    let mut enqueue = Enqueue::default();
    let mut locals = Locals::default();
    let mut with_matrices: FxHashSet<FuncId> = FxHashSet::default();
    for (id, decl) in module
        .functions
        .keys()
        .zip(decls.iter())
        .collect::<Vec<_>>()
    {
        let placeholder = Function::new("", Vec::new(), Vec::new());
        let func = std::mem::replace(&mut module.functions[id], placeholder);
        let mut matrices = false;
        let tables = Tables {
            globals: &mut module.globals,
            strings: &mut strings,
            library: &mut library,
            enqueue: &mut enqueue,
            locals: &mut locals,
            matrices: &mut matrices,
        };
        let body = Body::new(&pre, &decls, tables, func);
        module.functions[id] = body.run(decl, insts, variables)?;
        if matrices {
            with_matrices.insert(id);
        }
    }
    module.strings = strings.into_list();
    let block_kernels = enqueue.kernels(&module, &decls, &mut library)?;
    for declared in library.declared {
        module.functions.push(declared);
    }
    let told = functions::Told::new(&pre);
    let mut names: FxHashSet<&str> = FxHashSet::default();
    let mut taken: FxHashSet<FuncId> = FxHashSet::default();
    for entry in &pre.entry_points {
        let Def::Func(index) = pre.def(entry.func) else {
            return Err(ImportError::new(format!(
                "entry point \"{}\" is not a function",
                entry.name
            )));
        };
        let decl = decls.get(index);
        let inst = &insts[decl.params.start - 1];
        let mut func = FuncId::from_u32(index);
        if !names.insert(&entry.name) {
            return Err(inst.error(format_args!("two entry points are called {}", entry.name)));
        }
        // Passes rewrite kernels in place: a second name needs a function of its own.
        if !taken.insert(func) {
            let copy = module.functions[func].clone();
            copy.spend();
            charge(0)?;
            let original = std::mem::replace(&mut func, module.functions.push(copy));
            if with_matrices.contains(&original) {
                with_matrices.insert(func);
            }
        }
        let kernel = functions::kernel(&pre, &told, entry, &decls, decl, func, inst)?;
        module.kernels.push(kernel);
    }
    for (mut kernel, func) in block_kernels {
        kernel.func = module.functions.push(func);
        module.kernels.push(kernel);
    }
    matrix::mark_kernels(&mut module, with_matrices)?;
    Ok(module)
}

impl<'a> Body<'a, '_> {
    /// Imports one instruction of a reachable block.
    fn inst(&mut self, inst: &Inst<'a>, ret: types::Ty) -> Result<()> {
        charge(0)?;
        match inst.op {
            Op::Line => {
                self.loc = SourceLoc {
                    file: self.pre.file(inst.arg(0)?),
                    line: inst.arg(1)?,
                    column: inst.arg(2)?,
                };
                return Ok(());
            }
            Op::NoLine => {
                self.loc = SourceLoc::default();
                return Ok(());
            }
            Op::LoopMerge | Op::LoopControlINTEL => {
                let control = if inst.op == Op::LoopMerge { 2 } else { 0 };
                if let Some(block) = self.block {
                    self.func.blocks[block].unroll = unroll_hint(inst, control)?;
                }
                return Ok(());
            }
            // Phis are parameters already; merge instructions are hints that the
            // structurizer does not need.
            Op::Nop | Op::Phi | Op::SelectionMerge | Op::AssumeTrueKHR => {
                return Ok(());
            }
            Op::Branch
            | Op::BranchConditional
            | Op::Switch
            | Op::Return
            | Op::ReturnValue
            | Op::Unreachable => return self.terminator(inst, ret),
            Op::FunctionCall => return self.call(inst),
            Op::ExtInst | Op::ExtInstWithForwardRefsKHR => {
                return match self.pre.def(inst.arg(0)?) {
                    Def::ExtSet(ExtSet::OpenClStd) => self.ocl_std(inst),
                    Def::ExtSet(ExtSet::NonSemantic) => Ok(()),
                    Def::ExtSet(ExtSet::AmdShaderBallot) => self.amd_shader_ballot(inst),
                    _ => Err(inst.error("the extended instruction set is not imported")),
                };
            }
            _ => {}
        }
        if self.matrix(inst)?
            || self.arith(inst)?
            || self.memory(inst)?
            || self.composite(inst)?
            || self.sync(inst)?
            || self.pipe(inst)?
            || self.int_dot(inst)?
            || self.extension(inst)?
            || self.image(inst)?
            || self.device_enqueue(inst)?
        {
            return Ok(());
        }
        Err(inst.error("this instruction is not supported"))
    }
}
