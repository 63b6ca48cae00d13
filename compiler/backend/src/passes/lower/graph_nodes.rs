//! Blocks and the scheduler of device-side enqueue become nodes of a work graph too (VK_AMDX_shader_enqueue).
//!
//! Each block's kernel and the scheduler get a copy that is a node. Its payload says where the memory of device-side
//! enqueue is and which level of the graph this is (`pumice_target::device_queue::graph`):
//!
//! - the scheduler's node decides as the scheduler does, counts the work-groups of the level, and enqueues one payload
//!   for each variant that has work. It is one work-item, so its flow is uniform, however divergent the kernels'
//!   enqueues were.
//! - a block's node runs its part of the level. All its returns meet at a barrier, behind which the work-group counts
//!   itself down. The last one of the level enqueues the scheduler of the next level, if there is one.
//!
//! The count is an atomic number of the memory: OpFinishWritingNodePayloadAMDX tells of one payload's work-groups
//! alone and orders no other memory.

use super::poll_termination::shared_word;
use super::work_groups::barrier;
use crate::expand::{Expander, Replacement, expand};
use crate::pass::{Changed, Ctx};
use pumice_ir::{
    AccessFlags, AddressSpace, AtomicOp, BinaryOp, BuiltIn, ConvertOp, EnqueueRole, Function,
    GlobalId, InstKind, IntCond, KernelInfo, LowerError, MemoryOrder, Module, NodeInfo, NodeName,
    NodeOp, PayloadArray, PayloadId, Scope, Type, Value,
};
use pumice_target::device_queue::graph::{BLOCK, COUNTS, SCHEDULER, WORDS, block_index};
use pumice_target::device_queue::{header_bytes, variant_bytes};
use smallvec::SmallVec;

/// The types of payloads: of each kind of node, as it receives them and as others enqueue them.
#[derive(Clone, Copy)]
struct Payloads {
    to_scheduler: PayloadId,
    of_scheduler: PayloadId,
    to_block: PayloadId,
    of_block: PayloadId,
}

/// Runs the pass.
///
/// # Errors
/// None.
pub fn run(module: &mut Module, _ctx: &Ctx<'_>) -> Result<Changed, LowerError> {
    // The times that a scheduler wants are those of its dispatches.
    let scheduler = Some(EnqueueRole::Scheduler { times: false });
    if !module.kernels.iter().any(|k| k.enqueue == scheduler) {
        return Ok(Changed::No);
    }
    let payloads = Payloads::declare(module);
    let shared = module.globals.push(shared_word());
    let mut nodes = Vec::new();
    for kernel in &module.kernels {
        let func = &module.functions[kernel.func];
        let (role, info) = match kernel.enqueue {
            Some(EnqueueRole::Block { number, .. }) => (
                EnqueueRole::BlockNode { number },
                NodeInfo {
                    api_entry: Some(false),
                    input: Some(payloads.of_block),
                    ..NodeInfo::default()
                },
            ),
            Some(EnqueueRole::Scheduler { .. }) => (
                EnqueueRole::SchedulerNode,
                NodeInfo {
                    static_groups: Some([1; 3]),
                    input: Some(payloads.of_scheduler),
                    ..NodeInfo::default()
                },
            ),
            _ => continue,
        };
        func.spend();
        let mut func = func.clone();
        func.join_returns();
        make_node(&mut func, role, payloads, shared)?;
        let info = KernelInfo {
            name: format!("{}.node", kernel.name),
            enqueue: Some(role),
            node: Some(Box::new(info)),
            ..kernel.clone()
        };
        nodes.push((info, func));
    }
    for (mut info, func) in nodes {
        info.func = module.functions.push(func);
        module.kernels.push(info);
    }
    Ok(Changed::Yes)
}

impl Payloads {
    fn declare(module: &mut Module) -> Self {
        let mut declare = |node: Option<&str>, dispatch: Option<u32>| {
            module.payloads.push(PayloadArray {
                words: WORDS,
                max: 1,
                node: node.map(|text| NodeName {
                    text: text.into(),
                    spec_id: None,
                }),
                shares_limits_with: None,
                base_index: 0,
                array_size: None,
                // Levels and variants that a graph has are the runtime's to choose.
                sparse: node.is_some(),
                track_finish: false,
                dispatch: dispatch.map(|counts| counts as u8),
            })
        };
        Self {
            to_scheduler: declare(Some(SCHEDULER), None),
            of_scheduler: declare(None, None),
            to_block: declare(Some(BLOCK), Some(COUNTS)),
            of_block: declare(None, Some(COUNTS)),
        }
    }
}

