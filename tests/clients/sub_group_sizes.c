/* Kernels that require a size of sub-groups: one that the device has runs, and a larger one that the driver makes;
 * another one fails at its launch, with the sizes that there are, and nothing else of its program does. */
#include "common.h"

static char told[4096];
static void CL_CALLBACK on_error(const char *text, const void *info, size_t size, void *data)
{
    (void)info;
    (void)size;
    (void)data;
    snprintf(told, sizeof told, "%s", text);
}

/* cl_intel_required_subgroup_size: the size that a kernel requires, 0 for none. */
static void check_required(cl_kernel kernel, cl_device_id device, size_t expected)
{
    size_t required = 99;
    MUST(clGetKernelSubGroupInfo(kernel, device, CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL, 0, NULL,
                                 sizeof required, &required, NULL));
    EQ(required, expected);
    cl_ulong spilled = 99;
    MUST(clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_SPILL_MEM_SIZE_INTEL, sizeof spilled, &spilled, NULL));
    EQ(spilled, 0);
}

/* The sizes that kernels may require hold the usual one; without the extension there are none. */
static void check_sizes(cl_device_id device, size_t usual)
{
    char names[8192] = "";
    MUST(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof names, names, NULL));
    size_t sizes[16] = {0}, bytes = 0;
    MUST(clGetDeviceInfo(device, CL_DEVICE_SUB_GROUP_SIZES_INTEL, sizeof sizes, sizes, &bytes));
    int found = 0;
    for (size_t i = 0; i < bytes / sizeof *sizes; i++)
        found |= sizes[i] == usual;
    EQ(found, strstr(names, "cl_intel_required_subgroup_size") != NULL);
}

/* The sub-groups' size as the query tells it. */
static cl_uint size_of(cl_kernel kernel, cl_device_id device)
{
    size_t local = 1, size = 0;
    MUST(clGetKernelSubGroupInfo(kernel, device, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, sizeof local,
                                 &local, sizeof size, &size, NULL));
    return (cl_uint)size;
}

/* Sub-groups larger than the device's run where all work-items of a group come to their operations together, and are
 * refused elsewhere. */
static void check_larger(cl_context context, cl_command_queue queue, cl_device_id device, cl_uint size)
{
    const char *source =
        "__attribute__((intel_reqd_sub_group_size(SIZE))) kernel void larger(global uint *out) {\n"
        "    uint sum = sub_group_reduce_add((uint)get_local_id(0));\n"
        "    if (get_local_id(0) == SIZE) { out[0] = get_max_sub_group_size(); out[1] = sum; }\n"
        "}\n"
        "__attribute__((intel_reqd_sub_group_size(SIZE))) kernel void apart(global uint *out) {\n"
        "    if (get_sub_group_id() == 0) out[0] = sub_group_reduce_add(1u);\n"
        "}\n";
    char options[64];
    snprintf(options, sizeof options, "-cl-std=CL3.0 -DSIZE=%u", size);
    cl_int err;
    cl_program program = PROGRAM(context, source, options);
    cl_uint result[2] = {0, 0};
    cl_mem out = MADE(clCreateBuffer, context, CL_MEM_READ_WRITE, sizeof result, NULL);
    size_t local = 2 * size, global = 2 * local, items = 0;
    const char *names[] = {"larger", "apart"};
    for (int k = 0; k < 2; k++) {
        cl_kernel kernel = MADE(clCreateKernel, program, names[k]);
        MUST(clSetKernelArg(kernel, 0, sizeof out, &out));
        check_required(kernel, device, size);
        MUST(clGetKernelSubGroupInfo(kernel, device, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, sizeof local, &local,
                                     sizeof items, &items, NULL));
        EQ(items, size);
        MUST(clGetKernelSubGroupInfo(kernel, device, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, sizeof local, &local,
                                     sizeof items, &items, NULL));
        EQ(items, 2);
        err = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
        EQ(err, k == 0 ? CL_SUCCESS : CL_OUT_OF_RESOURCES);
        MUST(clReleaseKernel(kernel));
    }
    MUST(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof result, result, 0, NULL, NULL));
    if (values_matter()) {
        EQ(result[0], size);
        EQ(result[1], size * size + size * (size - 1) / 2);
    }
    MUST(clReleaseMemObject(out));
    MUST(clReleaseProgram(program));
}

