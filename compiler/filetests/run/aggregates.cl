// test: run
// Initialisers, compound literals, assignment as a value, records returned and chosen, odd layouts.
// kernel: initialisers
// global: 1
// arg: buffer int 40*0
// arg: int 2
// expect 0: int 2 3 0 0 2 0 7 2 3 6 99 4 98 5 9 0 4 21 1 0 2 0 3 7
// kernel: layouts
// global: 1
// arg: buffer uchar 1 4*0xff 2 0 3 24*9 5 0 0 0 12*9
// arg: buffer int 12*0
// expect 1: int -1 2 3 5 16 48 32 7 10 20 30 5
typedef struct { int a; float b[3]; struct { short x, y; } p; } S;
typedef struct __attribute__((packed)) { uchar c; int i; short s; uchar t; } tight;
typedef struct { uchar c; int i __attribute__((aligned(16))); } spaced;
typedef struct { uchar c; spaced s; } nested;
typedef union { float4 v; float f[8]; uchar b[3]; } wide;
S make(int n) { S s = { n, { 1, 2, 3 }, { 4, 5 } }; return s; }
__kernel void initialisers(__global int *o, int n) {
    int list[4] = { n, n + 1 };
    for (int i = 0; i < 4; i++) o[i] = list[i];
    S s = { .a = n, .b = { [1] = 2.0f }, .p.y = 7 };
    o[4] = s.a; o[5] = (int)s.b[0]; o[6] = s.p.y; o[7] = (int)s.b[1];
    S t = (S){ 1, { 2, 3, 4 }, { 5, (short)n } };
    o[8] = (int)t.b[1];
    const int big[40] = { 1, 2, 3, 4, 5, 6, 7 };
    o[9] = big[n + 3];
    char text[] = "abc";
    o[10] = text[n]; o[11] = sizeof(text); o[12] = text[1];
    o[13] = ((int[]){ n, 5, 3 })[n - 1];
    S zero[20] = { { 0 }, { .a = 9 } };
    o[14] = zero[1].a; o[15] = zero[n].a;
    o[16] = make(3).p.x;
    S u, w;
    u = w = make(21);
    o[17] = u.a;
    u.a = 20;
    o[18] = (n > 1 ? t : u).a;
    o[19] = (n > 2 ? t : u).a == 20 ? 0 : 1;
    S *p = &zero[3];
    *p = t;
    o[20] = (*p).p.y;
    o[21] = zero[2].p.y;
    o[22] = (u = t, (int)u.b[1]);
    zero[4] = *p;
    zero[4].a += 6;
    o[23] = zero[4].a;
}
__kernel void layouts(__global tight *in, __global int *o) {
    tight t = in[0];
    o[0] = t.i; o[1] = t.s; o[2] = t.t;
    o[3] = ((__global spaced *)((__global uchar *)in + 16))->i;
    o[4] = (int)((__private char *)&((spaced *)16)->i - (__private char *)16);
    o[5] = sizeof(nested);
    o[6] = sizeof(spaced);
    nested n;
    n.s.i = 7;
    nested m = n;
    o[7] = m.s.i;
    wide w;
    w.v = (float4)(10, 20, 30, 40);
    wide x = w;
    o[8] = (int)x.f[0]; o[9] = (int)x.f[1]; o[10] = (int)x.v.z;
    w.f[7] = 5;
    x = w;
    o[11] = (int)x.f[7];
}
