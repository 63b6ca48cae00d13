// client: needs images
// client: env PUMICE_STAGING_ONLY=1
// client: once
/* The images client where every transfer of a buffer goes through staging memory too. */
#include "images.c"
