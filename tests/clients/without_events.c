/* Commands whose events nobody takes, among commands with events, in an in-order queue: they keep their order, clFinish and
 * later commands with events wait for them, and what they use lives until they have ended. */
#include "common.h"

enum { WORDS = 256, MANY = 300 };

static const char *source =
    "kernel void add(global int *p, int n) { p[get_global_id(0)] += n; }\n"
    "kernel void scale(global int *p, int n, int m) { int i = get_global_id(0); p[i] = p[i] * n + m; }\n"
    "typedef struct { char c; long l; } pair;\n"
    "kernel void mixed(global int *p, char a, long b, pair s, short3 v, global int *q) {\n"
    "    int i = get_global_id(0); p[i] += q[i] + a + (int)b + s.c + (int)s.l + v.x + v.y + v.z;\n"
    "}\n";

static cl_context context;
static cl_device_id device;
static cl_program program;
static cl_command_queue queue, beside;

static cl_kernel make(const char *name, cl_mem buffer)
{
    cl_kernel kernel = MADE(clCreateKernel, program, name);
    MUST(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    return kernel;
}

static cl_mem zeros(void)
{
    cl_int zero[WORDS] = {0};
    return MADE(clCreateBuffer, context, CL_MEM_COPY_HOST_PTR, sizeof zero, zero);
}

static void set(cl_kernel kernel, cl_uint index, int value)
{
    MUST(clSetKernelArg(kernel, index, sizeof value, &value));
}

static void run(cl_kernel kernel, cl_event *event)
{
    size_t global = WORDS;
    MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, event));
}

/* Reads by the queue beside, behind an event or behind nothing but what has ended. */
static void expect(cl_mem buffer, int expected, cl_event after)
{
    int got[WORDS];
    MUST(clEnqueueReadBuffer(beside, buffer, CL_TRUE, 0, sizeof got, got, after != NULL, after ? &after : NULL, NULL));
    for (int i = 0; i < WORDS; i++)
        if (got[i] != expected) {
            EQ(got[i], expected);
            break;
        }
    if (after)
        MUST(clReleaseEvent(after));
}

