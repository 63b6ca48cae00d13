// test: emit
// options: -cl-std=CL2.0
int get(int *p) { return *p; }
global int counter = 3;
kernel void spaces(global int *g, local int *l, global atomic_int *a) {
    int x = 4;
    int *p = g;
    *p = get(&x) + get(l) + counter++;
    atomic_fetch_add_explicit(a, 1, memory_order_relaxed);
    atomic_store(a, 2);
    int expected = 3;
    g[1] = atomic_compare_exchange_strong_explicit(a, &expected, 4, memory_order_acq_rel, memory_order_relaxed, memory_scope_device);
    work_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_work_group);
    g[2] = work_group_reduce_add(g[3]) + sub_group_any(x);
    g[3] = atomic_load_explicit(a, memory_order_acquire, memory_scope_work_group);
}
kernel void spaces_asked(global int *g) {
    int x = 0;
    int *p = &x;
    if (g[0]) p = g;
    if (to_global(p)) g[1] = get_fence(p);
    if (to_private(p) == &x) g[2] = 1;
}
