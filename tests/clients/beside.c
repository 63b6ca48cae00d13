/* Work that is not ordered runs side by side, and work that is ordered keeps its order: large transfers beside the
 * kernels of another queue, and the commands of an out-of-order queue on several queues of the device. LAYER_QUEUES
 * names the file in which the layer `gpu_like` writes what each of the device's queues did; without it only the
 * results count. */
#define _POSIX_C_SOURCE 200809L
#include "common.h"
#include <time.h>

enum { ROUNDS = 20, BATCHES = 40, WORDS = 24 << 18, N = 4096 };

/* The card's queue that only copies, and the first of those of kernels. */
enum { COPIES = 5, KERNELS = 1 };

static const char *path;
static cl_device_id device;
static cl_context context;
static cl_kernel step, mix;

static unsigned long long now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (unsigned long long)time.tv_sec * 1000000000ull + (unsigned long long)time.tv_nsec;
}

/* A batch of a queue. */
struct batch {
    unsigned queue, commands, waits;
    unsigned long long start, end;
};

/* Reads the batches that began after a time. */
static size_t batches(unsigned long long since, struct batch all[4096])
{
    FILE *log = path ? fopen(path, "r") : NULL;
    size_t count = 0;
    struct batch b;
    while (log && count < 4096 &&
           fscanf(log, "%u %llu %llu %u %u", &b.queue, &b.start, &b.end, &b.commands, &b.waits) == 5)
        if (b.start >= since)
            all[count++] = b;
    if (log)
        fclose(log);
    return count;
}

static struct batch all[4096];

static cl_command_queue queue_of(cl_queue_properties properties)
{
    cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, properties, 0};
    return MADE(clCreateCommandQueueWithProperties, context, device, list);
}

static cl_mem buffer_of(size_t words)
{
    return MADE(clCreateBuffer, context, 0, words * 4, NULL);
}

static void launch(cl_command_queue queue, cl_mem buffer, cl_uint waits, const cl_event *list, cl_event *event)
{
    size_t global = N;
    MUST(clSetKernelArg(step, 0, sizeof buffer, &buffer));
    MUST(clEnqueueNDRangeKernel(queue, step, 1, NULL, &global, NULL, waits, list, event));
}

/* Returns whether a copy between host and device, which waits for nothing, began before the last kernel did. */
static int was_beside(unsigned long long since)
{
    size_t count = batches(since, all);
    unsigned long long last = 0;
    for (size_t i = 0; i < count; i++)
        if (all[i].queue != COPIES && all[i].start > last)
            last = all[i].start;
    for (size_t i = 0; i < count; i++)
        if (all[i].queue == COPIES && all[i].start < last && !all[i].waits)
            return 1;
    return 0;
}

/* Writes and reads in one queue while another one, or the same, runs kernels. */
static void transfers(cl_command_queue kernels, cl_command_queue copies)
{
    cl_mem busy = buffer_of(N), large = buffer_of(WORDS);
    cl_uint *in = malloc(WORDS * 4), *out = malloc(WORDS * 4), *got = malloc(N * 4), zero = 0;
    MUST(clEnqueueFillBuffer(kernels, busy, &zero, 4, 0, N * 4, 0, NULL, NULL));
    MUST(clFinish(kernels));
    int beside = 0;
    cl_uint steps = 0;
    for (cl_uint round = 0; round < ROUNDS && !beside; round++) {
        unsigned long long since = now();
        cl_event last = NULL, next;
        for (int i = 0; i < BATCHES; i++, steps++) {
            launch(kernels, busy, last ? 1 : 0, last ? &last : NULL, &next);
            MUST(clFlush(kernels));
            if (last)
                MUST(clReleaseEvent(last));
            last = next;
        }
        for (cl_uint i = 0; i < WORDS; i++)
            in[i] = i * 5 + round;
        memset(out, 0, WORDS * 4);
        MUST(clEnqueueWriteBuffer(copies, large, CL_TRUE, 0, WORDS * 4, in, 0, NULL, NULL));
        MUST(clEnqueueReadBuffer(copies, large, CL_TRUE, 0, WORDS * 4, out, 0, NULL, NULL));
        CHECK(!memcmp(in, out, WORDS * 4));
        MUST(clWaitForEvents(1, &last));
        MUST(clReleaseEvent(last));
        MUST(clFinish(kernels));
        beside = !path || was_beside(since);
    }
    CHECK(beside);
    MUST(clEnqueueReadBuffer(kernels, busy, CL_TRUE, 0, N * 4, got, 0, NULL, NULL));
    for (int i = 0; i < N; i++)
        if (got[i] != steps) {
            EQ(got[i], steps);
            break;
        }
    free(in);
    free(out);
    free(got);
    MUST(clReleaseMemObject(busy));
    MUST(clReleaseMemObject(large));
}

/* Kernels without order between them are on several of the device's queues, and wait for nothing. */
static void spread(cl_command_queue queue)
{
    enum { COUNT = 16 };
    cl_mem buffers[COUNT];
    int several = 0;
    for (int i = 0; i < COUNT; i++)
        buffers[i] = buffer_of(N);
    for (int round = 0; round < ROUNDS && !several; round++) {
        unsigned long long since = now();
        for (int i = 0; i < COUNT; i++) {
            launch(queue, buffers[i], 0, NULL, NULL);
            MUST(clFlush(queue));
        }
        MUST(clFinish(queue));
        size_t count = batches(since, all);
        unsigned used = 0;
        for (size_t i = 0; i < count; i++)
            used |= (unsigned)(all[i].commands && !all[i].waits) << all[i].queue;
        several = !path || used & (used - 1);
        CHECK(!(used >> COPIES));
    }
    CHECK(several);
    for (int i = 0; i < COUNT; i++)
        MUST(clReleaseMemObject(buffers[i]));
}

