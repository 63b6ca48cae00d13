// test: negative
// options: -cl-std=CL3.0
// A device without cl_khr_extended_async_copies and cl_ext_float_atomics.
kernel void copies(global int *from, local int *to, global atomic_float *f)
{
  event_t e = async_work_group_copy_2D2D(to, 0, from, 0, 4, 1, 1, 1, 1, 0);
  async_work_group_copy_fence(CLK_LOCAL_MEM_FENCE);
  atomic_fetch_add_explicit(f, 1.0f, memory_order_relaxed, memory_scope_work_group);
}
