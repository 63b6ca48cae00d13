//! Alias partitions of local and private memory.
//!
//! Takes: lowered IR. Gives: for every local or private pointer value the partition it points
//! into, and for every partition its element width, its objects and where each begins.
//!
//! Algorithm: union-find over pointer values, variables, slots and local arguments. Whatever
//! meets by data flow (selects, block parameters, calls), by comparison, or through memory,
//! integers and generic pointers (one "escaped" node per address space) becomes one partition.
//! Constants (NULL) join nothing. A partition becomes one array; its element is the atomics'
//! width if it has atomics, else the narrowest access, or what is cheapest if it is private. A private partition that stays in one
//! function is a Function variable, else a module-scope Private variable in which every
//! function has its own part (OpenCL C has no recursion).
//!
//! Invariant: a pointer is `bias + offset in the array`. The bias is above 0, so that NULL is
//! 0, unless nobody can see the address (no comparison, no escape).

use crate::LowerError;
use crate::{
    AddressSpace, ConvertOp, FuncId, GlobalId, InstKind, Module, Scalar, StackSlot, Type, Value,
    ValueDef,
};
use cranelift_entity::SecondaryMap;
use rustc_hash::FxHashMap;
use std::cmp::Ordering;

/// A memory object inside a partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Object {
    /// A local variable.
    Global(GlobalId),
    /// A private variable.
    Slot(FuncId, StackSlot),
    /// A local argument: kernel number and ordinal.
    LocalArg(u32, u32),
}

/// One array.
#[derive(Clone, Debug)]
pub struct Partition {
    /// Local or Private.
    pub space: AddressSpace,
    /// Element width in bytes: 1, 2, 4 or 8.
    pub unit: u32,
    /// True if atomics touch it.
    pub atomic: bool,
    /// Added to array offsets to give pointers.
    pub bias: u32,
    /// Objects of known size with their byte offset in the array.
    pub objects: Vec<(Object, u32)>,
    /// Local arguments, behind the objects, with their alignment.
    pub args: Vec<(Object, u32)>,
    /// Bytes of `objects`.
    pub fixed_bytes: u32,
    /// The single function that uses a private partition.
    pub single_function: Option<FuncId>,
}

/// The kind of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AccessKind {
    Load,
    Store,
    Atomic,
}

/// One load, store or atomic operation.
#[derive(Clone, Copy, Debug)]
struct Access {
    node: u32,
    /// Bytes of its pieces, as wide as it is aligned.
    width: u32,
    pieces: u32,
    kind: AccessKind,
}

impl Access {
    /// Gives the cost in an array of so wide elements that nobody else sees: memory operations, and
    /// those that join and cut their words.
    fn cost(self, unit: u32) -> u64 {
        let each = match (unit.cmp(&self.width), self.kind) {
            (Ordering::Equal, _) => 1,
            (Ordering::Less, _) => 2 * (self.width / unit),
            // A word is cut, or read, changed and written.
            (Ordering::Greater, AccessKind::Load) => 3,
            (Ordering::Greater, _) => 5,
        };
        u64::from(each * self.pieces)
    }
}

/// All partitions of a module.
pub struct Partitions {
    /// The partitions.
    pub list: Vec<Partition>,
    values: FxHashMap<(FuncId, Value), u32>,
    objects: FxHashMap<Object, u32>,
    escaped: [Option<u32>; 2],
}

fn space_index(space: AddressSpace) -> Option<usize> {
    match space {
        AddressSpace::Local => Some(0),
        AddressSpace::Private => Some(1),
        _ => None,
    }
}

struct Finder<'m> {
    module: &'m Module,
    parent: Vec<u32>,
    space: Vec<AddressSpace>,
    values: FxHashMap<(FuncId, Value), u32>,
    objects: FxHashMap<Object, u32>,
    escaped: [u32; 2],
    /// True if what becomes a number may become a pointer again.
    numbers_escape: bool,
    observed: Vec<u32>,
    accesses: Vec<Access>,
    /// First node of the results of each function.
    returns: FxHashMap<(FuncId, usize), u32>,
}

