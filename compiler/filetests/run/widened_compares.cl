// test: run
// Integers of 32 bits as long, compared with constants.
// kernel: scalars
// global: 4
// arg: buffer int -7 4 5 2147483647
// arg: buffer uint 4*0
// expect 1: uint 0x1a3 0x183 0x1c 0x5c
__kernel void scalars(__global const int *in, __global uint *out) {
    uint id = get_global_id(0);
    long x = in[id];
    out[id] = (x < 5) | (x <= 4) << 1 | (x > 4) << 2 | (x >= 5) << 3 | (x > -8 && x > 4) << 4
        | (x < -6) << 5 | (x > 0x7ffffffeL) << 6 | (x < 0x100000000L && x < 5) << 7 | (5 > x) << 8;
}

// The same in vectors.
// kernel: vectors
// global: 4
// arg: buffer int -7 4 5 2147483647
// arg: buffer long 32*0
// expect 1: long -1 0 16 -7 -1 0 -7 -7 -1 0 16 4 -1 0 4 4 0 -1 16 5 0 -1 5 5 0 -1 0x7fffffff 16 0 -1 9 16
__kernel void vectors(__global const int *in, __global long *out) {
    uint id = get_global_id(0);
    long2 x = in[id];
    long2 less = x < (long2)(5), more = (long2)(4, 9) < x, high = max(x, (long2)(16)), low = min(x, (long2)(16));
    vstore8((long8)(less.x, more.x, high.x, low.x, less.y, (long)(x.y > (long)(4)) * -1L, min(x, (long2)(9)).y, low.y),
            id, out);
}

// What the driver may find in memory.
// kernel: stored
// global: 2
// local: 2
// arg: buffer int -7 7
// arg: buffer long 4*0
// arg: local 16
// expect 1: long 1 0 5 7
__kernel void stored(__global const int *in, __global long *out, __local long *five) {
    uint id = get_local_id(0);
    long a[2];
    five[id] = 5;
    a[id] = in[id];
    a[1 - id] = 0;
    out[id] = a[id] < five[id];
    out[2 + id] = max(a[id], five[id]);
}

// A loop that is entered at two places; `x` is a truth value at first.
// kernel: two_entries
// global: 2
// arg: buffer int -7 7
// arg: buffer long 2*0
// expect 1: long 23 21
__kernel void two_entries(__global const int *in, __global long *out) {
    uint id = get_global_id(0), rounds = 0;
    long x = in[id] > 0, sum = 0, high = 2;
    if (in[0] > 0) goto middle;
head:
    high = max(x, 5L);
    while (rounds++ < 4) {
        x = id;
middle:
        sum += high - x;
        if (sum > 1000) goto head;
    }
    out[id] = sum + (in[id] < 0 ? 3 : 5);
}
