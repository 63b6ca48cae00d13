//! Images, samplers and texel buffers: instructions 8 to 10, 23, 30 to 35 and 41.

use opencl_sys as cl;
use pumice_reflection::{
    DescriptorArgument, ImageInfoPush, ImageInfoUniform, Instruction, KernelRef, LiteralSampler,
};
use pumice_runtime::executable::{ArgKind, ArgValue, Executable, ImageArg, LaunchError};
use pumice_vulkan_layer::asm::class;
use pumice_vulkan_layer::{
    AddressMode, BindingKind, Buffer, Format, IDENTITY, Image, ImageBox, ImageDesc, ImageKind,
    MemoryClass, SamplerDesc,
};

use crate::kit::{Draft, Kit, bind, bytes, range, whole, with_kit};

/// Texels by number, border, nearest.
const UNNORMALIZED_CLAMP: u32 = 4 | 0x10;
/// 0 to 1, border, nearest.
const NORMALIZED_CLAMP: u32 = 1 | 4 | 0x10;

const DIM_2D: u32 = 1;
const DIM_BUFFER: u32 = 5;
const SAMPLED: u32 = 1;
const STORAGE: u32 = 2;

impl Draft {
    /// A UniformConstant variable at a binding.
    fn resource(&mut self, ty: u32, set: u32, binding: u32) -> u32 {
        let variable = self.m.variable(class::UNIFORM_CONSTANT, ty);
        bind(&mut self.m, variable, set, binding);
        variable
    }

    fn image_type(&mut self, texel: u32, dim: u32, sampled: u32) -> u32 {
        self.m.ty(25, &[texel, dim, 0, 0, 0, sampled, 0])
    }

    fn f32(&mut self, value: f32) -> u32 {
        let float = self.m.float(32);
        self.m.constant(float, &[value.to_bits()])
    }

    /// Samples a 2D float image at constant coordinates; the words of the colour.
    fn sample(&mut self, image: [u32; 2], sampler: [u32; 2], at: [f32; 2]) -> Vec<u32> {
        let float = self.m.float(32);
        let (vec2, vec4) = (self.m.vector(float, 2), self.m.vector(float, 4));
        let combined = self.m.ty(27, &[image[0]]);
        let parts = at.map(|x| self.f32(x));
        let at = self.m.global(44, vec2, &parts);
        let level = self.f32(0.0);
        let (i, s) = (
            self.m.load(image[0], image[1]),
            self.m.load(sampler[0], sampler[1]),
        );
        let both = self.m.op(86, combined, &[i, s]);
        let color = self.m.op(88, vec4, &[both, at, 2, level]);
        let uint = self.uint;
        let component = |d: &mut Self, index| {
            let part = d.m.op(81, float, &[color, index]);
            d.m.op(124, uint, &[part])
        };
        (0..4).map(|index| component(self, index)).collect()
    }

    /// Four words as a vector.
    fn uvec4(&mut self, values: [u32; 4]) -> u32 {
        let uvec4 = self.m.vector(self.uint, 4);
        let parts = values.map(|value| self.m.u32(value));
        self.m.global(44, uvec4, &parts)
    }
}

fn argument(kernel: KernelRef, ordinal: u32, set: u32, binding: u32) -> DescriptorArgument {
    DescriptorArgument {
        kernel,
        ordinal,
        set,
        binding,
        info: None,
    }
}

fn push(kernel: KernelRef, ordinal: u32, offset: u32) -> ImageInfoPush {
    ImageInfoPush {
        kernel,
        ordinal,
        offset,
        size: 4,
    }
}

