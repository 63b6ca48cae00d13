// test: images
// Reads without a sampler.
kernel void plain(read_only image1d_t a, read_only image1d_array_t b, read_only image2d_t c,
                  read_only image2d_array_t d, read_only image3d_t e, global float4 *out) {
    out[0] = read_imagef(a, 1) + read_imagef(b, (int2)(1, 2)) + read_imagef(c, (int2)(1, 2));
    out[1] = read_imagef(d, (int4)(1, 2, 3, 0)) + read_imagef(e, (int4)(1, 2, 3, 0));
}
