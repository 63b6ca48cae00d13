// test: run
// Two kernels give local variables and local arguments to functions that stay functions; one has local memory of a
// work-group's sum too, the other counts in a local variable with atomic operations.
// options: -cl-std=CL2.0
// kernel: turned
// global: 16
// local: 8
// arg: buffer int 16*0
// arg: local 32
// arg: int 5
// expect 0: int 94 93 92 91 90 89 88 87 94 93 92 91 90 89 88 87
// kernel: counted
// global: 16
// local: 8
// arg: buffer int 16*0
// arg: local 16
// arg: int 3
// expect 0: int 41 41 41 41 41 41 41 41 41 41 41 41 41 41 41 41

__attribute__((noinline)) void fill(local int *part, int from, int rounds) {
    for (int i = 0; i < rounds; i++)
        part[from] = from + i;
}

__attribute__((noinline)) int opposite(local const int *part, int at, int last) {
    return part[last - at];
}

__attribute__((noinline)) int sum_with(local const int *part, int at) {
    return work_group_reduce_add(part[at]);
}

kernel void turned(global int *out, local int *tile, int rounds) {
    local int first[8];
    int id = get_local_id(0);
    fill(first, id, rounds);
    fill(tile, id, 1);
    barrier(CLK_LOCAL_MEM_FENCE);
    // 11 - id, 60 of first's sum, 28 of tile's and -5.
    out[get_global_id(0)] = opposite(first, id, 7) + sum_with(first, id) + sum_with(tile, id) - rounds;
}

kernel void counted(global int *out, local int *tile, int rounds) {
    local atomic_int count;
    int id = get_local_id(0);
    if (id == 0)
        atomic_init(&count, 0);
    if (id < 4)
        fill(tile, id, rounds);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i <= rounds; i++)
        atomic_fetch_add(&count, 1);
    barrier(CLK_LOCAL_MEM_FENCE);
    // 32 times a work-item has counted; 5, 4, 3 and 2 are there.
    int found = atomic_load(&count);
    for (int i = 0; i < 4; i++)
        found += opposite(tile, i, 3);
    out[get_global_id(0)] = found - opposite(tile, 0, 3);
}
