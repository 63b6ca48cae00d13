// test: run
// Work-groups that are rows of whole sub-groups: coarse copies may have their lanes as neighbours.
// kernel: next
// global: 128
// local: 64
// arg: buffer int 0..131
// arg: buffer int 131*-1
// arg: int 0
// expect 1: int -1 0 3 6 9 12 15 18
// kernel: sums
// global: 64 2
// local: 64 1
// arg: buffer int 0..200
// arg: buffer int 200*0
// arg: int 100
// arg: int 40
// expect 1: int 1 3 5 7
// kernel: halves
// global: 64
// local: 64
// arg: buffer long 64*5
// arg: buffer long 64*0
// expect 1: long 64*10
// kernel: fours
// global: 128
// local: 64
// arg: buffer int 0..512
// arg: buffer int 512*0
// expect 1: int 3 2 1 0 7 6 5 4 11 10
__kernel void next(__global const int *in, __global int *out, int first) {
    int i = get_global_id(0);
    out[first + i + 1] = 3 * in[i];
}
__kernel void sums(__global const int *in, __global int *out, int pitch, int width) {
    int x = get_global_id(0), y = get_global_id(1);
    if (x < width)
        out[y * pitch + x] = in[y * pitch + x] + in[y * pitch + x + 1];
}
__kernel void halves(__global const long *in, __global long *out) {
    size_t i = get_global_id(0);
    long sum = 0;
    for (int k = 0; k < 2; k++)
        sum += in[i];
    out[i] = sum;
}
__kernel void fours(__global const int4 *in, __global int4 *out) {
    int i = get_global_id(0);
    out[i] = in[i].wzyx;
}
