// test: run
// cl_khr_subgroup_extended_types and cl_khr_work_group_uniform_arithmetic.
// needs: sub-groups-of-8
// options: -cl-std=CL3.0
// kernel: narrow
// global: 8
// local: 8
// arg: buffer int 48*-1
// expect 0: int 36 36 36 36 36 36 36 36 0 0 1 3 6 10 15 21 -8 -8 -8 -8 -8 -8 -8 -8 8 7 6 5 4 3 2 1 107 107 107 107 107 107 107 107 13 13 13 13 13 13 13 13
// kernel: products
// global: 4
// local: 4
// arg: buffer long 32*-1
// expect 0: long 24 24 24 24 1 1 2 6 0 0 0 0 15 15 15 15 1 3 0 4 1 1 1 1 1 1 0 1 24 24 24 24
__kernel void narrow(__global int *out) {
    int x = get_local_id(0);
    out[x] = sub_group_reduce_add((char)(x + 1));
    out[8 + x] = sub_group_scan_exclusive_add((ushort)x) ;
    out[16 + x] = sub_group_reduce_min((short)(-x - 1));
    out[24 + x] = sub_group_scan_inclusive_min((uchar)(8 - x));
    out[32 + x] = sub_group_broadcast((char)(x + 100), 7u);
    int4 v = sub_group_broadcast((int4)(x, x + 5, x, x + 5), 3u);
    out[40 + x] = v.y + v.w - v.z;
}
__kernel void products(__global long *out) {
    int x = get_local_id(0);
    out[x] = work_group_reduce_mul(x + 1);
    out[4 + x] = work_group_scan_exclusive_mul((long)x + 1);
    out[8 + x] = work_group_reduce_and((uint)1 << x);
    out[12 + x] = work_group_reduce_or((ulong)1 << x);
    out[16 + x] = work_group_scan_inclusive_xor(x + 1);
    out[20 + x] = work_group_reduce_logical_or(x == 3);
    out[24 + x] = work_group_scan_exclusive_logical_and(x != 1) ^ (x == 3);
    out[28 + x] = work_group_reduce_mul((float)(x + 1));
}
