//! Sizes, alignments and offsets of records.
use crate::lang::types::{BitField, Field, QualType, TypeTable};
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
    /// The width of a bit-field; without a name it takes its place alone, and with 0 bits the next
    /// one begins at a boundary of its type.
    pub(super) bits: Option<u8>,
    pub(super) span: Span,
}

/// The layout of a record.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    pub(super) fields: Vec<Field>,
    pub(super) size: u64,
    pub(super) align: u64,
}

/// Packing and alignment as a record's declaration says.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Packing {
    /// The attribute `packed`: fields lie without padding, unless they say their own alignment.
    pub(super) packed: bool,
    /// `#pragma pack`: the alignment of fields at most, whatever they say themselves.
    pub(super) limit: Option<u64>,
    /// `aligned(n)`, or 0.
    pub(super) align: u64,
}

/// Lays fields out as C does; `None` when the size does not fit.
pub(super) fn lay_out(
    types: &TypeTable,
    specs: Vec<FieldSpec>,
    is_union: bool,
    packing: Packing,
) -> Option<Layout> {
    let mut fields = Vec::with_capacity(specs.len());
    let mut end: u64 = 0;
    // Bits of the last byte that a bit-field has left.
    let mut spare = 0;
    let mut align: u64 = packing.align.max(1);
    let limited = |align: u64| align.min(packing.limit.unwrap_or(u64::MAX)).max(1);
    for spec in specs {
        let packed = packing.packed || spec.packed;
        let natural = if packed { 1 } else { types.align(spec.ty.ty) };
        if let Some(width) = spec.bits {
            let at = if is_union { 0 } else { end * 8 - spare };
            let joined = packed || packing.limit.is_some();
            let at = bits_begin(types, &spec, at, width, joined)?;
            let behind = at.checked_add(width.into())?;
            if !is_union {
                spare = behind.next_multiple_of(8) - behind;
            }
            end = end.max(behind.div_ceil(8));
            if spec.name.is_empty() {
                continue;
            }
            align = align.max(limited(natural.max(spec.align)));
            fields.push(Field {
                name: spec.name,
                ty: spec.ty,
                offset: at / 8,
                bits: Some(BitField {
                    shift: (at % 8) as u8,
                    width,
                }),
                span: spec.span,
            });
            continue;
        }
        spare = 0;
        let field_align = limited(natural.max(spec.align));
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
            bits: None,
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

/// The bit that a bit-field begins at, if `at` is the next free one: as C compilers for x86 and AMD64
/// have it, the host's among them. It lies in one unit of its type unless the record is packed.
fn bits_begin(
    types: &TypeTable,
    spec: &FieldSpec,
    at: u64,
    width: u8,
    packed: bool,
) -> Option<u64> {
    let unit = types.size(spec.ty.ty) * 8;
    if width == 0 {
        return at.checked_next_multiple_of(unit);
    }
    let at = at.checked_next_multiple_of((spec.align * 8).max(1))?;
    match !packed && at % unit + u64::from(width) > unit {
        true => at.checked_next_multiple_of(unit),
        false => Some(at),
    }
}

#[cfg(test)]
mod tests {
    use super::{FieldSpec, Packing, lay_out};
    use crate::lang::types::{QualType, TypeId, TypeTable};
    use crate::source::Span;

    fn field(ty: TypeId) -> FieldSpec {
        FieldSpec {
            name: "f".to_string(),
            ty: QualType::plain(ty),
            align: 0,
            packed: false,
            host_sized: false,
            bits: None,
            span: Span::NONE,
        }
    }

    #[test]
    fn bit_fields_share_units_of_their_types() {
        let types = TypeTable::new();
        let bits = |ty, width| FieldSpec {
            bits: Some(width),
            ..field(ty)
        };
        let unnamed = |ty, width| FieldSpec {
            name: String::new(),
            ..bits(ty, width)
        };
        let (int, char) = (TypeTable::INT, TypeTable::CHAR);
        let specs = vec![
            bits(int, 20),
            field(char),
            bits(int, 3),
            bits(char, 6),
            unnamed(int, 0),
            bits(TypeTable::LONG, 40),
            unnamed(char, 5),
            bits(int, 32),
        ];
        let places = |packed| {
            let packing = Packing {
                packed,
                ..Packing::default()
            };
            let layout = lay_out(&types, specs.clone(), false, packing).expect("fits");
            let bit = |f: &crate::lang::types::Field| {
                f.offset * 8 + f.bits.map_or(0, |bits| u64::from(bits.shift))
            };
            let bits: Vec<u64> = layout.fields.iter().map(bit).collect();
            (bits, layout.size, layout.align)
        };
        // As gcc and clang have it.
        assert_eq!(places(false), (vec![0, 24, 32, 40, 64, 128], 24, 8));
        assert_eq!(places(true), (vec![0, 24, 32, 35, 64, 109], 18, 1));
    }

    #[test]
    fn three_vectors_take_four_elements() {
        let mut types = TypeTable::new();
        let float3 = types.vector(TypeTable::FLOAT, 3);
        let specs = vec![field(TypeTable::CHAR), field(float3), field(TypeTable::INT)];
        let plain = Packing::default();
        let layout = lay_out(&types, specs.clone(), false, plain).expect("fits");
        let offsets: Vec<u64> = layout.fields.iter().map(|f| f.offset).collect();
        assert_eq!(
            (offsets, layout.size, layout.align),
            (vec![0, 16, 32], 48, 16)
        );
        let packing = Packing {
            packed: true,
            ..plain
        };
        let packed = lay_out(&types, specs.clone(), false, packing).expect("fits");
        assert_eq!((packed.size, packed.align), (21, 1));
        let union = lay_out(&types, specs, true, plain).expect("fits");
        assert_eq!((union.size, union.align), (16, 16));
    }
}
