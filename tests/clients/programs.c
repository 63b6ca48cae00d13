/* Programs and kernels: creation, building in every way, binaries and their errors, kernel
 * objects, arguments and NDRanges, with the specification's error for each misuse. */
#define _POSIX_C_SOURCE 200809L
#include "common.h"
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

static cl_context context;
static cl_device_id device;
static cl_command_queue queue;

static const char *source =
    "kernel void ids(global uint *out, uint stride)\n"
    "{\n"
    "    size_t x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);\n"
    "    size_t at = (z * get_global_size(1) + y) * stride + x;\n"
    "    out[at] += (uint)(x * 1000003 + y * 1009 + z * 31 + get_local_id(0) * 7\n"
    "        + get_group_id(0) * 3 + get_local_size(0) * 100 + get_num_groups(0));\n"
    "}\n"
    "kernel void sum(global const uint *in, global uint *out, local uint *scratch)\n"
    "{\n"
    "    size_t l = get_local_id(0), n = get_local_size(0);\n"
    "    scratch[l] = in[get_global_id(0)];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    for (size_t s = n / 2; s > 0; s /= 2) {\n"
    "        if (l < s) scratch[l] += scratch[l + s];\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    }\n"
    "    if (l == 0) out[get_group_id(0)] = scratch[0];\n"
    "}\n"
    "__attribute__((reqd_work_group_size(8, 2, 1)))\n"
    "kernel void fixed_size(global uint *out)\n"
    "{\n"
    "    out[get_global_id(1) * get_global_size(0) + get_global_id(0)] = (uint)get_local_size(0);\n"
    "}\n";

static cl_program build(const char *text, const char *options)
{
    cl_int error = 0;
    cl_program program = MADE(clCreateProgramWithSource, context, 1, &text, NULL);
    error = clBuildProgram(program, 1, &device, options, NULL, NULL);
    if (error) {
        static char log[1 << 16];
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        fprintf(stderr, "build gave %d:\n%s\n", error, log);
        exit(1);
    }
    return program;
}

static unsigned expected(size_t x, size_t y, size_t z, size_t gx, size_t lx, size_t ox)
{
    size_t in = x - ox, rest = gx % lx;
    size_t local = rest && in / lx == gx / lx ? rest : lx;
    return (unsigned)(x * 1000003 + y * 1009 + z * 31 + in % lx * 7 + in / lx * 3 + local * 100 +
                      (gx + lx - 1) / lx);
}

static void ranges(cl_program program)
{
    cl_kernel kernel = MADE(clCreateKernel, program, "ids");
    static const size_t shapes[][9] = {
        /* global, local (0: NULL), offset */
        {1000, 1, 1, 100, 1, 1, 0, 0, 0}, {1000, 1, 1, 64, 1, 1, 0, 0, 0},
        {37, 5, 3, 8, 2, 2, 0, 0, 0},     {64, 4, 2, 16, 2, 1, 5, 2, 1},
        {10007, 1, 1, 0, 1, 1, 3, 0, 0},  {33, 17, 1, 0, 1, 1, 0, 0, 0},
        {1, 1, 1, 1, 1, 1, 0, 0, 0},      {7, 7, 7, 8, 1, 8, 1, 1, 1},
    };
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        const size_t *global = shapes[s], *local = shapes[s] + 3, *offset = shapes[s] + 6;
        cl_uint stride = (cl_uint)(global[0] + offset[0]);
        size_t count = (size_t)stride * (global[1] + offset[1]) * (global[2] + offset[2]) + 64;
        count *= 2;
        cl_uint *out = calloc(count, 4), *want = calloc(count, 4), zero = 0;
        cl_mem buffer = MADE(clCreateBuffer, context, 0, count * 4, NULL);
        MUST(clEnqueueFillBuffer(queue, buffer, &zero, 4, 0, count * 4, 0, NULL, NULL));
        MUST(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
        MUST(clSetKernelArg(kernel, 1, sizeof stride, &stride));
        size_t chosen[3] = {local[0], local[1], local[2]};
        if (!local[0]) {
            /* The size for NULL is not told, so the group terms are checked with what the
             * kernel's own local size would be only where it is given. */
            chosen[0] = chosen[1] = chosen[2] = 0;
        }
        MUST(clEnqueueNDRangeKernel(queue, kernel, 3, offset, global, local[0] ? local : NULL, 0,
                                    NULL, NULL));
        MUST(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, count * 4, out, 0, NULL, NULL));
        size_t wrong = 0, touched = 0;
        for (size_t z = offset[2]; z < offset[2] + global[2]; z++)
            for (size_t y = offset[1]; y < offset[1] + global[1]; y++)
                for (size_t x = offset[0]; x < offset[0] + global[0]; x++) {
                    size_t at = (z * global[1] + y) * stride + x;
                    if (chosen[0])
                        want[at] += expected(x, y, z, global[0], chosen[0], offset[0]);
                    else
                        want[at] = out[at] ? out[at] : 1;
                }
        for (size_t i = 0; i < count; i++) {
            wrong += out[i] != want[i];
            touched += out[i] != 0;
        }
        if (wrong) {
            fprintf(stderr, "shape %zu: %zu of %zu wrong, %zu touched\n", s, wrong, count, touched);
            failures++;
        }
        MUST(clReleaseMemObject(buffer));
        free(out);
        free(want);
    }
    MUST(clReleaseKernel(kernel));
}

