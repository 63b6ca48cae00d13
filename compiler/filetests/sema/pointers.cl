// test: sema
typedef struct P { int v; struct P *next; int a[3]; } P;
void pointers(__global int *g, __local float4 *l, __constant char *c, int *p, P *q, ulong n, int i)
{
    g[i] = g[1] + *g;
    g = g + i;
    g = n + g;
    g -= 2u;
    g++;
    --p;
    i = p - p;
    i = p < p;
    i = p == 0;
    i = p != (void *)0;
    i = !p;
    if (p && g) i = 1;
    p = i ? p : 0;
    void *v = p;
    p = v;
    const int *k = p;
    p = (int *)n;
    n = (ulong)g;
    l[i].xy = l->zw;
    i = c[2];
    q->next->a[i] = q->v;
    (*q).v = 3;
    p = &q->a[1];
    p = q->a;
    int (*rows)[3] = &q->a;
    i = (*rows)[2];
    int **pp = &p;
    **pp = i;
    *p++ = *--p;
    int m[2][3];
    i = m[1][i];
    p = m[1];
    i = sizeof(m) + sizeof *p + sizeof(P);
    i = 2[p];
}
