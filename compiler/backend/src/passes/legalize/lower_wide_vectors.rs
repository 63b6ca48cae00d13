//! Vectors of 8 and 16 lanes become several of 4, the most that Vulkan has.
//!
//! Every wide value is replaced by its parts. Lane-wise instructions are repeated per part;
//! loads and stores split at 4-lane boundaries; shuffles pick from the parts; bit casts go
//! through 32-bit words. Block parameters, function parameters, results and arguments list
//! the narrow values first, then the parts of the wide ones in order.

use crate::expand::{Expander, Replacement, expand};
use crate::pass::{Changed, Ctx};
use pumice_ir::LowerError;
use pumice_ir::{
    BinaryOp, Block, BlockCall, ConvertOp, FuncId, Function, InstKind, IntCond, Module, Scalar,
    Type, Value, ValueDef, align_at,
};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Lanes of a part.
const PART: u8 = 4;

type Parts = SmallVec<[Value; 4]>;

fn is_wide(ty: Type) -> bool {
    ty.lanes > PART
}

fn part_ty(ty: Type) -> Type {
    ty.with_lanes(PART)
}

/// Narrow types first, then the parts of wide ones.
fn flatten_types(types: &[Type]) -> Vec<Type> {
    let narrow = types.iter().copied().filter(|&t| !is_wide(t));
    let wide = types.iter().copied().filter(|&t| is_wide(t));
    narrow
        .chain(wide.flat_map(|t| std::iter::repeat_n(part_ty(t), usize::from(t.lanes / PART))))
        .collect()
}

/// Runs the pass.
///
/// # Errors
/// A construct that the pass cannot lower.
pub fn run(module: &mut Module, _ctx: &Ctx<'_>) -> Result<Changed, LowerError> {
    let signatures: FxHashMap<FuncId, Vec<Type>> = module
        .functions
        .iter()
        .map(|(id, f)| (id, f.results.clone()))
        .collect();
    let mut changed = Changed::No;
    for f in module.functions.values_mut() {
        if f.params.iter().chain(&f.results).any(|&t| is_wide(t)) {
            f.params = flatten_types(&f.params);
            f.results = flatten_types(&f.results);
        }
        if f.entry().is_some() && has_wide(f) {
            changed |= split(f, &signatures)?;
        }
    }
    Ok(changed)
}

fn has_wide(f: &Function) -> bool {
    f.layout.blocks.iter().any(|&block| {
        let params = f.blocks[block].params.iter();
        params.clone().any(|&p| is_wide(f.ty(p)))
            || f.layout.insts[block].iter().any(|&inst| {
                let data = &f.insts[inst];
                let mut wide = data.results.iter().any(|&r| is_wide(f.ty(r)));
                data.kind.for_each_value(|v| wide |= is_wide(f.ty(v)));
                wide
            })
    })
}

struct Splitter<'s> {
    parts: FxHashMap<Value, Parts>,
    signatures: &'s FxHashMap<FuncId, Vec<Type>>,
}

fn split(
    f: &mut Function,
    signatures: &FxHashMap<FuncId, Vec<Type>>,
) -> Result<Changed, LowerError> {
    let mut splitter = Splitter {
        parts: FxHashMap::default(),
        signatures,
    };
    for block in f.layout.blocks.clone() {
        splitter.split_params(f, block);
    }
    expand(f, |x, inst| {
        let kind = x.func.insts[inst].kind.clone();
        let results = x.func.insts[inst].results.clone();
        splitter.rule(x, inst, kind, &results)
    })
}