/// Makes a node of a kernel whose returns have met.
fn make_node(
    func: &mut Function,
    role: EnqueueRole,
    payloads: Payloads,
    shared: GlobalId,
) -> Result<(), LowerError> {
    let mut begun = false;
    let _ = expand(func, |x, inst| {
        if !std::mem::replace(&mut begun, true) {
            // What the node that enqueued this one has written.
            fence(x, MemoryOrder::Acquire);
        }
        match x.func.insts[inst].kind {
            InstKind::BuiltIn {
                which: BuiltIn::DeviceLaunch,
            } => {
                let address = Received::new(x, role).pointer(x);
                Ok(Some(Replacement::from_slice(&[address])))
            }
            InstKind::Return { .. } => {
                match role {
                    EnqueueRole::SchedulerNode => start_blocks(x, payloads),
                    _ => start_scheduler(x, payloads, shared),
                }
                Ok(None)
            }
            _ => Ok(None),
        }
    })?;
    Ok(())
}

fn node(x: &mut Expander<'_>, op: NodeOp, args: &[Value]) -> Value {
    let args = SmallVec::from_slice(args);
    x.value(InstKind::Node { op, args }, Type::I32)
}

/// The words of the node's own payload.
struct Received {
    array: Value,
    /// The first word behind the numbers of work-groups.
    first: u32,
}

impl Received {
    fn new(x: &mut Expander<'_>, role: EnqueueRole) -> Self {
        Self {
            array: node(x, NodeOp::Input, &[]),
            first: match role {
                EnqueueRole::SchedulerNode => 0,
                _ => COUNTS,
            },
        }
    }

    fn word(&self, x: &mut Expander<'_>, n: u32) -> Value {
        let zero = x.splat(Type::I32, 0);
        let n = x.splat(Type::I32, u64::from(self.first + n));
        node(x, NodeOp::Load, &[self.array, zero, n])
    }

    /// The address as a pointer.
    fn pointer(&self, x: &mut Expander<'_>) -> Value {
        let [low, high] = [0, 1].map(|n| {
            let word = self.word(x, n);
            x.convert(ConvertOp::ZExt, word, Type::I64)
        });
        let high = x.bin_const(BinaryOp::Shl, high, 32);
        let address = x.bin(BinaryOp::Or, high, low);
        x.convert(ConvertOp::IntToPtr, address, BuiltIn::DeviceLaunch.ty())
    }

    /// The level and the number of levels.
    fn levels(&self, x: &mut Expander<'_>) -> [Value; 2] {
        [self.word(x, 2), self.word(x, 3)]
    }
}

fn fence(x: &mut Expander<'_>, order: MemoryOrder) {
    let fence = InstKind::Fence {
        scope: Scope::Device,
        order,
        global: true,
        local: false,
    };
    x.emit(fence, &[]);
}

fn load(x: &mut Expander<'_>, base: Value, at: u64, ty: Type) -> Value {
    let ptr = x.offset(base, at);
    x.load(ptr, ty, ty.alloc_bytes())
}

/// Stores words to the first payload of an array.
fn fill(x: &mut Expander<'_>, array: Value, words: &[Value]) {
    let zero = x.splat(Type::I32, 0);
    for (n, &word) in (0..).zip(words) {
        let n = x.splat(Type::I32, n);
        let args = SmallVec::from_slice(&[array, zero, n, word]);
        let op = NodeOp::Store;
        x.emit(InstKind::Node { op, args }, &[]);
    }
}

fn enqueue(x: &mut Expander<'_>, array: Value) {
    let (op, args) = (NodeOp::Enqueue, SmallVec::from_elem(array, 1));
    x.emit(InstKind::Node { op, args }, &[]);
}

/// The two words of an address, low first.
fn words_of(x: &mut Expander<'_>, address: Value) -> [Value; 2] {
    let high = x.bin_const(BinaryOp::LShr, address, 32);
    [address, high].map(|long| x.convert(ConvertOp::Trunc, long, Type::I32))
}

/// Work-groups of a variant in this level, in two dimensions.
fn counts(x: &mut Expander<'_>, variant: Value) -> [Value; 2] {
    [0, 4].map(|at| load(x, variant, variant_bytes::DISPATCH + at, Type::I32))
}

