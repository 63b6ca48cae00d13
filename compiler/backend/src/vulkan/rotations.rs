//! Rotations by a constant: a left shift and the right shift by what is left of the width, joined.
//!
//! Mesa knows a rotation by a count that is the width minus the other one. Of two numbers it makes two shifts, where
//! NVIDIA's and newer Intel GPUs rotate by one instruction. The right shift is therefore by a difference that the
//! driver computes, and not at once: the width is read from a variable.

use super::builder::Id;
use super::emitter::Emitter;
use cranelift_entity::EntitySet;
use pumice_ir::{BinaryOp, Function, Inst, InstKind, Scalar, Type, Value};
use rspirv::spirv::{Op, StorageClass};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// The width of what is rotated in bits: other widths have no instruction.
const WIDTH: u64 = 32;

/// The rotations of a function.
#[derive(Default)]
pub(crate) struct Rotations {
    right_shifts: EntitySet<Inst>,
    /// Variables that hold the width of what is rotated, by their types.
    widths: FxHashMap<Id, Id>,
}

impl Rotations {
    /// Finds them.
    pub fn of(func: &Function) -> Self {
        let blocks = func.layout.blocks.iter();
        let insts = blocks.flat_map(|&block| func.layout.insts[block].iter());
        let mut rotations = Self::default();
        for shift in insts.filter_map(|&inst| right_shift(func, inst)) {
            rotations.right_shifts.insert(shift);
        }
        rotations
    }

    /// Returns whether an instruction is the right shift of one.
    pub fn is_right_shift(&self, inst: Inst) -> bool {
        self.right_shifts.contains(inst)
    }
}

/// The right shift of a rotation.
fn right_shift(func: &Function, inst: Inst) -> Option<Inst> {
    let (BinaryOp::Or, args, _) = binary(func, inst)? else {
        return None;
    };
    let [one, other] = args.map(|arg| func.def_inst(arg));
    [(one?, other?), (other?, one?)]
        .into_iter()
        .find(|&(left, right)| is_rotation(func, left, right))
        .map(|(_, right)| right)
}

fn is_rotation(func: &Function, left: Inst, right: Inst) -> bool {
    match (binary(func, left), binary(func, right)) {
        (
            Some((BinaryOp::Shl, [value, count], _)),
            Some((BinaryOp::LShr, [other, rest], Scalar::I32)),
        ) => {
            let counts = [count, rest].map(|count| splat(func, count));
            value == other && matches!(counts, [Some(count), Some(rest)] if count + rest == WIDTH)
        }
        _ => false,
    }
}

fn binary(func: &Function, inst: Inst) -> Option<(BinaryOp, [Value; 2], Scalar)> {
    match func.insts[inst].kind {
        InstKind::Binary { op, args, .. } => Some((op, args, func.ty(args[0]).scalar)),
        _ => None,
    }
}

/// The count by which each lane is shifted, modulo the width, if it is a constant.
fn splat(func: &Function, count: Value) -> Option<u64> {
    let lanes = func.const_lanes(count)?;
    let &first = lanes.first()?;
    let same = lanes.iter().all(|&lane| lane == first);
    same.then_some(first % WIDTH)
}

impl Emitter<'_> {
    /// The right shift of a rotation.
    pub(super) fn rotation_shift(&mut self, [value, count]: [Value; 2], ty: Type) -> Id {
        let right = splat(&self.module.functions[self.cur], count).unwrap_or(0);
        let lanes = usize::from(ty.lanes);
        let [width, left] = [WIDTH, WIDTH - right].map(|number| {
            let lanes: SmallVec<[u64; 4]> = std::iter::repeat_n(number, lanes).collect();
            self.constant(ty, &lanes)
        });
        let (value, id_ty) = (self.value(value), self.ty(ty));
        let variable = match self.rotations.widths.get(&id_ty) {
            Some(&variable) => variable,
            None => {
                let pointer = self.b.ty_pointer(StorageClass::Function, id_ty);
                let variable = self.b.local_with(pointer, width);
                self.rotations.widths.insert(id_ty, variable);
                variable
            }
        };
        let width = self.b.inst(Op::Load, id_ty, &[variable]);
        let count = self.b.op(Op::ISub, id_ty, &[width, left]);
        self.b.op(Op::ShiftRightLogical, id_ty, &[value, count])
    }
}
