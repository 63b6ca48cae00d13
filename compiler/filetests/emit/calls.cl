// test: emit
// -g, attributes, kernels called as functions, arguments of every kind, static functions.
// RUN is on the first line of other tests; this one has none.
static float unused(float x) { return x; }
static inline int twice(int x) { return 2 * x; }
void fill(private int *p, int n) { for (int i = 0; i < n; ++i) p[i] = i; }
kernel void inner(global int *p, char c) { p[1] = c; }
kernel __attribute__((vec_type_hint(float4))) __attribute__((work_group_size_hint(8, 4, 1)))
void outer(global int *p, const global float *const restrict q, volatile global uint *v, short s, uchar u) {
    int a[8];
    fill(a, 8);
    p[0] = twice(a[3]) + s + u + *v;
    inner(p, 3);
}
int external(int x);
int exported(int x) { return x == 0 ? 0 : external(x); }
