//! Scalars that lie side by side are loaded and stored as vectors of two or four.
//!
//! Within a block, loads at constant distances from one address join where nothing is written
//! in between, and stores where nothing else is accessed in between; loads of what nobody writes are
//! in nobody's way, and neither are accesses of another object. What the accesses say
//! about the alignment of that address holds for all of them, and the vector must be aligned to
//! its size. The vector is loaded where the first of its lanes was, and stored where the last was.
//! Global and constant memory only: other memory's arrays are made of what is accessed.

use crate::pass::{Changed, FunctionCtx};
use pumice_ir::analysis::MemoryAccess;
use pumice_ir::analysis::alias::{Effect, are_disjoint, effect, root};
use pumice_ir::{AccessFlags, AddressSpace, Block, Function, Inst, InstKind, Scalar, Type, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// Joins the accesses of one function.
pub fn run(func: &mut Function, _ctx: &FunctionCtx<'_>) -> Changed {
    let mut changed = Changed::No;
    for block in func.layout.blocks.clone() {
        changed |= join(func, block);
    }
    changed
}

/// More groups are not kept open, and a group has no more members.
const MAX_OPEN: usize = 16;
const MAX_MEMBERS: usize = 64;

/// One scalar of a [`Group`].
#[derive(Clone, Copy)]
struct Member {
    inst: Inst,
    /// Its place in the block.
    at: usize,
    /// Bytes from the root.
    offset: i64,
    align: u32,
}

/// The facts that accesses must share to join.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Access {
    root: Value,
    scalar: Scalar,
    is_store: bool,
    /// Nothing, or that nobody writes what is loaded.
    flags: AccessFlags,
}

/// Accesses that may join.
struct Group {
    access: Access,
    members: Vec<Member>,
}

/// Two or four members, lowest first, that become one access.
struct Joined {
    access: Access,
    align: u32,
    members: SmallVec<[Member; 4]>,
}

fn join(func: &mut Function, block: Block) -> Changed {
    let (mut open, mut found): (Vec<Group>, Vec<Joined>) = (Vec::new(), Vec::new());
    for (at, &inst) in func.layout.insts[block].iter().enumerate() {
        let member = member(func, inst, at);
        let Elsewhere {
            reads,
            writes,
            at: place,
        } = elsewhere(func, inst);
        let mut n = 0;
        while n < open.len() {
            let group = &open[n];
            let fits = member.as_ref().is_some_and(|(access, new)| {
                *access == group.access
                    && group.members.len() < MAX_MEMBERS
                    && (group.members.iter()).all(|old| apart(old, new, access.scalar))
            });
            // Stores wait for the last of them, loads come before their time.
            let is_read_only = group.access.flags.contains(AccessFlags::READ_ONLY);
            let is_met = match group.access.is_store {
                true => reads || writes,
                false => writes && !is_read_only,
            };
            let is_elsewhere =
                || place.is_some_and(|ptr| are_disjoint(func, group.access.root, ptr));
            if !fits && is_met && !is_elsewhere() {
                split(&open.remove(n), &mut found);
            } else {
                n += 1;
            }
        }
        let Some((access, new)) = member else {
            continue;
        };
        let mut groups = open.iter_mut();
        let group =
            groups.find(|group| access == group.access && group.members.len() < MAX_MEMBERS);
        if let Some(group) = group {
            group.members.push(new);
            continue;
        }
        if open.len() == MAX_OPEN {
            split(&open.remove(0), &mut found);
        }
        open.push(Group {
            access,
            members: vec![new],
        });
    }
    for group in &open {
        split(group, &mut found);
    }
    if found.is_empty() {
        return Changed::No;
    }
    let mut edits = Edits::default();
    for joined in &found {
        write(func, joined, &mut edits);
    }
    let mut kept = Vec::new();
    for inst in std::mem::take(&mut func.layout.insts[block]) {
        kept.extend(edits.before.remove(&inst).unwrap_or_default());
        if !edits.gone.contains(&inst) {
            kept.push(inst);
        }
    }
    func.layout.insts[block] = kept;
    Changed::Yes
}

/// The changes of a block.
#[derive(Default)]
struct Edits {
    /// New instructions, by the one that they stand before.
    before: FxHashMap<Inst, Vec<Inst>>,
    gone: FxHashSet<Inst>,
}

/// The effect of an instruction on memory that is not the work-group's.
struct Elsewhere {
    /// It may read it, or see what was written.
    reads: bool,
    writes: bool,
    /// The only address that it accesses.
    at: Option<Value>,
}

fn elsewhere(func: &Function, inst: Inst) -> Elsewhere {
    let own = |ptr| {
        let space = func.ty(ptr).address_space();
        matches!(space, Some(AddressSpace::Private | AddressSpace::Local))
    };
    let kind = &func.insts[inst].kind;
    let (reads, writes, at) = match (effect(func, kind), kind) {
        (_, InstKind::Load { flags, .. }) if flags.contains(AccessFlags::READ_ONLY) => {
            (false, false, None)
        }
        (Effect::None, _) => (
            kind.pointer().is_some_and(|ptr| !own(ptr)),
            false,
            kind.pointer(),
        ),
        (Effect::Writes(ptr, _), InstKind::Store { .. }) => (!own(ptr), !own(ptr), Some(ptr)),
        _ => (true, true, None),
    };
    Elsewhere { reads, writes, at }
}

