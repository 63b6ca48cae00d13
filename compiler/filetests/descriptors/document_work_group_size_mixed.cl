// test: descriptors
// options: --abi=descriptors
// "If at least one of the kernels does not use the reqd_work_group_size attribute".

__attribute__((reqd_work_group_size(8, 4, 2))) kernel void one(global ulong* a) {
    a[get_global_id(0)] = get_local_size(0);
}
kernel void two(global ulong* a) { a[0] = get_local_size(0); }
