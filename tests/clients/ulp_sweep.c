/* Errors of the float functions of one argument over all 2^32 arguments.

   The device computes shards of 2^24 arguments (those that share their highest byte); the host
   compares with a reference in double, and with MPFR the worst case and where the double's own
   error, below 2^-20 ULP of a float, could decide about the limit.

   PUMICE_SWEEP_STATE names the file of what is done, its worst cases and the error in each
   binade; it is written after each shard, so that a run can be stopped at any time and goes on
   where it stopped. A function whose results have changed since starts again, with a look at
   every 257th argument before the first shard. PUMICE_SWEEP_ONLY
   names functions ("sin,cos"), in the order in which they are wanted, PUMICE_SWEEP_SHARDS how
   many shards this run does at most (0: the first looks alone), PUMICE_SWEEP_THREADS the host's threads (2),
   PUMICE_SWEEP_PLOT a file for the plots (SVG). Without a state file the references in double
   are compared with MPFR's, over a sample. */
// client: link -lmpfr -lgmp
// client: once
#pragma GCC optimize("O2", "tree-vectorize", "no-math-errno", "no-trapping-math")
#define _GNU_SOURCE
#include "common.h"
#include "ulp.h"
#include "ulp_sheet.h"
#include "ulp_blocks.h"
#include <pthread.h>
#include <unistd.h>

enum { BINADE = 1 << 23, SHARD = 2 * BINADE, SHARDS = 256, SAMPLE = 1 << 16, THREADS = 16 };
/* Safe bound of the double references' error in ULP of a float. */
static const double DOUBT = 0x1p-20;

static cl_context context;
static cl_command_queue queue;
static cl_device_id device;
static cl_mem memory[2];
static int keeps_denormals;
static swept state[FUNCTIONS];

static double argument(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, 4);
    return x;
}

/* Error in ULP by the reference in double, for any values. */
static double rough_error(double got, double expected)
{
    if (isnan(got) || isnan(expected))
        return isnan(got) && isnan(expected) ? 0 : INFINITY;
    if (got == expected)
        return 0;
    if (isinf(expected))
        return INFINITY;
    if (isinf(got)) {
        if (fabs(expected) >= 0x1p128)
            return signbit(got) == signbit(expected) ? 0 : INFINITY;
        got = copysign(0x1p128, got);
    }
    int exponent;
    frexp(expected, &exponent);
    exponent = exponent < -125 ? -149 : exponent > 128 ? 104 : exponent - 24;
    return fabs(got - expected) * ldexp(1, -exponent);
}

static double true_error(const function *f, double x, double got)
{
    mpfr_set_d(mx, x, MPFR_RNDN);
    f->f1(exact, mx, MPFR_RNDN);
    double error = error_of(FLOAT, got);
    if (!keeps_denormals && got == 0 && mpfr_cmp_d(exact, 0x1p-126) < 0 && mpfr_cmp_d(exact, -0x1p-126) > 0)
        return 0;
    return error;
}

static int counts(const function *f, double x)
{
    return !(fabs(x) > f->most) && (keeps_denormals || x == 0 || !(fabs(x) < 0x1p-126));
}

/* Errors of a block; lanes that are not plain numbers come out as not numbers. */
static double block_errors(const float *got, const double *expected, double *errors)
{
    double most;
    if (plain_errors(got, expected, errors, &most))
        return most;
    most = 0;
    for (int i = 0; i < BLOCK; i++) {
        errors[i] = rough_error(got[i], expected[i]);
        most = errors[i] > most ? errors[i] : most;
    }
    return most;
}

/* Half a shard, which is the share of one thread at a time: 2^23 arguments. */
typedef struct {
    const function *f;
    const float *got;
    uint32_t first, step;
    double worst;
    uint32_t at;
    uint64_t beyond_limit;
    double columns[COLUMNS];
} part;

