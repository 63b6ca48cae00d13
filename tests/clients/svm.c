/* Shared virtual memory: pointers in memory that both sides follow, buffers over it, every command
 * and its errors; on a device without it, that everything says so. */
#define _POSIX_C_SOURCE 200809L
#include "common.h"
#include "usage.h"
#include <pthread.h>
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
    "kernel void behind(global int *end, int n)\n"
    "{\n"
    "    int i = get_global_id(0);\n"
    "    end[i - n] += 10;\n"
    "}\n"
    "kernel void by_value(int x, local int *l, global int *data) { data[0] = x; }\n";

struct node {
    struct node *next;
    int value;
};

/* The host's access to coarse-grained memory begins and ends with a map; the system's own needs none. */
static void *begin(void *memory, size_t size, int system)
{
    if (!system)
        MUST(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, memory, size, 0, NULL, NULL));
    return memory;
}

static void end(void *memory, int system)
{
    if (!system)
        MUST(clEnqueueSVMUnmap(queue, memory, 0, NULL, NULL));
}

static int int_at(int *memory, int system)
{
    int value = *(int *)begin(memory, sizeof value, system);
    end(memory, system);
    return value;
}

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
    cl_kernel kernel = MADE(clCreateKernel, program, "sum");
    struct node *nodes[20], *first = NULL;
    for (int i = 0; i < 20; i++) {
        nodes[i] = system ? malloc(sizeof(struct node))
                          : clSVMAlloc(context, CL_MEM_READ_WRITE, sizeof(struct node), 0);
        CHECK(nodes[i]);
        begin(nodes[i], sizeof(struct node), system);
        nodes[i]->next = first;
        nodes[i]->value = i;
        first = nodes[i];
        end(nodes[i], system);
    }
    int *out = system ? malloc(4) : clSVMAlloc(context, 0, 4, 4);
    CHECK(out);
    *(int *)begin(out, 4, system) = 0;
    end(out, system);
    MUST(clSetKernelArgSVMPointer(kernel, 0, first));
    MUST(clSetKernelArgSVMPointer(kernel, 1, out));
    MUST(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof nodes, nodes));
    run(kernel, 1);
    EQ(int_at(out, system), 190);
    for (int i = 0; i < 20; i++)
        EQ(int_at(&nodes[i]->value, system), -1);
    /* A clone has the arguments; NULL is an empty list. */
    cl_kernel clone = MADE(clCloneKernel, kernel);
    MUST(clSetKernelArgSVMPointer(clone, 0, NULL));
    run(clone, 1);
    EQ(int_at(out, system), 0);
    run(kernel, 1);
    EQ(int_at(out, system), -20);
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
    cl_command_queue gated = queue;
    queue = MADE(clCreateCommandQueueWithProperties, context, device, NULL);
    EQ(int_at(a + 5, 0), 7);
    MUST(clReleaseCommandQueue(queue));
    queue = gated;
    static const cl_command_type types[] = {CL_COMMAND_SVM_MEMCPY, CL_COMMAND_SVM_MEMCPY,
                                            CL_COMMAND_SVM_MIGRATE_MEM};
    for (int i = 0; i < 3; i++) {
        cl_command_type type = 0;
        MUST(clGetEventInfo(events[i], CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
        EQ(type, types[i]);
    }
    MUST(clSetUserEventStatus(gate, CL_COMPLETE));
    MUST(clFinish(queue));
    CHECK(memcmp(begin(b, sizeof host, 0), host, sizeof host) == 0);
    end(b, 0);
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
    /* Nothing reaches beyond an allocation's end. */
    size_t all = N * 4;
    EQ(clEnqueueSVMMemcpy(queue, CL_TRUE, bytes + 4, host, all, 0, NULL, NULL), CL_INVALID_VALUE);
    EQ(clEnqueueSVMMemcpy(queue, CL_TRUE, host, bytes + 4, all, 0, NULL, NULL), CL_INVALID_VALUE);
    EQ(clEnqueueSVMMemFill(queue, bytes + 4, &seven, 4, all, 0, NULL, NULL), CL_INVALID_VALUE);
    EQ(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, bytes + 4, all, 0, NULL, NULL), CL_INVALID_VALUE);
    MUST(clEnqueueSVMMemcpy(queue, CL_TRUE, host + 1, bytes + 4, all - 4, 0, NULL, NULL));
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
    /* The half is where a sub-buffer may begin on every device. */
    enum { N = 128 };
    int *data = clSVMAlloc(context, 0, N * 4, 0);
    begin(data, N * 4, 0);
    for (int i = 0; i < N; i++)
        data[i] = i;
    end(data, 0);
    cl_mem buffer = MADE(clCreateBuffer, context, CL_MEM_USE_HOST_PTR, N * 4, data);
    CHECK(!clCreateBuffer(context, CL_MEM_USE_HOST_PTR, N * 4 + 4, data, &error));
    EQ(error, CL_INVALID_BUFFER_SIZE);
    /* A copy of the allocation ends where it does. */
    CHECK(!clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, N * 4 + 4, data, &error));
    EQ(error, CL_INVALID_BUFFER_SIZE);
    CHECK(!clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, N * 4, data + 1, &error));
    EQ(error, CL_INVALID_BUFFER_SIZE);
    begin(data, N * 4, 0);
    cl_mem copy = MADE(clCreateBuffer, context, CL_MEM_COPY_HOST_PTR, N * 4 - 4, data + 1);
    end(data, 0);
    MUST(clReleaseMemObject(copy));
    cl_buffer_region region = {N * 2, N * 2};
    cl_mem part = MADE(clCreateSubBuffer, buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region);
    cl_mem other = clCreateBuffer(context, 0, 64, NULL, &error);
    cl_bool uses[3] = {9, 9, 9};
    MUST(clGetMemObjectInfo(buffer, CL_MEM_USES_SVM_POINTER, sizeof(cl_bool), &uses[0], NULL));
    MUST(clGetMemObjectInfo(part, CL_MEM_USES_SVM_POINTER, sizeof(cl_bool), &uses[1], NULL));
    MUST(clGetMemObjectInfo(other, CL_MEM_USES_SVM_POINTER, sizeof(cl_bool), &uses[2], NULL));
    CHECK(uses[0] == CL_TRUE && uses[1] == CL_TRUE && uses[2] == CL_FALSE);
    cl_kernel kernel = MADE(clCreateKernel, program, "twice");
    MUST(clSetKernelArg(kernel, 0, sizeof part, &part));
    run(kernel, N / 2);
    MUST(clSetKernelArgSVMPointer(kernel, 0, data + 1));
    run(kernel, 1);
    begin(data, N * 4, 0);
    for (int i = 0; i < N; i++)
        EQ(data[i], i == 1 || i >= N / 2 ? i * 2 : i);
    end(data, 0);
    /* What is written through a map of the buffer is in the allocation, and the reverse. */
    int *mapped = MADE(clEnqueueMapBuffer, queue, buffer, CL_TRUE, CL_MAP_WRITE, 0, N * 4, 0, NULL, NULL);
    CHECK(mapped == data);
    mapped[3] = 333;
    MUST(clEnqueueUnmapMemObject(queue, buffer, mapped, 0, NULL, NULL));
    MUST(clFinish(queue));
    EQ(int_at(data + 3, 0), 333);
    *(int *)begin(data + 4, 4, 0) = 444;
    end(data + 4, 0);
    int four = 0;
    MUST(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 16, 4, &four, 0, NULL, NULL));
    EQ(four, 444);
    cl_kernel by_value = MADE(clCreateKernel, program, "by_value");
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

