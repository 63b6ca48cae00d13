//! OpType* instructions.

use super::preamble::{Def, Preamble};
use super::reader::{Inst, Result};
use super::types::{Ty, TypeKind, Types, scalar, space_of};
use pumice_ir::{ImageAccess, ImageDim, ImageType, Type};
use rspirv::spirv::{AccessQualifier, Decoration, Dim, Op, StorageClass};

impl Preamble<'_> {
    /// Reads an OpType* instruction and defines its id.
    pub(super) fn read_type(&mut self, inst: &Inst<'_>) -> Result<()> {
        let ty = match inst.op {
            Op::TypeVoid => self.types.void(),
            Op::TypeBool => self.types.plain(Type::BOOL),
            Op::TypeInt => self
                .types
                .plain(Type::scalar(scalar(inst, false, inst.arg(0)?)?)),
            Op::TypeFloat => {
                if inst.args.len() > 1 {
                    return Err(inst.error("float encodings other than IEEE are not supported"));
                }
                self.types
                    .plain(Type::scalar(scalar(inst, true, inst.arg(0)?)?))
            }
            Op::TypeVector => {
                let elem = self.type_of_id(inst, inst.arg(0)?)?;
                let lanes = inst.arg(1)?;
                let elem = self
                    .types
                    .get(elem)
                    .leaf
                    .filter(|leaf| leaf.lanes == 1 && !leaf.scalar.is_ptr())
                    .ok_or_else(|| inst.error("the component type is not a number or bool"))?;
                if !matches!(lanes, 2 | 3 | 4 | 8 | 16) {
                    return Err(inst.error(format_args!("a vector cannot have {lanes} lanes")));
                }
                self.types.plain(Type::vector(elem.scalar, lanes as u8))
            }
            Op::TypeArray => {
                let elem = self.type_of_id(inst, inst.arg(0)?)?;
                let len = self
                    .constant(inst, inst.arg(1)?)?
                    .scalar(&self.types)
                    .ok_or_else(|| inst.error("the length is not a constant integer"))?;
                self.types.array(inst, elem, len)?
            }
            Op::TypeRuntimeArray => {
                let elem = self.type_of_id(inst, inst.arg(0)?)?;
                self.types.array(inst, elem, 0)?
            }
            Op::TypeStruct => {
                let members = inst
                    .args
                    .iter()
                    .map(|&id| self.type_of_id(inst, id))
                    .collect::<Result<Vec<_>>>()?;
                let packed = self.decoration(inst.id, Decoration::CPacked).is_some();
                self.types.structure(inst, members, packed)?
            }
            Op::TypeOpaque => self.types.opaque(),
            Op::TypeEvent | Op::TypeDeviceEvent => self.types.event(),
            Op::TypeQueue => self.types.queue(),
            Op::TypePointer => {
                let class = storage_class(inst, inst.arg(0)?)?;
                let pointee = inst.arg(1)?;
                self.check_matrix_class(inst, class, pointee)?;
                if let Def::Type(ty) = self.def(inst.id) {
                    // Announced by OpTypeForwardPointer.
                    return self
                        .types
                        .complete_pointer(ty, class, pointee)
                        .ok_or_else(|| inst.error("the id is already defined"));
                }
                self.types.pointer(class, pointee)
            }
            Op::TypeForwardPointer => {
                let class = storage_class(inst, inst.arg(1)?)?;
                let ty = self.types.pointer(class, 0);
                return self.define_id(inst, inst.arg(0)?, Def::Type(ty));
            }
            Op::TypeFunction => {
                let ret = self.type_of_id(inst, inst.arg(0)?)?;
                let params = inst
                    .rest(1)
                    .iter()
                    .map(|&id| self.type_of_id(inst, id))
                    .collect::<Result<Vec<_>>>()?;
                self.types.function(ret, params)
            }
            Op::TypeImage => {
                let image = image_type(inst)?;
                self.types.handle(TypeKind::Image(image))
            }
            Op::TypeSampler => self.types.handle(TypeKind::Sampler),
            Op::TypeSampledImage => {
                let image = self.type_of_id(inst, inst.arg(0)?)?;
                match self.types.get(image).kind {
                    TypeKind::Image(image) => self.types.sampled_image(image),
                    _ => return Err(inst.error("the operand is no image type")),
                }
            }
            Op::TypePipe => {
                let access = access_qualifier(inst, 0)?;
                self.types.pipe(TypeKind::Pipe(access))
            }
            Op::TypePipeStorage => self.types.pipe(TypeKind::PipeStorage),
            Op::TypeReserveId => self.types.reserve_id(),
            Op::TypeCooperativeMatrixKHR => self.matrix_type(inst)?,
            Op::TypeMatrix | Op::TypeNamedBarrier => {
                return Err(inst.error("this type is not supported"));
            }
            _ => return Err(inst.error("not supported outside a function")),
        };
        self.define(inst, Def::Type(ty))
    }
}