static int column_of_bits(uint32_t bits)
{
    return column_of(FLOAT, &bits, 0);
}

static void compare(part *p)
{
    static _Thread_local double expected[BLOCK], errors[BLOCK], arguments[BLOCK];
    const function *f = p->f;
    block_reference *reference = block_reference_of(f->in_double);
    double limit = f->limit[FLOAT];
    float worst_result = 0;
    for (uint32_t start = 0; start < BINADE; start += BLOCK) {
        uint32_t first = p->first + p->step * start;
        fill_arguments(first, p->step, arguments);
        if (reference != NULL) {
            reference(arguments, expected);
        } else {
            for (uint32_t i = 0; i < BLOCK; i++)
                expected[i] = f->in_double(arguments[i]);
        }
        double most = block_errors(p->got + start, expected, errors);
        int column = column_of_bits(first);
        if (column == column_of_bits(first + p->step * (BLOCK - 1)) && most <= p->columns[column] && most <= p->worst &&
            most <= limit - DOUBT)
            continue;
        for (uint32_t i = 0; i < BLOCK; i++) {
            uint32_t bits = first + p->step * i;
            double x = argument(bits), error = errors[i];
            if (error == 0 || !counts(f, x))
                continue;
            if (fabs(error - limit) < DOUBT || isinf(error)) {
                if (p->beyond_limit < 1000)
                    error = true_error(f, x, p->got[start + i]);
            }
            p->beyond_limit += error > limit;
            if (error > p->worst) {
                p->worst = error;
                p->at = bits;
                worst_result = p->got[start + i];
            }
            column = column_of_bits(bits);
            if (error > p->columns[column])
                p->columns[column] = error;
        }
    }
    /* The worst case of all is what the table says: that one exactly. */
    if (p->at != 0)
        p->worst = true_error(f, argument(p->at), worst_result);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static part parts[2];
static int next_part;

static void *work(void *unused)
{
    start_mpfr();
    for (;;) {
        pthread_mutex_lock(&lock);
        int mine = next_part++;
        pthread_mutex_unlock(&lock);
        if (mine >= 2)
            break;
        compare(&parts[mine]);
    }
    stop_mpfr();
    return unused;
}

/* Compares a shard's worth of results and adds what is found to the function's state. */
static void compare_shard(swept *s, const function *f, const float *results, uint32_t first, uint32_t step, int threads)
{
    for (int i = 0; i < 2; i++)
        parts[i] = (part){f, results + i * BINADE, first + step * i * BINADE, step, s->found.worst, 0, 0, {0}};
    next_part = 0;
    pthread_t helpers[THREADS];
    for (int i = 1; i < threads; i++)
        CHECK(pthread_create(&helpers[i], NULL, work, NULL) == 0);
    work(NULL);
    for (int i = 1; i < threads; i++)
        CHECK(pthread_join(helpers[i], NULL) == 0);
    for (int i = 0; i < 2; i++) {
        for (int c = 0; c < COLUMNS; c++)
            s->found.columns[c] = fmax(s->found.columns[c], parts[i].columns[c]);
        s->beyond_limit += parts[i].beyond_limit;
        if (parts[i].worst > s->found.worst) {
            s->found.worst = parts[i].worst;
            s->at = parts[i].at;
            s->found.x = argument(s->at);
        }
    }
}

static cl_program build(const function *f, cl_kernel *kernel)
{
    char text[512];
    const char *source = text;
    snprintf(text, sizeof text,
             "__kernel void k(uint first, uint step, __global float *r) {\n"
             "    size_t i = get_global_id(0);\n    float x = as_float(first + step * (uint)i);\n    r[i] = %s;\n}\n",
             f->call);
    cl_program program = PROGRAM(context, source, "");
    *kernel = MADE(clCreateKernel, program, "k");
    return program;
}

/* Starts the computation of `count` results into one of the two buffers. */
static void launch(cl_kernel kernel, int which, cl_uint first, cl_uint step, size_t count)
{
    MUST(clSetKernelArg(kernel, 0, sizeof first, &first));
    MUST(clSetKernelArg(kernel, 1, sizeof step, &step));
    MUST(clSetKernelArg(kernel, 2, sizeof memory[which], &memory[which]));
    MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &count, NULL, 0, NULL, NULL));
    MUST(clFlush(queue));
}

