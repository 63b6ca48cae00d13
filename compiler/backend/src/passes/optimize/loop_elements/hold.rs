//! Makes elements variables of their loops.

use super::{Entry, FirstBranch, Held, Written};
use pumice_ir::{
    AccessFlags, AddressSpace, Block, BlockCall, Function, Inst, InstKind, IntCond, SourceLoc,
    StackSlotData, Type, Value,
};
use rustc_hash::FxHashMap;

/// A function whose loops get variables.
pub(super) struct Holder<'f> {
    func: &'f mut Function,
    /// The instruction that is to follow a store of an element.
    behind: FxHashMap<Inst, Inst>,
    /// The end of what was one block, where its start has been split off.
    ends: FxHashMap<Block, Block>,
    /// The block that leads to a loop's first one, where it is a new one.
    entries: FxHashMap<Block, Block>,
    has_branches: bool,
}

/// A place in memory, and what is accessed there.
#[derive(Clone, Copy)]
struct Place {
    ptr: Value,
    ty: Type,
    align: u32,
}

/// The values that copies of instructions have in place of others.
type Copied = FxHashMap<Value, Value>;

impl<'f> Holder<'f> {
    pub fn new(func: &'f mut Function) -> Self {
        Self {
            func,
            behind: FxHashMap::default(),
            ends: FxHashMap::default(),
            entries: FxHashMap::default(),
            has_branches: false,
        }
    }

    /// Makes an element a variable of its loop.
    pub fn hold(&mut self, held: &Held) {
        let loc = self.func.insts[held.accesses[0]].loc;
        let entry = self.entry(held, loc);
        let mut copied = Copied::default();
        self.copy_insts(entry, &held.address, &mut copied);
        let element = Place {
            ptr: copied.get(&held.ptr).copied().unwrap_or(held.ptr),
            ty: held.ty,
            align: held.align,
        };
        let variable = self.variable(entry, held.ty, loc);
        let mut loads = match held.is_loaded {
            true => self.moved(element, variable, loc).to_vec(),
            false => Vec::new(),
        };
        let is_always = held.written == Written::Always;
        let is_stored = (!is_always).then(|| self.variable(entry, Type::I32, loc));
        if let Some(is_stored) = is_stored {
            let no = self.note(is_stored, 0, loc);
            self.put(entry, &[no]);
            if held.written == Written::InFirstRound {
                loads.push(self.note(is_stored, 1, loc));
            }
        }
        match &held.entry {
            Entry::Anywhere | Entry::IntoLoop => self.put(entry, &loads),
            Entry::IntoRound(branch) => self.put_into_round(held, entry, branch, &loads),
        }
        for &inst in &held.accesses {
            let kind = &mut self.func.insts[inst].kind;
            let is_store = matches!(kind, InstKind::Store { .. });
            if let InstKind::Load { ptr, align, .. } | InstKind::Store { ptr, align, .. } = kind {
                (*ptr, *align) = (variable.ptr, variable.align);
            }
            let is_noted = is_store && held.written == Written::WhereStored;
            if let Some(is_stored) = is_stored.filter(|_| is_noted) {
                let yes = self.note(is_stored, 1, loc);
                self.behind.insert(inst, yes);
            }
        }
        for &block in &held.after {
            let stores = self.moved(variable, element, loc);
            match is_stored {
                Some(is_stored) => self.store_if(block, is_stored, &stores, loc),
                None => {
                    self.func.layout.insts[block].splice(0..0, stores);
                }
            }
        }
    }

    /// Puts the rest in its place. Returns whether there are new branches.
    pub fn finish(self) -> bool {
        if self.behind.is_empty() {
            return self.has_branches;
        }
        for &block in &self.func.layout.blocks {
            let insts = std::mem::take(&mut self.func.layout.insts[block]);
            let with_notes = |inst: Inst| {
                [Some(inst), self.behind.get(&inst).copied()]
                    .into_iter()
                    .flatten()
            };
            self.func.layout.insts[block] = insts.into_iter().flat_map(with_notes).collect();
        }
        self.has_branches
    }

    /// The block that leads into a loop. Where an element is loaded that is known to be inside its array only in the loop, it
    /// leads nowhere else.
    fn entry(&mut self, held: &Held, loc: SourceLoc) -> Block {
        if let Some(&entry) = self.entries.get(&held.header) {
            return entry;
        }
        let before = self.ends.get(&held.before).copied();
        let before = before.unwrap_or(held.before);
        let Some(last) = self.func.terminator(before) else {
            return before;
        };
        let leads_elsewhere = !matches!(self.func.insts[last].kind, InstKind::Jump { .. });
        if matches!(held.entry, Entry::Anywhere) || !leads_elsewhere {
            return before;
        }
        let entry = self.block_behind(before);
        let mut args = None;
        for call in self.func.insts[last].kind.successors_mut() {
            if call.block == held.header {
                args = Some(std::mem::replace(call, BlockCall::new(entry, &[])));
            }
        }
        if let Some(dest) = args {
            self.func.append(entry, InstKind::Jump { dest }, &[], loc);
        }
        self.entries.insert(held.header, entry);
        entry
    }

