/* New memory reads as zero where the device clears all of it. */
// client: needs images
// client: env PUMICE_STAGING_ONLY=on
// client: once
#include "zero.c"
