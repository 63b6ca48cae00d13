// test: run
// Work-group collectives: reductions, scans, broadcasts and votes, for groups of one item, of
// part of a chunk of 32, of several chunks, in two and three dimensions.
// needs: doubles
// options: -cl-std=CL3.0
// kernel: integers
// global: 1
// local: 1
// arg: buffer int -1
// expect 0: int 0
// kernel: integers
// global: 42
// local: 21
// arg: buffer int 42*-1
// expect 0: int 42*0
// kernel: integers
// global: 32
// local: 32
// arg: buffer int 32*-1
// expect 0: int 32*0
// kernel: integers
// global: 200
// local: 100
// arg: buffer int 200*-1
// expect 0: int 200*0
// kernel: integers
// global: 12 6 2
// local: 6 3 2
// arg: buffer int 144*-1
// expect 0: int 144*0
// kernel: wide
// global: 80
// local: 40
// arg: buffer int 80*-1
// expect 0: int 80*0
// kernel: broadcasts
// global: 12 6 2
// local: 6 3 2
// arg: buffer int 144*-1
// expect 0: int 144*0
// kernel: again
// global: 64
// local: 64
// arg: buffer int 64*-1
// expect 0: int 64*0
// kernel: required
// global: 32
// local: 16
// arg: buffer int 32*-1
// expect 0: int 32*0
// kernel: fp64
// global: 40
// local: 40
// arg: buffer int 40*-1
// expect 0: int 40*0
__kernel void integers(__global int *wrong) {
    int bad = 0;
    int item = get_local_linear_id();
    int n = get_local_size(0) * get_local_size(1) * get_local_size(2);
    bad |= (work_group_reduce_add(item + 1) != n * (n + 1) / 2) << 0;
    bad |= (work_group_reduce_min(5 - item) != 6 - n) << 1;
    bad |= (work_group_reduce_max((uint)item + 0x80000000u) != 0x80000000u + n - 1) << 2;
    bad |= (work_group_scan_inclusive_add(item) != item * (item + 1) / 2) << 3;
    bad |= (work_group_scan_exclusive_add(item + 1) != item * (item + 1) / 2) << 4;
    int zigzag = (item * 37) % 64;
    int least = INT_MAX, most = 0;
    for (int i = 0; i < item; i++) {
        least = min(least, (i * 37) % 64);
        most = max(most, (i * 37) % 64);
    }
    bad |= (work_group_scan_exclusive_min(zigzag) != least) << 5;
    bad |= (work_group_scan_exclusive_max((uint)zigzag) != (uint)most) << 6;
    bad |= (work_group_scan_inclusive_min(zigzag) != min(least, zigzag)) << 7;
    bad |= (work_group_scan_inclusive_max(-zigzag) != 0) << 8;
    bad |= (work_group_all(item >= 0) == 0) << 9;
    bad |= (work_group_all(item != n - 1) != 0) << 10;
    bad |= (work_group_any(item == n - 1) == 0) << 11;
    bad |= (work_group_any(item == n) != 0) << 12;
    bad |= (work_group_scan_exclusive_max(item) != (item ? item - 1 : INT_MIN)) << 13;
    wrong[get_global_linear_id()] = bad;
}
__kernel void wide(__global int *wrong) {
    int bad = 0;
    long item = get_local_linear_id(), n = get_local_size(0);
    bad |= (work_group_reduce_add(item << 33) != (n * (n - 1) / 2) << 33) << 0;
    bad |= (work_group_scan_inclusive_add(item << 33) != (item * (item + 1) / 2) << 33) << 1;
    bad |= (work_group_scan_exclusive_min((ulong)(n - item)) !=
            (item ? (ulong)(n - item + 1) : ULONG_MAX)) << 2;
    bad |= (work_group_reduce_max(0.5f * item) != 0.5f * (n - 1)) << 3;
    bad |= (work_group_scan_exclusive_min((float)item) != (item ? 0.0f : INFINITY)) << 4;
    bad |= (work_group_scan_inclusive_add(0.5f) != 0.5f * (item + 1)) << 5;
    wrong[get_global_id(0)] = bad;
}
__kernel void broadcasts(__global int *wrong) {
    int bad = 0;
    int item = get_local_linear_id();
    bad |= (work_group_broadcast(item * 3, 5, 2, 1) != 35 * 3) << 0;
    bad |= (work_group_broadcast((long)item << 32, 4, 1, 0) != 10L << 32) << 1;
    bad |= (work_group_broadcast((uchar)item == 3 ? 2.5f : 0.0f, 3, 0, 0) != 2.5f) << 2;
    wrong[get_global_linear_id()] = bad;
}
// One after another in a loop, with local memory of the kernel's own beside.
__kernel void again(__global int *wrong) {
    __local int own[64];
    int bad = 0, item = get_local_id(0);
    own[item] = item;
    for (int i = 0; i < 4; i++) {
        int sum = work_group_reduce_add(own[(item + i) % 64]);
        bad |= sum != 2016;
        int before = work_group_scan_exclusive_add(i);
        bad |= (before != item * i) << 1;
        bad |= (work_group_broadcast(item ^ i, 7) != (7 ^ i)) << 2;
    }
    wrong[item] = bad;
}
__attribute__((reqd_work_group_size(16, 1, 1)))
__kernel void required(__global int *wrong) {
    int item = get_local_id(0);
    wrong[get_global_id(0)] = work_group_scan_inclusive_add(item) != item * (item + 1) / 2;
}
__kernel void fp64(__global int *wrong) {
    int bad = 0;
    double item = get_local_id(0), n = get_local_size(0);
    bad |= (work_group_reduce_add(item) != n * (n - 1) / 2) << 0;
    bad |= (work_group_scan_exclusive_max(item) != (item > 0 ? item - 1 : -INFINITY)) << 1;
    wrong[get_global_id(0)] = bad;
}
