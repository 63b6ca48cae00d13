// test: run
// Loads behind branches that no work-item takes: nothing is read, not even NULL or far away.
// kernel: null
// global: 4
// arg: buffer null
// arg: buffer int 4*9
// expect 1: int 1 1 1 1
// kernel: null
// global: 4
// local: 1
// arg: buffer null
// arg: buffer int 4*9
// expect 1: int 1 1 1 1
// kernel: far
// global: 4
// arg: int 268435456
// arg: buffer int 4*9
// expect 1: int 1 1 1 1
kernel void null(global int *a, global int *out)
{
    out[get_global_id(0)] = 1;
    if (a) out[get_global_id(0)] = a[2];
}

kernel void far(int n, global int *out)
{
    int r = 1;
    if (n < 4) r = out[(long)n * 4096];
    out[get_global_id(0)] = r;
}
