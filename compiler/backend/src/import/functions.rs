//! The table of functions, and kernels with their arguments.

use super::preamble::{Def, EntryPoint, Mode, Preamble};
use super::reader::{Inst, Result};
use super::types::{Ty, TypeKind};
use pumice_ir::{
    AddressSpace, ArgAccess, ArgAddress, ArgInfo, FuncId, Function, ImageAccess, KernelArg,
    KernelArgKind, KernelInfo, Linkage, Pointee, Type,
};
use rspirv::spirv::{Decoration, ExecutionMode, FunctionParameterAttribute, Op};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::ops::Range;

/// A function as declared, with where its instructions stand.
#[derive(Clone, Debug)]
pub(super) struct FuncDecl {
    pub id: u32,
    pub name: String,
    pub linkage: Linkage,
    pub ret: Ty,
    pub params: Range<usize>,
    /// Result id and type id of each parameter.
    pub param_ids: Vec<(u32, u32)>,
    pub param_types: Vec<Ty>,
    pub body: Range<usize>,
    pub no_inline: bool,
    pub always_inline: bool,
    pub is_kernel: bool,
}

/// The module's functions.
#[derive(Debug, Default)]
pub(super) struct Decls {
    /// Sums and products may be contracted that do not say themselves.
    pub contracts: bool,
    list: Vec<FuncDecl>,
    /// The type id of each parameter by its result id.
    param_types: FxHashMap<u32, u32>,
    /// The functions of each name.
    by_name: FxHashMap<String, Vec<u32>>,
}

impl Decls {
    fn push(&mut self, decl: FuncDecl) {
        for &(id, ty) in &decl.param_ids {
            self.param_types.entry(id).or_insert(ty);
        }
        let same_name = self.by_name.entry(decl.name.clone()).or_default();
        same_name.push(self.list.len() as u32);
        self.list.push(decl);
    }

    /// A function by its number.
    pub fn get(&self, number: u32) -> &FuncDecl {
        &self.list[number as usize]
    }

    /// All functions in order.
    pub fn iter(&self) -> std::slice::Iter<'_, FuncDecl> {
        self.list.iter()
    }

    /// The type id of a parameter by its result id.
    pub fn param_type(&self, id: u32) -> Option<u32> {
        self.param_types.get(&id).copied()
    }
}

/// Returns whether no kernel says ContractionOff. Modules are linked of several, and a function may
/// be called by kernels of each: one decides for all. Modules without kernels cannot say it; they
/// include the built-in library, which must stay as it is.
fn contracts(pre: &Preamble<'_>) -> bool {
    let off = ExecutionMode::ContractionOff as u32;
    !pre.entry_points.is_empty() && pre.modes.iter().all(|mode| mode.mode != off)
}