impl Finder<'_> {
    fn node(&mut self, space: AddressSpace) -> u32 {
        let id = self.parent.len() as u32;
        self.parent.push(id);
        self.space.push(space);
        id
    }

    fn find(&mut self, mut node: u32) -> u32 {
        while self.parent[node as usize] != node {
            let up = self.parent[node as usize];
            self.parent[node as usize] = self.parent[up as usize];
            node = up;
        }
        node
    }

    fn union(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        self.parent[b.max(a) as usize] = a.min(b);
    }

    /// The node of a local or private pointer value; constants have none.
    fn value(&mut self, func: FuncId, value: Value) -> Option<u32> {
        let f = &self.module.functions[func];
        let space = f.ty(value).address_space()?;
        space_index(space)?;
        if matches!(f.def(value), ValueDef::Const(_) | ValueDef::Undef) {
            return None;
        }
        if let Some(&node) = self.values.get(&(func, value)) {
            return Some(node);
        }
        let node = self.node(space);
        self.values.insert((func, value), node);
        Some(node)
    }

    fn object(&mut self, object: Object, space: AddressSpace) -> u32 {
        if let Some(&node) = self.objects.get(&object) {
            return node;
        }
        let node = self.node(space);
        self.objects.insert(object, node);
        node
    }

    fn join_values(&mut self, func: FuncId, a: Value, b: Value) {
        if let (Some(a), Some(b)) = (self.value(func, a), self.value(func, b)) {
            self.union(a, b);
        }
    }

    fn escape(&mut self, func: FuncId, value: Value) {
        if let Some(node) = self.value(func, value) {
            let space = self.space[node as usize];
            let escaped = self.escaped[space_index(space).unwrap_or(0)];
            self.union(node, escaped);
        }
    }

    fn access(&mut self, func: FuncId, ptr: Value, ty: Type, align: u32, kind: AccessKind) {
        if let Some(node) = self.value(func, ptr) {
            let size = ty.scalar.bytes();
            let width = size.min(align.max(1));
            self.accesses.push(Access {
                node,
                width,
                pieces: size / width * u32::from(ty.lanes),
                kind,
            });
        }
    }

    fn function(&mut self, id: FuncId, kernel: Option<u32>) -> Result<(), LowerError> {
        let module = self.module;
        let f = &module.functions[id];
        for &block in &f.layout.blocks {
            for &inst in &f.layout.insts[block] {
                let data = &f.insts[inst];
                let result = data.results.first().copied();
                match &data.kind {
                    InstKind::GlobalAddr { global } => {
                        if module.globals[*global].space == AddressSpace::Local {
                            let object = self.object(Object::Global(*global), AddressSpace::Local);
                            if let Some(node) = result.and_then(|r| self.value(id, r)) {
                                self.union(node, object);
                            }
                        }
                    }
                    InstKind::StackAddr { slot } => {
                        let object = self.object(Object::Slot(id, *slot), AddressSpace::Private);
                        if let Some(node) = result.and_then(|r| self.value(id, r)) {
                            self.union(node, object);
                        }
                    }
                    InstKind::LocalArg { ordinal } => {
                        let kernel = kernel.ok_or_else(|| {
                            LowerError::new(format!(
                                "internal: local argument read in {}, which is no kernel",
                                f.name
                            ))
                        })?;
                        let object =
                            self.object(Object::LocalArg(kernel, *ordinal), AddressSpace::Local);
                        if let Some(node) = result.and_then(|r| self.value(id, r)) {
                            self.union(node, object);
                        }
                    }
                    InstKind::PtrAdd { base, .. } => {
                        if let Some(r) = result {
                            self.join_values(id, r, *base);
                        }
                    }
                    InstKind::Select { then, other, .. } => {
                        if let Some(r) = result {
                            self.join_values(id, r, *then);
                            self.join_values(id, r, *other);
                        }
                    }
                    InstKind::Convert {
                        op: ConvertOp::PtrToInt,
                        arg,
                        ..
                    } if !self.numbers_escape => {
                        self.value(id, *arg);
                    }
                    InstKind::Convert { op, arg, .. } => {
                        if matches!(
                            op,
                            ConvertOp::AddressSpaceCast | ConvertOp::PtrToInt | ConvertOp::IntToPtr
                        ) {
                            self.escape(id, *arg);
                            if let Some(r) = result {
                                self.escape(id, r);
                            }
                        } else if let Some(r) = result {
                            self.join_values(id, r, *arg);
                        }
                    }
                    InstKind::ICmp { args, .. } => {
                        self.join_values(id, args[0], args[1]);
                        for arg in args {
                            if let Some(node) = self.value(id, *arg) {
                                self.observed.push(node);
                            }
                        }
                    }
                    InstKind::Load { ptr, align, flags } => {
                        if let Some(r) = result {
                            let at = flags.element_align(*align);
                            self.access(id, *ptr, f.ty(r), at, AccessKind::Load);
                            self.escape(id, r);
                        }
                    }
                    InstKind::Store {
                        ptr,
                        value,
                        align,
                        flags,
                    } => {
                        let align = flags.element_align(*align);
                        self.access(id, *ptr, f.ty(*value), align, AccessKind::Store);
                        self.escape(id, *value);
                    }
                    InstKind::AtomicLoad { ptr, .. } | InstKind::AtomicCmpXchg { ptr, .. } => {
                        if let Some(r) = result {
                            self.access(id, *ptr, f.ty(r), 8, AccessKind::Atomic);
                            self.escape(id, r);
                        }
                    }
                    InstKind::AtomicStore { ptr, value, .. }
                    | InstKind::AtomicRmw { ptr, value, .. } => {
                        self.access(id, *ptr, f.ty(*value), 8, AccessKind::Atomic);
                        self.escape(id, *value);
                        if let Some(r) = result {
                            self.escape(id, r);
                        }
                    }
                    InstKind::Call { func, args } => {
                        let callee = &module.functions[*func];
                        if let Some(entry) = callee.entry() {
                            for (&arg, &param) in args.iter().zip(&callee.blocks[entry].params) {
                                let (a, p) = (self.value(id, arg), self.value(*func, param));
                                if let (Some(a), Some(p)) = (a, p) {
                                    self.union(a, p);
                                }
                            }
                        }
                        for (i, &r) in data.results.iter().enumerate() {
                            if let Some(node) = self.value(id, r) {
                                let ret = self.return_node(*func, i, node);
                                self.union(node, ret);
                            }
                        }
                    }
                    InstKind::Return { values } => {
                        for (i, &v) in values.iter().enumerate() {
                            if let Some(node) = self.value(id, v) {
                                let ret = self.return_node(id, i, node);
                                self.union(node, ret);
                            }
                        }
                    }
                    InstKind::Jump { .. } | InstKind::Branch { .. } | InstKind::Switch { .. } => {
                        for call in data.kind.successors() {
                            for (&arg, &param) in call.args.iter().zip(&f.blocks[call.block].params)
                            {
                                self.join_values(id, arg, param);
                            }
                        }
                    }
                    InstKind::Matrix { op, args } => {
                        if let Some(ty) = f.accessed_component(*op, args, result) {
                            let bytes = ty.access_bytes();
                            self.access(id, args[0], ty, bytes, AccessKind::Load);
                        }
                    }
                    InstKind::MemCopy { dst, src, .. } => {
                        for ptr in [*dst, *src] {
                            self.value(id, ptr);
                        }
                    }
                    other => {
                        // Collectives and vectors of pointers: whatever flows there escapes.
                        other.for_each_value(|v| self.escape(id, v));
                        for &r in &data.results {
                            self.escape(id, r);
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn return_node(&mut self, func: FuncId, index: usize, like: u32) -> u32 {
        if let Some(&node) = self.returns.get(&(func, index)) {
            return node;
        }
        let node = self.node(self.space[like as usize]);
        self.returns.insert((func, index), node);
        node
    }
}

fn align_up(value: u32, align: u32) -> u32 {
    value.next_multiple_of(align.max(1))
}

impl Partitions {
    /// Finds the partitions of the given functions (those reachable from kernels).
    ///
    /// # Errors
    /// A variable that is too large, or a pointer for which no partition is found.
    pub fn compute(module: &Module, functions: &[FuncId]) -> Result<Self, LowerError> {
        Self::find(module, functions, true)
    }

    /// The same before emission, where no number becomes a pointer to private memory.
    ///
    /// # Errors
    /// As [`Partitions::compute`].
    pub fn without_numbers(module: &Module, functions: &[FuncId]) -> Result<Self, LowerError> {
        Self::find(module, functions, false)
    }

    fn find(module: &Module, functions: &[FuncId], escape: bool) -> Result<Self, LowerError> {
        let mut finder = Finder {
            numbers_escape: escape,
            module,
            parent: Vec::new(),
            space: Vec::new(),
            values: FxHashMap::default(),
            objects: FxHashMap::default(),
            escaped: [0, 0],
            observed: Vec::new(),
            accesses: Vec::new(),
            returns: FxHashMap::default(),
        };
        finder.escaped = [
            finder.node(AddressSpace::Local),
            finder.node(AddressSpace::Private),
        ];
        finder.observed.extend(finder.escaped);
        let mut kernel_of: SecondaryMap<FuncId, Option<u32>> = SecondaryMap::new();
        for (i, kernel) in module.kernels.iter().enumerate() {
            kernel_of[kernel.func] = Some(i as u32);
        }
        for &func in functions {
            finder.function(func, kernel_of[func])?;
        }
        Self::lay_out(module, finder)
    }

    fn lay_out(module: &Module, mut finder: Finder<'_>) -> Result<Self, LowerError> {
        let mut numbers: FxHashMap<u32, u32> = FxHashMap::default();
        let mut list: Vec<Partition> = Vec::new();
        let mut users: Vec<Vec<FuncId>> = Vec::new();
        let mut number = |finder: &mut Finder<'_>,
                          list: &mut Vec<Partition>,
                          users: &mut Vec<Vec<FuncId>>,
                          node: u32| {
            let root = finder.find(node);
            *numbers.entry(root).or_insert_with(|| {
                list.push(Partition {
                    space: finder.space[root as usize],
                    unit: 0,
                    atomic: false,
                    bias: 0,
                    objects: Vec::new(),
                    args: Vec::new(),
                    fixed_bytes: 0,
                    single_function: None,
                });
                users.push(Vec::new());
                list.len() as u32 - 1
            })
        };
        let mut objects: Vec<(Object, u32)> =
            finder.objects.iter().map(|(&o, &n)| (o, n)).collect();
        objects.sort_unstable();
        let mut object_map = FxHashMap::default();
        for (object, node) in objects {
            let p = number(&mut finder, &mut list, &mut users, node);
            object_map.insert(object, p);
            match object {
                Object::LocalArg(..) => list[p as usize].args.push((object, 1)),
                _ => list[p as usize].objects.push((object, 0)),
            }
            if let Object::Slot(func, _) = object {
                users[p as usize].push(func);
            }
        }
        let mut pairs: Vec<((FuncId, Value), u32)> =
            finder.values.iter().map(|(&k, &n)| (k, n)).collect();
        pairs.sort_unstable();
        let mut values = FxHashMap::default();
        for (key, node) in pairs {
            let p = number(&mut finder, &mut list, &mut users, node);
            values.insert(key, p);
            users[p as usize].push(key.0);
        }
        // What elements of 1, 2, 4 and 8 bytes would cost.
        let mut costs: Vec<[u64; 4]> = vec![[0; 4]; list.len()];
        for access in std::mem::take(&mut finder.accesses) {
            let p = number(&mut finder, &mut list, &mut users, access.node) as usize;
            costs.resize(list.len(), [0; 4]);
            for (log, cost) in costs[p].iter_mut().enumerate() {
                *cost += access.cost(1 << log);
            }
            let (part, width) = (&mut list[p], access.width);
            if access.kind == AccessKind::Atomic {
                part.unit = if part.atomic {
                    part.unit.max(width)
                } else {
                    width
                };
                part.atomic = true;
            } else if !part.atomic {
                part.unit = if part.unit == 0 {
                    width
                } else {
                    part.unit.min(width)
                };
            }
        }
        for (part, costs) in list.iter_mut().zip(&costs) {
            // The narrowest access decides where others write too; private memory takes what is
            // cheapest, narrow if equal.
            if part.space == AddressSpace::Private && !part.atomic && part.unit != 0 {
                let cheapest = (0..4).min_by_key(|&log: &usize| costs[log]);
                part.unit = 1 << cheapest.unwrap_or(2);
            }
        }
        let mut observed = vec![false; list.len()];
        for node in std::mem::take(&mut finder.observed) {
            let root = finder.find(node);
            if let Some(&p) = numbers.get(&root) {
                observed[p as usize] = true;
            }
        }
        let mut escaped = [None, None];
        for (i, slot) in escaped.iter_mut().enumerate() {
            let root = finder.find(finder.escaped[i]);
            *slot = numbers.get(&root).copied();
        }
        for (p, part) in list.iter_mut().enumerate() {
            if part.unit == 0 {
                part.unit = 4;
            }
            let mut end: u32 = 0;
            let mut max_align = part.unit;
            // Widest alignment first keeps padding small.
            let meta = |object: Object| -> Result<(u32, u32), LowerError> {
                Ok(match object {
                    Object::Global(g) => {
                        let g = &module.globals[g];
                        let size = u32::try_from(g.size).map_err(|_| {
                            LowerError::new(format!("local variable {} is too large", g.name))
                        })?;
                        (size, g.align)
                    }
                    Object::Slot(func, slot) => {
                        let s = module.functions[func].slots[slot];
                        (s.size, s.align)
                    }
                    Object::LocalArg(kernel, ordinal) => {
                        let kernel = &module.kernels[kernel as usize];
                        let align = match kernel.args.get(ordinal as usize).map(|a| &a.kind) {
                            Some(crate::KernelArgKind::Local { align }) => *align,
                            _ => 128,
                        };
                        (0, align)
                    }
                })
            };
            let mut sized = Vec::new();
            for &(object, _) in &part.objects {
                let (size, align) = meta(object)?;
                sized.push((object, size, align.max(1)));
            }
            sized.sort_by_key(|&(object, _, align)| (std::cmp::Reverse(align), object));
            for ((object, offset), (o, size, align)) in part.objects.iter_mut().zip(sized) {
                *object = o;
                end = align_up(end, align);
                *offset = end;
                end = end.checked_add(size).ok_or_else(|| {
                    LowerError::new("variables need more than 4 GiB of private or local memory")
                })?;
                max_align = max_align.max(align);
            }
            part.fixed_bytes = end;
            for (object, align) in &mut part.args {
                *align = meta(*object)?.1.max(part.unit);
                max_align = max_align.max(*align);
            }
            if observed[p] {
                part.bias = max_align;
            }
            let owners = &mut users[p];
            owners.sort_unstable();
            owners.dedup();
            if let [one] = owners[..] {
                part.single_function = Some(one);
            }
        }
        Ok(Self {
            list,
            values,
            objects: object_map,
            escaped,
        })
    }

    /// The partition that a pointer value points into; none for constants.
    pub fn of_value(&self, func: FuncId, value: Value) -> Option<u32> {
        self.values.get(&(func, value)).copied()
    }

    /// The partition of an object.
    pub fn of_object(&self, object: Object) -> Option<u32> {
        self.objects.get(&object).copied()
    }

    /// The bias of the escaped partition of a space: what generic pointers hold.
    pub fn escaped(&self, space: AddressSpace) -> Option<u32> {
        self.escaped[space_index(space)?]
    }
}

/// Returns whether a type holds a local or private pointer.
pub fn is_offset_pointer(ty: Type) -> bool {
    matches!(
        ty.scalar,
        Scalar::Ptr(AddressSpace::Local | AddressSpace::Private)
    )
}
