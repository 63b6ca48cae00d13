/* An application that waits for each command gets its batches ended by its own thread. When it stops waiting, callbacks,
 * commands of the host, other queues and destructors still follow a command's end by themselves. */
#include "common.h"
#include <pthread.h>

enum { N = 4096, ROUNDS = 50, CASES = 4 };

static cl_context context;
static cl_command_queue queue, other;
static cl_kernel add;
static cl_mem data;
static cl_uint want;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int calls;

static void called(void)
{
    pthread_mutex_lock(&lock);
    calls++;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
}

static void CL_CALLBACK ended(cl_event event, cl_int status, void *line)
{
    (void)event;
    if (status != CL_COMPLETE) {
        fprintf(stderr, "%s:%d: the command ended with %d\n", __FILE__, *(int *)line, status);
        failures++;
    }
    called();
}

static void CL_CALLBACK destroyed(cl_mem object, void *nothing)
{
    (void)object;
    (void)nothing;
    called();
}

/* Waits for a number of calls in all, with no call of OpenCL that would move anything on. */
static void await_calls(int count, int line)
{
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += 20;
    pthread_mutex_lock(&lock);
    while (calls < count)
        if (pthread_cond_timedwait(&changed, &lock, &end) != 0) {
            fprintf(stderr, "%s:%d: %d of %d calls\n", __FILE__, line, calls, count);
            failures++;
            break;
        }
    pthread_mutex_unlock(&lock);
}

static void launch(cl_command_queue on, cl_uint waits, const cl_event *list, cl_event *event)
{
    size_t size = N;
    MUST(clEnqueueNDRangeKernel(on, add, 1, NULL, &size, NULL, waits, list, event));
    want++;
}

/* The driver learns that each command is waited for. */
static void wait_for_each(void)
{
    for (int i = 0; i < ROUNDS; i++) {
        launch(queue, 0, NULL, NULL);
        MUST(clFinish(queue));
    }
}

static cl_uint result[N];

/* Compares what was read with what all launches so far add up to. */
static void check_result(int line)
{
    int wrong = 0;
    for (int i = 0; i < N; i++)
        wrong += result[i] != want;
    if (wrong) {
        fprintf(stderr, "%s:%d: %d words differ\n", __FILE__, line, wrong);
        failures++;
    }
}

static void check(int line)
{
    MUST(clEnqueueReadBuffer(queue, data, CL_TRUE, 0, sizeof result, result, 0, NULL, NULL));
    check_result(line);
}

/* A callback that is set before the command is submitted, or behind. */
static void callbacks(int flushed_first)
{
    static int line = __LINE__;
    cl_event event = NULL;
    int before = calls;
    launch(queue, 0, NULL, &event);
    if (flushed_first)
        MUST(clFlush(queue));
    MUST(clSetEventCallback(event, CL_COMPLETE, ended, &line));
    MUST(clFlush(queue));
    await_calls(before + 1, __LINE__);
    MUST(clReleaseEvent(event));
}

/* A command of the host behind a launch, and a launch of another queue behind one. */
static void followers(void)
{
    static int line = __LINE__;
    cl_event event = NULL, read = NULL;
    int before = calls;
    launch(queue, 0, NULL, NULL);
    MUST(clFlush(queue));
    MUST(clEnqueueReadBuffer(queue, data, CL_FALSE, 0, sizeof result, result, 0, NULL, &read));
    MUST(clSetEventCallback(read, CL_COMPLETE, ended, &line));
    MUST(clFlush(queue));
    await_calls(before + 1, __LINE__);
    check_result(__LINE__);
    MUST(clReleaseEvent(read));

    cl_event first = NULL;
    launch(queue, 0, NULL, &first);
    MUST(clFlush(queue));
    launch(other, 1, &first, &event);
    MUST(clSetEventCallback(event, CL_COMPLETE, ended, &line));
    MUST(clFlush(other));
    await_calls(before + 2, __LINE__);
    MUST(clReleaseEvent(first));
    MUST(clReleaseEvent(event));
}

/* A buffer lives as long as its last command, and no longer. */
static void destructors(void)
{
    int before = calls;
    cl_mem buffer = MADE(clCreateBuffer, context, CL_MEM_READ_WRITE, N * 4, NULL);
    MUST(clSetMemObjectDestructorCallback(buffer, destroyed, NULL));
    MUST(clSetKernelArg(add, 0, sizeof buffer, &buffer));
    size_t size = N;
    MUST(clEnqueueNDRangeKernel(queue, add, 1, NULL, &size, NULL, 0, NULL, NULL));
    MUST(clFlush(queue));
    MUST(clSetKernelArg(add, 0, sizeof data, &data));
    MUST(clReleaseMemObject(buffer));
    await_calls(before + 1, __LINE__);
}

/* The state of a command changes while it is asked for. */
static void polls(void)
{
    cl_event event = NULL;
    launch(queue, 0, NULL, &event);
    MUST(clFlush(queue));
    cl_int status = CL_QUEUED;
    while (status > CL_COMPLETE)
        MUST(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    EQ(status, CL_COMPLETE);
    MUST(clReleaseEvent(event));
}

int main(void)
{
    cl_device_id device = pumice_device();
    context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    queue = MADE(clCreateCommandQueueWithProperties, context, device, NULL);
    other = MADE(clCreateCommandQueueWithProperties, context, device, NULL);
    const char *source = "kernel void add(global uint *data) { data[get_global_id(0)] += 1; }\n";
    cl_program program = PROGRAM(context, source, NULL);
    add = MADE(clCreateKernel, program, "add");
    static const cl_uint zeros[N];
    data = MADE(clCreateBuffer, context, CL_MEM_COPY_HOST_PTR, sizeof zeros, (void *)zeros);
    MUST(clSetKernelArg(add, 0, sizeof data, &data));
    for (int i = 0; i < CASES; i++) {
        wait_for_each();
        callbacks(i % 2);
        wait_for_each();
        followers();
        wait_for_each();
        destructors();
        wait_for_each();
        polls();
        check(__LINE__);
    }
    /* Left at the end: releasing waits for nothing, and nothing stays. */
    wait_for_each();
    launch(queue, 0, NULL, NULL);
    MUST(clFlush(queue));
    MUST(clReleaseMemObject(data));
    MUST(clReleaseKernel(add));
    MUST(clReleaseProgram(program));
    MUST(clReleaseCommandQueue(queue));
    MUST(clReleaseCommandQueue(other));
    release_last(context);
    return finish();
}
