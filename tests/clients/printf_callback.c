/* cl_arm_printf: a context's own printf callback gets the text, whole and in order, before clFinish and clWaitForEvents
 * return; it may call OpenCL. */
#include "common.h"

enum { CALLBACK = 0x40B0, BUFFERSIZE = 0x40B1 };

static char text[1 << 16];
static size_t length;
static int completed;
static cl_command_queue queue;

static void take(const char *buffer, size_t size, size_t complete, void *data)
{
    CHECK(data == &length && size > 0 && length + size < sizeof text);
    memcpy(text + length, buffer, size);
    length += size;
    completed += complete != 0;
    /* Calls from a callback do not wait for it. */
    if (queue)
        MUST(clFinish(queue));
}

int main(void)
{
    cl_device_id device = pumice_device();
    static char names[8192];
    MUST(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof names, names, NULL));
    CHECK(strstr(names, "cl_arm_printf"));
    cl_context_properties list[] = {CALLBACK,            (cl_context_properties)take,
                                    BUFFERSIZE,          1 << 20,
                                    CL_CONTEXT_PLATFORM, (cl_context_properties)pumice_platform(), 0};
    cl_int error;
    cl_context context = MADE(clCreateContext, list, 1, &device, NULL, &length);
    cl_context_properties kept[7];
    size_t size = 0;
    MUST(clGetContextInfo(context, CL_CONTEXT_PROPERTIES, sizeof kept, kept, &size));
    CHECK(size == sizeof list && !memcmp(kept, list, sizeof list));
    queue = MADE(clCreateCommandQueue, context, device, 0);
    const char *source = "kernel void k(int n) { for (int i = 0; i < 3; i++) printf(\"%d:%d;\", n, i); }\n"
                         "kernel void silent(int n) { if (n < 0) printf(\"never\"); }";
    cl_program program = PROGRAM(context, source, NULL);
    cl_kernel kernel = MADE(clCreateKernel, program, "k");
    cl_kernel silent = MADE(clCreateKernel, program, "silent");
    char expected[4096] = "";
    size_t one = 1;
    for (int n = 0; n < 20; n++) {
        MUST(clSetKernelArg(kernel, 0, sizeof n, &n));
        MUST(clSetKernelArg(silent, 0, sizeof n, &n));
        cl_event event;
        MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, &event));
        MUST(clEnqueueNDRangeKernel(queue, silent, 1, NULL, &one, NULL, 0, NULL, NULL));
        for (int i = 0; i < 3; i++)
            sprintf(expected + strlen(expected), "%d:%d;", n, i);
        if (n % 2)
            MUST(clFinish(queue));
        else
            MUST(clWaitForEvents(1, &event));
        MUST(clReleaseEvent(event));
        EQ(length, strlen(expected));
    }
    CHECK(!strcmp(text, expected));
    EQ(completed, 20);
    MUST(clReleaseKernel(silent));
    MUST(clReleaseKernel(kernel));
    MUST(clReleaseProgram(program));
    cl_command_queue last = queue;
    queue = NULL;
    MUST(clReleaseCommandQueue(last));
    release_last(context);

    cl_context_properties wrong[][3] = {{CALLBACK, 0, 0}, {BUFFERSIZE, 0, 0}};
    for (int i = 0; i < 2; i++) {
        CHECK(!clCreateContext(wrong[i], 1, &device, NULL, NULL, &error));
        EQ(error, CL_INVALID_PROPERTY);
    }
    CHECK(!clCreateContext(NULL, 1, &device, NULL, &length, &error));
    EQ(error, CL_INVALID_VALUE);
    return finish();
}
