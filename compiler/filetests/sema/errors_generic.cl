// test: sema
// options: -cl-std=CL2.0
__local int work_group;
void spaces(constant int *c, int *any, global int *g)
{
    any = c;
    g = any;
    c = (constant int *)any;
    atomic_int a, c = 1;
    a = 2;
    int b = a;
}
