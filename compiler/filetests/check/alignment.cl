// test: check
// options: -pumice-check=all -cl-kernel-arg-info
// Pointers below the alignment of their type.

kernel void bytes(global uchar *data, int at)
{
    *(global int *)(data + at) = 5;
}

kernel void vector(global float *data, global float *out)
{
    float4 v = *(global float4 *)(data + 1);
    out[0] = v.x;
}

kernel void unaligned_is_fine(global float *data, global float *out)
{
    out[0] = vload4(0, data + 1).x;
}

// kernel: bytes
// global: 1
// arg: buffer uchar 0 0 0 0 0 0 0 0
// arg: int 2
// expect 0: uchar 8*0
// expect report: <source>:7:5: error: write of 4 bytes at byte 2 of 'data', which is not aligned to 4 bytes
// expect report: *(global int *)(data + at) = 5;
// expect report: ^
// expect report: note: by work-item 0 of kernel 'bytes': number 0 of work-group 0
// expect report: note: argument 0 'data' is a buffer of 8 bytes from clCreateBuffer
// expect report: kernel 'bytes': 1 fault at 1 place

// kernel: bytes
// global: 1
// arg: buffer uchar 0 0 0 0 0 0 0 0
// arg: int 4
// expect 0: uchar 0 0 0 0 5 0 0 0

// kernel: vector
// global: 1
// arg: buffer float 0..7
// arg: buffer float 9
// expect 1: float 0
// expect report: <source>:12:16: error: read of 16 bytes at byte 4 of 'data', which is not aligned to 16 bytes
// expect report: float4 v = *(global float4 *)(data + 1);
// expect report: ^
// expect report: note: by work-item 0 of kernel 'vector': number 0 of work-group 0
// expect report: note: argument 0 'data' is a buffer of 32 bytes from clCreateBuffer
// expect report: kernel 'vector': 1 fault at 1 place

// kernel: unaligned_is_fine
// global: 1
// arg: buffer float 0..7
// arg: buffer float 9
// expect 1: float 1
