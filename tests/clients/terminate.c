/* cl_khr_terminate_context without kernels that run for long: queries, errors, and what each call answers in a
 * terminated context. On a device without the extension all of it is absent. */
#include "common.h"

enum { TERMINATE = 0x2032, CAPABILITY = 0x2031, CAPABILITY_1X = 0x200F, TERMINATE_1X = 0x2010, TERMINATED = -1121, ITEMS = 64 };

typedef cl_int(CL_API_CALL *terminate_function)(cl_context);
static terminate_function terminate;
static cl_device_id device;
static int told;

static void CL_CALLBACK on_error(const char *text, const void *info, size_t size, void *data)
{
    (void)info;
    (void)size;
    (void)data;
    told += strstr(text, "terminated") != NULL;
}

static const char *source =
    "kernel void sums(global int *out, int n) {\n"
    "  local int part; int s = 0, id = get_global_id(0);\n"
    "  for (int i = 0; i < n; i++) {\n"
    "    if (get_local_id(0) == i % 8) part = id + i;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE); s += part; barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    for (int j = 0; j < n; j += 3) s ^= j * id;\n"
    "  }\n"
    "  out[id] = s; }\n";

static cl_context context_with(cl_context_properties value)
{
    cl_context_properties list[] = {TERMINATE, value, 0};
    return MADE(clCreateContext, list, 1, &device, on_error, NULL);
}

static void refused(cl_context_properties first, cl_context_properties second)
{
    cl_context_properties list[] = {
        CL_CONTEXT_PLATFORM, (cl_context_properties)pumice_platform(), TERMINATE, first, TERMINATE, second, 0};
    static int turn;
    /* Each second time by the number that the headers of OpenCL 1.2 have. */
    if (turn++ % 2)
        list[4] = TERMINATE_1X;
    if (second < 0)
        list[4] = 0;
    cl_int error = 0;
    CHECK(clCreateContext(list, 1, &device, NULL, NULL, &error) == NULL);
    EQ(error, CL_INVALID_PROPERTY);
    error = 0;
    CHECK(clCreateContextFromType(list, CL_DEVICE_TYPE_ALL, NULL, NULL, &error) == NULL);
    EQ(error, CL_INVALID_PROPERTY);
}

/* Kernels compute the same in a context that can be terminated, also from a binary. */
static void check_results(cl_context context, cl_command_queue queue, int expected[ITEMS], int is_first)
{
    cl_int n = 50, got[ITEMS];
    cl_program program = PROGRAM(context, source, "");
    size_t size = 0;
    MUST(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL));
    unsigned char *bytes = malloc(size);
    MUST(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof bytes, &bytes, NULL));
    const unsigned char *binary = bytes;
    cl_program again = MADE(clCreateProgramWithBinary, context, 1, &device, &size, &binary, NULL);
    MUST(clBuildProgram(again, 1, &device, NULL, NULL, NULL));
    free(bytes);
    cl_mem out = MADE(clCreateBuffer, context, 0, sizeof got, NULL);
    cl_program both[] = {program, again};
    for (int i = 0; i < 2; i++) {
        cl_kernel kernel = MADE(clCreateKernel, both[i], "sums");
        MUST(clSetKernelArg(kernel, 0, sizeof out, &out));
        MUST(clSetKernelArg(kernel, 1, sizeof n, &n));
        size_t global = ITEMS, local = 8;
        MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL));
        MUST(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
        if (is_first && i == 0)
            memcpy(expected, got, sizeof got);
        CHECK(!values_matter() || memcmp(expected, got, sizeof got) == 0);
        MUST(clReleaseKernel(kernel));
        MUST(clReleaseProgram(both[i]));
    }
    MUST(clReleaseMemObject(out));
}

