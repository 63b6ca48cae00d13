// test: run
// Blocks that take local pointers of types other than void (cl_khr_device_enqueue_local_arg_types).
// options: -cl-std=CL3.0
// needs: device-queues

// kernel: typed
// global: 1
// arg: buffer int 8*0
// expect 0: int 30 21 12 3 34 25 16 7
#ifndef cl_khr_device_enqueue_local_arg_types
#error the macro is missing
#endif
typedef struct { int ones; short tens[2]; } Part;
kernel void typed(global int *out)
{
    void (^mix)(local int *, local Part *) = ^(local int *words, local Part *parts) {
        size_t i = get_local_id(0);
        words[i] = (int)get_global_id(0);
        parts[i].ones = 0;
        parts[i].tens[1] = 10 * i;
        barrier(CLK_LOCAL_MEM_FENCE);
        out[get_global_id(0)] = parts[3 - i].tens[1] + words[i];
    };
    // The queries take such blocks, too.
    if (get_kernel_work_group_size(mix) >= 4)
        enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(8, 4), mix,
                       4 * (uint)sizeof(int), 4 * (uint)sizeof(Part));
}