/// Splits the instructions behind the preamble into functions and defines their ids.
pub(super) fn declare(pre: &mut Preamble<'_>, insts: &[Inst<'_>], start: usize) -> Result<Decls> {
    let mut decls = Decls {
        contracts: contracts(pre),
        ..Decls::default()
    };
    let kernels: FxHashSet<u32> = pre.entry_points.iter().map(|entry| entry.func).collect();
    let mut at = start;
    while let Some(inst) = insts.get(at) {
        match inst.op {
            Op::Function => {}
            Op::Line | Op::NoLine | Op::Nop => {
                at += 1;
                continue;
            }
            Op::ExtInst | Op::ExtInstWithForwardRefsKHR
                if matches!(pre.def(inst.arg(0)?), Def::ExtSet(_)) =>
            {
                at += 1;
                continue;
            }
            _ => return Err(inst.error("an instruction between functions")),
        }
        let len = insts[at..]
            .iter()
            .position(|inst| inst.op == Op::FunctionEnd)
            .ok_or_else(|| inst.error("the function has no end"))?;
        let all = at + 1..at + len;
        let is_head = |inst: &Inst<'_>| {
            matches!(
                inst.op,
                Op::FunctionParameter | Op::Line | Op::NoLine | Op::Nop
            )
        };
        let head = insts[all.clone()]
            .iter()
            .take_while(|inst| is_head(inst))
            .count();
        let body = all.start + head..all.end;
        if let Some(nested) = insts[body.clone()]
            .iter()
            .find(|inst| matches!(inst.op, Op::Function | Op::FunctionParameter))
        {
            return Err(nested.error("stands inside a function"));
        }
        let param_ids: Vec<(u32, u32)> = insts[all.start..body.start]
            .iter()
            .filter(|inst| inst.op == Op::FunctionParameter)
            .map(|inst| (inst.id, inst.ty))
            .collect();
        let fn_ty = pre.type_of_id(inst, inst.arg(1)?)?;
        let TypeKind::Function { ret, params } = pre.types.get(fn_ty).kind.clone() else {
            return Err(inst.error("the type is not a function type"));
        };
        if pre.type_of_id(inst, inst.ty)? != ret {
            return Err(inst.error("the result type is not the function type's"));
        }
        let declared: Vec<Ty> = param_ids
            .iter()
            .map(|&(_, ty)| pre.type_of_id(inst, ty))
            .collect::<Result<_>>()?;
        if declared != params {
            return Err(inst.error("the parameters are not the function type's"));
        }
        let control = inst.arg(0)?;
        let (name, linkage) = pre.linkage(inst.id);
        pre.define(inst, Def::Func(decls.list.len() as u32))?;
        decls.push(FuncDecl {
            id: inst.id,
            name,
            linkage,
            ret,
            params: all.start..body.start,
            param_ids,
            param_types: params,
            body,
            always_inline: control & 1 != 0,
            no_inline: control & 2 != 0,
            is_kernel: kernels.contains(&inst.id),
        });
        at = all.end + 1;
    }
    Ok(decls)
}

/// The IR function of a declaration, still without blocks.
pub(super) fn signature(pre: &Preamble<'_>, decl: &FuncDecl, inst: &Inst<'_>) -> Result<Function> {
    let leaf_types = |ty: Ty| -> Result<Vec<Type>> {
        let leaves = pre
            .types
            .leaves(ty)
            .map_err(|error| inst.error(error.message))?;
        Ok(leaves.iter().map(|leaf| leaf.ty).collect())
    };
    let mut params = Vec::new();
    for &ty in &decl.param_types {
        let info = pre.types.get(ty);
        if !pre.types.is_sized(ty) {
            return Err(inst.error("a parameter's type has no values"));
        }
        if decl.is_kernel && info.holds_matrix {
            return Err(inst.error("a kernel's parameter cannot be a cooperative matrix"));
        }
        if info.leaf.is_none() && decl.is_kernel {
            params.push(Type::ptr(AddressSpace::Private));
        } else {
            params.extend(leaf_types(ty)?);
        }
    }
    let name = if decl.name.is_empty() {
        format!("fn.{}", decl.id)
    } else {
        decl.name.clone()
    };
    let mut func = Function::new(name, params, leaf_types(decl.ret)?);
    func.linkage = decl.linkage;
    func.no_inline = decl.no_inline;
    // What an operation on a handle means shows only in the kernel that has the argument.
    let handles = |ty: &Ty| pre.types.is_handle(*ty);
    func.passes_handles = decl.param_types.iter().any(handles) || handles(&decl.ret);
    func.always_inline = decl.always_inline;
    if decl.is_kernel && !func.results.is_empty() {
        return Err(inst.error("a kernel returns a value"));
    }
    if decl.body.is_empty() && decl.is_kernel {
        return Err(inst.error("a kernel has no body"));
    }
    Ok(func)
}

