// test: run
// Integer built-ins at the edges, on several widths.
// kernel: ints
// global: 1
// arg: buffer long 24*0
// expect 0: long 2147483647 -2147483648 127 255 0 -1 4294967294 24 8 5 32 305419896 1 -1 -2 3 -3 -1 2 -128 -2 1000000 65535 -7
__kernel void ints(__global long *o) {
    volatile int zero = 0;
    o[0] = add_sat(INT_MAX + zero, 1);
    o[1] = sub_sat(INT_MIN + zero, 1);
    o[2] = add_sat((char)100, (char)100);
    o[3] = add_sat((uchar)200, (uchar)100);
    o[4] = sub_sat((uint)zero, 1u);
    o[5] = mul_hi(-2 + zero, 5);
    o[6] = mul_hi(0xffffffffu, 0xffffffffu + zero);
    o[7] = clz((uint)(zero + 200));
    o[8] = clz((ushort)(zero + 200));
    o[9] = popcount((uint)(zero + 0x10f));
    o[10] = clz(zero);
    o[11] = rotate(0x78123456u, 8u + zero);
    o[12] = abs_diff(zero - 5, -6);
    o[13] = hadd(zero - 3, 2);
    o[14] = rhadd(zero - 7, 2);
    o[15] = max(3 + zero, -8);
    o[16] = -7 / (2 + zero);
    o[17] = -7 % (2 + zero);
    o[18] = clamp(7 + zero, -2, 2);
    o[19] = (char)(128 + zero);
    o[20] = (-8 + zero) >> 2;
    o[21] = mul24(1000 + zero, 1000);
    o[22] = upsample((uchar)(zero + 255), (uchar)255);
    o[23] = mad_sat(zero - 1, 8, 1);
}
