/* Lists the devices of the Pumice platform and asks each the queries that every client asks.
 * With PUMICE_LOG=info the driver names the Vulkan driver behind each. */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(call)                                                     \
    do {                                                                \
        cl_int err = (call);                                            \
        if (err != CL_SUCCESS) {                                        \
            printf("FAIL line %d: %s is %d\n", __LINE__, #call, err);   \
            return 1;                                                   \
        }                                                               \
    } while (0)

int main(void) {
    cl_platform_id platforms[16];
    cl_uint count = 0;
    CHECK(clGetPlatformIDs(16, platforms, &count));
    for (cl_uint i = 0; i < count; i++) {
        char name[256];
        CHECK(clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name, name, NULL));
        if (!strstr(name, "Pumice")) continue;
        cl_device_id devices[16];
        cl_uint found = 0;
        CHECK(clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 16, devices, &found));
        for (cl_uint d = 0; d < found; d++) {
            char text[1024];
            CHECK(clGetDeviceInfo(devices[d], CL_DEVICE_NAME, sizeof text, text, NULL));
            printf("device: %s\n", text);
            CHECK(clGetDeviceInfo(devices[d], CL_DEVICE_VERSION, sizeof text, text, NULL));
            if (strncmp(text, "OpenCL ", 7)) {
                printf("FAIL version %s\n", text);
                return 1;
            }
            /* Some applications refuse a device whose version names Mesa. */
            for (char *c = text; *c; c++) *c |= 32;
            if (strstr(text, "mesa")) {
                printf("FAIL version names the Vulkan driver: %s\n", text);
                return 1;
            }
            size_t size;
            CHECK(clGetDeviceInfo(devices[d], CL_DEVICE_EXTENSIONS, 0, NULL, &size));
            char *extensions = malloc(size);
            CHECK(clGetDeviceInfo(devices[d], CL_DEVICE_EXTENSIONS, size, extensions, NULL));
            static const char *expected[] = {"cl_khr_byte_addressable_store", "cl_khr_global_int32_base_atomics",
                                             "cl_khr_local_int32_extended_atomics"};
            for (size_t e = 0; e < sizeof expected / sizeof *expected; e++)
                if (!strstr(extensions, expected[e])) {
                    printf("FAIL %s is missing from %s\n", expected[e], extensions);
                    return 1;
                }
            free(extensions);
            cl_ulong memory;
            CHECK(clGetDeviceInfo(devices[d], CL_DEVICE_GLOBAL_MEM_SIZE, sizeof memory, &memory, NULL));
            cl_uint units, bits;
            CHECK(clGetDeviceInfo(devices[d], CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL));
            CHECK(clGetDeviceInfo(devices[d], CL_DEVICE_ADDRESS_BITS, sizeof bits, &bits, NULL));
            if (bits != 64 || units == 0 || memory < (64u << 20)) {
                printf("FAIL address bits %u, units %u, memory %llu\n", bits, units, (unsigned long long)memory);
                return 1;
            }
        }
        if (found) {
            printf("ok\n");
            return 0;
        }
    }
    printf("FAIL no device\n");
    return 1;
}
