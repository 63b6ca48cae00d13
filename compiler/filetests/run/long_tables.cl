// Initialised arrays with more elements than one instruction of SPIR-V has words.
// options: -cl-std=CL3.0
// kernel: k
// global: 1
// arg: buffer int 0 64999 65000 65001 129999 130000 139999 7
// expect 0: int 1 2 3 4 5 6 7 24
__constant short table[140000] = {
    [0] = 1, [64999] = 2, [65000] = 3, [65001] = 4, [129999] = 5, [130000] = 6, [139999] = 7
};
__constant struct { char c; int i; } pairs[66000] = { [65999] = { 3, 21 } };

__kernel void k(__global int *o) {
    for (int i = 0; i < 7; i++)
        o[i] = table[o[i]];
    __constant short *at = table + 65000;
    o[7] = pairs[65999 + at[-1] - 2].i + at[0];
}
