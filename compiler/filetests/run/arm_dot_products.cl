// test: run
// cl_arm_integer_dot_product_*: products of bytes and of shorts, sums that wrap and that saturate.
// kernel: k
// global: 1
// arg: buffer long 12*0
// expect 0: long 65057 -16288 65058 2147467360 64801 4294967295 -2147483648 4294705155 2147483648 32768 -32768 -1
__kernel void k(__global long *o) {
    volatile uchar zero = 0;
    uchar4 a = (uchar4)(1, 2, 3, 255) + zero, b = (uchar4)(4, 5, 6, 255) + zero;
    char4 s = (char4)(-1, 2, -3, -128) + (char)zero, t = (char4)(4, -5, 6, 127) + (char)zero;
    ushort2 u = (ushort2)(65535, 65535) + (ushort)zero, one = (ushort2)(1, 1) + (ushort)zero;
    short2 low = (short2)(-32768, -32768) + (short)zero, ends = (short2)(-1, 0) + (short)zero;
    o[0] = arm_dot(a, b);
    o[1] = arm_dot(s, t);
    o[2] = arm_dot_acc(a, b, 1u);
    o[3] = arm_dot_acc(s, t, INT_MIN);
    o[4] = arm_dot_acc(a, b, 0xFFFFFF00u);
    o[5] = arm_dot_acc_sat(a, b, 0xFFFFFF00u);
    o[6] = arm_dot_acc_sat(s, t, INT_MIN);
    o[7] = arm_dot_acc(u, u, 1u);
    o[8] = (uint)arm_dot_acc(low, low, 0);
    o[9] = arm_dot_acc(low, ends, 0);
    o[10] = arm_dot_acc(low, (short2)(1, 0), 0);
    o[11] = (int)arm_dot_acc(u, one, 0xFFFE0001u);
}
