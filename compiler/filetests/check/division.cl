// test: check
// options: -pumice-check=all -cl-kernel-arg-info
// Integer divisions by zero.

kernel void quotient(global const int *a, global const int *b, global int *out)
{
    size_t i = get_global_id(0);
    out[i] = a[i] / b[i];
}

kernel void remainder_of(global uint *data, uint n)
{
    data[0] = data[0] % n;
}

kernel void lanes(global uint4 *data, uint4 by)
{
    data[0] /= by;
}

kernel void wide(global long *data, long by)
{
    data[0] = 100 / by + 100 % by;
}

kernel void narrow(global char *data, char by)
{
    data[0] /= by;
}

static int average(int sum, int count)
{
    return sum / count;
}

kernel void called(global int *data)
{
    data[0] = average(data[0], data[1]);
}

// kernel: quotient
// global: 3
// arg: buffer int 6 7 8
// arg: buffer int 2 0 4
// arg: buffer int 3*9
// expect 2: int 3 0 2
// expect report: <source>:8:14: error: integer division by zero
// expect report: out[i] = a[i] / b[i];
// expect report: ^
// expect report: note: by work-item 1 of kernel 'quotient': number 1 of work-group 0
// expect report: kernel 'quotient': 1 fault at 1 place

// kernel: remainder_of
// global: 1
// arg: buffer uint 7
// arg: uint 0
// expect 0: uint 0
// expect report: <source>:13:15: error: remainder of an integer division by zero
// expect report: data[0] = data[0] % n;
// expect report: ^
// expect report: note: by work-item 0 of kernel 'remainder_of': number 0 of work-group 0
// expect report: kernel 'remainder_of': 1 fault at 1 place

// kernel: lanes
// global: 1
// arg: buffer uint 8 8 8 8
// arg: uint4 1 2 0 4
// expect 0: uint 8 4 0 2
// expect report: <source>:18:5: error: integer division by zero
// expect report: data[0] /= by;
// expect report: ^
// expect report: note: by work-item 0 of kernel 'lanes': number 0 of work-group 0
// expect report: kernel 'lanes': 1 fault at 1 place

// kernel: wide
// global: 1
// arg: buffer long 5
// arg: long 0
// expect 0: long 0
// expect report: <source>:23:15: error: integer division by zero
// expect report: data[0] = 100 / by + 100 % by;
// expect report: ^
// expect report: note: by work-item 0 of kernel 'wide': number 0 of work-group 0
// expect report: <source>:23:26: error: remainder of an integer division by zero
// expect report: data[0] = 100 / by + 100 % by;
// expect report: ^
// expect report: note: by work-item 0 of kernel 'wide': number 0 of work-group 0
// expect report: kernel 'wide': 2 faults at 2 places

// kernel: narrow
// global: 1
// arg: buffer char 5
// arg: char 0
// expect 0: char 0
// expect report: <source>:28:5: error: integer division by zero
// expect report: data[0] /= by;
// expect report: ^
// expect report: note: by work-item 0 of kernel 'narrow': number 0 of work-group 0
// expect report: kernel 'narrow': 1 fault at 1 place

// kernel: called
// global: 1
// arg: buffer int 5 0
// expect 0: int 0 0
// expect report: <source>:33:12: error: integer division by zero
// expect report: return sum / count;
// expect report: ^
// expect report: note: by work-item 0 of kernel 'called': number 0 of work-group 0
// expect report: kernel 'called': 1 fault at 1 place