static void range_errors(cl_program program)
{
    cl_mem buffer = MADE(clCreateBuffer, context, 0, 1024, NULL);
    cl_kernel kernel = MADE(clCreateKernel, program, "fixed_size");
    size_t global[3] = {16, 4, 1}, local[3] = {8, 2, 1}, other[3] = {4, 4, 1};
    EQ(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, NULL, 0, NULL, NULL),
       CL_INVALID_KERNEL_ARGS);
    MUST(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    EQ(clEnqueueNDRangeKernel(queue, kernel, 0, NULL, global, NULL, 0, NULL, NULL),
       CL_INVALID_WORK_DIMENSION);
    EQ(clEnqueueNDRangeKernel(queue, kernel, 4, NULL, global, NULL, 0, NULL, NULL),
       CL_INVALID_WORK_DIMENSION);
    EQ(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, other, 0, NULL, NULL),
       CL_INVALID_WORK_GROUP_SIZE);
    EQ(clEnqueueNDRangeKernel(NULL, kernel, 2, NULL, global, local, 0, NULL, NULL),
       CL_INVALID_COMMAND_QUEUE);
    EQ(clEnqueueNDRangeKernel(queue, NULL, 2, NULL, global, local, 0, NULL, NULL),
       CL_INVALID_KERNEL);
    EQ(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, local, 2, NULL, NULL),
       CL_INVALID_EVENT_WAIT_LIST);
    size_t far[3] = {(size_t)-8, 0, 0};
    EQ(clEnqueueNDRangeKernel(queue, kernel, 2, far, global, local, 0, NULL, NULL),
       CL_INVALID_GLOBAL_OFFSET);
    cl_event done = NULL;
    size_t empty[3] = {0, 4, 1};
    MUST(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, empty, NULL, 0, NULL, &done));
    MUST(clWaitForEvents(1, &done));
    cl_command_type type = 0;
    MUST(clGetEventInfo(done, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
    EQ(type, CL_COMMAND_NDRANGE_KERNEL);
    MUST(clReleaseEvent(done));
    cl_uint out[64];
    MUST(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, NULL, 0, NULL, NULL));
    MUST(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
    for (int i = 0; i < 64; i++)
        if (out[i] != 8) {
            EQ(out[i], 8);
            break;
        }
    size_t compiled[3] = {9, 9, 9};
    MUST(clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE,
                                  sizeof compiled, compiled, NULL));
    CHECK(compiled[0] == 8 && compiled[1] == 2 && compiled[2] == 1);
    MUST(clReleaseKernel(kernel));
    MUST(clReleaseMemObject(buffer));
}

typedef cl_int(CL_API_CALL *suggest_t)(cl_command_queue, cl_kernel, cl_uint, const size_t *,
                                       const size_t *, size_t *);

