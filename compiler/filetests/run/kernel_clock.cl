// test: run
// Clocks never go back.
// needs: clocks
// options: -cl-std=CL3.0
// kernel: clocks
// global: 16
// local: 8
// arg: buffer int 16*-1
// expect 0: int 16*0
__kernel void clocks(__global int *wrong) {
    int bad = 0;
    ulong device = clock_read_device(), group = clock_read_sub_group();
    uint2 halves = clock_read_hilo_device();
    // Something that takes time.
    float x = get_global_id(0);
    for (int i = 0; i < 100; i++)
        x = sqrt(x + 1);
    ulong later = clock_read_device();
    uint2 more = clock_read_hilo_sub_group();
    bad |= (later < device) << 0;
    bad |= (later < ((ulong)halves.y << 32 | halves.x)) << 1;
    bad |= (((ulong)more.y << 32 | more.x) < group) << 2;
    bad |= (x < 1) << 3;
    // All work-items of a group see one clock.
    __local ulong before;
    if (get_local_id(0) == 0)
        before = clock_read_work_group();
    barrier(CLK_LOCAL_MEM_FENCE);
    uint2 after = clock_read_hilo_work_group();
    bad |= (((ulong)after.y << 32 | after.x) < before) << 4;
    wrong[get_global_id(0)] = bad;
}
