//! SPIR-V types as the importer knows them: leaves and byte layout.
//!
//! Layout follows OpenCL C: natural alignment, three-lane vectors take the room of four,
//! `CPacked` structs have neither padding nor alignment.

use super::matrix::Matrix;
use super::reader::{ImportError, Inst, Result};
use pumice_ir::{AddressSpace, ImageAccess, ImageType, MatrixType, Scalar, Type};
use rspirv::spirv::StorageClass;
use smallvec::SmallVec;

/// Index into [`Types`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Ty(pub u32);

/// Universal limit on structure nesting (SPIR-V §2.17), used for every nesting.
const MAX_DEPTH: u16 = 255;
/// No object of ours is larger; keeps all offset arithmetic far from overflow.
const MAX_SIZE: u64 = 1 << 46;
/// Aggregates with more leaves stay in memory.
pub(super) const MAX_VALUE_LEAVES: u32 = 32;
/// Aggregates with more leaves cannot cross a call, a phi or a select.
pub(super) const MAX_LEAVES: u32 = 4096;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TypeKind {
    Void,
    /// Bool, integer, float, or a vector of them.
    Plain,
    Array {
        elem: Ty,
        len: u64,
    },
    Struct {
        members: Vec<Ty>,
        offsets: Vec<u64>,
        packed: bool,
    },
    /// A pointer; the pointee is an id because it may be declared later.
    Pointer {
        class: StorageClass,
        pointee: u32,
    },
    Function {
        ret: Ty,
        params: Vec<Ty>,
    },
    /// event_t, kept as an integer.
    Event,
    /// queue_t, kept as an integer.
    Queue,
    /// An image: a handle.
    Image(ImageType),
    /// A sampler: a handle.
    Sampler,
    /// An image with a sampler: two handles.
    SampledImage(ImageType),
    /// A pipe: the address of its memory.
    Pipe(ImageAccess),
    /// A pipe's memory at program scope: its address.
    PipeStorage,
    /// reserve_id_t: packets in the upper word, the first one's place in the lower; 0 is none.
    ReserveId,
    /// A cooperative matrix: the components that one work-item holds.
    Matrix(Matrix),
    /// Something with a name and no layout.
    Opaque,
}

#[derive(Clone, Debug)]
pub(super) struct TypeInfo {
    pub kind: TypeKind,
    /// The IR type where the value is one leaf.
    pub leaf: Option<Type>,
    /// Size in bytes, a multiple of the alignment; 0 where there is no layout.
    pub size: u64,
    /// Alignment in bytes.
    pub align: u32,
    /// Number of leaves, saturating.
    pub leaves: u32,
    /// It is a cooperative matrix or has one in it.
    pub holds_matrix: bool,
    depth: u16,
}

/// A leaf of a type: its IR type and byte offset.
#[derive(Clone, Copy, Debug)]
pub(super) struct Leaf {
    pub ty: Type,
    pub offset: u64,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Types {
    infos: Vec<TypeInfo>,
}

/// The address space that a storage class stands for.
pub(super) fn space_of(class: StorageClass) -> Option<AddressSpace> {
    Some(match class {
        StorageClass::Function => AddressSpace::Private,
        StorageClass::CrossWorkgroup => AddressSpace::Global,
        StorageClass::UniformConstant => AddressSpace::Constant,
        StorageClass::Workgroup => AddressSpace::Local,
        StorageClass::Generic => AddressSpace::Generic,
        _ => return None,
    })
}

impl Types {
    fn push(&mut self, info: TypeInfo) -> Ty {
        self.infos.push(info);
        Ty(self.infos.len() as u32 - 1)
    }

    pub fn get(&self, ty: Ty) -> &TypeInfo {
        &self.infos[ty.0 as usize]
    }

    pub fn kind_mut(&mut self, ty: Ty) -> &mut TypeKind {
        &mut self.infos[ty.0 as usize].kind
    }

    fn no_value(kind: TypeKind) -> TypeInfo {
        TypeInfo {
            kind,
            leaf: None,
            size: 0,
            align: 1,
            leaves: 0,
            holds_matrix: false,
            depth: 0,
        }
    }

