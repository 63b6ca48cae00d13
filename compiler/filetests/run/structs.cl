// test: run
// Structs: by value, in buffers, nested, packed, with arrays and pointers inside; unions.
// kernel: structs
// global: 2
// arg: buffer uint 1 2 3 4 5 6 7 8 9 10 11 12
// arg: int4 10 20 30 40
// arg: buffer int 16*0
// expect 2: int 12 24 44 100 19 7 1065353216 5 24 36 68 100 19 7 1065353216 5
typedef struct { uint a; uint b[2]; struct { uint c; } inner; uint tail[2]; } item;
typedef struct { int x, y, z, w; } pod;
typedef struct __attribute__((packed)) { char c; int i; short s; } tight;
typedef union { float f; int i; uchar bytes[4]; } pun;
typedef struct node { int value; struct node *next; } node;
int sum_list(node *n) {
    int s = 0;
    while (n) {
        s += n->value;
        n = n->next;
    }
    return s;
}
item twice(item v) {
    v.a *= 2;
    v.b[0] *= 2;
    v.b[1] *= 2;
    v.inner.c *= 2;
    return v;
}
__kernel void structs(__global item *items, pod p, __global int *out) {
    uint g = get_global_id(0);
    item v = items[g];
    item w = twice(v);
    out += 8 * g;
    out[0] = w.a + p.x;
    out[1] = w.b[0] + p.y;
    out[2] = w.b[1] + w.inner.c + p.z;
    tight t;
    t.c = 1;
    t.i = 99;
    t.s = (short)(t.c + t.i);
    out[3] = t.s;
    out[4] = sizeof(tight) + sizeof(pun) + sizeof(node *);
    node b = {4, 0}, a = {3, &b};
    out[5] = sum_list(&a);
    pun u;
    u.f = 1.0f;
    out[6] = u.i;
    item copy = v;
    copy.tail[1] = 5;
    out[7] = copy.tail[1];
}
