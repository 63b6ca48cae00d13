/* Worst errors of the math functions against MPFR, with the limits of the full profile
   (OpenCL C specification, "Relative Error as ULPs"), for float, double and half.

   Half of the arguments are random bit patterns, the other half lies where a function is
   interesting. PUMICE_ULP_SAMPLES sets how many a function gets (all 65536 for one-argument half
   functions from 16384 on); PUMICE_ULP_TABLE names a file for the table (docs/numerics.md);
   PUMICE_ULP_ONLY runs one function. */
// client: link -lmpfr -lgmp
#include "common.h"
#include <math.h>
#include <mpfr.h>
#include <stdint.h>

enum { FLOAT, DOUBLE, HALF, WIDTHS, ALL_HALVES_FROM = 16384 };
static const struct {
    const char *name, *suffix;
    int bytes, digits, least, most;
} width[WIDTHS] = {
    /* digits of the significand, exponents of the least subnormal and of the first overflow */
    {"float", "", 4, 24, -149, 128},
    {"double", "", 8, 53, -1074, 1024},
    {"half", "", 2, 11, -24, 16},
};

static uint64_t state = 0x9e3779b97f4a7c15u;
static uint64_t random_bits(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state * 0x2545f4914f6cdd1du;
}

static double random_between(double low, double high)
{
    return low + (high - low) * ((double)(random_bits() >> 11) * 0x1p-53);
}

static double from_half(uint16_t bits)
{
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    double value = exponent == 31 ? (fraction ? NAN : INFINITY)
                   : exponent     ? ldexp(1024 + fraction, exponent - 25)
                                  : ldexp(fraction, -24);
    return bits & 0x8000 ? -value : value;
}

static double load(int w, const void *at, size_t i)
{
    return w == FLOAT ? ((const float *)at)[i] : w == DOUBLE ? ((const double *)at)[i] : from_half(((const uint16_t *)at)[i]);
}

/* The nearest half that truncation finds: arguments need no rounding rule. */
static uint16_t to_half(double value)
{
    uint16_t sign = signbit(value) ? 0x8000 : 0, bits = 0;
    value = fabs(value);
    for (int bit = 14; bit >= 0; bit--) {
        uint16_t more = bits | 1u << bit;
        if (more < 0x7c00 && from_half(more) <= value)
            bits = more;
    }
    return sign | bits;
}

static void put(int w, void *at, size_t i, double value)
{
    if (w == FLOAT)
        ((float *)at)[i] = (float)value;
    else if (w == DOUBLE)
        ((double *)at)[i] = value;
    else
        ((uint16_t *)at)[i] = to_half(value);
}

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

typedef struct {
    const char *name, *call;
    /* In ULP for float, double, half; INFINITY where the standard sets none; 0 exact. */
    double limit[WIDTHS];
    double low, high, low2, high2;
    one *f1;
    two *f2;
    three *f3;
    whole *fn;
} function;

