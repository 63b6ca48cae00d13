//! Atomics, barriers, asynchronous copies and calls.

use super::body::Body;
use super::locals::Leaves;
use super::ops;
use super::reader::{Inst, Result};
use super::run_time::{Access, Choice};
use pumice_ir::{
    AccessFlags, AddressSpace, AtomicOp, BinaryOp, BlockCall, BuiltIn, ConvertOp, InstKind,
    IntCond, MemoryOrder, Scalar, Scope, Type, Value,
};
use rspirv::spirv::Op;
use smallvec::SmallVec;

/// The operands that every atomic begins with.
struct Head {
    ptr: Value,
    scope: Choice<Scope>,
    order: Choice<MemoryOrder>,
}

impl Body<'_, '_> {
    /// Imports atomics, barriers and collectives; false if the opcode is none.
    pub(super) fn sync(&mut self, inst: &Inst<'_>) -> Result<bool> {
        if let Some(op) = ops::atomic_rmw(inst.op) {
            let value = self.arg(inst, 3)?;
            self.rmw(inst, op, value)?;
            return Ok(true);
        }
        match inst.op {
            Op::AtomicLoad => {
                let head = self.atomic_head(inst, Access::Read)?;
                let (_, ty) = self.result_type(inst)?;
                let int = self.atomic_int(inst, ty)?;
                let bits = self.atomic(inst, &head, int, |ptr, scope, order| {
                    InstKind::AtomicLoad { ptr, order, scope }
                })?;
                let value = self.bitcast(inst, bits, ty)?;
                self.define_value(inst, value)?;
            }
            Op::AtomicStore => {
                let value = self.arg(inst, 3)?;
                self.atomic_store(inst, value)?;
            }
            Op::AtomicIIncrement | Op::AtomicIDecrement => {
                let (_, ty) = self.result_type(inst)?;
                if !ty.scalar.is_int() {
                    return Err(inst.error("the result type is not an integer"));
                }
                let one = self.func.splat_constant(ty, 1);
                let op = if inst.op == Op::AtomicIIncrement {
                    AtomicOp::Add
                } else {
                    AtomicOp::Sub
                };
                self.rmw(inst, op, one)?;
            }
            Op::AtomicFlagTestAndSet => {
                let value = self.func.i32(1);
                let old = self.exchange(inst, AtomicOp::Xchg, value)?;
                let was_set = self.is_nonzero(old);
                self.define_value(inst, was_set)?;
            }
            Op::AtomicFlagClear => {
                let value = self.func.i32(0);
                self.atomic_store(inst, value)?;
            }
            Op::AtomicCompareExchange | Op::AtomicCompareExchangeWeak => {
                self.compare_exchange(inst)?;
            }
            Op::ControlBarrier => {
                let execution = self.execution_scope(inst, 0)?;
                let memory = self.scope(inst, 1)?;
                // The strongest does for a barrier, which waits for everything anyway; it is not
                // put under conditions without need.
                let semantics = self.semantics(inst, 2)?.strongest();
                self.for_choice(inst, &execution, None, &mut |this, execution| {
                    this.effect(InstKind::Barrier {
                        execution,
                        memory,
                        order: semantics.order,
                        global: semantics.global,
                        local: semantics.local,
                    });
                    Ok(None)
                })?;
            }
            Op::MemoryBarrier => {
                let scope = self.scope_choice(inst, 0)?;
                let semantics = self.semantics(inst, 1)?;
                self.for_choice(inst, &semantics, None, &mut |this, semantics| {
                    this.for_choice(inst, &scope, None, &mut |this, scope| {
                        this.effect(InstKind::Fence {
                            scope,
                            order: semantics.order,
                            global: semantics.global,
                            local: semantics.local,
                        });
                        Ok(None)
                    })
                })?;
            }
            Op::ReadClockKHR => {
                let scope = match self.scope(inst, 0)? {
                    // Vulkan has no clock of a work-group. The device's is the same for all of its work-items.
                    Scope::Workgroup => Scope::Device,
                    scope @ (Scope::Device | Scope::Subgroup) => scope,
                    _ => {
                        let wanted = "clocks have the scope Device, Workgroup or Subgroup";
                        return Err(inst.error(wanted));
                    }
                };
                let time = self.emit(InstKind::ReadClock { scope }, Type::I64);
                let (_, ty) = self.result_type(inst)?;
                let time = self.bitcast(inst, time, ty)?;
                self.define_value(inst, time)?;
            }
            Op::GroupAsyncCopy => self.async_copy(inst)?,
            Op::GroupWaitEvents => self.effect(InstKind::Barrier {
                execution: Scope::Workgroup,
                memory: Scope::Workgroup,
                order: MemoryOrder::AcqRel,
                global: true,
                local: true,
            }),
            _ => return self.group(inst),
        }
        Ok(true)
    }

