// The kernels of functions.cl; see bench.comp. The drivers' functions are less accurate than
// OpenCL's: a ratio there is the price of the accuracy too.
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_integer_mix : enable

layout(local_size_x = 64) in;
#define I gl_GlobalInvocationID.x

#define BUFFERS(T, U)                                                                                   \
    layout(binding = 0) readonly restrict buffer X { T x[]; };                                          \
    layout(binding = 1) restrict buffer Y { U y[]; };
#define ONE(T, expression)                                                                              \
    BUFFERS(T, T)                                                                                       \
    void main()                                                                                         \
    {                                                                                                   \
        T a = x[I];                                                                                     \
        y[I] = expression;                                                                              \
    }
#define TWO(T, expression)                                                                              \
    BUFFERS(T, T)                                                                                       \
    void main()                                                                                         \
    {                                                                                                   \
        T a = x[I], b = y[I];                                                                           \
        y[I] = expression;                                                                              \
    }

uint64_t high_product(uint64_t a, uint64_t b)
{
    uvec2 p = unpack32(a), q = unpack32(b);
    uint64_t low = uint64_t(p.x) * q.x, cross0 = uint64_t(p.y) * q.x, cross1 = uint64_t(p.x) * q.y;
    uint64_t middle = (low >> 32) + uint(cross0) + uint(cross1);
    return uint64_t(p.y) * q.y + (cross0 >> 32) + (cross1 >> 32) + (middle >> 32);
}

float complementary_error(float a)
{
    float t = 1.0 / (1.0 + 0.5 * abs(a));
    float e = t * exp(-a * a - 1.26551223 + t * (1.00002368 + t * (0.37409196 + t * (0.09678418
        + t * (-0.18628806 + t * (0.27886807 + t * (-1.13520398 + t * (1.48851587
        + t * (-0.82215223 + t * 0.17087277)))))))));
    return a >= 0.0 ? e : 2.0 - e;
}

#if defined(div32)
TWO(uint, a / b)
#elif defined(rem32_signed)
TWO(int, a - a / b * b)
#elif defined(div64)
TWO(uint64_t, a / b)
#elif defined(div64_signed)
TWO(int64_t, a / b)
#elif defined(rem64)
TWO(uint64_t, a % b)
#elif defined(div64_by_10)
ONE(uint64_t, a / 10ul)
#elif defined(mul_hi64)
TWO(uint64_t, high_product(a, b))
#elif defined(divide)
TWO(float, a / b)
#elif defined(square_root)
ONE(float, sqrt(a))
#elif defined(log_)
ONE(float, log(a))
#elif defined(log2_)
ONE(float, log2(a))
#elif defined(exp_)
ONE(float, exp(a))
#elif defined(exp2_)
ONE(float, exp2(a))
#elif defined(sin_)
ONE(float, sin(a))
#elif defined(tan_)
ONE(float, tan(a))
#elif defined(atan_)
ONE(float, atan(a))
#elif defined(tanh_)
ONE(float, tanh(a))
#elif defined(erfc_)
ONE(float, complementary_error(a))
#elif defined(pow_)
TWO(float, pow(a, b))
#elif defined(rotate_)
TWO(uint, a << (b & 31) | a >> (-b & 31))
#elif defined(rotate_7)
ONE(uint, a << 7 | a >> 25)
#elif defined(rotate_9_64)
ONE(uint64_t, a << 9 | a >> 55)
#elif defined(add_saturated)
int sum_saturated(int a, int b)
{
    int s = a + b;
    return ((a ^ s) & (b ^ s)) < 0 ? (s >> 31) ^ int(0x80000000) : s;
}
TWO(int, sum_saturated(a, b))
#elif defined(add_saturated_unsigned)
TWO(uint, a + min(b, ~a))
#elif defined(mad24_)
TWO(int, a * b + 7)
#elif defined(half_add)
TWO(uint, (a & b) + ((a ^ b) >> 1))
#elif defined(leading_zeros)
ONE(uint, uint(31 - findMSB(a)))
#elif defined(bits_set)
ONE(uint, bitCount(a))
#elif defined(absolute_difference)
TWO(uint, max(a, b) - min(a, b))
#elif defined(select_bits)
TWO(uint, a & ~0xff00u | b & 0xff00u)
#elif defined(fraction_part)
ONE(float, fract(a))
#elif defined(greatest)
TWO(float, max(a, b))
#elif defined(length4)
ONE(vec4, normalize(a))
#elif defined(bytes_saturated)
BUFFERS(vec4, u8vec4)
void main()
{
    y[I] = u8vec4(uvec4(clamp(roundEven(x[I] * 255.0), 0.0, 255.0)));
}
#elif defined(int_saturated)
BUFFERS(float, int)
void main()
{
    float a = x[I];
    y[I] = isnan(a) ? 0 : a >= 2147483648.0 ? 0x7fffffff : int(max(a, -2147483648.0));
}
#elif defined(short_saturated)
BUFFERS(int, int16_t)
void main()
{
    y[I] = int16_t(clamp(x[I], -32768, 32767));
}
#elif defined(halves)
BUFFERS(float16_t, float16_t)
void main()
{
    y[I] = float16_t(float(x[I]) * 2.0);
}
#endif
