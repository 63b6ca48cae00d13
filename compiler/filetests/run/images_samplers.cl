// test: run
// needs: images
// Samplers with the nearest filter: every addressing mode, in pixels and normalised, declared and as arguments.
constant sampler_t to_edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
constant sampler_t to_border = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
constant sampler_t shares = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
constant sampler_t bordered_shares = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
constant sampler_t repeated = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_NEAREST;
constant sampler_t mirrored = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_MIRRORED_REPEAT | CLK_FILTER_NEAREST;

// kernel: in_pixels
// global: 8
// arg: image2d 4x2 RGBA FLOAT 0..31
// arg: buffer float 96*0
// expect 0: float 0x0 0x3f800000 0x40000000 0x40400000 0x40800000 0x40a00000 0x40c00000 0x40e00000 0x41000000 0x41100000 0x41200000 0x41300000 0x41400000 0x41500000 0x41600000 0x41700000 0x41800000 0x41880000 0x41900000 0x41980000 0x41a00000 0x41a80000 0x41b00000 0x41b80000 0x41c00000 0x41c80000 0x41d00000 0x41d80000 0x41e00000 0x41e80000 0x41f00000 0x41f80000
// expect 1: float 0x0 0x3f800000 0x40000000 0x40400000 9*0x0 0x3f800000 0x40000000 0x40400000 4*0x0 0x41800000 0x41880000 0x41900000 0x41980000 0x0 0x3f800000 0x40000000 0x40400000 0x0 0x3f800000 0x40000000 0x40400000 0x41a00000 0x41a80000 0x41b00000 0x41b80000 0x40800000 0x40a00000 0x40c00000 0x40e00000 0x41a00000 0x41a80000 0x41b00000 0x41b80000 0x41a00000 0x41a80000 0x41b00000 0x41b80000 0x41000000 0x41100000 0x41200000 0x41300000 0x41000000 0x41100000 0x41200000 0x41300000 0x41c00000 0x41c80000 0x41d00000 0x41d80000 0x41e00000 0x41e80000 0x41f00000 0x41f80000 0x41e00000 0x41e80000 0x41f00000 0x41f80000 0x41e00000 0x41e80000 0x41f00000 0x41f80000 0x41e00000 0x41e80000 0x41f00000 0x41f80000 8*0x0 0x41e00000 0x41e80000 0x41f00000 0x41f80000 8*0x0
kernel void in_pixels(read_only image2d_t image, global float4 *out) {
    int x = get_global_id(0);
    out[x * 3] = read_imagef(image, to_edge, (int2)(x - 2, x - 4));
    out[x * 3 + 1] = read_imagef(image, to_border, (int2)(x - 2, x & 1));
    out[x * 3 + 2] = read_imagef(image, to_border, (float2)(x * 0.75f - 0.5f, 1.25f));
}

// kernel: normalised
// global: 13
// arg: image2d 4x2 R FLOAT 1.5 2.5 3.5 4.5 5.5 6.5 7.5 8.5
// arg: buffer float 52*0
// expect 0: float 0x3fc00000 0x40200000 0x40600000 0x40900000 0x40b00000 0x40d00000 0x40f00000 0x41080000
// expect 1: float 0x3fc00000 2*0x40f00000 0x41000000 0x3fc00000 2*0x41080000 0x41000000 2*0x3fc00000 0x41080000 0x41000000 0x3fc00000 0x40200000 0x40f00000 0x41000000 0x3fc00000 0x40f00000 0x40200000 0x41000000 0x3fc00000 0x41080000 0x3fc00000 0x41000000 3*0x3fc00000 0x41180000 3*0x40200000 0x41280000 3*0x40f00000 0x41780000 3*0x41080000 0x41840000 0x41080000 0x3fc00000 0x41080000 0x41000000 0x41080000 0x40200000 0x40f00000 0x41000000 0x41080000 0x40f00000 0x40200000 0x41000000
kernel void normalised(read_only image2d_t image, global float4 *out) {
    int i = get_global_id(0);
    float2 at = (float2)((i - 6) * 0.25f + 0.125f, (i - 6) * 0.25f + 0.0625f);
    out[i] = (float4)(read_imagef(image, shares, at).x, read_imagef(image, repeated, at).x,
                      read_imagef(image, mirrored, at).x, dot(read_imagef(image, bordered_shares, at), (float4)(1, 2, 4, 8)));
}

