// test: sema
typedef struct { int a; float b; } S;
void h(int i, float f, S s, int *p, float *fp)
{
    f % 2;
    ~f;
    f << 1;
    -p;
    *i;
    &5;
    s + 1;
    s == s;
    (i + 1) = 2;
    5++;
    i();
    s.c = 1;
    s->a = 1;
    p.x = 1;
    i.x = 1;
    i[0];
    p + p;
    p - fp;
    p[f];
    int q = s;
}
