/* An OpenCL driver that crashes when it is asked for its platforms. */
#include <stddef.h>

int *nowhere = NULL;

int clIcdGetPlatformIDsKHR(unsigned count, void **platforms, unsigned *found) {
    (void)count, (void)platforms, (void)found;
    return *nowhere = 1;
}

int clGetPlatformInfo(void *platform, unsigned name, size_t size, void *value, size_t *size_ret) {
    (void)platform, (void)name, (void)size, (void)value, (void)size_ret;
    return -32;
}

void *clGetExtensionFunctionAddress(const char *name) {
    (void)name;
    return (void *)clIcdGetPlatformIDsKHR;
}
