// test: run
// options: -cl-std=CL3.0
// needs: images
// Images of a buffer's memory.

// kernel: rows
// global: 4
// arg: image1d_buffer 8 RG SIGNED_INT32 -8..7
// arg: image1d_buffer 4 RGBA FLOAT 16*0
// arg: image1d_buffer 4 R UNSIGNED_INT8 4*0
// arg: buffer int 2*0
// expect 0: int 0xfffffff8 0xfffffff9 0xfffffffa 0xfffffffb 0xfffffffc 0xfffffffd 0xfffffffe 0xffffffff 0x0 0x1 0x2 0x3 0x4 0x5 0x6 0x7
// expect 1: float 0x40400000 0x40600000 0x0 0x3f000000 0x3f800000 0x3fc00000 0x0 0x3f000000 0xbf800000 0xbf000000 0x0 0x3f000000 0xc0400000 0xc0200000 0x0 0x3f000000
// expect 2: uchar 2*0xff 0x96 0x0
// expect 3: int 0x8 0x4
kernel void rows(read_only image1d_buffer_t from, write_only image1d_buffer_t to, write_only image1d_buffer_t bytes,
                 global int *sizes) {
    int x = get_global_id(0);
    int4 pixel = read_imagei(from, 7 - 2 * x);
    write_imagef(to, x, convert_float4(pixel) * 0.5f);
    write_imageui(bytes, 3 - x, (uint4)(150 * x));
    if (x == 0) {
        sizes[0] = get_image_width(from);
        sizes[1] = get_image_width(to);
    }
}
