// client: env PUMICE_LOG=off,api=warn
// client: env PUMICE_LOG_FILE=target/clients/reasons-%p.log
/* Errors come with their reason: in the log, and to the callback of the context, word for word. */
#include "common.h"
#include <unistd.h>

static char told[2000];
static int times;

static void CL_CALLBACK on_error(const char *text, const void *info, size_t size, void *data)
{
    CHECK(info == NULL && size == 0 && data == told);
    snprintf(told, sizeof told, "%s", text);
    times++;
}

/* Everything that the callback was told, which the log must have too. */
static char expected_log[1 << 16];

/* Checks what the last call told the callback. */
static void expect(int line, const char *text)
{
    if (times != 1 || strcmp(told, text)) {
        fprintf(stderr, "line %d: told %d times:\n  %s\ninstead of\n  %s\n", line, times, told, text);
        failures++;
    }
    size_t length = strlen(expected_log);
    snprintf(expected_log + length, sizeof expected_log - length, "pumice: warn: api: %s\n", text);
    times = 0;
    told[0] = 0;
}

#define TOLD(...)                                        \
    do {                                                 \
        char text_[1000];                                \
        snprintf(text_, sizeof text_, __VA_ARGS__);      \
        expect(__LINE__, text_);                         \
    } while (0)

static size_t size_info(cl_device_id device, cl_device_info name)
{
    size_t value = 0;
    MUST(clGetDeviceInfo(device, name, sizeof value, &value, NULL));
    return value;
}

static const char source[] =
    "kernel void va(global const float *a, global float *b, local float *t, int n) {\n"
    "    t[get_local_id(0)] = a[n]; barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    b[get_global_id(0)] = t[get_local_id(0)];\n"
    "}\n"
    "kernel void two(global int *p, float4 v) { p[0] = (int)v.x; }\n"
    "kernel __attribute__((reqd_work_group_size(4, 1, 1))) void four(global int *p) { p[get_global_id(0)] = 1; }\n";

static void arguments(cl_context context, cl_command_queue queue, cl_program program, cl_mem buffer)
{
    cl_int err;
    cl_kernel kernel = clCreateKernel(program, "vb", &err);
    EQ(err, CL_INVALID_KERNEL_NAME);
    TOLD("clCreateKernel: CL_INVALID_KERNEL_NAME: the program has no kernel vb; its kernels: va, two, four");
    kernel = MADE(clCreateKernel, program, "va");
    long eight = 1;
    EQ(clSetKernelArg(kernel, 3, sizeof eight, &eight), CL_INVALID_ARG_SIZE);
    TOLD("clSetKernelArg: CL_INVALID_ARG_SIZE: kernel va, argument 3 (int n): 8 bytes given, 4 expected");
    EQ(clSetKernelArg(kernel, 0, 4, &buffer), CL_INVALID_ARG_SIZE);
    TOLD("clSetKernelArg: CL_INVALID_ARG_SIZE: kernel va, argument 0 (float* a): 4 bytes given, 8 expected");
    EQ(clSetKernelArg(kernel, 4, sizeof eight, &eight), CL_INVALID_ARG_INDEX);
    TOLD("clSetKernelArg: CL_INVALID_ARG_INDEX: kernel va has 4 arguments, index 4 given");
    EQ(clSetKernelArg(kernel, 2, 16, &eight), CL_INVALID_ARG_VALUE);
    TOLD("clSetKernelArg: CL_INVALID_ARG_VALUE: kernel va, argument 2 (float* t): "
         "arg_value of a local argument must be NULL");
    EQ(clSetKernelArg(kernel, 3, 4, NULL), CL_INVALID_ARG_VALUE);
    TOLD("clSetKernelArg: CL_INVALID_ARG_VALUE: kernel va, argument 3 (int n): arg_value is NULL");
    cl_mem wrong = (cl_mem)kernel;
    EQ(clSetKernelArg(kernel, 0, sizeof wrong, &wrong), CL_INVALID_MEM_OBJECT);
    TOLD("clSetKernelArg: CL_INVALID_MEM_OBJECT: the handle is not a valid object of this type");

    size_t global = 16, local = 4;
    cl_int n = 0;
    MUST(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    EQ(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL), CL_INVALID_KERNEL_ARGS);
    TOLD("clEnqueueNDRangeKernel: CL_INVALID_KERNEL_ARGS: kernel va, argument 1 (float* b): it has not been set");
    MUST(clSetKernelArg(kernel, 1, sizeof buffer, &buffer));
    MUST(clSetKernelArg(kernel, 2, 4096, NULL));
    EQ(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL), CL_INVALID_KERNEL_ARGS);
    TOLD("clEnqueueNDRangeKernel: CL_INVALID_KERNEL_ARGS: kernel va, argument 3 (int n): it has not been set");
    MUST(clSetKernelArg(kernel, 3, sizeof n, &n));
    EQ(clEnqueueNDRangeKernel(queue, kernel, 4, NULL, &global, &local, 0, NULL, NULL), CL_INVALID_WORK_DIMENSION);
    TOLD("clEnqueueNDRangeKernel: CL_INVALID_WORK_DIMENSION: work_dim is 4, not 1, 2 or 3");
    MUST(clReleaseKernel(kernel));
    (void)context;
}

