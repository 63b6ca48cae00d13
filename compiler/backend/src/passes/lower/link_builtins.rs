//! Links the functions of the built-in library that `lower_math` declared.
//!
//! [`link_function`] brings each one's module in, with what it calls by name still declared.
//! Library code may itself hold OpenCL.std instructions, so linking and the lowering of what came
//! in alternate until nothing is missing. Only functions that are called are ever decoded.

use crate::pass::{Changed, Ctx};
use crate::passes::legalize::soft_doubles;
use crate::passes::lower::lower_math;
use cranelift_entity::SecondaryMap;
use cranelift_entity::packed_option::PackedOption;
use pumice_ir::LowerError;
use pumice_ir::{
    FloatFlags, FuncId, Function, GlobalId, InstKind, LIBRARY_PREFIX, Linkage, Module, StringId,
    stored,
};
use pumice_target::Target;

/// Links what is declared, and what that needs.
///
/// # Errors
/// A library function that does not exist, or an instruction in one that nothing lowers.
pub fn run(module: &mut Module, ctx: &Ctx<'_>) -> Result<Changed, LowerError> {
    let mut changed = Changed::No;
    let mut flushing = Vec::new();
    if ctx.target.soft_f64 {
        soft_doubles::keep_functions(module);
    }
    loop {
        let missing: Vec<FuncId> = module
            .functions
            .iter()
            .filter(|(_, func)| func.is_builtin() && func.entry().is_none())
            .map(|(id, _)| id)
            .collect();
        if missing.is_empty() {
            break;
        }
        let mut linked = Vec::new();
        for id in missing {
            // An earlier one's module may have brought it along.
            if module.functions[id].entry().is_some() {
                continue;
            }
            let name = module.functions[id].name.clone();
            let others = module.functions.len();
            link_as(module, id, form(&name, ctx.target))?;
            let brought = linked.len();
            linked.push(id);
            linked.extend(module.functions.keys().skip(others));
            if ctx.target.flushes_f64 && !NEEDING_DENORMALS.contains(&name.as_str()) {
                flushing.extend_from_slice(&linked[brought..]);
            }
        }
        changed = Changed::Yes;
        let _ = lower_math::lower_functions(module, &linked, ctx)?;
    }
    for id in flushing {
        mark_flushing(&mut module.functions[id]);
    }
    Ok(changed)
}

/// Functions on doubles that count on denormals in their arithmetic. All others give the same without
/// (`scaled_f64.cl`), and their arithmetic is left to the device.
const NEEDING_DENORMALS: &[&str] = &[
    "__pumice_hypot_f64",
    "__pumice_atan2_f64",
    "__pumice_atan2pi_f64",
    "__pumice_fmod_f64",
    "__pumice_remainder_f64",
    "__pumice_remquo_f64",
];

/// Leaves a function's arithmetic to the device.
fn mark_flushing(func: &mut Function) {
    for data in func.insts.values_mut() {
        match &mut data.kind {
            InstKind::Binary { flags, .. }
            | InstKind::FCmp { flags, .. }
            | InstKind::Math { flags, .. } => *flags |= FloatFlags::MAY_FLUSH,
            _ => {}
        }
    }
}

/// A function of the library that has another form for some devices.
struct Form {
    plain: &'static str,
    other: &'static str,
    /// Accepts the devices that get the other one.
    on: fn(&Target) -> bool,
}

const FORMS: &[Form] = &[
    Form {
        plain: "__pumice_fmod_f32",
        other: "__pumice_fmod_by_fma_f32",
        on: |target| target.arithmetic.exact_fma_f32,
    },
    Form {
        plain: "__pumice_product_tail_f32",
        other: "__pumice_product_tail_by_fma_f32",
        on: |target| target.arithmetic.exact_fma_f32,
    },
    Form {
        plain: "__pumice_flushes_f64",
        other: "__pumice_flushes_indeed_f64",
        on: |target| target.flushes_f64,
    },
];

/// The name of the library function whose body a declared one gets on the device.
fn form<'a>(name: &'a str, target: &Target) -> &'a str {
    let form = FORMS.iter().find(|form| form.plain == name);
    match form {
        Some(form) if (form.on)(target) => form.other,
        _ => name,
    }
}

/// Gives the library function that is declared as `id` its body.
///
/// # Errors
/// The library has no function of this name, or one with another signature.
pub fn link_function(module: &mut Module, id: FuncId) -> Result<(), LowerError> {
    let name = module.functions[id].name.clone();
    link_as(module, id, &name)
}

/// Gives a declared library function the body of the one called `name`.
fn link_as(module: &mut Module, id: FuncId, name: &str) -> Result<(), LowerError> {
    let bytes = pumice_builtins_lib::function(name)
        .ok_or_else(|| LowerError::new(format!("the built-in library has no '{name}'")))?;
    let mut library = stored::read(bytes).map_err(|error| {
        LowerError::new(format!("internal: built-in library, '{name}': {error}"))
    })?;
    let declared = &module.functions[id].name;
    if name != declared {
        for func in library.functions.values_mut() {
            if func.name == name {
                func.name.clone_from(declared);
            }
        }
    }
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
                library_name(&func.name),
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
        func.name = library_name(&func.name);
        func.kept = module.functions[new].kept;
        debug_assert!(new == wanted || module.functions[new].entry().is_none());
        module.functions[new] = func;
    }
    Ok(())
}

/// The name of a library module's function in the program: the static ones are the library's too.
fn library_name(name: &str) -> String {
    match name.starts_with(LIBRARY_PREFIX) {
        true => name.to_string(),
        false => format!("{LIBRARY_PREFIX}{name}"),
    }
}

fn find(module: &Module, name: &str) -> Option<FuncId> {
    module
        .functions
        .iter()
        .find(|(_, func)| func.name == name)
        .map(|(id, _)| id)
}
