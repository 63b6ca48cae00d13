/* The time of a kernel's first launch is without the time in which the driver makes its code, whether the launch is
 * alone, behind another one, or in a queue without an order. The kernels are large, their work is small. */
#include "common.h"

enum { KERNELS = 3, STATEMENTS = 200, TEXT = STATEMENTS * 64 };

static cl_context context;
static cl_device_id device;

static cl_command_queue make_queue(cl_command_queue_properties bits)
{
    cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, bits | CL_QUEUE_PROFILING_ENABLE, 0};
    return MADE(clCreateCommandQueueWithProperties, context, device, list);
}

/* Returns a kernel that no cache of the driver's has: its constants depend on the time. */
static cl_kernel make_kernel(unsigned number, cl_mem buffer)
{
    static char text[TEXT];
    char *at = text;
    unsigned seed = (unsigned)time(NULL) * 8 + number + (unsigned)getpid() * 1000003u;
    at += sprintf(at, "kernel void large(global uint *p)\n{\n    uint x = p[get_global_id(0)];\n");
    for (int i = 0; i < STATEMENTS; i++) {
        seed += 0x9e3779b9u;
        at += sprintf(at, "    x = (x ^ %uu) * %uu + p[x %% 61];\n", seed, seed | 1);
    }
    sprintf(at, "    p[get_global_id(0)] = x;\n}\n");
    const char *source = text;
    cl_program program = PROGRAM(context, source, "");
    cl_kernel kernel = MADE(clCreateKernel, program, "large");
    MUST(clReleaseProgram(program));
    MUST(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    return kernel;
}

static cl_event launch(cl_command_queue queue, cl_kernel kernel)
{
    size_t items = 64;
    cl_event event;
    MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, &event));
    return event;
}

static cl_ulong time_of(cl_event event, cl_profiling_info what)
{
    cl_ulong time = 0;
    MUST(clGetEventProfilingInfo(event, what, sizeof time, &time, NULL));
    return time;
}

/* Looks at a kernel's first launch, which follows a launch of another kernel if there is one. */
static void first_launch(cl_command_queue queue, cl_kernel before, cl_kernel kernel)
{
    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    cl_event other = before ? launch(queue, before) : NULL;
    cl_event event = launch(queue, kernel);
    MUST(clFinish(queue));
    clock_gettime(CLOCK_MONOTONIC, &end);
    long long whole = (end.tv_sec - start.tv_sec) * 1000000000ll + end.tv_nsec - start.tv_nsec;
    long long on_device = time_of(event, CL_PROFILING_COMMAND_END) - time_of(event, CL_PROFILING_COMMAND_START);
    /* A driver that makes the code of so large a kernel in no time leaves nothing to look at. */
    if (whole > 40000000 && on_device > whole / 4) {
        fprintf(stderr, "of %lld ms the first launch takes %lld\n", whole / 1000000, on_device / 1000000);
        failures++;
    }
    if (other) {
        CHECK(time_of(event, CL_PROFILING_COMMAND_START) >= time_of(other, CL_PROFILING_COMMAND_END));
        MUST(clReleaseEvent(other));
    }
    MUST(clReleaseEvent(event));
}

int main(void)
{
    device = pumice_device();
    context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    cl_mem buffer = MADE(clCreateBuffer, context, 0, 256, NULL);
    cl_command_queue in_order = make_queue(0);
    cl_command_queue out_of_order = make_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    cl_uint zero = 0;
    MUST(clEnqueueFillBuffer(in_order, buffer, &zero, sizeof zero, 0, 256, 0, NULL, NULL));
    MUST(clFinish(in_order));
    cl_kernel kernels[KERNELS];
    for (unsigned i = 0; i < KERNELS; i++)
        kernels[i] = make_kernel(i, buffer);
    first_launch(in_order, NULL, kernels[0]);
    first_launch(in_order, kernels[0], kernels[1]);
    first_launch(out_of_order, NULL, kernels[2]);
    for (int i = 0; i < KERNELS; i++)
        MUST(clReleaseKernel(kernels[i]));
    MUST(clReleaseMemObject(buffer));
    MUST(clReleaseCommandQueue(out_of_order));
    MUST(clReleaseCommandQueue(in_order));
    release_last(context);
    return finish();
}
