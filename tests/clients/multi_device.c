// client: all-drivers
/* A context of every device there is: each one's kernels see what the others wrote, in whatever
 * order the devices take turns, by whatever command. With one device the same turns are taken by its
 * queues. */
#define _POSIX_C_SOURCE 200809L
#include "common.h"

enum { N = 1000, TURNS = 12 };

static const char *source =
    "kernel void step(global int *data, int add)\n"
    "{\n"
    "    size_t i = get_global_id(0);\n"
    "    data[i] = data[i] * 3 + add;\n"
    "}\n"
    "kernel void slow(global uint *data, uint rounds)\n"
    "{\n"
    "    uint h = get_global_id(0);\n"
    "    for (uint i = 0; i < rounds; i++) h = h * 1664525u + 1013904223u + (h >> 7);\n"
    "    data[get_global_id(0)] = h | 1;\n"
    "}\n";

/* What the kernel `slow` writes. */
static void slow_on_host(cl_uint *data, cl_uint count, cl_uint rounds)
{
    for (cl_uint item = 0; item < count; item++) {
        cl_uint h = item;
        for (cl_uint i = 0; i < rounds; i++)
            h = h * 1664525u + 1013904223u + (h >> 7);
        data[item] = h | 1;
    }
}

static cl_context context;
static cl_command_queue queues[9];
static cl_uint turns;

