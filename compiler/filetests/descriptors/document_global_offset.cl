// test: descriptors
// options: -global-offset
// "Module-wide Specialization Constants": all of them.

kernel void foo(global ulong* a) { a[get_global_id(0)] = get_global_offset(1) + get_work_dim(); }
