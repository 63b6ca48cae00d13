// test: images
// Depth images hold one channel.
constant sampler_t s = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
#pragma OPENCL EXTENSION cl_khr_depth_images : enable
// options: --device=full
kernel void depth(read_only image2d_depth_t a, read_only image2d_array_depth_t b,
                  write_only image2d_depth_t c, global float *out) {
    float d = read_imagef(a, s, (float2)(0.5f)) + read_imagef(b, s, (float4)(0.5f));
    write_imagef(c, (int2)(1, 2), d + read_imagef(a, (int2)(1, 2)));
    *out = get_image_height(b);
}
