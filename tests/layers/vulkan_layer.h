/* What the Vulkan layers here share: the loader's side of a layer, and finding what belongs to a handle.
 *
 * A layer defines before it includes this, with _GNU_SOURCE:
 *     LAYER_NAME              "VK_LAYER_PUMICE_..."
 *     INSTANCE_OWN(X)         functions of the instance that it interposes as own_NAME
 *     INSTANCE_NEXT(X)        further functions of the instance that it calls itself
 *     DEVICE_OWN(X)           functions of the device that it interposes as own_NAME
 *     DEVICE_NEXT(X)          further functions of the device that it calls itself
 *     struct device_data      what it keeps for each device; zero at first
 *     CREATE_DEVICE           optional: calls the next vkCreateDevice with changed arguments
 * and afterwards defines opened(struct device *), closing(struct device *) and the own_ functions. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

#ifndef CREATE_DEVICE
#define CREATE_DEVICE(create, physical, info, callbacks, made) create(physical, info, callbacks, made)
#endif

#define EXPORTED __attribute__((visibility("default")))

#define MEMBER(name) PFN_vk##name name;

/* The functions of the next layer are looked up at once: later, loaders answer with those of the first
 * layer, which may be this one. */
struct instance {
    VkInstance handle;
    PFN_vkGetInstanceProcAddr get;
    PFN_vkDestroyInstance destroy;
    struct instance *next;
    INSTANCE_OWN(MEMBER)
    INSTANCE_NEXT(MEMBER)
};

struct device {
    VkDevice handle;
    VkPhysicalDevice physical;
    struct instance *instance;
    PFN_vkGetDeviceProcAddr get;
    PFN_vkDestroyDevice destroy;
    struct device *next;
    DEVICE_OWN(MEMBER)
    DEVICE_NEXT(MEMBER)
    struct device_data data;
};

/* Guards both lists. */
static pthread_mutex_t lists = PTHREAD_MUTEX_INITIALIZER;
static struct instance *instances;
static struct device *devices;

static void opened(struct device *device);
static void closing(struct device *device);

/* Allocates memory or ends the process: a test cannot go on without the layer. */
static void *room(size_t size)
{
    void *memory = calloc(1, size ? size : 1);
    if (!memory)
        abort();
    return memory;
}

/* The loader puts one table into all dispatchable handles of an instance, and of a device. */
static void *table_of(const void *handle)
{
    return *(void *const *)handle;
}

static struct instance *instance_of(const void *handle)
{
    pthread_mutex_lock(&lists);
    struct instance *found = instances;
    while (found && table_of(found->handle) != table_of(handle))
        found = found->next;
    pthread_mutex_unlock(&lists);
    return found;
}

static struct device *device_of(const void *handle)
{
    pthread_mutex_lock(&lists);
    struct device *found = devices;
    while (found && table_of(found->handle) != table_of(handle))
        found = found->next;
    pthread_mutex_unlock(&lists);
    return found;
}

/* The first struct of a kind in a pNext chain. */
static inline const void *in_chain(const void *chain, VkStructureType type)
{
    for (const VkBaseInStructure *link = chain; link; link = link->pNext)
        if (link->sType == type)
            return link;
    return NULL;
}

