// test: sema
// options: -cl-std=CL2.0
int counter = 3;
global int *where = &counter;
int load(int *p) { return *p; }
void store(__global int *g, __local int *l, int **pp)
{
    int x = 1;
    int *any = g;
    any = l;
    any = &x;
    counter += load(g) + load(l) + load(&x) + (any == g);
    __global int *back = (__global int *)any;
    static int calls;
    calls++;
    *where = calls;
    **pp = 1;
}
