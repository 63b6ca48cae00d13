// test: run
// Vectors, records and constants on run-time values; the expected numbers are clang's on 64-bit x86.
// kernel: vectors
// global: 1
// arg: buffer int 179*0
// arg: buffer int -7 3 5 -16 -100 30000 65535 0
// expect 0: int -4 6 8 -13 -22 8 14 -49 -3 1 2 -8 -1 0 2 -1 -28 12 20 -64 -1 0 0 -2 7 -3 -5 16 6 -4 -6 15 0 0 0 0 -1 0 0 -1 0 -1 0 0 -1 0 -1 0 0 0 0 0 -1 -1 -1 -1 -1 -1 -1 -1 -1 0 0 0 -7 3 3 -16 7 2 3 16 -7 3 5 -16 8 0 4 0 -5 1 7 -13 -16 5 3 -7 5 -16 -7 3 -16 3 -16 3 3 -16 3 -7 -16 -11 -16 -11 -6 3 99 -16 -16 6 2147483640 -2 -1 -3 375 22 -64 -4 244 22 -5888 9 13 67 32 -2 2 543 53 15 11 66 11 6 7 8 9 2 14 17 -3 3 4 -7 7 4 55 1028 1 1 1 1 1 -1 -1 -1 -1 -1 -1 -1 -1 1 -7 1 2 3 4 -4 6 8 -13 1 1 1 1 106 60394 6 -1234567
struct Pair { char4 c; float3 f; short2 s[2]; };
typedef struct __attribute__((packed)) { char a; int b; short c[3]; } Packed;
__constant int4 table[2] = {(int4)(1, 2, 3, 4), (int4)(5)};
__constant struct { short a; float2 v; int m[2][2]; } record = {7, {1.5f, 2}, {{1}, {2, 3}}};
__constant char text[] = "vec\ttor";
struct Pair make(int n) { struct Pair p = {(char4)((char)n), (float3)(n, 1, 2), {(short2)(n, n + 1)}}; p.c.yz = p.c.xx + (char2)(1, 2); return p; }
int sum(int8 v) { int4 a = v.lo + v.hi; return a.x + a.y + a.z + a.w; }
__kernel void vectors(__global int *out, __global const int *in)
{
    int k = 0, n = in[1], i = in[0];
    int4 a = (int4)(in[0], in[1], in[2], in[3]), b = (int4)(n), r;
    uint4 u = (uint4)(in[3], 1, 2, 3); float4 f = (float4)(1.5f, -2.25f, in[1], 0.0f), g; char8 c = (char8)(1, 2, 3, 4, 5, 6, 7, in[4]);
    uchar16 w = (uchar16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 250); short3 s = (short3)(in[5], 2, 3); long2 l = (long2)(in[3], 1); ulong2 ul = (ulong2)(7, 8);
#define P4(v) r = (v); out[k++] = r.x; out[k++] = r.y; out[k++] = r.z; out[k++] = r.w;
    P4(a + b) P4(a * 3 - 1) P4(a / 2) P4(a % b) P4(a << 2) P4(a >> b) P4(-a) P4(~a) P4(!a)
    P4(a < b) P4(a == b) P4(f > 0.0f) P4(f != f) P4(a && b) P4(a || 0) P4(u > 5u) P4(a < b ? a : b) P4((a > 0) ? (int4)(1, 2, 3, 4) : -a)
    P4(i < 0 ? a : b) P4(a & 12) P4(a ^ b | 1) P4(a.wzyx) P4((int4)(a.hi, a.lo)) P4(a.s3210.even.xyxy) P4((int4)(a.odd, a.yx))
    r = a; r.xz = r.yw; r.s3 += 5; r.y <<= 2; r.lo = r.hi; P4(r) r = a; r[n - 1] = 99; r[0]++; P4(r) out[k++] = a[n]; out[k++] = (a + b)[1];
    u >>= 1; out[k++] = u.x; u -= (uint4)(2); out[k++] = u.y; u = u * 2 + 1; out[k++] = u.z; f *= 2; f.yz += 1.0f; out[k++] = (int)(f.x * f.y + f.z); g = f; g.w = g.x / 2; g /= 4; out[k++] = (int)(g.w * 1000);
    c += c; c.hi = c.lo * c.hi; out[k++] = c.s0 + c.s4; out[k++] = c.s7; char8 cc = c > (char)4; out[k++] = cc.s0 + cc.s7 * 2 + cc.s3 * 4; w.s0f = w.sf0; w.s89ab = w.lo.hi; w += w; out[k++] = w.s0; out[k++] = w.sF + w.s8 + w.sB;
    s = s * s; out[k++] = s.x; out[k++] = s.z; s.xy = s.yz; out[k++] = s.x + s.y; out[k++] = sizeof(s) + sizeof(struct Pair) + sizeof(Packed); l = l * l + 1; out[k++] = (int)(l.x >> 3); long2 lc = ul > (ulong2)(7); out[k++] = (int)(lc.x + lc.y * 2); l = ul.x == 7 ? l : lc; out[k++] = (int)l.y;
    struct Pair p = make(n), q = p, arr[2] = {p}; q.c.w = 50; q.f.z = 9; arr[1] = q; arr[1].s[1].y = 4; out[k++] = p.c.x + p.c.y * 10 + p.c.z * 100; out[k++] = arr[1].c.w + arr[0].c.w; out[k++] = (int)(arr[1].f.z + arr[0].f.z + make(4).f.x); out[k++] = arr[1].s[1].y + arr[0].s[0].y + arr[1].s[0].x;
    Packed pk[2] = {{1, 2, {3, 4, 5}}}; pk[1] = pk[0]; pk[1].b = in[3]; pk[0].c[2] = 77; Packed *pp = pk; pp++; out[k++] = pp->b + pp->c[2] + pk->c[2]; out[k++] = (int)((char *)pp - (char *)pk);
    P4(table[n - 2] + table[0]) out[k++] = table[0].y; out[k++] = (int)(record.v.y * 2) + record.m[1][1] + record.a; out[k++] = text[3] + sizeof(text); out[k++] = sum((int8)(a, b));
    int4 m[2] = {{1, 2, 3, 4}, (int4)(i)}; int4 *pm = m + 1; pm->xy = m[0].zw; (*pm).w = 7; P4(pm[0]) int *pi = (int *)m; out[k++] = pi[5]; pi[2] = 55; out[k++] = m[0].z; uint bits = as_uint(f.x); out[k++] = bits >> 20;
    bool bo = a.x < 0; out[k++] = bo; r = (int4)(bo); P4(r) r = (int4)bo; P4(r) r = bo; P4(r) g = (float4)(bo); out[k++] = (int)g.y; float fv = i; g = fv; out[k++] = (int)g.w; r = (int4)((int2)(1, 2), 3, (char)260); P4(r) a++; --b; P4(a + b--) P4(b)
    int16 big = (int16)(a, b, a, b); big.s05 = big.sfa; out[k++] = big.s0 * 100 + big.s5; int3 t = a.xyz; t.zyx = t; out[k++] = t.x * 10000 + t.y * 100 + t.z; out[k++] = ((int3)(1, 2, 3) + t).y;
    out[k++] = -1234567;
}
