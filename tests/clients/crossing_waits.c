/* Commands go on whatever a thread waits for: ends that two queues make ready for each other, batches behind those that a thread
 * waits for, destructors, an event in front of a kernel that waits for the host, and callbacks that want a lock which is held
 * around the wait. Whoever stops moving on here stops for ever. */
#include "common.h"
#include <CL/cl_ext.h>
#include <pthread.h>

/* cl_arm_printf. */
#define CL_PRINTF_CALLBACK_ARM 0x40B0

enum { ITEMS = 64 };

static const char *source =
    "kernel void once(global int *data) { data[0] += 1; }\n"
    "kernel void rounds(global int *data, int count)\n"
    "{\n"
    "    int x = 0;\n"
    "    for (int i = 0; i < count; i++) x = x * 3 + data[i & 7];\n"
    "    data[8 + get_global_id(0)] = x;\n"
    "}\n"
    "kernel void print(int count)\n"
    "{\n"
    "    for (int i = 0; i < count; i++) printf(\"%d\\n\", i);\n"
    "}\n";

static const char *polling =
    "kernel void poll(global atomic_int *flag)\n"
    "{\n"
    "    while (atomic_load_explicit(flag, memory_order_acquire, memory_scope_all_svm_devices) == 0) ;\n"
    "}\n";

static cl_context context;
static cl_device_id device;
static cl_program program;
static const size_t one = 1, items = ITEMS;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static cl_command_queue make_queue(cl_context of, cl_command_queue_properties properties)
{
    cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, properties, 0};
    return MADE(clCreateCommandQueueWithProperties, of, device, list);
}

static cl_kernel make_kernel(const char *name)
{
    return MADE(clCreateKernel, program, name);
}

static cl_mem make_buffer(void)
{
    static int zeros[1024];
    return MADE(clCreateBuffer, context, CL_MEM_COPY_HOST_PTR, sizeof zeros, zeros);
}

/* The driver learns that each command of a queue is waited for. */
static void wait_for_each(cl_command_queue queue, cl_kernel kernel)
{
    for (int i = 0; i < 5; i++) {
        cl_event event = NULL;
        MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, &event));
        MUST(clWaitForEvents(1, &event));
        MUST(clReleaseEvent(event));
    }
}

/* In each of two queues a kernel ends, and makes one ready in the other. */
static void two_queues(void)
{
    cl_command_queue queues[2];
    cl_kernel print = make_kernel("print"), once[2];
    cl_mem buffers[2];
    int count = 1;
    MUST(clSetKernelArg(print, 0, sizeof count, &count));
    for (int i = 0; i < 2; i++) {
        queues[i] = make_queue(context, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
        once[i] = make_kernel("once");
        buffers[i] = make_buffer();
        MUST(clSetKernelArg(once[i], 0, sizeof buffers[i], &buffers[i]));
    }
    for (int round = 0; round < rounds_of(100); round++) {
        cl_event printed[2], marker[2], behind[2], beside[2], first;
        for (int i = 0; i < 2; i++) {
            MUST(clEnqueueNDRangeKernel(queues[i], once[i], 1, NULL, &one, NULL, 0, NULL, &first));
            MUST(clWaitForEvents(1, &first));
            MUST(clReleaseEvent(first));
        }
        for (int i = 0; i < 2; i++) {
            MUST(clEnqueueNDRangeKernel(queues[i], print, 1, NULL, &items, NULL, 0, NULL, &printed[i]));
            MUST(clEnqueueMarkerWithWaitList(queues[i], 1, &printed[i], &marker[i]));
            MUST(clEnqueueNDRangeKernel(queues[1 - i], once[i], 1, NULL, &one, NULL, 1, &marker[i], &behind[i]));
            MUST(clFlush(queues[i]));
        }
        for (int i = 0; i < 2; i++)
            MUST(clEnqueueNDRangeKernel(queues[i], once[i], 1, NULL, &one, NULL, 0, NULL, &beside[i]));
        MUST(clWaitForEvents(2, beside));
        MUST(clWaitForEvents(2, behind));
        for (int i = 0; i < 2; i++) {
            MUST(clReleaseEvent(printed[i]));
            MUST(clReleaseEvent(marker[i]));
            MUST(clReleaseEvent(behind[i]));
            MUST(clReleaseEvent(beside[i]));
        }
    }
    for (int i = 0; i < 2; i++) {
        MUST(clReleaseKernel(once[i]));
        MUST(clReleaseMemObject(buffers[i]));
        MUST(clReleaseCommandQueue(queues[i]));
    }
    MUST(clReleaseKernel(print));
}

static void launch(cl_command_queue queue, cl_kernel kernel, int count, cl_uint waits, const cl_event *list, cl_event *event)
{
    MUST(clSetKernelArg(kernel, 1, sizeof count, &count));
    MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, waits, list, event));
}

