// test: run
// Functions that C compilers have beside the library's.
// options: -cl-std=CL1.2
// needs: doubles
// kernel: functions
// global: 1
// arg: buffer float 2.25 -0.5 1 0.75
// arg: buffer float 6*0
// arg: buffer half 1.5 0
// expect 1: float 1.5 0.5 -0.5 1 0.75 1
// expect 2: half 1.5 2.25
#pragma OPENCL EXTENSION cl_khr_fp16 : disable

int isnan(float x) { return __builtin_isnan(x); }

kernel void functions(global float *in, global float *out, global half *h) {
    out[0] = __builtin_sqrtf(in[0]);
    out[1] = __builtin_fabs(in[1]);
    float4 v = (float4)(in[0], in[1], in[2], in[3]);
    float4 m = __builtin_elementwise_fma(v, (float4)(1.0f), (float4)(0.0f));
    out[2] = m.y;
    out[3] = m.z;
    out[4] = m.w;
    out[5] = isnan(in[0]) == 0 && __builtin_load_halff(h) == 1.5f;
    __builtin_store_halff(in[0], h + 1);
}
