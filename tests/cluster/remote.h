/* Shared by the programs of the cluster: the devices of one platform in one context. */
#ifndef PUMICE_CLUSTER_REMOTE_H
#define PUMICE_CLUSTER_REMOTE_H
#include "../clients/common.h"

enum { MOST_DEVICES = 16 };

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

static inline double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}
#endif
