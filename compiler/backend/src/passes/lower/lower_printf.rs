//! printf becomes a record in the printf buffer.
//!
//! Word 0 of the buffer counts the words in use behind it. A call adds its record's length to
//! it atomically; if the record fits in the buffer, the call writes the id of its PrintfInfo
//! and the arguments, each padded to words, and gives 0, else it writes nothing and gives -1
//! (word 0 then exceeds the size, which tells the runtime that output was cut).
//! `%s` arguments are the ids of PrintfInfos that hold the strings. Where the importer saw only a
//! pointer, inlining has shown the literal since, or the literals that it may lead to: then it is
//! compared with their addresses.

use crate::expand::{Expander, Replacement, expand};
use crate::pass::{Changed, Ctx};
use cranelift_entity::PrimaryMap;
use pumice_ir::LowerError;
use pumice_ir::analysis::{Place, places, text_at};
use pumice_ir::{
    AddressSpace, AtomicOp, BinaryOp, BlockCall, BuiltIn, Cfg, ConvertOp, FuncId, Function,
    GlobalData, GlobalId, Inst, InstKind, IntCond, MemoryOrder, Module, PrintfArg, PrintfRecord,
    Scalar, Scope, StringId, StringTable, Type, Value,
};
use pumice_printf::{Kind, directives};
use rustc_hash::FxHashMap;
use std::cell::OnceCell;

/// Runs the pass.
///
/// # Errors
/// An argument for `%s` that is no string literal.
pub fn run(module: &mut Module, ctx: &Ctx<'_>) -> Result<Changed, LowerError> {
    let capacity = (ctx.target.printf_buffer_size / 4).saturating_sub(1);
    let mut records = Records::new(std::mem::take(&mut module.printf));
    let mut strings = StringTable::new(std::mem::take(&mut module.strings));
    let globals = &module.globals;
    let mut changed = Changed::No;
    let ids: Vec<FuncId> = module.functions.keys().collect();
    for id in ids {
        let f = &mut module.functions[id];
        if f.entry().is_none() {
            continue;
        }
        // Before the blocks are taken apart, by which some pointers come.
        let texts = texts(f, globals, &mut strings)?;
        changed |= expand(f, |x, inst| {
            let InstKind::Printf { format, args } = &x.func.insts[inst].kind else {
                return Ok(None);
            };
            let (format, mut args) = (*format, args.clone());
            for arg in &mut args {
                if let PrintfArg::Value(value) = *arg {
                    if let Some(texts) = texts.get(&(inst, value)) {
                        *arg = PrintfArg::Value(string(x, &mut records, value, texts));
                    }
                }
            }
            let result = write_record(x, &mut records, capacity, format, &args);
            Ok(Some(Replacement::from_slice(&[result])))
        })?;
    }
    module.printf = records.list;
    module.strings = strings.into_list();
    Ok(changed)
}

/// The texts that a pointer for `%s` may lead to.
struct Texts {
    /// The one where none of the others is.
    last: StringId,
    others: Vec<(Place, StringId)>,
}

/// The texts of all pointers for `%s` in a function, by call and argument.
///
/// # Errors
/// An argument that is no string literal.
fn texts(
    func: &Function,
    globals: &PrimaryMap<GlobalId, GlobalData>,
    strings: &mut StringTable,
) -> Result<FxHashMap<(Inst, Value), Texts>, LowerError> {
    let mut found = FxHashMap::default();
    let cfg = OnceCell::new();
    let cfg = || cfg.get_or_init(|| Cfg::new(func));
    for &inst in func
        .layout
        .blocks
        .iter()
        .flat_map(|&b| &func.layout.insts[b])
    {
        let InstKind::Printf { format, args } = &func.insts[inst].kind else {
            continue;
        };
        let kinds: Vec<Kind> = directives(strings.text(*format)).map(|d| d.kind).collect();
        for (arg, kind) in args.iter().zip(kinds) {
            if let (PrintfArg::Value(value), Kind::String) = (*arg, kind) {
                let texts = texts_of(func, globals, cfg, strings, value).ok_or_else(|| {
                    LowerError::new("an argument of '%s' in printf is not a string literal")
                })?;
                found.insert((inst, value), texts);
            }
        }
    }
    Ok(found)
}

fn texts_of<'c>(
    func: &Function,
    globals: &PrimaryMap<GlobalId, GlobalData>,
    cfg: impl Fn() -> &'c Cfg,
    strings: &mut StringTable,
    value: Value,
) -> Option<Texts> {
    let places = places(func, globals, cfg, value)?;
    let texts = places.into_iter().map(|place| {
        let text = match place {
            // As C libraries write it.
            None => b"(null)".to_vec(),
            Some((global, offset)) => text_at(&globals[global], offset)?,
        };
        Some((place, strings.id(text)))
    });
    let mut others: Vec<_> = texts.collect::<Option<_>>()?;
    let (_, last) = others.pop()?;
    Some(Texts { last, others })
}

