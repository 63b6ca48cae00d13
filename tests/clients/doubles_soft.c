// client: env PUMICE_MASK=shaderFloat64
// client: env PUMICE_DOUBLES=soft
/* doubles.c on a device without doubles, where the user wants such as are made of integers (CL_FP_SOFT_FLOAT). */
#define OFFERED 1
#define EXACT 1
#define SOFT 1
#include "doubles.c"
