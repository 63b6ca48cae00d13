// test: descriptors
// options: -cl-std=CL3.0 --abi=descriptors
// "Module Scope Push constants": all six, of three 32-bit integers each.

kernel void foo(global ulong* a) {
    a[get_global_id(0)] = get_global_offset(1) + get_enqueued_local_size(0) + get_global_size(0) +
                          get_num_groups(2) + get_group_id(0);
}