static void fetch(int which, float *to, size_t count)
{
    MUST(clEnqueueReadBuffer(queue, memory[which], CL_TRUE, 0, count * sizeof *to, to, 0, NULL, NULL));
}

/* Odd, so that sample and first look meet every exponent. */
static const cl_uint STEP = 65537;

static uint64_t sample_hash(const float *results)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (int i = 0; i < SAMPLE; i++) {
        uint32_t bits;
        memcpy(&bits, &results[i], 4);
        hash = (hash ^ (isnan(results[i]) ? 0x7fc00000u : bits)) * 0x100000001b3u;
    }
    return hash;
}

static void next_undone(const swept *s, int *shard)
{
    while (*shard < SHARDS && s->done[*shard / 64] >> *shard % 64 & 1)
        ++*shard;
}

/* Sweeps what is left of one function, at most `most` shards; returns how many were done. */
static long sweep(int index, const char *path, long most, int threads, float *results)
{
    const function *f = &functions[index];
    swept *s = &state[index];
    cl_kernel kernel;
    cl_program program = build(f, &kernel);
    launch(kernel, 0, 0, STEP, SAMPLE);
    fetch(0, results, SAMPLE);
    uint64_t hash = sample_hash(results);
    if (!s->started || s->sample != hash) {
        memset(s, 0, sizeof *s);
        s->started = s->found.tested = 1;
        s->sample = hash;
        /* A first look at every 257th argument. */
        launch(kernel, 0, 0, FIRST_LOOK, SHARD);
        fetch(0, results, SHARD);
        compare_shard(s, f, results, 0, FIRST_LOOK, threads);
        CHECK(write_state(path, state));
    }
    long count = 0;
    int shard = 0, which = 0;
    next_undone(s, &shard);
    if (shard < SHARDS && count < most)
        launch(kernel, which, (cl_uint)shard << 24, 1, SHARD);
    while (shard < SHARDS && count < most) {
        int after = shard + 1;
        next_undone(s, &after);
        fetch(which, results, SHARD);
        /* The device computes the next shard while the host compares this one. */
        if (after < SHARDS && count + 1 < most)
            launch(kernel, !which, (cl_uint)after << 24, 1, SHARD);
        compare_shard(s, f, results, (uint32_t)shard << 24, 1, threads);
        s->done[shard / 64] |= (uint64_t)1 << shard % 64;
        CHECK(write_state(path, state));
        count++;
        shard = after;
        which = !which;
    }
    MUST(clReleaseKernel(kernel));
    MUST(clReleaseProgram(program));
    printf("%s: %d of %d shards, %.3f ULP at %a\n", f->name, shards_done(s), SHARDS, s->found.worst, s->found.x);
    fflush(stdout);
    if (s->beyond_limit > 0) {
        fprintf(stderr, "%s: %lu results beyond the limit, the worst %g ULP at %a\n", f->name, s->beyond_limit, s->found.worst,
                s->found.x);
        failures++;
    }
    return count;
}

/* The claim that the comparison rests on: each double reference lies within DOUBT of MPFR's. */
static void check_reference(const function *f, const double *x, const double *fast)
{
    for (uint32_t i = 0; i < BLOCK; i++) {
        mpfr_set_d(mx, x[i], MPFR_RNDN);
        f->f1(exact, mx, MPFR_RNDN);
        double error = fabs(fast[i]) < 0x1p128 ? error_of(FLOAT, fast[i])
                                               : rough_error(INFINITY * fast[i], mpfr_get_d(exact, MPFR_RNDN));
        if (!(error < DOUBT)) {
            fprintf(stderr, "the reference of %s is off by %g ULP of a float at %a\n", f->name, error, x[i]);
            failures++;
            break;
        }
    }
}