/* A command of the host behind batches of which the last waits for another queue. */
static void host_behind_batches(void)
{
    cl_command_queue queue = make_queue(context, 0), other = make_queue(context, 0);
    cl_kernel kernel = make_kernel("rounds"), once = make_kernel("once");
    cl_mem buffer = make_buffer();
    static int words[64];
    MUST(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    MUST(clSetKernelArg(once, 0, sizeof buffer, &buffer));
    for (int round = 0; round < 6; round++) {
        cl_event events[6], first, cross;
        wait_for_each(queue, once);
        cl_event gate = MADE(clCreateUserEvent, context);
        MUST(clEnqueueReadBuffer(queue, buffer, CL_FALSE, 0, sizeof words, words, 1, &gate, &first));
        launch(other, kernel, 3000000, 0, NULL, &cross);
        MUST(clFlush(other));
        launch(queue, kernel, 1000, 0, NULL, &events[0]);
        launch(queue, kernel, 1000, 0, NULL, &events[1]);
        launch(queue, kernel, 3000000, 0, NULL, &events[2]);
        launch(queue, kernel, 1000, 1, &cross, &events[3]);
        MUST(clEnqueueReadBuffer(queue, buffer, CL_FALSE, 0, sizeof words, words, 0, NULL, &events[4]));
        MUST(clSetUserEventStatus(gate, CL_COMPLETE));
        MUST(clWaitForEvents(1, &events[4]));
        for (int i = 0; i < 5; i++)
            MUST(clReleaseEvent(events[i]));
        MUST(clReleaseEvent(first));
        MUST(clReleaseEvent(cross));
        MUST(clReleaseEvent(gate));
    }
    MUST(clReleaseKernel(kernel));
    MUST(clReleaseKernel(once));
    MUST(clReleaseMemObject(buffer));
    MUST(clReleaseCommandQueue(queue));
    MUST(clReleaseCommandQueue(other));
}

static void CL_CALLBACK set_gate(cl_mem object, void *gate)
{
    (void)object;
    MUST(clSetUserEventStatus(gate, CL_COMPLETE));
}

/* A thread waits for what a buffer's destructor sets off. */
static void destructors(void)
{
    cl_command_queue queue = make_queue(context, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    cl_kernel kernel = make_kernel("rounds"), once = make_kernel("once");
    cl_mem kept = make_buffer();
    MUST(clSetKernelArg(once, 0, sizeof kept, &kept));
    for (int round = 0; round < 6; round++) {
        wait_for_each(queue, once);
        cl_int error = 0;
        cl_mem buffer = make_buffer();
        cl_event gate = clCreateUserEvent(context, &error), marker = NULL;
        MUST(error);
        MUST(clSetMemObjectDestructorCallback(buffer, set_gate, gate));
        MUST(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
        launch(queue, kernel, 1000000, 0, NULL, NULL);
        MUST(clReleaseMemObject(buffer));
        MUST(clEnqueueMarkerWithWaitList(queue, 1, &gate, &marker));
        MUST(clWaitForEvents(1, &marker));
        MUST(clReleaseEvent(marker));
        MUST(clReleaseEvent(gate));
    }
    MUST(clReleaseKernel(kernel));
    MUST(clReleaseKernel(once));
    MUST(clReleaseMemObject(kept));
    MUST(clReleaseCommandQueue(queue));
}

/* The event in front of a kernel that waits for the host ends before it. */
static void event_before_poll(void)
{
    cl_svm_mem_flags flags = CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS;
    int *flag = clSVMAlloc(context, flags, 4096, 0);
    if (!flag)
        return;
    cl_int error = 0;
    cl_program polls = PROGRAM(context, polling, "-cl-std=CL3.0");
    cl_kernel poll = clCreateKernel(polls, "poll", &error), kernel = make_kernel("rounds");
    MUST(error);
    cl_mem buffer = make_buffer();
    MUST(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    MUST(clSetKernelArgSVMPointer(poll, 0, flag));
    for (int has_event = 0; has_event < 2; has_event++) {
        cl_command_queue queue = make_queue(context, 0);
        cl_event before = NULL, behind = NULL;
        __atomic_store_n(flag, 0, __ATOMIC_RELEASE);
        launch(queue, kernel, 3000000, 0, NULL, NULL);
        launch(queue, kernel, 3000000, 0, NULL, NULL);
        launch(queue, kernel, 1000, 0, NULL, &before);
        MUST(clEnqueueNDRangeKernel(queue, poll, 1, NULL, &one, NULL, 0, NULL, has_event ? &behind : NULL));
        MUST(clWaitForEvents(1, &before));
        __atomic_store_n(flag, 1, __ATOMIC_RELEASE);
        MUST(clFinish(queue));
        MUST(clReleaseEvent(before));
        if (behind)
            MUST(clReleaseEvent(behind));
        MUST(clReleaseCommandQueue(queue));
    }
    clSVMFree(context, flag);
    MUST(clReleaseMemObject(buffer));
    MUST(clReleaseKernel(poll));
    MUST(clReleaseKernel(kernel));
    MUST(clReleaseProgram(polls));
}

static void CL_CALLBACK wants_lock(cl_event event, cl_int status, void *calls)
{
    (void)event;
    EQ(status, CL_COMPLETE);
    pthread_mutex_lock(&lock);
    *(int *)calls += 1;
    pthread_mutex_unlock(&lock);
}

static int calls_under_lock(const int *calls)
{
    pthread_mutex_lock(&lock);
    int count = *calls;
    pthread_mutex_unlock(&lock);
    return count;
}

static void await_calls(const int *calls, int count)
{
    struct timespec t = {0, 1000000};
    for (int i = 0; i < 20000 && calls_under_lock(calls) < count; i++)
        nanosleep(&t, NULL);
    EQ(calls_under_lock(calls), count);
}

/* The wait for a semaphore ends though the callback of another command stands still. */
static void semaphore_under_lock(void)
{
    clCreateSemaphoreWithPropertiesKHR_fn create;
    clEnqueueWaitSemaphoresKHR_fn wait;
    clEnqueueSignalSemaphoresKHR_fn signal;
    clReleaseSemaphoreKHR_fn release;
    load_function(&create, "clCreateSemaphoreWithPropertiesKHR");
    load_function(&wait, "clEnqueueWaitSemaphoresKHR");
    load_function(&signal, "clEnqueueSignalSemaphoresKHR");
    load_function(&release, "clReleaseSemaphoreKHR");
    static int calls;
    cl_semaphore_properties_khr properties[] = {CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR, 0};
    cl_semaphore_khr semaphore = MADE(create, context, properties);
    cl_command_queue queue = make_queue(context, 0), other = make_queue(context, 0);
    cl_kernel once = make_kernel("once");
    cl_mem buffer = make_buffer();
    MUST(clSetKernelArg(once, 0, sizeof buffer, &buffer));
    cl_event first = NULL, waited = NULL;
    pthread_mutex_lock(&lock);
    MUST(clEnqueueNDRangeKernel(queue, once, 1, NULL, &one, NULL, 0, NULL, &first));
    MUST(clSetEventCallback(first, CL_COMPLETE, wants_lock, &calls));
    MUST(clWaitForEvents(1, &first));
    MUST(wait(other, 1, &semaphore, NULL, 0, NULL, &waited));
    MUST(signal(queue, 1, &semaphore, NULL, 0, NULL, NULL));
    MUST(clFlush(queue));
    MUST(clWaitForEvents(1, &waited));
    pthread_mutex_unlock(&lock);
    await_calls(&calls, 1);
    MUST(clReleaseEvent(first));
    MUST(clReleaseEvent(waited));
    MUST(clFinish(queue));
    MUST(release(semaphore));
    MUST(clReleaseKernel(once));
    MUST(clReleaseMemObject(buffer));
    MUST(clReleaseCommandQueue(queue));
    MUST(clReleaseCommandQueue(other));
}

static int lines;

static void CL_CALLBACK take_text(const char *text, size_t bytes, size_t is_last, void *nothing)
{
    (void)is_last;
    (void)nothing;
    for (size_t i = 0; i < bytes; i++)
        lines += text[i] == '\n';
}

/* All text is there after clFinish, though the callback of another command stands still. */
static void text_under_lock(void)
{
    static int calls;
    cl_context_properties properties[] = {CL_PRINTF_CALLBACK_ARM, (cl_context_properties)take_text, 0};
    cl_context printing = MADE(clCreateContext, properties, 1, &device, NULL, NULL);
    cl_command_queue queue = make_queue(printing, 0);
    cl_program prints = PROGRAM(printing, source, NULL);
    cl_kernel print = MADE(clCreateKernel, prints, "print");
    int count = 1;
    MUST(clSetKernelArg(print, 0, sizeof count, &count));
    cl_event first = NULL;
    pthread_mutex_lock(&lock);
    MUST(clEnqueueNDRangeKernel(queue, print, 1, NULL, &one, NULL, 0, NULL, &first));
    MUST(clSetEventCallback(first, CL_COMPLETE, wants_lock, &calls));
    MUST(clEnqueueNDRangeKernel(queue, print, 1, NULL, &one, NULL, 0, NULL, NULL));
    MUST(clFinish(queue));
    pthread_mutex_unlock(&lock);
    if (values_matter())
        EQ(lines, 2);
    await_calls(&calls, 1);
    MUST(clReleaseEvent(first));
    MUST(clReleaseKernel(print));
    MUST(clReleaseProgram(prints));
    MUST(clReleaseCommandQueue(queue));
    MUST(clReleaseContext(printing));
}

int main(void)
{
    device = pumice_device();
    context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    program = PROGRAM(context, source, NULL);
    two_queues();
    host_behind_batches();
    destructors();
    event_before_poll();
    semaphore_under_lock();
    text_under_lock();
    MUST(clReleaseProgram(program));
    release_last(context);
    return finish();
}
