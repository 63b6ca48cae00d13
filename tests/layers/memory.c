/* A Vulkan layer that writes the memory that each buffer and image gets, a line for each event, to the file
 * that LAYER_MEMORY names:
 *     heap INDEX BYTES FLAGS
 *     type INDEX HEAP FLAGS
 *     allocate BYTES type INDEX FLAGS [imported]
 *     buffer BYTES type INDEX FLAGS offset BYTES of BYTES
 *     image type INDEX FLAGS
 * FLAGS are device, visible, coherent, cached with | between them, or none. */
#define _GNU_SOURCE
#define LAYER_NAME "VK_LAYER_PUMICE_memory"
#include <stdint.h>

#define INSTANCE_OWN(X)
#define INSTANCE_NEXT(X) X(GetPhysicalDeviceMemoryProperties)
#define DEVICE_OWN(X)                                                                        \
    X(AllocateMemory) X(FreeMemory) X(CreateBuffer) X(DestroyBuffer) X(BindBufferMemory)     \
    X(BindBufferMemory2) X(BindImageMemory) X(BindImageMemory2)
#define DEVICE_NEXT(X)

struct device_data {
    int none;
};

#include "vulkan_layer.h"

enum { MOST = 1 << 16 };

/* What is known of buffers and of memory: the size, and the memory's type. */
static struct known {
    uint64_t handle, size;
    uint32_t type;
} known[2][MOST];

