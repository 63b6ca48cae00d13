// test: negative
//// a kernel that returns a value
__kernel int k(void) { return 1; }
//// a private pointer as an argument
__kernel void k(int *p) { }
//// a pointer to a pointer as an argument
__kernel void k(__global int **p) { }
//// a bool argument
__kernel void k(bool b) { }
//// a size_t argument
__kernel void k(size_t n) { }
//// a ptrdiff_t argument
__kernel void k(ptrdiff_t n) { }
//// an event as an argument
__kernel void k(event_t e) { }
//// a struct with a pointer as an argument
struct S { int *p; }; __kernel void k(struct S s) { }
//// a struct with a bool as an argument
struct S { bool b; }; __kernel void k(struct S s) { }
//// a struct with a size_t in an inner struct as an argument
struct T { size_t n; }; struct S { struct T t; }; __kernel void k(struct S s) { }
//// a kernel that is static
static __kernel void k(void) { }
//// a kernel with variable arguments
__kernel void k(int a, ...) { }
//// a kernel twice
__kernel void k(void) { } __kernel void k(void) { }
//// two sizes of a work-group
__kernel __attribute__((reqd_work_group_size(8, 8))) void k(void) { }
//// a work-group of no items
__kernel __attribute__((reqd_work_group_size(0, 1, 1))) void k(void) { }
//// a size that is no constant
__kernel __attribute__((reqd_work_group_size(n, 1, 1))) void k(int n) { }
//// a vec_type_hint without a type
__kernel __attribute__((vec_type_hint(4))) void k(void) { }
//// an empty vec_type_hint
__kernel __attribute__((vec_type_hint())) void k(void) { }
//// [-cl-std=CL2.0] a pipe argument
__kernel void k(read_only pipe int p) { }
//// [-cl-std=CL2.0] a queue argument
__kernel void k(queue_t q) { }
//// [-cl-std=CL2.0] a generic pointer as an argument
__kernel void k(__generic int *p) { }
//// kernel on a variable
__kernel int a;
//// a kernel without a body brace
__kernel void k(void) return;
//// a kernel with a misspelt qualifier
__kerel void k(__global int *p) { }
//// a kernel without a type
__kernel k(void) { }
//// a kernel without parentheses
__kernel void k { }
//// an unnamed kernel
__kernel void (void) { }
//// a void argument beside others
__kernel void k(void, int a) { }
//// a local argument that is no pointer
__kernel void k(__local int a) { }
//// recursion in a kernel
__kernel void k(__global int *p) { k(p); }
//// an attribute with a string for a number
__kernel __attribute__((reqd_work_group_size("8", 1, 1))) void k(void) { }
//// an aligned attribute that is no power of two
struct S { int a; } __attribute__((aligned(3))); __kernel void k(struct S s) { }
//// an overloaded kernel
__attribute__((overloadable)) __kernel void k(int a) { } __attribute__((overloadable)) __kernel void k(float a) { }
//// an undeclared name in a kernel's third line
__kernel void add(__global const float *a, __global float *b)
{
    size_t i = get_global_id(0);
    b[i] = a[i] * scale;
}
//// a whole kernel with three mistakes
__kernel void add(__global const float *a, __global float *b, int n)
{
    int i = get_globl_id(0);
    if (i < n) {
        a[i] = b[i]
    }
    return i;
}
