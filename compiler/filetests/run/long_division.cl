// test: run
// 64-bit quotients and remainders of numbers of one word and of two, at both ends of the range.
// kernel: unsigned_longs
// global: 10
// arg: buffer ulong 7 4294967296 18446744073709551615 18446744073709551615 9223372036854775808 6700417 18446744073709551614 12345678901234567890 4294967295 4294967297
// arg: buffer ulong 2 3 1 18446744073709551615 4294967297 18446744073709551615 4294967295 987654321 4294967295 4294967296
// arg: buffer ulong 10*0
// arg: buffer ulong 10*0
// expect 2: ulong 3 1431655765 18446744073709551615 1 2147483647 0 4294967296 12499999887 1 1
// expect 3: ulong 1 1 0 0 2147483649 6700417 4294967294 339506163 0 1
kernel void unsigned_longs(global const ulong *a, global const ulong *b, global ulong *quotient,
                           global ulong *rest)
{
    size_t i = get_global_id(0);
    quotient[i] = a[i] / b[i];
    rest[i] = a[i] % b[i];
}

// kernel: signed_longs
// global: 6
// arg: buffer long -7 -9223372036854775807 9223372036854775807 -9223372036854775807 5000000000 -5000000000
// arg: buffer long 2 -1 -4294967296 4294967297 -3 7000000000
// arg: buffer long 6*0
// arg: buffer long 6*0
// expect 2: long -3 9223372036854775807 -2147483647 -2147483647 -1666666666 0
// expect 3: long -1 0 4294967295 -2147483648 2 -5000000000
kernel void signed_longs(global const long *a, global const long *b, global long *quotient,
                         global long *rest)
{
    size_t i = get_global_id(0);
    quotient[i] = a[i] / b[i];
    rest[i] = a[i] % b[i];
}

// kernel: vectors
// global: 1
// arg: buffer ulong 18446744073709551615 10 4294967296 1
// arg: buffer ulong 4294967297 3 4294967296 2
// arg: buffer ulong 4*0
// expect 2: ulong 4294967295 3 1 0
kernel void vectors(global const ulong4 *a, global const ulong4 *b, global ulong4 *quotient)
{
    *quotient = *a / *b;
}

// kernel: words
// global: 2
// arg: buffer uint 4294967295 10
// arg: buffer uint 16 3
// arg: buffer ulong 2*0
// expect 2: ulong 268435455 3
kernel void words(global const uint *a, global const uint *b, global ulong *quotient)
{
    size_t i = get_global_id(0);
    quotient[i] = (ulong)a[i] / (ulong)b[i];
}
