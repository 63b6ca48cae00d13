// test: pp
// options: -D N=4 -DFLAG "-DF(x, y)=((x) + (y))" -D S=\"text\" -DOLD=1 -U OLD -D "TWO=1 + 1" -cl-fast-relaxed-math
N FLAG F(1, 2) S OLD TWO
#if defined FLAG && defined(N) && !defined(OLD) && __FAST_RELAXED_MATH__
yes
#else
no
#endif
__OPENCL_VERSION__ __OPENCL_C_VERSION__ CL_VERSION_1_2 CL_VERSION_3_0 __ENDIAN_LITTLE__
#ifdef __IMAGE_SUPPORT__
images
#endif
cl_khr_fp64 __opencl_c_int64
M_PI_F INT_MAX CHAR_MAX FLT_EPSILON CLK_GLOBAL_MEM_FENCE
__kernel_exec(4, float4) void k();
