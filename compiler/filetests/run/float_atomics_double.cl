// test: run
// options: -cl-std=CL2.0
// needs: doubles int64-atomics
// cl_ext_float_atomics on doubles.

// kernel: of_doubles
// global: 32
// local: 8
// arg: buffer double 0.25 5 5
// arg: local 8
// expect 0: double 528.25 -31 31
kernel void of_doubles(global atomic_double *out, local atomic_double *sum)
{
  double x = get_global_id(0);
  if (get_local_id(0) == 0)
    atomic_init(sum, 0.0);
  work_group_barrier(CLK_LOCAL_MEM_FENCE);
  atomic_fetch_add(sum, x + 1);
  work_group_barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) == 0)
    atomic_fetch_add(&out[0], atomic_load(sum));
  atomic_fetch_min(&out[1], -x);
  atomic_fetch_max(&out[2], x);
}
