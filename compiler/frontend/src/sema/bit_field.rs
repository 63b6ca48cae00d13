//! Bit-fields (__cl_clang_bitfields): their declarations, their promotion, their constants.
use super::const_eval::Value;
use super::layout::FieldSpec;
use super::scope::SpacedType;
use super::typed::{ConstData, ExprId, ExprKind, LvalueId, LvalueKind};
use super::{Operand, Sema};
use crate::lang::options::BIT_FIELDS;
use crate::lang::types::{BitField, QualType, Type, TypeId, TypeTable};
use crate::parse::ast::{self, Trait};

impl<'a> Sema<'a> {
    /// The member that a declarator with a width declares.
    pub(super) fn bit_field(
        &mut self,
        base: SpacedType,
        declarator: &'a ast::Declarator,
        width: ast::ExprId,
        shared_align: u64,
    ) -> Option<FieldSpec> {
        let span = declarator.name.map_or(declarator.span, |(_, span)| span);
        if !self.lang.clang_extension(BIT_FIELDS) {
            let report = self.error(span, "bit-fields are not supported in OpenCL");
            report.hint(format!(
                "'#pragma OPENCL EXTENSION {BIT_FIELDS} : enable' allows them"
            ));
            return None;
        }
        self.check_attrs(&declarator.attrs);
        let ty = self.declarator_type(base, declarator)?;
        let text = declarator.name.map(|(name, _)| self.name(name));
        let shown = text.map_or("anonymous bit-field".to_string(), |text| {
            format!("bit-field '{text}'")
        });
        let types = &self.module.types;
        if !types.is_integer(ty.q.ty) {
            let message = format!("{shown} has non-integral type {}", self.show(ty.q.ty));
            self.error(span, message);
            return None;
        }
        let most = match types.get(ty.q.ty) {
            Type::Bool => 1,
            _ => types.size(ty.q.ty) as i128 * 8,
        };
        let count = self.integer_constant(width)?;
        let wrong = match text {
            _ if count < 0 => Some(format!("{shown} has negative width ({count})")),
            Some(text) if count == 0 => Some(format!("named bit-field '{text}' has zero width")),
            _ if count > most => Some(format!(
                "width of {shown} ({count} bits) exceeds the width of its type ({most} bit{})",
                if most == 1 { "" } else { "s" }
            )),
            _ => None,
        };
        if let Some(message) = wrong {
            self.error(span, message);
            return None;
        }
        let own = self.aligned_attr(&declarator.attrs);
        Some(FieldSpec {
            name: text.unwrap_or_default().to_string(),
            ty: ty.q,
            align: shared_align.max(own).max(ty.align),
            packed: self.has_attr(&declarator.attrs, "packed"),
            host_sized: ty.not_for_kernels,
            bits: u8::try_from(count).ok(),
            span,
        })
    }

    /// The type of the operand of `sizeof` or its like, which a bit-field is not.
    pub(super) fn measured(&mut self, which: Trait, id: ast::ExprId) -> Option<QualType> {
        let operand = self.without_evaluation(|sema| sema.operand(id));
        let bits = match operand {
            Some(Operand::Lvalue(lvalue)) => self.bits_of(lvalue),
            Some(Operand::Value(value)) => self.bits_in_value(value),
            _ => None,
        };
        if bits.is_some() {
            let word = match which {
                Trait::SizeOf => "sizeof",
                Trait::AlignOf => "alignof",
                Trait::VecStep => "vec_step",
            };
            let message = format!("invalid application of '{word}' to bit-field");
            self.error(self.ast.expr(id).span, message);
            return None;
        }
        self.type_of_operand(operand?, id)
    }

    /// The bits of the subobject at the end of a path, if it is a bit-field.
    pub(super) fn bits_at(&self, ty: TypeId, path: &[u64]) -> Option<BitField> {
        let (last, parents) = path.split_last()?;
        let (_, parent) = self.path_offset(ty, parents)?;
        let record = self.module.types.record_id(parent)?;
        let field = self.module.types.record(record).fields.get(*last as usize);
        field?.bits
    }

    /// The bits of an lvalue that is a bit-field.
    pub(super) fn bits_of(&self, lvalue: LvalueId) -> Option<BitField> {
        match self.body.lvalue(lvalue).kind {
            LvalueKind::Field { base, field } => {
                self.bits_at(self.body.lvalue(base).ty.ty, &[field.into()])
            }
            _ => None,
        }
    }

    /// The type that integer promotion gives a value: of a bit-field int, if that has all its values
    /// (C99 §6.3.1.1).
    pub(super) fn promoted_value(&self, value: ExprId) -> TypeId {
        let ty = self.ty(value);
        let bits = self.bits_in_value(value);
        bits.map_or(self.promoted(ty), |bits| self.promoted_field(bits, ty))
    }

    /// The bits of the bit-field that a value comes from.
    fn bits_in_value(&self, value: ExprId) -> Option<BitField> {
        match self.body.expr(value).kind {
            ExprKind::Load(lvalue)
            | ExprKind::Assign { lvalue, .. }
            | ExprKind::Update { lvalue, .. } => self.bits_of(lvalue),
            ExprKind::ExtractField { base, field } => self.bits_at(self.ty(base), &[field.into()]),
            _ => None,
        }
    }

    fn promoted_field(&self, bits: BitField, ty: TypeId) -> TypeId {
        match bits.width {
            32 if !self.module.types.is_signed(ty) => TypeTable::UINT,
            0..=32 => TypeTable::INT,
            _ => self.promoted(ty),
        }
    }

    /// The old value of an update, promoted if the target is a bit-field.
    pub(super) fn promoted_bits(&mut self, old: ExprId, target: LvalueId) -> ExprId {
        match self.bits_of(target) {
            Some(bits) => {
                let ty = self.promoted_field(bits, self.ty(old));
                self.arith_convert(old, ty)
            }
            None => old,
        }
    }

    /// Writes a value into its bits.
    pub(super) fn encode_bits(
        &self,
        value: &Value,
        out: &mut ConstData,
        at: u64,
        bits: BitField,
    ) -> Option<()> {
        let Value::Int(value) = value else {
            return None;
        };
        let ones = (1u128 << bits.width) - 1;
        let start = usize::try_from(at).ok()?;
        let end = start.checked_add(bits.bytes().into())?;
        let place = out.bytes.get_mut(start..end)?;
        let mut word = [0; 16];
        word[..place.len()].copy_from_slice(place);
        let kept = u128::from_le_bytes(word) & !(ones << bits.shift);
        let word = (kept | (u128::from(*value) & ones) << bits.shift).to_le_bytes();
        place.copy_from_slice(&word[..usize::from(bits.bytes())]);
        Some(())
    }

    /// Reads the value of type `ty` in some bits.
    pub(super) fn decode_bits(
        &self,
        data: &ConstData,
        at: u64,
        bits: BitField,
        ty: TypeId,
    ) -> Option<Value> {
        let start = usize::try_from(at).ok()?;
        let end = start.checked_add(bits.bytes().into())?;
        let place = data.bytes.get(start..end)?;
        let mut word = [0; 16];
        word[..place.len()].copy_from_slice(place);
        let value = (u128::from_le_bytes(word) >> bits.shift) as u64;
        let unused = 64 - u32::from(bits.width);
        let top = value << unused;
        let value = match self.module.types.is_signed(ty) {
            true => ((top as i64) >> unused) as u64,
            false => top >> unused,
        };
        let size = 8 * self.module.types.size(ty).clamp(1, 8) as u32;
        Some(Value::Int(value & (u64::MAX >> (64 - size))))
    }
}
