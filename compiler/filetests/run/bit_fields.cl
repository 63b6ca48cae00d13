// test: run
// cl_khr_extended_bit_ops on all widths, scalars and vectors; empty and whole fields.
// kernel: k
// global: 1
// arg: buffer long 18*0
// expect 0: long 1 -128 32768 -2147483648 -1 3 -4 12 255 0 -1 -86 3855 -1 5 1 4294967295 -8
__kernel void k(__global long *o) {
    volatile int zero = 0;
    o[0] = bit_reverse((uchar)(128 + zero));
    o[1] = bit_reverse((char)(1 + zero));
    o[2] = bit_reverse((ushort)(1 + zero));
    o[3] = bit_reverse(1 + zero);
    o[4] = bit_reverse(-1L + zero);
    o[5] = bit_reverse((int2)(zero, 3 << 30)).y;
    o[6] = bitfield_extract_signed(0xC0 + zero, 4, 4);
    o[7] = bitfield_extract_unsigned(0xC0 + zero, 4, 4);
    o[8] = bitfield_extract_unsigned((uchar)(255 + zero), 0, 8);
    o[9] = bitfield_extract_unsigned(-1 + zero, 7, 0);
    o[10] = bitfield_extract_signed(0xFFFFFFFFFFFFFFFFul + zero, 3, 61);
    o[11] = bitfield_insert((char)(0xA0 + zero), (char)(0xA + zero), 0, 4);
    o[12] = bitfield_insert((ushort)(0x0FFF + zero), (ushort)zero, 4, 4);
    o[13] = bitfield_insert(zero, -1 + zero, 0, 32);
    o[14] = bitfield_insert(5 + zero, -1 + zero, 9, 0);
    short4 v = bitfield_extract_signed((short4)(1, 2, 4, 8) + (short)zero, 2, 1);
    o[15] = -v.z;
    o[16] = bitfield_insert(zero + 0L, -1L, 0, 32);
    o[17] = bitfield_extract_signed((ushort4)(8 + zero), 0, 4).w;
}