static void suggested_sizes(cl_program program)
{
    cl_int error = 0;
    suggest_t suggest = (suggest_t)clGetExtensionFunctionAddressForPlatform(
        pumice_platform(), "clGetKernelSuggestedLocalWorkSizeKHR");
    CHECK(suggest != NULL);
    if (!suggest)
        return;
    cl_kernel kernel = MADE(clCreateKernel, program, "ids");
    cl_mem buffer = MADE(clCreateBuffer, context, 0, 4096, NULL);
    cl_uint stride = 1;
    MUST(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    MUST(clSetKernelArg(kernel, 1, sizeof stride, &stride));
    size_t global[3] = {512, 512, 4}, local[3] = {0, 0, 0}, zero[3] = {512, 0, 4}, most = 0;
    MUST(clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most,
                                  NULL));
    MUST(suggest(queue, kernel, 3, NULL, global, local));
    CHECK(local[0] > 0 && local[1] > 0 && local[2] > 0);
    CHECK(local[0] * local[1] * local[2] <= most);
    EQ(suggest(queue, kernel, 3, NULL, zero, local), CL_INVALID_GLOBAL_WORK_SIZE);
    EQ(suggest(queue, kernel, 0, NULL, global, local), CL_INVALID_WORK_DIMENSION);
    EQ(suggest(queue, kernel, 3, NULL, global, NULL), CL_INVALID_VALUE);
    EQ(suggest(NULL, kernel, 3, NULL, global, local), CL_INVALID_COMMAND_QUEUE);
    kernel = (clReleaseKernel(kernel), clCreateKernel(program, "fixed_size", &error));
    MUST(error);
    MUST(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    MUST(suggest(queue, kernel, 2, NULL, global, local));
    CHECK(local[0] == 8 && local[1] == 2);
    MUST(clReleaseKernel(kernel));
    MUST(clReleaseMemObject(buffer));
}

static void uniform_groups_only(void)
{
    cl_program program = build(source, "-cl-std=CL3.0 -cl-uniform-work-group-size");
    cl_kernel kernel = MADE(clCreateKernel, program, "ids");
    cl_mem buffer = MADE(clCreateBuffer, context, 0, 4096, NULL);
    cl_uint stride = 100;
    MUST(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    MUST(clSetKernelArg(kernel, 1, sizeof stride, &stride));
    size_t global = 100, even = 20, odd = 64;
    EQ(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &odd, 0, NULL, NULL),
       CL_INVALID_WORK_GROUP_SIZE);
    MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &even, 0, NULL, NULL));
    MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
    MUST(clFinish(queue));
    MUST(clReleaseMemObject(buffer));
    MUST(clReleaseKernel(kernel));
    MUST(clReleaseProgram(program));
}

/* Work-groups of OpenCL C before 2.0 have one size, unless cl_arm_non_uniform_work_group_size says otherwise: also where the
 * driver chooses it, as far as kernels can tell. */
static void language_decides_about_groups(void)
{
    enum { PRIME = 1009 };
    static const char *const text =
        "kernel void sizes(global int *o) { o[get_global_id(0)] = (int)get_local_size(0); }\n"
        "kernel void plain(global int *o) { o[get_global_id(0)] = (int)get_global_id(0); }\n"
        "kernel void shares(global int *o)\n"
        "{\n"
        "    local int n;\n"
        "    n = 0;\n"
        "    barrier(CLK_LOCAL_MEM_FENCE);\n"
        "    atomic_inc(&n);\n"
        "    barrier(CLK_LOCAL_MEM_FENCE);\n"
        "    o[get_global_id(0)] = n;\n"
        "}\n"
        "kernel void adds(global int *o, local int *n)\n"
        "{\n"
        "    *n = 0;\n"
        "    o[get_global_id(0)] = atomic_inc(n) >= 0;\n"
        "}\n";
    static const struct {
        const char *options;
        int uniform;
    } cases[] = {
        {"", 1},
        {"-cl-std=CL1.1", 1},
        {"-cl-std=CL1.2", 1},
        {"-cl-std=CL1.2 -cl-arm-non-uniform-work-group-size", 0},
        {"-cl-std=CL1.2 -cl-arm-non-uniform-work-group-size -cl-uniform-work-group-size", 1},
        {"-cl-std=CL2.0", 0},
        {"-cl-std=CL3.0", 0},
    };
    suggest_t suggest = (suggest_t)clGetExtensionFunctionAddressForPlatform(
        pumice_platform(), "clGetKernelSuggestedLocalWorkSizeKHR");
    cl_mem buffer = MADE(clCreateBuffer, context, 0, PRIME * sizeof(cl_int), NULL);
    size_t ten = 10, four = 4, five = 5, prime = PRIME, local = 0;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        cl_program program = build(text, cases[c].options);
        cl_int expected = cases[c].uniform ? CL_INVALID_WORK_GROUP_SIZE : CL_SUCCESS;
        const char *names[] = {"sizes", "plain", "shares", "adds"};
        for (int k = 0; k < 4; k++) {
            cl_kernel kernel = MADE(clCreateKernel, program, names[k]);
            MUST(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
            if (k == 3)
                MUST(clSetKernelArg(kernel, 1, 4, NULL));
            EQ(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &ten, &four, 0, NULL, NULL), expected);
            MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &ten, &five, 0, NULL, NULL));
            MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &prime, NULL, 0, NULL, NULL));
            static cl_int got[PRIME];
            MUST(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
            int wrong = 0;
            for (int i = 0; i < PRIME; i++)
                wrong += k == 1 ? got[i] != i : cases[c].uniform && got[i] != got[0];
            EQ(wrong, 0);
            /* What is suggested can be asked for. */
            MUST(suggest(queue, kernel, 1, NULL, &prime, &local));
            MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &prime, &local, 0, NULL, NULL));
            MUST(clFinish(queue));
            MUST(clReleaseKernel(kernel));
        }
        MUST(clReleaseProgram(program));
    }
    MUST(clReleaseMemObject(buffer));
}

