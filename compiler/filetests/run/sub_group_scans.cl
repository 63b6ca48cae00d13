// test: run
// Scans, votes and ballots of sub-groups with all their lanes and with some missing: the last ones of a work-group, those that have
// returned, and those that go another way. Each work-item notes as bits what was wrong.
// options: -cl-std=CL3.0
// kernel: together
// global: 128
// local: 64
// arg: buffer int 128*-1
// expect 0: int 128*0
// kernel: together
// global: 26
// local: 13
// arg: buffer int 26*-1
// expect 0: int 26*0
// kernel: together
// global: 6 3
// local: 6 3
// arg: buffer int 18*-1
// expect 0: int 18*0
// kernel: apart
// global: 128
// local: 64
// arg: buffer int 128*-1
// expect 0: int 128*0
// kernel: apart
// global: 39
// local: 13
// arg: buffer int 39*-1
// expect 0: int 39*0
// kernel: in_function
// global: 48
// local: 24
// arg: buffer int 48*-1
// arg: int 5
// expect 0: int 48*0

kernel void together(global int *wrong)
{
    int bad = 0, lane = get_sub_group_local_id(), size = get_sub_group_size();
    int before = lane * (lane - 1) / 2;
    bad |= (sub_group_scan_inclusive_add(1) != lane + 1) << 0;
    bad |= (sub_group_scan_exclusive_add(lane) != before) << 1;
    bad |= (sub_group_scan_inclusive_max(7 - lane) != 7) << 2;
    bad |= (sub_group_scan_exclusive_max(lane) != (lane == 0 ? INT_MIN : lane - 1)) << 3;
    bad |= (sub_group_scan_exclusive_min((uint)lane) != (lane == 0 ? UINT_MAX : 0u)) << 4;
    bad |= (sub_group_scan_inclusive_add((long)lane << 31) != (long)(before + lane) << 31) << 5;
    bad |= (sub_group_scan_exclusive_min(-(long)lane) != (lane == 0 ? LONG_MAX : 1 - lane)) << 6;
    bad |= (sub_group_scan_inclusive_add(lane * 0.5f) != (before + lane) * 0.5f) << 7;
    bad |= (sub_group_scan_exclusive_max((float)lane) != (lane == 0 ? -INFINITY : lane - 1.0f)) << 8;
    bad |= (sub_group_scan_inclusive_min((float)-lane) != -lane) << 9;
    bad |= (sub_group_all(lane < size) == 0) << 10;
    bad |= (sub_group_all(lane + 1 < size) != 0) << 11;
    bad |= (sub_group_any(lane + 1 == size) == 0) << 12;
    bad |= (sub_group_any(lane == size) != 0) << 13;
    bad |= (popcount(sub_group_ballot(1).x) != size) << 14;
    bad |= (sub_group_ballot(lane == 2).x != (size > 2 ? 4 : 0)) << 15;
    bad |= (sub_group_non_uniform_scan_exclusive_mul(2) != 1 << lane) << 16;
    bad |= (sub_group_non_uniform_scan_inclusive_xor(1 << lane) != (2 << lane) - 1) << 17;
    wrong[get_global_linear_id()] = bad;
}

kernel void apart(global int *wrong)
{
    size_t i = get_global_id(0);
    wrong[i] = 0;
    if (i % 3 == 1)
        return;
    uint4 here = sub_group_ballot(1);
    int bad = 0, lane = get_sub_group_local_id();
    int number = popcount(here.x & ((1u << lane) - 1));
    bad |= (sub_group_non_uniform_scan_inclusive_add(1) != number + 1) << 0;
    bad |= (sub_group_non_uniform_scan_exclusive_add(1) != number) << 1;
    bad |= (sub_group_non_uniform_all(i % 3 != 1) == 0) << 2;
    bad |= (sub_group_non_uniform_any(i % 3 == 1) != 0) << 3;
    if (lane & 1) {
        number = popcount(here.x & 0xaaaaaaaa & ((1u << lane) - 1));
        bad |= (sub_group_non_uniform_scan_inclusive_add(2L) != 2 * number + 2) << 4;
        bad |= (sub_group_non_uniform_scan_exclusive_max(lane) != (number == 0 ? INT_MIN : 31 - clz(here.x & 0xaaaaaaaa & ((1u << lane) - 1)))) << 5;
        bad |= (sub_group_non_uniform_all(lane & 1) == 0) << 6;
        bad |= (sub_group_non_uniform_any((lane & 1) == 0) != 0) << 7;
        bad |= (sub_group_ballot(1).x != (here.x & 0xaaaaaaaa)) << 8;
    }
    wrong[i] = bad;
}

__attribute__((noinline)) int sum_of(int value)
{
    return sub_group_non_uniform_scan_inclusive_add(value) + sub_group_non_uniform_scan_inclusive_add(2 * value);
}

kernel void in_function(global int *wrong, int value)
{
    int bad = 0, lane = get_sub_group_local_id();
    if (lane & 1)
        bad |= sum_of(value) != 3 * value * (lane + 1) / 2;
    else
        bad |= sum_of(value + 1) != 3 * (value + 1) * (lane / 2 + 1);
    wrong[get_global_id(0)] = bad;
}
