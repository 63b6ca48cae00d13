//! Values of constant expressions, computed on the typed tree.
use super::Sema;
use super::typed::{
    ArithOp, CompareOp, ConstData, ConvertKind, ExprId, ExprKind, GlobalId, Init, PlaceId,
    PlaceKind, Reloc,
};
use super::types::{AddrSpace, FloatKind, Type, TypeId};

/// A constant.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    /// Integer, bool or enumeration: the type's bits, zero-extended.
    Int(u64),
    /// A float, exactly representable in its type.
    Float(f64),
    /// Elements.
    Vector(Vec<Value>),
    /// An address; without variable a number.
    Addr {
        global: Option<GlobalId>,
        offset: i64,
    },
    /// A record or array as bytes.
    Bytes(ConstData),
}

const NULL: Value = Value::Addr {
    global: None,
    offset: 0,
};

impl<'a> Sema<'a> {
    /// The value of an expression, when it is constant.
    pub(super) fn eval(&self, id: ExprId) -> Option<Value> {
        let expr = self.body.expr(id);
        let ty = expr.ty;
        match &expr.kind {
            ExprKind::Int(bits) => Some(Value::Int(*bits)),
            ExprKind::Float(value) => Some(Value::Float(*value)),
            ExprKind::Null => Some(NULL),
            ExprKind::Zero => Some(Value::Bytes(ConstData {
                bytes: vec![0; usize::try_from(self.module.types.size(ty)).ok()?],
                relocs: Vec::new(),
            })),
            ExprKind::Load(place) => self.read_place(*place),
            ExprKind::AddrOf(place) | ExprKind::Decay(place) => {
                let (global, offset) = self.place_address(*place)?;
                Some(Value::Addr { global, offset })
            }
            ExprKind::Convert { kind, operand } => {
                let value = self.eval(*operand)?;
                self.convert_value(*kind, value, self.ty(*operand), ty)
            }
            ExprKind::Neg(operand) => {
                let (elem, _) = self.module.types.elem_lanes(ty);
                map(self.eval(*operand)?, &|v| match v {
                    Value::Int(bits) => Some(self.int_value(bits.wrapping_neg(), elem)),
                    Value::Float(x) => Some(Value::Float(-x)),
                    _ => None,
                })
            }
            ExprKind::BitNot(operand) => {
                let (elem, _) = self.module.types.elem_lanes(ty);
                map(self.eval(*operand)?, &|v| match v {
                    Value::Int(bits) => Some(self.int_value(!bits, elem)),
                    _ => None,
                })
            }
            ExprKind::Not(operand) => {
                let (elem, lanes) = self.module.types.elem_lanes(ty);
                let yes = if lanes > 1 { u64::MAX } else { 1 };
                map(self.eval(*operand)?, &|v| {
                    let zero = match v {
                        Value::Int(bits) => bits == 0,
                        Value::Float(x) => x == 0.0,
                        _ => return None,
                    };
                    Some(self.int_value(if zero { yes } else { 0 }, elem))
                })
            }
            ExprKind::Binary { op, lhs, rhs } => {
                let (elem, _) = self.module.types.elem_lanes(ty);
                zip(self.eval(*lhs)?, self.eval(*rhs)?, &|a, b| {
                    self.arith(*op, a, b, elem)
                })
            }
            ExprKind::Compare { op, lhs, rhs } => {
                let operand = self.ty(*lhs);
                let (elem, _) = self.module.types.elem_lanes(operand);
                let (result, lanes) = self.module.types.elem_lanes(ty);
                let yes = if lanes > 1 { u64::MAX } else { 1 };
                zip(self.eval(*lhs)?, self.eval(*rhs)?, &|a, b| {
                    let holds = self.compare(*op, a, b, elem)?;
                    Some(self.int_value(if holds { yes } else { 0 }, result))
                })
            }
            ExprKind::Logical { and, lhs, rhs } => {
                let left = is_true(&self.eval(*lhs)?)?;
                if left != *and {
                    return Some(Value::Int(u64::from(left)));
                }
                Some(Value::Int(u64::from(is_true(&self.eval(*rhs)?)?)))
            }
            ExprKind::VectorLogical { and, lhs, rhs } => {
                zip(self.eval(*lhs)?, self.eval(*rhs)?, &|a, b| match (a, b) {
                    (Value::Int(a), Value::Int(b)) => {
                        Some(Value::Int(if *and { a & b } else { a | b }))
                    }
                    _ => None,
                })
            }
            ExprKind::Cond {
                cond,
                then,
                otherwise,
            } => {
                if is_true(&self.eval(*cond)?)? {
                    self.eval(*then)
                } else {
                    self.eval(*otherwise)
                }
            }
            ExprKind::Select {
                cond,
                then,
                otherwise,
            } => {
                let (elem, _) = self.module.types.elem_lanes(self.ty(*cond));
                let bits = self.module.types.size(elem) * 8;
                let (Value::Vector(c), Value::Vector(t), Value::Vector(f)) =
                    (self.eval(*cond)?, self.eval(*then)?, self.eval(*otherwise)?)
                else {
                    return None;
                };
                let lanes = c.into_iter().zip(t.into_iter().zip(f));
                lanes
                    .map(|(c, (t, f))| match c {
                        Value::Int(c) => Some(if c >> (bits - 1) & 1 == 1 { t } else { f }),
                        _ => None,
                    })
                    .collect::<Option<Vec<_>>>()
                    .map(Value::Vector)
            }
            ExprKind::PtrAdd { base, index } => {
                let Value::Addr { global, offset } = self.eval(*base)? else {
                    return None;
                };
                let Value::Int(index) = self.eval(*index)? else {
                    return None;
                };
                let (pointee, _) = self.module.types.pointer_parts(ty)?;
                let size = self.module.types.size(pointee.ty).max(1) as i64;
                Some(Value::Addr {
                    global,
                    offset: offset.wrapping_add(size.wrapping_mul(index as i64)),
                })
            }
            ExprKind::PtrDiff {
                lhs,
                rhs,
                elem_size,
            } => match (self.eval(*lhs)?, self.eval(*rhs)?) {
                (
                    Value::Addr { global: a, offset },
                    Value::Addr {
                        global: b,
                        offset: from,
                    },
                ) if a == b => {
                    let bytes = offset.wrapping_sub(from);
                    Some(Value::Int(
                        bytes.wrapping_div((*elem_size).max(1) as i64) as u64
                    ))
                }
                _ => None,
            },
            ExprKind::Comma { lhs, rhs } => {
                self.eval(*lhs)?;
                self.eval(*rhs)
            }
            ExprKind::VectorBuild(parts) => {
                let mut lanes = Vec::new();
                for &part in parts {
                    match self.eval(part)? {
                        Value::Vector(more) => lanes.extend(more),
                        scalar => lanes.push(scalar),
                    }
                }
                Some(Value::Vector(lanes))
            }
            ExprKind::Swizzle { base, lanes } => {
                let Value::Vector(values) = self.eval(*base)? else {
                    return None;
                };
                let mut picked = Vec::new();
                for &lane in lanes {
                    picked.push(values.get(usize::from(lane))?.clone());
                }
                if picked.len() == 1 {
                    picked.pop()
                } else {
                    Some(Value::Vector(picked))
                }
            }
            ExprKind::ExtractLane { base, index } => {
                match (self.eval(*base)?, self.eval(*index)?) {
                    (Value::Vector(values), Value::Int(index)) => {
                        values.get(usize::try_from(index).ok()?).cloned()
                    }
                    _ => None,
                }
            }
            ExprKind::ExtractField { base, field } => {
                let Value::Bytes(data) = self.eval(*base)? else {
                    return None;
                };
                let record = self.module.types.record_id(self.ty(*base))?;
                let field = self
                    .module
                    .types
                    .record(record)
                    .fields
                    .get(*field as usize)?;
                self.decode(&data, field.offset, field.ty.ty)
            }
            ExprKind::Assign { .. }
            | ExprKind::Update { .. }
            | ExprKind::OldValue
            | ExprKind::Call { .. }
            | ExprKind::Builtin { .. } => None,
        }
    }

