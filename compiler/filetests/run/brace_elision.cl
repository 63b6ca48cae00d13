// test: run
// A scalar without braces of its own becomes every element of the vector that it initialises.
// kernel: brace_elision
// global: 1
// arg: buffer float 26*9
// arg: int 5
// expect 0: float 0 0 0 0 0 1 1 1 1 2 1 2 5 4 3 0 0 0 0 7 7 7 7 0 0 0
struct S { float4 v; int k; };
__constant struct S zero = {0};
__constant float4 rows[2] = {0.0f, 7};
__kernel void brace_elision(__global float *out, int n) {
    struct S all_zero = {0};
    struct S both = {1, 2};
    float2 pair = {1, 2};
    struct S pairs = {pair, n, 4, 3};
    vstore4(all_zero.v, 0, out);
    out[4] = all_zero.k;
    vstore4(both.v, 0, out + 5);
    out[9] = both.k;
    vstore4(pairs.v, 0, out + 10);
    out[14] = pairs.k;
    vstore4(rows[0], 0, out + 15);
    vstore4(rows[1], 0, out + 19);
    vstore3(zero.v.xyz + zero.k, 0, out + 23);
}
