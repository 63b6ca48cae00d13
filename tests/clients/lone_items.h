/* For clients that launch work-groups of one work-item. */
#ifndef PUMICE_CLIENT_LONE_ITEMS_H
#define PUMICE_CLIENT_LONE_ITEMS_H

#include "common.h"

/* So many work-groups keep a device busy also where sub-groups of up to 64 work-items run in their place. */
static inline size_t groups_of_one_that_fill(cl_device_id device)
{
    cl_uint units = 0;
    MUST(clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL));
    return (size_t)units * 16 * 64;
}

#endif
