// test: run
// Bits of two values joined behind branches: LLVM with AVX-512 (lavapipe) takes the wrong truth
// table when one of them is what the other work-items keep.
// kernel: k0
// global: 8
// local: 8
// arg: buffer uint 3 1000 5 2 7 0x80000001 0x80001000 0xf0000000
// arg: buffer uint 8*7
// expect 0: uint 0x3 0x3e8 0x5 0x2 0x7 0x80000001 0x80001000 0xf0000000
// expect 1: uint 0x16 0x2dc6bb 0x46 0xe 0x8e 0x80000004 0x82fffffb 0xfffffffb
// kernel: k1
// global: 8
// local: 8
// arg: buffer uint 3 1000 5 2 7 0x80000001 0x80001000 0xf0000000
// arg: buffer uint 8*7
// expect 0: uint 0x3 0x3e8 0x5 0x2 0x7 0x80000001 0x80001000 0xf0000000
// expect 1: uint 0x13 0x20c3b8 0x45 0xe 0x87 0x80000004 0xf0f0f0 0xf0f0f0f0
// kernel: k2
// global: 8
// local: 8
// arg: buffer uint 3 1000 5 2 7 0x80000001 0x80001000 0xf0000000
// arg: buffer uint 8*7
// expect 0: uint 0x3 0x3e8 0x5 0x2 0x7 0x80000001 0x80001000 0xf0000000
// expect 1: uint 0x16 0x2dc6bb 0x46 0xe 0x8e 0x80000004 0x82fffffb 0xfffffffb
// kernel: k3
// global: 8
// local: 8
// arg: buffer uint 3 1000 5 2 7 0x80000001 0x80001000 0xf0000000
// arg: buffer uint 8*7
// expect 0: uint 0x3 0x3e8 0x5 0x2 0x7 0x80000001 0x80001000 0xf0000000
// expect 1: uint 0x16 0x2dc6bb 0x46 0xe 0x8e 0x80000004 0x82fffffb 0xfffffffb
// kernel: k4
// global: 8
// local: 8
// arg: buffer uint 3 1000 5 2 7 0x80000001 0x80001000 0xf0000000
// arg: buffer uint 8*7
// expect 0: uint 0x3 0x3e8 0x5 0x2 0x7 0x80000001 0x80001000 0xf0000000
// expect 1: uint 0x16 0x2dc6bb 0x46 0xe 0x8e 0x80000004 0x82fffffb 0xfffffffb
// kernel: k5
// global: 8
// local: 8
// arg: buffer uint 3 1000 5 2 7 0x80000001 0x80001000 0xf0000000
// arg: buffer uint 8*7
// expect 0: uint 0x3 0x3e8 0x5 0x2 0x7 0x80000001 0x80001000 0xf0000000
// expect 1: uint 0x16 0x2dc6bb 0x46 0xe 0x8e 0x80000004 0x80fffffb 0xf0fffffb
// kernel: parts
// global: 8
// local: 4
// arg: buffer uint 0x9f767c45 0x4164d839 0xbde5c099 0x5bc8fbbc 0xcb91ce37 0xb0c11fde 0xf1446bea 0xd76d4330 0xbd69fe29 0xa6eb8c9e 0xec1d7da0 0x87b0b125 0x76ce2ef 0xd7210dff 0x77330bdb 0xc6a53877 0xf17fd374 0x3fc1ea36 0xa6233255 0xd464138 0xe6a16a3b 0x2827688d 0x1cfb10f6 0x5f2dd97f
// arg: buffer ulong 8*0
// expect 1: ulong 0x1711218b5c 0x3d922e2cf1 0x6c48444e7a 0x2585f89eb5 0x31c92adc25 0x19265be1aac624 0x1a8201b81845d7 0x1d32f6b758
#define KERNEL(NAME, JOIN) \
    __kernel void NAME(__global const uint *x, __global uint *r) { \
        size_t i = get_global_id(0); \
        uint v = x[i], a = v & 0x7fffffff, z; \
        if (!(a < 0x7f800000)) { \
            z = v; \
        } else if (a < 3) { \
            z = v + v * v * 3; \
        } else { \
            uint up = a * a * 3 - 5; \
            z = JOIN; \
        } \
        r[i] = z; \
    }
KERNEL(k0, bitselect(up, v, 0x80000000u))
KERNEL(k1, (up & 0xf0f0f0f0u) | (v & 0x0f0f0f0fu))
KERNEL(k2, (up & 0x7fffffffu) + (v & 0x80000000u))
KERNEL(k3, up ^ ((up ^ v) & 0x80000000u))
KERNEL(k4, (up & 0x7fffffffu) ^ (v & 0x80000000u))
KERNEL(k5, (up << 8 >> 8) | (v >> 24 << 24))
// Parts of a private variable are written behind branches, at two places of one long.
typedef union { ulong l[4]; uchar4 c[8]; struct __attribute__((packed)) { uchar a; short8 b; char8 c; uchar d; ushort e; } p; } pieces;
kernel void parts(global const uint *in, global ulong *out)
{
    uint g = get_global_id(0);
    ulong x = in[g], y = in[g + 8], w = in[g + 16];
    pieces t;
    t.l[0] = in[g];
    t.l[1] = x;
    t.l[2] = y;
    t.l[3] = w;
    for (int k = 0; k < (int)(w & 3); k++)
        if ((w & 4) == 0)
            t.p.e = (ushort)y;
    t.p.c.s3 = (char)y;
    if ((x & 2) && (w & 4))
        t.c[7].s1 = (uchar)x;
    x = x * 33 + t.l[3] * 29;
    out[g] = x ^ (y * 77);
}
