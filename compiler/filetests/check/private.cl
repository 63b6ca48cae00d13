// test: check
// options: -pumice-check=all -cl-kernel-arg-info
// Private arrays.

kernel void histogram(global const int *in, global int *out)
{
    int bins[4] = {0, 0, 0, 0};
    for (int i = 0; i < 4; ++i)
        bins[in[i]] += 1;
    for (int i = 0; i < 4; ++i)
        out[i] = bins[i];
}

kernel void stack(global int *out, int n)
{
    int stack[3];
    int top = 0;
    for (int i = 0; i < n; ++i)
        stack[top++] = i;
    out[0] = stack[top - 1];
}

kernel void large(global int *out, int n)
{
    int data[2048];
    for (int i = 0; i < 2048; ++i)
        data[i] = i;
    out[0] = data[n];
}

// kernel: histogram
// global: 1
// arg: buffer int 0 3 4 0
// arg: buffer int 4*9
// expect 1: int 2 0 0 1
// expect report: <source>:9:9: error: read of 4 bytes at byte 16 of a private variable, which has 16 bytes
// expect report: bins[in[i]] += 1;
// expect report: ^
// expect report: note: by work-item 0 of kernel 'histogram': number 0 of work-group 0
// expect report: <source>:9:9: error: write of 4 bytes at byte 16 of a private variable, which has 16 bytes
// expect report: bins[in[i]] += 1;
// expect report: ^
// expect report: note: by work-item 0 of kernel 'histogram': number 0 of work-group 0
// expect report: kernel 'histogram': 2 faults at 2 places

// kernel: stack
// global: 1
// arg: buffer int 9
// arg: int 4
// expect 0: int 0
// expect report: <source>:19:9: error: write of 4 bytes at byte 12 of a private variable, which has 12 bytes
// expect report: stack[top++] = i;
// expect report: ^
// expect report: note: by work-item 0 of kernel 'stack': number 0 of work-group 0
// expect report: <source>:20:14: error: read of 4 bytes at byte 12 of a private variable, which has 12 bytes
// expect report: out[0] = stack[top - 1];
// expect report: ^
// expect report: note: by work-item 0 of kernel 'stack': number 0 of work-group 0
// expect report: kernel 'stack': 2 faults at 2 places

// kernel: large
// global: 1
// arg: buffer int 9
// arg: int -1
// expect 0: int 0
// expect report: <source>:28:14: error: read of 4 bytes that begins 4 bytes before a private variable
// expect report: out[0] = data[n];
// expect report: ^
// expect report: note: by work-item 0 of kernel 'large': number 0 of work-group 0
// expect report: kernel 'large': 1 fault at 1 place

// kernel: large
// global: 1
// arg: buffer int 9
// arg: int 2047
// expect 0: int 2047
