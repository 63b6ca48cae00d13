/* The math functions with their references and limits (OpenCL C specification, "Relative Error as
   ULPs", full profile), and the error of a result: what ulp.c and ulp_sweep.c share. */
#ifndef PUMICE_CLIENT_ULP_H
#define PUMICE_CLIENT_ULP_H
#include <math.h>
#include <mpfr.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FLOAT, DOUBLE, HALF, WIDTHS };
static const struct {
    const char *name;
    int bytes, digits, least, most;
} width[WIDTHS] = {
    /* digits of the significand, exponents of the least subnormal and of the first overflow */
    {"float", 4, 24, -149, 128},
    {"double", 8, 53, -1074, 1024},
    {"half", 2, 11, -24, 16},
};

/* References of one, two and three arguments, and those with a whole second argument. */
typedef int one(mpfr_t, const mpfr_t, mpfr_rnd_t);
typedef int two(mpfr_t, const mpfr_t, const mpfr_t, mpfr_rnd_t);
typedef int three(mpfr_t, const mpfr_t, const mpfr_t, const mpfr_t, mpfr_rnd_t);
typedef int whole(mpfr_t, const mpfr_t, long, mpfr_rnd_t);

static int lgamma_reference(mpfr_t to, const mpfr_t x, mpfr_rnd_t mode)
{
    int sign;
    return mpfr_lgamma(to, &sign, x, mode);
}

/* IEEE 754 keeps the sign of zero, MPFR does not. */
static int rsqrt_reference(mpfr_t to, const mpfr_t x, mpfr_rnd_t mode)
{
    if (!mpfr_zero_p(x))
        return mpfr_rec_sqrt(to, x, mode);
    mpfr_set_inf(to, mpfr_signbit(x) ? -1 : 1);
    return 0;
}

static int powr_reference(mpfr_t to, const mpfr_t x, const mpfr_t y, mpfr_rnd_t mode)
{
    return mpfr_powr(to, x, y, mode);
}

static int recip_reference(mpfr_t to, const mpfr_t x, mpfr_rnd_t mode)
{
    return mpfr_ui_div(to, 1, x, mode);
}

static int logb_reference(mpfr_t to, const mpfr_t x, mpfr_rnd_t mode)
{
    if (mpfr_regular_p(x))
        return mpfr_set_si(to, mpfr_get_exp(x) - 1, mode);
    if (mpfr_nan_p(x))
        mpfr_set_nan(to);
    else
        mpfr_set_inf(to, mpfr_zero_p(x) ? -1 : 1);
    return 0;
}

static int sign_reference(mpfr_t to, const mpfr_t x, mpfr_rnd_t mode)
{
    return mpfr_set_si(to, mpfr_nan_p(x) ? 0 : mpfr_sgn(x), mode);
}

static int degrees_reference(mpfr_t to, const mpfr_t x, mpfr_rnd_t mode)
{
    mpfr_const_pi(to, MPFR_RNDN);
    mpfr_ui_div(to, 180, to, MPFR_RNDN);
    return mpfr_mul(to, to, x, mode);
}

static int radians_reference(mpfr_t to, const mpfr_t x, mpfr_rnd_t mode)
{
    mpfr_const_pi(to, MPFR_RNDN);
    mpfr_div_ui(to, to, 180, MPFR_RNDN);
    return mpfr_mul(to, to, x, mode);
}

/* References in double for arguments that are floats: far more precise than a float, and fast.
   Reductions below are exact, since a float has 24 bits. */
static double rsqrt_double(double x) { return 1 / sqrt(x); }
static double recip_double(double x) { return 1 / x; }
static double sign_double(double x) { return isnan(x) ? 0 : x > 0 ? 1 : x < 0 ? -1 : x; }
static double degrees_double(double x) { return x * (180 / M_PI); }
static double radians_double(double x) { return x * (M_PI / 180); }
static double asinpi_double(double x) { return asin(x) / M_PI; }
static double acospi_double(double x) { return acos(x) / M_PI; }
static double atanpi_double(double x) { return atan(x) / M_PI; }

