// test: check
// options: -pumice-check=all -cl-kernel-arg-info
// Pointers whose buffer the kernel chooses.

kernel void either(global int *a, global int *b, int which, int i)
{
    global int *p = which ? a : b;
    p[i] = 9;
}

// kernel: either
// global: 1
// arg: buffer int 4*1
// arg: buffer int 4*2
// arg: int 0
// arg: int 3
// expect 0: int 4*1
// expect 1: int 2 2 2 9

// kernel: either
// global: 1
// arg: buffer int 4*1
// arg: buffer int 4*2
// arg: int 1
// arg: int 1000000000
// expect 0: int 4*1
// expect 1: int 4*2
// expect report: <source>:8:5: error: write of 4 bytes where no buffer is
// expect report: p[i] = 9;
// expect report: ^
// expect report: note: by work-item 0 of kernel 'either': number 0 of work-group 0
// expect report: note: the address is 0x*
// expect report: kernel 'either': 1 fault at 1 place
