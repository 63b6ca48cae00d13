// test: run
// Sub-groups: identity, votes, broadcasts, reductions and scans, for any sub-group size.
// options: -cl-std=CL3.0
// kernel: identity
// global: 128
// local: 64
// arg: buffer int 128*-1
// expect 0: int 128*0
// kernel: identity
// global: 50
// local: 50
// arg: buffer int 50*-1
// expect 0: int 50*0
// kernel: operations
// global: 128
// local: 64
// arg: buffer int 128*-1
// expect 0: int 128*0
// kernel: types
// global: 64
// local: 64
// arg: buffer int 64*-1
// expect 0: int 64*0
__kernel void identity(__global int *wrong) {
    int bad = 0;
    uint size = get_sub_group_size(), most = get_max_sub_group_size();
    uint linear = get_sub_group_id() * most + get_sub_group_local_id();
    bad |= (linear != get_local_linear_id()) << 0;
    bad |= (get_num_sub_groups() != (get_local_size(0) + most - 1) / most) << 1;
    bad |= (get_enqueued_num_sub_groups() != get_num_sub_groups()) << 2;
    bad |= (size > most || get_sub_group_local_id() >= size) << 3;
    wrong[get_global_id(0)] = bad;
}
__kernel void operations(__global int *wrong) {
    int bad = 0;
    int lane = get_sub_group_local_id(), size = get_sub_group_size();
    bad |= (sub_group_reduce_add(1) != size) << 0;
    bad |= (sub_group_scan_exclusive_add(1) != lane) << 1;
    bad |= (sub_group_scan_inclusive_add(lane) != lane * (lane + 1) / 2) << 2;
    bad |= (sub_group_reduce_max(lane) != size - 1) << 3;
    bad |= (sub_group_reduce_min(lane - 3) != -3) << 4;
    bad |= (sub_group_broadcast(lane * 7, size - 1) != (size - 1) * 7) << 5;
    bad |= (sub_group_any(lane == 1) != (size > 1)) << 6;
    bad |= (sub_group_all(lane >= 0) == 0) << 7;
    bad |= (sub_group_all(lane == 0) != (size == 1)) << 8;
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    wrong[get_global_id(0)] = bad;
}
__kernel void types(__global int *wrong) {
    int bad = 0;
    int lane = get_sub_group_local_id(), size = get_sub_group_size();
    bad |= (sub_group_reduce_add(1L << 33) != (long)size << 33) << 0;
    bad |= (sub_group_reduce_max((float)lane) != (float)(size - 1)) << 1;
    bad |= (sub_group_scan_inclusive_add(0.5f) != 0.5f * (lane + 1)) << 2;
    bad |= (sub_group_broadcast((ulong)lane << 40, 0) != 0) << 3;
    bad |= (sub_group_scan_exclusive_max((uint)lane) != (lane == 0 ? 0u : lane - 1u)) << 4;
    wrong[get_global_id(0)] = bad;
}