/// At the end of the scheduler's node: starts each variant that has work.
fn start_blocks(x: &mut Expander<'_>, payloads: Payloads) {
    let received = Received::new(x, EnqueueRole::SchedulerNode);
    let memory = received.pointer(x);
    let [level, levels] = received.levels(x);
    let variants = load(x, memory, header_bytes::VARIANTS, Type::I32);
    let list = load(x, memory, header_bytes::VARIANT_LIST, Type::I64);
    let zero = x.splat(Type::I32, 0);
    let variant = |x: &mut Expander<'_>, index: Value| {
        let index = x.convert(ConvertOp::ZExt, index, Type::I64);
        let bytes = x.bin_const(BinaryOp::IMul, index, variant_bytes::STRIDE);
        let address = x.bin(BinaryOp::IAdd, list, bytes);
        let pointer = x.convert(ConvertOp::IntToPtr, address, BuiltIn::DeviceLaunch.ty());
        (address, pointer)
    };
    // All are counted before the first one can end.
    let all = x.fold_range([zero, variants], zero, |x, index, sum| {
        let (_, pointer) = variant(x, index);
        let [across, rows] = counts(x, pointer);
        let groups = x.bin(BinaryOp::IMul, across, rows);
        x.bin(BinaryOp::IAdd, sum, groups)
    });
    let pending = x.offset(memory, header_bytes::PENDING);
    let store = InstKind::AtomicStore {
        ptr: pending,
        value: all,
        order: MemoryOrder::Relaxed,
        scope: Scope::Device,
    };
    x.emit(store, &[]);
    fence(x, MemoryOrder::Release);
    x.fold_range([zero, variants], zero, |x, index, sum| {
        let (address, pointer) = variant(x, index);
        let [across, rows] = counts(x, pointer);
        let has_work = x.icmp_const(IntCond::Ne, across, 0);
        x.when(has_work, |x| {
            let first = u64::from(block_index(1, 0));
            let base = x.bin_const(BinaryOp::IMul, level, first);
            let at = x.bin(BinaryOp::IAdd, base, index);
            let one = x.splat(Type::I32, 1);
            let allocate = NodeOp::Allocate {
                payload: payloads.to_block,
                visibility: Scope::Invocation,
            };
            let array = node(x, allocate, &[one, at]);
            let [low, high] = words_of(x, address);
            fill(x, array, &[across, rows, one, low, high, level, levels]);
            enqueue(x, array);
        });
        sum
    });
}

/// At the end of a block's node: the last work-group of the level starts the scheduler of the next one.
fn start_scheduler(x: &mut Expander<'_>, payloads: Payloads, shared: GlobalId) {
    let received = Received::new(x, EnqueueRole::BlockNode { number: 0 });
    let variant = received.pointer(x);
    let [level, levels] = received.levels(x);
    let memory = load(x, variant, variant_bytes::MEMORY, Type::I64);
    let id = InstKind::BuiltIn {
        which: BuiltIn::LocalLinearId,
    };
    let id = x.value(id, BuiltIn::LocalLinearId.ty());
    let first = x.icmp_const(IntCond::Eq, id, 0);
    let word = InstKind::GlobalAddr { global: shared };
    let word = x.value(word, Type::ptr(AddressSpace::Local));
    let (align, flags) = (4, AccessFlags::empty());
    // What all of the group wrote comes before its count.
    let all_are_here = InstKind::Barrier {
        execution: Scope::Workgroup,
        memory: Scope::Device,
        order: MemoryOrder::AcqRel,
        global: true,
        local: true,
    };
    x.emit(all_are_here, &[]);
    x.when(first, |x| {
        let ptr = x.convert(ConvertOp::IntToPtr, memory, BuiltIn::DeviceLaunch.ty());
        let ptr = x.offset(ptr, header_bytes::PENDING);
        let count = InstKind::AtomicRmw {
            op: AtomicOp::Sub,
            ptr,
            value: x.splat(Type::I32, 1),
            order: MemoryOrder::AcqRel,
            scope: Scope::Device,
        };
        let value = x.value(count, Type::I32);
        x.store(word, value, align);
    });
    barrier(x);
    let load = InstKind::Load {
        ptr: word,
        align,
        flags,
    };
    let left = x.value(load, Type::I32);
    let is_last = x.icmp_const(IntCond::Eq, left, 1);
    let next = x.bin_const(BinaryOp::IAdd, level, 1);
    let is_level = x.icmp(IntCond::Ult, next, levels);
    let goes_on = x.bin(BinaryOp::And, is_last, is_level);
    x.when(goes_on, |x| {
        let one = x.splat(Type::I32, 1);
        let allocate = NodeOp::Allocate {
            payload: payloads.to_scheduler,
            visibility: Scope::Workgroup,
        };
        let array = node(x, allocate, &[one, next]);
        x.when(first, |x| {
            let [low, high] = words_of(x, memory);
            fill(x, array, &[low, high, next, levels]);
            fence(x, MemoryOrder::Release);
        });
        barrier(x);
        enqueue(x, array);
    });
}
