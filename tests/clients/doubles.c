// client: needs doubles exact-fma
// client: env PUMICE_MASK=denormals
// client: once
/* A device whose arithmetic flushes denormals of doubles (as the mask makes every device that does not promise to
 * keep them): OpenCL C has no such doubles, so the compiler makes them exact. doubles_flushed.c is the same where the
 * user wants them as the device has them (CL_FP_DENORM is not claimed), doubles_inexact.c where the device's quotients,
 * roots or fma are not exact either: then nothing of doubles is offered, in no query and in no language
 * (CL_DEVICE_DOUBLE_FP_CONFIG, cl_khr_fp64, __opencl_c_fp64). doubles_soft.c is a device without doubles of its own. */
#ifndef OFFERED
#define OFFERED 1
#define EXACT 1
#endif
#ifndef EXACT
#define EXACT 0
#endif
#ifndef SOFT
#define SOFT 0
#endif
#include "common.h"

static cl_device_id device;

static const char *source =
    "#ifdef cl_khr_fp64\n"
    "kernel void twice(global double *p) { p[get_global_id(0)] *= 2.0; }\n"
    "#else\n"
    "kernel void twice(global float *p) { p[get_global_id(0)] *= 2.0f; }\n"
    "#endif\n";

/* The least normal number halved, a sum and a product of denormals, one that only an fma rounds rightly, and a
 * comparison. */
static const char *small =
    "kernel void small(global double *p) {\n"
    "  double least = p[0], few = p[1];\n"
    "  p[2] = least * 0.5; p[3] = few + few; p[4] = few * 3.5; p[5] = fma(least, 0x1.8p-52, few);\n"
    "  p[6] = few > 0.0; p[7] = p[2] / few; p[8] = sqrt(few); p[9] = least - few;\n"
    "}\n";

static const char *needing = "kernel void half_of(global double *p) { *p /= 2.0; }\n";

/* Returns whether the query's text contains the word. */
static int tells(cl_device_info query, const char *word)
{
    static char text[1 << 15];
    size_t size = 0;
    MUST(clGetDeviceInfo(device, query, sizeof text, text, &size));
    for (size_t i = 0; i + strlen(word) <= size; i++)
        if (!memcmp(text + i, word, strlen(word)))
            return 1;
    return 0;
}

static void denormals(cl_context context, cl_command_queue queue)
{
    double numbers[10] = {0x1p-1022, 0x1p-1074};
    const double expected[10] = {0x1p-1022, 0x1p-1074, 0x1p-1023, 0x1p-1073, 0x1p-1072, 0x1p-1073, 1, 0x1p51, 0x1p-537,
                                 0x1p-1022 - 0x1p-1074};
    size_t one = 1;
    cl_program program = MADE(clCreateProgramWithSource, context, 1, &small, NULL);
    MUST(clBuildProgram(program, 1, &device, "", NULL, NULL));
    cl_kernel kernel = MADE(clCreateKernel, program, "small");
    cl_mem buffer = MADE(clCreateBuffer, context, CL_MEM_COPY_HOST_PTR, sizeof numbers, numbers);
    MUST(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    MUST(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof numbers, numbers, 0, NULL, NULL));
    for (int i = 0; i < 10; i++)
        if (numbers[i] != expected[i]) {
            printf("number %d: %a, expected %a\n", i, numbers[i], expected[i]);
            CHECK(numbers[i] == expected[i]);
        }
    clReleaseMemObject(buffer);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
}

int main(void)
{
    cl_uint width = 9;
    cl_device_fp_config config = 9;
    device = pumice_device();
    MUST(clGetDeviceInfo(device, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof config, &config, NULL));
    CHECK(!(config & CL_FP_DENORM) == !EXACT);
    CHECK(!(config & CL_FP_SOFT_FLOAT) == !SOFT);
    CHECK(!OFFERED == !config);
    MUST(clGetDeviceInfo(device, CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE, sizeof width, &width, NULL));
    CHECK(width == OFFERED);
    CHECK(tells(CL_DEVICE_EXTENSIONS, "cl_khr_fp64") == OFFERED);
    CHECK(tells(CL_DEVICE_EXTENSIONS_WITH_VERSION, "cl_khr_fp64") == OFFERED);
    CHECK(tells(CL_DEVICE_OPENCL_C_FEATURES, "__opencl_c_fp64") == OFFERED);

    cl_context context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    cl_command_queue queue = MADE(clCreateCommandQueueWithProperties, context, device, NULL);
    cl_program program = MADE(clCreateProgramWithSource, context, 1, &needing, NULL);
    CHECK(clBuildProgram(program, 1, &device, "", NULL, NULL) == (OFFERED ? CL_SUCCESS : CL_BUILD_PROGRAM_FAILURE));
    clReleaseProgram(program);

    program = PROGRAM(context, source, "");
    cl_kernel kernel = MADE(clCreateKernel, program, "twice");
    double doubles[4] = {1.5, -2, 1e300, 0};
    float floats[4] = {1.5f, -2, 1e30f, 0};
    void *data = OFFERED ? (void *)doubles : floats;
    size_t bytes = OFFERED ? sizeof doubles : sizeof floats, items = 4;
    cl_mem buffer = MADE(clCreateBuffer, context, CL_MEM_COPY_HOST_PTR, bytes, data);
    MUST(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
    MUST(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, bytes, data, 0, NULL, NULL));
    if (OFFERED)
        CHECK(doubles[0] == 3 && doubles[1] == -4 && doubles[2] == 2e300 && doubles[3] == 0);
    else
        CHECK(floats[0] == 3 && floats[1] == -4 && floats[2] == 2e30f && floats[3] == 0);
    clReleaseMemObject(buffer);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    if (EXACT)
        denormals(context, queue);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return failures != 0;
}
