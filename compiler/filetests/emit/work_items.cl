// test: emit
kernel void items(global ulong *o, uint d) {
    o[0] = get_work_dim();
    o[1] = get_global_size(0) + get_global_id(1) + get_local_size(2) + get_num_groups(0) + get_group_id(1) + get_global_offset(2);
    o[2] = get_local_id(d);
    o[3] = get_local_size(d);
    o[4] = get_global_id(3) + get_global_size(7);
}
