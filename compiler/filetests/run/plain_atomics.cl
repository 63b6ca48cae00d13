// test: run
// gcc's atomic functions, on objects of plain type.
// options: -cl-std=CL2.0
// kernel: plain
// global: 1
// arg: buffer int 5 7 -8 12 6 -3 9 20 30 0xf0f0
// arg: buffer int 13*0
// expect 0: int 6 4 -5 8 7 9 8 21 99 0xffff0fff
// expect 1: int 5 7 -8 12 6 -3 9 20 30 1 0 99 0xf0f0
kernel void plain(global int *p, global int *out) {
    out[0] = __atomic_fetch_add(p, 1, __ATOMIC_SEQ_CST);
    out[1] = __atomic_fetch_sub(p + 1, 3, __ATOMIC_RELAXED);
    out[2] = __atomic_fetch_max(p + 2, -5, __ATOMIC_ACQ_REL);
    out[3] = __atomic_fetch_and(p + 3, 10, __ATOMIC_SEQ_CST);
    out[4] = __atomic_fetch_or(p + 4, 3, __ATOMIC_SEQ_CST);
    out[5] = __atomic_exchange_n(p + 5, 9, __ATOMIC_SEQ_CST);
    out[6] = __atomic_fetch_min(p + 6, 8, __ATOMIC_SEQ_CST);
    out[7] = __atomic_load_n(p + 7, __ATOMIC_ACQUIRE);
    __atomic_store_n(p + 7, 21, __ATOMIC_RELEASE);
    int expected = 30, desired = 99;
    out[8] = __atomic_load_n(p + 8, __ATOMIC_SEQ_CST);
    out[9] = __atomic_compare_exchange(p + 8, &expected, &desired, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    out[10] = __atomic_compare_exchange_n(p + 8, &expected, 1, 1, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
    out[11] = expected;
    out[12] = __atomic_fetch_nand(p + 9, 0xf000, __ATOMIC_SEQ_CST);
}
