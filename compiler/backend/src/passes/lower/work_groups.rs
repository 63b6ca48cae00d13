//! Instructions of work-groups, and slots of local memory for their work-items' values.
//!
//! For the passes that make operations of a work-group or of large sub-groups.

use crate::expand::{Expander, Replacement, int_like};
use pumice_ir::{
    AddressSpace, BinaryOp, BuiltIn, ConvertOp, Function, GlobalData, GlobalId, GroupOp, Inst,
    InstKind, IntCond, Linkage, LowerError, MemoryOrder, Module, Scalar, Scope, Type, Value,
};
use pumice_target::Target;
use smallvec::SmallVec;

/// Two values by the operator of a reduction or scan.
pub(super) fn combined(x: &mut Expander<'_>, op: GroupOp, a: Value, b: Value) -> Value {
    match op.combining(a, b) {
        Some(kind) => {
            let ty = x.ty(a);
            x.value(kind, ty)
        }
        None => a,
    }
}

/// A sub-group operation.
pub(super) fn sub_group(x: &mut Expander<'_>, op: GroupOp, args: &[Value], ty: Type) -> Value {
    x.value(
        InstKind::Group {
            op,
            scope: Scope::Subgroup,
            args: SmallVec::from_slice(args),
        },
        ty,
    )
}

/// A work-item's built-in value.
pub(super) fn built_in(x: &mut Expander<'_>, which: BuiltIn) -> Value {
    x.value(InstKind::BuiltIn { which }, which.ty())
}

/// The number of a work-item in its group, of 32 bits.
pub(super) fn item(x: &mut Expander<'_>) -> Value {
    let item = built_in(x, BuiltIn::LocalLinearId);
    x.convert(ConvertOp::Trunc, item, Type::I32)
}

/// The number of work-items of a group of this size, of 32 bits.
pub(super) fn items(x: &mut Expander<'_>, sizes: BuiltIn) -> Value {
    let sizes = built_in(x, sizes);
    let sizes: [Value; 3] = std::array::from_fn(|lane| x.lane(sizes, lane as u8));
    let area = x.bin(BinaryOp::IMul, sizes[0], sizes[1]);
    let items = x.bin(BinaryOp::IMul, area, sizes[2]);
    x.convert(ConvertOp::Trunc, items, Type::I32)
}

/// A barrier of the work-group that orders local memory.
pub(crate) fn barrier(x: &mut Expander<'_>) {
    x.emit(
        InstKind::Barrier {
            execution: Scope::Workgroup,
            memory: Scope::Workgroup,
            order: MemoryOrder::AcqRel,
            global: false,
            local: true,
        },
        &[],
    );
}

