// client: link-driver
// client: once
/* An application that links the driver directly as its libOpenCL, with no loader between. */
#include "list_devices.c"
