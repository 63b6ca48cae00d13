// test: images
// options: --device=coarse
// Reads through samplers are reads of single pixels, by the sampler's mask and the image's channel
// order; a literal's address mode and filter are known.
constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
constant sampler_t linear = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_LINEAR;
constant sampler_t border = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP | CLK_FILTER_LINEAR;
kernel void literals(read_only image2d_t i, read_only image3d_t v, global float4 *out) {
    out[0] = read_imagef(i, nearest, (float2)(1.5f, 2.5f)) + read_imagef(i, nearest, (int2)(1, 2));
    out[1] = read_imagef(i, linear, (float2)(0.5f)) + read_imagef(v, border, (float4)(0.5f));
}
kernel void told(read_only image2d_array_t i, read_only image1d_t l, sampler_t s, sampler_t t, global float4 *out, global int4 *ints) {
    out[0] = read_imagef(i, s, (float4)(0.5f, 0.5f, 1, 0));
    ints[0] = read_imagei(l, t, 0.5f);
}
