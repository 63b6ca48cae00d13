//! Images and samplers: their descriptors, the operations on them, and what the driver tells of
//! them.
//!
//! An image has a variable per class of numbers that a kernel reads or writes it as, all on one
//! binding: OpenCL's types do not name the class, Vulkan's do. Read-only images are sampled
//! images or uniform texel buffers, all others storage images or storage texel buffers without a
//! format.
//!
//! In both forms of the interface every image and sampler argument has a binding of the kernel's
//! set. Literal samplers have a set of their own, which all kernels share: the first with
//! descriptors, as the mapping says, else the second, so that the kernels' set stays the first.

use super::arguments::InfoPlace;
use super::builder::Id;
use super::descriptors::Slot;
use super::emitter::{ArgBlock, Emitter};
use pumice_ir::LowerError;
use pumice_ir::{
    FuncId, Function, HandleInfo, ImageAccess, ImageDim, ImageOp, ImageType, InstKind,
    KernelArgKind, KernelInfo, Lod, Module, Texel, Type, Value, literal_mask,
};
use pumice_reflection::{
    DescriptorArgument, Fact, ImageInfoPush, ImageInfoUniform, InfoRef, Instruction, KernelRef,
    LiteralSampler, Need, Reflection,
};
use rspirv::spirv::{Capability, Decoration, Dim, ImageOperands, Op, StorageClass};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// The masks of the literal samplers that kernels read through, in order.
pub(super) fn literal_samplers(module: &Module) -> Vec<u32> {
    let mut masks = BTreeSet::new();
    for kernel in &module.kernels {
        let f = &module.functions[kernel.func];
        for &block in &f.layout.blocks {
            for &inst in &f.layout.insts[block] {
                if let InstKind::Image { args, .. } = &f.insts[inst].kind {
                    masks.extend(args.get(1).and_then(|&v| literal_mask(f.const_bits(v)?)));
                }
            }
        }
    }
    masks.into_iter().collect()
}

/// As which class of numbers each image argument is first read or written: queries take the same
/// variable.
pub(super) fn classes(module: &Module) -> FxHashMap<(u32, u32), Texel> {
    let mut classes = FxHashMap::default();
    for (kernel, k) in module.kernels.iter().zip(0..) {
        let f = &module.functions[kernel.func];
        let insts = (f.layout.blocks.iter()).flat_map(|&block| &f.layout.insts[block]);
        for &inst in insts {
            if let InstKind::Image { op, args, .. } = &f.insts[inst].kind {
                if let (Some(ordinal), Some(texel)) = (argument(f, args[0]), op.texel()) {
                    classes.entry((k, ordinal)).or_insert(texel);
                }
            }
        }
    }
    classes
}

/// The argument that a handle is.
fn argument(f: &Function, handle: Value) -> Option<u32> {
    match f.insts[f.def_inst(handle)?].kind {
        InstKind::HandleArg { ordinal } => Some(ordinal),
        _ => None,
    }
}

/// Returns whether a kernel has arguments that are written as storage images.
pub(super) fn has_storage_images(module: &Module) -> bool {
    let mut args = module.kernels.iter().flat_map(|kernel| &kernel.args);
    args.any(|arg| matches!(arg.kind, KernelArgKind::Image(image) if !image.is_sampled()))
}

/// Lists the kernel's questions about its images and samplers.
pub(super) fn infos(module: &Module, func: FuncId) -> BTreeSet<(u32, HandleInfo)> {
    let f = &module.functions[func];
    let insts = (f.layout.blocks.iter()).flat_map(|&block| &f.layout.insts[block]);
    insts
        .filter_map(|&inst| match f.insts[inst].kind {
            // A specialization constant.
            InstKind::HandleInfo {
                which: HandleInfo::WritesSrgb,
                ..
            } => None,
            InstKind::HandleInfo { ordinal, which } => Some((ordinal, which)),
            _ => None,
        })
        .collect()
}

/// Places of a kernel's images and samplers without descriptors for its other arguments: behind
/// the binding of its uniform block.
pub(super) fn slots_behind_block(kernel: &KernelInfo) -> Vec<(u32, Slot)> {
    let args = kernel.args.iter().enumerate();
    let handles = args.filter(|(_, arg)| arg.kind.is_handle());
    handles
        .zip(1..)
        .map(|((ordinal, _), binding)| (ordinal as u32, Slot { set: 0, binding }))
        .collect()
}

/// The first binding behind those of all kernels, which have one for each argument and one for a block at most.
pub(super) fn first_level_binding(module: &Module) -> u32 {
    let most = module.kernels.iter().map(|kernel| kernel.args.len()).max();
    most.unwrap_or(0) as u32 + 1
}

