//! Fit of an argument to a parameter.
//!
//! Takes the type of an argument and an instantiated parameter; gives the rank of the conversion
//! between them, as clang orders them.

use super::Arg;
use super::instance::{Pointee, Spec};
use crate::lang::types::{AddrSpace, OpaqueKind, QualType, Quals, Type, TypeId, TypeTable};

/// Class of an argument.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Given {
    Num(TypeId, u8),
    Ptr(QualType, AddrSpace),
    Opaque(OpaqueKind),
    Null,
    Other,
}

pub(super) fn given(types: &TypeTable, arg: Arg) -> Given {
    if arg.null && types.is_pointer(arg.ty) {
        return Given::Null;
    }
    match types.get(arg.ty) {
        Type::Bool | Type::Int(_) | Type::Float(_) => Given::Num(arg.ty, 1),
        Type::Enum(_) => types
            .int_kind(arg.ty)
            .map_or(Given::Other, |kind| Given::Num(TypeTable::int(kind), 1)),
        Type::Vector { elem, len } => Given::Num(*elem, *len),
        Type::Pointer { pointee, space } => Given::Ptr(*pointee, space.of_language()),
        Type::Opaque(kind) => Given::Opaque(*kind),
        _ => Given::Other,
    }
}

/// Returns the distance between a parameter and an argument; messages list near overloads first.
pub(super) fn misfit(types: &TypeTable, arg: Given, param: Spec) -> u32 {
    if let Some(rank) = rank(types, arg, param) {
        return u32::from(rank);
    }
    match (arg, param) {
        (Given::Num(from, _), Spec::Num(to, _)) if from == to => 4,
        // Of the pointers to those of another type, prefer those into the right memory.
        (Given::Ptr(pointee, space), Spec::Ptr(Pointee::Num(k, n), to_space, _)) => {
            let elsewhere = u32::from(!to_space.contains(space));
            match types.elem_lanes(pointee.ty) {
                (elem, lanes) if elem == k && lanes == n => 4,
                (elem, _) if elem == k => 5 + elsewhere,
                _ => 7 + elsewhere,
            }
        }
        (Given::Opaque(OpaqueKind::Image(from, _)), Spec::Opaque(OpaqueKind::Image(to, _)))
            if from == to =>
        {
            4
        }
        (Given::Num(..), Spec::Num(..)) | (Given::Ptr(..), Spec::Ptr(..)) => 6,
        _ => 8,
    }
}

/// Ranks the conversion of an argument: 0 is exact, higher is worse, `None` does not fit.
pub(super) fn rank(types: &TypeTable, arg: Given, param: Spec) -> Option<u8> {
    match (arg, param) {
        (Given::Num(from, from_lanes), Spec::Num(to, lanes)) => {
            if from == to && from_lanes == lanes {
                return Some(0);
            }
            match (from_lanes, lanes) {
                (1, 1) => Some(if is_promotion(types, from, to) { 1 } else { 2 }),
                (1, _) => Some(3),
                _ => None,
            }
        }
        (Given::Ptr(pointee, space), Spec::Ptr(to, to_space, quals)) => {
            let same = match (to, types.get(pointee.ty)) {
                (Pointee::Atomic(k), Type::Atomic(value)) => *value == k,
                (Pointee::Opaque(kind), Type::Opaque(own)) => kind == *own,
                (Pointee::Void, _) => true,
                (Pointee::Num(k, n), _) => {
                    let (mut elem, lanes) = types.elem_lanes(pointee.ty);
                    if let Some(kind) = types.int_kind(elem) {
                        elem = TypeTable::int(kind);
                    }
                    (elem, lanes) == (k, n)
                }
                _ => false,
            };
            if !same || !to_space.contains(space) {
                return None;
            }
            let lost = pointee.quals.difference(quals | Quals::RESTRICT);
            if lost.contains(Quals::CONST) {
                None
            } else if lost.contains(Quals::VOLATILE) {
                Some(3)
            } else {
                Some(0)
            }
        }
        (Given::Null, Spec::Ptr(..)) => Some(2),
        // An event list may be `0`; sema refuses integers that are no null pointer constants.
        (Given::Num(ty, 1), Spec::Ptr(Pointee::Opaque(OpaqueKind::ClkEvent), ..))
            if ty == TypeTable::INT =>
        {
            Some(2)
        }
        (Given::Opaque(from), Spec::Opaque(to)) => (from == to).then_some(0),
        // `async_work_group_copy(…, 0)`: a literal zero is the null event; samplers are
        // integer constants.
        (
            Given::Num(from, 1),
            Spec::Opaque(
                OpaqueKind::Event
                | OpaqueKind::Sampler
                | OpaqueKind::Queue
                | OpaqueKind::ClkEvent
                | OpaqueKind::ReserveId,
            ),
        ) if types.is_integer(from) => Some(2),
        _ => None,
    }
}

/// The rank of conversions that C makes with a warning.
const WARNED: u8 = 4;

/// As [`rank`], with the conversions of pointers to numbers that C makes with a warning: to another type, or with a qualifier
/// less.
pub(super) fn rank_with_warnings(types: &TypeTable, arg: Given, param: Spec) -> Option<u8> {
    let is_warned = match (arg, param) {
        (Given::Ptr(_, space), Spec::Ptr(Pointee::Num(..), to_space, _)) => {
            to_space.contains(space)
        }
        _ => false,
    };
    rank(types, arg, param).or(is_warned.then_some(WARNED))
}

fn is_promotion(types: &TypeTable, from: TypeId, to: TypeId) -> bool {
    if to == TypeTable::INT {
        return types.is_integer(from) && types.size(from) < 4;
    }
    (from == TypeTable::FLOAT && to == TypeTable::DOUBLE)
        || (from == TypeTable::HALF && to == TypeTable::FLOAT)
}