/* Sums of neighbours, then sums of these, and so on: by events alone, which cross the device's queues. */
static void crossing(cl_command_queue queue)
{
    enum { WIDTH = 12, LEVELS = 7 };
    static cl_mem level[LEVELS][WIDTH];
    static cl_event done[LEVELS][WIDTH];
    cl_uint want[LEVELS][WIDTH], *got = malloc(N * 4);
    size_t global = N;
    int waited = 0;
    for (int l = 0; l < LEVELS; l++)
        for (int i = 0; i < WIDTH; i++)
            level[l][i] = buffer_of(N);
    for (int round = 0; round < ROUNDS && !waited; round++) {
        unsigned long long since = now();
        /* All are enqueued before the first begins: what has ended needs no wait. */
        cl_event gate = MADE(clCreateUserEvent, context);
        for (cl_uint i = 0; i < WIDTH; i++) {
            cl_uint word = i + (cl_uint)round;
            MUST(clEnqueueFillBuffer(queue, level[0][i], &word, 4, 0, N * 4, 1, &gate, &done[0][i]));
            MUST(clFlush(queue));
            want[0][i] = word;
        }
        for (int l = 1; l < LEVELS; l++)
            for (int i = 0; i < WIDTH; i++) {
                int other = (i + 5) % WIDTH;
                cl_event list[] = {done[l - 1][i], done[l - 1][other]};
                MUST(clSetKernelArg(mix, 0, sizeof(cl_mem), &level[l][i]));
                MUST(clSetKernelArg(mix, 1, sizeof(cl_mem), &level[l - 1][i]));
                MUST(clSetKernelArg(mix, 2, sizeof(cl_mem), &level[l - 1][other]));
                MUST(clEnqueueNDRangeKernel(queue, mix, 1, NULL, &global, NULL, 2, list, &done[l][i]));
                want[l][i] = want[l - 1][i] + 3 * want[l - 1][other];
                if (i % 5 == 4)
                    MUST(clFlush(queue));
            }
        MUST(clSetUserEventStatus(gate, CL_COMPLETE));
        MUST(clReleaseEvent(gate));
        for (int i = 0; i < WIDTH; i++) {
            MUST(clEnqueueReadBuffer(queue, level[LEVELS - 1][i], CL_TRUE, 0, N * 4, got, 1, &done[LEVELS - 1][i],
                                     NULL));
            for (int k = 0; k < N; k++)
                if (got[k] != want[LEVELS - 1][i]) {
                    EQ(got[k], want[LEVELS - 1][i]);
                    break;
                }
        }
        for (int l = 0; l < LEVELS; l++)
            for (int i = 0; i < WIDTH; i++)
                MUST(clReleaseEvent(done[l][i]));
        MUST(clFinish(queue));
        size_t count = batches(since, all);
        for (size_t i = 0; i < count; i++)
            waited |= all[i].waits > 0;
        waited |= !path;
    }
    CHECK(waited);
    for (int l = 0; l < LEVELS; l++)
        for (int i = 0; i < WIDTH; i++)
            MUST(clReleaseMemObject(level[l][i]));
    free(got);
}

/* A large write between two kernels that it has events with. */
static void ordered(cl_command_queue queue)
{
    cl_mem large = buffer_of(WORDS);
    cl_uint *words = malloc(WORDS * 4), zero = 0;
    for (cl_uint round = 0; round < 3; round++) {
        cl_event first, second, third, fourth;
        for (cl_uint i = 0; i < WORDS; i++)
            words[i] = i ^ round;
        MUST(clEnqueueFillBuffer(queue, large, &zero, 4, 0, WORDS * 4, 0, NULL, &first));
        MUST(clEnqueueWriteBuffer(queue, large, CL_FALSE, 0, WORDS * 4, words, 1, &first, &second));
        launch(queue, large, 1, &second, &third);
        MUST(clEnqueueReadBuffer(queue, large, CL_FALSE, 0, WORDS * 4, words, 1, &third, &fourth));
        MUST(clWaitForEvents(1, &fourth));
        for (cl_uint i = 0; i < WORDS; i++) {
            cl_uint want = (i ^ round) + (i < N);
            if (words[i] != want) {
                EQ(words[i], want);
                break;
            }
        }
        MUST(clReleaseEvent(first));
        MUST(clReleaseEvent(second));
        MUST(clReleaseEvent(third));
        MUST(clReleaseEvent(fourth));
    }
    free(words);
    MUST(clReleaseMemObject(large));
}

int main(void)
{
    path = getenv("LAYER_QUEUES");
    device = pumice_device();
    context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    const char *source =
        "kernel void step(global uint *to) { to[get_global_id(0)] += 1; }\n"
        "kernel void mix3(global uint *to, global const uint *a, global const uint *b)\n"
        "{ size_t i = get_global_id(0); to[i] = a[i] + 3 * b[get_global_size(0) - 1 - i]; }\n";
    cl_program program = PROGRAM(context, source, NULL);
    step = MADE(clCreateKernel, program, "step");
    mix = MADE(clCreateKernel, program, "mix3");
    cl_command_queue one = queue_of(0), other = queue_of(0);
    cl_command_queue free_order = queue_of(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    transfers(one, other);
    transfers(free_order, free_order);
    spread(free_order);
    for (int i = 0; i < 3; i++)
        crossing(free_order);
    ordered(free_order);
    ordered(one);
    MUST(clReleaseCommandQueue(one));
    MUST(clReleaseCommandQueue(other));
    MUST(clReleaseCommandQueue(free_order));
    MUST(clReleaseKernel(step));
    MUST(clReleaseKernel(mix));
    MUST(clReleaseProgram(program));
    release_last(context);
    return finish();
}
