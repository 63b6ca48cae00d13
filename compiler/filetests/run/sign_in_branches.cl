// test: run
// The sign of a number joined to another magnitude where a condition asks for its own: Mesa 22.3
// (lavapipe on LLVM 15) made `sign & ~magnitude` of the two complementary masks.
// kernel: join
// global: 4
// arg: buffer float 3 1000 -5 2
// arg: buffer float 4*7
// expect 1: float 22 2999995 -70 7
// kernel: hyperbolic
// global: 8
// arg: buffer float -306789 1000 -5 2 0.5 -0.5 inf -1e30
// arg: buffer float 8*7
// expect 1: float -inf inf -74.20321058 3.626860408 0.5210953055 -0.5210953055 inf -inf ulp 4
__kernel void join(__global const float *x, __global float *r) {
    size_t i = get_global_id(0);
    float v = x[i], a = fabs(v), z;
    if (!(a < INFINITY)) {
        z = v;
    } else if (a < 1) {
        z = v + v * v * 3;
    } else {
        float up = a * a * 3 - 5;
        z = copysign(up, v);
    }
    r[i] = z;
}
__kernel void hyperbolic(__global const float *x, __global float *r) {
    size_t i = get_global_id(0);
    r[i] = sinh(x[i]);
}
