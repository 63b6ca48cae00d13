// test: images
// Pixels as halves.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
constant sampler_t s = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_MIRRORED_REPEAT | CLK_FILTER_LINEAR;
kernel void halves(read_only image2d_t a, write_only image2d_t b, read_only image1d_buffer_t c) {
    half4 h = read_imageh(a, s, (float2)(0.25f, 0.75f)) + read_imageh(c, 3);
    write_imageh(b, (int2)(1, 2), h);
}