/// Describes an entry point to the application.
pub(super) fn kernel<'p>(
    pre: &'p Preamble<'_>,
    told: &Told<'p>,
    entry: &'p EntryPoint,
    decls: &Decls,
    decl: &FuncDecl,
    func: FuncId,
    inst: &Inst<'_>,
) -> Result<KernelInfo> {
    let attributes = told.string("kernel_attributes", &entry.name);
    let mut info = KernelInfo {
        attributes: attributes.unwrap_or_default().to_string(),
        queues: super::enqueue::queue_arguments(pre, &decl.param_types),
        followed: Vec::new(),
        ..KernelInfo::new(entry.name.clone(), func)
    };
    let types = told.list("kernel_arg_type", &entry.name);
    let qualifiers = told.list("kernel_arg_type_qual", &entry.name);
    for (i, (&(id, _), &ty)) in decl.param_ids.iter().zip(&decl.param_types).enumerate() {
        let (kind, address) = arg_kind(pre, id, ty, inst)?;
        // The translator's entry wrapper has no names; the function it wraps does.
        let name = pre
            .names
            .get(&id)
            .or_else(|| wrapped_name(pre, decls, entry, i))
            .cloned();
        let type_name = types.get(i).cloned();
        let access = match &kind {
            KernelArgKind::Image(image) => match image.access {
                ImageAccess::Read => ArgAccess::ReadOnly,
                ImageAccess::Write => ArgAccess::WriteOnly,
                ImageAccess::ReadWrite => ArgAccess::ReadWrite,
            },
            _ => match pre.types.get(ty).kind {
                TypeKind::Pipe(ImageAccess::Write) => ArgAccess::WriteOnly,
                TypeKind::Pipe(_) => ArgAccess::ReadOnly,
                _ => ArgAccess::None,
            },
        };
        let is_pipe = pre.types.is_pipe(ty);
        let qualifier = qualifiers.get(i).map(|words| qualifier_bits(words));
        let known = name.is_some() || type_name.is_some() || is_pipe;
        let arg_info = known.then(|| ArgInfo {
            name: name.unwrap_or_default(),
            type_name: type_name.unwrap_or_default(),
            address: Some(address),
            access: Some(access),
            type_qualifier: match is_pipe {
                true => Some(qualifier.unwrap_or(0) | TYPE_PIPE),
                false => qualifier,
            },
        });
        info.args.push(KernelArg {
            kind,
            info: arg_info,
            pointee: pointee(pre, ty, inst),
        });
    }
    modes(told, entry.func, &mut info, inst)?;
    Ok(info)
}

/// The name of the n-th parameter of the function that an entry wrapper of the LLVM
/// translator calls: it is exported under the kernel's name.
fn wrapped_name<'p>(
    pre: &'p Preamble<'_>,
    decls: &Decls,
    entry: &EntryPoint,
    index: usize,
) -> Option<&'p String> {
    let same_name = decls.by_name.get(&entry.name)?.iter();
    let mut others = same_name.map(|&number| decls.get(number));
    let wrapped = others.find(|decl| decl.id != entry.func)?;
    pre.names.get(&wrapped.param_ids.get(index)?.0)
}

/// The declared pointee of a pointer argument; `None` where it has no size.
fn pointee(pre: &Preamble<'_>, ty: Ty, inst: &Inst<'_>) -> Option<Pointee> {
    pre.types.get(ty).leaf?.address_space()?;
    let pointee = pre.pointee(inst, ty).ok()?;
    let size = u32::try_from(pre.types.get(pointee).size).ok()?;
    (pre.types.is_sized(pointee) && size > 0).then(|| Pointee {
        size,
        standard_uniform: size % 16 == 0 && pre.types.is_standard_uniform(pointee),
    })
}

