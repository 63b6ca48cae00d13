//! Gives a function variables of its own in place of those that it gets pointers to.

use super::given::Given;
use super::pointees::{Bytes, Reach, plain_accesses};
use super::{Chosen, constant_place};
use cranelift_entity::SecondaryMap;
use pumice_ir::analysis::slots::{AddressRoot, RootedAddress, SlotAddresses};
use pumice_ir::{
    AccessFlags, AddressSpace, Cfg, FuncId, Function, Inst, InstKind, SourceLoc, StackSlotData,
    Type, Value, align_at,
};

/// The alignment of the variables: that of the widest vector.
const ALIGN: u32 = 128;

/// Makes variables of what some parameters of a function point at, and copies between both.
pub(super) fn promote(
    func: &mut Function,
    chosen: &[Chosen],
    given: &Given,
    reach: &SecondaryMap<FuncId, Reach>,
) {
    let cfg = Cfg::new(func);
    let addresses = SlotAddresses::of(func, &cfg);
    let variables = chosen
        .iter()
        .map(|chosen| Variable::of(func, chosen, given));
    let variables: Vec<_> = variables.collect();
    for (number, &block) in cfg.reverse_postorder().iter().enumerate() {
        let old = std::mem::take(&mut func.layout.insts[block]);
        let mut out = Vec::with_capacity(old.len());
        if number == 0 {
            out.extend(variables.iter().map(|variable| variable.place));
            for variable in &variables {
                variable.copy(func, &mut out, Way::In, Bytes::ALL);
            }
        }
        for inst in old {
            match &func.insts[inst].kind {
                InstKind::Return { .. } => {
                    for variable in &variables {
                        variable.copy(func, &mut out, Way::Back, Bytes::ALL);
                    }
                    out.push(inst);
                }
                InstKind::Call { func: callee, args } => {
                    let shared = shared(&addresses, args, &reach[*callee], &variables);
                    for &(variable, bytes, _) in &shared {
                        variable.copy(func, &mut out, Way::Back, bytes);
                    }
                    out.push(inst);
                    for (variable, bytes, is_written) in shared {
                        if is_written {
                            variable.copy(func, &mut out, Way::In, bytes);
                        }
                    }
                }
                _ => {
                    for access in plain_accesses(func, inst) {
                        let place = constant_place(&addresses, access.ptr);
                        let Some((param, offset)) = place else {
                            continue;
                        };
                        if let Some(variable) = variables.iter().find(|v| v.param == param) {
                            let address = variable.address(func, &mut out, offset);
                            let most = align_at(ALIGN, offset.unsigned_abs());
                            replace_address(func, inst, access.is_written, address, most);
                        }
                    }
                    out.push(inst);
                }
            }
        }
        func.layout.insts[block] = out;
    }
}

/// Gives an access another address, which is no more than so well aligned.
fn replace_address(func: &mut Function, inst: Inst, is_written: bool, address: Value, most: u32) {
    let (ptr, align) = match &mut func.insts[inst].kind {
        InstKind::Load { ptr, align, .. } | InstKind::Store { ptr, align, .. } => (ptr, align),
        InstKind::MemCopy { dst, dst_align, .. } if is_written => (dst, dst_align),
        InstKind::MemCopy { src, src_align, .. } => (src, src_align),
        _ => return,
    };
    *ptr = address;
    *align = most.min(*align);
}

/// The variables whose bytes a callee accesses, with these bytes and whether it writes them.
fn shared<'v, 'c>(
    addresses: &SlotAddresses,
    args: &[Value],
    reach: &Reach,
    variables: &'v [Variable<'c>],
) -> Vec<(&'v Variable<'c>, Bytes, bool)> {
    let pointees = args.iter().zip(&reach.pointees);
    let shared = pointees.filter_map(|(&arg, pointee)| {
        let RootedAddress { root, offset } = addresses.rooted(arg)?;
        let variable = (variables.iter()).find(|v| root == AddressRoot::Param(v.param))?;
        let bytes = pointee.bytes.seen_from(offset);
        Some((variable, bytes, pointee.is_written))
    });
    shared.collect()
}

/// The way of a copy: from what the pointer points at, or back to it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    In,
    Back,
}

/// A variable in place of what a parameter points at.
struct Variable<'c> {
    chosen: &'c Chosen,
    param: usize,
    pointer: Value,
    /// The alignment of the pointer, in bytes.
    align: u32,
    /// The instruction that gives the variable's address.
    place: Inst,
    /// The place of its first byte, from the pointer on.
    start: i64,
}

impl<'c> Variable<'c> {
    /// Makes one for what was chosen.
    fn of(func: &mut Function, chosen: &'c Chosen, given: &Given) -> Self {
        let all = chosen.pieces.iter().map(|piece| piece.bytes);
        let all = all.fold(Bytes::NONE, Bytes::join);
        let start = all.start & -i64::from(ALIGN);
        let size = (all.end - start) as u32;
        let slot = func.slots.push(StackSlotData::new(size, ALIGN));
        let ty = Type::ptr(AddressSpace::Private);
        let kind = InstKind::StackAddr { slot };
        let entry = func.layout.blocks[0];
        Self {
            chosen,
            param: chosen.param,
            pointer: func.blocks[entry].params[chosen.param],
            align: given.objects[chosen.param].align,
            place: func.make_inst(kind, &[ty], SourceLoc::default()),
            start,
        }
    }

    /// The address of what is `offset` bytes behind the pointer.
    fn address(&self, func: &mut Function, out: &mut Vec<Inst>, offset: i64) -> Value {
        let base = func.result(self.place);
        behind(func, out, base, offset - self.start)
    }

    /// Copies the pieces that have some of these bytes; back only those that are written.
    fn copy(&self, func: &mut Function, out: &mut Vec<Inst>, way: Way, bytes: Bytes) {
        for piece in &self.chosen.pieces {
            if !piece.bytes.meets(bytes) || way == Way::Back && !piece.is_written {
                continue;
            }
            let offset = piece.bytes.start;
            let outer = behind(func, out, self.pointer, offset);
            let own = self.address(func, out, offset);
            let align = align_at(self.align, offset.unsigned_abs());
            let (dst, src) = match way {
                Way::In => (own, outer),
                Way::Back => (outer, own),
            };
            let kind = InstKind::MemCopy {
                dst,
                src,
                size: func.i64(piece.bytes.len()),
                dst_align: align,
                src_align: align,
                flags: AccessFlags::empty(),
            };
            out.push(func.make_inst(kind, &[], SourceLoc::default()));
        }
    }
}

/// The address some bytes behind another one.
fn behind(func: &mut Function, out: &mut Vec<Inst>, base: Value, bytes: i64) -> Value {
    if bytes == 0 {
        return base;
    }
    let (offset, ty) = (func.i64(bytes), func.ty(base));
    let kind = InstKind::PtrAdd { base, offset };
    let inst = func.make_inst(kind, &[ty], SourceLoc::default());
    out.push(inst);
    func.result(inst)
}