static double lgamma_double(double x)
{
    int sign;
    return lgamma_r(x, &sign);
}

static double sinpi_double(double x)
{
    double a = fabs(x), r = a - 2 * floor(a / 2), sign = x < 0 ? -1 : 1;
    if (!(a < INFINITY))
        return NAN;
    if (r >= 1) {
        r -= 1;
        sign = -sign;
    }
    if (r > 0.5)
        r = 1 - r;
    return sign * (r <= 0.25 ? sin(M_PI * r) : cos(M_PI * (0.5 - r)));
}

static double cospi_double(double x)
{
    double a = fabs(x), r = a - 2 * floor(a / 2), sign = 1;
    if (!(a < INFINITY))
        return NAN;
    if (r > 1)
        r = 2 - r;
    if (r > 0.5) {
        r = 1 - r;
        sign = -1;
    }
    return r == 0.5 ? 0 : sign * (r <= 0.25 ? cos(M_PI * r) : sin(M_PI * (0.5 - r)));
}

static double tanpi_double(double x)
{
    return sinpi_double(x) / cospi_double(x);
}

typedef struct {
    const char *name, *call;
    /* In ULP for float, double, half; INFINITY where the standard sets none; 0 exact; negative
       where there is no such function. */
    double limit[WIDTHS];
    double low, high, low2, high2;
    /* Nothing is promised for arguments of greater magnitude. */
    double most;
    one *f1;
    two *f2;
    three *f3;
    whole *fn;
    /* Of one argument: the reference for float arguments in double. */
    double (*in_double)(double);
} function;

