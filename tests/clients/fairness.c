// client: without-layers
/* Two processes of three threads each on one device: one thread with long kernels, one that enqueues
 * many short ones before it waits, one that waits for each. All go on until each has done its rounds, so
 * that the device is contended for all the time. No time is measured: who starves is found by the count
 * of the others' rounds. Every worker's results are right, and its memory does not grow with its rounds. */
#define _GNU_SOURCE
#include "common.h"
#include "usage.h"
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    PROCESSES = 2,
    THREADS = 3,
    WORKERS = PROCESSES * THREADS,
    ROUNDS = 20,
    /* Who has done as many while another has not done ROUNDS was preferred. */
    STARVED = 100000,
    BURST = 32,
    ITEMS = 256,
    /* A buffer of each round's own: 2 MiB. */
    SCRATCH = 2 << 20,
    /* What a process may grow by while its threads make and release such buffers: 64 of them. */
    GROWTH = 64 * (SCRATCH >> 10),
};

/* Seen by all processes. */
static struct shared {
    int done[WORKERS];
    int failed;
} *shared;

static cl_context context;
static cl_device_id device;
static cl_program program;
static int process;
/* Rounds of this process's threads, to know when buffers have been made often enough for a baseline. */
static int warm;
static long baseline;

static const char *source =
    "kernel void work(global uint *sums, uint rounds)\n"
    "{\n"
    "    uint x = 1;\n"
    "    for (uint i = 0; i < rounds; i++)\n"
    "        x = x * 1664525 + 1013904223;\n"
    "    sums[get_global_id(0)] += x | 1;\n"
    "}\n"
    "kernel void touch(global uint *p) { p[get_global_id(0) * 1024] = 7; }\n";

static cl_uint sum_of(cl_uint rounds)
{
    cl_uint x = 1;
    for (cl_uint i = 0; i < rounds; i++)
        x = x * 1664525 + 1013904223;
    return x | 1;
}

/* True once every worker has done its rounds. */
static int over(void)
{
    for (int i = 0; i < WORKERS; i++)
        if (__atomic_load_n(&shared->done[i], __ATOMIC_SEQ_CST) < ROUNDS)
            return __atomic_load_n(&shared->failed, __ATOMIC_SEQ_CST);
    return 1;
}

/* A buffer that the device writes and that is released again; one too large is refused meanwhile. */
static void memory_of_a_round(cl_command_queue queue, cl_kernel touch)
{
    cl_int error = 0;
    cl_ulong most = 0;
    size_t pages = SCRATCH / 4096;
    cl_mem scratch = MADE(clCreateBuffer, context, 0, SCRATCH, NULL);
    MUST(clSetKernelArg(touch, 0, sizeof scratch, &scratch));
    MUST(clEnqueueNDRangeKernel(queue, touch, 1, NULL, &pages, NULL, 0, NULL, NULL));
    MUST(clFinish(queue));
    MUST(clReleaseMemObject(scratch));
    MUST(clGetDeviceInfo(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof most, &most, NULL));
    CHECK(!clCreateBuffer(context, 0, most + 1, NULL, &error));
    EQ(error, CL_INVALID_BUFFER_SIZE);
}

static void *work(void *which)
{
    static const cl_uint lengths[THREADS] = {50000, 10, 10};
    static const int launches[THREADS] = {1, BURST, 1};
    int thread = *(int *)which, me = process * THREADS + thread;
    cl_uint zero = 0, sum = 0, want = 0, got[ITEMS];
    size_t global = ITEMS;
    cl_command_queue queue = MADE(clCreateCommandQueue, context, device, 0);
    cl_kernel kernel = MADE(clCreateKernel, program, "work");
    cl_kernel touch = MADE(clCreateKernel, program, "touch");
    cl_mem sums = MADE(clCreateBuffer, context, 0, sizeof got, NULL);
    MUST(clEnqueueFillBuffer(queue, sums, &zero, sizeof zero, 0, sizeof got, 0, NULL, NULL));
    MUST(clSetKernelArg(kernel, 0, sizeof sums, &sums));
    MUST(clSetKernelArg(kernel, 1, sizeof lengths[thread], &lengths[thread]));
    sum = sum_of(lengths[thread]);
    while (!over()) {
        for (int i = 0; i < launches[thread]; i++) {
            MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
            want += sum;
        }
        MUST(clEnqueueReadBuffer(queue, sums, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
        if (values_matter() && (got[0] != want || got[ITEMS - 1] != want)) {
            EQ(got[0], want);
            EQ(got[ITEMS - 1], want);
            __atomic_store_n(&shared->failed, 1, __ATOMIC_SEQ_CST);
        }
        memory_of_a_round(queue, touch);
        int done = __atomic_add_fetch(&shared->done[me], 1, __ATOMIC_SEQ_CST);
        if (__atomic_add_fetch(&warm, 1, __ATOMIC_SEQ_CST) == ROUNDS / 2)
            __atomic_store_n(&baseline, resident(), __ATOMIC_SEQ_CST);
        if (done >= STARVED) {
            for (int i = 0; i < WORKERS; i++)
                fprintf(stderr, "worker %d has done %d rounds\n", i, shared->done[i]);
            fprintf(stderr, "FAIL worker %d was preferred\n", me);
            __atomic_store_n(&shared->failed, 1, __ATOMIC_SEQ_CST);
        }
    }
    MUST(clReleaseMemObject(sums));
    MUST(clReleaseKernel(touch));
    MUST(clReleaseKernel(kernel));
    MUST(clReleaseCommandQueue(queue));
    return NULL;
}

static int one_process(void)
{
    pthread_t threads[THREADS];
    int numbers[THREADS];
    device = pumice_device();
    context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    program = PROGRAM(context, source, NULL);
    for (int i = 0; i < THREADS; i++) {
        numbers[i] = i;
        pthread_create(&threads[i], NULL, work, &numbers[i]);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    long grown = resident() - baseline;
    if (grown > GROWTH) {
        fprintf(stderr, "process %d grew by %ld KiB in %d rounds\n", process, grown, warm);
        failures++;
    }
    MUST(clReleaseProgram(program));
    release_last(context);
    return failures ? 1 : 0;
}

int main(void)
{
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(shared != MAP_FAILED);
    pid_t children[PROCESSES] = {0};
    for (process = 0; process < PROCESSES; process++) {
        children[process] = fork();
        if (!children[process]) {
            exit(one_process());
        }
        CHECK(children[process] > 0);
    }
    for (int i = 0; i < PROCESSES && children[i] > 0; i++) {
        int status = -1;
        wait(&status);
        EQ(status, 0);
        /* The others do not wait for one that failed. */
        if (status)
            __atomic_store_n(&shared->failed, 1, __ATOMIC_SEQ_CST);
    }
    EQ(shared->failed, 0);
    for (int i = 0; i < WORKERS; i++)
        printf("worker %d: %d rounds\n", i, shared->done[i]);
    return finish();
}
