// test: images
// Writes to every dimensionality, of every class.
kernel void all(write_only image1d_t a, write_only image1d_array_t b, write_only image2d_t c,
                write_only image2d_array_t d, write_only image3d_t e, float4 f, int4 n, uint4 u) {
    write_imagef(a, 1, f);
    write_imagei(b, (int2)(1, 2), n);
    write_imageui(c, (int2)(1, 2), u);
    write_imagef(d, (int4)(1, 2, 3, 0), f);
    write_imagei(e, (int4)(1, 2, 3, 0), n);
}