/* Fills, copies, parts and the application's memory, each step on the next device. */
static void commands(cl_kernel kernel)
{
    cl_int error = 0, seven = 7, add = 5;
    static int host[N], got[N];
    for (int i = 0; i < N; i++)
        host[i] = i;
    cl_mem whole = MADE(clCreateBuffer, context, CL_MEM_USE_HOST_PTR, sizeof host, host);
    cl_mem other = MADE(clCreateBuffer, context, 0, sizeof host, NULL);
    size_t alignment = 0;
    for (cl_uint i = 0; i < turns; i++) {
        cl_device_id device;
        cl_uint bits = 0;
        MUST(clGetCommandQueueInfo(queues[i], CL_QUEUE_DEVICE, sizeof device, &device, NULL));
        MUST(clGetDeviceInfo(device, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof bits, &bits, NULL));
        alignment = bits / 8 > alignment ? bits / 8 : alignment;
    }
    cl_buffer_region region = {alignment, alignment};
    cl_mem part = MADE(clCreateSubBuffer, whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &region);
    size_t first = alignment / 4, count = alignment / 4;
    for (cl_uint turn = 0; turn < 2 * turns; turn++) {
        cl_command_queue a = queues[turn % turns], b = queues[(turn + 1) % turns];
        cl_command_queue c = queues[(turn + 2) % turns];
        /* Everything waits for a gate, and the steps for one another across devices. */
        cl_event gate = clCreateUserEvent(context, &error), steps[5];
        MUST(error);
        MUST(clSetKernelArg(kernel, 0, sizeof part, &part));
        MUST(clSetKernelArg(kernel, 1, sizeof add, &add));
        MUST(clEnqueueFillBuffer(a, whole, &seven, 4, 0, alignment, 1, &gate, &steps[0]));
        MUST(clEnqueueNDRangeKernel(b, kernel, 1, NULL, &count, NULL, 1, &steps[0], &steps[1]));
        MUST(clEnqueueCopyBuffer(c, whole, other, 0, 0, sizeof host, 1, &steps[1], &steps[2]));
        MUST(clEnqueueMigrateMemObjects(a, 1, &other, 0, 1, &steps[2], &steps[3]));
        MUST(clEnqueueReadBuffer(b, other, CL_FALSE, 0, sizeof got, got, 1, &steps[3], &steps[4]));
        for (cl_uint i = 0; i < turns; i++)
            MUST(clFlush(queues[i]));
        cl_int status = 0;
        MUST(clGetEventInfo(steps[4], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
        CHECK(status > CL_COMPLETE);
        MUST(clSetUserEventStatus(gate, CL_COMPLETE));
        MUST(clWaitForEvents(5, steps));
        for (int i = 0; i < N; i++) {
            size_t at = (size_t)i;
            int want = at < first ? 7 : i;
            if (at >= first && at < first + count)
                for (cl_uint t = 0; t <= turn; t++)
                    want = want * 3 + add;
            if (got[i] != want) {
                EQ(got[i], want);
                break;
            }
        }
        for (int i = 0; i < 5; i++)
            MUST(clReleaseEvent(steps[i]));
        MUST(clReleaseEvent(gate));
    }
    /* The application's memory has it all once it is mapped. */
    int *mapped = MADE(clEnqueueMapBuffer, queues[turns - 1], whole, CL_TRUE, CL_MAP_READ, 0, sizeof host, 0, NULL, NULL);
    CHECK(mapped == host && memcmp(host, got, sizeof got) == 0);
    MUST(clEnqueueUnmapMemObject(queues[0], whole, mapped, 0, NULL, NULL));
    MUST(clFinish(queues[0]));
    MUST(clReleaseMemObject(part));
    MUST(clReleaseMemObject(other));
    MUST(clReleaseMemObject(whole));
}

/* A copy of an in-order queue reads what another device's kernel wrote if a command before it waits for the kernel; and
 * two devices write two parts of a buffer at the same time. */
static void kernels_under_way(cl_program program)
{
    enum { ITEMS = 1024, ROUNDS = 20000 };
    cl_uint rounds = ROUNDS;
    size_t items = ITEMS;
    static cl_uint want[ITEMS], got[2 * ITEMS], zeros[2 * ITEMS];
    slow_on_host(want, ITEMS, ROUNDS);
    cl_kernel slow[2];
    for (int i = 0; i < 2; i++) {
        slow[i] = MADE(clCreateKernel, program, "slow");
        MUST(clSetKernelArg(slow[i], 1, sizeof rounds, &rounds));
    }
    for (int turn = 0; turn < 8; turn++) {
        cl_command_queue a = queues[0], b = queues[1];
        cl_mem from = MADE(clCreateBuffer, context, CL_MEM_COPY_HOST_PTR, sizeof zeros, zeros);
        cl_mem to = MADE(clCreateBuffer, context, CL_MEM_COPY_HOST_PTR, sizeof zeros, zeros);
        cl_event written = NULL;
        MUST(clSetKernelArg(slow[0], 0, sizeof from, &from));
        MUST(clEnqueueNDRangeKernel(a, slow[0], 1, NULL, &items, NULL, 0, NULL, &written));
        MUST(clFlush(a));
        if (turn % 2)
            MUST(clEnqueueFillBuffer(b, to, zeros, 4, 0, 4, 0, NULL, NULL));
        MUST(clEnqueueBarrierWithWaitList(b, 1, &written, NULL));
        MUST(clEnqueueCopyBuffer(b, from, to, 0, 0, sizeof want, 0, NULL, NULL));
        MUST(clEnqueueReadBuffer(b, to, CL_TRUE, 0, sizeof want, got, 0, NULL, NULL));
        CHECK(memcmp(got, want, sizeof want) == 0);
        MUST(clReleaseEvent(written));

        MUST(clEnqueueWriteBuffer(a, from, CL_TRUE, 0, sizeof zeros, zeros, 0, NULL, NULL));
        cl_mem parts[2];
        for (size_t i = 0; i < 2; i++) {
            cl_buffer_region region = {i * sizeof want, sizeof want};
            parts[i] = MADE(clCreateSubBuffer, from, 0, CL_BUFFER_CREATE_TYPE_REGION, &region);
            MUST(clSetKernelArg(slow[i], 0, sizeof parts[i], &parts[i]));
            MUST(clEnqueueNDRangeKernel(queues[i], slow[i], 1, NULL, &items, NULL, 0, NULL, NULL));
            MUST(clFlush(queues[i]));
        }
        MUST(clFinish(a));
        MUST(clFinish(b));
        MUST(clEnqueueReadBuffer(a, from, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
        CHECK(memcmp(got, want, sizeof want) == 0);
        CHECK(memcmp(got + ITEMS, want, sizeof want) == 0);
        for (int i = 0; i < 2; i++)
            MUST(clReleaseMemObject(parts[i]));
        MUST(clReleaseMemObject(from));
        MUST(clReleaseMemObject(to));
    }
    for (int i = 0; i < 2; i++)
        MUST(clReleaseKernel(slow[i]));
}

/* Shared virtual memory of all devices, where they all have it. */
static void shared(cl_kernel kernel)
{
    int *data = clSVMAlloc(context, 0, N * 4, 0), want = 1;
    if (!data)
        return;
    MUST(clEnqueueSVMMemFill(queues[0], data, &want, 4, N * 4, 0, NULL, NULL));
    MUST(clFinish(queues[0]));
    MUST(clSetKernelArgSVMPointer(kernel, 0, data));
    for (cl_uint turn = 0; turn < 2 * turns; turn++) {
        cl_int add = (cl_int)turn;
        size_t global = N;
        want = want * 3 + add;
        MUST(clSetKernelArg(kernel, 1, sizeof add, &add));
        MUST(clEnqueueNDRangeKernel(queues[turn % turns], kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
        MUST(clFinish(queues[turn % turns]));
        /* Coarse-grained memory is the host's while it is mapped. */
        MUST(clEnqueueSVMMap(queues[turn % turns], CL_TRUE, CL_MAP_READ, data, N * 4, 0, NULL, NULL));
        CHECK(data[0] == want && data[N - 1] == want);
        MUST(clEnqueueSVMUnmap(queues[turn % turns], data, 0, NULL, NULL));
    }
    clSVMFree(context, data);
}

int main(void)
{
    cl_device_id devices[8];
    cl_uint count = 0;
    MUST(clGetDeviceIDs(pumice_platform(), CL_DEVICE_TYPE_ALL, 8, devices, &count));
    context = MADE(clCreateContext, NULL, count, devices, NULL, NULL);
    cl_uint known = 0;
    MUST(clGetContextInfo(context, CL_CONTEXT_NUM_DEVICES, sizeof known, &known, NULL));
    EQ(known, count);
    turns = count < 2 ? 2 : count;
    for (cl_uint i = 0; i < turns; i++) {
        queues[i] = MADE(clCreateCommandQueueWithProperties, context, devices[i % count], NULL);
    }
    cl_program program = PROGRAM(context, source, NULL);
    cl_kernel kernel = MADE(clCreateKernel, program, "step");
    int data[N], want[N], got[N];
    for (int i = 0; i < N; i++)
        want[i] = data[i] = i;
    cl_mem buffer = MADE(clCreateBuffer, context, CL_MEM_COPY_HOST_PTR, sizeof data, data);
    MUST(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    cl_event last = NULL;
    for (int turn = 0; turn < TURNS; turn++) {
        cl_command_queue queue = queues[(cl_uint)turn % turns];
        cl_event next = NULL;
        size_t global = N;
        MUST(clSetKernelArg(kernel, 1, sizeof turn, &turn));
        MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, last ? 1 : 0,
                                    last ? &last : NULL, &next));
        for (int i = 0; i < N; i++)
            want[i] = want[i] * 3 + turn;
        if (last)
            MUST(clReleaseEvent(last));
        last = next;
    }
    for (cl_uint i = 0; i < turns; i++) {
        MUST(clEnqueueReadBuffer(queues[i], buffer, CL_TRUE, 0, sizeof got, got, 1, &last, NULL));
        CHECK(memcmp(got, want, sizeof got) == 0);
    }
    /* Through a map on one device to a kernel on the next. */
    int *mapped = MADE(clEnqueueMapBuffer, queues[0], buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, sizeof data, 0,
                       NULL, NULL);
    CHECK(memcmp(mapped, want, sizeof want) == 0);
    for (int i = 0; i < N; i++)
        mapped[i] = want[i] = 7 - i;
    MUST(clEnqueueUnmapMemObject(queues[0], buffer, mapped, 0, NULL, NULL));
    MUST(clFinish(queues[0]));
    int add = 1;
    size_t global = N;
    MUST(clSetKernelArg(kernel, 1, sizeof add, &add));
    MUST(clEnqueueNDRangeKernel(queues[1], kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
    MUST(clFinish(queues[1]));
    MUST(clEnqueueReadBuffer(queues[0], buffer, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    for (int i = 0; i < N; i++)
        if (got[i] != want[i] * 3 + 1) {
            EQ(got[i], want[i] * 3 + 1);
            break;
        }
    commands(kernel);
    kernels_under_way(program);
    shared(kernel);
    MUST(clReleaseEvent(last));
    MUST(clReleaseMemObject(buffer));
    MUST(clReleaseKernel(kernel));
    MUST(clReleaseProgram(program));
    for (cl_uint i = 0; i < turns; i++)
        MUST(clReleaseCommandQueue(queues[i]));
    release_last(context);
    return finish();
}
