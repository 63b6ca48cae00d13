// client: once-a-driver
/* Four threads, each with three queues of either kind, enqueue chains of kernels, reads and
 * markers that hop between queues, hang on a user event and end in a known count. Then one queue gets more launches
 * than should ever be in flight. */
#include "common.h"
#include "usage.h"
#include <pthread.h>

enum { THREADS = 4, ROUNDS = 20, COMMANDS = 60 };

static cl_context context;
static cl_device_id device;
static cl_program program;

static void one_round(unsigned *state, int round)
{
    cl_command_queue_properties bits = 0;
    if (round & 1)
        bits |= CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
    if (round & 2)
        bits |= CL_QUEUE_PROFILING_ENABLE;
    cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, bits, 0};
    cl_command_queue queues[3];
    for (int i = 0; i < 3; i++) {
        queues[i] = MADE(clCreateCommandQueueWithProperties, context, device, list);
    }
    cl_kernel kernel = MADE(clCreateKernel, program, "increment");
    int zero = 0, runs = 0, reads[COMMANDS], value = -1;
    cl_mem counter = MADE(clCreateBuffer, context, CL_MEM_COPY_HOST_PTR, sizeof zero, &zero);
    MUST(clSetKernelArg(kernel, 0, sizeof counter, &counter));
    cl_event gate = MADE(clCreateUserEvent, context);
    cl_event last = gate;
    MUST(clRetainEvent(gate));
    for (int i = 0; i < COMMANDS; i++) {
        *state = *state * 1664525 + 1013904223;
        cl_command_queue queue = queues[(*state >> 16) % 3];
        cl_event next = NULL;
        size_t one = 1;
        switch (*state >> 24 & 3) {
        case 0:
        case 1:
            MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 1, &last, &next));
            runs++;
            break;
        case 2:
            MUST(clEnqueueReadBuffer(queue, counter, CL_FALSE, 0, sizeof reads[i], &reads[i], 1,
                                     &last, &next));
            break;
        default:
            MUST(clEnqueueMarkerWithWaitList(queue, 1, &last, &next));
        }
        MUST(clReleaseEvent(last));
        last = next;
        if (i == COMMANDS / 2) {
            MUST(clSetUserEventStatus(gate, CL_COMPLETE));
            MUST(clReleaseEvent(gate));
        }
        if ((*state & 0x3f) == 3)
            MUST(clFlush(queue));
    }
    MUST(clWaitForEvents(1, &last));
    MUST(clEnqueueReadBuffer(queues[0], counter, CL_TRUE, 0, sizeof value, &value, 0, NULL, NULL));
    EQ(value, runs);
    MUST(clReleaseEvent(last));
    for (int i = 0; i < 3; i++) {
        MUST(clFinish(queues[i]));
        MUST(clReleaseCommandQueue(queues[i]));
    }
    MUST(clReleaseKernel(kernel));
    MUST(clReleaseMemObject(counter));
}

static void *worker(void *index)
{
    unsigned state = (unsigned)(size_t)index * 7919 + 1;
    for (int round = 0; round < ROUNDS; round++)
        one_round(&state, round);
    return NULL;
}

/* Launches that nobody waits for must not pile up. */
static void many_launches(void)
{
    cl_command_queue queue = MADE(clCreateCommandQueueWithProperties, context, device, NULL);
    cl_kernel kernel = MADE(clCreateKernel, program, "increment");
    int value = 0;
    cl_mem counter = MADE(clCreateBuffer, context, CL_MEM_COPY_HOST_PTR, sizeof value, &value);
    MUST(clSetKernelArg(kernel, 0, sizeof counter, &counter));
    size_t one = 1;
    /* The most in each half: the 64 batches that may be in flight hold more or fewer launches, by
     * what else the machine does, but the second half needs no more than the first. */
    long most[2] = {0, 0};
    for (int i = 0; i < 160000; i++) {
        MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
        long now = i % 500 == 0 ? resident() : 0;
        if (now > most[i / 80000])
            most[i / 80000] = now;
    }
    /* Had they piled up, it would be some 45 MiB. */
    CHECK(most[1] - most[0] < 24 * 1024);
    MUST(clEnqueueReadBuffer(queue, counter, CL_TRUE, 0, sizeof value, &value, 0, NULL, NULL));
    EQ(value, 160000);
    MUST(clReleaseMemObject(counter));
    MUST(clReleaseKernel(kernel));
    MUST(clReleaseCommandQueue(queue));
}

int main(void)
{
    device = pumice_device();
    context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    const char *source = "kernel void increment(global int *counter) { counter[0] += 1; }\n";
    program = PROGRAM(context, source, NULL);
    pthread_t threads[THREADS];
    for (size_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, worker, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    many_launches();
    MUST(clReleaseProgram(program));
    release_last(context);
    return finish();
}
