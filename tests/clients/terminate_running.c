// client: needs long-loops
// client: races
/* clTerminateContextKHR ends kernels that would run for ever: those that spin, that meet at a barrier in each round, that
 * spin in a function, that enqueue themselves, and those of command buffers. Whoever waits for them goes on at
 * once, and the device serves another context. */
#include "command_buffers.h"
#include <pthread.h>

enum { TERMINATE = 0x2032, TERMINATED = -1121 };

typedef cl_int(CL_API_CALL *terminate_function)(cl_context);
static terminate_function terminate;

static cl_device_id device;
static int has_device_queues;

static const char *source =
    "kernel void spins(global int *out) {\n"
    "  while (((volatile global int *)out)[0] == 0) ;\n"
    "  out[1] = 7; }\n"
    "kernel void meets(global int *out) {\n"
    "  local int word;\n"
    "  for (int i = 0; ; i++) {\n"
    "    if (get_local_id(0) == 3) word = ((volatile global int *)out)[0];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    if (word) break;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE); }\n"
    "  out[1] = 7; }\n"
    "__attribute__((noinline)) int find(volatile global int *at, int from) {\n"
    "  for (int i = from; ; i++) if (at[i & 1]) return i; }\n"
    "kernel void calls(global int *out) { out[find(out, 5) + 1] = find(out, 9); out[1] = 7; }\n"
    "kernel void adds(global int *out) { out[get_global_id(0)] += 5; }\n";
static const char *enqueues_source =
    "void again(global int *out) {\n"
    "  enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), ^{ out[2]++; again(out); }); }\n"
    "kernel void enqueues(global int *out) { again(out); }\n";

/* One command's end, as its callback tells it. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int callbacks, wrong;

static void CL_CALLBACK on_end(cl_event event, cl_int status, void *data)
{
    (void)event;
    (void)data;
    pthread_mutex_lock(&lock);
    callbacks++;
    wrong += status != TERMINATED;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
}

/* A thread that waits for the running kernel, in one of several ways. */
struct waiter {
    cl_command_queue queue;
    cl_event event;
    cl_mem buffer;
    int how;
    cl_int result;
    pthread_t thread;
};

static void *wait_for_it(void *data)
{
    struct waiter *waiter = data;
    int word[4];
    if (waiter->how == 0)
        waiter->result = clWaitForEvents(1, &waiter->event);
    else if (waiter->how == 1)
        waiter->result = clFinish(waiter->queue);
    else
        waiter->result = clEnqueueReadBuffer(waiter->queue, waiter->buffer, CL_TRUE, 0, sizeof word, word, 0, NULL, NULL);
    return NULL;
}

