// test: images
// One image read as floats, signed and unsigned integers: a variable each, one binding.
constant sampler_t s = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_NEAREST;
kernel void classes(read_only image2d_t i, global float4 *f, global int4 *n, global uint4 *u, float2 at) {
    *f = read_imagef(i, s, at);
    *n = read_imagei(i, s, at);
    *u = read_imageui(i, s, at);
    f->x += get_image_width(i);
}