/* A map sees what kernels wrote; one for reading writes nothing back; one that invalidates need not show anything
 * but is written back. Ranges of one allocation are mapped apart from each other. */
static void maps(cl_program program)
{
    enum { N = 4096 };
    cl_kernel kernel = MADE(clCreateKernel, program, "twice");
    int *data = clSVMAlloc(context, 0, N * 4, 0), three = 3;
    CHECK(data);
    MUST(clEnqueueSVMMemFill(queue, data, &three, 4, N * 4, 0, NULL, NULL));
    MUST(clSetKernelArgSVMPointer(kernel, 0, data));
    run(kernel, N);
    MUST(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, data, N * 4, 0, NULL, NULL));
    for (int i = 0; i < N; i++)
        EQ(data[i], 6);
    MUST(clEnqueueSVMUnmap(queue, data, 0, NULL, NULL));
    /* A pointer into the middle: what lies before it belongs to the allocation too. */
    cl_kernel behind = MADE(clCreateKernel, program, "behind");
    int most = N;
    MUST(clSetKernelArgSVMPointer(behind, 0, data + N));
    MUST(clSetKernelArg(behind, 1, sizeof most, &most));
    run(behind, N);
    EQ(int_at(data, 0), 16);
    EQ(int_at(data + N - 1, 0), 16);
    MUST(clReleaseKernel(behind));
    MUST(clEnqueueSVMMemFill(queue, data, (int[]){6}, 4, N * 4, 0, NULL, NULL));
    MUST(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_WRITE, data + 10, 40, 0, NULL, NULL));
    MUST(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, data + 2000, 40, 0, NULL, NULL));
    data[12] = 100;
    for (int i = 0; i < 10; i++)
        data[2000 + i] = i;
    MUST(clEnqueueSVMUnmap(queue, data + 2000, 0, NULL, NULL));
    MUST(clEnqueueSVMUnmap(queue, data + 10, 0, NULL, NULL));
    run(kernel, N);
    begin(data, N * 4, 0);
    for (int i = 0; i < N; i++)
        EQ(data[i], i == 12 ? 200 : i >= 2000 && i < 2010 ? 2 * (i - 2000) : 12);
    end(data, 0);
    MUST(clFinish(queue));
    clSVMFree(context, data);
    MUST(clReleaseKernel(kernel));
}

