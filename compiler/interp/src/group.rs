//! Work-groups: built-in values, scheduling, barriers.

use super::args::{Param, Prepared, lanes_of, prepare};
use super::collective;
use super::exec::{Item, Lanes, State};
use super::memory::Memory;
use super::nodes::Payloads;
use super::{ErrorKind, Inputs, InterpError, NdRange, Options, Output, PrintfRecord};
use cranelift_entity::SecondaryMap;
use pumice_ir::text::inst_to_text;
use pumice_ir::{
    AddressSpace, BuiltIn, FuncId, GlobalId, Inst, InstKind, KernelInfo, Module, Scope, Type,
};
use rustc_hash::FxHashMap;
use smallvec::smallvec;

/// Instructions that a work-item executes before another one gets its turn.
const SLICE: u32 = 20_000;

/// The answer for the largest work-group, though the interpreter takes any.
const MAX_WORK_GROUP_SIZE: u64 = 1024;

/// Everything that the work-items share.
pub(super) struct Machine<'a> {
    pub module: &'a Module,
    pub options: &'a Options,
    pub global: Memory,
    pub local: Memory,
    pub global_addresses: SecondaryMap<GlobalId, u64>,
    pub printf: Vec<PrintfRecord>,
    pub payloads: Payloads,
    kernel: &'a KernelInfo,
    range: NdRange,
    prepared: Prepared,
    num_buffers: usize,
    /// Addresses of local arguments in the present group, by ordinal.
    local_args: Vec<Option<u64>>,
    group_id: [u64; 3],
    /// Size of the present group.
    group_size: [u64; 3],
    fuel: u64,
    /// Address of the printf buffer once something asked for it.
    printf_buffer: Option<u64>,
    /// Addresses, by work-group and number in it.
    private_memory: FxHashMap<([u64; 3], u64), u64>,
}

impl<'a> Machine<'a> {
    /// Sets up global memory.
    pub fn new(
        module: &'a Module,
        kernel: &'a KernelInfo,
        inputs: &Inputs,
        range: &NdRange,
        options: &'a Options,
        received: &[Vec<u32>],
    ) -> Result<Self, InterpError> {
        let prepared = prepare(kernel, inputs)?;
        let ones =
            |from: u32| (from as usize..3).all(|d| range.global[d] == 1 && range.local[d] == 1);
        if !(1..=3).contains(&range.work_dim) || !ones(range.work_dim) || range.local.contains(&0) {
            return Err(ErrorKind::BadArguments("range".into()).into());
        }
        if kernel
            .required_work_group_size
            .is_some_and(|size| size.map(u64::from) != range.local)
        {
            return Err(ErrorKind::BadArguments("work-group size".into()).into());
        }
        if options.subgroup_size == 0 || options.subgroup_size > 128 {
            return Err(ErrorKind::BadArguments("sub-group size".into()).into());
        }
        let mut global = Memory::default();
        for buffer in &inputs.buffers {
            global.add(buffer.clone(), 4096, false);
        }
        let mut global_addresses = SecondaryMap::new();
        for (id, data) in module.globals.iter() {
            if data.space != AddressSpace::Local {
                let mut bytes = data.init.clone();
                bytes.resize(data.size as usize, 0);
                let read_only = data.space == AddressSpace::Constant;
                global_addresses[id] = global.add(bytes, data.align, read_only);
            }
        }
        for (id, data) in module.globals.iter() {
            for relocation in &data.relocations {
                let value =
                    global_addresses[relocation.target].wrapping_add_signed(relocation.addend);
                let region = (global_addresses[id] >> 32) as usize - 1;
                let start = relocation.offset as usize;
                global.regions[region].bytes[start..start + 8]
                    .copy_from_slice(&value.to_le_bytes());
            }
        }
        let groups = [0, 1, 2].map(|d| range.global[d].div_ceil(range.local[d]));
        let payloads = Payloads::new(module, kernel, received, groups.iter().product())?;
        Ok(Self {
            payloads,
            module,
            options,
            global,
            local: Memory::default(),
            global_addresses,
            printf: Vec::new(),
            kernel,
            range: *range,
            prepared,
            num_buffers: inputs.buffers.len(),
            local_args: Vec::new(),
            group_id: [0; 3],
            group_size: [0; 3],
            fuel: options.fuel,
            printf_buffer: None,
            private_memory: FxHashMap::default(),
        })
    }