    /// The value in a place that cannot change.
    fn read_place(&self, id: PlaceId) -> Option<Value> {
        let place = self.body.place(id);
        match &place.kind {
            PlaceKind::Local(local) => self.const_locals.get(local).cloned(),
            PlaceKind::Literal { init, .. } => {
                let data = self.init_data(init, place.ty.ty)?;
                self.decode(&data, 0, place.ty.ty)
            }
            PlaceKind::Lanes { base, lanes } => {
                let Value::Vector(values) = self.read_place(*base)? else {
                    return None;
                };
                let mut picked = Vec::new();
                for &lane in lanes {
                    picked.push(values.get(usize::from(lane))?.clone());
                }
                if picked.len() == 1 {
                    picked.pop()
                } else {
                    Some(Value::Vector(picked))
                }
            }
            PlaceKind::Field { base, field }
                if matches!(self.body.place(*base).kind, PlaceKind::Literal { .. }) =>
            {
                let base_ty = self.body.place(*base).ty.ty;
                let Value::Bytes(data) = self.read_place(*base)? else {
                    return None;
                };
                let record = self.module.types.record_id(base_ty)?;
                let field = self
                    .module
                    .types
                    .record(record)
                    .fields
                    .get(*field as usize)?;
                self.decode(&data, field.offset, field.ty.ty)
            }
            _ => {
                let (Some(global), offset) = self.place_address(id)? else {
                    return None;
                };
                let global = self.module.global(global);
                if global.space != AddrSpace::Constant {
                    return None;
                }
                self.decode(
                    global.init.as_ref()?,
                    u64::try_from(offset).ok()?,
                    place.ty.ty,
                )
            }
        }
    }

