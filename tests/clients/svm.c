/* Shared virtual memory: pointers in memory that both sides follow, buffers over it, every command
 * and its errors; on a device without it, that everything says so. */
#define _POSIX_C_SOURCE 200809L
#include "common.h"
#include <stdint.h>

static cl_context context;
static cl_device_id device;
static cl_command_queue queue;

static const char *source =
    "#ifdef LISTS\n"
    "struct node { global struct node *next; int value; };\n"
    "kernel void sum(global struct node *first, global int *out)\n"
    "{\n"
    "    int total = 0;\n"
    "    for (global struct node *n = first; n; n = n->next) { total += n->value; n->value = -1; }\n"
    "    out[get_global_id(0)] = total;\n"
    "}\n"
    "#endif\n"
    "kernel void twice(global int *data) { data[get_global_id(0)] *= 2; }\n"
    "kernel void by_value(int x, local int *l, global int *data) { data[0] = x; }\n";

struct node {
    struct node *next;
    int value;
};

static void without(cl_kernel kernel)
{
    int x = 0;
    cl_mem none = NULL;
    CHECK(clSVMAlloc(context, 0, 64, 0) == NULL);
    EQ(clEnqueueSVMMemcpy(queue, CL_TRUE, &x, &none, 4, 0, NULL, NULL), CL_INVALID_OPERATION);
    EQ(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, &x, 4, 0, NULL, NULL), CL_INVALID_OPERATION);
    EQ(clSetKernelArgSVMPointer(kernel, 0, &x), CL_INVALID_OPERATION);
    cl_bool yes = CL_TRUE;
    EQ(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, sizeof yes, &yes),
       CL_INVALID_OPERATION);
}

static void run(cl_kernel kernel, size_t global)
{
    MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
    MUST(clFinish(queue));
}

/* A list whose nodes lie anywhere: in SVM, and in the process's own memory where that may be. */
static void lists(cl_program program, int system)
{
    cl_int error = 0;
    cl_kernel kernel = clCreateKernel(program, "sum", &error);
    MUST(error);
    struct node *nodes[20], *first = NULL;
    for (int i = 0; i < 20; i++) {
        nodes[i] = system ? malloc(sizeof(struct node))
                          : clSVMAlloc(context, CL_MEM_READ_WRITE, sizeof(struct node), 0);
        CHECK(nodes[i]);
        if (!system)
            MUST(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_WRITE, nodes[i], sizeof(struct node), 0, NULL,
                                 NULL));
        nodes[i]->next = first;
        nodes[i]->value = i;
        first = nodes[i];
        if (!system)
            MUST(clEnqueueSVMUnmap(queue, nodes[i], 0, NULL, NULL));
    }
    int *out = system ? malloc(4) : clSVMAlloc(context, CL_MEM_SVM_FINE_GRAIN_BUFFER, 4, 4);
    CHECK(out);
    *out = 0;
    MUST(clSetKernelArgSVMPointer(kernel, 0, first));
    MUST(clSetKernelArgSVMPointer(kernel, 1, out));
    MUST(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof nodes, nodes));
    run(kernel, 1);
    EQ(*out, 190);
    for (int i = 0; i < 20; i++)
        EQ(nodes[i]->value, -1);
    /* A clone has the arguments; NULL is an empty list. */
    cl_kernel clone = clCloneKernel(kernel, &error);
    MUST(error);
    MUST(clSetKernelArgSVMPointer(clone, 0, NULL));
    run(clone, 1);
    EQ(*out, 0);
    run(kernel, 1);
    EQ(*out, -20);
    for (int i = 0; i < 20; i++)
        system ? free(nodes[i]) : clSVMFree(context, nodes[i]);
    system ? free(out) : clSVMFree(context, out);
    MUST(clReleaseKernel(clone));
    MUST(clReleaseKernel(kernel));
}

static int freed;
static void CL_CALLBACK on_free(cl_command_queue of, cl_uint count, void **pointers, void *data)
{
    freed += of == queue && count == 2 && pointers[1] == data;
    clSVMFree(context, pointers[0]);
    clSVMFree(context, pointers[1]);
}