/* Guards `known` and `file`. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static FILE *file;
static VkPhysicalDeviceMemoryProperties properties;

enum { BUFFER, MEMORY };

static struct known *of(int kind, uint64_t handle)
{
    for (size_t i = 0; i < MOST; i++)
        if (known[kind][i].handle == handle)
            return &known[kind][i];
    abort();
}

static const char *words(VkMemoryPropertyFlags flags)
{
    static char text[64];
    snprintf(text, sizeof text, "%s%s%s%s", flags & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT ? "|device" : "",
             flags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT ? "|visible" : "",
             flags & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT ? "|coherent" : "",
             flags & VK_MEMORY_PROPERTY_HOST_CACHED_BIT ? "|cached" : "");
    return *text ? text + 1 : "none";
}

static void opened(struct device *device)
{
    const char *path = getenv("LAYER_MEMORY");
    device->instance->GetPhysicalDeviceMemoryProperties(device->physical, &properties);
    pthread_mutex_lock(&lock);
    if (!file && path && (file = fopen(path, "w"))) {
        setvbuf(file, NULL, _IOLBF, 0);
        for (uint32_t i = 0; i < properties.memoryHeapCount; i++)
            fprintf(file, "heap %u %llu %s\n", i, (unsigned long long)properties.memoryHeaps[i].size,
                    properties.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT ? "device" : "none");
        for (uint32_t i = 0; i < properties.memoryTypeCount; i++)
            fprintf(file, "type %u %u %s\n", i, properties.memoryTypes[i].heapIndex,
                    words(properties.memoryTypes[i].propertyFlags));
    }
    pthread_mutex_unlock(&lock);
}

static void closing(struct device *device)
{
    (void)device;
}

#define ID(handle) ((uint64_t)(uintptr_t)(handle))

static void remember(int kind, uint64_t handle, uint64_t size, uint32_t type)
{
    pthread_mutex_lock(&lock);
    *of(kind, 0) = (struct known){handle, size, type};
    pthread_mutex_unlock(&lock);
}

static void forget(int kind, uint64_t handle)
{
    pthread_mutex_lock(&lock);
    if (handle)
        of(kind, handle)->handle = 0;
    pthread_mutex_unlock(&lock);
}

static VKAPI_ATTR VkResult VKAPI_CALL own_AllocateMemory(VkDevice handle, const VkMemoryAllocateInfo *info,
                                                         const VkAllocationCallbacks *callbacks,
                                                         VkDeviceMemory *made)
{
    VkResult result = device_of(handle)->AllocateMemory(handle, info, callbacks, made);
    if (result != VK_SUCCESS)
        return result;
    remember(MEMORY, ID(*made), info->allocationSize, info->memoryTypeIndex);
    int imported = in_chain(info->pNext, VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT) != NULL;
    pthread_mutex_lock(&lock);
    if (file)
        fprintf(file, "allocate %llu type %u %s%s\n", (unsigned long long)info->allocationSize,
                info->memoryTypeIndex, words(properties.memoryTypes[info->memoryTypeIndex].propertyFlags),
                imported ? " imported" : "");
    pthread_mutex_unlock(&lock);
    return result;
}

static VKAPI_ATTR void VKAPI_CALL own_FreeMemory(VkDevice handle, VkDeviceMemory memory,
                                                 const VkAllocationCallbacks *callbacks)
{
    forget(MEMORY, ID(memory));
    device_of(handle)->FreeMemory(handle, memory, callbacks);
}

static VKAPI_ATTR VkResult VKAPI_CALL own_CreateBuffer(VkDevice handle, const VkBufferCreateInfo *info,
                                                       const VkAllocationCallbacks *callbacks, VkBuffer *made)
{
    VkResult result = device_of(handle)->CreateBuffer(handle, info, callbacks, made);
    if (result == VK_SUCCESS)
        remember(BUFFER, ID(*made), info->size, 0);
    return result;
}

static VKAPI_ATTR void VKAPI_CALL own_DestroyBuffer(VkDevice handle, VkBuffer buffer,
                                                    const VkAllocationCallbacks *callbacks)
{
    forget(BUFFER, ID(buffer));
    device_of(handle)->DestroyBuffer(handle, buffer, callbacks);
}

static void bound(uint64_t buffer, uint64_t memory, uint64_t offset)
{
    pthread_mutex_lock(&lock);
    const struct known *in = of(MEMORY, memory);
    const char *flags = words(properties.memoryTypes[in->type].propertyFlags);
    if (file && buffer)
        fprintf(file, "buffer %llu type %u %s offset %llu of %llu\n",
                (unsigned long long)of(BUFFER, buffer)->size, in->type, flags, (unsigned long long)offset,
                (unsigned long long)in->size);
    else if (file)
        fprintf(file, "image type %u %s\n", in->type, flags);
    pthread_mutex_unlock(&lock);
}

static VKAPI_ATTR VkResult VKAPI_CALL own_BindBufferMemory(VkDevice handle, VkBuffer buffer,
                                                           VkDeviceMemory memory, VkDeviceSize offset)
{
    bound(ID(buffer), ID(memory), offset);
    return device_of(handle)->BindBufferMemory(handle, buffer, memory, offset);
}

static VKAPI_ATTR VkResult VKAPI_CALL own_BindBufferMemory2(VkDevice handle, uint32_t count,
                                                            const VkBindBufferMemoryInfo *infos)
{
    for (uint32_t i = 0; i < count; i++)
        bound(ID(infos[i].buffer), ID(infos[i].memory), infos[i].memoryOffset);
    return device_of(handle)->BindBufferMemory2(handle, count, infos);
}

static VKAPI_ATTR VkResult VKAPI_CALL own_BindImageMemory(VkDevice handle, VkImage image, VkDeviceMemory memory,
                                                          VkDeviceSize offset)
{
    bound(0, ID(memory), offset);
    return device_of(handle)->BindImageMemory(handle, image, memory, offset);
}

static VKAPI_ATTR VkResult VKAPI_CALL own_BindImageMemory2(VkDevice handle, uint32_t count,
                                                           const VkBindImageMemoryInfo *infos)
{
    for (uint32_t i = 0; i < count; i++)
        bound(0, ID(infos[i].memory), infos[i].memoryOffset);
    return device_of(handle)->BindImageMemory2(handle, count, infos);
}
