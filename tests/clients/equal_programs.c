/* Programs of one text: the Vulkan driver compiles their kernel once, even for those that are built when the first are gone,
 * and each has variables of its own. Another text is compiled. The client runs itself with PUMICE_TRACE. */
#include "traced_run.h"

static cl_context context;
static cl_command_queue queue;

static const char *const counts = "global int counter = 5; kernel void next(global int *o) { *o = counter++; }";
static const char *const counts_down = "global int counter = 5; kernel void next(global int *o) { *o = counter--; }";

static cl_program build(const char *text)
{
    return PROGRAM(context, text, "-cl-std=CL3.0");
}

/* Launches the kernel, which gives `expected`. */
static void expect(cl_program program, int expected)
{
    cl_int value = -1;
    size_t one = 1;
    cl_kernel kernel = MADE(clCreateKernel, program, "next");
    cl_mem buffer = MADE(clCreateBuffer, context, CL_MEM_COPY_HOST_PTR, sizeof value, &value);
    MUST(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    MUST(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof value, &value, 0, NULL, NULL));
    if (values_matter())
        EQ(value, expected);
    MUST(clReleaseMemObject(buffer));
    MUST(clReleaseKernel(kernel));
}

static int worker(void)
{
    cl_device_id device = pumice_device();
    context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    queue = MADE(clCreateCommandQueueWithProperties, context, device, NULL);
    cl_program first = build(counts), second = build(counts);
    expect(first, 5);
    expect(first, 6);
    expect(second, 5);
    expect(first, 7);
    MUST(clReleaseProgram(first));
    MUST(clReleaseProgram(second));
    cl_program third = build(counts), other = build(counts_down);
    expect(third, 5);
    expect(other, 5);
    expect(other, 4);
    expect(third, 6);
    MUST(clReleaseProgram(third));
    MUST(clReleaseProgram(other));
    MUST(clReleaseCommandQueue(queue));
    release_last(context);
    return failures != 0;
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return worker();
    EQ(traced_run(argv[0], "worker"), 0);
    EQ(traced_times("the Vulkan driver compiles"), 2);
    return finish();
}
