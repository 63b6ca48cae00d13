/* What every demo program shares: choosing the device, building with the log shown, timing,
 * and the one result line that the table at the end is made from.
 *
 * Usage of every program: NAME [platform-substring]; the first device of the first platform
 * whose name contains the substring (default: any) is used. */
#ifndef DEMO_H
#define DEMO_H
#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    double build_ms;
} demo;

static inline double demo_now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e3 + t.tv_nsec * 1e-6;
}

#define CHECK(call)                                                                              \
    do {                                                                                         \
        cl_int check_err = (call);                                                               \
        if (check_err != CL_SUCCESS) {                                                           \
            fprintf(stderr, "%s:%d: %s returned %d\n", __FILE__, __LINE__, #call, check_err);    \
            exit(1);                                                                             \
        }                                                                                        \
    } while (0)

static inline demo demo_open(int argc, char **argv) {
    demo d = {0};
    const char *wanted = argc > 1 ? argv[1] : "";
    cl_platform_id platforms[16];
    cl_uint count = 0;
    CHECK(clGetPlatformIDs(16, platforms, &count));
    for (cl_uint i = 0; i < count && i < 16 && !d.device; i++) {
        char name[256] = "";
        clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name, name, NULL);
        if (strstr(name, wanted))
            clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &d.device, NULL);
    }
    if (!d.device) {
        fprintf(stderr, "no OpenCL device on a platform named like \"%s\"\n", wanted);
        exit(2);
    }
    cl_int err;
    d.context = clCreateContext(NULL, 1, &d.device, NULL, NULL, &err);
    CHECK(err);
    d.queue = clCreateCommandQueue(d.context, d.device, CL_QUEUE_PROFILING_ENABLE, &err);
    CHECK(err);
    return d;
}

static inline cl_program demo_build(demo *d, const char *source, const char *options) {
    cl_int err;
    double start = demo_now_ms();
    cl_program program = clCreateProgramWithSource(d->context, 1, &source, NULL, &err);
    CHECK(err);
    err = clBuildProgram(program, 1, &d->device, options, NULL, NULL);
    d->build_ms += demo_now_ms() - start;
    if (err != CL_SUCCESS) {
        size_t size = 0;
        clGetProgramBuildInfo(program, d->device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size);
        char *log = calloc(size + 1, 1);
        clGetProgramBuildInfo(program, d->device, CL_PROGRAM_BUILD_LOG, size, log, NULL);
        fprintf(stderr, "clBuildProgram returned %d\n%s\n", err, log);
        exit(1);
    }
    return program;
}

static inline cl_mem demo_buffer(demo *d, cl_mem_flags flags, size_t size, void *host) {
    cl_int err;
    cl_mem mem = clCreateBuffer(d->context, flags | (host ? CL_MEM_COPY_HOST_PTR : 0), size, host, &err);
    CHECK(err);
    return mem;
}

/* Runs a kernel to its end and returns the milliseconds of wall time. */
static inline double demo_run(demo *d, cl_kernel kernel, cl_uint dims, const size_t *global, const size_t *local) {
    double start = demo_now_ms();
    CHECK(clEnqueueNDRangeKernel(d->queue, kernel, dims, NULL, global, local, 0, NULL, NULL));
    CHECK(clFinish(d->queue));
    return demo_now_ms() - start;
}

/* Prints the line that the demo's table is made from and ends the program. */
static inline int demo_result(const demo *d, const char *name, int ok, const char *what, double run_ms) {
    printf("RESULT|%s|%s|%s|%.2f|%.2f\n", name, ok ? "ok" : "WRONG", what, d->build_ms, run_ms);
    return ok ? 0 : 1;
}
#endif
