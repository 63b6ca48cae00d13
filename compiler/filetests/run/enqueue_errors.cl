// test: run
// Errors of device-side enqueue, which have names of their own with -g alone.
// options: -cl-std=CL3.0 -g
// needs: device-queues

// kernel: errors
// global: 1
// arg: buffer int 12*0
// expect 0: int -57 -57 -160 -160 -160 -51 -57 -102 -160 0 0 1
kernel void errors(global int *out)
{
    queue_t queue = get_default_queue(), none = 0;
    clk_event_t invalid = CLK_NULL_EVENT, event;
    void (^block)(void) = ^{ out[10] = 1; };
    void (^with_local)(local void *) = ^(local void *memory) { *(local int *)memory = 1; };
    size_t size[2] = {4, 4}, part[2] = {2, 0};
    uint most = get_kernel_work_group_size(block);
    out[0] = enqueue_kernel(queue, 0, ndrange_1D(1), 1, 0, &event, block);
    out[1] = enqueue_kernel(queue, 0, ndrange_1D(1), 1, &invalid, &event, block);
    out[2] = enqueue_kernel(queue, 0, ndrange_1D(4 * most, 2 * most), block);
    out[3] = enqueue_kernel(queue, 0, ndrange_2D(size, part), block);
    ndrange_t range = ndrange_1D((size_t)-1, 1);
    out[4] = enqueue_kernel(queue, 0, range, block);
    out[5] = enqueue_kernel(queue, 0, ndrange_1D(1), with_local, 0);
    out[6] = enqueue_marker(queue, 1, &invalid, &event);
    out[7] = enqueue_kernel(none, 0, ndrange_1D(1), block);
    out[8] = enqueue_kernel(queue, 0, ndrange_1D(4, 2 * most), block);
    out[11] = 1;
}

// A full queue refuses and loses nothing: each kernel runs here or there.
// kernel: full
// global: 1
// arg: buffer int 4*0
// arg: queue
// expect 0: int 400 1 1 ?
kernel void full(global int *out, queue_t small)
{
    int refused = 0, others = 0;
    for (int i = 0; i < 400; ++i) {
        int status = enqueue_kernel(small, 0, ndrange_1D(1),
                                    ^{ atomic_inc(&out[0]); });
        refused += status != CLK_SUCCESS;
        others += status != CLK_SUCCESS && status != CLK_DEVICE_QUEUE_FULL;
    }
    atomic_add(&out[0], refused);
    out[1] = refused > 0;
    out[2] = others == 0;
    out[3] = refused;
}
