// client: once-a-driver
/* Deep nests: a driver's compiler that cannot take them must not take the application with it. Branches and early returns
 * run, however many; where loops nest too deeply, the build fails with a log that says why. */
#include "common.h"

enum { NUMBERS = 512 };

static cl_context context;
static cl_device_id device;
static char source[1 << 16];

static void add(const char *format, int i) {
    size_t used = strlen(source);
    snprintf(source + used, sizeof source - used, format, i, i, i);
}

/* The log of a driver that takes fewer than `depth` loops inside one another. */
static int takes_fewer(const char *log, int depth) {
    static const char words[] = "the device's driver takes ";
    const char *found = strstr(log, words);
    return found && atoi(found + strlen(words)) < depth;
}

/* Runs kernel `k`, whose out[0] must become `expected`. It may be refused where the driver takes fewer than `depth` loops
 * inside one another. */
static void run(const char *name, const char *options, int expected, int depth) {
    cl_int err;
    const char *text = source;
    cl_program program = MADE(clCreateProgramWithSource, context, 1, &text, NULL);
    err = clBuildProgram(program, 1, &device, options, NULL, NULL);
    if (err) {
        static char log[1 << 16];
        MUST(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
        MUST(clReleaseProgram(program));
        if (err == CL_BUILD_PROGRAM_FAILURE && takes_fewer(log, depth)) return;
        if (strstr(log, "robust mode needs a device with addresses")) return;
        printf("FAIL %s: build gives %d: %s\n", name, err, log);
        failures++;
        return;
    }
    int numbers[NUMBERS];
    for (int i = 0; i < NUMBERS; i++) numbers[i] = 1;
    int out = 0;
    cl_mem in = MADE(clCreateBuffer, context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof numbers, numbers);
    cl_mem to = MADE(clCreateBuffer, context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof out, &out);
    cl_kernel kernel = MADE(clCreateKernel, program, "k");
    cl_command_queue queue = MADE(clCreateCommandQueue, context, device, 0);
    MUST(clSetKernelArg(kernel, 0, sizeof in, &in));
    MUST(clSetKernelArg(kernel, 1, sizeof to, &to));
    size_t size = 1;
    MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, NULL, 0, NULL, NULL));
    err = clEnqueueReadBuffer(queue, to, CL_TRUE, 0, sizeof out, &out, 0, NULL, NULL);
    if (err || out != expected) {
        printf("FAIL %s: %d, got %d, expected %d\n", name, err, out, expected);
        failures++;
    }
    MUST(clReleaseCommandQueue(queue));
    MUST(clReleaseKernel(kernel));
    MUST(clReleaseMemObject(in));
    MUST(clReleaseMemObject(to));
    MUST(clReleaseProgram(program));
}

static void begin(void) {
    strcpy(source, "kernel void k(global int *p, global int *o) { int x = 0;\n");
}

int main(void) {
    device = pumice_device();
    context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    const int depths[] = {70, 120};
    for (int d = 0; d < 2; d++) {
        const int depth = depths[d];

        begin();
        for (int i = 0; i < depth; i++) add("if (p[%d]) { x += p[%d];\n", i);
        for (int i = 0; i < depth; i++) add("}", i);
        add("o[0] = x; }", 0);
        run("branches", "", depth, 0);

        begin();
        for (int i = 0; i < depth; i++) add("if (p[%d] == 2) x = %d; else ", i);
        add("{ x = 7; o[0] = 5; } o[0] += x; }", 0);
        run("a chain", "", 12, 0);

        for (int robust = 0; robust < 2; robust++) {
            begin();
            for (int i = 0; i < depth; i++) add("for (int i%d = 0; i%d < p[0]; i%d++)\n", i);
            add("{ x++; o[0] = x; } }", 0);
            run("loops", robust ? "-pumice-check=robust" : "", 1, depth);
        }

        begin();
        for (int i = 0; i < depth; i++) add("if (!p[%d]) return; o[%d - %d] += 1;\n", i);
        add("}", 0);
        run("early returns", "", depth, 0);
    }
    release_last(context);
    return finish();
}