static inline uint64_t monotonic_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_instance(const VkInstanceCreateInfo *info,
                                                      const VkAllocationCallbacks *callbacks,
                                                      VkInstance *made)
{
    VkLayerInstanceCreateInfo *link = (VkLayerInstanceCreateInfo *)info->pNext;
    while (link && (link->sType != VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO ||
                    link->function != VK_LAYER_LINK_INFO))
        link = (VkLayerInstanceCreateInfo *)link->pNext;
    if (!link)
        return VK_ERROR_INITIALIZATION_FAILED;
    PFN_vkGetInstanceProcAddr get = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    VkResult result = ((PFN_vkCreateInstance)get(NULL, "vkCreateInstance"))(info, callbacks, made);
    if (result != VK_SUCCESS)
        return result;
    struct instance *instance = room(sizeof *instance);
    instance->handle = *made;
    instance->get = get;
    instance->destroy = (PFN_vkDestroyInstance)get(*made, "vkDestroyInstance");
#define FETCH(name) instance->name = (PFN_vk##name)get(*made, "vk" #name);
    INSTANCE_OWN(FETCH)
    INSTANCE_NEXT(FETCH)
#undef FETCH
    pthread_mutex_lock(&lists);
    instance->next = instances;
    instances = instance;
    pthread_mutex_unlock(&lists);
    return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL destroy_instance(VkInstance handle, const VkAllocationCallbacks *callbacks)
{
    if (!handle)
        return;
    struct instance *instance = instance_of(handle);
    pthread_mutex_lock(&lists);
    struct instance **place = &instances;
    while (*place != instance)
        place = &(*place)->next;
    *place = instance->next;
    pthread_mutex_unlock(&lists);
    instance->destroy(handle, callbacks);
    free(instance);
}

static VKAPI_ATTR VkResult VKAPI_CALL create_device(VkPhysicalDevice physical, const VkDeviceCreateInfo *info,
                                                    const VkAllocationCallbacks *callbacks, VkDevice *made)
{
    VkLayerDeviceCreateInfo *link = (VkLayerDeviceCreateInfo *)info->pNext;
    while (link && (link->sType != VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO ||
                    link->function != VK_LAYER_LINK_INFO))
        link = (VkLayerDeviceCreateInfo *)link->pNext;
    struct instance *instance = instance_of(physical);
    if (!link || !instance)
        return VK_ERROR_INITIALIZATION_FAILED;
    PFN_vkGetInstanceProcAddr get_instance = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    PFN_vkGetDeviceProcAddr get = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    PFN_vkCreateDevice create = (PFN_vkCreateDevice)get_instance(instance->handle, "vkCreateDevice");
    VkResult result = CREATE_DEVICE(create, physical, info, callbacks, made);
    if (result != VK_SUCCESS)
        return result;
    struct device *device = room(sizeof *device);
    device->handle = *made;
    device->physical = physical;
    device->instance = instance;
    device->get = get;
    device->destroy = (PFN_vkDestroyDevice)get(*made, "vkDestroyDevice");
#define FETCH(name) device->name = (PFN_vk##name)get(*made, "vk" #name);
    DEVICE_OWN(FETCH)
    DEVICE_NEXT(FETCH)
#undef FETCH
    pthread_mutex_lock(&lists);
    device->next = devices;
    devices = device;
    pthread_mutex_unlock(&lists);
    opened(device);
    return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL destroy_device(VkDevice handle, const VkAllocationCallbacks *callbacks)
{
    if (!handle)
        return;
    struct device *device = device_of(handle);
    closing(device);
    pthread_mutex_lock(&lists);
    struct device **place = &devices;
    while (*place != device)
        place = &(*place)->next;
    *place = device->next;
    pthread_mutex_unlock(&lists);
    device->destroy(handle, callbacks);
    free(device);
}

static PFN_vkVoidFunction of_device(const char *name);

/* The functions that the layer interposes, also by the names that they had as extensions. */
#define PROTOTYPE(name) static VKAPI_ATTR __typeof__(*(PFN_vk##name)0) own_##name;
INSTANCE_OWN(PROTOTYPE)
DEVICE_OWN(PROTOTYPE)

/* The length of a function's name without the suffix that it had, or has, as an extension. */
static size_t length_of(const char *name)
{
    size_t length = strlen(name);
    const char *end = name + length - 3;
    return length > 3 && (!strcmp(end, "KHR") || !strcmp(end, "EXT")) ? length - 3 : length;
}

static int is_named(const char *name, const char *own)
{
    size_t length = length_of(own);
    return length_of(name) == length && !strncmp(name, own, length);
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_device(VkDevice handle, const char *name)
{
    struct device *device = device_of(handle);
    PFN_vkVoidFunction next = device->get(handle, name);
    PFN_vkVoidFunction own = of_device(name);
    /* A function that the device does not offer stays away. */
    return own && next ? own : next;
}

static PFN_vkVoidFunction of_device(const char *name)
{
    if (!strcmp(name, "vkGetDeviceProcAddr"))
        return (PFN_vkVoidFunction)get_device;
    if (!strcmp(name, "vkDestroyDevice"))
        return (PFN_vkVoidFunction)destroy_device;
#define NAMED(own)                  \
    if (is_named(name, "vk" #own)) \
        return (PFN_vkVoidFunction)own_##own;
    DEVICE_OWN(NAMED)
    return NULL;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_instance(VkInstance handle, const char *name)
{
    if (!strcmp(name, "vkGetInstanceProcAddr"))
        return (PFN_vkVoidFunction)get_instance;
    if (!strcmp(name, "vkCreateInstance"))
        return (PFN_vkVoidFunction)create_instance;
    if (!strcmp(name, "vkDestroyInstance"))
        return (PFN_vkVoidFunction)destroy_instance;
    if (!strcmp(name, "vkCreateDevice"))
        return (PFN_vkVoidFunction)create_device;
    PFN_vkVoidFunction own = of_device(name);
    INSTANCE_OWN(NAMED)
    struct instance *instance = handle ? instance_of(handle) : NULL;
    PFN_vkVoidFunction next = instance ? instance->get(handle, name) : NULL;
    return own && (next || !instance) ? own : next;
}

EXPORTED VKAPI_ATTR VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *version)
{
    if (version->loaderLayerInterfaceVersion > 2)
        version->loaderLayerInterfaceVersion = 2;
    version->pfnGetInstanceProcAddr = get_instance;
    version->pfnGetDeviceProcAddr = get_device;
    version->pfnGetPhysicalDeviceProcAddr = NULL;
    return VK_SUCCESS;
}