fn arg_kind(
    pre: &Preamble<'_>,
    id: u32,
    ty: Ty,
    inst: &Inst<'_>,
) -> Result<(KernelArgKind, ArgAddress)> {
    let info = pre.types.get(ty);
    let by_val = pre.decorations.get(&id).is_some_and(|decos| {
        decos.iter().any(|deco| {
            deco.kind == Decoration::FuncParamAttr as u32
                && deco.args.first() == Some(&(FunctionParameterAttribute::ByVal as u32))
        })
    });
    let by_value = |ty: Ty| -> Result<KernelArgKind> {
        let info = pre.types.get(ty);
        let size = u32::try_from(info.size)
            .map_err(|_| inst.error("a kernel argument of this size is not supported"))?;
        Ok(KernelArgKind::ByVal {
            size,
            align: info.align,
        })
    };
    match info.kind {
        TypeKind::Image(image) => return Ok((KernelArgKind::Image(image), ArgAddress::Global)),
        TypeKind::Sampler => return Ok((KernelArgKind::Sampler, ArgAddress::Private)),
        TypeKind::SampledImage(_) => {
            return Err(inst.error("a kernel argument cannot be a sampled image"));
        }
        TypeKind::Pipe(_) => {
            return Ok((
                KernelArgKind::Pointer(AddressSpace::Global),
                ArgAddress::Global,
            ));
        }
        TypeKind::PipeStorage => {
            return Err(inst.error("a kernel argument cannot be pipe storage"));
        }
        TypeKind::ReserveId => {
            return Err(inst.error("a kernel argument cannot be a reservation id"));
        }
        _ => {}
    }
    let Some(leaf) = info.leaf else {
        return Ok((by_value(ty)?, ArgAddress::Private));
    };
    let Some(space) = leaf.address_space() else {
        if leaf.scalar == pumice_ir::Scalar::Bool {
            return Err(inst.error("a kernel argument cannot be a bool"));
        }
        if matches!(info.kind, TypeKind::Event) {
            return Err(inst.error("a kernel argument cannot be an event"));
        }
        return Ok((KernelArgKind::Value(leaf), ArgAddress::Private));
    };
    let pointee = pre.pointee(inst, ty)?;
    Ok(match space {
        AddressSpace::Private if by_val && pre.types.is_sized(pointee) => {
            (by_value(pointee)?, ArgAddress::Private)
        }
        AddressSpace::Private => {
            return Err(inst.error("a kernel argument cannot be a pointer to private memory"));
        }
        AddressSpace::Local => {
            let align = pre.alignment(id).unwrap_or(1);
            let natural = if pre.types.is_sized(pointee) {
                pre.types.get(pointee).align
            } else {
                128
            };
            let align = align.max(natural);
            (KernelArgKind::Local { align }, ArgAddress::Local)
        }
        AddressSpace::Constant => (KernelArgKind::Pointer(space), ArgAddress::Constant),
        AddressSpace::Global | AddressSpace::Generic => {
            (KernelArgKind::Pointer(space), ArgAddress::Global)
        }
    })
}

/// The facts that a module tells of its kernels, by kernel.
#[derive(Debug, Default)]
pub(super) struct Told<'p> {
    /// The texts of OpStrings `<key>.<kernel>.<text>`, the first of each key and kernel.
    strings: FxHashMap<(&'static str, &'p str), &'p str>,
    /// The execution modes of each function.
    modes: FxHashMap<u32, Vec<&'p Mode>>,
}

/// The keys of what the LLVM translator writes into OpStrings.
const KEYS: [&str; 3] = [
    "kernel_attributes",
    "kernel_arg_type",
    "kernel_arg_type_qual",
];

impl<'p> Told<'p> {
    /// Collects what is told of a module's entry points.
    pub fn new(pre: &'p Preamble<'_>) -> Self {
        let mut told = Self::default();
        for mode in &pre.modes {
            told.modes.entry(mode.func).or_default().push(mode);
        }
        // Names may hold dots: a text is looked at once for each length that a name has.
        let names = pre.entry_points.iter().map(|entry| entry.name.as_str());
        let names: FxHashSet<&str> = names.collect();
        let lengths: BTreeSet<usize> = names.iter().map(|name| name.len()).collect();
        for (_, text) in &pre.strings {
            for key in KEYS {
                let rest = text.strip_prefix(key).and_then(|t| t.strip_prefix('.'));
                let Some(rest) = rest else { continue };
                for &length in lengths.range(..rest.len()) {
                    let (name, text) = match rest.split_at_checked(length) {
                        Some((name, text)) if names.contains(name) => (name, text),
                        _ => continue,
                    };
                    if let Some(text) = text.strip_prefix('.') {
                        told.strings.entry((key, name)).or_insert(text);
                    }
                }
            }
        }
        told
    }

