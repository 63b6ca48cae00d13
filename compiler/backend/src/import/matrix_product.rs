//! Products of cooperative matrices.

use super::body::Body;
use super::locals::Leaves;
use super::matrix::{Matrix, component_of};
use super::reader::{Inst, Result};
use pumice_ir::{BinaryOp, ConvertOp, FloatFlags, GroupOp, InstKind, MathOp, Scalar, Type};
use pumice_target::matrix::{Use, products};
use rspirv::spirv::{CooperativeMatrixOperands, OpenclStd100Op};
use smallvec::SmallVec;

impl Body<'_, '_> {
    pub(super) fn matrix_product(&mut self, inst: &Inst<'_>) -> Result<()> {
        let (result, component) = self.matrix_result(inst)?;
        let (a, left) = self.matrix_arg(inst, 0)?;
        let (b, right) = self.matrix_arg(inst, 1)?;
        let (c, sum) = self.matrix_arg(inst, 2)?;
        let bits = inst.args.get(3).copied().unwrap_or(0);
        let operands = CooperativeMatrixOperands::from_bits(bits).ok_or_else(|| {
            inst.error(format_args!(
                "unknown cooperative matrix operands {bits:#x}"
            ))
        })?;
        self.check_product(inst, [a, b, c, result], operands)?;
        let signed = |flag| operands.contains(flag);
        let float = component.scalar.is_float();
        // Half is added up in single precision.
        let width = match component.scalar {
            Scalar::F16 => Type::F32,
            _ => component,
        };
        let widen = |body: &mut Self, leaves: Leaves, signed: bool| -> Leaves {
            let op = match (float, signed) {
                (true, _) => ConvertOp::FToF,
                (false, true) => ConvertOp::SExt,
                (false, false) => ConvertOp::ZExt,
            };
            let wide = leaves
                .into_iter()
                .map(|leaf| match body.func.ty(leaf) == width {
                    true => leaf,
                    false => body.convert(op, leaf, width),
                });
            wide.collect()
        };
        let left = widen(
            self,
            left,
            signed(CooperativeMatrixOperands::MATRIX_A_SIGNED_COMPONENTS_KHR),
        );
        let right = widen(
            self,
            right,
            signed(CooperativeMatrixOperands::MATRIX_B_SIGNED_COMPONENTS_KHR),
        );
        let saturating = signed(CooperativeMatrixOperands::SATURATING_ACCUMULATION_KHR);
        let addend = widen(self, sum, false);
        // A saturating sum saturates once, when the exact product is added.
        let start = match saturating {
            true => SmallVec::from_elem(self.func.splat_constant(width, 0), addend.len()),
            false => addend.clone(),
        };
        let mut sums = self.matrix_sums(a, &left, (b, &right), start);
        if saturating {
            let op = match signed(CooperativeMatrixOperands::MATRIX_RESULT_SIGNED_COMPONENTS_KHR) {
                true => OpenclStd100Op::s_add_sat,
                false => OpenclStd100Op::u_add_sat,
            };
            for (sum, addend) in sums.iter_mut().zip(addend) {
                let kind = InstKind::Math {
                    op: MathOp::Ocl(op),
                    args: SmallVec::from_slice(&[*sum, addend]),
                    flags: FloatFlags::empty(),
                };
                *sum = self.emit(kind, width);
            }
        }
        if width != component {
            for sum in &mut sums {
                *sum = self.convert(ConvertOp::FToF, *sum, component);
            }
        }
        self.define_leaves(inst, sums)
    }

    /// Adds the products of rows of A and the own columns of B to `sums`.
    fn matrix_sums(
        &mut self,
        a: Matrix,
        left: &Leaves,
        (b, right): (Matrix, &Leaves),
        mut sums: Leaves,
    ) -> Leaves {
        let float = left
            .first()
            .is_some_and(|&leaf| self.func.ty(leaf).scalar.is_float());
        let (multiply, add) = match float {
            true => (BinaryOp::FMul, BinaryOp::FAdd),
            false => (BinaryOp::IMul, BinaryOp::IAdd),
        };
        let flags = match float {
            true => FloatFlags::CONTRACT,
            false => FloatFlags::empty(),
        };
        for row in 0..a.rows {
            for k in 0..a.columns {
                let own = left[a.place(k / a.lanes, row)];
                let factor = match a.lanes {
                    1 => own,
                    lanes => {
                        let lane = self.func.i32((k % lanes) as i32);
                        self.subgroup_value(GroupOp::Broadcast, &[own, lane])
                    }
                };
                for column in 0..b.own_columns() {
                    let other = right[b.place(column, k)];
                    let product = self.binary_with(multiply, [factor, other], flags);
                    let sum = &mut sums[(column * a.rows + row) as usize];
                    *sum = self.binary_with(add, [*sum, product], flags);
                }
            }
        }
        sums
    }

    /// Refuses a product that there is not.
    fn check_product(
        &self,
        inst: &Inst<'_>,
        [a, b, c, result]: [Matrix; 4],
        operands: CooperativeMatrixOperands,
    ) -> Result<()> {
        let component = |matrix: Matrix| {
            let leaf = self.pre.types.get(matrix.component).leaf;
            leaf.and_then(component_of)
                .ok_or_else(|| inst.error("the components are no numbers"))
        };
        let [of_a, of_b, of_c, of_result] = [
            component(a)?,
            component(b)?,
            component(c)?,
            component(result)?,
        ];
        let uses = [a.which, b.which, c.which, result.which];
        if uses != [Use::A, Use::B, Use::Accumulator, Use::Accumulator] {
            return Err(
                inst.error("the operands are not MatrixAKHR, MatrixBKHR and MatrixAccumulatorKHR")
            );
        }
        let is = |matrix: Matrix, rows: u32, columns: u32| {
            (matrix.rows, matrix.columns) == (rows, columns)
        };
        let fit = is(b, a.columns, result.columns)
            && is(c, result.rows, result.columns)
            && a.rows == result.rows;
        if !fit {
            return Err(inst.error("the operands' rows and columns do not fit each other"));
        }
        let known = of_c == of_result
            && products().any(|product| {
                (product.m, product.n, product.k) == (result.rows, result.columns, a.columns)
                    && product.a.looks_like(of_a)
                    && product.b.looks_like(of_b)
                    && product.result.looks_like(of_result)
            });
        if !known {
            return Err(inst.error(format_args!(
                "there is no product of {}x{} {} and {}x{} {} that gives {} from {}",
                a.rows,
                a.columns,
                of_a.name(),
                b.rows,
                b.columns,
                of_b.name(),
                of_result.name(),
                of_c.name()
            )));
        }
        if of_result.is_float() && !operands.is_empty() {
            return Err(inst.error("the operands that say what integers are go with integers only"));
        }
        Ok(())
    }
}
