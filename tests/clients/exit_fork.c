// client: once-a-driver
// client: one-form
// client: without-layers
/* The end of a process where it is least expected (inside an event callback, with a kernel that does
 * not end), and what a child can do that was forked before or after the first context. Every case is
 * a process of its own with a limit in seconds: nothing here may wait for ever. */
#define _GNU_SOURCE
#include "common.h"
#include <sys/wait.h>
#include <unistd.h>

enum { STATUS = 42 };

static cl_device_id device;
static cl_context context;
static cl_command_queue queue;
static cl_program program;
static cl_kernel kernel;
static cl_mem buffer;
static const char *source = "kernel void k(global uint *p, uint rounds) { uint x = get_global_id(0);\n"
                            " for (uint i = 0; i < rounds; i++) for (uint j = 0; j < 60000; j++)\n"
                            "  x = x * 1664525u + (x >> 3) + j;\n p[get_global_id(0)] = x; }";

static void set_up(void)
{
    device = pumice_device();
    context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    queue = MADE(clCreateCommandQueueWithProperties, context, device, NULL);
    program = PROGRAM(context, source, NULL);
    kernel = MADE(clCreateKernel, program, "k");
    buffer = MADE(clCreateBuffer, context, 0, 4 << 20, NULL);
    MUST(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
}

static void launch(size_t items, cl_uint rounds, cl_event *event)
{
    MUST(clSetKernelArg(kernel, 1, sizeof rounds, &rounds));
    MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, event));
    MUST(clFlush(queue));
}

static void CL_CALLBACK leave(cl_event event, cl_int status, void *data)
{
    (void)event, (void)status, (void)data;
    exit(STATUS);
}

static int exit_in_callback(void)
{
    set_up();
    cl_event event;
    launch(64, 1, &event);
    MUST(clSetEventCallback(event, CL_COMPLETE, leave, NULL));
    for (;;)
        pause();
}

static int return_with_endless_kernel(void)
{
    set_up();
    /* A million work-items of a thousand million rounds, and on a driver that cuts loops short of
     * 65,535: still minutes. */
    launch(1 << 20, 20000, NULL);
    usleep(200000);
    return STATUS;
}

/* Checks which calls succeed and which fail in a child whose parent has used the device. */
static void use_after_fork(void)
{
    cl_int error = 0;
    char name[256] = "";
    EQ(clGetPlatformIDs(0, NULL, &(cl_uint){0}), CL_SUCCESS);
    EQ(clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL), CL_SUCCESS);
    CHECK(name[0]);
    EQ(clFinish(queue), CL_OUT_OF_RESOURCES);
    EQ(clFlush(queue), CL_OUT_OF_RESOURCES);
    EQ(clBuildProgram(program, 0, NULL, NULL, NULL, NULL), CL_OUT_OF_RESOURCES);
    size_t one = 1;
    EQ(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL), CL_OUT_OF_RESOURCES);
    cl_uint word = 0;
    EQ(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 4, &word, 0, NULL, NULL), CL_OUT_OF_RESOURCES);
    CHECK(!clCreateContext(NULL, 1, &device, NULL, NULL, &error));
    EQ(error, CL_OUT_OF_RESOURCES);
    CHECK(!clCreateBuffer(context, 0, 64, NULL, &error));
    EQ(error, CL_OUT_OF_RESOURCES);
    CHECK(!clSVMAlloc(context, CL_MEM_READ_WRITE, 64, 0));
    EQ(clRetainContext(context), CL_SUCCESS);
    EQ(clReleaseContext(context), CL_SUCCESS);
    EQ(clReleaseMemObject(buffer), CL_SUCCESS);
    EQ(clReleaseKernel(kernel), CL_SUCCESS);
    EQ(clReleaseProgram(program), CL_SUCCESS);
    EQ(clReleaseCommandQueue(queue), CL_SUCCESS);
    EQ(clReleaseContext(context), CL_SUCCESS);
}

static int status_of(pid_t child)
{
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/* The parent computes right before, with and after its child. */
static int fork_after_context(void (*end)(int))
{
    set_up();
    launch(64, 1, NULL);
    pid_t child = fork();
    if (child == 0) {
        alarm(20);
        use_after_fork();
        end(failures ? 1 : STATUS);
    }
    launch(64, 1, NULL);
    EQ(status_of(child), STATUS);
    MUST(clFinish(queue));
    cl_uint word = 0;
    MUST(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 4, &word, 0, NULL, NULL));
    CHECK(word != 0);
    return failures ? 1 : STATUS;
}
static int fork_and_leave(void) { return fork_after_context(_exit); }
static int fork_and_exit(void) { return fork_after_context(exit); }

/* Fills a buffer with a number of the process's own and finds it there, again and again. */
static void keep_own_memory(cl_uint own)
{
    enum { WORDS = 1 << 20 };
    cl_uint *words = malloc(WORDS * sizeof *words);
    CHECK(words);
    for (int round = 0; words && round < 10; round++) {
        MUST(clEnqueueFillBuffer(queue, buffer, &own, sizeof own, 0, WORDS * sizeof own, 0, NULL, NULL));
        MUST(clFinish(queue));
        usleep(5000);
        MUST(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, WORDS * sizeof own, words, 0, NULL, NULL));
        int others = 0;
        for (int i = 0; i < WORDS; i++)
            others += words[i] != own;
        EQ(others, 0);
    }
    free(words);
}

/* Before the first context a child is as good as its parent, though both know the devices: lavapipe has
 * memory from a file that is opened when devices are looked for. */
static int fork_before_context(void)
{
    pumice_device();
    pid_t child = fork();
    if (child == 0)
        alarm(60);
    set_up();
    launch(64, 1, NULL);
    MUST(clFinish(queue));
    keep_own_memory(child == 0 ? 1 : 2);
    if (child == 0)
        exit(failures ? 1 : STATUS);
    EQ(status_of(child), STATUS);
    return failures ? 1 : STATUS;
}

static void run(const char *name, int (*body)(void), double limit)
{
    struct timespec start, end;
    fflush(NULL);
    clock_gettime(CLOCK_MONOTONIC, &start);
    pid_t child = fork();
    if (child == 0) {
        failures = 0;
        alarm(100);
        exit(body());
    }
    int status = status_of(child);
    clock_gettime(CLOCK_MONOTONIC, &end);
    double seconds = (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) / 1e9;
    fprintf(stderr, "%s: %.1f s\n", name, seconds);
    if (status != STATUS || seconds > limit) {
        fprintf(stderr, "%s: status %d after %.1f s\n", name, status, seconds);
        failures++;
    }
}

int main(void)
{
    run("exit in a callback", exit_in_callback, 8);
    run("fork after the context, _exit", fork_and_leave, 8);
    run("fork after the context, exit", fork_and_exit, 8);
    run("fork before the context", fork_before_context, 8);
    /* The driver waits ten seconds for the device, once. */
    run("return with an endless kernel", return_with_endless_kernel, 16);
    return finish();
}
