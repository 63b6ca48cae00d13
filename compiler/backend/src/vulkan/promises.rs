//! Promises of launches ([`PromiseKind`]), and the code that is shorter for them.
//!
//! A promise is a specialization constant, 0 where nothing is promised. Both forms of a number are written
//! with a choice between them, which drivers decide when they make the pipeline.

use super::abi::range_form;
use super::builder::Id;
use super::emitter::Emitter;
use pumice_ir::{BinaryOp, BuiltIn, InstKind, KernelArgKind, LowerError, Value};
use pumice_reflection::PromiseKind;
use pumice_target::QuirkKind;
use pumice_target::abi::RangeForm;
use rspirv::spirv::Op;

/// A pointer at a distance from an argument.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Near {
    /// The argument's address.
    pub root: Id,
    /// The low word of the distance.
    pub distance: Id,
    /// The index that is the distance when it is shifted.
    index: Option<Index>,
    /// The address of what it points at.
    pub address: Id,
}

/// The index of an element whose size is a power of two.
#[derive(Clone, Copy, Debug)]
struct Index {
    /// Its low word. It is the whole index: the distance has no more bits, and those that a shift loses do not count.
    word: Id,
    /// The bits by which it is shifted.
    bits: u64,
}

impl Emitter<'_> {
    /// Returns whether code depends on promises. Only the driver's own launches make them.
    pub fn takes_promises(&self) -> bool {
        let by_driver = range_form(&self.target.abi) == RangeForm::WideRegions;
        self.target.launch_promises && self.target.int64 && by_driver
    }

    /// The condition that a launch promises something.
    pub fn promised(&mut self, kind: PromiseKind) -> Id {
        if let Some(&(condition, _)) = self.promises.get(&kind) {
            return condition;
        }
        let (constant, spec) = self.spec_constant(0);
        let (bool_ty, zero) = (self.b.ty_bool(), self.b.const_u32(0));
        let condition = self.b.spec_op(Op::INotEqual, bool_ty, &[constant, zero]);
        self.promises.insert(kind, (condition, spec));
        condition
    }

    /// Returns whether a pointer is an argument that the application sets, the address delta added or not.
    fn is_argument(&self, pointer: Value) -> bool {
        let f = &self.module.functions[self.cur];
        let kind = |value| f.def_inst(value).map(|inst| &f.insts[inst].kind);
        let argument = match kind(pointer) {
            Some(&InstKind::PtrAdd { base, offset }) if self.is_delta(offset) => kind(base),
            other => other,
        };
        let (Some(&InstKind::LoadArg { offset }), Some(k)) = (argument, self.kernel_of[self.cur])
        else {
            return false;
        };
        let places = self.arg_layouts[k as usize].places.iter();
        let args = &self.module.kernels[k as usize].args;
        args.iter().zip(places).any(|(arg, place)| {
            matches!(arg.kind, KernelArgKind::Pointer(_))
                && place.as_ref().is_some_and(|place| place.offset == offset)
        })
    }

    fn is_delta(&self, value: Value) -> bool {
        let f = &self.module.functions[self.cur];
        let delta = BuiltIn::AddressDelta;
        f.def_inst(value).is_some_and(
            |inst| matches!(f.insts[inst].kind, InstKind::BuiltIn { which } if which == delta),
        )
    }

    /// The index behind `before` and `offset`, which together are a distance; `None` for others, and on drivers that
    /// add a word as it is.
    fn index(&mut self, before: Option<Near>, offset: Value) -> Result<Option<Index>, LowerError> {
        if !self.target.quirks.has(QuirkKind::IndexesShiftedWide) {
            return Ok(None);
        }
        let before = match before {
            None => None,
            Some(Near { index: None, .. }) => return Ok(None),
            Some(Near { index, .. }) => index,
        };
        let f = &self.module.functions[self.cur];
        let binary = match f.def_inst(offset).map(|inst| &f.insts[inst].kind) {
            Some(&InstKind::Binary {
                op,
                args: [index, by],
                ..
            }) => f.const_bits(by).map(|by| (op, index, by)),
            _ => None,
        };
        let added = match (binary, f.const_bits(offset), before) {
            (Some((BinaryOp::Shl, index, bits)), ..) if bits < 32 => {
                let word = self.low_word(index)?;
                Index { word, bits }
            }
            (Some((BinaryOp::IMul, index, bytes)), ..) if bytes % 2 == 0 && bytes != 0 => {
                let bits = u64::from(bytes.trailing_zeros());
                let (u32_ty, word) = (self.b.ty_int(32), self.low_word(index)?);
                let times = self.b.const_u32((bytes >> bits) as u32);
                let word = self.b.op(Op::IMul, u32_ty, &[word, times]);
                Index { word, bits }
            }
            (_, Some(bytes), Some(Index { bits, .. })) if bytes % (1 << bits) == 0 => {
                let word = self.b.const_u32((bytes >> bits) as u32);
                Index { word, bits }
            }
            _ => return Ok(None),
        };
        let Some(Index { word, bits }) = before else {
            return Ok(Some(added));
        };
        if bits != added.bits {
            return Ok(None);
        }
        let u32_ty = self.b.ty_int(32);
        let word = self.b.op(Op::IAdd, u32_ty, &[word, added.word]);
        Ok(Some(Index { word, bits }))
    }

    /// Takes note of a pointer that is a sum, at a distance from an argument: where arguments are near
    /// ([`PromiseKind::NearArguments`]), the distance of what is accessed is a word. `sum` is the pointer, also
    /// where it points at nothing; what is compared or stored stays that.
    pub fn note_near(
        &mut self,
        result: Option<Value>,
        [base, offset]: [Value; 2],
        sum: Id,
    ) -> Result<(), LowerError> {
        let has_distances = self.takes_promises() && !self.has_buffers();
        let Some(result) = result.filter(|_| has_distances) else {
            return Ok(());
        };
        let (root, before) = match self.near_of.get(&base) {
            Some(&near) => (near.root, Some(near)),
            None if self.is_argument(base) && !self.is_delta(offset) => (self.value(base), None),
            None => return Ok(()),
        };
        let mut distance = match self.low_words.get(&offset) {
            Some(&word) => word,
            None => self.low_word(offset)?,
        };
        self.low_words.insert(offset, distance);
        if let Some(before) = before {
            let u32_ty = self.b.ty_int(32);
            distance = self.b.op(Op::IAdd, u32_ty, &[before.distance, distance]);
        }
        let index = self.index(before, offset)?;
        let mut address = sum;
        if self.b.const_value(distance).is_none() {
            let wide = match index {
                Some(Index { word, bits }) => {
                    let wide = self.widen(word);
                    let (ty, bits) = (self.wide_ty(), self.b.const_u32(bits as u32));
                    self.b.op(Op::ShiftLeftLogical, ty, &[wide, bits])
                }
                None => self.widen(distance),
            };
            let near = self.wide_sum(Op::IAdd, root, wide);
            let condition = self.promised(PromiseKind::NearArguments);
            address = self.wide_select(condition, near, sum);
        }
        let near = Near {
            root,
            distance,
            index,
            address,
        };
        self.near_of.insert(result, near);
        Ok(())
    }
}
