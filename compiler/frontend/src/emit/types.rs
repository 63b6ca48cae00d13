//! OpenCL C types as SPIR-V types.
//!
//! A type has two forms. The value form is what SSA ids have. The memory form is what
//! pointers point to: bool is an 8-bit integer, and a pointer to (something with) a record is
//! a pointer to bytes, so that no type refers to itself. Records get members that put every
//! field at its offset; a union is an array of words as wide as its alignment.

use rspirv::spirv::{Capability, Decoration, Dim, Op, StorageClass};

use super::Emitter;
use crate::lang::types::{
    Access, AddrSpace, ImageKind, OpaqueKind, RecordId, Type, TypeId, TypeTable,
};

/// Layout of a record in SPIR-V.
#[derive(Clone, Debug)]
pub struct RecordShape {
    /// The OpTypeStruct.
    pub id: u32,
    /// Member number of each field; `None` for unions and fields of no size.
    pub members: Vec<Option<u32>>,
    /// Type of each member, padding included.
    pub member_types: Vec<Member>,
    /// Alignment in bytes that a consumer computes from SPIR-V's rules.
    pub align: u64,
}

/// A member of the OpTypeStruct.
#[derive(Clone, Copy, Debug)]
pub enum Member {
    /// A field.
    Field(u32),
    /// Bytes that no field covers.
    Padding(u64),
    /// A union's contents: word width in bits, lanes, number of elements.
    Words(u32, u32, u64),
}

/// The storage class of an address space.
pub fn storage_class(space: AddrSpace) -> StorageClass {
    match space {
        AddrSpace::Private => StorageClass::Function,
        AddrSpace::Global | AddrSpace::GlobalDevice | AddrSpace::GlobalHost => {
            StorageClass::CrossWorkgroup
        }
        AddrSpace::Constant => StorageClass::UniformConstant,
        AddrSpace::Local => StorageClass::Workgroup,
        AddrSpace::Generic => StorageClass::Generic,
        AddrSpace::Code => StorageClass::CodeSectionINTEL,
    }
}

fn round_up(value: u64, align: u64) -> u64 {
    value.div_ceil(align.max(1)) * align.max(1)
}

