// test: emit
kernel void atomics(global int *g, local uint *l, volatile global float *f) {
    int a = atomic_add(g, 1) + atomic_sub(g, 2) + atomic_inc(g) + atomic_dec(g) + atomic_min(g, 3) + atomic_xchg(g, 9);
    uint b = atomic_max(l, 3u) + atomic_and(l, 7u) + atomic_or(l, 8u) + atomic_xor(l, 1u) + atom_inc(l);
    g[1] = a + b + atomic_cmpxchg(g + 2, 5, 6);
    f[0] = atomic_xchg(f, 2.0f);
}
