//! The accesses of a kernel that races are looked for at, and the local memory that this takes.

use crate::passes::check::gathered::is_long;
use crate::passes::check::report::OWN_PREFIX;
use crate::passes::check::roots::{Root, Roots};
use cranelift_entity::PrimaryMap;
use pumice_ir::analysis::local_variables;
use pumice_ir::{
    AccessFlags, AddressSpace, Function, GlobalData, GlobalId, Inst, InstKind, Linkage,
    MemoryOrder, Scope, Type, Value,
};
use pumice_target::Target;
use rustc_hash::{FxHashMap, FxHashSet};

/// The most bytes of a copy that are looked at.
const MOST_COPIED: u64 = 256;
/// Bytes of local memory that are left to the launch where kernels get local arguments.
const LEFT_FOR_ARGUMENTS: u64 = 16 << 10;
/// Bytes that work-group functions may need.
const LEFT_FOR_FUNCTIONS: u64 = 8 << 10;
/// The most parts of a local argument that have marks.
const MOST_ARGUMENT_PARTS: u64 = 256;
/// Bytes of the marks of a part of a local object.
pub(super) const LOCAL_MARK_BYTES: u64 = 12;

/// An access that is no atomic one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plain {
    pub ptr: Value,
    pub writes: bool,
    /// The value that a store writes.
    pub value: Option<Value>,
    pub bytes: u64,
    /// Bytes of the largest parts that the access is made of, at most [`MOST_PART`].
    pub part: u64,
}

/// The largest parts that have a mark each, in bytes.
const MOST_PART: u64 = 16;
/// The same in local memory.
const MOST_LOCAL_PART: u64 = 4;

/// Bytes of the largest parts that an access of a value is made of: the lanes, and all of a vector of words that is
/// aligned to its size.
fn part_of(ty: Type, align: u32) -> u64 {
    let (bytes, lane) = (ty.access_bytes(), ty.scalar.bytes());
    let is_whole = lane >= 4 && bytes.is_power_of_two() && align >= bytes;
    match is_whole {
        true => u64::from(bytes).min(MOST_PART),
        false => u64::from(lane.min(align).min(4)),
    }
}

/// The accesses of an instruction.
pub(super) fn accesses(func: &Function, inst: Inst) -> Vec<Plain> {
    let data = &func.insts[inst];
    let result = data.results.first().map(|&value| func.ty(value));
    match (&data.kind, result) {
        (&InstKind::Load { ptr, align, flags }, Some(ty))
            if !flags.contains(AccessFlags::VOLATILE) =>
        {
            vec![Plain {
                ptr,
                writes: false,
                value: None,
                bytes: u64::from(ty.access_bytes()),
                part: part_of(ty, align),
            }]
        }
        (
            &InstKind::Store {
                ptr,
                value,
                align,
                flags,
            },
            _,
        ) if !flags.contains(AccessFlags::VOLATILE) => {
            let ty = func.ty(value);
            vec![Plain {
                ptr,
                writes: true,
                value: Some(value),
                bytes: u64::from(ty.access_bytes()),
                part: part_of(ty, align),
            }]
        }
        (
            &InstKind::MemCopy {
                dst,
                src,
                size,
                dst_align,
                src_align,
                flags,
            },
            _,
        ) if !flags.contains(AccessFlags::VOLATILE) => {
            let Some(bytes) = func.const_bits(size) else {
                return Vec::new();
            };
            if bytes == 0 || bytes > MOST_COPIED {
                return Vec::new();
            }
            let part = |align: u32| {
                (1 << bytes.trailing_zeros())
                    .min(u64::from(align))
                    .min(MOST_PART)
            };
            let (src_part, dst_part) = (part(src_align), part(dst_align));
            let access = |ptr, writes, part| Plain {
                ptr,
                writes,
                value: None,
                bytes,
                part,
            };
            vec![access(src, false, src_part), access(dst, true, dst_part)]
        }
        _ => Vec::new(),
    }
}

/// Returns whether a kernel orders accesses by other means than barriers: fences, atomics with an order, sub-groups.
pub(super) fn orders_itself(func: &Function) -> bool {
    let blocks = func.layout.blocks.iter();
    let mut insts = blocks.flat_map(|&block| &func.layout.insts[block]);
    insts.any(|&inst| match func.insts[inst].kind {
        InstKind::Fence { .. } => true,
        InstKind::Barrier { execution, .. } => execution != Scope::Workgroup,
        InstKind::AtomicLoad { order, .. }
        | InstKind::AtomicStore { order, .. }
        | InstKind::AtomicRmw { order, .. }
        | InstKind::AtomicCmpXchg { success: order, .. } => order != MemoryOrder::Relaxed,
        _ => false,
    })
}

/// The marks of a local object.
#[derive(Clone, Copy, Debug)]
pub(super) struct LocalMarks {
    pub global: GlobalId,
    /// Bytes of the parts that have a mark each.
    pub part: u64,
    /// Parts from the start on that have marks.
    pub parts: u64,
    /// True if these are all.
    pub whole: bool,
}

