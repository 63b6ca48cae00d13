// test: run
// The sign beside the logarithm of gamma, for half: 0 for zeros and negative whole numbers, where gamma has none.
// options: -cl-std=CL3.0
// kernel: signs
// global: 16
// arg: buffer half 0x0000 0x8000 0x3c00 0x4000 0xbc00 0xc000 0xb800 0xbe00 0xc300 0x7c00 0xfc00 0x7e00 0xc800 0x4400 0xb400 0x4200
// arg: buffer half 16*0
// arg: buffer int 16*9
// expect 1: half 0x7c00 0x7c00 0x0000 0x0000 0x7c00 0x7c00 0x3d10 0x3ae1 0xbd3c 0x7c00 0x7c00 0x7e00 0x7c00 0x3f2b 0x3e5c 0x398c ulp 2
// expect 2: int 0 0 1 1 0 0 -1 1 1 1 0 0 0 1 -1 1
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void signs(global const half *x, global half *result, global int *sign)
{
    size_t i = get_global_id(0);
    int s = 5;
    result[i] = lgamma_r(x[i], &s);
    sign[i] = s;
}
