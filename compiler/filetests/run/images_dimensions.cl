// test: run
// needs: images
// Images of every dimensionality: layers and volumes, with samplers and without, and sizes.
constant sampler_t pixels = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
constant sampler_t edges = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

// kernel: lines
// global: 6
// arg: image1d 4 R UNSIGNED_INT32 10 20 30 40
// arg: image1d_array 4x2 RG SIGNED_INT16 -8..7
// arg: image1d 6 R SIGNED_INT32 6*0
// arg: image1d_array 2x6 R UNSIGNED_INT8 12*0
// arg: buffer int 6*0
// expect 0: uint 0xa 0x14 0x1e 0x28
// expect 2: int 0xf668a 0x1002cb 0x1fe211 0x2fc427 0x3f072d 0x3d5946
// expect 3: uchar 0x1 2*0x0 0x2 0x3 2*0x0 0x4 0x5 2*0x0 0x6
// expect 4: int 2*0x4 2*0x2 2*0x6
kernel void lines(read_only image1d_t line, read_only image1d_array_t layers, write_only image1d_t to,
                  write_only image1d_array_t many, global int *sizes) {
    int x = get_global_id(0);
    int sum = read_imageui(line, x & 3).x + read_imageui(line, pixels, x - 1).x * 3 + read_imageui(line, edges, x - 1).x * 100;
    // A layer that is none is the nearest.
    int4 pixel = read_imagei(layers, edges, (int2)(x - 1, x - 2)) * 10 + read_imagei(layers, pixels, (float2)(x - 1, 0.75f));
    write_imagei(to, x, (int4)(sum * 1000 + pixel.x * 8 + pixel.y));
    write_imageui(many, (int2)(x & 1, x), (uint4)(x + 1));
    if (x == 0) {
        sizes[0] = get_image_width(line);
        sizes[1] = get_image_width(layers);
        sizes[2] = get_image_array_size(layers);
        sizes[3] = get_image_width(many);
        sizes[4] = get_image_array_size(many);
        sizes[5] = get_image_width(to);
    }
}

// kernel: planes
// global: 3 2 2
// arg: image2d_array 2x2x3 R UNSIGNED_INT16 100..111
// arg: image2d_array 3x2x2 R SIGNED_INT32 12*0
// arg: buffer int 3*0
// expect 0: ushort 0x64 0x65 0x66 0x67 0x68 0x69 0x6a 0x6b 0x6c 0x6d 0x6e 0x6f
// expect 1: int 0x5f777a4 0x606bdcd 0x60523a4 0x61603f6 0x6254a1f 0x623a826 0x6349048 0x643d671 0x6422ca8 0x6531c9a 0x66262c3 0x660b12a
// expect 2: int 2*0x2 0x3
kernel void planes(read_only image2d_array_t from, write_only image2d_array_t to, global int *sizes) {
    int4 at = (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0);
    uint plain = read_imageui(from, (int4)(at.x & 1, at.yz, 0)).x;
    uint sampled = read_imageui(from, pixels, at + (int4)(0, 0, 1, 0)).x;
    uint floats = read_imageui(from, edges, convert_float4(at) * 0.75f + 0.5f).x;
    write_imagei(to, at, (int4)(plain + sampled * 1000 + floats * 1000000));
    if (!any(at.xyz != 0)) {
        sizes[0] = get_image_width(from);
        sizes[1] = get_image_height(to);
        sizes[2] = get_image_array_size(from);
    }
}

// kernel: volumes
// global: 2 3 2
// arg: image3d 2x3x2 RGBA UNSIGNED_INT8 0..47
// arg: buffer uint 12*0
// arg: buffer int 4*0
// expect 0: uchar 0x0 0x1 0x2 0x3 0x4 0x5 0x6 0x7 0x8 0x9 0xa 0xb 0xc 0xd 0xe 0xf 0x10 0x11 0x12 0x13 0x14 0x15 0x16 0x17 0x18 0x19 0x1a 0x1b 0x1c 0x1d 0x1e 0x1f 0x20 0x21 0x22 0x23 0x24 0x25 0x26 0x27 0x28 0x29 0x2a 0x2b 0x2c 0x2d 0x2e 0x2f
// expect 1: uint 0x20000 0x60104 0xa0008 0xe090c 0x120010 0x161114 0x1a0018 0x1e191c 0x220020 0x262124 0x2a0028 0x2e292c
// expect 2: int 0x2 0x3 0x2 0x0
kernel void volumes(read_only image3d_t from, global uint *to, global int4 *sizes) {
    int4 at = (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0);
    uint4 plain = read_imageui(from, at);
    uint4 sampled = read_imageui(from, pixels, at - (int4)(1, 0, 0, 0));
    uint4 floats = read_imageui(from, edges, convert_float4(at) * 1.5f + 0.25f);
    to[(at.z * 3 + at.y) * 2 + at.x] = plain.x | sampled.y << 8 | floats.z << 16;
    if (!any(at != 0))
        *sizes = get_image_dim(from);
}
