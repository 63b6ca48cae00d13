// test: run
// With contraction off a product is rounded before the sum: nothing is left of a*b - round(a*b).
// With it on, either the same or the product's whole error.
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
    out[i] = as_uint(fabs(a[i] * b[i] - product));
}

// kernel: on
// global: 4
// arg: buffer int 4*0
// arg: buffer float 1.1 3.3333333 -7.7 1000.001
// arg: buffer float 1.3 0.7 2.2 0.333
// expect 0: int 4*1
__kernel void on(__global int *out, __global const float *a, __global const float *b)
{
#pragma OPENCL FP_CONTRACT ON
    int i = get_global_id(0);
    float product = a[i] * b[i], rest = fma(a[i], b[i], -product);
    float left = a[i] * b[i] - product;
    out[i] = left == 0.0f || left == rest;
}
