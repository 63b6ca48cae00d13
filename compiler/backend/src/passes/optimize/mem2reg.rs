//! SSA construction for the pieces that [`super::slots`] found.
//!
//! Block parameters are placed first ([`phis`]); a walk over the dominator tree then carries the current
//! value of each piece. An access that
//! is smaller than its piece shifts and masks; one that spans several builds a vector.

use crate::rewrite::Replacements;
use cranelift_entity::PrimaryMap;
use pumice_budget::Exhausted;
use pumice_ir::analysis::slots::{Address, Piece, PieceData, Pieces, Uses};
use pumice_ir::phis::{self, Accesses, Values};
use pumice_ir::{
    BinaryOp, Block, Cfg, ConvertOp, DomTree, FloatFlags, Function, Inst, InstKind, Scalar,
    SourceLoc, Step, Type, Value, ValueDef,
};
use smallvec::SmallVec;

/// Replaces all accesses of the pieces by values. With `zero`, what nothing has written is zero.
///
/// # Errors
/// Pieces whose values take too much memory or time.
pub fn promote(
    func: &mut Function,
    cfg: &Cfg,
    uses: &Uses,
    pieces: &Pieces,
    zero: bool,
) -> Result<(), Exhausted> {
    let dom = DomTree::new(cfg);
    let accesses = accesses(func, cfg, uses, pieces);
    let parameters = phis::place(cfg, &dom, func.blocks.len(), &accesses)?;
    let mut values = Values::new(zero);
    values.add_parameters(func, parameters, |piece| pieces.data[piece].ty);
    let mut promoter = Promoter {
        uses,
        pieces,
        values,
        replacements: Replacements::default(),
        out: Vec::new(),
        loc: SourceLoc::default(),
    };
    let Some(entry) = func.entry() else {
        return Ok(());
    };
    for step in dom.walk(entry) {
        match step {
            Step::Enter(block) => promoter.block(func, block),
            Step::Leave => promoter.values.leave(),
        }
    }
    promoter.replacements.apply(func);
    Ok(())
}

/// Gives an instruction's access to a slot: the address, the type, and whether it writes.
fn access_of(func: &Function, uses: &Uses, inst: Inst) -> Option<(Address, Type, bool)> {
    let data = &func.insts[inst];
    match data.kind {
        InstKind::Load { ptr, .. } => Some((uses.address(ptr)?, func.ty(data.results[0]), false)),
        InstKind::Store { ptr, value, .. } => Some((uses.address(ptr)?, func.ty(value), true)),
        _ => None,
    }
}

/// Returns whether an access touches each byte of a piece. One as large as the piece, or larger, may still begin
/// within it or end there.
fn covers(address: Address, ty: Type, piece: &PieceData) -> bool {
    let start = i64::from(piece.offset);
    let end = start + i64::from(piece.ty.access_bytes());
    address.offset <= start && address.offset + i64::from(ty.access_bytes()) >= end
}

/// The blocks that access each piece.
fn accesses(
    func: &Function,
    cfg: &Cfg,
    uses: &Uses,
    pieces: &Pieces,
) -> PrimaryMap<Piece, Accesses> {
    let mut accesses: PrimaryMap<Piece, Accesses> =
        (pieces.data.values().map(|_| Accesses::default())).collect();
    for &block in cfg.reverse_postorder() {
        for &inst in &func.layout.insts[block] {
            let Some((address, ty, writes)) = access_of(func, uses, inst) else {
                continue;
            };
            for &piece in pieces.touched(address, ty.access_bytes()).unwrap_or(&[]) {
                if !writes || !covers(address, ty, &pieces.data[piece]) {
                    accesses[piece].read(block);
                }
                if writes {
                    accesses[piece].write(block);
                }
            }
        }
    }
    accesses
}

struct Promoter<'u> {
    uses: &'u Uses,
    pieces: &'u Pieces,
    values: Values<Piece>,
    replacements: Replacements,
    /// Instructions of the block being rewritten.
    out: Vec<Inst>,
    loc: SourceLoc,
}

