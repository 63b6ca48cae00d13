// test: emit
// C compilers' functions as operators and functions of OpenCL C.
// options: -cl-std=CL1.2

kernel void bits(global uint *o, global ulong *l) {
    o[0] = __builtin_bswap32(o[0]) + __builtin_ctz(o[1]) + __builtin_ffs(o[2]);
    l[0] = __builtin_bswap64(l[1]) + __builtin_bitreverse64(l[2]) + __builtin_clrsbl(l[3]);
    o[1] = __builtin_bswap32(0x01020304);
}

kernel void exact(global int *i, global long *l, global uchar *c) {
    i[0] = __builtin_add_overflow(i[0], l[0], c) + __builtin_smul_overflow(i[1], 3, &i[1]);
    c[1] = __builtin_subcb(c[2], c[3], 0, &c[4]);
}

kernel void lanes(global float4 *v, global int4 *i, uint n) {
    v[0] = __builtin_shufflevector(v[0], v[1], 0, 5, -1, 7);
    v[1].x = __builtin_reduce_max(v[0]);
    i[0] = __builtin_elementwise_bitreverse(__builtin_convertvector(v[2], int4));
    __builtin_memset(i + 1, 0, n);
    __builtin_memset(i + 3, 255, 8);
}
