// test: descriptors
// options: -global-offset-push-constant
// "Module Scope Push constants": global_offset.

kernel void foo(global ulong* a) { a[get_global_id(0)] = get_global_offset(1); }