static void ranges(cl_device_id device, cl_command_queue queue, cl_program program, cl_mem buffer)
{
    cl_kernel kernel = MADE(clCreateKernel, program, "two");
    cl_float4 v = {{1, 2, 3, 4}};
    MUST(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    MUST(clSetKernelArg(kernel, 1, sizeof v, &v));
    size_t most = 0;
    MUST(clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most, NULL));
    size_t large = 2 * most, zero = 0, sixteen = 16;
    EQ(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &large, &large, 0, NULL, NULL), CL_INVALID_WORK_GROUP_SIZE);
    TOLD("clEnqueueNDRangeKernel: CL_INVALID_WORK_GROUP_SIZE: kernel two: work-group size: %zux1x1 given, "
         "the kernel takes at most %zu work-items", large, most);
    EQ(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &sixteen, &zero, 0, NULL, NULL), CL_INVALID_WORK_GROUP_SIZE);
    TOLD("clEnqueueNDRangeKernel: CL_INVALID_WORK_GROUP_SIZE: kernel two: work-group size: 0x1x1 given, "
         "a dimension is 0");
    size_t five = 5;
    EQ(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &sixteen, &five, 0, NULL, NULL), CL_INVALID_WORK_GROUP_SIZE);
    TOLD("clEnqueueNDRangeKernel: CL_INVALID_WORK_GROUP_SIZE: kernel two: work-group size: 5x1x1 does not divide "
         "the global size 16x1x1");
    MUST(clReleaseKernel(kernel));
    kernel = MADE(clCreateKernel, program, "four");
    MUST(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    size_t eight = 8;
    EQ(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &eight, &eight, 0, NULL, NULL), CL_INVALID_WORK_GROUP_SIZE);
    TOLD("clEnqueueNDRangeKernel: CL_INVALID_WORK_GROUP_SIZE: kernel four: work-group size: 8x1x1 given, "
         "the kernel requires 4x1x1");
    MUST(clReleaseKernel(kernel));
}

