// test: negative
//// [-cl-std=CL3.0] copies of lines without cl_khr_extended_async_copies
void f(global int *from, local int *to) { async_work_group_copy_2D2D(to, 0, from, 0, 4, 1, 1, 1, 1, 0); }
//// [-cl-std=CL3.0] a fence of copies without cl_khr_async_work_group_copy_fence
void f(void) { async_work_group_copy_fence(CLK_LOCAL_MEM_FENCE); }
//// [-cl-std=CL3.0] a sum of floats without cl_ext_float_atomics
float f(global atomic_float *x) { return atomic_fetch_add_explicit(x, 1.0f, memory_order_relaxed, memory_scope_work_group); }
//// [-cl-std=CL3.0] a load of a half without cl_ext_float_atomics
half f(global atomic_half *x) { return atomic_load_explicit(x, memory_order_relaxed, memory_scope_work_group); }
//// [-cl-std=CL3.0] a pipe without __opencl_c_pipes
kernel void f(read_only pipe int p) { int x; read_pipe(p, &x); }
//// [-cl-std=CL3.0] a block without cl_intel_subgroups
uint f(global uint *p) { return intel_sub_group_block_read(p); }
//// [-cl-std=CL3.0] a broadcast of a short without cl_intel_subgroups_short
short f(short s) { return intel_sub_group_broadcast(s, 0); }
//// [-cl-std=CL3.0] a matrix without cl_pumice_cooperative_matrix
void f(void) { matrix_a_half_16x16_t m; }
//// [-cl-std=CL3.0] a function on matrices without cl_pumice_cooperative_matrix
void f(float *p) { cooperative_matrix_load_row_major(p, p, 8); }

//// [-cl-ext=-cl_amd_media_ops,-cl_amd_media_ops2] AMD's byte operations
uint f(uint a, int b) { return amd_bitalign(a, a, 3u) + amd_bfe(b, 1u, 2u); }
