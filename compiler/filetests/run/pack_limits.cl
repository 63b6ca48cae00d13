// test: run
// The alignment of members that #pragma pack limits, as C compilers for the host have it.
// options: -cl-std=CL1.2
// needs: doubles
// kernel: layouts
// global: 1
// arg: buffer int 24*0
// expect 0: int 20 4 16 4 16 16 12 4 8 4 16 2 26 2 48 8 11 1 32 16 4 4 20 16
// kernel: values
// global: 1
// arg: buffer int 1 2 3 4 5 6
// arg: buffer uint 3*0
// expect 0: int 1 -2 -1 4 7 6
// expect 1: uint 0x0fffff00 0xfffff000 0x3fffffff
#pragma OPENCL EXTENSION __cl_clang_bitfields : enable
#pragma pack(push, 4)
struct A { char c; long l; double d; };
struct B { char c; long l __attribute__((aligned(16))); short s; };
struct C { char c; long l; } __attribute__((aligned(16)));
struct D { char a; int b : 20; int c : 20; long d : 30; char e; };
union E { char a[5]; long l; };
#pragma pack(2)
struct F { char c; int i; long l; char d; };
struct G { struct F f; char c; long l; };
#pragma pack(pop)
struct H { char c; struct F f; struct A a; long z; };
#pragma pack(1)
struct I { char c; long l __attribute__((aligned(16))); short s; };
#pragma pack()
#pragma pack(16)
struct J { char c; float4 v; };
#pragma pack()

kernel void layouts(global int *out) {
#define LAYOUT(n, T) out[2 * n] = sizeof(T), out[2 * n + 1] = __alignof__(T)
    LAYOUT(0, struct A);
    LAYOUT(1, struct B);
    LAYOUT(2, struct C);
    LAYOUT(3, struct D);
    LAYOUT(4, union E);
    LAYOUT(5, struct F);
    LAYOUT(6, struct G);
    LAYOUT(7, struct H);
    LAYOUT(8, struct I);
    LAYOUT(9, struct J);
    out[20] = __builtin_offsetof(struct A, l);
    out[21] = __builtin_offsetof(struct B, l);
    out[22] = __builtin_offsetof(struct H, a);
    out[23] = __builtin_offsetof(struct J, v);
}

kernel void values(global struct A *a, global struct D *d) {
    a->l = -2;
    struct A own = *a;
    own.l += 0x900000000;
    a->d = own.l == 0x8fffffffe && own.c == 1 ? as_double(0x0000000700000004) : 0;
    struct D bits = { 0, -1, 0, 0, 0 };
    *(global uint *)d = *(uint *)&bits;
    bits.b = 0;
    bits.c = -1;
    ((global uint *)d)[1] = ((uint *)&bits)[0] >> 28 << 12 | ((uint *)&bits)[1] << 16;
    bits.c = 0;
    bits.d = -1;
    ((global uint *)d)[2] = ((uint *)&bits)[2] << 16 | ((uint *)&bits)[1] >> 16;
}
