// client: once
/* Sixteen threads do everything at once: contexts of their own and a common one, queues of every
 * kind, builds with callbacks, user events that another thread completes, event callbacks, native
 * kernels, maps. Results are right, every callback comes once, nothing hangs.
 * PUMICE_TEST_SECONDS says how long (3 by default). */
#define _GNU_SOURCE
#include "common.h"
#include <pthread.h>
#include <stdint.h>
#include <unistd.h>

enum { THREADS = 16, N = 2000, GATES = 64 };

static cl_device_id device;
static cl_context common;
static cl_program common_program;
static time_t end;
static int rounds, expected_callbacks, callbacks, builds_done;

/* User events that a thread of its own completes, in the order of their arrival. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static cl_event gates[GATES];
static int gate_count, over;

static void *gatekeeper(void *nothing)
{
    (void)nothing;
    for (;;) {
        pthread_mutex_lock(&lock);
        cl_event gate = gate_count ? gates[--gate_count] : NULL;
        int stop = over && !gate;
        pthread_mutex_unlock(&lock);
        if (stop)
            return NULL;
        if (gate) {
            MUST(clSetUserEventStatus(gate, CL_COMPLETE));
            MUST(clReleaseEvent(gate));
        } else {
            usleep(200);
        }
    }
}

static void leave_gate(cl_event gate)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        int taken = gate_count < GATES;
        if (taken)
            gates[gate_count++] = gate;
        pthread_mutex_unlock(&lock);
        if (taken)
            return;
        usleep(200);
    }
}

static const char *source =
    "kernel void step(global uint *p, uint k) { size_t i = get_global_id(0); p[i] = p[i] * FACTOR + k; }";

static void CL_CALLBACK on_event(cl_event event, cl_int status, void *data)
{
    /* Callbacks may call. */
    cl_command_type type = 0;
    clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL);
    EQ(status, (cl_int)(intptr_t)data);
    __atomic_fetch_add(&callbacks, 1, __ATOMIC_SEQ_CST);
}
static void CL_CALLBACK on_build(cl_program program, void *data)
{
    (void)program;
    __atomic_store_n((int *)data, 1, __ATOMIC_SEQ_CST);
    __atomic_fetch_add(&builds_done, 1, __ATOMIC_SEQ_CST);
}
static void CL_CALLBACK native(void *args)
{
    uint32_t *p = *(uint32_t **)args;
    for (int i = 0; i < N; i++)
        p[i] += 1;
}

static void watch(cl_event event, cl_int status)
{
    __atomic_fetch_add(&expected_callbacks, 1, __ATOMIC_SEQ_CST);
    MUST(clSetEventCallback(event, status, on_event, (void *)(intptr_t)status));
}

