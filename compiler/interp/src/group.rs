//! Work-groups: scheduling and barriers.

use super::args::Param;
use super::collective;
use super::exec::{Item, State};
use super::lanes::Lanes;
use super::machine::Machine;
use super::memory::Memory;
use super::{ErrorKind, InterpError, Output};
use pumice_ir::text::inst_to_text;
use pumice_ir::{AddressSpace, FuncId, Inst, InstKind, Scope, Type};
use smallvec::smallvec;

/// Instructions that a work-item executes before another one gets its turn.
const SLICE: u32 = 20_000;

impl Machine<'_> {
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
        self.run_device_queue()?;
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
            global_id: self.global_id(item.local_id),
        }
    }

    pub fn run_group(&mut self) -> Result<(), InterpError> {
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
            let outcome = match self.fuel.checked_sub(1) {
                Some(left) => {
                    self.fuel = left;
                    item.step(self)
                }
                None => Err(ErrorKind::OutOfFuel),
            };
            // An instruction that fails leaves the work-item where it stands.
            outcome.map_err(|kind| self.error(kind, item, item.position(self)))?;
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
        let width = self.subgroup_size as usize;
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
            let mut waiting = (start..end).zip(&positions);
            let Some((first, at)) = waiting.find_map(|(i, &at)| Some((i, at?))) else {
                continue;
            };
            // In divergent flow the work-items at the same instruction are the active ones, if the same calls have led to it.
            let is_with_first = |&i: &usize| {
                positions[i - start] == Some(at) && items[i].calls().eq(items[first].calls())
            };
            let members: Vec<usize> = (start..end).filter(is_with_first).collect();
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
                        Scope::Subgroup => items[i].linear % u64::from(self.subgroup_size),
                        _ => items[i].linear,
                    },
                    local_id: items[i].local_id,
                    args: args.iter().map(|&a| items[i].read(func, a)).collect(),
                })
                .collect();
            let ty = args.first().map_or(Type::BOOL, |&a| func.ty(a));
            let width = u64::from(self.subgroup_size);
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
}