    /// Runs all groups.
    pub fn run(mut self) -> Result<Output, InterpError> {
        let groups = self.num_groups();
        for z in 0..groups[2] {
            for y in 0..groups[1] {
                for x in 0..groups[0] {
                    self.group_id = [x, y, z];
                    self.run_group()?;
                }
            }
        }
        let mut regions = self.global.regions;
        let printf_buffer = match self.printf_buffer {
            Some(address) => std::mem::take(&mut regions[(address >> 32) as usize - 1].bytes),
            None => Vec::new(),
        };
        regions.truncate(self.num_buffers);
        Ok(Output {
            buffers: regions.into_iter().map(|r| r.bytes).collect(),
            printf: self.printf,
            printf_buffer,
            enqueued: self.payloads.enqueued,
        })
    }

    fn num_groups(&self) -> [u64; 3] {
        [0, 1, 2].map(|d| self.range.global[d].div_ceil(self.range.local[d]))
    }

    fn global_id(&self, item: &Item) -> [u64; 3] {
        [0, 1, 2].map(|d| {
            self.range.offset[d] + self.group_id[d] * self.range.local[d] + item.local_id[d]
        })
    }

    fn error(&self, kind: ErrorKind, item: &Item, at: Option<(FuncId, Inst)>) -> InterpError {
        let place = at.map_or(String::new(), |(id, inst)| {
            let func = &self.module.functions[id];
            let block = item.frames.last().map(|f| f.block);
            let block = block.map_or(String::new(), |b| format!("{b}: "));
            format!("{:?}, {block}{}", func.name, inst_to_text(func, inst))
        });
        InterpError {
            kind,
            place,
            global_id: self.global_id(item),
        }
    }

    fn run_group(&mut self) -> Result<(), InterpError> {
        self.group_size = [0, 1, 2].map(|d| {
            let start = self.group_id[d] * self.range.local[d];
            self.range.local[d].min(self.range.global[d] - start)
        });
        self.local = Memory::default();
        let follow = self.options.check_uninitialised;
        for (id, data) in self.module.globals.iter() {
            if data.space == AddressSpace::Local {
                self.global_addresses[id] = self.local.add_fresh(data.size, data.align, follow);
            }
        }
        let params = self.prepared.params.clone();
        self.local_args = params
            .iter()
            .map(|param| match *param {
                Param::Local { size, align } => Some(self.local.add_fresh(size, align, follow)),
                // A NULL local argument.
                Param::Value(_) => Some(0),
                Param::ByVal { .. } => None,
            })
            .collect();
        let mut items = Vec::new();
        let size = self.group_size;
        for linear in 0..size.iter().product::<u64>() {
            let local_id = [
                linear % size[0],
                linear / size[0] % size[1],
                linear / (size[0] * size[1]),
            ];
            items.push(self.new_item(linear, local_id, &params)?);
        }
        loop {
            for item in &mut items {
                if item.state == State::Ready {
                    self.run_slice(item)?;
                }
            }
            if items.iter().any(|item| item.state == State::Ready) {
                continue;
            }
            if items.iter().all(|item| item.state == State::Done) {
                return Ok(());
            }
            self.release(&mut items)?;
        }
    }

    fn new_item(
        &self,
        linear: u64,
        local_id: [u64; 3],
        params: &[Param],
    ) -> Result<Item, InterpError> {
        let mut item = Item {
            local_id,
            linear,
            state: State::Ready,
            frames: Vec::new(),
            private: Memory::default(),
        };
        let mut args: Vec<Lanes> = Vec::new();
        for (param, local) in params.iter().zip(&self.local_args) {
            args.push(match param {
                Param::Value(lanes) => lanes.clone(),
                Param::ByVal { bytes, align } => {
                    smallvec![item.private.add(bytes.clone(), *align, false)]
                }
                Param::Local { .. } => smallvec![local.unwrap_or(0)],
            });
        }
        item.push(self, self.kernel.func, &args, None)?;
        Ok(item)
    }

    fn run_slice(&mut self, item: &mut Item) -> Result<(), InterpError> {
        for _ in 0..SLICE {
            if item.state != State::Ready {
                break;
            }
            let at = item.position(self);
            let outcome = match self.fuel.checked_sub(1) {
                Some(left) => {
                    self.fuel = left;
                    item.step(self)
                }
                None => Err(ErrorKind::OutOfFuel),
            };
            outcome.map_err(|kind| self.error(kind, item, at))?;
        }
        Ok(())
    }

