/* Deep nests: a driver's compiler that cannot take them must not take the application with it. Branches and early returns
 * run, however many; where loops nest too deeply, the build fails with a log that says why. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBERS = 512 };

static cl_context context;
static cl_device_id device;
static char source[1 << 16];

static void add(const char *format, int i) {
    size_t used = strlen(source);
    snprintf(source + used, sizeof source - used, format, i, i, i);
}

/* Runs kernel `k`, whose out[0] must become `expected`; `must` says that it has to build. */
static int run(const char *name, const char *options, int expected, int must) {
    cl_int err;
    const char *text = source;
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &err);
    err = clBuildProgram(program, 1, &device, options, NULL, NULL);
    if (err) {
        static char log[1 << 16];
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        clReleaseProgram(program);
        if (err == CL_BUILD_PROGRAM_FAILURE && !must && strstr(log, "the device's driver takes")) return 0;
        if (strstr(log, "robust mode needs a device with addresses")) return 0;
        printf("FAIL %s: build gives %d: %s\n", name, err, log);
        return 1;
    }
    int numbers[NUMBERS];
    for (int i = 0; i < NUMBERS; i++) numbers[i] = 1;
    int out = 0;
    cl_mem in = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof numbers, numbers, &err);
    cl_mem to = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof out, &out, &err);
    cl_kernel kernel = clCreateKernel(program, "k", &err);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &err);
    clSetKernelArg(kernel, 0, sizeof in, &in);
    clSetKernelArg(kernel, 1, sizeof to, &to);
    size_t size = 1;
    err = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, NULL, 0, NULL, NULL);
    if (!err) err = clEnqueueReadBuffer(queue, to, CL_TRUE, 0, sizeof out, &out, 0, NULL, NULL);
    if (err || out != expected) printf("FAIL %s: %d, got %d, expected %d\n", name, err, out, expected);
    clReleaseCommandQueue(queue);
    clReleaseKernel(kernel);
    clReleaseMemObject(in);
    clReleaseMemObject(to);
    clReleaseProgram(program);
    return err || out != expected;
}

static void begin(void) {
    strcpy(source, "kernel void k(global int *p, global int *o) { int x = 0;\n");
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
    cl_int err = CL_DEVICE_NOT_FOUND;
    if (device) context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
    if (err) {
        printf("FAIL no context: %d\n", err);
        return 1;
    }
    int failed = 0;
    const int depths[] = {70, 120};
    for (int d = 0; d < 2; d++) {
        const int depth = depths[d], must = d == 0;

        begin();
        for (int i = 0; i < depth; i++) add("if (p[%d]) { x += p[%d];\n", i);
        for (int i = 0; i < depth; i++) add("}", i);
        add("o[0] = x; }", 0);
        failed |= run("branches", "", depth, 1);

        begin();
        for (int i = 0; i < depth; i++) add("if (p[%d] == 2) x = %d; else ", i);
        add("{ x = 7; o[0] = 5; } o[0] += x; }", 0);
        failed |= run("a chain", "", 12, 1);

        for (int robust = 0; robust < 2; robust++) {
            begin();
            for (int i = 0; i < depth; i++) add("for (int i%d = 0; i%d < p[0]; i%d++)\n", i);
            add("{ x++; o[0] = x; } }", 0);
            failed |= run("loops", robust ? "-pumice-check=robust" : "", 1, must);
        }

        begin();
        for (int i = 0; i < depth; i++) add("if (!p[%d]) return; o[%d - %d] += 1;\n", i);
        add("}", 0);
        failed |= run("early returns", "", depth, 1);
    }
    if (!failed) printf("PASS\n");
    return failed;
}
