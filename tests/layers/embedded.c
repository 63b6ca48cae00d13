/* A layer of the Khronos loader under which every device is of the embedded profile: conformance tests
 * then run their variants for that profile, on a driver that keeps to the full one. Otherwise it
 * passes every call on.
 *     gcc -shared -fPIC -o libembedded-layer.so tests/layers/embedded.c
 *     OPENCL_LAYERS=$PWD/libembedded-layer.so test_bruteforce -w */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl_layer.h>
#include <string.h>

static const cl_icd_dispatch *next;
static cl_icd_dispatch table;

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

static cl_int CL_API_CALL device_info(cl_device_id device, cl_device_info name, size_t size, void *value,
                                      size_t *told)
{
    static const char profile[] = "EMBEDDED_PROFILE";
    if (name == CL_DEVICE_PROFILE)
        return give(profile, sizeof profile, size, value, told);
    return next->clGetDeviceInfo(device, name, size, value, told);
}

CL_API_ENTRY cl_int CL_API_CALL clGetLayerInfo(cl_layer_info name, size_t size, void *value, size_t *told)
{
    static const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
    static const char title[] = "embedded";
    if (name == CL_LAYER_NAME)
        return give(title, sizeof title, size, value, told);
    if (name == CL_LAYER_API_VERSION)
        return give(&version, sizeof version, size, value, told);
    return CL_INVALID_VALUE;
}

CL_API_ENTRY cl_int CL_API_CALL clInitLayer(cl_uint entries, const cl_icd_dispatch *target, cl_uint *told,
                                            const cl_icd_dispatch **ours)
{
    size_t known = sizeof table / sizeof(void *);
    if (!target || !told || !ours || entries < known)
        return CL_INVALID_VALUE;
    next = target;
    memcpy(&table, target, sizeof table);
    table.clGetDeviceInfo = device_info;
    *told = (cl_uint)known;
    *ours = &table;
    return CL_SUCCESS;
}
