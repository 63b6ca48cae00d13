// test: run
// options: -cl-std=CL3.0
// Constants of half with OpenCL C's suffix and with clang's.

#pragma OPENCL EXTENSION cl_khr_fp16 : enable

// kernel: halves
// global: 1
// arg: buffer half 0 0 0 0
// arg: buffer int 0
// expect 0: half 0.25 0.25 0.5 3
// expect 1: int 2
kernel void halves(global half *p, global int *size)
{
    half x = 4.0h;
    p[0] = 1.0f16 / x;
    p[1] = 1.0F16 / x;
    p[2] = 0x1p-1f16;
    p[3] = 3.F16;
    *size = sizeof(1.0f16);
}