    fn scope(&self, (id, inst): (FuncId, Inst)) -> (Scope, bool) {
        match self.module.functions[id].insts[inst].kind {
            InstKind::Barrier { execution, .. } => (execution, true),
            InstKind::Group { scope, .. } => (scope, false),
            // Only what the whole group does waits.
            InstKind::Node { .. } => (Scope::Workgroup, true),
            _ => (Scope::Invocation, false),
        }
    }

    /// Lets waiting work-items go on: those of a sub-group first, then all together.
    fn release(&mut self, items: &mut [Item]) -> Result<(), InterpError> {
        let width = self.options.subgroup_size as usize;
        let mut released = false;
        for start in (0..items.len()).step_by(width) {
            let end = items.len().min(start + width);
            let positions: Vec<Option<(FuncId, Inst)>> = items[start..end]
                .iter()
                .map(|item| {
                    let at = item.position(self)?;
                    (self.scope(at).0 == Scope::Subgroup).then_some(at)
                })
                .collect();
            let Some(at) = positions.iter().flatten().next().copied() else {
                continue;
            };
            // In divergent flow the work-items at the same instruction are the active ones.
            let members: Vec<usize> = (start..end)
                .filter(|&i| positions[i - start] == Some(at))
                .collect();
            if self.scope(at).1 && members.len() != end - start {
                let first = &items[members[0]];
                return Err(self.error(ErrorKind::DivergentBarrier, first, Some(at)));
            }
            self.resolve(items, &members, at)?;
            released = true;
        }
        if released {
            return Ok(());
        }
        let waiting = items.iter().find(|item| item.state == State::Waiting);
        let Some(first) = waiting else { return Ok(()) };
        let Some(at) = first.position(self) else {
            return Ok(());
        };
        let diverged = items.iter().find(|item| item.position(self) != Some(at));
        if diverged.is_some() {
            return Err(self.error(ErrorKind::DivergentBarrier, first, Some(at)));
        }
        let members: Vec<usize> = (0..items.len()).collect();
        self.resolve(items, &members, at)
    }

    fn resolve(
        &mut self,
        items: &mut [Item],
        members: &[usize],
        at: (FuncId, Inst),
    ) -> Result<(), InterpError> {
        let func = &self.module.functions[at.0];
        let data = &func.insts[at.1];
        if let InstKind::Node { op, args } = &data.kind {
            let first = &items[members[0]];
            let args: Vec<u64> = args.iter().map(|&a| first.read(func, a)[0]).collect();
            let done = self.payloads.execute(self.module, *op, &args);
            let result = done.map_err(|kind| self.error(kind, &items[members[0]], Some(at)))?;
            if let Some(&value) = data.results.first() {
                for &i in members {
                    items[i].write(value, result.clone());
                }
            }
        }
        if let InstKind::Group { op, scope, args } = &data.kind {
            let lanes: Vec<collective::Lane> = members
                .iter()
                .map(|&i| collective::Lane {
                    number: match scope {
                        Scope::Subgroup => items[i].linear % u64::from(self.options.subgroup_size),
                        _ => items[i].linear,
                    },
                    local_id: items[i].local_id,
                    args: args.iter().map(|&a| items[i].read(func, a)).collect(),
                })
                .collect();
            let ty = args.first().map_or(Type::BOOL, |&a| func.ty(a));
            let width = u64::from(self.options.subgroup_size);
            let results = collective::evaluate(*op, *scope, ty, width, &lanes)
                .map_err(|kind| self.error(kind, &items[members[0]], Some(at)))?;
            for (&i, result) in members.iter().zip(results) {
                if let Some(&value) = data.results.first() {
                    items[i].write(value, result);
                }
            }
        }
        for &i in members {
            items[i].advance();
            items[i].state = State::Ready;
        }
        Ok(())
    }

    /// Instructions executed so far.
    pub fn clock(&self) -> u64 {
        self.options.fuel - self.fuel
    }

    /// The address of a local argument.
    pub fn local_arg(&self, ordinal: u32) -> Result<u64, ErrorKind> {
        let found = self.local_args.get(ordinal as usize).copied().flatten();
        found.ok_or_else(|| ErrorKind::Unsupported(format!("local_arg {ordinal}")))
    }

