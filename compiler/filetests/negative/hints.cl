// test: negative
//// vload from a private pointer to vectors
float4 f(float4 *p) { return vload4(0, p); }
//// vload without a pointer
float4 f(float a) { return vload4(0, a); }
//// vstore through a constant pointer
void f(float4 v, __constant float *p) { vstore4(v, 0, p); }
//// [-cl-ext=-cl_khr_fp64 -cl-std=CL1.1] a double that the device lacks
double f(void) { return 1; }
//// [-cl-std=CL1.1 -Werror] a literal without its f suffix
#pragma OPENCL EXTENSION cl_khr_fp64 : disable
float f(float x) { return x * 1.5; }
//// [-Werror] a half literal without the extension
#pragma OPENCL EXTENSION cl_khr_fp16 : disable
float f(void) { return 1.0h; }
//// half arithmetic without the extension
#pragma OPENCL EXTENSION cl_khr_fp16 : disable
float f(__global half *p) { return *p + 1; }
//// a half variable without the extension
#pragma OPENCL EXTENSION cl_khr_fp16 : disable
void f(void) { half h; }
//// a half parameter without the extension
#pragma OPENCL EXTENSION cl_khr_fp16 : disable
void f(half h) { }
//// a cast to half without the extension
#pragma OPENCL EXTENSION cl_khr_fp16 : disable
float f(float x) { return (half)x; }
//// [-cl-std=CL1.2] a pointer to a pointer as an argument
__kernel void k(__global int *__global *p) { }
//// a vector written like a call
float4 f(float x) { return float4(x); }
//// a suffix of a float on an integer
float f(void) { return 1f; }
//// converting vectors by a cast
int4 f(float4 v) { return (int4)v; }
//// reinterpreting vectors by a cast
uchar16 f(uint4 v) { return (uchar16)v; }
//// as_ between sizes
float4 f(int2 v) { return as_float4(v); }
//// a work-group size that is a variable
__attribute__((reqd_work_group_size(N, 1, 1))) __kernel void k(void) { }
//// an array as long as an argument says
__kernel void k(int n) { float a[n]; }
//// printf of a string that the host gives
__kernel void k(__constant char *s) { printf("%s\n", s); }
//// printf of a string in global memory
__kernel void k(__global char *s) { printf("%s\n", s); }
//// printf of a number as a string
__kernel void k(int n) { printf("%s\n", n); }
//// printf of a format that an argument gives
void f(__constant char *format) { printf(format, 1); }
//// the header of the C library
#include <stdio.h>
