// test: run
// Loops of a constant number of rounds that are left once their counter has wrapped: Mesa would unroll some of them with
// too many rounds.
// kernel: wrapping
// global: 1
// arg: buffer uint 13*0
// expect 0: uint 0xfffffdc8 0xffffffe4 0xfffffdc8 0xfffff222 0xfffffdc8 0xdc 0x669 0xfffffdda 0x226 0x25c8 0xcfe68 0xedcc8910 0xfffffdc8
kernel void wrapping(global uint *out)
{
    uint s;
    s = 0;
    for (uint i = 0xfffffff0u; i >= 0x10u; i += 4)
        s = s * 3 + (uint)i;
    out[0] = s;
    s = 0;
    for (uint i = 0xfffffff8u; i >= 0x10u; i += 4)
        s = s * 3 + (uint)i;
    out[1] = s;
    s = 0;
    for (uint i = 0xfffffff0u; i >= 1u; i += 4)
        s = s * 3 + (uint)i;
    out[2] = s;
    s = 0;
    for (int i = -100; (uint)i >= 50u; i += 25)
        s = s * 3 + (uint)i;
    out[3] = s;
    s = 0;
    for (ulong i = 0xfffffffffffffff0ul; i >= 16; i += 4)
        s = s * 3 + (uint)i;
    out[4] = s;
    s = 0;
    for (uint i = 20; i < 0xfffffff0u; i -= 8)
        s = s * 3 + (uint)i;
    out[5] = s;
    s = 0;
    for (uint i = 5; i <= 5; i--)
        s = s * 3 + (uint)i;
    out[6] = s;
    s = 0;
    for (uint i = 0x7ffffff0u; (int)i > -0x7ffffff0; i += 5)
        s = s * 3 + (uint)i;
    out[7] = s;
    s = 0;
    for (uint i = 0x80000010u; (int)i < 0x7ffffff0; i -= 5)
        s = s * 3 + (uint)i;
    out[8] = s;
    s = 0;
    for (uchar i = 240; i >= 20; i += 4)
        s = s * 3 + (uint)i;
    out[9] = s;
    s = 0;
    for (ushort i = 65500; i >= 20; i += 12)
        s = s * 3 + (uint)i;
    out[10] = s;
    s = 0;
    for (uint k = 0; k < 4; k++)
        for (uint i = 0xfffffff0u + k; i >= 0x10u; i += 4)
            s = s * 3 + i;
    out[11] = s;
    s = 0;
    uint j = 0xfffffff0u;
    do {
        s = s * 3 + j;
        j += 4;
    } while (j >= 0x10u);
    out[12] = s;
}
