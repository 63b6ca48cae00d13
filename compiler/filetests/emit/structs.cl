// test: emit
// Records: natural, packed, with an aligned member, nested, unions, by value in and out.
typedef struct { char c; int i; double d; } natural;
typedef struct __attribute__((packed)) { char c; int i; short s; } packed;
typedef struct { char c; int i __attribute__((aligned(16))); } spaced;
typedef struct { natural n; packed p[2]; float3 v; } nested;
typedef union { uint u; float f; uchar b[8]; } word;
struct node { struct node *next; int value; };

natural make(int i) {
    natural n = { 1, i, 2.0 };
    return n;
}

int take(natural n, packed p) { return n.i + p.i; }

kernel void records(global nested *out, natural byval, constant packed *in, global spaced *sp) {
    natural a = make(3);
    natural b = a;
    a = byval;
    b = a.i > 2 ? a : b;
    packed q = in[1];
    out->n = b;
    out->p[1] = q;
    out->p[0].i = take(a, q) + make(4).i;
    out->v.y = 2.0f;
    sp->i = 4;
    word w;
    w.f = 1.5f;
    out[1].n.i = w.u + w.b[2];
    struct node tail = { 0, 5 };
    struct node head = { &tail, 6 };
    out[1].n.c = head.next->value;
    nested zero = { { 0 } };
    out[2] = zero;
}
