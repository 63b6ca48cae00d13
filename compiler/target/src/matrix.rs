//! Cooperative matrices: the one list of the products that there are.
//!
//! Import checks types and products against it, OpenCL C's names of types come from it, and
//! CL_DEVICE_COOPERATIVE_MATRIX_PRODUCTS_PUMICE answers with it.

use serde::{Deserialize, Serialize};

/// The number type of a matrix's components. Their numbers are those of VkComponentTypeKHR.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[repr(u32)]
pub enum Component {
    /// `half`
    Half = 0,
    /// `float`
    Float = 1,
    /// `double`
    Double = 2,
    /// `char`
    Char = 3,
    /// `int`
    Int = 5,
    /// `uchar`
    Uchar = 7,
    /// `uint`
    Uint = 9,
}

impl Component {
    /// The one of that number in VkComponentTypeKHR, where matrices can have it.
    pub fn of_number(number: u32) -> Option<Component> {
        let mut all = Self::ALL.into_iter();
        all.find(|component| *component as u32 == number)
    }

    /// Every one, in the order of their numbers.
    pub const ALL: [Component; 7] = [
        Component::Half,
        Component::Float,
        Component::Double,
        Component::Char,
        Component::Int,
        Component::Uchar,
        Component::Uint,
    ];

    /// The type's name in OpenCL C.
    pub fn name(self) -> &'static str {
        match self {
            Component::Half => "half",
            Component::Float => "float",
            Component::Double => "double",
            Component::Char => "char",
            Component::Int => "int",
            Component::Uchar => "uchar",
            Component::Uint => "uint",
        }
    }

    /// Width in bits.
    pub fn bits(self) -> u32 {
        match self {
            Component::Char | Component::Uchar => 8,
            Component::Half => 16,
            Component::Float | Component::Int | Component::Uint => 32,
            Component::Double => 64,
        }
    }

    /// Returns whether it is a floating-point type.
    pub fn is_float(self) -> bool {
        matches!(self, Component::Half | Component::Float | Component::Double)
    }

    /// Returns whether it is a signed integer type.
    pub fn is_signed(self) -> bool {
        matches!(self, Component::Char | Component::Int)
    }

    /// Returns whether SPIR-V, whose integer types have no sign, gives both the same type.
    pub fn looks_like(self, other: Component) -> bool {
        self.bits() == other.bits() && self.is_float() == other.is_float()
    }
}

/// The operand that a matrix can be. Their numbers are those of SPIR-V's Cooperative Matrix Use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u32)]
pub enum Use {
    /// The left factor, M rows and K columns.
    A = 0,
    /// The right factor, K rows and N columns.
    B = 1,
    /// The summand and the result: M rows and N columns.
    Accumulator = 2,
}

impl Use {
    /// Every one, in the order of their numbers.
    pub const ALL: [Use; 3] = [Use::A, Use::B, Use::Accumulator];
}

/// A product that there is: `A` of M by K times `B` of K by N, plus a matrix of the result's type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Product {
    /// Rows of A and of the result.
    pub m: u32,
    /// Columns of B and of the result.
    pub n: u32,
    /// Columns of A, rows of B.
    pub k: u32,
    /// Components of A.
    pub a: Component,
    /// Components of B.
    pub b: Component,
    /// Components of what is added and of the result.
    pub result: Component,
}

impl Product {
    /// Components, rows and columns of one of its operands.
    pub fn operand(&self, which: Use) -> (Component, u32, u32) {
        match which {
            Use::A => (self.a, self.m, self.k),
            Use::B => (self.b, self.k, self.n),
            Use::Accumulator => (self.result, self.m, self.n),
        }
    }
}

/// A product that the device computes itself (VK_KHR_cooperative_matrix, at the scope of sub-groups).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct NativeProduct {
    /// Its sizes and components.
    pub product: Product,
    /// It saturates; else integers wrap around.
    pub saturating: bool,
    /// Its results are as exact as those of plain code. Others are for programs that do without that.
    pub exact: bool,
}

impl NativeProduct {
    /// All products of 16x16x16, exact, integers in both forms: more than most devices have.
    pub fn all_of_16() -> Vec<NativeProduct> {
        let cubes = products().filter(|p| (p.m, p.n, p.k) == (16, 16, 16));
        let forms = cubes.flat_map(|product| {
            [false, true].map(|saturating| NativeProduct {
                product,
                saturating,
                exact: true,
            })
        });
        let there =
            |native: &NativeProduct| !(native.saturating && native.product.result.is_float());
        forms.filter(there).collect()
    }
}

const ROWS: [u32; 2] = [8, 16];
const COLUMNS: [u32; 2] = [8, 16];
const DEPTHS: [u32; 3] = [8, 16, 32];

/// Components of A, B and the result.
const COMPONENTS: [[Component; 3]; 12] = {
    use Component::{Char, Double, Float, Half, Int, Uchar, Uint};
    [
        [Half, Half, Half],
        [Half, Half, Float],
        [Float, Float, Float],
        [Double, Double, Double],
        [Char, Char, Int],
        [Char, Uchar, Int],
        [Uchar, Char, Int],
        [Uchar, Uchar, Int],
        [Char, Char, Uint],
        [Char, Uchar, Uint],
        [Uchar, Char, Uint],
        [Uchar, Uchar, Uint],
    ]
};

/// Every product that there is; those of doubles only where the device has doubles.
pub fn products() -> impl Iterator<Item = Product> {
    COMPONENTS.into_iter().flat_map(|[a, b, result]| {
        ROWS.into_iter().flat_map(move |m| {
            COLUMNS.into_iter().flat_map(move |n| {
                DEPTHS.into_iter().map(move |k| Product {
                    m,
                    n,
                    k,
                    a,
                    b,
                    result,
                })
            })
        })
    })
}

/// Returns whether a matrix of these properties is an operand of a product.
pub fn is_operand(which: Use, component: Component, rows: u32, columns: u32) -> bool {
    products().any(|product| product.operand(which) == (component, rows, columns))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_are_distinct_and_their_operands_are_known() {
        let all: Vec<Product> = products().collect();
        assert_eq!(all.len(), 144);
        for (at, product) in all.iter().enumerate() {
            assert!(!all[..at].contains(product));
            for which in Use::ALL {
                let (component, rows, columns) = product.operand(which);
                assert!(is_operand(which, component, rows, columns));
            }
        }
        assert!(!is_operand(Use::A, Component::Half, 16, 4));
        assert!(!is_operand(Use::Accumulator, Component::Char, 16, 16));
        assert!(!is_operand(Use::A, Component::Int, 16, 16));
    }
}