    /// The address of a place with static storage.
    fn place_address(&self, id: PlaceId) -> Option<(Option<GlobalId>, i64)> {
        let place = self.body.place(id);
        match &place.kind {
            PlaceKind::Global(global) => (self.module.global(*global).space != AddrSpace::Local)
                .then_some((Some(*global), 0)),
            PlaceKind::Deref(pointer) => match self.eval(*pointer)? {
                Value::Addr { global, offset } => Some((global, offset)),
                _ => None,
            },
            PlaceKind::Field { base, field } => {
                let (global, offset) = self.place_address(*base)?;
                let record = self.module.types.record_id(self.body.place(*base).ty.ty)?;
                let field = self
                    .module
                    .types
                    .record(record)
                    .fields
                    .get(*field as usize)?;
                Some((global, offset.wrapping_add(field.offset as i64)))
            }
            _ => None,
        }
    }

    /// Integer bits cut to a type.
    pub(super) fn int_value(&self, bits: u64, ty: TypeId) -> Value {
        let width = match self.module.types.get(ty) {
            Type::Bool => 1,
            _ => self.module.types.size(ty) * 8,
        };
        Value::Int(if width >= 64 {
            bits
        } else {
            bits & ((1 << width) - 1)
        })
    }

    fn float_value(&self, value: f64, ty: TypeId) -> Value {
        Value::Float(match self.module.types.float_kind(ty) {
            Some(FloatKind::Half) => round_to_half(value),
            Some(FloatKind::Float) => f64::from(value as f32),
            _ => value,
        })
    }

    /// Applies a conversion to a constant.
    pub(super) fn convert_value(
        &self,
        kind: ConvertKind,
        value: Value,
        from: TypeId,
        to: TypeId,
    ) -> Option<Value> {
        let (from_elem, _) = self.module.types.elem_lanes(from);
        let (to_elem, lanes) = self.module.types.elem_lanes(to);
        let wide = self.module.types.size(to) == 8;
        match kind {
            ConvertKind::IntToInt => map(value, &|v| match v {
                Value::Int(bits) => {
                    Some(self.int_value(self.signed_value(bits, from_elem) as u64, to_elem))
                }
                addr @ Value::Addr { .. } if wide => Some(addr),
                _ => None,
            }),
            ConvertKind::IntToFloat => map(value, &|v| match v {
                Value::Int(bits) => {
                    let number = self.signed_value(bits, from_elem);
                    Some(match self.module.types.float_kind(to_elem) {
                        Some(FloatKind::Float) => Value::Float(f64::from(number as f32)),
                        _ => self.float_value(number as f64, to_elem),
                    })
                }
                _ => None,
            }),
            ConvertKind::FloatToInt => map(value, &|v| match v {
                Value::Float(x) => {
                    let signed = self.module.types.is_signed(to_elem);
                    let bits = if signed || x < 0.0 {
                        x as i64 as u64
                    } else {
                        x as u64
                    };
                    Some(self.int_value(bits, to_elem))
                }
                _ => None,
            }),
            ConvertKind::FloatToFloat => map(value, &|v| match v {
                Value::Float(x) => Some(self.float_value(x, to_elem)),
                _ => None,
            }),
            ConvertKind::ToBool => Some(Value::Int(u64::from(is_true(&value)?))),
            ConvertKind::Splat => Some(Value::Vector(vec![value; usize::from(lanes)])),
            ConvertKind::PtrToInt => match value {
                Value::Addr {
                    global: None,
                    offset,
                } => Some(self.int_value(offset as u64, to)),
                addr if wide => Some(addr),
                _ => None,
            },
            ConvertKind::IntToPtr => match value {
                Value::Int(bits) => Some(Value::Addr {
                    global: None,
                    offset: self.signed_value(bits, from) as i64,
                }),
                addr @ Value::Addr { .. } => Some(addr),
                _ => None,
            },
            ConvertKind::PtrToPtr | ConvertKind::SpaceCast | ConvertKind::Same => Some(value),
            ConvertKind::Bitcast => {
                let size = self.module.types.size(from).max(self.module.types.size(to));
                let mut data = ConstData {
                    bytes: vec![0; size as usize],
                    relocs: Vec::new(),
                };
                self.encode(&value, from, &mut data, 0)?;
                self.decode(&data, 0, to)
            }
            ConvertKind::ToVoid => None,
        }
    }

