/* Transfers that the device does among other commands: their order with each other, with kernels and with the
 * host's memory, and the memory that they take. */
// client: env PUMICE_STAGING_ONLY=on
// client: env PUMICE_MASK=bufferDeviceAddress
#include "common.h"

enum { N = 1 << 16, MANY = 96, LARGE = 4 << 20, STEPS = 40 };

static const char *source = "kernel void add(global int *p, int k)\n"
                            "{\n"
                            "    p[get_global_id(0)] += k;\n"
                            "}\n";

static cl_device_id device;
static cl_context context;
static cl_kernel add;
static int a[N], b[N], got[N];

static cl_mem make(size_t size)
{
    return MADE(clCreateBuffer, context, CL_MEM_READ_WRITE, size, NULL);
}

static cl_command_queue make_queue(cl_queue_properties bits)
{
    cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, bits, 0};
    return MADE(clCreateCommandQueueWithProperties, context, device, list);
}

static void launch(cl_command_queue queue, cl_mem buffer, int k, cl_event *after, cl_event *event)
{
    size_t global = N;
    MUST(clSetKernelArg(add, 0, sizeof buffer, &buffer));
    MUST(clSetKernelArg(add, 1, sizeof k, &k));
    MUST(clEnqueueNDRangeKernel(queue, add, 1, NULL, &global, NULL, after != NULL, after, event));
}

static void look(int plus, int step)
{
    int wrong = 0;
    for (int i = 0; i < N; i++)
        wrong += got[i] != i * step + plus;
    EQ(wrong, 0);
}

/* What a read brings to the host is what a later write takes from there, with kernels between and without. */
static void through_the_host(void)
{
    cl_command_queue queue = make_queue(0);
    cl_mem one = make(sizeof a), two = make(sizeof a);
    for (int i = 0; i < N; i++)
        a[i] = i;
    for (int round = 0; round < STEPS; round++) {
        memset(b, 0xee, sizeof b);
        MUST(clEnqueueWriteBuffer(queue, one, CL_FALSE, 0, sizeof a, a, 0, NULL, NULL));
        launch(queue, one, round, NULL, NULL);
        MUST(clEnqueueReadBuffer(queue, one, CL_FALSE, 0, sizeof b, b, 0, NULL, NULL));
        if (round & 1)
            launch(queue, two, 1, NULL, NULL);
        /* Some of it from a place inside. */
        size_t skipped = round % 3 * 400;
        MUST(clEnqueueWriteBuffer(queue, two, CL_FALSE, skipped, sizeof b - skipped, (char *)b + skipped, 0,
                                  NULL, NULL));
        MUST(clEnqueueWriteBuffer(queue, two, CL_FALSE, 0, skipped + 4, b, 0, NULL, NULL));
        launch(queue, two, 7, NULL, NULL);
        MUST(clEnqueueReadBuffer(queue, two, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
        look(round + 7, 1);
    }
    MUST(clReleaseMemObject(two));
    MUST(clReleaseMemObject(one));
    MUST(clReleaseCommandQueue(queue));
}

/* The same between queues, ordered by events, with a user event before it all. */
static void between_queues(void)
{
    cl_int error = 0;
    cl_command_queue first = make_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE), second = make_queue(0);
    cl_mem one = make(sizeof a), two = make(sizeof a);
    for (int round = 0; round < STEPS; round++) {
        cl_event go = clCreateUserEvent(context, &error), written, added, read, there, last;
        MUST(error);
        for (int i = 0; i < N; i++)
            a[i] = i * 3;
        memset(b, 0xee, sizeof b);
        MUST(clEnqueueWriteBuffer(first, one, CL_FALSE, 0, sizeof a, a, 1, &go, &written));
        launch(first, one, round, &written, &added);
        MUST(clEnqueueReadBuffer(first, one, CL_FALSE, 0, sizeof b, b, 1, &added, &read));
        MUST(clEnqueueWriteBuffer(second, two, CL_FALSE, 0, sizeof b, b, 1, &read, &there));
        launch(first, two, 5, &there, &last);
        MUST(clEnqueueReadBuffer(first, two, CL_FALSE, 0, sizeof got, got, 1, &last, NULL));
        MUST(clSetUserEventStatus(go, CL_COMPLETE));
        MUST(clFinish(first));
        look(round + 5, 3);
        cl_event all[] = {go, written, added, read, there, last};
        for (int i = 0; i < 6; i++)
            MUST(clReleaseEvent(all[i]));
    }
    MUST(clReleaseMemObject(two));
    MUST(clReleaseMemObject(one));
    MUST(clReleaseCommandQueue(second));
    MUST(clReleaseCommandQueue(first));
}

/* Most memory that the process ever had, in MiB. */
static long most_memory(void)
{
    FILE *file = fopen("/proc/self/status", "r");
    char line[256];
    long kib = 0;
    while (file && fgets(line, sizeof line, file))
        sscanf(line, "VmHWM: %ld", &kib);
    if (file)
        fclose(file);
    return kib / 1024;
}

/* Writes and reads that nobody waits for do not pile up. */
static void many(void)
{
    cl_command_queue queue = make_queue(0);
    cl_mem buffer = make(LARGE);
    char *data = malloc(LARGE);
    memset(data, 1, LARGE);
    MUST(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, LARGE, data, 0, NULL, NULL));
    long before = most_memory();
    for (int i = 0; i < MANY; i++) {
        MUST(clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, LARGE, data, 0, NULL, NULL));
        MUST(clEnqueueReadBuffer(queue, buffer, CL_FALSE, 0, LARGE, data, 0, NULL, NULL));
    }
    MUST(clFinish(queue));
    long more = most_memory() - before;
    if (more > 192)
        fprintf(stderr, "%ld MiB more\n", more);
    CHECK(more <= 192);
    free(data);
    MUST(clReleaseMemObject(buffer));
    MUST(clReleaseCommandQueue(queue));
}

int main(void)
{
    MUST(clGetDeviceIDs(pumice_platform(), CL_DEVICE_TYPE_ALL, 1, &device, NULL));
    context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    cl_program program = PROGRAM(context, source, "");
    add = MADE(clCreateKernel, program, "add");
    through_the_host();
    between_queues();
    many();
    MUST(clReleaseKernel(add));
    MUST(clReleaseProgram(program));
    MUST(clReleaseContext(context));
    return finish();
}