static void memory(cl_device_id device, cl_context context, cl_command_queue queue, cl_mem buffer)
{
    cl_int err;
    cl_ulong most = 0;
    MUST(clGetDeviceInfo(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof most, &most, NULL));
    clCreateBuffer(context, 0, (size_t)most + 4, NULL, &err);
    EQ(err, CL_INVALID_BUFFER_SIZE);
    TOLD("clCreateBuffer: CL_INVALID_BUFFER_SIZE: %zu bytes are more than CL_DEVICE_MAX_MEM_ALLOC_SIZE of every "
         "device (%zu)", (size_t)most + 4, (size_t)most);
    clCreateBuffer(context, 0, 0, NULL, &err);
    EQ(err, CL_INVALID_BUFFER_SIZE);
    TOLD("clCreateBuffer: CL_INVALID_BUFFER_SIZE: the size is 0");
    clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, 4, NULL, &err);
    EQ(err, CL_INVALID_HOST_PTR);
    TOLD("clCreateBuffer: CL_INVALID_HOST_PTR: host_ptr is NULL, which the flags do not allow");
    clCreateBuffer(context, 0, 4, &err, &err);
    EQ(err, CL_INVALID_HOST_PTR);
    TOLD("clCreateBuffer: CL_INVALID_HOST_PTR: host_ptr is given without CL_MEM_USE_HOST_PTR or "
         "CL_MEM_COPY_HOST_PTR");
    size_t align = 0;
    cl_uint bits = 0;
    MUST(clGetDeviceInfo(device, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof bits, &bits, NULL));
    align = bits / 8;
    cl_buffer_region region = {align + 1, 4};
    clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &err);
    EQ(err, CL_MISALIGNED_SUB_BUFFER_OFFSET);
    TOLD("clCreateSubBuffer: CL_MISALIGNED_SUB_BUFFER_OFFSET: origin %zu is no multiple of a device's %zu bytes",
         align + 1, align);
    char bytes[16];
    EQ(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 4090, 16, bytes, 0, NULL, NULL), CL_INVALID_VALUE);
    TOLD("clEnqueueReadBuffer: CL_INVALID_VALUE: 16 bytes at offset 4090 are not inside the 4096 bytes of the object");
    EQ(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, 16, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
    TOLD("clEnqueueWriteBuffer: CL_INVALID_VALUE: ptr is NULL");
    cl_event none = NULL;
    EQ(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 16, bytes, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
    TOLD("clEnqueueReadBuffer: CL_INVALID_EVENT_WAIT_LIST: a list of 1 elements is NULL");
    EQ(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 16, bytes, 1, &none, NULL), CL_INVALID_EVENT_WAIT_LIST);
    TOLD("clEnqueueReadBuffer: CL_INVALID_EVENT_WAIT_LIST: an element of the wait list is not an event");
}

static void shared_memory(cl_device_id device, cl_context context, cl_command_queue queue)
{
    cl_device_svm_capabilities svm = 0;
    MUST(clGetDeviceInfo(device, CL_DEVICE_SVM_CAPABILITIES, sizeof svm, &svm, NULL));
    int x = 0;
    if (!svm) {
        CHECK(clSVMAlloc(context, CL_MEM_READ_WRITE, 64, 0) == NULL);
        TOLD("clSVMAlloc: NULL: no device supports flags 0x1");
        EQ(clEnqueueSVMMemFill(queue, &x, &x, 4, 4, 0, NULL, NULL), CL_INVALID_OPERATION);
        TOLD("clEnqueueSVMMemFill: CL_INVALID_OPERATION: the device does not support shared virtual memory");
        return;
    }
    CHECK(clSVMAlloc(context, CL_MEM_READ_WRITE, 64, 3) == NULL);
    TOLD("clSVMAlloc: NULL: alignment 3 is no power of 2 up to 256");
    EQ(clEnqueueSVMMemFill(queue, NULL, &x, 4, 4, 0, NULL, NULL), CL_INVALID_VALUE);
    TOLD("clEnqueueSVMMemFill: CL_INVALID_VALUE: the SVM pointer is NULL");
    const void *nowhere = (void *)64;
    EQ(clEnqueueSVMMigrateMem(queue, 1, &nowhere, NULL, 0, 0, NULL, NULL), CL_INVALID_VALUE);
    TOLD("clEnqueueSVMMigrateMem: CL_INVALID_VALUE: 0 bytes at 0x40 are not inside one allocation");
}

static void images(cl_device_id device, cl_context context)
{
    cl_bool supported = CL_FALSE;
    MUST(clGetDeviceInfo(device, CL_DEVICE_IMAGE_SUPPORT, sizeof supported, &supported, NULL));
    cl_int err;
    cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
    cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 1 << 28, .image_height = 1};
    clCreateImage(context, 0, &format, &desc, NULL, &err);
    if (!supported) {
        EQ(err, CL_INVALID_OPERATION);
        TOLD("clCreateImage: CL_INVALID_OPERATION: no device of the context supports images");
        return;
    }
    EQ(err, CL_INVALID_IMAGE_SIZE);
    TOLD("clCreateImage: CL_INVALID_IMAGE_SIZE: 268435456x1x0 is beyond the limits of every device");
    format.image_channel_data_type = CL_UNORM_SHORT_565;
    clCreateImage(context, 0, &format, &desc, NULL, &err);
    EQ(err, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    TOLD("clCreateImage: CL_INVALID_IMAGE_FORMAT_DESCRIPTOR: order 0x10b5 does not go with data type 0x10d4");
}