    fn arith(&self, op: ArithOp, a: Value, b: Value, ty: TypeId) -> Option<Value> {
        match (a, b) {
            (Value::Float(a), Value::Float(b)) => {
                let result = match op {
                    ArithOp::Add => a + b,
                    ArithOp::Sub => a - b,
                    ArithOp::Mul => a * b,
                    ArithOp::Div => a / b,
                    _ => return None,
                };
                Some(self.float_value(result, ty))
            }
            (Value::Int(a), Value::Int(b)) => {
                let width = self.module.types.size(ty) * 8;
                let (x, y) = (self.signed_value(a, ty), self.signed_value(b, ty));
                let result = match op {
                    ArithOp::Add => x.wrapping_add(y),
                    ArithOp::Sub => x.wrapping_sub(y),
                    ArithOp::Mul => x.wrapping_mul(y),
                    ArithOp::Div => x.checked_div(y)?,
                    ArithOp::Rem => x.checked_rem(y)?,
                    ArithOp::Shl => x << (b % width),
                    ArithOp::Shr => x >> (b % width),
                    ArithOp::And => x & y,
                    ArithOp::Or => x | y,
                    ArithOp::Xor => x ^ y,
                };
                Some(self.int_value(result as u64, ty))
            }
            _ => None,
        }
    }

    fn compare(&self, op: CompareOp, a: Value, b: Value, ty: TypeId) -> Option<bool> {
        use std::cmp::Ordering;
        let order = match (a, b) {
            (Value::Int(a), Value::Int(b)) => {
                Some(self.signed_value(a, ty).cmp(&self.signed_value(b, ty)))
            }
            (Value::Float(a), Value::Float(b)) => a.partial_cmp(&b),
            (
                Value::Addr { global: x, offset },
                Value::Addr {
                    global: y,
                    offset: other,
                },
            ) if x == y => Some(offset.cmp(&other)),
            // Variables are at different, non-null addresses.
            (Value::Addr { .. }, Value::Addr { .. }) => {
                return match op {
                    CompareOp::Eq => Some(false),
                    CompareOp::Ne => Some(true),
                    _ => None,
                };
            }
            _ => return None,
        };
        Some(match op {
            CompareOp::Eq => order == Some(Ordering::Equal),
            CompareOp::Ne => order != Some(Ordering::Equal),
            CompareOp::Lt => order == Some(Ordering::Less),
            CompareOp::Le => matches!(order, Some(Ordering::Less | Ordering::Equal)),
            CompareOp::Gt => order == Some(Ordering::Greater),
            CompareOp::Ge => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
        })
    }

