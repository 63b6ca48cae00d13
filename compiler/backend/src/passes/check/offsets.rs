//! The offset of each pointer in the object that it is derived from.
//!
//! The arithmetic of pointers with a known object is repeated on 64-bit numbers that begin at 0: right behind each
//! addition and choice of pointers, and by one more parameter beside each pointer among a block's parameters. Local and
//! private pointers never become numbers this way, so they leave memory or share it as without checks.

use super::roots::Roots;
use pumice_ir::{
    BinaryOp, Block, Cfg, ConvertOp, FloatFlags, Function, Inst, InstKind, SourceLoc, Type, Value,
};
use rustc_hash::FxHashMap;

/// Offsets by pointer.
pub(crate) struct Offsets {
    known: FxHashMap<Value, Value>,
    zero: Value,
}

impl Offsets {
    /// Adds the arithmetic to a function.
    pub fn new(func: &mut Function, roots: &Roots) -> Self {
        let zero = func.i64(0);
        let mut offsets = Self {
            known: FxHashMap::default(),
            zero,
        };
        let order = Cfg::new(func).reverse_postorder().to_vec();
        for &block in &order {
            offsets.params(func, block, roots);
        }
        for &block in &order {
            let old = std::mem::take(&mut func.layout.insts[block]);
            let mut new = Vec::with_capacity(old.len());
            for inst in old {
                new.push(inst);
                new.extend(offsets.inst(func, inst, roots));
            }
            func.layout.insts[block] = new;
        }
        for &block in &order {
            offsets.branches(func, block, roots);
        }
        offsets
    }

    /// The offset of a pointer whose object is known.
    pub fn of(&self, pointer: Value) -> Value {
        self.known.get(&pointer).copied().unwrap_or(self.zero)
    }

    fn params(&mut self, func: &mut Function, block: Block, roots: &Roots) {
        let params = func.blocks[block].params.clone();
        for param in params {
            if roots.of(param).is_some() {
                let offset = func.append_param(block, Type::I64);
                self.known.insert(param, offset);
            }
        }
    }

    /// The instruction that computes the offset of another one's result.
    fn inst(&mut self, func: &mut Function, inst: Inst, roots: &Roots) -> Option<Inst> {
        let result = *func.insts[inst].results.first()?;
        roots.of(result)?;
        let kind = match func.insts[inst].kind {
            InstKind::PtrAdd { base, offset } => {
                let before = self.of(base);
                if before == self.zero {
                    self.known.insert(result, offset);
                    return None;
                }
                InstKind::Binary {
                    op: BinaryOp::IAdd,
                    args: [before, offset],
                    flags: FloatFlags::empty(),
                }
            }
            InstKind::Select { cond, then, other } => InstKind::Select {
                cond,
                then: self.of(then),
                other: self.of(other),
            },
            InstKind::Convert {
                op: ConvertOp::AddressSpaceCast | ConvertOp::Bitcast,
                arg,
                ..
            } => {
                self.known.insert(result, self.of(arg));
                return None;
            }
            _ => return None,
        };
        let made = func.make_inst(kind, &[Type::I64], SourceLoc::default());
        self.known.insert(result, func.result(made));
        Some(made)
    }

    /// Gives branches the offsets of their pointers.
    fn branches(&self, func: &mut Function, block: Block, roots: &Roots) {
        let Some(last) = func.terminator(block) else {
            return;
        };
        let mut kind = func.insts[last].kind.clone();
        for call in kind.successors_mut() {
            let params = func.blocks[call.block].params.clone();
            let pointers = params.iter().zip(call.args.clone());
            let pointers = pointers.filter(|(param, _)| roots.of(**param).is_some());
            let added: Vec<Value> = pointers.map(|(_, arg)| self.of(arg)).collect();
            call.args.extend(added);
        }
        func.insts[last].kind = kind;
    }
}
