// test: emit
// options: -cl-std=CL3.0
kernel void floats(global atomic_float *f, local atomic_double *d, global atomic_half *h, global float *out)
{
  out[0] = atomic_fetch_add(f, 1.0f);
  out[1] = atomic_fetch_sub_explicit(d, 2.0, memory_order_relaxed, memory_scope_work_group);
  out[2] = atomic_fetch_min(d, 3.0);
  out[3] = atomic_fetch_max(f, 4.0f);
  out[4] = atomic_fetch_add(h, (half)1) + atomic_fetch_max(h, (half)2) + atomic_exchange(h, (half)3);
  atomic_store(h, atomic_load(h));
}