    /// Writes a value of type `ty` at byte `at`.
    pub(super) fn encode(
        &self,
        value: &Value,
        ty: TypeId,
        out: &mut ConstData,
        at: u64,
    ) -> Option<()> {
        if let Type::Atomic(inner) = *self.module.types.get(ty) {
            return self.encode(value, inner, out, at);
        }
        let size = self.module.types.size(ty) as usize;
        let start = usize::try_from(at).ok()?;
        let bytes = out.bytes.get_mut(start..start.checked_add(size)?)?;
        // A later initialiser overrides an earlier one.
        out.relocs
            .retain(|r| r.offset + 8 <= at || r.offset >= at + size as u64);
        match value {
            Value::Int(bits) => bytes.copy_from_slice(&bits.to_le_bytes()[..size.min(8)]),
            Value::Float(x) => match self.module.types.float_kind(ty)? {
                FloatKind::Half => bytes.copy_from_slice(&half_bits(*x).to_le_bytes()),
                FloatKind::Float => bytes.copy_from_slice(&(*x as f32).to_le_bytes()),
                FloatKind::Double => bytes.copy_from_slice(&x.to_le_bytes()),
            },
            Value::Vector(lanes) => {
                let (elem, _) = self.module.types.vector_parts(ty)?;
                let step = self.module.types.size(elem);
                for (lane, value) in lanes.iter().enumerate() {
                    self.encode(value, elem, out, at + lane as u64 * step)?;
                }
            }
            Value::Addr { global, offset } => match global {
                None => bytes.copy_from_slice(&(*offset as u64).to_le_bytes()[..size.min(8)]),
                Some(target) if size == 8 => {
                    bytes.fill(0);
                    let reloc = Reloc {
                        offset: at,
                        target: *target,
                        addend: *offset,
                    };
                    let place = out.relocs.partition_point(|r| r.offset < at);
                    out.relocs.insert(place, reloc);
                }
                Some(_) => return None,
            },
            Value::Bytes(data) => {
                bytes.copy_from_slice(data.bytes.get(..size)?);
                for reloc in &data.relocs {
                    let place = out.relocs.partition_point(|r| r.offset < at + reloc.offset);
                    out.relocs.insert(
                        place,
                        Reloc {
                            offset: at + reloc.offset,
                            ..*reloc
                        },
                    );
                }
            }
        }
        Some(())
    }

    /// Reads a value of type `ty` at byte `at`.
    fn decode(&self, data: &ConstData, at: u64, ty: TypeId) -> Option<Value> {
        let size = self.module.types.size(ty) as usize;
        let start = usize::try_from(at).ok()?;
        let bytes = data.bytes.get(start..start.checked_add(size)?)?;
        let reloc = data.relocs.iter().find(|r| r.offset == at);
        let word = || {
            let mut word = [0; 8];
            word[..size.min(8)].copy_from_slice(&bytes[..size.min(8)]);
            u64::from_le_bytes(word)
        };
        match *self.module.types.get(ty) {
            Type::Bool | Type::Int(_) | Type::Enum(_) | Type::Pointer { .. } => {
                if let Some(reloc) = reloc {
                    return Some(Value::Addr {
                        global: Some(reloc.target),
                        offset: reloc.addend,
                    });
                }
                if self.module.types.is_pointer(ty) {
                    return Some(Value::Addr {
                        global: None,
                        offset: word() as i64,
                    });
                }
                Some(Value::Int(word()))
            }
            Type::Float(kind) => Some(Value::Float(match kind {
                FloatKind::Half => half_value(word() as u16),
                FloatKind::Float => f64::from(f32::from_bits(word() as u32)),
                FloatKind::Double => f64::from_bits(word()),
            })),
            Type::Vector { elem, len } => {
                let step = self.module.types.size(elem);
                (0..u64::from(len))
                    .map(|lane| self.decode(data, at + lane * step, elem))
                    .collect::<Option<Vec<_>>>()
                    .map(Value::Vector)
            }
            Type::Record(_) | Type::Array { .. } => {
                let end = at + size as u64;
                Some(Value::Bytes(ConstData {
                    bytes: bytes.to_vec(),
                    relocs: data
                        .relocs
                        .iter()
                        .filter(|r| r.offset >= at && r.offset < end)
                        .map(|r| Reloc {
                            offset: r.offset - at,
                            ..*r
                        })
                        .collect(),
                }))
            }
            Type::Atomic(value) => self.decode(data, at, value),
            _ => None,
        }
    }

    /// The bytes of an initialiser all of whose values are constant.
    pub(super) fn init_data(&self, init: &Init, ty: TypeId) -> Option<ConstData> {
        let size = usize::try_from(self.module.types.size(ty)).ok()?;
        let zero = || ConstData {
            bytes: vec![0; size],
            relocs: Vec::new(),
        };
        match init {
            Init::Const(data) => Some(data.clone()),
            Init::Expr(expr) => {
                let value = self.eval(*expr)?;
                let mut data = zero();
                self.encode(&value, ty, &mut data, 0)?;
                Some(data)
            }
            Init::List { elems, .. } => {
                let mut data = zero();
                for elem in elems {
                    let value = self.eval(elem.value)?;
                    let (offset, elem_ty) = self.path_offset(ty, &elem.path)?;
                    self.encode(&value, elem_ty, &mut data, offset)?;
                }
                Some(data)
            }
        }
    }

