// test: run
// What follows a designator initialises what follows the subobject that it names, at each depth (C99
// 6.7.8p17); members without an initialiser are zero (p19, p21).

// kernel: whole_and_part
// global: 1
// arg: buffer int 12*9
// arg: int 1
// expect 0: int 0 0 0 0 7 8 3 1 7 8 0 9
typedef struct { int x[3]; int y; } Row;
typedef struct { Row a; int z; } Outer;
typedef struct { union { int i; float f; } u; int x; } Tagged;
__attribute__((noinline)) int z_of(Outer *b) { return b->z; }
__attribute__((noinline)) int x_of(Tagged *b) { return b->x; }
__kernel void whole_and_part(__global int *out, int k) {
    Row row = {{k + 6, 8, 3}, 4};
    for (int i = 0; i < 2; i++) {
        Outer b = {.a = row, .a.y = k};
        Tagged c = {.u.i = k, .u.f = k};
        out[2 * i] = z_of(&b);
        out[2 * i + 1] = x_of(&c);
        if (i == 1) {
            for (int j = 0; j < 3; j++) out[4 + j] = b.a.x[j];
            out[7] = b.a.y;
        }
        b.z = 77;
        c.x = 88;
        z_of(&b);
        x_of(&c);
    }
    Outer last = {{{7, 8}, 5}, .a.y = k + 8};
    out[8] = last.a.x[0];
    out[9] = last.a.x[1];
    out[10] = last.z;
    out[11] = last.a.y;
}

// kernel: nested
// global: 1
// arg: buffer int 12*9
// expect 0: int 1 2 3 0 0 4 5 6 0 7 8 9
__kernel void nested(__global int *out) {
    Row a = {.x = 1, 2, 3};
    Row b = {.x[1] = 4, 5, 6};
    struct { Row r; int z; } c = {.r.x[2] = 7, 8, 9};
    for (int i = 0; i < 3; i++) {
        out[i] = a.x[i];
        out[4 + i] = b.x[i];
    }
    out[3] = a.y;
    out[7] = b.y;
    out[8] = c.r.x[1];
    out[9] = c.r.x[2];
    out[10] = c.r.y;
    out[11] = c.z;
}

// kernel: arrays
// global: 1
// arg: buffer int 36*77
// expect 0: int 1 2 3 0 9 10 11 0 0 0 0 0 3 4 0 5 1 2 1 2 3 0 3 9 4 4 0 0 0 3 0 0 0 3 4 5
__kernel void arrays(__global int *out) {
    int b[2][3][2] = {{1, 2, 3}, [0][2][0] = 9, 10, 11};
    int m[][2] = {[1][1] = 5, [0] = 3, 4};
    int w[3][2] = {[0 ... 1] = 1, 2, 3};
    int r[6] = {[0 ... 2] = 3, 4, [1] = 9, 4};
    for (int i = 0; i < 12; i++) out[i] = ((int *)b)[i];
    for (int i = 0; i < 4; i++) out[12 + i] = ((int *)m)[i];
    for (int i = 0; i < 6; i++) out[16 + i] = ((int *)w)[i];
    for (int i = 0; i < 6; i++) out[22 + i] = r[i];
    Row rows[3] = {[0 ... 1].x[1] = 3, 4, 5, 6};
    for (int i = 0; i < 8; i++) out[28 + i] = ((int *)rows)[i];
}

// kernel: anonymous
// global: 1
// arg: buffer int 4*9
// expect 0: int 6 7 8 0
typedef struct { int x[2]; struct { int a; union { int b; float c; }; }; int p; int q; } Anonymous;
__kernel void anonymous(__global int *out) {
    Anonymous n = {.a = 6, 7, 8};
    out[0] = n.a;
    out[1] = n.b;
    out[2] = n.p;
    out[3] = n.q + n.x[0] + n.x[1];
}

// kernel: strings_and_vectors
// global: 1
// arg: buffer int 10*9
// expect 0: int 1 99 7 98 3 5 1 2 3 4
typedef struct { int a[2]; char s[4]; float4 v; } Mixed;
__kernel void strings_and_vectors(__global int *out) {
    Mixed x = {.a[1] = 1, "abc", (float4)(7)};
    struct { Mixed a; int b; } z = {.a.a = {1}, "abc", (float4)3, 5};
    Mixed y = {.v = (float2)(1, 2), (float2)(3, 4)};
    out[0] = x.a[1];
    out[1] = x.s[2];
    out[2] = x.v.w;
    out[3] = z.a.s[1];
    out[4] = z.a.v.x;
    out[5] = z.b;
    for (int i = 0; i < 4; i++) out[6 + i] = y.v[i];
}

// kernel: constants
// global: 1
// arg: buffer int 21*77
// expect 0: int 5 3 4 5 97 6 7 8 99 0 0 0 0 0 0 9 101 0 0 11 0
typedef struct { float x, y; } Point;
typedef struct { Point p[2]; int tag; char name[4]; } Shape;
__constant Shape shapes[] = {{.p[0] = {1, 2}, .p[1] = {3, 4}, 5, "ab"},
                             {.p[1].x = 6, 7, 8, "cd"},
                             [3].tag = 9, "ef",
                             {{{10}}, .tag = 11}};
__kernel void constants(__global int *out) {
    *out++ = sizeof(shapes) / sizeof(Shape);
    for (int i = 0; i < 5; i++) {
        *out++ = shapes[i].p[1].x;
        *out++ = shapes[i].p[1].y;
        *out++ = shapes[i].tag;
        *out++ = shapes[i].name[0];
    }
}
