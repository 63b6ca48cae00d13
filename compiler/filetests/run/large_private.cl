// test: run
// Private arrays beyond what stays in registers: each work-item has its own, whatever its place in
// the range, in groups of which the last are smaller.
// options: -cl-std=CL2.0
// kernel: own
// global: 5 3 2
// local: 2 2 1
// arg: buffer int 30*0
// arg: int 1000
// expect 0: int 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29
// kernel: pointers
// global: 4
// arg: buffer int 3 2000 1 0
// arg: buffer int 24*0
// expect 1: int 103 7 0 0 1 3 2100 7 1 1 1 2000 101 7 2 2 0 1 100 7 3 3 0 0
// kernel: copies
// global: 3
// arg: buffer int 1 1500 1999 3*0
// expect 0: int 1 1500 1999 1102 2601 3100
// kernel: calls
// global: 2
// arg: buffer int 1030 1100
// expect 0: int 4121 4401
// kernel: sums
// global: 2
// local: 2
// arg: buffer long 2*0
// expect 0: long 1998 1999
kernel void own(global int *out, int n)
{
    int a[2000];
    int id = (get_global_id(2) * 3 + get_global_id(1)) * 5 + get_global_id(0);
    for (int i = 0; i < 2000; i += n)
        a[i] = id + i;
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[id] = a[n] - n + a[0] - id;
}

int *pick(int *a, int *b, int which)
{
    return which ? a : b;
}

kernel void pointers(global int *in, global int *out)
{
    int id = get_global_id(0);
    int large[2200], small[4];
    small[id] = 7;
    large[in[id] + 100] = in[id] + 100;
    int *p = pick(large, small, id != 3);
    int *none = id & 2 ? 0 : large;
    // A pointer that goes round a loop.
    int *at = large;
    for (int i = 0; i < 10; i++)
        at += in[id] / 10;
    at += in[id] % 10 + 100;
    global int *to = out + id * 6;
    to[0] = *at;
    to[1] = small[id];
    p[1] = id;
    p[in[id] > 3 ? 3 : 1] = id;
    to[2] = id == 3 ? small[1] : large[in[id] > 3 ? 3 : 1];
    to[3] = p[1];
    to[4] = none != 0;
    to[5] = at - large - 100;
}

struct big {
    int x[2000];
    int4 v;
};

kernel void copies(global int *io)
{
    int id = get_global_id(0);
    struct big a, b;
    a.x[io[id]] = io[id] + 1000;
    a.v = (int4)(1, 10, 90, id);
    b = a;
    a.x[io[id]] = 0;
    io[id + 3] = b.x[io[id]] + b.v.x + b.v.y + b.v.z;
}

int with_array(int n)
{
    int a[1200];
    for (int i = 0; i < 4; i++)
        a[(n + i * 7) % 1200] = n;
    int s = 0;
    for (int i = 0; i < 4; i++)
        s += a[(n + i * 7) % 1200];
    return s;
}

kernel void calls(global int *io)
{
    int id = get_global_id(0);
    int n = io[id];
    io[id] = with_array(n) + with_array(n + 1) - 4 * n - 3;
}

kernel void sums(global long *out)
{
    long a[1000];
    int id = get_global_id(0);
    for (int i = 990; i < 1000; i++)
        a[i] = i;
    for (int i = 991; i < 1000; i++)
        a[i] += id * (i == 999);
    out[id] = a[999] + a[999 - (int)get_local_size(0) / 2 + 1] - id;
}
