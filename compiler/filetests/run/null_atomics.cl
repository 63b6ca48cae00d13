// test: run
// options: -cl-std=CL3.0
// Atomics through null pointers, which a test at run time guards.
// kernel: guarded
// global: 8
// local: 8
// arg: buffer int 8*0
// arg: int 0
// expect 0: int 8*5678
int of_local(local int *p, int use)
{
    if (use)
        return atomic_inc(p) + atomic_cmpxchg(p, 1, 2);
    return 5;
}
int of_global(global int *p, int use)
{
    if (use) {
        p[1] = 3;
        return atomic_inc(p) + p[2];
    }
    return 6;
}
int of_flag(local atomic_flag *p, int use)
{
    if (use) {
        bool was = atomic_flag_test_and_set_explicit(p, memory_order_acq_rel, memory_scope_work_group);
        atomic_flag_clear_explicit(p, memory_order_release, memory_scope_work_group);
        return was;
    }
    return 7;
}
float of_float(local atomic_float *p, int use)
{
    if (use)
        return atomic_exchange_explicit(p, 2.0f, memory_order_relaxed, memory_scope_work_group);
    return 8;
}
kernel void guarded(global int *out, int use)
{
    local int counter;
    int g = get_global_id(0);
    if (g == 0)
        counter = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    int *own = 0;
    local int *none = 0;
    if (none)
        g = atomic_add(none, 1);
    out[g] = of_local(0, use) * 1000 + of_global(0, use) * 100 + of_flag(0, use) * 10 + (int)of_float(0, use);
    if (own)
        out[g] = *own;
    barrier(CLK_LOCAL_MEM_FENCE);
    of_local(&counter, 1);
}