impl Emitter<'_> {
    /// The value form.
    pub(super) fn value_type(&mut self, id: TypeId) -> u32 {
        let index = id.index();
        if let Some(known) = self.value_types.get(index).copied().filter(|k| *k != 0) {
            return known;
        }
        let module = self.module;
        let ty = match module.types.get(id) {
            Type::Bool => self.b.ty_bool(),
            Type::Pointer {
                pointee,
                space: AddrSpace::Code,
            } => self.code_pointer(pointee.ty),
            Type::Pointer { pointee, space } => {
                let pointee = self.memory_type(pointee.ty);
                self.b.ty_pointer(storage_class(*space), pointee)
            }
            _ => {
                // Values of half need arithmetic; pointers to half do not.
                let (elem, _) = module.types.elem_lanes(id);
                if self.fp16 && elem == TypeTable::HALF {
                    self.b.capability(Capability::Float16);
                }
                self.memory_type(id)
            }
        };
        if self.value_types.len() <= index {
            self.value_types.resize(index + 1, 0);
        }
        self.value_types[index] = ty;
        ty
    }

    /// The pointer to functions of a type.
    fn code_pointer(&mut self, function: TypeId) -> u32 {
        self.b.capability(Capability::FunctionPointersINTEL);
        self.b.extension("SPV_INTEL_function_pointers");
        let module = self.module;
        let function = match module.types.get(function) {
            Type::Function { ret, params, .. } => self.signature(params, *ret).ty,
            _ => unreachable!("only functions are in the code section"),
        };
        self.b.ty_pointer(StorageClass::CodeSectionINTEL, function)
    }

    fn known_memory_type(&self, id: TypeId) -> Option<u32> {
        self.memory_types
            .get(id.index())
            .copied()
            .filter(|k| *k != 0)
    }

    /// The memory form.
    pub(super) fn memory_type(&mut self, id: TypeId) -> u32 {
        if let Some(known) = self.known_memory_type(id) {
            return known;
        }
        // Pointers to pointers from the innermost one on: there may be a million of them.
        let module = self.module;
        let mut pointers = Vec::new();
        let mut at = id;
        while let Type::Pointer { pointee, .. } = module.types.get(at) {
            at = pointee.ty;
            if self.mentions_record(at) || self.known_memory_type(at).is_some() {
                break;
            }
            pointers.push(at);
        }
        for inner in pointers.into_iter().rev() {
            self.new_memory_type(inner);
        }
        self.new_memory_type(id)
    }

    /// The memory form of a type that has none yet.
    fn new_memory_type(&mut self, id: TypeId) -> u32 {
        let index = id.index();
        let module = self.module;
        let ty = match module.types.get(id) {
            // Pointers to void are pointers to bytes.
            Type::Void | Type::Error | Type::Function { .. } | Type::Bool => self.b.ty_int(8),
            Type::Int(kind) => self.b.ty_int(kind.bits()),
            Type::Enum(e) => {
                let bits = module.types.enums[e.0 as usize].underlying.bits();
                self.b.ty_int(bits)
            }
            Type::Float(kind) => self.b.ty_float(kind.bits()),
            Type::Vector { elem, len } => {
                let elem = self.memory_type(*elem);
                self.b.ty_vector(elem, u32::from(*len))
            }
            // A record may hold a pointer to a function that takes the record.
            Type::Pointer {
                space: AddrSpace::Code,
                ..
            } => {
                let void = self.b.ty_void();
                let function = self.b.ty_function(void, &[]);
                self.b.ty_pointer(StorageClass::CodeSectionINTEL, function)
            }
            Type::Pointer { pointee, space } => {
                let inner = if self.mentions_record(pointee.ty) {
                    self.b.ty_int(8)
                } else {
                    self.memory_type(pointee.ty)
                };
                self.b.ty_pointer(storage_class(*space), inner)
            }
            Type::Array { elem, len } => {
                let elem = self.memory_type(elem.ty);
                self.b.ty_array(elem, len.unwrap_or(1).max(1))
            }
            Type::Record(record) => {
                if module.types.record(*record).complete {
                    self.record_shape(*record).id
                } else {
                    self.b.ty_int(8)
                }
            }
            Type::Atomic(value) => self.memory_type(*value),
            Type::Opaque(kind) => self.opaque_type(*kind),
            Type::Block(_) => unreachable!("a block is never a value"),
        };
        if self.memory_types.len() <= index {
            self.memory_types.resize(index + 1, 0);
        }
        self.memory_types[index] = ty;
        ty
    }

    fn opaque_type(&mut self, kind: OpaqueKind) -> u32 {
        let opaque = |this: &mut Self, op, capability, operands: &[u32]| {
            this.b.capability(capability);
            this.b.unique(op, None, operands)
        };
        let enqueue = Capability::DeviceEnqueue;
        match kind {
            OpaqueKind::Event => self.b.unique(Op::TypeEvent, None, &[]),
            OpaqueKind::Sampler => self.b.unique(Op::TypeSampler, None, &[]),
            OpaqueKind::Image(image, access) => self.image_type(image, access),
            OpaqueKind::Pipe(_, access) => {
                let access = [access as u32];
                opaque(self, Op::TypePipe, Capability::Pipes, &access)
            }
            OpaqueKind::ReserveId => opaque(self, Op::TypeReserveId, Capability::Pipes, &[]),
            OpaqueKind::Queue => opaque(self, Op::TypeQueue, enqueue, &[]),
            OpaqueKind::ClkEvent => opaque(self, Op::TypeDeviceEvent, enqueue, &[]),
            OpaqueKind::Matrix(matrix) => self.matrix_type(matrix),
            OpaqueKind::Motion(motion) => self.motion_type(motion.op(), &[]),
            OpaqueKind::NdRange => {
                // Dimensions; then global offset, global size and local size.
                let int = self.b.ty_int(32);
                let size = self.size_type();
                let three = self.b.ty_array(size, 3);
                self.b
                    .unique(Op::TypeStruct, None, &[int, three, three, three])
            }
        }
    }

    fn image_type(&mut self, image: ImageKind, access: Access) -> u32 {
        let shape = image.shape();
        self.b.capability(Capability::ImageBasic);
        match shape.dim {
            Dim::Dim1D => self.b.capability(Capability::Sampled1D),
            Dim::DimBuffer => self.b.capability(Capability::SampledBuffer),
            _ => {}
        }
        if access == Access::ReadWrite {
            self.b.capability(Capability::ImageReadWrite);
        }
        let void = self.b.ty_void();
        let operands = [
            void,
            shape.dim as u32,
            u32::from(shape.depth),
            u32::from(shape.arrayed),
            u32::from(shape.multisampled),
            // Sampled = 0: known only at run time. No format.
            0,
            0,
            access as u32,
        ];
        self.b.unique(Op::TypeImage, None, &operands)
    }

    /// Returns whether a type is a record, points to one or contains one.
    fn mentions_record(&mut self, id: TypeId) -> bool {
        let mut path = Vec::new();
        let mut at = id;
        let found = loop {
            if let Some(&known) = self.mentions_record.get(&at) {
                break known;
            }
            path.push(at);
            match self.module.types.get(at) {
                Type::Record(_) => break true,
                Type::Pointer { pointee, .. } => at = pointee.ty,
                Type::Array { elem, .. } => at = elem.ty,
                _ => break false,
            }
        };
        self.mentions_record
            .extend(path.into_iter().map(|id| (id, found)));
        found
    }

    /// Returns whether the two forms differ.
    pub(super) fn forms_differ(&mut self, id: TypeId) -> bool {
        self.value_type(id) != self.memory_type(id)
    }

    /// Alignment that SPIR-V's rules give the memory form.
    pub(super) fn natural_align(&mut self, id: TypeId) -> u64 {
        let module = self.module;
        match module.types.get(id) {
            Type::Record(record) => self.record_shape(*record).align,
            Type::Array { elem, .. } => self.natural_align(elem.ty),
            _ => module.types.align(id),
        }
    }

    /// The shape of a complete record.
    pub(super) fn record_shape(&mut self, id: RecordId) -> std::rc::Rc<RecordShape> {
        if let Some(shape) = self.records.get(&id) {
            return shape.clone();
        }
        let module = self.module;
        let def = module.types.record(id);
        // Bit-fields overlap, as a union's members do.
        let shape = if def.is_union || def.fields.iter().any(|field| field.bits.is_some()) {
            self.union_shape(def.size, def.align)
        } else {
            self.struct_shape(id)
        };
        if !def.name.is_empty() {
            let prefix = if def.is_union { "union." } else { "struct." };
            self.b.name(shape.id, &format!("{prefix}{}", def.name));
        }
        let shape = std::rc::Rc::new(shape);
        self.records.insert(id, shape.clone());
        shape
    }

    fn union_shape(&mut self, size: u64, align: u64) -> RecordShape {
        let (bits, lanes) = match align {
            0 | 1 => (8, 1),
            2 => (16, 1),
            4 => (32, 1),
            8 => (64, 1),
            16 => (64, 2),
            32 => (64, 4),
            64 => (64, 8),
            _ => (64, 16),
        };
        let word = u64::from(bits / 8 * lanes);
        let member = Member::Words(bits, lanes, size.div_ceil(word));
        let member_types = if size == 0 { Vec::new() } else { vec![member] };
        let ids: Vec<u32> = member_types
            .iter()
            .map(|m| self.member_type(*m, &[]))
            .collect();
        RecordShape {
            id: self.b.global(Op::TypeStruct, None, &ids),
            members: Vec::new(),
            member_types,
            align: word.min(align.max(1)),
        }
    }

    fn struct_shape(&mut self, id: RecordId) -> RecordShape {
        let module = self.module;
        let def = module.types.record(id);
        // First try the natural rules; a packed struct with explicit padding always works.
        let mut natural = true;
        let (mut offset, mut align) = (0, 1);
        for field in &def.fields {
            let own = self.natural_align(field.ty.ty);
            let size = module.types.size(field.ty.ty);
            natural &= size != 0 && round_up(offset, own) == field.offset;
            offset = field.offset + size;
            align = align.max(own);
        }
        natural &= round_up(offset, align) == def.size;
        let mut members = Vec::new();
        let mut member_types = Vec::new();
        let mut at = 0;
        for (number, field) in def.fields.iter().enumerate() {
            let size = module.types.size(field.ty.ty);
            if size == 0 {
                members.push(None);
                continue;
            }
            if !natural && field.offset > at {
                member_types.push(Member::Padding(field.offset - at));
            }
            members.push(Some(member_types.len() as u32));
            member_types.push(Member::Field(number as u32));
            at = field.offset + size;
        }
        if !natural && def.size > at {
            member_types.push(Member::Padding(def.size - at));
        }
        let fields: Vec<TypeId> = def.fields.iter().map(|f| f.ty.ty).collect();
        let ids: Vec<u32> = member_types
            .iter()
            .map(|m| self.member_type(*m, &fields))
            .collect();
        let id = self.b.global(Op::TypeStruct, None, &ids);
        if !natural {
            self.b.decorate(id, Decoration::CPacked, &[]);
        }
        if self.options.debug_info {
            for (field, member) in def.fields.iter().zip(&members) {
                if let Some(member) = member {
                    self.b.member_name(id, *member, &field.name);
                }
            }
        }
        RecordShape {
            id,
            members,
            member_types,
            align: if natural { align } else { 1 },
        }
    }

    /// The type of a member; `fields` are the record's field types.
    pub(super) fn member_type(&mut self, member: Member, fields: &[TypeId]) -> u32 {
        match member {
            Member::Field(number) => self.memory_type(fields[number as usize]),
            Member::Padding(bytes) => {
                let byte = self.b.ty_int(8);
                self.b.ty_array(byte, bytes)
            }
            Member::Words(bits, lanes, count) => {
                let word = self.b.ty_int(bits);
                let element = self.b.ty_vector(word, lanes);
                self.b.ty_array(element, count)
            }
        }
    }

    /// A pointer to the memory form.
    pub(super) fn pointer_to(&mut self, ty: TypeId, space: AddrSpace) -> u32 {
        let pointee = self.memory_type(ty);
        self.b.ty_pointer(storage_class(space), pointee)
    }
}
