// test: emit
// options: -cl-fast-relaxed-math
#pragma OPENCL FP_CONTRACT OFF
kernel void relaxed(global float *p) {
    p[0] = p[1] * p[2] + p[3];
    {
#pragma OPENCL FP_CONTRACT ON
        p[4] = p[1] * p[2] + p[3];
        p[5] = p[1] / p[2];
    }
}
