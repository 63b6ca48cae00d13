// test: emit
// options: -g -cl-fast-relaxed-math
#pragma OPENCL FP_CONTRACT OFF
kernel void lines(global float *p) {
    float sum = p[0] * p[1];
    p[2] = sum + 1.0f;
}
