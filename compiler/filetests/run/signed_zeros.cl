// Sums with a constant zero: of two zeros of different signs the sum is positive.
// kernel: zeros
// global: 1
// arg: buffer double 0 -0 7 7 7 7 7
// arg: buffer float 0 -0 7 7 7 7 7
// expect 0: double 0x0 0x8000000000000000 3*0x0 0x8000000000000000 0x4004000000000000
// expect 1: float 0x0 0x80000000 3*0x0 0x80000000 0x40200000
__kernel void zeros(__global double *d, __global float *f) {
    double x = d[0], nx = d[1];
    float y = f[0], ny = f[1];
    d[2] = 0.0 - x; d[3] = nx + 0.0; d[4] = 0.0 + nx; d[5] = nx - 0.0; d[6] = ((double2)(0.0, 2.5) - x).y;
    f[2] = 0.0f - y; f[3] = ny + 0.0f; f[4] = 0.0f + ny; f[5] = ny - 0.0f; f[6] = ((float2)(0.0f, 2.5f) - y).y;
}
