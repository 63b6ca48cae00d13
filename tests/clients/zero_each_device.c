/* New memory reads as zero on each device of a context. */
// client: all-drivers
#include "zero.c"