/// Returns whether two scalars do not overlap.
fn apart(a: &Member, b: &Member, scalar: Scalar) -> bool {
    a.offset.abs_diff(b.offset) >= u64::from(scalar.bytes())
}

/// A scalar access of global or constant memory.
fn member(func: &Function, inst: Inst, at: usize) -> Option<(Access, Member)> {
    let access = MemoryAccess::of(func, inst)?;
    let MemoryAccess {
        ptr,
        ty,
        align,
        flags,
        ..
    } = access;
    let (space, is_store) = (access.space(func), access.is_store());
    let number = ty.scalar.is_int() || ty.scalar.is_float();
    let outside = matches!(space, Some(AddressSpace::Global | AddressSpace::Constant));
    let joins = AccessFlags::READ_ONLY.contains(flags);
    if !number || ty.lanes != 1 || !joins || !outside {
        return None;
    }
    let (root, offset) = root(func, ptr);
    let member = Member {
        inst,
        at,
        offset,
        align,
    };
    let access = Access {
        root,
        scalar: ty.scalar,
        is_store,
        flags,
    };
    (func.ty(root).address_space() == space).then_some((access, member))
}

/// Finds what joins among a group's members.
fn split(group: &Group, found: &mut Vec<Joined>) {
    let bytes = i64::from(group.access.scalar.bytes());
    let mut members = group.members.clone();
    members.sort_by_key(|member| member.offset);
    let mut rest = members.as_slice();
    while !rest.is_empty() {
        let align = align_of(&members, rest[0].offset);
        let side_by_side = |lanes: usize| {
            rest.len() >= lanes
                && align >= lanes as u32 * group.access.scalar.bytes()
                && (rest[..lanes].windows(2)).all(|two| two[1].offset - two[0].offset == bytes)
        };
        let Some(lanes) = [4, 2].into_iter().find(|&lanes| side_by_side(lanes)) else {
            rest = &rest[1..];
            continue;
        };
        found.push(Joined {
            access: group.access,
            align,
            members: SmallVec::from_slice(&rest[..lanes]),
        });
        rest = &rest[lanes..];
    }
}

/// The alignment at an offset, from what all members say.
fn align_of(members: &[Member], offset: i64) -> u32 {
    let known = members.iter().map(|member| {
        let distance = offset.wrapping_sub(member.offset);
        match distance.trailing_zeros() {
            zeros @ 0..=15 => member.align.min(1 << zeros),
            _ => member.align,
        }
    });
    known.max().unwrap_or(1)
}

/// Makes the vector access, and of what it replaces its lanes.
fn write(func: &mut Function, joined: &Joined, edits: &mut Edits) {
    let members = &joined.members;
    let place = if joined.access.is_store {
        members.iter().max_by_key(|member| member.at)
    } else {
        members.iter().min_by_key(|member| member.at)
    };
    let place = place.unwrap_or(&members[0]).inst;
    let loc = func.insts[place].loc;
    let ty = Type::vector(joined.access.scalar, members.len() as u8);
    let mut made = Vec::new();
    let mut insert = |func: &mut Function, kind: InstKind, results: &[Type]| {
        let inst = func.make_inst(kind, results, loc);
        made.push(inst);
        inst
    };
    let mut ptr = joined.access.root;
    if members[0].offset != 0 {
        let offset = func.i64(members[0].offset);
        let add = InstKind::PtrAdd { base: ptr, offset };
        let ptr_ty = func.ty(ptr);
        let inst = insert(func, add, &[ptr_ty]);
        ptr = func.result(inst);
    }
    let (align, flags) = (joined.align, joined.access.flags);
    if joined.access.is_store {
        let values = members.iter().map(|member| &func.insts[member.inst].kind);
        let lanes = values.filter_map(|kind| match kind {
            InstKind::Store { value, .. } => Some(*value),
            _ => None,
        });
        let build = InstKind::Build {
            lanes: lanes.collect(),
        };
        let inst = insert(func, build, &[ty]);
        let value = func.result(inst);
        let store = InstKind::Store {
            ptr,
            value,
            align,
            flags,
        };
        insert(func, store, &[]);
        edits.gone.extend(members.iter().map(|member| member.inst));
    } else {
        let load = InstKind::Load { ptr, align, flags };
        let inst = insert(func, load, &[ty]);
        let vector = func.result(inst);
        for (lane, member) in members.iter().enumerate() {
            func.insts[member.inst].kind = InstKind::Extract {
                vector,
                lane: lane as u8,
            };
        }
    }
    edits.before.entry(place).or_default().extend(made);
}
