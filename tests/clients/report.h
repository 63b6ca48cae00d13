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

/* The host asks fences: by the mask there are no timeline semaphores. */
static inline int asks_fences(void)
{
    const char *mask = getenv("PUMICE_MASK");
    return mask && strstr(mask, "timelineSemaphore");
}
#endif
