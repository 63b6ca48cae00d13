/* cl_ext_buffer_device_address: addresses of buffers and of their parts, as arguments, in memory and as kernels
 * see them; every error; on a device without addresses, that everything says so. */
#include "common.h"
#include <stdint.h>

/* Debian 12's headers are older than the extension. */
#ifndef CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT
typedef cl_ulong cl_mem_device_address_ext;
#define CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT 0x5000
#define CL_MEM_DEVICE_ADDRESS_EXT 0x5001
#define CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT 0x5002
#endif

static cl_int (*set_pointer)(cl_kernel, cl_uint, cl_mem_device_address_ext);
static cl_context context;
static cl_command_queue queue;

static const char *source =
    "kernel void see(global int *buffer, global ulong *out) { *out = (ulong)buffer; }\n"
    "kernel void add(global int *data, int n) { data[get_global_id(0)] += n; }\n"
    "kernel void others(global int *g, constant int *c, local int *l, int n) { g[0] = c[0] + n; l[0] = 1; }\n"
    "#ifdef ADDRESSES\n"
    "kernel void follow(global ulong *where, global int *out)\n"
    "{ global int *p = (global int *)where[0]; *out = p[1]; p[1] = 77; }\n"
    "#endif\n";

static void run(cl_kernel kernel, size_t global)
{
    MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
}

static cl_mem with_address(size_t size, void *host, cl_int *error)
{
    cl_mem_properties list[] = {CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT, CL_TRUE, 0};
    return clCreateBufferWithProperties(context, list, host ? CL_MEM_COPY_HOST_PTR : 0, size, host, error);
}

static cl_ulong address_of(cl_mem buffer)
{
    cl_mem_device_address_ext address = 0;
    size_t size = 0;
    MUST(clGetMemObjectInfo(buffer, CL_MEM_DEVICE_ADDRESS_EXT, sizeof address, &address, &size));
    EQ(size, sizeof address);
    return address;
}

static int value_at(cl_mem buffer, size_t index)
{
    int value = -1;
    MUST(clEnqueueReadBuffer(queue, buffer, CL_TRUE, index * 4, 4, &value, 0, NULL, NULL));
    return value;
}

