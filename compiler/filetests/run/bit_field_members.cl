// test: run
// Bit-fields of clang's extension: layout, signs, neighbours, promotion, initialisers and the values of assignments.
// kernel: members
// global: 1
// arg: buffer int 24*0
// expect 0: int 8 -1 5 -4 3 1 -1 7 0 1 15 -16 -1 2 1 1 6 -2 1 120 7 -1 12 4
// kernel: shared
// global: 1
// arg: buffer uint 0xffffffff 0 0x12345678 0xffffffff
// expect 0: uint 4294966391 4278190080 305420191 4294967071
// kernel: constants
// global: 1
// arg: buffer long 7*0
// expect 0: long 9 -3 1311768467463790320 1 21 -2 4
// kernel: parameter
// global: 1
// arg: uint 0x00ffff5a
// arg: buffer int 3*0
// expect 1: int -6 5 65535
#pragma OPENCL EXTENSION __cl_clang_bitfields : enable
#ifndef __cl_clang_bitfields
#error the extension's macro
#endif

struct mixed {
    int a : 3;
    uint b : 5;
    int : 0;
    uint c : 20;
    char d;
    bool e : 1;
    short f : 9;
    ulong g : 33;
};
struct packed_bits { uint a : 7; ulong b : 64; int c : 3; } __attribute__((packed));
struct header { uint type : 4; uint flags : 4; int length : 16; uint rest : 8; };
union view { struct header bits; uint word; struct { uint : 8; uint middle : 16; }; };

__constant struct { uint x : 4; int y : 6; ulong z : 62; bool w : 1; } table[2] = {
    { 9, -3, 0x123456789abcdef0, true }, { .y = 21, .x = 18 }
};

__kernel void members(__global int *o) {
    volatile int zero = 0;
    struct mixed m = { 1, 2, 3, 4, true, -6, 0x1ffffffffUL };
    o[0] = sizeof(struct mixed) - 8 + zero;
    m.a = 7 + zero;
    o[1] = m.a;
    m.b = 5 + zero;
    o[2] = m.b;
    o[3] = (m.a = 4 + zero);
    o[4] = m.c;
    o[5] = m.e;
    m.c = ~0u + zero;
    o[6] = m.d == 4 ? -1 : m.d;
    o[7] = (m.b = 31, m.b += 8) + zero;
    // A narrow unsigned bit-field is an int.
    o[8] = m.b < -1 + zero;
    o[9] = m.b - 8 < 0;
    o[10] = m.b = 15 + zero;
    o[11] = (m.f = 0x1f0 + zero);
    o[12] = m.g == 0x1ffffffffUL ? -1 : 0;
    m.g++;
    o[13] = m.g == 0 ? 2 : 0;
    o[14] = m.e && m.d == 4;
    m.e = 16 + zero;
    o[15] = m.e;
    struct mixed n = m;
    o[16] = n.b == 15 ? 6 : n.b;
    o[17] = n.a-- == -4 ? -2 : 0;
    o[18] = n.a == 3;
    struct packed_bits p = { 120, 0x8123456789abcdefUL + zero, -1 };
    o[19] = p.a;
    o[20] = p.b == 0x8123456789abcdefUL ? 7 : 0;
    o[21] = p.c;
    p.b = 1 + zero;
    o[22] = p.a == 120 && p.c == -1 && p.b == 1 ? sizeof(p) + 2 : 0;
    union view v = { .word = 0xabcd1234u + zero };
    o[23] = v.bits.type == 4 && v.bits.flags == 3 && v.bits.length == (short)0xcd12 && v.bits.rest == 0xab && v.middle == 0xcd12 ? 4 : 0;
}

struct host { uint low : 3; uint middle : 7; uint : 14; uint high : 8; };
__kernel void shared(__global struct host *o) {
    o[0].middle = 0xe;
    o[1].high = 255;
    o[2].low = 7;
    o[2].middle = 0x73;
    o[3].low += 0;
    o[3].middle -= 0x1c;
}

int length(struct header h) { return h.length; }
struct header make(int n) { struct header h = { .length = n, .flags = 5 }; return h; }
__kernel void constants(__global long *o) {
    int i = o[0];
    o[0] = table[i].x;
    o[1] = table[i].y;
    o[2] = table[i].z;
    o[3] = table[i].w;
    o[4] = table[i + 1].y;
    o[5] = length(make(-2 + i));
    o[6] = (make(7 + i).flags & 4) + table[i + 1].z;
}

__kernel void parameter(struct header h, __global int *o) {
    o[0] = (int)(h.type | ~15u);
    o[1] = h.flags;
    o[2] = (ushort)h.length;
}
