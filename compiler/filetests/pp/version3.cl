// test: pp
// options: -cl-std=CL3.0
__OPENCL_C_VERSION__ __opencl_c_int64 __opencl_c_fp64 ATOMIC_VAR_INIT(1)
#if __OPENCL_C_VERSION__ >= CL_VERSION_3_0
three
#endif
