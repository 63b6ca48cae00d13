//! Memory operations that need control flow: block copies and generic pointers.
//!
//! A copy of few constant bytes becomes loads and stores, a longer one a loop, in pieces as
//! wide as both alignments allow. An access through a generic pointer becomes a branch on the
//! pointer's tag (the top two bits of its 64: 1 local, 2 private, else global); spaces whose
//! pointers the module never makes generic are left out.

use crate::expand::{Expander, Replacement, expand};
use crate::pass::{Changed, Ctx};
use pumice_ir::LowerError;
use pumice_ir::{
    AccessFlags, AddressSpace, BinaryOp, ConvertOp, FuncId, Function, InstKind, IntCond, Module,
    Scalar, Type, Value,
};

/// Copies of up to this many pieces become straight-line code.
const UNROLLED_PIECES: u64 = 16;

/// Runs the pass.
///
/// # Errors
/// None of its own.
pub fn run(module: &mut Module, ctx: &Ctx<'_>) -> Result<Changed, LowerError> {
    let ids: Vec<FuncId> = module.functions.keys().collect();
    let mut changed = Changed::No;
    for &id in &ids {
        changed |= expand(&mut module.functions[id], |x, inst| {
            let InstKind::MemCopy {
                dst,
                src,
                size,
                dst_align,
                src_align,
                flags,
            } = x.func.insts[inst].kind
            else {
                return Ok(None);
            };
            copy(x, dst, src, size, dst_align.min(src_align), flags);
            Ok(Some(Replacement::new()))
        })?;
    }
    let mut spaces = Spaces::of(module);
    // A pointer that arithmetic has led out of its object may have any tag, and the checks let those of both spaces pass.
    let any_tag = ctx.target.checks.any();
    spaces.local |= any_tag;
    spaces.private |= any_tag;
    if spaces.generic {
        for &id in &ids {
            changed |= expand(&mut module.functions[id], |x, inst| {
                Ok(generic(x, &spaces, inst))
            })?;
        }
    }
    Ok(changed)
}

/// The widest piece that an alignment allows, which has as many bytes or is a word. Words of
/// private memory are accessed one by one, so there it is no vector.
fn piece_ty(align: u32, vectors: bool) -> Type {
    match align {
        0 | 1 => Type::I8,
        2 | 3 => Type::I16,
        8..=15 if vectors => Type::vector(Scalar::I32, 2),
        16.. if vectors => Type::vector(Scalar::I32, 4),
        _ => Type::I32,
    }
}

fn copy_piece(
    x: &mut Expander<'_>,
    [dst, src]: [Value; 2],
    ty: Type,
    align: u32,
    flags: AccessFlags,
) {
    let load = InstKind::Load {
        ptr: src,
        align,
        flags,
    };
    let value = x.value(load, ty);
    x.emit(
        InstKind::Store {
            ptr: dst,
            value,
            align,
            flags,
        },
        &[],
    );
}

fn copy(x: &mut Expander<'_>, dst: Value, src: Value, size: Value, align: u32, flags: AccessFlags) {
    let constant = x.func.const_bits(size);
    let vectors = [dst, src].map(|ptr| x.ty(ptr).address_space());
    let vectors = !vectors.contains(&Some(AddressSpace::Private));
    let mut ty = piece_ty(align, vectors);
    if let Some(bytes) = constant {
        let width = u64::from(ty.access_bytes());
        if bytes / width <= UNROLLED_PIECES {
            let mut at = 0;
            while at < bytes {
                // The tail may be shorter than a piece.
                let left = bytes - at;
                let width = width.min(1 << left.ilog2());
                let ty = piece_ty(width as u32, vectors);
                let (d, s) = (x.offset(dst, at), x.offset(src, at));
                copy_piece(x, [d, s], ty, width as u32, flags);
                at += width;
            }
            return;
        }
    }
    while ty.access_bytes() > 1 && constant.is_none_or(|b| b % u64::from(ty.access_bytes()) != 0) {
        ty = match constant {
            Some(_) => piece_ty(ty.access_bytes() / 2, vectors),
            None => Type::I8,
        };
    }
    let width = u64::from(ty.access_bytes());
    let (head, body, done) = (x.new_block(), x.new_block(), x.new_block());
    let index = x.func.append_param(head, Type::I64);
    let start = x.func.i64(0);
    x.jump(head, &[start], head);
    let more = x.icmp(IntCond::Ult, index, size);
    x.branch_bare(more, [body, done], body);
    let [d, s] = [dst, src].map(|base| {
        let ty = x.ty(base);
        x.value(
            InstKind::PtrAdd {
                base,
                offset: index,
            },
            ty,
        )
    });
    copy_piece(x, [d, s], ty, width as u32, flags);
    let next = x.bin_const(BinaryOp::IAdd, index, width);
    x.jump(head, &[next], done);
}

