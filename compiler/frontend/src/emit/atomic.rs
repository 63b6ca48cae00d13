//! Barriers, fences and atomics.

use rspirv::spirv::{Capability, Op, Scope};

use super::EmitError;
use super::function::FunctionEmitter;
use crate::builtins::table::Lower;
use crate::lang::types::{AddrSpace, TypeId, TypeTable};
use crate::sema::typed::ExprId;

/// Memory semantics: the order for a fence of everything.
const SEQUENTIALLY_CONSISTENT: u32 = 0x10;
const WORKGROUP_MEMORY: u32 = 0x100;
const CROSS_WORKGROUP_MEMORY: u32 = 0x200;

impl FunctionEmitter<'_, '_> {
    /// Barriers and fences; `None` for other rows.
    pub fn synchronisation(
        &mut self,
        lower: Lower,
        args: &[ExprId],
    ) -> Result<Option<u32>, EmitError> {
        Ok(Some(match lower {
            Lower::Barrier(scope) => {
                let execution = self.e.b.const_u32(scope as u32);
                let memory = match args.get(1) {
                    Some(arg) => self.scope(*arg)?,
                    None => execution,
                };
                let semantics = self.fence_bits(args[0], SEQUENTIALLY_CONSISTENT)?;
                let operands = [execution, memory, semantics];
                self.e.b.op_void(Op::ControlBarrier, &operands);
                0
            }
            Lower::MemFence(order) => {
                let scope = self.e.b.const_u32(Scope::Workgroup as u32);
                let semantics = self.fence_bits(args[0], order)?;
                self.e.b.op_void(Op::MemoryBarrier, &[scope, semantics]);
                0
            }
            Lower::WorkItemFence => {
                let storage = self.fence_bits(args[0], 0)?;
                let order = self.order(args[1], 0)?;
                let int = self.e.b.ty_int(32);
                let semantics = self.e.b.op(Op::BitwiseOr, int, &[storage, order]);
                let scope = self.scope(args[2])?;
                self.e.b.op_void(Op::MemoryBarrier, &[scope, semantics]);
                0
            }
            _ => return Ok(None),
        }))
    }

    /// Atomic functions; `None` for other rows.
    pub fn atomic(
        &mut self,
        lower: Lower,
        args: &[ExprId],
        ty: TypeId,
    ) -> Result<Option<u32>, EmitError> {
        let result = match lower {
            Lower::LegacyAtomic(signed, unsigned) => {
                return self.legacy_atomic(signed, unsigned, args, ty).map(Some);
            }
            Lower::AtomicInit => {
                let (pointer, _) = self.atomic_pointer(args[0])?;
                let value = self.expr(args[1])?;
                let align = self.align(self.body.expr(args[1]).ty) as u32;
                self.e.b.op_void(Op::Store, &[pointer, value, 2, align]);
                0
            }
            Lower::AtomicStore => {
                let (pointer, storage) = self.atomic_pointer(args[0])?;
                let value = self.expr(args[1])?;
                let semantics = self.store_order(args.get(2), storage)?;
                let scope = self.optional_scope(args.get(3))?;
                let operands = [pointer, scope, semantics, value];
                self.e.b.op_void(Op::AtomicStore, &operands);
                0
            }
            Lower::AtomicLoad => {
                let (pointer, storage) = self.atomic_pointer(args[0])?;
                let semantics = self.optional_order(args.get(1), storage)?;
                let scope = self.optional_scope(args.get(2))?;
                let result = self.e.value_type(ty);
                self.e
                    .b
                    .op(Op::AtomicLoad, result, &[pointer, scope, semantics])
            }
            Lower::AtomicRmw(signed, unsigned) => {
                let op = if self.e.module.types.is_signed(ty) {
                    signed
                } else {
                    unsigned
                };
                let (pointer, storage) = self.atomic_pointer(args[0])?;
                let value = self.expr(args[1])?;
                let semantics = self.optional_order(args.get(2), storage)?;
                let scope = self.optional_scope(args.get(3))?;
                let result = self.e.value_type(ty);
                let operands = [pointer, scope, semantics, value];
                self.e.b.op(op, result, &operands)
            }
            Lower::AtomicFloat(op, negated) => self.float_atomic(op, negated, args, ty)?,
            Lower::AtomicCompareExchange => self.compare_exchange(args)?,
            Lower::AtomicFlagTestAndSet | Lower::AtomicFlagClear => {
                let (pointer, storage) = self.atomic_pointer(args[0])?;
                let semantics = if lower == Lower::AtomicFlagClear {
                    self.store_order(args.get(1), storage)?
                } else {
                    self.optional_order(args.get(1), storage)?
                };
                let scope = self.optional_scope(args.get(2))?;
                let operands = [pointer, scope, semantics];
                if lower == Lower::AtomicFlagClear {
                    self.e.b.op_void(Op::AtomicFlagClear, &operands);
                    0
                } else {
                    let bool_ty = self.e.b.ty_bool();
                    self.e.b.op(Op::AtomicFlagTestAndSet, bool_ty, &operands)
                }
            }
            _ => return Ok(None),
        };
        Ok(Some(result))
    }

