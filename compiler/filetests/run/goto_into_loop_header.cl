// test: run
// A loop that is entered again from behind: what is computed there, and does not depend on the loop, is used once no work-item goes back.
// kernel: k
// global: 32
// local: 16
// arg: buffer uint 32*0
// arg: buffer uint 0..31
// arg: uint 1029
// expect 0: uint 0x757c 0x8965c 0x1033cc 0x437977 0x29d48 0x8a659 0x215f48 0x9ada1c 0x1ae08 0xf5f09 0x309942 0xbeada4 0x1b08a4 0x37c97f 0x8bd8ac 0x1069064 0x582b0c 0x12e338 0x719b77 0x135aea4 0xded18 0x273b38 0x5f14e8 0x1271949 0xc1de9 0x261ca8 0xc1acf4 0x16e199c 0x1456a8 0x3b9102 0xc4e9a7 0x1c03cfc

kernel void k(global uint *out, global const uint *in, uint b) {
    uint x = in[get_global_id(0)], turns = 0, n = x, bits;
again:
    while (turns++ < 9 + (x & 3))
        n = n * 3 + in[(n + turns) & 31];
    bits = popcount(x ^ b) + popcount(x * 77) + (x * b >> 3) + clz(x + b) * (x | 5) + (rotate(x, b & 31) ^ mul_hi(x * 0x10001, b << 20));
    if ((n & 3) && turns++ < 20 + x) {
        n += 5;
        goto again;
    }
    for (uint i = 0; i < (bits & 7); i++)
        n += bits * in[i];
    out[get_global_id(0)] = n ^ bits;
}
