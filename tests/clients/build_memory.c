// client: once
// client: one-form
// client: without-layers
/* Builds that need more memory than a program may take are refused with a log, and builds for which the
 * system has none end in CL_OUT_OF_HOST_MEMORY; neither ends the process. Constant data of megabytes
 * reaches the kernel whole. */
#include "common.h"
#include <sys/resource.h>

static cl_device_id device;
static cl_context context;
static char log_text[1 << 16];

/* Builds a source in one of the API's ways. */
static cl_int build(const char *source, int by_parts, cl_program *built)
{
    cl_int error = 0;
    cl_program program = MADE(clCreateProgramWithSource, context, 1, &source, NULL);
    if (by_parts)
        error = clCompileProgram(program, 0, NULL, "-cl-std=CL3.0", 0, NULL, NULL, NULL, NULL);
    else
        error = clBuildProgram(program, 0, NULL, "-cl-std=CL3.0", NULL, NULL);
    cl_build_status status = CL_BUILD_NONE;
    MUST(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL));
    EQ(status, error == CL_SUCCESS ? CL_BUILD_SUCCESS : CL_BUILD_ERROR);
    MUST(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log_text, log_text, NULL));
    CHECK(error == CL_SUCCESS || strlen(log_text) > 10);
    if (by_parts && error == CL_SUCCESS) {
        cl_program whole = clLinkProgram(context, 0, NULL, "", 1, &program, NULL, NULL, &error);
        if (whole)
            MUST(clReleaseProgram(whole));
    }
    if (built && error == CL_SUCCESS)
        *built = program;
    else
        MUST(clReleaseProgram(program));
    return error;
}

static void bombs(void)
{
    /* 2^40 characters by ##. */
    static char source[8192];
    char *end = source + sprintf(source, "#define J(a, b) a##b\n#define D(x) J(x, x)\n#define M0 abcdefgh\n");
    for (int level = 1; level <= 40; level++)
        end += sprintf(end, "#define M%d D(M%d)\n", level, level - 1);
    sprintf(end, "int M40;\n");
    for (int by_parts = 0; by_parts < 2; by_parts++) {
        EQ(build(source, by_parts, NULL), by_parts ? CL_COMPILE_PROGRAM_FAILURE : CL_BUILD_PROGRAM_FAILURE);
        if (!strstr(log_text, "fatal error: compiling this program takes more than 1024 MiB of memory")) {
            fprintf(stderr, "log: %s\n", log_text);
            failures++;
        }
    }
    EQ(build("global char v[1ul << 40];", 0, NULL), CL_BUILD_PROGRAM_FAILURE);
    CHECK(strstr(log_text, "initialized object is too large (1099511627776 bytes, at most 256 MiB)") != NULL);
    EQ(build("kernel void k(global int *p) { *p = 1; }", 0, NULL), CL_SUCCESS);
}

/* A kernel copies constant data that is larger than any string of SPIR-V. */
static void large_constants(size_t size)
{
    char *source = malloc(size + 400);
    char *text = source + sprintf(source, "constant char text[] = \"");
    for (size_t i = 0; i < size; i++)
        text[i] = 'a' + (i * 31 + i / 977) % 26;
    sprintf(text + size, "\";\nglobal int counters[3] = {1, 2, 3};\nkernel void k(global char *out) {\n"
                         " size_t i = get_global_id(0); out[i] = text[i]; if (i < 3) counters[i]++; }\n");
    cl_program program = NULL;
    MUST(build(source, 0, &program));
    cl_kernel kernel = MADE(clCreateKernel, program, "k");
    cl_command_queue queue = MADE(clCreateCommandQueueWithProperties, context, device, NULL);
    cl_mem out = MADE(clCreateBuffer, context, CL_MEM_READ_WRITE, size, NULL);
    MUST(clSetKernelArg(kernel, 0, sizeof out, &out));
    MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, NULL, 0, NULL, NULL));
    char *result = malloc(size);
    MUST(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, size, result, 0, NULL, NULL));
    CHECK(memcmp(result, text, size) == 0);
    /* The program's binary brings the data along. */
    size_t bytes = 0;
    MUST(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, NULL));
    unsigned char *binary = malloc(bytes);
    MUST(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL));
    MUST(clReleaseKernel(kernel));
    MUST(clReleaseProgram(program));
    program = MADE(clCreateProgramWithBinary, context, 1, &device, &bytes, (const unsigned char **)&binary, NULL);
    MUST(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    kernel = MADE(clCreateKernel, program, "k");
    MUST(clSetKernelArg(kernel, 0, sizeof out, &out));
    int zero = 0;
    MUST(clEnqueueFillBuffer(queue, out, &zero, sizeof zero, 0, size, 0, NULL, NULL));
    MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, NULL, 0, NULL, NULL));
    MUST(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, size, result, 0, NULL, NULL));
    CHECK(memcmp(result, text, size) == 0);
    MUST(clReleaseMemObject(out));
    MUST(clReleaseKernel(kernel));
    MUST(clReleaseProgram(program));
    MUST(clReleaseCommandQueue(queue));
    free(binary);
    free(result);
    free(source);
}

/* Bytes of address space that the process has. */
static rlim_t address_space(void)
{
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    CHECK(file && fscanf(file, "%lu", &pages) == 1);
    if (file)
        fclose(file);
    return (rlim_t)pages * 4096;
}

/* Every amount of memory is enough or is not: there is no third way. */
static void limits(const char *source)
{
    struct rlimit before, limit;
    EQ(getrlimit(RLIMIT_AS, &before), 0);
    int enough = 0, refused = 0;
    for (rlim_t more = 8; more <= 1400; more += 96) {
        for (int by_parts = 0; by_parts < 2; by_parts++) {
            limit = before;
            limit.rlim_cur = address_space() + (more << 20);
            EQ(setrlimit(RLIMIT_AS, &limit), 0);
            cl_int error = build(source, by_parts, NULL);
            EQ(setrlimit(RLIMIT_AS, &before), 0);
            if (error == CL_SUCCESS)
                enough++;
            else {
                EQ(error, CL_OUT_OF_HOST_MEMORY);
                refused++;
            }
            /* The compiler's threads keep their stacks otherwise. */
            MUST(clUnloadPlatformCompiler(pumice_platform()));
        }
    }
    CHECK(enough > 0);
    CHECK(refused > 0);
    printf("%d builds with enough memory, %d without\n", enough, refused);
}

int main(void)
{
    device = pumice_device();
    context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    bombs();
    large_constants(300 * 1000);
    large_constants(2 * 1000 * 1000);
    limits("kernel void k(global int *p) { p[get_global_id(0)] = sin((float)p[1]) * 3; }");
    static char list[1 << 20];
    char *end = list + sprintf(list, "constant int t[] = {");
    for (int i = 0; i < 100 * 1000; i++)
        end += sprintf(end, "%d,", i % 99999);
    sprintf(end, "};\nkernel void k(global int *p) { *p = t[*p]; }\n");
    limits(list);
    release_last(context);
    return finish();
}
