// test: run
// Functions that call one another so often that a copy for each call would be 200,000 instructions: on drivers that
// make such copies the kernel has each function once.
#define STEP(i) x = x * (uint)p[(i) & 7] + i; if (x & 64u) x ^= (uint)(i) << 3; else x += y >> 1;
#define STEPS(i) STEP(i) STEP(i + 1) STEP(i + 2) STEP(i + 3) STEP(i + 4) STEP(i + 5) STEP(i + 6) STEP(i + 7)
__attribute__((noinline)) uint f0(uint x, uint y, global const int *p)
{
    STEPS(0) STEPS(8) STEPS(16) STEPS(24) STEPS(32)
    return x;
}

// Values of several types live across the calls; most ways return before the second one.
#define LEVEL(n, m) \
    __attribute__((noinline)) uint f##n(uint x, uint y, global const int *p) \
    { \
        uint kept = x ^ n; \
        bool odd = x & 1; \
        char small = (char)(x >> 3); \
        short wide = (short)(y * n); \
        ulong both = (ulong)x << 17 | y; \
        float half_of = (float)(x & 255u) * 0.5f; \
        uint a = f##m(x + n, y + 1, p); \
        if ((a >> n & 3) != 0) \
            return odd ? a + kept : a - (uint)small; \
        uint b = f##m(a * 3u, kept, p + (a & 1)); \
        return a ^ b ^ (uint)wide ^ (uint)(both >> 20) ^ (uint)half_of; \
    }
LEVEL(1, 0) LEVEL(2, 1) LEVEL(3, 2) LEVEL(4, 3) LEVEL(5, 4)
LEVEL(6, 5) LEVEL(7, 6) LEVEL(8, 7) LEVEL(9, 8) LEVEL(10, 9)

// A pointer to private memory crosses the calls, and a loop goes round through them.
__attribute__((noinline)) uint add(uint *sums, int count, uint x, global const int *p)
{
    uint last = 0;
    for (int i = 0; i < count; i++) {
        if (x >> i & 1)
            sums[(x + i) & 7] += last = f10(x + i, last, p);
        else if (i == 5)
            break;
        sums[i & 7] ^= x;
    }
    return last;
}
__attribute__((noinline)) uint fill(uint *sums, uint x, global const int *p)
{
    uint a = add(sums, (int)(x & 7u), x, p);
    uint b = add(sums + 1, 6, a ^ x, p);
    return f10(a, b, p);
}

kernel void shared_functions(global uint *o, global const int *p)
{
    uint sums[10] = {0};
    uint i = get_global_id(0);
    uint r = fill(sums, i * 2654435761u, p);
    if (i & 1)
        r ^= fill(sums, r, p);
    for (int k = 0; k < 9; k++)
        r = r * 31u + sums[k];
    o[i] = r;
}
// kernel: shared_functions
// global: 16
// arg: buffer int 16*0
// arg: buffer int 3 10 17 24 31 38 45 52 59 66 73 80 87 94 101 108 115 122 129 136 143 150 157 164 171 178 185 192 199 206 213 220
// expect 0: int 485002781 1131390546 -291543039 -1681975639 -846090537 1400503747 -702856031 -1106509873 -1408644757 -1099318467 348719204 -194346861 -128429150 109836679 -1576942419 1684681969 
