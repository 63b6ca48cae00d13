//! Atomics, fences and barriers.
//!
//! The Vulkan memory model has no sequential consistency. A `SeqCst` operation is emitted as
//! an acquire-release operation between two device-wide acquire-release fences: in any
//! execution the fences order it with every other `SeqCst` operation of the work-item, and
//! each device implements the fences by completing earlier accesses before later ones start.

use super::access::MemoryLocation;
use super::builder::Id;
use super::emitter::Emitter;
use pumice_ir::LowerError;
use pumice_ir::{AtomicOp, MemoryOrder, Scalar, Scope, Value};
use pumice_target::QuirkKind;
use rspirv::spirv::{Capability, Op, StorageClass};

const ACQUIRE: u32 = 2;
const RELEASE: u32 = 4;
const ACQUIRE_RELEASE: u32 = 8;
const UNIFORM_MEMORY: u32 = 0x40;
const WORKGROUP_MEMORY: u32 = 0x100;
const IMAGE_MEMORY: u32 = 0x800;
const MAKE_AVAILABLE: u32 = 0x2000;
const MAKE_VISIBLE: u32 = 0x4000;

impl Emitter<'_> {
    /// The scope's number as a constant.
    pub fn scope(&mut self, scope: Scope) -> Id {
        const DEVICE: u32 = 1;
        const WORKGROUP: u32 = 2;
        const SUBGROUP: u32 = 3;
        const INVOCATION: u32 = 4;
        const QUEUE_FAMILY: u32 = 5;
        let number = match scope {
            Scope::Invocation => INVOCATION,
            Scope::Subgroup => SUBGROUP,
            Scope::Workgroup => WORKGROUP,
            Scope::Device | Scope::CrossDevice => {
                if !self.target.vulkan_memory_model {
                    DEVICE
                } else if self.target.memory_model_device_scope {
                    self.b.capability(Capability::VulkanMemoryModelDeviceScope);
                    DEVICE
                } else {
                    QUEUE_FAMILY
                }
            }
        };
        self.b.const_u32(number)
    }

    fn order_bits(&self, order: MemoryOrder) -> u32 {
        let model = self.target.vulkan_memory_model;
        let (available, visible) = if model {
            (MAKE_AVAILABLE, MAKE_VISIBLE)
        } else {
            (0, 0)
        };
        match order {
            MemoryOrder::Relaxed => 0,
            MemoryOrder::Acquire => ACQUIRE | visible,
            MemoryOrder::Release => RELEASE | available,
            MemoryOrder::AcqRel | MemoryOrder::SeqCst => ACQUIRE_RELEASE | available | visible,
        }
    }

    /// Semantics of an operation on memory of one class. Acquire and release order accesses
    /// to all memory, not only to the class of the atomic.
    fn semantics(&mut self, order: MemoryOrder) -> Id {
        let mut bits = self.order_bits(order);
        if bits != 0 {
            bits |= UNIFORM_MEMORY | WORKGROUP_MEMORY;
            if self.storage_images {
                bits |= IMAGE_MEMORY;
            }
        }
        self.b.const_u32(bits)
    }

    fn fence_semantics(&mut self, order: MemoryOrder, global: bool, local: bool) -> u32 {
        // Local memory may be a part of a buffer.
        let global = global || (local && !self.local_buffers.is_empty());
        let classes = match (global, local) {
            (true, true) => UNIFORM_MEMORY | WORKGROUP_MEMORY,
            (true, false) => UNIFORM_MEMORY,
            (false, true) => WORKGROUP_MEMORY,
            (false, false) => 0,
        };
        let order = self.order_bits(order);
        if classes == 0 || order == 0 {
            0
        } else {
            let images = if self.storage_images && global {
                IMAGE_MEMORY
            } else {
                0
            };
            classes | images | order
        }
    }

    /// The clock of the device or the sub-group.
    pub fn read_clock(&mut self, scope: Scope) -> Result<Id, LowerError> {
        if !self.target.clocks {
            return Err(LowerError::new("this device has no clocks for kernels"));
        }
        self.b.capability(Capability::ShaderClockKHR);
        self.b.extension("SPV_KHR_shader_clock");
        // Device and Subgroup: not the memory model's Device, which needs a capability.
        let scope = self
            .b
            .const_u32(if scope == Scope::Subgroup { 3 } else { 1 });
        let ty = self.wide_ty();
        Ok(self.b.op(Op::ReadClockKHR, ty, &[scope]))
    }

    /// A memory fence.
    pub fn fence(&mut self, scope: Scope, order: MemoryOrder, global: bool, local: bool) {
        let bits = self.fence_semantics(order, global, local);
        if bits == 0 || scope == Scope::Invocation {
            return;
        }
        let scope = match scope {
            Scope::Workgroup if self.groups_run_on_one_thread() => Scope::Subgroup,
            scope => scope,
        };
        let (scope, semantics) = (self.scope(scope), self.b.const_u32(bits));
        self.b.stmt(Op::MemoryBarrier, &[scope, semantics]);
    }

    /// Returns whether the instructions of a work-group's work-items are executed one after the other, by one processor.
    fn groups_run_on_one_thread(&self) -> bool {
        (self.target.quirks).has(QuirkKind::GroupsRunOnOneThread)
    }

    /// An execution barrier.
    pub fn barrier(
        &mut self,
        execution: Scope,
        memory: Scope,
        order: MemoryOrder,
        global: bool,
        local: bool,
    ) -> Result<(), LowerError> {
        if !matches!(execution, Scope::Workgroup | Scope::Subgroup) {
            return Err(LowerError::new(
                "barriers have work-group or sub-group execution scope",
            ));
        }
        if execution == Scope::Subgroup {
            if (self.target.quirks).has(QuirkKind::SubgroupBarriersCount) {
                self.fence(memory, order, global, local);
                return Ok(());
            }
            self.b.capability(Capability::GroupNonUniform);
        }
        let bits = self.fence_semantics(order, global, local);
        let memory = if bits == 0 || memory == Scope::Invocation {
            execution
        } else {
            memory
        };
        // The driver's barriers wait for the processor's stores if they order memory.
        let is_fenced_apart = memory == Scope::Workgroup && self.groups_run_on_one_thread();
        let of_barrier = if is_fenced_apart { 0 } else { bits };
        let scopes = (self.scope(execution), self.scope(memory));
        let semantics = self.b.const_u32(of_barrier);
        self.b
            .stmt(Op::ControlBarrier, &[scopes.0, scopes.1, semantics]);
        if is_fenced_apart {
            self.fence(memory, order, global, local);
        }
        Ok(())
    }

    fn seq_cst_fence(&mut self, order: MemoryOrder) {
        if order == MemoryOrder::SeqCst {
            self.fence(Scope::Device, MemoryOrder::AcqRel, true, true);
        }
    }

    fn declare_atomic(&mut self, class: StorageClass, bytes: u32) -> Result<(), LowerError> {
        match (bytes, class) {
            (4, _) => Ok(()),
            (8, StorageClass::Workgroup) if self.target.int64_shared_atomics => {
                self.b.capability(Capability::Int64Atomics);
                Ok(())
            }
            (8, StorageClass::PhysicalStorageBuffer | StorageClass::StorageBuffer)
                if self.target.int64_buffer_atomics =>
            {
                self.b.capability(Capability::Int64Atomics);
                Ok(())
            }
            _ => Err(LowerError::new(format!(
                "this device has no {}-bit atomics in this address space",
                bytes * 8
            ))),
        }
    }

    /// The pointer, the type and the scope of an atomic; `None` where no object lies.
    fn atomic_location(
        &mut self,
        ptr: Value,
        scalar: Scalar,
        scope: Scope,
    ) -> Result<Option<(Id, Id, Id)>, LowerError> {
        let bytes = scalar.bytes();
        let Some((pointer, class)) = self.atomic_pointer(ptr, bytes)? else {
            return Ok(None);
        };
        self.declare_atomic(class, bytes)?;
        let ty = self.b.ty_int(bytes * 8);
        // Invocation scope is legal in OpenCL and useless in Vulkan.
        let scope = if scope == Scope::Invocation {
            Scope::Subgroup
        } else {
            scope
        };
        Ok(Some((pointer, ty, self.scope(scope))))
    }

    /// Gives what an atomic finds where no object lies: zero, as a load there.
    fn nothing(&mut self, scalar: Scalar) -> Id {
        let ty = match scalar.bytes() {
            8 => self.wide_ty(),
            bytes => self.b.ty_int(bytes * 8),
        };
        let zero = self.b.unique(Op::ConstantNull, Some(ty), &[]);
        self.register_form(zero, scalar)
    }

    /// An atomic load.
    pub fn atomic_load(
        &mut self,
        ptr: Value,
        scalar: Scalar,
        order: MemoryOrder,
        scope: Scope,
    ) -> Result<Id, LowerError> {
        let Some((pointer, ty, scope)) = self.atomic_location(ptr, scalar, scope)? else {
            return Ok(self.nothing(scalar));
        };
        self.seq_cst_fence(order);
        let inner = match order {
            MemoryOrder::Relaxed | MemoryOrder::Release => MemoryOrder::Relaxed,
            _ => MemoryOrder::Acquire,
        };
        let semantics = self.semantics(inner);
        let bits = self.b.op(Op::AtomicLoad, ty, &[pointer, scope, semantics]);
        self.seq_cst_fence(order);
        Ok(self.register_form(bits, scalar))
    }

    /// An atomic store.
    pub fn atomic_store(
        &mut self,
        ptr: Value,
        value: Value,
        order: MemoryOrder,
        scope: Scope,
    ) -> Result<(), LowerError> {
        let scalar = self.value_ty(value).scalar;
        let id = self.value(value);
        let bits = self.memory_form(id, scalar);
        let Some((pointer, _, scope)) = self.atomic_location(ptr, scalar, scope)? else {
            return Ok(());
        };
        self.seq_cst_fence(order);
        let inner = match order {
            MemoryOrder::Relaxed | MemoryOrder::Acquire => MemoryOrder::Relaxed,
            _ => MemoryOrder::Release,
        };
        let semantics = self.semantics(inner);
        self.b
            .stmt(Op::AtomicStore, &[pointer, scope, semantics, bits]);
        self.seq_cst_fence(order);
        Ok(())
    }

    /// A sum, minimum or maximum of floats in memory behind an address, where the device has it.
    fn float_rmw(
        &mut self,
        (opcode, sum): (Op, bool),
        ptr: Value,
        value: Value,
        order: MemoryOrder,
        scope: Scope,
    ) -> Result<Id, LowerError> {
        let scalar = self.value_ty(value);
        let address = match self.location(ptr)? {
            MemoryLocation::Physical(address) => address,
            MemoryLocation::Nowhere => return Ok(self.nothing(scalar.scalar)),
            _ => return Err(LowerError::new("internal: float atomic reached emission")),
        };
        let double = scalar.scalar.bytes() == 8;
        self.b.capability(match (sum, double) {
            (true, false) => Capability::AtomicFloat32AddEXT,
            (true, true) => Capability::AtomicFloat64AddEXT,
            (false, false) => Capability::AtomicFloat32MinMaxEXT,
            (false, true) => Capability::AtomicFloat64MinMaxEXT,
        });
        self.b.extension(match sum {
            true => "SPV_EXT_shader_atomic_float_add",
            false => "SPV_EXT_shader_atomic_float_min_max",
        });
        let ty = self.ty(scalar);
        let pointer = self.physical_pointer(address, ty);
        let value = self.value(value);
        let scope = match scope {
            Scope::Invocation => Scope::Subgroup,
            scope => scope,
        };
        let scope = self.scope(scope);
        self.seq_cst_fence(order);
        let semantics = self.semantics(order);
        let old = self.b.op(opcode, ty, &[pointer, scope, semantics, value]);
        self.seq_cst_fence(order);
        Ok(old)
    }

    /// An atomic read-modify-write.
    pub fn atomic_rmw(
        &mut self,
        op: AtomicOp,
        ptr: Value,
        value: Value,
        order: MemoryOrder,
        scope: Scope,
    ) -> Result<Id, LowerError> {
        let scalar = self.value_ty(value).scalar;
        let opcode = match op {
            AtomicOp::Xchg => Op::AtomicExchange,
            AtomicOp::Add => Op::AtomicIAdd,
            AtomicOp::Sub => Op::AtomicISub,
            AtomicOp::SMin => Op::AtomicSMin,
            AtomicOp::SMax => Op::AtomicSMax,
            AtomicOp::UMin => Op::AtomicUMin,
            AtomicOp::UMax => Op::AtomicUMax,
            AtomicOp::And => Op::AtomicAnd,
            AtomicOp::Or => Op::AtomicOr,
            AtomicOp::Xor => Op::AtomicXor,
            AtomicOp::FAdd => {
                return self.float_rmw((Op::AtomicFAddEXT, true), ptr, value, order, scope);
            }
            AtomicOp::FMin => {
                return self.float_rmw((Op::AtomicFMinEXT, false), ptr, value, order, scope);
            }
            AtomicOp::FMax => {
                return self.float_rmw((Op::AtomicFMaxEXT, false), ptr, value, order, scope);
            }
        };
        let id = self.value(value);
        let bits = self.memory_form(id, scalar);
        let Some((pointer, ty, scope)) = self.atomic_location(ptr, scalar, scope)? else {
            return Ok(self.nothing(scalar));
        };
        self.seq_cst_fence(order);
        let semantics = self.semantics(order);
        let old = self.b.op(opcode, ty, &[pointer, scope, semantics, bits]);
        self.seq_cst_fence(order);
        Ok(self.register_form(old, scalar))
    }

    /// An atomic compare-exchange; gives the old value.
    pub fn atomic_cmpxchg(
        &mut self,
        ptr: Value,
        [expected, desired]: [Value; 2],
        [success, failure]: [MemoryOrder; 2],
        scope: Scope,
    ) -> Result<Id, LowerError> {
        let scalar = self.value_ty(expected).scalar;
        let (expected, desired) = (self.value(expected), self.value(desired));
        let expected = self.memory_form(expected, scalar);
        let desired = self.memory_form(desired, scalar);
        let Some((pointer, ty, scope)) = self.atomic_location(ptr, scalar, scope)? else {
            return Ok(self.nothing(scalar));
        };
        let strongest = if failure == MemoryOrder::SeqCst {
            failure
        } else {
            success
        };
        self.seq_cst_fence(strongest);
        // The unequal semantics cannot release, and the equal ones cannot be weaker.
        let failure = match failure {
            MemoryOrder::Relaxed | MemoryOrder::Release => MemoryOrder::Relaxed,
            _ => MemoryOrder::Acquire,
        };
        let success = match (success, failure) {
            (MemoryOrder::Relaxed, MemoryOrder::Acquire) => MemoryOrder::Acquire,
            (MemoryOrder::Release, MemoryOrder::Acquire) => MemoryOrder::AcqRel,
            (success, _) => success,
        };
        let equal = self.semantics(success);
        let unequal = self.semantics(failure);
        let old = self.b.op(
            Op::AtomicCompareExchange,
            ty,
            &[pointer, scope, equal, unequal, desired, expected],
        );
        self.seq_cst_fence(strongest);
        Ok(self.register_form(old, scalar))
    }
}
