// client: once
/* Every platform that the loader knows, side by side: a thread for each builds and runs its own
 * kernels while the others do, and none sees the others' objects as its own. */
#define _POSIX_C_SOURCE 200809L
#include "common.h"
#include <pthread.h>

enum { ROUNDS = 20, N = 4096 };

static const char *source =
    "kernel void turn(global uint *p, uint k) { size_t i = get_global_id(0); p[i] = p[i] * k + (uint)i; }";

static void *run(void *argument)
{
    cl_platform_id platform = argument;
    cl_device_id device;
    MUST(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
    cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)platform, 0};
    cl_context context = MADE(clCreateContext, properties, 1, &device, NULL, NULL);
    cl_command_queue queue = MADE(clCreateCommandQueueWithProperties, context, device, NULL);
    static __thread cl_uint data[N], want[N];
    cl_mem buffer = MADE(clCreateBuffer, context, 0, sizeof data, NULL);
    cl_uint zero = 0;
    MUST(clEnqueueFillBuffer(queue, buffer, &zero, 4, 0, sizeof data, 0, NULL, NULL));
    for (cl_uint round = 0; round < ROUNDS; round++) {
        char options[40];
        snprintf(options, sizeof options, "-DROUND=%u", round % 5);
        cl_program program = PROGRAM(context, source, options);
        cl_kernel kernel = MADE(clCreateKernel, program, "turn");
        cl_uint k = round + 3;
        size_t global = N;
        MUST(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
        MUST(clSetKernelArg(kernel, 1, sizeof k, &k));
        MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
        for (cl_uint i = 0; i < N; i++)
            want[i] = want[i] * k + i;
        MUST(clReleaseKernel(kernel));
        MUST(clReleaseProgram(program));
    }
    MUST(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof data, data, 0, NULL, NULL));
    CHECK(memcmp(data, want, sizeof data) == 0);
    MUST(clReleaseMemObject(buffer));
    MUST(clReleaseCommandQueue(queue));
    MUST(clReleaseContext(context));
    return NULL;
}

int main(void)
{
    cl_platform_id platforms[8];
    pthread_t threads[8];
    cl_uint count = 0;
    MUST(clGetPlatformIDs(8, platforms, &count));
    count = count < 8 ? count : 8;
    for (cl_uint i = 0; i < count; i++)
        pthread_create(&threads[i], NULL, run, platforms[i]);
    for (cl_uint i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    /* A queue for a device of another platform. */
    cl_device_id ours = pumice_device();
    cl_int error = 0;
    cl_context context = MADE(clCreateContext, NULL, 1, &ours, NULL, NULL);
    for (cl_uint i = 0; i < count; i++) {
        cl_device_id device;
        MUST(clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &device, NULL));
        if (platforms[i] == pumice_platform())
            continue;
        CHECK(!clCreateCommandQueueWithProperties(context, device, NULL, &error));
        EQ(error, CL_INVALID_DEVICE);
        cl_device_id both[2] = {ours, device};
        CHECK(!clCreateContext(NULL, 2, both, NULL, NULL, &error));
        EQ(error, CL_INVALID_DEVICE);
    }
    release_last(context);
    printf("%u platforms\n", count);
    return finish();
}
