// test: run
// C's scalar rules on run-time values; the expected numbers are those of a C compiler for 64-bit x86.
// kernel: scalars
// global: 1
// arg: buffer int 83*0
// arg: buffer int -7 3 5 -16 -100 30000 65535 0
// expect 0: int -2 -1 -4 15 56 0 0 1 1 0 1966050000 -5536 56 -65535 -157 100 112 -22144 1 0 4 2 0 0 0 1 1 1 0 -3 5 -1 2147483632 -11 -6 2 -6 5 1 1 9 1 9 5 0 1 8 18 16 1069547520 -24 26 14 2 77 11 10 105 105 100 100 32 10 2 3 299 1 0 -1 11 2 0 16777216 268435455 -8 105 0 0 510 350 12 1 6
__kernel void scalars(__global int *out, __global const int *in) {
    int i = in[0], j = in[1], n = in[2]; /* -7, 3, 5 */
    unsigned u = (unsigned)in[1], big = (unsigned)in[3]; /* 3, 0xfffffff0 */
    char c = (char)in[4]; /* -100 */ unsigned char uc = (unsigned char)in[4]; short s = (short)in[5]; /* 30000 */
    unsigned short us = (unsigned short)in[6]; /* 65535 */
    long l = in[3]; unsigned long ul = big; bool b = in[0], z = in[7]; /* true, 0 */
    int k = 0;
    out[k++] = i / j; out[k++] = i % j; out[k++] = i >> 1; out[k++] = big >> 28; out[k++] = c + uc;
    out[k++] = c > uc; out[k++] = i < u; out[k++] = l < 0; out[k++] = ul == big; out[k++] = l == big;
    out[k++] = s * us; out[k++] = (short)(s * 2); out[k++] = (char)(uc + c); out[k++] = -us; out[k++] = ~uc;
    c += 200; out[k++] = c; uc -= 300; out[k++] = uc; s <<= 3; out[k++] = s; us *= us; out[k++] = us;
    out[k++] = (i > 0 ? i : u) > 100; out[k++] = sizeof(1 ? c : s); out[k++] = b + b; out[k++] = b & z; out[k++] = !i;
    out[k++] = i && z; out[k++] = z || i; z = 256; out[k++] = z; z = 0.25f; out[k++] = z; z = (unsigned char)256; out[k++] = z;
    out[k++] = (int)(i * 0.5f); out[k++] = (unsigned)(j * 1.9f); out[k++] = (int)(long)-1; out[k++] = (int)(ul * ul >> 33);
    out[k++] = i++ * 2 + j--; out[k++] = i; out[k++] = j; out[k++] = ++i - --j; out[k++] = (i = 4, i + 1);
    int a[4] = {1, 2, [3] = 9}; int *p = a; out[k++] = *p++; out[k++] = p - a; out[k++] = p[2]; out[k++] = *--p; out[k++] = 3[a];
    p = &a[3]; *p-- -= 4; out[k++] = a[3]; out[k++] = *p; out[k++] = &a[3] > p; out[k++] = (int)((char *)&a[2] - (char *)a);
    struct S { char x; int y; struct { short q[3]; } in; } st = {1, 2, {{3, 4}}}, t = st, *ps = &t; ps->in.q[2] = 7; t.y += 5; st.x = -1;
    out[k++] = t.x + t.y + t.in.q[1] + t.in.q[2] + st.x + st.in.q[2]; out[k++] = sizeof(struct S);
    union { int i; float f; unsigned char c[4]; } un; un.f = 1.5f; out[k++] = un.i; un.c[3] = 0xc0; out[k++] = un.f * 4;
    int sum = 0; for (int q = 0; q < 10; q++) { if (q == 2) continue; if (q == 8) break; sum += q; } out[k++] = sum;
    sum = 0; do { sum += n; if (sum > 12) goto done; } while (--n); sum = -1; done: out[k++] = sum; out[k++] = n;
    for (int q = -1; q < 6; q++) { int r = 0; switch (q) { case 0: r = 1; case 1: r += 10; break; case 2: case 3: r = 5; default: r += 100; break; case -1: r = 77; } out[k++] = r; }
    int fall = 3, cnt = 0; switch (fall) { case 0: do { cnt++; case 3: cnt += 10; } while (--fall > 0); } out[k++] = cnt;
    int m[2][3] = {{1, 2}, {4}}; int (*row)[3] = m + 1; (*row)[2] = 6; out[k++] = m[1][0] + m[1][2] + m[0][2]; out[k++] = sizeof m / sizeof *m;
    out[k++] = (i > 3 ? j : n) + (z ? 1 : 2); out[k++] = 'a' + '\n' + '\x7f' + '\101'; out[k++] = 0x7fffffff + 0u > 0; out[k++] = -1 < 0u; out[k++] = 1 ? -1 : 0u;
    enum E { A, B = 5, C } e = C; out[k++] = e + B; e = 2; out[k++] = e; out[k++] = (int)(0.1f + 0.2f > 0.3f); out[k++] = (int)(16777217.0f);
    out[k++] = (int)(((unsigned long)in[3] << 4) >> 36); out[k++] = ((long)in[3] * 16) >> 5; int w = 5; w ^= w << 3; w |= 64; w &= ~4; out[k++] = w; w %= 7; out[k++] = w; w /= -2; out[k++] = w;
    unsigned char arr8[4] = {250, 251}; arr8[1] += 10; arr8[2]--; out[k++] = arr8[0] + arr8[1] + arr8[2]; float ff = 7; ff /= 2; ff += w; out[k++] = (int)(ff * 100); int iw = 10; iw *= 1.25f; out[k++] = iw;
    const int *str = 0; out[k++] = !str; out[k++] = (int)sizeof("hello"); 
}