/// `look(out, sampled image, sampler, storage image, uniform texels, storage texels)`, with what it
/// is told of its arguments in push constants and a uniform block.
fn module() -> Vec<u32> {
    let mut d = Draft::new();
    for capability in [46, 47, 56] {
        d.m.capability(capability);
    }
    let (uint, float) = (d.uint, d.m.float(32));
    let out = d.m.word_buffer(0, 0);
    let sampled = d.image_type(float, DIM_2D, SAMPLED);
    let stored = d.image_type(uint, DIM_2D, STORAGE);
    let fetched = d.image_type(uint, DIM_BUFFER, SAMPLED);
    let put = d.image_type(uint, DIM_BUFFER, STORAGE);
    let sampler = d.m.ty(26, &[]);
    let image = d.resource(sampled, 0, 1);
    let sampler_arg = d.resource(sampler, 0, 2);
    let storage_image = d.resource(stored, 0, 3);
    let uniform_texels = d.resource(fetched, 0, 4);
    let storage_texels = d.resource(put, 0, 5);
    let literal = d.resource(sampler, 0, 6);
    let told =
        d.m.block(class::PUSH_CONSTANT, &[(uint, 0), (uint, 4), (uint, 8)]);
    let block = d.m.block(class::UNIFORM, &[(uint, 0), (uint, 4)]);
    bind(&mut d.m, block, 1, 0);
    let uvec2 = d.m.vector(uint, 2);
    let one = d.m.u32(1);
    let corner = d.m.global(44, uvec2, &[one, one]);
    let (wide, narrow) = (d.uvec4([5, 6, 7, 8]), d.uvec4([9, 0, 0, 0]));

    let kernel = d.kernel("look", 6, 0);
    let mut values = d.sample([sampled, image], [sampler, sampler_arg], [0.75, 0.25]);
    values.extend(d.sample([sampled, image], [sampler, literal], [-1.0, 0.25]));
    for index in 0..3 {
        values.push(d.member(class::PUSH_CONSTANT, uint, told, index));
    }
    for index in 0..2 {
        values.push(d.member(class::UNIFORM, uint, block, index));
    }
    let uvec4 = d.m.vector(uint, 4);
    let (three, two) = (d.m.u32(3), d.m.u32(2));
    let texels = d.m.load(fetched, uniform_texels);
    let texel = d.m.op(95, uvec4, &[texels, three]);
    values.push(d.m.op(81, uint, &[texel, 0]));
    d.set_words(out, &values);
    let into = d.m.load(stored, storage_image);
    d.m.op0(99, &[into, corner, wide]);
    let into = d.m.load(put, storage_texels);
    d.m.op0(99, &[into, two, narrow]);
    d.m.end();

    d.storage_argument(kernel, 0, 0, 0);
    d.push(Instruction::ArgumentSampledImage(argument(kernel, 1, 0, 1)));
    d.push(Instruction::ArgumentSampler(argument(kernel, 2, 0, 2)));
    d.push(Instruction::ArgumentStorageImage(argument(kernel, 3, 0, 3)));
    d.push(Instruction::ArgumentUniformTexelBuffer(argument(
        kernel, 4, 0, 4,
    )));
    d.push(Instruction::ArgumentStorageTexelBuffer(argument(
        kernel, 5, 0, 5,
    )));
    d.push(Instruction::LiteralSampler(LiteralSampler {
        set: 0,
        binding: 6,
        mask: NORMALIZED_CLAMP,
    }));
    d.push(Instruction::ImageArgumentInfoChannelOrderPushConstant(
        push(kernel, 1, 0),
    ));
    d.push(Instruction::ImageArgumentInfoChannelDataTypePushConstant(
        push(kernel, 1, 4),
    ));
    d.push(Instruction::NormalizedSamplerMaskPushConstant(push(
        kernel, 2, 8,
    )));
    let uniform = |ordinal, offset| ImageInfoUniform {
        kernel,
        ordinal,
        set: 1,
        binding: 0,
        offset,
        size: 4,
    };
    d.push(Instruction::ImageArgumentInfoChannelOrderUniform(uniform(
        3, 0,
    )));
    d.push(Instruction::ImageArgumentInfoChannelDataTypeUniform(
        uniform(4, 4),
    ));
    d.finish()
}

impl Kit {
    /// A 2×2 image of these texels.
    pub fn image(&self, format: Format, texels: &[u32]) -> Image {
        let desc = ImageDesc {
            kind: ImageKind::D2,
            format,
            extent: [2, 2, 1],
            layers: 1,
            levels: 1,
            reinterpreted: false,
        };
        self.image_like(&desc, texels)
    }

    /// An image of 2×2 texels.
    pub fn image_like(&self, desc: &ImageDesc, texels: &[u32]) -> Image {
        let image = self.device.create_image(desc).unwrap();
        let staging = self.buffer(texels);
        self.run(|recorder| {
            recorder.initialize_image(&image).unwrap();
            recorder
                .copy_buffer_to_image(&staging, 0, &image, ALL)
                .unwrap();
        });
        image
    }

    pub fn texels(&self, image: &Image) -> Vec<u32> {
        let size = 4 * image.desc().format.texel_size() as u64;
        let buffer = self
            .device
            .create_buffer(size, MemoryClass::Readback)
            .unwrap();
        self.run(|recorder| {
            recorder
                .copy_image_to_buffer(image, ALL, &buffer, 0)
                .unwrap();
        });
        self.words(&buffer)
    }

