// test: images
// Sampler arguments: the mask is asked for where one reads layers or volumes, and then for all
// that the sampler reads.
kernel void flat(read_only image2d_t i, read_only image1d_t l, sampler_t s, global float4 *out) {
    out[0] = read_imagef(i, s, (float2)(1.5f, 2.5f)) + read_imagef(l, s, 3);
}
kernel void volume(read_only image2d_t i, read_only image3d_t v, sampler_t s, sampler_t t, global float4 *out) {
    out[0] = read_imagef(v, s, (float4)(1.5f, 2.5f, 3.5f, 0)) + read_imagef(i, s, (int2)(1, 2));
    out[1] = read_imagef(i, t, (float2)(0.5f));
}
kernel void layers(read_only image1d_array_t a, read_only image2d_array_t b, sampler_t s, global uint4 *out) {
    out[0] = read_imageui(a, s, (int2)(1, 2)) + read_imageui(b, s, (float4)(1, 2, 1.5f, 0));
}
