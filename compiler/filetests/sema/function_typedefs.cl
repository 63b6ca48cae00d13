// test: sema
// options: -cl-std=CL3.0
typedef int F(int);
typedef F Same;
typedef void Kernel(global int *);
__attribute__((reqd_work_group_size(4, 1, 1))) kernel Kernel k;
F before, also;
static Same internal;
static int internal(int x) { return x + 1; }
int before(int x) { return x * 2; }
int caller(int x) { F later; return later(x) + before(x) + internal(x); }
int later(int x) { return x * 3; }
kernel void k(global int *o) {
#pragma unroll (sizeof(int) * 2)
    for (int i = 0; i < 9; i++) o[i] = caller(i);
#pragma unroll
#pragma OPENCL FP_CONTRACT OFF
    for (int i = 0; i < 9; i++) o[i] = i;
#pragma nounroll
    while (o[0]) o[0]--;
}
kernel Kernel k;
