// test: descriptors
// options: -work-dim=0 --abi=descriptors
// get_work_dim() is 3 without its specialization constant.

kernel void foo(global uint* a) { a[0] = get_work_dim(); }
