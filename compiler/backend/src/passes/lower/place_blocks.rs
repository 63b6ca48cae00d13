//! Work-item built-ins of blocks come from their records.
//!
//! A block that kernels enqueue runs in a dispatch of several records, so Vulkan's ids are not its
//! own. The import has put the record's address and the work-group's id into the first private
//! variable of the block's kernel; here each built-in becomes a load from the record or arithmetic
//! with it. In other kernels the record that enqueues is the host's. The pass also finds the kernels
//! of the application that need the memory of device-side enqueue.

use crate::expand::{Expander, Replacement, expand};
use crate::pass::{Changed, Ctx};
use pumice_ir::LowerError;
use pumice_ir::{
    AddressSpace, BinaryOp, BuiltIn, ConvertOp, EnqueueRole, InstKind, Module, StackSlot, Type,
    Value,
};
use pumice_target::device_queue::record;
use smallvec::SmallVec;

/// Runs the pass.
///
/// # Errors
/// None.
pub fn run(module: &mut Module, _ctx: &Ctx<'_>) -> Result<Changed, LowerError> {
    let mut changed = Changed::No;
    for kernel in &mut module.kernels {
        let func = &mut module.functions[kernel.func];
        let is_block = matches!(kernel.enqueue, Some(EnqueueRole::Block { .. }));
        if kernel.enqueue.is_none() {
            if !func.built_ins().any(|which| which == BuiltIn::DeviceLaunch) {
                continue;
            }
            kernel.enqueue = Some(EnqueueRole::Parent);
        }
        changed |= expand(func, |x, inst| {
            let which = match x.func.insts[inst].kind {
                InstKind::BuiltIn { which } => which,
                _ => return Ok(None),
            };
            let value = match is_block {
                true => placed(x, which),
                false if which == BuiltIn::DeviceRecord => Some(x.splat(Type::I32, 0)),
                false => None,
            };
            Ok(value.map(|value| Replacement::from_slice(&[value])))
        })?;
    }
    Ok(changed)
}

/// The value of a built-in in a block; `None` for those that are Vulkan's own.
fn placed(x: &mut Expander<'_>, which: BuiltIn) -> Option<Value> {
    Some(match which {
        BuiltIn::GlobalId => vector(x, global_id),
        BuiltIn::GroupId => vector(x, group_id),
        BuiltIn::GlobalSize => vector(x, |x, d| wide(x, record::SIZE, d)),
        BuiltIn::GlobalOffset => vector(x, |x, d| wide(x, record::OFFSET, d)),
        BuiltIn::EnqueuedLocalSize => vector(x, local_size),
        BuiltIn::NumGroups => vector(x, groups),
        BuiltIn::WorkDim => word(x, record::DIMENSIONS),
        BuiltIn::DeviceRecord => word(x, record::NUMBER),
        BuiltIn::GlobalLinearId => linear_id(x),
        BuiltIn::NumEnqueuedSubgroups => sub_groups(x),
        _ => return None,
    })
}

fn vector(x: &mut Expander<'_>, lane: impl Fn(&mut Expander<'_>, u64) -> Value) -> Value {
    let lanes = [lane(x, 0), lane(x, 1), lane(x, 2)];
    let lanes = SmallVec::from_slice(&lanes);
    x.value(InstKind::Build { lanes }, BuiltIn::GlobalId.ty())
}

fn load(x: &mut Expander<'_>, base: Value, offset: u64, ty: Type) -> Value {
    let ptr = x.offset(base, offset);
    x.load(ptr, ty, ty.alloc_bytes())
}

/// A number of the place that the import stored: the record's address, then the group's id.
fn place(x: &mut Expander<'_>, n: u64) -> Value {
    let slot = StackSlot::from_u32(0);
    let private = Type::ptr(AddressSpace::Private);
    let base = x.value(InstKind::StackAddr { slot }, private);
    load(x, base, 8 * n, Type::I64)
}

fn record(x: &mut Expander<'_>) -> Value {
    let address = place(x, 0);
    x.convert(
        ConvertOp::IntToPtr,
        address,
        Type::ptr(AddressSpace::Global),
    )
}

fn word(x: &mut Expander<'_>, offset: u64) -> Value {
    let base = record(x);
    load(x, base, offset, Type::I32)
}

fn wide(x: &mut Expander<'_>, offset: u64, d: u64) -> Value {
    let base = record(x);
    load(x, base, offset + 8 * d, Type::I64)
}

fn group_id(x: &mut Expander<'_>, d: u64) -> Value {
    place(x, 1 + d)
}

fn local_size(x: &mut Expander<'_>, d: u64) -> Value {
    let size = word(x, record::LOCAL_SIZE + 4 * d);
    x.convert(ConvertOp::ZExt, size, Type::I64)
}

fn groups(x: &mut Expander<'_>, d: u64) -> Value {
    let (size, local) = (wide(x, record::SIZE, d), local_size(x, d));
    let up = x.bin(BinaryOp::IAdd, size, local);
    let up = x.bin_const(BinaryOp::ISub, up, 1);
    x.bin(BinaryOp::UDiv, up, local)
}

/// The id without the offset.
fn id(x: &mut Expander<'_>, d: u64) -> Value {
    let (group, size) = (group_id(x, d), local_size(x, d));
    let first = x.bin(BinaryOp::IMul, group, size);
    let which = BuiltIn::LocalId;
    let local = x.value(InstKind::BuiltIn { which }, which.ty());
    let local = x.lane(local, d as u8);
    x.bin(BinaryOp::IAdd, first, local)
}

fn global_id(x: &mut Expander<'_>, d: u64) -> Value {
    let (id, offset) = (id(x, d), wide(x, record::OFFSET, d));
    x.bin(BinaryOp::IAdd, id, offset)
}

fn linear_id(x: &mut Expander<'_>) -> Value {
    let [first, second, third] = [0, 1, 2].map(|d| id(x, d));
    let [width, height] = [0, 1].map(|d| wide(x, record::SIZE, d));
    let rows = x.bin(BinaryOp::IMul, third, height);
    let rows = x.bin(BinaryOp::IAdd, rows, second);
    let before = x.bin(BinaryOp::IMul, rows, width);
    x.bin(BinaryOp::IAdd, before, first)
}

fn sub_groups(x: &mut Expander<'_>) -> Value {
    let [a, b, c] = [0, 1, 2].map(|d| word(x, record::LOCAL_SIZE + 4 * d));
    let area = x.bin(BinaryOp::IMul, a, b);
    let items = x.bin(BinaryOp::IMul, area, c);
    let which = BuiltIn::SubgroupMaxSize;
    let most = x.value(InstKind::BuiltIn { which }, which.ty());
    let up = x.bin(BinaryOp::IAdd, items, most);
    let up = x.bin_const(BinaryOp::ISub, up, 1);
    x.bin(BinaryOp::UDiv, up, most)
}
