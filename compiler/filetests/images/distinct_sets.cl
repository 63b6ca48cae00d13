// test: images
// options: -distinct-kernel-descriptor-sets -module-constants-in-storage-buffer
// form: descriptors
// Literal samplers, then a set for each kernel, then the module's constants.
constant sampler_t s = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_NONE | CLK_FILTER_LINEAR;
constant float weights[] = {1, 2, 3, 4};
kernel void first(read_only image2d_t a, global float4 *out, float f) {
    out[0] = read_imagef(a, s, (float2)(f)) * weights[get_global_id(0) & 3];
}
kernel void second(global float *p, write_only image2d_t b, sampler_t unused) {
    write_imagef(b, (int2)(1, 2), (float4)(p[0]));
}