#define ONE(name, ref, a, b, c, low, high) {#name, #name "(x[i])", {a, b, c}, low, high, 0, 0, ref, NULL, NULL, NULL}
#define TWO(name, ref, a, b, c, low, high, low2, high2) \
    {#name, #name "(x[i], y[i])", {a, b, c}, low, high, low2, high2, NULL, ref, NULL, NULL}
#define WHOLE(name, ref, a, b, c, low, high, low2, high2) \
    {#name, #name "(x[i], n[i])", {a, b, c}, low, high, low2, high2, NULL, NULL, NULL, ref}

static const function functions[] = {
    {"x / y", "x[i] / y[i]", {2.5, 0.5, 0.5}, -4, 4, -4, 4, NULL, mpfr_div, NULL, NULL},
    {"fma", "fma(x[i], y[i], z[i])", {0.5, 0.5, 0.5}, -4, 4, -4, 4, NULL, NULL, mpfr_fma, NULL},
    ONE(sqrt, mpfr_sqrt, 3, 0.5, 0.5, 0, 4),
    ONE(rsqrt, rsqrt_reference, 2, 2, 1, 0, 4),
    ONE(cbrt, mpfr_cbrt, 2, 2, 2, -8, 8),
    TWO(hypot, mpfr_hypot, 4, 4, 2, -4, 4, -4, 4),
    ONE(exp, mpfr_exp, 3, 3, 2, -20, 20),
    ONE(exp2, mpfr_exp2, 3, 3, 2, -30, 30),
    ONE(exp10, mpfr_exp10, 3, 3, 2, -10, 10),
    ONE(expm1, mpfr_expm1, 3, 3, 2, -2, 2),
    ONE(log, mpfr_log, 3, 3, 2, 0, 3),
    ONE(log2, mpfr_log2, 3, 3, 2, 0, 3),
    ONE(log10, mpfr_log10, 3, 3, 2, 0, 3),
    ONE(log1p, mpfr_log1p, 2, 2, 2, -1, 2),
    TWO(pow, mpfr_pow, 16, 16, 4, 0, 4, -60, 60),
    TWO(powr, powr_reference, 16, 16, 4, 0, 4, -60, 60),
    WHOLE(pown, mpfr_pow_si, 16, 16, 4, -4, 4, -60, 60),
    WHOLE(rootn, mpfr_rootn_si, 16, 16, 4, -4, 100, -20, 20),
    ONE(sin, mpfr_sin, 4, 4, 2, -20, 20),
    ONE(cos, mpfr_cos, 4, 4, 2, -20, 20),
    ONE(tan, mpfr_tan, 5, 5, 2, -20, 20),
    ONE(asin, mpfr_asin, 4, 4, 2, -1, 1),
    ONE(acos, mpfr_acos, 4, 4, 2, -1, 1),
    ONE(atan, mpfr_atan, 5, 5, 2, -4, 4),
    TWO(atan2, mpfr_atan2, 6, 6, 2, -4, 4, -4, 4),
    ONE(sinpi, mpfr_sinpi, 4, 4, 2, -4, 4),
    ONE(cospi, mpfr_cospi, 4, 4, 2, -4, 4),
    ONE(tanpi, mpfr_tanpi, 6, 6, 2, -4, 4),
    ONE(asinpi, mpfr_asinpi, 5, 5, 2, -1, 1),
    ONE(acospi, mpfr_acospi, 5, 5, 2, -1, 1),
    ONE(atanpi, mpfr_atanpi, 5, 5, 2, -4, 4),
    TWO(atan2pi, mpfr_atan2pi, 6, 6, 2, -4, 4, -4, 4),
    ONE(sinh, mpfr_sinh, 4, 4, 2, -4, 4),
    ONE(cosh, mpfr_cosh, 4, 4, 2, -4, 4),
    ONE(tanh, mpfr_tanh, 5, 5, 2, -4, 4),
    ONE(asinh, mpfr_asinh, 4, 4, 2, -4, 4),
    ONE(acosh, mpfr_acosh, 4, 4, 2, 1, 4),
    ONE(atanh, mpfr_atanh, 5, 5, 2, -1, 1),
    ONE(erf, mpfr_erf, 16, 16, 4, -4, 4),
    ONE(erfc, mpfr_erfc, 16, 16, 4, -2, 10),
    ONE(tgamma, mpfr_gamma, 16, 16, 4, -8, 12),
    ONE(lgamma, lgamma_reference, INFINITY, INFINITY, INFINITY, 0, 12),
    TWO(fmod, mpfr_fmod, 0.5, 0.5, 0.5, -100, 100, -4, 4),
    TWO(remainder, mpfr_remainder, 0.5, 0.5, 0.5, -100, 100, -4, 4),
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

static struct {
    double worst;
    double x, y, z;
    int tested;
} found[FUNCTIONS][WIDTHS];

static mpfr_t mx, my, mz, exact, difference;

/* Error of `got` in units of the last place of the exact result; an infinity counts as the first
   number that overflows. */
static double error_of(int w, double got)
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

static cl_context context;
static cl_command_queue queue;
static cl_device_id device;

static void build_source(char *text, size_t size, const function *f, int w)
{
    snprintf(text, size,
             "%s\n__kernel void k(__global const %s *x, __global const %s *y, __global const %s *z,\n"
             "                __global const int *n, __global %s *r) {\n"
             "    size_t i = get_global_id(0);\n    r[i] = %s;\n}\n",
             w == HALF ? "#pragma OPENCL EXTENSION cl_khr_fp16 : enable" : "", width[w].name, width[w].name, width[w].name,
             width[w].name, f->call);
}

static void measure(int index, int w, size_t count, int denormals)
{
    const function *f = &functions[index];
    char text[1024];
    const char *source = text;
    cl_int code;
    build_source(text, sizeof text, f, w);
    if (f->f1 != NULL && w == HALF && count >= ALL_HALVES_FROM)
        count = 65536;
    size_t bytes = count * width[w].bytes;
    void *x = malloc(bytes), *y = malloc(bytes), *z = malloc(bytes), *r = malloc(bytes);
    int *n = malloc(count * sizeof *n);
    for (size_t i = 0; i < count; i++) {
        n[i] = (int)(random_bits() >> 32);
        if (f->f1 != NULL && w == HALF && count == 65536) {
            ((uint16_t *)x)[i] = (uint16_t)i;
            ((uint16_t *)y)[i] = ((uint16_t *)z)[i] = 0;
        } else if (i % 2 == 0) {
            for (int b = 0; b < width[w].bytes; b++) {
                ((unsigned char *)x)[i * width[w].bytes + b] = (unsigned char)(random_bits() >> 56);
                ((unsigned char *)y)[i * width[w].bytes + b] = (unsigned char)(random_bits() >> 56);
                ((unsigned char *)z)[i * width[w].bytes + b] = (unsigned char)(random_bits() >> 56);
            }
        } else {
            double a = random_between(f->low, f->high), b = random_between(f->low2, f->high2);
            put(w, x, i, a);
            put(w, y, i, b);
            /* A sum that nearly cancels shows what a second rounding would lose. */
            put(w, z, i, i % 4 == 1 ? -load(w, x, i) * load(w, y, i) : random_between(f->low, f->high));
            n[i] = (int)random_between(f->low2, f->high2);
        }
    }
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &code);
    MUST(code);
    MUST(clBuildProgram(program, 1, &device, "", NULL, NULL));
    cl_kernel kernel = clCreateKernel(program, "k", &code);
    MUST(code);
    void *host[5] = {x, y, z, n, r};
    cl_mem memory[5];
    for (cl_uint i = 0; i < 5; i++) {
        memory[i] = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, i == 3 ? count * sizeof *n : bytes, host[i], &code);
        MUST(code);
        MUST(clSetKernelArg(kernel, i, sizeof memory[i], &memory[i]));
    }
    MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &count, NULL, 0, NULL, NULL));
    MUST(clEnqueueReadBuffer(queue, memory[4], CL_TRUE, 0, bytes, r, 0, NULL, NULL));
    double least_normal = ldexp(1, width[w].least + width[w].digits - 1);
    found[index][w].tested = 1;
    found[index][w].x = found[index][w].y = found[index][w].z = NAN;
    for (size_t i = 0; i < count; i++) {
        double a = load(w, x, i), b = load(w, y, i), c = load(w, z, i), got = load(w, r, i);
        if (!denormals && ((a != 0 && fabs(a) < least_normal) || (f->f1 == NULL && b != 0 && fabs(b) < least_normal) ||
                           (f->f3 != NULL && c != 0 && fabs(c) < least_normal)))
            continue;
        mpfr_set_d(mx, a, MPFR_RNDN);
        mpfr_set_d(my, b, MPFR_RNDN);
        mpfr_set_d(mz, c, MPFR_RNDN);
        if (f->f1 != NULL)
            f->f1(exact, mx, MPFR_RNDN);
        else if (f->f2 != NULL)
            f->f2(exact, mx, my, MPFR_RNDN);
        else if (f->f3 != NULL)
            f->f3(exact, mx, my, mz, MPFR_RNDN);
        else
            f->fn(exact, mx, n[i], MPFR_RNDN);
        double error = error_of(w, got);
        if (!denormals && got == 0 && mpfr_cmp_d(exact, least_normal) < 0 && mpfr_cmp_d(exact, -least_normal) > 0)
            error = 0;
        if (error > found[index][w].worst) {
            found[index][w].worst = error;
            found[index][w].x = a;
            found[index][w].y = f->fn != NULL ? n[i] : b;
            found[index][w].z = c;
        }
    }
    if (found[index][w].worst > f->limit[w]) {
        fprintf(stderr, "%s for %s: %g ULP at %a, %a, %a; the limit is %g\n", f->name, width[w].name, found[index][w].worst,
                found[index][w].x, found[index][w].y, found[index][w].z, f->limit[w]);
        failures++;
    }
    for (int i = 0; i < 5; i++) {
        MUST(clReleaseMemObject(memory[i]));
        free(host[i]);
    }
    MUST(clReleaseKernel(kernel));
    MUST(clReleaseProgram(program));
}

