// client: once
/* A context of every device there is: each one's kernels see what the others wrote, in whatever
 * order the devices take turns. With one device the same turns are taken by its queues. */
#include "common.h"

enum { N = 1000, TURNS = 12 };

static const char *source =
    "kernel void step(global int *data, int add)\n"
    "{\n"
    "    size_t i = get_global_id(0);\n"
    "    data[i] = data[i] * 3 + add;\n"
    "}\n";

int main(void)
{
    cl_int error = 0;
    cl_device_id devices[8];
    cl_uint count = 0;
    MUST(clGetDeviceIDs(pumice_platform(), CL_DEVICE_TYPE_ALL, 8, devices, &count));
    cl_context context = clCreateContext(NULL, count, devices, NULL, NULL, &error);
    MUST(error);
    cl_uint known = 0;
    MUST(clGetContextInfo(context, CL_CONTEXT_NUM_DEVICES, sizeof known, &known, NULL));
    EQ(known, count);
    cl_command_queue queues[9];
    cl_uint turns = count < 2 ? 2 : count;
    for (cl_uint i = 0; i < turns; i++) {
        queues[i] = clCreateCommandQueueWithProperties(context, devices[i % count], NULL, &error);
        MUST(error);
    }
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
    MUST(error);
    MUST(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
    cl_kernel kernel = clCreateKernel(program, "step", &error);
    MUST(error);
    int data[N], want[N], got[N];
    for (int i = 0; i < N; i++)
        want[i] = data[i] = i;
    cl_mem buffer = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof data, data, &error);
    MUST(error);
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
    int *mapped = clEnqueueMapBuffer(queues[0], buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0,
                                     sizeof data, 0, NULL, NULL, &error);
    MUST(error);
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
    MUST(clReleaseEvent(last));
    MUST(clReleaseMemObject(buffer));
    MUST(clReleaseKernel(kernel));
    MUST(clReleaseProgram(program));
    for (cl_uint i = 0; i < turns; i++)
        MUST(clReleaseCommandQueue(queues[i]));
    release_last(context);
    return finish();
}
