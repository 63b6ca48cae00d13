//! Work-groups: scheduling, barriers, collectives.

use super::collective;
use super::exec::{Item, State};
use super::machine::{ItemId, Machine};
use super::memory::Memory;
use super::{ErrorKind, InterpError, Output};
use pumice_ir::text::inst_to_text;
use pumice_ir::{FuncId, Inst, InstKind, Scope, Type};

/// Instructions that a work-item executes before another one gets its turn.
const SLICE: u32 = 20_000;

/// Runs all groups.
pub(super) fn run(mut machine: Machine<'_>) -> Result<Output, InterpError> {
    let groups = machine.num_groups();
    for z in 0..groups[2] {
        for y in 0..groups[1] {
            for x in 0..groups[0] {
                machine.enter_group([x, y, z]);
                Group::new(&mut machine)?.run()?;
            }
        }
    }
    Ok(machine.finish())
}

/// The work-items of the present group.
struct Group<'m, 'a> {
    machine: &'m mut Machine<'a>,
    items: Vec<Item>,
}

impl<'m, 'a> Group<'m, 'a> {
    fn new(machine: &'m mut Machine<'a>) -> Result<Self, InterpError> {
        let items = machine.items().map(|id| new_item(machine, id));
        let items = items.collect::<Result<_, _>>()?;
        Ok(Self { machine, items })
    }

    fn run(&mut self) -> Result<(), InterpError> {
        loop {
            for item in &mut self.items {
                run_slice(self.machine, item)?;
            }
            if self.items.iter().any(|item| item.state == State::Ready) {
                continue;
            }
            if self.items.iter().all(|item| item.state == State::Done) {
                return Ok(());
            }
            self.release()?;
        }
    }

    fn scope(&self, (id, inst): (FuncId, Inst)) -> (Scope, bool) {
        match self.machine.module.functions[id].insts[inst].kind {
            InstKind::Barrier { execution, .. } => (execution, true),
            InstKind::Group { scope, .. } => (scope, false),
            // Only what the whole group does waits.
            InstKind::Node { .. } => (Scope::Workgroup, true),
            _ => (Scope::Invocation, false),
        }
    }

    /// Lets waiting work-items go on: those of a sub-group first, then all together.
    fn release(&mut self) -> Result<(), InterpError> {
        let width = self.machine.options.subgroup_size as usize;
        let mut released = false;
        for start in (0..self.items.len()).step_by(width) {
            let end = self.items.len().min(start + width);
            let positions: Vec<Option<(FuncId, Inst)>> = self.items[start..end]
                .iter()
                .map(|item| {
                    let at = item.position(self.machine)?;
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
                return Err(self.error(ErrorKind::DivergentBarrier, members[0], at));
            }
            self.resolve(&members, at)?;
            released = true;
        }
        if released {
            return Ok(());
        }
        let is_waiting = |item: &Item| item.state == State::Waiting;
        let Some(first) = self.items.iter().position(is_waiting) else {
            return Ok(());
        };
        let Some(at) = self.items[first].position(self.machine) else {
            return Ok(());
        };
        let diverges = |item: &Item| item.position(self.machine) != Some(at);
        if self.items.iter().any(diverges) {
            return Err(self.error(ErrorKind::DivergentBarrier, first, at));
        }
        let members: Vec<usize> = (0..self.items.len()).collect();
        self.resolve(&members, at)
    }

    /// Executes the instruction that the members wait at, and lets them go on.
    fn resolve(&mut self, members: &[usize], at: (FuncId, Inst)) -> Result<(), InterpError> {
        let func = &self.machine.module.functions[at.0];
        let data = &func.insts[at.1];
        let results = match &data.kind {
            InstKind::Node { op, args } => {
                let first = &self.items[members[0]];
                let args: Vec<u64> = args.iter().map(|&a| first.read(func, a)[0]).collect();
                let module = self.machine.module;
                let result = self.machine.payloads.execute(module, *op, &args);
                result.map(|result| vec![result; members.len()])
            }
            InstKind::Group { op, scope, args } => {
                let width = u64::from(self.machine.options.subgroup_size);
                let lanes: Vec<collective::Lane> = members
                    .iter()
                    .map(|&i| collective::Lane {
                        number: match scope {
                            Scope::Subgroup => self.items[i].id.linear % width,
                            _ => self.items[i].id.linear,
                        },
                        local_id: self.items[i].id.local_id,
                        args: args.iter().map(|&a| self.items[i].read(func, a)).collect(),
                    })
                    .collect();
                let ty = args.first().map_or(Type::BOOL, |&a| func.ty(a));
                collective::evaluate(*op, *scope, ty, width, &lanes)
            }
            _ => Ok(Vec::new()),
        };
        let results = results.map_err(|kind| self.error(kind, members[0], at))?;
        if let Some(&value) = data.results.first() {
            for (&i, result) in members.iter().zip(results) {
                self.items[i].write(value, result);
            }
        }
        for &i in members {
            self.items[i].advance();
            self.items[i].state = State::Ready;
        }
        Ok(())
    }

    fn error(&self, kind: ErrorKind, item: usize, at: (FuncId, Inst)) -> InterpError {
        error(self.machine, kind, &self.items[item], Some(at))
    }
}

fn new_item(machine: &Machine<'_>, id: ItemId) -> Result<Item, ErrorKind> {
    let mut item = Item {
        id,
        state: State::Ready,
        frames: Vec::new(),
        private: Memory::default(),
    };
    let args = machine.arguments(&mut item.private);
    item.push(machine, machine.kernel.func, &args, None)?;
    Ok(item)
}

/// Executes instructions of one work-item until it waits, ends or another one gets its turn.
fn run_slice(machine: &mut Machine<'_>, item: &mut Item) -> Result<(), InterpError> {
    for _ in 0..SLICE {
        if item.state != State::Ready {
            break;
        }
        let at = item.position(machine);
        let outcome = machine.spend().and_then(|()| item.step(machine));
        outcome.map_err(|kind| error(machine, kind, item, at))?;
    }
    Ok(())
}

fn error(
    machine: &Machine<'_>,
    kind: ErrorKind,
    item: &Item,
    at: Option<(FuncId, Inst)>,
) -> InterpError {
    let place = at.map_or(String::new(), |(id, inst)| {
        let func = &machine.module.functions[id];
        let block = item.frames.last().map(|f| f.block);
        let block = block.map_or(String::new(), |b| format!("{b}: "));
        format!("{:?}, {block}{}", func.name, inst_to_text(func, inst))
    });
    InterpError {
        kind,
        place,
        global_id: machine.global_id(item.id),
    }
}