#define ONE_TO(name, ref, fast, a, b, c, low, high, most) \
    {#name, #name "(x)", {a, b, c}, low, high, 0, 0, most, ref, NULL, NULL, NULL, fast}
#define ONE(name, ref, fast, a, b, c, low, high) ONE_TO(name, ref, fast, a, b, c, low, high, INFINITY)
#define EXACT(name, ref, fast) ONE(name, ref, fast, 0, 0, 0, -20, 20)
/* half_ functions: 8192 ULP; native_ functions: no limit. Both for float alone. */
#define HALF_ONE(name, ref, fast, low, high, most) ONE_TO(half_##name, ref, fast, 8192, -1, -1, low, high, most)
#define NATIVE_ONE(name, ref, fast, low, high, most) ONE_TO(native_##name, ref, fast, INFINITY, -1, -1, low, high, most)
#define TWO(name, ref, a, b, c, low, high, low2, high2) \
    {#name, #name "(x, y)", {a, b, c}, low, high, low2, high2, INFINITY, NULL, ref, NULL, NULL, NULL}
#define WHOLE(name, ref, a, b, c, low, high, low2, high2) \
    {#name, #name "(x, n)", {a, b, c}, low, high, low2, high2, INFINITY, NULL, NULL, NULL, ref, NULL}

static const function functions[] = {
    {"x / y", "x / y", {2.5, 0.5, 0.5}, -4, 4, -4, 4, INFINITY, NULL, mpfr_div, NULL, NULL, NULL},
    {"fma", "fma(x, y, z)", {0.5, 0.5, 0.5}, -4, 4, -4, 4, INFINITY, NULL, NULL, mpfr_fma, NULL, NULL},
    ONE(sqrt, mpfr_sqrt, sqrt, 3, 0.5, 0.5, 0, 4),
    ONE(rsqrt, rsqrt_reference, rsqrt_double, 2, 2, 1, 0, 4),
    ONE(cbrt, mpfr_cbrt, cbrt, 2, 2, 2, -8, 8),
    TWO(hypot, mpfr_hypot, 4, 4, 2, -4, 4, -4, 4),
    ONE(exp, mpfr_exp, exp, 3, 3, 2, -20, 20),
    ONE(exp2, mpfr_exp2, exp2, 3, 3, 2, -30, 30),
    ONE(exp10, mpfr_exp10, exp10, 3, 3, 2, -10, 10),
    ONE(expm1, mpfr_expm1, expm1, 3, 3, 2, -2, 2),
    ONE(log, mpfr_log, log, 3, 3, 2, 0, 3),
    ONE(log2, mpfr_log2, log2, 3, 3, 2, 0, 3),
    ONE(log10, mpfr_log10, log10, 3, 3, 2, 0, 3),
    ONE(log1p, mpfr_log1p, log1p, 2, 2, 2, -1, 2),
    TWO(pow, mpfr_pow, 16, 16, 4, 0, 4, -60, 60),
    TWO(powr, powr_reference, 16, 16, 4, 0, 4, -60, 60),
    WHOLE(pown, mpfr_pow_si, 16, 16, 4, -4, 4, -60, 60),
    WHOLE(rootn, mpfr_rootn_si, 16, 16, 4, -4, 100, -20, 20),
    ONE(sin, mpfr_sin, sin, 4, 4, 2, -20, 20),
    ONE(cos, mpfr_cos, cos, 4, 4, 2, -20, 20),
    ONE(tan, mpfr_tan, tan, 5, 5, 2, -20, 20),
    ONE(asin, mpfr_asin, asin, 4, 4, 2, -1, 1),
    ONE(acos, mpfr_acos, acos, 4, 4, 2, -1, 1),
    ONE(atan, mpfr_atan, atan, 5, 5, 2, -4, 4),
    TWO(atan2, mpfr_atan2, 6, 6, 2, -4, 4, -4, 4),
    ONE(sinpi, mpfr_sinpi, sinpi_double, 4, 4, 2, -4, 4),
    ONE(cospi, mpfr_cospi, cospi_double, 4, 4, 2, -4, 4),
    ONE(tanpi, mpfr_tanpi, tanpi_double, 6, 6, 2, -4, 4),
    ONE(asinpi, mpfr_asinpi, asinpi_double, 5, 5, 2, -1, 1),
    ONE(acospi, mpfr_acospi, acospi_double, 5, 5, 2, -1, 1),
    ONE(atanpi, mpfr_atanpi, atanpi_double, 5, 5, 2, -4, 4),
    TWO(atan2pi, mpfr_atan2pi, 6, 6, 2, -4, 4, -4, 4),
    ONE(sinh, mpfr_sinh, sinh, 4, 4, 2, -4, 4),
    ONE(cosh, mpfr_cosh, cosh, 4, 4, 2, -4, 4),
    ONE(tanh, mpfr_tanh, tanh, 5, 5, 2, -4, 4),
    ONE(asinh, mpfr_asinh, asinh, 4, 4, 2, -4, 4),
    ONE(acosh, mpfr_acosh, acosh, 4, 4, 2, 1, 4),
    ONE(atanh, mpfr_atanh, atanh, 5, 5, 2, -1, 1),
    ONE(erf, mpfr_erf, erf, 16, 16, 4, -4, 4),
    ONE(erfc, mpfr_erfc, erfc, 16, 16, 4, -2, 10),
    ONE(tgamma, mpfr_gamma, tgamma, 16, 16, 4, -8, 12),
    ONE(lgamma, lgamma_reference, lgamma_double, INFINITY, INFINITY, INFINITY, 0, 12),
    TWO(fmod, mpfr_fmod, 0.5, 0.5, 0.5, -100, 100, -4, 4),
    TWO(remainder, mpfr_remainder, 0.5, 0.5, 0.5, -100, 100, -4, 4),
    EXACT(ceil, mpfr_rint_ceil, ceil),
    EXACT(floor, mpfr_rint_floor, floor),
    EXACT(rint, mpfr_rint_roundeven, rint),
    EXACT(round, mpfr_rint_round, round),
    EXACT(trunc, mpfr_rint_trunc, trunc),
    EXACT(fabs, mpfr_abs, fabs),
    EXACT(logb, logb_reference, logb),
    EXACT(sign, sign_reference, sign_double),
    ONE(degrees, degrees_reference, degrees_double, 2, 2, 2, -4, 4),
    ONE(radians, radians_reference, radians_double, 2, 2, 2, -400, 400),
    {"half_divide", "half_divide(x, y)", {8192, -1, -1}, -4, 4, -4, 4, INFINITY, NULL, mpfr_div, NULL, NULL, NULL},
    HALF_ONE(recip, recip_reference, recip_double, -4, 4, INFINITY),
    HALF_ONE(sqrt, mpfr_sqrt, sqrt, 0, 4, INFINITY),
    HALF_ONE(rsqrt, rsqrt_reference, rsqrt_double, 0, 4, INFINITY),
    HALF_ONE(exp, mpfr_exp, exp, -20, 20, INFINITY),
    HALF_ONE(exp2, mpfr_exp2, exp2, -30, 30, INFINITY),
    HALF_ONE(exp10, mpfr_exp10, exp10, -10, 10, INFINITY),
    HALF_ONE(log, mpfr_log, log, 0, 3, INFINITY),
    HALF_ONE(log2, mpfr_log2, log2, 0, 3, INFINITY),
    HALF_ONE(log10, mpfr_log10, log10, 0, 3, INFINITY),
    {"half_powr", "half_powr(x, y)", {8192, -1, -1}, 0, 4, -60, 60, INFINITY, NULL, powr_reference, NULL, NULL, NULL},
    HALF_ONE(sin, mpfr_sin, sin, -20, 20, 0x1p16),
    HALF_ONE(cos, mpfr_cos, cos, -20, 20, 0x1p16),
    HALF_ONE(tan, mpfr_tan, tan, -20, 20, 0x1p16),
    {"native_divide", "native_divide(x, y)", {INFINITY, -1, -1}, -4, 4, -4, 4, INFINITY, NULL, mpfr_div, NULL, NULL, NULL},
    NATIVE_ONE(recip, recip_reference, recip_double, -4, 4, INFINITY),
    NATIVE_ONE(sqrt, mpfr_sqrt, sqrt, 0, 4, INFINITY),
    NATIVE_ONE(rsqrt, rsqrt_reference, rsqrt_double, 0, 4, INFINITY),
    NATIVE_ONE(exp, mpfr_exp, exp, -20, 20, 80),
    NATIVE_ONE(exp2, mpfr_exp2, exp2, -30, 30, 120),
    NATIVE_ONE(exp10, mpfr_exp10, exp10, -10, 10, 37),
    NATIVE_ONE(log, mpfr_log, log, 0, 3, INFINITY),
    NATIVE_ONE(log2, mpfr_log2, log2, 0, 3, INFINITY),
    NATIVE_ONE(log10, mpfr_log10, log10, 0, 3, INFINITY),
    NATIVE_ONE(sin, mpfr_sin, sin, -4, 4, M_PI),
    NATIVE_ONE(cos, mpfr_cos, cos, -4, 4, M_PI),
    NATIVE_ONE(tan, mpfr_tan, tan, -1, 1, M_PI / 2),
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

/* Numbers of one thread. */
static _Thread_local mpfr_t mx, my, mz, exact, difference;

static inline void start_mpfr(void)
{
    mpfr_inits2(160, mx, my, mz, exact, difference, (mpfr_ptr)0);
}

static inline void stop_mpfr(void)
{
    mpfr_clears(mx, my, mz, exact, difference, (mpfr_ptr)0);
    mpfr_free_cache();
}

/* Error of `got` in units of the last place of the exact result; an infinity counts as the first
   number that overflows. */
static inline double error_of(int w, double got)
{
    if (mpfr_nan_p(exact) || isnan(got))
        return mpfr_nan_p(exact) && isnan(got) ? 0 : INFINITY;
    if (mpfr_inf_p(exact))
        return isinf(got) && signbit(got) == (mpfr_signbit(exact) != 0) ? 0 : INFINITY;
    long exponent = mpfr_zero_p(exact) ? width[w].least : mpfr_get_exp(exact) - width[w].digits;
    if (exponent < width[w].least)
        exponent = width[w].least;
    if (exponent > width[w].most - width[w].digits)
        exponent = width[w].most - width[w].digits;
    if (isinf(got)) {
        mpfr_set_si_2exp(difference, signbit(got) ? -1 : 1, width[w].most, MPFR_RNDN);
        if (mpfr_cmpabs(exact, difference) >= 0)
            return mpfr_sgn(exact) == mpfr_sgn(difference) ? 0 : INFINITY;
    } else {
        mpfr_set_d(difference, got, MPFR_RNDN);
    }
    mpfr_sub(difference, difference, exact, MPFR_RNDN);
    mpfr_mul_2si(difference, difference, -exponent, MPFR_RNDN);
    return fabs(mpfr_get_d(difference, MPFR_RNDN));
}

/* The step of a sweep's first look: odd, so that 2^24 steps meet every exponent alike. */
enum { FIRST_LOOK = 257 };

/* The error over the range: the greatest in each of 512 columns, which are the sign, the exponent
   and, for half, the first bits of the significand, from the most negative number to the
   greatest. For float a column is one binade. */
enum { COLUMNS = 512 };

static inline int column_of(int w, const void *at, size_t i)
{
    uint64_t top = w == FLOAT    ? ((const uint32_t *)at)[i] >> 23
                   : w == DOUBLE ? ((const uint64_t *)at)[i] >> 55
                                 : ((const uint16_t *)at)[i] >> 7;
    return top & 256 ? 255 - (int)(top & 255) : 256 + (int)top;
}

/* Result of measuring a function. */
typedef struct {
    double worst, x, y, z;
    int tested;
    double columns[COLUMNS];
} finding;

/* Result of ulp_sweep.c over all floats. */
typedef struct {
    /* Nonzero if the sweep has begun. */
    int started;
    /* A hash of the results for a sample: a function that has changed since starts again. */
    uint64_t sample;
    /* One bit for each of the 256 values of an argument's highest byte. */
    uint64_t done[4];
    uint64_t beyond_limit;
    uint32_t at;
    finding found;
} swept;

static inline int shards_done(const swept *s)
{
    int count = 0;
    for (int i = 0; i < 4; i++)
        count += __builtin_popcountll(s->done[i]);
    return count;
}

/* The state of a sweep: one line a function. Returns 0 where the file cannot be read. */
static inline int read_state(const char *path, swept all[FUNCTIONS])
{
    FILE *from = fopen(path, "r");
    char name[32];
    int good = from != NULL;
    while (good && fscanf(from, "%31s", name) == 1) {
        swept one = {.started = 1, .found = {.tested = 1}};
        good = fscanf(from, "%lx %lx %lx %lx %lx %lu %lf %x", &one.sample, &one.done[0], &one.done[1], &one.done[2],
                      &one.done[3], &one.beyond_limit, &one.found.worst, &one.at) == 8;
        for (int i = 0; good && i < COLUMNS; i++)
            good = fscanf(from, "%lf", &one.found.columns[i]) == 1;
        float x;
        memcpy(&x, &one.at, 4);
        one.found.x = x;
        for (int i = 0; good && i < FUNCTIONS; i++)
            if (strcmp(functions[i].name, name) == 0)
                all[i] = one;
    }
    if (from != NULL)
        fclose(from);
    return good;
}

static inline int write_state(const char *path, const swept all[FUNCTIONS])
{
    char beside[4096];
    snprintf(beside, sizeof beside, "%s.new", path);
    FILE *to = fopen(beside, "w");
    if (to == NULL)
        return 0;
    for (int i = 0; i < FUNCTIONS; i++) {
        const swept *one = &all[i];
        if (!one->started)
            continue;
        fprintf(to, "%s %lx %lx %lx %lx %lx %lu %.6f %08x", functions[i].name, one->sample, one->done[0], one->done[1],
                one->done[2], one->done[3], one->beyond_limit, one->found.worst, one->at);
        for (int c = 0; c < COLUMNS; c++)
            fprintf(to, " %.3g", one->found.columns[c]);
        fputc('\n', to);
    }
    return fclose(to) == 0 && rename(beside, path) == 0;
}
#endif
