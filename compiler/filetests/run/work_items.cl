// test: run
// Work-item functions with offsets, non-uniform remainders and three dimensions.
// options: -cl-std=CL3.0
// kernel: ids
// global: 5 3
// local: 2 2
// offset: 10 20
// arg: buffer int 15*0
// arg: buffer int 12*0
// expect 0: int 2010 2011 2012 2013 2014 2110 2111 2112 2113 2114 2210 2211 2212 2213 2214
// expect 1: int 2 5 3 3 2 10 20 0 2 2 1 1
__kernel void ids(__global int *out, __global int *info) {
    size_t x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1);
    out[y * get_global_size(0) + x] = (int)(100 * get_global_id(1) + get_global_id(0));
    if (x == 4 && y == 2) {
        info[0] = get_work_dim();
        info[1] = get_global_size(0);
        info[2] = get_global_size(1);
        info[3] = get_num_groups(0);
        info[4] = get_num_groups(1);
        info[5] = get_global_offset(0);
        info[6] = get_global_offset(1);
        info[7] = get_global_offset(2);
        info[8] = get_enqueued_local_size(0);
        info[9] = get_group_id(0);
        info[10] = get_local_size(0);
        info[11] = get_local_size(1);
    }
}
