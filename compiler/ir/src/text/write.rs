//! Writing the text form.

use super::super::{
    Block, BlockCall, FloatFlags, Function, GlobalData, Inst, InstKind, Merge, Module, PrintfArg,
    Scalar, Type, UnrollHint, Value, ValueDef,
};
use super::names::{FLOAT_FLAGS, access_flags};
use super::node::write_payload;
use super::write_kernel::write_kernel;
use pumice_numerics::half_to_f64;
use std::fmt::Write;

/// The whole module.
pub fn module_to_text(module: &Module) -> String {
    let mut out = String::new();
    for (id, bytes) in module.strings.iter() {
        let _ = writeln!(out, "string {id} = {}", quoted(bytes));
    }
    for (id, global) in module.globals.iter() {
        write_global(&mut out, &id.to_string(), global);
    }
    for (id, payload) in module.payloads.iter() {
        write_payload(&mut out, id, payload);
    }
    for kernel in &module.kernels {
        write_kernel(&mut out, kernel);
    }
    for (id, func) in module.functions.iter() {
        if !out.is_empty() {
            out.push('\n');
        }
        write_function(&mut out, &id.to_string(), func);
    }
    out
}

/// One function, under the name `fn0`.
pub fn function_to_text(func: &Function) -> String {
    let mut out = String::new();
    write_function(&mut out, "fn0", func);
    out
}

/// One instruction with its results, without a line end.
pub fn inst_to_text(func: &Function, inst: Inst) -> String {
    let mut out = String::new();
    write_inst(&mut out, func, inst);
    out
}

pub(super) fn quoted(bytes: &[u8]) -> String {
    let mut out = String::from("\"");
    for &byte in bytes {
        match byte {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\t' => out.push_str("\\t"),
            b' '..=b'~' => out.push(byte as char),
            _ => {
                let _ = write!(out, "\\x{byte:02x}");
            }
        }
    }
    out.push('"');
    out
}

fn write_global(out: &mut String, id: &str, global: &GlobalData) {
    let _ = write!(
        out,
        "global {id} {} {} size {} align {} {}",
        quoted(global.name.as_bytes()),
        global.space.name(),
        global.size,
        global.align,
        global.linkage.name()
    );
    if !global.init.is_empty() {
        let _ = write!(out, " init {}", quoted(&global.init));
    }
    if !global.relocations.is_empty() {
        let list: Vec<String> = global
            .relocations
            .iter()
            .map(|r| format!("{}: {} + {}", r.offset, r.target, r.addend))
            .collect();
        let _ = write!(out, " reloc [{}]", list.join(", "));
    }
    out.push('\n');
}

pub(super) fn flag(is_set: bool, word: &str) -> &str {
    if is_set { word } else { "" }
}

fn types(list: &[Type]) -> String {
    let list: Vec<String> = list.iter().map(Type::to_string).collect();
    list.join(", ")
}

fn write_function(out: &mut String, id: &str, func: &Function) {
    let declaration = func.layout.blocks.is_empty();
    let _ = write!(
        out,
        "{} {id} {}({}) -> ({}) {}",
        if declaration { "declare" } else { "func" },
        quoted(func.name.as_bytes()),
        types(&func.params),
        types(&func.results),
        func.linkage.name()
    );
    out.push_str(flag(func.no_inline, " noinline"));
    out.push_str(flag(func.always_inline, " alwaysinline"));
    out.push_str(flag(func.passes_handles, " handles"));
    if !func.restrict_args.is_empty() {
        let offsets: Vec<String> = func.restrict_args.iter().map(u32::to_string).collect();
        let _ = write!(out, " restrict({})", offsets.join(", "));
    }
    if declaration && func.slots.is_empty() {
        out.push('\n');
        return;
    }
    out.push_str(" {\n");
    for (slot, data) in func.slots.iter() {
        let (size, align) = (data.size, data.align);
        let local = flag(data.was_local, " was_local");
        let _ = writeln!(out, "  {slot} = size {size} align {align}{local}");
    }
    for &block in &func.layout.blocks {
        write_block(out, func, block);
    }
    out.push_str("}\n");
}

