/* ulp.c with doubles that are made of integers: they keep the same limits. Drivers take a minute to compile them, and layers
   would see nothing that ulp.c does not show them. LLVM's optimiser takes most of that time. */
// client: env GALLIVM_PERF=nopt
// client: env PUMICE_MASK=shaderFloat64
// client: env PUMICE_DOUBLES=soft
// client: env PUMICE_ULP_SAMPLES=200
// client: link -lmpfr -lgmp
// client: once
// client: without-layers
#include "ulp.c"
