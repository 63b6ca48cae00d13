//! Local memory: Workgroup arrays, or a part of a buffer for each work-group.
//!
//! In a buffer a work-group's part holds the kernel's local variables, then its local arguments, whose sizes are
//! specialization constants. A launch gives the buffer's address; parts are numbered by the work-group in its dispatch. All
//! local pointers of the kernel are offsets into the part, plus a bias: NULL is 0. Functions that it calls find the address that
//! these count from in a Private variable.

use super::builder::Id;
use super::emitter::{ArrayVar, Emitter};
use pumice_ir::analysis::partition::Object;
use pumice_ir::analysis::{LocalCallers, local_variables};
use pumice_ir::{AddressSpace, Coarse, FuncId, GlobalId, KernelArgKind, LowerError};
use rspirv::spirv::{Decoration, Op, StorageClass};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// A work-group's part begins at a multiple of this many bytes, or of a larger alignment.
const LEAST_ALIGN: u32 = 16;

/// More bytes than any device has.
const MOST_BYTES: u64 = 1 << 30;

/// Local memory of a kernel that is in a buffer.
pub(crate) struct LocalBuffer {
    /// Offsets of variables in a work-group's part.
    objects: FxHashMap<Object, u32>,
    /// Offsets of local arguments in it, by ordinal.
    args: FxHashMap<u32, Id>,
    /// Bytes of the variables.
    pub bytes: u32,
    /// Alignment of the part and of each argument in bytes.
    pub align: u32,
    /// Bytes from one part to the next.
    stride: Id,
}

/// The variable that called functions find the address in that local pointers count from.
pub(crate) struct LocalStart {
    var: Id,
    /// The functions that load it, and the kernels that store it.
    users: FxHashSet<FuncId>,
}

impl LocalBuffer {
    /// Added to offsets to give pointers, which are as aligned as what they lead to.
    fn bias(&self) -> u32 {
        self.align.max(LEAST_ALIGN)
    }
}