static void arguments(cl_program program)
{
    cl_int error = 0;
    CHECK(!clCreateKernel(program, "no_such_kernel", &error));
    EQ(error, CL_INVALID_KERNEL_NAME);
    CHECK(!clCreateKernel(program, NULL, &error));
    EQ(error, CL_INVALID_VALUE);
    cl_kernel all[8];
    cl_uint count = 0;
    MUST(clCreateKernelsInProgram(program, 0, NULL, &count));
    EQ(count, 3);
    EQ(clCreateKernelsInProgram(program, 2, all, NULL), CL_INVALID_VALUE);
    MUST(clCreateKernelsInProgram(program, 8, all, &count));
    for (cl_uint i = 0; i < count; i++)
        MUST(clReleaseKernel(all[i]));

    cl_kernel kernel = MADE(clCreateKernel, program, "sum");
    char name[32] = "";
    MUST(clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL));
    CHECK(strcmp(name, "sum") == 0);
    MUST(clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof count, &count, NULL));
    EQ(count, 3);
    cl_uint data[256], got[4];
    for (cl_uint i = 0; i < 256; i++)
        data[i] = i * i;
    cl_mem in = MADE(clCreateBuffer, context, CL_MEM_COPY_HOST_PTR, sizeof data, data);
    cl_mem out = MADE(clCreateBuffer, context, 0, sizeof got, NULL);
    EQ(clSetKernelArg(kernel, 3, sizeof in, &in), CL_INVALID_ARG_INDEX);
    EQ(clSetKernelArg(kernel, 0, 4, &in), CL_INVALID_ARG_SIZE);
    EQ(clSetKernelArg(kernel, 2, 256, &in), CL_INVALID_ARG_VALUE);
    EQ(clSetKernelArg(NULL, 0, sizeof in, &in), CL_INVALID_KERNEL);
    void *no_memory = queue;
    EQ(clSetKernelArg(kernel, 0, sizeof no_memory, &no_memory), CL_INVALID_MEM_OBJECT);
    MUST(clSetKernelArg(kernel, 0, sizeof in, &in));
    MUST(clSetKernelArg(kernel, 1, sizeof out, &out));
    /* Local memory that an argument was not given does not count. */
    cl_ulong local = 9;
    MUST(clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof local, &local,
                                  NULL));
    EQ(local, 0);
    MUST(clSetKernelArg(kernel, 2, 64 * 4, NULL));
    MUST(clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof local, &local,
                                  NULL));
    CHECK(local >= 64 * 4 && local < 4096);
    size_t global = 256, group = 64;
    MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &group, 0, NULL, NULL));
    /* A clone has the same arguments, and setting its own changes nothing here. */
    cl_kernel clone = MADE(clCloneKernel, kernel);
    MUST(clSetKernelArg(clone, 1, sizeof in, &in));
    MUST(clReleaseKernel(clone));
    MUST(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    for (cl_uint g = 0; g < 4; g++) {
        cl_uint want = 0;
        for (cl_uint i = 0; i < 64; i++)
            want += data[g * 64 + i];
        EQ(got[g], want);
    }
    /* More local memory than there is. */
    MUST(clSetKernelArg(kernel, 2, 1 << 26, NULL));
    EQ(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &group, 0, NULL, NULL),
       CL_OUT_OF_RESOURCES);
    /* The arguments' memory lives on in the kernel's commands, not in the kernel. */
    MUST(clSetKernelArg(kernel, 2, 64 * 4, NULL));
    MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &group, 0, NULL, NULL));
    MUST(clReleaseMemObject(in));
    MUST(clReleaseMemObject(out));
    MUST(clReleaseKernel(kernel));
    MUST(clFinish(queue));
}

