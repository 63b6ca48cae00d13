/* A program whose servers have faults: survive kill|drop. It counts in rounds on every device. `kill`: the
 * server of device 1 is killed while a long kernel runs there; the errors are printed, and device 0 goes
 * on. `drop`: the connection is cut while a kernel runs; all succeeds, and nothing is done twice. */
#include "remote.h"
#include <unistd.h>

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
static cl_kernel kernels[2];
static cl_mem counters[2];
static cl_uint rounds[2];

/* One round on a device. Returns the first error and stores the call that gave it. */
static cl_int step(cl_uint i, const char **call)
{
    size_t one = 1;
    cl_uint got = 0;
    *call = "clEnqueueNDRangeKernel";
    cl_int error = clEnqueueNDRangeKernel(queues[i], kernels[i], 1, NULL, &one, NULL, 0, NULL, NULL);
    if (error != CL_SUCCESS)
        return error;
    *call = "clEnqueueReadBuffer";
    error = clEnqueueReadBuffer(queues[i], counters[i], CL_TRUE, 0, sizeof got, &got, 0, NULL, NULL);
    if (error != CL_SUCCESS)
        return error;
    rounds[i]++;
    EQ(got, rounds[i]);
    return CL_SUCCESS;
}

static void steps(cl_uint device, int count)
{
    const char *call = "";
    for (int i = 0; i < count; i++) {
        cl_int error = step(device, &call);
        if (error != CL_SUCCESS) {
            fprintf(stderr, "round %u: %s on device %u gave %d\n", rounds[device], call, device, error);
            exit(1);
        }
    }
}

static void open_all(cl_uint wanted)
{
    cl_uint zero = 0;
    open_devices("Portable Computing Language", wanted);
    program = build(source);
    for (cl_uint i = 0; i < wanted; i++) {
        kernels[i] = kernel_of(program, "count");
        counters[i] = buffer(sizeof zero);
        MUST(clEnqueueWriteBuffer(queues[i], counters[i], CL_TRUE, 0, sizeof zero, &zero, 0, NULL, NULL));
        set(kernels[i], 0, sizeof counters[i], &counters[i]);
    }
}

/* Starts a kernel of so many work-items, and returns once the server has been sent it. PoCL starts a
 * device's commands in their order: once the next one runs, the first is on its way, and a new kernel
 * object, which waits for the server's answer, is behind it. */
static cl_event start_long(cl_uint device, size_t items)
{
    cl_uint most = 60000;
    cl_int error = 0, status = CL_QUEUED;
    size_t one = 1;
    cl_event event, next;
    cl_mem other = buffer(sizeof most);
    cl_kernel kernel = kernel_of(program, "spin"), small = kernel_of(program, "count");
    cl_command_queue beside = clCreateCommandQueue(context, devices[device], 0, &error);
    MUST(error);
    set(kernel, 0, sizeof counters[device], &counters[device]);
    set(kernel, 1, sizeof most, &most);
    set(small, 0, sizeof other, &other);
    MUST(clEnqueueNDRangeKernel(queues[device], kernel, 1, NULL, &items, NULL, 0, NULL, &event));
    MUST(clFlush(queues[device]));
    MUST(clEnqueueNDRangeKernel(beside, small, 1, NULL, &one, NULL, 0, NULL, &next));
    MUST(clFlush(beside));
    while (status > CL_RUNNING)
        MUST(clGetEventInfo(next, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    kernel_of(program, "spin");
    return event;
}

static void killed(void)
{
    const char *call = "";
    cl_int status = 0;
    cl_bool available = CL_TRUE;
    open_all(2);
    steps(0, BEFORE);
    steps(1, BEFORE);
    /* Minutes of work: it never ends by itself before the server is killed. */
    cl_event event = start_long(1, 1 << 22);
    puts("ready");
    cl_int waited = clWaitForEvents(1, &event);
    MUST(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    printf("lost: clWaitForEvents gave %d, the command's status is %d\n", waited, status);
    EQ(waited, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    EQ(status, CL_DEVICE_NOT_AVAILABLE);
    steps(0, AFTER);
    MUST(clGetDeviceInfo(devices[1], CL_DEVICE_AVAILABLE, sizeof available, &available, NULL));
    EQ(available, CL_FALSE);
    cl_int later = step(1, &call);
    printf("afterwards: %s gave %d\n", call, later);
    EQ(later, CL_DEVICE_NOT_AVAILABLE);
}

static void dropped(void)
{
    open_all(1);
    steps(0, BEFORE);
    cl_event event = start_long(0, 1 << 12);
    puts("ready");
    /* The parent says by a line that it has cut the connection. */
    CHECK(getchar() != EOF);
    MUST(clWaitForEvents(1, &event));
    rounds[0]++;
    steps(0, AFTER);
    EQ(rounds[0], BEFORE + AFTER + 1);
}

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (argc == 2 && !strcmp(argv[1], "kill"))
        killed();
    else
        dropped();
    printf("rounds %u %u\n", rounds[0], rounds[1]);
    fflush(stdout);
    /* PoCL waits for the server that is gone when its objects are released; the process ends without. */
    _exit(failures ? 1 : 0);
}
