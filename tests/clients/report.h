/* The driver's report, the JSON text that pumice-info reads. */
#ifndef PUMICE_CLIENT_REPORT_H
#define PUMICE_CLIENT_REPORT_H
#include "common.h"

static inline char *driver_report(void)
{
    typedef cl_int(CL_API_CALL * report_function)(cl_platform_id, size_t, char *, size_t *);
    static char text[1 << 20];
    report_function report = NULL;
    load_function(&report, "pumiceReport");
    MUST(report(pumice_platform(), sizeof text, text, NULL));
    return text;
}

/* The host asks fences: there are no timeline semaphores by the mask, or fences take their place by it or by a quirk of a
 * device's driver. */
static inline int asks_fences(void)
{
    const char *mask = getenv("PUMICE_MASK");
    if (mask && (strstr(mask, "timelineSemaphore") || strstr(mask, "+slowTimelines")))
        return 1;
    return strstr(driver_report(), "\"SlowTimelines\"") != NULL;
}
#endif
