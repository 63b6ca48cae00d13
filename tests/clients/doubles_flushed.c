// client: needs doubles
// client: env PUMICE_MASK=denormals
// client: env PUMICE_DOUBLES=flushed
// client: once
/* doubles.c where the user wants doubles that flush denormals. */
#define OFFERED 1
#include "doubles.c"
