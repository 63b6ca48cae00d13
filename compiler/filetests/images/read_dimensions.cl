// test: images
// Every dimensionality through literal samplers: layers and volumes take a normalised twin.
constant sampler_t pixels = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
constant sampler_t smooth = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;
kernel void lines(read_only image1d_t i, read_only image1d_array_t a, global float4 *out, float f) {
    out[0] = read_imagef(i, pixels, (int)f) + read_imagef(i, smooth, f);
    out[1] = read_imagef(a, pixels, (int2)(1, 2)) + read_imagef(a, smooth, (float2)(f, 1.5f));
}
kernel void planes(read_only image2d_t i, read_only image2d_array_t a, global float4 *out, float2 f) {
    out[0] = read_imagef(i, pixels, convert_int2(f)) + read_imagef(i, smooth, f);
    out[1] = read_imagef(a, pixels, (int4)(1, 2, 3, 0)) + read_imagef(a, smooth, (float4)(f, f));
}
kernel void volumes(read_only image3d_t i, global float4 *out, float2 f) {
    out[0] = read_imagef(i, pixels, (int4)(1, 2, 3, 0)) + read_imagef(i, smooth, (float4)(f, f));
}