/* Pointers in program-scope variables, in atomics and behind generic pointers are followed like others. */
static const char *everywhere =
    "global int *global kept;\n"
    "kernel void keep(global int *p) { kept = p + 1; }\n"
    "kernel void use(global int *out) { out[0] = kept[0]; kept[1] = 55; }\n"
    "int sum(const int *p, int n) { int s = 0; for (int i = 0; i < n; i++) s += p[i]; return s; }\n"
    "kernel void generic_sum(global int *p, local int *l, global int *out)\n"
    "{ int q[3] = {1, 2, 3}; for (int i = 0; i < 4; i++) l[i] = 10 * i;\n"
    "  out[0] = sum(p, 4) + sum(l, 4) + sum(q, 3);\n"
    "  int *any = out[1] ? (int *)p : (int *)l; out[1] = any[2]; }\n"
    "kernel void exchange(global ulong *slot, global int *mine, global ulong *out)\n"
    "{ global int *before = (global int *)slot[0]; slot[0] = (ulong)mine;\n"
    "  out[0] = (ulong)before; atomic_add(before, 5); out[1] = before == mine; out[2] = (ulong)&mine[1]; }\n";

/* A kernel object keeps no allocation that was freed. */
static void freed_arguments(cl_program program)
{
    enum { BYTES = 64 << 20, ROUNDS = 4 };
    cl_kernel kernels[ROUNDS];
    long before = resident();
    for (int i = 0; i < ROUNDS; i++) {
        kernels[i] = MADE(clCreateKernel, program, "twice");
        char *memory = clSVMAlloc(context, CL_MEM_READ_WRITE, BYTES, 0);
        CHECK(memory);
        if (!memory)
            return;
        MUST(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_WRITE, memory, BYTES, 0, NULL, NULL));
        memset(memory, 1, BYTES);
        MUST(clEnqueueSVMUnmap(queue, memory, 0, NULL, NULL));
        MUST(clFinish(queue));
        MUST(clSetKernelArgSVMPointer(kernels[i], 0, memory));
        clSVMFree(context, memory);
    }
    /* One allocation may still be there: its two copies, where the device has one of its own in memory that the host maps. */
    if (before >= 0)
        CHECK(resident() - before < 3 * BYTES / 1024);
    for (int i = 0; i < ROUNDS; i++)
        MUST(clReleaseKernel(kernels[i]));
}

