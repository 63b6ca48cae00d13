/* A layer of the Khronos loader: says which calls of a few kinds go through it, and passes every one
 * on to the table that the loader gives it. With it, the driver is reached through a table that is
 * not its own. */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl_layer.h>
#include <stdio.h>
#include <string.h>

static const cl_icd_dispatch *next;
static cl_icd_dispatch table;

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

CL_API_ENTRY cl_int CL_API_CALL clGetLayerInfo(cl_layer_info name, size_t size, void *value, size_t *told)
{
    static const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
    static const char title[] = "print";
    const void *from = name == CL_LAYER_NAME ? (const void *)title : (const void *)&version;
    size_t needed = name == CL_LAYER_NAME ? sizeof title : sizeof version;
    if ((name != CL_LAYER_NAME && name != CL_LAYER_API_VERSION) || (value && size < needed))
        return CL_INVALID_VALUE;
    if (value)
        memcpy(value, from, needed);
    if (told)
        *told = needed;
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clInitLayer(cl_uint entries, const cl_icd_dispatch *target, cl_uint *told,
                                            const cl_icd_dispatch **ours)
{
    size_t known = sizeof table / sizeof(void *);
    if (!target || !told || !ours || entries < known)
        return CL_INVALID_VALUE;
    next = target;
    memcpy(&table, target, sizeof table);
    table.clCreateContext = create_context;
    table.clBuildProgram = build;
    table.clEnqueueNDRangeKernel = launch;
    *told = (cl_uint)known;
    *ours = &table;
    return CL_SUCCESS;
}

/* What newer loaders call instead. */
CL_API_ENTRY cl_int CL_API_CALL clInitLayerWithProperties(cl_uint entries, const cl_icd_dispatch *target,
                                                          cl_uint *told, const cl_icd_dispatch **ours,
                                                          const void *properties)
{
    (void)properties;
    return clInitLayer(entries, target, told, ours);
}
