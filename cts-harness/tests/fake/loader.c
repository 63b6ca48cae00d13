/* A loader of OpenCL that finds a platform called Pumice with a device called fake; with LOST defined, as an old loader
 * that does not look into OCL_ICD_VENDORS, none. */
#include <string.h>

int clGetPlatformIDs(unsigned entries, void **platforms, unsigned *count)
{
#ifdef LOST
    (void)entries, (void)platforms, (void)count;
    return -1001;
#else
    if (platforms && entries > 0)
        platforms[0] = (void *)clGetPlatformIDs;
    if (count)
        *count = 1;
    return 0;
#endif
}

static int answer(const char *text, size_t size, void *value, size_t *needed)
{
    if (needed)
        *needed = strlen(text) + 1;
    if (value)
        memcpy(value, text, size < strlen(text) + 1 ? size : strlen(text) + 1);
    return 0;
}

int clGetPlatformInfo(void *platform, unsigned name, size_t size, void *value, size_t *needed)
{
    (void)platform, (void)name;
    return answer("Pumice", size, value, needed);
}

int clGetDeviceIDs(void *platform, unsigned long long type, unsigned entries, void **devices, unsigned *count)
{
    (void)type;
    if (devices && entries > 0)
        devices[0] = platform;
    if (count)
        *count = 1;
    return 0;
}

int clGetDeviceInfo(void *device, unsigned name, size_t size, void *value, size_t *needed)
{
    enum { DEVICE_NAME = 0x102B };
    (void)device;
    return name == DEVICE_NAME ? answer("fake", size, value, needed) : -30;
}
