// test: negative
//// [-Wall] warning: an unused variable
void f(void) { int unused; int __attribute__((unused)) marked; int marked_too __attribute__((unused)); }
//// [-Wall] warning: a variable that is only set
void f(int n) { int set; set = n; }
//// [-Wextra] warning: an unused parameter
int f(int used, int unused) { return used; }
//// [-Wall] warning: an unused function
static int helper(void) { return 1; } static int called(void) { return 2; } kernel void k(global int *p) { *p = called(); }
//// [-Wall] warning: a variable read before it is set
int f(void) { int x; int y = x + 1; x = 2; return x + y; }
//// [-Wall] warning: only the last variable; others are set in a loop, by their address or under a condition
int g(int n) { int x; for (int i = 0; i < n; i++) { if (i) n += x; x = i; } return n; }
void set(int *p); int h(void) { int x; set(&x); return x; }
int c(int n) { int x; if (n) x = 1; return x; }
int d(int n) { int a[2]; a[0] = n; float4 v; v.x = 1; return a[0] + (int)v.y + (int)sizeof(n); }
int s(int n) { int x; switch (n) { case 0: x = 1; break; default: x = 2; } return x; }
int l(int n) { int x; goto set; use: return x; set: x = n; goto use; }
int w(int n) { int x; while (n--) { switch (n) { case 1: return x; default: x = n; } } return 0; }
void last(void) { int unused; }
//// [-Wall] warning: integers of different signs are compared
int f(int a, uint b, uchar c) { return (a < b) + (c < b) + (1 < b) + (-1 < b) + (a < c); }
//// [-Wall] warning: shift counts beyond the type
int f(int a, long b, int4 v) { return (a << 32) + (int)(b << 32) + (a >> -1) + (v << 33).x; }
//// [-Wall] warning: a variable assigned to itself
void f(int a) { a = a; }
//// warning: values that nobody uses
void f(int a, global int *p) { a + 1; a == 1; a < 2; p[0]; a; (void)a; a && (p[1] = 2); }
//// warning: a result that must be used
int f(void) __attribute__((warn_unused_result)); void g(void) { f(); (void)f(); }
//// warning: operators of surprising precedence
int f(int a, int b) { return (a & b == 1) + (a << b + 1) + (a & (b == 1)) + (a || b == 1); }
//// warning: an if without a body
void f(int a) { if (a); }
//// warning: an integer that a float cannot hold
float f(void) { return 16777217; }
//// warning: printf of another length
void f(ulong n) { printf("%d %ld %lu\n", n, 1, n); }
//// warning: more local memory than the device has
kernel void k(global int *p) { local int a[8192]; local int b[1]; a[0] = b[0] = *p; p[1] = a[0]; }
//// [-Wall -Wno-unused-variable -Wno-made-up -Wmade-up] warning: one warning is off
void f(int n) { int unused; int set; set = n; }
//// [-Wall -Werror] every warning is an error
void f(void) { int unused; }
//// [-Wall -Werror=unused-variable] one warning is an error
void f(int n) { int unused; int set; set = n; }
//// [-Werror -Wno-error=format] warning: one warning is none
void f(void) { printf("%d\n", 1.0f); }
//// [-Wno-everything -Wformat] warning: one warning is on
void f(int a) { a + 1; printf("%d\n", 1.0f); }

//// warning: printf of vectors with other components
void f(int a, int2 b, int4 c, float4 d, char4 e, long4 g, half4 h) {
  printf("%v4d %v4d %d %v4hd %v4hld", a, b, c, c, c);
  printf("%v4f %v4lf %v4hlf %v4hf %v4d", d, d, d, h, d);
  printf("%v4hhd %v4hd %v4ld %v4hlu %v4hf", e, e, g, c, d);
  printf("%v4s", c);
}

//// [-cl-std=CL2.0] warning: memory orders that atomic functions do not take
void f(global atomic_int *p, global atomic_flag *flag, int *e, memory_order order) {
  atomic_load_explicit(p, memory_order_release);
  __opencl_atomic_load(p, memory_order_acq_rel, memory_scope_device);
  atomic_store_explicit(p, 1, memory_order_acquire, memory_scope_device);
  atomic_flag_clear_explicit(flag, memory_order_acq_rel);
  atomic_compare_exchange_weak_explicit(p, e, 1, memory_order_acq_rel, memory_order_release);
  atomic_load_explicit(p, memory_order_acquire);
  atomic_store_explicit(p, 1, memory_order_release, memory_scope_device);
  atomic_compare_exchange_weak_explicit(p, e, 1, memory_order_release, memory_order_acquire);
  atomic_load_explicit(p, order);
}
