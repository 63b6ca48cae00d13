//! Device-side enqueue: the instructions become calls of the built-in library
//! (`builtins-lib/lib/enqueue.cl`), and each block that is enqueued a kernel of the module.
//!
//! A range is its number of dimensions, then offset, size and local size, of three numbers each.

use super::body::Body;
use super::functions::Decls;
use super::library::Library;
use super::locals::Leaves;
use super::preamble::{Def, Preamble};
use super::reader::{Inst, Result, charge};
use pumice_ir::{
    AccessFlags, AddressSpace, BinaryOp, Block, BlockCall, BuiltIn, ConvertOp, EnqueueRole, FuncId,
    Function, InstKind, IntCond, KernelArg, KernelArgKind, KernelInfo, Module, SourceLoc,
    StackSlotData, Type, Value,
};
use pumice_target::device_queue::{self, LOCALS, RECORD_BYTES};
use rspirv::spirv::Op;
use smallvec::SmallVec;

/// The least error, negated: the library gives errors in place of addresses.
const MOST_ERROR: i64 = 4095;

/// A block that the module enqueues.
struct EnqueuedBlock {
    function: u32,
    captured: u32,
    locals: usize,
}

/// The blocks that the functions of a module enqueue.
#[derive(Default)]
pub(super) struct Enqueue {
    blocks: Vec<EnqueuedBlock>,
    /// A function enqueues, or asks for queues or events.
    is_used: bool,
    /// A function asks for the times of commands.
    times: bool,
}

impl Enqueue {
    /// The number of the block whose function that is.
    fn block(
        &mut self,
        inst: &Inst<'_>,
        function: u32,
        captured: u32,
        locals: usize,
    ) -> Result<u32> {
        let known = (self.blocks.iter()).position(|block| block.function == function);
        let number = match known {
            Some(number) => number,
            None => {
                charge(0)?;
                self.blocks.push(EnqueuedBlock {
                    function,
                    captured: 0,
                    locals,
                });
                self.blocks.len() - 1
            }
        };
        let block = &mut self.blocks[number];
        if block.locals != locals {
            return Err(inst.error("the block takes another number of local pointers"));
        }
        block.captured = block.captured.max(captured);
        Ok(number as u32)
    }

    /// Makes the kernels of the blocks and the scheduler, which stand behind the application's.
    pub fn kernels(
        &self,
        module: &Module,
        decls: &Decls,
        library: &mut Library,
    ) -> Result<Vec<(KernelInfo, Function)>> {
        let mut kernels = Vec::new();
        for (number, block) in (0..).zip(&self.blocks) {
            let place = Type::vector(pumice_ir::Scalar::I64, 4);
            let params = vec![BuiltIn::DeviceLaunch.ty(), Type::I32];
            let callee = library.function("__pumice_block_place", params, &[place]);
            kernels.push(block_kernel(module, decls, number, block, (callee, place))?);
        }
        if self.is_used {
            kernels.push(self.scheduler(library));
        }
        Ok(kernels)
    }

    fn scheduler(&self, library: &mut Library) -> (KernelInfo, Function) {
        let params = vec![BuiltIn::DeviceLaunch.ty()];
        let callee = library.function("__pumice_schedule", params, &[]);
        let mut func = Function::new("schedule", Vec::new(), Vec::new());
        let block = func.append_block();
        let launch = built_in(&mut func, block, BuiltIn::DeviceLaunch);
        let call = InstKind::Call {
            func: callee,
            args: SmallVec::from_elem(launch, 1),
        };
        func.append(block, call, &[], SourceLoc::default());
        finish(&mut func, block);
        let role = EnqueueRole::Scheduler { times: self.times };
        let mut info = kernel_info("schedule.device_queues".into(), role);
        info.required_work_group_size = Some([1; 3]);
        (info, func)
    }
}

fn kernel_info(name: String, role: EnqueueRole) -> KernelInfo {
    KernelInfo {
        enqueue: Some(role),
        ..KernelInfo::new(name, FuncId::from_u32(0))
    }
}

fn built_in(func: &mut Function, block: Block, which: BuiltIn) -> Value {
    let kind = InstKind::BuiltIn { which };
    func.append_value(block, kind, which.ty(), SourceLoc::default())
}