static atomic_int notified;
static void CL_CALLBACK on_build(cl_program program, void *data)
{
    (void)program;
    atomic_fetch_add((atomic_int *)data, 1);
}

static void build_and_binary_errors(void)
{
    cl_int error = 0;
    const char *bad = "kernel void k(global int *p) { p[0] = undeclared; }\n";
    cl_program program = MADE(clCreateProgramWithSource, context, 1, &bad, NULL);
    CHECK(!clCreateKernel(program, "k", &error));
    EQ(error, CL_INVALID_PROGRAM_EXECUTABLE);
    EQ(clBuildProgram(program, 0, NULL, "-no-such-option", NULL, NULL), CL_INVALID_BUILD_OPTIONS);
    EQ(clBuildProgram(program, 1, NULL, NULL, NULL, NULL), CL_INVALID_VALUE);
    EQ(clBuildProgram(program, 0, NULL, NULL, NULL, &error), CL_INVALID_VALUE);
    EQ(clBuildProgram(NULL, 0, NULL, NULL, NULL, NULL), CL_INVALID_PROGRAM);
    EQ(clBuildProgram(program, 0, NULL, NULL, NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    cl_build_status status = 0;
    char log[4096] = "";
    MUST(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_STATUS, sizeof status, &status,
                               NULL));
    EQ(status, CL_BUILD_ERROR);
    MUST(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
    CHECK(strstr(log, "undeclared") != NULL);
    MUST(clReleaseProgram(program));

    const char *null = NULL;
    CHECK(!clCreateProgramWithSource(context, 1, &null, NULL, &error));
    EQ(error, CL_INVALID_VALUE);
    CHECK(!clCreateProgramWithSource(context, 0, NULL, NULL, &error));
    EQ(error, CL_INVALID_VALUE);

    /* Strings with and without lengths are joined; the callback is called. */
    const char *parts[] = {"kernel void k(global int *p) { p[0] = VXXX", "ALUE; }\nTRASH"};
    size_t lengths[] = {strlen(parts[0]) - 3, strlen("ALUE; }\n")};
    program = MADE(clCreateProgramWithSource, context, 2, parts, lengths);
    MUST(clBuildProgram(program, 0, NULL, "-DVALUE=42 -cl-std=CL3.0", on_build, &notified));
    struct timespec t = {0, 1000000};
    for (int i = 0; i < 10000 && !atomic_load(&notified); i++)
        nanosleep(&t, NULL);
    EQ(atomic_load(&notified), 1);
    MUST(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_STATUS, sizeof status, &status,
                               NULL));
    EQ(status, CL_BUILD_SUCCESS);
    char options[64] = "";
    MUST(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_OPTIONS, sizeof options, options,
                               NULL));
    CHECK(strcmp(options, "-DVALUE=42 -cl-std=CL3.0") == 0);

    /* A binary of it runs without its source. */
    size_t size = 0;
    MUST(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL));
    CHECK(size > 64);
    unsigned char *binary = malloc(size);
    MUST(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL));
    MUST(clReleaseProgram(program));
    cl_int binary_status = 1;
    program = MADE(clCreateProgramWithBinary, context, 1, &device, &size, (const unsigned char **)&binary, &binary_status);
    EQ(binary_status, CL_SUCCESS);
    CHECK(!clCreateKernel(program, "k", &error));
    EQ(error, CL_INVALID_PROGRAM_EXECUTABLE);
    MUST(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
    cl_kernel kernel = MADE(clCreateKernel, program, "k");
    EQ(clBuildProgram(program, 0, NULL, NULL, NULL, NULL), CL_INVALID_OPERATION);
    cl_mem buffer = MADE(clCreateBuffer, context, 0, 4, NULL);
    MUST(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    MUST(clEnqueueTask(queue, kernel, 0, NULL, NULL));
    int got = 0;
    MUST(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 4, &got, 0, NULL, NULL));
    EQ(got, 42);
    MUST(clReleaseMemObject(buffer));
    MUST(clReleaseKernel(kernel));
    MUST(clReleaseProgram(program));

    /* Damage is found wherever it is. */
    for (size_t at = 0; at < size; at += size / 50 + 1) {
        binary[at] ^= 0x10;
        program = clCreateProgramWithBinary(context, 1, &device, &size,
                                            (const unsigned char **)&binary, &binary_status,
                                            &error);
        if (program)
            MUST(clReleaseProgram(program)); /* only the version or target it was made for */
        else
            EQ(error, CL_INVALID_BINARY);
        binary[at] ^= 0x10;
    }
    const unsigned char junk[] = "this is no binary of any kind...", *junk_list[] = {junk};
    size_t junk_size = sizeof junk;
    CHECK(!clCreateProgramWithBinary(context, 1, &device, &junk_size, junk_list, &binary_status,
                                     &error));
    EQ(error, CL_INVALID_BINARY);
    EQ(binary_status, CL_INVALID_BINARY);
    CHECK(!clCreateProgramWithIL(context, junk, junk_size, &error));
    EQ(error, CL_INVALID_VALUE);
    free(binary);
}

