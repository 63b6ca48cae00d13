//! Work-items: frames and the execution of one instruction.

use super::denormals::Denormals;
use super::eval;
use super::lanes::{Lanes, bytes_of, lanes_of};
use super::machine::Machine;
use super::memory::{Access, Memory, MemoryKind, cast, resolve};
use super::{ErrorKind, PrintfRecord, PrintfValue};
use cranelift_entity::EntityRef;
use pumice_ir::{
    AccessFlags, AddressSpace, Block, BlockCall, ConvertOp, FuncId, Function, Inst, InstKind,
    PrintfArg, Scalar, StackSlot, Type, Value, ValueDef,
};
use smallvec::{SmallVec, smallvec};

const MAX_CALL_DEPTH: usize = 1000;

/// The lanes of an undefined value of the widest vector type.
const ZEROS: [u64; 16] = [0; 16];

/// One activation of a function.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    pub func: FuncId,
    pub block: Block,
    pub index: usize,
    values: Vec<Lanes>,
    slots: Vec<u64>,
    /// The call in the caller that the results go to.
    call: Option<Inst>,
}

/// The state of a work-item: it can go on, or waits, or has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Ready,
    /// At a barrier or collective.
    Waiting,
    Done,
}

/// One work-item.
#[derive(Clone, Debug)]
pub(super) struct Item {
    pub local_id: [u64; 3],
    /// Position in the work-group.
    pub linear: u64,
    pub state: State,
    pub frames: Vec<Frame>,
    pub private: Memory,
}

impl Item {
    /// Function and instruction at which the work-item stands.
    pub fn position(&self, machine: &Machine<'_>) -> Option<(FuncId, Inst)> {
        let frame = self.frames.last()?;
        let func = &machine.module.functions[frame.func];
        Some((
            frame.func,
            *func.layout.insts[frame.block].get(frame.index)?,
        ))
    }

    /// The calls that the work-item is in, the outermost first.
    pub fn calls(&self) -> impl Iterator<Item = Option<Inst>> {
        self.frames.iter().map(|frame| frame.call)
    }

    /// Enters a function.
    pub fn push(
        &mut self,
        machine: &Machine<'_>,
        id: FuncId,
        args: &[Lanes],
        call: Option<Inst>,
    ) -> Result<(), ErrorKind> {
        if self.frames.len() >= MAX_CALL_DEPTH {
            return Err(ErrorKind::CallDepth);
        }
        let func = &machine.module.functions[id];
        let Some(entry) = func.entry() else {
            let what = format!("call of {:?}, which has no body", func.name);
            return Err(ErrorKind::Unsupported(what));
        };
        let follow = machine.options.check_uninitialised;
        let slots = func
            .slots
            .values()
            .map(|slot| {
                self.private
                    .add_fresh(u64::from(slot.size), slot.placed_align(), follow)
            })
            .collect();
        let mut frame = Frame {
            func: id,
            block: entry,
            index: 0,
            values: vec![Lanes::new(); func.num_values()],
            slots,
            call,
        };
        for (&param, arg) in func.blocks[entry].params.iter().zip(args) {
            frame.values[param.index()] = arg.clone();
        }
        self.frames.push(frame);
        Ok(())
    }

    /// The lanes of a value of the innermost frame.
    fn lanes<'a>(&'a self, func: &'a Function, value: Value) -> &'a [u64] {
        match func.def(value) {
            ValueDef::Const(lanes) => lanes,
            ValueDef::Undef => &ZEROS[..usize::from(func.ty(value).lanes)],
            ValueDef::Result(..) | ValueDef::Param(..) => match self.frames.last() {
                Some(frame) => &frame.values[value.index()],
                None => &[],
            },
        }
    }

    /// A copy of a value of the innermost frame.
    pub fn read(&self, func: &Function, value: Value) -> Lanes {
        Lanes::from_slice(self.lanes(func, value))
    }

    /// Sets a value of the innermost frame.
    pub fn write(&mut self, value: Value, lanes: Lanes) {
        if let Some(frame) = self.frames.last_mut() {
            frame.values[value.index()] = lanes;
        }
    }

