// client: once-a-driver
/* Two threads build programs and launch kernels on one context, each with its own queue, for
 * some seconds (PUMICE_TEST_SECONDS, 5 by default): right results, no deadlock. */
#define _GNU_SOURCE
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static cl_context context;
static cl_device_id device;
static volatile int failed;
static int rounds[2];
/* False where nothing executes: wrong values end nothing then. */
static int values_matter = 1;
static time_t end;

#define CHECK(call)                                                     \
    do {                                                                \
        cl_int check_err = (call);                                      \
        if (check_err != CL_SUCCESS) {                                  \
            printf("FAIL line %d: %s is %d\n", __LINE__, #call, check_err); \
            failed = 1;                                                 \
            return NULL;                                                \
        }                                                               \
    } while (0)

static void *work(void *which) {
    int id = *(int *)which;
    cl_int err;
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &err);
    CHECK(err);
    enum { N = 1000 };
    cl_mem mem = clCreateBuffer(context, CL_MEM_READ_WRITE, N * sizeof(int), NULL, &err);
    CHECK(err);
    /* One round at least: on a slow machine a build may take longer than the test. */
    for (int round = 0; !(failed && values_matter) && (round == 0 || time(NULL) < end); round++) {
        char source[512];
        int factor = 1 + (round * 7 + id) % 50;
        snprintf(source, sizeof source,
                 "kernel void scale(global int *p, int add) {\n"
                 "    local int tile[64];\n"
                 "    size_t i = get_global_id(0), l = get_local_id(0);\n"
                 "    tile[l] = (int)i * %d;\n"
                 "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                 "    p[i] = tile[l] + add;\n"
                 "}\n",
                 factor);
        const char *text = source;
        cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &err);
        CHECK(err);
        CHECK(clBuildProgram(program, 1, &device, "", NULL, NULL));
        cl_kernel kernel = clCreateKernel(program, "scale", &err);
        CHECK(err);
        for (int launch = 0; launch < 10; launch++) {
            int result[N];
            size_t global = N, local = 50;
            CHECK(clSetKernelArg(kernel, 0, sizeof mem, &mem));
            CHECK(clSetKernelArg(kernel, 1, sizeof launch, &launch));
            CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL));
            CHECK(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof result, result, 0, NULL, NULL));
            for (int i = 0; i < N; i++)
                if (result[i] != i * factor + launch) {
                    if (!failed) printf("FAIL thread %d round %d: [%d] is %d, expected %d\n", id, round, i, result[i], i * factor + launch);
                    failed = 1;
                    if (values_matter) return NULL;
                    break;
                }
        }
        CHECK(clReleaseKernel(kernel));
        CHECK(clReleaseProgram(program));
        rounds[id]++;
    }
    CHECK(clReleaseMemObject(mem));
    CHECK(clReleaseCommandQueue(queue));
    return NULL;
}

int main(void) {
    cl_platform_id platforms[16];
    cl_uint count = 0;
    clGetPlatformIDs(16, platforms, &count);
    for (cl_uint i = 0; i < count && !device; i++) {
        char name[256] = "";
        clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name, name, NULL);
        if (strstr(name, "Pumice")) clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    }
    if (!device) {
        printf("FAIL no device\n");
        return 1;
    }
    const char *seconds = getenv("PUMICE_TEST_SECONDS");
    int limit = seconds ? atoi(seconds) : 5;
    const char *values = getenv("CLIENT_VALUES");
    values_matter = !values || strcmp(values, "ignore");
    end = time(NULL) + limit;
    /* A deadlock must end the test, not hang it. */
    alarm(limit + 60);
    cl_int err;
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    if (err) {
        printf("FAIL context %d\n", err);
        return 1;
    }
    pthread_t threads[2];
    int ids[2] = {0, 1};
    for (int t = 0; t < 2; t++) pthread_create(&threads[t], NULL, work, &ids[t]);
    for (int t = 0; t < 2; t++) pthread_join(threads[t], NULL);
    clReleaseContext(context);
    if (rounds[0] == 0 || rounds[1] == 0) printf("FAIL rounds %d and %d\n", rounds[0], rounds[1]);
    if (failed || rounds[0] == 0 || rounds[1] == 0) return 1;
    printf("ok: %d and %d programs\n", rounds[0], rounds[1]);
    return 0;
}
