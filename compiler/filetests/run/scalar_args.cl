// test: run
// Arguments by value of every width, beside each other.
// kernel: args
// global: 1
// arg: buffer long 10*0
// arg: char -5
// arg: ushort 60000
// arg: int -70000
// arg: ulong 0x123456789abcdef0
// arg: float 1.5
// arg: uchar3 1 2 3
// arg: short4 -1 2 -3 4
// arg: float2 0.25 8
// arg: long3 -1 -2 -3
// expect 0: long -5 60000 -70000 1311768467463790320 3 321 1694 8250 -6 7
__kernel void args(__global long *out, char c, ushort us, int i, ulong ul, float f, uchar3 u3, short4 s4, float2 f2, long3 l3) {
    out[0] = c;
    out[1] = us;
    out[2] = i;
    out[3] = (long)ul;
    out[4] = (long)(f * 2.0f);
    out[5] = u3.x + 10 * u3.y + 100 * u3.z;
    out[6] = 1000 * s4.y + 100 * s4.z + 10 * s4.x + s4.w;
    out[7] = (long)(f2.x * 1000.0f) + (long)(f2.y * 1000.0f);
    out[8] = l3.x + l3.y + l3.z;
    out[9] = 7;
}
