// test: emit
// options: -cl-mad-enable
// Contraction across statements, but not where the pragma is off.
kernel void wide(global float *p) {
    float product = p[1] * p[2];
    p[0] = product + p[3];
    {
#pragma OPENCL FP_CONTRACT OFF
        float exact = p[1] * p[2];
        p[4] = exact + p[3];
    }
}
