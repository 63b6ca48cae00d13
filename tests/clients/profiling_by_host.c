// client: env PUMICE_MASK=timestamps
// client: once
/* Profiling where the device's queues write no times: the host measures each command that has an event, in a batch of its own. */
#define BY_HOST
#include "profiling.c"
