/* The string of %s may be any of several literals: chosen by a condition or by a loop, held by a table, passed to a function. */
#include "common.h"

enum { CALLBACK = 0x40B0 };

static char text[1 << 12];
static size_t length;

static void take(const char *buffer, size_t size, size_t complete, void *data)
{
    (void)complete;
    (void)data;
    CHECK(length + size < sizeof text);
    memcpy(text + length, buffer, size);
    length += size;
}

static const char *source =
    "kernel void chosen(int n) { printf(\"%s \", n & 1 ? \"odd\" : \"even\"); }\n"
    "kernel void branches(int n)\n"
    "{\n"
    "    constant char *name = \"many\";\n"
    "    if (n == 0)\n"
    "        name = \"zero\";\n"
    "    else if (n == 1)\n"
    "        name = \"one\" + 0;\n"
    "    printf(\"%d is %s (%s); \", n, name, n == 2 ? \"a pair\" : name);\n"
    "}\n"
    "void told(constant char *what, int n) { printf(\"%s: %d, \", what, n); }\n"
    "kernel void passed(int n)\n"
    "{\n"
    "    for (int i = 0; i < 3; i++)\n"
    "        told(i == n ? \"here\" : \"there\", i);\n"
    "}\n"
    "kernel void rounds(int n)\n"
    "{\n"
    "    constant char *last = \"first\";\n"
    "    for (int i = 0; i < n; i++) {\n"
    "        printf(\"%s.\", last);\n"
    "        last = \"then\";\n"
    "    }\n"
    "}\n";

static const char *with_table =
    "constant char *constant names[] = {\"red\", \"green\", \"blue\"};\n"
    "kernel void table(int n) { printf(\"%s-\", names[n]); }\n";

static cl_context context;
static cl_device_id device;
static cl_command_queue queue;

/* Runs a kernel for 0, 1 and 2, and compares what it prints. */
static void check(cl_program program, const char *name, const char *expected)
{
    size_t one = 1;
    cl_kernel kernel = MADE(clCreateKernel, program, name);
    length = 0;
    for (int n = 0; n < 3; n++) {
        MUST(clSetKernelArg(kernel, 0, sizeof n, &n));
        MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
        MUST(clFinish(queue));
    }
    text[length] = 0;
    if (values_matter() && strcmp(text, expected) != 0) {
        fprintf(stderr, "%s printed '%s', not '%s'\n", name, text, expected);
        failures++;
    }
    MUST(clReleaseKernel(kernel));
}

int main(void)
{
    device = pumice_device();
    cl_context_properties list[] = {CALLBACK, (cl_context_properties)take, 0};
    context = MADE(clCreateContext, list, 1, &device, NULL, NULL);
    queue = MADE(clCreateCommandQueueWithProperties, context, device, NULL);
    cl_program program = PROGRAM(context, source, NULL);
    check(program, "chosen", "even odd even ");
    check(program, "branches", "0 is zero (zero); 1 is one (one); 2 is many (a pair); ");
    check(program, "passed",
          "here: 0, there: 1, there: 2, there: 0, here: 1, there: 2, there: 0, there: 1, here: 2, ");
    check(program, "rounds", "first.first.then.");
    MUST(clReleaseProgram(program));
    /* Pointers from memory need device addresses. */
    program = MADE(clCreateProgramWithSource, context, 1, &with_table, NULL);
    if (clBuildProgram(program, 0, NULL, NULL, NULL, NULL) == CL_SUCCESS) {
        check(program, "table", "red-green-blue-");
    } else {
        char reason[1000];
        MUST(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof reason, reason, NULL));
        CHECK(strstr(reason, "needs device addresses"));
    }
    /* No literal at all. */
    const char *wrong = "kernel void k(global char *given) { printf(\"%s\", (constant char *)(ulong)given[0]); }\n";
    cl_program refused = MADE(clCreateProgramWithSource, context, 1, &wrong, NULL);
    EQ(clBuildProgram(refused, 0, NULL, NULL, NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    MUST(clReleaseProgram(refused));
    MUST(clReleaseProgram(program));
    MUST(clReleaseCommandQueue(queue));
    release_last(context);
    return finish();
}
