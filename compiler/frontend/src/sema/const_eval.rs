//! Values of constant expressions, computed on the typed tree.
use super::Sema;
use super::typed::{
    ArithOp, CompareOp, ConstData, ConvertKind, ExprId, ExprKind, GlobalId, LvalueId, LvalueKind,
    NO_LANE,
};
use crate::lang::types::{AddrSpace, FloatKind, Quals, Type, TypeId};

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
            ExprKind::Zero => Some(Value::Bytes(self.zeros(ty, expr.span)?)),
            ExprKind::Sampler(_) | ExprKind::Block { .. } => None,
            ExprKind::Load(lvalue) => self.read_lvalue(*lvalue),
            ExprKind::AddrOf(lvalue) | ExprKind::Decay(lvalue) => {
                let (global, offset) = self.lvalue_address(*lvalue)?;
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
            ExprKind::Binary { op, lhs, rhs, .. } => {
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
            ExprKind::Swizzle { base, lanes } => swizzled(&self.eval(*base)?, lanes),
            ExprKind::ExtractLane { base, index } => {
                match (self.eval(*base)?, self.eval(*index)?) {
                    (Value::Vector(values), Value::Int(index)) => {
                        values.get(usize::try_from(index).ok()?).cloned()
                    }
                    _ => None,
                }
            }
            ExprKind::ExtractField { base, field } => {
                self.field_value(&self.eval(*base)?, self.ty(*base), *field)
            }
            ExprKind::Assign { .. }
            | ExprKind::Update { .. }
            | ExprKind::OldValue
            | ExprKind::Stmts { .. }
            | ExprKind::AddrOfFunction(_)
            | ExprKind::Call { .. }
            | ExprKind::CallPointer { .. }
            | ExprKind::Builtin { .. } => None,
        }
    }

    /// The value of a field of a record.
    fn field_value(&self, record: &Value, ty: TypeId, field: u32) -> Option<Value> {
        let Value::Bytes(data) = record else {
            return None;
        };
        let types = &self.module.types;
        let field = (types.record(types.record_id(ty)?).fields).get(field as usize)?;
        match field.bits {
            Some(bits) => self.decode_bits(data, field.offset, bits, field.ty.ty),
            None => self.decode(data, field.offset, field.ty.ty),
        }
    }

    /// The value in an lvalue that cannot change.
    fn read_lvalue(&self, id: LvalueId) -> Option<Value> {
        let lvalue = self.body.lvalue(id);
        match &lvalue.kind {
            LvalueKind::Local(local) => self.const_locals.get(local).cloned(),
            LvalueKind::Literal { init, .. } => {
                let data = self.init_data(init, lvalue.ty.ty)?;
                self.decode(&data, 0, lvalue.ty.ty)
            }
            LvalueKind::Lanes { base, lanes, .. } => swizzled(&self.read_lvalue(*base)?, lanes),
            LvalueKind::Field { base, field }
                if matches!(self.body.lvalue(*base).kind, LvalueKind::Literal { .. }) =>
            {
                let base_ty = self.body.lvalue(*base).ty.ty;
                self.field_value(&self.read_lvalue(*base)?, base_ty, *field)
            }
            _ => {
                let (Some(global), offset) = self.lvalue_address(id)? else {
                    return None;
                };
                let global = self.module.global(global);
                let quals = global.ty.quals;
                let is_const = quals.contains(Quals::CONST) && !quals.contains(Quals::VOLATILE);
                if global.space != AddrSpace::Constant && !is_const {
                    return None;
                }
                let (data, at) = (global.init.as_ref()?, u64::try_from(offset).ok()?);
                match self.bits_of(id) {
                    Some(bits) => self.decode_bits(data, at, bits, lvalue.ty.ty),
                    None => self.decode(data, at, lvalue.ty.ty),
                }
            }
        }
    }

    /// The address of an lvalue with static storage.
    fn lvalue_address(&self, id: LvalueId) -> Option<(Option<GlobalId>, i64)> {
        let lvalue = self.body.lvalue(id);
        match &lvalue.kind {
            LvalueKind::Global(global) => (self.module.global(*global).space != AddrSpace::Local)
                .then_some((Some(*global), 0)),
            LvalueKind::Deref(pointer) => match self.eval(*pointer)? {
                Value::Addr { global, offset } => Some((global, offset)),
                _ => None,
            },
            LvalueKind::Field { base, field } => {
                let (global, offset) = self.lvalue_address(*base)?;
                let record = self.module.types.record_id(self.body.lvalue(*base).ty.ty)?;
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
            Some(FloatKind::Half) => pumice_numerics::nearest_half(value),
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
}

/// Returns whether a scalar constant is nonzero.
pub(super) fn is_true(value: &Value) -> Option<bool> {
    match value {
        Value::Int(bits) => Some(*bits != 0),
        Value::Float(x) => Some(*x != 0.0),
        Value::Addr { global, offset } => Some(global.is_some() || *offset != 0),
        _ => None,
    }
}

/// Some lanes of a vector; one lane is a scalar.
fn swizzled(vector: &Value, lanes: &[u8]) -> Option<Value> {
    let Value::Vector(values) = vector else {
        return None;
    };
    let lane = |lane: &u8| match *lane {
        // Undefined: any value will do.
        NO_LANE => values.last().cloned(),
        lane => values.get(usize::from(lane)).cloned(),
    };
    let mut picked = lanes.iter().map(lane).collect::<Option<Vec<_>>>()?;
    match picked.len() {
        1 => picked.pop(),
        _ => Some(Value::Vector(picked)),
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
