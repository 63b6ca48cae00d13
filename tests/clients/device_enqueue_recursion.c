/* Recursion by device-side enqueue: a chain of kernels, a tree in constant memory with a queue that is
 * full most of the time and with one that has room, and a quicksort. CLIENT_LINKS and CLIENT_LEAVES say how many kernels; a million
 * each is the default of neither, since it takes a minute. */
#include "common.h"
#include <sys/resource.h>

static cl_context context;
static cl_device_id device;
static cl_command_queue queue;

static const char source[] =
    "void step(global uint *r, uint left)\n"
    "{\n"
    "  r[0] += 1;\n"
    "  r[1] = r[1] * 3 + left;\n"
    "  if (left > 0)\n"
    "    enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), ^{ step(r, left - 1); });\n"
    "}\n"
    "kernel void chain(global uint *r, uint left) { step(r, left - 1); }\n"
    "void leaf(global uint *r, uint n) { atomic_inc(&r[0]); atomic_add(&r[1], n); }\n"
    "void node(global uint *r, uint low, uint high)\n"
    "{\n"
    "  atomic_inc(&r[2]);\n"
    "  while (high - low > 1) {\n"
    "    uint middle = low + (high - low) / 2, end = high;\n"
    "    if (enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), ^{ node(r, middle, end); })) {\n"
    "      atomic_inc(&r[3]);\n"
    "      for (uint i = middle; i < end; i++) leaf(r, i);\n"
    "    }\n"
    "    high = middle;\n"
    "  }\n"
    "  leaf(r, low);\n"
    "}\n"
    "kernel void tree(global uint *r, uint leaves) { node(r, 0, leaves); }\n"
    "void sort(global uint *r, int low, int high)\n"
    "{\n"
    "  while (low < high) {\n"
    "    uint pivot = r[low + (high - low) / 2];\n"
    "    int i = low, j = high;\n"
    "    while (i <= j) {\n"
    "      while (r[i] < pivot) i++;\n"
    "      while (r[j] > pivot) j--;\n"
    "      if (i <= j) { uint t = r[i]; r[i] = r[j]; r[j] = t; i++; j--; }\n"
    "    }\n"
    "    int first = i, last = high, left = j;\n"
    "    if (first < last\n"
    "        && enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), ^{ sort(r, first, last); }))\n"
    "      for (i = first + 1; i <= last; i++)\n"
    "        for (j = i; j > first && r[j - 1] > r[j]; j--) {\n"
    "          uint t = r[j]; r[j] = r[j - 1]; r[j - 1] = t;\n"
    "        }\n"
    "    high = left;\n"
    "  }\n"
    "}\n"
    "kernel void quicksort(global uint *r, uint count) { sort(r, 0, count - 1); }\n";

static cl_mem buffer;

static void run(cl_program program, const char *name, cl_uint number)
{
    cl_kernel kernel = MADE(clCreateKernel, program, name);
    MUST(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    MUST(clSetKernelArg(kernel, 1, sizeof number, &number));
    size_t one = 1;
    MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    MUST_END(clFinish(queue));
    MUST(clReleaseKernel(kernel));
}

static cl_uint from_environment(const char *name, cl_uint usual)
{
    const char *text = getenv(name);
    return text ? (cl_uint)strtoul(text, NULL, 10) : usual;
}

static int compare(const void *a, const void *b)
{
    cl_uint x = *(const cl_uint *)a, y = *(const cl_uint *)b;
    return (x > y) - (x < y);
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}

/* Visits a tree with so many leaves; `full` says whether its queue is too small for it. */
static void tree(cl_program program, cl_uint leaves, int full)
{
    cl_uint values[4] = {0};
    MUST(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, sizeof values, values, 0, NULL, NULL));
    double start = seconds();
    run(program, "tree", leaves);
    MUST(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof values, values, 0, NULL, NULL));
    printf("tree of %u: %.2f s, %u kernels, %u refused\n", leaves, seconds() - start, values[2],
           values[3]);
    EQ(values[0], leaves);
    EQ(values[1], (cl_uint)((cl_ulong)leaves * (leaves - 1) / 2));
    CHECK(full ? values[3] > 0 : values[3] == 0 && values[2] == leaves);
}

