// client: once-a-driver
/* Objects that are released while the process ends, as those in static C++ objects are: after the
 * Vulkan driver's own exit handlers, with a kernel perhaps still running. */
#include "common.h"

static cl_context context;
static cl_command_queue queue;
static cl_program program;
static cl_kernel kernel;
static cl_mem buffer;

static void at_exit(void)
{
    MUST(clReleaseKernel(kernel));
    MUST(clReleaseProgram(program));
    MUST(clReleaseMemObject(buffer));
    MUST(clReleaseCommandQueue(queue));
    MUST(clReleaseContext(context));
    puts("ok");
}

int main(void)
{
    /* Registered first, so it runs last. */
    atexit(at_exit);
    cl_device_id device = pumice_device();
    context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    queue = MADE(clCreateCommandQueueWithProperties, context, device, NULL);
    const char *source = "kernel void fill(global int *out)\n"
                         "{\n"
                         "    int x = 1;\n"
                         "    for (int i = 0; i < 2000; i++) x = x * 3 + i;\n"
                         "    out[get_global_id(0)] = x;\n"
                         "}\n";
    program = PROGRAM(context, source, NULL);
    kernel = MADE(clCreateKernel, program, "fill");
    size_t global = 1 << 16;
    buffer = MADE(clCreateBuffer, context, 0, global * 4, NULL);
    MUST(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    for (int i = 0; i < 20; i++)
        MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
    MUST(clFlush(queue));
    return 0;
}
