// test: run
// The smallest useful program.
// kernel: add
// global: 8
// arg: buffer float 0..7
// arg: buffer float 8*0.5
// arg: buffer float 8*0
// expect 2: float 0.5 1.5 2.5 3.5 4.5 5.5 6.5 7.5
__kernel void add(__global const float *a, __global const float *b, __global float *c) {
    size_t i = get_global_id(0);
    c[i] = a[i] + b[i];
}
