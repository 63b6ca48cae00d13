/* Events: user events, wait lists, failed dependencies, callbacks at every status, markers and
 * barriers in both kinds of queue, profiling, native kernels, and that a user event on one queue
 * never holds up another. */
#define _POSIX_C_SOURCE 200809L
#include "common.h"
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

static cl_context context;
static cl_device_id device;

static atomic_int seen[4], seen_error;
static void CL_CALLBACK on_status(cl_event e, cl_int status, void *data)
{
    cl_int now = 99;
    clGetEventInfo(e, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof now, &now, NULL);
    if (status < 0)
        atomic_store(&seen_error, status);
    else if (now <= status)
        atomic_fetch_add(&seen[(size_t)data], 1);
}

static void wait_for(atomic_int *what, int value)
{
    struct timespec t = {0, 1000000};
    for (int i = 0; i < 5000 && atomic_load(what) != value; i++)
        nanosleep(&t, NULL);
}

static cl_int status_of(cl_event e)
{
    cl_int status = 99;
    MUST(clGetEventInfo(e, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    return status;
}

static cl_command_queue make_queue(cl_command_queue_properties bits)
{
    cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, bits, 0};
    return MADE(clCreateCommandQueueWithProperties, context, device, list);
}

struct native_args {
    int *order;
    int value;
    void *buffer;
};
static void CL_CALLBACK native(void *raw)
{
    struct native_args *args = raw;
    *args->order = args->value;
    if (args->buffer)
        ((int *)args->buffer)[0] += args->value;
}

static void *set_later(void *event)
{
    struct timespec t = {0, 50000000};
    nanosleep(&t, NULL);
    clSetUserEventStatus(event, CL_COMPLETE);
    return NULL;
}

static void user_event_holds_only_its_own(void)
{
    cl_int one = 1, two = 2, got = 0;
    cl_command_queue a = make_queue(0), b = make_queue(0);
    cl_mem x = MADE(clCreateBuffer, context, CL_MEM_COPY_HOST_PTR, 4, &one);
    cl_mem y = MADE(clCreateBuffer, context, CL_MEM_COPY_HOST_PTR, 4, &one);
    cl_event gate = MADE(clCreateUserEvent, context);
    cl_event held = NULL, after = NULL;
    MUST(clEnqueueFillBuffer(a, x, &two, 4, 0, 4, 1, &gate, &held));
    MUST(clEnqueueCopyBuffer(a, x, y, 0, 0, 4, 0, NULL, &after));
    MUST(clFlush(a));

    /* Queue B works and finishes while A is held. */
    cl_mem z = MADE(clCreateBuffer, context, 0, 4, NULL);
    MUST(clEnqueueFillBuffer(b, z, &two, 4, 0, 4, 0, NULL, NULL));
    MUST(clFinish(b));
    MUST(clEnqueueReadBuffer(b, z, CL_TRUE, 0, 4, &got, 0, NULL, NULL));
    EQ(got, 2);
    CHECK(status_of(held) > CL_COMPLETE);
    CHECK(status_of(after) > CL_COMPLETE);
    EQ(status_of(gate), CL_SUBMITTED);

    EQ(clSetUserEventStatus(gate, CL_RUNNING), CL_INVALID_VALUE);
    EQ(clSetUserEventStatus(held, CL_COMPLETE), CL_INVALID_EVENT);
    MUST(clSetUserEventStatus(gate, CL_COMPLETE));
    EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_INVALID_OPERATION);
    MUST(clWaitForEvents(1, &after));
    EQ(status_of(held), CL_COMPLETE);
    MUST(clEnqueueReadBuffer(a, y, CL_TRUE, 0, 4, &got, 0, NULL, NULL));
    EQ(got, 2);

    /* Across queues: B waits for A's command, which waits for an event set by another thread. */
    cl_event gate2 = MADE(clCreateUserEvent, context);
    int three = 3;
    cl_event first = NULL;
    MUST(clEnqueueFillBuffer(a, x, &three, 4, 0, 4, 1, &gate2, &first));
    cl_event second = NULL;
    MUST(clEnqueueCopyBuffer(b, x, z, 0, 0, 4, 1, &first, &second));
    pthread_t thread;
    pthread_create(&thread, NULL, set_later, gate2);
    MUST(clEnqueueReadBuffer(b, z, CL_TRUE, 0, 4, &got, 1, &second, NULL));
    EQ(got, 3);
    pthread_join(thread, NULL);

    cl_event all[] = {gate, held, after, gate2, first, second};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        MUST(clReleaseEvent(all[i]));
    MUST(clReleaseMemObject(x));
    MUST(clReleaseMemObject(y));
    MUST(clReleaseMemObject(z));
    MUST(clReleaseCommandQueue(a));
    MUST(clReleaseCommandQueue(b));
}

