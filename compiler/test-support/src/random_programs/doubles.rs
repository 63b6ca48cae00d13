//! Doubles computed from floats and rounded back, as programs do that mean floats.

use super::Gen;
use super::types::{Scalar, Ty};

impl Gen {
    /// A double computed from floats, small integers and literals.
    pub(crate) fn double_of_floats(&mut self, depth: u32) -> String {
        let a = self.double_of_float(depth);
        match self.random.below(8) {
            0 => format!("fmax({a} - 1.0, 0.1)"),
            1 => format!("sqrt(fabs({a}))"),
            2 => {
                let b = self.double_of_float(depth);
                let power = *self.random.pick(&["0.5", "-2.0", "0x1p-24", "0x1p-25"]);
                let op = *self.random.pick(&["+", "-"]);
                format!("({a} {op} {power} * {b})")
            }
            3 => format!("-({a} + 0.7)"),
            4 => {
                // No NaN, of which functions make what they like.
                let b = self.expr(Ty::scalar(Scalar::Float), depth.min(1));
                format!("({a} / (double)fmax(fabs({b}), 0.5f))")
            }
            5 => format!("({a} / 3.0)"),
            _ => {
                let b = self.double_of_float(depth);
                let op = *self.random.pick(&["+", "-", "*"]);
                format!("({a} {op} {b})")
            }
        }
    }

    /// A double that is a float's value, an integer's or a literal.
    pub(crate) fn double_of_float(&mut self, depth: u32) -> String {
        match self.random.below(6) {
            0 => self.literal(Scalar::Double),
            1 => self
                .random
                .pick(&["0.1", "1e-6", "16777217.0", "3.0"])
                .to_string(),
            2 => {
                let ty = self.any_integer();
                let inner = self.expr(ty, depth.min(1));
                format!("(double){inner}")
            }
            _ => {
                let inner = self.expr(Ty::scalar(Scalar::Float), depth.min(1));
                format!("(double){inner}")
            }
        }
    }
}
