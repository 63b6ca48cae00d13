//! Pipes: pointers to rings in global memory. `pumice_target::pipe` has the layout, the built-in
//! library (`pipe.cl`) the reservations and commits; packets are copied here, where their size is
//! known.

use super::body::Body;
use super::consts::ConstVal;
use super::preamble::Preamble;
use super::reader::{Inst, Result, charge};
use super::types::{Ty, TypeKind};
use pumice_ir::{
    AccessFlags, AddressSpace, BinaryOp, BlockCall, BuiltIn, ConvertOp, GlobalData, GroupOp,
    ImageAccess, InstKind, IntCond, Linkage, MemoryOrder, Scope, Type, Value,
};
use pumice_reflection::MAX_INITIAL_DATA;
use pumice_target::pipe::{PIPE_HEADER, PipeLayout};
use rspirv::spirv::Op;
use smallvec::SmallVec;

/// Byte offsets of words of a pipe's header.
const MAX_PACKETS: u64 = 4;
const MASK: u64 = 8;

/// The direction of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Read,
    Write,
}

/// Size and alignment of a packet in bytes.
#[derive(Clone, Copy, Debug)]
struct Packet {
    size: u32,
    align: u32,
}

impl Preamble<'_> {
    /// A pipe at program scope: a variable that holds an empty one.
    pub(super) fn pipe_storage(&mut self, inst: &Inst<'_>, ty: Ty) -> Result<ConstVal> {
        if self.types.get(ty).kind != TypeKind::PipeStorage {
            return Err(inst.error("the result type is no pipe storage"));
        }
        let (packet, align, capacity) = (inst.arg(0)?, inst.arg(1)?, inst.arg(2)?);
        let layout = PipeLayout::new(packet, capacity)
            .filter(|layout| layout.size() <= MAX_INITIAL_DATA && align.is_power_of_two())
            .ok_or_else(|| {
                inst.error(format_args!(
                    "a pipe of {capacity} packets of {packet} bytes, aligned to {align}, is not \
                     supported"
                ))
            })?;
        charge(layout.size())?;
        let mut init = vec![0; layout.size() as usize];
        let header = layout.header();
        init[..header.len()].copy_from_slice(&header);
        let global = self.globals.push(GlobalData {
            name: String::new(),
            space: AddressSpace::Global,
            size: layout.size(),
            align: PIPE_HEADER as u32,
            init,
            relocations: Vec::new(),
            linkage: Linkage::Internal,
        });
        Ok(ConstVal::Addr { global, addend: 0 })
    }
}

