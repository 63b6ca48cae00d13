// test: run
// Private arrays of a few elements at indexes that are not known: the index selects, in branches, loops, structures and vectors.
// kernel: slabs
// global: 8
// local: 8
// arg: buffer int 0 1 0 1 1 0 1 0
// arg: buffer float 8*-1
// expect 1: float 1 20 3 40 50 6 70 8
// kernel: counts
// global: 8
// local: 8
// arg: buffer int 32*-1
// arg: int 9
// expect 0: int 3 2 2 2 2 3 2 2 2 2 3 2 2 2 2 3 3 2 2 2 2 3 2 2 2 2 3 2 2 2 2 3
// kernel: structures
// global: 8
// local: 8
// arg: buffer int 8*-1
// arg: int 1
// expect 0: int 1 1001 1 1003 1 1005 1 1007
// kernel: bytes
// global: 8
// local: 8
// arg: buffer int 8*-1
// arg: long 3
// expect 0: int 9 109 209 309 409 509 609 709
// kernel: wraps
// global: 8
// local: 8
// arg: buffer int 8*-1
// arg: uint 0x40000000
// expect 0: int 10 11 10 11 10 11 10 11
typedef struct {
    int first;
    short second[2];
} Pair;
__kernel void slabs(__global const int *sign, __global float *out) {
    int item = get_global_id(0);
    float bounds[2] = {item + 1, 10 * (item + 1)};
    out[item] = bounds[sign[item]];
}
__kernel void counts(__global int *out, int n) {
    int item = get_global_id(0);
    int count[4] = {0, 0, 0, 0};
    for (int i = 0; i < n; i++) {
        int at = (i + item) & 3;
        if (i & 1)
            count[at]++;
        else
            count[at] = count[at] + 1;
    }
    for (int j = 0; j < 4; j++) out[4 * item + j] = count[j];
}
__kernel void structures(__global int *out, int at) {
    int item = get_global_id(0);
    Pair pairs[2];
    for (int i = 0; i < 2; i++) {
        pairs[i].first = i;
        pairs[i].second[0] = pairs[i].second[1] = -1;
    }
    if (item & 1) pairs[at].first += 1000 + item - 1;
    Pair copy = pairs[at];
    out[item] = copy.first;
}
__kernel void bytes(__global int *out, long at) {
    int item = get_global_id(0);
    union {
        uchar4 whole;
        uchar parts[4];
    } u;
    u.whole = (uchar4)(1, 2, 3, 4);
    u.parts[at] = 9;
    u.parts[(at + item) & 3] += 0;
    out[item] = u.whole.w + 100 * item;
}
__kernel void wraps(__global int *out, uint high) {
    int item = get_global_id(0);
    int values[2] = {10, 11};
    /* The product wraps, and is 0 or 4. */
    uint at = (high + (item & 1)) * 4;
    out[item] = *(__private int *)((__private char *)values + at);
}