/* Options are bytes: values that are not UTF-8 reach the program as they are. */
static void options_that_are_not_utf8(void)
{
    const char *text = "kernel void k(global uchar *p) { constant char *name = NAME;\n"
                       "    p[get_global_id(0)] = name[get_global_id(0)]; }\n";
    const char *options = "-D NAME=\\\"caf\xe9\\\" -DIN\xc3\xa9=1";
    cl_program program = build(text, options);
    char told[64] = "";
    MUST(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_OPTIONS, sizeof told, told, NULL));
    CHECK(strcmp(told, options) == 0);
    cl_kernel kernel = MADE(clCreateKernel, program, "k");
    unsigned char name[5] = "";
    cl_mem buffer = MADE(clCreateBuffer, context, 0, sizeof name, NULL);
    MUST(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    size_t items = sizeof name;
    MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
    MUST(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof name, name, 0, NULL, NULL));
    CHECK(memcmp(name, "caf\xe9", sizeof name) == 0);
    MUST(clReleaseMemObject(buffer));
    MUST(clReleaseKernel(kernel));
    MUST(clReleaseProgram(program));

    program = MADE(clCreateProgramWithSource, context, 1, &text, NULL);
    EQ(clBuildProgram(program, 0, NULL, "-caf\xe9", NULL, NULL), CL_INVALID_BUILD_OPTIONS);
    char log[200] = "";
    MUST(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
    CHECK(strcmp(log, "error: unknown argument: '-caf\xef\xbf\xbd'\n") == 0);
    MUST(clReleaseProgram(program));
}

/* A build with a callback has ended when the call returns, and its callback has been called: other drivers do so, and
 * programs free what it uses. */
static void builds_with_callback(void)
{
    cl_int error = 0;
    for (int round = 0; round < 4; round++) {
        const char *text = round == 3 ? "kernel void ids(global int *p) { p[0] = missing; }" : source;
        cl_program program = MADE(clCreateProgramWithSource, context, 1, &text, NULL);
        /* None that the cache has. */
        char options[64];
        snprintf(options, sizeof options, "-cl-std=CL3.0 -DROUND=%d", round);
        const int before = atomic_load(&notified);
        error = clBuildProgram(program, 0, NULL, options, on_build, &notified);
        EQ(error, round == 3 ? CL_BUILD_PROGRAM_FAILURE : CL_SUCCESS);
        EQ(atomic_load(&notified), before + 1);
        cl_kernel kernels[3] = {NULL, NULL, NULL};
        cl_uint count = 0;
        size_t size = 0;
        switch (round) {
        case 0:
            kernels[0] = MADE(clCreateKernel, program, "ids");
            break;
        case 1:
            MUST(clCreateKernelsInProgram(program, 3, kernels, &count));
            EQ(count, 3);
            break;
        case 2:
            MUST(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL));
            CHECK(size > 64);
            break;
        default:
            CHECK(!clCreateKernel(program, "ids", &error));
            EQ(error, CL_INVALID_PROGRAM_EXECUTABLE);
        }
        cl_build_status status = CL_BUILD_NONE;
        MUST(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_STATUS, sizeof status,
                                   &status, NULL));
        EQ(status, round == 3 ? CL_BUILD_ERROR : CL_BUILD_SUCCESS);
        for (int i = 0; i < 3; i++)
            if (kernels[i])
                MUST(clReleaseKernel(kernels[i]));
        MUST(clReleaseProgram(program));
    }
}

static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
static atomic_int passed;