int main(void)
{
    cl_device_id device = pumice_device();
    cl_uint most = 0;
    MUST(clGetDeviceInfo(device, CL_DEVICE_MAX_NUM_SUB_GROUPS, sizeof most, &most, NULL));
    if (most == 0) {
        printf("no sub-groups\nok\n");
        return 0;
    }
    cl_int err;
    cl_context context = MADE(clCreateContext, NULL, 1, &device, on_error, NULL);
    cl_command_queue queue = MADE(clCreateCommandQueueWithProperties, context, device, NULL);

    /* The usual size, from a kernel that requires none. */
    const char *source =
        "#pragma OPENCL EXTENSION cl_khr_subgroups : enable\n"
        "kernel void plain(global uint *out) {\n"
        "    if (get_global_id(0) == 0) { out[0] = get_max_sub_group_size(); out[1] = 1; }\n"
        "}\n"
        "#ifdef SIZE\n"
        "__attribute__((intel_reqd_sub_group_size(SIZE)))\n"
        "kernel void fixed(global uint *out) {\n"
        "    uint sum = sub_group_reduce_add(1u);\n"
        "    if (get_global_id(0) == 0) { out[0] = get_max_sub_group_size(); out[1] = sum; }\n"
        "}\n"
        "__attribute__((intel_reqd_sub_group_size(4096)))\n"
        "kernel void huge(global uint *out) {\n"
        "    out[0] = sub_group_reduce_add(1u);\n"
        "}\n"
        "#endif\n";
    cl_uint result[2] = {0, 0};
    cl_mem out = MADE(clCreateBuffer, context, CL_MEM_READ_WRITE, sizeof result, NULL);
    cl_uint size = 0;
    for (int round = 0; round < 2; round++) {
        char options[64] = "-cl-std=CL3.0";
        if (round == 1)
            snprintf(options, sizeof options, "-cl-std=CL3.0 -DSIZE=%u", size);
        cl_program program = PROGRAM(context, source, options);
        const char *names[] = {"plain", "fixed", "huge"};
        for (int k = 0; k < (round == 0 ? 1 : 3); k++) {
            cl_kernel kernel = MADE(clCreateKernel, program, names[k]);
            MUST(clSetKernelArg(kernel, 0, sizeof out, &out));
            /* A whole number of sub-groups. */
            size_t local = size ? size : 1, global = local * 2, items = 0;
            told[0] = 0;
            err = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
            if (k == 2) {
                EQ(err, CL_OUT_OF_RESOURCES);
                char wanted[128];
                snprintf(wanted, sizeof wanted,
                         "kernel huge: out of resources: it requires sub-groups of 4096 work-items, the device has ");
                const char *at = strstr(told, wanted);
                CHECK(at != NULL);
                char shown[16];
                snprintf(shown, sizeof shown, "%u", size);
                CHECK(at && strstr(at + strlen(wanted), shown));
                CHECK(clGetKernelSubGroupInfo(kernel, device,
                                              CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, sizeof local,
                                              &local, sizeof items, &items, NULL) == CL_SUCCESS);
                EQ(items, 4096);
                check_required(kernel, device, 4096);
            } else {
                EQ(err, CL_SUCCESS);
                check_required(kernel, device, k == 1 ? size : 0);
                MUST(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof result, result, 0, NULL, NULL));
                if (round == 0)
                    size = values_matter() ? result[0] : size_of(kernel, device);
                EQ(result[0], size);
                EQ(result[1], k == 1 ? size : 1);
            }
            MUST(clReleaseKernel(kernel));
        }
        MUST(clReleaseProgram(program));
    }
    check_sizes(device, size);
    size_t sizes[16] = {0}, bytes = 0, largest = 0;
    MUST(clGetDeviceInfo(device, CL_DEVICE_SUB_GROUP_SIZES_INTEL, sizeof sizes, sizes, &bytes));
    for (size_t i = 0; i < bytes / sizeof *sizes; i++)
        largest = sizes[i] > largest ? sizes[i] : largest;
    if (largest > 0 && 2 * largest <= 128)
        check_larger(context, queue, device, (cl_uint)(2 * largest));
    MUST(clReleaseMemObject(out));
    MUST(clReleaseCommandQueue(queue));
    release_last(context);
    puts(failures ? "FAILED" : "ok");
    return failures != 0;
}