static void addresses(cl_program program)
{
    cl_int error = 0;
    enum { N = 256 };
    int host[N];
    for (int i = 0; i < N; i++)
        host[i] = i;
    cl_mem buffer = MADE(with_address, sizeof host, host);
    cl_ulong address = address_of(buffer);
    CHECK(address != 0);
    cl_buffer_region region = {512, 256};
    cl_mem part = MADE(clCreateSubBuffer, buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region);
    EQ(address_of(part), address + 512);

    /* Kernels see the same value, of the buffer and of a part. */
    cl_kernel see = MADE(clCreateKernel, program, "see");
    cl_mem out = MADE(clCreateBuffer, context, 0, 8, NULL);
    cl_mem seen[] = {buffer, part};
    for (int i = 0; i < 2; i++) {
        cl_ulong value = 0;
        MUST(clSetKernelArg(see, 0, sizeof(cl_mem), &seen[i]));
        MUST(clSetKernelArg(see, 1, sizeof(cl_mem), &out));
        run(see, 1);
        MUST(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, 8, &value, 0, NULL, NULL));
        EQ(value, address_of(seen[i]));
    }

    /* A pointer into the middle is an argument like the buffer. */
    cl_kernel add = MADE(clCreateKernel, program, "add");
    int n = 1000;
    MUST(set_pointer(add, 0, address + 40));
    MUST(clSetKernelArg(add, 1, sizeof n, &n));
    run(add, 2);
    cl_kernel clone = MADE(clCloneKernel, add);
    run(clone, 1);
    EQ(value_at(buffer, 9), 9);
    EQ(value_at(buffer, 10), 2010);
    EQ(value_at(buffer, 11), 1011);
    EQ(value_at(buffer, 12), 12);

    /* A buffer that nothing has written reads as zero through its address. */
    cl_mem fresh = MADE(with_address, 64, NULL);
    MUST(set_pointer(add, 0, address_of(fresh)));
    run(add, 1);
    EQ(value_at(fresh, 0), 1000);
    EQ(value_at(fresh, 1), 0);
    MUST(clReleaseMemObject(fresh));

    /* An address in memory, of a buffer that the kernel is told of; the new contents are seen. */
    cl_kernel follow = MADE(clCreateKernel, program, "follow");
    cl_mem where = MADE(clCreateBuffer, context, CL_MEM_COPY_HOST_PTR, 8, &address);
    MUST(clSetKernelArg(follow, 0, sizeof(cl_mem), &where));
    MUST(clSetKernelArg(follow, 1, sizeof(cl_mem), &out));
    MUST(clSetKernelExecInfo(follow, CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT, sizeof address, &address));
    run(follow, 1);
    EQ(value_at(out, 0), 1);
    EQ(value_at(buffer, 1), 77);
    MUST(clSetKernelExecInfo(follow, CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT, 0, NULL));
    EQ(clSetKernelExecInfo(follow, CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT, 7, &address), CL_INVALID_VALUE);
    EQ(clSetKernelExecInfo(follow, CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT, 8, NULL), CL_INVALID_VALUE);

    /* Errors. */
    cl_mem plain = MADE(clCreateBuffer, context, 0, 16, NULL);
    cl_ulong none;
    EQ(clGetMemObjectInfo(plain, CL_MEM_DEVICE_ADDRESS_EXT, 8, &none, NULL), CL_INVALID_OPERATION);
    EQ(clGetMemObjectInfo(buffer, CL_MEM_DEVICE_ADDRESS_EXT, 7, &none, NULL), CL_INVALID_VALUE);
    cl_mem_properties off[] = {CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT, CL_FALSE, 0};
    cl_mem without = MADE(clCreateBufferWithProperties, context, off, 0, 16, NULL);
    EQ(clGetMemObjectInfo(without, CL_MEM_DEVICE_ADDRESS_EXT, 8, &none, NULL), CL_INVALID_OPERATION);
    cl_mem_properties wrong[] = {CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT, 2, 0};
    CHECK(!clCreateBufferWithProperties(context, wrong, 0, 16, NULL, &error));
    EQ(error, CL_INVALID_PROPERTY);
    cl_mem_properties twice[] = {CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT, 1, CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT, 1, 0};
    CHECK(!clCreateBufferWithProperties(context, twice, 0, 16, NULL, &error));
    EQ(error, CL_INVALID_PROPERTY);
    cl_kernel others = MADE(clCreateKernel, program, "others");
    MUST(set_pointer(others, 0, 0));
    MUST(set_pointer(others, 0, 0x1234567));
    for (cl_uint i = 1; i < 5; i++)
        EQ(set_pointer(others, i, address), CL_INVALID_ARG_INDEX);
    EQ(set_pointer(NULL, 0, address), CL_INVALID_KERNEL);
    MUST(clFinish(queue));
    cl_mem objects[] = {part, buffer, out, where, plain, without};
    for (size_t i = 0; i < sizeof objects / sizeof *objects; i++)
        MUST(clReleaseMemObject(objects[i]));
    cl_kernel kernels[] = {see, add, clone, follow, others};
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        MUST(clReleaseKernel(kernels[i]));
}

static void without_addresses(cl_program program)
{
    cl_int error = 0;
    CHECK(!with_address(16, NULL, &error));
    EQ(error, CL_INVALID_OPERATION);
    cl_mem plain = MADE(clCreateBuffer, context, 0, 16, NULL);
    cl_ulong address = 0;
    EQ(clGetMemObjectInfo(plain, CL_MEM_DEVICE_ADDRESS_EXT, 8, &address, NULL), CL_INVALID_OPERATION);
    cl_kernel add = MADE(clCreateKernel, program, "add");
    EQ(set_pointer(add, 0, 64), CL_INVALID_OPERATION);
    EQ(clSetKernelExecInfo(add, CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT, 8, &address), CL_INVALID_OPERATION);
    MUST(clReleaseKernel(add));
    MUST(clReleaseMemObject(plain));
}

int main(void)
{
    cl_device_id device = pumice_device();
    load_function(&set_pointer, "clSetKernelArgDevicePointerEXT");
    context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    queue = MADE(clCreateCommandQueueWithProperties, context, device, NULL);
    char extensions[8192] = "";
    MUST(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof extensions, extensions, NULL));
    int listed = strstr(extensions, "cl_ext_buffer_device_address") != NULL;
    cl_program program = MADE(clCreateProgramWithSource, context, 1, &source, NULL);
    MUST(clBuildProgram(program, 0, NULL, listed ? "-cl-kernel-arg-info -DADDRESSES" : "-cl-kernel-arg-info",
                        NULL, NULL));
    listed ? addresses(program) : without_addresses(program);
    MUST(clReleaseProgram(program));
    MUST(clReleaseCommandQueue(queue));
    release_last(context);
    return finish();
}
