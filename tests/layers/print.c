/* A layer of the Khronos loader: says which calls of a few kinds go through it, and passes every one
 * on to the table that the loader gives it. With it, the driver is reached through a table that is
 * not its own. */
#define LAYER_NAME "print"
#include "layer.h"
#include <stdio.h>

static cl_context CL_API_CALL create_context(const cl_context_properties *properties, cl_uint count,
                                             const cl_device_id *devices,
                                             void(CL_CALLBACK *notify)(const char *, const void *, size_t,
                                                                       void *),
                                             void *data, cl_int *error)
{
    fputs("layer: clCreateContext\n", stderr);
    return next->clCreateContext(properties, count, devices, notify, data, error);
}

static cl_int CL_API_CALL build(cl_program program, cl_uint count, const cl_device_id *devices,
                                const char *options, void(CL_CALLBACK *notify)(cl_program, void *),
                                void *data)
{
    fputs("layer: clBuildProgram\n", stderr);
    return next->clBuildProgram(program, count, devices, options, notify, data);
}

static cl_int CL_API_CALL launch(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                                 const size_t *offset, const size_t *global, const size_t *local,
                                 cl_uint count, const cl_event *wait, cl_event *event)
{
    fputs("layer: clEnqueueNDRangeKernel\n", stderr);
    return next->clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local, count, wait,
                                        event);
}

static void put_entries(void)
{
    table.clCreateContext = create_context;
    table.clBuildProgram = build;
    table.clEnqueueNDRangeKernel = launch;
}
