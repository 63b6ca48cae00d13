// test: run
// Sub-groups of 32 and 64 work-items on devices with smaller ones: made of local memory and barriers where all
// work-items of a group are together.
// needs: sub-groups-to-32
// options: -cl-std=CL3.0
// kernel: values
// global: 160
// local: 80
// arg: buffer int 160*-1
// expect 0: int 160*0
// kernel: wide
// global: 128 2
// local: 64 2
// arg: buffer int 256*-1
// expect 0: int 256*0
// kernel: plain
// global: 64
// local: 64
// arg: buffer int 64*-1
// expect 0: int 64*1
// 80 work-items: sub-groups of 32, 32 and 16.
__attribute__((intel_reqd_sub_group_size(32))) kernel void values(global int *out)
{
    uint item = get_local_id(0), lane = item % 32, first = item - lane;
    uint size = first + 32 > 80 ? 16 : 32;
    int bad = 0;
    bad |= get_max_sub_group_size() != 32 || get_sub_group_size() != size;
    bad |= (get_num_sub_groups() != 3 || get_sub_group_id() != item / 32 || get_sub_group_local_id() != lane) << 1;
    uint sum = 0, before = 0;
    for (uint i = first; i < first + size; ++i) {
        sum += i * i;
        before += i < item ? i * i : 0;
    }
    bad |= (sub_group_reduce_add(item * item) != sum) << 2;
    bad |= (sub_group_scan_exclusive_add(item * item) != before) << 3;
    bad |= (sub_group_scan_inclusive_add(item * item) != before + item * item) << 4;
    bad |= (sub_group_reduce_max((float)item) != (float)(first + size - 1)) << 5;
    bad |= (sub_group_reduce_min((long)item << 33) != (long)first << 33) << 6;
    bad |= (sub_group_broadcast(item, 13) != first + 13) << 7;
    bad |= (sub_group_all(item < 64) != (first < 64)) << 8;
    bad |= (sub_group_any(item == 70) != (first == 64)) << 9;
    bad |= (sub_group_shuffle(item, (lane * 5 + 1) % 16) != first + (lane * 5 + 1) % 16) << 10;
    bad |= (sub_group_shuffle_xor(item, 9) != (item ^ 9)) << 11;
    uint up = sub_group_shuffle_up(item, 3);
    bad |= (lane >= 3 && up != item - 3) << 12;
    local uint shared[80];
    shared[item] = item;
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    bad |= (shared[item ^ 15] != (item ^ 15)) << 13;
    uint total = 0;
    // All work-items go round as often.
    for (uint round = 0; round < get_num_groups(0); ++round)
        total += sub_group_reduce_add(round);
    bad |= (total != size) << 14;
    out[get_global_id(0)] = bad;
}

// Two dimensions: the work-items are counted along the first.
__attribute__((intel_reqd_sub_group_size(64))) kernel void wide(global int *out)
{
    int bad = get_max_sub_group_size() != 64 || get_sub_group_id() != get_local_id(1);
    bad |= (sub_group_reduce_add((int)get_local_id(1)) != 64 * (int)get_local_id(1)) << 1;
    bad |= (sub_group_scan_inclusive_max((float)get_local_id(0)) != (float)get_local_id(0)) << 2;
    out[get_global_id(1) * get_global_size(0) + get_global_id(0)] = bad;
}

// What requires nothing keeps the device's.
kernel void plain(global int *out)
{
    out[get_global_id(0)] = sub_group_reduce_add(1) == (int)get_sub_group_size();
}
