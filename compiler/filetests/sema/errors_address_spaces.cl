// test: sema
int program_scope = 1;
__constant int uninitialised;
__constant int writable[2] = {1, 2};
void helper(int *p) { __local int in_helper; }
__kernel void k(__global int *g, __local int *l, __constant int *c)
{
    __local int initialised = 3;
    { __local int nested; }
    __global int in_function;
    __private int *p = g;
    p = l;
    g = l;
    g = (__global int *)l;
    g == l;
    helper(g);
    __global __local int *both;
    writable[0] = 3;
    c[0] = 1;
    static int counter;
    __generic int *any;
    __global int **nested = (__global int **)&p;
}