static int status_of(cl_event event)
{
    cl_int status = 1;
    MUST(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    return status;
}

/* All kinds of commands, with other numbers each time; clFinish waits for the last, which has no event. */
static void order(int every)
{
    cl_mem one = zeros(), other = zeros();
    cl_kernel add = make("add", one), scale = make("scale", one);
    int expected = 0;
    for (int i = 0; i < MANY; i++) {
        cl_event event = NULL;
        cl_event *taken = every && i % every == 0 ? &event : NULL;
        int words[WORDS];
        switch (i % 7) {
        case 0:
        case 1:
        case 2:
            set(add, 1, i);
            run(add, taken);
            expected += i;
            break;
        case 3:
            set(scale, 1, i % 3 - 1);
            set(scale, 2, i);
            run(scale, taken);
            expected = expected * (i % 3 - 1) + i;
            break;
        case 4:
            MUST(clEnqueueCopyBuffer(queue, one, other, 0, 0, WORDS * 4, 0, NULL, taken));
            break;
        case 5:
            run(add, taken);
            MUST(clEnqueueCopyBuffer(queue, other, one, 0, 0, WORDS * 4, 0, NULL, NULL));
            break;
        default:
            for (int j = 0; j < WORDS; j++)
                words[j] = expected = i;
            MUST(clEnqueueWriteBuffer(queue, one, CL_FALSE, 0, sizeof words, words, 0, NULL, taken));
            /* The application's memory is the command's until it has ended. */
            MUST(clFinish(queue));
        }
        if (event)
            MUST(clReleaseEvent(event));
    }
    MUST(clFinish(queue));
    expect(one, expected, NULL);
    MUST(clReleaseKernel(add));
    MUST(clReleaseKernel(scale));
    MUST(clReleaseMemObject(one));
    MUST(clReleaseMemObject(other));
}

/* Commands with events wait for those without that come before. */
static void followers(void)
{
    cl_mem buffer = zeros();
    cl_kernel add = make("add", buffer);
    set(add, 1, 1);
    cl_event first = NULL, last = NULL, marker = NULL;
    run(add, &first);
    for (int i = 0; i < 40; i++)
        run(add, NULL);
    MUST(clEnqueueMarkerWithWaitList(queue, 0, NULL, &marker));
    MUST(clFlush(queue));
    expect(buffer, 41, marker);
    for (int i = 0; i < MANY; i++)
        run(add, NULL);
    run(add, &last);
    MUST(clFlush(queue));
    expect(buffer, 42 + MANY, last);
    EQ(status_of(first), CL_COMPLETE);
    MUST(clReleaseEvent(first));
    run(add, &first);
    run(add, NULL);
    MUST(clEnqueueBarrierWithWaitList(queue, 0, NULL, &last));
    run(add, NULL);
    MUST(clWaitForEvents(1, &last));
    EQ(status_of(first), CL_COMPLETE);
    MUST(clReleaseEvent(first));
    MUST(clReleaseEvent(last));
    MUST(clFinish(queue));
    expect(buffer, 45 + MANY, NULL);
    MUST(clReleaseKernel(add));
    MUST(clReleaseMemObject(buffer));
}

/* Nothing comes before a command that waits for the application. */
static void gate(void)
{
    cl_mem buffer = zeros();
    cl_kernel add = make("add", buffer), scale = make("scale", buffer);
    set(add, 1, 3);
    set(scale, 1, 2);
    set(scale, 2, 1);
    cl_event user = MADE(clCreateUserEvent, context);
    run(add, NULL);
    MUST(clEnqueueBarrierWithWaitList(queue, 1, &user, NULL));
    run(scale, NULL);
    for (int i = 1; i <= 5; i++) {
        set(add, 1, i);
        run(add, NULL);
    }
    run(scale, NULL);
    MUST(clSetUserEventStatus(user, CL_COMPLETE));
    run(add, NULL);
    MUST(clFinish(queue));
    expect(buffer, (3 * 2 + 1 + 15) * 2 + 1 + 5, NULL);
    MUST(clReleaseEvent(user));
    /* A command that fails because its event's does takes no other with it. */
    user = MADE(clCreateUserEvent, context);
    cl_event failed = NULL;
    size_t global = WORDS;
    MUST(clEnqueueNDRangeKernel(queue, scale, 1, NULL, &global, NULL, 1, &user, &failed));
    for (int i = 0; i < 5; i++)
        run(add, NULL);
    MUST(clSetUserEventStatus(user, -7));
    MUST(clFinish(queue));
    CHECK(status_of(failed) < 0);
    expect(buffer, 75, NULL);
    MUST(clReleaseEvent(failed));
    MUST(clReleaseEvent(user));
    MUST(clReleaseKernel(add));
    MUST(clReleaseKernel(scale));
    MUST(clReleaseMemObject(buffer));
}

/* Numbers of all sizes change between launches, together with buffers or without. */
static void arguments(void)
{
    cl_mem buffers[] = {zeros(), zeros()};
    cl_kernel mixed = make("mixed", buffers[0]), add = make("add", buffers[1]);
    struct {
        cl_char c;
        cl_long l;
    } pair = {0};
    cl_short4 vector = {{0}};
    int expected = 0, second = 0;
    for (int i = 0; i < 100; i++) {
        cl_char a = (cl_char)(i % 50);
        cl_long b = i * 3;
        pair.c = (cl_char)-a;
        pair.l = i / 2;
        vector.s[0] = (cl_short)i;
        vector.s[1] = 5;
        vector.s[2] = (cl_short)-i;
        if (i % 2 || i == 0)
            MUST(clSetKernelArg(mixed, 1, sizeof a, &a));
        else
            a = (cl_char)((i - 1) % 50);
        MUST(clSetKernelArg(mixed, 2, sizeof b, &b));
        MUST(clSetKernelArg(mixed, 3, sizeof pair, &pair));
        MUST(clSetKernelArg(mixed, 4, sizeof vector, &vector));
        if (i % 10 == 0)
            MUST(clSetKernelArg(mixed, 5, sizeof buffers[1], &buffers[1]));
        run(mixed, NULL);
        expected += second + a + (int)b + pair.c + (int)pair.l + 5;
        if (i % 3 == 0) {
            set(add, 1, i);
            run(add, NULL);
            second += i;
        }
    }
    MUST(clFinish(queue));
    expect(buffers[0], expected, NULL);
    expect(buffers[1], second, NULL);
    MUST(clReleaseKernel(mixed));
    MUST(clReleaseKernel(add));
    for (int i = 0; i < 2; i++)
        MUST(clReleaseMemObject(buffers[i]));
}

/* Runs of one launch, which the queue need not look at anew, among all that makes the next launch another one. */
static void repeats(void)
{
    static int model[2][WORDS], got[WORDS];
    memset(model, 0, sizeof model);
    cl_mem buffers[] = {zeros(), zeros()};
    cl_kernel add = make("add", buffers[0]), scale = make("scale", buffers[1]);
    int in = 0, n = 1;
    size_t offset = 0, global = WORDS;
    set(add, 1, n);
    set(scale, 1, 3);
    set(scale, 2, 1);
    cl_uint random = 12345;
    for (int step = 0; step < 2000; step++) {
        random = random * 1664525u + 1013904223u;
        cl_command_queue to = queue;
        size_t from = offset, count = global;
        int runs = 1;
        switch (random >> 16 & 31) {
        case 0:
            n = step % 7 - 3;
            set(add, 1, n);
            break;
        case 1:
            set(add, 1, n);
            break;
        case 2:
            in = !in;
            MUST(clSetKernelArg(add, 0, sizeof buffers[in], &buffers[in]));
            break;
        case 3:
            offset = (size_t)step % 3 * 64;
            global = WORDS - offset - (size_t)step % 2 * 32;
            from = offset;
            count = global;
            break;
        case 4:
            MUST(clEnqueueCopyBuffer(queue, buffers[0], buffers[1], 0, 0, WORDS * 4, 0, NULL, NULL));
            memcpy(model[1], model[0], sizeof model[0]);
            break;
        case 5:
            MUST(clEnqueueFillBuffer(queue, buffers[in], &step, sizeof step, 0, WORDS * 4, 0, NULL, NULL));
            for (int i = 0; i < WORDS; i++)
                model[in][i] = step;
            break;
        case 6: {
            size_t all = WORDS;
            MUST(clEnqueueNDRangeKernel(queue, scale, 1, NULL, &all, NULL, 0, NULL, NULL));
            for (int i = 0; i < WORDS; i++)
                model[1][i] = (int)((cl_uint)model[1][i] * 3u + 1u);
            break;
        }
        case 7:
            MUST(clEnqueueTask(queue, add, 0, NULL, NULL));
            from = 0;
            count = 1;
            runs = 0;
            break;
        case 8:
            MUST(clFinish(queue));
            to = beside;
            break;
        case 9: {
            cl_kernel before = add;
            add = MADE(clCloneKernel, before);
            MUST(clReleaseKernel(before));
            break;
        }
        default:
            break;
        }
        if (runs)
            MUST(clEnqueueNDRangeKernel(to, add, 1, &from, &count, NULL, 0, NULL, NULL));
        if (to == beside)
            MUST(clFinish(beside));
        for (size_t i = from; i < from + count; i++)
            model[in][i] = (int)((cl_uint)model[in][i] + (cl_uint)n);
        if (step % 500 == 499)
            for (int b = 0; b < 2; b++) {
                MUST(clEnqueueReadBuffer(queue, buffers[b], CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
                CHECK(!memcmp(got, model[b], sizeof got));
            }
    }
    MUST(clReleaseKernel(add));
    MUST(clReleaseKernel(scale));
    for (int i = 0; i < 2; i++)
        MUST(clReleaseMemObject(buffers[i]));
}

/* The application releases what commands use as soon as they are enqueued. */
static void released(void)
{
    cl_mem sum = zeros();
    for (int i = 0; i < 50; i++) {
        cl_mem some = zeros();
        cl_kernel add = make("add", some);
        set(add, 1, i);
        run(add, NULL);
        run(add, NULL);
        MUST(clEnqueueCopyBuffer(queue, some, sum, 0, 0, WORDS * 4, 0, NULL, NULL));
        MUST(clReleaseKernel(add));
        MUST(clReleaseMemObject(some));
    }
    MUST(clFinish(queue));
    expect(sum, 98, NULL);
    MUST(clReleaseMemObject(sum));
}

int main(void)
{
    device = pumice_device();
    context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    program = PROGRAM(context, source, "");
    beside = MADE(clCreateCommandQueueWithProperties, context, device, NULL);
    for (int profiling = 0; profiling < 2; profiling++) {
        cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, profiling ? CL_QUEUE_PROFILING_ENABLE : 0, 0};
        queue = MADE(clCreateCommandQueueWithProperties, context, device, list);
        order(0);
        order(1);
        order(5);
        followers();
        gate();
        arguments();
        repeats();
        released();
        MUST(clReleaseCommandQueue(queue));
    }
    MUST(clReleaseCommandQueue(beside));
    MUST(clReleaseProgram(program));
    release_last(context);
    return finish();
}
