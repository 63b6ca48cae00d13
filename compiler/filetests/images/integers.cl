// test: images
// Integer coordinates through a sampler argument where Vulkan has normalised ones only: the mask is
// asked for, so that the sampler is a normalised one.
kernel void box(read_only image3d_t i, sampler_t s, global float4 *out) {
    out[0] = read_imagef(i, s, (int4)(1, 2, 3, 0));
}
kernel void rows(read_only image1d_array_t i, sampler_t s, global uint4 *out) {
    out[0] = read_imageui(i, s, (int2)(1, 2));
}
