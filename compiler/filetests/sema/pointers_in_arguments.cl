// test: sema
// options: -cl-std=CL1.2
struct tensor { __global int *base; __constant float *factors; int width; };
__kernel void scale(__global int *unused, const struct tensor t) { t.base[0] = t.width; }