    pub fn void(&mut self) -> Ty {
        self.push(Self::no_value(TypeKind::Void))
    }

    pub fn opaque(&mut self) -> Ty {
        self.push(Self::no_value(TypeKind::Opaque))
    }

    pub fn function(&mut self, ret: Ty, params: Vec<Ty>) -> Ty {
        self.push(Self::no_value(TypeKind::Function { ret, params }))
    }

    pub fn plain(&mut self, ty: Type) -> Ty {
        self.push(TypeInfo {
            kind: TypeKind::Plain,
            leaf: Some(ty),
            size: u64::from(ty.alloc_bytes()),
            align: ty.alloc_bytes(),
            leaves: 1,
            holds_matrix: false,
            depth: 0,
        })
    }

    pub fn event(&mut self) -> Ty {
        let ty = self.plain(Type::I64);
        self.infos[ty.0 as usize].kind = TypeKind::Event;
        ty
    }

    /// A device queue.
    pub fn queue(&mut self) -> Ty {
        let ty = self.plain(Type::I64);
        self.infos[ty.0 as usize].kind = TypeKind::Queue;
        ty
    }

    /// Returns whether values are device queues.
    pub fn is_queue(&self, ty: Ty) -> bool {
        matches!(self.get(ty).kind, TypeKind::Queue)
    }

    /// Returns whether functions of the type return nothing.
    pub fn is_void(&self, ty: Ty) -> bool {
        matches!(self.get(ty).kind, TypeKind::Void)
    }

    /// A pipe, or the storage of one.
    pub fn pipe(&mut self, kind: TypeKind) -> Ty {
        self.push(TypeInfo {
            kind,
            leaf: Some(Type::ptr(AddressSpace::Global)),
            size: 8,
            align: 8,
            leaves: 1,
            holds_matrix: false,
            depth: 0,
        })
    }

    /// Returns whether values are pipes or their storage.
    pub fn is_pipe(&self, ty: Ty) -> bool {
        matches!(self.get(ty).kind, TypeKind::Pipe(_) | TypeKind::PipeStorage)
    }

    /// Refuses types that have no null value.
    pub fn check_null(&self, inst: &Inst<'_>, ty: Ty) -> Result<()> {
        if self.is_handle(ty) {
            return Err(inst.error("there is no null image or sampler"));
        }
        if self.is_pipe(ty) {
            return Err(inst.error("there is no null pipe"));
        }
        Ok(())
    }

    pub fn reserve_id(&mut self) -> Ty {
        let ty = self.plain(Type::I64);
        self.infos[ty.0 as usize].kind = TypeKind::ReserveId;
        ty
    }

    /// An image or a sampler.
    pub fn handle(&mut self, kind: TypeKind) -> Ty {
        let ty = self.plain(Type::I32);
        self.infos[ty.0 as usize].kind = kind;
        ty
    }

    pub fn sampled_image(&mut self, image: ImageType) -> Ty {
        self.push(TypeInfo {
            size: 8,
            align: 4,
            leaves: 2,
            ..Self::no_value(TypeKind::SampledImage(image))
        })
    }

    /// Returns whether values are handles of images or samplers, which one function must know.
    pub fn is_handle(&self, ty: Ty) -> bool {
        matches!(
            self.get(ty).kind,
            TypeKind::Image(_) | TypeKind::Sampler | TypeKind::SampledImage(_)
        )
    }

    pub fn pointer(&mut self, class: StorageClass, pointee: u32) -> Ty {
        // An Input pointer names a built-in and is never a value of the IR.
        let leaf = space_of(class).map(Type::ptr);
        self.push(TypeInfo {
            kind: TypeKind::Pointer { class, pointee },
            leaf,
            size: 8,
            align: 8,
            leaves: u32::from(leaf.is_some()),
            holds_matrix: false,
            depth: 0,
        })
    }