static int status_of(cl_event event)
{
    cl_int status = 1;
    MUST(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    return status;
}

static void run(const char *name, const char *text, int in_command_buffer)
{
    cl_context_properties list[] = {TERMINATE, CL_TRUE, 0};
    cl_context context = MADE(clCreateContext, list, 1, &device, NULL, NULL);
    cl_command_queue queue = MADE(clCreateCommandQueue, context, device, CL_QUEUE_PROFILING_ENABLE);
    cl_command_queue other = MADE(clCreateCommandQueue, context, device, 0);
    cl_command_queue device_queue = NULL;
    if (has_device_queues) {
        cl_queue_properties on_device[] = {CL_QUEUE_PROPERTIES,
                                           CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT |
                                               CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
                                           0};
        device_queue = MADE(clCreateCommandQueueWithProperties, context, device, on_device);
    }
    cl_program program = PROGRAM(context, text, text == source ? "" : "-cl-std=CL3.0");
    cl_kernel kernel = MADE(clCreateKernel, program, name);
    int zeros[4] = {0};
    cl_mem buffer = MADE(clCreateBuffer, context, CL_MEM_COPY_HOST_PTR, sizeof zeros, zeros);
    MUST(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    size_t global = 16, local = 8;

    cl_event events[4], user = MADE(clCreateUserEvent, context);
    buffer_t commands = NULL;
    if (in_command_buffer) {
        commands = MADE(create, 1, &queue, NULL);
        MUST(ndrange(PLAIN(commands), kernel, 1, NULL, &global, &local, ALONE));
        MUST(finalize(commands));
        MUST(enqueue(0, NULL, commands, 0, NULL, &events[0]));
    } else {
        MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, &events[0]));
    }
    MUST(clEnqueueFillBuffer(queue, buffer, zeros, 4, 0, 16, 0, NULL, &events[1]));
    MUST(clEnqueueMarkerWithWaitList(other, 1, &events[1], &events[2]));
    MUST(clEnqueueFillBuffer(other, buffer, zeros, 4, 0, 16, 1, &user, &events[3]));
    /* A command that fails calls back before the context is terminated. */
    callbacks = wrong = 0;
    for (int i = 0; i < 4; i++)
        MUST(clSetEventCallback(events[i], CL_COMPLETE, on_end, NULL));
    MUST(clFlush(queue));
    MUST(clFlush(other));
    struct waiter waiters[3];
    for (int i = 0; i < 3; i++) {
        waiters[i] = (struct waiter){.queue = queue, .event = events[0], .buffer = buffer, .how = i};
        pthread_create(&waiters[i].thread, NULL, wait_for_it, &waiters[i]);
    }
    /* Mostly the kernel runs by now, and the threads wait; it makes no difference to what follows. */
    struct timespec moment = {0, 50000000};
    nanosleep(&moment, NULL);
    CHECK(status_of(events[0]) > CL_COMPLETE);
    EQ(terminate(context), CL_SUCCESS);
    for (int i = 0; i < 3; i++)
        pthread_join(waiters[i].thread, NULL);
    EQ(waiters[0].result, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    EQ(waiters[1].result, CL_SUCCESS);
    EQ(waiters[2].result, TERMINATED);
    /* A kernel that enqueues is the host's command, which ends by itself. */
    EQ(clWaitForEvents(4, events), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    for (int i = 0; i < 4; i++)
        EQ(status_of(events[i]), TERMINATED);
    pthread_mutex_lock(&lock);
    while (callbacks < 4)
        pthread_cond_wait(&changed, &lock);
    EQ(wrong, 0);
    pthread_mutex_unlock(&lock);
    cl_ulong time;
    EQ(clGetEventProfilingInfo(events[0], CL_PROFILING_COMMAND_END, sizeof time, &time, NULL),
       CL_PROFILING_INFO_NOT_AVAILABLE);
    EQ(clFinish(queue), CL_SUCCESS);
    MUST(clSetUserEventStatus(user, CL_COMPLETE));
    for (int i = 0; i < 4; i++)
        MUST(clReleaseEvent(events[i]));
    MUST(clReleaseEvent(user));
    if (commands)
        MUST(release(commands));
    MUST(clReleaseMemObject(buffer));
    MUST(clReleaseKernel(kernel));
    MUST(clReleaseProgram(program));
    if (device_queue)
        MUST(clReleaseCommandQueue(device_queue));
    MUST(clReleaseCommandQueue(other));
    MUST(clReleaseCommandQueue(queue));
    MUST(clReleaseContext(context));
}

/* The device works: this ends only when the kernels before have, where the device has one queue. */
static void check_device(void)
{
    cl_context context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    cl_command_queue queue = MADE(clCreateCommandQueue, context, device, 0);
    cl_program program = PROGRAM(context, source, "");
    cl_kernel kernel = MADE(clCreateKernel, program, "adds");
    int words[256] = {0}, right = 0;
    cl_mem buffer = MADE(clCreateBuffer, context, CL_MEM_COPY_HOST_PTR, sizeof words, words);
    MUST(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    size_t global = 256;
    MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
    MUST(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof words, words, 0, NULL, NULL));
    for (int i = 0; i < 256; i++)
        right += words[i] == 5;
    EQ(right, 256);
    MUST(clReleaseMemObject(buffer));
    MUST(clReleaseKernel(kernel));
    MUST(clReleaseProgram(program));
    MUST(clReleaseCommandQueue(queue));
    MUST(clReleaseContext(context));
}

int main(void)
{
    device = pumice_device();
    char extensions[8192] = "";
    MUST(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof extensions, extensions, NULL));
    if (!strstr(extensions, "cl_khr_terminate_context") || !values_matter())
        return finish();
    cl_device_device_enqueue_capabilities queues = 0;
    MUST(clGetDeviceInfo(device, CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES, sizeof queues, &queues, NULL));
    has_device_queues = queues != 0;
    load_function(&terminate, "clTerminateContextKHR");
    load_functions();
    for (int round = 0; round < 3; round++) {
        run("spins", source, 0);
        run("meets", source, 0);
        run("calls", source, 0);
        run("spins", source, 1);
        if (has_device_queues)
            run("enqueues", enqueues_source, 0);
        check_device();
    }
    return finish();
}
