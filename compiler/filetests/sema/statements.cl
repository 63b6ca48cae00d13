// test: sema
int statements(int n, __global int *o)
{
    for (int i = 0, j = n; i < j; ++i, j--) { if (i == 3) continue; if (i > 5) break; o[i] = j; }
    for (;;) break;
    while (n--) o[n]++;
    do { n += 2; } while (n < 10);
    __attribute__((opencl_unroll_hint(4))) for (int i = 0; i < 4; i++) o[i] = i;
    #pragma unroll
    for (int i = 0; i < 4; i++) o[i] = i;
    switch (n & 7) {
    case 0: n = 1;
    case 1: { int k = 2; n = k; break; }
    case 2 ... 4: goto out;
    default: switch (o[0]) { case -1: break; }
    }
    if (n) { } else if (n > 2) n = 3; else ;
again:
    if (o[1]-- > 0) goto again;
out:
    return n > 1 ? n : o[2];
}
int duff(int n, __global int *o)
{
    switch (n) { case 0: do { o[0]++; case 3: o[1]++; } while (--n > 0); }
    const int size = 3;
    int a[size * 2];
    return sizeof(a);
}
