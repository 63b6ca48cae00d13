//! Built-in functions whose parameters no signature of the table can say.
//!
//! Takes looked-up names of rows without a signature: the address space qualifier functions
//! take any pointer, the pipe functions any pipe and a pointer to its packets. Those on matrices are in `matrix.rs`.

use rspirv::spirv::Op;

use super::names::{Name, pack};
use super::table::{Lower, ROWS};
use super::{Arg, Resolution, ResolveError};
use crate::lang::options::LangOptions;
use crate::lang::types::{Access, AddrSpace, OpaqueKind, QualType, Quals, Type, TypeId, TypeTable};

/// Resolves a call of a row without a signature.
pub(super) fn resolve(
    name: &str,
    found: &Name,
    args: &[Arg],
    types: &mut TypeTable,
    lang: &LangOptions,
) -> Result<Resolution, ResolveError> {
    let row = &ROWS[found.first as usize];
    if let Some(needs) = row.gate.missing(lang) {
        return Err(ResolveError::Disabled {
            needs: needs.to_string(),
        });
    }
    let (ret, params) = match row.lower {
        Lower::Pipe(op, _) => pipe(name, op, args, types)?,
        Lower::Matrix(function) => super::matrix::types(name, function, args, types)?,
        _ => pointer(row.lower, args, types)?,
    };
    Ok(Resolution {
        id: pack(found.first, found.suffix),
        ret,
        params,
        variadic: false,
    })
}

/// `to_global(p)`, `get_fence(p)`: any pointer that fits the generic address space.
fn pointer(
    lower: Lower,
    args: &[Arg],
    types: &mut TypeTable,
) -> Result<(TypeId, Vec<TypeId>), ResolveError> {
    let [arg] = args else {
        return Err(ResolveError::Count { min: 1, max: 1 });
    };
    let parts = types.pointer_parts(arg.ty);
    let Some((pointee, _)) = parts.filter(|(_, space)| *space != AddrSpace::Constant) else {
        return Err(ResolveError::NoMatch {
            candidates: Vec::new(),
        });
    };
    let ret = match lower {
        Lower::ToSpace(space) => types.pointer(pointee, space),
        _ => TypeTable::UINT,
    };
    Ok((ret, vec![types.pointer(pointee, AddrSpace::Generic)]))
}

/// Returns the access that a pipe function needs; `None` if either will do.
fn end_of(op: Op) -> Option<Access> {
    match op {
        Op::ReadPipe
        | Op::ReserveReadPipePackets
        | Op::GroupReserveReadPipePackets
        | Op::CommitReadPipe
        | Op::GroupCommitReadPipe => Some(Access::Read),
        Op::GetNumPipePackets | Op::GetMaxPipePackets => None,
        _ => Some(Access::Write),
    }
}

fn pipe(
    name: &str,
    op: Op,
    args: &[Arg],
    types: &mut TypeTable,
) -> Result<(TypeId, Vec<TypeId>), ResolveError> {
    let end = end_of(op);
    let shown = end.map_or("", |access| access.name());
    let reserve = types.intern(Type::Opaque(OpaqueKind::ReserveId));
    let (ret, tails, prototypes): (_, &[usize], Vec<String>) = match op {
        Op::ReadPipe | Op::WritePipe => {
            let pointer = if op == Op::ReadPipe {
                "T *"
            } else {
                "const T *"
            };
            let both = vec![
                format!("int {name}({shown} pipe T, {pointer})"),
                format!("int {name}({shown} pipe T, reserve_id_t, uint, {pointer})"),
            ];
            (TypeTable::INT, &[2, 4], both)
        }
        Op::ReserveReadPipePackets
        | Op::ReserveWritePipePackets
        | Op::GroupReserveReadPipePackets
        | Op::GroupReserveWritePipePackets => {
            let one = format!("reserve_id_t {name}({shown} pipe T, uint)");
            (reserve, &[2], vec![one])
        }
        Op::GetNumPipePackets | Op::GetMaxPipePackets => {
            (TypeTable::UINT, &[1], vec![format!("uint {name}(pipe T)")])
        }
        _ => {
            let one = format!("void {name}({shown} pipe T, reserve_id_t)");
            (TypeTable::VOID, &[2], vec![one])
        }
    };
    if args.len() < tails[0] || args.len() > tails[tails.len() - 1] {
        return Err(ResolveError::Count {
            min: tails[0],
            max: tails[tails.len() - 1],
        });
    }
    if args.len() == 3 {
        return Err(ResolveError::NoMatch {
            candidates: prototypes,
        });
    }
    let no_match = || ResolveError::NoMatch {
        candidates: prototypes.clone(),
    };
    let Some(OpaqueKind::Pipe(packet, access)) = types.opaque(args[0].ty) else {
        return Err(no_match());
    };
    if end.is_some_and(|end| end != access) {
        return Err(no_match());
    }
    let mut params = vec![args[0].ty];
    match op {
        Op::ReadPipe | Op::WritePipe => {
            let last = args[args.len() - 1];
            let fits = types.pointer_parts(last.ty).is_some_and(|(to, space)| {
                to.ty == packet
                    && space != AddrSpace::Constant
                    && (op == Op::WritePipe || !to.quals.contains(Quals::CONST))
            });
            if !fits {
                return Err(no_match());
            }
            if args.len() == 4 {
                if args[1].ty != reserve {
                    return Err(no_match());
                }
                params.extend([reserve, TypeTable::UINT]);
            }
            let quals = if op == Op::ReadPipe {
                Quals::empty()
            } else {
                Quals::CONST
            };
            params.push(types.pointer(QualType::new(packet, quals), AddrSpace::Generic));
        }
        Op::GetNumPipePackets | Op::GetMaxPipePackets => {}
        _ if ret == reserve => params.push(TypeTable::UINT),
        _ if args[1].ty != reserve => return Err(no_match()),
        _ => params.push(reserve),
    }
    Ok((ret, params))
}
