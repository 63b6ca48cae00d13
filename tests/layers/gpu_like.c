/* A Vulkan layer that gives lavapipe the habits of a discrete card:
 *
 *     memory     device-local memory that the host cannot map; coherent host memory; cached host memory
 *                that is not coherent, of which the host has a copy; 256 MiB that both reach (BAR)
 *     addresses  mapped memory lies elsewhere for the host than for the device
 *     limits     256 work-items in a group, allocations of 1 GiB, alignments of 256, 4096 allocations
 *     heaps      allocations beyond a heap's size fail
 *     queues     a family for everything, four queues of compute, one of transfers only; each submits from a
 *                thread of its own, two milliseconds late
 *
 * LAYER_BUDGET=MIB: the budget of the device's memory, below the heap's size.
 * LAYER_QUEUES=FILE: a line for each batch: queue, nanoseconds at its start and end, the number of its command
 * buffers, and of the semaphores of other queues that it had to wait for when it was submitted. */
#define _GNU_SOURCE
#define LAYER_NAME "VK_LAYER_PUMICE_gpu_like"
#include <pthread.h>
#include <stdint.h>
#include <vulkan/vulkan.h>

#define INSTANCE_OWN(X)                                                                                     \
    X(GetPhysicalDeviceProperties) X(GetPhysicalDeviceProperties2)                                          \
    X(GetPhysicalDeviceMemoryProperties) X(GetPhysicalDeviceMemoryProperties2)                              \
    X(GetPhysicalDeviceQueueFamilyProperties) X(GetPhysicalDeviceQueueFamilyProperties2)
#define INSTANCE_NEXT(X)
#define DEVICE_OWN(X)                                                                                       \
    X(AllocateMemory) X(FreeMemory) X(MapMemory) X(UnmapMemory)                                             \
    X(FlushMappedMemoryRanges) X(InvalidateMappedMemoryRanges)                                              \
    X(GetBufferMemoryRequirements) X(GetBufferMemoryRequirements2)                                          \
    X(GetImageMemoryRequirements) X(GetImageMemoryRequirements2)                                            \
    X(GetDeviceBufferMemoryRequirements) X(GetDeviceImageMemoryRequirements)                                \
    X(GetMemoryHostPointerPropertiesEXT) X(CreateCommandPool)                                               \
    X(GetDeviceQueue) X(GetDeviceQueue2) X(QueueSubmit) X(QueueSubmit2) X(QueueWaitIdle) X(DeviceWaitIdle)     \
    X(CreateSemaphore) X(DestroySemaphore)
#define DEVICE_NEXT(X) X(WaitSemaphores) X(GetSemaphoreCounterValue)

enum { FAMILIES = 3, QUEUES = 6 };

struct queue;
struct device_data {
    VkQueue real;
    /* Guards the driver's one queue. */
    pthread_mutex_t real_lock;
    struct queue *queues[QUEUES];
};

static VkResult create_with_one_queue(PFN_vkCreateDevice create, VkPhysicalDevice physical,
                                      const VkDeviceCreateInfo *info, const VkAllocationCallbacks *callbacks,
                                      VkDevice *made);
#define CREATE_DEVICE create_with_one_queue

#include "vulkan_layer.h"
#include "gpu_like_memory.h"
#include "gpu_like_queues.h"

static void change_limits(VkPhysicalDeviceProperties *properties)
{
    VkPhysicalDeviceLimits *limits = &properties->limits;
    properties->deviceType = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
    limits->maxComputeWorkGroupInvocations = 256;
    limits->maxComputeWorkGroupSize[0] = limits->maxComputeWorkGroupSize[1] = 256;
    limits->maxComputeWorkGroupSize[2] = 64;
    limits->maxMemoryAllocationCount = MOST_ALLOCATIONS;
    limits->bufferImageGranularity = 1024;
    limits->nonCoherentAtomSize = ALIGNMENT;
    limits->minStorageBufferOffsetAlignment = ALIGNMENT;
    limits->minUniformBufferOffsetAlignment = ALIGNMENT;
    limits->minTexelBufferOffsetAlignment = ALIGNMENT;
    limits->optimalBufferCopyOffsetAlignment = ALIGNMENT;
    limits->optimalBufferCopyRowPitchAlignment = ALIGNMENT;
}

