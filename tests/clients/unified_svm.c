/* cl_khr_unified_svm: every type of shared memory that the device lists, by what its capabilities promise; properties,
 * information, suggestions and errors; on a device without addresses, that it has none. */
#include "common.h"
#include <stdint.h>

/* Debian 12's headers are older than the extension. */
#ifndef CL_DEVICE_SVM_TYPE_CAPABILITIES_KHR
#define CL_PLATFORM_SVM_TYPE_CAPABILITIES_KHR 0x0909
#define CL_DEVICE_SVM_TYPE_CAPABILITIES_KHR 0x1077
#define CL_KERNEL_EXEC_INFO_SVM_INDIRECT_ACCESS_KHR 0x11BB
#define CL_SVM_ALLOC_ASSOCIATED_DEVICE_HANDLE_KHR 0x2078
#define CL_SVM_ALLOC_ACCESS_FLAGS_KHR 0x2079
#define CL_SVM_ALLOC_ALIGNMENT_KHR 0x207A
#define CL_SVM_INFO_TYPE_INDEX_KHR 0x2088
#define CL_SVM_INFO_CAPABILITIES_KHR 0x2089
#define CL_SVM_INFO_PROPERTIES_KHR 0x208A
#define CL_SVM_INFO_ACCESS_FLAGS_KHR 0x208B
#define CL_SVM_INFO_BASE_PTR_KHR 0x419B
#define CL_SVM_INFO_SIZE_KHR 0x419C
#define CL_SVM_INFO_ASSOCIATED_DEVICE_HANDLE_KHR 0x419D
#define CL_SVM_CAPABILITY_SINGLE_ADDRESS_SPACE_KHR (1 << 0)
#define CL_SVM_CAPABILITY_SYSTEM_ALLOCATED_KHR (1 << 1)
#define CL_SVM_CAPABILITY_DEVICE_OWNED_KHR (1 << 2)
#define CL_SVM_CAPABILITY_DEVICE_UNASSOCIATED_KHR (1 << 3)
#define CL_SVM_CAPABILITY_HOST_READ_KHR (1 << 6)
#define CL_SVM_CAPABILITY_HOST_WRITE_KHR (1 << 7)
#define CL_SVM_CAPABILITY_HOST_MAP_KHR (1 << 8)
#define CL_SVM_CAPABILITY_DEVICE_READ_KHR (1 << 9)
#define CL_SVM_CAPABILITY_DEVICE_WRITE_KHR (1 << 10)
#define CL_SVM_CAPABILITY_INDIRECT_ACCESS_KHR (1 << 14)
#endif

static void *(*alloc)(cl_context, const cl_properties *, cl_uint, size_t, cl_int *);
static cl_int (*release)(cl_context, const cl_properties *, cl_bitfield, void *);
static cl_int (*info)(cl_context, cl_device_id, const void *, cl_uint, size_t, void *, size_t *);
static cl_int (*suggest)(cl_context, cl_bitfield, cl_bitfield, const cl_properties *, size_t, cl_uint *);

static cl_context context;
static cl_device_id device;
static cl_command_queue queue;
static cl_program program;

static const char *source =
    "struct node { global struct node *next; int value; };\n"
    "kernel void walk(global struct node *first, global int *out)\n"
    "{ int s = 0; for (global struct node *n = first; n; n = n->next) { s += n->value; n->value += 1; } *out = s; }\n";

struct node {
    struct node *next;
    int value;
};

