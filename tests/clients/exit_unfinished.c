// client: once-a-driver
/* The process ends with a kernel under way: exit handlers that were registered after the context, as the
 * destructors of the Vulkan driver's compiler can be, find the kernel complete. */
#include "common.h"

static cl_event event;

static void at_exit(void)
{
    cl_int status = 99;
    MUST(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    if (status != CL_COMPLETE) {
        fprintf(stderr, "the kernel's status is %d at exit\n", status);
        _Exit(1);
    }
    puts("ok");
}

int main(void)
{
    cl_device_id device = pumice_device();
    cl_context context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    atexit(at_exit);
    cl_command_queue queue = MADE(clCreateCommandQueueWithProperties, context, device, NULL);
    const char *source = "kernel void fill(global int *out)\n"
                         "{\n"
                         "    int x = 1;\n"
                         "    for (int i = 0; i < 2000; i++) x = x * 3 + (x >> 7) + i;\n"
                         "    out[get_global_id(0)] = x;\n"
                         "}\n";
    cl_program program = PROGRAM(context, source, NULL);
    cl_kernel kernel = MADE(clCreateKernel, program, "fill");
    size_t global = 1 << 18;
    cl_mem buffer = MADE(clCreateBuffer, context, 0, global * 4, NULL);
    MUST(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, &event));
    MUST(clFlush(queue));
    return 0;
}
