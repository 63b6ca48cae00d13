// test: emit
// options: -cl-std=CL3.0
kernel void subgroups(global uint *o, global float *f, int i) {
    uint4 b = sub_group_ballot(i);
    o[0] = get_sub_group_local_id() + get_sub_group_size() + sub_group_ballot_bit_count(b) + sub_group_ballot_find_lsb(b) + get_sub_group_lt_mask().x;
    o[1] = sub_group_inverse_ballot(b) + sub_group_ballot_bit_extract(b, 3) + sub_group_elect() + sub_group_non_uniform_all(i);
    f[0] = sub_group_broadcast(f[1], 2) + sub_group_reduce_add(f[2]) + sub_group_shuffle(f[3], 1) + sub_group_shuffle_down(f[4], 1);
    f[1] = sub_group_non_uniform_reduce_mul(f[1]) + sub_group_broadcast_first(f[2]) + sub_group_clustered_reduce_max(f[3], 4u) + sub_group_rotate(f[4], 1);
    o[2] = sub_group_scan_exclusive_max(o[3]) + sub_group_non_uniform_scan_inclusive_logical_and(i) + sub_group_non_uniform_reduce_xor(o[4]);
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    o[3] = work_group_broadcast(i, 1, 2) + work_group_all(i) + work_group_scan_inclusive_min(i);
}