impl Splitter<'_> {
    fn split_params(&mut self, f: &mut Function, block: Block) {
        let wide: Vec<Value> = f.blocks[block]
            .params
            .iter()
            .copied()
            .filter(|&p| is_wide(f.ty(p)))
            .collect();
        if wide.is_empty() {
            return;
        }
        for &param in &wide {
            let ty = f.ty(param);
            let parts = (0..ty.lanes / PART)
                .map(|_| f.append_param(block, part_ty(ty)))
                .collect();
            self.parts.insert(param, parts);
        }
        f.retain_params(block, |_, v| !wide.contains(&v));
    }

    /// The parts of a wide value.
    fn of(&mut self, x: &mut Expander<'_>, value: Value) -> Parts {
        if let Some(parts) = self.parts.get(&value) {
            return parts.clone();
        }
        let ty = x.ty(value);
        let def = x.func.def(value).clone();
        let parts: Parts = match def {
            ValueDef::Const(bits) => bits
                .chunks(usize::from(PART))
                .map(|lanes| x.func.constant(part_ty(ty), lanes))
                .collect(),
            // Undef, or code that nothing reaches.
            _ => (0..ty.lanes / PART)
                .map(|_| x.func.undef(part_ty(ty)))
                .collect(),
        };
        self.parts.insert(value, parts.clone());
        parts
    }

    /// Part `i` of a wide operand, or the narrow operand itself (a scalar condition).
    fn operand(&mut self, x: &mut Expander<'_>, value: Value, i: usize) -> Value {
        if is_wide(x.ty(value)) {
            self.of(x, value)[i]
        } else {
            value
        }
    }

    /// One lane of any value.
    fn lane(&mut self, x: &mut Expander<'_>, value: Value, lane: u8) -> Value {
        if is_wide(x.ty(value)) {
            let part = self.of(x, value)[usize::from(lane / PART)];
            x.lane(part, lane % PART)
        } else {
            x.lane(value, lane)
        }
    }

    fn flatten(&mut self, x: &mut Expander<'_>, values: &[Value]) -> Vec<Value> {
        let mut out: Vec<Value> = Vec::with_capacity(values.len());
        out.extend(values.iter().copied().filter(|&v| !is_wide(x.ty(v))));
        for &value in values {
            if is_wide(x.ty(value)) {
                out.extend(self.of(x, value));
            }
        }
        out
    }

    fn flatten_call(&mut self, x: &mut Expander<'_>, call: &mut BlockCall) {
        call.args = self.flatten(x, &call.args).into();
    }

    fn define(&mut self, value: Value, parts: Parts) -> Option<Replacement> {
        self.parts.insert(value, parts);
        Some(Replacement::new())
    }

    fn rule(
        &mut self,
        x: &mut Expander<'_>,
        inst: pumice_ir::Inst,
        mut kind: InstKind,
        results: &[Value],
    ) -> Result<Option<Replacement>, LowerError> {
        match &mut kind {
            InstKind::Jump { .. } | InstKind::Branch { .. } | InstKind::Switch { .. } => {
                for call in kind.successors_mut() {
                    self.flatten_call(x, call);
                }
                x.func.insts[inst].kind = kind;
                return Ok(None);
            }
            InstKind::Return { values } => {
                *values = self.flatten(x, values).into();
                x.func.insts[inst].kind = kind;
                return Ok(None);
            }
            InstKind::Call { func, args } => {
                return Ok(self.call(x, *func, args, results));
            }
            InstKind::Store {
                ptr,
                value,
                align,
                flags,
            } if is_wide(x.ty(*value)) => {
                let bytes = part_ty(x.ty(*value)).access_bytes();
                for (i, part) in self.of(x, *value).into_iter().enumerate() {
                    let at = i as u32 * bytes;
                    let ptr = x.offset(*ptr, u64::from(at));
                    x.emit(
                        InstKind::Store {
                            ptr,
                            value: part,
                            align: align_at(*align, at.into()),
                            flags: *flags,
                        },
                        &[],
                    );
                }
                return Ok(Some(Replacement::new()));
            }
            _ => {}
        }
        let Some(&result) = results.first() else {
            return Ok(None);
        };
        let ty = x.ty(result);
        if !is_wide(ty) {
            return Ok(self.narrow_result(x, &kind, ty).map(|v| {
                let mut values = Replacement::new();
                values.push(v);
                values
            }));
        }
        let parts = self.wide_result(x, kind, ty)?;
        Ok(self.define(result, parts))
    }

    fn call(
        &mut self,
        x: &mut Expander<'_>,
        func: FuncId,
        args: &[Value],
        results: &[Value],
    ) -> Option<Replacement> {
        let types = &self.signatures[&func];
        let flat = flatten_types(types);
        let any_wide = flat.len() != types.len() || args.iter().any(|&a| is_wide(x.ty(a)));
        if !any_wide {
            return None;
        }
        let args = self.flatten(x, args).into();
        let inst = x.emit(InstKind::Call { func, args }, &flat);
        let mut new = x.func.insts[inst].results.clone().into_iter();
        let mut replacement = Replacement::from_slice(results);
        for value in &mut replacement {
            if !is_wide(x.ty(*value)) {
                *value = new.next().unwrap_or(*value);
            }
        }
        for &value in results {
            let ty = x.ty(value);
            if is_wide(ty) {
                let parts = new.by_ref().take(usize::from(ty.lanes / PART)).collect();
                self.parts.insert(value, parts);
            }
        }
        Some(replacement)
    }

    /// Narrow results of wide operands.
    fn narrow_result(&mut self, x: &mut Expander<'_>, kind: &InstKind, ty: Type) -> Option<Value> {
        let mut wide = false;
        kind.for_each_value(|v| wide |= is_wide(x.ty(v)));
        if !wide {
            return None;
        }
        match kind {
            InstKind::Extract { vector, lane } => Some(self.lane(x, *vector, *lane)),
            InstKind::ExtractDyn { vector, index } => {
                let index = self.index32(x, *index);
                let which = x.bin_const(BinaryOp::LShr, index, 2);
                let mut value = None;
                for (i, part) in self.of(x, *vector).into_iter().enumerate() {
                    let within = x.bin_const(BinaryOp::And, index, u64::from(PART - 1));
                    let lane = x.value(
                        InstKind::ExtractDyn {
                            vector: part,
                            index: within,
                        },
                        ty,
                    );
                    value = Some(match value {
                        None => lane,
                        Some(before) => {
                            let here = x.icmp_const(IntCond::Eq, which, i as u64);
                            x.select(here, lane, before)
                        }
                    });
                }
                value
            }
            InstKind::Shuffle { args, mask } => {
                let lanes: SmallVec<[Value; 4]> = mask
                    .iter()
                    .map(|&m| self.shuffle_lane(x, *args, m))
                    .collect();
                Some(x.build(&lanes))
            }
            InstKind::Convert {
                op: ConvertOp::Bitcast,
                arg,
                ..
            } => {
                let words = self.words(x, *arg);
                Some(x.of_words(&words, ty))
            }
            // Atomics and the like never take wide operands.
            _ => None,
        }
    }

    fn index32(&mut self, x: &mut Expander<'_>, index: Value) -> Value {
        let bits = x.ty(index).scalar.bits();
        let op = if bits < 32 {
            ConvertOp::ZExt
        } else {
            ConvertOp::Trunc
        };
        x.convert(op, index, Type::I32)
    }

    fn shuffle_lane(&mut self, x: &mut Expander<'_>, args: [Value; 2], m: Option<u8>) -> Value {
        let lane = m.unwrap_or(0);
        let first = x.ty(args[0]).lanes;
        if lane < first {
            self.lane(x, args[0], lane)
        } else {
            self.lane(x, args[1], lane - first)
        }
    }

    /// The bits of any value as I32 words, low first.
    fn words(&mut self, x: &mut Expander<'_>, value: Value) -> Vec<Value> {
        let ty = x.ty(value);
        let pieces: Parts = if is_wide(ty) {
            self.of(x, value)
        } else {
            SmallVec::from_slice(&[value])
        };
        let mut words = Vec::new();
        for piece in pieces {
            let ty = x.ty(piece);
            let units: SmallVec<[Value; 4]> = if ty.access_bytes() > 16 {
                x.lanes(piece)
            } else {
                SmallVec::from_slice(&[piece])
            };
            for unit in units {
                let count = (x.ty(unit).access_bytes() / 4) as u8;
                let vector = Type::vector(Scalar::I32, count);
                let vector = x.convert(ConvertOp::Bitcast, unit, vector);
                for lane in 0..count {
                    words.push(x.lane(vector, lane));
                }
            }
        }
        words
    }

    fn wide_result(
        &mut self,
        x: &mut Expander<'_>,
        kind: InstKind,
        ty: Type,
    ) -> Result<Parts, LowerError> {
        let count = usize::from(ty.lanes / PART);
        let part = part_ty(ty);
        let parts: Parts = match kind {
            InstKind::Build { lanes } => lanes
                .chunks(usize::from(PART))
                .map(|lanes| x.build(lanes))
                .collect(),
            InstKind::Splat { arg } => {
                let one = x.value(InstKind::Splat { arg }, part);
                std::iter::repeat_n(one, count).collect()
            }
            InstKind::Insert {
                vector,
                scalar,
                lane,
            } => {
                let mut parts = self.of(x, vector);
                let at = usize::from(lane / PART);
                parts[at] = x.value(
                    InstKind::Insert {
                        vector: parts[at],
                        scalar,
                        lane: lane % PART,
                    },
                    part,
                );
                parts
            }
            InstKind::InsertDyn {
                vector,
                scalar,
                index,
            } => {
                let index = self.index32(x, index);
                let which = x.bin_const(BinaryOp::LShr, index, 2);
                let within = x.bin_const(BinaryOp::And, index, u64::from(PART - 1));
                let parts = self.of(x, vector);
                (0..count)
                    .map(|i| {
                        let new = x.value(
                            InstKind::InsertDyn {
                                vector: parts[i],
                                scalar,
                                index: within,
                            },
                            part,
                        );
                        let here = x.icmp_const(IntCond::Eq, which, i as u64);
                        x.select(here, new, parts[i])
                    })
                    .collect()
            }
            InstKind::Shuffle { args, mask } => mask
                .chunks(usize::from(PART))
                .map(|mask| {
                    let lanes: SmallVec<[Value; 4]> = mask
                        .iter()
                        .map(|&m| self.shuffle_lane(x, args, m))
                        .collect();
                    x.build(&lanes)
                })
                .collect(),
            InstKind::Load { ptr, align, flags } => (0..count as u32)
                .map(|i| {
                    let at = i * part.access_bytes();
                    let ptr = x.offset(ptr, u64::from(at));
                    let align = align_at(align, at.into());
                    x.value(InstKind::Load { ptr, align, flags }, part)
                })
                .collect(),
            InstKind::LoadArg { offset } => (0..count as u32)
                .map(|i| {
                    let offset = offset + i * part.access_bytes();
                    x.value(InstKind::LoadArg { offset }, part)
                })
                .collect(),
            InstKind::Convert {
                op: ConvertOp::Bitcast,
                arg,
                ..
            } => {
                let words = self.words(x, arg);
                let per = (part.access_bytes() / 4) as usize;
                words
                    .chunks(per)
                    .map(|words| x.of_words(words, part))
                    .collect()
            }
            InstKind::Unary { .. }
            | InstKind::Binary { .. }
            | InstKind::ICmp { .. }
            | InstKind::FCmp { .. }
            | InstKind::Select { .. }
            | InstKind::Convert { .. }
            | InstKind::Math { .. }
            | InstKind::Group { .. } => (0..count)
                .map(|i| {
                    let mut kind = kind.clone();
                    kind.for_each_value_mut(|v| *v = self.operand(x, *v, i));
                    x.value(kind, part)
                })
                .collect(),
            other => {
                return Err(LowerError::new(format!(
                    "internal: {other:?} gives a vector of {} lanes",
                    ty.lanes
                )));
            }
        };
        Ok(parts)
    }
}
