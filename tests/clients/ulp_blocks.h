/* References in double for blocks of float arguments, several lanes at a time: what makes a sweep
   of 2^32 arguments take minutes. libmvec's functions are within 4 ULP of a double, 2^-27 of a
   float's. */
#ifndef PUMICE_CLIENT_ULP_BLOCKS_H
#define PUMICE_CLIENT_ULP_BLOCKS_H
#include "ulp.h"
#include <features.h>

enum { BLOCK = 4096 };

#if defined __x86_64__ && defined __GLIBC__
#define LANES_FOR_ALL __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define LANES_FOR_ALL
#endif

typedef void block_reference(const double *x, double *result);

/* The arguments with the bit patterns `first`, `first` + `step`, ... */
LANES_FOR_ALL static void fill_arguments(uint32_t first, uint32_t step, double *x)
{
    for (uint32_t i = 0; i < BLOCK; i++) {
        uint32_t bits = first + step * i;
        float value;
        memcpy(&value, &bits, 4);
        x[i] = value;
    }
}

/* Errors of a block in ULP of a float, and the greatest; 0 where not all are plain numbers. */
LANES_FOR_ALL static int plain_errors(const float *got, const double *expected, double *errors, double *most)
{
    /* Numbers from 0 up compare as their bit patterns do, and what is not a number is above them. */
    int64_t most_bits = 0, most_exponent = 0;
    for (int i = 0; i < BLOCK; i++) {
        int64_t bits;
        memcpy(&bits, &expected[i], 8);
        int64_t exponent = bits >> 52 & 2047;
        exponent = exponent < 1023 - 126 ? 1023 - 126 : exponent;
        most_exponent = exponent > most_exponent ? exponent : most_exponent;
        /* 1 / ulp = 2^(23 - (exponent - 1023)) */
        int64_t scale_bits = (1023 + 23 + 1023 - exponent) << 52;
        double scale;
        memcpy(&scale, &scale_bits, 8);
        errors[i] = fabs((double)got[i] - expected[i]) * scale;
        memcpy(&bits, &errors[i], 8);
        most_bits = bits > most_bits ? bits : most_bits;
    }
    memcpy(most, &most_bits, 8);
    return most_exponent <= 1023 + 127 && *most <= 0x1p150;
}

