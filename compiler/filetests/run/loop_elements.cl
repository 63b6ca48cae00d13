// test: run
// Elements of private arrays that loops change at one address: rounds none, some and left early, loops inside one another,
// elements side by side, and one that may be another.
// kernel: squared
// global: 8
// local: 8
// arg: buffer int 8*-1
// arg: int 5
// expect 0: int 0 1 2 3 4 5 6 7
// kernel: nested
// global: 8
// local: 8
// arg: buffer int 8*-1
// arg: int 3
// expect 0: int 9 10 11 12 13 14 15 16
// kernel: pairs
// global: 8
// local: 8
// arg: buffer int 8*-1
// arg: int 4
// expect 0: int 20 20 20 20 20 20 20 20
// kernel: left_early
// global: 8
// local: 8
// arg: buffer int 8*-1
// arg: int 100
// expect 0: int 0 1 2 3 4 5 6 7
// kernel: others
// global: 8
// local: 8
// arg: buffer int 8*-1
// arg: int 5
// expect 0: int 5 0 0 0 5 0 0 0
__kernel void squared(__global int *out, int n) {
    int t[4];
    int item = get_global_id(0), sum = 0;
    for (int j = 0; j < 4; j++) t[j] = 0;
    t[item & 3] = item;
    /* No round for half of them. */
    int rounds = item & 1 ? n : 0;
    for (int i = 0; i < rounds; i++) t[item & 3] = t[item & 3] * 3 - 2 * item;
    for (int j = 0; j < 4; j++) sum += t[j];
    out[item] = sum;
}
__kernel void nested(__global int *out, int n) {
    int t[4];
    int item = get_global_id(0), sum = 0;
    for (int j = 0; j < 4; j++) t[j] = 0;
    t[item & 3] = item;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) t[item & 3] += 1;
    for (int j = 0; j < 4; j++) sum += t[j];
    out[item] = sum;
}
__kernel void pairs(__global int *out, int n) {
    int t[8];
    int item = get_global_id(0), sum = 0, at = item & 3;
    for (int j = 0; j < 8; j++) t[j] = 0;
    t[2 * at] = 1;
    t[2 * at + 1] = 2;
    for (int i = 0; i < n; i++) {
        t[2 * at] += t[2 * at + 1];
        if (i & 1) t[2 * at + 1] += 2;
    }
    for (int j = 0; j < 8; j++) sum += t[j];
    out[item] = sum + 1;
}
__kernel void left_early(__global int *out, int n) {
    int t[16];
    int item = get_global_id(0), sum = 0, at = (item * 5) & 15;
    for (int j = 0; j < 16; j++) t[j] = 0;
    t[at] = 0;
    for (int i = 0; i < n; i++) {
        if (t[at] == item) break;
        t[at]++;
        if (i > 50) t[at] = -1;
    }
    for (int j = 0; j < 16; j++) sum += t[j];
    out[item] = sum;
}
__kernel void others(__global int *out, int n) {
    int t[4];
    int item = get_global_id(0), at = item & 3;
    for (int j = 0; j < 4; j++) t[j] = 0;
    t[at] = 0;
    for (int i = 0; i < n; i++) {
        t[at] += 1;
        if (at) t[(at + i) & 3] = 0;
    }
    out[item] = t[at] * !at;
}
