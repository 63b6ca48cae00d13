// test: check
// options: -pumice-check=all -cl-kernel-arg-info
// Vectors across the ends of buffers.

kernel void whole(global const float4 *in, global float4 *out)
{
    out[get_global_id(0)] = in[get_global_id(0)] * 2.0f;
}

kernel void loaded(global const float *in, global float *out, int n)
{
    float4 v = vload4(0, in + n);
    vstore4(v + 1.0f, 0, out);
}

kernel void stored(global int *out)
{
    vstore2((int2)(1, 2), get_global_id(0), out + 1);
}

kernel void three(global const int3 *in, global int *out)
{
    out[0] = in[1].z;
}

kernel void halves(global const half *in, global float *out)
{
    out[0] = vload_half(2, in);
}

// kernel: whole
// global: 2
// arg: buffer float 0..6
// arg: buffer float 8*9
// expect 1: float 0 2 4 6 0 0 0 0
// expect report: <source>:7:29: error: read of 16 bytes at byte 16 of 'in', which has 28 bytes
// expect report: out[get_global_id(0)] = in[get_global_id(0)] * 2.0f;
// expect report: ^
// expect report: note: by work-item 1 of kernel 'whole': number 1 of work-group 0
// expect report: note: argument 0 'in' is a buffer of 28 bytes from clCreateBuffer
// expect report: kernel 'whole': 1 fault at 1 place

// kernel: loaded
// global: 1
// arg: buffer float 1 2 3 4
// arg: buffer float 4*9
// arg: int 1
// expect 1: float 1 1 1 1
// expect report: <source>:12:16: error: read of 16 bytes at byte 4 of 'in', which has 16 bytes
// expect report: float4 v = vload4(0, in + n);
// expect report: ^
// expect report: note: by work-item 0 of kernel 'loaded': number 0 of work-group 0
// expect report: note: argument 0 'in' is a buffer of 16 bytes from clCreateBuffer
// expect report: kernel 'loaded': 1 fault at 1 place

// kernel: stored
// global: 2
// arg: buffer int 4*0
// expect 0: int 0 1 2 0
// expect report: <source>:18:5: error: write of 8 bytes at byte 12 of 'out', which has 16 bytes
// expect report: vstore2((int2)(1, 2), get_global_id(0), out + 1);
// expect report: ^
// expect report: note: by work-item 1 of kernel 'stored': number 1 of work-group 0
// expect report: note: argument 0 'out' is a buffer of 16 bytes from clCreateBuffer
// expect report: kernel 'stored': 1 fault at 1 place

// kernel: three
// global: 1
// arg: buffer int 0..6
// arg: buffer int 9
// expect 1: int 6

// kernel: halves
// global: 1
// arg: buffer half 1 2
// arg: buffer float 9
// expect 1: float 0
// expect report: <source>:28:14: error: read of 2 bytes at byte 4 of 'in', which has 4 bytes
// expect report: out[0] = vload_half(2, in);
// expect report: ^
// expect report: note: by work-item 0 of kernel 'halves': number 0 of work-group 0
// expect report: note: argument 0 'in' is a buffer of 4 bytes from clCreateBuffer
// expect report: kernel 'halves': 1 fault at 1 place