    /// An add, minimum or maximum of floats (cl_ext_float_atomics).
    fn float_atomic(
        &mut self,
        op: Op,
        negated: bool,
        args: &[ExprId],
        ty: TypeId,
    ) -> Result<u32, EmitError> {
        let sum = op == Op::AtomicFAddEXT;
        let (capability, extension) = match (self.e.module.types.size(ty), sum) {
            (2, true) => (
                Capability::AtomicFloat16AddEXT,
                "SPV_EXT_shader_atomic_float16_add",
            ),
            (4, true) => (
                Capability::AtomicFloat32AddEXT,
                "SPV_EXT_shader_atomic_float_add",
            ),
            (_, true) => (
                Capability::AtomicFloat64AddEXT,
                "SPV_EXT_shader_atomic_float_add",
            ),
            (2, false) => (
                Capability::AtomicFloat16MinMaxEXT,
                "SPV_EXT_shader_atomic_float_min_max",
            ),
            (4, false) => (
                Capability::AtomicFloat32MinMaxEXT,
                "SPV_EXT_shader_atomic_float_min_max",
            ),
            (_, false) => (
                Capability::AtomicFloat64MinMaxEXT,
                "SPV_EXT_shader_atomic_float_min_max",
            ),
        };
        self.e.b.capability(capability);
        self.e.b.extension(extension);
        let (pointer, storage) = self.atomic_pointer(args[0])?;
        let mut value = self.expr(args[1])?;
        let result = self.e.value_type(ty);
        if negated {
            value = self.e.b.op(Op::FNegate, result, &[value]);
        }
        let semantics = self.optional_order(args.get(2), storage)?;
        let scope = self.optional_scope(args.get(3))?;
        let operands = [pointer, scope, semantics, value];
        Ok(self.e.b.op(op, result, &operands))
    }

    /// atomic_add and its like: relaxed, as OpenCL C 1.x defines them.
    fn legacy_atomic(
        &mut self,
        signed: Op,
        unsigned: Op,
        args: &[ExprId],
        ty: TypeId,
    ) -> Result<u32, EmitError> {
        let (pointer, _) = self.atomic_pointer(args[0])?;
        // Memory shared by one work-group needs no wider scope.
        let scope = if self.argument_space(args[0]) == AddrSpace::Local {
            Scope::Workgroup
        } else {
            Scope::Device
        };
        let scope = self.e.b.const_u32(scope as u32);
        let relaxed = self.e.b.const_u32(0);
        let op = if self.e.module.types.is_signed(ty) {
            signed
        } else {
            unsigned
        };
        let mut operands = vec![pointer, scope, relaxed];
        if op == Op::AtomicCompareExchange {
            // atomic_cmpxchg(p, compare, value); SPIR-V has the value first.
            let compare = self.expr(args[1])?;
            let value = self.expr(args[2])?;
            operands.extend([relaxed, value, compare]);
        } else {
            for arg in &args[1..] {
                operands.push(self.expr(*arg)?);
            }
        }
        let result = self.e.value_type(ty);
        Ok(self.e.b.op(op, result, &operands))
    }

