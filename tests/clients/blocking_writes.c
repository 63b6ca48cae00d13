/* A blocking write gives the application's memory back when it is copied, and not when the kernels before it have ended;
 * whoever could tell the difference waits for its end: the command's event, a second queue, a read. */
// client: env PUMICE_STAGING_ONLY=on
// client: env PUMICE_MASK=hostAddresses
#include "common.h"
#include "usage.h"

/* Lavapipe before 23.0 ends a work-item's loops after 65,535 rounds, which take less than a millisecond: many groups wait, one
 * after the other. Groups of one would not leave a loop before its limit. */
enum { N = 1024, WAITING_GROUPS = 2048, WAITING_GROUP = 64 };

static const char *source = "kernel void until_told(global volatile int *flag, global int *seen)\n"
                            "{\n"
                            "    int told = 0;\n"
                            "    for (int i = 0; i < 65000 && !told; i++)\n"
                            "        told = *flag;\n"
                            "    if (told) *seen = 1;\n"
                            "}\n"
                            "kernel void work(global uint *data, uint rounds)\n"
                            "{\n"
                            "    uint x = data[get_global_id(0)];\n"
                            "    for (uint i = 0; i < rounds; i++) x = x * 1664525u + 1013904223u;\n"
                            "    data[get_global_id(0)] = x;\n"
                            "}\n"
                            "kernel void copy(global const uint *from, global uint *to)\n"
                            "{\n"
                            "    to[get_global_id(0)] = from[get_global_id(0)];\n"
                            "}\n"
                            "kernel void copy_one(global const uint *from, global uint *to, uint round, uint place)\n"
                            "{\n"
                            "    to[round] = from[place];\n"
                            "}\n";

static cl_context context;
static cl_device_id device;
static cl_program program;
static cl_mem work_data, from, to;
static cl_uint data[N], got[N];

static cl_kernel kernel_of(const char *name)
{
    return MADE(clCreateKernel, program, name);
}

static cl_mem buffer_of(size_t size)
{
    return MADE(clCreateBuffer, context, CL_MEM_READ_WRITE, size, NULL);
}

static cl_command_queue queue_of(void)
{
    return MADE(clCreateCommandQueueWithProperties, context, device, NULL);
}

static void launch(cl_command_queue queue, cl_kernel kernel, size_t items, cl_event *event)
{
    MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, event));
}

/* Enqueues a kernel of some milliseconds; the event is its own. */
static cl_event start_work(cl_command_queue queue)
{
    cl_event event = NULL;
    cl_kernel work = kernel_of("work");
    cl_uint rounds = 20000;
    MUST(clSetKernelArg(work, 0, sizeof work_data, &work_data));
    MUST(clSetKernelArg(work, 1, sizeof rounds, &rounds));
    launch(queue, work, N, &event);
    MUST(clReleaseKernel(work));
    return event;
}

