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
//// writing to an image that is only read
__kernel void k(__read_only image2d_t i) { write_imagef(i, (int2)(0, 0), (float4)(0)); }
//// [-cl-std=CL1.2] writing to an image without a qualifier
__kernel void k(image2d_t i) { write_imagef(i, (int2)(0, 0), (float4)(0)); }
//// reading an image that is only written
__kernel void k(__write_only image2d_t i, sampler_t s, __global float4 *o) { *o = read_imagef(i, s, (int2)(0, 0)); }
//// [-cl-std=CL2.0] a sampler for an image that is read and written
__kernel void k(__read_write image2d_t i, sampler_t s, __global float4 *o) { *o = read_imagef(i, s, (int2)(0, 0)); }
//// the arguments of read_imagef in another order
__kernel void k(__read_only image2d_t i, sampler_t s, __global float4 *o) { *o = read_imagef(s, i, (int2)(0, 0)); }
//// unsigned coordinates
__kernel void k(__read_only image2d_t i, sampler_t s, __global float4 *o) { *o = read_imagef(i, s, (uint2)(0, 0)); }
//// the arguments of vload and vstore in another order
void f(__global float *p) { float4 v = vload4(p, 0); vstore4(0, p, v); }
//// warning: vstore of a type that the pointer does not have
void f(__global float *p, __global int *q) { vstore4((float4)(1), 0, q); }
//// an atomic sum of floats
void f(__global float *p) { atomic_add(p, 1.0f); }
//// an atomic increment of a private variable
void f(void) { int n = 0; atomic_inc(&n); }
//// [-cl-std=CL2.0] a function of OpenCL C 2.0 for an int that is not atomic
void f(__global int *p) { atomic_fetch_add(p, 1); }
//// arguments of several types
float f(float x) { return max(x, 0); }
//// a double beside a float
float f(float x, double y) { return max(x, y); }
//// integers of several types
uint f(uint x, int y) { return max(x, y); }
//// the absolute value of a float
float f(float x) { return abs(x); }
//// a double constant beside floats
float4 f(float4 x) { return x * 2.0; }
//// an int beside chars
uchar4 f(uchar4 x) { return x + 1; }
//// a vector as a condition
void f(float4 a, float4 b) { if (a > b) return; }
//// another vector as an initializer
void f(float4 a) { int4 b = a; }
//// the parts of a conversion in another order
uchar4 f(float4 a) { return convert_uchar4_rte_sat(a); }
//// a misspelt rounding mode
int f(float a) { return convert_int_tre(a); }
//// a misspelt type in a conversion
int4 f(float4 a) { return convert_itn4(a); }
//// a misspelt constant
void f(void) { barrier(CLK_LOCAL_MEM_FENC); }
//// a function of built-in functions without its parentheses
size_t f(void) { return get_global_id + 1; }
//// [-cl-std=CL1.2] a helper function without an address space
float first(float *x) { return *x; }
__kernel void k(__global float *a) { a[0] = first(a); }
//// [-cl-std=CL1.2] a pointer variable without an address space
__kernel void k(__global float *a) { float *p = a + 1; p[0] = 1; }
//// [-cl-std=CL2.0] a generic pointer to constant memory
__constant int table[2] = { 1, 2 };
int first(int *x) { return *x; }
int f(void) { return first(table); }
//// a kernel's buffer without an address space
__kernel void k(const float *a) { }
//// local memory in a helper function
void f(void) { __local float t[64]; }
//// local memory with a value
__kernel void k(__global int *a) { __local int t[2] = { 0, 0 }; a[0] = t[0]; }
//// a struct that has other sizes on the host
struct inner { int n; size_t size; };
struct outer { int n; struct inner parts[2]; };
__kernel void k(struct outer o) { }
//// a struct with a bool
typedef struct { float x; bool is_set[3]; } T;
__kernel void k(T t) { }
//// a closing brace is missing before a kernel
__kernel void k(__global int *a) {
    if (a[0]) {
        a[0] = 1;
}
__kernel void l(__global int *a) { a[0] = 1; }
//// warning: an extension that is neither enabled nor disabled
#pragma OPENCL EXTENSION cl_khr_fp64 : enabled
void f(void) { }
//// [--device=no-doubles] constants of doubles that the device lacks
kernel void k(global float *p) { p[0] = M_PI * p[1] + HUGE_VAL + DBL_MAX; }