static void print_table(FILE *to, size_t count)
{
    char name[256] = "";
    clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL);
    fprintf(to,
            "# Errors of the math functions\n\n"
            "Worst errors found, in units of the last place, next to the limits of OpenCL's full profile. Written by\n"
            "`tests/clients/ulp.c` on %s: %zu arguments a function, half of them\n"
            "random bit patterns%s, against MPFR. A limit of 0.5 means\n"
            "correctly rounded. What is not here (floor, fmax, ldexp, ...) is exact.\n",
            name, count, count >= ALL_HALVES_FROM ? " (all 65536 where half is the one argument)" : "");
    for (int w = 0; w < WIDTHS; w++) {
        fprintf(to, "\n## %s\n\n| function | limit | worst | at |\n|---|---|---|---|\n", width[w].name);
        for (int i = 0; i < FUNCTIONS; i++) {
            const function *f = &functions[i];
            if (!found[i][w].tested)
                continue;
            fprintf(to, "| %s | ", f->name);
            if (isinf(f->limit[w]))
                fprintf(to, "none | ");
            else
                fprintf(to, "%g | ", f->limit[w]);
            fprintf(to, found[i][w].worst < 1000 ? "%.3f | " : "%.3g | ", found[i][w].worst);
            if (found[i][w].worst > 0)
                fprintf(to, "%a", found[i][w].x);
            if (found[i][w].worst > 0 && f->fn != NULL)
                fprintf(to, ", %g", found[i][w].y);
            else if (found[i][w].worst > 0 && f->f1 == NULL)
                fprintf(to, ", %a", found[i][w].y);
            if (found[i][w].worst > 0 && f->f3 != NULL)
                fprintf(to, ", %a", found[i][w].z);
            fprintf(to, " |\n");
        }
    }
}

