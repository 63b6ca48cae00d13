// test: run
// Conversions with and without saturation and rounding modes; as_type.
// kernel: conversions
// global: 1
// arg: buffer float 2.5 -2.5 3.5 300 -1 1e20 0.75 16777217
// arg: buffer long 20*0
// expect 1: long 2 -3 2 -3 3 -2 4 255 0 9223372036854775807 0 1 2147483647 1075838976 300 44 3 1 16777216 -128
__kernel void conversions(__global const float *f, __global long *o) {
    o[0] = convert_int_rte(f[0]);
    o[1] = convert_int_rtn(f[1]);
    o[2] = convert_int_rtz(f[0]);
    o[3] = convert_long_rtn(f[1]);
    o[4] = convert_int_rtp(f[0]);
    o[5] = convert_int_rtp(f[1]);
    o[6] = convert_int_rte(f[2]);
    o[7] = convert_uchar_sat(f[3]);
    o[8] = convert_uchar_sat(f[4]);
    o[9] = convert_long_sat(f[5]);
    o[10] = (int)f[6];
    o[11] = convert_int_rte(f[6]);
    o[12] = convert_int_sat(f[5]);
    o[13] = as_int(f[0]);
    int wide = (int)f[3];
    o[14] = wide;
    o[15] = (uchar)wide;
    int4 v = convert_int4_rte((float4)(f[0], f[2], f[6], f[4]));
    o[16] = v.x + v.z;
    o[17] = convert_float4(v).z == 1.0f;
    o[18] = (long)f[7];
    o[19] = convert_char_sat(-wide);
}
