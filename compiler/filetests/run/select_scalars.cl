// test: run
// A vector chooses between scalars: they keep their own type, or take the greater rank of the
// two, without being promoted to int first.
// kernel: choose
// global: 1
// arg: buffer int 12*0
// arg: buffer char 5 -6
// arg: buffer short 700 -800
// arg: buffer long -1 0
// expect 0: int 5 -6 5 700 -800 -800 -6 9 -9 65436 65436 700
__kernel void choose(__global int *out, __global const char *c, __global const short *s, __global const long *l)
{
    char a = c[0], b = c[1];
    short p = s[0], q = s[1];
    char3 pick = (char3)(-1, 0, -1);
    char3 r = pick ? a : b;
    out[0] = r.x; out[1] = r.y; out[2] = r.z;
    short2 r2 = (short2)(-1, 0) ? p : q;
    out[3] = r2.x; out[4] = r2.y;
    // char beside short: short.
    short2 r3 = (short2)(0, 0) ? a : q;
    out[5] = r3.y;
    short2 r4 = (short2)(-1, 0) ? b : p;
    out[6] = r4.x;
    long2 r5 = (long2)(l[0], l[1]) ? 9L : -9L;
    out[7] = (int)r5.x; out[8] = (int)r5.y;
    // short beside ushort: ushort.
    ushort u = 65436;
    ushort2 r6 = (ushort2)(0, 1) ? (short)3 : u;
    out[9] = r6.x;
    r6 = (ushort2)(0x8000, 0) ? (short)-100 : u;
    out[10] = r6.x;
    short4 v = (short4)(-1) ? p : (short4)(1, 2, 3, 4);
    out[11] = v.w;
}
