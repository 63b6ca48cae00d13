// test: sema
typedef struct { int a; float b; } S;
void h(int n) { }
void h2(int i, float f, int *p, float *fp)
{
    S t = i;
    p = 5;
    i = p;
    (float)p;
    (int *)f;
    (S)i;
    h = 1;
    int w = h;
    sizeof(struct Later);
    undeclared + 1;
    indxe[0];
    missing(1);
    i ? p : f;
    if (i = 3) ;
    double_it(i);
}