fn write_block(out: &mut String, func: &Function, block: Block) {
    let _ = write!(out, "{block}");
    let params = &func.blocks[block].params;
    if !params.is_empty() {
        let list: Vec<String> = params
            .iter()
            .map(|&p| format!("{p}: {}", func.ty(p)))
            .collect();
        let _ = write!(out, "({})", list.join(", "));
    }
    if func.blocks[block].slow_path {
        out.push_str(" slow_path");
    }
    match func.blocks[block].unroll {
        UnrollHint::None => {}
        UnrollHint::Unroll => out.push_str(" unroll"),
        UnrollHint::Partial(rounds) => {
            let _ = write!(out, " unroll {rounds}");
        }
        UnrollHint::DontUnroll => out.push_str(" dont_unroll"),
    }
    out.push(':');
    let _ = match func.blocks[block].merge {
        None => Ok(()),
        Some(Merge::Selection { merge }) => write!(out, " ; selection up to {merge}"),
        Some(Merge::Loop {
            merge,
            continue_target,
            ..
        }) => write!(out, " ; loop up to {merge}, continues at {continue_target}"),
    };
    out.push('\n');
    for &inst in &func.layout.insts[block] {
        out.push_str("  ");
        write_inst(out, func, inst);
        let loc = func.insts[inst].loc;
        if loc.line != 0 || loc.column != 0 {
            let _ = match loc.file {
                0 => write!(out, " @{}:{}", loc.line, loc.column),
                file => write!(out, " @{file}:{}:{}", loc.line, loc.column),
            };
        }
        out.push('\n');
    }
}

/// A use of a value: its number, or the constant itself.
pub(super) fn operand(func: &Function, value: Value) -> String {
    if value.as_u32() as usize >= func.num_values() {
        return format!("{value}<unknown>");
    }
    let ty = func.ty(value);
    match func.def(value) {
        ValueDef::Result(..) | ValueDef::Param(..) => value.to_string(),
        ValueDef::Undef => format!("undef {ty}"),
        ValueDef::Const(lanes) => {
            if !ty.is_vector() {
                return format!("{ty} {}", lane_text(ty.scalar, lanes[0]));
            }
            let splat = lanes.iter().all(|lane| *lane == lanes[0]);
            let shown = if splat { &lanes[..1] } else { &lanes[..] };
            let list: Vec<String> = shown
                .iter()
                .map(|&lane| lane_text(ty.scalar, lane))
                .collect();
            format!("{ty} [{}]", list.join(", "))
        }
    }
}

fn lane_text(scalar: Scalar, bits: u64) -> String {
    match scalar {
        Scalar::Bool => (bits != 0).to_string(),
        Scalar::I8 => (bits as i8).to_string(),
        Scalar::I16 => (bits as i16).to_string(),
        Scalar::I32 => (bits as i32).to_string(),
        Scalar::I64 => (bits as i64).to_string(),
        Scalar::F16 if half_to_f64(bits as u16).is_finite() => {
            format!("{:?}", half_to_f64(bits as u16))
        }
        Scalar::F32 if f32::from_bits(bits as u32).is_finite() => {
            format!("{:?}", f32::from_bits(bits as u32))
        }
        Scalar::F64 if f64::from_bits(bits).is_finite() => format!("{:?}", f64::from_bits(bits)),
        _ => format!("{bits:#x}"),
    }
}

fn call_text(func: &Function, call: &BlockCall) -> String {
    if call.args.is_empty() {
        return call.block.to_string();
    }
    format!("{}({})", call.block, operands(func, &call.args))
}

fn operands(func: &Function, values: &[Value]) -> String {
    let list: Vec<String> = values.iter().map(|&v| operand(func, v)).collect();
    list.join(", ")
}

/// A mnemonic with its operands, if there are any.
fn spaced(name: String, operands: &str) -> String {
    match operands {
        "" => name,
        _ => format!("{name} {operands}"),
    }
}