/* A list of one allocation for each node, written and read in every way that the type allows. */
static void walk(cl_uint index, cl_bitfield has, const cl_properties *properties)
{
    enum { N = 10 };
    cl_kernel kernel = MADE(clCreateKernel, program, "walk");
    cl_mem out = MADE(clCreateBuffer, context, 0, 4, NULL);
    struct node *nodes[N], *first = NULL;
    int direct = has & CL_SVM_CAPABILITY_HOST_WRITE_KHR ? 1 : 0, maps = has & CL_SVM_CAPABILITY_HOST_MAP_KHR ? 1 : 0;
    for (int i = 0; i < N; i++) {
        nodes[i] = MADE(alloc, context, properties, index, sizeof(struct node));
        struct node node = {first, i * 5};
        if (direct) {
            *nodes[i] = node;
        } else if (maps) {
            MUST(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_WRITE, nodes[i], sizeof node, 0, NULL, NULL));
            *nodes[i] = node;
            MUST(clEnqueueSVMUnmap(queue, nodes[i], 0, NULL, NULL));
        } else {
            MUST(clEnqueueSVMMemcpy(queue, CL_TRUE, nodes[i], &node, sizeof node, 0, NULL, NULL));
        }
        first = nodes[i];
    }
    cl_bool yes = CL_TRUE;
    size_t one = 1;
    MUST(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_INDIRECT_ACCESS_KHR, sizeof yes, &yes));
    MUST(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof nodes, nodes));
    MUST(clSetKernelArgSVMPointer(kernel, 0, first));
    MUST(clSetKernelArg(kernel, 1, sizeof out, &out));
    MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    int sum = 0;
    MUST(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, 4, &sum, 0, NULL, NULL));
    EQ(sum, 5 * 45);
    for (int i = 0; i < N; i++) {
        struct node node;
        MUST(clEnqueueSVMMemcpy(queue, CL_TRUE, &node, nodes[i], sizeof node, 0, NULL, NULL));
        EQ(node.value, i * 5 + 1);
        if (has & CL_SVM_CAPABILITY_HOST_READ_KHR)
            EQ(nodes[i]->value, i * 5 + 1);
        int minus = -1;
        MUST(clEnqueueSVMMemFill(queue, nodes[i], &minus, 4, 8, 0, NULL, NULL));
        MUST(clEnqueueSVMMemcpy(queue, CL_TRUE, &node, nodes[i], sizeof node, 0, NULL, NULL));
        CHECK((uintptr_t)node.next == UINTPTR_MAX);
        i % 2 ? clSVMFree(context, nodes[i]) : (void)release(context, NULL, 0, nodes[i]);
        EQ(release(context, NULL, 0, nodes[i]), CL_INVALID_VALUE);
    }
    MUST(clReleaseMemObject(out));
    MUST(clReleaseKernel(kernel));
}

