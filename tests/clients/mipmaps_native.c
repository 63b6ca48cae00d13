// client: needs images
// client: env PUMICE_MASK=sampleExactly
/* The client of mip levels where the device's own samplers do the work. */
#include "mipmaps.c"
