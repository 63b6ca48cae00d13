//! Images and samplers of a dispatch.

use opencl_sys as cl;
use pumice_compiler::target::image::sampler_mask;
use pumice_interp::{Arg, Image as Shape};
use pumice_ir::ImageDim;
use pumice_reflection::{Fact, Instruction, KernelRef, Need, Reflection};
use pumice_vulkan_layer::{
    AddressMode, BindingKind, Buffer, Format, IDENTITY, Image, ImageDesc, ImageKind, LogicalDevice,
    Recorder, Resource, SamplerDesc,
};

use super::{Dispatch, put};

/// The handle of an argument, made for the device.
pub enum Handle {
    /// An image with its pixels in a buffer before and after.
    Image(Shape, Image, Buffer),
    /// An image of a buffer's memory.
    Texels(Shape, Buffer),
    /// A sampler's mask.
    Sampler(u32),
    /// An argument of another kind.
    None,
}

/// The format of a channel order and type, of those that the kernel files have.
fn format(shape: &Shape) -> Format {
    use Format as F;
    // R, RG, RGBA by the channels' type.
    let row = match shape.data_type {
        cl::CL_SNORM_INT8 => [F::R8Snorm, F::Rg8Snorm, F::Rgba8Snorm],
        cl::CL_SNORM_INT16 => [F::R16Snorm, F::Rg16Snorm, F::Rgba16Snorm],
        cl::CL_UNORM_INT8 => [F::R8Unorm, F::Rg8Unorm, F::Rgba8Unorm],
        cl::CL_UNORM_INT16 => [F::R16Unorm, F::Rg16Unorm, F::Rgba16Unorm],
        cl::CL_SIGNED_INT8 => [F::R8Sint, F::Rg8Sint, F::Rgba8Sint],
        cl::CL_SIGNED_INT16 => [F::R16Sint, F::Rg16Sint, F::Rgba16Sint],
        cl::CL_SIGNED_INT32 => [F::R32Sint, F::Rg32Sint, F::Rgba32Sint],
        cl::CL_UNSIGNED_INT8 => [F::R8Uint, F::Rg8Uint, F::Rgba8Uint],
        cl::CL_UNSIGNED_INT16 => [F::R16Uint, F::Rg16Uint, F::Rgba16Uint],
        cl::CL_UNSIGNED_INT32 => [F::R32Uint, F::Rg32Uint, F::Rgba32Uint],
        cl::CL_HALF_FLOAT => [F::R16Sfloat, F::Rg16Sfloat, F::Rgba16Sfloat],
        cl::CL_FLOAT => [F::R32Sfloat, F::Rg32Sfloat, F::Rgba32Sfloat],
        other => panic!("channel type {other:#x}"),
    };
    match (shape.order, row[2]) {
        (cl::CL_R, _) => row[0],
        (cl::CL_RG, _) => row[1],
        (cl::CL_RGBA, all) => all,
        (cl::CL_BGRA, F::Rgba8Unorm) => F::Bgra8Unorm,
        (other, _) => panic!("channel order {other:#x}"),
    }
}

fn desc(shape: &Shape) -> ImageDesc {
    let [width, height, depth] = shape.size;
    let (kind, extent, layers) = match (shape.dim, shape.arrayed) {
        (ImageDim::D1, false) => (ImageKind::D1, [width, 1, 1], 1),
        (ImageDim::D1, true) => (ImageKind::D1Array, [width, 1, 1], height),
        (ImageDim::D2, false) => (ImageKind::D2, [width, height, 1], 1),
        (ImageDim::D2, true) => (ImageKind::D2Array, [width, height, 1], depth),
        (ImageDim::D3, _) => (ImageKind::D3, shape.size, 1),
        (ImageDim::Buffer, _) => unreachable!("a buffer's texels are no image"),
    };
    ImageDesc {
        kind,
        format: format(shape),
        extent,
        layers,
        levels: 1,
        reinterpreted: false,
    }
}

/// The handles of a kernel's arguments, by ordinal.
pub fn make(device: &LogicalDevice, args: &[Arg], buffers: &[Buffer]) -> Vec<Handle> {
    let handles = args.iter().map(|arg| match arg {
        Arg::Image(shape) if shape.dim == ImageDim::Buffer => {
            Handle::Texels(*shape, buffers[shape.buffer].clone())
        }
        Arg::Image(shape) => {
            let image = device.create_image(&desc(shape)).expect("image");
            Handle::Image(*shape, image, buffers[shape.buffer].clone())
        }
        Arg::Sampler(mask) => Handle::Sampler(*mask),
        _ => Handle::None,
    });
    handles.collect()
}

/// Fills the images from their buffers.
pub fn upload(recorder: &mut Recorder, handles: &[Handle]) {
    for handle in handles {
        if let Handle::Image(_, image, buffer) = handle {
            let part = image_box(image);
            recorder.initialize_image(image).expect("initialized");
            (recorder.copy_buffer_to_image(buffer, 0, image, part)).expect("copied");
        }
    }
}

/// Reads the images back into their buffers.
pub fn download(recorder: &mut Recorder, handles: &[Handle]) {
    for handle in handles {
        if let Handle::Image(_, image, buffer) = handle {
            let part = image_box(image);
            (recorder.copy_image_to_buffer(image, part, buffer, 0)).expect("copied");
        }
    }
}

fn image_box(image: &Image) -> pumice_vulkan_layer::ImageBox {
    image.desc().level_box(0)
}

