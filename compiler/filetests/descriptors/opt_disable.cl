// test: descriptors
// options: --abi=descriptors -cl-opt-disable
// Which buffer a pointer leads to must be known without optimisation too.
typedef struct { __global int *at; int n; } view;
int of(view *v, int i) { return v->at[i]; }
__kernel void k(__global int *in, __global int *out, int n)
{
    view v = { in + 1, n }, *p = &v;
    __global int *q = 0 ? out : in;
    out[0] = of(p, n) + q[1];
}
