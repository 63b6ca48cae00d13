//! Calls of the functions on cooperative matrices: their types follow from the matrices.

use super::table::MatrixFunction;
use super::{Arg, ResolveError};
use crate::lang::opaque::MatrixShape;
use crate::lang::types::{AddrSpace, OpaqueKind, QualType, Quals, TypeId, TypeTable};
use pumice_target::matrix::{Component, Use, products};

/// The scalar type of components.
pub fn component_type(component: Component) -> TypeId {
    match component {
        Component::Half => TypeTable::HALF,
        Component::Float => TypeTable::FLOAT,
        Component::Double => TypeTable::DOUBLE,
        Component::Char => TypeTable::CHAR,
        Component::Int => TypeTable::INT,
        Component::Uchar => TypeTable::UCHAR,
        Component::Uint => TypeTable::UINT,
    }
}

/// Parameters with their names in messages.
fn prototype(function: MatrixFunction) -> (&'static str, &'static [&'static str]) {
    match function {
        MatrixFunction::Load(_) => ("void", &["M *", "const T *", "size_t"]),
        MatrixFunction::Store(_) => ("void", &["M", "T *", "size_t"]),
        MatrixFunction::MultiplyAdd(_) => ("C", &["A", "B", "C"]),
        MatrixFunction::Fill => ("void", &["M *", "T"]),
        MatrixFunction::Length => ("uint", &["M"]),
        MatrixFunction::Get => ("T", &["const M *", "uint"]),
        MatrixFunction::Set => ("void", &["M *", "uint", "T"]),
        MatrixFunction::Pairs(_) => ("M", &["M", "M"]),
        MatrixFunction::Negate => ("M", &["M"]),
        MatrixFunction::Convert => ("void", &["N *", "M"]),
    }
}

/// The arguments of a call, with the types that they have.
struct Given<'t> {
    types: &'t mut TypeTable,
    args: &'t [Arg],
}

impl Given<'_> {
    fn shape(&self, ty: TypeId) -> Option<&'static MatrixShape> {
        match self.types.opaque(ty)? {
            OpaqueKind::Matrix(kind) => Some(kind.shape()),
            _ => None,
        }
    }

    /// A matrix argument.
    fn matrix(&self, n: usize) -> Option<&'static MatrixShape> {
        self.shape(self.args[n].ty)
    }

    /// An argument that is a pointer to a matrix: what the parameter is, too.
    fn pointer(&self, n: usize, writes: bool) -> Option<&'static MatrixShape> {
        let (to, space) = self.types.pointer_parts(self.args[n].ty)?;
        let private = matches!(space.of_language(), AddrSpace::Private | AddrSpace::Generic);
        let fits = private && !(writes && to.quals.contains(Quals::CONST));
        self.shape(to.ty).filter(|_| fits)
    }

    /// An argument that is a pointer to components of a matrix in memory: the parameter.
    fn memory(&mut self, n: usize, shape: &MatrixShape, writes: bool) -> Option<TypeId> {
        let (to, space) = self.types.pointer_parts(self.args[n].ty)?;
        let constant =
            to.quals.contains(Quals::CONST) || space.of_language() == AddrSpace::Constant;
        let fits = to.ty == component_type(shape.component) && !(writes && constant);
        fits.then(|| {
            let quals = if writes {
                to.quals
            } else {
                to.quals | Quals::CONST
            };
            self.types.pointer(QualType::new(to.ty, quals), space)
        })
    }

    /// An argument that is a number.
    fn number(&self, n: usize) -> Option<()> {
        self.types.is_arithmetic(self.args[n].ty).then_some(())
    }

    /// The result and the parameters; `None` if the arguments do not fit.
    fn signature(&mut self, function: MatrixFunction) -> Option<(TypeId, Vec<TypeId>)> {
        let given = |n: usize| self.args[n].ty;
        let void = TypeTable::VOID;
        Some(match function {
            MatrixFunction::Load(_) => {
                let shape = self.pointer(0, true)?;
                let first = given(0);
                self.number(2)?;
                let memory = self.memory(1, shape, false)?;
                (void, vec![first, memory, self.types.size_type()])
            }
            MatrixFunction::Store(_) => {
                let shape = self.matrix(0)?;
                let first = given(0);
                self.number(2)?;
                let memory = self.memory(1, shape, true)?;
                (void, vec![first, memory, self.types.size_type()])
            }
            MatrixFunction::MultiplyAdd(saturating) => {
                let [a, b, c] = [self.matrix(0)?, self.matrix(1)?, self.matrix(2)?];
                if !is_product(a, b, c) || saturating && c.component.is_float() {
                    return None;
                }
                (given(2), vec![given(0), given(1), given(2)])
            }
            MatrixFunction::Fill => {
                let shape = self.pointer(0, true)?;
                self.number(1)?;
                (void, vec![given(0), component_type(shape.component)])
            }
            MatrixFunction::Length => {
                self.matrix(0)?;
                (TypeTable::UINT, vec![given(0)])
            }
            MatrixFunction::Get => {
                let shape = self.pointer(0, false)?;
                self.number(1)?;
                (
                    component_type(shape.component),
                    vec![given(0), TypeTable::UINT],
                )
            }
            MatrixFunction::Set => {
                let shape = self.pointer(0, true)?;
                self.number(1)?;
                self.number(2)?;
                let component = component_type(shape.component);
                (void, vec![given(0), TypeTable::UINT, component])
            }
            MatrixFunction::Pairs(_) => {
                self.matrix(0)?;
                if given(0) != given(1) {
                    return None;
                }
                (given(0), vec![given(0); 2])
            }
            MatrixFunction::Negate => {
                self.matrix(0)?;
                (given(0), vec![given(0)])
            }
            MatrixFunction::Convert => {
                let (to, from) = (self.pointer(0, true)?, self.matrix(1)?);
                let same = (to.which, to.rows, to.columns) == (from.which, from.rows, from.columns);
                if !same {
                    return None;
                }
                (void, vec![given(0), given(1)])
            }
        })
    }
}

/// Returns whether there is a product of matrices of these types.
fn is_product(a: &MatrixShape, b: &MatrixShape, c: &MatrixShape) -> bool {
    let is = |shape: &MatrixShape, which: Use, operand| {
        shape.which == which && (shape.component, shape.rows, shape.columns) == operand
    };
    products().any(|product| {
        is(a, Use::A, product.operand(Use::A))
            && is(b, Use::B, product.operand(Use::B))
            && is(c, Use::Accumulator, product.operand(Use::Accumulator))
    })
}

/// The result and the parameters of a call.
pub(super) fn types(
    name: &str,
    function: MatrixFunction,
    args: &[Arg],
    types: &mut TypeTable,
) -> Result<(TypeId, Vec<TypeId>), ResolveError> {
    let (result, params) = prototype(function);
    if args.len() != params.len() {
        let count = params.len();
        return Err(ResolveError::Count {
            min: count,
            max: count,
        });
    }
    let mut given = Given { types, args };
    given
        .signature(function)
        .ok_or_else(|| ResolveError::NoMatch {
            candidates: vec![format!("{result} {name}({})", params.join(", "))],
        })
}