static int status_of(cl_event event)
{
    cl_int status = 1;
    MUST(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    return status;
}

/* Calls that create objects, in a terminated context. */
static void check_creation(cl_context context, cl_program program, cl_kernel kernel, cl_mem buffer)
{
    cl_int error;
#define REFUSED(call)            \
    do {                         \
        error = 0;               \
        CHECK((call) == NULL);   \
        EQ(error, TERMINATED);   \
    } while (0)
    REFUSED(clCreateCommandQueue(context, device, 0, &error));
    REFUSED(clCreateCommandQueueWithProperties(context, device, NULL, &error));
    REFUSED(clCreateBuffer(context, 0, 16, NULL, &error));
    REFUSED(clCreateBufferWithProperties(context, NULL, 0, 16, NULL, &error));
    cl_buffer_region region = {0, 16};
    REFUSED(clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error));
    cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
    cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
    REFUSED(clCreateImage(context, 0, &format, &desc, NULL, &error));
    REFUSED(clCreateSampler(context, CL_FALSE, CL_ADDRESS_NONE, CL_FILTER_NEAREST, &error));
    REFUSED(clCreateSamplerWithProperties(context, NULL, &error));
    REFUSED(clCreatePipe(context, 0, 4, 4, NULL, &error));
    REFUSED(clCreateUserEvent(context, &error));
    REFUSED(clCreateProgramWithSource(context, 1, &source, NULL, &error));
    REFUSED(clCreateProgramWithIL(context, source, 4, &error));
    size_t size = 4;
    const unsigned char *bytes = (const unsigned char *)source;
    REFUSED(clCreateProgramWithBinary(context, 1, &device, &size, &bytes, NULL, &error));
    REFUSED(clLinkProgram(context, 1, &device, "", 1, &program, NULL, NULL, &error));
    REFUSED(clCreateKernel(program, "sums", &error));
    REFUSED(clCloneKernel(kernel, &error));
    cl_kernel made;
    EQ(clCreateKernelsInProgram(program, 1, &made, NULL), TERMINATED);
    CHECK(clSVMAlloc(context, 0, 16, 0) == NULL);
    EQ(clSetContextDestructorCallback(context, on_context_gone, NULL), TERMINATED);
}

/* Calls that enqueue commands. */
static void check_enqueue(cl_command_queue queue, cl_kernel kernel, cl_mem buffer, void *svm)
{
    char bytes[16] = "";
    cl_int error;
    size_t one = 1;
    EQ(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 16, bytes, 0, NULL, NULL), TERMINATED);
    EQ(clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, 16, bytes, 0, NULL, NULL), TERMINATED);
    EQ(clEnqueueFillBuffer(queue, buffer, bytes, 4, 0, 16, 0, NULL, NULL), TERMINATED);
    EQ(clEnqueueCopyBuffer(queue, buffer, buffer, 0, 16, 16, 0, NULL, NULL), TERMINATED);
    error = 0;
    CHECK(clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ, 0, 16, 0, NULL, NULL, &error) == NULL);
    EQ(error, TERMINATED);
    EQ(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL), TERMINATED);
    EQ(clEnqueueMarkerWithWaitList(queue, 0, NULL, NULL), TERMINATED);
    EQ(clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL), TERMINATED);
    EQ(clEnqueueMigrateMemObjects(queue, 1, &buffer, 0, 0, NULL, NULL), TERMINATED);
    if (svm) {
        EQ(clEnqueueSVMMemFill(queue, svm, bytes, 4, 16, 0, NULL, NULL), TERMINATED);
        EQ(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, svm, 16, 0, NULL, NULL), TERMINATED);
    }
    EQ(clFlush(queue), CL_SUCCESS);
    EQ(clFinish(queue), CL_SUCCESS);
}

/* By the number that the headers of OpenCL 1.2 have. */
static void check_old_number(void)
{
    cl_context_properties list[] = {TERMINATE_1X, CL_TRUE, 0}, got[4] = {0};
    cl_int error;
    cl_context context = MADE(clCreateContext, list, 1, &device, NULL, NULL);
    size_t size = 0;
    MUST(clGetContextInfo(context, CL_CONTEXT_PROPERTIES, sizeof got, got, &size));
    CHECK(size == sizeof list && memcmp(got, list, size) == 0);
    EQ(terminate(context), CL_SUCCESS);
    MUST(clReleaseContext(context));
    list[1] = 2;
    CHECK(!clCreateContext(list, 1, &device, NULL, NULL, &error));
    EQ(error, CL_INVALID_PROPERTY);
}