static void check_references(void)
{
    static double x[BLOCK], fast[BLOCK];
    for (int index = 0; index < FUNCTIONS; index++) {
        const function *f = &functions[index];
        if (f->f1 == NULL || f->limit[FLOAT] < 0)
            continue;
        for (uint32_t i = 0; i < BLOCK; i++) {
            /* Half of the arguments over all bit patterns, half where the function is interesting. */
            float inside = (float)(f->low + (f->high - f->low) * (i / (double)BLOCK));
            x[i] = i % 2 ? inside : argument(i * 1048573u);
            fast[i] = f->in_double(x[i]);
        }
        check_reference(f, x, fast);
        block_reference *reference = block_reference_of(f->in_double);
        if (reference == NULL)
            continue;
        reference(x, fast);
        check_reference(f, x, fast);
    }
}

static void draw(const char *path)
{
    const finding *found[FUNCTIONS];
    for (int i = 0; i < FUNCTIONS; i++)
        found[i] = state[i].started ? &state[i].found : NULL;
    CHECK(draw_sheet(path, FLOAT, "the greatest found in each binade", found));
}

int main(void)
{
    const char *path = getenv("PUMICE_SWEEP_STATE"), *only = getenv("PUMICE_SWEEP_ONLY"), *plot = getenv("PUMICE_SWEEP_PLOT");
    const char *shards = getenv("PUMICE_SWEEP_SHARDS"), *wanted_threads = getenv("PUMICE_SWEEP_THREADS");
    long left = shards != NULL ? strtol(shards, NULL, 10) : SHARDS * FUNCTIONS;
    int threads = wanted_threads != NULL ? atoi(wanted_threads) : 2;
    threads = threads < 1 ? 1 : threads > THREADS ? THREADS : threads;
    if (path == NULL) {
        start_mpfr();
        check_references();
        stop_mpfr();
        return finish();
    }
    if (access(path, F_OK) == 0 && !read_state(path, state)) {
        fprintf(stderr, "%s is not a state of a sweep\n", path);
        return 1;
    }
    if (plot != NULL)
        draw(plot);
    device = pumice_device();
    cl_device_fp_config config = 0;
    MUST(clGetDeviceInfo(device, CL_DEVICE_SINGLE_FP_CONFIG, sizeof config, &config, NULL));
    keeps_denormals = (config & CL_FP_DENORM) != 0;
    context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    queue = MADE(clCreateCommandQueue, context, device, 0);
    for (int i = 0; i < 2; i++) {
        memory[i] = MADE(clCreateBuffer, context, CL_MEM_WRITE_ONLY, SHARD * sizeof(float), NULL);
    }
    float *results = malloc(SHARD * sizeof *results);
    char *names = only != NULL ? strdup(only) : NULL;
    if (names != NULL) {
        char *rest;
        /* The Vulkan driver may call strtok in between. */
        for (char *name = strtok_r(names, ",", &rest); name != NULL; name = strtok_r(NULL, ",", &rest))
            for (int i = 0; i < FUNCTIONS; i++)
                if (strcmp(functions[i].name, name) == 0 && functions[i].in_double != NULL)
                    left -= sweep(i, path, left, threads, results);
    } else {
        for (int i = 0; i < FUNCTIONS; i++)
            if (functions[i].in_double != NULL && functions[i].limit[FLOAT] >= 0)
                left -= sweep(i, path, left, threads, results);
    }
    if (plot != NULL)
        draw(plot);
    free(names);
    free(results);
    for (int i = 0; i < 2; i++)
        MUST(clReleaseMemObject(memory[i]));
    MUST(clReleaseCommandQueue(queue));
    release_last(context);
    return finish();
}
