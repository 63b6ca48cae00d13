// client: env PUMICE_STAGING_ONLY=1
// client: once
/* The buffers client where every transfer goes through staging memory, as on devices whose memory the
 * host cannot reach. */
#include "buffers.c"
