// test: run
// Times of commands of the device. Programs that ask for them run their blocks by indirect dispatches.
// options: -cl-std=CL3.0
// needs: device-queues

// Times of a command that has not ended when they are asked for, and of one that has.
// kernel: times
// global: 1
// arg: buffer ulong 4*0
// arg: buffer int 4*0
// expect 1: int 1 1 1 1
kernel void times(global ulong *time, global int *out)
{
    queue_t queue = get_default_queue();
    clk_event_t event, later;
    enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 0, 0, &event, ^{ out[0] = 1; });
    capture_event_profiling_info(event, CLK_PROFILING_COMMAND_EXEC_TIME, time);
    enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &event, &later, ^{
        capture_event_profiling_info(event, CLK_PROFILING_COMMAND_EXEC_TIME, time + 2);
        release_event(event);
    });
    enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &later, 0, ^{
        out[1] = time[0] > 0;
        out[2] = time[1] >= time[0];
        out[3] = time[2] == time[0] && time[3] == time[1];
        // Times differ from run to run.
        for (int i = 0; i < 4; ++i)
            time[i] = 0;
    });
    release_event(later);
}