    /// Puts instructions where the first round of a loop begins, if it does.
    fn put_into_round(&mut self, held: &Held, entry: Block, branch: &FirstBranch, insts: &[Inst]) {
        let loc = self.func.insts[held.accesses[0]].loc;
        let end = self.func.layout.insts[entry].len().saturating_sub(1);
        let into_loop = self.func.split_block(entry, end);
        let mut copied = Copied::default();
        if let Some(last) = self.func.terminator(into_loop) {
            let params = &self.func.blocks[held.header].params;
            for call in self.func.insts[last].kind.successors() {
                copied.extend(params.iter().copied().zip(call.args.iter().copied()));
            }
        }
        self.copy_insts(entry, &branch.insts, &mut copied);
        let cond = copied.get(&branch.condition).copied();
        let cond = cond.unwrap_or(branch.condition);
        let into_round = self.block_behind(entry);
        self.func.layout.insts[into_round].extend_from_slice(insts);
        self.jump(into_round, into_loop, loc);
        let targets = match branch.goes_on {
            true => [into_round, into_loop],
            false => [into_loop, into_round],
        };
        self.branch(entry, cond, targets, loc);
        self.entries.insert(held.header, into_loop);
    }

    /// Puts stores at the start of a block, for the case that the variable is not 0.
    fn store_if(&mut self, block: Block, is_stored: Place, stores: &[Inst], loc: SourceLoc) {
        let rest = self.func.split_block(block, 0);
        self.ends.entry(block).or_insert(rest);
        let load = self.load(is_stored, loc);
        self.func.layout.insts[block].push(load);
        let args = [self.func.result(load), self.func.i32(0)];
        let kind = InstKind::ICmp {
            cond: IntCond::Ne,
            args,
        };
        let cond = self.func.append_value(block, kind, Type::BOOL, loc);
        let to_array = self.block_behind(block);
        self.func.layout.insts[to_array].extend_from_slice(stores);
        self.jump(to_array, rest, loc);
        self.branch(block, cond, [to_array, rest], loc);
    }

    /// A variable whose address is computed at the end of a block.
    fn variable(&mut self, block: Block, ty: Type, loc: SourceLoc) -> Place {
        let align = ty.alloc_bytes().next_power_of_two().min(16);
        let data = StackSlotData::new(ty.alloc_bytes(), align);
        let slot = self.func.slots.push(data);
        let address = InstKind::StackAddr { slot };
        let address_ty = Type::ptr(AddressSpace::Private);
        let inst = self.func.make_inst(address, &[address_ty], loc);
        self.put(block, &[inst]);
        Place {
            ptr: self.func.result(inst),
            ty,
            align,
        }
    }

    /// Puts instructions at the end of a block, before its terminator if it has one.
    fn put(&mut self, block: Block, insts: &[Inst]) {
        let terminators = usize::from(self.func.terminator(block).is_some());
        let list = &mut self.func.layout.insts[block];
        let end = list.len() - terminators;
        list.splice(end..end, insts.iter().copied());
    }

    /// Puts copies of instructions there.
    fn copy_insts(&mut self, block: Block, insts: &[Inst], copied: &mut Copied) {
        for &inst in insts {
            let data = self.func.insts[inst].clone();
            let mut kind = data.kind;
            kind.replace_values(copied);
            let types: Vec<Type> = data.results.iter().map(|&v| self.func.ty(v)).collect();
            let copy = self.func.make_inst(kind, &types, data.loc);
            let results = self.func.insts[copy].results.iter().copied();
            copied.extend(data.results.iter().copied().zip(results));
            self.put(block, &[copy]);
        }
    }

    /// A store of 0 or 1.
    fn note(&mut self, to: Place, value: i32, loc: SourceLoc) -> Inst {
        let value = self.func.i32(value);
        self.store(to, value, loc)
    }

    /// A load from one place and a store to the other.
    fn moved(&mut self, from: Place, to: Place, loc: SourceLoc) -> [Inst; 2] {
        let load = self.load(from, loc);
        let value = self.func.result(load);
        [load, self.store(to, value, loc)]
    }

    fn load(&mut self, from: Place, loc: SourceLoc) -> Inst {
        let Place { ptr, ty, align } = from;
        let flags = AccessFlags::empty();
        let load = InstKind::Load { ptr, align, flags };
        self.func.make_inst(load, &[ty], loc)
    }

    fn store(&mut self, to: Place, value: Value, loc: SourceLoc) -> Inst {
        let Place { ptr, align, .. } = to;
        let flags = AccessFlags::empty();
        let store = InstKind::Store {
            ptr,
            value,
            align,
            flags,
        };
        self.func.make_inst(store, &[], loc)
    }

    /// A new empty block behind another one in the layout.
    fn block_behind(&mut self, block: Block) -> Block {
        let end = self.func.layout.insts[block].len();
        self.func.split_block(block, end)
    }

    fn jump(&mut self, from: Block, to: Block, loc: SourceLoc) {
        let dest = BlockCall::new(to, &[]);
        self.func.append(from, InstKind::Jump { dest }, &[], loc);
    }

    fn branch(&mut self, from: Block, cond: Value, targets: [Block; 2], loc: SourceLoc) {
        let [then, other] = targets.map(|block| BlockCall::new(block, &[]));
        let branch = InstKind::Branch { cond, then, other };
        self.func.append(from, branch, &[], loc);
        self.has_branches = true;
    }
}
