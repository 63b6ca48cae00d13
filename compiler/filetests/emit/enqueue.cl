// test: emit
// options: -cl-std=CL2.0
typedef void (^work)(void);

void step(global int *p, int by) { p[get_global_id(0)] += by; }

kernel void simple(global int *p, int n)
{
  queue_t q = get_default_queue();
  enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(n), ^{ step(p, n); });
  const work other = ^{ p[0] = 1; };
  int failed = enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(n, 4), other);
  p[1] = failed != CLK_SUCCESS;
}

kernel void ordered(global int *p, queue_t q)
{
  clk_event_t events[2], last;
  size_t global_size[2] = {8, 8}, local_size[2] = {4, 4}, offset[2] = {1, 1};
  ndrange_t range = ndrange_2D(offset, global_size, local_size);
  events[0] = create_user_event();
  void (^first)(void) = ^{ p[0]++; };
  enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP, range, 1, events, &events[1], first);
  enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, range, 0, NULL, NULL, ^{ p[0]--; });
  enqueue_marker(q, 2, events, &last);
  set_user_event_status(events[0], CLK_COMPLETE);
  retain_event(last);
  capture_event_profiling_info(last, CLK_PROFILING_COMMAND_EXEC_TIME, p);
  if (is_valid_event(last))
    release_event(last);
}

kernel void with_local(global int *p, uint bytes)
{
  ndrange_t range = ndrange_3D((size_t[3]){4, 4, 4});
  void (^block)(local void *, local void *) = ^(local void *a, local void *b) {
    local int *x = a;
    x[get_local_id(0)] = ((local int *)b)[0];
    p[0] = x[0];
  };
  enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, range, block, bytes, 64);
  p[1] = get_kernel_work_group_size(block) + get_kernel_preferred_work_group_size_multiple(block);
  p[2] = get_kernel_sub_group_count_for_ndrange(range, block)
       + get_kernel_max_sub_group_size_for_ndrange(range, block);
}
