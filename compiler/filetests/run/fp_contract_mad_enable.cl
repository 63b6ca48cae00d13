// test: run
// -cl-mad-enable allows contraction across statements, the pragma still forbids it.
// options: -cl-mad-enable
// kernel: wide
// global: 4
// arg: buffer int 4*0
// arg: buffer float 1.1 3.3333333 -7.7 1000.001
// arg: buffer float 1.3 0.7 2.2 0.333
// expect 0: int 4*1
__kernel void wide(__global int *out, __global const float *a, __global const float *b)
{
    int i = get_global_id(0);
    float minus;
    {
#pragma OPENCL FP_CONTRACT OFF
        minus = -(a[i] * b[i]);
    }
    float rest = fma(a[i], b[i], minus);
    float product = a[i] * b[i];
    float left = product + minus;
    out[i] = left == 0.0f || left == rest;
}

// kernel: off
// global: 4
// arg: buffer uint 4*1
// arg: buffer float 1.1 3.3333333 -7.7 1000.001
// arg: buffer float 1.3 0.7 2.2 0.333
// expect 0: uint 4*0
__kernel void off(__global uint *out, __global const float *a, __global const float *b)
{
#pragma OPENCL FP_CONTRACT OFF
    int i = get_global_id(0);
    float product = a[i] * b[i];
    float left = product - a[i] * b[i];
    out[i] = as_uint(fabs(left));
}
