//! One overload of a signature: gentype, n and m have values.

use super::rank::Given;
use super::table::signature::SCALARS;
use super::table::signature::{Accesses, Base, Element, Number, Signature, Spaces, Term, Width};
use crate::lang::opaque::{IMAGES, OPAQUES};
use crate::lang::types::{
    AddrSpace, ImageKind, IntKind, OpaqueKind, QualType, Quals, Type, TypeId, TypeTable,
};

/// Type that a pointer parameter points to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Pointee {
    Num(TypeId, u8),
    Atomic(TypeId),
    Opaque(OpaqueKind),
    Void,
}

/// An instantiated parameter or result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Spec {
    Void,
    Opaque(OpaqueKind),
    Num(TypeId, u8),
    Ptr(Pointee, AddrSpace, Quals),
}

/// Values of a signature's variables in one overload.
#[derive(Clone, Copy)]
pub(super) struct Instance {
    /// gentype's element type.
    pub gentype: TypeId,
    /// n
    pub n: u8,
    /// m
    pub m: u8,
    /// The number of components in the function's name.
    pub name_lanes: u8,
    /// The type in the function's name.
    pub target: (TypeId, u8),
}

impl Instance {
    /// Instantiates a type; `arg` decides the space of a pointer that may point to several. `None`
    /// if the argument is no image or pointer of those that the type stands for.
    pub(super) fn term(&self, types: &TypeTable, term: &Term, arg: Given) -> Option<Spec> {
        let Some(pointer) = term.pointer else {
            return match term.base {
                Base::Number(number) => {
                    let (element, lanes) = self.number(types, number);
                    Some(Spec::Num(element, lanes))
                }
                Base::Opaque(at) => Some(Spec::Opaque(OPAQUES[usize::from(at)].1)),
                Base::Image(kinds, accesses) => image(kinds, accesses, arg),
                Base::Void | Base::Atomic(_) => Some(Spec::Void),
            };
        };
        let pointee = match term.base {
            Base::Number(number) => {
                let (element, lanes) = self.number(types, number);
                Pointee::Num(element, lanes)
            }
            Base::Atomic(element) => Pointee::Atomic(self.element(types, element, 1)),
            Base::Opaque(at) => Pointee::Opaque(OPAQUES[usize::from(at)].1),
            Base::Void | Base::Image(..) => Pointee::Void,
        };
        let allowed = pointer.spaces.allowed();
        let space = match arg {
            Given::Ptr(_, space) if !allowed.contains(&space) => return None,
            Given::Ptr(_, space) if pointer.spaces != Spaces::Generic => space,
            _ => allowed[0],
        };
        Some(Spec::Ptr(pointee, space, pointer.quals))
    }

    fn number(&self, types: &TypeTable, number: Number) -> (TypeId, u8) {
        let lanes = match number.width {
            Width::Fixed(lanes) => lanes,
            Width::N => self.n,
            Width::M => self.m,
            Width::Name => self.name_lanes,
        };
        if number.element == Element::Destination {
            return self.target;
        }
        (self.element(types, number.element, lanes), lanes)
    }

    fn element(&self, types: &TypeTable, element: Element, lanes: u8) -> TypeId {
        let as_wide = |signed| {
            let bits = types.size(self.gentype) * 8;
            TypeTable::int(IntKind::of(bits as u32, signed))
        };
        match element {
            Element::Gentype => self.gentype,
            Element::Relation if lanes == 1 => TypeTable::INT,
            Element::Signed | Element::Relation => as_wide(true),
            Element::Unsigned => as_wide(false),
            Element::Destination => self.target.0,
            Element::Size => types.size_type(),
            Element::Scalar(at) => SCALARS[usize::from(at)].1,
        }
    }
}

/// The argument's own type where it fits, with another access where only that does not; for lists of candidates
/// the first.
fn image(kinds: u16, accesses: Accesses, arg: Given) -> Option<Spec> {
    match arg {
        Given::Opaque(OpaqueKind::Image(image, own)) if kinds >> image.0 & 1 != 0 => {
            let access = match accesses.allows(own) {
                true => own,
                false => accesses.shown(),
            };
            Some(Spec::Opaque(OpaqueKind::Image(image, access)))
        }
        Given::Null => {
            let first = (0..IMAGES.len() as u8).find(|at| kinds >> at & 1 != 0)?;
            let kind = OpaqueKind::Image(ImageKind(first), accesses.shown());
            Some(Spec::Opaque(kind))
        }
        _ => None,
    }
}

/// The number of components that the arguments of one width have; 1 without any.
pub(super) fn infer_lanes(
    types: &TypeTable,
    signature: &Signature,
    args: &[Given],
    width: Width,
) -> u8 {
    let pairs = signature.params().iter().zip(args);
    let of_width = pairs.filter(|(term, _)| term.width() == Some(width));
    let lanes = of_width.map(|(_, arg)| match arg {
        Given::Num(_, lanes) => *lanes,
        Given::Ptr(pointee, _) => types.elem_lanes(pointee.ty).1,
        _ => 1,
    });
    lanes.max().unwrap_or(1)
}

pub(super) fn type_of(types: &mut TypeTable, spec: Spec) -> TypeId {
    match spec {
        Spec::Void => TypeTable::VOID,
        Spec::Opaque(kind) => types.intern(Type::Opaque(kind)),
        Spec::Num(k, n) => types.lanes(k, n),
        Spec::Ptr(pointee, space, quals) => {
            let ty = match pointee {
                Pointee::Num(k, n) => types.lanes(k, n),
                Pointee::Atomic(k) => types.intern(Type::Atomic(k)),
                Pointee::Opaque(kind) => types.intern(Type::Opaque(kind)),
                Pointee::Void => TypeTable::VOID,
            };
            types.pointer(QualType::new(ty, quals), space)
        }
    }
}
