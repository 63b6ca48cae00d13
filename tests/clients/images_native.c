// client: needs images
// client: env PUMICE_MASK=sampleExactly
/* The client of images in kernels where the device's own samplers do the work, also on devices whose
 * samplers are known to be coarse. */
#include "images_kernels.c"
