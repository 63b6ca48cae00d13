// test: run
// Random integer and comparison expressions over all widths; the values are gcc's.
// needs: doubles
// kernel: k
// global: 1
// arg: buffer long 40*0
// expect 0: long 1 520 5840881824561178866 0 0 -1575732781143550593 1 0 0 1 1 0 -2035 2147483648 1 1 -7536318293956520949 65535 262080 1 42140 4052951061 255 4138530828 -1 -1575732781143550593 254 63988 2104856744 4294901760 258658176 0 1575732778996066944 0 1 2019595787 2019595787 2468096 131804775723171882 -1
__kernel void k(__global long *o) {
    char c00 = (char)123UL;
    char c01 = (char)125UL;
    uchar uc10 = (uchar)255UL;
    uchar uc11 = (uchar)14UL;
    short s20 = (short)1UL;
    short s21 = (short)19282UL;
    ushort us30 = (ushort)63988UL;
    ushort us31 = (ushort)65535UL;
    int i40 = (int)3251402738UL;
    int i41 = (int)0UL;
    uint ui50 = (uint)4052951061UL;
    uint ui51 = (uint)4138530828UL;
    long l60 = (long)18446744073709551615UL;
    long l61 = (long)10910425779753030667UL;
    ulong ul70 = (ulong)16871011292566001023UL;
    ulong ul71 = (ulong)18446744073709551615UL;
    float f0 = (float)1e6;
    float f1 = (float)0.0;
    double d0 = (double)1.5;
    double d1 = (double)1e6;
    o[0] = (long)(((bool)us31));
    o[1] = (long)((((i40 <= (uc10 ? ul70 : c00)) + ((-us30) | (us30 >= ui51))) & (c00 | (((ulong)s21) & (c00 ^ l60)))));
    o[2] = (long)(((us30 + (+(ul70 << (ui51 & 7)))) >> (1 & 7)));
    o[3] = (long)(((((1UL - i41) & (0xffffffffu & ui51)) * (0 >> ((12345678901L - l61) & 7))) << ((s20 >> ((('a' % ((i41 & 1023) | 1)) >= (s21 ^ 65535)) & 7)) & 7)));
    o[4] = (long)(((65535 / ((((i41 * c00) >> ((ul70 * 1UL) & 7)) & 1023) | 1)) % (((((uint)(0x80000000 * 0xffffffffu)) && ((uc10, l61) - (l61, i40))) & 1023) | 1)));
    o[5] = (long)(ul70);
    o[6] = (long)(((((f1 + d0) <= (0.5f + d1)) ? ((ui51 < i40) >> ((c01 || ui50) & 7)) : ((ui51 & l60) | (uc10 * 1UL))) ? s20 : (+((d1 * d1) >= f1))));
    o[7] = (long)(((d1 + d0) > (d0 + d1)));
    o[8] = (long)(((((ul71 < i40) << ((ul71 | uc11) & 7)) + ((c00 & s20) + uc11)), (0x7fffffff == ((0x7fffffff % ((us30 & 1023) | 1)) ? (255 / ((l61 & 1023) | 1)) : (i41 && ul71)))));
    o[9] = (long)(s20--);
    o[10] = (long)((((uchar)((-2.0 >= (1.5 + f1)) | (s20, 'a'))) & (((l60 ^ c01) | (-1 ? uc10 : ul71)) >= ((i41 | us31) || i41))));
    o[11] = (long)(((((uc10 + ul70) ? (+1) : (c01 - 0x7fffffff)) ? (1UL & (ui51 - ui51)) : ((l61 >> (us30 & 7)) << ((us30 - ul71) & 7))) ^ ((+(s21 / ((l60 & 1023) | 1))) & ((us31 + c01) * ('a' << (ul71 & 7))))));
    o[12] = (long)(s20 += ((0 - us31) ^ ui51));
    o[13] = (long)((0x80000000 << ((((ul70 ? l61 : c01) | ((uint)'a')) + ((uchar)(c01 & c01))) & 7)));
    o[14] = (long)(((!((ui50 < s21) / (((ui51 & l60) & 1023) | 1))) << ((-(!(i40 & s20))) & 7)));
    o[15] = (long)(((((i41 * 1) & (0 >> (s20 & 7))), (('a' && i40) << ((uc10 >> (i40 & 7)) & 7))) || (0xffffffffu + s20)));
    o[16] = (long)(l61 *= ((ui50 >> (s21 & 7)) != (s20 & 0x7fffffff)));
    o[17] = (long)(us31);
    o[18] = (long)(((((0x7fffffff ^ c00), ul71), ((255 | us31) >> ((0 | ui51) & 7))) << ((((us30 ? -128 : ul71) | ((long)uc11)) | ((i41 | ul71) == (12345678901L << (l61 & 7)))) & 7)));
    o[19] = (long)(((ui51 | ((255 ^ c01) ? (65535 && uc10) : (0xffffffffu & c00))) || (((ui51 - 7) * (s21 + s21)) ? (((bool)l61) - (255 % ((ui50 & 1023) | 1))) : (s21 & (ui50 != ul71)))));
    o[20] = (long)((((+(uc11 + ui51)) / ((((uc11 ? uc10 : ui50) >> ((~ul70) & 7)) & 1023) | 1)) & 65535));
    o[21] = (long)(ui50);
    o[22] = (long)(uc10--);
    o[23] = (long)((ui51 ^ ((~(uc10 | us31)) & ((0xffffffffu & s21) | (!ui51)))));
    o[24] = (long)(-1);
    o[25] = (long)(ul70);
    o[26] = (long)(uc10++);
    o[27] = (long)(us30--);
    o[28] = (long)((((ulong)(((long)1UL) ^ (l61 != l61))), (((0x7fffffff + 7) ? (ui51 * uc11) : (l60 ? l61 : 7)) << (((uc10 % ((0 & 1023) | 1)) / (((ui51 >> (-1 & 7)) & 1023) | 1)) & 7))));
    o[29] = (long)((~(((us31 == c00) | us31) & (us31 | (us31 + ui51)))));
    o[30] = (long)((ui51 >> ((((f1 * -2.0) < ((float)((i41 % ((-1 & 1023) | 1))))), (ul70 + ui50)) & 7)));
    o[31] = (long)(ui51 *= ((c00 ? l60 : us31) ^ (+-1)));
    o[32] = (long)((-(0x80000000 ^ ((ul70 | uc11) ^ uc10))));
    o[33] = (long)(((((i41 * i41), 0xffffffffu) != ((us30 & ui51) / (((l60 << (ul71 & 7)) & 1023) | 1))) - ((!(us30 == s21)) >> (((l61 > 0xffffffffu) * (uc11 ? uc11 : uc11)) & 7))));
    o[34] = (long)(i41 |= ((bool)(i40 && ui50)));
    o[35] = (long)(i41 += ((uc10 << (uc11 & 7)) ^ (l61 / ((c00 & 1023) | 1))));
    o[36] = (long)(i41++);
    o[37] = (long)((s21 << (uc10 & 7)));
    o[38] = (long)((ul70 >> (-1 & 7)));
    o[39] = (long)((-(ul70 ? ((s21 || l60) != (uc11 & -1)) : ((s21 ^ i41) || (uc11 && 65535)))));
}

// Numbers made wider are still negative.
// kernel: widened_quotients
// global: 4
// arg: buffer int -51 51 -2147483648 7
// arg: buffer uint 1 5 4294967295 2
// arg: buffer long 16*0
// expect 2: long -51 10 0 3 0 1 -2147483648 1 -51 10 -2147483648 -3 0 1 0 1
__kernel void widened_quotients(__global const int *a, __global const uint *b, __global long *out) {
    int i = get_global_id(0);
    long divisor = (i & 2) ? -(long)(int)b[i] : (long)b[i];
    out[i] = (long)a[i] / (long)b[i];
    out[i + 4] = (long)a[i] % (long)b[i];
    out[i + 8] = (long)a[i] / divisor;
    out[i + 12] = (long)a[i] % divisor;
}