fn finish(func: &mut Function, block: Block) {
    let kind = InstKind::Return {
        values: SmallVec::new(),
    };
    func.append(block, kind, &[], SourceLoc::default());
}

/// Stores the work-group's place in the range, and goes on to `run` if there is a record for it, else to `done`.
/// Returns the record's address, an I64.
fn find_record(
    func: &mut Function,
    [entry, run, done]: [Block; 3],
    (place, place_ty): (FuncId, Type),
) -> Value {
    let loc = SourceLoc::default();
    let slot = func.slots.push(StackSlotData::new(32, 32));
    let private = Type::ptr(AddressSpace::Private);
    let slot = func.append_value(entry, InstKind::StackAddr { slot }, private, loc);
    let launch = built_in(func, entry, BuiltIn::DeviceLaunch);
    let group = built_in(func, entry, BuiltIn::DispatchGroup);
    let call = InstKind::Call {
        func: place,
        args: SmallVec::from_slice(&[launch, group]),
    };
    let value = func.append_value(entry, call, place_ty, loc);
    let store = InstKind::Store {
        ptr: slot,
        value,
        align: 32,
        flags: AccessFlags::empty(),
    };
    func.append(entry, store, &[], loc);
    let lane = InstKind::Extract {
        vector: value,
        lane: 0,
    };
    let record = func.append_value(entry, lane, Type::I64, loc);
    let zero = func.i64(0);
    let compare = InstKind::ICmp {
        cond: IntCond::Ne,
        args: [record, zero],
    };
    let there = func.append_value(entry, compare, Type::BOOL, loc);
    let branch = InstKind::Branch {
        cond: there,
        then: BlockCall::new(run, &[]),
        other: BlockCall::new(done, &[]),
    };
    func.append(entry, branch, &[], loc);
    record
}

/// The first argument of a block's function: the captured values in the record, or a copy of them.
fn block_context(
    func: &mut Function,
    run: Block,
    record: Value,
    enqueued: &EnqueuedBlock,
    param: Option<Type>,
) -> Value {
    let loc = SourceLoc::default();
    let private = Type::ptr(AddressSpace::Private);
    let convert = |op, arg| InstKind::Convert {
        op,
        arg,
        rounding: None,
    };
    let global = Type::ptr(AddressSpace::Global);
    let base = func.append_value(run, convert(ConvertOp::IntToPtr, record), global, loc);
    let offset = func.i64(RECORD_BYTES as i64);
    let captured = func.append_value(run, InstKind::PtrAdd { base, offset }, global, loc);
    match param.and_then(Type::address_space) {
        Some(AddressSpace::Global) => captured,
        Some(AddressSpace::Private) => {
            let slot = func
                .slots
                .push(StackSlotData::new(enqueued.captured.max(1), 128));
            let copy = func.append_value(run, InstKind::StackAddr { slot }, private, loc);
            let size = func.i64(i64::from(enqueued.captured));
            let kind = InstKind::MemCopy {
                dst: copy,
                src: captured,
                size,
                dst_align: 128,
                src_align: 64,
                flags: AccessFlags::empty(),
            };
            func.append(run, kind, &[], loc);
            copy
        }
        _ => {
            let generic = Type::ptr(AddressSpace::Generic);
            let kind = convert(ConvertOp::AddressSpaceCast, captured);
            func.append_value(run, kind, generic, loc)
        }
    }
}

/// The kernel that runs a block: finds the work-group's record and calls the block's function with
/// what the record holds. The place in the range is in its first private variable, where
/// `place_blocks` finds it.
fn block_kernel(
    module: &Module,
    decls: &Decls,
    number: u32,
    enqueued: &EnqueuedBlock,
    (place, place_ty): (FuncId, Type),
) -> Result<(KernelInfo, Function)> {
    let callee = FuncId::from_u32(enqueued.function);
    let params = module.functions[callee].params.clone();
    let loc = SourceLoc::default();
    let local = Type::ptr(AddressSpace::Local);
    let mut func = Function::new(
        format!("block.{number}"),
        vec![local; enqueued.locals],
        Vec::new(),
    );
    let [entry, run, done] = std::array::from_fn(|_| func.append_block());
    let locals: Vec<Value> = (0..enqueued.locals)
        .map(|_| func.append_param(entry, local))
        .collect();
    let record = find_record(&mut func, [entry, run, done], (place, place_ty));
    let param = params.first().copied();
    let context = block_context(&mut func, run, record, enqueued, param);
    let mut args: SmallVec<[Value; 4]> = SmallVec::from_elem(context, 1);
    args.extend(locals);
    let call = InstKind::Call { func: callee, args };
    func.append(run, call, &[], loc);
    let jump = InstKind::Jump {
        dest: BlockCall::new(done, &[]),
    };
    func.append(run, jump, &[], loc);
    finish(&mut func, done);

    let name = &decls.get(enqueued.function).name;
    let role = EnqueueRole::Block {
        number,
        captured: enqueued.captured,
    };
    let mut info = kernel_info(format!("{name}.block{number}"), role);
    info.args = (0..enqueued.locals)
        .map(|_| KernelArg {
            kind: KernelArgKind::Local { align: 128 },
            info: None,
            pointee: None,
        })
        .collect();
    Ok((info, func))
}

