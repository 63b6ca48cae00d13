/* A hundred thousand kernels in flight at once, each with arguments of its own: nothing that a
 * launch needs may run out. */
// client: once
#include "common.h"

enum { SLOTS = 64 };

int main(void)
{
    int launches = rounds_of(100000);
    cl_device_id device = pumice_device();
    cl_context context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    cl_command_queue queue = MADE(clCreateCommandQueueWithProperties, context, device, NULL);
    const char *source = "kernel void add(global int *sums, int slot, int n) { sums[slot] += n; }";
    cl_program program = PROGRAM(context, source, NULL);
    cl_kernel kernel = MADE(clCreateKernel, program, "add");
    int sums[SLOTS] = {0}, expected[SLOTS] = {0};
    cl_mem buffer = MADE(clCreateBuffer, context, CL_MEM_COPY_HOST_PTR, sizeof sums, sums);
    MUST(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    /* Nothing begins before the last is enqueued. */
    cl_event gate = MADE(clCreateUserEvent, context);
    size_t one = 1;
    for (int i = 0; i < launches; i++) {
        int slot = i * 7 % SLOTS, n = i % 11 + 1;
        expected[slot] += n;
        MUST(clSetKernelArg(kernel, 1, sizeof slot, &slot));
        MUST(clSetKernelArg(kernel, 2, sizeof n, &n));
        MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, i == 0, i == 0 ? &gate : NULL,
                                    NULL));
    }
    MUST(clSetUserEventStatus(gate, CL_COMPLETE));
    MUST(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof sums, sums, 0, NULL, NULL));
    for (int i = 0; i < SLOTS; i++)
        EQ(sums[i], expected[i]);
    MUST(clReleaseEvent(gate));
    MUST(clReleaseMemObject(buffer));
    MUST(clReleaseKernel(kernel));
    MUST(clReleaseProgram(program));
    MUST(clReleaseCommandQueue(queue));
    release_last(context);
    return finish();
}
