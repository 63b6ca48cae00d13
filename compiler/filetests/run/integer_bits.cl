// test: run
// C compilers' functions on the bits of integers: of values that are read, and of constants.
// options: -cl-std=CL1.2
// kernel: bits32
// global: 6
// arg: buffer uint 0 4294967295 2147483648 1 305419896 16711936
// arg: buffer uint 0 1 31 33 4294967295 13
// arg: buffer uint 24*7
// arg: buffer int 36*77
// arg: buffer int 6*3
// expect 2: uint 0 0 0 0 4294967295 4294967295 4294967295 4294967295 128 1 1073741824 1 16777216 2147483648 2 2147483648 2018915346 510274632 152709948 610839792 130816 8453888 3760193567 134219768
// expect 3: int 0 0 32 32 0 31 32 0 0 0 1 31 1 1 0 31 32 0 1 1 31 0 1 30 13 1 3 3 4 2 9 1 8 8 9 7
// expect 4: int 0 1 -2147483648 1 305419896 16711936
// kernel: bits64
// global: 6
// arg: buffer ulong 0 18446744073709551615 9223372036854775808 1 81985529216486895 71777218572845056
// arg: buffer uint 0 1 31 33 4294967295 13
// arg: buffer ulong 24*7
// arg: buffer int 36*77
// arg: buffer long 6*3
// expect 2: ulong 0 0 0 0 18446744073709551615 18446744073709551615 18446744073709551615 18446744073709551615 128 1 1073741824 4294967296 72057594037927936 9223372036854775808 8589934592 2147483648 17279655951921914625 17848844570815808640 9264364801463019255 163971058432973790 130816 8453888 16149908263750598687 8761867501568
// expect 3: int 0 0 64 64 0 63 64 0 0 0 1 63 1 1 0 63 64 0 1 1 63 0 1 62 32 0 7 0 1 6 9 1 8 40 41 7
// expect 4: long 0 1 -9223372036854775808 1 81985529216486895 71777218572845056
// kernel: bits16
// global: 6
// arg: buffer ushort 0 65535 32768 1 4660 384
// arg: buffer uint 0 1 31 33 4294967295 13
// arg: buffer ushort 24*7
// arg: buffer int 12*77
// expect 2: ushort 0 0 0 0 65535 65535 65535 65535 128 1 16384 1 256 32768 2 32768 13330 11336 2330 9320 32769 384 48 3072
// expect 3: int 16 16 0 0 0 15 15 0 3 2 7 7
// kernel: bits8
// global: 6
// arg: buffer uchar 0 255 128 1 18 24
// arg: buffer uint 0 1 31 33 4294967295 13
// arg: buffer uchar 18*7
// expect 2: uchar 0 0 0 255 255 255 1 64 1 128 2 128 72 9 36 24 3 192
// kernel: folded
// global: 1
// arg: buffer int 4*9
// expect 0: int 3 31 -1 16843009

