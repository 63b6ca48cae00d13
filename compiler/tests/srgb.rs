//! Images whose channels may be of sRGB: which arguments of a kernel have a specialization constant for it.

use pumice_compiler::Target;
use pumice_reflection::Need;
use pumice_test_support::build::vulkan_module;
use pumice_test_support::run_target;

/// The ordinals of arguments that have a constant.
fn constants(text: &str, target: &Target) -> Vec<u32> {
    let vulkan = vulkan_module(text, "-cl-std=CL3.0", target).expect("builds");
    let reflection = pumice_reflection::read(&vulkan.words).expect("a reflection");
    let needs = reflection.needs.iter();
    let ordinals = needs.filter_map(|need| match need {
        Need::SrgbWrites { ordinal, .. } => Some(*ordinal),
        _ => None,
    });
    ordinals.collect()
}

#[test]
fn only_images_that_are_written_as_colours_have_a_constant() {
    let text = "\
kernel void k(read_only image2d_t a, write_only image2d_t b, write_only image2d_t c, read_write image2d_t d,
              write_only image1d_buffer_t e, write_only image2d_t f, write_only image1d_array_t g) {
  float4 color = read_imagef(a, (int2)(0, 0)) + read_imagef(d, (int2)(0, 0));
  write_imagef(b, (int2)(1, 2), color);
  write_imageui(c, (int2)(1, 2), as_uint4(color));
  write_imagef(d, (int2)(1, 2), color);
  write_imagef(e, get_image_width(f), color);
  write_imagef(g, (int2)(1, 2), color);
  write_imagef(g, (int2)(2, 2), color);
}";
    let mut target = run_target();
    target
        .extensions
        .retain(|name| name != "cl_khr_srgb_image_writes");
    assert_eq!(constants(text, &target), Vec::<u32>::new());
    target.extensions.push("cl_khr_srgb_image_writes".into());
    assert_eq!(constants(text, &target), [1, 6]);
}
