// client: env PUMICE_STAGING_ONLY=on
// client: env PUMICE_MASK=bufferDeviceAddress,timelineSemaphore
// client: env PUMICE_FAULTS=vkAllocateMemory:device:4000000000,vkCreateBuffer:device:4000000000,vkCreateFence:device:4000000000
/* The client transfer_memory on a device whose submissions have fences, which are used again too. */
#include "transfer_memory.c"