    /// The pointer and the storage bits of memory semantics for it.
    fn atomic_pointer(&mut self, arg: ExprId) -> Result<(u32, u32), EmitError> {
        let pointer = self.expr(arg)?;
        let types = &self.e.module.types;
        let mut wide = false;
        if let Some((pointee, _)) = types.pointer_parts(self.body.expr(arg).ty) {
            wide = types.size(pointee.ty) == 8;
        }
        if wide {
            self.e.b.capability(Capability::Int64Atomics);
        }
        let storage = match self.argument_space(arg) {
            AddrSpace::Local => WORKGROUP_MEMORY,
            AddrSpace::Global => CROSS_WORKGROUP_MEMORY,
            _ => WORKGROUP_MEMORY | CROSS_WORKGROUP_MEMORY,
        };
        Ok((pointer, storage))
    }

    fn compare_exchange(&mut self, args: &[ExprId]) -> Result<u32, EmitError> {
        let body = self.body;
        let (mut pointer, storage) = self.atomic_pointer(args[0])?;
        let expected = self.expr(args[1])?;
        let mut desired = self.expr(args[2])?;
        let equal = self.optional_order(args.get(3), storage)?;
        let unequal = self.optional_order(args.get(4), storage)?;
        let scope = self.optional_scope(args.get(5))?;
        let module = self.e.module;
        let ty = body.expr(args[2]).ty;
        let size = module.types.size(ty);
        let align = self.align(ty);
        // The comparison is of bits, so floats go as integers.
        let int = if size == 8 {
            TypeTable::ULONG
        } else {
            TypeTable::UINT
        };
        let int_ty = self.e.value_type(int);
        let mut slot = expected;
        if self.is_float(ty) {
            let space = self.argument_space(args[0]);
            let wanted = self.e.pointer_to(int, space);
            pointer = self.e.b.op(Op::Bitcast, wanted, &[pointer]);
            desired = self.e.b.op(Op::Bitcast, int_ty, &[desired]);
            let space = self.argument_space(args[1]);
            let wanted = self.e.pointer_to(int, space);
            slot = self.e.b.op(Op::Bitcast, wanted, &[expected]);
        }
        let compare = self.load_value(slot, int, align, false);
        let operands = [pointer, scope, equal, unequal, desired, compare];
        let old = self.e.b.op(Op::AtomicCompareExchange, int_ty, &operands);
        self.store_value(slot, int, old, align, false);
        let bool_ty = self.e.b.ty_bool();
        Ok(self.e.b.op(Op::IEqual, bool_ty, &[old, compare]))
    }

    fn optional_order(&mut self, arg: Option<&ExprId>, storage: u32) -> Result<u32, EmitError> {
        match arg {
            Some(arg) => self.order(*arg, storage),
            None => Ok(self.e.b.const_u32(SEQUENTIALLY_CONSISTENT | storage)),
        }
    }

    /// The same for a store, where an acquiring order is undefined (OpenCL C 3.0 §6.15.12.6) and
    /// illegal in SPIR-V: it becomes the strongest one.
    fn store_order(&mut self, arg: Option<&ExprId>, storage: u32) -> Result<u32, EmitError> {
        match arg.and_then(|a| self.constant_argument(*a)) {
            Some(1 | 2 | 4) => self.optional_order(None, storage),
            _ => self.optional_order(arg, storage),
        }
    }

