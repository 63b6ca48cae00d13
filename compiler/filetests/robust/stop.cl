// test: robust
// options: -pumice-check=all,stop -cl-kernel-arg-info
// The first report ends the launch: work-items behind it do nothing, loops end.

kernel void later_items(global int *out, int n)
{
    int i = get_global_id(0);
    if (i == 1)
        out[n] = 5;
    out[i] = i;
}

kernel void loops(global int *out, int n)
{
    int i = get_global_id(0);
    for (int k = 0; ; ++k) {
        out[n + i] = k;
        if (k == 100000)
            break;
    }
    out[i] = 6;
}

kernel void groups(global int *out, int n)
{
    local int tile[2];
    int i = get_local_id(0);
    tile[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i == 0)
        out[n] = 3;
    out[get_global_id(0)] = tile[1 - i];
}

kernel void whole(global int *out)
{
    out[get_global_id(0)] = 4;
}

// kernel: later_items
// global: 4
// local: 1
// arg: buffer int 4*9
// arg: int 4
// expect 0: int 0 1 9 9
// expect report: <source>:9:9: error: write of 4 bytes at byte 16 of 'out', which has 16 bytes
// expect report: out[n] = 5;
// expect report: ^
// expect report: note: by work-item 1 of kernel 'later_items': number 0 of work-group 1
// expect report: note: argument 0 'out' is a buffer of 16 bytes from clCreateBuffer
// expect report: kernel 'later_items': 1 fault at 1 place; the launch has ended

// kernel: loops
// global: 2
// local: 1
// arg: buffer int 2*9
// arg: int 2
// expect 0: int 9 9
// expect report: <source>:17:9: error: write of 4 bytes at byte 8 of 'out', which has 8 bytes
// expect report: out[n + i] = k;
// expect report: ^
// expect report: note: by work-item 0 of kernel 'loops': number 0 of work-group 0
// expect report: note: argument 0 'out' is a buffer of 8 bytes from clCreateBuffer
// expect report: kernel 'loops': 1 fault at 1 place; the launch has ended

// The group that has begun ends as a whole.
// kernel: groups
// global: 4
// local: 2
// arg: buffer int 4*9
// arg: int 4
// expect 0: int 1 0 9 9
// expect report: <source>:31:9: error: write of 4 bytes at byte 16 of 'out', which has 16 bytes
// expect report: out[n] = 3;
// expect report: ^
// expect report: note: by work-item 0 of kernel 'groups': number 0 of work-group 0
// expect report: note: argument 0 'out' is a buffer of 16 bytes from clCreateBuffer
// expect report: kernel 'groups': 1 fault at 1 place; the launch has ended

// kernel: whole
// global: 3
// local: 1
// arg: buffer int 3*9
// expect 0: int 4 4 4