static void one_round(unsigned *seed)
{
    cl_int error = 0;
    int own = rand_r(seed) % 3 == 0;
    cl_context context = own ? clCreateContext(NULL, 1, &device, NULL, NULL, &error) : common;
    MUST(error);
    cl_program program = common_program;
    unsigned factor = 3;
    if (own || rand_r(seed) % 2) {
        char options[40];
        factor = 1 + (unsigned)rand_r(seed) % 20;
        snprintf(options, sizeof options, "-DFACTOR=%u", factor);
        program = MADE(clCreateProgramWithSource, context, 1, &source, NULL);
        if (rand_r(seed) % 2) {
            int done = 0;
            MUST(clBuildProgram(program, 0, NULL, options, on_build, &done));
            while (!__atomic_load_n(&done, __ATOMIC_SEQ_CST))
                usleep(100);
        } else {
            MUST(clBuildProgram(program, 0, NULL, options, NULL, NULL));
        }
    }
    cl_kernel kernel = MADE(clCreateKernel, program, "step");
    cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, (cl_queue_properties)rand_r(seed) % 4, 0};
    cl_command_queue queue = MADE(clCreateCommandQueueWithProperties, context, device, list);
    static __thread uint32_t want[N], got[N];
    for (uint32_t i = 0; i < N; i++)
        want[i] = i;
    cl_mem buffer = MADE(clCreateBuffer, context, CL_MEM_COPY_HOST_PTR, sizeof want, want);
    MUST(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    cl_event last = MADE(clCreateUserEvent, context);
    MUST(clRetainEvent(last));
    cl_event gate = last;
    int left = rand_r(seed) % 2;
    if (left)
        leave_gate(gate);
    for (int command = 0; command < 30; command++) {
        cl_event next = NULL;
        cl_uint k = (cl_uint)rand_r(seed);
        size_t global = N;
        switch (rand_r(seed) % 6) {
        case 0: {
            const void *place = &buffer;
            void *args = NULL;
            place = &args;
            MUST(clEnqueueNativeKernel(queue, native, &args, sizeof args, 1, &buffer, &place, 1, &last,
                                       &next));
            for (int i = 0; i < N; i++)
                want[i] += 1;
            break;
        }
        case 1:
            MUST(clEnqueueMarkerWithWaitList(queue, 1, &last, &next));
            break;
        case 2:
            MUST(clEnqueueFillBuffer(queue, buffer, &k, 4, 400, 400, 1, &last, &next));
            for (int i = 100; i < 200; i++)
                want[i] = k;
            break;
        default:
            MUST(clSetKernelArg(kernel, 1, sizeof k, &k));
            MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 1, &last, &next));
            for (int i = 0; i < N; i++)
                want[i] = want[i] * factor + k;
        }
        if (rand_r(seed) % 4 == 0)
            watch(next, rand_r(seed) % 2 ? CL_COMPLETE : CL_SUBMITTED);
        MUST(clReleaseEvent(last));
        last = next;
        if (rand_r(seed) % 8 == 0)
            MUST(clFlush(queue));
    }
    if (!left)
        leave_gate(gate);
    if (rand_r(seed) % 2) {
        MUST(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof got, got, 1, &last, NULL));
        CHECK(memcmp(got, want, sizeof got) == 0);
    } else {
        void *mapped = MADE(clEnqueueMapBuffer, queue, buffer, CL_TRUE, CL_MAP_READ, 0, sizeof got, 1, &last, NULL);
        CHECK(memcmp(mapped, want, sizeof got) == 0);
        MUST(clEnqueueUnmapMemObject(queue, buffer, mapped, 0, NULL, NULL));
    }
    if (rand_r(seed) % 2)
        MUST(clFinish(queue));
    MUST(clReleaseEvent(last));
    MUST(clReleaseMemObject(buffer));
    MUST(clReleaseKernel(kernel));
    if (program != common_program)
        MUST(clReleaseProgram(program));
    MUST(clReleaseCommandQueue(queue));
    if (own)
        MUST(clReleaseContext(context));
    __atomic_fetch_add(&rounds, 1, __ATOMIC_SEQ_CST);
}

static void *worker(void *index)
{
    unsigned seed = (unsigned)(uintptr_t)index * 7919 + 13;
    do
        one_round(&seed);
    while (time(NULL) < end);
    return NULL;
}

int main(void)
{
    const char *seconds = getenv("PUMICE_TEST_SECONDS");
    end = time(NULL) + (seconds ? atoi(seconds) : 3);
    device = pumice_device();
    common = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    common_program = PROGRAM(common, source, "-DFACTOR=3");
    pthread_t keeper, threads[THREADS];
    pthread_create(&keeper, NULL, gatekeeper, NULL);
    for (uintptr_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, worker, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    pthread_mutex_lock(&lock);
    over = 1;
    pthread_mutex_unlock(&lock);
    pthread_join(keeper, NULL);
    for (int i = 0; i < 10000 && callbacks < expected_callbacks; i++)
        usleep(1000);
    EQ(callbacks, expected_callbacks);
    CHECK(rounds >= THREADS);
    printf("%d rounds, %d callbacks, %d builds with callbacks\n", rounds, callbacks, builds_done);
    MUST(clReleaseProgram(common_program));
    release_last(common);
    return finish();
}
