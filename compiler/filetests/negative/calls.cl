// test: negative
//// a function that is not declared
void f(void) { g(1); }
//// a misspelt built-in
size_t f(void) { return get_globalid(0); }
//// a misspelt function
int helper(int a); int f(void) { return hleper(1); }
//// a C library function
void f(void) { void *p = malloc(16); }
//// too few arguments
int g(int a, int b); int f(void) { return g(1); }
//// too many arguments
int g(int a, int b); int f(void) { return g(1, 2, 3); }
//// arguments for a function without
int g(void); int f(void) { return g(1); }
//// a pointer for an int
int g(int a); int f(int *p) { return g(p); }
//// an int for a pointer
int g(int *a); int f(int a) { return g(a); }
//// a float pointer for an int pointer
int g(__global int *a); int f(__global float *a) { return g(a) + undeclared; }
//// a struct for an int
typedef struct { int a; } S; int g(int a); int f(S s) { return g(s); }
//// direct recursion
int f(int n) { return n ? n * f(n - 1) : 1; }
kernel void k(void) { f(3); }
//// recursion that is the last call, with a variable that each call has of its own
int f(int n) { int m = 1; int *p = &m; return n ? f(n - *p) : 0; }
kernel void k(void) { f(3); }
//// recursion that is the last call but for one
int f(int n) { if (n > 4) return 1 + f(n - 2); return n ? f(n - 1) : 0; }
kernel void k(void) { f(3); }
//// a kernel that calls itself
kernel void k(int n) { if (n) k(n - 1); }
//// recursion that is the last call, with another image
float4 f(read_only image2d_t a, read_only image2d_t b, int n) { if (n) return f(b, a, n - 1); return read_imagef(a, (int2)(0)); }
kernel void k(read_only image2d_t a, read_only image2d_t b, global float4 *o) { *o = f(a, b, 3); }
//// indirect recursion
int g(int n); int f(int n) { return g(n); } int g(int n) { return f(n); }
int h(int n) { return f(n); }
kernel void k(void) { h(3); }
//// [--device=full -cl-std=CL3.0] recursion in an enqueued block
int f(int n) { return n ? -f(n - 1) : 0; }
void g(queue_t q, ndrange_t r) { enqueue_kernel(q, 0, r, ^{ f(2); }); }
//// recursion that no kernel gets to, and an error
int f(int n) { return n ? -f(n - 1) : unknown; }
kernel void k(void) { }
//// a function's name as a value
int g(void); void f(void) { int a = g; }
//// the address of a function
int g(void); void f(void) { void *p = &g; }
//// variable arguments
int f(int a, ...) { return a; }
//// no overload fits
__attribute__((overloadable)) int g(int a); __attribute__((overloadable)) int g(float4 a); int f(int2 v) { return g(v); }
//// two overloads fit
__attribute__((overloadable)) int g(int a); __attribute__((overloadable)) int g(uint a); int f(float v) { return g(v); }
//// a built-in with too few arguments
size_t f(void) { return get_global_id(); }
//// a built-in with too many arguments
float f(float a) { return sin(a, a); }
//// a built-in with the wrong type
float f(int *p) { return sqrt(p); }
//// a built-in with mixed types
float4 f(float4 a, float2 b) { return max(a, b); }
//// mixed integer and float arguments
float f(float a) { return min(a, 1); }
//// dot of integers
int f(int4 a) { return dot(a, a); }
//// cross of two-vectors
float2 f(float2 a) { return cross(a, a); }
//// fract without a pointer
float f(float a) { return fract(a, a); }
//// warning: frexp with the wrong pointer
float f(float a, float *p) { return frexp(a, p); }
//// [-cl-std=CL1.2] a function of OpenCL C 2.0
void f(void) { work_group_barrier(CLK_LOCAL_MEM_FENCE); }
//// [-cl-std=CL1.2] an atomic of OpenCL C 2.0
void f(__global int *p) { atomic_store_explicit(p, 1, memory_order_relaxed); }
//// [-cl-std=CL3.0] a function behind an optional feature
int f(int a) { return work_group_reduce_add(a); }
//// a function of an extension
uint f(void) { return get_sub_group_size(); }
//// atomic_add on a float
void f(__global float *p) { atomic_add(p, 1.0f); }
//// atomic_add on private memory
void f(int *p) { atomic_add(p, 1); }
//// atomic_inc without an argument
void f(void) { atomic_inc(); }
//// barrier without flags
__kernel void k(void) { barrier(); }
//// async copy in the wrong direction
__kernel void k(__global float *g, float *p) { async_work_group_copy(p, g, 4, 0); }
//// wait_group_events with an int
__kernel void k(void) { int e; wait_group_events(1, &e); }
//// printf without a format
__kernel void k(void) { printf(); }
//// printf with a format that is no literal
__kernel void k(__global char *s) { printf(s); }
//// printf with a struct
typedef struct { int a; } S; __kernel void k(S s) { printf("%d\n", s); }
//// printf defined by the program
int printf(__constant char *s, ...) { return 0; }
//// image functions
float4 f(void) { return read_imagef(0, 0, 0); }
//// enqueue_kernel
void f(void) { enqueue_kernel(0, 0, 0, 0); }
//// select with the wrong mask
float4 f(float4 a, float4 b, float4 c) { return select(a, b, c); }
//// as_type of a pointer
int f(int *p) { return as_int(p); }
//// convert of a struct
typedef struct { int a; } S; int f(S s) { return convert_int(s); }
//// a call at program scope
int g(void); __constant int a = sqrt(4.0f);
//// get_fence in 1.2
void f(__global int *p) { get_fence(p); }
//// ldexp with two floats vectors
float4 f(float4 a) { return ldexp(a, a); }
//// a work-item function with a pointer
size_t f(int *p) { return get_local_id(p); }
//// mad24 of longs
long f(long a) { return mad24(a, a, a); }
//// a void function's result
void g(int); void f(void) { int a = g(1) + 1; }

