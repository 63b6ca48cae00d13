/* ulp.c with doubles that are made of integers: they keep the same limits. */
// client: env PUMICE_MASK=shaderFloat64
// client: env PUMICE_DOUBLES=soft
// client: env PUMICE_ULP_SAMPLES=200
// client: link -lmpfr -lgmp
// client: once
#include "ulp.c"
