// test: run
// Math functions at points whose results are known.
// kernel: math
// global: 1
// arg: buffer float 0 1 2 0.5 -1.5 100
// arg: buffer float 24*0
// expect 1: float 0 0.84147098 1 0.54030231 1 2.7182817 0 0.69314718 1.4142135 0.70710677 4 -2 -1 -2 1.5 0.25 10 -0.5 3 2 0.46364760 1.5 6.643856 0.1 ulp 16
__kernel void math(__global const float *x, __global float *o) {
    o[0] = sin(x[0]);
    o[1] = sin(x[1]);
    o[2] = cos(x[0]);
    o[3] = cos(x[1]);
    o[4] = exp(x[0]);
    o[5] = exp(x[1]);
    o[6] = log(x[1]);
    o[7] = log(x[2]);
    o[8] = sqrt(x[2]);
    o[9] = rsqrt(x[2]);
    o[10] = pow(x[2], x[2]);
    o[11] = floor(x[4]);
    o[12] = ceil(x[4]);
    o[13] = rint(x[4]);
    o[14] = fabs(x[4]);
    o[15] = pow(x[3], x[2]);
    o[16] = sqrt(x[5]);
    o[17] = fmod(x[4], x[1]);
    o[18] = fma(x[1], x[2], x[1]);
    o[19] = log10(x[5]);
    o[20] = atan(x[3]);
    o[21] = mix(x[1], x[2], x[3]);
    o[22] = log2(x[5]);
    o[23] = native_recip(10.0f * x[1]);
}