//// __builtin_assume with two arguments
void f(int n) { __builtin_assume(n, 2); }

//// the value of __builtin_assume
int f(int n) { return __builtin_assume(n > 1); }
//// warning: printf of a float as an integer
kernel void k(float x) { printf("%d\n", x); }
//// warning: printf of an integer as a float
kernel void k(int x) { printf("%5.2f %%\n", x); }
//// printf of a pointer that is no string
kernel void k(global int *p) { printf("%s %p\n", p, p); }
//// warning: printf of a vector of the other kind
typedef float4 colour; kernel void k(colour c) { printf("%v4hlf %v4hld %p\n", c, c, c); }
//// warning: printf with too few arguments
kernel void k(int x) { printf("%d %d\n", x); }
//// warning: printf with too many arguments
kernel void k(int x) { printf("%d\n", x, x); }
//// warning: printf of a directive that is none
kernel void k(int x) { printf("%n%d\n", x, x); }
//// warning: printf of all that fits, and a last that does not
void k(bool b, char c, float2 f) { printf("%c %x %v2f %s %s %p %d", c, b, f, "s", NULL, &c, &b); }
//// frexp with a number for the pointer
float f(float a) { return frexp(a, a); }
//// warning: a store through a pointer to const
void f(__global const float *p) { vstore4((float4)(1), 0, p); }
//// a store into constant memory
void f(__constant float *p) { vstore4((float4)(1), 0, p); }
//// warning: an overload that fits but for a pointer to const
void __attribute__((overloadable)) put(__global ushort *p, ushort2 v) { vstore2(v, 0, p); }
void __attribute__((overloadable)) put(__global ushort *p, ushort4 v) { vstore4(v, 0, p); }
void f(__global const ushort *p) { put(p, (ushort2)(1, 2)); }
//// warning: an overload that fits but for the type of a pointer
uint __attribute__((overloadable)) get(__global const uint *p) { return p[0]; }
uint __attribute__((overloadable)) get(__local const uint *p) { return p[0]; }
uint f(__global ushort *p) { return get(p); }
//// overloads of which two fit but for the type of a pointer
uint __attribute__((overloadable)) get(__global const uint *p) { return p[0]; }
uint __attribute__((overloadable)) get(__global const float *p) { return 0; }
uint f(__global ushort *p) { return get(p); }
