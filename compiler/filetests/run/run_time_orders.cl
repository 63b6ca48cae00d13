// test: run
// Memory orders and scopes that only the run knows: parameters, values from memory, and
// parameters of functions that are called with constants.
// options: -cl-std=CL3.0

// Each order and scope that the functions take, with one value outside of the lists.
// kernel: add
// global: 8
// arg: buffer int 0
// arg: buffer int 0 2 3 4 5 0 5 3
// arg: buffer int 0 1 2 4 3 2 1 1
// expect 0: int 36
__kernel void add(__global atomic_int *sum, __global const int *orders,
                  __global const int *scopes)
{
    int i = get_global_id(0);
    atomic_fetch_add_explicit(sum, i + 1, (memory_order)orders[i], (memory_scope)scopes[i]);
}

// kernel: lists
// global: 4
// arg: buffer int 4*0
// arg: buffer int 8*0
// arg: int 0
// arg: int 2
// expect 0: int 5 6 7 8
// expect 1: int 5 0 6 0 7 0 8 0
// kernel: lists
// global: 4
// arg: buffer int 4*0
// arg: buffer int 8*0
// arg: int 5
// arg: int 1
// expect 0: int 5 6 7 8
// expect 1: int 5 0 6 0 7 0 8 0
__kernel void lists(__global atomic_int *values, __global int *out, int order, int scope)
{
    int i = get_global_id(0);
    memory_order o = (memory_order)order;
    memory_scope s = (memory_scope)scope;
    atomic_store_explicit(&values[i], i + 4, o, s);
    int expected = i + 4;
    if (atomic_compare_exchange_strong_explicit(&values[i], &expected, i + 5, o, o, s))
        out[2 * i] = atomic_load_explicit(&values[i], o, s);
    out[2 * i + 1] = atomic_compare_exchange_weak_explicit(&values[i], &expected, 9, o,
                                                            memory_order_relaxed, s);
}

int bump(__global atomic_int *place, int by, memory_order order, memory_scope scope)
{
    return atomic_fetch_add_explicit(place, by, order, scope);
}

// kernel: functions
// global: 4
// local: 4
// arg: buffer int 0
// arg: buffer int 0
// arg: int 3
// arg: int 1
// expect 0: int 10
// expect 1: int 14
__kernel void functions(__global atomic_int *a, __global int *out, int flags, int order)
{
    __local int parts[4];
    int i = get_local_id(0);
    bump(a, 1, memory_order_relaxed, memory_scope_device);
    bump(a, i, memory_order_seq_cst, memory_scope_work_group);
    parts[i] = i * i;
    work_group_barrier((cl_mem_fence_flags)flags);
    atomic_work_item_fence((cl_mem_fence_flags)flags, (memory_order)order,
                           memory_scope_work_group);
    if (i == 0)
        *out = parts[0] + parts[1] + parts[2] + parts[3];
}

// Clearing and setting flags; the second one of a pair finds it set.
// kernel: flags
// global: 4
// arg: buffer int 4*0
// arg: buffer int 8*9
// arg: int 0
// expect 1: int 0 1 0 1 0 1 0 1
__kernel void flags(__global atomic_flag *flags, __global int *out, int order)
{
    int i = get_global_id(0);
    memory_order o = (memory_order)order;
    atomic_flag_clear_explicit(&flags[i], o, memory_scope_device);
    out[2 * i] = atomic_flag_test_and_set_explicit(&flags[i], o, memory_scope_device);
    out[2 * i + 1] = atomic_flag_test_and_set_explicit(&flags[i], o, memory_scope_device);
}
