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
