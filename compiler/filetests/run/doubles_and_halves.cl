// test: run
// double arithmetic; half in storage and in arithmetic.
// needs: doubles
// kernel: doubles
// global: 2
// arg: buffer double 1 3
// arg: buffer double 2*0
// expect 1: double 0.3333333333333333 1.3333333333333333
// kernel: halves
// global: 4
// arg: buffer half 0x3c00 0x4000 0x4200 0x7bff
// arg: buffer float 4*0
// arg: buffer half 4*0
// expect 1: float 1 2 3 65504
// expect 2: half 0x4000 0x4200 0x4400 0x7c00
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
__kernel void doubles(__global double *in, __global double *out) {
    size_t i = get_global_id(0);
    out[i] = 1.0 / 3.0 + (in[i] - 1.0) * 0.5;
}
__kernel void halves(__global const half *in, __global float *out, __global half *next) {
    size_t i = get_global_id(0);
    float f = vload_half(i, in);
    out[i] = f;
    vstore_half(i < 3 ? f + 1.0f : f * 2.0f, i, next);
}
