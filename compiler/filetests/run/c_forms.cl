// test: run
// Forms of C that clang takes: definitions in the style of K&R, memcpy of a constant size, clang's
// names of atomic functions, prototypes with '...', stores to the halves of three elements.
// options: -cl-std=CL2.0

int weighted(a, b, p)
int a, b;
global const int *p;
{
    return a * 100 + b * 10 + p[0];
}

float *second(x)
private float *x;
{
    return x + 1;
}

// kernel: old_style
// global: 1
// arg: buffer int 3 0 0
// expect 0: int 3 783 5
kernel void old_style(global int *out)
{
    out[1] = weighted(7, 8, out);
    float pair[2] = {4.0f, 5.0f};
    out[2] = (int)*second(pair);
}

typedef struct { int a; char b[5]; } Mixed;

// kernel: copied
// global: 1
// arg: buffer int 1 2 3 4
// arg: buffer int 4*0
// arg: buffer int 5*0
// expect 1: int 1 2 3 0
// expect 2: int 17 98 3 0 9
kernel void copied(global int *from, global int *to, global int *out)
{
    __builtin_memcpy(to, from, 12);
    Mixed m = {17, "abc"}, n = {0};
    __builtin_memcpy(&n, &m, sizeof(Mixed));
    out[0] = n.a;
    out[1] = n.b[1];
    __builtin_memcpy(out + 2, (global char *)from + 8, 4);
    __builtin_memcpy(out + 3, from, 0);
    short half_word = 9;
    __builtin_memcpy((global char *)(out + 4), &half_word, 2);
}

// kernel: clang_atomics
// global: 4
// arg: buffer int 5 0 0
// arg: buffer int 8*0
// expect 0: int 9 1 0
// expect 1: int ? ? ? ? 9 1 0 0
kernel void clang_atomics(global atomic_int *p, global int *out)
{
    local atomic_int seen;
    size_t i = get_global_id(0);
    out[i] = __opencl_atomic_fetch_add(p, 1, memory_order_relaxed, memory_scope_device);
    __opencl_atomic_fetch_max(p + 1, 1, memory_order_relaxed, memory_scope_device);
    int expected = 3;
    bool done = __opencl_atomic_compare_exchange_strong(p + 2, &expected, 8, memory_order_relaxed,
                                                        memory_order_relaxed, memory_scope_device);
    if (i == 0) {
        __opencl_atomic_init(&seen, 9);
        out[4] = __opencl_atomic_exchange(&seen, 1, memory_order_relaxed, memory_scope_work_group);
        out[5] = __opencl_atomic_load(&seen, memory_order_relaxed, memory_scope_work_group);
        out[6] = done;
        out[7] = expected;
    }
}

#pragma OPENCL EXTENSION __cl_clang_variadic_functions : enable
int first_of(int a, ...) { return a + 1; }
#pragma OPENCL EXTENSION __cl_clang_variadic_functions : disable

// kernel: variadic
// global: 1
// arg: buffer int 4*0
// expect 0: int 2 3 5 6
kernel void variadic(global int *out)
{
    out[0] = first_of(1);
    out[1] = first_of(2, out[2] = 5, out[3] = 6);
}

// kernel: halves
// global: 1
// arg: buffer int 16*0
// expect 0: int 1 5 3 7 1 2 8 7 5 3 0 9 9 9 0 0
kernel void halves(global int *out)
{
    int3 v = (int3)(1, 2, 3), w = v;
    v.odd = (int2)(5, 6);
    vstore3(v, 0, out);
    out[3] = 7;
    w.hi = (int2)(8, 9);
    vstore3(w, 0, out + 4);
    out[7] = 7;
    out[8] = v.odd.x;
    out[9] = v.hi.x;
    // The fourth word is not written.
    global int3 *shared = (global int3 *)(out + 12);
    shared->lo = (int2)(9, 9);
    shared->hi = (int2)(9, 8);
    out[11] = out[14];
    out[14] = 0;
}

// kernel: address_spaces
// global: 1
// arg: buffer int 4 0 0
// expect 0: int 4 4 5
kernel void address_spaces(__attribute__((opencl_global_device)) int *p)
{
    global int *all = p;
    __attribute__((opencl_global_host)) int *of_host = (__attribute__((opencl_global_host)) int *)all;
    generic int *any = of_host;
    p[1] = *any;
    all[2] = atomic_inc(p) + (p == all);
    p[0] = 4;
}

// kernel: named
// global: 1
// arg: buffer int 0
// expect 0: int 6
__attribute__((overloadable)) int twice(int a) { return 2 * a; }
__attribute__((overloadable)) float twice(float a) { return 3 * a; }
__attribute__((overloadable)) kernel void named(global int *out) { *out = twice(3); }
