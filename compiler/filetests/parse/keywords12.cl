// test: parse
// options: -cl-std=CL1.2
int f(int generic, int pipe) { return generic + pipe; }
__kernel void __attribute__((work_group_size_hint(1, 1, 1))) k(__global int *restrict p, __read_only image2d_t i) { }
unsigned char c1; signed char c2; long int unsigned l; half *h; _Bool b;
typedef float float4x4[4];
float4x4 matrix;
