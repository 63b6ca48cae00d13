// test: negative
//// a global pointer assigned to a private one
void f(__global int *g) { int *p = g; }
//// a local pointer assigned to a global one
void f(__local int *l, __global int *g) { g = l; }
//// a global pointer passed as a private one
void h(int *p); void f(__global int *g) { h(g); }
//// a local pointer cast to a global one
void f(__local int *l) { __global int *g = (__global int *)l; }
//// comparing pointers of two address spaces
int f(__local int *l, __global int *g) { return l == g; }
//// subtracting pointers of two address spaces
long f(__local int *l, __global int *g) { return g - l; }
//// ?: of pointers of two address spaces
void f(int a, __local int *l, __global int *g) { a ? l : g; }
//// two address spaces
void f(__global __local int *p) { }
//// a parameter with an address space
void f(__global int a) { }
//// a result with an address space
__global int f(void) { return 1; }
//// a global variable in a function
void f(void) { __global int a; }
//// a local variable in a function that is no kernel
void f(void) { __local int a; }
//// a local variable in an inner block
__kernel void k(void) { if (1) { __local int a; } }
//// a local variable in a loop
__kernel void k(void) { for (int i = 0; i < 2; i++) { __local int a[4]; } }
//// a local variable with an initialiser
__kernel void k(void) { __local int a = 1; }
//// a constant variable without an initialiser
__constant int a;
//// a constant variable without an initialiser in a kernel
__kernel void k(void) { __constant int a; }
//// writing to a constant
__constant int a = 1; void f(void) { a = 2; }
//// writing through a constant pointer
void f(__constant int *p) { *p = 1; }
//// [-cl-std=CL1.2] a variable at program scope that is not constant
int counter = 0;
//// [-cl-std=CL1.2] a global variable at program scope
__global int counter = 0;
//// [-cl-std=CL1.2] the generic address space in 1.2
void f(__generic int *p) { }
//// [-cl-std=CL2.0] generic to constant
void f(int *p) { __constant int *c = (__constant int *)p; }
//// [-cl-std=CL2.0] constant to generic
void f(__constant int *c) { int *p = c; }
//// [-cl-std=CL2.0] generic to global without a cast
void f(int *p) { __global int *g = p; }
//// [-cl-std=CL2.0] a local variable at program scope
__local int a;
//// [-cl-std=CL2.0] a private variable at program scope
__private int a;
//// nested pointers to other address spaces
void f(__global int *__private *a) { __local int *__private *b = a; }
//// [-cl-std=CL1.2] a static variable in a function
void f(void) { static int a = 0; }
//// the address of a local variable as a global pointer
__kernel void k(void) { __local int a; __global int *p = &a; }
//// an access qualifier on an int
void f(__read_only int a) { }
//// a private pointer returned as a global one
__global int *f(int *p) { return p; }
//// a string as a private pointer
void f(void) { char *s = "abc"; }
//// [-cl-std=CL1.2] a misspelt address space
void f(__globl int *p) { }
