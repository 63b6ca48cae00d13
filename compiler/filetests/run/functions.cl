// test: run
// Functions: out-parameters, arrays passed as pointers, overloads of widths, kernels as functions.
// kernel: functions
// global: 4
// arg: buffer int 4*0
// expect 0: int 106 410 914 1616
static void split(int v, int *lo, int *hi) {
    *lo = v & 3;
    *hi = v >> 2;
}
int total(const int *values, int n) {
    int s = 0;
    for (int i = 0; i < n; ++i) s += values[i];
    return s;
}
inline int square(int x) { return x * x; }
__kernel void helper(__global int *out) { out[get_global_id(0)] += 1; }
__kernel void functions(__global int *out) {
    int g = get_global_id(0), lo, hi;
    split(g + 8, &lo, &hi);
    int list[8];
    for (int i = 0; i < 8; ++i) list[i] = i == g ? hi : i % 2 ? lo : 1;
    out[g] = 100 * square(g + 1) + total(list, 8);
    helper(out);
}