    pub fn array(&mut self, inst: &Inst<'_>, elem: Ty, len: u64) -> Result<Ty> {
        let info = self.get(elem);
        if !self.is_sized(elem) {
            return Err(inst.error("the element type has no size"));
        }
        let depth = nested(inst, info.depth)?;
        let size = info
            .size
            .checked_mul(len)
            .filter(|&size| size <= MAX_SIZE)
            .ok_or_else(|| inst.error("the array is too large"))?;
        let leaves = info
            .leaves
            .saturating_mul(u32::try_from(len).unwrap_or(u32::MAX));
        let (align, holds_matrix) = (info.align, info.holds_matrix);
        Ok(self.push(TypeInfo {
            kind: TypeKind::Array { elem, len },
            leaf: None,
            size,
            align,
            leaves,
            holds_matrix,
            depth,
        }))
    }

    pub fn structure(&mut self, inst: &Inst<'_>, members: Vec<Ty>, packed: bool) -> Result<Ty> {
        let mut offsets = Vec::with_capacity(members.len());
        let (mut end, mut align, mut leaves, mut depth) = (0u64, 1u32, 0u32, 0u16);
        for &member in &members {
            let info = self.get(member);
            if !self.is_sized(member) {
                return Err(inst.error("a member's type has no size"));
            }
            if !packed {
                end = end.next_multiple_of(u64::from(info.align));
                align = align.max(info.align);
            }
            offsets.push(end);
            end += info.size;
            if end > MAX_SIZE {
                return Err(inst.error("the structure is too large"));
            }
            leaves = leaves.saturating_add(info.leaves);
            depth = depth.max(info.depth);
        }
        let depth = nested(inst, depth)?;
        let holds_matrix = members.iter().any(|&member| self.get(member).holds_matrix);
        Ok(self.push(TypeInfo {
            kind: TypeKind::Struct {
                members,
                offsets,
                packed,
            },
            leaf: None,
            size: end.next_multiple_of(u64::from(align)),
            align,
            leaves,
            holds_matrix,
            depth,
        }))
    }

    /// A cooperative matrix; the device's own one if that is named.
    pub fn matrix(&mut self, matrix: Matrix, native: Option<MatrixType>) -> Ty {
        if let Some(native) = native {
            let ty = self.plain(Type::scalar(Scalar::Matrix(native)));
            let info = &mut self.infos[ty.0 as usize];
            (info.kind, info.holds_matrix) = (TypeKind::Matrix(matrix), true);
            return ty;
        }
        let component = self.get(matrix.component);
        let count = matrix.components();
        self.push(TypeInfo {
            size: u64::from(count) * component.size,
            align: component.align,
            leaves: count,
            holds_matrix: true,
            ..Self::no_value(TypeKind::Matrix(matrix))
        })
    }

    /// The type and the number of the constituents of an array or a matrix.
    pub fn elements(&self, ty: Ty) -> Option<(Ty, u64)> {
        match self.get(ty).kind {
            TypeKind::Array { elem, len } => Some((elem, len)),
            TypeKind::Matrix(_) if self.get(ty).leaf.is_some() => None,
            TypeKind::Matrix(matrix) => Some((matrix.component, u64::from(matrix.components()))),
            _ => None,
        }
    }

    /// The matrix of the device's own that a type is.
    pub fn native_matrix_of(&self, ty: Ty) -> Option<MatrixType> {
        self.get(ty).leaf.and_then(|leaf| leaf.scalar.matrix())
    }

    /// Returns whether objects of the type have a size and an address.
    pub fn is_sized(&self, ty: Ty) -> bool {
        !matches!(
            self.get(ty).kind,
            TypeKind::Void | TypeKind::Function { .. } | TypeKind::Opaque
        )
    }

    /// Returns whether a type's layout is one of Vulkan's standard uniform buffer layout: arrays
    /// have a stride of 16, structures and arrays in structures begin at multiples of 16, and
    /// vectors are aligned. Offsets here are relative to a multiple of 16.
    pub fn is_standard_uniform(&self, ty: Ty) -> bool {
        match &self.get(ty).kind {
            TypeKind::Plain => true,
            TypeKind::Array { elem, .. } => {
                self.get(*elem).size % 16 == 0 && self.is_standard_uniform(*elem)
            }
            TypeKind::Struct {
                members, offsets, ..
            } => members.iter().zip(offsets).all(|(&member, &offset)| {
                let info = self.get(member);
                let align = match info.kind {
                    TypeKind::Array { .. } | TypeKind::Struct { .. } => 16,
                    // A vector of three is aligned as one of four; long4 begins at 16 as well.
                    _ => u64::from(info.align),
                };
                offset % align == 0 && self.is_standard_uniform(member)
            }),
            _ => false,
        }
    }