/// Does an operation on one value of each work-item for each lane of its first argument.
///
/// # Errors
/// Those of `operation`.
pub(super) fn each_lane(
    x: &mut Expander<'_>,
    inst: Inst,
    args: &[Value],
    mut operation: impl FnMut(&mut Expander<'_>, &[Value]) -> Result<Value, LowerError>,
) -> Result<Replacement, LowerError> {
    let result = x.func.result(inst);
    let lanes = x.ty(result).lanes;
    let parts = (0..lanes)
        .map(|lane| {
            let mut args: SmallVec<[Value; 4]> = SmallVec::from_slice(args);
            if let Some(first) = args.first_mut() {
                *first = x.lane(*first, lane);
            }
            operation(x, &args)
        })
        .collect::<Result<SmallVec<[Value; 4]>, _>>()?;
    let value = x.build(&parts);
    Ok(Replacement::from_slice(&[value]))
}

/// Does an operation on a value, on the numbers 0 and 1 for truth values.
pub(super) fn on_number(
    x: &mut Expander<'_>,
    value: Value,
    operation: impl FnOnce(&mut Expander<'_>, Value) -> Value,
) -> Value {
    if x.ty(value).scalar != Scalar::Bool {
        return operation(x, value);
    }
    let number = x.convert(ConvertOp::ZExt, value, Type::I32);
    let result = operation(x, number);
    x.icmp_const(IntCond::Ne, result, 0)
}

/// The scratch array: slots for values of any type.
#[derive(Clone, Copy)]
pub(super) struct Scratch(GlobalId);

impl Scratch {
    /// Adds an array of `size` bytes to the module.
    pub fn new(module: &mut Module, size: u64) -> Self {
        Self(module.globals.push(GlobalData {
            name: String::new(),
            space: AddressSpace::Local,
            size,
            align: 8,
            init: Vec::new(),
            relocations: Vec::new(),
            linkage: Linkage::Internal,
        }))
    }

    /// Returns the bytes of slots for all collectives of a scope in a function; 0 if there is none.
    pub fn size(
        func: &Function,
        scope: Scope,
        required: Option<&[u32; 3]>,
        target: &Target,
    ) -> u64 {
        4 * u64::from(slot_words(func, scope)) * work_items(required, target)
    }

    /// Combines `start` with the values in the slots that `slot` gives for a range of numbers, in their order.
    pub fn fold(
        self,
        x: &mut Expander<'_>,
        op: GroupOp,
        range: [Value; 2],
        start: Value,
        slot: impl FnOnce(&mut Expander<'_>, Value) -> Value,
    ) -> Value {
        let ty = x.ty(start);
        x.fold_range(range, start, |x, number, sum| {
            let slot = slot(x, number);
            let part = self.load(x, slot, ty);
            combined(x, op, sum, part)
        })
    }

    fn place(self, x: &mut Expander<'_>, index: Value, words: u32) -> (Value, u32) {
        let ty = Type::ptr(AddressSpace::Local);
        let base = x.value(InstKind::GlobalAddr { global: self.0 }, ty);
        let index = x.convert(ConvertOp::ZExt, index, Type::I64);
        let offset = x.bin_const(BinaryOp::IMul, index, 4 * u64::from(words));
        (x.value(InstKind::PtrAdd { base, offset }, ty), 4 * words)
    }

    pub fn store(self, x: &mut Expander<'_>, index: Value, value: Value) {
        let ty = x.ty(value);
        let bits = x.bits_of(value);
        let words = words_of(ty.scalar);
        let value = if words == 2 {
            x.convert(ConvertOp::Bitcast, bits, Type::vector(Scalar::I32, 2))
        } else {
            x.convert(ConvertOp::ZExt, bits, Type::I32)
        };
        let (ptr, align) = self.place(x, index, words);
        x.store(ptr, value, align);
    }

    pub fn load(self, x: &mut Expander<'_>, index: Value, ty: Type) -> Value {
        let words = words_of(ty.scalar);
        let (ptr, align) = self.place(x, index, words);
        let value = x.load(ptr, Type::I32.with_lanes(words as u8), align);
        let bits = int_like(ty);
        let value = if words == 2 {
            x.convert(ConvertOp::Bitcast, value, bits)
        } else {
            x.convert(ConvertOp::Trunc, value, bits)
        };
        x.convert(ConvertOp::Bitcast, value, ty)
    }
}

/// Words of the widest value that a collective of this scope handles; 0 if there is none.
fn slot_words(func: &Function, wanted: Scope) -> u32 {
    let blocks = func.layout.blocks.iter();
    let insts = blocks.flat_map(|&block| &func.layout.insts[block]);
    let words = insts.filter_map(|&inst| match &func.insts[inst].kind {
        InstKind::Group { scope, args, .. } if *scope == wanted => {
            let ty = args.first().map_or(Type::BOOL, |&arg| func.ty(arg));
            Some(words_of(ty.scalar))
        }
        _ => None,
    });
    words.max().unwrap_or(0)
}

fn words_of(scalar: Scalar) -> u32 {
    if scalar.bits() == 64 { 2 } else { 1 }
}

/// The most work-items of a group that may run a function with this required size.
fn work_items(required: Option<&[u32; 3]>, target: &Target) -> u64 {
    let most = u64::from(target.max_work_group_size);
    required.map_or(most, |size| {
        size.iter()
            .map(|&n| u64::from(n))
            .product::<u64>()
            .min(most)
    })
}