/// The objects that races are looked for in.
#[derive(Default)]
pub(super) struct Plan {
    /// Local variables and arguments.
    pub local: FxHashMap<Root, LocalMarks>,
    /// Arguments that point to global memory and are only read, in order.
    pub read: Vec<u32>,
    /// Those that are written.
    pub written: Vec<u32>,
    /// Bytes of the parts of global memory that have a mark each: those of the smallest write, and above 4 also of the
    /// smallest read.
    pub part: u64,
    /// True if the marks of global memory are looked at for several accesses together.
    pub is_long: bool,
}

impl Plan {
    /// Chooses the objects, and makes the marks of local ones.
    pub fn new(
        func: &Function,
        roots: &Roots,
        globals: &mut PrimaryMap<GlobalId, GlobalData>,
        target: &Target,
    ) -> Self {
        let mut plan = Self {
            part: MOST_PART,
            is_long: is_long(func, |inst| accesses(func, inst).len()),
            ..Self::default()
        };
        let mut read_part = MOST_PART;
        let mut parts: FxHashMap<Root, u64> = FxHashMap::default();
        let mut written: FxHashSet<Root> = FxHashSet::default();
        let blocks = func.layout.blocks.iter();
        for &inst in blocks.flat_map(|&block| &func.layout.insts[block]) {
            for access in accesses(func, inst) {
                let Some(root) = roots.of(access.ptr) else {
                    continue;
                };
                match (func.ty(access.ptr).address_space(), root) {
                    (Some(AddressSpace::Local), _) if !is_own(globals, root) => {
                        let part = parts.entry(root).or_insert(MOST_LOCAL_PART);
                        *part = access.part.min(*part);
                        if access.writes {
                            written.insert(root);
                        }
                    }
                    (Some(AddressSpace::Global), Root::Argument(ordinal)) => match access.writes {
                        true => {
                            plan.written.push(ordinal);
                            plan.part = access.part.min(plan.part);
                        }
                        false => {
                            plan.read.push(ordinal);
                            read_part = access.part.min(read_part);
                        }
                    },
                    _ => {}
                }
            }
        }
        // A read that is no multiple of a large part may begin in one and end in the next.
        plan.part = plan.part.min(read_part.max(4));
        for list in [&mut plan.read, &mut plan.written] {
            list.sort_unstable();
            list.dedup();
        }
        plan.read.retain(|ordinal| !plan.written.contains(ordinal));
        if plan.written.is_empty() {
            plan.read.clear();
        }
        parts.retain(|root, _| written.contains(root));
        plan.make_marks(func, globals, target, &parts);
        plan
    }

    /// Returns whether there is nothing to look at.
    pub fn is_empty(&self) -> bool {
        self.local.is_empty() && self.written.is_empty()
    }

    fn make_marks(
        &mut self,
        func: &Function,
        globals: &mut PrimaryMap<GlobalId, GlobalData>,
        target: &Target,
        parts: &FxHashMap<Root, u64>,
    ) {
        let used = local_variables(func, globals);
        let used: u64 = used.iter().map(|&global| globals[global].size).sum();
        let all = u64::from(target.max_shared_memory_size);
        let mut left = all.saturating_sub(used + kept(func));
        // Small ones first, so that few are left out.
        let mut wanted: Vec<(u64, Root, u64)> = (parts.iter())
            .map(|(&root, &part)| {
                let count = match root {
                    Root::Variable(global) => globals[global].size.div_ceil(part),
                    _ => MOST_ARGUMENT_PARTS,
                };
                (count, root, part)
            })
            .collect();
        wanted.sort_unstable_by_key(|&(count, root, _)| (count, order(root)));
        for (count, root, part) in wanted {
            let parts = count.min(left / LOCAL_MARK_BYTES);
            if parts == 0 {
                continue;
            }
            let size = parts * LOCAL_MARK_BYTES;
            left -= size;
            let global = globals.push(GlobalData {
                name: format!("{OWN_PREFIX}races"),
                space: AddressSpace::Local,
                size,
                align: 4,
                init: Vec::new(),
                relocations: Vec::new(),
                linkage: Linkage::Internal,
            });
            let whole = parts == count && matches!(root, Root::Variable(_));
            let marks = LocalMarks {
                global,
                part,
                parts,
                whole,
            };
            self.local.insert(root, marks);
        }
    }
}

/// A number by which objects are sorted.
fn order(root: Root) -> u32 {
    match root {
        Root::Argument(ordinal) => ordinal,
        Root::Variable(global) => global.as_u32(),
        Root::Private(slot) => slot.as_u32(),
    }
}

fn is_own(globals: &PrimaryMap<GlobalId, GlobalData>, root: Root) -> bool {
    matches!(root, Root::Variable(global) if globals[global].name.starts_with(OWN_PREFIX))
}

/// Bytes of local memory that others need.
fn kept(func: &Function) -> u64 {
    let blocks = func.layout.blocks.iter();
    let mut kept = 0;
    for &inst in blocks.flat_map(|&block| &func.layout.insts[block]) {
        kept = kept.max(match func.insts[inst].kind {
            InstKind::LocalArg { .. } => LEFT_FOR_ARGUMENTS,
            InstKind::Group { .. } => LEFT_FOR_FUNCTIONS,
            _ => 0,
        });
    }
    kept
}
