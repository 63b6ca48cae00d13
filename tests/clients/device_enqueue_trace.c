/* The trace shows kernels that the device enqueued: slices on the track of the command that led to them,
 * within its time, with the number of kernels of each block. The client runs itself with PUMICE_TRACE. */
#include "traced_run.h"

enum { CHILDREN = 37 };

static int has_queues(cl_device_id device)
{
    cl_bitfield there = 0;
    MUST(clGetDeviceInfo(device, CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES, sizeof there, &there, NULL));
    return there != 0;
}

static int worker(void)
{
    cl_int error = 0;
    cl_device_id device = pumice_device();
    cl_context context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    cl_command_queue queue = MADE(clCreateCommandQueueWithProperties, context, device, NULL);
    cl_queue_properties list[] = {CL_QUEUE_PROPERTIES,
                                  CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_ON_DEVICE
                                      | CL_QUEUE_ON_DEVICE_DEFAULT,
                                  0};
    clCreateCommandQueueWithProperties(context, device, list, &error);
    MUST(error);
    const char *source =
        "kernel void parent(global int *p, int n)\n"
        "{\n"
        "  for (int i = 0; i < n; i++)\n"
        "    enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), ^{ atomic_inc(p); });\n"
        "}\n";
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
    MUST(clBuildProgram(program, 0, NULL, "-cl-std=CL3.0", NULL, NULL));
    cl_kernel kernel = MADE(clCreateKernel, program, "parent");
    cl_int number = 0, children = CHILDREN;
    cl_mem buffer =
        clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof number, &number, &error);
    MUST(error);
    MUST(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    MUST(clSetKernelArg(kernel, 1, sizeof children, &children));
    size_t one = 1;
    /* The second launch finds its kernels made, and counts anew. */
    for (int i = 0; i < 2; i++)
        MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    MUST_END(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof number, &number, 0, NULL, NULL));
    EQ(number, 2 * CHILDREN);
    return failures != 0;
}

/* A number behind a key of a line. */
static double field(const char *line, const char *key)
{
    const char *at = strstr(line, key);
    return at ? strtod(at + strlen(key), NULL) : -1;
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return worker();
    if (!has_queues(pumice_device()))
        return finish();
    EQ(traced_run("/proc/self/exe", "worker"), 0);

    double starts[2] = {0}, ends[2] = {0}, track = -1;
    int parents = 0, kernels = 0, outside = 0;
    /* Parts stand behind the command that they belong to. */
    for (char *line = strtok(trace, "\n"); line; line = strtok(NULL, "\n")) {
        if (!strstr(line, "\"cat\":\"device\"") && !strstr(line, "\"cat\":\"enqueued\""))
            continue;
        double start = field(line, "\"ts\":"), end = start + field(line, "\"dur\":");
        if (strstr(line, "\"name\":\"parent\"") && parents < 2) {
            track = field(line, "\"tid\":");
            starts[parents] = start;
            ends[parents++] = end;
        } else if (strstr(line, ".block0\":") && parents > 0) {
            kernels += (int)field(line, ".block0\":");
            outside += !strstr(line, "\"cat\":\"enqueued\"") || field(line, "\"tid\":") != track || start < starts[parents - 1] - 0.01
                       || end > ends[parents - 1] + 0.01;
        }
    }
    EQ(parents, 2);
    EQ(kernels, 2 * CHILDREN);
    EQ(outside, 0);
    return finish();
}