fn float_flags(flags: FloatFlags) -> String {
    FLOAT_FLAGS
        .iter()
        .filter(|(flag, _)| flags.contains(*flag))
        .map(|(_, word)| format!(".{word}"))
        .collect()
}

fn spaces(global: bool, local: bool) -> String {
    let mut out = String::new();
    if global {
        out.push_str(".global");
    }
    if local {
        out.push_str(".local");
    }
    out
}

fn write_inst(out: &mut String, func: &Function, inst: Inst) {
    let data = &func.insts[inst];
    if !data.results.is_empty() {
        let list: Vec<String> = data
            .results
            .iter()
            .map(|&r| format!("{r}: {}", func.ty(r)))
            .collect();
        let _ = write!(out, "{} = ", list.join(", "));
    }
    let v = |value: &Value| operand(func, *value);
    let text = match &data.kind {
        InstKind::Unary { op, arg } => format!("{} {}", op.name(), v(arg)),
        InstKind::Binary { op, args, flags } => {
            format!(
                "{}{} {}",
                op.name(),
                float_flags(*flags),
                operands(func, args)
            )
        }
        InstKind::ICmp { cond, args } => format!("icmp.{} {}", cond.name(), operands(func, args)),
        InstKind::FCmp { cond, args, flags } => format!(
            "fcmp.{}{} {}",
            cond.name(),
            float_flags(*flags),
            operands(func, args)
        ),
        InstKind::Select { cond, then, other } => {
            format!("select {}, {}, {}", v(cond), v(then), v(other))
        }
        InstKind::Convert { op, arg, rounding } => {
            let rounding = rounding.map_or(String::new(), |r| format!(".{}", r.name()));
            format!("{}{rounding} {}", op.name(), v(arg))
        }
        InstKind::Math { op, args, flags } => format!(
            "math.{}{} {}",
            op.name(),
            float_flags(*flags),
            operands(func, args)
        ),
        InstKind::Build { lanes } => format!("build {}", operands(func, lanes)),
        InstKind::Splat { arg } => format!("splat {}", v(arg)),
        InstKind::Extract { vector, lane } => format!("extract {}, {lane}", v(vector)),
        InstKind::Insert {
            vector,
            scalar,
            lane,
        } => format!("insert {}, {}, {lane}", v(vector), v(scalar)),
        InstKind::ExtractDyn { vector, index } => {
            format!("extract_dyn {}, {}", v(vector), v(index))
        }
        InstKind::InsertDyn {
            vector,
            scalar,
            index,
        } => format!("insert_dyn {}, {}, {}", v(vector), v(scalar), v(index)),
        InstKind::Shuffle { args, mask } => {
            let mask: Vec<String> = mask
                .iter()
                .map(|lane| lane.map_or("_".to_string(), |lane| lane.to_string()))
                .collect();
            format!("shuffle {}, [{}]", operands(func, args), mask.join(", "))
        }
        InstKind::StackAddr { slot } => format!("stack_addr {slot}"),
        InstKind::GlobalAddr { global } => format!("global_addr {global}"),
        InstKind::PtrAdd { base, offset } => format!("ptr_add {}, {}", v(base), v(offset)),
        InstKind::Load { ptr, align, flags } => {
            format!("load{} {}, align {align}", access_flags(*flags), v(ptr))
        }
        InstKind::Store {
            ptr,
            value,
            align,
            flags,
        } => format!(
            "store{} {}, {}, align {align}",
            access_flags(*flags),
            v(ptr),
            v(value)
        ),
        InstKind::MemCopy {
            dst,
            src,
            size,
            dst_align,
            src_align,
            flags,
        } => format!(
            "memcopy{} {}, {}, {}, align {dst_align}, {src_align}",
            access_flags(*flags),
            v(dst),
            v(src),
            v(size)
        ),
        InstKind::AtomicLoad { ptr, order, scope } => {
            format!("atomic_load.{}.{} {}", order.name(), scope.name(), v(ptr))
        }
        InstKind::AtomicStore {
            ptr,
            value,
            order,
            scope,
        } => format!(
            "atomic_store.{}.{} {}, {}",
            order.name(),
            scope.name(),
            v(ptr),
            v(value)
        ),
        InstKind::AtomicRmw {
            op,
            ptr,
            value,
            order,
            scope,
        } => format!(
            "atomic_rmw.{}.{}.{} {}, {}",
            op.name(),
            order.name(),
            scope.name(),
            v(ptr),
            v(value)
        ),
        InstKind::AtomicCmpXchg {
            ptr,
            expected,
            desired,
            success,
            failure,
            scope,
        } => format!(
            "atomic_cmpxchg.{}.{}.{} {}, {}, {}",
            success.name(),
            failure.name(),
            scope.name(),
            v(ptr),
            v(expected),
            v(desired)
        ),
        InstKind::Fence {
            scope,
            order,
            global,
            local,
        } => format!(
            "fence.{}.{}{}",
            scope.name(),
            order.name(),
            spaces(*global, *local)
        ),
        InstKind::Barrier {
            execution,
            memory,
            order,
            global,
            local,
        } => format!(
            "barrier.{}.{}.{}{}",
            execution.name(),
            memory.name(),
            order.name(),
            spaces(*global, *local)
        ),
        InstKind::ReadClock { scope } => format!("read_clock.{}", scope.name()),
        InstKind::BuiltIn { which } => format!("builtin.{}", which.name()),
        InstKind::BuiltInWord { which, lane, high } => {
            let word = if *high { "high" } else { "low" };
            format!("builtin_word.{}.{word} {lane}", which.name())
        }
        InstKind::Group { op, scope, args } => {
            let name = format!("group.{}.{}", scope.name(), op.name());
            spaced(name, &operands(func, args))
        }
        InstKind::Matrix { op, args } => {
            spaced(format!("matrix.{}", op.name()), &operands(func, args))
        }
        InstKind::Node { op, args } => {
            let payload = op.payload().map(|id| format!(".{id}")).unwrap_or_default();
            let name = format!("node.{}{payload}", op.name().join("."));
            spaced(name, &operands(func, args))
        }
        InstKind::Image { op, image, args } => format!(
            "image.{}.{} {}",
            image.words().join("."),
            op.words().join("."),
            operands(func, args)
        ),
        InstKind::HandleArg { ordinal } => format!("handle_arg {ordinal}"),
        InstKind::HandleInfo { ordinal, which } => {
            format!("handle_info.{} {ordinal}", which.name())
        }
        InstKind::LoadArg { offset } => format!("load_arg {offset}"),
        InstKind::LoadArgWord { offset, index } => {
            format!("load_arg_word {offset}, {}", v(index))
        }
        InstKind::LocalArg { ordinal } => format!("local_arg {ordinal}"),
        InstKind::Call { func: callee, args } => format!("call {callee}({})", operands(func, args)),
        InstKind::Printf { format, args } => {
            let list: Vec<String> = args
                .iter()
                .map(|arg| match arg {
                    PrintfArg::Value(value) => v(value),
                    PrintfArg::String(id) => id.to_string(),
                })
                .collect();
            format!("printf {format}({})", list.join(", "))
        }
        InstKind::Jump { dest } => format!("jump {}", call_text(func, dest)),
        InstKind::Branch { cond, then, other } => format!(
            "branch {}, {}, {}",
            v(cond),
            call_text(func, then),
            call_text(func, other)
        ),
        InstKind::Switch {
            value,
            default,
            cases,
        } => {
            let list: Vec<String> = cases
                .iter()
                .map(|(bits, call)| format!("{bits}: {}", call_text(func, call)))
                .collect();
            format!(
                "switch {}, {}, [{}]",
                v(value),
                call_text(func, default),
                list.join(", ")
            )
        }
        InstKind::Return { values } if values.is_empty() => "return".to_string(),
        InstKind::Return { values } => format!("return {}", operands(func, values)),
        InstKind::Unreachable => "unreachable".to_string(),
    };
    out.push_str(&text);
}