    /// Pointer, scope and order: the first three operands of every atomic.
    fn atomic_head(&mut self, inst: &Inst<'_>, access: Access) -> Result<Head> {
        let ptr = self.arg(inst, 0)?;
        if !self.func.ty(ptr).scalar.is_ptr() {
            return Err(inst.error("the operand is not a pointer"));
        }
        Ok(Head {
            ptr,
            scope: self.scope_choice(inst, 1)?,
            order: self.order(inst, 2, access)?,
        })
    }

    /// The instruction that `make` gives for each order and scope; its result.
    fn atomic(
        &mut self,
        inst: &Inst<'_>,
        head: &Head,
        ty: Type,
        mut make: impl FnMut(Value, Scope, MemoryOrder) -> InstKind,
    ) -> Result<Value> {
        let made = self.for_choice(inst, &head.order, Some(ty), &mut |this, order| {
            this.for_choice(inst, &head.scope, Some(ty), &mut |this, scope| {
                Ok(Some(this.emit(make(head.ptr, scope, order), ty)))
            })
        })?;
        made.ok_or_else(|| inst.error("no result"))
    }

    fn atomic_store(&mut self, inst: &Inst<'_>, value: Value) -> Result<()> {
        let head = self.atomic_head(inst, Access::Write)?;
        let int = self.atomic_int(inst, self.func.ty(value))?;
        let value = self.bitcast(inst, value, int)?;
        self.for_choice(inst, &head.order, None, &mut |this, order| {
            this.for_choice(inst, &head.scope, None, &mut |this, scope| {
                this.effect(InstKind::AtomicStore {
                    ptr: head.ptr,
                    value,
                    order,
                    scope,
                });
                Ok(None)
            })
        })?;
        Ok(())
    }

    /// A read-modify-write; its result.
    fn exchange(&mut self, inst: &Inst<'_>, op: AtomicOp, value: Value) -> Result<Value> {
        let head = self.atomic_head(inst, Access::Both)?;
        let ty = self.func.ty(value);
        self.atomic(inst, &head, ty, |ptr, scope, order| InstKind::AtomicRmw {
            op,
            ptr,
            value,
            order,
            scope,
        })
    }

    fn compare_exchange(&mut self, inst: &Inst<'_>) -> Result<()> {
        let head = self.atomic_head(inst, Access::Both)?;
        let failure = self.order(inst, 3, Access::Read)?;
        let (desired, expected) = (self.arg(inst, 4)?, self.arg(inst, 5)?);
        let ty = self.func.ty(desired);
        if self.func.ty(expected) != ty {
            return Err(inst.error("value and comparator have different types"));
        }
        let int = self.atomic_int(inst, ty)?;
        let desired = self.bitcast(inst, desired, int)?;
        let expected = self.bitcast(inst, expected, int)?;
        let old = self.for_choice(inst, &failure, Some(int), &mut |this, failure| {
            let old = this.atomic(inst, &head, int, |ptr, scope, success| {
                InstKind::AtomicCmpXchg {
                    ptr,
                    expected,
                    desired,
                    success,
                    failure,
                    scope,
                }
            })?;
            Ok(Some(old))
        })?;
        let old = old.ok_or_else(|| inst.error("no result"))?;
        let old = self.bitcast(inst, old, ty)?;
        self.define_value(inst, old)
    }

    /// The integer type through which an atomic moves a value.
    fn atomic_int(&self, inst: &Inst<'_>, ty: Type) -> Result<Type> {
        match Scalar::int_of_bits(ty.scalar.bits()) {
            Some(int) if ty.lanes == 1 && int.bits() >= 16 => Ok(Type::scalar(int)),
            _ => Err(inst.error("an atomic on this type is not supported")),
        }
    }

    fn rmw(&mut self, inst: &Inst<'_>, op: AtomicOp, value: Value) -> Result<()> {
        let ty = self.func.ty(value);
        let float = matches!(op, AtomicOp::FAdd | AtomicOp::FMin | AtomicOp::FMax);
        let int = self.atomic_int(inst, ty)?;
        let through = if float { ty } else { int };
        if float != ty.scalar.is_float() && op != AtomicOp::Xchg {
            return Err(inst.error("the operands' types are wrong"));
        }
        let value = self.bitcast(inst, value, through)?;
        let old = self.exchange(inst, op, value)?;
        let old = self.bitcast(inst, old, ty)?;
        self.define_value(inst, old)
    }