/// Reads an OpTypeImage of a Kernel module.
pub(super) fn image_type(inst: &Inst<'_>) -> Result<ImageType> {
    let number = inst.arg(1)?;
    let dim = match Dim::from_u32(number) {
        Some(Dim::Dim1D) => ImageDim::D1,
        Some(Dim::Dim2D) => ImageDim::D2,
        Some(Dim::Dim3D) => ImageDim::D3,
        Some(Dim::DimBuffer) => ImageDim::Buffer,
        other => {
            let name = other.map_or_else(|| number.to_string(), |dim| format!("{dim:?}"));
            return Err(inst.error(format_args!("dimensionality {name} is not supported")));
        }
    };
    if inst.arg(5)? != 0 || inst.arg(6)? != 0 {
        return Err(inst.error("kernels' images say neither Sampled nor a format"));
    }
    let access = match inst.args.get(7) {
        None => ImageAccess::Read,
        Some(_) => access_qualifier(inst, 7)?,
    };
    let image = ImageType {
        dim,
        depth: inst.arg(2)? == 1,
        arrayed: inst.arg(3)? == 1,
        multisampled: inst.arg(4)? == 1,
        access,
    };
    let flat = image.dim == ImageDim::D2;
    let layers = flat || image.dim == ImageDim::D1;
    if image.arrayed && !layers || (image.multisampled || image.depth) && !flat {
        return Err(inst.error(format_args!("there is no {}", image.display())));
    }
    Ok(image)
}

/// The access qualifier at operand `n`.
pub(super) fn access_qualifier(inst: &Inst<'_>, n: usize) -> Result<ImageAccess> {
    match AccessQualifier::from_u32(inst.arg(n)?) {
        Some(AccessQualifier::ReadOnly) => Ok(ImageAccess::Read),
        Some(AccessQualifier::WriteOnly) => Ok(ImageAccess::Write),
        Some(AccessQualifier::ReadWrite) => Ok(ImageAccess::ReadWrite),
        None => Err(inst.error("unknown access qualifier")),
    }
}

/// The storage class of that number, if kernels have it.
pub(super) fn storage_class(inst: &Inst<'_>, number: u32) -> Result<StorageClass> {
    StorageClass::from_u32(number)
        .filter(|&class| space_of(class).is_some() || class == StorageClass::Input)
        .ok_or_else(|| {
            inst.error(format_args!(
                "storage class {} is not supported",
                StorageClass::from_u32(number)
                    .map_or_else(|| number.to_string(), |class| format!("{class:?}"))
            ))
        })
}

impl Types {
    /// Gives an announced pointer its pointee; `None` if it has one.
    fn complete_pointer(&mut self, ty: Ty, class: StorageClass, pointee: u32) -> Option<()> {
        match self.kind_mut(ty) {
            TypeKind::Pointer {
                class: announced,
                pointee: unknown @ 0,
            } if *announced == class => {
                *unknown = pointee;
                Some(())
            }
            _ => None,
        }
    }
}
