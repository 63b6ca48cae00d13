// test: run
// Forms of enqueue_kernel: blocks and block variables, captured values, local memory, ranges of every
// shape, kernels enqueued by kernels.
// options: -cl-std=CL3.0
// needs: device-queues

// kernel: captured
// global: 1
// arg: buffer int 40*0
// arg: int 7
// arg: queue
// expect 0: int 7..10 107..110 4*1 4*0 5..8 20*0
typedef struct { int add[4]; char tag; } Captured;
kernel void captured(global int *out, int first, queue_t other)
{
    queue_t queue = get_default_queue();
    int status = enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(4), ^{
        size_t i = get_global_id(0);
        out[i] = first + (int)i;
    });
    void (^variable)(void) = ^{
        size_t i = get_global_id(0);
        out[4 + i] = 100 + first + (int)i;
    };
    status |= enqueue_kernel(other, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(4, 2), variable);
    if (status == CLK_SUCCESS)
        for (int i = 0; i < 4; ++i)
            out[8 + i] = 1;
    Captured captured = {{5, 6, 7, 8}, 'x'};
    status = enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP, ndrange_1D(4), ^{
        size_t i = get_global_id(0);
        if (captured.tag == 'x')
            out[16 + i] = captured.add[i];
    });
    // The block has a copy.
    captured.add[0] = 1000;
}

// kernel: locals
// global: 1
// arg: buffer int 16*0
// arg: int 16
// expect 0: int 3 2 1 0 7 6 5 4 13 12 11 10 17 16 15 14
kernel void locals(global int *out, int bytes)
{
    queue_t queue = get_default_queue();
    void (^reverse)(local void *) = ^(local void *memory) {
        local int *words = memory;
        size_t i = get_local_id(0);
        words[i] = (int)get_global_id(0);
        barrier(CLK_LOCAL_MEM_FENCE);
        out[get_global_id(0)] = words[3 - i];
    };
    enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(8, 4), reverse, bytes);
    enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(8, 4),
                   ^(local void *first, local void *second) {
                       local int *tens = first, *ones = second;
                       size_t i = get_local_id(0);
                       tens[i] = 10;
                       ones[i] = (int)get_global_id(0);
                       barrier(CLK_LOCAL_MEM_FENCE);
                       out[8 + get_global_id(0)] = tens[3 - i] + ones[3 - i];
                   }, 16u, (uint)(4 * sizeof(int)));
}

// kernel: shapes
// global: 1
// arg: buffer int 128*0
// expect 0: int 11 12 13 14 15 16 17 0 22 23 24 25 32 33 34 35 42 43 44 45 4*0 27*1 0 8*3 68*0
kernel void shapes(global int *out)
{
    queue_t queue = get_default_queue();
    // Sizes that do not divide the range.
    enqueue_kernel(queue, 0, ndrange_1D(11, 7, 3), ^{
        out[get_global_id(0) - 11] = (int)get_global_id(0);
    });
    size_t offset2[2] = {2, 2}, size2[2] = {4, 3}, local2[2] = {2, 2};
    enqueue_kernel(queue, 0, ndrange_2D(offset2, size2, local2), ^{
        size_t x = get_global_id(0), y = get_global_id(1);
        out[8 + (y - 2) * 4 + x - 2] = (int)(y * 10 + x);
    });
    size_t size3[3] = {3, 3, 3}, local3[3] = {2, 2, 2};
    enqueue_kernel(queue, 0, ndrange_3D(size3, local3), ^{
        size_t i = get_global_linear_id();
        size_t linear = (get_global_id(2) * 3 + get_global_id(1)) * 3 + get_global_id(0);
        out[24 + i] = i == linear;
    });
    size_t size[2] = {4, 2};
    enqueue_kernel(queue, 0, ndrange_2D(size), ^{
        int right = get_work_dim() == 2 && get_global_size(0) == 4 && get_global_size(1) == 2;
        int none = get_global_size(2) == 1 && get_global_offset(0) == 0 && get_num_groups(2) == 1;
        out[52 + get_global_linear_id()] = right + 2 * none;
    });
    // Nothing runs.
    enqueue_kernel(queue, 0, ndrange_1D(0), ^{ out[127] = 1; });
}

// kernel: places
// global: 1
// arg: buffer int 32*0
// expect 0: int 1 1 1 1 1 1 1 0 3 3 3 3 3 3 1 0
kernel void places(global int *out)
{
    enqueue_kernel(get_default_queue(), 0, ndrange_1D(5, 7, 3), ^{
        size_t i = get_global_id(0) - 5;
        int right = get_group_id(0) == i / 3 && get_local_id(0) == i % 3 && get_num_groups(0) == 3
            && get_enqueued_local_size(0) == 3 && get_global_offset(0) == 5
            && get_local_size(0) == (i < 6 ? 3 : 1) && get_work_dim() == 1;
        out[i] = right;
        out[8 + i] = work_group_reduce_add(1);
    });
}

// A block that enqueues itself: a binary tree. Nodes, leaves, and the sum of the leaves' paths.
// kernel: tree
// global: 2
// arg: buffer uint 3*0
// arg: uint 4
// expect 0: uint 62 32 240
void grow(global uint *r, uint depth, uint path)
{
    atomic_inc(&r[0]);
    if (depth == 0) {
        atomic_inc(&r[1]);
        atomic_add(&r[2], path);
        return;
    }
    for (uint side = 0; side < 2; ++side)
        enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1),
                       ^{ grow(r, depth - 1, path * 2 + side); });
}
kernel void tree(global uint *r, uint depth)
{
    grow(r, depth, 0);
}

// Parents whose ranges take several dispatches: their children wait for all of them.
// kernel: several_dispatches
// global: 1
// arg: buffer int 232*0
// expect 0: int 325 5565 1..25 1..105 100*0
kernel void several_dispatches(global int *out)
{
    queue_t queue = get_default_queue();
    size_t size[2] = {5, 5}, local_size[2] = {4, 4};
    enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_2D(size, local_size), ^{
        size_t i = get_global_linear_id();
        out[2 + i] = (int)i + 1;
        if (i == 0)
            enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{
                int sum = 0;
                for (int k = 0; k < 25; ++k)
                    sum += out[2 + k];
                out[0] = sum;
            });
    });
    size_t cube[3] = {7, 5, 3}, local_cube[3] = {4, 2, 2};
    enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_3D(cube, local_cube), ^{
        size_t i = get_global_linear_id();
        out[27 + i] = (int)i + 1;
        if (i == 0)
            enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{
                int sum = 0;
                for (int k = 0; k < 105; ++k)
                    sum += out[27 + k];
                out[1] = sum;
            });
    });
}
