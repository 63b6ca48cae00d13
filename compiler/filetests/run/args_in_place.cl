// test: run
// Large structures passed by value and read at places that are not constant: words, pairs of words and vectors. Beside them one that is
// written to, one of bytes, and one whose address goes elsewhere.
// kernel: read
// global: 4
// arg: buffer int 0 15 3 9
// arg: long16 -1 2 -3 4 -5 6 -7 8 -9 10 -11 12 -13 14 -15 160000000000
// arg: int16 0..15
// arg: float16 0.5 1.5 2.5 3.5 4.5 5.5 6.5 7.5 8.5 9.5 10.5 11.5 12.5 13.5 14.5 15.5
// arg: long16 100..115
// arg: buffer long 4*0
// expect 5: long 103 160000000171 139 149
// kernel: kept
// global: 4
// arg: buffer int 0 15 3 9
// arg: long16 -1 2 -3 4 -5 6 -7 8 -9 10 -11 12 -13 14 -15 160000000000
// arg: char16 0..15
// arg: long16 100..115
// arg: long16 200..215
// arg: buffer long 4*0
// expect 5: long 1201 160000000116 209 423
struct longs { long x[16]; };
struct vectors { int4 v[4]; };
struct floats { float x[16]; };
struct bytes { char x[16]; };

kernel void read(global const int *at, struct longs a, struct vectors b, struct floats c, struct longs d, global long *out)
{
    int i = get_global_id(0), n = at[i];
    int4 v = b.v[n & 3];
    out[i] = a.x[n] + v.x + v.w + (long)(c.x[n] * 2) + d.x[n ^ 1] + (i == 3 ? a.x[1] : d.x[0] - 100) - 1;
}

long sum(const long *from, int n)
{
    return n ? from[n] + from[0] : from[1];
}

kernel void kept(global const int *at, struct longs a, struct bytes b, struct longs c, struct longs d, global long *out)
{
    int i = get_global_id(0), n = at[i];
    a.x[n ^ 3] = 1000;
    const long *which = n & 2 ? c.x : d.x;
    out[i] = a.x[n | 3] + b.x[n] + sum(which, i & 2);
}