    /// Byte offset and type of a subobject.
    pub(super) fn path_offset(&self, ty: TypeId, path: &[u64]) -> Option<(u64, TypeId)> {
        let mut at = 0;
        let mut current = ty;
        for &step in path {
            match *self.module.types.get(current) {
                Type::Record(record) => {
                    let field = self.module.types.record(record).fields.get(step as usize)?;
                    at += field.offset;
                    current = field.ty.ty;
                }
                Type::Array { elem, .. } => {
                    at += self.module.types.size(elem.ty) * step;
                    current = elem.ty;
                }
                _ => return None,
            }
        }
        Some((at, current))
    }
}

/// Whether a scalar constant is nonzero.
pub(super) fn is_true(value: &Value) -> Option<bool> {
    match value {
        Value::Int(bits) => Some(*bits != 0),
        Value::Float(x) => Some(*x != 0.0),
        Value::Addr { global, offset } => Some(global.is_some() || *offset != 0),
        _ => None,
    }
}

fn map(value: Value, f: &dyn Fn(Value) -> Option<Value>) -> Option<Value> {
    match value {
        Value::Vector(lanes) => lanes
            .into_iter()
            .map(f)
            .collect::<Option<Vec<_>>>()
            .map(Value::Vector),
        scalar => f(scalar),
    }
}

fn zip(a: Value, b: Value, f: &dyn Fn(Value, Value) -> Option<Value>) -> Option<Value> {
    match (a, b) {
        (Value::Vector(a), Value::Vector(b)) if a.len() == b.len() => a
            .into_iter()
            .zip(b)
            .map(|(a, b)| f(a, b))
            .collect::<Option<Vec<_>>>()
            .map(Value::Vector),
        (Value::Vector(_), _) | (_, Value::Vector(_)) => None,
        (a, b) => f(a, b),
    }
}

/// The half nearest to `x` (ties to even).
pub(super) fn round_to_half(x: f64) -> f64 {
    if x == 0.0 || !x.is_finite() {
        return x;
    }
    let exponent = ((x.to_bits() >> 52) & 0x7ff) as i32 - 1023;
    let quantum = 2f64.powi(exponent.max(-14) - 10);
    let rounded = (x / quantum).round_ties_even() * quantum;
    if rounded.abs() > 65504.0 {
        f64::INFINITY.copysign(x)
    } else {
        rounded
    }
}

/// The bits of a value that a half can hold exactly (others are rounded first).
pub(super) fn half_bits(x: f64) -> u16 {
    let x = round_to_half(x);
    let sign = if x.is_sign_negative() { 0x8000 } else { 0 };
    let magnitude = x.abs();
    if x.is_nan() {
        return sign | 0x7e00;
    }
    if magnitude.is_infinite() {
        return sign | 0x7c00;
    }
    if magnitude < 2f64.powi(-14) {
        return sign | (magnitude * 2f64.powi(24)) as u16;
    }
    let exponent = ((magnitude.to_bits() >> 52) & 0x7ff) as i32 - 1023;
    let mantissa = (magnitude / 2f64.powi(exponent - 10)) as u16 - 1024;
    sign | ((exponent + 15) as u16) << 10 | mantissa
}

/// The value of a half's bits.
fn half_value(bits: u16) -> f64 {
    let sign = if bits & 0x8000 != 0 { -1.0 } else { 1.0 };
    let exponent = i32::from(bits >> 10 & 0x1f);
    let mantissa = f64::from(bits & 0x3ff);
    sign * match exponent {
        0 => mantissa * 2f64.powi(-24),
        31 if mantissa == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1024.0 + mantissa) * 2f64.powi(exponent - 25),
    }
}

#[cfg(test)]
mod tests {
    use super::{half_bits, half_value, round_to_half};

    #[test]
    fn halves_round_to_even_and_come_back() {
        assert_eq!(half_bits(1.0), 0x3c00);
        assert_eq!(half_bits(-2.0), 0xc000);
        assert_eq!(half_bits(65504.0), 0x7bff);
        assert_eq!(half_bits(65520.0), 0x7c00);
        assert_eq!(half_bits(2f64.powi(-24)), 1);
        assert_eq!(half_bits(2f64.powi(-25)), 0);
        assert_eq!(round_to_half(2049.0), 2048.0);
        for bits in 0..0x7c00 {
            assert_eq!(half_bits(half_value(bits)), bits);
        }
    }
}
