/* Shared by the clients of clImportMemoryARM. */
#ifndef PUMICE_IMPORT_MEMORY_H
#define PUMICE_IMPORT_MEMORY_H
#include "common.h"

enum {
    TYPE = 0x40B2,
    HOST = 0x40B3,
    DMA_BUF = 0x40B4,
    PROTECTED = 0x40B5,
    CONSISTENT = 0x41E3,
    N = 3000,
};

static cl_mem(CL_API_CALL *import)(cl_context, cl_mem_flags, const intptr_t *, void *, size_t, cl_int *);
static cl_context context;
static cl_command_queue queue;
static cl_kernel kernel;

static inline cl_int refused(cl_mem_flags flags, const intptr_t *list, void *memory, size_t size)
{
    cl_int error = 1;
    cl_mem made = import(context, flags, list, memory, size, &error);
    CHECK(!made);
    return error;
}

/* The kernel adds 1 to every number: the memory shows it, and the host's changes reach the next launch. */
static inline void use(cl_mem buffer, volatile int *memory)
{
    size_t global = N;
    MUST(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < N; i++)
            memory[i] = i * (round + 1);
        MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
        MUST(clFinish(queue));
        for (int i = 0; i < N; i++)
            EQ(memory[i], i * (round + 1) + 1);
    }
    int *mapped = MADE(clEnqueueMapBuffer, queue, buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 4, 8, 0, NULL, NULL);
    EQ(mapped[0], memory[1]);
    MUST(clEnqueueUnmapMemObject(queue, buffer, mapped, 0, NULL, NULL));
    int got[2], put[2] = {-1, -2};
    MUST(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 8, sizeof got, got, 0, NULL, NULL));
    CHECK(got[0] == memory[2] && got[1] == memory[3]);
    MUST(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 8, sizeof put, put, 0, NULL, NULL));
    CHECK(memory[2] == -1 && memory[3] == -2);
    cl_buffer_region region = {1024, 1024};
    cl_mem part = MADE(clCreateSubBuffer, buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region);
    size_t offset = 0;
    MUST(clGetMemObjectInfo(part, CL_MEM_OFFSET, sizeof offset, &offset, NULL));
    EQ(offset, 1024);
    MUST(clEnqueueFillBuffer(queue, part, put, 4, 0, 4, 0, NULL, NULL));
    MUST(clFinish(queue));
    EQ(memory[256], -1);
    global = 4;
    MUST(clSetKernelArg(kernel, 0, sizeof part, &part));
    MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
    MUST(clFinish(queue));
    EQ(memory[256], 0);
    MUST(clReleaseMemObject(part));
}

static cl_program program;

/* Makes a context, a queue and the kernel. */
static inline void begin(cl_device_id device)
{
    load_function(&import, "clImportMemoryARM");
    context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    queue = MADE(clCreateCommandQueue, context, device, 0);
    const char *source = "kernel void k(global int *a) { a[get_global_id(0)] += 1; }";
    program = PROGRAM(context, source, NULL);
    kernel = MADE(clCreateKernel, program, "k");
}

static inline void end(void)
{
    MUST(clReleaseKernel(kernel));
    MUST(clReleaseProgram(program));
    MUST(clReleaseCommandQueue(queue));
    release_last(context);
}
#endif
