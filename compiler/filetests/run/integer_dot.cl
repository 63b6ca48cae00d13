// test: run
// cl_khr_integer_dot_product: every signedness, plain and accumulating, vectors and packed words.
// kernel: k
// global: 1
// arg: buffer long 16*0
// expect 0: long 65057 -16288 -32652 32397 4294967295 -2147483648 2147483647 -32649 65057 -16288 -32652 32397 4294967295 -2147483648 2147483647 -32649
__kernel void k(__global long *o) {
    volatile uchar zero = 0;
    uchar4 a = (uchar4)(1, 2, 3, 255) + zero, b = (uchar4)(4, 5, 6, 255) + zero;
    char4 s = (char4)(-1, 2, -3, -128) + (char)zero, t = (char4)(4, -5, 6, 127) + (char)zero;
    o[0] = dot(a, b);
    o[1] = dot(s, t);
    o[2] = dot(s, b);
    o[3] = dot(a, t);
    o[4] = dot_acc_sat(a, b, 0xFFFFFF00u);
    o[5] = dot_acc_sat(s, t, INT_MIN);
    o[6] = dot_acc_sat(a, t, INT_MAX);
    o[7] = dot_acc_sat(s, b, 3);
    o[8] = dot_4x8packed_uu_uint(as_uint(a), as_uint(b));
    o[9] = dot_4x8packed_ss_int(as_uint(s), as_uint(t));
    o[10] = dot_4x8packed_su_int(as_uint(s), as_uint(b));
    o[11] = dot_4x8packed_us_int(as_uint(a), as_uint(t));
    o[12] = dot_acc_sat_4x8packed_uu_uint(as_uint(a), as_uint(b), 0xFFFFFF00u);
    o[13] = dot_acc_sat_4x8packed_ss_int(as_uint(s), as_uint(t), INT_MIN);
    o[14] = dot_acc_sat_4x8packed_us_int(as_uint(a), as_uint(t), INT_MAX);
    o[15] = dot_acc_sat_4x8packed_su_int(as_uint(s), as_uint(b), 3);
}
