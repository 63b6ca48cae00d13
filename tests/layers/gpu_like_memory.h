/* The memory of a discrete card, for gpu_like.c. */
#include <sys/mman.h>
#include <unistd.h>

#define ALIGNMENT 256u
#define LARGEST ((VkDeviceSize)1 << 30)
#define MOST_ALLOCATIONS 4096u

enum heap { ON_DEVICE, HOST, BAR, HEAPS };
static const VkMemoryHeap heaps[HEAPS] = {
    [ON_DEVICE] = {(VkDeviceSize)2 << 30, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT},
    [HOST] = {(VkDeviceSize)2 << 30, 0},
    [BAR] = {(VkDeviceSize)256 << 20, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT},
};

#define VISIBLE VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT
#define COHERENT VK_MEMORY_PROPERTY_HOST_COHERENT_BIT
#define CACHED VK_MEMORY_PROPERTY_HOST_CACHED_BIT
#define LOCAL VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT
enum type { DEVICE_ONLY, UNCACHED, TWO_COPIES, THROUGH_BAR, TYPES };
static const VkMemoryType types[TYPES] = {
    [DEVICE_ONLY] = {LOCAL, ON_DEVICE},
    [UNCACHED] = {VISIBLE | COHERENT, HOST},
    [TWO_COPIES] = {VISIBLE | CACHED, HOST},
    [THROUGH_BAR] = {LOCAL | VISIBLE | COHERENT, BAR},
};

/* An allocation. */
struct memory {
    struct memory *next;
    VkDeviceMemory handle;
    enum type type;
    VkDeviceSize size;
    /* The device's view and, of coherent memory, the host's. */
    char *device, *host;
    /* Of memory in two copies: the host's, while it is mapped. */
    char *copy;
    int imported;
};

/* Guards the list and the heaps. */
static pthread_mutex_t memory_lock = PTHREAD_MUTEX_INITIALIZER;
static struct memory *memories;
static VkDeviceSize used[HEAPS];
static uint32_t allocations;

static struct memory *memory_of(VkDeviceMemory handle)
{
    pthread_mutex_lock(&memory_lock);
    struct memory *memory = memories;
    while (memory && memory->handle != handle)
        memory = memory->next;
    pthread_mutex_unlock(&memory_lock);
    return memory;
}

static void put_memory(VkPhysicalDeviceMemoryProperties *properties)
{
    memset(properties, 0, sizeof *properties);
    properties->memoryHeapCount = HEAPS;
    properties->memoryTypeCount = TYPES;
    memcpy(properties->memoryHeaps, heaps, sizeof heaps);
    memcpy(properties->memoryTypes, types, sizeof types);
}

static VKAPI_ATTR void VKAPI_CALL
own_GetPhysicalDeviceMemoryProperties(VkPhysicalDevice physical, VkPhysicalDeviceMemoryProperties *properties)
{
    (void)physical;
    put_memory(properties);
}

/* The bytes of a heap that the process is to use, which nothing enforces. */
static VkDeviceSize budget_of(int heap)
{
    const char *told = getenv("LAYER_BUDGET");
    VkDeviceSize budget = told ? strtoull(told, NULL, 10) << 20 : 0;
    return heap == ON_DEVICE && budget && budget < heaps[heap].size ? budget : heaps[heap].size;
}

static VKAPI_ATTR void VKAPI_CALL
own_GetPhysicalDeviceMemoryProperties2(VkPhysicalDevice physical, VkPhysicalDeviceMemoryProperties2 *properties)
{
    (void)physical;
    put_memory(&properties->memoryProperties);
    for (VkBaseOutStructure *link = properties->pNext; link; link = link->pNext) {
        if (link->sType != VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT)
            continue;
        VkPhysicalDeviceMemoryBudgetPropertiesEXT *budget = (void *)link;
        pthread_mutex_lock(&memory_lock);
        for (int i = 0; i < HEAPS; i++) {
            budget->heapBudget[i] = budget_of(i);
            budget->heapUsage[i] = used[i];
        }
        pthread_mutex_unlock(&memory_lock);
    }
}

/* Takes from a heap's budget. */
static VkResult reserve(enum heap heap, VkDeviceSize size)
{
    VkResult result = VK_SUCCESS;
    pthread_mutex_lock(&memory_lock);
    if (allocations >= MOST_ALLOCATIONS)
        result = VK_ERROR_TOO_MANY_OBJECTS;
    else if (used[heap] + size > heaps[heap].size)
        result = heap == HOST ? VK_ERROR_OUT_OF_HOST_MEMORY : VK_ERROR_OUT_OF_DEVICE_MEMORY;
    if (result == VK_SUCCESS) {
        used[heap] += size;
        allocations++;
    }
    pthread_mutex_unlock(&memory_lock);
    return result;
}

