// test: images
// options: --device=full
// Levels by number and by gradients.
constant sampler_t s = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_LINEAR;
kernel void levels(read_only image2d_t a, read_only image3d_t b, read_only image2d_array_t c, global float4 *out, float2 d) {
    out[0] = read_imagef(a, s, d, 1.5f) + read_imagef(a, s, d, d, d.yx);
    out[1] = read_imagef(b, s, (float4)(d, d), (float4)(d, d), (float4)(d, d));
    out[2] = read_imagef(c, s, (float4)(d, d), d, d) * get_image_num_mip_levels(c);
}
