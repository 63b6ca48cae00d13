// test: sema
typedef struct __attribute__((packed)) { char c; int i; short s; } Packed;
typedef struct { char c; int3 v; char d; } Aligned;
struct Over { int a; int b __attribute__((aligned(32))); } __attribute__((aligned(64)));
typedef union { char c[5]; double d; } Mixed;
__constant int layout[] = {
    sizeof(Packed), sizeof(Aligned), sizeof(struct Over), sizeof(Mixed),
    __builtin_offsetof(Packed, s), __builtin_offsetof(Aligned, v), __builtin_offsetof(struct Over, b),
    __builtin_offsetof(Mixed, c[3]), __alignof__(Packed), __alignof__(Aligned)
};
Packed make(int i) { Packed p = {1, i, 2}; return p; }
int use(__global Packed *g, __global Aligned *a)
{
    a->v.y = g[1].i;
    *g = make(3);
    return make(4).i + g->s;
}
