//! Folding rules for vectors, addresses and loads of constant data.

use crate::passes::optimize::fold::{Folder, Found};
use pumice_ir::analysis::alias::root;
use pumice_ir::{InstKind, IntCond, Scalar, Type, Value};
use smallvec::SmallVec;

/// The longest chain of inserts that is followed.
const MAX_CHAIN: usize = 16;

impl Folder<'_> {
    /// Identities on vector instructions.
    pub(super) fn vector_rule(&mut self, kind: &InstKind, ty: Type) -> Option<Found> {
        match kind {
            InstKind::Extract { vector, lane } => self.extract_rule(*vector, *lane),
            InstKind::ExtractDyn { vector, index } => {
                let lane = self.lane_of(*index, self.func.ty(*vector))?;
                let vector = *vector;
                Some(Found::Kind(InstKind::Extract { vector, lane }))
            }
            InstKind::InsertDyn {
                vector,
                scalar,
                index,
            } => {
                let lane = self.lane_of(*index, ty)?;
                Some(Found::Kind(InstKind::Insert {
                    vector: *vector,
                    scalar: *scalar,
                    lane,
                }))
            }
            InstKind::Build { lanes } => self.build_rule(lanes, ty),
            InstKind::Splat { arg } => {
                let bits = self.func.const_bits(*arg)?;
                Some(Found::Value(self.func.splat_constant(ty, bits)))
            }
            InstKind::Insert { .. } => self.insert_rule(kind, ty),
            InstKind::Shuffle { args, mask } => self.shuffle_rule(*args, mask, ty),
            _ => None,
        }
    }

    fn lane_of(&self, index: Value, vector: Type) -> Option<u8> {
        let index = self.func.const_bits(index)?;
        (index < u64::from(vector.lanes)).then_some(index as u8)
    }

    fn extract_rule(&mut self, vector: Value, lane: u8) -> Option<Found> {
        let lane_ty = self.func.ty(vector).lane();
        if let Some(lanes) = self.func.const_lanes(vector) {
            let bits = *lanes.get(usize::from(lane))?;
            return Some(Found::Value(self.func.splat_constant(lane_ty, bits)));
        }
        match self.kind_of(vector)?.clone() {
            InstKind::Build { lanes } => lanes
                .get(usize::from(lane))
                .map(|&value| Found::Value(value)),
            InstKind::Splat { arg } => Some(Found::Value(arg)),
            InstKind::Insert {
                vector,
                scalar,
                lane: set,
            } => Some(if set == lane {
                Found::Value(scalar)
            } else {
                Found::Kind(InstKind::Extract { vector, lane })
            }),
            InstKind::Shuffle { args, mask } => {
                let (vector, lane) = self.shuffled(args, (*mask.get(usize::from(lane))?)?);
                Some(Found::Kind(InstKind::Extract { vector, lane }))
            }
            _ => None,
        }
    }

    /// The operand and lane that a mask entry names.
    fn shuffled(&self, args: [Value; 2], lane: u8) -> (Value, u8) {
        let first = self.func.ty(args[0]).lanes;
        if lane < first {
            (args[0], lane)
        } else {
            (args[1], lane - first)
        }
    }

    fn build_rule(&mut self, lanes: &[Value], ty: Type) -> Option<Found> {
        let constants = lanes
            .iter()
            .map(|&lane| self.func.const_bits(lane))
            .collect::<Option<SmallVec<[u64; 16]>>>();
        if let Some(bits) = constants {
            return Some(Found::Value(self.func.constant(ty, &bits)));
        }
        let first = *lanes.first()?;
        if lanes.iter().all(|&lane| lane == first) {
            return Some(Found::Kind(InstKind::Splat { arg: first }));
        }
        // Lanes taken from one or two vectors are a shuffle, or the vector itself.
        let mut sources: SmallVec<[Value; 2]> = SmallVec::new();
        let mut picks: SmallVec<[(usize, u8); 16]> = SmallVec::new();
        for &value in lanes {
            let &InstKind::Extract { vector, lane } = self.kind_of(value)? else {
                return None;
            };
            let source = match sources.iter().position(|&source| source == vector) {
                Some(source) => source,
                None if sources.len() < 2 => {
                    sources.push(vector);
                    sources.len() - 1
                }
                None => return None,
            };
            picks.push((source, lane));
        }
        let vector = sources[0];
        let whole = self.func.ty(vector) == ty
            && picks
                .iter()
                .enumerate()
                .all(|(i, &(source, lane))| source == 0 && usize::from(lane) == i);
        if whole {
            return Some(Found::Value(vector));
        }
        // Emitters have shuffles of up to four lanes cheaply; wider ones are split anyway.
        let fits = |value: Value| self.func.ty(value).lanes <= 4;
        if ty.lanes > 4 || !sources.iter().all(|&source| fits(source)) {
            return None;
        }
        let first = self.func.ty(vector).lanes;
        let mask = picks
            .iter()
            .map(|&(source, lane)| Some(lane + if source == 1 { first } else { 0 }))
            .collect();
        let args = [vector, *sources.get(1).unwrap_or(&vector)];
        Some(Found::Kind(InstKind::Shuffle { args, mask }))
    }

    /// A chain of inserts that sets every lane is a build.
    fn insert_rule(&mut self, kind: &InstKind, ty: Type) -> Option<Found> {
        let mut lanes: SmallVec<[Option<Value>; 16]> =
            SmallVec::from_elem(None, usize::from(ty.lanes));
        let mut at = kind.clone();
        let mut base = None;
        for _ in 0..MAX_CHAIN {
            let InstKind::Insert {
                vector,
                scalar,
                lane,
            } = at
            else {
                break;
            };
            lanes.get_mut(usize::from(lane))?.get_or_insert(scalar);
            base = Some(vector);
            match self.kind_of(vector) {
                Some(inner) => at = inner.clone(),
                None => break,
            }
        }
        // What the inserts leave may come from a build or a constant below them.
        if let Some(InstKind::Build { lanes: built }) = base.and_then(|base| self.kind_of(base)) {
            for (lane, &value) in lanes.iter_mut().zip(built) {
                lane.get_or_insert(value);
            }
        }
        if let Some(known) = base.and_then(|base| self.func.const_lanes(base)) {
            let known: SmallVec<[u64; 16]> = SmallVec::from_slice(known);
            for (lane, bits) in lanes.iter_mut().zip(known) {
                if lane.is_none() {
                    *lane = Some(self.func.splat_constant(ty.lane(), bits));
                }
            }
        }
        let lanes = lanes
            .into_iter()
            .collect::<Option<SmallVec<[Value; 4]>>>()?;
        Some(Found::Kind(InstKind::Build { lanes }))
    }

    fn shuffle_rule(&mut self, args: [Value; 2], mask: &[Option<u8>], ty: Type) -> Option<Found> {
        let lanes = self.func.ty(args[0]).lanes;
        for (operand, start) in [(args[0], 0), (args[1], lanes)] {
            let whole = self.func.ty(operand) == ty
                && mask
                    .iter()
                    .zip(start..)
                    .all(|(&pick, lane)| pick.is_none_or(|pick| pick == lane));
            if whole {
                return Some(Found::Value(operand));
            }
        }
        let constant = mask
            .iter()
            .map(|&pick| {
                let (vector, lane) = self.shuffled(args, pick.unwrap_or(0));
                self.func
                    .const_lanes(vector)
                    .and_then(|bits| bits.get(usize::from(lane)).copied())
            })
            .collect::<Option<SmallVec<[u64; 16]>>>();
        if let Some(bits) = constant {
            return Some(Found::Value(self.func.constant(ty, &bits)));
        }
        self.shuffle_of_shuffle(args, mask)
    }

    /// A shuffle of one vector that is a shuffle itself picks from what that picks from.
    fn shuffle_of_shuffle(&self, args: [Value; 2], mask: &[Option<u8>]) -> Option<Found> {
        let InstKind::Shuffle {
            args: from,
            mask: inner,
        } = self.kind_of(args[0])?
        else {
            return None;
        };
        let picks = mask.iter().map(|&pick| match pick {
            None => Some(None),
            Some(pick) => {
                let (vector, lane) = self.shuffled(args, pick);
                (vector == args[0]).then_some(inner[usize::from(lane)])
            }
        });
        let mask = picks.collect::<Option<SmallVec<_>>>()?;
        Some(Found::Kind(InstKind::Shuffle { args: *from, mask }))
    }

    /// Rules on addresses and loads.
    pub(super) fn pointer_rule(&mut self, kind: &InstKind, ty: Type) -> Option<Found> {
        match kind {
            InstKind::PtrAdd { base, offset } => self.ptr_add_rule(*base, *offset, ty),
            InstKind::Load { ptr, flags, .. } if flags.is_plain() => self.constant_load(*ptr, ty),
            _ => None,
        }
    }

    /// Constant offsets gather at the end of a chain, where they add up.
    fn ptr_add_rule(&mut self, base: Value, offset: Value, ty: Type) -> Option<Found> {
        if self.func.ty(offset) != Type::I64 {
            // A sum of words is no sum of numbers.
            return None;
        }
        let by = self.func.const_signed(offset);
        if by == Some(0) {
            return Some(Found::Value(base));
        }
        if by.is_none() {
            if let Some(&InstKind::Binary {
                op: pumice_ir::BinaryOp::IAdd,
                args: [x, c],
                ..
            }) = self.kind_of(offset)
            {
                if self.is_const(c) {
                    let inner = self.emit(InstKind::PtrAdd { base, offset: x }, ty);
                    return Some(Found::Kind(InstKind::PtrAdd {
                        base: inner,
                        offset: c,
                    }));
                }
            }
        }
        let &InstKind::PtrAdd {
            base: root,
            offset: first,
        } = self.kind_of(base)?
        else {
            return None;
        };
        let first_by = self.func.const_signed(first)?;
        match by {
            Some(by) => {
                let offset = self.func.i64(first_by.wrapping_add(by));
                Some(Found::Kind(InstKind::PtrAdd { base: root, offset }))
            }
            None => {
                let inner = self.emit(InstKind::PtrAdd { base: root, offset }, ty);
                Some(Found::Kind(InstKind::PtrAdd {
                    base: inner,
                    offset: first,
                }))
            }
        }
    }

    /// Variables and what lies inside them are never at NULL.
    pub(super) fn address_against_null(
        &self,
        cond: IntCond,
        address: Value,
        bits: u64,
    ) -> Option<u64> {
        if bits != 0 || !matches!(cond, IntCond::Eq | IntCond::Ne) {
            return None;
        }
        let (at, offset) = root(self.func, address);
        let size = match *self.kind_of(at)? {
            InstKind::StackAddr { slot } => i64::from(self.func.slots[slot].size),
            InstKind::GlobalAddr { global } => {
                i64::try_from(self.globals.get(global)?.size).ok()?
            }
            _ => return None,
        };
        let inside = (0..=size).contains(&offset);
        inside.then_some(u64::from(cond == IntCond::Ne))
    }

    /// A load of initialised constant data at a known place.
    fn constant_load(&mut self, ptr: Value, ty: Type) -> Option<Found> {
        let (at, offset) = root(self.func, ptr);
        let &InstKind::GlobalAddr { global } = self.kind_of(at)? else {
            return None;
        };
        let data = self.globals.get(global)?;
        let start = u64::try_from(offset).ok()?;
        let bytes = u64::from(ty.access_bytes());
        let end = start.checked_add(bytes).filter(|&end| end <= data.size)?;
        if !data.is_known_constant() {
            return None;
        }
        let touched = data
            .relocations
            .iter()
            .find(|r| r.offset < end && start < r.offset + 8);
        if let Some(relocation) = touched {
            let (target, addend) = (relocation.target, relocation.addend);
            let exact = relocation.offset == start && bytes == 8;
            let space = self.globals.get(target)?.space;
            if !exact || ty != Type::ptr(space) {
                return None;
            }
            let base = self.emit(InstKind::GlobalAddr { global: target }, ty);
            let offset = self.func.i64(addend);
            return Some(Found::Kind(InstKind::PtrAdd { base, offset }));
        }
        if ty.scalar.is_ptr() && !data.init.is_empty() {
            // Pointers without a relocation are numbers in disguise; only NULL is plain.
            let all = data.init.get(start as usize..end as usize)?;
            if all.iter().any(|&byte| byte != 0) {
                return None;
            }
        }
        let width = ty.scalar.bytes() as usize;
        let lanes: SmallVec<[u64; 16]> = (0..usize::from(ty.lanes))
            .map(|lane| {
                let at = start as usize + lane * width;
                let mut word = [0; 8];
                if let Some(bytes) = data.init.get(at..at + width) {
                    word[..width].copy_from_slice(bytes);
                }
                u64::from_le_bytes(word)
            })
            .collect();
        debug_assert_ne!(ty.scalar, Scalar::Bool);
        Some(Found::Value(self.func.constant(ty, &lanes)))
    }
}
