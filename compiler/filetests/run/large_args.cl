// test: run
// Structs that are passed by value: taken apart, read at a place that only the run knows, and
// written.
// kernel: k
// global: 3
// arg: buffer long 16 0 9 6*0
// arg: long16 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25
// arg: int4 1 2 3 4
// arg: int 5
// expect 0: long 13 14 20 77 17 19 21 21 21
// kernel: parts
// global: 1
// arg: long16 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25
// arg: buffer long 0
// expect 1: long 35
struct large {
    long x[16];
};
struct small {
    int x[4];
};

long second(struct large s)
{
    s.x[1] += 10;
    return s.x[1];
}

kernel void k(global long *out, struct large s, struct small t, int at)
{
    int id = get_global_id(0);
    out[id] = s.x[out[id] & 15] + t.x[(id + 2) & 3];
    s.x[at + id] = 77 + id;
    out[id + 3] = s.x[at + 2 * id];
    out[id + 6] = second(s);
}

kernel void parts(struct large s, global long *out)
{
    out[0] = s.x[0] + s.x[15];
}
