/* Shared by the programs of the cluster: the devices of one platform in one context. */
#ifndef PUMICE_CLUSTER_REMOTE_H
#define PUMICE_CLUSTER_REMOTE_H
#include "../clients/common.h"
#include <unistd.h>

/* LOST: exit status of a program that has lost a server. */
enum { MOST_DEVICES = 16, LOST = 3 };

static cl_context context;
static cl_device_id devices[MOST_DEVICES];
static cl_command_queue queues[MOST_DEVICES];
static cl_uint device_count;

/* The platform with that name; ends the program, with the names that there are, if there is none. */
static cl_platform_id named_platform(const char *wanted)
{
    cl_platform_id platforms[16];
    cl_uint count = 0;
    MUST(clGetPlatformIDs(16, platforms, &count));
    for (cl_uint i = 0; i < count && i < 16; i++) {
        char name[128] = "";
        MUST(clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name, name, NULL));
        if (!strcmp(name, wanted))
            return platforms[i];
        fprintf(stderr, "not wanted: platform %s\n", name);
    }
    fprintf(stderr, "no platform %s\n", wanted);
    exit(1);
}

/* Opens a context of the platform's first `wanted` devices, with an in-order queue for each. */
static void open_devices(const char *platform, cl_uint wanted)
{
    cl_int error = 0;
    MUST(clGetDeviceIDs(named_platform(platform), CL_DEVICE_TYPE_ALL, MOST_DEVICES, devices, &device_count));
    if (device_count < wanted) {
        fprintf(stderr, "%s has %u devices, not %u\n", platform, device_count, wanted);
        exit(1);
    }
    device_count = wanted;
    context = clCreateContext(NULL, device_count, devices, NULL, NULL, &error);
    MUST(error);
    for (cl_uint i = 0; i < device_count; i++) {
        queues[i] = clCreateCommandQueue(context, devices[i], 0, &error);
        MUST(error);
    }
}

/* Builds a program for all devices; ends the program with the log if it does not build. */
static cl_program build(const char *source)
{
    cl_int error = 0;
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
    MUST(error);
    if (clBuildProgram(program, device_count, devices, NULL, NULL, NULL) != CL_SUCCESS) {
        static char log[1 << 16];
        clGetProgramBuildInfo(program, devices[0], CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        fprintf(stderr, "the program does not build:\n%s\n", log);
        exit(1);
    }
    return program;
}

static cl_kernel kernel_of(cl_program program, const char *name)
{
    cl_int error = 0;
    cl_kernel kernel = clCreateKernel(program, name, &error);
    MUST(error);
    return kernel;
}

static cl_mem buffer(size_t bytes)
{
    cl_int error = 0;
    cl_mem memory = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, &error);
    MUST(error);
    return memory;
}

static void set(cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
    MUST(clSetKernelArg(kernel, index, size, value));
}

static inline void close_devices(void)
{
    for (cl_uint i = 0; i < device_count; i++)
        MUST(clReleaseCommandQueue(queues[i]));
    MUST(clReleaseContext(context));
}

/* The first device whose server is gone, or -1. */
static inline int lost_device(void)
{
    for (cl_uint i = 0; i < device_count; i++) {
        cl_bool there = CL_FALSE;
        MUST(clGetDeviceInfo(devices[i], CL_DEVICE_AVAILABLE, sizeof there, &there, NULL));
        if (!there)
            return (int)i;
    }
    return -1;
}

/* Ends the program if a server is gone, and tells which one and what the next command on its device gives.
 * PoCL would wait for the server while it releases its objects. */
static inline void check_servers(void)
{
    int device = lost_device();
    if (device < 0)
        return;
    cl_int error = clEnqueueMarkerWithWaitList(queues[device], 0, NULL, NULL);
    printf("lost: device %d is not available; its next command gives %s (%d)\n", device,
           error == CL_DEVICE_NOT_AVAILABLE ? "CL_DEVICE_NOT_AVAILABLE" : "an unknown error", error);
    fflush(stdout);
    _exit(LOST);
}

/* Like MUST, for calls that may fail because a server is gone. */
#define SUBMIT(call)               \
    do {                           \
        cl_int submit_ = (call);   \
        if (submit_ != CL_SUCCESS) \
            check_servers();       \
        MUST(submit_);             \
    } while (0)

/* Waits until all queues are empty. A blocking call may wait for ever if a server is gone: PoCL's other
 * servers end the session too. So the program asks for the end, and whether the devices are there. */
static inline void finish_all(void)
{
    cl_event ends[MOST_DEVICES];
    for (cl_uint i = 0; i < device_count; i++) {
        SUBMIT(clEnqueueMarkerWithWaitList(queues[i], 0, NULL, &ends[i]));
        MUST(clFlush(queues[i]));
    }
    for (cl_uint i = 0; i < device_count; i++) {
        cl_int status = CL_QUEUED;
        for (;;) {
            MUST(clGetEventInfo(ends[i], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
            if (status <= CL_COMPLETE)
                break;
            check_servers();
            struct timespec t = {0, 100000};
            nanosleep(&t, NULL);
        }
        MUST(clReleaseEvent(ends[i]));
        /* PoCL calls commands complete that were at the server when it was lost. */
        check_servers();
        EQ(status, CL_COMPLETE);
    }
}

static inline double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}
#endif
