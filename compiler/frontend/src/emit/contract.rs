//! Contraction: a product and the sum that it stands in, rounded once (OpenCL C 3.0 §6.8,
//! `#pragma OPENCL FP_CONTRACT`).
//!
//! Kernel SPIR-V has no expressions, so what may be contracted within one is written as `mad`,
//! which leaves the choice to the device, and everything else is kept from it by ContractionOff
//! on the entry points. The options that allow more than the language does (-cl-mad-enable and
//! what includes it) are said of each operation by FPFastMathMode's AllowContract.

use super::function::FunctionEmitter;
use super::{EmitError, Emitter};
use crate::lang::types::TypeId;
use crate::sema::typed::{ArithOp, ExprId, ExprKind};
use pumice_target::options::MathOptions;
use rspirv::spirv::{Capability, Decoration, FPFastMathMode, Op, OpenclStd100Op};

/// The bits by which an operation may be contracted.
const CONTRACT: FPFastMathMode = FPFastMathMode::FAST.union(FPFastMathMode::ALLOW_CONTRACT);

/// FPFastMathMode of float operations under these options.
pub(super) fn fast_math_bits(math: &MathOptions) -> FPFastMathMode {
    let mut bits = FPFastMathMode::empty();
    let mut set = |bit, on| bits.set(bit, on);
    set(
        FPFastMathMode::NOT_NAN.union(FPFastMathMode::NOT_INF),
        math.finite_math_only || math.fast_relaxed,
    );
    set(
        FPFastMathMode::NSZ,
        math.no_signed_zeros || math.unsafe_math || math.fast_relaxed,
    );
    set(
        FPFastMathMode::ALLOW_RECIP,
        math.unsafe_math || math.fast_relaxed,
    );
    set(FPFastMathMode::FAST, math.fast_relaxed);
    set(
        FPFastMathMode::ALLOW_CONTRACT,
        math.mad_enable || math.unsafe_math || math.fast_relaxed,
    );
    bits
}

impl Emitter<'_> {
    /// Declares what the bits of FPFastMathMode need.
    pub(super) fn declare_fast_math(&mut self) {
        if self.fast_math.contains(FPFastMathMode::ALLOW_CONTRACT) {
            self.b.capability(Capability::FPFastMathModeINTEL);
            self.b.extension("SPV_INTEL_fp_fast_math_mode");
        }
    }
}

/// A product, perhaps negated.
struct Product {
    negated: bool,
    factors: [ExprId; 2],
}

impl FunctionEmitter<'_, '_> {
    /// Decorates a float operation; `contract` is the state of the pragma where it stands.
    pub(super) fn fast_math(&mut self, result: u32, ty: TypeId, contract: bool) {
        let mut bits = self.e.fast_math;
        if !contract {
            bits.remove(CONTRACT);
        }
        if self.is_float(ty) && !bits.is_empty() {
            let bits = [bits.bits()];
            self.e.b.decorate(result, Decoration::FPFastMathMode, &bits);
        }
    }

    /// Writes a sum one of whose operands is a product as `mad`; `None` for other operations and
    /// where the pragma is off.
    pub(super) fn mul_add(&mut self, sum: ExprId, ty: TypeId) -> Result<Option<u32>, EmitError> {
        let &ExprKind::Binary {
            op: op @ (ArithOp::Add | ArithOp::Sub),
            lhs,
            rhs,
            contract: true,
        } = &self.body.expr(sum).kind
        else {
            return Ok(None);
        };
        if !self.is_float(ty) {
            return Ok(None);
        }
        let minus = op == ArithOp::Sub;
        let operands = if let Some(product) = self.product(lhs) {
            let [a, b] = self.factors(&product, product.negated, ty)?;
            let c = self.expr(rhs)?;
            [a, b, self.negate_if(minus, c, ty)]
        } else if let Some(product) = self.product(rhs) {
            let c = self.expr(lhs)?;
            let [a, b] = self.factors(&product, product.negated != minus, ty)?;
            [a, b, c]
        } else {
            return Ok(None);
        };
        let result = self.ext(OpenclStd100Op::mad, ty, &operands);
        self.fast_math(result, ty, true);
        Ok(Some(result))
    }

    /// The product that an expression is.
    fn product(&self, expr: ExprId) -> Option<Product> {
        match self.body.expr(expr).kind {
            ExprKind::Neg(operand) => {
                let product = self.product(operand)?;
                Some(Product {
                    negated: !product.negated,
                    ..product
                })
            }
            ExprKind::Binary {
                op: ArithOp::Mul,
                lhs,
                rhs,
                contract: true,
            } => Some(Product {
                negated: false,
                factors: [lhs, rhs],
            }),
            _ => None,
        }
    }

    fn factors(
        &mut self,
        product: &Product,
        negated: bool,
        ty: TypeId,
    ) -> Result<[u32; 2], EmitError> {
        let [a, b] = product.factors;
        let (a, b) = (self.expr(a)?, self.expr(b)?);
        Ok([self.negate_if(negated, a, ty), b])
    }

    fn negate_if(&mut self, negated: bool, value: u32, ty: TypeId) -> u32 {
        if !negated {
            return value;
        }
        let ty = self.e.value_type(ty);
        self.e.b.op(Op::FNegate, ty, &[value])
    }
}
