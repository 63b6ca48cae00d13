/* The version that the device reports, and that it has all of it: what 3.1 demands (OpenCL 3.1 API,
 * "Required Extensions" and the notes of the queries), OpenCL C 3.1, local arguments of no bytes,
 * printf's z and t. */
#include "common.h"
#include <unistd.h>

static cl_device_id device;

static int lists(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = list; (at = strstr(at, word)); at += length)
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
            return 1;
    fprintf(stderr, "%s is missing from %s\n", word, list);
    return 0;
}

static void demanded(void)
{
    static const char *const extensions[] = {
        "cl_khr_device_uuid", "cl_khr_extended_bit_ops", "cl_khr_integer_dot_product",
        "cl_khr_spirv_queries", "cl_khr_subgroup_extended_types", "cl_khr_subgroup_rotate",
        "cl_khr_subgroup_shuffle", "cl_khr_subgroup_shuffle_relative",
        "cl_khr_suggested_local_work_size",
    };
    static const char *const languages[] = {
        "SPIR-V_1.0", "SPIR-V_1.1", "SPIR-V_1.2", "SPIR-V_1.3", "SPIR-V_1.4",
    };
    static char text[1 << 14];
    MUST(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof text, text, NULL));
    for (size_t i = 0; i < sizeof extensions / sizeof *extensions; i++)
        CHECK(lists(text, extensions[i]));
    MUST(clGetDeviceInfo(device, CL_DEVICE_IL_VERSION, sizeof text, text, NULL));
    for (size_t i = 0; i < sizeof languages / sizeof *languages; i++)
        CHECK(lists(text, languages[i]));
    cl_uint most = 0;
    MUST(clGetDeviceInfo(device, CL_DEVICE_MAX_NUM_SUB_GROUPS, sizeof most, &most, NULL));
    CHECK(most > 0);
}

/* Returns whether CL_DEVICE_OPENCL_C_ALL_VERSIONS has a version. */
static int has_language(cl_version wanted)
{
    cl_name_version all[16];
    size_t size = 0;
    MUST(clGetDeviceInfo(device, CL_DEVICE_OPENCL_C_ALL_VERSIONS, sizeof all, all, &size));
    for (size_t i = 0; i < size / sizeof *all; i++)
        if (all[i].version == wanted)
            return 1;
    return 0;
}

static const char *source =
    "#if __OPENCL_C_VERSION__ != 310 || __OPENCL_VERSION__ != 310 || !defined(__opencl_c_subgroups)\n"
    "#error not OpenCL C 3.1\n"
    "#endif\n"
    "kernel void none(global uint *out, local uint *scratch, uint n)\n"
    "{ uint lane = get_sub_group_local_id();\n"
    "  out[get_global_id(0)] = sub_group_rotate(lane, 1) == (lane + 1) % get_sub_group_size();\n"
    "  if (n) scratch[n - 1] = n; }\n"
    "kernel void print(ulong n, long m)\n"
    "{ size_t a = n; ptrdiff_t b = m;\n"
    "  printf(\"%zu %td %zx|%5tX|%-6zd|\\n\", a, b, a, b, a); }\n";

int main(void)
{
    device = pumice_device();
    char text[128] = "";
    unsigned major = 0, minor = 0;
    cl_version number = 0;
    MUST(clGetDeviceInfo(device, CL_DEVICE_VERSION, sizeof text, text, NULL));
    EQ(sscanf(text, "OpenCL %u.%u Pumice", &major, &minor), 2);
    /* Programs search it for a version of OpenCL's. */
    EQ(strpbrk(text + strlen("OpenCL 3.0"), "0123456789") == NULL, 1);
    MUST(clGetDeviceInfo(device, CL_DEVICE_NUMERIC_VERSION, sizeof number, &number, NULL));
    EQ(number, CL_MAKE_VERSION(major, minor, 0));
    EQ(major, 3);
    EQ(has_language(CL_MAKE_VERSION(3, 0, 0)), 1);
    EQ(has_language(CL_MAKE_VERSION(1, 2, 0)), 1);
    EQ(has_language(CL_MAKE_VERSION(3, 1, 0)), minor >= 1);

    cl_int error = 0;
    cl_context context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    cl_program program = MADE(clCreateProgramWithSource, context, 1, &source, NULL);
    error = clBuildProgram(program, 0, NULL, "-cl-std=CL3.1", NULL, NULL);
    if (minor < 1) {
        EQ(error, CL_BUILD_PROGRAM_FAILURE);
        return failures != 0;
    }
    MUST(error);
    demanded();

    cl_command_queue queue = MADE(clCreateCommandQueueWithProperties, context, device, NULL);
    cl_kernel kernel = MADE(clCreateKernel, program, "none");
    cl_uint got[64] = {0}, n = 0;
    cl_mem out = MADE(clCreateBuffer, context, 0, sizeof got, NULL);
    MUST(clSetKernelArg(kernel, 0, sizeof out, &out));
    MUST(clSetKernelArg(kernel, 1, 0, NULL));
    MUST(clSetKernelArg(kernel, 2, sizeof n, &n));
    size_t global = 64, local = 64;
    MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL));
    MUST(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    for (int i = 0; i < 64; i++)
        EQ(got[i], 1);
    MUST(clReleaseKernel(kernel));

    kernel = MADE(clCreateKernel, program, "print");
    cl_ulong a = 1234567890123;
    cl_long b = -5;
    MUST(clSetKernelArg(kernel, 0, sizeof a, &a));
    MUST(clSetKernelArg(kernel, 1, sizeof b, &b));
    int ends[2], before = dup(1);
    CHECK(pipe(ends) == 0);
    fflush(stdout);
    dup2(ends[1], 1);
    size_t one = 1;
    MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    MUST(clFinish(queue));
    fflush(stdout);
    dup2(before, 1);
    close(ends[1]);
    ssize_t length = read(ends[0], text, sizeof text - 1);
    text[length > 0 ? length : 0] = 0;
    const char *wanted = "1234567890123 -5 11f71fb04cb|FFFFFFFFFFFFFFFB|1234567890123|\n";
    if (strcmp(text, wanted)) {
        fprintf(stderr, "printed %s", text);
        failures++;
    }
    MUST(clReleaseKernel(kernel));
    MUST(clReleaseMemObject(out));
    MUST(clReleaseCommandQueue(queue));
    MUST(clReleaseProgram(program));
    MUST(clReleaseContext(context));
    return failures != 0;
}
