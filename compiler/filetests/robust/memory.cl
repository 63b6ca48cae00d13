// test: robust
// options: -pumice-check=robust -cl-std=CL2.0
// Accesses beyond global memory read zeros and write nothing, without a report.

kernel void shifted(global const int *in, global int *out)
{
    size_t i = get_global_id(0);
    out[i + 1] = in[(int)i - 1];
}

kernel void counted(global int *bins, global const int *data)
{
    atomic_inc(&bins[data[get_global_id(0)]]);
}

kernel void either(global int *a, global int *b, int which, int i, int value)
{
    global int *p = which ? a : b;
    p[i] = value;
}

constant int squares[4] = {0, 1, 4, 9};

kernel void table(global int *out, global const int *at)
{
    size_t i = get_global_id(0);
    out[i] = squares[at[i]];
}

kernel void masked(global int *out, global const int *at)
{
    size_t i = get_global_id(0);
    out[i] = squares[at[i] & 3];
}

struct pair {
    int a[20];
};

kernel void pairs(global struct pair *all, int from, int to)
{
    all[to] = all[from];
}

struct large {
    int a[200];
};

kernel void larges(global struct large *all, int from, int to)
{
    all[to] = all[from];
}

kernel void vectors(global const float *in, global float *out, int at)
{
    vstore4(vload4(at, in) + 1.0f, at, out);
}

kernel void wide(global const long16 *in, global long *out, int at)
{
    out[0] = in[at].s0 + in[at].sf;
}

kernel void missing(global int *none, global int *out)
{
    none[get_global_id(0)] = 1;
    out[0] = none[3] + 5;
}

kernel void swapped(global int *data, int at, global int *out)
{
    out[0] = atomic_cmpxchg(&data[0], 1, 8);
    atomic_cmpxchg(&data[at], 1, 8);
}

kernel void chained(global ulong *first, global int *out, global int *unnamed)
{
    global int *p = (global int *)first[0];
    out[0] = p[0];
    out[1] = p[4];
    p[1] = 33;
    p[100000] = 44;
}

int *through(int *p, int i)
{
    return p + i;
}

kernel void generics(global int *data, int at, global int *out)
{
    int own[2] = {5, 6};
    int *p = out[0] ? through(data, at) : through(own, 1);
    out[0] = *p;
}

// kernel: shifted
// global: 3
// arg: buffer int 7 8 9
// arg: buffer int 3*1
// expect 1: int 1 0 7

// kernel: counted
// global: 5
// arg: buffer int 3*0
// arg: buffer int 0 3 -1 2 1000000
// expect 0: int 1 0 1

// kernel: either
// global: 1
// arg: buffer int 2*1
// arg: buffer int 2*2
// arg: int 0
// arg: int 1
// arg: int 9
// expect 0: int 1 1
// expect 1: int 2 9

// kernel: either
// global: 1
// arg: buffer int 2*1
// arg: buffer int 2*2
// arg: int 1
// arg: int 1000000
// arg: int 9
// expect 0: int 1 1
// expect 1: int 2 2

// kernel: table
// global: 5
// arg: buffer int 5*7
// arg: buffer int 0 3 4 -1 2
// expect 0: int 0 9 0 0 4

// kernel: masked
// global: 3
// arg: buffer int 3*7
// arg: buffer int 7 -1 2
// expect 0: int 9 9 4

// kernel: pairs
// global: 1
// arg: buffer int 0..39
// arg: int 0
// arg: int 2
// expect 0: int 0..39

// kernel: pairs
// global: 1
// arg: buffer int 0..39
// arg: int 0
// arg: int 1
// expect 0: int 0..19 0..19

// kernel: larges
// global: 1
// arg: buffer int 0..399
// arg: int 1
// arg: int -1
// expect 0: int 0..399

// kernel: larges
// global: 1
// arg: buffer int 200*3 200*4
// arg: int 0
// arg: int 1
// expect 0: int 400*3

// kernel: vectors
// global: 1
// arg: buffer float 1 2 3 4 5
// arg: buffer float 5*9
// arg: int 0
// expect 1: float 2 3 4 5 9

// kernel: vectors
// global: 1
// arg: buffer float 1 2 3 4 5
// arg: buffer float 5*9
// arg: int 1
// expect 1: float 5*9

// kernel: wide
// global: 1
// arg: buffer long 16*2
// arg: buffer long 9
// arg: int 0
// expect 1: long 4

// kernel: wide
// global: 1
// arg: buffer long 16*2
// arg: buffer long 9
// arg: int 1
// expect 1: long 0

// kernel: missing
// global: 2
// arg: buffer null
// arg: buffer int 9
// expect 1: int 5

// kernel: swapped
// global: 1
// arg: buffer int 1 1
// arg: int -5
// arg: buffer int 9
// expect 0: int 8 1
// expect 2: int 1

// kernel: chained
// global: 1
// arg: buffer ulong @2+0
// arg: buffer int 9 9
// arg: buffer int 11 22
// expect 1: int 11 0
// expect 2: int 11 33

// kernel: generics
// global: 1
// arg: buffer int 1 2
// arg: int 1
// arg: buffer int 1
// expect 2: int 2

// kernel: generics
// global: 1
// arg: buffer int 1 2
// arg: int 2
// arg: buffer int 1
// expect 2: int 0

// kernel: generics
// global: 1
// arg: buffer int 1 2
// arg: int 2
// arg: buffer int 0
// expect 2: int 6
