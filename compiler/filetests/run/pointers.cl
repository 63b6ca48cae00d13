// test: run
// Pointer casts, comparisons, arithmetic, pointers in structs and to pointers, NULL.
// kernel: pointers
// global: 1
// arg: buffer uint 0x04030201 0x08070605 0x0c0b0a09 0x100f0e0d
// arg: buffer null
// arg: buffer long 12*0
// expect 2: long 5 1027 1 1 3 8 0 2 1 134678021 12 9
typedef struct { __global uchar *p; int n; } view;
int via(view *v, int i) { return v->p[i]; }
__kernel void pointers(__global uint *data, __global int *nothing, __global long *out) {
    __global uchar *b = (__global uchar *)data;
    out[0] = b[4];
    out[1] = *(__global ushort *)(b + 2);
    out[2] = nothing == 0;
    out[3] = &data[1] > data && b == (__global uchar *)data;
    out[4] = &data[3] - data;
    view v = {b + 4, 4};
    out[5] = via(&v, 3);
    out[6] = (ulong)&data[0] % 4;
    ulong a = (ulong)&data[2] - (ulong)&data[1];
    out[7] = (long)a / 2;
    __global uint *back = (__global uint *)(ulong)data;
    out[8] = back == data;
    int k[3] = {1, 2, 3};
    int *p = k, **pp = &p;
    *pp += 1;
    out[9] = *((__global uint *)(b + 4));
    (*pp)[0] = 12;
    out[10] = k[1];
    out[11] = b[8];
}
