/* For clients that launch work-groups of one work-item. */
#ifndef PUMICE_CLIENT_LONE_ITEMS_H
#define PUMICE_CLIENT_LONE_ITEMS_H

#include "common.h"

/* So many work-groups keep a device busy also where sub-groups of up to 64 work-items run in their place. */
static inline size_t groups_of_one_that_fill(cl_device_id device)
{
    cl_uint units = 0;
    MUST(clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL));
    return (size_t)units * 16 * 64;
}

static cl_context context;
static cl_command_queue queue;
static cl_program program;

/* Runs a kernel on a new buffer of zeros and a count, which is 1 and which each work-item adds to; reads so many bytes of the buffer.
 * Its third argument, if it has one, is a word of local memory. */
static void launch_counted(const char *name, cl_uint dimensions, const size_t *offset, const size_t *global,
                           const size_t *local, cl_uint *host, size_t bytes)
{
    cl_kernel kernel = MADE(clCreateKernel, program, name);
    cl_mem out = MADE(clCreateBuffer, context, CL_MEM_READ_WRITE, bytes, NULL);
    cl_uint counted = 1, arguments = 0;
    cl_mem count = MADE(clCreateBuffer, context, CL_MEM_COPY_HOST_PTR, sizeof counted, &counted);
    MUST(clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof arguments, &arguments, NULL));
    MUST(clSetKernelArg(kernel, 0, sizeof out, &out));
    MUST(clSetKernelArg(kernel, 1, sizeof count, &count));
    if (arguments > 2)
        MUST(clSetKernelArg(kernel, 2, sizeof(cl_uint), NULL));
    MUST(clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local, 0, NULL, NULL));
    MUST(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, bytes, host, 0, NULL, NULL));
    MUST(clEnqueueReadBuffer(queue, count, CL_TRUE, 0, sizeof counted, &counted, 0, NULL, NULL));
    EQ(counted, 1 + global[0] * (dimensions > 1 ? global[1] : 1));
    MUST(clReleaseMemObject(out));
    MUST(clReleaseMemObject(count));
    MUST(clReleaseKernel(kernel));
}

#endif