static cl_int status_of(cl_event event)
{
    cl_int status = 0;
    MUST(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    return status;
}

static void set_data(cl_uint value)
{
    for (int i = 0; i < N; i++)
        data[i] = value + (cl_uint)i;
}

/* Copies what was written last by a kernel, and looks at it. */
static void check_copied(cl_command_queue queue, cl_uint value)
{
    cl_kernel copy = kernel_of("copy");
    MUST(clSetKernelArg(copy, 0, sizeof from, &from));
    MUST(clSetKernelArg(copy, 1, sizeof to, &to));
    launch(queue, copy, N, NULL);
    MUST(clReleaseKernel(copy));
    MUST(clEnqueueReadBuffer(queue, to, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    for (int i = 0; i < N; i++)
        if (got[i] != value + (cl_uint)i) {
            EQ(got[i], value + (cl_uint)i);
            return;
        }
}

/* Returns whether a kernel that runs until the host sets the flag has seen that. With `writes`, the host sets it behind a
 * blocking write, and nothing else is waited for. */
static cl_int is_told(cl_command_queue queue, cl_int *flag, int writes)
{
    cl_int told = 0;
    size_t group = WAITING_GROUP, items = group * WAITING_GROUPS;
    cl_mem seen = buffer_of(sizeof told);
    cl_kernel until_told = kernel_of("until_told");
    MUST(clEnqueueFillBuffer(queue, seen, &told, sizeof told, 0, sizeof told, 0, NULL, NULL));
    MUST(clSetKernelArgSVMPointer(until_told, 0, flag));
    MUST(clSetKernelArg(until_told, 1, sizeof seen, &seen));
    __atomic_store_n(flag, 0, __ATOMIC_SEQ_CST);
    MUST(clEnqueueNDRangeKernel(queue, until_told, 1, NULL, &items, &group, 0, NULL, NULL));
    MUST(clFlush(queue));
    if (writes) {
        set_data(1000);
        MUST(clEnqueueWriteBuffer(queue, from, CL_TRUE, 0, sizeof data, data, 0, NULL, NULL));
        /* The memory is the application's again. */
        set_data(2000);
    }
    __atomic_store_n(flag, 1, __ATOMIC_SEQ_CST);
    MUST(clEnqueueReadBuffer(queue, seen, CL_TRUE, 0, sizeof told, &told, 0, NULL, NULL));
    MUST(clReleaseKernel(until_told));
    MUST(clReleaseMemObject(seen));
    return told;
}

/* A write while a kernel runs that waits for the host. */
static void while_a_kernel_runs(cl_command_queue queue)
{
    cl_device_svm_capabilities svm = 0;
    MUST(clGetDeviceInfo(device, CL_DEVICE_SVM_CAPABILITIES, sizeof svm, &svm, NULL));
    if (!(svm & CL_DEVICE_SVM_FINE_GRAIN_BUFFER))
        return;
    cl_int *flag = clSVMAlloc(context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, 64, 0);
    CHECK(flag != NULL);
    if (!flag)
        return;
    /* Where the application's memory is the device's too, the host copies, in the command's place. So it does into memory that
     * it reaches. */
    cl_bool host_copies = (svm & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM) || !getenv("PUMICE_STAGING_ONLY");
    if (!host_copies && is_told(queue, flag, 0)) {
        EQ(is_told(queue, flag, 1), 1);
        check_copied(queue, 1000);
        puts("a write returned while a kernel ran");
    }
    clSVMFree(context, flag);
}

/* The event of a blocking write is complete when the call returns. */
static void with_an_event(cl_command_queue queue)
{
    cl_event written = NULL, work = start_work(queue);
    set_data(3000);
    MUST(clEnqueueWriteBuffer(queue, from, CL_TRUE, 0, sizeof data, data, 0, NULL, &written));
    EQ(status_of(written), CL_COMPLETE);
    EQ(status_of(work), CL_COMPLETE);
    check_copied(queue, 3000);
    MUST(clReleaseEvent(written));
    MUST(clReleaseEvent(work));
}

/* A queue that is made after a blocking write sees it without an event. So does one that was there before. */
static void with_a_second_queue(cl_command_queue queue)
{
    cl_event work[2] = {start_work(queue), NULL};
    set_data(4000);
    MUST(clEnqueueWriteBuffer(queue, from, CL_TRUE, 0, sizeof data, data, 0, NULL, NULL));
    cl_command_queue second = queue_of();
    check_copied(second, 4000);
    work[1] = start_work(queue);
    set_data(5000);
    MUST(clEnqueueWriteBuffer(queue, from, CL_TRUE, 0, sizeof data, data, 0, NULL, NULL));
    EQ(status_of(work[0]), CL_COMPLETE);
    EQ(status_of(work[1]), CL_COMPLETE);
    check_copied(second, 5000);
    MUST(clFinish(second));
    MUST(clReleaseCommandQueue(second));
    MUST(clReleaseEvent(work[0]));
    MUST(clReleaseEvent(work[1]));
}

/* Many writes with kernels between them: each kernel sees the write before it. */
static void one_after_the_other(cl_command_queue queue)
{
    enum { ROUNDS = 400 };
    static cl_uint seen[ROUNDS];
    cl_mem all = buffer_of(sizeof seen);
    cl_kernel copy_one = kernel_of("copy_one");
    MUST(clSetKernelArg(copy_one, 0, sizeof from, &from));
    MUST(clSetKernelArg(copy_one, 1, sizeof all, &all));
    for (cl_uint round = 0; round < ROUNDS; round++) {
        cl_uint place = round % 16, value = round + 1;
        MUST(clEnqueueWriteBuffer(queue, from, CL_TRUE, place * sizeof value, sizeof value, &value, 0, NULL, NULL));
        value = 0;
        MUST(clSetKernelArg(copy_one, 2, sizeof round, &round));
        MUST(clSetKernelArg(copy_one, 3, sizeof place, &place));
        launch(queue, copy_one, 1, NULL);
    }
    MUST(clEnqueueReadBuffer(queue, all, CL_TRUE, 0, sizeof seen, seen, 0, NULL, NULL));
    for (cl_uint round = 0; round < ROUNDS; round++)
        if (seen[round] != round + 1) {
            EQ(seen[round], round + 1);
            break;
        }
    MUST(clReleaseKernel(copy_one));
    MUST(clReleaseMemObject(all));
}

static cl_uint native_saw;

static void CL_CALLBACK look(void *args)
{
    native_saw = **(cl_uint **)args;
}

/* The host runs a native kernel between a kernel and the write: each sees what the one before it has left. */
static void behind_a_native_kernel(cl_command_queue queue)
{
    void *args[1] = {NULL};
    const void *place = &args[0];
    cl_uint value = 6000;
    cl_event work = start_work(queue);
    MUST(clEnqueueFillBuffer(queue, from, &value, sizeof value, 0, sizeof data, 0, NULL, NULL));
    MUST(clEnqueueNativeKernel(queue, look, args, sizeof args, 1, &from, &place, 0, NULL, NULL));
    set_data(7000);
    MUST(clEnqueueWriteBuffer(queue, from, CL_TRUE, 0, sizeof data, data, 0, NULL, NULL));
    set_data(8000);
    check_copied(queue, 7000);
    EQ(native_saw, 6000);
    EQ(status_of(work), CL_COMPLETE);
    MUST(clReleaseEvent(work));
}

int main(void)
{
    device = pumice_device();
    context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    program = PROGRAM(context, source, "-cl-std=CL3.0");
    cl_command_queue queue = queue_of();
    work_data = buffer_of(N * sizeof(cl_uint));
    from = buffer_of(sizeof data);
    to = buffer_of(sizeof data);
    while_a_kernel_runs(queue);
    with_an_event(queue);
    with_a_second_queue(queue);
    one_after_the_other(queue);
    behind_a_native_kernel(queue);
    MUST(clFinish(queue));
    MUST(clReleaseMemObject(work_data));
    MUST(clReleaseMemObject(from));
    MUST(clReleaseMemObject(to));
    MUST(clReleaseProgram(program));
    MUST(clReleaseCommandQueue(queue));
    release_last(context);
    return finish();
}
