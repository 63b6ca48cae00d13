// test: run
// What an emitter gets wrong first: lanes of memory, bools, updates, jumps, constants with addresses.
// kernel: lanes
// global: 4
// local: 4
// arg: buffer int 8*0
// arg: buffer uint 1 2 3 4
// expect 0: int 100 101 102 103 3 2 14 40
// kernel: jumps
// global: 6
// arg: buffer int 0 1 2 3 150 7
// expect 0: int 10 12 14 6 -1 7
// kernel: scalars
// global: 1
// arg: buffer int 7 3 0 0 0 0 0 0 0 0 0 0
// expect 0: int 9 2 1 1 8 8 1 0 -4 2 -2147483648 1
// kernel: constants
// global: 3
// arg: buffer int 6*0
// expect 0: int 3 98 1 2 99 0
__kernel void lanes(__global int4 *o, __global uint4 *in) {
    int i = get_global_id(0);
    o[0][i] = 100 + i;
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (i == 0) {
        o[1].xy = convert_int2(in[0].zy);
        uint4 v = in[0];
        v.zw = v.wz * 10u + (uint2)(v.x, v.s1 + 8u) - (uint2)(27, 0);
        v.hi.x += 0u;
        o[1].z = v.z;
        o[1].w = v.s3;
    }
}
__kernel void jumps(__global int *p) {
    int i = get_global_id(0), x = p[i], r = 0;
    switch (x) {
    case 0: r = 10; break;
    case 1: case 2: x += 5;
    case 3: x *= 2; r = x; break;
    case 100 ... 1000: r = -1; break;
    default:
        while (1) {
            if (r == 7) goto out;
            r++;
        }
    }
out:
    p[i] = r;
}
bool touch(__global int *p) { *p = 1; return true; }
__kernel void scalars(__global int *p) {
    int a = p[0], b = a++ + p[1]--;
    p[0] = a + (b > 9);
    bool flags[3] = { a, 0, 5 };
    flags[1] = p[1] == 2;
    p[2] = flags[0] + flags[1] - flags[2];
    p[3] = (p[9] && touch(p + 6)) || touch(p + 9);
    if (p[9] == 1 || touch(p + 7)) p[9]++;
    if (p[9] == 2 && touch(p + 6)) p[4] = p[5] = a;
    char c = -1;
    p[8] = c * 4;
    p[10] = (uint)1 << 31;
    long big = (long)p[10] * 4;
    p[11] = (int)(big >> 33) == -1 && (uchar)c == 255 && (float)c == -1.0f;
}
__constant int table[3] = { 1, 2, 3 };
typedef struct { bool on; char name[3]; __constant int *where; } entry;
__constant entry entries[3] = { { true, "ab", &table[2] }, { true, "bc", table }, { false, "c", table + 1 } };
__kernel void constants(__global int *o) {
    int i = get_global_id(0);
    if (i == 0) {
        o[0] = *entries[0].where;
        o[1] = entries[0].name[1];
        o[2] = *entries[1].where;
        o[3] = *entries[2].where;
        o[4] = entries[1].name[1];
        o[5] = entries[2].on;
    }
}
