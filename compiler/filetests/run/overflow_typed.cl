// test: run
// Overflow functions of one type, chains of carries, and results in other memory.
// kernel: typed
// global: 1
// arg: buffer int 2147483647 -2147483648 -1 2
// arg: buffer uint 4294967295 1 65536 0
// arg: buffer long 9223372036854775807 -9223372036854775808 -1 2
// arg: buffer ulong 18446744073709551615 1 4294967296 0
// arg: buffer int 12*9
// arg: buffer uint 3*5
// expect 0: int 2147483647 -2147483648 -1 -2147483648
// expect 1: uint 4294967295 1 65536 0
// expect 2: long 9223372036854775807 -9223372036854775808 -1 9223372036854775807
// expect 3: ulong 18446744073709551615 1 4294967296 18446744073709551615
// expect 4: int 1 1 1 1 0 1 1 1 1 1 0 1
// expect 5: uint 0 1 4294967295
// kernel: carries
// global: 1
// arg: buffer ulong 18446744073709551615 18446744073709551615 1 0 0 0
// arg: buffer uint 4294967295 0 1 7 0 0
// arg: buffer uchar 200 56 1 7 0
// expect 0: ulong 18446744073709551615 18446744073709551615 0 1 18446744073709551615 1
// expect 1: uint 4294967295 0 0 1 4294967294 0
// expect 2: uchar 200 56 1 1 111
// kernel: bools
// global: 1
// arg: buffer int 2 1 -1 0
// arg: buffer int 4*9
// expect 1: int 1 1 3 2

kernel void typed(global int *i, global uint *u, global long *l, global ulong *ul, global int *o,
                  global uint *r) {
    o[0] = __builtin_sadd_overflow(i[0], 1, &i[3]);
    o[1] = __builtin_ssub_overflow(i[1], 1, &i[3]);
    o[2] = __builtin_smul_overflow(i[1], i[2], &i[3]);
    o[3] = __builtin_uadd_overflow(u[0], u[1], &u[3]);
    o[4] = __builtin_usub_overflow(u[1], u[1], &u[3]);
    o[5] = __builtin_umul_overflow(u[2], u[2], &u[3]);
    o[6] = __builtin_saddl_overflow(l[0], 1, &l[3]);
    o[7] = __builtin_ssubll_overflow(l[1], 1, &l[3]);
    o[8] = __builtin_umull_overflow(ul[2], ul[2], &ul[3]);
    o[9] = __builtin_usubll_overflow(0, ul[1], &ul[3]);
    o[10] = __builtin_smull_overflow(l[2], -5, &l[0] + 0 * l[3]) && l[0] != 5;
    l[0] = 9223372036854775807;
    local uint shared[1];
    o[11] = __builtin_usub_overflow(0, u[1], shared);
    r[0] = __builtin_uadd_overflow(u[1], u[1], shared);
    r[1] = shared[0] == 2;
    uint own;
    r[1] &= !__builtin_uadd_overflow(u[1], u[1], &own);
    r[2] = __builtin_usub_overflow(own, 3, &own) ? own : 0;
}

// A number of two words, and one and a half.
kernel void carries(global ulong *n, global uint *m, global uchar *b) {
    ulong carry;
    n[4] = __builtin_addcl(n[0], n[1], 1, &carry);
    n[5] = __builtin_addcll(n[2], 0, carry, &carry) == 2 && carry == 0;
    n[2] = __builtin_addcl(0, 0, 0, &n[3]);
    n[3] = __builtin_subcl(0, 0, 1, &carry) == n[0] && carry == 1;
    uint borrow;
    m[4] = __builtin_subc(m[1], m[2], 1, &borrow);
    m[3] = borrow;
    m[2] = __builtin_subc(m[0], m[0], 0, &borrow);
    m[5] = borrow;
    b[4] = __builtin_addcb(b[0], b[1], 1, &b[3]) == 1 ? __builtin_subcb(b[1], b[0], b[2], &b[3]) : 0;
}

kernel void bools(global int *a, global int *o) {
    bool b;
    o[0] = __builtin_add_overflow(a[0], 0, &b) | b << 1;
    o[1] = __builtin_add_overflow(a[1], a[1], &b) | b << 1;
    o[2] = __builtin_mul_overflow(a[2], a[1], &b) | b << 1;
    o[3] = __builtin_sub_overflow(a[1], a[3], &b) | b << 1;
}
