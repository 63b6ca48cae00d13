/* The calls by which the driver asks and waits for the device, which clients make fail. */
#ifndef PUMICE_CLIENT_FENCES_H
#define PUMICE_CLIENT_FENCES_H
#include "common.h"

/* The mask lacks timeline semaphores. */
static inline int lacks_timelines(void)
{
    const char *mask = getenv("PUMICE_MASK");
    return mask && strstr(mask, "timelineSemaphore");
}

/* Fences take the place of timeline semaphores that there are: by the mask, or by a quirk of the first device's driver. */
static inline int asks_fences(void)
{
    typedef cl_int(CL_API_CALL * report_function)(cl_platform_id, size_t, char *, size_t *);
    const char *mask = getenv("PUMICE_MASK");
    if (mask && strstr(mask, "+slowTimelines"))
        return 1;
    cl_platform_id platform = pumice_platform();
    report_function report = (report_function)clGetExtensionFunctionAddressForPlatform(platform, "pumiceReport");
    static char text[1 << 20];
    CHECK(report != NULL);
    MUST(report(platform, sizeof text, text, NULL));
    return strstr(text, "\"SlowTimelines\"") != NULL;
}
#endif
