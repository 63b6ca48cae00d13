// test: robust
// options: -pumice-check=robust
// Loops that go round too often end the launch; the test lets them go 65,536 rounds.

kernel void forever(global int *out)
{
    out[0] = 1;
    while (true)
        out[1] += 1;
    out[0] = 2;
}

kernel void waits(global volatile int *flag, global int *out)
{
    while (flag[0] == 0)
        ;
    out[0] = 2;
}

kernel void nested(global int *out, int n)
{
    int sum = 0;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
            sum += out[(i ^ j) & 1];
    out[0] = sum;
}

kernel void jumps(global int *out, int n)
{
    int i = 0;
    if (n & 1)
        goto middle;
again:
    i += 1;
middle:
    out[1] += 1;
    if (i != n)
        goto again;
    out[0] = 2;
}

kernel void constants(global int *out)
{
    int sum = 0;
    for (int i = 0; i < 50; ++i)
        for (int j = 0; j < 50; ++j)
            sum += i ^ out[1];
    out[0] = sum;
}

kernel void meets(global int *out, int n)
{
    local int shared[4];
    int i = get_local_id(0);
    shared[i] = 0;
    for (int k = 0; k != n; k += 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        shared[(i + 1) & 3] += 1;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[i] = shared[i];
}

kernel void one_waits(global int *out)
{
    if (get_global_id(0) == 2)
        while (out[0] == 0)
            out[1] += 1;
    out[get_global_id(0) + 2] = 5;
}

// kernel: forever
// global: 1
// arg: buffer int 0 0
// expect 0: int 1 ?
// expect report: <source>:9:9: error: the loops of a work-item go more rounds than PUMICE_LOOP_LIMIT allows
// expect report: out[1] += 1;
// expect report: ^
// expect report: note: by work-item 0 of kernel 'forever': number 0 of work-group 0
// expect report: note: the launch ends here
// expect report: kernel 'forever': 1 fault at 1 place

// kernel: waits
// global: 1
// arg: buffer int 0
// arg: buffer int 7
// expect 1: int 7
// expect report: <source>:15:12: error: the loops of a work-item go more rounds than PUMICE_LOOP_LIMIT allows
// expect report: while (flag[0] == 0)
// expect report: ^
// expect report: note: by work-item 0 of kernel 'waits': number 0 of work-group 0
// expect report: note: the launch ends here
// expect report: kernel 'waits': 1 fault at 1 place

// kernel: waits
// global: 1
// arg: buffer int 1
// arg: buffer int 7
// expect 1: int 2

// kernel: nested
// global: 1
// arg: buffer int 1 1
// arg: int 200
// expect 0: int 40000 1

// kernel: nested
// global: 1
// arg: buffer int 1 1
// arg: int 1000
// expect 0: int 1 1
// expect report: <source>:25:25: error: the loops of a work-item go more rounds than PUMICE_LOOP_LIMIT allows
// expect report: sum += out[(i ^ j) & 1];
// expect report: ^
// expect report: note: by work-item 0 of kernel 'nested': number 0 of work-group 0
// expect report: note: the launch ends here
// expect report: kernel 'nested': 1 fault at 1 place

// kernel: jumps
// global: 1
// arg: buffer int 0 0
// arg: int 1001
// expect 0: int 2 1002

// kernel: jumps
// global: 1
// arg: buffer int 0 0
// arg: int -1
// expect 0: int 0 ?
// expect report: <source>:37:5: error: the loops of a work-item go more rounds than PUMICE_LOOP_LIMIT allows
// expect report: out[1] += 1;
// expect report: ^
// expect report: note: by work-item 0 of kernel 'jumps': number 0 of work-group 0
// expect report: note: the launch ends here
// expect report: kernel 'jumps': 1 fault at 1 place

// kernel: constants
// global: 1
// arg: buffer int 0 0
// expect 0: int 61250 0

// kernel: meets
// global: 4
// local: 4
// arg: buffer int 4*7
// arg: int 10
// expect 0: int 5 5 5 5

// kernel: meets
// global: 4
// local: 4
// arg: buffer int 4*7
// arg: int 11
// expect 0: int 7 7 7 7
// expect report: <source>:58:9: error: the loops of a work-item go more rounds than PUMICE_LOOP_LIMIT allows
// expect report: barrier(CLK_LOCAL_MEM_FENCE);
// expect report: ^
// expect report: note: by work-item 0 of kernel 'meets': number 0 of work-group 0
// expect report: note: the launch ends here
// expect report: note: 3 times more at this place
// expect report: kernel 'meets': 4 faults at 1 place

// kernel: one_waits
// global: 4
// arg: buffer int 6*0
// expect 0: int 0 ? 5 5 0 5
// expect report: <source>:68:16: error: the loops of a work-item go more rounds than PUMICE_LOOP_LIMIT allows
// expect report: while (out[0] == 0)
// expect report: ^
// expect report: note: by work-item 2 of kernel 'one_waits': number 2 of work-group 0
// expect report: note: the launch ends here
// expect report: kernel 'one_waits': 1 fault at 1 place
