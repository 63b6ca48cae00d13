// test: descriptors
// options: -cluster-pod-kernel-args=0
// The document's sampler map, with the two samplers as literals.
constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
constant sampler_t smooth = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;
kernel void foo(global float *a, float f, global float *b, float c, read_only image2d_t i, write_only image2d_t o, sampler_t s) {
    *a = f + *b + c + read_imagef(i, nearest, (float2)(f)).x + read_imagef(i, smooth, (float2)(f)).x;
    write_imagef(o, (int2)(1, 2), read_imagef(i, s, (float2)(c)));
}
