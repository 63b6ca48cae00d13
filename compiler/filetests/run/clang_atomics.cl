// test: run
// clang's atomic functions with objects and expected values that OpenCL C's do not take: const, constant, of another type.
// options: -cl-std=CL2.0
// kernel: forms
// global: 1
// arg: buffer int 3 0x3f800000 8 0
// arg: buffer int 6*0
// expect 0: int 4 5 8 0
// expect 1: int 1 1 0 8 4 8
constant int three = 3, nine = 9;
int read(const global atomic_int *p) {
    return __opencl_atomic_load(p, memory_order_relaxed, memory_scope_device);
}
kernel void forms(global atomic_int *p, global int *out) {
    out[0] = __opencl_atomic_compare_exchange_strong(p, &three, 4, memory_order_relaxed, memory_order_relaxed, memory_scope_device);
    float one = 1.0f;
    out[1] = __opencl_atomic_compare_exchange_strong(p + 1, &one, 5, memory_order_relaxed, memory_order_relaxed, memory_scope_device);
    // What it finds has no place to go.
    out[2] = __opencl_atomic_compare_exchange_strong(p + 2, &nine, 7, memory_order_relaxed, memory_order_relaxed, memory_scope_device);
    int found = 0;
    __opencl_atomic_compare_exchange_strong(p + 2, (uint *)&found, 7, memory_order_relaxed, memory_order_relaxed, memory_scope_device);
    out[3] = found;
    out[4] = read(p);
    out[5] = read(p + 2);
}
