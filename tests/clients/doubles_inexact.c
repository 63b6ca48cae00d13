// client: env PUMICE_MASK=denormals,exactFma
// client: once
/* doubles.c on a device that flushes denormals and whose fma is not exact. */
#define OFFERED 0
#include "doubles.c"
