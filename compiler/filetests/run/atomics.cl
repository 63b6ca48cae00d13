// test: run
// 32-bit atomics on global and local memory, every operation.
// kernel: global_atomics
// global: 64
// local: 16
// arg: buffer int 0 0 100 -100 0xffffffff 0 0 0 0 5
// expect 0: int 2016 -64 0 63 0 63 0 64 0 -59
// kernel: local_atomics
// global: 64
// local: 32
// arg: buffer int 4*0
// expect 0: int 496 31 1520 31
__kernel void global_atomics(__global int *v) {
    int g = get_global_id(0);
    atomic_add(&v[0], g);
    atomic_dec(&v[1]);
    atomic_min(&v[2], g);
    atomic_max(&v[3], g);
    atomic_and(&v[4], g);
    atomic_or(&v[5], g);
    atomic_xor(&v[6], g);
    atomic_inc(&v[7]);
    atomic_cmpxchg(&v[8], g + 1, 77);
    atomic_sub(&v[9], 1);
}
__kernel void local_atomics(__global int *out) {
    __local int sum;
    __local uint top;
    if (get_local_id(0) == 0) {
        sum = 0;
        top = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&sum, (int)get_global_id(0));
    atomic_max(&top, (uint)get_local_id(0));
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        out[2 * get_group_id(0)] = sum;
        out[2 * get_group_id(0) + 1] = (int)top;
    }
}