#define CHECK(e) _Static_assert(e, #e);
CHECK(__builtin_bswap32(0x0u) == 0x0u)
CHECK(__builtin_bitreverse32(0x0u) == 0x0u)
CHECK(__builtin_rotateleft32(0x0u, 35) == 0x0u)
CHECK(__builtin_rotateright32(0x0u, 3) == 0x0u)
CHECK(__builtin_popcount(0x0u) == 0)
CHECK(__builtin_parity(0x0u) == 0)
CHECK(__builtin_ffs(0x0u) == 0)
CHECK(__builtin_clrsb(0x0u) == 31)
CHECK(__builtin_bswap32(0xffffffffu) == 0xffffffffu)
CHECK(__builtin_bitreverse32(0xffffffffu) == 0xffffffffu)
CHECK(__builtin_rotateleft32(0xffffffffu, 35) == 0xffffffffu)
CHECK(__builtin_rotateright32(0xffffffffu, 3) == 0xffffffffu)
CHECK(__builtin_popcount(0xffffffffu) == 32)
CHECK(__builtin_parity(0xffffffffu) == 0)
CHECK(__builtin_ffs(0xffffffffu) == 1)
CHECK(__builtin_clrsb(0xffffffffu) == 31)
CHECK(__builtin_clz(0xffffffffu) == 0)
CHECK(__builtin_ctz(0xffffffffu) == 0)
CHECK(__builtin_bswap32(0x80000000u) == 0x80u)
CHECK(__builtin_bitreverse32(0x80000000u) == 0x1u)
CHECK(__builtin_rotateleft32(0x80000000u, 35) == 0x4u)
CHECK(__builtin_rotateright32(0x80000000u, 3) == 0x10000000u)
CHECK(__builtin_popcount(0x80000000u) == 1)
CHECK(__builtin_parity(0x80000000u) == 1)
CHECK(__builtin_ffs(0x80000000u) == 32)
CHECK(__builtin_clrsb(0x80000000u) == 0)
CHECK(__builtin_clz(0x80000000u) == 0)
CHECK(__builtin_ctz(0x80000000u) == 31)
CHECK(__builtin_bswap32(0x1u) == 0x1000000u)
CHECK(__builtin_bitreverse32(0x1u) == 0x80000000u)
CHECK(__builtin_rotateleft32(0x1u, 35) == 0x8u)
CHECK(__builtin_rotateright32(0x1u, 3) == 0x20000000u)
CHECK(__builtin_popcount(0x1u) == 1)
CHECK(__builtin_parity(0x1u) == 1)
CHECK(__builtin_ffs(0x1u) == 1)
CHECK(__builtin_clrsb(0x1u) == 30)
CHECK(__builtin_clz(0x1u) == 31)
CHECK(__builtin_ctz(0x1u) == 0)
CHECK(__builtin_bswap32(0x12345678u) == 0x78563412u)
CHECK(__builtin_bitreverse32(0x12345678u) == 0x1e6a2c48u)
CHECK(__builtin_rotateleft32(0x12345678u, 35) == 0x91a2b3c0u)
CHECK(__builtin_rotateright32(0x12345678u, 3) == 0x2468acfu)
CHECK(__builtin_popcount(0x12345678u) == 13)
CHECK(__builtin_parity(0x12345678u) == 1)
CHECK(__builtin_ffs(0x12345678u) == 4)
CHECK(__builtin_clrsb(0x12345678u) == 2)
CHECK(__builtin_clz(0x12345678u) == 3)
CHECK(__builtin_ctz(0x12345678u) == 3)
CHECK(__builtin_bswap32(0xff0100u) == 0x1ff00u)
CHECK(__builtin_bitreverse32(0xff0100u) == 0x80ff00u)
CHECK(__builtin_rotateleft32(0xff0100u, 35) == 0x7f80800u)
CHECK(__builtin_rotateright32(0xff0100u, 3) == 0x1fe020u)
CHECK(__builtin_popcount(0xff0100u) == 9)
CHECK(__builtin_parity(0xff0100u) == 1)
CHECK(__builtin_ffs(0xff0100u) == 9)
CHECK(__builtin_clrsb(0xff0100u) == 7)
CHECK(__builtin_clz(0xff0100u) == 8)
CHECK(__builtin_ctz(0xff0100u) == 8)
CHECK(__builtin_bswap64(0x0ul) == 0x0ul)
CHECK(__builtin_bitreverse64(0x0ul) == 0x0ul)
CHECK(__builtin_rotateleft64(0x0ul, 35) == 0x0ul)
CHECK(__builtin_rotateright64(0x0ul, 3) == 0x0ul)
CHECK(__builtin_popcountll(0x0ul) == 0)
CHECK(__builtin_parityll(0x0ul) == 0)
CHECK(__builtin_ffsll(0x0ul) == 0)
CHECK(__builtin_clrsbll(0x0ul) == 63)
CHECK(__builtin_bswap64(0xfffffffffffffffful) == 0xfffffffffffffffful)
CHECK(__builtin_bitreverse64(0xfffffffffffffffful) == 0xfffffffffffffffful)
CHECK(__builtin_rotateleft64(0xfffffffffffffffful, 35) == 0xfffffffffffffffful)
CHECK(__builtin_rotateright64(0xfffffffffffffffful, 3) == 0xfffffffffffffffful)
CHECK(__builtin_popcountll(0xfffffffffffffffful) == 64)
CHECK(__builtin_parityll(0xfffffffffffffffful) == 0)
CHECK(__builtin_ffsll(0xfffffffffffffffful) == 1)
CHECK(__builtin_clrsbll(0xfffffffffffffffful) == 63)
CHECK(__builtin_clzll(0xfffffffffffffffful) == 0)
CHECK(__builtin_ctzll(0xfffffffffffffffful) == 0)
CHECK(__builtin_bswap64(0x8000000000000000ul) == 0x80ul)
CHECK(__builtin_bitreverse64(0x8000000000000000ul) == 0x1ul)
CHECK(__builtin_rotateleft64(0x8000000000000000ul, 35) == 0x400000000ul)
CHECK(__builtin_rotateright64(0x8000000000000000ul, 3) == 0x1000000000000000ul)
CHECK(__builtin_popcountll(0x8000000000000000ul) == 1)
CHECK(__builtin_parityll(0x8000000000000000ul) == 1)
CHECK(__builtin_ffsll(0x8000000000000000ul) == 64)
CHECK(__builtin_clrsbll(0x8000000000000000ul) == 0)
CHECK(__builtin_clzll(0x8000000000000000ul) == 0)
CHECK(__builtin_ctzll(0x8000000000000000ul) == 63)
CHECK(__builtin_bswap64(0x1ul) == 0x100000000000000ul)
CHECK(__builtin_bitreverse64(0x1ul) == 0x8000000000000000ul)
CHECK(__builtin_rotateleft64(0x1ul, 35) == 0x800000000ul)
CHECK(__builtin_rotateright64(0x1ul, 3) == 0x2000000000000000ul)
CHECK(__builtin_popcountll(0x1ul) == 1)
CHECK(__builtin_parityll(0x1ul) == 1)
CHECK(__builtin_ffsll(0x1ul) == 1)
CHECK(__builtin_clrsbll(0x1ul) == 62)
CHECK(__builtin_clzll(0x1ul) == 63)
CHECK(__builtin_ctzll(0x1ul) == 0)
CHECK(__builtin_bswap64(0x123456789abcdeful) == 0xefcdab8967452301ul)
CHECK(__builtin_bitreverse64(0x123456789abcdeful) == 0xf7b3d591e6a2c480ul)
CHECK(__builtin_rotateleft64(0x123456789abcdeful, 35) == 0x4d5e6f78091a2b3cul)
CHECK(__builtin_rotateright64(0x123456789abcdeful, 3) == 0xe02468acf13579bdul)
CHECK(__builtin_popcountll(0x123456789abcdeful) == 32)
CHECK(__builtin_parityll(0x123456789abcdeful) == 0)
CHECK(__builtin_ffsll(0x123456789abcdeful) == 1)
CHECK(__builtin_clrsbll(0x123456789abcdeful) == 6)
CHECK(__builtin_clzll(0x123456789abcdeful) == 7)
CHECK(__builtin_ctzll(0x123456789abcdeful) == 0)
CHECK(__builtin_bswap64(0xff010000000000ul) == 0x1ff00ul)
CHECK(__builtin_bitreverse64(0xff010000000000ul) == 0x80ff00ul)
CHECK(__builtin_rotateleft64(0xff010000000000ul, 35) == 0x7f80800ul)
CHECK(__builtin_rotateright64(0xff010000000000ul, 3) == 0x1fe02000000000ul)
CHECK(__builtin_popcountll(0xff010000000000ul) == 9)
CHECK(__builtin_parityll(0xff010000000000ul) == 1)
CHECK(__builtin_ffsll(0xff010000000000ul) == 41)
CHECK(__builtin_clrsbll(0xff010000000000ul) == 7)
CHECK(__builtin_clzll(0xff010000000000ul) == 8)
CHECK(__builtin_ctzll(0xff010000000000ul) == 40)
CHECK(__builtin_bswap16(0x0) == 0x0)
CHECK(__builtin_bitreverse16(0x0) == 0x0)
CHECK(__builtin_rotateleft16(0x0, 11) == 0x0)
CHECK(__builtin_bswap16(0xffff) == 0xffff)
CHECK(__builtin_bitreverse16(0xffff) == 0xffff)
CHECK(__builtin_rotateleft16(0xffff, 11) == 0xffff)
CHECK(__builtin_bswap16(0x8000) == 0x80)
CHECK(__builtin_bitreverse16(0x8000) == 0x1)
CHECK(__builtin_rotateleft16(0x8000, 11) == 0x400)
CHECK(__builtin_bswap16(0x1) == 0x100)
CHECK(__builtin_bitreverse16(0x1) == 0x8000)
CHECK(__builtin_rotateleft16(0x1, 11) == 0x800)
CHECK(__builtin_bswap16(0x1234) == 0x3412)
CHECK(__builtin_bitreverse16(0x1234) == 0x2c48)
CHECK(__builtin_rotateleft16(0x1234, 11) == 0xa091)
CHECK(__builtin_bswap16(0x180) == 0x8001)
CHECK(__builtin_bitreverse16(0x180) == 0x180)
CHECK(__builtin_rotateleft16(0x180, 11) == 0xc)
CHECK(__builtin_bitreverse8(0x0) == 0x0)
CHECK(__builtin_rotateleft8(0x0, 11) == 0x0)
CHECK(__builtin_bitreverse8(0xff) == 0xff)
CHECK(__builtin_rotateleft8(0xff, 11) == 0xff)
CHECK(__builtin_bitreverse8(0x80) == 0x1)
CHECK(__builtin_rotateleft8(0x80, 11) == 0x4)
CHECK(__builtin_bitreverse8(0x1) == 0x80)
CHECK(__builtin_rotateleft8(0x1, 11) == 0x8)
CHECK(__builtin_bitreverse8(0x12) == 0x48)
CHECK(__builtin_rotateleft8(0x12, 11) == 0x90)
CHECK(__builtin_bitreverse8(0x18) == 0x18)
CHECK(__builtin_rotateleft8(0x18, 11) == 0xc0)
CHECK(__builtin_clzs(1) == 15)
CHECK(__builtin_ctzs(0x100) == 8)
CHECK(__builtin_abs(-7) == 7)
CHECK(__builtin_llabs(-7) == 7)
CHECK(sizeof(__builtin_bswap16(1)) == 2)
CHECK(sizeof(__builtin_popcountll(1ul)) == 4)
CHECK(sizeof(__builtin_labs(1)) == 8)

