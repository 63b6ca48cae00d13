// test: sema
void warn(int i, __global int *g, const int *c, uint *u, int *p, float *f)
{
    uchar uc = 300;
    char ch = 200;
    int n = 1.5f;
    p = c;
    u = p;
    f = p;
    i / 0;
    i % 0;
    int a[3];
    a[3] = a[-1];
    p == f;
    g == 5;
    if (i = 3) ;
    long l = 18446744073709551615;
    float huge = 1e50f;
    struct Only { int m; };
    int;
}
int nothing(void) { }
#pragma OPENCL EXTENSION cl_khr_made_up : enable
void misplaced(float *p)
{
    #pragma OPENCL FP_CONTRACT ON
    float f = *p;
    #pragma OPENCL FP_CONTRACT OFF
    *p = f * f + f;
}
