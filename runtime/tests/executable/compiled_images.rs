//! Every reflection instruction of images and samplers, in modules that our compiler wrote: one form
//! of interface or the other, dispatched, with checked results.

use opencl_sys as cl;
use std::collections::BTreeSet;

use pumice_compiler::abi::{Abi, PodPlace};
use pumice_vulkan_layer::{Format, Image, ImageDesc, ImageKind};

use crate::compiled::{Cases, NOT_HERE, descriptors};
use crate::images::sampler_arg;
use crate::kit::{Kit, pod, range, whole, with_kit};

const LOOK: &str = "
    constant sampler_t outside = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
    kernel void look(global uint *out, read_only image2d_t plane, sampler_t s,
                     write_only image2d_t to, read_only image1d_buffer_t from,
                     write_only image1d_buffer_t into, read_only image3d_t box, int n)
    {
        vstore4(as_uint4(read_imagef(plane, s, (float2)(1.5f, 0.5f))), 0, out);
        vstore4(as_uint4(read_imagef(plane, outside, (int2)(-1, 0))), 1, out);
        vstore4(as_uint4(read_imagef(box, s, (float4)(0.5f, 1.5f, 0.5f, 0))), 2, out);
        out[12] = get_image_channel_order(plane);
        out[13] = get_image_channel_data_type(plane);
        out[14] = get_image_channel_data_type(to);
        out[15] = read_imageui(from, n).x;
        write_imageui(into, n, (uint4)(n + 7));
        write_imageui(to, (int2)(1, 1), (uint4)(5, 6, 7, 8));
    }";

/// The image as a box of one layer.
fn boxed(kit: &Kit, plane: &Image, colors: &[u32]) -> Image {
    let desc = ImageDesc {
        kind: ImageKind::D3,
        ..*plane.desc()
    };
    kit.image_like(&desc, colors)
}

#[test]
fn every_image_instruction_of_our_compiler_is_dispatched() {
    let descriptor_kinds = [
        "ArgumentSampledImage",
        "ArgumentStorageImage",
        "ArgumentSampler",
        "LiteralSampler",
        "ArgumentStorageTexelBuffer",
        "ArgumentUniformTexelBuffer",
        "NormalizedSamplerMaskPushConstant",
    ];
    let pushed = [
        "ImageArgumentInfoChannelOrderPushConstant",
        "ImageArgumentInfoChannelDataTypePushConstant",
    ];
    let in_block = [
        "ImageArgumentInfoChannelOrderUniform",
        "ImageArgumentInfoChannelDataTypeUniform",
    ];
    let forms = [
        (Abi::Addresses, pushed),
        (descriptors(|o| o.pods = PodPlace::PushConstant), pushed),
        (descriptors(|o| o.pods = PodPlace::Uniform), in_block),
    ];
    with_kit(|kit| {
        let mut cases = Cases {
            kit,
            seen: BTreeSet::new(),
        };
        let colors: Vec<u32> = (0..16_u8).map(|n| f32::from(n).to_bits()).collect();
        for (abi, told) in forms {
            let name = format!("{abi:?}");
            let executable = cases.build(LOOK, abi, &[&descriptor_kinds[..], &told].concat());
            let plane = kit.image(Format::Rgba32Sfloat, &colors);
            let stored = kit.image(Format::Rgba32Uint, &[1; 16]);
            let (from, into) = (kit.buffer(&[10, 11, 12, 13]), kit.buffer(&[0; 4]));
            let out = kit.buffer(&[77; 17]);
            let args = [
                whole(&out),
                kit.image_arg(&plane, cl::CL_RGBA, cl::CL_FLOAT),
                sampler_arg(),
                kit.image_arg(&stored, cl::CL_RGBA, cl::CL_UNSIGNED_INT32),
                kit.texel_arg(&from),
                kit.texel_arg(&into),
                kit.image_arg(&boxed(kit, &plane, &colors), cl::CL_RGBA, cl::CL_FLOAT),
                pod(&[2]),
            ];
            cases.launch(&executable, &range(1, 1), &args);
            let mut expected = colors[4..8].to_vec();
            expected.extend([0; 4]);
            expected.extend(&colors[8..12]);
            expected.extend([cl::CL_RGBA, cl::CL_FLOAT, cl::CL_UNSIGNED_INT32, 12, 77]);
            assert_eq!(kit.words(&out), expected, "{name}");
            assert_eq!(kit.words(&into), [0, 0, 9, 0], "{name}");
            assert_eq!(kit.texels(&stored)[12..], [5, 6, 7, 8], "{name}");
        }
        for name in NOT_HERE
            .iter()
            .filter(|name| **name != "WorkgroupVariableSize")
        {
            assert!(cases.seen.contains(name), "{name}");
        }
    });
}
