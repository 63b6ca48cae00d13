//! Classes of local and private pointers that may meet: of values, objects and what functions return.

use super::{Object, space_index};
use crate::{
    AddressSpace, ConvertOp, FuncId, InstData, InstKind, LowerError, Module, Type, Value, ValueDef,
};
use rustc_hash::FxHashMap;
use std::cmp::Ordering;

/// The kind of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AccessKind {
    Load,
    Store,
    Atomic,
}

/// One load, store or atomic operation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Access {
    pub(super) node: u32,
    /// Bytes of its pieces, as wide as it is aligned.
    pub(super) width: u32,
    pieces: u32,
    pub(super) kind: AccessKind,
}

impl Access {
    /// Gives the cost in an array of so wide elements that nobody else sees: memory operations, and
    /// those that join and cut their words.
    pub(super) fn cost(self, unit: u32) -> u64 {
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

/// The union-find over all that points, with what uses it.
pub(super) struct Classes<'m> {
    pub(super) module: &'m Module,
    parent: Vec<u32>,
    pub(super) space: Vec<AddressSpace>,
    pub(super) values: FxHashMap<(FuncId, Value), u32>,
    pub(super) objects: FxHashMap<Object, u32>,
    pub(super) escaped: [u32; 2],
    /// True if what becomes a number may become a pointer again.
    numbers_escape: bool,
    pub(super) observed: Vec<u32>,
    /// Local variables that functions which are no kernels name.
    pub(super) named_by_called: Vec<u32>,
    pub(super) accesses: Vec<Access>,
    /// First node of the results of each function.
    returns: FxHashMap<(FuncId, usize), u32>,
}

impl<'m> Classes<'m> {
    /// The classes of some functions; `escape` says whether what becomes a number may become a pointer again.
    pub(super) fn of(
        module: &'m Module,
        functions: &[FuncId],
        escape: bool,
    ) -> Result<Self, LowerError> {
        let mut classes = Classes {
            numbers_escape: escape,
            module,
            parent: Vec::new(),
            space: Vec::new(),
            values: FxHashMap::default(),
            objects: FxHashMap::default(),
            escaped: [0, 0],
            observed: Vec::new(),
            named_by_called: Vec::new(),
            accesses: Vec::new(),
            returns: FxHashMap::default(),
        };
        classes.escaped = [
            classes.node(AddressSpace::Local),
            classes.node(AddressSpace::Private),
        ];
        classes.observed.extend(classes.escaped);
        let kernel_of = module.kernel_of_each();
        for &func in functions {
            classes.function(func, kernel_of[func])?;
        }
        Ok(classes)
    }

    fn node(&mut self, space: AddressSpace) -> u32 {
        let id = self.parent.len() as u32;
        self.parent.push(id);
        self.space.push(space);
        id
    }

    pub(super) fn find(&mut self, mut node: u32) -> u32 {
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
                let known = self.object_address(id, kernel, data)?
                    || self.memory_access(id, data)
                    || self.call_or_return(id, data)
                    || self.flow(id, data);
                if !known {
                    // Collectives and vectors of pointers: whatever flows there escapes.
                    data.kind.for_each_value(|v| self.escape(id, v));
                    for &r in &data.results {
                        self.escape(id, r);
                    }
                }
            }
        }
        Ok(())
    }

    /// Notes the object whose address an instruction gives; tells whether it gives one.
    fn object_address(
        &mut self,
        id: FuncId,
        kernel: Option<u32>,
        data: &InstData,
    ) -> Result<bool, LowerError> {
        let object = match &data.kind {
            InstKind::GlobalAddr { global } => {
                if self.module.globals[*global].space != AddressSpace::Local {
                    return Ok(true);
                }
                let object = self.object(Object::Global(*global), AddressSpace::Local);
                if kernel.is_none() {
                    self.named_by_called.push(object);
                }
                object
            }
            InstKind::StackAddr { slot } => {
                self.object(Object::Slot(id, *slot), AddressSpace::Private)
            }
            InstKind::LocalArg { ordinal } => {
                let kernel = kernel.ok_or_else(|| {
                    LowerError::new(format!(
                        "internal: local argument read in {}, which is no kernel",
                        self.module.functions[id].name
                    ))
                })?;
                self.object(Object::LocalArg(kernel, *ordinal), AddressSpace::Local)
            }
            _ => return Ok(false),
        };
        let result = data.results.first();
        if let Some(node) = result.and_then(|&r| self.value(id, r)) {
            self.union(node, object);
        }
        Ok(true)
    }

    /// Notes what an instruction reads or writes in memory; tells whether it does.
    fn memory_access(&mut self, id: FuncId, data: &InstData) -> bool {
        let f = &self.module.functions[id];
        let result = data.results.first().copied();
        match &data.kind {
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
            InstKind::AtomicStore { ptr, value, .. } | InstKind::AtomicRmw { ptr, value, .. } => {
                self.access(id, *ptr, f.ty(*value), 8, AccessKind::Atomic);
                self.escape(id, *value);
                if let Some(r) = result {
                    self.escape(id, r);
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
            _ => return false,
        }
        true
    }

    /// Joins arguments with parameters, results with what functions return; tells whether the instruction has some.
    fn call_or_return(&mut self, id: FuncId, data: &InstData) -> bool {
        match &data.kind {
            InstKind::Call { func, args } => {
                let callee = &self.module.functions[*func];
                if let Some(entry) = callee.entry() {
                    for (&arg, &param) in args.iter().zip(&callee.blocks[entry].params) {
                        let (a, p) = (self.value(id, arg), self.value(*func, param));
                        if let (Some(a), Some(p)) = (a, p) {
                            self.union(a, p);
                        }
                    }
                }
                self.join_returned(id, *func, &data.results);
            }
            InstKind::Return { values } => self.join_returned(id, id, values),
            _ => return false,
        }
        true
    }

    /// Joins values of `id` with what the function `returning` returns.
    fn join_returned(&mut self, id: FuncId, returning: FuncId, values: &[Value]) {
        for (i, &v) in values.iter().enumerate() {
            if let Some(node) = self.value(id, v) {
                let ret = self.return_node(returning, i, node);
                self.union(node, ret);
            }
        }
    }

    /// Joins values that one instruction makes of others; tells whether it is one that does.
    fn flow(&mut self, id: FuncId, data: &InstData) -> bool {
        let f = &self.module.functions[id];
        let result = data.results.first().copied();
        match &data.kind {
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
            InstKind::Jump { .. } | InstKind::Branch { .. } | InstKind::Switch { .. } => {
                for call in data.kind.successors() {
                    for (&arg, &param) in call.args.iter().zip(&f.blocks[call.block].params) {
                        self.join_values(id, arg, param);
                    }
                }
            }
            _ => return false,
        }
        true
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
