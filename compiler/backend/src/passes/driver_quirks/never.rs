//! Conditions that never hold, which a driver's optimiser does not see through.

use crate::pass::FunctionCtx;
use pumice_ir::{
    BinaryOp, BuiltIn, FloatFlags, Function, InstKind, IntCond, SourceLoc, Type, Value,
};

/// Makes them. None follows from another: inside of a loop that left by one of them, the optimiser knows that it is false.
pub(super) struct Never {
    /// Pointers among the arguments have words: no descriptors stand for them.
    has_addresses: bool,
    /// A word that the optimiser does not know, once a condition needs it.
    word: Option<Value>,
    made: u32,
}

impl Never {
    pub(super) fn new(ctx: &FunctionCtx<'_>) -> Self {
        Self {
            has_addresses: ctx.target.abi.descriptors().is_none(),
            word: None,
            made: 0,
        }
    }

    /// Returns whether it made one.
    pub(super) fn is_used(&self) -> bool {
        self.made != 0
    }

    /// Makes one more condition, at the top of the function: that a square is 2. Those of integers are 0, 1 or 4 modulo 8.
    pub(super) fn condition(&mut self, func: &mut Function) -> Value {
        let entry = func.layout.blocks[0];
        let loc = SourceLoc::default();
        let terminator = func.layout.insts[entry].pop();
        let word = match self.word {
            Some(word) => word,
            None => func.append_value(entry, self.unknown(func), Type::I32, loc),
        };
        self.word = Some(word);
        let number = func.constant(Type::I32, &[u64::from(self.made)]);
        self.made += 1;
        let flags = FloatFlags::empty();
        let sum = InstKind::Binary {
            op: BinaryOp::IAdd,
            args: [word, number],
            flags,
        };
        let sum = func.append_value(entry, sum, Type::I32, loc);
        let square = InstKind::Binary {
            op: BinaryOp::IMul,
            args: [sum, sum],
            flags,
        };
        let square = func.append_value(entry, square, Type::I32, loc);
        let two = func.constant(Type::I32, &[2]);
        let compare = InstKind::ICmp {
            cond: IntCond::Eq,
            args: [square, two],
        };
        let condition = func.append_value(entry, compare, Type::BOOL, loc);
        func.layout.insts[entry].extend(terminator);
        condition
    }

    /// An instruction whose word the optimiser does not know: it loads an argument, or in a function without any gives the
    /// number of the work-item in its work-group, which is known in groups of one.
    fn unknown(&self, func: &Function) -> InstKind {
        let blocks = func.layout.blocks.iter();
        let insts = blocks.flat_map(|&block| &func.layout.insts[block]);
        let argument = insts.map(|&inst| &func.insts[inst]).find(|data| {
            let is_argument = matches!(data.kind, InstKind::LoadArg { .. });
            is_argument
                && (self.has_addresses || func.ty(data.results[0]).address_space().is_none())
        });
        let number = InstKind::BuiltInWord {
            which: BuiltIn::LocalLinearId,
            lane: 0,
            high: false,
        };
        argument.map_or(number, |data| data.kind.clone())
    }
}