static VKAPI_ATTR void VKAPI_CALL own_GetPhysicalDeviceProperties(VkPhysicalDevice physical,
                                                                  VkPhysicalDeviceProperties *properties)
{
    instance_of(physical)->GetPhysicalDeviceProperties(physical, properties);
    change_limits(properties);
}

static VKAPI_ATTR void VKAPI_CALL own_GetPhysicalDeviceProperties2(VkPhysicalDevice physical,
                                                                   VkPhysicalDeviceProperties2 *properties)
{
    instance_of(physical)->GetPhysicalDeviceProperties2(physical, properties);
    change_limits(&properties->properties);
    for (VkBaseOutStructure *link = properties->pNext; link; link = link->pNext) {
        if (link->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES)
            ((VkPhysicalDeviceVulkan11Properties *)link)->maxMemoryAllocationSize = LARGEST;
        if (link->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES)
            ((VkPhysicalDeviceMaintenance3Properties *)link)->maxMemoryAllocationSize = LARGEST;
        if (link->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES)
            ((VkPhysicalDeviceVulkan13Properties *)link)->maxBufferSize = LARGEST;
        if (link->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_PROPERTIES)
            ((VkPhysicalDeviceMaintenance4Properties *)link)->maxBufferSize = LARGEST;
    }
}

/* The driver gets one queue of its family 0, whatever was asked for, and what the layer needs. */
static VkResult create_with_one_queue(PFN_vkCreateDevice create, VkPhysicalDevice physical,
                                      const VkDeviceCreateInfo *info, const VkAllocationCallbacks *callbacks,
                                      VkDevice *made)
{
    const char *needed[] = {VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME, VK_KHR_TIMELINE_SEMAPHORE_EXTENSION_NAME};
    const char **names = room((info->enabledExtensionCount + 2) * sizeof *names);
    uint32_t count = info->enabledExtensionCount;
    memcpy(names, info->ppEnabledExtensionNames, count * sizeof *names);
    for (int i = 0; i < 2; i++) {
        int found = 0;
        for (uint32_t k = 0; k < count; k++)
            found |= !strcmp(names[k], needed[i]);
        if (!found)
            names[count++] = needed[i];
    }
    const float priority = 1.0f;
    const VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
        .queueFamilyIndex = 0,
        .queueCount = 1,
        .pQueuePriorities = &priority,
    };
    VkDeviceCreateInfo changed = *info;
    changed.queueCreateInfoCount = 1;
    changed.pQueueCreateInfos = &queue;
    changed.enabledExtensionCount = count;
    changed.ppEnabledExtensionNames = names;
    VkResult result = create(physical, &changed, callbacks, made);
    free(names);
    return result;
}

static void opened(struct device *device)
{
    device->GetDeviceQueue(device->handle, 0, 0, &device->data.real);
    /* The driver's queue has the device's table, as the loader would set it. */
    *(void **)device->data.real = table_of(device->handle);
    pthread_mutex_init(&device->data.real_lock, NULL);
    /* Before Vulkan 1.2 they have the extension's names alone. */
    if (!device->WaitSemaphores) {
        device->WaitSemaphores = (PFN_vkWaitSemaphores)device->get(device->handle, "vkWaitSemaphoresKHR");
        device->GetSemaphoreCounterValue = (PFN_vkGetSemaphoreCounterValue)device->get(
            device->handle, "vkGetSemaphoreCounterValueKHR");
    }
    for (uint32_t i = 0; i < QUEUES; i++)
        device->data.queues[i] = start_queue(device, i);
}

static void closing(struct device *device)
{
    for (uint32_t i = 0; i < QUEUES; i++)
        stop_queue(device->data.queues[i]);
    pthread_mutex_destroy(&device->data.real_lock);
}
