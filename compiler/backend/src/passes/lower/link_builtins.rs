//! Math lowering together with the library functions that it asks for.
//!
//! `lower_math` declares library functions by name; [`link_function`] brings each one's
//! module in, with what it calls by name still declared. Library code may itself hold
//! OpenCL.std instructions, so lowering and linking alternate until nothing is missing.
//! Only functions that are called are ever decoded.

use crate::import::{SpecConstants, import};
use crate::pass::{Changed, Ctx};
use crate::passes::lower::lower_math;
use cranelift_entity::SecondaryMap;
use cranelift_entity::packed_option::PackedOption;
use pumice_ir::LowerError;
use pumice_ir::{
    BinaryOp, FuncId, Function, GlobalId, InstKind, Linkage, MathOp, Module, Scalar, StringId,
};
use rspirv::spirv::OpenclStd100Op;

/// Lowers OpenCL.std instructions and links the library functions that they call.
///
/// # Errors
/// An instruction that nothing lowers, or a library function that does not exist.
pub fn run(module: &mut Module, ctx: &Ctx<'_>) -> Result<Changed, LowerError> {
    if ctx.options.math.native {
        use_native_functions(module);
    }
    remainders_to_fmod(module);
    let mut changed = lower_math::run(module, ctx)?;
    loop {
        let missing: Vec<FuncId> = module
            .functions
            .iter()
            .filter(|(_, func)| func.entry().is_none() && func.name.starts_with("__pumice_"))
            .map(|(id, _)| id)
            .collect();
        if missing.is_empty() {
            return Ok(changed);
        }
        for id in missing {
            // An earlier one's module may have brought it along.
            if module.functions[id].entry().is_none() {
                link_function(module, id)?;
            }
        }
        changed = Changed::Yes;
        let _ = lower_math::run(module, ctx)?;
    }
}

/// What -cl-native-math takes in place of a function on float.
fn native(op: OpenclStd100Op) -> Option<MathOp> {
    use OpenclStd100Op as O;
    Some(MathOp::Ocl(match op {
        O::cos | O::half_cos => O::native_cos,
        O::sin | O::half_sin => O::native_sin,
        O::tan | O::half_tan => O::native_tan,
        O::exp | O::half_exp => O::native_exp,
        O::exp2 | O::half_exp2 => O::native_exp2,
        O::exp10 | O::half_exp10 => O::native_exp10,
        O::log | O::half_log => O::native_log,
        O::log2 | O::half_log2 => O::native_log2,
        O::log10 | O::half_log10 => O::native_log10,
        O::powr | O::half_powr => O::native_powr,
        O::rsqrt | O::half_rsqrt => O::native_rsqrt,
        O::sqrt | O::half_sqrt => O::native_sqrt,
        O::distance => O::fast_distance,
        O::length => O::fast_length,
        O::normalize => O::fast_normalize,
        O::fma => return Some(MathOp::Fma),
        _ => return None,
    }))
}

/// Takes the device's own functions in the program's code; the library's stays exact.
fn use_native_functions(module: &mut Module) {
    for func in module.functions.values_mut() {
        for inst in func.insts.keys().collect::<Vec<_>>() {
            let float = (func.insts[inst].results.first())
                .is_some_and(|&result| func.ty(result).scalar == Scalar::F32);
            if let InstKind::Math { op, .. } = &mut func.insts[inst].kind {
                if let (MathOp::Ocl(ocl), true) = (*op, float) {
                    *op = native(ocl).unwrap_or(*op);
                }
            }
        }
    }
}

/// OpFRem is fmod, which no device instruction computes exactly.
fn remainders_to_fmod(module: &mut Module) {
    for func in module.functions.values_mut() {
        for data in func.insts.values_mut() {
            if let InstKind::Binary {
                op: BinaryOp::FRem,
                args,
                flags,
            } = data.kind
            {
                data.kind = InstKind::Math {
                    op: MathOp::Ocl(OpenclStd100Op::fmod),
                    args: args.into_iter().collect(),
                    flags,
                };
            }
        }
    }
}

/// Gives the library function that is declared as `id` its body.
///
/// # Errors
/// The library has no function of this name, or one with another signature.
pub fn link_function(module: &mut Module, id: FuncId) -> Result<(), LowerError> {
    let name = module.functions[id].name.clone();
    let words = pumice_builtins_lib::function(&name)
        .ok_or_else(|| LowerError::new(format!("the built-in library has no '{name}'")))?;
    let library = import(&words, &SpecConstants::default()).map_err(|error| {
        LowerError::new(format!("internal: built-in library, '{name}': {error}"))
    })?;
    merge(module, id, library)?;
    if module.functions[id].entry().is_none() {
        return Err(LowerError::new(format!(
            "internal: built-in library: '{name}' has no body"
        )));
    }
    Ok(())
}

/// Adds a library module; the function called like `wanted` takes that one's place.
fn merge(module: &mut Module, wanted: FuncId, library: Module) -> Result<(), LowerError> {
    let mut functions: SecondaryMap<FuncId, PackedOption<FuncId>> = SecondaryMap::new();
    for (old, func) in library.functions.iter() {
        let shared = (func.linkage != Linkage::Internal)
            .then(|| find(module, &func.name))
            .flatten();
        let new = match shared {
            Some(id) => {
                let known = &module.functions[id];
                if known.params != func.params || known.results != func.results {
                    return Err(LowerError::new(format!(
                        "internal: built-in library: '{}' is called with other types",
                        func.name
                    )));
                }
                id
            }
            None => module.functions.push(Function::new(
                func.name.clone(),
                func.params.clone(),
                func.results.clone(),
            )),
        };
        functions[old] = new.into();
    }
    let mut globals: SecondaryMap<GlobalId, PackedOption<GlobalId>> = SecondaryMap::new();
    let first_global = module.globals.len();
    for (old, global) in library.globals {
        globals[old] = module.globals.push(global).into();
    }
    let mut strings: SecondaryMap<StringId, PackedOption<StringId>> = SecondaryMap::new();
    for (old, text) in library.strings {
        strings[old] = module.strings.push(text).into();
    }
    for global in module.globals.values_mut().skip(first_global) {
        for relocation in &mut global.relocations {
            relocation.target = globals[relocation.target]
                .expand()
                .unwrap_or(relocation.target);
        }
    }
    for (old, mut func) in library.functions {
        let Some(new) = functions[old].expand() else {
            continue;
        };
        // A body that is there already stays: it is the same function.
        if func.entry().is_none() || module.functions[new].entry().is_some() {
            continue;
        }
        for data in func.insts.values_mut() {
            match &mut data.kind {
                InstKind::Call { func, .. } => *func = functions[*func].expand().unwrap_or(*func),
                InstKind::GlobalAddr { global } => {
                    *global = globals[*global].expand().unwrap_or(*global);
                }
                InstKind::Printf { format, .. } => {
                    *format = strings[*format].expand().unwrap_or(*format);
                }
                _ => {}
            }
        }
        // Nothing outside the program asks for library functions by name.
        func.linkage = Linkage::Internal;
        debug_assert!(new == wanted || module.functions[new].entry().is_none());
        module.functions[new] = func;
    }
    Ok(())
}

fn find(module: &Module, name: &str) -> Option<FuncId> {
    module
        .functions
        .iter()
        .find(|(_, func)| func.name == name)
        .map(|(id, _)| id)
}