static void commands(void)
{
    cl_int error = 0;
    enum { N = 256 };
    int *a = clSVMAlloc(context, 0, N * 4, 0), *b = clSVMAlloc(context, 0, N * 4, 128), host[N];
    CHECK(a && b && (uintptr_t)b % 128 == 0);
    for (int i = 0; i < N; i++)
        host[i] = i * 3;
    int seven = 7;
    /* Behind a user event nothing has happened yet. */
    cl_event gate = clCreateUserEvent(context, &error), events[3];
    MUST(error);
    MUST(clEnqueueSVMMemFill(queue, a, &seven, 4, N * 4, 0, NULL, NULL));
    MUST(clFinish(queue));
    MUST(clEnqueueSVMMemcpy(queue, CL_FALSE, a, host, N * 4, 1, &gate, &events[0]));
    MUST(clEnqueueSVMMemcpy(queue, CL_FALSE, b, a, N * 4, 0, NULL, &events[1]));
    const void *both[2] = {a, b};
    size_t sizes[2] = {0, 100};
    MUST(clEnqueueSVMMigrateMem(queue, 2, both, sizes, 0, 0, NULL, &events[2]));
    MUST(clFlush(queue));
    EQ(a[5], 7);
    static const cl_command_type types[] = {CL_COMMAND_SVM_MEMCPY, CL_COMMAND_SVM_MEMCPY,
                                            CL_COMMAND_SVM_MIGRATE_MEM};
    for (int i = 0; i < 3; i++) {
        cl_command_type type = 0;
        MUST(clGetEventInfo(events[i], CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
        EQ(type, types[i]);
    }
    MUST(clSetUserEventStatus(gate, CL_COMPLETE));
    MUST(clFinish(queue));
    CHECK(memcmp(b, host, sizeof host) == 0);
    int back[N];
    MUST(clEnqueueSVMMemcpy(queue, CL_TRUE, back, b, sizeof back, 0, NULL, NULL));
    CHECK(memcmp(back, host, sizeof host) == 0);

    /* Errors. */
    char *bytes = (char *)a;
    EQ(clEnqueueSVMMemcpy(queue, CL_TRUE, NULL, b, 4, 0, NULL, NULL), CL_INVALID_VALUE);
    EQ(clEnqueueSVMMemcpy(queue, CL_TRUE, a, NULL, 4, 0, NULL, NULL), CL_INVALID_VALUE);
    EQ(clEnqueueSVMMemcpy(queue, CL_TRUE, bytes + 4, bytes, 8, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
    MUST(clEnqueueSVMMemcpy(queue, CL_TRUE, bytes + 8, bytes, 8, 0, NULL, NULL));
    EQ(clEnqueueSVMMemFill(queue, NULL, &seven, 4, 4, 0, NULL, NULL), CL_INVALID_VALUE);
    EQ(clEnqueueSVMMemFill(queue, a, NULL, 4, 4, 0, NULL, NULL), CL_INVALID_VALUE);
    EQ(clEnqueueSVMMemFill(queue, a, &seven, 3, 6, 0, NULL, NULL), CL_INVALID_VALUE);
    EQ(clEnqueueSVMMemFill(queue, a, &seven, 4, 6, 0, NULL, NULL), CL_INVALID_VALUE);
    EQ(clEnqueueSVMMemFill(queue, bytes + 2, &seven, 4, 8, 0, NULL, NULL), CL_INVALID_VALUE);
    EQ(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, NULL, 4, 0, NULL, NULL), CL_INVALID_VALUE);
    EQ(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, a, 0, 0, NULL, NULL), CL_INVALID_VALUE);
    EQ(clEnqueueSVMMap(queue, CL_TRUE, 1 << 9, a, 4, 0, NULL, NULL), CL_INVALID_VALUE);
    EQ(clEnqueueSVMUnmap(queue, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
    EQ(clEnqueueSVMMigrateMem(queue, 0, both, NULL, 0, 0, NULL, NULL), CL_INVALID_VALUE);
    EQ(clEnqueueSVMMigrateMem(queue, 2, NULL, NULL, 0, 0, NULL, NULL), CL_INVALID_VALUE);
    EQ(clEnqueueSVMMigrateMem(queue, 2, both, NULL, 1 << 9, 0, NULL, NULL), CL_INVALID_VALUE);
    sizes[1] = N * 4 + 1;
    EQ(clEnqueueSVMMigrateMem(queue, 2, both, sizes, 0, 0, NULL, NULL), CL_INVALID_VALUE);
    EQ(clEnqueueSVMFree(queue, 1, NULL, NULL, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
    EQ(clEnqueueSVMMemcpy(NULL, CL_TRUE, a, b, 4, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    CHECK(!clSVMAlloc(context, 0, 0, 0));
    CHECK(!clSVMAlloc(context, 0, SIZE_MAX, 0));
    CHECK(!clSVMAlloc(context, 0, 64, 3));
    CHECK(!clSVMAlloc(context, CL_MEM_SVM_ATOMICS, 64, 0));
    CHECK(!clSVMAlloc(context, CL_MEM_USE_HOST_PTR, 64, 0));
    CHECK(!clSVMAlloc(context, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 64, 0));
    CHECK(!clSVMAlloc(NULL, 0, 64, 0));
    clSVMFree(context, NULL);
    clSVMFree(NULL, a);

    void *pointers[2] = {a, b};
    MUST(clEnqueueSVMFree(queue, 2, pointers, on_free, b, 0, NULL, NULL));
    pointers[0] = NULL;
    MUST(clFinish(queue));
    EQ(freed, 1);
    void *third = clSVMAlloc(context, 0, 64, 0);
    MUST(clEnqueueSVMFree(queue, 1, &third, NULL, NULL, 0, NULL, NULL));
    MUST(clFinish(queue));
    for (int i = 0; i < 3; i++)
        MUST(clReleaseEvent(events[i]));
    MUST(clReleaseEvent(gate));
}

/* A buffer over SVM is that memory. */
static void buffers(cl_program program)
{
    cl_int error = 0;
    enum { N = 64 };
    int *data = clSVMAlloc(context, CL_MEM_SVM_FINE_GRAIN_BUFFER, N * 4, 0);
    for (int i = 0; i < N; i++)
        data[i] = i;
    cl_mem buffer = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, N * 4, data, &error);
    MUST(error);
    CHECK(!clCreateBuffer(context, CL_MEM_USE_HOST_PTR, N * 4 + 4, data, &error));
    EQ(error, CL_INVALID_BUFFER_SIZE);
    cl_buffer_region region = {128, 128};
    cl_mem part = clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
    MUST(error);
    cl_mem other = clCreateBuffer(context, 0, 64, NULL, &error);
    cl_bool uses[3] = {9, 9, 9};
    MUST(clGetMemObjectInfo(buffer, CL_MEM_USES_SVM_POINTER, sizeof(cl_bool), &uses[0], NULL));
    MUST(clGetMemObjectInfo(part, CL_MEM_USES_SVM_POINTER, sizeof(cl_bool), &uses[1], NULL));
    MUST(clGetMemObjectInfo(other, CL_MEM_USES_SVM_POINTER, sizeof(cl_bool), &uses[2], NULL));
    CHECK(uses[0] == CL_TRUE && uses[1] == CL_TRUE && uses[2] == CL_FALSE);
    cl_kernel kernel = clCreateKernel(program, "twice", &error);
    MUST(error);
    MUST(clSetKernelArg(kernel, 0, sizeof part, &part));
    run(kernel, 32);
    MUST(clSetKernelArgSVMPointer(kernel, 0, data + 1));
    run(kernel, 1);
    for (int i = 0; i < N; i++)
        EQ(data[i], i == 1 || i >= 32 ? i * 2 : i);
    cl_kernel by_value = clCreateKernel(program, "by_value", &error);
    MUST(error);
    EQ(clSetKernelArgSVMPointer(by_value, 0, data), CL_INVALID_ARG_VALUE);
    EQ(clSetKernelArgSVMPointer(by_value, 1, data), CL_INVALID_ARG_VALUE);
    EQ(clSetKernelArgSVMPointer(by_value, 3, data), CL_INVALID_ARG_INDEX);
    EQ(clSetKernelArgSVMPointer(NULL, 0, data), CL_INVALID_KERNEL);
    cl_bool yes = CL_TRUE;
    MUST(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, sizeof yes, &yes));
    EQ(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, 1, &yes),
       CL_INVALID_VALUE);
    EQ(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, 7, &data), CL_INVALID_VALUE);
    EQ(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, 8, NULL), CL_INVALID_VALUE);
    MUST(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, 0, NULL));
    EQ(clSetKernelExecInfo(kernel, 0x1234, 8, &data), CL_INVALID_VALUE);
    MUST(clReleaseKernel(by_value));
    MUST(clReleaseKernel(kernel));
    MUST(clReleaseMemObject(other));
    MUST(clReleaseMemObject(part));
    MUST(clReleaseMemObject(buffer));
    clSVMFree(context, data);
}

int main(void)
{
    cl_int error = 0;
    device = pumice_device();
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    MUST(error);
    queue = clCreateCommandQueueWithProperties(context, device, NULL, &error);
    MUST(error);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
    MUST(error);
    cl_device_svm_capabilities has = 0;
    MUST(clGetDeviceInfo(device, CL_DEVICE_SVM_CAPABILITIES, sizeof has, &has, NULL));
    /* A device without SVM need not know pointers in memory. */
    MUST(clBuildProgram(program, 0, NULL, has ? "-DLISTS" : "", NULL, NULL));
    if (has & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER) {
        lists(program, 0);
        commands();
        buffers(program);
        if (has & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM)
            lists(program, 1);
    } else {
        cl_kernel kernel = clCreateKernel(program, "twice", &error);
        MUST(error);
        without(kernel);
        MUST(clReleaseKernel(kernel));
    }
    MUST(clReleaseProgram(program));
    MUST(clReleaseCommandQueue(queue));
    release_last(context);
    return finish();
}
