// test: emit
// A product in a sum is contracted within an expression, where the pragma is not off.
kernel void default_on(global float *p, global float4 *v, float s) {
    p[0] = p[1] * p[2] + p[3];
    p[4] = p[1] * p[2] - p[3];
    p[5] = p[3] - p[1] * p[2];
    p[6] = -(p[1] * p[2]) + p[3];
    p[7] += p[1] * p[2];
    p[8] = p[1] * p[2] + p[3] * p[4];
    v[0] = v[1] * s + v[2];
    float product = p[1] * p[2];
    p[9] = product + p[3];
    p[10] = (int)(p[1] * p[2]) + p[3];
}

#pragma OPENCL FP_CONTRACT OFF
kernel void off_at_file_scope(global float *p) {
    p[0] = p[1] * p[2] + p[3];
    {
#pragma STDC FP_CONTRACT ON
        p[4] = p[1] * p[2] + p[3];
        for (int i = 0; i < 2; ++i) {
#pragma OPENCL FP_CONTRACT OFF
            p[5] = p[1] * p[2] + p[3];
        }
        p[6] = p[1] * p[2] + p[3];
    }
    p[7] = p[1] * p[2] + p[3];
}

float still_off(float a, float b, float c) { return a * b + c; }
#pragma OPENCL FP_CONTRACT DEFAULT

kernel void on_again(global float *p) {
    p[0] = still_off(p[0], p[1], p[2]) * p[1] + p[2];
    int i = (int)p[0];
    p[1] = i * i + i;
}
