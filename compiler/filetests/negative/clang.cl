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
int f(void) { int a[four]; int b[four * 2 - 1]; int c[none]; return a[0] + b[0] + undeclared; }
