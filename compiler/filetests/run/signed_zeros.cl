// test: run
// Sums with a constant zero: of two zeros of different signs the sum is positive.
// needs: doubles
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

// Products with a constant zero.
// kernel: products
// global: 1
// arg: buffer double -0 -1 0x7ff0000000000000 0x7ff8000000000000 7 7 7 7 7 7
// arg: buffer float -0 -1 0x7f800000 0x7fc00000 7 7 7 7 7 7
// expect 0: double ? ? ? ? 0 0 1 1 0 -2
// expect 1: float ? ? ? ? -0 -0 1 1 0 -2
__kernel void products(__global double *d, __global float *f) {
    double2 x = (double2)(-0.0, 2.0) * d[1];
    float2 y = (float2)(-0.0f, 2.0f) * f[1];
    for (int i = 0; i < 4; i++) {
        double p = d[i] * -0.0;
        float q = 0.0f * f[i];
        d[4 + i] = isnan(p) ? 1.0 : p;
        f[4 + i] = isnan(q) ? 1.0f : q;
    }
    d[8] = x.x; d[9] = x.y;
    f[8] = y.x; f[9] = y.y;
}

// Zeros that a driver may find by itself: local ids of a work-group of one, stored constants.
// kernel: found_by_the_driver
// global: 1
// local: 1
// arg: buffer float 0 -0 3 7 7 7 7 7 7 7 7 7
// arg: local 16
// expect 0: float ? ? ? 0 0 0 0 0 0 0 -0 -0
__kernel void found_by_the_driver(__global float *f, __local uint *l) {
    uint lid = get_local_id(0);
    float x = f[0], nx = f[1];
    f[3] = (float)lid - x;
    l[lid] = 0;
    if (f[2] > 2.0f) l[lid + 1] = 1;
    f[4] = (float)l[lid] - x;
    f[5] = (float)(uchar)lid + nx;
    f[6] = (float)lid * 3.0f + nx;
    f[7] = fma(nx, f[2], (float)lid);
    f[8] = fma((float)lid, f[2], nx);
    f[9] = ((float2)((float)lid, 2.0f) + nx).x;
    f[10] = (float)((int)lid - 3) * (float)(uchar)0;
    f[11] = (float)((int)lid - 3) * (float)lid;
}

// kernel: fused_doubles
// global: 1
// local: 1
// arg: buffer double 0 -0 3 7 7 7 7 7
// expect 0: double ? ? ? 0 0 -0 0 3
__kernel void fused_doubles(__global double *d) {
    uint lid = get_local_id(0);
    double x = d[0], nx = d[1], three = d[2];
    d[3] = fma(nx, three, (double)lid);
    d[4] = fma((double)lid, three, nx);
    d[5] = fma((double)lid, -three, nx);
    d[6] = fma(three, -three, 9.0 + lid);
    d[7] = fma((double)lid, x, three);
}

// Absolute values of zeros of either sign.
// kernel: magnitudes
// global: 2
// arg: buffer float -1 1 1 1 7 7
// expect 0: float -1 1 1 1 0 0
__kernel void magnitudes(__global float *f) {
    int i = get_global_id(0);
    f[4 + i] = copysign(copysign(0.0f, f[i]), f[2 + i]);
}

// Zeros that lie in private and local memory, where a driver may find some of them.
// kernel: stored_zeros
// global: 1
// local: 1
// arg: buffer float 0 -0 3 7 7 7 7 7 7 7
// arg: local 16
// expect 0: float ? ? ? 0 0 0 0 0 -0 0
__kernel void stored_zeros(__global float *f, __local float *l) {
    float p[4];
    int one = (int)f[2] - 2;
    for (int i = 0; i < 4; i++) p[i] = 0;
    float x = f[0], nx = f[1];
    f[3] = p[one] + nx;
    l[0] = l[1] = 0;
    f[4] = l[0] - x;
    f[5] = 1.5f * l[0] - trunc(l[one]);
    f[6] = nx - -p[1];
    p[1] = -0.0f;
    f[7] = nx - p[1];
    f[8] = fma(nx, 3.0f, p[1]);
    f[9] = fma(nx, 3.0f, p[one + 1]);
}

// A zero that a loop hands from round to round, and one that appears in its second round.
// kernel: zeros_of_rounds
// global: 1
// arg: buffer float -0 7 7 7 7 7 7
// expect 0: float -0 0 0 0 -0 0 0
__kernel void zeros_of_rounds(__global float *f) {
    float nx = f[0], a = 0, b = -0.0f;
    for (int i = 0; i < 3; i++) {
        f[1 + i] = nx + a;
        a *= 2;
    }
    for (int i = 0; i < 3; i++) {
        f[4 + i] = nx + b;
        if (i == 0) b = 0;
    }
}

// A zero of a branch whose condition only the driver drops, without optimisation.
// kernel: chosen_zeros
// global: 1
// local: 1
// arg: buffer float -3 7
// expect 0: float ? -0
__kernel void chosen_zeros(__global float *f) {
    float zero[1] = {0.0f};
    float chosen = 32 > 5 ? zero[get_local_id(0)] : f[1];
    f[1] = chosen * f[0];
}

// A zero beside lanes that are none, in a loop that a driver unrolls.
// kernel: a_lane_of_zeros
// global: 1
// arg: buffer float 0 -2 7 7
// expect 0: float ? ? 0 -2
__kernel void a_lane_of_zeros(__global float *f) {
    float2 v = 0;
    for (uint i = 0, n = 1; i < n; i++) v = (float2)((float)i, f[1]) - (float2)(f[0]);
    f[2] = v.x; f[3] = v.y;
}