#if defined __x86_64__ && defined __GLIBC__ && __GLIBC_PREREQ(2, 35)
/* Each of libmvec's functions, as a block for 8 lanes and for 4. */
typedef double lanes4 __attribute__((vector_size(32)));
typedef double lanes8 __attribute__((vector_size(64)));
#define BLOCK_OF(name)                                                                              \
    lanes4 _ZGVdN4v_##name(lanes4) __attribute__((target("avx2")));                                 \
    lanes8 _ZGVeN8v_##name(lanes8) __attribute__((target("avx512f")));                              \
    __attribute__((target("avx2"))) static void name##_block4(const double *x, double *result)      \
    {                                                                                               \
        for (int i = 0; i < BLOCK; i += 4) {                                                        \
            lanes4 v;                                                                               \
            memcpy(&v, x + i, sizeof v);                                                            \
            v = _ZGVdN4v_##name(v);                                                                 \
            memcpy(result + i, &v, sizeof v);                                                       \
        }                                                                                           \
    }                                                                                               \
    __attribute__((target("avx512f"))) static void name##_block8(const double *x, double *result)   \
    {                                                                                               \
        for (int i = 0; i < BLOCK; i += 8) {                                                        \
            lanes8 v;                                                                               \
            memcpy(&v, x + i, sizeof v);                                                            \
            v = _ZGVeN8v_##name(v);                                                                 \
            memcpy(result + i, &v, sizeof v);                                                       \
        }                                                                                           \
    }                                                                                               \
    static void name##_block(const double *x, double *result)                                       \
    {                                                                                               \
        (__builtin_cpu_supports("avx512f") ? name##_block8 : name##_block4)(x, result);             \
    }
#define HAVE_LANES __builtin_cpu_supports("avx2")
#else
#define BLOCK_OF(name)                                          \
    static void name##_block(const double *x, double *result)   \
    {                                                           \
        for (int i = 0; i < BLOCK; i++)                         \
            result[i] = name(x[i]);                             \
    }
#define HAVE_LANES 1
#endif

BLOCK_OF(cbrt)
BLOCK_OF(exp)
BLOCK_OF(exp2)
BLOCK_OF(exp10)
BLOCK_OF(expm1)
BLOCK_OF(log)
BLOCK_OF(log2)
BLOCK_OF(log10)
BLOCK_OF(log1p)
BLOCK_OF(sin)
BLOCK_OF(cos)
BLOCK_OF(tan)
BLOCK_OF(asin)
BLOCK_OF(acos)
BLOCK_OF(atan)
BLOCK_OF(sinh)
BLOCK_OF(cosh)
BLOCK_OF(tanh)
BLOCK_OF(asinh)
BLOCK_OF(acosh)
BLOCK_OF(atanh)
BLOCK_OF(erf)
BLOCK_OF(erfc)

/* Those that the compiler makes lanes of by itself. */
#define LOOP(name, expression)                                                    \
    LANES_FOR_ALL static void name##_block(const double *xs, double *result)      \
    {                                                                             \
        for (int i = 0; i < BLOCK; i++) {                                         \
            double x = xs[i];                                                     \
            result[i] = expression;                                               \
        }                                                                         \
    }
LOOP(sqrt, __builtin_sqrt(x))
LOOP(rsqrt_double, 1 / __builtin_sqrt(x))
LOOP(recip_double, 1 / x)
LOOP(ceil, __builtin_ceil(x))
LOOP(floor, __builtin_floor(x))
LOOP(rint, __builtin_rint(x))
/* Exact, as floats have so few bits. */
LOOP(round, __builtin_trunc(x + __builtin_copysign(0.5, x)))
LOOP(trunc, __builtin_trunc(x))
LOOP(fabs, __builtin_fabs(x))
LOOP(degrees_double, x * (180 / M_PI))
LOOP(radians_double, x * (M_PI / 180))

#define OF_PI(name)                                                    \
    static void name##pi_double_block(const double *x, double *result) \
    {                                                                  \
        name##_block(x, result);                                       \
        for (int i = 0; i < BLOCK; i++)                                \
            result[i] /= M_PI;                                         \
    }
OF_PI(asin)
OF_PI(acos)
OF_PI(atan)

/* Sine and cosine of pi |x|: of pi times what |x| is off its nearest quarter turn, and which quarter
   that is. All but the product is exact. */
LANES_FOR_ALL static void quarters(const double *x, double *angle, double *quarter)
{
    for (int i = 0; i < BLOCK; i++) {
        double a = __builtin_fabs(x[i]), turned = a - 2 * __builtin_floor(a / 2), nearest = __builtin_rint(2 * turned);
        angle[i] = M_PI * (turned - nearest / 2);
        quarter[i] = nearest == 4 ? 0 : nearest;
    }
}

static void sine_and_cosine_of_pi(const double *x, double *sine, double *cosine)
{
    static _Thread_local double angle[BLOCK], quarter[BLOCK], s[BLOCK], c[BLOCK];
    quarters(x, angle, quarter);
    sin_block(angle, s);
    cos_block(angle, c);
    for (int i = 0; i < BLOCK; i++) {
        double q = quarter[i], a = s[i], b = c[i];
        sine[i] = copysign(1, x[i]) * (q == 0 ? a : q == 1 ? b : q == 2 ? -a : -b);
        /* A zero of the cosine is positive. */
        cosine[i] = (q == 0 ? b : q == 1 ? -a : q == 2 ? -b : a) + 0.0;
    }
}

static void sinpi_double_block(const double *x, double *result)
{
    static _Thread_local double other[BLOCK];
    sine_and_cosine_of_pi(x, result, other);
}

static void cospi_double_block(const double *x, double *result)
{
    static _Thread_local double other[BLOCK];
    sine_and_cosine_of_pi(x, other, result);
}

static void tanpi_double_block(const double *x, double *result)
{
    static _Thread_local double other[BLOCK];
    sine_and_cosine_of_pi(x, result, other);
    for (int i = 0; i < BLOCK; i++)
        result[i] /= other[i];
}

/* The block for a reference in double, NULL where there is none. */
static block_reference *block_reference_of(double (*in_double)(double))
{
#define PAIR(name) {name, name##_block}
    static const struct {
        double (*one)(double);
        block_reference *block;
    } all[] = {
        PAIR(sqrt),          PAIR(rsqrt_double),   PAIR(recip_double),  PAIR(cbrt),           PAIR(exp),
        PAIR(exp2),          PAIR(exp10),          PAIR(expm1),         PAIR(log),            PAIR(log2),
        PAIR(log10),         PAIR(log1p),          PAIR(sin),           PAIR(cos),            PAIR(tan),
        PAIR(asin),          PAIR(acos),           PAIR(atan),          PAIR(sinh),           PAIR(cosh),
        PAIR(tanh),          PAIR(asinh),          PAIR(acosh),         PAIR(atanh),          PAIR(erf),
        PAIR(erfc),          PAIR(ceil),           PAIR(floor),         PAIR(rint),           PAIR(round),
        PAIR(trunc),         PAIR(fabs),           PAIR(degrees_double), PAIR(radians_double), PAIR(asinpi_double),
        PAIR(acospi_double), PAIR(atanpi_double),  PAIR(sinpi_double),  PAIR(cospi_double),   PAIR(tanpi_double),
    };
    if (HAVE_LANES)
        for (size_t i = 0; i < sizeof all / sizeof *all; i++)
            if (all[i].one == in_double)
                return all[i].block;
    return NULL;
}
#endif
