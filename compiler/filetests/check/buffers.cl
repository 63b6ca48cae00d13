// test: check
// options: -pumice-check=all -cl-kernel-arg-info
// Accesses behind and before buffers.

kernel void behind(global const int *in, global int *out)
{
    size_t i = get_global_id(0);
    out[i] = in[i];
}

kernel void neighbour(global const float *in, global float *out)
{
    int i = get_global_id(0);
    out[i] = 0.5f * (in[i - 1] + in[i]);
}

kernel void off_by_one(global int *sums, int n)
{
    int sum = 0;
    for (int i = 0; i <= n; ++i)
        sum += sums[i];
    sums[0] = sum;
}

kernel void transposed(global const uchar *in, global uchar *out, int width, int height)
{
    int x = get_global_id(0), y = get_global_id(1);
    out[y * width + x] = in[x * width + y];
}

kernel void wrapped(global int *data, int a, int b)
{
    data[a * b] = 1;
}

struct point { float x, y, z; int tag; };

kernel void field(global struct point *points, int i)
{
    points[i].tag = 7;
}

kernel void copied(global struct point *points, int from, int to)
{
    points[to] = points[from];
}

kernel void counted(global int *bins, global const int *data)
{
    atomic_inc(&bins[data[get_global_id(0)]]);
}

kernel void walked(global int *data, int n)
{
    for (global int *p = data + n; p >= data; --p)
        *p += 1;
}

kernel void from_constant(constant short *table, global int *out)
{
    out[0] = table[get_global_id(0)];
}

// kernel: behind
// global: 5
// arg: buffer int 1 2 3 4
// arg: buffer int 8*9
// expect 1: int 1 2 3 4 0 9 9 9
// expect report: <source>:8:14: error: read of 4 bytes at byte 16 of 'in', which has 16 bytes
// expect report: out[i] = in[i];
// expect report: ^
// expect report: note: by work-item 4 of kernel 'behind': number 4 of work-group 0
// expect report: note: argument 0 'in' is a buffer of 16 bytes from clCreateBuffer
// expect report: kernel 'behind': 1 fault at 1 place

// kernel: neighbour
// global: 3
// arg: buffer float 2 4 6
// arg: buffer float 3*9
// expect 1: float 1 3 5
// expect report: <source>:14:22: error: read of 4 bytes that begins 4 bytes before 'in'
// expect report: out[i] = 0.5f * (in[i - 1] + in[i]);
// expect report: ^
// expect report: note: by work-item 0 of kernel 'neighbour': number 0 of work-group 0
// expect report: note: argument 0 'in' is a buffer of 12 bytes from clCreateBuffer
// expect report: kernel 'neighbour': 1 fault at 1 place

// kernel: off_by_one
// global: 1
// arg: buffer int 1 2 3
// arg: int 3
// expect 0: int 6 2 3
// expect report: <source>:21:16: error: read of 4 bytes at byte 12 of 'sums', which has 12 bytes
// expect report: sum += sums[i];
// expect report: ^
// expect report: note: by work-item 0 of kernel 'off_by_one': number 0 of work-group 0
// expect report: note: argument 0 'sums' is a buffer of 12 bytes from clCreateBuffer
// expect report: kernel 'off_by_one': 1 fault at 1 place

// kernel: transposed
// global: 3 2
// arg: buffer uchar 0..5
// arg: buffer uchar 6*9
// arg: int 3
// arg: int 2
// expect 1: uchar 0 3 0 1 4 0
// expect report: <source>:28:26: error: read of 1 byte at byte 6 of 'in', which has 6 bytes
// expect report: out[y * width + x] = in[x * width + y];
// expect report: ^
// expect report: note: by work-item (2, 0) of kernel 'transposed': number (2, 0) of work-group (0, 0)
// expect report: note: argument 0 'in' is a buffer of 6 bytes from clCreateBuffer
// expect report: note: once more at this place
// expect report: kernel 'transposed': 2 faults at 1 place

// kernel: wrapped
// global: 1
// arg: buffer int 4*0
// arg: int 65536
// arg: int 65535
// expect 0: int 0 0 0 0
// expect report: <source>:33:5: error: write of 4 bytes that begins 262144 bytes before 'data'
// expect report: data[a * b] = 1;
// expect report: ^
// expect report: note: by work-item 0 of kernel 'wrapped': number 0 of work-group 0
// expect report: note: argument 0 'data' is a buffer of 16 bytes from clCreateBuffer
// expect report: kernel 'wrapped': 1 fault at 1 place

// kernel: field
// global: 1
// arg: buffer int 8*1
// arg: int 2
// expect 0: int 8*1
// expect report: <source>:40:5: error: write of 4 bytes at byte 44 of 'points', which has 32 bytes
// expect report: points[i].tag = 7;
// expect report: ^
// expect report: note: by work-item 0 of kernel 'field': number 0 of work-group 0
// expect report: note: argument 0 'points' is a buffer of 32 bytes from clCreateBuffer
// expect report: kernel 'field': 1 fault at 1 place

// kernel: copied
// global: 1
// arg: buffer int 0..7
// arg: int 2
// arg: int 0
// expect 0: int 0..7
// expect report: <source>:45:5: error: read of 16 bytes at byte 32 of 'points', which has 32 bytes
// expect report: points[to] = points[from];
// expect report: ^
// expect report: note: by work-item 0 of kernel 'copied': number 0 of work-group 0
// expect report: note: argument 0 'points' is a buffer of 32 bytes from clCreateBuffer
// expect report: kernel 'copied': 1 fault at 1 place

// kernel: counted
// global: 4
// arg: buffer int 3*0
// arg: buffer int 0 2 3 0
// expect 0: int 2 0 1
// expect report: <source>:50:22: error: atomic access of 4 bytes at byte 12 of 'bins', which has 12 bytes
// expect report: atomic_inc(&bins[data[get_global_id(0)]]);
// expect report: ^
// expect report: note: by work-item 2 of kernel 'counted': number 2 of work-group 0
// expect report: note: argument 0 'bins' is a buffer of 12 bytes from clCreateBuffer
// expect report: kernel 'counted': 1 fault at 1 place

// kernel: walked
// global: 1
// arg: buffer int 1 2 3
// arg: int 3
// expect 0: int 2 3 4
// expect report: <source>:56:9: error: read of 4 bytes at byte 12 of 'data', which has 12 bytes
// expect report: *p += 1;
// expect report: ^
// expect report: note: by work-item 0 of kernel 'walked': number 0 of work-group 0
// expect report: note: argument 0 'data' is a buffer of 12 bytes from clCreateBuffer
// expect report: <source>:56:9: error: write of 4 bytes at byte 12 of 'data', which has 12 bytes
// expect report: *p += 1;
// expect report: ^
// expect report: note: by work-item 0 of kernel 'walked': number 0 of work-group 0
// expect report: note: argument 0 'data' is a buffer of 12 bytes from clCreateBuffer
// expect report: kernel 'walked': 2 faults at 2 places

// kernel: from_constant
// global: 1
// offset: 6
// arg: buffer short 1 2 3 4
// arg: buffer int 5
// expect 1: int 0
// expect report: <source>:61:14: error: read of 2 bytes at byte 12 of 'table', which has 8 bytes
// expect report: out[0] = table[get_global_id(0)];
// expect report: ^
// expect report: note: by work-item 6 of kernel 'from_constant': number 0 of work-group 0
// expect report: note: argument 0 'table' is a buffer of 8 bytes from clCreateBuffer
// expect report: kernel 'from_constant': 1 fault at 1 place
