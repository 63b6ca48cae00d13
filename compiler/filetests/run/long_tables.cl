// test: run
// An initialised array with more elements than one instruction of SPIR-V has words.
// options: -cl-std=CL3.0
// kernel: k
// global: 1
// arg: buffer int 0 64999 65000 65001 99999 7
// expect 0: int 1 2 3 4 5 5
__constant char table[100000] = {
    [0] = 1, [64999] = 2, [65000] = 3, [65001] = 4, [99999] = 5
};

__kernel void k(__global int *o) {
    for (int i = 0; i < 5; i++)
        o[i] = table[o[i]];
    __constant char *at = table + 65000;
    o[5] = at[-1] + at[0];
}
