// test: images
// options: --device=full
kernel void samples(read_only image2d_msaa_t a, read_only image2d_array_msaa_t b, global float4 *out) {
    out[0] = read_imagef(a, (int2)(1, 2), 3) * get_image_num_samples(a);
    out[1] = read_imagef(b, (int4)(1, 2, 3, 0), 1) * get_image_width(b);
}
