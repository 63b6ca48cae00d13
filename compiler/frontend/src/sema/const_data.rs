//! Constants as bytes, and bytes as constants.
use super::Sema;
use super::const_eval::Value;
use super::typed::{ConstData, Init, Reloc};
use crate::lang::types::{FloatKind, Type, TypeId};
use crate::source::Span;
use pumice_numerics::{half_from_f64, half_to_f64};
use pumice_reflection::MAX_INITIAL_DATA;

impl<'a> Sema<'a> {
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
        let address = self.module.types.address_size();
        let first = out.relocs.partition_point(|r| r.offset + address <= at);
        let behind = out.relocs.partition_point(|r| r.offset < at + size as u64);
        out.relocs.drain(first..behind.max(first));
        match value {
            Value::Int(bits) => bytes.copy_from_slice(&bits.to_le_bytes()[..size.min(8)]),
            Value::Float(x) => match self.module.types.float_kind(ty)? {
                FloatKind::Half => bytes.copy_from_slice(&half_from_f64(*x).to_le_bytes()),
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
                Some(target) if size as u64 == address => {
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
    pub(super) fn decode(&self, data: &ConstData, at: u64, ty: TypeId) -> Option<Value> {
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
                FloatKind::Half => half_to_f64(word() as u16),
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

    /// Checks the size of an object that is kept as bytes; `None` (with a diagnostic) when it is
    /// too large.
    pub(super) fn check_data_size(&self, size: u64, span: Span) -> Option<()> {
        if size > MAX_INITIAL_DATA {
            let most = MAX_INITIAL_DATA >> 20;
            let message =
                format!("initialized object is too large ({size} bytes, at most {most} MiB)");
            self.error(span, message);
            return None;
        }
        self.afford(size, span)
    }

    /// The zeros of an object.
    pub(super) fn zeros(&self, ty: TypeId, span: Span) -> Option<ConstData> {
        let size = self.module.types.size(ty);
        self.check_data_size(size, span)?;
        Some(ConstData {
            bytes: vec![0; size as usize],
            relocs: Vec::new(),
        })
    }

    /// The bytes of an initialiser all of whose values are constant.
    pub(super) fn init_data(&self, init: &Init, ty: TypeId) -> Option<ConstData> {
        let zero = |span| self.zeros(ty, span);
        match init {
            Init::Const(data) => Some(data.clone()),
            Init::Expr(expr) => {
                let value = self.eval(*expr)?;
                let mut data = zero(self.span(*expr))?;
                self.encode(&value, ty, &mut data, 0)?;
                Some(data)
            }
            Init::List { elems, .. } => {
                let first = elems.first().map_or(Span::NONE, |e| self.span(e.value));
                let mut data = zero(first)?;
                for elem in elems {
                    let value = self.eval(elem.value)?;
                    let (offset, elem_ty) = self.path_offset(ty, &elem.path)?;
                    match self.bits_at(ty, &elem.path) {
                        Some(bits) => self.encode_bits(&value, &mut data, offset, bits)?,
                        None => self.encode(&value, elem_ty, &mut data, offset)?,
                    }
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
