// Library functions and arithmetic that cost a GPU many instructions.

#define ONE(name, type, expression)                                                                     \
    kernel void name(global const type *x, global type *y)                                              \
    {                                                                                                   \
        int i = get_global_id(0);                                                                       \
        type a = x[i];                                                                                  \
        y[i] = expression;                                                                              \
    }
#define TWO(name, type, expression)                                                                     \
    kernel void name(global const type *x, global type *y)                                              \
    {                                                                                                   \
        int i = get_global_id(0);                                                                       \
        type a = x[i], b = y[i];                                                                        \
        y[i] = expression;                                                                              \
    }

TWO(div32, uint, a / b)
TWO(rem32_signed, int, a % b)
TWO(div64, ulong, a / b)
TWO(div64_signed, long, a / b)
TWO(rem64, ulong, a % b)
ONE(div64_by_10, ulong, a / 10)
TWO(mul_hi64, ulong, mul_hi(a, b))
TWO(divide, float, a / b)
ONE(square_root, float, sqrt(a))
ONE(log_, float, log(a))
ONE(log2_, float, log2(a))
ONE(exp_, float, exp(a))
ONE(exp2_, float, exp2(a))
ONE(sin_, float, sin(a))
ONE(tan_, float, tan(a))
ONE(atan_, float, atan(a))
ONE(tanh_, float, tanh(a))
ONE(erfc_, float, erfc(a))
TWO(pow_, float, pow(a, b))
TWO(rotate_, uint, rotate(a, b))
ONE(rotate_7, uint, rotate(a, 7u))
ONE(rotate_9_64, ulong, rotate(a, 9ul))
TWO(add_saturated, int, add_sat(a, b))
TWO(add_saturated_unsigned, uint, add_sat(a, b))
TWO(mad24_, int, mad24(a, b, 7))
TWO(half_add, uint, hadd(a, b))
ONE(leading_zeros, uint, clz(a))
ONE(bits_set, uint, popcount(a))
TWO(absolute_difference, uint, abs_diff(a, b))
TWO(select_bits, uint, bitselect(a, b, 0xff00u))
ONE(fraction_part, float, a - floor(a))
TWO(greatest, float, fmax(a, b))
ONE(length4, float4, normalize(a))

kernel void bytes_saturated(global const float4 *x, global uchar4 *y)
{
    int i = get_global_id(0);
    y[i] = convert_uchar4_sat_rte(x[i] * 255.0f);
}

kernel void int_saturated(global const float *x, global int *y)
{
    int i = get_global_id(0);
    y[i] = convert_int_sat(x[i]);
}

kernel void short_saturated(global const int *x, global short *y)
{
    int i = get_global_id(0);
    y[i] = convert_short_sat(x[i]);
}

kernel void halves(global const half *x, global half *y)
{
    int i = get_global_id(0);
    vstore_half(vload_half(i, x) * 2.0f, i, y);
}