kernel void bits32(global uint *x, global uint *by, global uint *o, global int *n, global int *a) {
    size_t i = get_global_id(0);
    uint v = x[i];
    o[4 * i] = __builtin_bswap32(v);
    o[4 * i + 1] = __builtin_bitreverse32(v);
    o[4 * i + 2] = __builtin_rotateleft32(v, by[i]);
    o[4 * i + 3] = __builtin_rotateright32(v, by[i]);
    n[6 * i + 0] = __builtin_popcount(v);
    n[6 * i + 1] = __builtin_parity(v);
    n[6 * i + 2] = __builtin_clz(v);
    n[6 * i + 3] = __builtin_ctz(v);
    n[6 * i + 4] = __builtin_ffs(v);
    n[6 * i + 5] = __builtin_clrsb(v);
    a[i] = __builtin_abs(v);
}

kernel void bits64(global ulong *x, global uint *by, global ulong *o, global int *n, global long *a) {
    size_t i = get_global_id(0);
    ulong v = x[i];
    o[4 * i] = __builtin_bswap64(v);
    o[4 * i + 1] = __builtin_bitreverse64(v);
    o[4 * i + 2] = __builtin_rotateleft64(v, by[i]);
    o[4 * i + 3] = __builtin_rotateright64(v, by[i]);
    n[6 * i + 0] = __builtin_popcountl(v);
    n[6 * i + 1] = __builtin_parityl(v);
    n[6 * i + 2] = __builtin_clzl(v);
    n[6 * i + 3] = __builtin_ctzl(v);
    n[6 * i + 4] = __builtin_ffsl(v);
    n[6 * i + 5] = __builtin_clrsbl(v);
    a[i] = __builtin_labs(v);
}

