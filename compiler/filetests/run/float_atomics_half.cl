// test: run
// options: -cl-std=CL2.0
// needs: half-atomics
// cl_ext_float_atomics on halves: each is a part of a word whose other half others change.

// kernel: of_halves
// global: 32
// local: 8
// arg: buffer half 0 1 5 5 1 7
// arg: local 4
// expect 0: half 528 -527 -31 31 8 8
kernel void of_halves(global atomic_half *out, local atomic_half *sums)
{
  half x = get_global_id(0);
  if (get_local_id(0) < 2)
    atomic_init(&sums[get_local_id(0)], (half)0);
  work_group_barrier(CLK_LOCAL_MEM_FENCE);
  atomic_fetch_add(&sums[1], x + 1);
  atomic_fetch_add(&sums[0], (half)1);
  work_group_barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) == 0) {
    atomic_fetch_add(&out[0], atomic_load(&sums[1]));
    atomic_store(&out[4], atomic_load(&sums[0]));
    atomic_exchange(&out[5], (half)8);
  }
  atomic_fetch_sub(&out[1], x + 0.5h + 0.5h);
  atomic_fetch_min_explicit(&out[2], -x, memory_order_relaxed, memory_scope_device);
  atomic_fetch_max(&out[3], x);
}
