// test: check
// options: -pumice-check=all -cl-kernel-arg-info
// Shifts by the width of the value or more.

kernel void left(global uint *data, uint by)
{
    data[0] = data[0] << by;
}

kernel void negative(global int *data, int by)
{
    data[0] >>= by;
}

kernel void wide(global ulong *data, int by)
{
    data[0] >>= by;
}

kernel void lanes(global uint2 *data, uint2 by)
{
    data[0] <<= by;
}

// kernel: left
// global: 1
// arg: buffer uint 3
// arg: uint 33
// expect 0: uint 6
// expect report: <source>:7:15: error: shift of 32 bits by 33
// expect report: data[0] = data[0] << by;
// expect report: ^
// expect report: note: by work-item 0 of kernel 'left': number 0 of work-group 0
// expect report: kernel 'left': 1 fault at 1 place

// kernel: negative
// global: 1
// arg: buffer int -8
// arg: int -31
// expect 0: int -4
// expect report: <source>:12:5: error: shift of 32 bits by -31
// expect report: data[0] >>= by;
// expect report: ^
// expect report: note: by work-item 0 of kernel 'negative': number 0 of work-group 0
// expect report: kernel 'negative': 1 fault at 1 place

// kernel: wide
// global: 1
// arg: buffer ulong 256
// arg: int 68
// expect 0: ulong 16
// expect report: <source>:17:5: error: shift of 64 bits by 68
// expect report: data[0] >>= by;
// expect report: ^
// expect report: note: by work-item 0 of kernel 'wide': number 0 of work-group 0
// expect report: kernel 'wide': 1 fault at 1 place

// kernel: lanes
// global: 1
// arg: buffer uint 1 1
// arg: uint2 3 32
// expect 0: uint 8 1
// expect report: <source>:22:5: error: shift of 32 bits by 32
// expect report: data[0] <<= by;
// expect report: ^
// expect report: note: by work-item 0 of kernel 'lanes': number 0 of work-group 0
// expect report: kernel 'lanes': 1 fault at 1 place