    fn string(&self, key: &'static str, kernel: &'p str) -> Option<&'p str> {
        self.strings.get(&(key, kernel)).copied()
    }

    /// The comma-terminated fields of such a text. A comma inside angle brackets or parentheses
    /// would be a type's own; OpenCL C has none.
    fn list(&self, key: &'static str, kernel: &'p str) -> Vec<String> {
        let Some(text) = self.string(key, kernel) else {
            return Vec::new();
        };
        let text = text.strip_suffix(',').unwrap_or(text);
        text.split(',').map(str::to_string).collect()
    }
}

/// CL_KERNEL_ARG_TYPE_PIPE.
const TYPE_PIPE: u32 = 8;

/// CL_KERNEL_ARG_TYPE_* bits.
fn qualifier_bits(words: &str) -> u32 {
    words.split_whitespace().fold(0, |bits, word| {
        bits | match word {
            "const" => 1,
            "restrict" => 2,
            "volatile" => 4,
            "pipe" => TYPE_PIPE,
            _ => 0,
        }
    })
}

fn modes(told: &Told<'_>, func: u32, info: &mut KernelInfo, inst: &Inst<'_>) -> Result<()> {
    for mode in told.modes.get(&func).into_iter().flatten() {
        let size = || match mode.args.as_slice() {
            &[x, y, z] => Ok([x, y, z]),
            _ => Err(inst.error("an execution mode lacks operands")),
        };
        match ExecutionMode::from_u32(mode.mode) {
            Some(ExecutionMode::LocalSize | ExecutionMode::LocalSizeId) => {
                info.required_work_group_size = Some(size()?);
            }
            Some(ExecutionMode::LocalSizeHint | ExecutionMode::LocalSizeHintId) => {
                info.work_group_size_hint = Some(size()?);
            }
            Some(ExecutionMode::SubgroupSize) => {
                info.required_sub_group_size = mode.args.first().copied();
            }
            Some(ExecutionMode::SubgroupsPerWorkgroup | ExecutionMode::SubgroupsPerWorkgroupId) => {
                info.required_sub_groups = mode.args.first().copied();
            }
            Some(ExecutionMode::Initializer) => info.initializer = true,
            Some(ExecutionMode::Finalizer) => info.finalizer = true,
            // What arithmetic does anyway; contraction is a flag of each operation. Other rounding
            // and flushed denormals are refused below.
            Some(
                ExecutionMode::VecTypeHint
                | ExecutionMode::ContractionOff
                | ExecutionMode::DenormPreserve
                | ExecutionMode::SignedZeroInfNanPreserve
                | ExecutionMode::RoundingModeRTE,
            ) => {}
            Some(other) => {
                return Err(inst.error(format_args!(
                    "execution mode {other:?} of kernel {} is not supported",
                    info.name
                )));
            }
            None => {
                return Err(inst.error(format_args!("unknown execution mode {}", mode.mode)));
            }
        }
    }
    for (is, mode) in [
        (info.initializer, ExecutionMode::Initializer),
        (info.finalizer, ExecutionMode::Finalizer),
    ] {
        if is {
            run_by_the_program(info, mode, inst)?;
        }
    }
    Ok(())
}

/// An initializer or finalizer runs as one work-item, and nobody sets arguments for it.
fn run_by_the_program(info: &mut KernelInfo, mode: ExecutionMode, inst: &Inst<'_>) -> Result<()> {
    if !info.args.is_empty() {
        return Err(inst.error(format_args!(
            "kernel {} has execution mode {mode:?} and parameters, which nobody sets",
            info.name
        )));
    }
    match *info.required_work_group_size.get_or_insert([1; 3]) {
        [1, 1, 1] => Ok(()),
        [x, y, z] => Err(inst.error(format_args!(
            "kernel {} has execution mode {mode:?}, which runs one work-item, and work-groups of \
             {x} x {y} x {z}",
            info.name
        ))),
    }
}
