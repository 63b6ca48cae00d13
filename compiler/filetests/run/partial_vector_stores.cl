// test: run
// A vector that is stored over parts of two longs, behind a store of one of them that not every work-item makes.
// kernel: straddle
// global: 4
// arg: buffer int 1..9
// arg: buffer ulong 8*0
// expect 1: ulong 0x500000001 0x1111111100000006 0x600000002 0x7 0x700000003 0x1111111100000008 0x800000004 0x9
struct __attribute__((packed)) members { int a; int2 b; int c; };
typedef union { ulong l[2]; struct members m; } both;
kernel void straddle(global const int *in, global ulong *out)
{
    size_t g = get_global_id(0);
    both u;
    u.l[0] = in[g];
    u.l[1] = in[g + 1];
    if (in[g] & 1)
        u.l[1] = 0x1111111122222222ul;
    u.m.b = (int2)(in[g + 4], in[g + 5]);
    out[2 * g] = u.l[0];
    out[2 * g + 1] = u.l[1];
}
