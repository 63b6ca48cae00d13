// test: pp
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF
#define COUNT 4
#pragma unroll COUNT
for (;;);
_Pragma("unroll 8") for (;;);
#define UNROLL _Pragma("nounroll")
UNROLL while (1);
#pragma unknown thing
#pragma GCC diagnostic ignored "-Wall"