    /// A copy shared out over the work-group's items, each taking every n-th element. The
    /// event is a number: waiting is a barrier.
    fn async_copy(&mut self, inst: &Inst<'_>) -> Result<()> {
        let (dst_local, dst) = self.pointer(inst, 1)?;
        let src = self.arg(inst, 2)?;
        let pointee = self.pre.pointee(inst, dst_local.ty)?;
        let (elem_size, _) = self.size_align(pointee);
        let elem = match self.pre.types.get(pointee).leaf {
            // Three lanes are copied as four (OpenCL C §6.15.11).
            Some(ty) if ty.lanes == 3 => Type::vector(ty.scalar, 4),
            Some(ty) => ty,
            None => return Err(inst.error("the elements are not scalars or vectors")),
        };
        let (dst_space, src_space) = match (
            self.func.ty(dst).address_space(),
            self.func.ty(src).address_space(),
        ) {
            (Some(dst), Some(src)) => (dst, src),
            _ => return Err(inst.error("an operand is not a pointer")),
        };
        let count = self.arg(inst, 3)?;
        let count = self.resize_int(inst, count, Type::I64)?;
        let stride = self.arg(inst, 4)?;
        let stride = self.resize_int(inst, stride, Type::I64)?;
        let first = self.emit(
            InstKind::BuiltIn {
                which: BuiltIn::LocalLinearId,
            },
            Type::I64,
        );
        let sizes = self.emit(
            InstKind::BuiltIn {
                which: BuiltIn::LocalSize,
            },
            BuiltIn::LocalSize.ty(),
        );
        let items = self.reduce(BinaryOp::IMul, sizes, pumice_ir::FloatFlags::empty());

        let [head, body, done] = std::array::from_fn(|_| self.func.make_block());
        for block in [done, body, head] {
            self.place(block);
        }
        let jump = |block, args: &[Value]| InstKind::Jump {
            dest: BlockCall::new(block, args),
        };
        let index = self.func.append_param(head, Type::I64);
        self.effect(jump(head, &[first]));
        self.block = Some(head);
        let more = self.icmp(IntCond::Ult, [index, count]);
        self.effect(InstKind::Branch {
            cond: more,
            then: BlockCall::new(body, &[]),
            other: BlockCall::new(done, &[]),
        });
        self.block = Some(body);
        let strided = self.binary(BinaryOp::IMul, [index, stride]);
        let size = self.func.i64(elem_size as i64);
        let mut place = |base: Value, index: Value, space: AddressSpace| {
            let offset = self.binary(BinaryOp::IMul, [index, size]);
            self.emit(InstKind::PtrAdd { base, offset }, Type::ptr(space))
        };
        // The stride belongs to the side that is not local memory.
        let (from, to) = if dst_space == AddressSpace::Local {
            (place(src, strided, src_space), place(dst, index, dst_space))
        } else {
            (place(src, index, src_space), place(dst, strided, dst_space))
        };
        let align = self.pre.types.get(pointee).align;
        let value = self.load_leaf(from, elem, align, AccessFlags::empty());
        self.store_leaf(to, value, align, AccessFlags::empty());
        let next = self.binary(BinaryOp::IAdd, [index, items]);
        self.effect(jump(head, &[next]));
        self.block = Some(done);

        let ty = self.pre.type_of_id(inst, inst.ty)?;
        let event = self.func.i64(0);
        if self.pre.types.get(ty).leaf != Some(Type::I64) {
            return Err(inst.error("the result type is not an event"));
        }
        self.define(
            inst,
            ty,
            super::locals::Val::Leaves(SmallVec::from_elem(event, 1)),
        )
    }

    /// A call: aggregates travel as their leaves.
    pub(super) fn call(&mut self, inst: &Inst<'_>) -> Result<()> {
        let callee = inst.arg(0)?;
        let super::preamble::Def::Func(index) = self.pre.def(callee) else {
            return Err(inst.error(format_args!("id {callee} is not a function")));
        };
        let decl = self.decls.get(index);
        if decl.is_kernel {
            return Err(inst.error("an entry point cannot be called"));
        }
        if decl.param_types.len() != inst.args.len() - 1 {
            return Err(inst.error("the number of arguments is wrong"));
        }
        let mut args = SmallVec::new();
        for (n, &param) in decl.param_types.iter().enumerate() {
            let (ty, leaves) = self.leaves(inst, inst.arg(n + 1)?)?;
            if !self.pre.types.same_leaves(ty, param) {
                return Err(inst.error(format_args!("argument {n} has the wrong type")));
            }
            args.extend(leaves);
        }
        let ret = self.pre.type_of_id(inst, inst.ty)?;
        if ret != decl.ret {
            return Err(inst.error("the result type is not the function's"));
        }
        let leaves = if self.pre.types.is_sized(ret) {
            self.type_leaves(inst, ret)?
        } else {
            SmallVec::new()
        };
        let types: SmallVec<[Type; 2]> = leaves.iter().map(|leaf| leaf.ty).collect();
        let func = pumice_ir::FuncId::from_u32(index);
        let Some(block) = self.block else {
            return Ok(());
        };
        let call = self
            .func
            .append(block, InstKind::Call { func, args }, &types, self.loc);
        if self.pre.types.is_sized(ret) {
            let results: Leaves = self.func.insts[call].results.clone();
            self.define_leaves(inst, results)?;
        } else {
            // Void results may be named by tools, but nothing can use them.
            self.define(inst, ret, super::locals::Val::Leaves(Leaves::new()))?;
        }
        Ok(())
    }

    /// Converts a value through [`ConvertOp`], for the OpenCL.std expansions.
    pub(super) fn convert_rounded(
        &mut self,
        op: ConvertOp,
        arg: Value,
        rounding: Option<pumice_ir::Rounding>,
        ty: Type,
    ) -> Value {
        self.emit(InstKind::Convert { op, arg, rounding }, ty)
    }
}