static void information(cl_uint index, cl_bitfield has, cl_bitfield of_platform)
{
    cl_properties list[] = {CL_SVM_ALLOC_ASSOCIATED_DEVICE_HANDLE_KHR, (cl_properties)(uintptr_t)device,
                            CL_SVM_ALLOC_ALIGNMENT_KHR, 64, CL_SVM_ALLOC_ACCESS_FLAGS_KHR, 1 << 9, 0};
    char *made = MADE(alloc, context, list, index, 1000);
    CHECK(made && (uintptr_t)made % 64 == 0);
    cl_uint got_index = 99;
    cl_bitfield got = 0, flags = 0;
    cl_properties got_list[7] = {0};
    void *base = NULL;
    size_t size = 0;
    cl_device_id of = NULL;
    MUST(info(context, device, made + 999, CL_SVM_INFO_TYPE_INDEX_KHR, sizeof got_index, &got_index, NULL));
    EQ(got_index, index);
    MUST(info(context, device, made, CL_SVM_INFO_CAPABILITIES_KHR, sizeof got, &got, NULL));
    EQ(got, has);
    MUST(info(context, NULL, made, CL_SVM_INFO_CAPABILITIES_KHR, sizeof got, &got, NULL));
    EQ(got, of_platform);
    MUST(info(context, NULL, made, CL_SVM_INFO_PROPERTIES_KHR, sizeof got_list, got_list, &size));
    EQ(size, sizeof list);
    CHECK(memcmp(list, got_list, sizeof list) == 0);
    MUST(info(context, NULL, made, CL_SVM_INFO_ACCESS_FLAGS_KHR, sizeof flags, &flags, NULL));
    EQ(flags, 1 << 9);
    MUST(info(context, NULL, made + 5, CL_SVM_INFO_BASE_PTR_KHR, sizeof base, &base, NULL));
    CHECK(base == made);
    MUST(info(context, NULL, made + 5, CL_SVM_INFO_SIZE_KHR, sizeof size, &size, NULL));
    EQ(size, 1000);
    MUST(info(context, NULL, made, CL_SVM_INFO_ASSOCIATED_DEVICE_HANDLE_KHR, sizeof of, &of, NULL));
    CHECK(of == device);
    MUST(info(context, NULL, made + 1000, CL_SVM_INFO_TYPE_INDEX_KHR, sizeof got_index, &got_index, NULL));
    EQ(got_index, CL_UINT_MAX);
    MUST(info(context, NULL, made + 1000, CL_SVM_INFO_SIZE_KHR, sizeof size, &size, NULL));
    EQ(size, 0);
    EQ(info(context, NULL, made, 0x1234, sizeof size, &size, NULL), CL_INVALID_VALUE);
    EQ(info(context, NULL, made, CL_SVM_INFO_SIZE_KHR, 7, &size, NULL), CL_INVALID_VALUE);
    EQ(info(context, (cl_device_id)context, made, CL_SVM_INFO_SIZE_KHR, 0, NULL, NULL), CL_INVALID_DEVICE);
    EQ(info(NULL, NULL, made, CL_SVM_INFO_SIZE_KHR, 0, NULL, NULL), CL_INVALID_CONTEXT);
    EQ(release(context, list, 0, made), CL_INVALID_PROPERTY);
    EQ(release(context, NULL, 8, made), CL_INVALID_VALUE);
    EQ(release(context, NULL, 0, made + 1), CL_INVALID_VALUE);
    EQ(release(NULL, NULL, 0, made), CL_INVALID_CONTEXT);
    MUST(release(context, NULL, 0, NULL));
    MUST(release(context, NULL, 0, made));
}

static void errors(cl_uint count, cl_bitfield first)
{
    cl_int error = 0;
    cl_properties handle = (cl_properties)(uintptr_t)device;
    cl_properties of_device[] = {CL_SVM_ALLOC_ASSOCIATED_DEVICE_HANDLE_KHR, handle, 0};
    cl_properties bad[][5] = {{0x1234, 1, 0},
                              {CL_SVM_ALLOC_ACCESS_FLAGS_KHR, 1 << 4, 0},
                              {CL_SVM_ALLOC_ALIGNMENT_KHR, 3, 0},
                              {CL_SVM_ALLOC_ALIGNMENT_KHR, 8, CL_SVM_ALLOC_ALIGNMENT_KHR, 8, 0}};
    for (int i = 0; i < 4; i++) {
        CHECK(!alloc(context, bad[i], 0, 64, &error));
        EQ(error, CL_INVALID_PROPERTY);
    }
    cl_properties wrong[] = {CL_SVM_ALLOC_ASSOCIATED_DEVICE_HANDLE_KHR, 64, 0};
    CHECK(!alloc(context, wrong, 0, 64, &error));
    EQ(error, CL_INVALID_DEVICE);
    CHECK(!alloc(context, of_device, count, 64, &error));
    EQ(error, CL_INVALID_VALUE);
    CHECK(!alloc(context, of_device, 0, 0, &error));
    EQ(error, CL_INVALID_BUFFER_SIZE);
    CHECK(!alloc(context, of_device, 0, SIZE_MAX, &error));
    EQ(error, CL_OUT_OF_RESOURCES);
    CHECK(!alloc(NULL, of_device, 0, 64, &error));
    EQ(error, CL_INVALID_CONTEXT);
    if (!(first & CL_SVM_CAPABILITY_DEVICE_UNASSOCIATED_KHR)) {
        CHECK(!alloc(context, NULL, 0, 64, &error));
        EQ(error, CL_INVALID_DEVICE);
    }
    cl_uint index = 0;
    EQ(suggest(context, 1 << 20, 0, NULL, 64, &index), CL_INVALID_VALUE);
    EQ(suggest(context, 0, 1 << 20, NULL, 64, &index), CL_INVALID_VALUE);
    EQ(suggest(context, 0, 0, NULL, 64, NULL), CL_INVALID_VALUE);
    EQ(suggest(context, 0, 0, bad[0], 64, &index), CL_INVALID_PROPERTY);
    EQ(suggest(NULL, 0, 0, NULL, 64, &index), CL_INVALID_CONTEXT);
    /* No memory is both the device's alone and the host's to read. */
    MUST(suggest(context, CL_SVM_CAPABILITY_DEVICE_OWNED_KHR | CL_SVM_CAPABILITY_HOST_READ_KHR, 0, NULL, 64, &index));
    EQ(index, CL_UINT_MAX);
}

