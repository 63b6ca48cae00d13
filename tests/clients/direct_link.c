// client: link-driver
// client: once
/* An application that links the driver directly as its libOpenCL, with no loader between. What a loader refuses itself, the
 * driver refuses too. */
#define main list_devices
#include "list_devices.c"
#undef main

int main(void)
{
    cl_platform_id platform;
    CHECK(clGetPlatformIDs(1, &platform, NULL));
    CHECK(clUnloadPlatformCompiler(platform));
    if (clUnloadPlatformCompiler(NULL) != CL_INVALID_PLATFORM) {
        printf("FAIL clUnloadPlatformCompiler takes NULL\n");
        return 1;
    }
    return list_devices();
}