/// The spaces that generic pointers of the module may point to.
struct Spaces {
    generic: bool,
    local: bool,
    private: bool,
}

impl Spaces {
    fn of(module: &Module) -> Self {
        let mut spaces = Spaces {
            generic: false,
            local: false,
            private: false,
        };
        for f in module.functions.values() {
            for &block in &f.layout.blocks {
                for &inst in &f.layout.insts[block] {
                    spaces.look_at(f, inst);
                }
            }
        }
        spaces
    }

    fn look_at(&mut self, f: &Function, inst: pumice_ir::Inst) {
        let data = &f.insts[inst];
        let generic = |v: Value| f.ty(v).address_space() == Some(AddressSpace::Generic);
        data.kind.for_each_value(|v| self.generic |= generic(v));
        if let InstKind::Convert {
            op: ConvertOp::AddressSpaceCast,
            arg,
            ..
        } = data.kind
        {
            if data.results.iter().any(|&r| generic(r)) {
                match f.ty(arg).address_space() {
                    Some(AddressSpace::Local) => self.local = true,
                    Some(AddressSpace::Private) => self.private = true,
                    _ => {}
                }
            }
        }
    }
}

/// The same operation through another pointer.
pub(crate) fn with_pointer(kind: &InstKind, new: Value) -> InstKind {
    let mut kind = kind.clone();
    match &mut kind {
        InstKind::Load { ptr, .. }
        | InstKind::Store { ptr, .. }
        | InstKind::AtomicLoad { ptr, .. }
        | InstKind::AtomicStore { ptr, .. }
        | InstKind::AtomicRmw { ptr, .. }
        | InstKind::AtomicCmpXchg { ptr, .. } => *ptr = new,
        InstKind::Matrix { op, args } if op.is_access() => args[0] = new,
        _ => {}
    }
    kind
}

fn generic(x: &mut Expander<'_>, spaces: &Spaces, inst: pumice_ir::Inst) -> Option<Replacement> {
    let kind = x.func.insts[inst].kind.clone();
    let ptr = kind.pointer()?;
    if x.ty(ptr).address_space() != Some(AddressSpace::Generic) {
        return None;
    }
    let result = x.func.insts[inst].results.first().copied();
    let ty = result.map(|r| x.ty(r));
    let mut list = Vec::new();
    if spaces.local {
        list.push((AddressSpace::Local, 1));
    }
    if spaces.private {
        list.push((AddressSpace::Private, 2));
    }
    let done = (!list.is_empty()).then(|| {
        let done = x.new_block();
        let param = ty.map(|ty| x.func.append_param(done, ty));
        (done, param)
    });
    let tag = done.map(|_| {
        let bits = x.convert(ConvertOp::PtrToInt, ptr, Type::scalar(Scalar::I64));
        x.bin_const(BinaryOp::LShr, bits, 62)
    });
    let access = |x: &mut Expander<'_>, space: AddressSpace| {
        let cast = x.convert(ConvertOp::AddressSpaceCast, ptr, Type::ptr(space));
        let kind = with_pointer(&kind, cast);
        match ty {
            Some(ty) => Some(x.value(kind, ty)),
            None => {
                x.emit(kind, &[]);
                None
            }
        }
    };
    for (space, number) in list {
        let (Some((done, _)), Some(tag)) = (done, tag) else {
            break;
        };
        let (here, next) = (x.new_block(), x.new_block());
        let is_here = x.icmp_const(IntCond::Eq, tag, number);
        x.branch_bare(is_here, [here, next], here);
        let value = access(x, space);
        let args: Vec<Value> = value.into_iter().collect();
        x.jump(done, &args, next);
    }
    let value = access(x, AddressSpace::Global);
    let value = match done {
        None => value,
        Some((done, param)) => {
            let args: Vec<Value> = value.into_iter().collect();
            x.jump(done, &args, done);
            param
        }
    };
    Some(value.into_iter().collect())
}
