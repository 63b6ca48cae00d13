// test: run
// options: -cl-std=CL2.0
// cl_ext_float_atomics, without doubles and halves.

// kernel: sums
// global: 64
// local: 16
// arg: buffer float 0.5 0 0
// arg: local 4
// expect 0: float 2080.5 -2080 544
kernel void sums(global atomic_float *out, local atomic_float *sum)
{
  float x = get_global_id(0) + 1;
  if (get_local_id(0) == 0)
    atomic_init(sum, 0.0f);
  work_group_barrier(CLK_LOCAL_MEM_FENCE);
  atomic_fetch_add(&out[0], x);
  atomic_fetch_sub_explicit(&out[1], x, memory_order_relaxed, memory_scope_device);
  atomic_fetch_add_explicit(sum, x, memory_order_relaxed, memory_scope_work_group);
  atomic_fetch_sub(sum, 1.0f);
  work_group_barrier(CLK_LOCAL_MEM_FENCE);
  if (get_global_id(0) == 0)
    atomic_store(&out[2], atomic_load(sum) + 424);
}

// kernel: limits
// global: 32
// local: 32
// arg: buffer float 5 5 nan nan
// arg: local 8
// arg: buffer float 0 0 0 0
// expect 0: float -31 31 0 31
// expect 2: float -7 24 5 0
kernel void limits(global atomic_float *out, local atomic_float *room, global float *other)
{
  float x = get_global_id(0);
  if (get_local_id(0) < 2)
    atomic_init(&room[get_local_id(0)], 5.0f);
  work_group_barrier(CLK_LOCAL_MEM_FENCE);
  atomic_fetch_min(&out[0], -x);
  atomic_fetch_max_explicit(&out[1], x, memory_order_acq_rel, memory_scope_device);
  atomic_fetch_min(&out[2], x);
  atomic_fetch_max(&out[3], x);
  atomic_fetch_min(&room[0], x - 7);
  atomic_fetch_max(&room[1], x - 7);
  work_group_barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) == 0) {
    other[0] = atomic_load(&room[0]);
    other[1] = atomic_load(&room[1]);
    other[2] = atomic_fetch_max(&room[0], 5.0f) + 12;
  }
}
