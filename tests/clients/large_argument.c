/* Structures of many sizes by value: up to what fits a uniform buffer they arrive whole, above they are a
 * build error. */
#include "common.h"

enum { MOST = 15000 };

static cl_device_id device;
static cl_context context;

static cl_program build(int ints, cl_int *result)
{
    const char *source = "struct s { int x[INTS]; };\n"
                         "kernel void k(global int *out, struct s s, int at) {\n"
                         "    out[0] = s.x[at]; out[1] = s.x[0]; out[2] = s.x[INTS - 1];\n"
                         "}\n";
    char options[32];
    snprintf(options, sizeof options, "-DINTS=%d", ints);
    cl_program program = MADE(clCreateProgramWithSource, context, 1, &source, NULL);
    *result = clBuildProgram(program, 1, &device, options, NULL, NULL);
    return program;
}

int main(void)
{
    device = pumice_device();
    context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    cl_command_queue queue = MADE(clCreateCommandQueueWithProperties, context, device, NULL);
    cl_mem out = MADE(clCreateBuffer, context, CL_MEM_READ_WRITE, 3 * sizeof(cl_int), NULL);

    static cl_int contents[MOST];
    for (int i = 0; i < MOST; i++)
        contents[i] = 3 * i + 1;
    static const int sizes[] = {1, 30, 250, 1021, 1025, 4000, MOST};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        cl_program program = MADE(build, sizes[i]);
        cl_kernel kernel = MADE(clCreateKernel, program, "k");
        cl_int at = sizes[i] / 2, got[3] = {0, 0, 0};
        size_t one = 1;
        MUST(clSetKernelArg(kernel, 0, sizeof out, &out));
        MUST(clSetKernelArg(kernel, 1, (size_t)sizes[i] * sizeof *contents, contents));
        MUST(clSetKernelArg(kernel, 2, sizeof at, &at));
        MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
        MUST(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
        EQ(got[0], contents[at]);
        EQ(got[1], contents[0]);
        EQ(got[2], contents[sizes[i] - 1]);
        MUST(clReleaseKernel(kernel));
        MUST(clReleaseProgram(program));
    }

    cl_int built;
    cl_program program = build(16384, &built);
    EQ(built, CL_BUILD_PROGRAM_FAILURE);
    char log[1024] = "";
    MUST(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
    CHECK(strstr(log, "error: kernel 'k': argument 1 ('s') takes 65536 bytes, those before it 8; all "
                      "arguments of a kernel can take "));
    MUST(clReleaseProgram(program));
    MUST(clReleaseMemObject(out));
    MUST(clReleaseCommandQueue(queue));
    MUST(clReleaseContext(context));
    printf(failures ? "failed\n" : "ok\n");
    return failures != 0;
}
