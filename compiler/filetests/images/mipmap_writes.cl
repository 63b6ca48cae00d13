// test: images
// options: --device=full
// Levels of storage images: each is an image of its own, and the driver tells how many there are.
kernel void fixed(write_only image2d_t a, write_only image3d_t b, sampler_t s, read_only image2d_t c) {
    write_imagef(a, (int2)(0), 2, (float4)(get_image_num_mip_levels(a)));
    write_imageui(b, (int4)(0), 1, (uint4)(7));
    write_imageui(b, (int4)(0), 0, (uint4)(7));
    write_imagef(a, (int2)(0), 0, read_imagef(c, s, (float2)(0), 1.5f));
}
kernel void any(write_only image1d_array_t a, int level) {
    write_imagef(a, (int2)(0), level, (float4)(1));
}
