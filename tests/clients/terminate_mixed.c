// client: env PUMICE_ABI=mixed
// client: once
/* The same where kernels exist in both forms: those that may end early have the form with addresses alone. */
#include "terminate.c"
