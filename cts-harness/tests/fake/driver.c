// A driver that misbehaves as the environment variable FAKE_DRIVER says: crash, hang or exit while
// its platforms are asked for; otherwise it has none.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef int (*get_platforms)(unsigned, void **, unsigned *);

static int platforms(unsigned entries, void **list, unsigned *count)
{
    const char *how = getenv("FAKE_DRIVER");
    (void)entries;
    (void)list;
    if (how && !strcmp(how, "crash"))
        *(volatile int *)0 = 1; // not raise(): a client may survive that
    if (how && !strcmp(how, "hang"))
        for (;;)
            pause();
    if (how && !strcmp(how, "exit"))
        _exit(7);
    if (count)
        *count = 0;
    return -1001; // CL_PLATFORM_NOT_FOUND_KHR
}

void *clGetExtensionFunctionAddress(const char *name)
{
    return strcmp(name, "clIcdGetPlatformIDsKHR") ? 0 : (void *)platforms;
}

int clGetPlatformInfo(void *platform, unsigned query, size_t size, void *value, size_t *needed)
{
    (void)platform, (void)query, (void)size, (void)value, (void)needed;
    return -32; // CL_INVALID_PLATFORM
}
