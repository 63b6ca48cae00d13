/* A device without device addresses: pointers are descriptors, what needs addresses is diagnosed
 * and absent, and what does not is as on any other device. */
// client: env PUMICE_ABI=descriptors
// client: once
#include "common.h"

static cl_context context;
static cl_device_id device;
static cl_command_queue queue;

/* The program, or NULL with its log in `log`. */
static cl_program build(const char *source, const char *options, char log[4096])
{
    cl_int error = 0;
    cl_program program = MADE(clCreateProgramWithSource, context, 1, &source, NULL);
    error = clBuildProgram(program, 0, NULL, options, NULL, NULL);
    log[0] = 0;
    MUST(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 4096, log, NULL));
    if (error == CL_SUCCESS)
        return program;
    EQ(error, CL_BUILD_PROGRAM_FAILURE);
    MUST(clReleaseProgram(program));
    return NULL;
}

static void diagnosed(const char *source, const char *text)
{
    char log[4096];
    CHECK(!build(source, "-g", log));
    if (!strstr(log, text)) {
        fprintf(stderr, "no \"%s\" in: %s\n", text, log);
        failures++;
    }
}

static void set_buffer(cl_kernel kernel, cl_uint index, cl_mem buffer)
{
    MUST(clSetKernelArg(kernel, index, sizeof buffer, &buffer));
}

int main(void)
{
    cl_int error = 0;
    char log[4096];
    device = pumice_device();
    context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    queue = MADE(clCreateCommandQueueWithProperties, context, device, NULL);

    cl_device_svm_capabilities svm = 1;
    MUST(clGetDeviceInfo(device, CL_DEVICE_SVM_CAPABILITIES, sizeof svm, &svm, NULL));
    EQ(svm, 0);
    cl_uint arguments = 0, alignment = 0;
    MUST(clGetDeviceInfo(device, CL_DEVICE_MAX_CONSTANT_ARGS, sizeof arguments, &arguments, NULL));
    CHECK(arguments >= 8);
    MUST(clGetDeviceInfo(device, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof alignment, &alignment, NULL));
    alignment /= 8;

    diagnosed("kernel void k(global ulong *a)\n{\n    global int *p = (global int *)a[0];\n    *p = 1;\n}",
              "line 4: a pointer made of an integer");
    diagnosed("struct s { global int *p; };\nkernel void k(global struct s *a)\n{\n    *a->p = 1;\n}",
              "line 4: a pointer loaded from memory");
    diagnosed("kernel void k(global int *a, global int *b)\n{\n    *a = a == b;\n}",
              "line 3: the comparison of pointers into two arguments");

    cl_program program = build(
        "kernel void k(global int *a, global int *b, global char *c, int n)\n"
        "{\n"
        "    global int *p = n & 1 ? a : b;\n"
        "    for (int i = 0; i < n; i++) {\n"
        "        p[i] += i + 1;\n"
        "        p = p == a ? a : p;\n"
        "    }\n"
        "    b[0] = a[0];\n"
        "    a[1] = b[1] + 1;\n"
        "    if (c) c[1] = 5;\n"
        "}\n", "", log);
    CHECK(!program);
    program = build(
        "kernel void k(global int *a, global int *b, global char *c, int n)\n"
        "{\n"
        "    global int *p = n & 1 ? a : b;\n"
        "    for (int i = 0; i < n; i++)\n"
        "        p[i] += i + 1;\n"
        "    b[0] = a[0];\n"
        "    a[1] = b[1] + 1;\n"
        "    if (c) c[1] = 5;\n"
        "}\n", "", log);
    if (!program) {
        fprintf(stderr, "%s", log);
        return 1;
    }
    cl_kernel kernel = MADE(clCreateKernel, program, "k");
    int zero[64] = {0}, got[64];
    cl_mem one = MADE(clCreateBuffer, context, CL_MEM_COPY_HOST_PTR, sizeof zero, zero);
    cl_mem bytes = MADE(clCreateBuffer, context, CL_MEM_READ_WRITE, 2, NULL);
    size_t item = 1;
    for (int n = 1; n <= 3; n++) {
        /* Both arguments are one buffer: what goes through one is seen through the other. */
        set_buffer(kernel, 0, one);
        set_buffer(kernel, 1, one);
        MUST(clSetKernelArg(kernel, 2, sizeof(cl_mem), NULL));
        MUST(clSetKernelArg(kernel, 3, sizeof n, &n));
        MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &item, NULL, 0, NULL, NULL));
    }
    MUST(clEnqueueReadBuffer(queue, one, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    EQ(got[0], 3);
    EQ(got[1], 2 + 2 + 3);
    EQ(got[2], 3);
    set_buffer(kernel, 2, bytes);
    MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &item, NULL, 0, NULL, NULL));
    char two[2];
    MUST(clEnqueueReadBuffer(queue, bytes, CL_TRUE, 0, 2, two, 0, NULL, NULL));
    EQ(two[1], 5);

    /* Sub-buffers begin where descriptors may. */
    cl_mem large = MADE(clCreateBuffer, context, CL_MEM_READ_WRITE, 4 * alignment, NULL);
    cl_buffer_region region = {alignment, 8};
    cl_mem part = clCreateSubBuffer(large, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region,
                                    &error);
    MUST(error);
    int filler = 1, n = 2;
    MUST(clEnqueueFillBuffer(queue, large, &filler, 4, 0, 4 * alignment, 0, NULL, NULL));
    set_buffer(kernel, 0, part);
    set_buffer(kernel, 1, part);
    MUST(clSetKernelArg(kernel, 3, sizeof n, &n));
    MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &item, NULL, 0, NULL, NULL));
    int around[4];
    MUST(clEnqueueReadBuffer(queue, large, CL_TRUE, alignment - 4, sizeof around, around, 0, NULL, NULL));
    EQ(around[0], 1);
    EQ(around[1], 2);
    EQ(around[2], 4);
    EQ(around[3], 1);
    region.origin = alignment / 2;
    CHECK(!clCreateSubBuffer(large, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &error));
    EQ(error, CL_MISALIGNED_SUB_BUFFER_OFFSET);

    MUST(clReleaseMemObject(part));
    MUST(clReleaseMemObject(large));
    MUST(clReleaseMemObject(bytes));
    MUST(clReleaseMemObject(one));
    MUST(clReleaseKernel(kernel));
    MUST(clReleaseProgram(program));
    MUST(clReleaseCommandQueue(queue));
    release_last(context);
    return finish();
}
