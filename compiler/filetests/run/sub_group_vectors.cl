// test: run
// Broadcasts of vectors within a sub-group of eight or more.
// needs: sub-groups-of-8
// options: -cl-std=CL3.0
// kernel: k
// global: 16
// local: 8
// arg: buffer int 32*-1
// expect 0: int 1 5 1 5 1 5 1 5 1 5 1 5 1 5 1 5 9 13 9 13 9 13 9 13 9 13 9 13 9 13 9 13
__kernel void k(__global int2 *out) {
    int x = get_global_id(0);
    out[x] = sub_group_non_uniform_broadcast((int2)(x, x + 4), 1);
}
