// test: run
// Blocks that return a value are enqueued, which drops it; events and queues are compared.
// options: -cl-std=CL3.0
// needs: device-queues

// kernel: values
// global: 1
// arg: buffer int 8*0
// arg: long 7
// expect 0: int 8 9 8 0 11 12 0 0
kernel void values(global int *out, long first)
{
    queue_t queue = get_default_queue();
    ndrange_t one = ndrange_1D(1);
    // What blocks capture has no padding, which would be copied without a value.
    int (^const sum)(void) = ^{ return out[0] = (int)first + 1; };
    enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, one, sum);
    enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, one, ^{ out[1] = (int)first + 2; return 0.5f; });
    // The same block called, and enqueued once more.
    out[2] = sum();
    clk_event_t done;
    enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, one, 0, 0, &done, sum);
    enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, one, 1, &done, 0, ^(local void *p, local void *q) {
        local int *words = p;
        words[0] = 11;
        *(local int *)q = 12;
        out[4] = words[0];
        out[5] = *(local int *)q;
        return (int2)(1, 2);
    }, 16, sizeof(int));
    release_event(done);
}

// kernel: compared
// global: 1
// arg: buffer int 12*7
// arg: queue
// expect 0: int 1 0 0 1 1 0 0 1 1 1 0 1
kernel void compared(global int *out, queue_t other)
{
    queue_t queue = get_default_queue(), same = queue, none = 0;
    out[0] = queue == same;
    out[1] = queue != same;
    out[2] = queue == other;
    out[3] = none == 0;
    clk_event_t gate = create_user_event(), copy = gate, second = create_user_event();
    // The null event in the words of clang's header.
    clk_event_t null = __builtin_astype(__SIZE_MAX__, clk_event_t);
    out[4] = gate == copy;
    out[5] = gate != copy;
    out[6] = gate == second;
    out[7] = gate != second;
    out[8] = null == CLK_NULL_EVENT;
    out[9] = CLK_NULL_EVENT != gate;
    out[10] = is_valid_event(null);
    out[11] = 0 != queue;
    set_user_event_status(gate, CL_COMPLETE);
    set_user_event_status(second, CL_COMPLETE);
    release_event(gate);
    release_event(second);
}
