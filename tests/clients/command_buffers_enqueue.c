/* Kernels that enqueue kernels in command buffers: their order, changes, several runs at once, a copy for another
 * queue. A device without queues of its own says that its command buffers take no such kernels. */
#include "command_buffers.h"

enum { N = 64, ENQUEUE = 2, PRINTF = 1 };

static const char *source =
    "kernel void start(global int *a, int first) { a[get_global_id(0)] = first + (int)get_global_id(0); }\n"
    /* Each work-item enqueues a kernel for its own number, and one that follows it. */
    "kernel void grow(global int *a, int by) {\n"
    "  int i = get_global_id(0);\n"
    "  clk_event_t done;\n"
    "  enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), 0, NULL, &done, ^{ a[i] += by; });\n"
    "  enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &done, NULL, ^{ a[i] *= 2; });\n"
    "  release_event(done);\n"
    "}\n"
    "kernel void one(global int *a) {\n"
    "  int i = get_global_id(0);\n"
    "  enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ a[i] += i; });\n"
    "}\n"
    "kernel void minus(global int *a) { a[get_global_id(0)] -= 1; }\n";

static cl_device_id device;
static cl_context context;
static cl_program program;

static cl_kernel kernel_of(const char *name, cl_mem a)
{
    cl_kernel kernel = MADE(clCreateKernel, program, name);
    MUST(clSetKernelArg(kernel, 0, sizeof a, &a));
    return kernel;
}

static cl_command_queue queue_with(cl_command_queue_properties bits)
{
    const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, bits, 0};
    return MADE(clCreateCommandQueueWithProperties, context, device, list);
}

static buffer_t buffer_for(cl_command_queue queue, cl_ulong flags)
{
    const cl_ulong list[] = {FLAGS, flags, 0};
    buffer_t buffer = MADE(create, 1, &queue, list);
    return buffer;
}