/// The PrintfInfo id of the string that a pointer leads to.
fn string(x: &mut Expander<'_>, records: &mut Records, pointer: Value, texts: &Texts) -> Value {
    let mut id_of = |x: &mut Expander<'_>, text| {
        let id = records.id(text, Vec::new());
        x.splat(Type::I32, u64::from(id))
    };
    let mut id = id_of(x, texts.last);
    if texts.others.is_empty() {
        return id;
    }
    let address = x.convert(ConvertOp::PtrToInt, pointer, Type::I64);
    for &(place, text) in &texts.others {
        let (own, is_here) = (id_of(x, text), leads_to(x, address, place));
        id = x.select(is_here, own, id);
    }
    id
}

fn leads_to(x: &mut Expander<'_>, address: Value, place: Place) -> Value {
    match place {
        None => x.icmp_const(IntCond::Eq, address, 0),
        Some((global, offset)) => {
            let ty = Type::ptr(AddressSpace::Constant);
            let start = x.value(InstKind::GlobalAddr { global }, ty);
            let there = x.offset(start, offset as u64);
            let there = x.convert(ConvertOp::PtrToInt, there, Type::I64);
            x.icmp(IntCond::Eq, address, there)
        }
    }
}

/// The module's PrintfInfos.
struct Records {
    list: Vec<PrintfRecord>,
    /// The number of the first one with a text and sizes.
    known: FxHashMap<(StringId, Vec<u32>), u32>,
}

impl Records {
    fn new(list: Vec<PrintfRecord>) -> Self {
        let mut known = FxHashMap::default();
        for record in &list {
            let key = (record.text, record.argument_sizes.clone());
            known.entry(key).or_insert(record.id);
        }
        Self { list, known }
    }

    /// The id of the PrintfInfo with this text and these sizes.
    fn id(&mut self, text: StringId, sizes: Vec<u32>) -> u32 {
        let list = &mut self.list;
        let known = self.known.entry((text, sizes));
        *known.or_insert_with_key(|(text, sizes)| {
            let id = list.len() as u32 + 1;
            list.push(PrintfRecord {
                id,
                text: *text,
                argument_sizes: sizes.clone(),
            });
            id
        })
    }
}

fn write_record(
    x: &mut Expander<'_>,
    records: &mut Records,
    capacity: u32,
    format: StringId,
    args: &[PrintfArg],
) -> Value {
    let mut values: Vec<Value> = Vec::new();
    let mut sizes: Vec<u32> = Vec::new();
    for arg in args {
        let value = match *arg {
            PrintfArg::String(text) => {
                let id = records.id(text, Vec::new());
                x.splat(Type::I32, u64::from(id))
            }
            PrintfArg::Value(value) => {
                let ty = x.ty(value);
                match ty.scalar {
                    Scalar::Ptr(_) => {
                        x.convert(ConvertOp::PtrToInt, value, ty.with_scalar(Scalar::I64))
                    }
                    Scalar::Bool => x.convert(ConvertOp::ZExt, value, ty.with_scalar(Scalar::I32)),
                    _ => value,
                }
            }
        };
        // Narrow scalars fill their word, so that no stale bytes show.
        let ty = x.ty(value);
        let value = if !ty.is_vector() && ty.scalar.is_int() && ty.scalar.bits() < 32 {
            x.convert(ConvertOp::ZExt, value, Type::I32)
        } else {
            value
        };
        sizes.push(x.ty(value).access_bytes());
        values.push(value);
    }
    let words = 1 + sizes.iter().map(|s| s.div_ceil(4)).sum::<u32>();
    let id = records.id(format, sizes.clone());

    let global = Type::ptr(AddressSpace::Global);
    let buffer = x.value(
        InstKind::BuiltIn {
            which: BuiltIn::PrintfBuffer,
        },
        global,
    );
    let count = x.splat(Type::I32, u64::from(words));
    let start = x.value(
        InstKind::AtomicRmw {
            op: AtomicOp::Add,
            ptr: buffer,
            value: count,
            order: MemoryOrder::Relaxed,
            scope: Scope::Device,
        },
        Type::I32,
    );
    let (write, done) = (x.new_block(), x.new_block());
    let result = x.func.append_param(done, Type::I32);
    let (good, bad) = (x.func.i32(0), x.func.i32(-1));
    let fits = match capacity.checked_sub(words) {
        Some(last) => x.icmp_const(IntCond::Ule, start, u64::from(last)),
        None => x.splat(Type::BOOL, 0),
    };
    x.branch(
        fits,
        BlockCall::new(write, &[]),
        BlockCall::new(done, &[bad]),
        write,
    );

    let wide = x.convert(ConvertOp::ZExt, start, Type::I64);
    let bytes = x.bin_const(BinaryOp::Shl, wide, 2);
    let record = x.value(
        InstKind::PtrAdd {
            base: buffer,
            offset: bytes,
        },
        global,
    );
    let id = x.splat(Type::I32, u64::from(id));
    let mut at = 4;
    store(x, record, at, id);
    at += 4;
    for (value, size) in values.into_iter().zip(sizes) {
        store(x, record, at, value);
        at += u64::from(size.next_multiple_of(4));
    }
    x.jump(done, &[good], done);
    result
}

fn store(x: &mut Expander<'_>, base: Value, at: u64, value: Value) {
    let ptr = x.offset(base, at);
    x.store(ptr, value, 4);
}