static void failures_are_passed_on(void)
{
    cl_command_queue q = make_queue(0);
    cl_mem x = MADE(clCreateBuffer, context, 0, 4, NULL);
    cl_event gate = MADE(clCreateUserEvent, context);
    cl_event held = NULL, marker = NULL;
    int value = 5;
    MUST(clEnqueueFillBuffer(q, x, &value, 4, 0, 4, 1, &gate, &held));
    MUST(clEnqueueMarkerWithWaitList(q, 1, &held, &marker));
    MUST(clSetEventCallback(held, CL_COMPLETE, on_status, NULL));
    MUST(clSetUserEventStatus(gate, -77));
    EQ(clWaitForEvents(1, &held), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    EQ(status_of(gate), -77);
    CHECK(status_of(held) < 0);
    EQ(clWaitForEvents(1, &marker), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    wait_for(&seen_error, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    EQ(atomic_load(&seen_error), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    EQ(clEnqueueReadBuffer(q, x, CL_TRUE, 0, 4, &value, 1, &held, NULL),
       CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    /* The queue goes on. */
    value = 9;
    MUST(clEnqueueWriteBuffer(q, x, CL_TRUE, 0, 4, &value, 0, NULL, NULL));
    MUST(clFinish(q));
    MUST(clReleaseEvent(gate));
    MUST(clReleaseEvent(held));
    MUST(clReleaseEvent(marker));
    MUST(clReleaseMemObject(x));
    MUST(clReleaseCommandQueue(q));
}

static void callbacks_fire_at_every_status(void)
{
    cl_command_queue q = make_queue(CL_QUEUE_PROFILING_ENABLE);
    cl_mem x = MADE(clCreateBuffer, context, 0, 1 << 20, NULL);
    cl_event gate = MADE(clCreateUserEvent, context);
    cl_event e = NULL;
    int value = 1;
    MUST(clEnqueueFillBuffer(q, x, &value, 4, 0, 1 << 20, 1, &gate, &e));
    EQ(clSetEventCallback(e, CL_QUEUED, on_status, NULL), CL_INVALID_VALUE);
    EQ(clSetEventCallback(e, CL_COMPLETE, NULL, NULL), CL_INVALID_VALUE);
    cl_ulong t[4];
    EQ(clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_END, 8, &t[0], NULL),
       CL_PROFILING_INFO_NOT_AVAILABLE);
    MUST(clSetEventCallback(e, CL_SUBMITTED, on_status, (void *)2));
    MUST(clSetEventCallback(e, CL_RUNNING, on_status, (void *)1));
    MUST(clSetEventCallback(e, CL_COMPLETE, on_status, (void *)0));
    MUST(clSetUserEventStatus(gate, CL_COMPLETE));
    MUST(clFinish(q));
    for (int i = 0; i < 3; i++) {
        wait_for(&seen[i], 1);
        EQ(atomic_load(&seen[i]), 1);
    }
    /* Registered late, it still fires. */
    MUST(clSetEventCallback(e, CL_COMPLETE, on_status, (void *)3));
    wait_for(&seen[3], 1);
    EQ(atomic_load(&seen[3]), 1);
    for (int i = 0; i < 4; i++)
        MUST(clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_QUEUED + (cl_uint)i, 8, &t[i], NULL));
    CHECK(t[0] <= t[1] && t[2] <= t[3] && t[0] > 0 && t[0] <= t[3]);
    cl_ulong now = 0, dev = 0;
    MUST(clGetDeviceAndHostTimer(device, &dev, &now));
    CHECK(t[3] <= now + 100000000 && now - t[0] < 60000000000ull);
    MUST(clReleaseEvent(e));
    MUST(clReleaseEvent(gate));
    MUST(clReleaseMemObject(x));
    MUST(clReleaseCommandQueue(q));
}

static void out_of_order(void)
{
    cl_int got = 0;
    cl_command_queue q = make_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    cl_mem x = MADE(clCreateBuffer, context, 0, 4, NULL);
    cl_mem y = MADE(clCreateBuffer, context, 0, 4, NULL);
    cl_event gate = MADE(clCreateUserEvent, context);
    cl_event held = NULL, free_one = NULL, marker = NULL, behind = NULL;
    int seven = 7, eight = 8;
    MUST(clEnqueueFillBuffer(q, x, &seven, 4, 0, 4, 1, &gate, &held));
    MUST(clEnqueueFillBuffer(q, y, &eight, 4, 0, 4, 0, NULL, &free_one));
    MUST(clWaitForEvents(1, &free_one)); /* passes the held one */
    CHECK(status_of(held) > CL_COMPLETE);
    MUST(clEnqueueReadBuffer(q, y, CL_TRUE, 0, 4, &got, 0, NULL, NULL));
    EQ(got, 8);
    MUST(clEnqueueMarkerWithWaitList(q, 0, NULL, &marker));
    CHECK(status_of(marker) > CL_COMPLETE);
    MUST(clEnqueueBarrierWithWaitList(q, 0, NULL, NULL));
    MUST(clEnqueueCopyBuffer(q, x, y, 0, 0, 4, 0, NULL, &behind));
    MUST(clFlush(q));
    CHECK(status_of(behind) > CL_COMPLETE);
    MUST(clSetUserEventStatus(gate, CL_COMPLETE));
    MUST(clFinish(q));
    EQ(status_of(marker), CL_COMPLETE);
    EQ(status_of(behind), CL_COMPLETE);
    MUST(clEnqueueReadBuffer(q, y, CL_TRUE, 0, 4, &got, 0, NULL, NULL));
    EQ(got, 7);
    cl_event all[] = {gate, held, free_one, marker, behind};
    for (size_t i = 0; i < 5; i++)
        MUST(clReleaseEvent(all[i]));
    MUST(clReleaseMemObject(x));
    MUST(clReleaseMemObject(y));
    MUST(clReleaseCommandQueue(q));
}

static void native_kernels_run_in_order(void)
{
    cl_command_queue q = make_queue(0);
    int order = 0, start = 100, got = 0;
    cl_mem x = MADE(clCreateBuffer, context, CL_MEM_COPY_HOST_PTR, 4, &start);
    for (int i = 1; i <= 3; i++) {
        struct native_args args = {&order, i, NULL};
        const void *place = &args.buffer;
        MUST(clEnqueueNativeKernel(q, native, &args, sizeof args, 1, &x, &place, 0, NULL, NULL));
    }
    MUST(clEnqueueReadBuffer(q, x, CL_TRUE, 0, 4, &got, 0, NULL, NULL));
    EQ(order, 3);
    EQ(got, 106);
    EQ(clEnqueueNativeKernel(q, NULL, NULL, 0, 0, NULL, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
    EQ(clEnqueueNativeKernel(q, native, NULL, 4, 0, NULL, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
    /* Only buffers have a host address for the function. */
    cl_bool has_images = CL_FALSE;
    MUST(clGetDeviceInfo(device, CL_DEVICE_IMAGE_SUPPORT, sizeof has_images, &has_images, NULL));
    if (has_images) {
        cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
        cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
        cl_mem image = MADE(clCreateImage, context, 0, &format, &desc, NULL);
        struct native_args args = {&order, 4, NULL};
        const void *place = &args.buffer;
        EQ(clEnqueueNativeKernel(q, native, &args, sizeof args, 1, &image, &place, 0, NULL, NULL),
           CL_INVALID_MEM_OBJECT);
        MUST(clReleaseMemObject(image));
    }
    MUST(clReleaseMemObject(x));
    MUST(clReleaseCommandQueue(q));
}

static void many_commands_and_references(void)
{
    cl_command_queue q = make_queue(0);
    cl_mem x = MADE(clCreateBuffer, context, 0, 1024 * 4, NULL);
    static int got[1024];
    for (int i = 0; i < 1024; i++)
        MUST(clEnqueueFillBuffer(q, x, &i, 4, (size_t)i * 4, 4, 0, NULL, NULL));
    MUST(clEnqueueReadBuffer(q, x, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    int wrong = 0;
    for (int i = 0; i < 1024; i++)
        wrong += got[i] != i;
    EQ(wrong, 0);
    cl_uint refs = 0;
    MUST(clRetainCommandQueue(q));
    MUST(clGetCommandQueueInfo(q, CL_QUEUE_REFERENCE_COUNT, sizeof refs, &refs, NULL));
    EQ(refs, 2);
    MUST(clReleaseCommandQueue(q));
    /* The event keeps working after everything else is released. */
    cl_event e = NULL;
    int v = 3;
    MUST(clEnqueueFillBuffer(q, x, &v, 4, 0, 4, 0, NULL, &e));
    MUST(clReleaseMemObject(x));
    MUST(clReleaseCommandQueue(q));
    MUST(clWaitForEvents(1, &e));
    EQ(status_of(e), CL_COMPLETE);
    MUST(clReleaseEvent(e));
}

int main(void)
{
    device = pumice_device();
    context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    EQ(clWaitForEvents(0, NULL), CL_INVALID_VALUE);
    user_event_holds_only_its_own();
    failures_are_passed_on();
    callbacks_fire_at_every_status();
    out_of_order();
    native_kernels_run_in_order();
    many_commands_and_references();
    release_last(context);
    return finish();
}