    fn optional_scope(&mut self, arg: Option<&ExprId>) -> Result<u32, EmitError> {
        match arg {
            Some(arg) => self.scope(*arg),
            None => Ok(self.e.b.const_u32(Scope::Device as u32)),
        }
    }

    /// A `memory_order` as memory semantics with storage bits.
    fn order(&mut self, arg: ExprId, storage: u32) -> Result<u32, EmitError> {
        let bits = |order: u64| match order {
            0 => 0,
            1 | 2 => 2,
            3 => 4,
            4 => 8,
            _ => SEQUENTIALLY_CONSISTENT,
        };
        if let Some(order) = self.constant_argument(arg) {
            let bits = bits(order);
            // Relaxed orders nothing, whatever the storage.
            let storage = if bits == 0 { 0 } else { storage };
            return Ok(self.e.b.const_u32(bits | storage));
        }
        let value = self.expr(arg)?;
        let choices = [(0, 0), (2, 2 | storage), (3, 4 | storage), (4, 8 | storage)];
        Ok(self.choose(value, &choices, SEQUENTIALLY_CONSISTENT | storage))
    }

    /// A `memory_scope` as a scope.
    fn scope(&mut self, arg: ExprId) -> Result<u32, EmitError> {
        let choices = [
            (0, Scope::Invocation as u32),
            (1, Scope::Workgroup as u32),
            (2, Scope::Device as u32),
            (4, Scope::Subgroup as u32),
        ];
        let other = Scope::CrossDevice as u32;
        if let Some(scope) = self.constant_argument(arg) {
            let known = choices.iter().find(|(from, _)| u64::from(*from) == scope);
            return Ok(self.e.b.const_u32(known.map_or(other, |(_, to)| *to)));
        }
        let value = self.expr(arg)?;
        Ok(self.choose(value, &choices, other))
    }

    /// A 32-bit value translated through a list of pairs.
    fn choose(&mut self, value: u32, choices: &[(u32, u32)], otherwise: u32) -> u32 {
        let int = self.e.b.ty_int(32);
        let bool_ty = self.e.b.ty_bool();
        let mut result = self.e.b.const_u32(otherwise);
        for (from, to) in choices {
            let from = self.e.b.const_u32(*from);
            let to = self.e.b.const_u32(*to);
            let same = self.e.b.op(Op::IEqual, bool_ty, &[value, from]);
            result = self.e.b.op(Op::Select, int, &[same, to, result]);
        }
        result
    }

    /// `cl_mem_fence_flags` as storage bits, with an order.
    fn fence_bits(&mut self, arg: ExprId, order: u32) -> Result<u32, EmitError> {
        // CLK_LOCAL_MEM_FENCE, CLK_GLOBAL_MEM_FENCE, CLK_IMAGE_MEM_FENCE.
        let bits = |flags: u32| (flags & 1) << 8 | (flags & 2) << 8 | (flags & 4) << 9;
        if let Some(flags) = self.constant_argument(arg) {
            return Ok(self.e.b.const_u32(order | bits(flags as u32)));
        }
        let flags = self.expr(arg)?;
        let int = self.e.b.ty_int(32);
        let low = self.e.b.const_u32(3);
        let image = self.e.b.const_u32(4);
        let eight = self.e.b.const_u32(8);
        let nine = self.e.b.const_u32(9);
        let order = self.e.b.const_u32(order);
        let low = self.e.b.op(Op::BitwiseAnd, int, &[flags, low]);
        let low = self.e.b.op(Op::ShiftLeftLogical, int, &[low, eight]);
        let image = self.e.b.op(Op::BitwiseAnd, int, &[flags, image]);
        let image = self.e.b.op(Op::ShiftLeftLogical, int, &[image, nine]);
        let both = self.e.b.op(Op::BitwiseOr, int, &[low, image]);
        Ok(self.e.b.op(Op::BitwiseOr, int, &[both, order]))
    }
}
