/* Worst errors of the math functions against MPFR, with the limits of the full profile
   (OpenCL C specification, "Relative Error as ULPs"), for float, double and half.

   Half of the arguments are random bit patterns, the other half lies where a function is
   interesting. PUMICE_ULP_SAMPLES sets how many a function gets (all 65536 for one-argument half
   functions from 16384 on); PUMICE_ULP_TABLE names a file for the table (docs/numerics.md), whose
   column about all floats comes from ulp_sweep.c's state in PUMICE_ULP_SWEEP; PUMICE_ULP_PLOTS
   names a folder for the plots; PUMICE_ULP_ONLY runs one function. */
// client: link -lmpfr -lgmp
#define _GNU_SOURCE
#include "common.h"
#include "ulp.h"
#include "ulp_sheet.h"

enum { ALL_HALVES_FROM = 16384 };

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

static finding found[FUNCTIONS][WIDTHS];
static swept sweeps[FUNCTIONS];

static cl_context context;
static cl_command_queue queue;
static cl_device_id device;

static void build_source(char *text, size_t size, const function *f, int w)
{
    snprintf(text, size,
             "%s\ntypedef %s T;\n"
             "__kernel void k(__global const T *xs, __global const T *ys, __global const T *zs, __global const int *ns,\n"
             "                __global T *r) {\n"
             "    size_t i = get_global_id(0);\n    T x = xs[i], y = ys[i], z = zs[i];\n    int n = ns[i];\n"
             "    r[i] = %s;\n}\n",
             w == HALF ? "#pragma OPENCL EXTENSION cl_khr_fp16 : enable" : "", width[w].name, f->call);
}

static void measure(int index, int w, size_t count, int denormals)
{
    const function *f = &functions[index];
    char text[1024];
    const char *source = text;
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
    cl_program program = PROGRAM(context, source, "");
    cl_kernel kernel = MADE(clCreateKernel, program, "k");
    void *host[5] = {x, y, z, n, r};
    cl_mem memory[5];
    for (cl_uint i = 0; i < 5; i++) {
        memory[i] = MADE(clCreateBuffer, context, CL_MEM_COPY_HOST_PTR, i == 3 ? count * sizeof *n : bytes, host[i]);
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
        if (fabs(a) > f->most)
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
        double *column = &found[index][w].columns[column_of(w, x, i)];
        if (error > *column)
            *column = error;
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

/* One row's worst error and where it is. */
static void print_worst(FILE *to, const function *f, const finding *at)
{
    fprintf(to, at->worst < 1000 ? " %.3f |" : " %.3g |", at->worst);
    if (at->worst > 0)
        fprintf(to, " %a", at->x);
    if (at->worst > 0 && f->fn != NULL)
        fprintf(to, ", %g", at->y);
    else if (at->worst > 0 && f->f1 == NULL)
        fprintf(to, ", %a", at->y);
    if (at->worst > 0 && f->f3 != NULL)
        fprintf(to, ", %a", at->z);
    fprintf(to, " |");
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
            "correctly rounded, 0 exact; what is not here (fmax, ldexp, nextafter, ...) is exact. The last columns of\n"
            "the table for float are of sweeps by `tests/clients/ulp_sweep.c` (its state is `numerics/float.sweep`)\n"
            "over all 2^32 arguments or, where the row says so, part of them; native_ functions were measured where\n"
            "they are of use: exponentials without overflow, sine and cosine up to pi. Plots of the error over the\n"
            "range: [float](numerics/float.svg), [double](numerics/double.svg), [half](numerics/half.svg). What the\n"
            "first use of a function in a program costs is among the [benchmarks](benchmarks.md) (\"first use\").\n\n"
            "A sweep goes on where it stopped with\n"
            "`PUMICE_SWEEP_STATE=docs/numerics/float.sweep target/clients/ulp_sweep` (`PUMICE_SWEEP_ONLY=sin,cos` chooses);\n"
            "this page is made with `PUMICE_ULP_SAMPLES=16384 PUMICE_ULP_TABLE=docs/numerics.md PUMICE_ULP_PLOTS=docs/numerics\n"
            "PUMICE_ULP_SWEEP=docs/numerics/float.sweep target/clients/ulp`.\n",
            name, count, count >= ALL_HALVES_FROM ? " (all 65536 where half is the one argument)" : "");
    for (int w = 0; w < WIDTHS; w++) {
        fprintf(to, "\n## %s\n\n| function | limit | worst | at |%s\n|---|---|---|---|%s\n", width[w].name,
                w == FLOAT ? " swept worst | at | arguments |" : "", w == FLOAT ? "---|---|---|" : "");
        for (int i = 0; i < FUNCTIONS; i++) {
            const function *f = &functions[i];
            if (!found[i][w].tested)
                continue;
            if (isinf(f->limit[w]))
                fprintf(to, "| %s | none |", f->name);
            else
                fprintf(to, "| %s | %g |", f->name, f->limit[w]);
            print_worst(to, f, &found[i][w]);
            if (w == FLOAT && sweeps[i].started) {
                print_worst(to, f, &sweeps[i].found);
                int shards = shards_done(&sweeps[i]);
                fprintf(to, shards == 256 ? " all |" : shards > 0 ? " 1 in %d, %d %% of all |" : " 1 in %d |", FIRST_LOOK,
                        shards * 100 / 256);
            } else if (w == FLOAT) {
                fprintf(to, " | | |");
            }
            fprintf(to, "\n");
        }
    }
}

/* For float a sweep says more than the sample. */
static void draw_plots(const char *folder)
{
    for (int w = 0; w < WIDTHS; w++) {
        const finding *panels[FUNCTIONS];
        char path[4096];
        for (int i = 0; i < FUNCTIONS; i++)
            panels[i] = w == FLOAT && sweeps[i].started ? &sweeps[i].found : &found[i][w];
        snprintf(path, sizeof path, "%s/%s.svg", folder, width[w].name);
        CHECK(draw_sheet(path, w, "the greatest found for each sign and exponent of the first argument", panels));
    }
}

int main(void)
{
    const char *samples = getenv("PUMICE_ULP_SAMPLES"), *only = getenv("PUMICE_ULP_ONLY");
    size_t count = samples != NULL ? strtoul(samples, NULL, 10) : 1000;
    device = pumice_device();
    context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    queue = MADE(clCreateCommandQueue, context, device, 0);
    start_mpfr();
    const char *sweep = getenv("PUMICE_ULP_SWEEP"), *plots = getenv("PUMICE_ULP_PLOTS");
    if (sweep != NULL)
        CHECK(read_state(sweep, sweeps));
    static const cl_device_info configs[WIDTHS] = {CL_DEVICE_SINGLE_FP_CONFIG, CL_DEVICE_DOUBLE_FP_CONFIG, CL_DEVICE_HALF_FP_CONFIG};
    for (int w = 0; w < WIDTHS; w++) {
        cl_device_fp_config config = 0;
        if (clGetDeviceInfo(device, configs[w], sizeof config, &config, NULL) != CL_SUCCESS || config == 0)
            continue;
        for (int i = 0; i < FUNCTIONS; i++)
            if (functions[i].limit[w] >= 0 && (only == NULL || strcmp(only, functions[i].name) == 0))
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
    if (plots != NULL)
        draw_plots(plots);
    stop_mpfr();
    MUST(clReleaseCommandQueue(queue));
    release_last(context);
    return failures != 0;
}