impl Promoter<'_> {
    fn block(&mut self, func: &mut Function, block: Block) {
        self.values.enter(func, block);
        let insts = std::mem::take(&mut func.layout.insts[block]);
        self.out = Vec::with_capacity(insts.len());
        for inst in insts {
            let access = access_of(func, self.uses, inst)
                .filter(|(address, ..)| self.pieces.of_slot[address.slot].is_some());
            match access {
                Some((address, ty, false)) => {
                    self.loc = func.insts[inst].loc;
                    let value = self.read(func, address, ty);
                    let result = func.result(inst);
                    self.replacements.replace(result, value);
                }
                Some((address, ty, true)) => {
                    self.loc = func.insts[inst].loc;
                    if let InstKind::Store { value, .. } = func.insts[inst].kind {
                        let value = self.replacements.resolve(value);
                        self.write(func, address, ty, value);
                    }
                }
                None => self.out.push(inst),
            }
        }
        func.layout.insts[block] = std::mem::take(&mut self.out);
        let insts = &func.insts;
        let leads_to_phis = |&inst: &Inst| {
            let calls = insts[inst].kind.successors();
            let mut takes = calls.iter().map(|call| self.values.parameters(call.block));
            takes.any(|pieces| !pieces.is_empty())
        };
        if let Some(inst) = func.terminator(block).filter(leads_to_phis) {
            let mut kind = func.insts[inst].kind.clone();
            for call in kind.successors_mut() {
                for &piece in self.values.parameters(call.block) {
                    call.args.push(self.value_of(func, piece));
                }
            }
            func.insts[inst].kind = kind;
        }
    }

    /// The current value of a piece.
    fn value_of(&self, func: &mut Function, piece: Piece) -> Value {
        self.values.get(func, piece, self.pieces.data[piece].ty)
    }

    fn emit(&mut self, func: &mut Function, kind: InstKind, ty: Type) -> Value {
        let inst = func.make_inst(kind, &[ty], self.loc);
        self.out.push(inst);
        func.result(inst)
    }

    fn convert(&mut self, func: &mut Function, op: ConvertOp, arg: Value, ty: Type) -> Value {
        let rounding = None;
        self.emit(func, InstKind::Convert { op, arg, rounding }, ty)
    }

    fn binary(&mut self, func: &mut Function, op: BinaryOp, args: [Value; 2]) -> Value {
        let flags = FloatFlags::empty();
        let ty = func.ty(args[0]);
        self.emit(func, InstKind::Binary { op, args, flags }, ty)
    }

    /// Same bytes, other type.
    fn cast(&mut self, func: &mut Function, value: Value, to: Type) -> Value {
        let from = func.ty(value);
        if from == to {
            return value;
        }
        if matches!(func.def(value), ValueDef::Undef) {
            return func.undef(to);
        }
        if from.scalar.is_ptr() {
            let bits = self.convert(func, ConvertOp::PtrToInt, value, Type::I64);
            return self.cast(func, bits, to);
        }
        if to.scalar.is_ptr() {
            let bits = self.cast(func, value, Type::I64);
            return self.convert(func, ConvertOp::IntToPtr, bits, to);
        }
        self.convert(func, ConvertOp::Bitcast, value, to)
    }

    /// The piece that holds the bytes of one lane, and the lane's bit offset in it.
    fn place(&self, address: Address, lane: u32, bytes: u32) -> Option<(Piece, u32)> {
        let at = Address {
            offset: address.offset + i64::from(lane * bytes),
            ..address
        };
        let &piece = self.pieces.touched(at, bytes)?.first()?;
        let start = i64::from(self.pieces.data[piece].offset);
        Some((piece, (at.offset - start) as u32 * 8))
    }

    /// The one piece that an access covers exactly.
    fn exact(&self, address: Address, ty: Type) -> Option<Piece> {
        match self.pieces.touched(address, ty.access_bytes())? {
            &[piece] => {
                let data = &self.pieces.data[piece];
                let same = i64::from(data.offset) == address.offset
                    && data.ty.access_bytes() == ty.access_bytes();
                same.then_some(piece)
            }
            _ => None,
        }
    }

    fn read(&mut self, func: &mut Function, address: Address, ty: Type) -> Value {
        if let Some(piece) = self.exact(address, ty) {
            let value = self.value_of(func, piece);
            return self.cast(func, value, ty);
        }
        let bytes = ty.scalar.bytes();
        let mut lanes: SmallVec<[Value; 4]> = SmallVec::new();
        for lane in 0..u32::from(ty.lanes) {
            let Some((piece, shift)) = self.place(address, lane, bytes) else {
                lanes.push(self.values.unwritten(func, ty.lane()));
                continue;
            };
            let value = self.value_of(func, piece);
            let piece_ty = self.pieces.data[piece].ty;
            if piece_ty.access_bytes() == bytes {
                lanes.push(self.cast(func, value, ty.lane()));
                continue;
            }
            let count = func.splat_constant(piece_ty, u64::from(shift));
            let moved = self.binary(func, BinaryOp::LShr, [value, count]);
            let int = Scalar::int_of_bits(bytes * 8).unwrap_or(Scalar::I8);
            let bits = self.convert(func, ConvertOp::Trunc, moved, Type::scalar(int));
            lanes.push(self.cast(func, bits, ty.lane()));
        }
        match lanes.as_slice() {
            &[value] => value,
            _ => self.emit(func, InstKind::Build { lanes }, ty),
        }
    }

    fn write(&mut self, func: &mut Function, address: Address, ty: Type, value: Value) {
        if let Some(piece) = self.exact(address, ty) {
            let value = self.cast(func, value, self.pieces.data[piece].ty);
            self.values.set(piece, value);
            return;
        }
        let bytes = ty.scalar.bytes();
        for lane in 0..u32::from(ty.lanes) {
            let Some((piece, shift)) = self.place(address, lane, bytes) else {
                continue;
            };
            let part = if ty.is_vector() {
                let lane = lane as u8;
                let vector = value;
                self.emit(func, InstKind::Extract { vector, lane }, ty.lane())
            } else {
                value
            };
            let piece_ty = self.pieces.data[piece].ty;
            if piece_ty.access_bytes() == bytes {
                let part = self.cast(func, part, piece_ty);
                self.values.set(piece, part);
                continue;
            }
            let int = Scalar::int_of_bits(bytes * 8).unwrap_or(Scalar::I8);
            let part = self.cast(func, part, Type::scalar(int));
            let part = self.convert(func, ConvertOp::ZExt, part, piece_ty);
            let count = func.splat_constant(piece_ty, u64::from(shift));
            let part = self.binary(func, BinaryOp::Shl, [part, count]);
            let old = self.value_of(func, piece);
            let hole = (u64::MAX >> (64 - bytes * 8)) << shift;
            let keep = func.splat_constant(piece_ty, !hole);
            let kept = self.binary(func, BinaryOp::And, [old, keep]);
            let both = self.binary(func, BinaryOp::Or, [kept, part]);
            self.values.set(piece, both);
        }
    }
}
