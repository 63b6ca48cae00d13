// test: run
// goto, switch with fall-through, break and continue in nested loops, do-while, early return.
// kernel: flow
// global: 8
// arg: buffer int 8*0
// expect 0: int 3 23 123 999 4 42 66 -1
int nested(int n) {
    int found = -1;
    for (int i = 0; i < 10; ++i) {
        if (i == n) continue;
        for (int j = 0;; ++j) {
            if (i * j == 42) { found = i * j; goto out; }
            if (j > 20) break;
        }
    }
out:
    return found;
}
__kernel void flow(__global int *out) {
    int g = get_global_id(0), r = 0;
    switch (g) {
    case 2: r = 100;
    case 1: r += 20;
    case 0: r += 3; break;
    case 3: {
        do { r += 333; } while (r < 999);
        break;
    }
    case 4: {
        int i = 0;
    again:
        if (i < 4) { ++i; goto again; }
        r = i;
        break;
    }
    case 5: r = nested(3); break;
    case 6:
        for (int i = 0; i <= 11; ++i) r += i;
        break;
    default: out[g] = -1; return;
    }
    out[g] = r;
}