    fn scalar(&self, func: &Function, value: Value) -> u64 {
        self.lanes(func, value).first().copied().unwrap_or(0)
    }

    fn branch(&mut self, func: &Function, call: &BlockCall) {
        // All arguments are read before any parameter changes.
        let args: SmallVec<[Lanes; 4]> = call.args.iter().map(|&a| self.read(func, a)).collect();
        for (&param, arg) in func.blocks[call.block].params.iter().zip(args) {
            self.write(param, arg);
        }
        if let Some(frame) = self.frames.last_mut() {
            frame.block = call.block;
            frame.index = 0;
        }
    }

    /// Goes on behind the current instruction.
    pub fn advance(&mut self) {
        if let Some(frame) = self.frames.last_mut() {
            frame.index += 1;
        }
    }

    fn memory<'a>(&'a mut self, machine: &'a mut Machine<'_>, kind: MemoryKind) -> &'a mut Memory {
        match kind {
            MemoryKind::Global => &mut machine.global,
            MemoryKind::Local => &mut machine.local,
            MemoryKind::Private => &mut self.private,
        }
    }

    fn access(
        &self,
        func: &Function,
        pointer: Value,
        size: u64,
        align: u32,
    ) -> (MemoryKind, Access) {
        let space = func.ty(pointer).address_space();
        let bits = self.scalar(func, pointer);
        let (kind, address) = resolve(space.unwrap_or(AddressSpace::Global), bits);
        let access = Access {
            address,
            size,
            align,
        };
        (kind, access)
    }

    fn load(
        &mut self,
        machine: &mut Machine<'_>,
        func: &Function,
        (ptr, align): (Value, u32),
        ty: Type,
    ) -> Result<Lanes, ErrorKind> {
        let (kind, access) = self.access(func, ptr, u64::from(ty.access_bytes()), align);
        let bytes = self.memory(machine, kind).load(access)?;
        Ok(lanes_of(ty, bytes))
    }

    fn store(
        &mut self,
        machine: &mut Machine<'_>,
        func: &Function,
        (ptr, align): (Value, u32),
        ty: Type,
        lanes: &[u64],
    ) -> Result<(), ErrorKind> {
        let (kind, access) = self.access(func, ptr, u64::from(ty.access_bytes()), align);
        self.memory(machine, kind)
            .store(access, &bytes_of(ty, lanes), None)
    }

    /// Executes one instruction.
    pub fn step(&mut self, machine: &mut Machine<'_>) -> Result<(), ErrorKind> {
        let Some(frame) = self.frames.last() else {
            self.state = State::Done;
            return Ok(());
        };
        let module = machine.module;
        let func = &module.functions[frame.func];
        let inst = func.layout.insts[frame.block][frame.index];
        let data = &func.insts[inst];
        let result_ty = data.results.first().map(|&r| func.ty(r));
        let ty = result_ty.unwrap_or(Type::I32);
        let result: Lanes = match &data.kind {
            InstKind::Jump { dest } => {
                self.branch(func, dest);
                return Ok(());
            }
            InstKind::Branch { cond, then, other } => {
                let taken = self.scalar(func, *cond) != 0;
                self.branch(func, if taken { then } else { other });
                return Ok(());
            }
            InstKind::Switch {
                value,
                default,
                cases,
            } => {
                let value = self.scalar(func, *value);
                let case = cases.iter().find(|(case, _)| *case == value);
                self.branch(func, case.map_or(default, |(_, call)| call));
                return Ok(());
            }
            InstKind::Return { values } => {
                let values: SmallVec<[Lanes; 2]> =
                    values.iter().map(|&v| self.read(func, v)).collect();
                self.pop(machine, &values);
                return Ok(());
            }
            InstKind::Unreachable => return Err(ErrorKind::Unreachable),
            InstKind::Call { func: callee, args } => {
                let args: Vec<Lanes> = args.iter().map(|&a| self.read(func, a)).collect();
                return self.push(machine, *callee, &args, Some(inst));
            }
            InstKind::Barrier { .. } | InstKind::Group { .. } => {
                self.state = State::Waiting;
                return Ok(());
            }
            &InstKind::Store {
                ptr,
                value,
                align,
                flags,
            } => {
                let lanes = self.read(func, value);
                let ty = memory_ty(flags, func.ty(value));
                self.store(machine, func, (ptr, align), ty, &lanes)?;
                Lanes::new()
            }
            InstKind::MemCopy { .. } => {
                self.copy(machine, func, &data.kind)?;
                Lanes::new()
            }
            &InstKind::Load { ptr, align, flags } => {
                self.load(machine, func, (ptr, align), memory_ty(flags, ty))?
            }
            &InstKind::AtomicLoad { ptr, .. } => {
                self.load(machine, func, (ptr, ty.scalar.bytes()), ty)?
            }
            &InstKind::AtomicStore { ptr, value, .. } => {
                let (ty, lanes) = (func.ty(value), self.read(func, value));
                self.store(machine, func, (ptr, ty.scalar.bytes()), ty, &lanes)?;
                Lanes::new()
            }
            &InstKind::AtomicRmw { op, ptr, value, .. } => {
                let at = (ptr, ty.scalar.bytes());
                let old = self.load(machine, func, at, ty)?;
                let value = self.scalar(func, value);
                let new = eval::atomic(op, ty.scalar, old[0], value);
                self.store(machine, func, at, ty, &[new])?;
                old
            }
            &InstKind::AtomicCmpXchg {
                ptr,
                expected,
                desired,
                ..
            } => {
                let at = (ptr, ty.scalar.bytes());
                let old = self.load(machine, func, at, ty)?;
                if old[0] == self.scalar(func, expected) {
                    let desired = self.scalar(func, desired);
                    self.store(machine, func, at, ty, &[desired])?;
                }
                old
            }
            InstKind::Fence { .. } => Lanes::new(),
            InstKind::Printf { format, args } => {
                let args = args.iter().map(|arg| match *arg {
                    PrintfArg::Value(v) => {
                        PrintfValue::Value(func.ty(v), self.read(func, v).to_vec())
                    }
                    PrintfArg::String(id) => PrintfValue::String(module.strings[id].clone()),
                });
                let record = PrintfRecord {
                    format: module.strings[*format].clone(),
                    args: args.collect(),
                };
                machine.printf.push(record);
                smallvec![0]
            }
            &InstKind::StackAddr { slot } => smallvec![self.slot(slot)],
            &InstKind::GlobalAddr { global } => smallvec![machine.global_addresses[global]],
            InstKind::Node { op, args } => {
                let args: Vec<u64> = args.iter().map(|&a| self.scalar(func, a)).collect();
                let handle = args.first().copied().unwrap_or(0);
                if machine.payloads.is_shared(*op, handle)? {
                    self.state = State::Waiting;
                    return Ok(());
                }
                machine.payloads.execute(machine.module, *op, &args)?
            }
            InstKind::Image { op, image, args } => {
                let args: SmallVec<[(Type, Lanes); 5]> = (args.iter())
                    .map(|&arg| (func.ty(arg), self.read(func, arg)))
                    .collect();
                let handles = &machine.prepared.handles;
                handles.execute(&mut machine.global, *op, *image, &args)?
            }
            InstKind::Matrix { op, .. } => {
                return Err(ErrorKind::Unsupported(format!("a device's matrix: {op:?}")));
            }
            &InstKind::HandleArg { ordinal } => smallvec![u64::from(ordinal)],
            &InstKind::HandleInfo { ordinal, which } => {
                machine.prepared.handles.info(ordinal, which)?
            }
            &InstKind::LocalArg { ordinal } => smallvec![machine.local_arg(ordinal)?],
            &InstKind::LoadArg { offset } => machine.load_arg(offset, ty)?,
            &InstKind::LoadArgWord { offset, index } => {
                let word = self.scalar(func, index) as u32;
                machine.load_arg(offset.wrapping_add(word.wrapping_mul(4)), ty)?
            }
            // The instructions executed so far are a clock that never stands still.
            InstKind::ReadClock { .. } if ty.is_vector() => words(machine.clock()),
            InstKind::ReadClock { .. } => smallvec![machine.clock()],
            &InstKind::BuiltIn { which } => machine.built_in(which, self.local_id, self.linear)?,
            &InstKind::BuiltInWord { which, lane, high } => {
                let lanes = machine.built_in(which, self.local_id, self.linear)?;
                let [low, above] = halves(lanes[usize::from(lane)]);
                smallvec![if high { above } else { low }]
            }
            pure => self.pure(machine, func, pure, ty)?,
        };
        if let Some(&value) = data.results.first() {
            self.write(value, result);
        }
        self.advance();
        Ok(())
    }

    fn slot(&self, slot: StackSlot) -> u64 {
        self.frames.last().map_or(0, |f| f.slots[slot.index()])
    }

    /// Leaves a function.
    fn pop(&mut self, machine: &Machine<'_>, values: &[Lanes]) {
        let Some(frame) = self.frames.pop() else {
            return;
        };
        for slot in frame.slots {
            self.private.free(slot);
        }
        let (Some(call), Some(caller)) = (frame.call, self.frames.last()) else {
            self.state = State::Done;
            return;
        };
        let results = &machine.module.functions[caller.func].insts[call].results;
        for (&result, value) in results.iter().zip(values) {
            self.write(result, value.clone());
        }
        self.advance();
    }

    fn copy(
        &mut self,
        machine: &mut Machine<'_>,
        func: &Function,
        kind: &InstKind,
    ) -> Result<(), ErrorKind> {
        let &InstKind::MemCopy {
            dst,
            src,
            size,
            dst_align,
            src_align,
            ..
        } = kind
        else {
            return Ok(());
        };
        let size = self.scalar(func, size);
        let (from, source) = self.access(func, src, size, src_align);
        let (to, dest) = self.access(func, dst, size, dst_align);
        let distance = source.address.abs_diff(dest.address);
        if from == to && distance != 0 && distance < size {
            return Err(ErrorKind::Overlap);
        }
        let (bytes, written) = self.memory(machine, from).peek(source)?;
        self.memory(machine, to)
            .store(dest, &bytes, written.as_deref())
    }

    /// Instructions that only compute.
    fn pure(
        &self,
        machine: &Machine<'_>,
        func: &Function,
        kind: &InstKind,
        ty: Type,
    ) -> Result<Lanes, ErrorKind> {
        let denormals = Denormals::of(machine.options, kind);
        let read = |value: Value| {
            let mut lanes = self.read(func, value);
            denormals.flush(func.ty(value).scalar, &mut lanes);
            lanes
        };
        let scalar_of = |value: Value| func.ty(value).scalar;
        let pairs = |args: &[Value; 2]| (read(args[0]), read(args[1]));
        let mut result: Lanes = match kind {
            &InstKind::Unary { op, arg } => each_lane(read(arg), |a| eval::unary(op, ty.scalar, a)),
            InstKind::Binary { op, args, .. } => {
                each_pair(pairs(args), |a, b| eval::binary(*op, ty.scalar, a, b))
            }
            InstKind::ICmp { cond, args } => {
                let scalar = scalar_of(args[0]);
                each_pair(pairs(args), |a, b| {
                    u64::from(eval::icmp(*cond, scalar, a, b))
                })
            }
            InstKind::FCmp { cond, args, .. } => {
                let scalar = scalar_of(args[0]);
                each_pair(pairs(args), |a, b| {
                    u64::from(eval::fcmp(*cond, scalar, a, b))
                })
            }
            &InstKind::Select { cond, then, other } => match self.lanes(func, cond) {
                [0] => read(other),
                [_] => read(then),
                cond => {
                    let mut lanes = read(then);
                    let others = self.lanes(func, other);
                    for (lane, _) in cond.iter().enumerate().filter(|(_, cond)| **cond == 0) {
                        lanes[lane] = others[lane];
                    }
                    lanes
                }
            },
            &InstKind::Convert { op, arg, rounding } => {
                let from = func.ty(arg);
                let lanes = read(arg);
                match (op, from.scalar, ty.scalar) {
                    (ConvertOp::Bitcast, ..) => lanes_of(ty, &bytes_of(from, &lanes)),
                    (ConvertOp::PtrToInt, _, Scalar::I32) => {
                        let number = eval::convert(op, from.scalar, Scalar::I64, lanes[0], None);
                        words(number)
                    }
                    (ConvertOp::IntToPtr, Scalar::I32, to) => {
                        smallvec![eval::convert(op, Scalar::I64, to, long(&lanes), None)]
                    }
                    (ConvertOp::AddressSpaceCast, Scalar::Ptr(a), Scalar::Ptr(b)) => {
                        each_lane(lanes, |p| cast(a, b, p))
                    }
                    (op, a, b) => each_lane(lanes, |v| eval::convert(op, a, b, v, rounding)),
                }
            }
            InstKind::Math { op, args, .. } => {
                let values: SmallVec<[Lanes; 3]> = args.iter().map(|&a| read(a)).collect();
                let scalar = args.first().map_or(ty.scalar, |&a| scalar_of(a));
                let mut lanes = Lanes::new();
                for lane in 0..usize::from(ty.lanes) {
                    let of_lane: SmallVec<[u64; 3]> =
                        values.iter().filter_map(|v| v.get(lane).copied()).collect();
                    lanes.push(eval::math(*op, scalar, &of_lane)?);
                }
                lanes
            }
            InstKind::Build { lanes } => lanes.iter().map(|&l| self.scalar(func, l)).collect(),
            &InstKind::Splat { arg } => smallvec![self.scalar(func, arg); usize::from(ty.lanes)],
            &InstKind::Extract { vector, lane } => {
                smallvec![self.lanes(func, vector)[usize::from(lane)]]
            }
            &InstKind::Insert {
                vector,
                scalar,
                lane,
            } => {
                let mut lanes = read(vector);
                lanes[usize::from(lane)] = self.scalar(func, scalar);
                lanes
            }
            &InstKind::ExtractDyn { vector, index } => {
                let lanes = read(vector);
                let index = self.scalar(func, index) as usize;
                smallvec![lanes.get(index).copied().unwrap_or(0)]
            }
            &InstKind::InsertDyn {
                vector,
                scalar,
                index,
            } => {
                let mut lanes = read(vector);
                if let Some(lane) = lanes.get_mut(self.scalar(func, index) as usize) {
                    *lane = self.scalar(func, scalar);
                }
                lanes
            }
            InstKind::Shuffle { args, mask } => {
                let mut all = read(args[0]);
                all.extend(read(args[1]));
                let pick = |lane: &Option<u8>| lane.map_or(0, |lane| all[usize::from(lane)]);
                mask.iter().map(pick).collect()
            }
            &InstKind::PtrAdd { base, offset } => {
                let base_bits = self.scalar(func, base);
                smallvec![base_bits.wrapping_add(long(self.lanes(func, offset)))]
            }
            other => return Err(ErrorKind::Unsupported(format!("{other:?}"))),
        };
        denormals.flush(ty.scalar, &mut result);
        Ok(result)
    }
}

/// The lanes that a function makes of lanes.
fn each_lane(mut lanes: Lanes, of: impl Fn(u64) -> u64) -> Lanes {
    for lane in &mut lanes {
        *lane = of(*lane);
    }
    lanes
}

/// The lanes that a function makes of pairs of lanes.
fn each_pair((mut lanes, others): (Lanes, Lanes), of: impl Fn(u64, u64) -> u64) -> Lanes {
    for (lane, other) in lanes.iter_mut().zip(others) {
        *lane = of(*lane, other);
    }
    lanes
}

/// The two words of a number, low first.
fn halves(number: u64) -> [u64; 2] {
    [number & 0xffff_ffff, number >> 32]
}

fn words(number: u64) -> Lanes {
    Lanes::from_slice(&halves(number))
}

/// A number, or the one that two words make.
fn long(lanes: &[u64]) -> u64 {
    match lanes {
        [low, high] => low | high << 32,
        _ => lanes[0],
    }
}

/// The type of what an access takes of memory.
fn memory_ty(flags: AccessFlags, ty: Type) -> Type {
    match flags.part_bytes() {
        Some(1) => Type::I8,
        Some(_) => Type::I16,
        None => ty,
    }
}
