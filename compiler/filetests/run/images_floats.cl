// test: run
// options: -cl-std=CL3.0
// needs: images
// Floats, and the formats that kernels see as floats.

// kernel: floats
// global: 3
// arg: image2d 3x1 RGBA FLOAT 1 -2.5 0x7f800000 1e-30 0 0x80000000 1e30 -1e-30 3 4 5 6
// arg: image2d 3x1 RGBA FLOAT 12*0
// arg: image2d 3x1 R FLOAT 3*0
// expect 0: float 0x3f800000 0xc0200000 0x7f800000 0xda24260 0x0 0x80000000 0x7149f2ca 0x8da24260 0x40400000 0x40800000 0x40a00000 0x40c00000
// expect 1: float 0x40c00000 0x40400000 0x40800000 0x40a00000 0x8da24260 0x0 0x80000000 0x7149f2ca 0xda24260 0x3f800000 0xc0200000 0x7f800000
// expect 2: float 0xc0a00000 0x80000000 0x41000000
kernel void floats(read_only image2d_t from, write_only image2d_t to, write_only image2d_t single) {
    int2 at = (int2)(get_global_id(0), 0);
    float4 pixel = read_imagef(from, at);
    write_imagef(to, (int2)(2, 0) - at, pixel.wxyz);
    write_imagef(single, at, pixel.yyyy * 2.0f);
}

// Normalised numbers are compared as the integers that they stand for: the last bits of shares may differ.
// kernel: normalised
// global: 4
// arg: image2d 4x1 RGBA UNORM_INT8 0 1 127 128 129 200 254 255 3 5 7 9 100 50 25 12
// arg: image2d 4x1 R UNORM_INT16 0 1 40000 65535
// arg: image2d 4x1 RG SNORM_INT8 -128 -127 -1 0 1 64 126 127
// arg: image2d 4x1 RG SNORM_INT16 -32768 -32767 -1 0 1 12345 32766 32767
// arg: buffer int 64*0
// expect 0: uchar 0x0 0x1 0x7f 0x80 0x81 0xc8 0xfe 0xff 0x3 0x5 0x7 0x9 0x64 0x32 0x19 0xc
// expect 4: int 0x0 0x1 0x7f 0x80 3*0x0 0xffff 2*0xffffff81 0x0 0x7f 2*0xffff8001 0x0 0x7fff 0x81 0xc8 0xfe 0xff 0x1 2*0x0 0xffff 0xffffffff 2*0x0 0x7f 0xffffffff 2*0x0 0x7fff 0x3 0x5 0x7 0x9 0x9c40 2*0x0 0xffff 0x1 0x40 0x0 0x7f 0x1 0x3039 0x0 0x7fff 0x64 0x32 0x19 0xc 0xffff 2*0x0 0xffff 0x7e 0x7f 0x0 0x7f 0x7ffe 0x7fff 0x0 0x7fff
kernel void normalised(read_only image2d_t bytes, read_only image2d_t shorts, read_only image2d_t signed_bytes,
                       read_only image2d_t signed_shorts, global int4 *out) {
    int x = get_global_id(0);
    out[x * 4] = convert_int4_rte(read_imagef(bytes, (int2)(x, 0)) * 255.0f);
    out[x * 4 + 1] = convert_int4_rte(read_imagef(shorts, (int2)(x, 0)) * 65535.0f);
    out[x * 4 + 2] = convert_int4_rte(read_imagef(signed_bytes, (int2)(x, 0)) * 127.0f);
    out[x * 4 + 3] = convert_int4_rte(read_imagef(signed_shorts, (int2)(x, 0)) * 32767.0f);
}

// A write may be off by 0.6 of a step (the environment specification, "Conversion Rules for Normalized Integer Channel
// Data Types"): each number that is in range is at most 0.3 of a step away from one that the format has, so that no
// other one will do.
// kernel: written
// global: 4
// arg: buffer float -0.25 0 0.25 0.50236 0.75 1 1.5 -2 0.10089 0.30089 0.59959 0.89911 -0.10017 -0.4 -0.7 -1
// arg: image2d 4x1 RGBA UNORM_INT8 16*7
// arg: image2d 4x1 BGRA UNORM_INT8 16*7
// arg: image2d 4x1 RGBA UNORM_INT16 16*7
// arg: image2d 4x1 RGBA SNORM_INT8 16*7
// arg: image2d 4x1 RGBA HALF_FLOAT 16*7
// expect 0: float -0.25 0 0.25 0.50236 0.75 1 1.5 -2 0.10089 0.30089 0.59959 0.89911 -0.10017 -0.4 -0.7 -1
// expect 1: uchar 2*0x0 0x40 0x80 0xbf 2*0xff 0x0 0x1a 0x4d 0x99 0xe5 4*0x0
// expect 2: uchar 0x40 2*0x0 0x80 2*0xff 0xbf 0x0 0x99 0x4d 0x1a 0xe5 4*0x0
// expect 3: ushort 0x0 0x0 0x4000 0x809a 0xbfff 2*0xffff 0x0 0x19d4 0x4d07 0x997e 0xe62b 4*0x0
// expect 4: char 0xe0 0x0 0x20 0x40 0x5f 2*0x7f 0x81 0xd 0x26 0x4c 0x72 0xf3 0xcd 0xa7 0x81
// expect 5: half 0xb800 0x0 0x3800 0x3c00 0x3e00 0x4000 0x4200 0xc400 0x3400 0x3800 0x3d00 0x3f00 0xb400 0xba00 0xbe00 0xc000
kernel void written(global const float4 *from, write_only image2d_t bytes, write_only image2d_t swapped, write_only image2d_t shorts,
                    write_only image2d_t signed_bytes, write_only image2d_t halves) {
    int2 at = (int2)(get_global_id(0), 0);
    float4 pixel = from[at.x];
    write_imagef(bytes, at, pixel);
    write_imagef(swapped, at, pixel);
    write_imagef(shorts, at, pixel);
    write_imagef(signed_bytes, at, pixel);
    write_imagef(halves, at, rint(pixel * 8.0f) * 0.25f);
}

// kernel: half_floats
// global: 2
// arg: image2d 2x1 RGBA HALF_FLOAT 1 -2 0.5 65504 0x0001 0x8000 0x7c00 -0.25
// arg: buffer float 8*0
// expect 0: half 0x3c00 0xc000 0x3800 0x7bff 0x1 0x8000 0x7c00 0xb400
// expect 1: float 0x3f800000 0xc0000000 0x3f000000 0x477fe000 0x33800000 0x80000000 0x7f800000 0xbe800000
kernel void half_floats(read_only image2d_t from, global float4 *out) {
    out[get_global_id(0)] = read_imagef(from, (int2)(get_global_id(0), 0));
}
