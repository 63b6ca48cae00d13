/* A layer of the Khronos loader under which every device is of the embedded profile: conformance tests
 * then run their variants for that profile, on a driver that keeps to the full one. Otherwise it
 * passes every call on.
 *     gcc -shared -fPIC -o libembedded-layer.so tests/layers/embedded.c
 *     OPENCL_LAYERS=$PWD/libembedded-layer.so test_bruteforce -w */
#define LAYER_NAME "embedded"
#include "layer.h"

static cl_int CL_API_CALL device_info(cl_device_id device, cl_device_info name, size_t size, void *value,
                                      size_t *told)
{
    static const char profile[] = "EMBEDDED_PROFILE";
    if (name == CL_DEVICE_PROFILE)
        return give(profile, sizeof profile, size, value, told);
    return next->clGetDeviceInfo(device, name, size, value, told);
}

static void put_entries(void)
{
    table.clGetDeviceInfo = device_info;
}