impl Emitter<'_> {
    /// Lays out the parts of buffers that kernels have instead of arrays. `sizes` are the constants for the bytes of local
    /// arguments, by kernel and ordinal.
    fn declare_local_buffers(
        &mut self,
        sizes: &FxHashMap<(u32, u32), Id>,
    ) -> Result<(), LowerError> {
        let u32_ty = self.b.ty_int(32);
        for (k, kernel) in self.module.kernels.iter().enumerate() {
            if !kernel.local_in_buffer {
                continue;
            }
            let mut objects = FxHashMap::default();
            let (mut end, mut align) = (0u64, 1);
            for global in self.variables_in_buffer(kernel.func) {
                let data = &self.module.globals[global];
                let at = end.next_multiple_of(u64::from(data.align.max(1)));
                end = at.saturating_add(data.size);
                if end > MOST_BYTES {
                    let text = format!("kernel '{}': local variables are too large", kernel.name);
                    return Err(LowerError::new(text));
                }
                align = align.max(data.align);
                objects.insert(Object::Global(global), at as u32);
            }
            let bytes = end as u32;
            let of = kernel.coarse.map_or(k as u32, |Coarse { of, .. }| of);
            let args = kernel.args.iter().zip(0..);
            let args: Vec<(u32, u32)> = args
                .filter_map(|(arg, ordinal)| match arg.kind {
                    KernelArgKind::Local { align } => Some((ordinal, align)),
                    _ => None,
                })
                .collect();
            align = args.iter().fold(align, |most, &(_, align)| most.max(align));
            let mut end = self.b.const_u32(bytes);
            let mut starts = FxHashMap::default();
            for &(ordinal, _) in &args {
                let start = self.rounded_up(end, align);
                starts.insert(ordinal, start);
                end = (self.b).spec_op(Op::IAdd, u32_ty, &[start, sizes[&(of, ordinal)]]);
            }
            let stride = match args[..] {
                [] => (self.b).const_u32(bytes.max(1).next_multiple_of(align.max(LEAST_ALIGN))),
                _ => self.rounded_up(end, align.max(LEAST_ALIGN)),
            };
            let buffer = LocalBuffer {
                objects,
                args: starts,
                bytes,
                align,
                stride,
            };
            self.local_buffers.insert(kernel.func, buffer);
        }
        self.declare_local_start();
        Ok(())
    }

    /// Declares the variable that called functions find the start of local memory in, if all kernels that call one have
    /// their local memory in a buffer.
    fn declare_local_start(&mut self) {
        if self.local_buffers.is_empty() {
            return;
        }
        let mut users = FxHashSet::default();
        for (called, kernels) in LocalCallers::of(self.module).functions() {
            let kernels = || kernels.iter().map(|&k| self.module.kernels[k].func);
            if kernels().all(|id| self.local_buffers.contains_key(&id)) {
                users.insert(called);
                users.extend(kernels());
            }
        }
        if users.is_empty() {
            return;
        }
        let (class, ty) = (StorageClass::Private, self.wide_ty());
        let pointer = self.b.ty_pointer(class, ty);
        let var = self.b.global(Op::Variable, Some(pointer), &[class as u32]);
        self.local_start = Some(LocalStart { var, users });
    }

    /// Workgroup arrays, and Private ones for partitions that several functions share.
    pub fn declare_local_memory(&mut self) -> Result<(), LowerError> {
        let u32_ty = self.b.ty_int(32);
        // Every local argument has its SpecId, used or not.
        let mut spec_of: FxHashMap<(u32, u32), Id> = FxHashMap::default();
        for (k, kernel) in self.module.kernels.iter().enumerate() {
            for (ordinal, arg) in kernel.args.iter().enumerate() {
                if matches!(arg.kind, KernelArgKind::Local { .. }) {
                    let key = (k as u32, ordinal as u32);
                    if let Some(Coarse { of, .. }) = kernel.coarse {
                        let spec = self.local_specs[&(of, ordinal as u32)];
                        self.local_specs.insert(key, spec);
                        continue;
                    }
                    let id = self.b.global(Op::SpecConstant, Some(u32_ty), &[1]);
                    self.b.decorate(id, Decoration::SpecId, &[self.next_spec]);
                    self.local_specs.insert(key, self.next_spec);
                    self.next_spec += 1;
                    spec_of.insert(key, id);
                }
            }
        }
        self.declare_local_buffers(&spec_of)?;
        let in_buffers = self.partitions_in_buffers();
        for p in 0..self.parts.list.len() {
            if in_buffers.contains(&(p as u32)) {
                continue;
            }
            let part = self.parts.list[p].clone();
            let class = match (part.space, part.single_function) {
                (AddressSpace::Local, _) => StorageClass::Workgroup,
                (_, None) => StorageClass::Private,
                (_, Some(_)) => continue,
            };
            let length = if part.args.is_empty() {
                self.b
                    .const_u32(part.fixed_bytes.div_ceil(part.unit).max(1))
            } else {
                let mut end = self.b.const_u32(part.fixed_bytes);
                let mut known = Some(part.fixed_bytes);
                for &(object, align) in &part.args {
                    let Object::LocalArg(kernel, ordinal) = object else {
                        continue;
                    };
                    let start = match known {
                        Some(bytes) => self.b.const_u32(bytes.next_multiple_of(align)),
                        None => self.rounded_up(end, align),
                    };
                    let bias = self.b.const_u32(part.bias);
                    let address = match known {
                        Some(bytes) => self.b.const_u32(bytes.next_multiple_of(align) + part.bias),
                        None => self.b.spec_op(Op::IAdd, u32_ty, &[start, bias]),
                    };
                    self.local_args.insert((kernel, ordinal), address);
                    known = None;
                    let mut size = spec_of[&(kernel, ordinal)];
                    let element = self.local_element(kernel, ordinal);
                    if element > 1 {
                        let element = self.b.const_u32(element);
                        size = self.b.spec_op(Op::IMul, u32_ty, &[size, element]);
                    }
                    end = self.b.spec_op(Op::IAdd, u32_ty, &[start, size]);
                }
                let up = self.b.const_u32(part.unit - 1);
                let unit = self.b.const_u32(part.unit);
                let sum = self.b.spec_op(Op::IAdd, u32_ty, &[end, up]);
                let count = self.b.spec_op(Op::UDiv, u32_ty, &[sum, unit]);
                // All arguments may have size 0, but an array has at least one element.
                let (zero, one) = (self.b.const_u32(0), self.b.const_u32(1));
                let bool_ty = self.b.ty_bool();
                let empty = self.b.spec_op(Op::IEqual, bool_ty, &[count, zero]);
                self.b.spec_op(Op::Select, u32_ty, &[empty, one, count])
            };
            let element = self.b.ty_int(part.unit * 8);
            let zero = self.target.zero_local;
            let var = self.b.array_variable(class, element, length, zero);
            self.confine_array(var, length);
            self.arrays.insert(p as u32, ArrayVar { var, class });
        }
        Ok(())
    }

    /// The element of a local argument's size in bytes: the pointee's with descriptors.
    pub fn local_element(&self, kernel: u32, ordinal: u32) -> u32 {
        let arg = &self.module.kernels[kernel as usize].args[ordinal as usize];
        match arg.pointee {
            Some(pointee) if self.has_buffers() => pointee.size,
            _ => 1,
        }
    }

    /// A constant rounded up to a multiple of a power of two, where it may be specialized.
    fn rounded_up(&mut self, number: Id, align: u32) -> Id {
        let u32_ty = self.b.ty_int(32);
        let up = self.b.const_u32(align - 1);
        let mask = self.b.const_u32(!(align - 1));
        let sum = self.b.spec_op(Op::IAdd, u32_ty, &[number, up]);
        self.b.spec_op(Op::BitwiseAnd, u32_ty, &[sum, mask])
    }

    /// The local variables of a kernel that are in a buffer, in order.
    fn variables_in_buffer(&self, kernel: FuncId) -> BTreeSet<GlobalId> {
        let named = local_variables(&self.module.functions[kernel], &self.module.globals);
        let is_there = |&global: &GlobalId| {
            let partition = self.parts.of_object(Object::Global(global));
            partition.is_some_and(|partition| self.parts.list[partition as usize].is_for_buffers())
        };
        named.into_iter().filter(is_there).collect()
    }

    /// The partitions that lead to buffers alone: they need no array.
    fn partitions_in_buffers(&self) -> FxHashSet<u32> {
        let partitions = self.parts.list.iter().zip(0..);
        let mut found: FxHashSet<u32> = partitions
            .filter(|(part, _)| part.is_for_buffers())
            .map(|(_, p)| p)
            .collect();
        for &id in &self.functions {
            if self.local_buffers.contains_key(&id) || self.local_start_for(id).is_some() {
                continue;
            }
            let func = &self.module.functions[id];
            for value in func.values() {
                if let Some(partition) = self.parts.of_value(id, value) {
                    found.remove(&partition);
                }
            }
        }
        found
    }

    /// The local memory of a kernel that is in a buffer.
    pub fn local_buffer_of(&self, kernel: usize) -> Option<&LocalBuffer> {
        self.local_buffers.get(&self.module.kernels[kernel].func)
    }

    /// The variable that a function finds the start of local memory in, or a kernel leaves it in.
    fn local_start_for(&self, func: FuncId) -> Option<Id> {
        let start = self.local_start.as_ref();
        Some(start.filter(|start| start.users.contains(&func))?.var)
    }

    /// The address that the current function's local pointers count from, if its local memory is in a buffer: that of the
    /// work-group's part, less the bias.
    pub fn start_of_local_buffer(&mut self) -> Result<Option<Id>, LowerError> {
        let var = self.local_start_for(self.cur);
        self.cur_uses.extend(var);
        let Some(local) = self.local_buffers.get(&self.cur) else {
            let load = |var| {
                let ty = self.wide_ty();
                self.b.op(Op::Load, ty, &[var])
            };
            return Ok(var.map(load));
        };
        let (stride, bias) = (local.stride, local.bias());
        let (_, base) = self.address_behind(|layout| layout.local, "local memory in a buffer")?;
        let group = self.dispatch_group();
        let (group, stride) = (self.widen(group), self.widen(stride));
        let offset = self.wide_product(group, stride);
        let part = self.wide_sum(Op::IAdd, base, offset);
        let bias = self.wide_constant(u64::from(bias));
        let start = self.wide_sum(Op::ISub, part, bias);
        if let Some(var) = var {
            self.b.stmt(Op::Store, &[var, start]);
        }
        Ok(Some(start))
    }

    /// The pointer to a local variable of the current function, if it is in a buffer.
    pub fn variable_in_buffer(&self, variable: Object) -> Option<u32> {
        let local = self.local_buffers.get(&self.cur)?;
        Some(local.objects.get(&variable)? + local.bias())
    }

    /// The pointer to a local argument of the current function, if it is in a buffer.
    pub fn argument_in_buffer(&mut self, ordinal: u32) -> Option<Id> {
        let local = self.local_buffers.get(&self.cur)?;
        let object = Object::LocalArg(self.kernel_of[self.cur]?, ordinal);
        let partition = self.parts.of_object(object)?;
        if !self.parts.list[partition as usize].is_for_buffers() {
            return None;
        }
        let (start, bias) = (*local.args.get(&ordinal)?, local.bias());
        Some(self.add_bytes(start, bias))
    }
}