/// The descriptor of a mip level.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LevelSlot {
    /// The image argument.
    ordinal: u32,
    /// From 1 on.
    level: u32,
    slot: Slot,
}

/// The fact of our own set that answers a question; none where clspv's reflection or a specialization constant does.
fn fact(which: HandleInfo) -> Option<Fact> {
    Some(match which {
        HandleInfo::LodMin => Fact::LodMin,
        HandleInfo::LodMax => Fact::LodMax,
        HandleInfo::SizeX => Fact::SizeX,
        HandleInfo::SizeY => Fact::SizeY,
        HandleInfo::SizeZ => Fact::SizeZ,
        HandleInfo::Samples => Fact::Samples,
        HandleInfo::Levels => Fact::Levels,
        HandleInfo::ChannelOrder
        | HandleInfo::ChannelDataType
        | HandleInfo::SamplerMask
        | HandleInfo::WritesSrgb => return None,
    })
}

impl Emitter<'_> {
    /// The descriptor of an image or sampler argument.
    fn handle_slot(&self, kernel: u32, ordinal: u32) -> Option<Slot> {
        let slots = self.handle_slots.get(kernel as usize)?;
        let found = slots.iter().find(|(known, _)| *known == ordinal);
        found.map(|&(_, slot)| slot)
    }

    /// The descriptor of a level of an image argument: behind all others of its kernel's set, one kernel like the other.
    fn level_slot(&mut self, kernel: u32, ordinal: u32, level: u32) -> Option<Slot> {
        let first = self.handle_slot(kernel, ordinal)?;
        let known = self.level_slots.entry(kernel).or_default();
        let found = known
            .iter()
            .find(|l| (l.ordinal, l.level) == (ordinal, level));
        if let Some(found) = found {
            return Some(found.slot);
        }
        let slot = Slot {
            set: first.set,
            binding: self.first_level_binding + known.len() as u32,
        };
        known.push(LevelSlot {
            ordinal,
            level,
            slot,
        });
        Some(slot)
    }

    fn literal_slot(&self, mask: u32) -> Option<Slot> {
        let binding = self.literal_samplers.iter().position(|&m| m == mask)? as u32;
        let set = u32::from(!self.has_buffers());
        Some(Slot { set, binding })
    }

    /// The argument that a handle of the current function is.
    fn ordinal_of(&self, handle: Value) -> Option<u32> {
        argument(&self.module.functions[self.cur], handle)
    }

    fn image_type(&mut self, image: ImageType, texel: Texel) -> Id {
        let sampled_ty = match texel {
            Texel::Float => self.ty(Type::F32),
            Texel::Signed => self.b.unique(Op::TypeInt, None, &[32, 1]),
            Texel::Unsigned | Texel::Raw => self.b.ty_int(32),
        };
        let sampled = image.is_sampled();
        let (dim, capability) = match image.dim {
            ImageDim::D1 if sampled => (Dim::Dim1D, Some(Capability::Sampled1D)),
            ImageDim::D1 => (Dim::Dim1D, Some(Capability::Image1D)),
            ImageDim::Buffer if sampled => (Dim::DimBuffer, Some(Capability::SampledBuffer)),
            ImageDim::Buffer => (Dim::DimBuffer, Some(Capability::ImageBuffer)),
            ImageDim::D2 => (Dim::Dim2D, None),
            ImageDim::D3 => (Dim::Dim3D, None),
        };
        if let Some(capability) = capability {
            self.b.capability(capability);
        }
        const UNKNOWN_FORMAT: u32 = 0;
        let operands = [
            sampled_ty,
            dim as u32,
            // Depth compare is what Vulkan means, which OpenCL does not have.
            0,
            u32::from(image.arrayed),
            // No samples: they are layers.
            0,
            if sampled { 1 } else { 2 },
            UNKNOWN_FORMAT,
        ];
        self.b.unique(Op::TypeImage, None, &operands)
    }

    /// Loads an image argument, or the storage image that is a level of it, as an image of a class of numbers.
    fn load_image(
        &mut self,
        handle: Value,
        image: ImageType,
        texel: Texel,
        level: u32,
    ) -> Result<Id, LowerError> {
        let found = self.ordinal_of(handle).zip(self.kernel_of[self.cur]);
        let slot = found.and_then(|(ordinal, kernel)| match level {
            0 => self.handle_slot(kernel, ordinal),
            _ => self.level_slot(kernel, ordinal, level),
        });
        let slot = slot.ok_or_else(|| LowerError::new("internal: an image of no argument"))?;
        let ty = self.image_type(image, texel);
        let var = self.handle_variable(slot, ty);
        if image.access == ImageAccess::ReadWrite && self.coherent.insert(var) {
            // One image may be bound as two classes, and other work-items see what is written.
            self.b.decorate(var, Decoration::Aliased, &[]);
            if !self.target.vulkan_memory_model {
                self.b.decorate(var, Decoration::Coherent, &[]);
            }
        }
        Ok(self.b.op(Op::Load, ty, &[var]))
    }

    fn handle_variable(&mut self, slot: Slot, ty: Id) -> Id {
        let var = match self.handle_vars.get(&(slot, ty)) {
            Some(&var) => var,
            None => {
                let var = self.bound_variable(ty, StorageClass::UniformConstant, slot);
                self.handle_vars.insert((slot, ty), var);
                var
            }
        };
        self.cur_uses.insert(var);
        var
    }

    /// Joins an image with a sampler.
    fn sampled_image(&mut self, image_ty: Id, image: Id, sampler: Value) -> Result<Id, LowerError> {
        let f = &self.module.functions[self.cur];
        let literal = f.const_bits(sampler).and_then(literal_mask);
        let slot = match literal {
            Some(mask) => self.literal_slot(mask),
            None => {
                let found = self.ordinal_of(sampler).zip(self.kernel_of[self.cur]);
                found.and_then(|(ordinal, kernel)| self.handle_slot(kernel, ordinal))
            }
        };
        let slot = slot.ok_or_else(|| LowerError::new("internal: a sampler of no argument"))?;
        let ty = self.b.unique(Op::TypeSampler, None, &[]);
        let var = self.handle_variable(slot, ty);
        let sampler = self.b.op(Op::Load, ty, &[var]);
        let joined = self.b.unique(Op::TypeSampledImage, None, &[image_ty]);
        Ok(self.b.op(Op::SampledImage, joined, &[image, sampler]))
    }

    /// A pixel's type in SPIR-V: signed integers for images of them.
    fn pixel_ty(&mut self, texel: Texel) -> Id {
        match texel {
            Texel::Signed => {
                let int = self.b.unique(Op::TypeInt, None, &[32, 1]);
                self.b.ty_vector(int, 4)
            }
            _ => self.ty(texel.ty()),
        }
    }

    /// A pixel that was read in the type of registers.
    fn pixel_read(&mut self, texel: Texel, pixel: Id) -> Id {
        if texel != Texel::Signed {
            return pixel;
        }
        let ty = self.ty(texel.ty());
        self.b.op(Op::Bitcast, ty, &[pixel])
    }

    /// An operation on an image; its result, if it has one.
    pub fn image(
        &mut self,
        op: ImageOp,
        image: ImageType,
        args: &[Value],
    ) -> Result<Option<Id>, LowerError> {
        if image.multisampled {
            let reason = "internal: an image with samples reached emission";
            return Err(LowerError::new(reason));
        }
        // Queries see no pixel: any class will do, and floats are what most images hold.
        let key = self.kernel_of[self.cur].zip(self.ordinal_of(args[0]));
        let class = key.and_then(|key| self.image_classes.get(&key).copied());
        let texel = op.texel().or(class).unwrap_or(Texel::Float);
        let level = match op {
            ImageOp::ReadLevel { .. } | ImageOp::WriteLevel { .. } if !image.is_sampled() => {
                let f = &self.module.functions[self.cur];
                args.last().and_then(|&level| f.const_bits(level))
            }
            _ => None,
        };
        let level = level.unwrap_or(0) as u32;
        let handle = self.load_image(args[0], image, texel, level)?;
        let mut mask = ImageOperands::NONE;
        if image.access == ImageAccess::ReadWrite && self.target.vulkan_memory_model {
            mask |= ImageOperands::NON_PRIVATE_TEXEL;
        }
        match op {
            ImageOp::Sample { lod, .. } => {
                let image_ty = self.image_type(image, texel);
                let joined = self.sampled_image(image_ty, handle, args[1])?;
                let bit = match lod {
                    Lod::Explicit => ImageOperands::LOD,
                    Lod::Gradient => ImageOperands::GRAD,
                };
                let mut operands = vec![joined, self.value(args[2]), bit.bits()];
                for &arg in &args[3..] {
                    operands.push(self.value(arg));
                }
                let ty = self.pixel_ty(texel);
                let pixel = self.b.op(Op::ImageSampleExplicitLod, ty, &operands);
                Ok(Some(self.pixel_read(texel, pixel)))
            }
            ImageOp::Read { .. } | ImageOp::ReadLevel { .. } => {
                let mut operands = vec![handle, self.value(args[1])];
                let op = if image.is_sampled() {
                    if let Some(&level) = args.get(2) {
                        operands.extend([ImageOperands::LOD.bits(), self.value(level)]);
                    } else if image.has_levels() {
                        operands.extend([ImageOperands::LOD.bits(), self.b.const_u32(0)]);
                    }
                    Op::ImageFetch
                } else {
                    self.b.capability(Capability::StorageImageReadWithoutFormat);
                    if !mask.is_empty() {
                        operands.push(mask.bits());
                    }
                    Op::ImageRead
                };
                let ty = self.pixel_ty(texel);
                let pixel = self.b.op(op, ty, &operands);
                Ok(Some(self.pixel_read(texel, pixel)))
            }
            ImageOp::Write { .. } | ImageOp::WriteLevel { .. } => {
                self.b
                    .capability(Capability::StorageImageWriteWithoutFormat);
                let mut pixel = self.value(args[2]);
                if texel == Texel::Signed {
                    let ty = self.pixel_ty(texel);
                    pixel = self.b.op(Op::Bitcast, ty, &[pixel]);
                }
                let mut operands = vec![handle, self.value(args[1]), pixel];
                if !mask.is_empty() {
                    operands.push(mask.bits());
                }
                self.b.stmt(Op::ImageWrite, &operands);
                Ok(None)
            }
            ImageOp::Size | ImageOp::SizeOfLevel | ImageOp::Levels => {
                self.b.capability(Capability::ImageQuery);
                let ty = op.result(image).map(|ty| self.ty(ty)).unwrap_or_default();
                let op = match op {
                    ImageOp::Levels => Op::ImageQueryLevels,
                    _ if image.has_levels() => Op::ImageQuerySizeLod,
                    _ => Op::ImageQuerySize,
                };
                let mut operands = vec![handle];
                if op == Op::ImageQuerySizeLod {
                    operands.push(match args.get(1) {
                        Some(&lod) => self.value(lod),
                        None => self.b.const_u32(0),
                    });
                }
                Ok(Some(self.b.op(op, ty, &operands)))
            }
            ImageOp::Order
            | ImageOp::Format
            | ImageOp::Samples
            | ImageOp::ReadBytes
            | ImageOp::WriteBytes => Err(LowerError::new(
                "internal: an operation on an image that Vulkan lacks reached emission",
            )),
        }
    }

    /// Loads a fact that the driver tells of an image or sampler.
    pub fn handle_info(&mut self, ordinal: u32, which: HandleInfo) -> Result<Id, LowerError> {
        let kernel = self.kernel_of[self.cur].unwrap_or(u32::MAX);
        if which == HandleInfo::WritesSrgb {
            return Ok(self.srgb_constant(kernel, ordinal));
        }
        let place = self.info_places.get(&(kernel, ordinal, which)).copied();
        match place {
            Some(InfoPlace::Push(offset)) => self.push_word(offset / 4),
            Some(InfoPlace::Uniform(var, slot, offset)) => {
                self.argument_word(ArgBlock::Uniform(var, slot), offset / 4)
            }
            None => Err(LowerError::new("internal: a question without a place")),
        }
    }

    /// The constant that tells whether what a kernel writes to an image becomes sRGB.
    fn srgb_constant(&mut self, kernel: u32, ordinal: u32) -> Id {
        if let Some(&(id, _)) = self.srgb_specs.get(&(kernel, ordinal)) {
            return id;
        }
        let made = self.spec_constant(0);
        self.srgb_specs.insert((kernel, ordinal), made);
        made.0
    }

    /// The reflection of an image or sampler argument.
    pub fn reflect_handle(
        &self,
        k: usize,
        kernel: KernelRef,
        ordinal: u32,
        info: Option<InfoRef>,
    ) -> Option<Instruction> {
        let slot = self.handle_slot(k as u32, ordinal)?;
        let argument = DescriptorArgument {
            kernel,
            ordinal,
            set: slot.set,
            binding: slot.binding,
            info,
        };
        Some(match self.module.kernels[k].args[ordinal as usize].kind {
            KernelArgKind::Image(image) => match (image.dim, image.is_sampled()) {
                (ImageDim::Buffer, true) => Instruction::ArgumentUniformTexelBuffer(argument),
                (ImageDim::Buffer, false) => Instruction::ArgumentStorageTexelBuffer(argument),
                (_, true) => Instruction::ArgumentSampledImage(argument),
                (_, false) => Instruction::ArgumentStorageImage(argument),
            },
            _ => Instruction::ArgumentSampler(argument),
        })
    }

    /// The places of what the driver tells of a kernel's images and samplers.
    pub fn reflect_infos(&self, k: usize, kernel: KernelRef, reflection: &mut Reflection) {
        for (ordinal, which) in infos(self.module, self.module.kernels[k].func) {
            let fact = fact(which).map(Fact::number);
            match self.info_places.get(&(k as u32, ordinal, which)) {
                Some(&InfoPlace::Push(offset)) => {
                    let push = ImageInfoPush {
                        kernel,
                        ordinal,
                        offset,
                        size: 4,
                    };
                    use Instruction as Inst;
                    let make = match which {
                        HandleInfo::ChannelOrder => Inst::ImageArgumentInfoChannelOrderPushConstant,
                        HandleInfo::ChannelDataType => {
                            Inst::ImageArgumentInfoChannelDataTypePushConstant
                        }
                        HandleInfo::SamplerMask => Inst::NormalizedSamplerMaskPushConstant,
                        _ => {
                            reflection.needs.extend(fact.map(|fact| {
                                Need::HandleFactPushConstant {
                                    kernel,
                                    ordinal,
                                    fact,
                                    offset,
                                }
                            }));
                            continue;
                        }
                    };
                    reflection.push(make(push));
                }
                // Masks of samplers are push constants alone.
                Some(&InfoPlace::Uniform(_, slot, offset)) => {
                    let uniform = ImageInfoUniform {
                        kernel,
                        ordinal,
                        set: slot.set,
                        binding: slot.binding,
                        offset,
                        size: 4,
                    };
                    use Instruction as Inst;
                    let make = match which {
                        HandleInfo::ChannelOrder => Inst::ImageArgumentInfoChannelOrderUniform,
                        HandleInfo::ChannelDataType => {
                            Inst::ImageArgumentInfoChannelDataTypeUniform
                        }
                        _ => {
                            reflection
                                .needs
                                .extend(fact.map(|fact| Need::HandleFactUniform {
                                    kernel,
                                    ordinal,
                                    fact,
                                    set: slot.set,
                                    binding: slot.binding,
                                    offset,
                                }));
                            continue;
                        }
                    };
                    reflection.push(make(uniform));
                }
                None => {}
            }
        }
    }

    /// The images whose bits a kernel reads or writes.
    pub fn reflect_raw_images(&self, k: u32, kernel: KernelRef, reflection: &mut Reflection) {
        let raw = self.image_classes.iter();
        let raw = raw.filter(|&(&(of, _), &texel)| of == k && texel == Texel::Raw);
        let mut ordinals: Vec<u32> = raw.map(|(&(_, ordinal), _)| ordinal).collect();
        ordinals.sort_unstable();
        let needs = ordinals
            .into_iter()
            .map(|ordinal| Need::RawImage { kernel, ordinal });
        reflection.needs.extend(needs);
    }

    /// The images of a kernel with samples a pixel.
    pub fn reflect_samples(&self, k: usize, kernel: KernelRef, reflection: &mut Reflection) {
        let args = self.module.kernels[k].args.iter().zip(0..);
        let needs = args.filter_map(|(arg, ordinal)| match arg.kind {
            KernelArgKind::Image(image) if image.multisampled => Some(Need::SampledPixels {
                kernel,
                ordinal,
                arrayed: u32::from(image.arrayed),
            }),
            _ => None,
        });
        reflection.needs.extend(needs);
    }

    /// The images of a kernel whose channels may be of sRGB.
    pub fn reflect_srgb_writes(&self, k: u32, kernel: KernelRef, reflection: &mut Reflection) {
        let its = self.srgb_specs.range((k, 0)..=(k, u32::MAX));
        let needs = its.map(|(&(_, ordinal), &(_, spec_id))| Need::SrgbWrites {
            kernel,
            ordinal,
            spec_id,
        });
        reflection.needs.extend(needs);
    }

    /// The levels of a kernel's images that it accesses as images of their own.
    pub fn reflect_levels(&self, k: usize, kernel: KernelRef, reflection: &mut Reflection) {
        for level in self.level_slots.get(&(k as u32)).into_iter().flatten() {
            reflection.needs.push(Need::ImageLevel {
                kernel,
                ordinal: level.ordinal,
                level: level.level,
                set: level.slot.set,
                binding: level.slot.binding,
            });
        }
    }

    /// The samplers that the source spells out.
    pub fn reflect_literal_samplers(&self, reflection: &mut Reflection) {
        for &mask in &self.literal_samplers {
            if let Some(slot) = self.literal_slot(mask) {
                reflection.push(Instruction::LiteralSampler(LiteralSampler {
                    set: slot.set,
                    binding: slot.binding,
                    mask,
                }));
            }
        }
    }
}