impl Body<'_, '_> {
    /// Imports an operation on pipes; false if the opcode is none.
    pub(super) fn pipe(&mut self, inst: &Inst<'_>) -> Result<bool> {
        use Way::{Read, Write};
        match inst.op {
            Op::ReadPipe => self.one_packet(inst, Read)?,
            Op::WritePipe => self.one_packet(inst, Write)?,
            Op::ReservedReadPipe => self.reserved_packet(inst, Read)?,
            Op::ReservedWritePipe => self.reserved_packet(inst, Write)?,
            Op::ReserveReadPipePackets => self.reserve_packets(inst, Read, false)?,
            Op::ReserveWritePipePackets => self.reserve_packets(inst, Write, false)?,
            Op::GroupReserveReadPipePackets => self.reserve_packets(inst, Read, true)?,
            Op::GroupReserveWritePipePackets => self.reserve_packets(inst, Write, true)?,
            Op::CommitReadPipe => self.commit_packets(inst, Read, false)?,
            Op::CommitWritePipe => self.commit_packets(inst, Write, false)?,
            Op::GroupCommitReadPipe => self.commit_packets(inst, Read, true)?,
            Op::GroupCommitWritePipe => self.commit_packets(inst, Write, true)?,
            Op::IsValidReserveId => {
                let id = self.reserve_id(inst, 0)?;
                let valid = self.is_nonzero(id);
                self.define_value(inst, valid)?;
            }
            Op::GetNumPipePackets => {
                let pipe = self.pipe_operand(inst, 0, None)?;
                self.packet(inst, 1)?;
                let count = self.call_library("__pumice_pipe_num_packets", &[pipe], Type::I32);
                self.define_value(inst, count)?;
            }
            Op::GetMaxPipePackets => {
                let pipe = self.pipe_operand(inst, 0, None)?;
                self.packet(inst, 1)?;
                let count = self.header_word(pipe, MAX_PACKETS);
                self.define_value(inst, count)?;
            }
            Op::CreatePipeFromPipeStorage => {
                let (ty, storage) = {
                    let local = self.local(inst, inst.arg(0)?)?;
                    (local.ty, self.arg(inst, 0)?)
                };
                if self.pre.types.get(ty).kind != TypeKind::PipeStorage {
                    return Err(inst.error("the operand is no pipe storage"));
                }
                let pipe = self.pre.type_of_id(inst, inst.ty)?;
                if !matches!(self.pre.types.get(pipe).kind, TypeKind::Pipe(_)) {
                    return Err(inst.error("the result type is no pipe"));
                }
                self.define_value(inst, storage)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// read_pipe and write_pipe without a reservation: a reservation of one packet, the copy, the
    /// commit. The result is 0, or -1 where the pipe is empty or full.
    fn one_packet(&mut self, inst: &Inst<'_>, way: Way) -> Result<()> {
        let pipe = self.pipe_operand(inst, 0, Some(way))?;
        let (_, memory) = self.pointer(inst, 1)?;
        let packet = self.packet(inst, 2)?;
        let one = self.func.i32(1);
        let id = self.reserve(way, pipe, packet, one);
        let valid = self.is_nonzero(id);
        let place = self.convert(ConvertOp::Trunc, id, Type::I32);
        let (zero, failed) = (self.func.i32(0), self.func.i32(-1));
        let result = self.when(valid, failed, |this| {
            this.copy_packet(way, pipe, place, memory, packet);
            this.commit(way, pipe, id);
            zero
        });
        self.define_value(inst, result)
    }

    /// read_pipe and write_pipe with a reservation: 0, or -1 where the index is none of its packets.
    fn reserved_packet(&mut self, inst: &Inst<'_>, way: Way) -> Result<()> {
        let pipe = self.pipe_operand(inst, 0, Some(way))?;
        let id = self.reserve_id(inst, 1)?;
        let index = self.arg(inst, 2)?;
        let index = self.resize_int(inst, index, Type::I32)?;
        let (_, memory) = self.pointer(inst, 3)?;
        let packet = self.packet(inst, 4)?;
        let first = self.convert(ConvertOp::Trunc, id, Type::I32);
        let thirty_two = self.func.i64(32);
        let count = self.binary(BinaryOp::LShr, [id, thirty_two]);
        let count = self.convert(ConvertOp::Trunc, count, Type::I32);
        let inside = self.icmp(IntCond::Ult, [index, count]);
        let place = self.binary(BinaryOp::IAdd, [first, index]);
        let (zero, failed) = (self.func.i32(0), self.func.i32(-1));
        let result = self.when(inside, failed, |this| {
            this.copy_packet(way, pipe, place, memory, packet);
            zero
        });
        self.define_value(inst, result)
    }

    fn reserve_packets(&mut self, inst: &Inst<'_>, way: Way, group: bool) -> Result<()> {
        let first = usize::from(group);
        let pipe = self.pipe_operand(inst, first, Some(way))?;
        let count = self.arg(inst, first + 1)?;
        let count = self.resize_int(inst, count, Type::I32)?;
        let packet = self.packet(inst, first + 2)?;
        let id = if group {
            let scope = self.group_scope(inst)?;
            let none = self.func.i64(0);
            let leads = self.is_leader(scope);
            let id = self.when(leads, none, |this| this.reserve(way, pipe, packet, count));
            // The others see what the one that reserved them saw.
            self.group_barrier(scope);
            let leader = match scope {
                Scope::Workgroup => self.func.i64(0),
                _ => self.func.i32(0),
            };
            let kind = InstKind::Group {
                op: GroupOp::Broadcast,
                scope,
                args: SmallVec::from_slice(&[id, leader]),
            };
            self.emit(kind, Type::I64)
        } else {
            self.reserve(way, pipe, packet, count)
        };
        let ty = self.pre.type_of_id(inst, inst.ty)?;
        if self.pre.types.get(ty).kind != TypeKind::ReserveId {
            return Err(inst.error("the result type is no reservation id"));
        }
        self.define_value(inst, id)
    }

    fn commit_packets(&mut self, inst: &Inst<'_>, way: Way, group: bool) -> Result<()> {
        let first = usize::from(group);
        let pipe = self.pipe_operand(inst, first, Some(way))?;
        let id = self.reserve_id(inst, first + 1)?;
        self.packet(inst, first + 2)?;
        if !group {
            self.commit(way, pipe, id);
            return Ok(());
        }
        let scope = self.group_scope(inst)?;
        // All are through with their packets.
        self.group_barrier(scope);
        let leads = self.is_leader(scope);
        let zero = self.func.i32(0);
        self.when(leads, zero, |this| {
            this.commit(way, pipe, id);
            zero
        });
        Ok(())
    }

    fn group_scope(&mut self, inst: &Inst<'_>) -> Result<Scope> {
        match self.scope(inst, 0)? {
            scope @ (Scope::Workgroup | Scope::Subgroup) => Ok(scope),
            _ => Err(inst.error("the scope is no work-group or sub-group")),
        }
    }

    /// Returns whether the work-item is the group's first.
    fn is_leader(&mut self, scope: Scope) -> Value {
        let (which, zero) = match scope {
            Scope::Workgroup => (BuiltIn::LocalLinearId, self.func.i64(0)),
            _ => (BuiltIn::SubgroupLocalId, self.func.i32(0)),
        };
        let number = self.emit(InstKind::BuiltIn { which }, which.ty());
        self.icmp(IntCond::Eq, [number, zero])
    }

    /// A barrier with a fence for global memory as wide as the pipe's users.
    fn group_barrier(&mut self, execution: Scope) {
        self.effect(InstKind::Barrier {
            execution,
            memory: Scope::Device,
            order: MemoryOrder::AcqRel,
            global: true,
            local: false,
        });
    }

    /// A pipe operand, which must allow the direction.
    fn pipe_operand(&mut self, inst: &Inst<'_>, n: usize, way: Option<Way>) -> Result<Value> {
        let local = self.local(inst, inst.arg(n)?)?;
        let TypeKind::Pipe(access) = self.pre.types.get(local.ty).kind else {
            return Err(inst.error("the operand is no pipe"));
        };
        let wrong = match way {
            Some(Way::Read) => access == ImageAccess::Write,
            Some(Way::Write) => access == ImageAccess::Read,
            None => false,
        };
        if wrong {
            return Err(inst.error("the pipe's access qualifier does not allow this"));
        }
        self.arg(inst, n)
    }

    fn reserve_id(&mut self, inst: &Inst<'_>, n: usize) -> Result<Value> {
        let local = self.local(inst, inst.arg(n)?)?;
        if self.pre.types.get(local.ty).kind != TypeKind::ReserveId {
            return Err(inst.error("the operand is no reservation id"));
        }
        self.arg(inst, n)
    }

    /// Packet size and alignment, the operands from `n` on.
    fn packet(&mut self, inst: &Inst<'_>, n: usize) -> Result<Packet> {
        let mut number = |n| {
            let value = self.arg(inst, n)?;
            let bits = self.func.const_bits(value);
            bits.and_then(|bits| u32::try_from(bits).ok())
                .ok_or_else(|| inst.error("size and alignment of packets must be constants"))
        };
        let (size, align) = (number(n)?, number(n + 1)?);
        if size == 0 || !align.is_power_of_two() {
            return Err(inst.error(format_args!(
                "packets of {size} bytes aligned to {align} are not possible"
            )));
        }
        // Packets stand behind each other.
        let align = align.min(1 << size.trailing_zeros().min(7));
        Ok(Packet { size, align })
    }

    fn header_word(&mut self, pipe: Value, offset: u64) -> Value {
        let at = self.offset(pipe, offset);
        self.load_leaf(at, Type::I32, 4, AccessFlags::empty())
    }

    fn reserve(&mut self, way: Way, pipe: Value, packet: Packet, count: Value) -> Value {
        let name = match way {
            Way::Read => "__pumice_pipe_reserve_read",
            Way::Write => "__pumice_pipe_reserve_write",
        };
        let size = self.func.i32(packet.size as i32);
        self.call_library(name, &[pipe, size, count], Type::I64)
    }

    fn commit(&mut self, way: Way, pipe: Value, id: Value) {
        let name = match way {
            Way::Read => "__pumice_pipe_commit_read",
            Way::Write => "__pumice_pipe_commit_write",
        };
        self.library_call(name, &[pipe, id], &[]);
    }

    /// Copies the packet of a place to or from the application's memory.
    fn copy_packet(&mut self, way: Way, pipe: Value, place: Value, memory: Value, packet: Packet) {
        let mask = self.header_word(pipe, MASK);
        let slot = self.binary(BinaryOp::And, [place, mask]);
        let slot = self.convert(ConvertOp::ZExt, slot, Type::I64);
        let size = self.func.i64(i64::from(packet.size));
        let offset = self.binary(BinaryOp::IMul, [slot, size]);
        let packets = self.offset(pipe, PIPE_HEADER);
        let base = Type::ptr(AddressSpace::Global);
        let at = self.emit(
            InstKind::PtrAdd {
                base: packets,
                offset,
            },
            base,
        );
        let (dst, src) = match way {
            Way::Read => (memory, at),
            Way::Write => (at, memory),
        };
        let (size, align) = (u64::from(packet.size), packet.align);
        self.mem_copy(dst, src, size, align, align, AccessFlags::empty());
    }

    /// `cond ? body() : otherwise`, by a branch.
    fn when(
        &mut self,
        cond: Value,
        otherwise: Value,
        body: impl FnOnce(&mut Self) -> Value,
    ) -> Value {
        let [then, done] = std::array::from_fn(|_| self.func.make_block());
        for block in [done, then] {
            self.place(block);
        }
        let ty = self.func.ty(otherwise);
        let result = self.func.append_param(done, ty);
        self.effect(InstKind::Branch {
            cond,
            then: BlockCall::new(then, &[]),
            other: BlockCall::new(done, &[otherwise]),
        });
        self.block = Some(then);
        let value = body(self);
        self.effect(InstKind::Jump {
            dest: BlockCall::new(done, &[value]),
        });
        self.block = Some(done);
        result
    }
}