/* The first `grown` numbers have grown by `by`, after they began with `first`; all are one less. */
static void check(cl_command_queue queue, cl_mem a, int first, int grown, int by)
{
    int got[N];
    MUST_END(clFinish(queue));
    MUST(clEnqueueReadBuffer(queue, a, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    for (int i = 0; i < N; i++)
        EQ(got[i], (i < grown ? (first + i + by) * 2 : first + i) - 1);
}

int main(void)
{
    load_functions();
    device = pumice_device();
    cl_ulong queues = 0, able = 0;
    MUST(clGetDeviceInfo(device, CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES, sizeof queues, &queues, NULL));
    MUST(clGetDeviceInfo(device, CAPABILITIES, sizeof able, &able, NULL));
    EQ((able & ENQUEUE) != 0, queues != 0);
    CHECK(able & PRINTF);
    if (!queues)
        return failures != 0;
    context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    program = PROGRAM(context, source, "-cl-std=CL3.0");
    cl_command_queue on_device =
        queue_with(CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    cl_command_queue in_order = queue_with(0), profiling = queue_with(CL_QUEUE_PROFILING_ENABLE),
                     out_of_order = queue_with(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    cl_mem a = MADE(clCreateBuffer, context, 0, N * 4, NULL);
    cl_kernel start = kernel_of("start", a), grow = kernel_of("grow", a), minus = kernel_of("minus", a);
    const size_t all = N, some = 40, none = 0;
    int first = 100, by = 7;
    MUST(clSetKernelArg(start, 1, sizeof first, &first));
    MUST(clSetKernelArg(grow, 1, sizeof by, &by));

    /* In order, three times, then with other arguments, ranges, and with a range of nothing. */
    buffer_t buffer = buffer_for(in_order, MUTABLE);
    command_t started = NULL, growing = NULL;
    MUST(ndrange(PLAIN(buffer), start, 1, NULL, &all, NULL, 0, NULL, NULL, &started));
    MUST(ndrange(PLAIN(buffer), grow, 1, NULL, &some, NULL, 0, NULL, NULL, &growing));
    MUST(ndrange(PLAIN(buffer), minus, 1, NULL, &all, NULL, ALONE));
    MUST(finalize(buffer));
    for (int i = 0; i < 3; i++) {
        cl_event event = NULL;
        cl_int status = 1;
        MUST(enqueue(0, NULL, buffer, 0, NULL, &event));
        EQ(clWaitForEvents(1, &event), CL_SUCCESS);
        MUST(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
        EQ(status, CL_COMPLETE);
        MUST(clReleaseEvent(event));
        check(in_order, a, first, 40, by);
    }
    int other = -3, from = 5;
    const arg_t by_other = {1, sizeof other, &other}, from_other = {1, sizeof from, &from};
    config_t config = {.command = growing, .num_args = 1, .args = &by_other, .work_dim = 1, .global = &all};
    MUST(update_one(buffer, &config));
    config = (config_t){.command = started, .num_args = 1, .args = &from_other};
    MUST(update_one(buffer, &config));
    MUST(enqueue(0, NULL, buffer, 0, NULL, NULL));
    check(in_order, a, from, N, other);
    config = (config_t){.command = growing, .work_dim = 1, .global = &none};
    MUST(update_one(buffer, &config));
    MUST(enqueue(0, NULL, buffer, 0, NULL, NULL));
    check(in_order, a, from, 0, other);
    config.global = &some;
    MUST(update_one(buffer, &config));

    /* On another queue for once, whose event has times; and a copy for that queue. */
    cl_event event = NULL;
    cl_ulong times[2] = {0};
    MUST(enqueue(1, &profiling, buffer, 0, NULL, &event));
    check(profiling, a, from, 40, other);
    MUST(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, 8, &times[0], NULL));
    MUST(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, 8, &times[1], NULL));
    CHECK(times[0] && times[0] < times[1]);
    MUST(clReleaseEvent(event));
    buffer_t copy = MADE(remap, buffer, CL_FALSE, 1, &profiling, 0, NULL, NULL);
    MUST(enqueue(0, NULL, copy, 0, NULL, NULL));
    check(profiling, a, from, 40, other);
    MUST(release(copy));
    MUST(release(buffer));

    /* Out of order: sync points alone give the order. Twice at once, one behind the other. */
    buffer = buffer_for(out_of_order, SIMULTANEOUS_USE);
    point_t points[2];
    MUST(ndrange(PLAIN(buffer), start, 1, NULL, &all, NULL, 0, NULL, &points[0], NULL));
    MUST(ndrange(PLAIN(buffer), grow, 1, NULL, &some, NULL, 1, &points[0], &points[1], NULL));
    MUST(ndrange(PLAIN(buffer), minus, 1, NULL, &all, NULL, 1, &points[1], NULL, NULL));
    MUST(finalize(buffer));
    cl_event before = NULL;
    MUST(enqueue(0, NULL, buffer, 0, NULL, &before));
    MUST(enqueue(0, NULL, buffer, 1, &before, NULL));
    check(out_of_order, a, first, 40, by);
    MUST(clReleaseEvent(before));
    MUST(release(buffer));

    /* As many kernels as work-items, by a queue whose size the application has not chosen. */
    const size_t many = 16384;
    int zero = 0;
    cl_mem sums = MADE(clCreateBuffer, context, 0, many * 4, NULL);
    cl_kernel one = kernel_of("one", sums);
    buffer = buffer_for(in_order, 0);
    MUST(fill_buffer(PLAIN(buffer), sums, &zero, 4, 0, many * 4, ALONE));
    MUST(ndrange(PLAIN(buffer), one, 1, NULL, &many, NULL, ALONE));
    MUST(finalize(buffer));
    MUST(enqueue(0, NULL, buffer, 0, NULL, NULL));
    static int got[16384];
    MUST(clEnqueueReadBuffer(in_order, sums, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    for (size_t i = 0; i < many; i++)
        EQ(got[i], i);
    MUST(release(buffer));
    MUST(clReleaseKernel(one));
    MUST(clReleaseMemObject(sums));

    MUST(clReleaseKernel(start));
    MUST(clReleaseKernel(grow));
    MUST(clReleaseKernel(minus));
    MUST(clReleaseMemObject(a));
    MUST(clReleaseProgram(program));
    MUST(clReleaseCommandQueue(on_device));
    MUST(clReleaseCommandQueue(in_order));
    MUST(clReleaseCommandQueue(profiling));
    MUST(clReleaseCommandQueue(out_of_order));
    release_last(context);
    return failures != 0;
}