int main(void)
{
    device = pumice_device();
    cl_ulong there = 0;
    MUST(clGetDeviceInfo(device, CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES, sizeof there, &there, NULL));
    if (!there)
        return finish();
    cl_int error;
    context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    queue = MADE(clCreateCommandQueueWithProperties, context, device, NULL);
    cl_queue_properties list[] = {CL_QUEUE_PROPERTIES,
                                  CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_ON_DEVICE
                                      | CL_QUEUE_ON_DEVICE_DEFAULT,
                                  CL_QUEUE_SIZE, 65536, 0};
    cl_command_queue default_queue =
        clCreateCommandQueueWithProperties(context, device, list, &error);
    MUST(error);
    const char *text = source;
    cl_program program = PROGRAM(context, text, "-cl-std=CL3.0");
    enum { COUNT = 5000 };
    static cl_uint values[COUNT], sorted[COUNT];
    buffer = MADE(clCreateBuffer, context, CL_MEM_READ_WRITE, sizeof values, NULL);

    /* A short chain has all pipelines made; a long one then takes no more memory. */
    run(program, "chain", 1000);
    struct rusage before, after;
    getrusage(RUSAGE_SELF, &before);
    MUST(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, 8, values, 0, NULL, NULL));
    cl_uint links = from_environment("CLIENT_LINKS", 20000);
    double start = seconds();
    run(program, "chain", links);
    getrusage(RUSAGE_SELF, &after);
    printf("chain of %u: %.2f s, %ld KiB more\n", links, seconds() - start, after.ru_maxrss - before.ru_maxrss);
    CHECK(after.ru_maxrss - before.ru_maxrss < 64 << 10);
    MUST(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 8, values, 0, NULL, NULL));
    EQ(values[0], links);
    cl_uint mixed = 0;
    for (cl_uint left = links; left > 0; left--)
        mixed = mixed * 3 + (left - 1);
    EQ(values[1], mixed);

    getrusage(RUSAGE_SELF, &before);
    cl_uint leaves = from_environment("CLIENT_LEAVES", 20000);
    /* A queue that is smaller than the tree is wide, then one that takes all of it. */
    tree(program, leaves, 1);
    list[3] = 4 << 20;
    cl_queue_properties plain = list[1] & ~(cl_queue_properties)CL_QUEUE_ON_DEVICE_DEFAULT;
    list[1] = plain;
    cl_command_queue large = MADE(clCreateCommandQueueWithProperties, context, device, list);
    MUST(clSetDefaultDeviceCommandQueue(context, device, large));
    tree(program, leaves, 0);
    getrusage(RUSAGE_SELF, &after);
    printf("the trees: %ld KiB more\n", after.ru_maxrss - before.ru_maxrss);
    CHECK(after.ru_maxrss - before.ru_maxrss < 64 << 10);

    for (cl_uint i = 0, x = 1; i < COUNT; i++) {
        x = x * 1664525 + 1013904223;
        values[i] = sorted[i] = x >> 12;
    }
    qsort(sorted, COUNT, sizeof sorted[0], compare);
    MUST(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, sizeof values, values, 0, NULL, NULL));
    run(program, "quicksort", COUNT);
    MUST(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof values, values, 0, NULL, NULL));
    CHECK(memcmp(values, sorted, sizeof values) == 0);

    MUST(clReleaseMemObject(buffer));
    MUST(clReleaseProgram(program));
    MUST(clReleaseCommandQueue(large));
    MUST(clReleaseCommandQueue(default_queue));
    MUST(clReleaseCommandQueue(queue));
    release_last(context);
    return finish();
}