kernel void bits16(global ushort *x, global uint *by, global ushort *o, global int *n) {
    size_t i = get_global_id(0);
    ushort v = x[i];
    o[4 * i] = __builtin_bswap16(v);
    o[4 * i + 1] = __builtin_bitreverse16(v);
    o[4 * i + 2] = __builtin_rotateleft16(v, by[i]);
    o[4 * i + 3] = __builtin_rotateright16(v, by[i]);
    n[2 * i] = __builtin_clzs(v);
    n[2 * i + 1] = __builtin_ctzs(v);
}

kernel void bits8(global uchar *x, global uint *by, global uchar *o) {
    size_t i = get_global_id(0);
    uchar v = x[i];
    o[3 * i + 0] = __builtin_bitreverse8(v);
    o[3 * i + 1] = __builtin_rotateleft8(v, by[i]);
    o[3 * i + 2] = __builtin_rotateright8(v, by[i]);
}

// Constant expressions.
constant uint swapped = __builtin_bswap32(0x01010101);
kernel void folded(global int *o) {
    int places[__builtin_popcount(7)];
    o[0] = sizeof(places) / sizeof(int);
    switch (o[3]) {
    case __builtin_ctz(512):
        o[1] = __builtin_clzl(1ul << 31) - 1;
        break;
    }
    const uint all = 0xffffffff;
    o[2] = __builtin_rotateleft32(all, 5);
    o[3] = swapped;
}
