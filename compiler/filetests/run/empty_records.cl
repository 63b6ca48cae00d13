// test: run
// Structs and unions without members have no bytes, as in GNU C.

// kernel: sizes
// global: 1
// arg: buffer int 8*9
// expect 0: int 0 1 0 12 4 8 0 0
typedef struct Empty {
} Empty;
typedef union None {
} None;
typedef struct { int a; Empty e; int b; None n; int c; } Holder;
typedef struct { Empty e[3]; None n; } Nothing;
__kernel void sizes(__global int *out) {
    out[0] = sizeof(Empty) + sizeof(None);
    out[1] = __alignof__(Empty);
    out[2] = sizeof(Empty[5]);
    out[3] = sizeof(Holder);
    out[4] = __builtin_offsetof(Holder, b);
    out[5] = __builtin_offsetof(Holder, c);
    out[6] = sizeof(Nothing);
    out[7] = sizeof(Empty) * 7;
}

// kernel: values
// global: 2
// arg: buffer int 8*9
// arg: int 3
// expect 0: int 3 4 5 6 3 4 5 6
// Passed, returned, assigned, copied and initialised.
__attribute__((noinline)) Empty pass(Empty e, int *at) { *at += 1; return e; }
__attribute__((noinline)) Holder hold(Holder h, Empty e) { h.e = e; h.b += 1; return h; }
__attribute__((noinline)) int through(Empty *e, None *n) { None copy = *n; *n = copy; Empty f = *e; *e = f; return e != 0; }
__constant Empty table[2] = {{}, {}};
__constant Holder constant_holder = {1, {}, 2, {}, 3};
__kernel void values(__global int *out, int k) {
    Empty e, f = {}, row[4];
    None n;
    Nothing nothing = {};
    int at = k;
    e = pass(f, &at);
    row[k & 3] = pass(e, &at);
    e = row[1];
    e = table[k & 1];
    Holder h = {k, e, k + 1, n, k + 2};
    Holder g = hold(h, nothing.e[k & 1]);
    Holder z = {.a = k, .n = {}, 7};
    Holder copy = constant_holder;
    at += through(&e, &n);
    __global int *o = out + 4 * get_global_id(0);
    o[0] = h.a;
    o[1] = z.b + z.c - 7 + h.b;
    o[2] = g.b;
    o[3] = at + (copy.c - 3);
}

// kernel: memory
// global: 2
// local: 2
// arg: buffer int 1 2 3 4 5 6
// expect 0: int 4 2 6 1 5 3
__kernel void memory(__global Holder *h) {
    __local Empty nothing[2];
    __local Holder shared[2];
    size_t i = get_local_id(0);
    nothing[i] = h[i].e;
    shared[i] = h[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    Holder other = shared[1 - i];
    other.e = nothing[1 - i];
    h[i].a = other.a;
    h[i].c = shared[1 - i].c;
    h[i].n = other.n;
    __global Empty *place = &h[i].e;
    *place = other.e;
    if (i == 0) h[0].b = 2;
}

// kernel: other_uses
// global: 1
// arg: buffer int 4*9
// expect 0: int 4 3 2 0
// In nested and anonymous members, blocks, pointers and program scope.
typedef struct { struct {}; union {}; int k; struct { Empty in; }; } Anonymous;
__constant Empty constants[3] = {{}};
__attribute__((noinline)) Empty make(void) { Empty e = {}; return e; }
__kernel void other_uses(__global int *out) {
    Anonymous a[2] = {{.k = 3}};
    a[1] = a[0];
    a[1].in = make();
    a[1].k++;
    Empty row[3], *p = row;
    row[out[0] & 1] = constants[out[1] & 1];
    p++;
    *p = make();
    struct { Empty e; int k; } z = {.k = 2, .e = *p};
    out[0] = a[1].k;
    out[1] = a[0].k;
    out[2] = z.k;
    out[3] = sizeof(row);
}
