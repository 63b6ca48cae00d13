/* What the loader's layers here share: the entry points that the loader calls. A layer defines
 * LAYER_NAME before it includes this, and `put_entries`, which puts its own functions into the table. */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl_layer.h>
#include <string.h>

/* What the loader gave: the next layer, or the driver behind the last. */
static const cl_icd_dispatch *next;
static cl_icd_dispatch table;

static void put_entries(void);

/* Answers a query as every query of OpenCL is answered. */
static cl_int give(const void *from, size_t needed, size_t size, void *value, size_t *told)
{
    if (value && size < needed)
        return CL_INVALID_VALUE;
    if (value)
        memcpy(value, from, needed);
    if (told)
        *told = needed;
    return CL_SUCCESS;
}

#define EXPORTED __attribute__((visibility("default")))

EXPORTED CL_API_ENTRY cl_int CL_API_CALL clGetLayerInfo(cl_layer_info name, size_t size, void *value, size_t *told)
{
    static const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
    static const char title[] = LAYER_NAME;
    if (name == CL_LAYER_NAME)
        return give(title, sizeof title, size, value, told);
    if (name == CL_LAYER_API_VERSION)
        return give(&version, sizeof version, size, value, told);
    return CL_INVALID_VALUE;
}

EXPORTED CL_API_ENTRY cl_int CL_API_CALL clInitLayer(cl_uint entries, const cl_icd_dispatch *target, cl_uint *told,
                                            const cl_icd_dispatch **ours)
{
    size_t known = sizeof table / sizeof(void *);
    if (!target || !told || !ours || entries < known)
        return CL_INVALID_VALUE;
    next = target;
    memcpy(&table, target, sizeof table);
    put_entries();
    *told = (cl_uint)known;
    *ours = &table;
    return CL_SUCCESS;
}

/* What newer loaders call instead. */
EXPORTED CL_API_ENTRY cl_int CL_API_CALL clInitLayerWithProperties(cl_uint entries, const cl_icd_dispatch *target,
                                                          cl_uint *told, const cl_icd_dispatch **ours,
                                                          const void *properties)
{
    (void)properties;
    return clInitLayer(entries, target, told, ours);
}