static void CL_CALLBACK takes_lock(cl_program program, void *data)
{
    (void)program;
    (void)data;
    pthread_mutex_lock(&held);
    pthread_mutex_unlock(&held);
    passed = 1;
}

/* A callback may take a lock that the application holds around the call, which then returns before it. */
static void callback_takes_lock(void)
{
    cl_program program = MADE(clCreateProgramWithSource, context, 1, &(const char *){source}, NULL);
    pthread_mutex_lock(&held);
    MUST(clBuildProgram(program, 0, NULL, "-cl-std=CL3.0 -DHELD", takes_lock, NULL));
    EQ(passed, 0);
    pthread_mutex_unlock(&held);
    for (int i = 0; i < 10000 && !passed; i++)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    EQ(passed, 1);
    MUST(clReleaseProgram(program));
}

/* A compilation on a thread of its own. */
struct compilation {
    cl_program program;
    int round;
    cl_int error;
};

static void *compile(void *data)
{
    struct compilation *compilation = data;
    char options[32];
    snprintf(options, sizeof options, "-DROUND=%d", compilation->round);
    compilation->error = clCompileProgram(compilation->program, 0, NULL, options, 0, NULL, NULL, NULL, NULL);
    return NULL;
}

/* An object that is being compiled anew is not linked. A compilation may end before the link begins, but not always. */
static void link_while_compiling(void)
{
    static char text[200000];
    cl_int error = 0;
    size_t length = 0;
    for (int i = 0; i < 1500; i++)
        length += snprintf(text + length, sizeof text - length,
                           "int f%d(int x) { return x * %d + ROUND; }\n", i, i);
    const char *list[] = {text};
    cl_program program = MADE(clCreateProgramWithSource, context, 1, list, NULL);
    MUST(clCompileProgram(program, 0, NULL, "-DROUND=0", 0, NULL, NULL, NULL, NULL));
    int refused = 0;
    for (int round = 1; round <= 20 && !refused; round++) {
        struct compilation compilation = {program, round, CL_SUCCESS};
        pthread_t thread;
        EQ(pthread_create(&thread, NULL, compile, &compilation), 0);
        cl_build_status now = CL_BUILD_NONE;
        for (int i = 0; i < 1000 && now != CL_BUILD_IN_PROGRESS; i++)
            MUST(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_STATUS, sizeof now, &now, NULL));
        cl_program linked = clLinkProgram(context, 0, NULL, "-create-library", 1, &program, NULL,
                                          NULL, &error);
        refused = error == CL_INVALID_OPERATION;
        EQ(!linked, refused);
        if (linked)
            MUST(clReleaseProgram(linked));
        EQ(pthread_join(thread, NULL), 0);
        MUST(compilation.error);
        /* The binary is there when the compilation has ended. */
        size_t size = 0;
        MUST(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL));
        cl_build_status status = CL_BUILD_NONE;
        MUST(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_STATUS, sizeof status, &status,
                                   NULL));
        EQ(status, CL_BUILD_SUCCESS);
    }
    CHECK(refused);
    MUST(clReleaseProgram(program));
}

