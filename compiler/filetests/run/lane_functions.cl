// test: run
// C compilers' functions on the lanes of vectors.
// options: -cl-std=CL1.2
// kernel: shuffles
// global: 1
// arg: buffer int 10 11 12 13 20 21 22 23
// arg: buffer int 16*0
// expect 1: int 13 20 10 ? 21 23 22 20 11 20 11 13 10 11 12 21
// kernel: converted
// global: 1
// arg: buffer float -1.5 2.75 3 100
// arg: buffer int 8*0
// expect 1: int -1 2 3 100 1 0 1 3
// kernel: elements
// global: 1
// arg: buffer int -2147483648 -1 0 2147483647
// arg: buffer int 0 -2 1 2147483646
// arg: buffer int 24*9
// expect 2: int 0 -1 1 2147483647 -2147483648 -2 0 2147483646 -2147483648 1 0 2147483647 -2147483648 -3 1 2147483647 1 32 0 31 127 -128 5 4
// kernel: float_elements
// global: 1
// arg: buffer float -1.5 2.5 -0.5 0
// arg: buffer float 17*9
// expect 1: float 1.5 2.5 0.5 0 2.5 2.5 2.5 2.5 -1.5 -1.5 -1.5 -1.5 -2 2 -0 0 2.5
// kernel: reduced
// global: 1
// arg: buffer int 1 -2 3 4 5 6 7 8 9 10 11 12 13 14 15 -16
// arg: buffer float 1 -2 3 nan
// arg: buffer int 9*0
// arg: buffer float 2*0
// expect 2: int 100 -6 4 13 12 15 -16 3 -2
// expect 3: float 3 -2

kernel void shuffles(global int *in, global int *out) {
    int4 a = vload4(0, in), b = vload4(1, in);
    vstore4(__builtin_shufflevector(a, b, 3, 4, 0, -1), 0, out);
    vstore4(__builtin_shufflevector(a, b, 5, 7, 6, 4), 1, out);
    vstore3(__builtin_shufflevector(a.xyz, b.xyz, 1, 3, 1), 0, out + 8);
    out[11] = __builtin_shufflevector(a, b, 3);
    vstore3(__builtin_shufflevector(a, (uint4)(0, 5, 6, 1 << 31)).xyz, 0, out + 12);
    out[15] = __builtin_shufflevector(a.xy, b.xy, 0, 1, 2, 3).w;
}

kernel void converted(global float *in, global int *out) {
    float4 v = vload4(0, in);
    vstore4(__builtin_convertvector(v, int4), 0, out);
    out[4] = __builtin_types_compatible_p(__typeof__(__builtin_convertvector(v, char4)), char4);
    out[5] = __builtin_types_compatible_p(int, uint) || __builtin_types_compatible_p(int *, const int *);
    out[6] = __builtin_types_compatible_p(const int, int) && __builtin_bit_cast(uint, v.z) == 0x40400000;
    // The chosen operand is the object itself, and nothing of the other happens.
    __builtin_choose_expr(sizeof(int) == 4, out[7], in[0]) = __builtin_convertvector(v, ulong4).z;
    __builtin_choose_expr(0, out[7]++, 0);
    out[7] += __builtin_constant_p(out[7]++) + __builtin_constant_p(in) - __builtin_constant_p(3 * 4)
        + __builtin_constant_p("text");
}

kernel void elements(global int *x, global int *y, global int *out) {
    int4 a = vload4(0, x), b = vload4(0, y);
    vstore4(__builtin_elementwise_max(a, b), 0, out);
    vstore4(__builtin_elementwise_min(a, b), 1, out);
    vstore4(__builtin_elementwise_abs(a), 2, out);
    vstore4(__builtin_elementwise_add_sat(a, b), 3, out);
    vstore4(__builtin_elementwise_popcount(a), 4, out);
    char c = x[3], d = x[0] | 100;
    out[20] = __builtin_elementwise_add_sat(d, (char)100);
    out[21] = __builtin_elementwise_sub_sat((char)-d, (char)100);
    out[22] = __builtin_elementwise_max(c, (short)5);
    out[23] = __builtin_elementwise_bitreverse((uchar)(d >> 1)) == 0x4c ? 4 : 0;
}

kernel void float_elements(global float *x, global float *out) {
    float4 v = vload4(0, x);
    vstore4(__builtin_elementwise_abs(v), 0, out);
    vstore4((float4)(__builtin_elementwise_max(v.x, v.y)), 1, out);
    vstore4((float4)(__builtin_elementwise_min(v.x, v.y)), 2, out);
    vstore4(__builtin_elementwise_roundeven(v), 3, out);
    out[16] = __builtin_elementwise_max(v.x, 2.5f);
}

kernel void reduced(global int *x, global float *f, global int *out, global float *g) {
    int16 a = vload16(0, x);
    out[0] = __builtin_reduce_add(a);
    out[1] = __builtin_reduce_mul(a.s012);
    out[2] = __builtin_reduce_and(a.s456);
    out[3] = __builtin_reduce_or(a.s0378);
    out[4] = __builtin_reduce_xor(a);
    out[5] = __builtin_reduce_max(a);
    out[6] = __builtin_reduce_min(a);
    out[7] = __builtin_reduce_max(__builtin_convertvector(a.s012, char3));
    out[8] = __builtin_reduce_min(a.s01);
    float4 v = vload4(0, f);
    g[0] = __builtin_reduce_max(v);
    g[1] = __builtin_reduce_min(v);
}