fn sampler(device: &LogicalDevice, mask: u32) -> Resource {
    let address = match mask & sampler_mask::ADDRESS {
        sampler_mask::CLAMP => AddressMode::ClampToBorder,
        sampler_mask::REPEAT => AddressMode::Repeat,
        sampler_mask::MIRRORED_REPEAT => AddressMode::MirroredRepeat,
        _ => AddressMode::ClampToEdge,
    };
    let desc = SamplerDesc {
        address,
        linear: mask & sampler_mask::NEAREST == 0,
        normalized: mask & sampler_mask::NORMALIZED != 0,
        mip_linear: false,
    };
    Resource::Sampler(device.sampler(desc).expect("sampler"))
}

fn fact(handle: &Handle, fact: Fact) -> u32 {
    match (handle, fact) {
        (Handle::Sampler(_), Fact::LodMax) => f32::MAX.to_bits(),
        (Handle::Image(shape, ..) | Handle::Texels(shape, _), fact) => match fact {
            Fact::SizeX => shape.size[0],
            Fact::SizeY => shape.size[1],
            Fact::SizeZ => shape.size[2],
            Fact::Levels => 1,
            _ => 0,
        },
        _ => 0,
    }
}

/// Adds what a kernel takes of images and samplers.
pub fn bind(
    device: &LogicalDevice,
    reflection: &Reflection,
    kernel: KernelRef,
    handles: &[Handle],
    d: &mut Dispatch,
) {
    // Arguments whose mask the kernel asks for are normalised ones.
    let asked: Vec<u32> = (reflection.instructions.iter())
        .filter_map(|inst| match inst {
            Instruction::NormalizedSamplerMaskPushConstant(a) if a.kernel == kernel => {
                Some(a.ordinal)
            }
            _ => None,
        })
        .collect();
    for inst in &reflection.instructions {
        use Instruction as I;
        match inst {
            I::LiteralSampler(literal) => {
                let bound = (BindingKind::Sampler, sampler(device, literal.mask));
                d.bound.insert((literal.set, literal.binding), bound);
            }
            I::ArgumentSampledImage(a)
            | I::ArgumentStorageImage(a)
            | I::ArgumentSampler(a)
            | I::ArgumentUniformTexelBuffer(a)
            | I::ArgumentStorageTexelBuffer(a)
                if a.kernel == kernel =>
            {
                let kind = match inst {
                    I::ArgumentSampledImage(_) => BindingKind::SampledImage,
                    I::ArgumentStorageImage(_) => BindingKind::StorageImage,
                    I::ArgumentSampler(_) => BindingKind::Sampler,
                    I::ArgumentUniformTexelBuffer(_) => BindingKind::UniformTexelBuffer,
                    _ => BindingKind::StorageTexelBuffer,
                };
                let resource = match &handles[a.ordinal as usize] {
                    Handle::Image(shape, image, _) => {
                        let view = device.create_image_view(image, format(shape), IDENTITY, None);
                        Resource::Image(view.expect("view"))
                    }
                    Handle::Texels(shape, buffer) => {
                        let count = u64::from(shape.size[0]);
                        let view = device.create_buffer_view(buffer, format(shape), 0, count);
                        Resource::Texels(view.expect("view"))
                    }
                    Handle::Sampler(mask) if asked.contains(&a.ordinal) => {
                        sampler(device, mask | sampler_mask::NORMALIZED)
                    }
                    Handle::Sampler(mask) => sampler(device, *mask),
                    Handle::None => panic!("argument {} is an image or a sampler", a.ordinal),
                };
                d.bound.insert((a.set, a.binding), (kind, resource));
            }
            I::ImageArgumentInfoChannelOrderPushConstant(a)
            | I::ImageArgumentInfoChannelDataTypePushConstant(a)
            | I::NormalizedSamplerMaskPushConstant(a)
                if a.kernel == kernel =>
            {
                let word = told(inst, &handles[a.ordinal as usize]);
                put(&mut d.push, a.offset, &word.to_le_bytes());
            }
            I::ImageArgumentInfoChannelOrderUniform(a)
            | I::ImageArgumentInfoChannelDataTypeUniform(a)
                if a.kernel == kernel =>
            {
                let word = told(inst, &handles[a.ordinal as usize]);
                put_in_block(d, (a.set, a.binding), a.offset, word);
            }
            _ => {}
        }
    }
    for need in &reflection.needs {
        match *need {
            Need::HandleFactPushConstant {
                kernel: of,
                ordinal,
                fact: number,
                offset,
            } if of == kernel => {
                let which = Fact::of(number).expect("a fact");
                let word = fact(&handles[ordinal as usize], which);
                put(&mut d.push, offset, &word.to_le_bytes());
            }
            Need::HandleFactUniform {
                kernel: of,
                ordinal,
                fact: number,
                set,
                binding,
                offset,
            } if of == kernel => {
                let which = Fact::of(number).expect("a fact");
                let word = fact(&handles[ordinal as usize], which);
                put_in_block(d, (set, binding), offset, word);
            }
            _ => {}
        }
    }
}

/// The order or the type of an image's channels, or a sampler's mask.
fn told(inst: &Instruction, handle: &Handle) -> u32 {
    let is_order = matches!(
        inst,
        Instruction::ImageArgumentInfoChannelOrderPushConstant(_)
            | Instruction::ImageArgumentInfoChannelOrderUniform(_)
    );
    match handle {
        Handle::Image(shape, ..) | Handle::Texels(shape, _) if is_order => shape.order,
        Handle::Image(shape, ..) | Handle::Texels(shape, _) => shape.data_type,
        Handle::Sampler(mask) => *mask,
        Handle::None => panic!("an image or a sampler"),
    }
}

fn put_in_block(d: &mut Dispatch, place: (u32, u32), offset: u32, word: u32) {
    let block = d.blocks.entry(place);
    let (_, bytes) = block.or_insert((BindingKind::UniformBuffer, Vec::new()));
    put(bytes, offset, &word.to_le_bytes());
}