impl Body<'_, '_> {
    /// Imports the instructions of device-side enqueue; false if the opcode is none.
    pub(super) fn device_enqueue(&mut self, inst: &Inst<'_>) -> Result<bool> {
        match inst.op {
            Op::BuildNDRange => self.build_range(inst)?,
            Op::EnqueueKernel => self.enqueue_kernel(inst)?,
            Op::EnqueueMarker => {
                let queue = self.arg(inst, 0)?;
                let events = self.word_arg(inst, 1)?;
                let list = self.event_pointer(inst, 2)?;
                let result = self.event_pointer(inst, 3)?;
                let parent = self.device_value(BuiltIn::DeviceRecord);
                let args = [parent, queue, events, list, result];
                let status = self.queue_call("__pumice_enqueue_marker", &args, Some(Type::I32));
                self.define_result(inst, status)?;
            }
            Op::GetDefaultQueue => {
                let queue = self.queue_call("__pumice_get_default_queue", &[], Some(Type::I64));
                self.define_result(inst, queue)?;
            }
            Op::CreateUserEvent => {
                let event = self.queue_call("__pumice_create_user_event", &[], Some(Type::I64));
                self.define_result(inst, event)?;
            }
            Op::RetainEvent | Op::ReleaseEvent => {
                let event = self.arg(inst, 0)?;
                let name = match inst.op {
                    Op::RetainEvent => "__pumice_retain_event",
                    _ => "__pumice_release_event",
                };
                self.queue_call(name, &[event], None);
            }
            Op::IsValidEvent => {
                let event = self.arg(inst, 0)?;
                let valid = self.queue_call("__pumice_is_valid_event", &[event], Some(Type::I32));
                let valid = valid.map(|valid| self.is_nonzero(valid));
                self.define_result(inst, valid)?;
            }
            Op::SetUserEventStatus => {
                let event = self.arg(inst, 0)?;
                let status = self.word_arg(inst, 1)?;
                self.queue_call("__pumice_set_user_event_status", &[event, status], None);
            }
            Op::CaptureEventProfilingInfo => {
                let event = self.arg(inst, 0)?;
                let name = self.word_arg(inst, 1)?;
                let value = self.arg(inst, 2)?;
                if self.func.ty(value) != Type::ptr(AddressSpace::Global) {
                    return Err(inst.error("the value is no pointer to CrossWorkgroup"));
                }
                self.enqueue.times = true;
                let args = [event, name, value];
                self.queue_call("__pumice_capture_event_profiling_info", &args, None);
            }
            Op::GetKernelWorkGroupSize => {
                self.function_operand(inst, 0)?;
                let size = self.device_value(BuiltIn::MaxWorkGroupSize);
                self.define_result(inst, Some(size))?;
            }
            Op::GetKernelPreferredWorkGroupSizeMultiple => {
                self.function_operand(inst, 0)?;
                let size = self.device_value(BuiltIn::SubgroupMaxSize);
                self.define_result(inst, Some(size))?;
            }
            Op::GetKernelNDrangeSubGroupCount | Op::GetKernelNDrangeMaxSubGroupSize => {
                self.range_query(inst)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn device_value(&mut self, which: BuiltIn) -> Value {
        self.emit(InstKind::BuiltIn { which }, which.ty())
    }

    /// Calls a function of the library with the launch's memory and `args`.
    fn queue_call(
        &mut self,
        name: &'static str,
        args: &[Value],
        result: Option<Type>,
    ) -> Option<Value> {
        self.enqueue.is_used = true;
        let launch = self.device_value(BuiltIn::DeviceLaunch);
        let all: Vec<Value> = [launch].iter().chain(args).copied().collect();
        let results: Vec<Type> = result.into_iter().collect();
        let values = self.library_call(name, &all, &results);
        values.first().copied()
    }

    fn define_result(&mut self, inst: &Inst<'_>, value: Option<Value>) -> Result<()> {
        match value {
            Some(value) => self.define_value(inst, value),
            None => Err(inst.error("no result")),
        }
    }

    /// A pointer to events as a generic one.
    fn event_pointer(&mut self, inst: &Inst<'_>, n: usize) -> Result<Value> {
        let value = self.arg(inst, n)?;
        let generic = Type::ptr(AddressSpace::Generic);
        match self.func.ty(value) {
            ty if ty == generic => Ok(value),
            ty if ty.address_space().is_some() => {
                Ok(self.convert(ConvertOp::AddressSpaceCast, value, generic))
            }
            _ => Err(inst.error("the operand is not a pointer")),
        }
    }

    fn function_operand(&self, inst: &Inst<'_>, n: usize) -> Result<u32> {
        let id = inst.arg(n)?;
        match self.pre.def(id) {
            Def::Func(number) => Ok(number),
            _ => Err(inst.error(format_args!("id {id} is not a function"))),
        }
    }

    /// The ten numbers of a range.
    fn range(&mut self, inst: &Inst<'_>, n: usize) -> Result<Leaves> {
        let (_, leaves) = self.leaves(inst, inst.arg(n)?)?;
        let mut types = leaves.iter().map(|&leaf| self.func.ty(leaf));
        let fits = leaves.len() == 10
            && types.next() == Some(Type::I32)
            && types.all(|ty| ty == Type::I64);
        match fits {
            true => Ok(leaves),
            false => Err(inst.error("the range is not as OpBuildNDRange makes it")),
        }
    }

    fn build_range(&mut self, inst: &Inst<'_>) -> Result<()> {
        let mut parts = Vec::with_capacity(3);
        for n in 0..3 {
            let (_, leaves) = self.leaves(inst, inst.arg(n)?)?;
            let mut part = Vec::with_capacity(3);
            for &leaf in &leaves {
                part.push(self.resize_int(inst, leaf, Type::I64)?);
            }
            parts.push(part);
        }
        let dimensions = parts[0].len();
        if !(1..=3).contains(&dimensions) || parts.iter().any(|part| part.len() != dimensions) {
            return Err(inst.error("the sizes are not of one, two or three dimensions"));
        }
        let mut leaves = Leaves::new();
        leaves.push(self.func.i32(dimensions as i32));
        // The instruction has size, local size and offset; the rest of each is not read.
        for part in [2, 0, 1] {
            for d in 0..3 {
                let number = parts[part].get(d).copied();
                leaves.push(number.unwrap_or_else(|| self.func.i64(0)));
            }
        }
        self.define_leaves(inst, leaves)
    }

    /// A query of a block with a range: the same answer for each block.
    fn range_query(&mut self, inst: &Inst<'_>) -> Result<()> {
        let range = self.range(inst, 0)?;
        self.function_operand(inst, 1)?;
        let most = self.device_value(BuiltIn::SubgroupMaxSize);
        if inst.op == Op::GetKernelNDrangeMaxSubGroupSize {
            return self.define_result(inst, Some(most));
        }
        let launch_args: Vec<Value> = range.iter().copied().chain([most]).collect();
        let count = self.queue_call("__pumice_sub_group_count", &launch_args, Some(Type::I32));
        self.define_result(inst, count)
    }

    fn enqueue_kernel(&mut self, inst: &Inst<'_>) -> Result<()> {
        let queue = self.arg(inst, 0)?;
        let range = self.range(inst, 2)?;
        let events = self.word_arg(inst, 3)?;
        let list = self.event_pointer(inst, 4)?;
        let result = self.event_pointer(inst, 5)?;
        let function = self.function_operand(inst, 6)?;
        let context = self.arg(inst, 7)?;
        let captured = self.word_arg(inst, 8)?;
        let captured = self.func.const_bits(captured);
        let captured = captured.ok_or_else(|| inst.error("Param Size is not a constant"))? as u32;
        let mut locals = Vec::new();
        for n in 10..inst.args.len() {
            locals.push(self.word_arg(inst, n)?);
        }
        if locals.len() > LOCALS {
            return Err(inst.error(format_args!(
                "a block with more than {LOCALS} local pointers"
            )));
        }
        self.check_block(inst, function, context, locals.len())?;
        let number = (self.enqueue).block(inst, function, captured, locals.len())?;

        let parent = self.device_value(BuiltIn::DeviceRecord);
        let most = self.device_value(BuiltIn::MaxWorkGroupSize);
        let (least, sum) = self.local_sizes(&locals);
        let number = self.func.i32(number as i32);
        let mut args = vec![parent, queue];
        args.extend(range);
        args.extend([events, list, result, number, most, least, sum]);
        let record = self.queue_call("__pumice_enqueue", &args, Some(Type::I64));
        let record = record.ok_or_else(|| inst.error("no result"))?;
        let global = Type::ptr(AddressSpace::Global);
        let memory = self.queue_call("__pumice_enqueued", &[record], Some(global));
        let memory = memory.ok_or_else(|| inst.error("no result"))?;
        for (n, size) in (0..).zip(locals) {
            let ptr = self.offset(memory, device_queue::record::LOCALS + 4 * n);
            self.effect(InstKind::Store {
                ptr,
                value: size,
                align: 4,
                flags: AccessFlags::empty(),
            });
        }
        if captured > 0 {
            let dst = self.offset(memory, RECORD_BYTES);
            let size = self.func.i64(i64::from(captured));
            let align = self.word_arg(inst, 9)?;
            let align = self.func.const_bits(align).unwrap_or(1).clamp(1, 64) as u32;
            let align = if align.is_power_of_two() { align } else { 1 };
            self.effect(InstKind::MemCopy {
                dst,
                src: context,
                size,
                dst_align: align,
                src_align: align,
                flags: AccessFlags::empty(),
            });
        }
        let least_error = self.func.i64(-MOST_ERROR);
        let failed = self.icmp(IntCond::Uge, [record, least_error]);
        let error = self.convert(ConvertOp::Trunc, record, Type::I32);
        let success = self.func.i32(0);
        let status = self.select_value(failed, error, success);
        self.define_value(inst, status)
    }

    /// Checks that the function is one that a kernel can call with a record's contents.
    fn check_block(
        &self,
        inst: &Inst<'_>,
        function: u32,
        context: Value,
        locals: usize,
    ) -> Result<()> {
        let decl = self.decls.get(function);
        let mut params = decl
            .param_types
            .iter()
            .map(|&ty| self.pre.types.get(ty).leaf);
        let space = params.next().flatten().and_then(Type::address_space);
        let local = Type::ptr(AddressSpace::Local);
        let fits = matches!(
            space,
            Some(AddressSpace::Generic | AddressSpace::Global | AddressSpace::Private)
        ) && params.clone().count() == locals
            && params.all(|leaf| leaf == Some(local))
            && self.pre.types.is_void(decl.ret)
            && !decl.body.is_empty()
            && !decl.is_kernel;
        if !fits {
            return Err(inst.error("the function is no block for these operands"));
        }
        match self.func.ty(context).address_space() {
            Some(_) => Ok(()),
            None => Err(inst.error("Param is not a pointer")),
        }
    }

    /// The least of the sizes of local memory, 1 if there are none, and their sum.
    fn local_sizes(&mut self, sizes: &[Value]) -> (Value, Value) {
        let (mut least, mut sum) = (self.func.i32(1), self.func.i32(0));
        for (n, &size) in sizes.iter().enumerate() {
            least = match n {
                0 => size,
                _ => self.binary(BinaryOp::UMin, [least, size]),
            };
            sum = self.binary(BinaryOp::IAdd, [sum, size]);
        }
        (least, sum)
    }
}

/// The kernel arguments that are device queues.
pub(super) fn queue_arguments(pre: &Preamble<'_>, types: &[super::types::Ty]) -> Vec<u32> {
    let is_queue = |ty: &super::types::Ty| pre.types.is_queue(*ty);
    (0..)
        .zip(types)
        .filter_map(|(n, ty)| is_queue(ty).then_some(n))
        .collect()
}