static void pointers_everywhere(void)
{
    cl_int error = 0;
    cl_program program = PROGRAM(context, everywhere, "-cl-std=CL3.0");
    cl_kernel keep = clCreateKernel(program, "keep", &error), use = clCreateKernel(program, "use", &error);
    cl_kernel generic = clCreateKernel(program, "generic_sum", &error);
    cl_kernel exchange = MADE(clCreateKernel, program, "exchange");
    int *a = clSVMAlloc(context, 0, 64, 0), *b = clSVMAlloc(context, 0, 64, 0);
    cl_ulong *slot = clSVMAlloc(context, 0, 8, 0);
    cl_mem out = MADE(clCreateBuffer, context, 0, 64, NULL);
    CHECK(a && b && slot);
    begin(a, 64, 0), begin(b, 64, 0), begin(slot, 8, 0);
    for (int i = 0; i < 16; i++)
        a[i] = 100 + i, b[i] = 200 + i;
    *slot = (cl_ulong)(uintptr_t)b;
    end(a, 0), end(b, 0), end(slot, 0);
    MUST(clSetKernelArgSVMPointer(keep, 0, a));
    run(keep, 1);
    MUST(clSetKernelArg(use, 0, sizeof out, &out));
    run(use, 1);
    int first[2] = {0, 0};
    MUST(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, 4, first, 0, NULL, NULL));
    EQ(first[0], 101);
    EQ(int_at(a + 2, 0), 55);
    int choice[2] = {0, 1};
    MUST(clEnqueueWriteBuffer(queue, out, CL_TRUE, 0, 8, choice, 0, NULL, NULL));
    MUST(clSetKernelArgSVMPointer(generic, 0, a));
    MUST(clSetKernelArg(generic, 1, 64, NULL));
    MUST(clSetKernelArg(generic, 2, sizeof out, &out));
    run(generic, 1);
    MUST(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, 8, first, 0, NULL, NULL));
    EQ(first[0], 100 + 101 + 55 + 103 + 60 + 6);
    EQ(first[1], 55);
    MUST(clSetKernelArgSVMPointer(exchange, 0, slot));
    MUST(clSetKernelArgSVMPointer(exchange, 1, a));
    MUST(clSetKernelArg(exchange, 2, sizeof out, &out));
    run(exchange, 1);
    cl_ulong seen[3];
    MUST(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof seen, seen, 0, NULL, NULL));
    EQ(seen[0], (uintptr_t)b);
    EQ(seen[1], 0);
    EQ(seen[2], (uintptr_t)&a[1]);
    EQ(int_at(b, 0), 205);
    EQ(*(cl_ulong *)begin(slot, 8, 0), (uintptr_t)a);
    end(slot, 0);
    MUST(clFinish(queue));
    clSVMFree(context, a), clSVMFree(context, b), clSVMFree(context, slot);
    MUST(clReleaseMemObject(out));
    cl_kernel kernels[] = {keep, use, generic, exchange};
    for (int i = 0; i < 4; i++)
        MUST(clReleaseKernel(kernels[i]));
    MUST(clReleaseProgram(program));
}

/* The host and kernels on the same words at the same time: sums lose nothing, and what was written before a release is
 * seen behind the acquire, in both directions. */
static const char *atomics_source =
    "#ifndef __opencl_c_atomic_scope_all_devices\n"
    "#error no scope\n"
    "#endif\n"
    "kernel void add(global atomic_int *sum, int rounds)\n"
    "{ for (int i = 0; i < rounds; i++)\n"
    "    atomic_fetch_add_explicit(sum, 1, memory_order_relaxed, memory_scope_all_svm_devices); }\n"
    "kernel void tell(global int *data, global atomic_int *flag, int n)\n"
    "{ for (int i = 0; i < n; i++) { data[i] = i * 3 + 1;\n"
    "    atomic_store_explicit(flag, i + 1, memory_order_release, memory_scope_all_svm_devices); } }\n"
    "kernel void hear(global int *data, global atomic_int *flag, global int *wrong)\n"
    "{ for (int round = 0; round < 20000; round++) {\n"
    "    int n = atomic_load_explicit(flag, memory_order_acquire, memory_scope_all_svm_devices);\n"
    "    if (n > 0 && data[n - 1] != n * 5) wrong[0]++; wrong[1] = n; } }\n";

struct shared_words {
    int *words;
    volatile int stop;
    int wrong;
};

static void *add_on_host(void *data)
{
    for (int i = 0; i < 50000; i++)
        __atomic_fetch_add((int *)data, 1, __ATOMIC_RELAXED);
    return NULL;
}

static void *hear_on_host(void *data)
{
    struct shared_words *shared = data;
    while (!shared->stop) {
        int n = __atomic_load_n(&shared->words[0], __ATOMIC_ACQUIRE);
        shared->wrong += n > 0 && ((volatile int *)shared->words)[n] != (n - 1) * 3 + 1;
    }
    return NULL;
}

