// test: run
// Queries of blocks: the answers differ from device to device, so that they are compared with what a
// block finds when it runs.
// options: -cl-std=CL3.0
// needs: device-queues

// kernel: queries
// global: 1
// arg: buffer int 16*0
// expect 0: int 15*1 0
kernel void queries(global int *out)
{
    queue_t queue = get_default_queue();
    void (^plain)(void) = ^{ out[0] = 1; };
    void (^with_local)(local void *) = ^(local void *memory) {
        ((local int *)memory)[get_local_id(0)] = 1;
        out[1] = ((local int *)memory)[get_local_id(0)];
    };
    uint most = get_kernel_work_group_size(plain);
    uint multiple = get_kernel_preferred_work_group_size_multiple(plain);
    out[2] = most >= 64 && multiple >= 1 && most % multiple == 0;
    out[3] = get_kernel_work_group_size(with_local) == most;
    out[4] = get_kernel_preferred_work_group_size_multiple(with_local) == multiple;
    // As many work-items in a group as the query says.
    out[5] = enqueue_kernel(queue, 0, ndrange_1D(most, most), plain) == CLK_SUCCESS;
    out[6] = enqueue_kernel(queue, 0, ndrange_1D(2 * most, 2 * most), plain) != CLK_SUCCESS;
    out[7] = enqueue_kernel(queue, 0, ndrange_1D(multiple, multiple), with_local, multiple * 4)
        == CLK_SUCCESS;

    size_t size[3] = {5, 6, 7}, local_size[3] = {5, 3, 2};
    ndrange_t three = ndrange_3D(size, local_size);
    uint widest = get_kernel_max_sub_group_size_for_ndrange(three, plain);
    uint groups = get_kernel_sub_group_count_for_ndrange(three, plain);
    out[8] = widest == get_kernel_max_sub_group_size_for_ndrange(ndrange_1D(64, 64), with_local);
    out[9] = groups == (30 + widest - 1) / widest;
    out[10] = get_kernel_sub_group_count_for_ndrange(ndrange_1D(widest, widest), plain) == 1;
    out[11] = get_kernel_sub_group_count_for_ndrange(ndrange_1D(64, widest + 1), with_local) == 2;
    enqueue_kernel(queue, 0, three, ^{
        if (get_global_linear_id() == 0) {
            out[12] = get_num_sub_groups() == groups;
            out[13] = get_max_sub_group_size() == widest;
            out[14] = get_enqueued_num_sub_groups() == groups;
        }
    });
}
