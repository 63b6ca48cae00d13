// test: unwritten
// options: -pumice-check=all -cl-kernel-arg-info
// Reads of buffers that nothing wrote. `unwritten` names the arguments whose buffers begin so.

kernel void forgotten(global const float *in, global float *out)
{
    int i = get_global_id(0);
    out[i] = in[i] * 2;
}

kernel void sum(global int *total, global const int *in)
{
    total[0] += in[get_global_id(0)];
}

kernel void counted(global int *bins)
{
    atomic_inc(&bins[1]);
}

// Writes every second element, and reads all.
kernel void half_done(global int *data)
{
    data[0] = 1;
    data[2] = 3;
    data[1] = data[0] + data[2];
    data[4] = data[1] + data[3];
}

kernel void bytes(global uchar *data, global int *out)
{
    data[1] = 1;
    out[0] = data[1] + data[2];
}

kernel void vectors(global float4 *data, global float *out)
{
    data[0].x = 1;
    data[0].y = 2;
    out[0] = data[0].x;
    out[1] = (data[0] * 2).z;
}

struct node {
    global struct node *next;
    int value;
};

// The second node is reached through the first one.
kernel void list(global struct node *first, global struct node *second, global int *out)
{
    first->next = second;
    first->value = 1;
    out[0] = first->value + first->next->value;
}

kernel void silent(global const float *in, global float *out, global int *scratch)
{
    int i = get_global_id(0);
    scratch[i] = i;
    out[i] = in[i] + scratch[i];
}

struct pair {
    char tag;
    int value;
};

// Padding is copied, though nothing wrote it.
kernel void silent_structures(global struct pair *pairs, global struct pair *copies, global int *out)
{
    pairs[0].tag = 1;
    pairs[0].value = 2;
    struct pair p = pairs[0];
    copies[0] = p;
    copies[1] = pairs[0];
    out[0] = copies[0].tag + copies[1].value;
}

kernel void silent_bytes(global uchar *data, global ushort *shorts, global int *out)
{
    data[1] = 1;
    data[2] = 5;
    shorts[1] = 7;
    out[0] = data[1] + data[2] + shorts[1];
    atomic_xchg(out + 1, 4);
}

kernel void silent_vectors(global float4 *data, global float3 *threes, global float *out)
{
    data[0].x = 1;
    data[0].yzw = (float3)(2, 3, 4);
    threes[0] = (float3)(1, 2, 3);
    vstore3(threes[0], 1, out);
    out[0] = data[0].x + data[0].w;
}

kernel void silent_list(global struct node *first, global struct node *second, global int *out)
{
    first->next = second;
    first->value = 1;
    first->next->value = 2;
    out[0] = first->value + first->next->value;
}

// kernel: forgotten
// global: 2
// arg: buffer float 0 0
// arg: buffer float 9 9
// unwritten: 0 1
// expect 1: float 0 0
// expect report: <source>:8:14: error: read of 4 bytes at byte 0 of 'in' that nothing wrote
// expect report: out[i] = in[i] * 2;
// expect report: ^
// expect report: note: by work-item 0 of kernel 'forgotten': number 0 of work-group 0
// expect report: note: argument 0 'in' is a buffer of 8 bytes from clCreateBuffer
// expect report: note: once more at this place
// expect report: kernel 'forgotten': 2 faults at 1 place

// kernel: sum
// global: 1
// arg: buffer int 0
// arg: buffer int 5
// unwritten: 0
// expect 0: int 5
// expect report: <source>:13:5: error: read of 4 bytes at byte 0 of 'total' that nothing wrote
// expect report: total[0] += in[get_global_id(0)];
// expect report: ^
// expect report: note: by work-item 0 of kernel 'sum': number 0 of work-group 0
// expect report: note: argument 0 'total' is a buffer of 4 bytes from clCreateBuffer
// expect report: kernel 'sum': 1 fault at 1 place

// kernel: counted
// global: 1
// arg: buffer int 0 0
// unwritten: 0
// expect 0: int 0 1
// expect fault: <source>:18:5: error: read of 4 bytes at byte 4 of 'bins' that nothing wrote
// expect fault: kernel 'counted': 1 fault at 1 place

// kernel: half_done
// global: 1
// arg: buffer int 5*0
// unwritten: 0
// expect 0: int 1 4 3 0 4
// expect fault: <source>:27:25: error: read of 4 bytes at byte 12 of 'data' that nothing wrote
// expect fault: kernel 'half_done': 1 fault at 1 place

// kernel: bytes
// global: 1
// arg: buffer uchar 4*0
// arg: buffer int 0
// unwritten: 0 1
// expect 1: int 1
// expect fault: <source>:33:24: error: read of 1 byte at byte 2 of 'data' that nothing wrote
// expect fault: kernel 'bytes': 1 fault at 1 place

// kernel: vectors
// global: 1
// arg: buffer float 4*0
// arg: buffer float 9 9
// unwritten: 0
// expect 1: float 1 0
// expect fault: <source>:41:15: error: read of 16 bytes at byte 0 of 'data' that nothing wrote
// expect fault: kernel 'vectors': 1 fault at 1 place

// kernel: list
// global: 1
// arg: buffer long 0 0
// arg: buffer long 0 0
// arg: buffer int 9
// unwritten: 0 1
// expect 2: int 1
// expect fault: <source>:54:29: error: read of 4 bytes of memory that nothing wrote
// expect fault: note: the memory is a buffer of 16 bytes from clCreateBuffer; byte 8 of it
// expect fault: kernel 'list': 1 fault at 1 place

// kernel: silent
// global: 2
// arg: buffer float 1 2
// arg: buffer float 0 0
// arg: buffer int 0 0
// unwritten: 1 2
// expect 1: float 1 3

// kernel: silent_structures
// global: 1
// arg: buffer int 0 0
// arg: buffer int 4*0
// arg: buffer int 0
// unwritten: 0 1 2
// expect 2: int 3

// kernel: silent_bytes
// global: 1
// arg: buffer uchar 4*0
// arg: buffer ushort 0 0
// arg: buffer int 0 0
// unwritten: 0 1 2
// expect 2: int 13 4

// kernel: silent_vectors
// global: 1
// arg: buffer float 4*0
// arg: buffer float 4*0
// arg: buffer float 6*0
// unwritten: 0 1 2
// expect 2: float 5 0 0 1 2 3

// kernel: silent_list
// global: 1
// arg: buffer long 0 0
// arg: buffer long 0 0
// arg: buffer int 9
// unwritten: 0 1 2
// expect 2: int 3