int main(void)
{
    cl_int error = 0;
    device = pumice_device();
    load_function(&alloc, "clSVMAllocWithPropertiesKHR");
    load_function(&release, "clSVMFreeWithPropertiesKHR");
    load_function(&info, "clGetSVMPointerInfoKHR");
    load_function(&suggest, "clGetSVMSuggestedTypeIndexKHR");
    context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    queue = MADE(clCreateCommandQueueWithProperties, context, device, NULL);
    char extensions[8192] = "", platform[8192] = "";
    MUST(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof extensions, extensions, NULL));
    MUST(clGetPlatformInfo(pumice_platform(), CL_PLATFORM_EXTENSIONS, sizeof platform, platform, NULL));
    int listed = strstr(extensions, "cl_khr_unified_svm") != NULL;
    EQ(strstr(platform, "cl_khr_unified_svm") != NULL, listed);
    cl_bitfield has[16] = {0}, of_platform[16] = {0};
    size_t size = 0, platform_size = 0;
    if (listed) {
        MUST(clGetDeviceInfo(device, CL_DEVICE_SVM_TYPE_CAPABILITIES_KHR, sizeof has, has, &size));
        MUST(clGetPlatformInfo(pumice_platform(), CL_PLATFORM_SVM_TYPE_CAPABILITIES_KHR, sizeof of_platform,
                               of_platform, &platform_size));
        EQ(size, platform_size);
        cl_uint count = size / sizeof *has, seen = 0;
        CHECK(count >= 2);
        program = PROGRAM(context, source, "-cl-std=CL3.0");
        cl_properties of_device[] = {CL_SVM_ALLOC_ASSOCIATED_DEVICE_HANDLE_KHR, (cl_properties)(uintptr_t)device, 0};
        for (cl_uint i = 0; i < count; i++) {
            cl_uint index = 99;
            EQ(has[i] & of_platform[i], of_platform[i]);
            if (!has[i])
                continue;
            seen++;
            CHECK(has[i] & CL_SVM_CAPABILITY_SINGLE_ADDRESS_SPACE_KHR);
            walk(i, has[i], of_device);
            if (has[i] & CL_SVM_CAPABILITY_DEVICE_UNASSOCIATED_KHR)
                walk(i, has[i], NULL);
            information(i, has[i], of_platform[i]);
            MUST(suggest(context, has[i], has[i], of_device, 64, &index));
            CHECK(index < count && (has[index] & has[i]) == has[i]);
        }
        CHECK(seen >= 2);
        errors(count, of_platform[0]);
        MUST(clReleaseProgram(program));
    } else {
        EQ(clGetDeviceInfo(device, CL_DEVICE_SVM_TYPE_CAPABILITIES_KHR, sizeof has, has, &size), CL_INVALID_VALUE);
        CHECK(!alloc(context, NULL, 0, 64, &error));
        EQ(error, CL_INVALID_VALUE);
    }
    MUST(clReleaseCommandQueue(queue));
    release_last(context);
    return finish();
}