    pub fn image_arg(&self, image: &Image, order: u32, data_type: u32) -> Option<ArgValue> {
        let format = image.desc().format;
        let view = self.device.create_image_view(image, format, IDENTITY, None);
        Some(ArgValue::Image {
            view: ImageArg::Image(view.unwrap()),
            order,
            data_type,
            mip_levels: 1,
            samples: 0,
            size: [2, 2, 0],
            levels: Vec::new(),
        })
    }

    pub fn texel_arg(&self, buffer: &Buffer) -> Option<ArgValue> {
        let texels = buffer.size() / 4;
        let view = self
            .device
            .create_buffer_view(buffer, Format::R32Uint, 0, texels);
        Some(ArgValue::Image {
            view: ImageArg::Texels(view.unwrap()),
            order: cl::CL_R,
            data_type: cl::CL_UNSIGNED_INT32,
            mip_levels: 1,
            samples: 0,
            size: [texels as u32, 0, 0],
            levels: Vec::new(),
        })
    }
}

const ALL: ImageBox = ImageBox {
    level: 0,
    origin: [0; 3],
    extent: [2, 2, 1],
};

pub fn sampler_arg() -> Option<ArgValue> {
    Some(ArgValue::Sampler {
        desc: SamplerDesc {
            address: AddressMode::ClampToBorder,
            linear: false,
            normalized: false,
            mip_linear: false,
        },
        mask: UNNORMALIZED_CLAMP,
        lod: [0.0, f32::MAX],
    })
}

#[test]
fn every_image_instruction_is_dispatched() {
    let words = module();
    with_kit(|kit| {
        let executable = kit.executable(&words);
        let kinds: Vec<_> = (executable.kernels()[0].args.iter())
            .map(|arg| arg.kind)
            .collect();
        let image = |binding, kind| ArgKind::Image {
            binding,
            kind,
            raw: false,
            samples: false,
        };
        let expected = [
            ArgKind::Buffer,
            image(BindingKind::SampledImage, Some(ImageKind::D2)),
            ArgKind::Sampler,
            image(BindingKind::StorageImage, Some(ImageKind::D2)),
            image(BindingKind::UniformTexelBuffer, None),
            image(BindingKind::StorageTexelBuffer, None),
        ];
        assert_eq!(kinds, expected);

        let colors: Vec<u32> = (0..16_u8).map(|n| f32::from(n).to_bits()).collect();
        let sampled = kit.image(Format::Rgba32Sfloat, &colors);
        let stored = kit.image(Format::Rgba32Uint, &[1; 16]);
        let (from, to) = (kit.buffer(&[10, 11, 12, 13]), kit.buffer(&[0; 4]));
        let out = kit.buffer(&[77; 16]);
        let args = [
            whole(&out),
            kit.image_arg(&sampled, cl::CL_RGBA, cl::CL_FLOAT),
            sampler_arg(),
            kit.image_arg(&stored, cl::CL_RGBA, cl::CL_UNSIGNED_INT32),
            kit.texel_arg(&from),
            kit.texel_arg(&to),
        ];
        kit.launch(&executable, "look", &range(1, 1), &args)
            .unwrap();
        // Texel (1, 0): were the sampler one of coordinates in texels, it would be (0, 0).
        let mut expected = colors[4..8].to_vec();
        // The border.
        expected.extend([0; 4]);
        expected.extend([cl::CL_RGBA, cl::CL_FLOAT, UNNORMALIZED_CLAMP]);
        expected.extend([cl::CL_RGBA, cl::CL_UNSIGNED_INT32, 13, 77, 77]);
        assert_eq!(kit.words(&out), expected);
        let mut texels = vec![1; 12];
        texels.extend([5, 6, 7, 8]);
        assert_eq!(kit.texels(&stored), texels);
        assert_eq!(kit.words(&to), [0, 0, 9, 0]);

        // Arguments of another kind or shape.
        let row = ImageDesc {
            kind: ImageKind::D1,
            extent: [2, 1, 1],
            ..*sampled.desc()
        };
        let row = kit.device.create_image(&row).unwrap();
        for (ordinal, value) in [
            (1, None),
            (1, sampler_arg()),
            (1, kit.texel_arg(&from)),
            (1, kit.image_arg(&row, cl::CL_RGBA, cl::CL_FLOAT)),
            (2, whole(&out)),
            (4, kit.image_arg(&sampled, cl::CL_RGBA, cl::CL_FLOAT)),
            (0, kit.image_arg(&sampled, cl::CL_RGBA, cl::CL_FLOAT)),
            (5, Some(ArgValue::Bytes(bytes(&[1])[..].into()))),
        ] {
            let mut args = args.clone();
            args[ordinal] = value;
            let result = kit.launch(&executable, "look", &range(1, 1), &args);
            assert_eq!(result, Err(LaunchError::Args(ordinal)));
        }
    });
}

