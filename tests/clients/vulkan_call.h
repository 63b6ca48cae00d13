/* Calls of Vulkan by the client itself. */
#ifndef PUMICE_CLIENT_VULKAN_CALL_H
#define PUMICE_CLIENT_VULKAN_CALL_H
#include <vulkan/vulkan.h>

#include "common.h"

/* Ends the client if a call does not succeed. */
#define VK(call)                                                                        \
    do {                                                                                \
        VkResult result_ = (call);                                                      \
        if (result_ != VK_SUCCESS) {                                                    \
            fprintf(stderr, "%s:%d: %s gave %d\n", __FILE__, __LINE__, #call, result_); \
            exit(1);                                                                    \
        }                                                                               \
    } while (0)

#endif
