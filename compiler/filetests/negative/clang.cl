// test: negative
//// attributes of kernels on functions
__attribute__((reqd_work_group_size(8, 1, 1))) void f(void) { }
__attribute__((vec_type_hint(int))) void g(void) { }
//// a vec_type_hint that is no number
__kernel __attribute__((vec_type_hint(void))) void k(void) { }
__kernel __attribute__((vec_type_hint(bool))) void l(void) { }
//// some sizes of 0
__kernel __attribute__((reqd_work_group_size(8, 0, 1))) void k(void) { }
__kernel __attribute__((reqd_work_group_size(0, 0, 0))) void nothing_asked(void) { }
//// hints of unrolling that are none
void f(int a) {
    __attribute__((opencl_unroll_hint(2, 4))) for (int i = 0; i < a; i++) { }
    __attribute__((opencl_unroll_hint(2))) if (a) { a = 1; }
    __attribute__((opencl_unroll_hint)) while (a) a--;
}
//// a kernel called main
kernel void main(global int *p) { *p = 1; }
//// [--device=full -cl-std=CL3.0] access qualifiers twice
kernel void k(read_only read_only image1d_t a, read_only write_only image1d_t b) { }
//// a float vector counted up
void f(float4 v, int4 i, float s) { i++; ++s; v++; --v; }
//// [--device=full -cl-std=CL2.0] an atomic variable of a function with a value
void f(void) { atomic_int a = 0; }
global atomic_int g = 0;
//// an event from a number
__attribute__((overloadable)) void g(event_t e, float v); __attribute__((overloadable)) void g(event_t e, float4 v);
void f(float4 v) { event_t none = (event_t)0; g(0, v); g((event_t)0, 1.0f); event_t some = (event_t)1; }
//// enumerators among numbers
enum e { A, B = -1 }; int f(enum e x) { return clamp(x, 0, 255) + max(x, 1) + undeclared; }
//// attributes of kernels on variables
constant int a __attribute__((reqd_work_group_size(8, 16, 32))) = 0;
//// a scalar is rather converted than put into a vector
__attribute__((overloadable)) short4 bound(short4 x, short4 low); __attribute__((overloadable)) short4 bound(short4 x, short low);
short4 f(short4 v) { return bound(v, 0) + bound(v, v) + undeclared; }
//// lengths from constants at program scope
constant int four = 4; constant int none = 0; constant float half_of = 0.5f;
int f(void) { int a[four]; int b[four * 2 - 1]; typedef int c[none]; return a[0] + b[0] + undeclared; }
//// null pointers of one address space
void f(local int *p) {
    constant int *a = (global void *)0;
    global int *b = (local void *)0;
    int c = p == (global void *)0;
    constant int *d = NULL;
    local int *e = (void *)0;
    int g = p == NULL;
}
//// samplers at program scope
constant sampler_t first = CLK_FILTER_NEAREST;
constant sampler_t second = first;
sampler_t third = CLK_FILTER_NEAREST;
const sampler_t fourth = CLK_FILTER_NEAREST;
//// warning: modes that no sampler has
constant sampler_t first = 0x1f;
constant sampler_t second = 0x30;
kernel void k(read_only image1d_t image, global float4 *out) { out[0] = read_imagef(image, first, 0); }
//// an automatic variable's storage
void f(void) {
    auto int a = 1;
    register int b = 2;
    __attribute__((address_space(100))) int c;
}
//// attributes out of place
void f(__attribute__((nosvm)) global int *p);
void g(void) __attribute__((convergent(1)));
void h(kernel int a);
//// access qualifiers beside a typedef's
typedef write_only image1d_t written;
typedef image1d_t image;
kernel void a(read_only written i) { }
kernel void b(write_only image i) { }
kernel void c(write_only written i, read_only image j, written k) { }
//// [-cl-std=CL1.2] writes to 3D images that the device lacks
kernel void k(write_only image3d_t i) { }
//// [-cl-ext=-__opencl_c_3d_image_writes -cl-std=CL3.0] writes to 3D images without the feature
kernel void k(write_only image3d_t i) { }
//// names of images are no names of other types
typedef int image1d_t;
typedef float image2d_array_t;
typedef int image2d_msaa_t;
typedef image2d_t image2d_t;
//// [-cl-ext=-cl_khr_fp64,-__opencl_c_fp64] functions of C compilers
float f(float x) { return __builtin_sqrtf(x) + __builtin_elementwise_sqrt(x) + __builtin_isnan(x); }
float4 g(float4 x) { return __builtin_elementwise_rint(x); }
float h(float x) { return __builtin_sqrt(x) + __builtin_sqrtf(x, x); }
//// [-cl-std=CL1.1] warning: a double in spite of the pragma
#pragma OPENCL EXTENSION cl_khr_fp64 : disable
double f(void) { double d = 1.5f; return d * 2.5; }
//// the body of a function whose signature is wrong
nothing *f(nothing p, int q) { nothing v = p; return v + q + undeclared; }
void g(float *p, sampler_t *q) { p[0] = q[0] + f(p, 1); return other; }
//// [-cl-std=CL2.0] names of atomic types
int atomic_uint;
constant float atomic_flag = 1.0f;
int atomic_other;
//// vectors by their size in bytes
typedef __attribute__((__vector_size__(16))) float floats;
typedef __attribute__((vector_size(10))) int ints;
typedef __attribute__((vector_size(20))) int five;
float8 f(floats a, floats b) { return (float8)(a, b) + undeclared; }
//// [-cl-std=CL2.0] address spaces as attributes
typedef __private int number;
void f(__attribute__((opencl_global)) int *p, __attribute__((opencl_local)) int *q) {
    global int *same = p;
    global int *other = q;
    __attribute__((opencl_global)) __private int a;
    __attribute__((opencl_global)) number *b;
}
__private int g(void);
__private int *h(void);
//// a size from pointers
constant int number = 1;
typedef int some[&number + 3 - &number];
//// [--device=full -cl-std=CL3.0] casts of blocks
typedef void (^block)(local void *);
void f(void) { block b = (block)^(local void *p) { }; block c = (block)^(int p) { }; b(0); }
