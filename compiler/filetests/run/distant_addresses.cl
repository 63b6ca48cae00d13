// test: run
// Addresses at distances from arguments: negative parts whose sum lies in the buffer, pointers that move,
// 64-bit indices, a global offset.
// kernel: one_based
// global: 4
// arg: buffer int 10 20 30 40
// arg: buffer int 4*0
// expect 1: int 10 20 30 40
kernel void one_based(global const int *x, global int *y)
{
    global const int *before = x - 1;
    int i = get_global_id(0) + 1;
    y[i - 1] = before[i];
}

// kernel: around
// global: 2 2
// arg: buffer int 0..15
// arg: buffer int 4*0
// arg: int 4
// expect 1: int 20 24 36 40
kernel void around(global const int *x, global int *y, int w)
{
    int i = get_global_id(0) + 1, j = get_global_id(1) + 1;
    global const int *at = x + j * w + i;
    y[(j - 1) * 2 + i - 1] = at[-1] + at[1] + at[-w] + at[w];
}

// kernel: long_indices
// global: 3
// offset: 2
// arg: buffer int 1 2 3 4 5 6
// arg: buffer int 6*0
// arg: long -2
// expect 1: int 0 0 1 2 3 0
kernel void long_indices(global const int *x, global int *y, long back)
{
    size_t i = get_global_id(0);
    y[i] = *(x + (long)i + back);
}

// kernel: from_the_end
// global: 1
// arg: buffer int 1 2 3 4
// arg: int 4
// arg: buffer int 0
// expect 2: int 4321
kernel void from_the_end(global const int *x, int n, global int *y)
{
    int sum = 0;
    for (global const int *p = x + n; p != x;) {
        --p;
        sum = sum * 10 + *p;
    }
    *y = sum;
}

// A pointer that is the argument or another, and bytes of elements that do not end at words.
// kernel: chosen
// global: 4
// arg: buffer uchar 1 2 3 4 5 6 7 8
// arg: buffer uchar 11 12 13 14 15 16 17 18
// arg: buffer uchar 4*0
// expect 2: uchar 5 14 3 12
kernel void chosen(global const uchar *x, global const uchar *z, global uchar *y)
{
    int i = get_global_id(0);
    global const uchar *from = i & 1 ? z : x;
    from += 4 - i;
    y[i] = *from;
}

// kernel: offsets
// global: 2 2
// local: 1 2
// offset: 3 5
// arg: buffer int 16*0
// expect 0: int 3 5 3 4 5 3 5 3 3 6 4 6 0 0 0 0
kernel void offsets(global int *y)
{
    int i = (get_global_id(1) - get_global_offset(1)) * 2 + get_global_id(0) - get_global_offset(0);
    if (i == 0) {
        y[0] = get_global_id(0);
        y[1] = get_global_id(1);
        y[2] = get_global_offset(0);
    }
    if (i == 1) {
        y[3] = get_global_id(0);
        y[4] = get_global_id(1);
        y[5] = get_global_offset(0);
    }
    if (i == 2) {
        y[6] = get_global_offset(1);
        y[7] = get_global_offset(0);
        y[8] = get_global_id(0);
        y[9] = get_global_id(1);
    }
    if (i == 3) {
        y[10] = get_global_id(0);
        y[11] = get_global_id(1);
    }
}
