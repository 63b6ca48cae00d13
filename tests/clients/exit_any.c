// client: once
// client: without-layers
/* Processes that end at any moment: threads build, launch, wait and release, callbacks run, commands
 * hang on user events, and exit is called by the main thread or another. Each ends with its status,
 * without a signal and without hanging. The validation layer takes itself apart at exit while other
 * threads are inside it, and throws through them. `exit_any ROUNDS` says how many (12 by default). */
#define _GNU_SOURCE
#include "common.h"
#include <execinfo.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 4, N = 20000, STATUS = 42 };

static cl_device_id device;
static cl_context context;
static cl_program program;
static const char *source = "kernel void k(global float *p) { size_t i = get_global_id(0); float x = p[i];\n"
                            " for (int n = 0; n < 200; n++) x = x * 0.5f + 1; p[i] = x; }";

static void CL_CALLBACK on_event(cl_event event, cl_int status, void *data)
{
    cl_command_type type;
    (void)status, (void)data;
    clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL);
}
static void CL_CALLBACK on_build(cl_program built, void *data)
{
    (void)data;
    clReleaseProgram(built);
}
static void CL_CALLBACK native(void *args)
{
    (void)args;
    usleep(500);
}

static void *worker(void *index)
{
    unsigned seed = (unsigned)(size_t)index * 31 + (unsigned)getpid();
    for (;;) {
        cl_int error = 0;
        cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, (cl_queue_properties)rand_r(&seed) % 4, 0};
        cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, list, &error);
        cl_kernel kernel = clCreateKernel(program, "k", &error);
        cl_mem buffer = clCreateBuffer(context, 0, N * 4, NULL, &error);
        clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
        size_t global = N;
        void *args = NULL;
        for (int i = 0; i < 10; i++) {
            cl_event event = NULL;
            switch (rand_r(&seed) % 4) {
            case 0:
                clEnqueueNativeKernel(queue, native, &args, sizeof args, 0, NULL, NULL, 0, NULL, &event);
                break;
            default:
                clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, &event);
            }
            if (event) {
                clSetEventCallback(event, CL_COMPLETE, on_event, NULL);
                clReleaseEvent(event);
            }
        }
        if (rand_r(&seed) % 3 == 0) {
            cl_program other = clCreateProgramWithSource(context, 1, &source, NULL, &error);
            if (other)
                clBuildProgram(other, 0, NULL, NULL, on_build, NULL);
        }
        if (rand_r(&seed) % 3 == 0) {
            /* Never completed: what hangs on it is left where it is. */
            cl_event gate = clCreateUserEvent(context, &error);
            clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 1, &gate, NULL);
            clFlush(queue);
        } else {
            clFinish(queue);
        }
        clReleaseMemObject(buffer);
        clReleaseKernel(kernel);
        clReleaseCommandQueue(queue);
    }
    return NULL;
}

static void launch_once(void)
{
    cl_command_queue queue = MADE(clCreateCommandQueueWithProperties, context, device, NULL);
    cl_kernel kernel = MADE(clCreateKernel, program, "k");
    cl_mem buffer = MADE(clCreateBuffer, context, 0, N * 4, NULL);
    size_t global = N;
    MUST(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
    MUST(clFinish(queue));
    clReleaseMemObject(buffer);
    clReleaseKernel(kernel);
    clReleaseCommandQueue(queue);
}

/* A crash is rare: it tells where. */
static void on_signal(int number)
{
    void *frames[64];
    backtrace_symbols_fd(frames, backtrace(frames, 64), STDERR_FILENO);
    signal(number, SIG_DFL);
    raise(number);
}

static void *leave(void *delay)
{
    usleep((unsigned)(size_t)delay);
    exit(STATUS);
}

static void child(int round)
{
    alarm(60);
    backtrace((void *[1]){NULL}, 1); /* loads what it needs */
    signal(SIGSEGV, on_signal);
    signal(SIGABRT, on_signal);
    device = pumice_device();
    context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    program = PROGRAM(context, source, NULL);
    /* The end does not wait for what other threads compile first (icd/src/exit.rs). */
    launch_once();
    pthread_t threads[THREADS + 1];
    for (size_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, worker, (void *)i);
    size_t delay = (size_t)(round * 7919 % 30000);
    if (round % 2) {
        pthread_create(&threads[THREADS], NULL, leave, (void *)delay);
        for (;;)
            pause();
    }
    leave((void *)delay);
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 12;
    for (int round = 0; round < rounds; round++) {
        fflush(NULL);
        pid_t pid = fork();
        if (pid == 0)
            child(round);
        int status = 0;
        waitpid(pid, &status, 0);
        if (!WIFEXITED(status) || WEXITSTATUS(status) != STATUS) {
            fprintf(stderr, "round %d: status %#x\n", round, (unsigned)status);
            failures++;
        }
    }
    return finish();
}
