// test: run
// Sub-groups of a work-group that meet different numbers of sub-group barriers.
// needs: sub-groups-of-8
// options: -cl-std=CL3.0
// kernel: apart
// global: 128
// local: 64
// arg: buffer int 128*-1
// expect 0: int 128*0
// kernel: rounds
// global: 128
// local: 64
// arg: buffer int 128*-1
// expect 0: int 128*0
__kernel void apart(__global int *wrong) {
    __local int values[64];
    uint lane = get_sub_group_local_id(), item = get_local_id(0), first = item - lane;
    int bad = 0;
    values[item] = item;
    if (get_sub_group_id() == 0) {
        for (int n = 1; n <= 3; n++) {
            sub_group_barrier(CLK_LOCAL_MEM_FENCE);
            int other = values[first + (lane + 1) % get_sub_group_size()];
            sub_group_barrier(CLK_LOCAL_MEM_FENCE);
            values[item] = other;
        }
        sub_group_barrier(CLK_LOCAL_MEM_FENCE);
        bad = values[item] != first + (lane + 3) % get_sub_group_size();
    }
    wrong[get_global_id(0)] = bad;
}
__kernel void rounds(__global int *wrong) {
    __local int values[64];
    uint lane = get_sub_group_local_id(), item = get_local_id(0), first = item - lane;
    uint rounds = (get_sub_group_id() * 5 + get_group_id(0)) % 7;
    values[item] = item;
    for (uint n = 0; n < rounds; n++) {
        sub_group_barrier(CLK_LOCAL_MEM_FENCE);
        int other = values[first + (lane + 1) % get_sub_group_size()];
        sub_group_barrier(CLK_LOCAL_MEM_FENCE);
        values[item] = other;
    }
    // All of the work-group meet again.
    barrier(CLK_LOCAL_MEM_FENCE);
    wrong[get_global_id(0)] = values[item] != first + (lane + rounds) % get_sub_group_size();
}