int main(void)
{
    const char *samples = getenv("PUMICE_ULP_SAMPLES"), *only = getenv("PUMICE_ULP_ONLY");
    size_t count = samples != NULL ? strtoul(samples, NULL, 10) : 1000;
    cl_int code;
    device = pumice_device();
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    MUST(code);
    queue = clCreateCommandQueue(context, device, 0, &code);
    MUST(code);
    mpfr_inits2(160, mx, my, mz, exact, difference, (mpfr_ptr)0);
    static const cl_device_info configs[WIDTHS] = {CL_DEVICE_SINGLE_FP_CONFIG, CL_DEVICE_DOUBLE_FP_CONFIG, CL_DEVICE_HALF_FP_CONFIG};
    for (int w = 0; w < WIDTHS; w++) {
        cl_device_fp_config config = 0;
        if (clGetDeviceInfo(device, configs[w], sizeof config, &config, NULL) != CL_SUCCESS || config == 0)
            continue;
        for (int i = 0; i < FUNCTIONS; i++)
            if (only == NULL || strcmp(only, functions[i].name) == 0)
                measure(i, w, count, (config & CL_FP_DENORM) != 0);
    }
    const char *path = getenv("PUMICE_ULP_TABLE");
    if (path != NULL) {
        FILE *to = fopen(path, "w");
        CHECK(to != NULL);
        if (to != NULL) {
            print_table(to, count);
            CHECK(fclose(to) == 0);
        }
    }
    mpfr_clears(mx, my, mz, exact, difference, (mpfr_ptr)0);
    MUST(clReleaseCommandQueue(queue));
    release_last(context);
    return failures != 0;
}
