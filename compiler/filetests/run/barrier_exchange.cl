// test: run
// Work-items exchange values at barriers: through local and global memory, by loops and branches, with other sub-groups. Nothing
// that was loaded before a barrier stands for what is there behind it.
// options: -cl-std=CL3.0
// kernel: swapped_local
// global: 128
// local: 64
// arg: buffer int 128*-1
// expect 0: int 128*0
// kernel: swapped_global
// global: 128
// local: 64
// arg: buffer int 128*-1
// arg: buffer int 128*0
// expect 0: int 128*0
// kernel: summed
// global: 128
// local: 64
// arg: buffer int 128*-1
// expect 0: int 128*0
// kernel: told
// global: 128
// local: 64
// arg: buffer int 128*-1
// expect 0: int 128*0
// kernel: fenced
// global: 128
// local: 64
// arg: buffer int 128*-1
// expect 0: int 128*0
__kernel void swapped_local(__global int *wrong) {
    __local int values[64];
    uint item = get_local_id(0), other = 63 - item;
    values[item] = item;
    int own = values[item];
    barrier(CLK_LOCAL_MEM_FENCE);
    int bad = values[other] != other || own != item;
    barrier(CLK_LOCAL_MEM_FENCE);
    values[other] = item + 100;
    barrier(CLK_LOCAL_MEM_FENCE);
    bad |= values[item] != other + 100;
    wrong[get_global_id(0)] = bad;
}
__kernel void swapped_global(__global int *wrong, __global int *values) {
    uint item = get_local_id(0), first = get_global_id(0) - item, other = 63 - item;
    int bad = 0;
    values[first + item] = item;
    for (int n = 0; n < 5; n++) {
        barrier(CLK_GLOBAL_MEM_FENCE);
        int got = values[first + other];
        bad |= got != (n % 2 ? item : other) + n;
        barrier(CLK_GLOBAL_MEM_FENCE);
        values[first + item] = got + 1;
    }
    wrong[get_global_id(0)] = bad;
}
__kernel void summed(__global int *wrong) {
    __local int sums[64];
    uint item = get_local_id(0);
    sums[item] = item + 1;
    for (uint distance = 1; distance < 64; distance *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        int sum = sums[item];
        if (item >= distance)
            sum += sums[item - distance];
        work_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_work_group);
        sums[item] = sum;
    }
    wrong[get_global_id(0)] = sums[item] != (item + 1) * (item + 2) / 2;
}
/* One work-item writes, all read, round after round. */
__kernel void told(__global int *wrong) {
    __local int word, words[2];
    uint item = get_local_id(0);
    int bad = 0;
    for (uint n = 0; n < 9; n++) {
        if (item == n * 7) {
            word = n;
            words[n % 2] = n + 50;
        }
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        bad |= word != n || words[n % 2] != n + 50;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    wrong[get_global_id(0)] = bad;
}
/* The fence stands apart from the barrier. */
__kernel void fenced(__global int *wrong) {
    __local int values[64];
    uint item = get_local_id(0), other = 63 - item;
    int bad = 0;
    values[item] = item;
    for (int n = 0; n < 4; n++) {
        atomic_work_item_fence(CLK_LOCAL_MEM_FENCE, memory_order_acq_rel, memory_scope_work_group);
        work_group_barrier(0);
        atomic_work_item_fence(CLK_LOCAL_MEM_FENCE, memory_order_acq_rel, memory_scope_work_group);
        int got = values[other];
        bad |= got != (n % 2 ? item : other) + n;
        work_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_device);
        values[item] = got + 1;
    }
    wrong[get_global_id(0)] = bad;
}
