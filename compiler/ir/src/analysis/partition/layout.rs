//! The layout of partitions: each class of pointers becomes an array of elements of one width.

use super::classes::{AccessKind, Classes};
use super::{Object, Partition, Partitions};
use crate::{AddressSpace, FuncId, KernelArgKind, LowerError, Module, Value};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;

/// Partitions that are being made of classes, numbered in the order in which objects and values name them.
struct Numbered<'m> {
    classes: Classes<'m>,
    /// By the root of the class.
    numbers: FxHashMap<u32, u32>,
    list: Vec<Partition>,
    /// Functions that have objects of each partition, or values that point into it.
    users: Vec<Vec<FuncId>>,
}

/// Makes the partitions of classes.
pub(super) fn lay_out(classes: Classes<'_>) -> Result<Partitions, LowerError> {
    let module = classes.module;
    let mut made = Numbered {
        classes,
        numbers: FxHashMap::default(),
        list: Vec::new(),
        users: Vec::new(),
    };
    let objects = made.number_objects();
    let values = made.number_values();
    made.choose_widths();
    let observed = made.observed();
    for node in std::mem::take(&mut made.classes.named_by_called) {
        let p = made.number(node) as usize;
        made.list[p].named_by_called = true;
    }
    let escaped = made.classes.escaped.map(|node| made.known(node));
    let Numbered {
        mut list, users, ..
    } = made;
    for ((part, mut users), observed) in list.iter_mut().zip(users).zip(observed) {
        let align = place_objects(module, part)?;
        if observed {
            part.bias = align;
        }
        users.sort_unstable();
        users.dedup();
        if let [one] = users[..] {
            part.single_function = Some(one);
        }
    }
    Ok(Partitions {
        list,
        values,
        objects,
        escaped,
    })
}

impl Numbered<'_> {
    /// The partition of a class, made if it is new.
    fn number(&mut self, node: u32) -> u32 {
        let root = self.classes.find(node);
        *self.numbers.entry(root).or_insert_with(|| {
            self.list.push(Partition {
                space: self.classes.space[root as usize],
                unit: 0,
                atomic: false,
                named_by_called: false,
                bias: 0,
                objects: Vec::new(),
                args: Vec::new(),
                fixed_bytes: 0,
                single_function: None,
            });
            self.users.push(Vec::new());
            self.list.len() as u32 - 1
        })
    }

    /// The partition of a class that something has named.
    fn known(&mut self, node: u32) -> Option<u32> {
        let root = self.classes.find(node);
        self.numbers.get(&root).copied()
    }

    fn number_objects(&mut self) -> FxHashMap<Object, u32> {
        let mut objects: Vec<(Object, u32)> = (self.classes.objects.iter())
            .map(|(&o, &n)| (o, n))
            .collect();
        objects.sort_unstable();
        let mut numbers = FxHashMap::default();
        for (object, node) in objects {
            let p = self.number(node);
            numbers.insert(object, p);
            let part = &mut self.list[p as usize];
            match object {
                Object::LocalArg(..) => part.args.push((object, 1)),
                _ => part.objects.push((object, 0)),
            }
            if let Object::Slot(func, _) = object {
                self.users[p as usize].push(func);
            }
        }
        numbers
    }

    fn number_values(&mut self) -> FxHashMap<(FuncId, Value), u32> {
        let mut values: Vec<((FuncId, Value), u32)> = (self.classes.values.iter())
            .map(|(&k, &n)| (k, n))
            .collect();
        values.sort_unstable();
        let mut numbers = FxHashMap::default();
        for (key, node) in values {
            let p = self.number(node);
            numbers.insert(key, p);
            self.users[p as usize].push(key.0);
        }
        numbers
    }

    /// Chooses the widths of the arrays' elements.
    fn choose_widths(&mut self) {
        // What elements of 1, 2, 4 and 8 bytes would cost.
        let mut costs: Vec<[u64; 4]> = vec![[0; 4]; self.list.len()];
        for access in std::mem::take(&mut self.classes.accesses) {
            let p = self.number(access.node) as usize;
            costs.resize(self.list.len(), [0; 4]);
            for (log, cost) in costs[p].iter_mut().enumerate() {
                *cost += access.cost(1 << log);
            }
            let (part, width) = (&mut self.list[p], access.width);
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
        for (part, costs) in self.list.iter_mut().zip(&costs) {
            // The narrowest access decides where others write too; private memory takes what is
            // cheapest, narrow if equal.
            if part.space == AddressSpace::Private && !part.atomic && part.unit != 0 {
                let cheapest = (0..4).min_by_key(|&log: &usize| costs[log]);
                part.unit = 1 << cheapest.unwrap_or(2);
            }
            if part.unit == 0 {
                part.unit = 4;
            }
        }
    }

    /// Tells of each partition whether anything can see its addresses.
    fn observed(&mut self) -> Vec<bool> {
        let mut observed = vec![false; self.list.len()];
        for node in std::mem::take(&mut self.classes.observed) {
            if let Some(p) = self.known(node) {
                observed[p as usize] = true;
            }
        }
        observed
    }
}

/// Gives the objects of a partition their places; returns the largest alignment in bytes.
fn place_objects(module: &Module, part: &mut Partition) -> Result<u32, LowerError> {
    let mut end: u32 = 0;
    let mut max_align = part.unit;
    let mut sized = Vec::new();
    for &(object, _) in &part.objects {
        let (size, align) = size_and_align(module, object)?;
        sized.push((object, size, align.max(1)));
    }
    // Widest alignment first keeps padding small.
    sized.sort_by_key(|&(object, _, align)| (Reverse(align), object));
    for ((object, offset), (o, size, align)) in part.objects.iter_mut().zip(sized) {
        *object = o;
        end = end.next_multiple_of(align);
        *offset = end;
        end = end.checked_add(size).ok_or_else(|| {
            LowerError::new("variables need more than 4 GiB of private or local memory")
        })?;
        max_align = max_align.max(align);
    }
    part.fixed_bytes = end;
    for (object, align) in &mut part.args {
        *align = size_and_align(module, *object)?.1.max(part.unit);
        max_align = max_align.max(*align);
    }
    Ok(max_align)
}

/// The size of an object in bytes, 0 for a local argument, and its alignment.
fn size_and_align(module: &Module, object: Object) -> Result<(u32, u32), LowerError> {
    Ok(match object {
        Object::Global(g) => {
            let g = &module.globals[g];
            let size = u32::try_from(g.size)
                .map_err(|_| LowerError::new(format!("local variable {} is too large", g.name)))?;
            (size, g.align)
        }
        Object::Slot(func, slot) => {
            let s = module.functions[func].slots[slot];
            (s.size, s.placed_align())
        }
        Object::LocalArg(kernel, ordinal) => {
            let kernel = &module.kernels[kernel as usize];
            let align = match kernel.args.get(ordinal as usize).map(|a| &a.kind) {
                Some(KernelArgKind::Local { align }) => *align,
                _ => 128,
            };
            (0, align)
        }
    })
}
