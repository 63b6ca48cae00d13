// test: run
// 32-bit and 64-bit atomics on the same local memory.
// needs: int64-atomics
// options: -cl-std=CL3.0
// kernel: both
// global: 64
// local: 32
// arg: buffer ulong 8*0
// expect 0: ulong 32 137438953472 32 2147483648 21474836495 4294967327 32 7
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
__kernel void both(__global ulong *out) {
    __local ulong cells[8];
    int item = get_local_id(0);
    if (item < 8)
        cells[item] = item == 5 ? 0x100000000UL : item == 6 ? 1UL << 40 : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    volatile __local uint *words = (volatile __local uint *)cells;
    volatile __local ulong *wide = (volatile __local ulong *)cells;
    atomic_inc(&words[0]);
    atomic_inc(&words[3]);
    atom_inc(&wide[2]);
    atomic_or(&words[6], 1u << (item < 1 ? 31 : 31));
    atomic_max(&words[8], (uint)item / 2);
    if (item == 0) {
        atomic_xchg(&words[9], 5u);
        atomic_cmpxchg(&words[12], 0u, 3u);
    }
    atomic_max(&words[10], (uint)item);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item == 0) {
        atomic_and(&words[13], 0u);
        atomic_add(&words[12], 29u);
        uint seen = atomic_cmpxchg(&words[14], 1u, 9u);
        atomic_cmpxchg(&words[14], seen, 7u);
    }
    atom_add(&wide[4], 0UL);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < 8 && get_group_id(0) == 1)
        out[item] = wide[item];
}
