/* reconnect FILE: a program whose connection to its server is cut while a kernel runs; FILE appears once
 * PoCL has connected again. It counts in rounds: nothing is lost, and nothing is done twice. */
#include "remote.h"

enum { BEFORE = 20, AFTER = 40 };

static const char *source =
    "kernel void count(global uint *p) { p[0]++; }\n"
    "kernel void spin(global uint *p, uint rounds)\n"
    "{\n"
    "    uint x = get_global_id(0) + 1;\n"
    "    for (uint i = 0; i < rounds; i++)\n"
    "        x = x * 1664525 + 1013904223;\n"
    "    if (!get_global_id(0)) p[0] += x ? 1 : 2;\n"
    "}\n";

static cl_program program;
static cl_kernel kernel;
static cl_mem counter;
static cl_uint rounds;

static void steps(int count)
{
    size_t one = 1;
    for (int i = 0; i < count; i++) {
        cl_uint got = 0;
        MUST(clEnqueueNDRangeKernel(queues[0], kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
        MUST(clEnqueueReadBuffer(queues[0], counter, CL_TRUE, 0, sizeof got, &got, 0, NULL, NULL));
        rounds++;
        EQ(got, rounds);
    }
}

/* Starts a kernel of so many work-items, and returns once the server has been sent it. PoCL starts a
 * device's commands in their order: once the next one runs, the first is on its way, and a new kernel
 * object, which waits for the server's answer, is behind it. */
static cl_event start_long(size_t items)
{
    cl_uint most = 60000;
    cl_int error = 0, status = CL_QUEUED;
    size_t one = 1;
    cl_event event, next;
    cl_mem other = buffer(sizeof most);
    cl_kernel spin = kernel_of(program, "spin"), small = kernel_of(program, "count");
    cl_command_queue beside = clCreateCommandQueue(context, devices[0], 0, &error);
    MUST(error);
    set(spin, 0, sizeof counter, &counter);
    set(spin, 1, sizeof most, &most);
    set(small, 0, sizeof other, &other);
    MUST(clEnqueueNDRangeKernel(queues[0], spin, 1, NULL, &items, NULL, 0, NULL, &event));
    MUST(clFlush(queues[0]));
    MUST(clEnqueueNDRangeKernel(beside, small, 1, NULL, &one, NULL, 0, NULL, &next));
    MUST(clFlush(beside));
    while (status > CL_RUNNING)
        MUST(clGetEventInfo(next, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    kernel_of(program, "spin");
    return event;
}

int main(int argc, char **argv)
{
    cl_uint zero = 0;
    if (argc != 2)
        return 2;
    setvbuf(stdout, NULL, _IOLBF, 0);
    open_devices("Portable Computing Language", 1);
    program = build(source);
    kernel = kernel_of(program, "count");
    counter = buffer(sizeof zero);
    MUST(clEnqueueWriteBuffer(queues[0], counter, CL_TRUE, 0, sizeof zero, &zero, 0, NULL, NULL));
    set(kernel, 0, sizeof counter, &counter);
    steps(BEFORE);
    cl_event event = start_long(1 << 12);
    puts("ready");
    /* Until the device is there again, calls would give CL_DEVICE_NOT_AVAILABLE. */
    while (access(argv[1], F_OK) || lost_device() >= 0) {
        struct timespec t = {0, 1000000};
        nanosleep(&t, NULL);
    }
    MUST(clWaitForEvents(1, &event));
    rounds++;
    steps(AFTER);
    printf("rounds %u\n", rounds);
    fflush(stdout);
    _exit(failures ? 1 : 0);
}