static void check_terminated(void)
{
    cl_int n = 3;
    cl_context context = context_with(CL_TRUE);
    cl_command_queue queue = MADE(clCreateCommandQueue, context, device, CL_QUEUE_PROFILING_ENABLE);
    int expected[ITEMS];
    check_results(context, queue, expected, 1);
    cl_context plain = context_with(CL_FALSE);
    cl_command_queue plain_queue = MADE(clCreateCommandQueue, plain, device, 0);
    check_results(plain, plain_queue, expected, 0);
    EQ(terminate(plain), CL_INVALID_OPERATION);
    MUST(clReleaseCommandQueue(plain_queue));
    release_last(plain);

    cl_program program = PROGRAM(context, source, NULL);
    cl_kernel kernel = MADE(clCreateKernel, program, "sums");
    cl_mem buffer = MADE(clCreateBuffer, context, 0, 4096, NULL);
    MUST(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    MUST(clSetKernelArg(kernel, 1, sizeof n, &n));
    void *svm = clSVMAlloc(context, 0, 4096, 0);
    cl_event ended, waits, user = MADE(clCreateUserEvent, context);
    MUST(clEnqueueFillBuffer(queue, buffer, &n, sizeof n, 0, 4096, 0, NULL, &ended));
    MUST(clFinish(queue));
    cl_ulong time = 0;
    EQ(clGetEventProfilingInfo(ended, CL_PROFILING_COMMAND_END, sizeof time, &time, NULL), CL_SUCCESS);
    MUST(clEnqueueFillBuffer(queue, buffer, &n, sizeof n, 0, 4096, 1, &user, &waits));
    EQ(told, 0);
    EQ(terminate(context), CL_SUCCESS);
    CHECK(told > 0);
    EQ(terminate(context), TERMINATED);

    /* What has ended keeps its status; what has not has the context's. */
    EQ(status_of(ended), CL_COMPLETE);
    EQ(status_of(waits), TERMINATED);
    EQ(status_of(user), CL_SUBMITTED);
    EQ(clGetEventProfilingInfo(ended, CL_PROFILING_COMMAND_END, sizeof time, &time, NULL),
       CL_PROFILING_INFO_NOT_AVAILABLE);
    EQ(clWaitForEvents(1, &ended), CL_SUCCESS);
    EQ(clWaitForEvents(1, &waits), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    EQ(clSetUserEventStatus(user, CL_COMPLETE), CL_SUCCESS);
    EQ(status_of(user), CL_COMPLETE);
    EQ(status_of(waits), TERMINATED);

    check_creation(context, program, kernel, buffer);
    check_enqueue(queue, kernel, buffer, svm);
    EQ(status_of(waits), TERMINATED);

    /* Queries, retains and releases go on. */
    cl_uint count = 0;
    EQ(clGetContextInfo(context, CL_CONTEXT_NUM_DEVICES, sizeof count, &count, NULL), CL_SUCCESS);
    EQ(count, 1);
    EQ(clRetainContext(context), CL_SUCCESS);
    EQ(clReleaseContext(context), CL_SUCCESS);
    size_t size = 0;
    EQ(clGetMemObjectInfo(buffer, CL_MEM_SIZE, sizeof size, &size, NULL), CL_SUCCESS);
    EQ(size, 4096);
    if (svm)
        clSVMFree(context, svm);
    MUST(clReleaseEvent(ended));
    MUST(clReleaseEvent(waits));
    MUST(clReleaseEvent(user));
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
    cl_bitfield capability = 0;
    if (!strstr(extensions, "cl_khr_terminate_context")) {
        refused(CL_TRUE, -1);
        EQ(clGetDeviceInfo(device, CAPABILITY, sizeof capability, &capability, NULL), CL_INVALID_VALUE);
        return finish();
    }
    MUST(clGetDeviceInfo(device, CAPABILITY_1X, sizeof capability, &capability, NULL));
    EQ(capability, 1);
    MUST(clGetDeviceInfo(device, CAPABILITY, sizeof capability, &capability, NULL));
    EQ(capability, 1);
    refused(2, -1);
    refused(CL_TRUE, CL_TRUE);
    refused(CL_TRUE, CL_TRUE);
    load_function(&terminate, "clTerminateContextKHR");
    EQ(terminate(NULL), CL_INVALID_CONTEXT);
    EQ(terminate((cl_context)device), CL_INVALID_CONTEXT);
    check_old_number();
    check_terminated();
    return finish();
}
