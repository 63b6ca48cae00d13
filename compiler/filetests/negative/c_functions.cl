// test: negative
//// [--device=full -cl-std=CL3.0] functions on bits
typedef struct { int a; } S;
void k(float4 f4, int4 i4, global int *o, S s, float f) {
    __builtin_popcount(f4);
    __builtin_popcount();
    __builtin_popcount(1, 2);
    __builtin_popcount(o);
    __builtin_popcount(s);
    __builtin_bswap32(i4);
    __builtin_rotateleft32(1);
    __builtin_abs(f4);
    f = __builtin_popcount(f);
}
//// functions on bits at program scope
constant int a = __builtin_popcount(get_work_dim());
constant int b = 0;
constant int c = __builtin_ctz(*(&b + 1));
//// [--device=full -cl-std=CL3.0] overflow
typedef struct { int a; } S;
constant int cc = 1;
void k(float4 f4, int4 i4, float f, global int *o, global float *gf, global const int *gc, global S *s) {
    __builtin_add_overflow(f, 1, o);
    __builtin_add_overflow(1, f, o);
    __builtin_add_overflow(1, 2);
    __builtin_sub_overflow(1, 2, o, o);
    __builtin_sub_overflow(1, 2, gf);
    __builtin_mul_overflow(1, 2, gc);
    __builtin_mul_overflow(1, 2, 3);
    __builtin_mul_overflow(i4, i4, &i4);
    __builtin_mul_overflow(1, 2, s);
    __builtin_mul_overflow(1, 2, &cc);
}
//// [--device=full -cl-std=CL3.0] overflow of one type
constant uint cc = 1;
void k(float4 f4, global int *o, global short *h, global uint *u) {
    __builtin_uadd_overflow(1, 2, &cc);
    __builtin_uadd_overflow(f4, 2, u);
    __builtin_uadd_overflow(1, 2, 3);
    __builtin_addc(1, 2, 3);
    __builtin_addc(f4, 2, 3, u);
    __builtin_subc(1, 2, 3, u, u);
}
//// [--device=full -cl-std=CL3.0] warning: overflow of one type into another
void k(global int *o, global short *h, global const uint *c) {
    __builtin_uadd_overflow(1, 2, o);
    __builtin_uadd_overflow(1, 2, h);
    __builtin_uadd_overflow(1, 2, c);
    __builtin_addc(1, 2, 3, o);
}
//// [--device=full -cl-std=CL3.0] arguments that are not evaluated
void k(uint u, float f, float4 f4, int a) {
    a = __builtin_constant_p();
    a = __builtin_constant_p(1, 2);
    a = __builtin_constant_p(unknown);
    a = __builtin_choose_expr(u, 1, 2);
    a = __builtin_choose_expr(1, 1);
    a = __builtin_choose_expr(f, 1, 2);
    a = __builtin_choose_expr(1, 1, unknown);
    __builtin_choose_expr(1, f4, a) = a;
    __builtin_choose_expr(0, a, f4) = f4 + unknown;
}
//// a number in place of a type
int k(void) { return __builtin_types_compatible_p(int, 3); }
//// one type
int k(void) { return __builtin_types_compatible_p(int); }
//// a value in place of a type
int4 k(int4 v) { return __builtin_convertvector(v, 3); }
//// conversions of vectors
void k(int4 i4, float4 f4, float3 f3) {
    f4 = __builtin_convertvector(3, float4);
    f4 = __builtin_convertvector(i4, float);
    f4 = __builtin_convertvector(i4, float3);
    f3 = __builtin_convertvector(i4, float4);
    int i = __builtin_bit_cast(int, f4);
}
//// shuffles
void k(int4 i4, float4 f4, int3 i3, uint u) {
    i4 = __builtin_shufflevector(i4, i4, 0, 8);
    i4 = __builtin_shufflevector(i4, f4, 0, 1);
    i4 = __builtin_shufflevector(i4, 3, 0, 1);
    i4 = __builtin_shufflevector(3, i4, 0, 1);
    i4 = __builtin_shufflevector(i4, i4, 0, u);
    i4 = __builtin_shufflevector(i4, i4, 0, -2);
    i4 = __builtin_shufflevector(i4, f4);
    i4 = __builtin_shufflevector(i4);
    i4 = __builtin_shufflevector(i4, i3);
    i4 = __builtin_shufflevector(i4, i4, 0, 1, 2, 3, 4);
    f4 = __builtin_shufflevector(i4, i4, 0, 1, 2, 3);
}
//// lanes
void k(int4 i4, uint4 u4, float4 f4, global int *o, float f) {
    i4 = __builtin_elementwise_abs(u4);
    i4 = __builtin_elementwise_abs(o);
    i4 = __builtin_elementwise_abs(i4, i4);
    i4 = __builtin_elementwise_max(i4, u4);
    i4 = __builtin_elementwise_max(i4, 1);
    i4 = __builtin_elementwise_max(i4);
    i4 = __builtin_elementwise_add_sat(f4, f4);
    i4 = __builtin_elementwise_ceil(i4);
    f = __builtin_reduce_max(f);
    f = __builtin_reduce_add(f4);
    f = __builtin_reduce_xor(i4, i4);
}
//// bytes
constant char cc[4] = "abc";
void k(global int *o, uint u, float4 f4) {
    __builtin_memset(cc, 1, u);
    __builtin_memset(1, 1, 4);
    __builtin_memset(o, f4, 4);
    __builtin_memset(o, 1);
    __builtin_memcpy(o, 1, u);
    __builtin_memcpy(o, cc, f4);
    u = __builtin_memset(o, 1, 4);
}
//// accesses that are no scalars
typedef struct { int a; } S;
void k(global S *s, global const int *c, int i) {
    i = __builtin_nontemporal_load(s);
    i = __builtin_nontemporal_load(i);
    __builtin_nontemporal_store(1, c);
    __builtin_nontemporal_store(1);
}
