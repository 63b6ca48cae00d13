/* What the client finds when nothing is cleared, so that it is known to look. */
// client: needs images
// client: env PUMICE_ZERO_MEMORY=off
// client: once
#define LEFT_AS_IT_WAS
#include "zero.c"
