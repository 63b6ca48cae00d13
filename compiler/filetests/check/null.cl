// test: check
// options: -pumice-check=all -cl-kernel-arg-info
// Accesses through null pointers.

kernel void argument(global int *data, global int *out)
{
    out[0] = data[3];
    data[0] = 1;
}

kernel void optional(global const int *weights, global int *out, int use)
{
    global const int *p = use ? weights : 0;
    out[get_global_id(0)] = p[get_global_id(0)];
}

// kernel: argument
// global: 1
// arg: buffer null
// arg: buffer int 7
// expect 1: int 0
// expect report: <source>:7:14: error: read of 4 bytes through 'data', which is NULL
// expect report: out[0] = data[3];
// expect report: ^
// expect report: note: by work-item 0 of kernel 'argument': number 0 of work-group 0
// expect report: <source>:8:5: error: write of 4 bytes through 'data', which is NULL
// expect report: data[0] = 1;
// expect report: ^
// expect report: note: by work-item 0 of kernel 'argument': number 0 of work-group 0
// expect report: kernel 'argument': 2 faults at 2 places

// kernel: optional
// global: 1
// arg: buffer int 5
// arg: buffer int 7
// arg: int 0
// expect 1: int 0
// expect report: <source>:14:29: error: read of 4 bytes through a null pointer
// expect report: out[get_global_id(0)] = p[get_global_id(0)];
// expect report: ^
// expect report: note: by work-item 0 of kernel 'optional': number 0 of work-group 0
// expect report: kernel 'optional': 1 fault at 1 place

// kernel: optional
// global: 1
// arg: buffer int 5
// arg: buffer int 7
// arg: int 1
// expect 1: int 5
