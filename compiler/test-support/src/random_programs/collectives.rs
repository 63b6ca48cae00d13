//! Functions of work-groups and of sub-groups. The results of the latter are combined so that the size of sub-groups does not
//! show.

use super::Gen;
use super::types::{Scalar, Ty};

/// Operations whose order does not matter.
const OPERATIONS: [&str; 3] = ["add", "min", "max"];

/// The types that work-groups and sub-groups combine.
const TYPES: [Scalar; 4] = [Scalar::Int, Scalar::Uint, Scalar::Long, Scalar::Ulong];

impl Gen {
    /// Declares a variable of what the work-items of a group find together. Stands in uniform flow.
    pub(crate) fn collective(&mut self) {
        let ty = Ty::scalar(*self.random.pick(&TYPES));
        let number = self.summand(ty);
        let value = self.declared(ty, &number);
        let (result, text) = match self.random.below(10) {
            0..=2 => (ty, self.of_work_group(&value)),
            3..=5 => (ty, self.of_sub_groups(ty, &value)),
            6 => (ty, self.of_one_sub_group(ty, &value)),
            _ => (Ty::scalar(Scalar::Int), self.vote()),
        };
        self.declared(result, &text);
    }

    /// A number whose sum over a group does not overflow.
    fn summand(&mut self, ty: Ty) -> String {
        let number = self.expr(ty, 2);
        let bits = ty.scalar.bits() - 8;
        format!("({number} & (({})1 << {bits}) - 1)", ty.name())
    }

    fn of_work_group(&mut self, value: &str) -> String {
        let operation = *self.random.pick(&OPERATIONS);
        match self.random.below(4) {
            0 => format!("work_group_reduce_{operation}({value})"),
            1 => format!("work_group_scan_inclusive_{operation}({value})"),
            2 => format!("work_group_scan_exclusive_{operation}({value})"),
            _ => {
                let lane = self.random.below(self.group);
                format!("work_group_broadcast({value}, {lane})")
            }
        }
    }

    /// Combines what the sub-groups of a work-group find. All work-items call each function: results are chosen afterwards.
    fn of_sub_groups(&mut self, ty: Ty, value: &str) -> String {
        let name = ty.name();
        let each = self.fresh("t");
        let sum_where = |kept: &str| format!("work_group_reduce_add({kept} ? {each} : ({name})0)");
        // The last work-item's sum of its sub-group is the sub-group's.
        let is_last = "get_sub_group_local_id() == get_sub_group_size() - 1";
        let (found, combined) = match self.random.below(4) {
            0 => (
                format!("sub_group_reduce_add({value})"),
                sum_where("get_sub_group_local_id() == 0"),
            ),
            1 => (
                format!("sub_group_scan_inclusive_add({value})"),
                sum_where(is_last),
            ),
            2 => (
                format!("sub_group_scan_exclusive_add({value}) + {value}"),
                sum_where(is_last),
            ),
            _ => {
                let operation = *self.random.pick(&["min", "max"]);
                (
                    format!("sub_group_reduce_{operation}({value})"),
                    format!("work_group_reduce_{operation}({each})"),
                )
            }
        };
        self.line(&format!("{name} {each} = {found};"));
        combined
    }

    /// Makes a value of a sub-group that does not depend on its size.
    fn of_one_sub_group(&mut self, ty: Ty, value: &str) -> String {
        let uniform = format!("({})in[{}]", ty.name(), self.random.below(32));
        match self.random.below(3) {
            0 => format!(
                "sub_group_scan_inclusive_add({value}) - sub_group_scan_exclusive_add({value})"
            ),
            1 => {
                let operation = *self.random.pick(&["min", "max"]);
                format!("sub_group_reduce_{operation}({uniform})")
            }
            _ => format!("sub_group_broadcast({uniform}, 0)"),
        }
    }

    fn vote(&mut self) -> String {
        let condition = self.condition(2);
        let kind = *self.random.pick(&["any", "all"]);
        match self.random.below(2) {
            0 => format!("work_group_{kind}({condition}) != 0"),
            _ => format!("work_group_{kind}(sub_group_{kind}({condition})) != 0"),
        }
    }
}
