//! Promises of launches ([`PromiseKind`]), and the code that is shorter for them.
//!
//! A promise is a specialization constant, 0 where nothing is promised. Both forms of a number are written
//! with a choice between them, which drivers decide when they make the pipeline.

use super::builder::Id;
use super::emitter::Emitter;
use pumice_ir::{BinaryOp, BuiltIn, InstKind, KernelArgKind, LowerError, Value};
use pumice_reflection::PromiseKind;
use pumice_target::QuirkKind;
use rspirv::spirv::Op;

/// A pointer at a distance from an argument.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Near {
    /// The argument's address.
    pub root: Id,
    /// The low word of the distance.
    pub distance: Id,
    /// The address of what it points at.
    pub address: Id,
}

impl Emitter<'_> {
    /// Returns whether code depends on promises.
    pub fn takes_promises(&self) -> bool {
        self.target.launch_promises && self.target.int64 && !self.has_buffers()
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

    /// A distance that is an index shifted to bytes, shifted behind the widening of its low word; `None` for others and
    /// on drivers that add a word as it is.
    fn wide_shifted_index(&mut self, offset: Value) -> Result<Option<Id>, LowerError> {
        if !self.target.quirks.has(QuirkKind::IndexesShiftedWide) {
            return Ok(None);
        }
        let f = &self.module.functions[self.cur];
        let Some(&InstKind::Binary {
            op: BinaryOp::Shl,
            args: [index, bits],
            ..
        }) = f.def_inst(offset).map(|inst| &f.insts[inst].kind)
        else {
            return Ok(None);
        };
        let Some(bits) = f.const_bits(bits) else {
            return Ok(None);
        };
        // The word is the whole index: the distance has no more bits, and those that a shift loses do not count.
        let word = self.low_word(index)?;
        let wide = self.widen(word);
        let (ty, bits) = (self.wide_ty(), self.b.const_u32(bits as u32));
        Ok(Some(self.b.op(Op::ShiftLeftLogical, ty, &[wide, bits])))
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
        let Some(result) = result.filter(|_| self.takes_promises()) else {
            return Ok(());
        };
        let (root, before) = match self.near_of.get(&base) {
            Some(near) => (near.root, Some(near.distance)),
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
            distance = self.b.op(Op::IAdd, u32_ty, &[before, distance]);
        }
        let mut address = sum;
        if self.b.const_value(distance).is_none() {
            let shifted = match before {
                None => self.wide_shifted_index(offset)?,
                Some(_) => None,
            };
            let wide = match shifted {
                Some(shifted) => shifted,
                None => self.widen(distance),
            };
            let near = self.wide_sum(Op::IAdd, root, wide);
            let condition = self.promised(PromiseKind::NearArguments);
            address = self.wide_select(condition, near, sum);
        }
        let near = Near {
            root,
            distance,
            address,
        };
        self.near_of.insert(result, near);
        Ok(())
    }
}
