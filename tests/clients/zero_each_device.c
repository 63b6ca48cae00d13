/* New memory reads as zero on each device of a context. */
// client: needs images
// client: all-drivers
#include "zero.c"
