// test: run
// options: -cl-std=CL3.0
// needs: images
// Pixels as halves.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
constant sampler_t mirrored = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_MIRRORED_REPEAT | CLK_FILTER_NEAREST;

// kernel: halves
// global: 4
// arg: image2d 4x1 RGBA HALF_FLOAT 1 2 3 4 -0.5 0.25 100 2000 5 6 7 8 -1 -2 -3 -4
// arg: image2d 4x1 RG HALF_FLOAT 8*0
// arg: image2d 4x1 R HALF_FLOAT 4*0
// arg: buffer half 16*0
// expect 0: half 0x3c00 0x4000 0x4200 0x4400 0xb800 0x3400 0x5640 0x67d0 0x4500 0x4600 0x4700 0x4800 0xbc00 0xc000 0xc200 0xc400
// expect 1: half 0xc000 0xc400 0x4900 0x4a00 0xbc00 0x3800 0x4000 0x4400
// expect 2: half 0x4100 0x5638 0x4680 0xc300
// expect 3: half 0xbc00 0xc000 0xc200 0xc400 0x4500 0x4600 0x4700 0x4800 0xb800 0x3400 0x5640 0x67d0 0x3c00 0x4000 0x4200 0x4400
kernel void halves(read_only image2d_t from, write_only image2d_t to, write_only image2d_t single, global half4 *out) {
    int x = get_global_id(0);
    half4 pixel = read_imageh(from, (int2)(x, 0));
    write_imageh(to, (int2)(3 - x, 0), pixel * 2.0h);
    write_imageh(single, (int2)(x, 0), pixel.z - 0.5h);
    out[x] = read_imageh(from, mirrored, (float2)(x * 0.25f - 0.875f, 0.5f));
}