static void *tell_on_host(void *data)
{
    struct shared_words *shared = data;
    for (int i = 0; i < 4000 && !shared->stop; i++) {
        ((volatile int *)shared->words)[i + 1] = (i + 1) * 5;
        __atomic_store_n(&shared->words[0], i + 1, __ATOMIC_RELEASE);
    }
    return NULL;
}

static void atomics(void)
{
    cl_device_atomic_capabilities scopes = 0;
    MUST(clGetDeviceInfo(device, CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES, sizeof scopes, &scopes, NULL));
    CHECK(scopes & CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES);
    cl_program program = PROGRAM(context, atomics_source, "-cl-std=CL3.0");
    cl_svm_mem_flags fine = CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS;
    enum { N = 4096 };
    int *words = clSVMAlloc(context, fine, (N + 1) * 4, 0), *wrong = clSVMAlloc(context, fine, 8, 0);
    CHECK(words && wrong);
    pthread_t thread;
    size_t many = 64, one = 1;
    int rounds = 1000, n = N;

    cl_kernel kernel = MADE(clCreateKernel, program, "add");
    words[0] = 0;
    MUST(clSetKernelArgSVMPointer(kernel, 0, words));
    MUST(clSetKernelArg(kernel, 1, sizeof rounds, &rounds));
    MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &many, NULL, 0, NULL, NULL));
    MUST(clFlush(queue));
    CHECK(!pthread_create(&thread, NULL, add_on_host, words));
    pthread_join(thread, NULL);
    MUST(clFinish(queue));
    EQ(words[0], 64 * 1000 + 50000);
    MUST(clReleaseKernel(kernel));

    struct shared_words shared = {words, 0, 0};
    kernel = MADE(clCreateKernel, program, "tell");
    memset(words, 0, (N + 1) * 4);
    MUST(clSetKernelArgSVMPointer(kernel, 0, words + 1));
    MUST(clSetKernelArgSVMPointer(kernel, 1, words));
    MUST(clSetKernelArg(kernel, 2, sizeof n, &n));
    CHECK(!pthread_create(&thread, NULL, hear_on_host, &shared));
    MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    MUST(clFinish(queue));
    shared.stop = 1;
    pthread_join(thread, NULL);
    EQ(shared.wrong, 0);
    EQ(words[0], N);
    MUST(clReleaseKernel(kernel));

    kernel = MADE(clCreateKernel, program, "hear");
    memset(words, 0, (N + 1) * 4);
    memset(wrong, 0, 8);
    shared.stop = 0;
    MUST(clSetKernelArgSVMPointer(kernel, 0, words + 1));
    MUST(clSetKernelArgSVMPointer(kernel, 1, words));
    MUST(clSetKernelArgSVMPointer(kernel, 2, wrong));
    MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    MUST(clFlush(queue));
    CHECK(!pthread_create(&thread, NULL, tell_on_host, &shared));
    MUST(clFinish(queue));
    shared.stop = 1;
    pthread_join(thread, NULL);
    EQ(wrong[0], 0);
    MUST(clReleaseKernel(kernel));
    MUST(clReleaseProgram(program));
    clSVMFree(context, words), clSVMFree(context, wrong);
}

int main(void)
{
    device = pumice_device();
    context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    queue = MADE(clCreateCommandQueueWithProperties, context, device, NULL);
    cl_program program = MADE(clCreateProgramWithSource, context, 1, &source, NULL);
    cl_device_svm_capabilities has = 0;
    MUST(clGetDeviceInfo(device, CL_DEVICE_SVM_CAPABILITIES, sizeof has, &has, NULL));
    /* A device without SVM need not know pointers in memory. */
    MUST(clBuildProgram(program, 0, NULL, has ? "-DLISTS" : "", NULL, NULL));
    if (has & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER) {
        lists(program, 0);
        commands();
        buffers(program);
        maps(program);
        freed_arguments(program);
        pointers_everywhere();
        if (has & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM)
            lists(program, 1);
        if (has & CL_DEVICE_SVM_ATOMICS)
            atomics();
    } else {
        cl_kernel kernel = MADE(clCreateKernel, program, "twice");
        without(kernel);
        MUST(clReleaseKernel(kernel));
    }
    MUST(clReleaseProgram(program));
    MUST(clReleaseCommandQueue(queue));
    release_last(context);
    return finish();
}