/* Arguments that are NULL, zero or of something else. */
static void contradictions(cl_device_id device, cl_context context, cl_command_queue queue, cl_program program,
                           cl_mem buffer)
{
    cl_int err;
    clCreateCommandQueue(context, device, 1 << 20, &err);
    EQ(err, CL_INVALID_VALUE);
    TOLD("clCreateCommandQueue: CL_INVALID_VALUE: the bits 0x100000 of CL_QUEUE_PROPERTIES are not all known");
    cl_queue_properties twice[] = {CL_QUEUE_PROPERTIES, 0, CL_QUEUE_PROPERTIES, 0, 0};
    clCreateCommandQueueWithProperties(context, device, twice, &err);
    EQ(err, CL_INVALID_VALUE);
    TOLD("clCreateCommandQueueWithProperties: CL_INVALID_VALUE: property 0x1093 is given twice");
    cl_queue_properties unknown[] = {0x4321, 7, 0};
    clCreateCommandQueueWithProperties(context, device, unknown, &err);
    EQ(err, CL_INVALID_VALUE);
    TOLD("clCreateCommandQueueWithProperties: CL_INVALID_VALUE: 0x4321 is no property of queues, or cannot be 0x7");

    const char *strings[] = {"kernel void k(void) {", NULL};
    clCreateProgramWithSource(context, 2, strings, NULL, &err);
    EQ(err, CL_INVALID_VALUE);
    TOLD("clCreateProgramWithSource: CL_INVALID_VALUE: string 1 of 2 is NULL");
    clCreateKernel(program, NULL, &err);
    EQ(err, CL_INVALID_VALUE);
    TOLD("clCreateKernel: CL_INVALID_VALUE: a required string is NULL");
    cl_kernel one;
    EQ(clCreateKernelsInProgram(program, 1, &one, NULL), CL_INVALID_VALUE);
    TOLD("clCreateKernelsInProgram: CL_INVALID_VALUE: kernels has room for 1, the program has 3");
    char small[2];
    EQ(clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, sizeof small, small, NULL), CL_INVALID_VALUE);
    TOLD("clGetProgramInfo: CL_INVALID_VALUE: param_value has 2 bytes, the answer 12");

    size_t origin[3] = {0, 0, 0}, region[3] = {16, 4, 1}, empty[3] = {16, 0, 1};
    char bytes[64];
    EQ(clEnqueueReadBufferRect(queue, buffer, CL_TRUE, origin, origin, region, 8, 0, 0, 0, bytes, 0, NULL, NULL),
       CL_INVALID_VALUE);
    TOLD("clEnqueueReadBufferRect: CL_INVALID_VALUE: row pitch 8 is less than the 16 bytes of a row");
    EQ(clEnqueueReadBufferRect(queue, buffer, CL_TRUE, origin, origin, region, 0, 70, 0, 0, bytes, 0, NULL, NULL),
       CL_INVALID_VALUE);
    TOLD("clEnqueueReadBufferRect: CL_INVALID_VALUE: slice pitch 70 is less than the 64 bytes of a slice, or no "
         "multiple of row pitch 16");
    EQ(clEnqueueReadBufferRect(queue, buffer, CL_TRUE, NULL, origin, region, 0, 0, 0, 0, bytes, 0, NULL, NULL),
       CL_INVALID_VALUE);
    TOLD("clEnqueueReadBufferRect: CL_INVALID_VALUE: an origin or region is NULL");
    EQ(clEnqueueCopyBufferRect(queue, buffer, buffer, origin, origin, empty, 0, 0, 0, 0, 0, NULL, NULL),
       CL_INVALID_VALUE);
    TOLD("clEnqueueCopyBufferRect: CL_INVALID_VALUE: a size of the region is 0");
    EQ(clEnqueueCopyBuffer(queue, buffer, buffer, 0, 8, 16, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
    TOLD("clEnqueueCopyBuffer: CL_MEM_COPY_OVERLAP: source and destination overlap");
    clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE_INVALIDATE_REGION, 0, 4, 0, NULL, NULL, &err);
    EQ(err, CL_INVALID_VALUE);
    TOLD("clEnqueueMapBuffer: CL_INVALID_VALUE: map flags 0x5 are not known, or join CL_MAP_WRITE_INVALIDATE_REGION "
         "with others");
    EQ(clEnqueueUnmapMemObject(queue, buffer, bytes, 0, NULL, NULL), CL_INVALID_VALUE);
    TOLD("clEnqueueUnmapMemObject: CL_INVALID_VALUE: mapped_ptr is no address that a map of this object gave");
    clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, NULL, &err);
    EQ(err, CL_INVALID_VALUE);
    TOLD("clCreateSubBuffer: CL_INVALID_VALUE: buffer_create_info is NULL");
    EQ(clSetMemObjectDestructorCallback(buffer, NULL, NULL), CL_INVALID_VALUE);
    TOLD("clSetMemObjectDestructorCallback: CL_INVALID_VALUE: pfn_notify is NULL");
    EQ(clEnqueueMarker(queue, NULL), CL_INVALID_VALUE);
    TOLD("clEnqueueMarker: CL_INVALID_VALUE: event is NULL");

    cl_event user = MADE(clCreateUserEvent, context);
    cl_ulong time;
    EQ(clGetEventProfilingInfo(user, CL_PROFILING_COMMAND_END, sizeof time, &time, NULL),
       CL_PROFILING_INFO_NOT_AVAILABLE);
    TOLD("clGetEventProfilingInfo: CL_PROFILING_INFO_NOT_AVAILABLE: a user event has no times");
    EQ(clSetUserEventStatus(user, 1), CL_INVALID_VALUE);
    TOLD("clSetUserEventStatus: CL_INVALID_VALUE: execution_status is 1, not CL_COMPLETE or negative");
    MUST(clSetUserEventStatus(user, -7));
    EQ(clSetUserEventStatus(user, CL_COMPLETE), CL_INVALID_OPERATION);
    TOLD("clSetUserEventStatus: CL_INVALID_OPERATION: the status has been set before");
    EQ(clWaitForEvents(1, &user), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    TOLD("clWaitForEvents: CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST: the command of event 0 failed with -7");
    MUST(clReleaseEvent(user));
    cl_event marker;
    MUST(clEnqueueMarkerWithWaitList(queue, 0, NULL, &marker));
    MUST(clWaitForEvents(1, &marker));
    EQ(clGetEventProfilingInfo(marker, CL_PROFILING_COMMAND_END, sizeof time, &time, NULL),
       CL_PROFILING_INFO_NOT_AVAILABLE);
    TOLD("clGetEventProfilingInfo: CL_PROFILING_INFO_NOT_AVAILABLE: the queue was made without "
         "CL_QUEUE_PROFILING_ENABLE");
    EQ(clSetUserEventStatus(marker, CL_COMPLETE), CL_INVALID_EVENT);
    TOLD("clSetUserEventStatus: CL_INVALID_EVENT: the event is a command's, not a user event");
    MUST(clReleaseEvent(marker));
}

