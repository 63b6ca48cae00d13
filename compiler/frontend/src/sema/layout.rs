//! Sizes, alignments and offsets of records.
use crate::lang::types::{Field, QualType, TypeTable};
use crate::source::Span;

/// A field before it has an offset.
#[derive(Clone, Debug)]
pub(super) struct FieldSpec {
    pub(super) name: String,
    pub(super) ty: QualType,
    /// `aligned(n)`, or 0.
    pub(super) align: u64,
    /// `packed` on the field itself.
    pub(super) packed: bool,
    /// `size_t` and its like: fields that kernels cannot take.
    pub(super) host_sized: bool,
    pub(super) span: Span,
}

/// The layout of a record.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    pub(super) fields: Vec<Field>,
    pub(super) size: u64,
    pub(super) align: u64,
}

/// Lays fields out as C does; `None` when the size does not fit.
pub(super) fn lay_out(
    types: &TypeTable,
    specs: Vec<FieldSpec>,
    is_union: bool,
    packed: bool,
    min_align: u64,
) -> Option<Layout> {
    let mut fields = Vec::with_capacity(specs.len());
    let mut end: u64 = 0;
    let mut align: u64 = min_align.max(1);
    for spec in specs {
        let natural = if packed || spec.packed {
            1
        } else {
            types.align(spec.ty.ty)
        };
        let field_align = natural.max(spec.align).max(1);
        align = align.max(field_align);
        let size = types.size(spec.ty.ty);
        let offset = if is_union {
            0
        } else {
            end.checked_next_multiple_of(field_align)?
        };
        end = end.max(offset.checked_add(size)?);
        fields.push(Field {
            name: spec.name,
            ty: spec.ty,
            offset,
            span: spec.span,
        });
    }
    let size = end.checked_next_multiple_of(align)?;
    (size < 1 << 47).then_some(Layout {
        fields,
        size,
        align,
    })
}

#[cfg(test)]
mod tests {
    use super::{FieldSpec, lay_out};
    use crate::lang::types::{QualType, TypeId, TypeTable};
    use crate::source::Span;

    fn field(ty: TypeId) -> FieldSpec {
        FieldSpec {
            name: "f".to_string(),
            ty: QualType::plain(ty),
            align: 0,
            packed: false,
            host_sized: false,
            span: Span::NONE,
        }
    }

    #[test]
    fn three_vectors_take_four_elements() {
        let mut types = TypeTable::new();
        let float3 = types.vector(TypeTable::FLOAT, 3);
        let specs = vec![field(TypeTable::CHAR), field(float3), field(TypeTable::INT)];
        let layout = lay_out(&types, specs.clone(), false, false, 0).expect("fits");
        let offsets: Vec<u64> = layout.fields.iter().map(|f| f.offset).collect();
        assert_eq!(
            (offsets, layout.size, layout.align),
            (vec![0, 16, 32], 48, 16)
        );
        let packed = lay_out(&types, specs.clone(), false, true, 0).expect("fits");
        assert_eq!((packed.size, packed.align), (21, 1));
        let union = lay_out(&types, specs, true, false, 0).expect("fits");
        assert_eq!((union.size, union.align), (16, 16));
    }
}
