// test: run
// 64-bit atomics on global and local memory.
// needs: int64-atomics
// kernel: global_atomics
// global: 64
// local: 16
// arg: buffer long 0 0 100 -100 -1 0 0 0 0 5 9
// expect 0: long 8658654068736 -64 0 270582939648 0 270582939648 0 64 0 -59 9
// kernel: local_atomics
// global: 64
// local: 32
// arg: buffer long 4*0
// expect 0: long 2130303778816 133143986176 6528350289920 133143986176
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
__kernel void global_atomics(__global long *v) {
    long g = (long)get_global_id(0) << 32;
    atom_add(&v[0], g);
    atom_dec(&v[1]);
    atom_min(&v[2], g);
    atom_max(&v[3], g);
    atom_and(&v[4], g);
    atom_or(&v[5], g);
    atom_xor(&v[6], g);
    atom_inc(&v[7]);
    atom_cmpxchg(&v[8], g + 1, 77L);
    atom_sub(&v[9], 1L);
    if (g == 0) atom_xchg(&v[10], 9L);
}
__kernel void local_atomics(__global long *out) {
    __local long sum;
    __local ulong top;
    if (get_local_id(0) == 0) {
        sum = 0;
        top = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    atom_add(&sum, (long)get_global_id(0) << 32);
    atom_max(&top, (ulong)get_local_id(0) << 32);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        out[2 * get_group_id(0)] = sum;
        out[2 * get_group_id(0) + 1] = (long)top;
    }
}
