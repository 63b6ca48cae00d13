// test: negative
//// [-cl-std=CL1.0] storage classes of OpenCL C 1.0
void f(void) { auto int a; register int b; static int c; extern int d; }

//// [-cl-std=CL1.0] storage classes with clang's extension
#ifndef cl_clang_storage_class_specifiers
#error not there
#endif
#pragma OPENCL EXTENSION cl_clang_storage_class_specifiers : enable
void f(void) { auto int a; register int b; }
#pragma OPENCL EXTENSION cl_clang_storage_class_specifiers : disable
void g(void) { auto int a; }

//// auto
void f(void) { auto int a; register int b; }

//// variable arguments
int f(int a, ...);
typedef void (*pointer)(int, ...);
int printf(constant char *format, ...);
void __of_the_implementation(int, ...);

//// [-cl-std=CL1.0] printf of one's own before OpenCL C 1.2
int printf(constant char *format, ...);

//// variable arguments with clang's extension
#pragma OPENCL EXTENSION __cl_clang_variadic_functions : enable
int f(int a, ...) { return a; }
void g(void) { f(); f(1, 2, unknown); }
#pragma OPENCL EXTENSION all : disable
int h(int a, ...);

//// function pointers without clang's extension
#ifndef __cl_clang_function_pointers
#error not there
#endif
void f(int a);
void g(void (*g)(int));
void h(void) { void (*p)(int) = f; }

//// function pointers
#pragma OPENCL EXTENSION __cl_clang_function_pointers : enable
typedef int (*function)(int, float);
int f(int a, float b);
float __attribute__((overloadable)) o(float a);
int __attribute__((overloadable)) o(int a);
kernel void k(function p) { }
void g(function p, void *v, int i) {
  p(i);
  p(i, i, i);
  (*p)(v, 1.0f);
  p = g;
  p = &f + 1;
  p += 1;
  v = p;
  v = (void *)p;
  function q = o;
  i = i();
  q = cos;
  q = p < v ? p : f;
}
constant function table[] = { f, f };
#pragma OPENCL EXTENSION __cl_clang_function_pointers : disable
void h(int p(int));

//// definitions in the style of K&R
int f(a, b) int a; { return a; }
int g(a) int a, c; { return a; }
int h(a) int a, a; { return a; }
int i(int a, float b);
int i(a, b) int a, b; { return a; }
int j(x, y);

//// [-cl-std=CL2.0] _Atomic
_Atomic int a;
_Atomic(int) b;
void f(global _Atomic int *p) { }

//// generic before OpenCL C 2.0
generic int *f(generic int *p) {
  generic int *q;
  return q;
}
int generic;
void g(void) { generic = 1; }

//// floats as conditions of ?:
float f(float c, float a) { return c ? a : -a; }
float g(float c, float a) { return c ?: a; }

//// sizes that kernels do not take, named by the program
typedef __SIZE_TYPE__ size_t;
typedef size_t count;
typedef count amount;
struct S { amount n; };
kernel void k(amount n) { }
kernel void l(struct S s) { }
typedef int bool;
kernel void m(bool fine) { }

//// [-cl-std=CL2.0] pointers to pointers into private memory
kernel void k(private int * global *p) { }
kernel void l(int * global *p) { }
kernel void m(global int * private * global *p) { }
kernel void n(global int * global *p) { }

//// [-cl-std=CL2.0] old atomic functions of generic pointers
int f(volatile generic int *p) { return atomic_add(p, 1); }

//// kernels that are overloaded
__attribute__((overloadable)) kernel void k(global int *p) { }
__attribute__((overloadable)) kernel void k(global float *p) { }

//// memcpy
void f(global int *to, constant int *from, int n) {
  __builtin_memcpy(from, to, 4);
  __builtin_memcpy(to, 4);
  __builtin_memcpy(to, 3, 4);
  int *p = __builtin_memcpy(to, from, 4);
}

//// [-cl-std=CL2.0] address spaces of unified memory
void f(global int *g, local int *l, __attribute__((opencl_global_device)) int *d, __attribute__((opencl_global_host)) int *h) {
  g = d;
  d = g;
  d = h;
  d = (__attribute__((opencl_global_device)) int *)h;
  l = d;
  l = (local int *)h;
  __attribute__((opencl_global_device)) int x;
}
__attribute__((opencl_global_host)) int y;

//// [--device=full -cl-std=CL1.1] functions of OpenCL C 1.2 and of extensions that need it
kernel void k(read_only image2d_t i, write_only image2d_t o, int2 at) {
  write_imagef(o, at, read_imagef(i, at));
  write_imagef(o, at, 1, (float4)(0.0f));
  get_sub_group_size();
  sub_group_non_uniform_reduce_add(1);
}

//// [--device=full] the same in OpenCL C 1.2, and an extension that a pragma disables
#pragma OPENCL EXTENSION cl_khr_subgroups : disable
kernel void k(read_only image2d_t i, write_only image2d_t o, int2 at) {
  write_imagef(o, at, read_imagef(i, at));
  write_imagef(o, at, 1, (float4)(0.0f));
  get_sub_group_size();
  sub_group_non_uniform_reduce_add(1);
  unknown();
}

