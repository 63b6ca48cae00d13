// test: run
// Events of device-side enqueue: kernels, markers and user events that wait for each other.
// options: -cl-std=CL3.0
// needs: device-queues

// kernel: order
// global: 1
// arg: buffer int 8*0
// expect 0: int 1 2 3 4 1 0 1 0
kernel void order(global int *out)
{
    queue_t queue = get_default_queue();
    clk_event_t gate = create_user_event(), first, second, marker, last;
    enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &gate, &first,
                   ^{ out[0] += 1; });
    clk_event_t both[2] = {first, gate};
    enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 2, both, &second,
                   ^{ out[1] = out[0] + 1; });
    enqueue_marker(queue, 1, &second, &marker);
    // The reference that is given back here is not the only one.
    retain_event(marker);
    release_event(marker);
    enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &marker, &last,
                   ^{ out[2] = out[1] + 1; });
    enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &last, 0,
                   ^{ out[3] = out[2] + 1; });
    out[4] = is_valid_event(gate) && is_valid_event(last);
    clk_event_t none = CLK_NULL_EVENT;
    out[5] = is_valid_event(none);
    set_user_event_status(gate, CL_COMPLETE);
    release_event(gate);
    release_event(first);
    release_event(second);
    release_event(marker);
    release_event(last);
    // Commands wait for it still.
    out[6] = is_valid_event(last);
}

// Parents end when their children have ended: what waits for the parent sees what they wrote.
// kernel: children
// global: 1
// arg: buffer int 4*0
// expect 0: int 1 2 2 0
kernel void children(global int *out)
{
    queue_t queue = get_default_queue();
    clk_event_t parent;
    enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 0, 0, &parent, ^{
        out[0] = 1;
        enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1),
                       ^{ out[1] = out[0] + 1; });
    });
    enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &parent, 0,
                   ^{ out[2] = out[1]; });
    release_event(parent);
}

// A block sets the user event that another waits for; more events than a record holds.
// kernel: gates
// global: 1
// arg: buffer int 4*0
// expect 0: int 12 13 1 0
kernel void gates(global int *out)
{
    queue_t queue = get_default_queue();
    clk_event_t gate = create_user_event(), each[12], all;
    for (int i = 0; i < 12; ++i)
        enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &gate, &each[i],
                       ^{ atomic_inc(&out[0]); });
    enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 12, each, &all,
                   ^(local void *memory) {
                       *(local int *)memory = out[0];
                       out[1] = *(local int *)memory + 1;
                   }, 4);
    for (int i = 0; i < 12; ++i)
        release_event(each[i]);
    enqueue_marker(queue, 1, &all, 0);
    release_event(all);
    enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{
        out[2] = 1;
        set_user_event_status(gate, CL_COMPLETE);
        release_event(gate);
    });
}

// What waits for a failed command does not run, and fails itself. The first status stays.
// kernel: failures
// global: 1
// arg: buffer int 4*9
// expect 0: int 9 9 9 1
kernel void failures(global int *out)
{
    queue_t queue = get_default_queue();
    clk_event_t gate = create_user_event(), first, marker;
    enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &gate, &first,
                   ^{ out[0] = 1; });
    enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &first, 0, ^{ out[1] = 1; });
    enqueue_marker(queue, 1, &first, &marker);
    enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &marker, 0,
                   ^{ out[2] = 1; });
    set_user_event_status(gate, -42);
    set_user_event_status(gate, CL_COMPLETE);
    release_event(gate);
    release_event(first);
    release_event(marker);
    enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ out[3] = 1; });
}
