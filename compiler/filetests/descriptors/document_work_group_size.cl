// test: descriptors
// options: --abi=descriptors
// "Work-Group Size": all kernels have the attribute, so no specialization constant is left.

__attribute__((reqd_work_group_size(8, 4, 2))) kernel void one(global ulong* a) {
    a[get_global_id(0)] = get_local_size(0);
}
__attribute__((reqd_work_group_size(1, 1, 1))) kernel void two(global ulong* a) {
    a[0] = get_local_size(0) + get_num_groups(1);
}
