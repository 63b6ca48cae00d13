// client: needs denormals
/* ulp.c on a device that rounds neither quotients nor roots nor fma exactly: what the compiler
   computes in their place keeps the same limits. */
// client: env PUMICE_MASK=exactDivide,exactSqrt,exactFma,denormals
// client: env PUMICE_DOUBLES=flushed
// client: env PUMICE_ULP_SAMPLES=500
// client: link -lmpfr -lgmp
// client: once
#include "ulp.c"