    /// The constituent of an aggregate or vector, with its byte offset.
    pub fn member(&self, ty: Ty, index: u64) -> Option<(Ty, u64)> {
        if let Some((elem, len)) = self.elements(ty) {
            return (index < len).then(|| (elem, index * self.get(elem).size));
        }
        match &self.get(ty).kind {
            TypeKind::Struct {
                members, offsets, ..
            } => {
                let index = usize::try_from(index).ok()?;
                Some((*members.get(index)?, *offsets.get(index)?))
            }
            _ => None,
        }
    }

    /// The number of constituents of an aggregate.
    pub fn member_count(&self, ty: Ty) -> Option<u64> {
        match &self.get(ty).kind {
            TypeKind::Struct { members, .. } => Some(members.len() as u64),
            _ => self.elements(ty).map(|(_, count)| count),
        }
    }

    /// The leaves of a type in order.
    ///
    /// # Errors
    /// More than [`MAX_LEAVES`], or a type without values.
    pub fn leaves(&self, ty: Ty) -> std::result::Result<SmallVec<[Leaf; 1]>, ImportError> {
        let info = self.get(ty);
        if info.leaves > MAX_LEAVES {
            return Err(ImportError::new(format!(
                "an aggregate of {} members cannot be a value here",
                info.leaves
            )));
        }
        let mut leaves = SmallVec::new();
        self.collect_leaves(ty, 0, &mut leaves);
        Ok(leaves)
    }

    fn collect_leaves(&self, ty: Ty, offset: u64, out: &mut SmallVec<[Leaf; 1]>) {
        let info = self.get(ty);
        if let Some(ty) = info.leaf {
            out.push(Leaf { ty, offset });
            return;
        }
        // Members without leaves (empty structs, zero-length arrays) may be many.
        if info.leaves == 0 {
            return;
        }
        if let Some((elem, len)) = self.elements(ty) {
            for i in 0..len {
                self.collect_leaves(elem, offset + i * self.get(elem).size, out);
            }
            return;
        }
        match &info.kind {
            TypeKind::Struct {
                members, offsets, ..
            } => {
                for (&member, at) in members.iter().zip(offsets) {
                    self.collect_leaves(member, offset + at, out);
                }
            }
            TypeKind::SampledImage(_) => {
                for at in [0, 4] {
                    let ty = Type::I32;
                    out.push(Leaf {
                        ty,
                        offset: offset + at,
                    });
                }
            }
            _ => {}
        }
    }

    /// Returns whether two types have the same leaves at the same offsets (OpCopyLogical).
    pub fn same_leaves(&self, a: Ty, b: Ty) -> bool {
        a == b
            || match (self.leaves(a), self.leaves(b)) {
                (Ok(a), Ok(b)) => a.iter().map(|l| l.ty).eq(b.iter().map(|l| l.ty)),
                _ => false,
            }
    }
}

fn nested(inst: &Inst<'_>, depth: u16) -> Result<u16> {
    if depth >= MAX_DEPTH {
        return Err(inst.error("types are nested too deeply"));
    }
    Ok(depth + 1)
}

/// The IR scalar for an `OpTypeInt` or `OpTypeFloat`.
pub(super) fn scalar(inst: &Inst<'_>, float: bool, width: u32) -> Result<Scalar> {
    let scalar = match (float, width) {
        (false, _) => Scalar::int_of_bits(width),
        (true, 16) => Some(Scalar::F16),
        (true, 32) => Some(Scalar::F32),
        (true, 64) => Some(Scalar::F64),
        _ => None,
    };
    scalar.ok_or_else(|| inst.error(format_args!("{width} bits are not supported")))
}
