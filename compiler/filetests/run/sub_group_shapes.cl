// test: run
// How a work-group falls into sub-groups, for groups of one to three dimensions, rows that hold
// whole sub-groups, parts of them or several, and remainders: OpenCL has all sub-groups but the
// last as large as the largest, numbers them densely, and gives each work-item a lane of its own.
// options: -cl-std=CL3.0
// kernel: shape
// global: 64
// local: 8
// arg: buffer int 64*-1
// expect 0: int 64*0
// kernel: shape
// global: 26
// local: 13
// arg: buffer int 26*-1
// expect 0: int 26*0
// kernel: shape
// global: 1
// local: 1
// arg: buffer int 1*-1
// expect 0: int 1*0
// kernel: shape
// global: 6 3 2
// local: 6 3 2
// arg: buffer int 36*-1
// expect 0: int 36*0
// kernel: shape
// global: 12 6 2
// local: 6 3 2
// arg: buffer int 144*-1
// expect 0: int 144*0
// kernel: shape
// global: 6 10
// local: 3 5
// arg: buffer int 60*-1
// expect 0: int 60*0
// kernel: shape
// global: 14 1 3
// local: 7 1 3
// arg: buffer int 42*-1
// expect 0: int 42*0
// kernel: shape
// global: 8 8
// local: 8 4
// arg: buffer int 64*-1
// expect 0: int 64*0
// kernel: shape
// global: 2 40
// local: 1 20
// arg: buffer int 80*-1
// expect 0: int 80*0
// kernel: shape
// global: 1 1 9
// local: 1 1 9
// arg: buffer int 9*-1
// expect 0: int 9*0
// kernel: shape
// global: 16 4 2
// local: 16 2 2
// arg: buffer int 128*-1
// expect 0: int 128*0
// kernel: shape
// global: 20 6
// local: 10 3
// arg: buffer int 120*-1
// expect 0: int 120*0
// kernel: shape
// global: 36 2 2
// local: 18 2 2
// arg: buffer int 144*-1
// expect 0: int 144*0
// kernel: shape
// global: 32 32
// local: 16 16
// arg: buffer int 1024*-1
// expect 0: int 1024*0
// kernel: shape
// global: 21
// local: 8
// arg: buffer int 21*-1
// expect 0: int 21*0
// kernel: shape
// global: 23 7
// local: 8 4
// arg: buffer int 161*-1
// expect 0: int 161*0
// kernel: shape
// global: 13 5 3
// local: 4 2 2
// arg: buffer int 195*-1
// expect 0: int 195*0
// kernel: shape
// global: 7 7 7
// local: 5 3 2
// arg: buffer int 343*-1
// expect 0: int 343*0
// kernel: operations
// global: 26
// local: 13
// arg: buffer int 26*-1
// expect 0: int 26*0
// kernel: operations
// global: 6 3 2
// local: 6 3 2
// arg: buffer int 36*-1
// expect 0: int 36*0
// kernel: operations
// global: 6 10
// local: 3 5
// arg: buffer int 60*-1
// expect 0: int 60*0
// kernel: operations
// global: 14 1 3
// local: 7 1 3
// arg: buffer int 42*-1
// expect 0: int 42*0
// kernel: operations
// global: 2 40
// local: 1 20
// arg: buffer int 80*-1
// expect 0: int 80*0
// kernel: operations
// global: 36 2 2
// local: 18 2 2
// arg: buffer int 144*-1
// expect 0: int 144*0
// kernel: operations
// global: 13 5 3
// local: 4 2 2
// arg: buffer int 195*-1
// expect 0: int 195*0
// kernel: apart
// global: 26
// local: 13
// arg: buffer int 26*-1
// expect 0: int 26*0
// kernel: apart
// global: 6 3 2
// local: 6 3 2
// arg: buffer int 36*-1
// expect 0: int 36*0
// kernel: apart
// global: 6 10
// local: 3 5
// arg: buffer int 60*-1
// expect 0: int 60*0
// kernel: apart
// global: 14 1 3
// local: 7 1 3
// arg: buffer int 42*-1
// expect 0: int 42*0
// kernel: apart
// global: 2 40
// local: 1 20
// arg: buffer int 80*-1
// expect 0: int 80*0
// kernel: apart
// global: 36 2 2
// local: 18 2 2
// arg: buffer int 144*-1
// expect 0: int 144*0
// kernel: apart
// global: 64 2
// local: 64 2
// arg: buffer int 128*-1
// expect 0: int 128*0
// kernel: apart
// global: 23 7
// local: 8 4
// arg: buffer int 161*-1
// expect 0: int 161*0
// kernel: apart
// global: 13 5 3
// local: 4 2 2
// arg: buffer int 195*-1
// expect 0: int 195*0
uint cell(void)
{
    return (uint)((get_global_id(2) * get_global_size(1) + get_global_id(1)) * get_global_size(0)
        + get_global_id(0));
}
kernel void shape(global int *wrong)
{
    local uint taken[256], sizes[256], members[256];
    uint at = get_local_linear_id();
    uint items = get_local_size(0) * get_local_size(1) * get_local_size(2);
    for (uint i = at; i < 256; i += items)
        taken[i] = sizes[i] = members[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint id = get_sub_group_id(), lane = get_sub_group_local_id(), size = get_sub_group_size();
    uint most = get_max_sub_group_size(), groups = get_num_sub_groups();
    int bad = 0;
    bad |= (groups != (items + most - 1) / most) << 0;
    uint all = get_enqueued_local_size(0) * get_enqueued_local_size(1) * get_enqueued_local_size(2);
    bad |= (get_enqueued_num_sub_groups() != (all + most - 1) / most) << 1;
    bad |= (id >= groups || lane >= size || size > most) << 2;
    // All but the last are full.
    bad |= (id + 1 < groups && size != most) << 3;
    bad |= (id + 1 == groups && size != items - id * most) << 4;
    bad |= (sub_group_reduce_add(1) != (int)size) << 5;
    // One sub-group throughout: the lanes' number, and nobody else's values.
    bad |= (sub_group_reduce_max(id) != id || sub_group_reduce_min(id) != id) << 6;
    if (id < 256) {
        atomic_inc(&members[id]);
        atomic_max(&sizes[id], size);
    }
    if (id * most + lane < 256)
        atomic_inc(&taken[id * most + lane]);
    barrier(CLK_LOCAL_MEM_FENCE);
    bad |= (members[id & 255] != size || sizes[id & 255] != size) << 7;
    bad |= (taken[(id * most + lane) & 255] != 1) << 8;
    uint sum = 0;
    for (uint i = 0; i < groups; ++i)
        sum += sizes[i];
    bad |= (sum != items) << 9;
    wrong[cell()] = bad;
}
kernel void operations(global int *wrong)
{
    local int partial[256];
    int lane = get_sub_group_local_id(), size = get_sub_group_size();
    int value = get_local_linear_id() * 3 + 1;
    int bad = 0;
    bad |= (sub_group_scan_exclusive_add(1) != lane) << 0;
    bad |= (sub_group_scan_inclusive_add(lane) != lane * (lane + 1) / 2) << 1;
    bad |= (sub_group_reduce_max(lane) != size - 1) << 2;
    bad |= (sub_group_broadcast(lane * 7, size - 1) != (size - 1) * 7) << 3;
    bad |= (sub_group_any(lane == size - 1) == 0 || sub_group_all(lane < size) == 0) << 4;
    // The usual reduction in two steps.
    int sum = sub_group_reduce_add(value);
    if (lane == 0)
        partial[get_sub_group_id()] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    int total = 0;
    for (uint i = 0; i < get_num_sub_groups(); ++i)
        total += partial[i];
    int items = get_local_size(0) * get_local_size(1) * get_local_size(2);
    bad |= (total != items + 3 * (items * (items - 1) / 2)) << 5;
    wrong[cell()] = bad;
}
// Without barriers a driver may go through a work-group in another way.
kernel void apart(global int *wrong)
{
    uint id = get_sub_group_id(), lane = get_sub_group_local_id(), size = get_sub_group_size();
    int bad = 0;
    bad |= (lane >= size || id >= get_num_sub_groups()) << 0;
    bad |= (sub_group_reduce_add(1) != (int)size || sub_group_scan_exclusive_add(1) != (int)lane) << 1;
    bad |= (sub_group_reduce_max(id) != id || sub_group_reduce_min(id) != id) << 2;
    uint x = get_local_id(0), y = get_local_id(1), z = get_local_id(2);
    uint at = (z * get_local_size(1) + y) * get_local_size(0) + x;
    bad |= (at != get_local_linear_id()) << 3;
    // Neither twice nor left out: the sum of all places of a sub-group's work-items.
    uint sum = sub_group_reduce_add(at), first = sub_group_reduce_min(at), last = sub_group_reduce_max(at);
    bad |= (last - first < size - 1 || sum < size * first + size * (size - 1) / 2) << 4;
    wrong[cell()] = bad;
}
