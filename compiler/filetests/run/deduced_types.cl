// test: run
// Variables of their initial value's type, as macros of GNU C have them.
// options: -cl-std=CL1.2
// kernel: deduced
// global: 1
// arg: buffer int 5 -7 9
// arg: buffer float 1.5 2.5 3.5 4.5
// arg: buffer int 8*0
// expect 2: int 9 4 16 5 3 4 2 1
#define MAX(a, b)                 \
    ({                            \
        __auto_type a_ = (a);     \
        __auto_type b_ = (b);     \
        a_ > b_ ? a_ : b_;        \
    })
typedef struct {
    int x, y;
} Pair;

kernel void deduced(global int *in, global float *f, global int *out) {
    out[0] = MAX(MAX(in[0], in[1]), MAX(in[2], 1));
    __auto_type v = vload4(0, f), w = v.wzyx;
    out[1] = MAX(w.x, v.z);
    out[2] = sizeof(w);
    __auto_type p = in;
    out[3] = *p++;
    const __auto_type n = 3;
    int sized[n];
    out[4] = sizeof(sized) / sizeof(int);
    char c = 1;
    __auto_type sum = c + c;
    out[5] = sizeof(sum);
    Pair pair = { 1, 2 };
    __auto_type other = pair;
    other.x = 3;
    out[6] = other.y;
    for (__auto_type i = pair.x; i < 2; i++) out[7] += i;
}