/// `sample(out, image, sampler)` without instruction 41: the sampler is bound as it is.
#[test]
fn samplers_have_coordinates_in_texels_where_the_kernel_is_not_told() {
    let mut d = Draft::new();
    let float = d.m.float(32);
    let out = d.m.word_buffer(0, 0);
    let sampled = d.image_type(float, DIM_2D, SAMPLED);
    let sampler = d.m.ty(26, &[]);
    let image = d.resource(sampled, 0, 1);
    let variable = d.resource(sampler, 0, 2);
    let kernel = d.kernel("sample", 3, 0);
    let values = d.sample([sampled, image], [sampler, variable], [0.75, 1.25]);
    d.set_words(out, &values);
    d.m.end();
    d.storage_argument(kernel, 0, 0, 0);
    d.push(Instruction::ArgumentSampledImage(argument(kernel, 1, 0, 1)));
    d.push(Instruction::ArgumentSampler(argument(kernel, 2, 0, 2)));
    let words = d.finish();
    with_kit(|kit| {
        let executable: Executable = kit.executable(&words);
        let colors: Vec<u32> = (0..16_u8).map(|n| f32::from(n).to_bits()).collect();
        let image = kit.image(Format::Rgba32Sfloat, &colors);
        let out = kit.buffer(&[0; 4]);
        let args = [
            whole(&out),
            kit.image_arg(&image, cl::CL_RGBA, cl::CL_FLOAT),
            sampler_arg(),
        ];
        kit.launch(&executable, "sample", &range(1, 1), &args)
            .unwrap();
        assert_eq!(kit.words(&out), colors[8..12]);
    });
}

/// The way in which a kernel gets the image that it reads.
#[derive(Clone, Copy, PartialEq)]
enum Reads {
    /// By a load of its variable.
    Variable,
    /// By a copy of the loaded image.
    Copy,
    /// By a load, in a module that has another type of images with a format.
    BesideAFormat,
}

/// A kernel that reads a texel of a storage image without a format.
fn reading(reads: Reads) -> Vec<u32> {
    let mut d = Draft::new();
    for capability in [55, 56] {
        d.m.capability(capability);
    }
    let uint = d.uint;
    let image = d.image_type(uint, DIM_2D, STORAGE);
    let variable = d.resource(image, 0, 0);
    if reads == Reads::BesideAFormat {
        const R32UI: u32 = 33;
        d.m.ty(25, &[uint, DIM_2D, 0, 0, 0, STORAGE, R32UI]);
    }
    let kernel = d.kernel("k", 1, 0);
    d.push(Instruction::ArgumentStorageImage(argument(kernel, 0, 0, 0)));
    let (int2, uint4) = (d.m.vector(uint, 2), d.m.vector(uint, 4));
    let (zero, image) = (d.zero, (image, d.m.load(image, variable)));
    let corner = d.m.global(44, int2, &[zero, zero]);
    let of = match reads {
        Reads::Copy => d.m.op(83, image.0, &[image.1]),
        _ => image.1,
    };
    let texel = d.m.op(98, uint4, &[of, corner]);
    d.m.op0(99, &[image.1, corner, texel]);
    d.m.end();
    d.finish()
}

#[test]
fn images_are_read_with_a_format_where_a_device_asks_for_it() {
    with_kit(|kit| {
        let mut caps = kit.caps().clone();
        for (reads, is_clear) in [
            (Reads::Variable, true),
            (Reads::Copy, false),
            (Reads::BesideAFormat, false),
        ] {
            let words = reading(reads);
            caps.features.shader_storage_image_write_without_format = true;
            caps.features.shader_storage_image_read_without_format = true;
            assert!(Executable::new(&words, &caps).is_ok());
            caps.features.shader_storage_image_read_without_format = false;
            let refused = Executable::new(&words, &caps).err();
            let text =
                "error: the module needs StorageImageReadWithoutFormat, which the device lacks\n";
            assert_eq!(refused, (!is_clear).then(|| text.to_string()));
        }
    });
}
