//! Functions of the library whose results are exact: of 24-bit integers, of lanes, of floats and their parts; halves in
//! memory; copies of a work-group.

use super::types::{Scalar, Space, Ty};
use super::{Gen, Lvalue};

/// The bytes of `in` with elements of one byte; it has as many of any other type.
const INPUT_BYTES: u32 = 32;

impl Gen {
    /// A value of a type from one of these functions; `None` if none makes it.
    pub(crate) fn library_value(&mut self, ty: Ty, depth: u32) -> Option<String> {
        if ty.is_vector() && ty.lanes != 3 && self.random.chance(40) {
            return Some(self.shuffled(ty, depth));
        }
        match ty.scalar {
            Scalar::Int | Scalar::Uint if self.random.chance(50) => {
                Some(self.of_24_bits(ty, depth))
            }
            Scalar::Half | Scalar::Float | Scalar::Double => Some(self.exact_float(ty, depth)),
            _ if !ty.is_vector() && self.has(Self::FLOATS) => Some(self.classified(ty, depth)),
            _ => None,
        }
    }

    fn of_24_bits(&mut self, ty: Ty, depth: u32) -> String {
        let name = ty.name();
        let operand = |this: &mut Self| {
            let value = this.expr(ty, depth);
            match ty.scalar {
                Scalar::Uint => format!("({value} & ({name})(0xffffff))"),
                // 24 bits with the sign, and no overflow of their product.
                _ => format!("(({value} & ({name})(0xffff)) - ({name})(0x8000))"),
            }
        };
        let (a, b) = (operand(self), operand(self));
        match self.random.chance(50) {
            true => format!("mul24({a}, {b})"),
            // The sum of signed numbers must not overflow either.
            false => {
                let c = self.expr(ty, depth);
                format!("mad24({a}, {b}, {c} & ({name})(0xffff))")
            }
        }
    }

    /// Lanes chosen by a mask, of which the low bits count.
    fn shuffled(&mut self, ty: Ty, depth: u32) -> String {
        let mask = ty.integer(false);
        let lanes = *self.random.pick(&[2, 4, 8]);
        let (from, mask) = (Ty { lanes, ..ty }, self.expr(mask, depth));
        let a = self.expr(from, depth);
        match self.random.chance(50) {
            true => format!("shuffle({a}, {mask})"),
            false => {
                let b = self.expr(from, depth);
                format!("shuffle2({a}, {b}, {mask})")
            }
        }
    }

    fn exact_float(&mut self, ty: Ty, depth: u32) -> String {
        let name = ty.name();
        let (a, b) = (self.expr(ty, depth), self.expr(ty, depth));
        match self.random.below(10) {
            0 => format!("fmod({a}, {b})"),
            1 => format!("remainder({a}, {b})"),
            2 => format!("fdim({a}, {b})"),
            // The signs of zeros are not specified.
            3 => format!("(maxmag({a}, {b}) + ({name})(0))"),
            4 => format!("(minmag({a}, {b}) + ({name})(0))"),
            5 => format!("sign({a})"),
            6 => format!("step({a}, {b})"),
            7 => {
                let exponent = ty.of(Scalar::Int);
                let exponent_name = exponent.name();
                let exponent = self.expr(exponent, depth);
                format!("ldexp({a}, ({exponent} & ({exponent_name})(7)) - ({exponent_name})(3))")
            }
            8 if ty.scalar == Scalar::Float && ty.lanes != 3 && self.input().is_some() => {
                let halves = INPUT_BYTES / 2 / ty.lanes;
                let at = self.index(halves);
                let lanes = match ty.lanes {
                    1 => String::new(),
                    lanes => lanes.to_string(),
                };
                format!("vload_half{lanes}({at}, (__global const half *)in)")
            }
            _ => format!("(clamp({a}, ({name})(-9), ({name})(20)) + ({name})(0))"),
        }
    }

    fn float(&mut self) -> Ty {
        match self.has(Self::DOUBLES) && self.random.chance(30) {
            true => Ty::scalar(Scalar::Double),
            false => Ty::scalar(Scalar::Float),
        }
    }

    /// The kind of number that a float is, or a relation of two.
    fn classified(&mut self, ty: Ty, depth: u32) -> String {
        let float = self.float();
        let (a, b) = (self.expr(float, depth), self.expr(float, depth));
        let name = ty.name();
        match self.random.below(3) {
            0 => {
                let kind = *self
                    .random
                    .pick(&["isnan", "isinf", "isfinite", "isnormal"]);
                format!("({name})({kind}({a}))")
            }
            1 => format!("({name})(isfinite({a}) ? signbit({a}) : 2)"),
            _ => {
                let relation = *self.random.pick(&[
                    "isequal",
                    "isnotequal",
                    "isgreater",
                    "islessequal",
                    "islessgreater",
                    "isordered",
                    "isunordered",
                ]);
                format!("({name})({relation}({a}, {b}))")
            }
        }
    }

    /// Takes a float apart, or rounds it to halves in memory.
    pub(crate) fn parts_of_float(&mut self) {
        let ty = self.float();
        let (name, value) = (ty.name(), self.expr(ty, 2));
        let whole = self.fresh("f");
        self.line(&format!("{name} {whole} = {value};"));
        self.line(&format!(
            "{whole} = isfinite({whole}) ? {whole} : ({name})(1.5);"
        ));
        let part = self.fresh("p");
        let (function, part_ty) = match self.random.below(4) {
            0 => ("modf", ty),
            1 => ("fract", ty),
            2 => ("frexp", Ty::scalar(Scalar::Int)),
            _ => return self.halves(&whole, &part),
        };
        self.line(&format!("{} {part};", part_ty.name()));
        self.declared(ty, &format!("{function}({whole}, &{part})"));
        self.add_lvalue(part, Vec::new(), part_ty, true);
    }

    /// Rounds a float to a half of an array.
    fn halves(&mut self, value: &str, array: &str) {
        let rounding = *self.random.pick(&["", "_rte", "_rtz", "_rtp", "_rtn"]);
        self.line(&format!("ushort {array}[4] = {{1, 2, 3, 4}};"));
        let at = self.index(4);
        self.line(&format!(
            "vstore_half{rounding}({value}, {at}, (__private half *){array});"
        ));
        self.array_lvalue(array, Ty::scalar(Scalar::Ushort), 4, Space::Private, true);
    }

    /// The type of the elements of `in`, which functions do not see.
    fn input(&self) -> Option<Ty> {
        let is_input = |lvalue: &&Lvalue| lvalue.text == "in[@]";
        self.lvalues.iter().find(is_input).map(|input| input.ty)
    }

    /// A copy by all work-items of a group from `in` into local memory. Stands in uniform flow.
    pub(crate) fn group_copy(&mut self) {
        let Some(ty) = self.input() else {
            return;
        };
        let (name, event) = (self.fresh("lc"), self.fresh("e"));
        let len = 2 << self.random.below(3);
        self.locals += &format!("    __local {} {name}[{len}];\n", ty.name());
        // Slower work-items may still read what a round before has copied.
        self.line("barrier(CLK_LOCAL_MEM_FENCE);");
        let (first, stride) = (self.random.below(16), 1 + self.random.below(16 / len));
        let call = match stride {
            1 => format!("async_work_group_copy({name}, in + {first}, {len}, 0)"),
            _ => format!("async_work_group_strided_copy({name}, in + {first}, {len}, {stride}, 0)"),
        };
        self.line(&format!("event_t {event} = {call};"));
        self.line(&format!("wait_group_events(1, &{event});"));
        self.array_lvalue(&name, ty, len, Space::Local, false);
    }
}
