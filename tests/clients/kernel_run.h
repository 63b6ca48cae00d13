/* Shared by clients whose processes build one kernel each and look at what it writes. */
#ifndef PUMICE_CLIENT_KERNEL_RUN_H
#define PUMICE_CLIENT_KERNEL_RUN_H
#include "common.h"

/* Runs kernel `k`, which writes a number to each place of its buffer, and checks four of them. */
static inline void check_number(cl_context context, cl_command_queue queue, cl_program program, int number)
{
    cl_kernel kernel = MADE(clCreateKernel, program, "k");
    int out[4] = {0};
    cl_mem buffer = MADE(clCreateBuffer, context, 0, sizeof out, NULL);
    MUST(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    size_t global = 4;
    MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
    MUST(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
    for (int i = 0; i < 4; i++)
        EQ(out[i], number);
    MUST(clReleaseMemObject(buffer));
    MUST(clReleaseKernel(kernel));
}
#endif
