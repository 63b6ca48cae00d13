// test: run
// The least long, written as a literal behind a minus, is negative.
// kernel: k
// global: 4
// arg: buffer float -1 2000 -1e19 -9223372036854775808
// arg: buffer long 4*7
// arg: buffer long 3*7
// expect 1: long -1 2000 -9223372036854775808 -9223372036854775808
// expect 2: long 1 -4611686018427387904 1

constant long least = -9223372036854775808;

long saturated(float v)
{
    if (v < -9223372036854775808)
        return -9223372036854775808;
    return (long)v;
}

kernel void k(global const float *in, global long *out, global long *more)
{
    int i = get_global_id(0);
    out[i] = saturated(in[i]);
    if (i == 0) {
        more[0] = -9223372036854775808 < 0;
        more[1] = -(9223372036854775808) / 2;
        more[2] = least == LONG_MIN;
    }
}