static void builds(cl_device_id device, cl_context context, cl_program built)
{
    cl_int err, status;
    const char *text = source;
    cl_program program = MADE(clCreateProgramWithSource, context, 1, &text, NULL);
    clCreateKernel(program, "va", &err);
    EQ(err, CL_INVALID_PROGRAM_EXECUTABLE);
    TOLD("clCreateKernel: CL_INVALID_PROGRAM_EXECUTABLE: the program has not been built for any device");
    EQ(clBuildProgram(program, 1, &device, "-cl-std=CL9.9", NULL, NULL), CL_INVALID_BUILD_OPTIONS);
    TOLD("clBuildProgram: CL_INVALID_BUILD_OPTIONS: invalid value 'CL9.9' in '-cl-std=CL9.9'; known: CL1.0, CL1.1, CL1.2, CL2.0, "
         "CL3.0, CL3.1");
    char log[200] = "";
    MUST(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
    CHECK(strcmp(log, "error: invalid value 'CL9.9' in '-cl-std=CL9.9'; known: CL1.0, CL1.1, CL1.2, CL2.0, CL3.0, CL3.1\n") == 0);
    EQ(clBuildProgram(program, 1, &device, "-w -ffast-math", NULL, NULL), CL_INVALID_BUILD_OPTIONS);
    TOLD("clBuildProgram: CL_INVALID_BUILD_OPTIONS: unknown argument: '-ffast-math'; did you mean "
         "'-cl-fast-relaxed-math'?");
    MUST(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL));
    EQ(status, CL_BUILD_ERROR);
    MUST(clBuildProgram(program, 1, &device, NULL, NULL, NULL));
    cl_kernel kernel = MADE(clCreateKernel, program, "two");
    EQ(clBuildProgram(program, 1, &device, NULL, NULL, NULL), CL_INVALID_OPERATION);
    TOLD("clBuildProgram: CL_INVALID_OPERATION: kernel objects of the program exist; release them first");
    MUST(clReleaseKernel(kernel));
    MUST(clReleaseProgram(program));

    size_t size = 0;
    MUST(clGetProgramInfo(built, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL));
    unsigned char *binary = malloc(size);
    MUST(clGetProgramInfo(built, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL));
    const unsigned char *given = binary;
    binary[size - 1] ^= 1;
    clCreateProgramWithBinary(context, 1, &device, &size, &given, &status, &err);
    EQ(err, CL_INVALID_BINARY);
    TOLD("clCreateProgramWithBinary: CL_INVALID_BINARY: binary 0: it is damaged or cut off");
    binary[8] ^= 1;
    clCreateProgramWithBinary(context, 1, &device, &size, &given, &status, &err);
    TOLD("clCreateProgramWithBinary: CL_INVALID_BINARY: binary 0: it was made by another version of Pumice; "
         "build the program again");
    binary[1] ^= 1;
    clCreateProgramWithBinary(context, 1, &device, &size, &given, &status, &err);
    TOLD("clCreateProgramWithBinary: CL_INVALID_BINARY: binary 0: it was not made by Pumice (other drivers' "
         "binaries cannot be used)");
    free(binary);
}

