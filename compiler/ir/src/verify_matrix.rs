//! The verifier's rules for operations on the device's own matrices.

use super::verify::Context;
use super::verify_inst::{count, ensure, same};
use super::{Inst, MatrixOp, MatrixType, Type, Value};
use pumice_target::matrix::{Component, Use};

impl Context<'_> {
    fn matrix(&self, what: &str, value: Value) -> Result<MatrixType, String> {
        let found = self.func.matrix_type(value);
        found.ok_or_else(|| format!("{what} is {}, no matrix", self.ty(value)))
    }

    fn matrix_result(&self, inst: Inst) -> Result<MatrixType, String> {
        let ty = self.result(inst)?;
        let found = ty.scalar.matrix().filter(|_| !ty.is_vector());
        found.ok_or_else(|| format!("the result is {ty}, no matrix"))
    }

    pub(super) fn check_matrix(
        &self,
        op: MatrixOp,
        args: &[Value],
        inst: Inst,
    ) -> Result<(), String> {
        let wanted = match op {
            MatrixOp::Length(_) => 0,
            MatrixOp::Fill | MatrixOp::Convert(_) => 1,
            MatrixOp::Load { .. } | MatrixOp::Fits { .. } | MatrixOp::Get => 2,
            MatrixOp::Store { .. } | MatrixOp::MultiplyAdd { .. } | MatrixOp::Set => 3,
        };
        count(args.len(), wanted)?;
        match op {
            MatrixOp::Load { .. } => {
                self.ptr("the address", args[0])?;
                same("the stride", self.ty(args[1]), Type::I64)?;
                self.matrix_result(inst).map(|_| ())
            }
            MatrixOp::Store { .. } => {
                self.ptr("the address", args[0])?;
                self.matrix("the value", args[1])?;
                same("the stride", self.ty(args[2]), Type::I64)
            }
            MatrixOp::Fits { .. } => {
                self.ptr("the address", args[0])?;
                same("the stride", self.ty(args[1]), Type::I64)?;
                same("the result", self.result(inst)?, Type::BOOL)
            }
            MatrixOp::MultiplyAdd { .. } => {
                let [a, b] = [self.matrix("A", args[0])?, self.matrix("B", args[1])?];
                let c = self.matrix("C", args[2])?;
                let uses = [a.which, b.which, c.which] == [Use::A, Use::B, Use::Accumulator];
                let sizes = (a.rows, b.columns, a.columns) == (c.rows, c.columns, b.rows);
                ensure(uses && sizes, || {
                    format!("no product of {a} and {b} with {c}")
                })?;
                same("the result", self.result(inst)?, self.ty(args[2]))
            }
            MatrixOp::Length(_) => same("the result", self.result(inst)?, Type::I32),
            MatrixOp::Fill => {
                let ty = self.matrix_result(inst)?;
                same("the component", self.ty(args[0]), ty.component_type())
            }
            MatrixOp::Get => {
                let ty = self.matrix("the operand", args[0])?;
                same("the number", self.ty(args[1]), Type::I32)?;
                same("the result", self.result(inst)?, ty.component_type())
            }
            MatrixOp::Set => {
                let ty = self.matrix("the operand", args[0])?;
                same("the number", self.ty(args[1]), Type::I32)?;
                same("the component", self.ty(args[2]), ty.component_type())?;
                same("the result", self.result(inst)?, self.ty(args[0]))
            }
            MatrixOp::Convert(_) => {
                let (from, to) = (
                    self.matrix("the operand", args[0])?,
                    self.matrix_result(inst)?,
                );
                let shape = |ty: MatrixType| MatrixType {
                    component: Component::Half,
                    ..ty
                };
                ensure(shape(from) == shape(to), || format!("{to} from {from}"))
            }
        }
    }
}