//// a sampler without a value
constant sampler_t of_program;
kernel void k(global float4 *p, read_only image2d_t i) {
  sampler_t s;
  const sampler_t t;
  *p = read_imagef(i, s, (int2)(0));
}

//// bit-fields without clang's extension
struct s { int a : 3; int : 2; };

//// bit-fields with clang's extension
#ifndef __cl_clang_bitfields
#error not there
#endif
#pragma OPENCL EXTENSION __cl_clang_bitfields : enable
struct s { int a : 3; float f : 2; int b : 33; int c : -1; int d : 0; int : 40; int : -2; bool e : 2; };
struct t { int a : 3; int a : 2; uint : 0; };
int *f(struct s *p) { return &p->a; }
int g(struct s *p) { return sizeof(p->a) + vec_step(p->a) + sizeof((p->a)); }
int h() { return __builtin_offsetof(struct s, a); }

//// [-cl-std=CL2.0] clang's atomic functions
void f(atomic_int *p, const atomic_int *q, int *e, const int *c, float *x, constant int *k, int scope) {
  __opencl_atomic_load(p, memory_order_relaxed, memory_scope_work_item);
  __opencl_atomic_load(p, memory_order_relaxed, 10);
  __opencl_atomic_store(p, 1, memory_order_relaxed, 0);
  __opencl_atomic_compare_exchange_weak(p, e, 1, memory_order_relaxed, memory_order_relaxed, 7);
  __opencl_atomic_load(q, memory_order_relaxed, scope);
  __opencl_atomic_store(q, 1, memory_order_relaxed, scope);
  __opencl_atomic_compare_exchange_weak(p, c, 1, memory_order_relaxed, memory_order_relaxed, scope);
  __opencl_atomic_compare_exchange_weak(p, x, 1, memory_order_relaxed, memory_order_relaxed, scope);
  __opencl_atomic_compare_exchange_weak(p, k, 1, memory_order_relaxed, memory_order_relaxed, scope);
}

//// [-cl-std=CL2.0] gcc's atomic functions
void f(int *p, float *x, char *c, int e) {
  __atomic_load_n(p);
  __atomic_load_n(c, __ATOMIC_SEQ_CST);
  __atomic_fetch_nand(x, 1, __ATOMIC_SEQ_CST);
  __atomic_fetch_nand(p, 1);
  __atomic_compare_exchange(p, &e, 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  __atomic_store_n(p, 1, __ATOMIC_ACQUIRE);
  __atomic_unknown(p);
}

//// gcc's atomic functions before OpenCL C 2.0
int f(global int *p) { return __atomic_load_n(p, __ATOMIC_SEQ_CST); }

//// [-cl-std=CL3.0 -cl-ext=+__opencl_c_pipes,+__opencl_c_atomic_order_seq_cst,+__opencl_c_atomic_scope_device] features that the source undefines
#undef __opencl_c_atomic_scope_device
#undef __opencl_c_pipes
#undef unknown
int f(global atomic_int *a, read_only pipe int p) {
  atomic_fetch_add(a, 1);
  atomic_load_explicit(a, memory_order_relaxed);
  atomic_load_explicit(a, memory_order_relaxed, memory_scope_work_group);
}

//// [-cl-std=CL3.0 -cl-ext=+__opencl_c_atomic_order_seq_cst] atomic functions without a scope where there is no device scope
int f(global atomic_int *a) {
  atomic_fetch_add(a, 1);
  return atomic_load_explicit(a, memory_order_relaxed, memory_scope_work_group);
}

//// [-cl-std=CL2.0 -cl-ext=-cl_khr_int64_base_atomics] a device without 64-bit atomics
global atomic_int i;
global atomic_long l;
global atomic_double d;
global atomic_size_t s;

//// [-cl-std=CL1.2 -cl-ext=+cl_intel_device_side_avc_motion_estimation] motion estimation
struct st { int a; };
void f(int i, float f, struct st s, intel_sub_group_avc_ref_payload_t ref) {
  intel_sub_group_avc_mce_payload_t mce = 0;
  intel_sub_group_avc_ime_payload_t one = 1;
  intel_sub_group_avc_sic_payload_t sic = f;
  intel_sub_group_avc_ime_result_t list = { i };
  intel_sub_group_avc_ime_payload_t good = CLK_AVC_IME_PAYLOAD_INITIALIZE_INTEL, also = { 0 };
  good = ref;
  intel_sub_group_avc_ref_set_bilinear_filter_enable(good);
}
kernel void k(intel_sub_group_avc_ime_payload_t p) { }

//// [-cl-std=CL1.1 -cl-ext=+cl_khr_subgroups,+cl_khr_mipmap_image,+cl_khr_depth_images] extensions that OpenCL C 1.2 has first
#if defined(cl_khr_subgroups) || defined(cl_khr_mipmap_image) || defined(cl_khr_depth_images) || !defined(cl_khr_fp16)
#error wrong macros
#endif
void f(void) {
  intel_sub_group_avc_ime_payload_t p;
  get_sub_group_size();
}

//// [-cl-std=CL1.2 -cl-ext=-cl_khr_fp16] halves without the extension
half f(half *p, half h) {
  half a[2], b;
  *p = p[1];
}