/* The log has the same lines. */
static void compare_log(void)
{
    char path[100];
    static char log[1 << 16];
    snprintf(path, sizeof path, "target/clients/reasons-%d.log", (int)getpid());
    FILE *file = fopen(path, "r");
    CHECK(file != NULL);
    if (!file)
        return;
    log[fread(log, 1, sizeof log - 1, file)] = 0;
    fclose(file);
    remove(path);
    if (strcmp(log, expected_log)) {
        fprintf(stderr, "the log is\n%s\ninstead of\n%s", log, expected_log);
        failures++;
    }
}

int main(void)
{
    cl_device_id device = pumice_device();
    cl_context context = MADE(clCreateContext, NULL, 1, &device, on_error, told);
    cl_command_queue queue = MADE(clCreateCommandQueueWithProperties, context, device, NULL);
    const char *text = source;
    cl_program program = PROGRAM(context, text, "-cl-uniform-work-group-size");
    cl_mem buffer = MADE(clCreateBuffer, context, 0, 4096, NULL);
    CHECK(size_info(device, CL_DEVICE_MAX_WORK_GROUP_SIZE) > 0);
    arguments(context, queue, program, buffer);
    ranges(device, queue, program, buffer);
    memory(device, context, queue, buffer);
    shared_memory(device, context, queue);
    images(device, context);
    contradictions(device, context, queue, program, buffer);
    builds(device, context, program);
    EQ(times, 0);
    compare_log();
    MUST(clReleaseMemObject(buffer));
    MUST(clReleaseProgram(program));
    MUST(clReleaseCommandQueue(queue));
    MUST(clReleaseContext(context));
    return finish();
}
