//! Conditions that never hold, which a driver's optimiser does not see through.

use pumice_ir::{BuiltIn, Function, InstKind, IntCond, SourceLoc, Type, Value};

/// Makes them. None follows from another: inside of a loop that left by one of them, the optimiser knows that it is false.
#[derive(Default)]
pub(super) struct Never {
    /// The numbers of work-groups of the dispatch. Those of work-items are zeros to the driver where a work-group has one.
    groups: Vec<Value>,
    made: u32,
}

impl Never {
    /// Returns whether it made one.
    pub(super) fn is_used(&self) -> bool {
        self.made != 0
    }

    /// Makes one more condition, at the top of the function: a dispatch has neither 0 work-groups in a dimension nor 2^32.
    pub(super) fn condition(&mut self, func: &mut Function) -> Value {
        let entry = func.layout.blocks[0];
        let terminator = func.layout.insts[entry].pop();
        let condition = self.append_condition(func);
        func.layout.insts[entry].extend(terminator);
        condition
    }

    fn append_condition(&mut self, func: &mut Function) -> Value {
        let entry = func.layout.blocks[0];
        let loc = SourceLoc::default();
        if self.groups.is_empty() {
            let which = BuiltIn::DispatchSize;
            let all = func.append_value(entry, InstKind::BuiltIn { which }, which.ty(), loc);
            for lane in 0..3 {
                let lane = InstKind::Extract { vector: all, lane };
                self.groups
                    .push(func.append_value(entry, lane, Type::I32, loc));
            }
        }
        let (dimension, turn) = (self.made % 3, self.made / 3);
        self.made += 1;
        // 0, 2^32 - 1, 2^32 - 2 and so on.
        let number = func.constant(Type::I32, &[u64::from(0_u32.wrapping_sub(turn))]);
        let compare = InstKind::ICmp {
            cond: IntCond::Eq,
            args: [self.groups[dimension as usize], number],
        };
        func.append_value(entry, compare, Type::BOOL, loc)
    }
}