// kernel: arguments
// global: 7
// arg: image2d 2x2 RGBA UNSIGNED_INT16 0..15
// arg: sampler CLAMP NEAREST
// arg: sampler MIRRORED_REPEAT NEAREST NORMALIZED
// arg: sampler REPEAT NEAREST NORMALIZED
// arg: sampler CLAMP_TO_EDGE NEAREST
// arg: buffer uint 28*0
// expect 0: ushort 0x0 0x1 0x2 0x3 0x4 0x5 0x6 0x7 0x8 0x9 0xa 0xb 0xc 0xd 0xe 0xf
// expect 5: uint 0x0 0xd 0xe 0x3 0x0 0xd 0xa 0x3 0x0 0x9 0xe 0x3 0x8 0x9 0xa 0x3 0xc 0xd 0xe 0x7 0x0 0xd 0xa 0xf 0x0 0x9 0xe 0xf
kernel void arguments(read_only image2d_t image, sampler_t clamped, sampler_t mirror, sampler_t repeat, sampler_t edge,
                      global uint4 *out) {
    int i = get_global_id(0);
    float2 at = (float2)(i * 0.5f - 1.25f, 0.75f);
    out[i] = (uint4)(read_imageui(image, clamped, (int2)(i - 3, 1)).x, read_imageui(image, mirror, at).y,
                     read_imageui(image, repeat, at).z, read_imageui(image, edge, (float2)(i - 2.5f, i - 3.5f)).w);
}

// A sampler that is given to volumes is a normalised one in Vulkan, whatever it is here.
// kernel: volume
// global: 5
// arg: image3d 2x2x2 RG FLOAT 0..15
// arg: image1d_array 2x2 R FLOAT 100..103
// arg: sampler CLAMP NEAREST
// arg: sampler REPEAT NEAREST NORMALIZED
// arg: buffer float 20*0
// expect 0: float 0x0 0x3f800000 0x40000000 0x40400000 0x40800000 0x40a00000 0x40c00000 0x40e00000 0x41000000 0x41100000 0x41200000 0x41300000 0x41400000 0x41500000 0x41600000 0x41700000
// expect 4: float 0x0 0x41100000 0x0 0x42cc0000 0x40800000 0x41300000 0x42cc0000 0x42ce0000 0x40c00000 0x41100000 0x42ce0000 0x42cc0000 0x0 0x41300000 0x0 0x42ce0000 0x0 0x41100000 0x0 0x42cc0000
kernel void volume(read_only image3d_t image, read_only image1d_array_t layers, sampler_t pixels, sampler_t repeat,
                   global float4 *out) {
    int i = get_global_id(0);
    float4 at = (float4)(i * 0.5f - 0.75f, 0.25f, 0.75f, 0.0f);
    out[i] = (float4)(read_imagef(image, pixels, (int4)(i - 1, 1, 0, 0)).x, read_imagef(image, repeat, at).y,
                      read_imagef(layers, pixels, (int2)(i - 1, 1)).x, read_imagef(layers, repeat, (float2)(at.x, 1.0f)).x);
}

// Orders without alpha have an opaque border.
// kernel: borders
// global: 1
// arg: image2d 1x1 R FLOAT 7
// arg: image2d 1x1 RGBA FLOAT 7 7 7 7
// arg: image2d 1x1 RG SIGNED_INT8 7 7
// arg: image2d 1x1 BGRA UNORM_INT8 7 7 7 7
// arg: buffer float 16*9
// expect 0: float 0x40e00000
// expect 4: float 3*0x0 0x3f800000 7*0x0 0x3f800000 4*0x0
kernel void borders(read_only image2d_t red, read_only image2d_t all, read_only image2d_t integers, read_only image2d_t swapped,
                    global float4 *out) {
    int2 outside = (int2)(1, 0);
    out[0] = read_imagef(red, to_border, outside);
    out[1] = read_imagef(all, to_border, outside);
    out[2] = convert_float4(read_imagei(integers, to_border, outside));
    out[3] = read_imagef(swapped, to_border, outside);
}