    /// A value in the argument block.
    pub fn load_arg(&self, offset: u32, ty: Type) -> Result<Lanes, ErrorKind> {
        let start = offset as usize;
        let bytes = self
            .prepared
            .block
            .get(start..start + ty.access_bytes() as usize);
        match bytes {
            Some(bytes) => Ok(lanes_of(ty, bytes)),
            None => Err(ErrorKind::OutOfBounds {
                address: u64::from(offset),
                size: u64::from(ty.access_bytes()),
            }),
        }
    }

    /// A built-in value of a work-item.
    pub fn built_in(&mut self, which: BuiltIn, item: &Item) -> Result<Lanes, ErrorKind> {
        let range = &self.range;
        let count = |size: [u64; 3]| size.iter().product::<u64>();
        let width = u64::from(self.options.subgroup_size);
        let lane = item.linear % width;
        let members = width.min(count(self.group_size) - (item.linear - lane));
        let mask = |first: u64, end: u64| -> Lanes {
            let ones = |n: u64| {
                if n >= 128 {
                    u128::MAX
                } else {
                    (1u128 << n) - 1
                }
            };
            let bits = ones(end) & !ones(first);
            (0..4)
                .map(|word| (bits >> (32 * word)) as u64 & 0xffff_ffff)
                .collect()
        };
        Ok(match which {
            BuiltIn::GlobalId => Lanes::from_slice(&self.global_id(item)),
            BuiltIn::LocalId => Lanes::from_slice(&item.local_id),
            BuiltIn::GroupId => Lanes::from_slice(&self.group_id),
            BuiltIn::GlobalSize => Lanes::from_slice(&range.global),
            BuiltIn::LocalSize => Lanes::from_slice(&self.group_size),
            BuiltIn::EnqueuedLocalSize => Lanes::from_slice(&range.local),
            BuiltIn::NumGroups => Lanes::from_slice(&self.num_groups()),
            BuiltIn::GlobalOffset => Lanes::from_slice(&range.offset),
            BuiltIn::WorkDim => smallvec![u64::from(range.work_dim)],
            BuiltIn::GlobalLinearId => {
                let id = self.global_id(item);
                let [x, y, z] = [0, 1, 2].map(|d| id[d] - range.offset[d]);
                smallvec![(z * range.global[1] + y) * range.global[0] + x]
            }
            BuiltIn::LocalLinearId => smallvec![item.linear],
            BuiltIn::SubgroupSize => smallvec![members],
            BuiltIn::SubgroupMaxSize => smallvec![width],
            BuiltIn::NumSubgroups => smallvec![count(self.group_size).div_ceil(width)],
            BuiltIn::NumEnqueuedSubgroups => smallvec![count(range.local).div_ceil(width)],
            BuiltIn::SubgroupId => smallvec![item.linear / width],
            BuiltIn::SubgroupLocalId => smallvec![lane],
            BuiltIn::SubgroupEqMask => mask(lane, lane + 1),
            BuiltIn::SubgroupGeMask => mask(lane, members),
            BuiltIn::SubgroupGtMask => mask(lane + 1, members.max(lane + 1)),
            BuiltIn::SubgroupLeMask => mask(0, lane + 1),
            BuiltIn::SubgroupLtMask => mask(0, lane),
            BuiltIn::RemainingRecursionLevels => smallvec![0],
            BuiltIn::ShaderIndex => {
                let node = self.kernel.node.as_deref();
                let index = node.and_then(|node| node.shader_index);
                smallvec![u64::from(index.unwrap_or(0))]
            }
            BuiltIn::MaxWorkGroupSize => smallvec![MAX_WORK_GROUP_SIZE],
            BuiltIn::PrivateMemory => {
                let size = self.kernel.private_bytes as usize;
                let global = &mut self.global;
                let key = (self.group_id, item.linear);
                let address = (self.private_memory)
                    .entry(key)
                    .or_insert_with(|| global.add(vec![0; size], 128, false));
                smallvec![*address]
            }
            BuiltIn::PrintfBuffer => {
                let size = self.options.printf_buffer_size as usize;
                let global = &mut self.global;
                let address = self
                    .printf_buffer
                    .get_or_insert_with(|| global.add(vec![0; size], 4096, false));
                smallvec![*address]
            }
        })
    }
}