static void compile_and_link(void)
{
    cl_int error = 0;
    const char *header = "#define ANSWER 21\nint twice(int x);\n";
    const char *library = "int twice(int x) { return x * 2; }\n";
    const char *main_text = "#include <inc/answer.h>\n"
                            "kernel void k(global int *p) { p[0] = twice(ANSWER); }\n";
    cl_program h = MADE(clCreateProgramWithSource, context, 1, &header, NULL);
    cl_program l = MADE(clCreateProgramWithSource, context, 1, &library, NULL);
    cl_program m = MADE(clCreateProgramWithSource, context, 1, &main_text, NULL);
    const char *names[] = {"inc/answer.h"};
    MUST(clCompileProgram(l, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
    EQ(clCompileProgram(m, 0, NULL, NULL, 1, &h, NULL, NULL, NULL), CL_INVALID_VALUE);
    EQ(clCompileProgram(m, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL), CL_COMPILE_PROGRAM_FAILURE);
    MUST(clCompileProgram(m, 0, NULL, NULL, 1, &h, names, NULL, NULL));
    /* A link that fails gives the program that holds its log. */
    cl_program unlinked = clLinkProgram(context, 0, NULL, NULL, 1, &m, NULL, NULL, &error);
    EQ(error, CL_LINK_PROGRAM_FAILURE);
    CHECK(unlinked);
    char link_log[256] = "";
    MUST(clGetProgramBuildInfo(unlinked, device, CL_PROGRAM_BUILD_LOG, sizeof link_log, link_log,
                               NULL));
    CHECK(strstr(link_log, "error"));
    MUST(clReleaseProgram(unlinked));
    CHECK(!clLinkProgram(context, 0, NULL, NULL, 1, &h, NULL, NULL, &error));
    EQ(error, CL_INVALID_OPERATION);
    CHECK(!clLinkProgram(context, 0, NULL, "-what", 1, &m, NULL, NULL, &error));
    EQ(error, CL_INVALID_LINKER_OPTIONS);
    cl_program archive = clLinkProgram(context, 0, NULL, "-create-library", 1, &l, NULL, NULL,
                                       &error);
    MUST(error);
    cl_program_binary_type type = 0;
    MUST(clGetProgramBuildInfo(archive, device, CL_PROGRAM_BINARY_TYPE, sizeof type, &type, NULL));
    EQ(type, CL_PROGRAM_BINARY_TYPE_LIBRARY);
    cl_program both[] = {m, archive};
    cl_program linked = MADE(clLinkProgram, context, 0, NULL, NULL, 2, both, NULL, NULL);
    MUST(clGetProgramBuildInfo(linked, device, CL_PROGRAM_BINARY_TYPE, sizeof type, &type, NULL));
    EQ(type, CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
    cl_kernel kernel = MADE(clCreateKernel, linked, "k");
    cl_mem buffer = MADE(clCreateBuffer, context, 0, 4, NULL);
    MUST(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    MUST(clEnqueueTask(queue, kernel, 0, NULL, NULL));
    int got = 0;
    MUST(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 4, &got, 0, NULL, NULL));
    EQ(got, 42);
    MUST(clReleaseMemObject(buffer));
    MUST(clReleaseKernel(kernel));
    cl_program all[] = {h, l, m, archive, linked};
    for (size_t i = 0; i < 5; i++)
        MUST(clReleaseProgram(all[i]));
}

/* Returns clGetKernelArgInfo's error for the name of the first argument of "k". */
static cl_int name_told(cl_program program)
{
    cl_int error = 0;
    char name[16] = "";
    cl_kernel kernel = MADE(clCreateKernel, program, "k");
    error = clGetKernelArgInfo(kernel, 0, CL_KERNEL_ARG_NAME, sizeof name, name, NULL);
    CHECK(error || strcmp(name, "p") == 0);
    EQ(clGetKernelArgInfo(kernel, 1, CL_KERNEL_ARG_NAME, 0, NULL, NULL), CL_INVALID_ARG_INDEX);
    MUST(clReleaseKernel(kernel));
    return error;
}

/* Source tells of arguments if its options say so, linked or not. */
static void argument_names(void)
{
    const char *text = "kernel void k(global int *p) { *p = 1; }";
    const char *options[] = {"", "-cl-kernel-arg-info"};
    const cl_int expected[] = {CL_KERNEL_ARG_INFO_NOT_AVAILABLE, CL_SUCCESS};
    /* Twice: the second is from the cache. */
    for (int i = 0; i < 4; i++) {
        cl_program program = build(text, options[i % 2]);
        EQ(name_told(program), expected[i % 2]);
        MUST(clReleaseProgram(program));
        program = MADE(clCreateProgramWithSource, context, 1, &text, NULL);
        MUST(clCompileProgram(program, 0, NULL, options[i % 2], 0, NULL, NULL, NULL, NULL));
        cl_program linked = MADE(clLinkProgram, context, 0, NULL, NULL, 1, &program, NULL, NULL);
        EQ(name_told(linked), expected[i % 2]);
        MUST(clReleaseProgram(linked));
        MUST(clReleaseProgram(program));
    }
}

int main(void)
{
    device = pumice_device();
    context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    queue = MADE(clCreateCommandQueueWithProperties, context, device, NULL);
    cl_program program = build(source, "-cl-std=CL3.0");
    ranges(program);
    range_errors(program);
    arguments(program);
    suggested_sizes(program);
    uniform_groups_only();
    language_decides_about_groups();
    MUST(clReleaseProgram(program));
    build_and_binary_errors();
    builds_with_callback();
    callback_takes_lock();
    options_that_are_not_utf8();
    link_while_compiling();
    compile_and_link();
    argument_names();
    MUST(clReleaseCommandQueue(queue));
    release_last(context);
    return finish();
}
