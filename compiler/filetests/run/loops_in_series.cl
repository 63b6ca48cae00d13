// test: run
// Powers of numbers of 128 bits modulo 2^128 - 159: 48 loops of four and eight rounds behind one another, which index private arrays.
// kernel: power
// global: 4
// local: 2
// arg: buffer uint 16*0
// expect 0: uint 1673424315 1824566141 1934183686 2372149985 3099597408 1044555297 718050581 2583987012 607080568 1607248982 3381611662 3625145973 1997455904 862770038 3477847347 1887272581

void product(const uint a[4], const uint b[4], uint r[4]) {
    uint z[8];
    for (int i = 0; i < 8; i++)
        z[i] = 0;
    for (int i = 0; i < 4; i++) {
        ulong carry = 0;
        for (int j = 0; j < 4; j++) {
            carry += (ulong)a[i] * b[j] + z[i + j];
            z[i + j] = (uint)carry;
            carry >>= 32;
        }
        z[i + 4] = (uint)carry;
    }
    // The high words times 159, and what is above these again.
    ulong carry = 0;
    for (int j = 0; j < 4; j++) {
        carry += (ulong)z[j + 4] * 159 + z[j];
        r[j] = (uint)carry;
        carry >>= 32;
    }
    carry *= 159;
    for (int j = 0; j < 4; j++) {
        carry += r[j];
        r[j] = (uint)carry;
        carry >>= 32;
    }
}

void square_twice(const uint a[4], uint r[4]) {
    product(r, r, r);
    product(r, r, r);
    product(r, a, r);
}

kernel void power(global uint *out) {
    uint x = get_global_id(0);
    uint a[4] = {0xfffffff0 + x, x * 77 + 5, 0x80000000 - x, 0xdeadbeef * (x + 1)};
    uint r[4];
    for (int i = 0; i < 4; i++)
        r[i] = a[i];
    square_twice(a, r);
    square_twice(a, r);
    square_twice(a, r);
    square_twice(a, r);
    for (int i = 0; i < 4; i++)
        out[4 * x + i] = r[i];
}