static void give_back(const struct memory *memory)
{
    pthread_mutex_lock(&memory_lock);
    used[types[memory->type].heapIndex] -= memory->size;
    allocations--;
    pthread_mutex_unlock(&memory_lock);
    if (memory->device)
        munmap(memory->device, memory->size);
    if (memory->host)
        munmap(memory->host, memory->size);
    free(memory->copy);
}

/* The same pages at two addresses. */
static int map_twice(struct memory *memory)
{
    int file = memfd_create("gpu-like", MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, (off_t)memory->size))
        return 0;
    void *one = mmap(NULL, memory->size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    void *other = mmap(NULL, memory->size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    memory->device = one == MAP_FAILED ? NULL : one;
    memory->host = other == MAP_FAILED ? NULL : other;
    return memory->device && memory->host;
}

static VKAPI_ATTR VkResult VKAPI_CALL own_AllocateMemory(VkDevice handle, const VkMemoryAllocateInfo *info,
                                                         const VkAllocationCallbacks *callbacks,
                                                         VkDeviceMemory *made)
{
    struct device *device = device_of(handle);
    struct memory memory = {.type = info->memoryTypeIndex, .size = (info->allocationSize + 4095) & ~4095ull};
    if (info->allocationSize > LARGEST)
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    VkResult result = reserve(types[memory.type].heapIndex, memory.size);
    if (result != VK_SUCCESS)
        return result;
    VkMemoryAllocateInfo changed = *info;
    changed.memoryTypeIndex = 0;
    VkImportMemoryHostPointerInfoEXT import = {
        .sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT,
        .pNext = info->pNext,
        .handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT,
    };
    /* Of memory that is there already the layer has no second copy. */
    memory.imported = in_chain(info->pNext, import.sType) ||
                      in_chain(info->pNext, VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR);
    if (types[memory.type].propertyFlags & VISIBLE && !memory.imported) {
        if (!map_twice(&memory)) {
            give_back(&memory);
            return VK_ERROR_OUT_OF_HOST_MEMORY;
        }
        import.pHostPointer = memory.device;
        changed.pNext = &import;
        changed.allocationSize = memory.size;
    }
    result = device->AllocateMemory(handle, &changed, callbacks, made);
    if (result != VK_SUCCESS) {
        give_back(&memory);
        return result;
    }
    memory.handle = *made;
    struct memory *kept = room(sizeof *kept);
    *kept = memory;
    pthread_mutex_lock(&memory_lock);
    kept->next = memories;
    memories = kept;
    pthread_mutex_unlock(&memory_lock);
    return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL own_FreeMemory(VkDevice handle, VkDeviceMemory freed,
                                                 const VkAllocationCallbacks *callbacks)
{
    if (!freed)
        return;
    struct memory *memory = memory_of(freed);
    pthread_mutex_lock(&memory_lock);
    struct memory **place = &memories;
    while (*place != memory)
        place = &(*place)->next;
    *place = memory->next;
    pthread_mutex_unlock(&memory_lock);
    device_of(handle)->FreeMemory(handle, freed, callbacks);
    give_back(memory);
    free(memory);
}

static VKAPI_ATTR VkResult VKAPI_CALL own_MapMemory(VkDevice handle, VkDeviceMemory mapped, VkDeviceSize offset,
                                                    VkDeviceSize size, VkMemoryMapFlags flags, void **data)
{
    struct memory *memory = memory_of(mapped);
    if (memory->imported)
        return device_of(handle)->MapMemory(handle, mapped, offset, size, flags, data);
    if (memory->type == DEVICE_ONLY)
        return VK_ERROR_MEMORY_MAP_FAILED;
    char *start = memory->host;
    if (memory->type == TWO_COPIES) {
        memory->copy = start = room(memory->size);
        memcpy(memory->copy, memory->device, memory->size);
    }
    *data = start + offset;
    return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL own_UnmapMemory(VkDevice handle, VkDeviceMemory mapped)
{
    struct memory *memory = memory_of(mapped);
    if (memory->imported)
        device_of(handle)->UnmapMemory(handle, mapped);
    /* What was not flushed is gone. */
    free(memory->copy);
    memory->copy = NULL;
}

static void copy_ranges(uint32_t count, const VkMappedMemoryRange *ranges, int to_device)
{
    for (uint32_t i = 0; i < count; i++) {
        struct memory *memory = memory_of(ranges[i].memory);
        VkDeviceSize offset = ranges[i].offset, rest = memory->size - offset;
        VkDeviceSize size = ranges[i].size < rest ? ranges[i].size : rest;
        if (memory->copy && to_device)
            memcpy(memory->device + offset, memory->copy + offset, size);
        else if (memory->copy)
            memcpy(memory->copy + offset, memory->device + offset, size);
    }
}

static VKAPI_ATTR VkResult VKAPI_CALL own_FlushMappedMemoryRanges(VkDevice handle, uint32_t count,
                                                                  const VkMappedMemoryRange *ranges)
{
    (void)handle;
    copy_ranges(count, ranges, 1);
    return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL own_InvalidateMappedMemoryRanges(VkDevice handle, uint32_t count,
                                                                       const VkMappedMemoryRange *ranges)
{
    (void)handle;
    copy_ranges(count, ranges, 0);
    return VK_SUCCESS;
}

static void change_requirements(VkMemoryRequirements *requirements, uint32_t bits)
{
    if (requirements->alignment < ALIGNMENT)
        requirements->alignment = ALIGNMENT;
    requirements->size = (requirements->size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    requirements->memoryTypeBits = bits;
}

/* Images lie on the device. */
enum { FOR_BUFFERS = (1 << TYPES) - 1, FOR_IMAGES = 1 << DEVICE_ONLY };

static VKAPI_ATTR void VKAPI_CALL own_GetBufferMemoryRequirements(VkDevice handle, VkBuffer buffer,
                                                                  VkMemoryRequirements *requirements)
{
    device_of(handle)->GetBufferMemoryRequirements(handle, buffer, requirements);
    change_requirements(requirements, FOR_BUFFERS);
}

static VKAPI_ATTR void VKAPI_CALL own_GetBufferMemoryRequirements2(VkDevice handle,
                                                                   const VkBufferMemoryRequirementsInfo2 *info,
                                                                   VkMemoryRequirements2 *requirements)
{
    device_of(handle)->GetBufferMemoryRequirements2(handle, info, requirements);
    change_requirements(&requirements->memoryRequirements, FOR_BUFFERS);
}

static VKAPI_ATTR void VKAPI_CALL own_GetImageMemoryRequirements(VkDevice handle, VkImage image,
                                                                 VkMemoryRequirements *requirements)
{
    device_of(handle)->GetImageMemoryRequirements(handle, image, requirements);
    change_requirements(requirements, FOR_IMAGES);
}

static VKAPI_ATTR void VKAPI_CALL own_GetImageMemoryRequirements2(VkDevice handle,
                                                                  const VkImageMemoryRequirementsInfo2 *info,
                                                                  VkMemoryRequirements2 *requirements)
{
    device_of(handle)->GetImageMemoryRequirements2(handle, info, requirements);
    change_requirements(&requirements->memoryRequirements, FOR_IMAGES);
}

static VKAPI_ATTR void VKAPI_CALL
own_GetDeviceBufferMemoryRequirements(VkDevice handle, const VkDeviceBufferMemoryRequirements *info,
                                      VkMemoryRequirements2 *requirements)
{
    device_of(handle)->GetDeviceBufferMemoryRequirements(handle, info, requirements);
    change_requirements(&requirements->memoryRequirements, FOR_BUFFERS);
}

static VKAPI_ATTR void VKAPI_CALL
own_GetDeviceImageMemoryRequirements(VkDevice handle, const VkDeviceImageMemoryRequirements *info,
                                     VkMemoryRequirements2 *requirements)
{
    device_of(handle)->GetDeviceImageMemoryRequirements(handle, info, requirements);
    change_requirements(&requirements->memoryRequirements, FOR_IMAGES);
}

static VKAPI_ATTR VkResult VKAPI_CALL
own_GetMemoryHostPointerPropertiesEXT(VkDevice handle, VkExternalMemoryHandleTypeFlagBits type,
                                      const void *pointer, VkMemoryHostPointerPropertiesEXT *properties)
{
    VkResult result =
        device_of(handle)->GetMemoryHostPointerPropertiesEXT(handle, type, pointer, properties);
    properties->memoryTypeBits = properties->memoryTypeBits ? 1u << UNCACHED : 0;
    return result;
}
