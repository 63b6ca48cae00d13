// test: emit
// options: -cl-std=CL3.0
// cl_khr_subgroup_extended_types, cl_khr_work_group_uniform_arithmetic, cl_khr_kernel_clock.
kernel void extended(global char *c, global ushort *s, global float4 *v)
{
  c[0] = sub_group_reduce_add(c[1]) + sub_group_scan_exclusive_min(c[2]);
  s[0] = sub_group_scan_inclusive_max(s[1]) + sub_group_broadcast(s[2], 1u);
  v[0] = sub_group_broadcast(v[1], 2u);
}
kernel void uniform(global int *i, global ulong *u, global float *f)
{
  i[0] = work_group_reduce_mul(i[1]) + work_group_scan_exclusive_logical_and(i[2]);
  u[0] = work_group_scan_inclusive_xor(u[1]) | work_group_reduce_and(u[2]) | work_group_scan_exclusive_or(u[3]);
  f[0] = work_group_reduce_mul(f[1]);
}
kernel void clock(global ulong *t, global uint2 *h)
{
  t[0] = clock_read_device();
  h[0] = clock_read_hilo_sub_group();
  async_work_group_copy_fence(CLK_LOCAL_MEM_FENCE);
}
