/* A Vulkan layer that counts the commands that the device gets: those of a command buffer each time that it is
 * submitted. When the process ends, it adds a line of "NAME COUNT" pairs to the file that LAYER_COMMANDS names:
 *     dispatches   of all kinds, without those of start-up probes and of no work-groups
 *     copies       regions of buffers and images that are copied, and buffers that are updated
 *     bytes        of these, where both sides are buffers
 *     fills        of buffers and images
 *     timestamps, barriers, submissions (of batches) */
#define _GNU_SOURCE
#define LAYER_NAME "VK_LAYER_PUMICE_commands"
#include <stdint.h>

#define INSTANCE_OWN(X)
#define INSTANCE_NEXT(X)
#define DEVICE_OWN(X)                                                                                       \
    X(CreateComputePipelines) X(DestroyPipeline) X(BeginCommandBuffer) X(CmdExecuteCommands) X(QueueSubmit) \
    X(CmdBindPipeline) X(CmdDispatch) X(CmdDispatchBase) X(CmdDispatchIndirect) X(CmdCopyBuffer)            \
    X(CmdUpdateBuffer) X(CmdCopyImage) X(CmdCopyBufferToImage) X(CmdCopyImageToBuffer) X(CmdFillBuffer)     \
    X(CmdClearColorImage) X(CmdPipelineBarrier) X(CmdWriteTimestamp)
#define DEVICE_NEXT(X)

struct device_data {
    int none;
};

#include "vulkan_layer.h"

enum { DISPATCHES, COPIES, BYTES, FILLS, TIMESTAMPS, BARRIERS, SUBMISSIONS, COUNTERS };

static const char *const names[COUNTERS] = {"dispatches", "copies",   "bytes",      "fills",
                                            "timestamps", "barriers", "submissions"};

/* The entry point of the driver's start-up probes, of which devices need different numbers. */
static const char probe[] = "probe";

enum { MOST = 1 << 16 };

/* What was recorded into a command buffer. */
struct recorded {
    VkCommandBuffer handle;
    uint64_t counts[COUNTERS];
    /* Whether the pipeline bound last is a probe's. */
    int probing;
};

/* Guards all that follows. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t all[COUNTERS];
static struct recorded command_buffers[MOST];
static VkPipeline probes[MOST];

__attribute__((destructor)) static void tell(void)
{
    const char *path = getenv("LAYER_COMMANDS");
    FILE *file = path ? fopen(path, "a") : NULL;
    if (!file)
        return;
    for (int i = 0; i < COUNTERS; i++)
        fprintf(file, "%s %llu ", names[i], (unsigned long long)all[i]);
    fputc('\n', file);
    fclose(file);
}

static void opened(struct device *device)
{
    (void)device;
}

static void closing(struct device *device)
{
    (void)device;
}

/* The entry of a command buffer, or the free one for it. Handles are used again, so none is removed. */
static struct recorded *of(VkCommandBuffer handle)
{
    size_t start = ((uintptr_t)handle >> 4) * 0x9e3779b97f4a7c15u >> 48;
    for (size_t i = 0; i < MOST; i++) {
        struct recorded *entry = &command_buffers[(start + i) % MOST];
        if (!entry->handle)
            entry->handle = handle;
        if (entry->handle == handle)
            return entry;
    }
    abort();
}

static void add(VkCommandBuffer commands, int counter, uint64_t number)
{
    pthread_mutex_lock(&lock);
    of(commands)->counts[counter] += number;
    pthread_mutex_unlock(&lock);
}

static void sum(uint64_t *to, VkCommandBuffer from)
{
    for (int i = 0; i < COUNTERS; i++)
        to[i] += of(from)->counts[i];
}

static size_t place_of_probe(VkPipeline pipeline)
{
    size_t place = 0;
    while (place < MOST && probes[place] != pipeline)
        place++;
    return place;
}

static VKAPI_ATTR VkResult VKAPI_CALL own_CreateComputePipelines(VkDevice handle, VkPipelineCache cache,
                                                                 uint32_t count,
                                                                 const VkComputePipelineCreateInfo *infos,
                                                                 const VkAllocationCallbacks *callbacks,
                                                                 VkPipeline *made)
{
    VkResult result = device_of(handle)->CreateComputePipelines(handle, cache, count, infos, callbacks, made);
    pthread_mutex_lock(&lock);
    for (uint32_t i = 0; result == VK_SUCCESS && i < count; i++)
        if (!strcmp(infos[i].stage.pName, probe))
            probes[place_of_probe(VK_NULL_HANDLE)] = made[i];
    pthread_mutex_unlock(&lock);
    return result;
}

static VKAPI_ATTR void VKAPI_CALL own_DestroyPipeline(VkDevice handle, VkPipeline pipeline,
                                                      const VkAllocationCallbacks *callbacks)
{
    pthread_mutex_lock(&lock);
    size_t place = pipeline ? place_of_probe(pipeline) : MOST;
    if (place < MOST)
        probes[place] = VK_NULL_HANDLE;
    pthread_mutex_unlock(&lock);
    device_of(handle)->DestroyPipeline(handle, pipeline, callbacks);
}

static VKAPI_ATTR VkResult VKAPI_CALL own_BeginCommandBuffer(VkCommandBuffer commands,
                                                             const VkCommandBufferBeginInfo *info)
{
    pthread_mutex_lock(&lock);
    *of(commands) = (struct recorded){.handle = commands};
    pthread_mutex_unlock(&lock);
    return device_of(commands)->BeginCommandBuffer(commands, info);
}

static VKAPI_ATTR void VKAPI_CALL own_CmdExecuteCommands(VkCommandBuffer commands, uint32_t count,
                                                         const VkCommandBuffer *executed)
{
    pthread_mutex_lock(&lock);
    for (uint32_t i = 0; i < count; i++)
        sum(of(commands)->counts, executed[i]);
    pthread_mutex_unlock(&lock);
    device_of(commands)->CmdExecuteCommands(commands, count, executed);
}

static VKAPI_ATTR VkResult VKAPI_CALL own_QueueSubmit(VkQueue queue, uint32_t count, const VkSubmitInfo *batches,
                                                      VkFence fence)
{
    pthread_mutex_lock(&lock);
    all[SUBMISSIONS] += count;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < batches[i].commandBufferCount; k++)
            sum(all, batches[i].pCommandBuffers[k]);
    pthread_mutex_unlock(&lock);
    return device_of(queue)->QueueSubmit(queue, count, batches, fence);
}

static VKAPI_ATTR void VKAPI_CALL own_CmdBindPipeline(VkCommandBuffer commands, VkPipelineBindPoint point,
                                                      VkPipeline pipeline)
{
    pthread_mutex_lock(&lock);
    of(commands)->probing = place_of_probe(pipeline) < MOST;
    pthread_mutex_unlock(&lock);
    device_of(commands)->CmdBindPipeline(commands, point, pipeline);
}

static void add_dispatch(VkCommandBuffer commands, int has_groups)
{
    pthread_mutex_lock(&lock);
    struct recorded *recorded = of(commands);
    recorded->counts[DISPATCHES] += has_groups && !recorded->probing;
    pthread_mutex_unlock(&lock);
}

static VKAPI_ATTR void VKAPI_CALL own_CmdDispatch(VkCommandBuffer commands, uint32_t x, uint32_t y, uint32_t z)
{
    add_dispatch(commands, x && y && z);
    device_of(commands)->CmdDispatch(commands, x, y, z);
}

static VKAPI_ATTR void VKAPI_CALL own_CmdDispatchBase(VkCommandBuffer commands, uint32_t base_x, uint32_t base_y,
                                                      uint32_t base_z, uint32_t x, uint32_t y, uint32_t z)
{
    add_dispatch(commands, x && y && z);
    device_of(commands)->CmdDispatchBase(commands, base_x, base_y, base_z, x, y, z);
}

static VKAPI_ATTR void VKAPI_CALL own_CmdDispatchIndirect(VkCommandBuffer commands, VkBuffer buffer,
                                                          VkDeviceSize offset)
{
    add_dispatch(commands, 1);
    device_of(commands)->CmdDispatchIndirect(commands, buffer, offset);
}

static VKAPI_ATTR void VKAPI_CALL own_CmdCopyBuffer(VkCommandBuffer commands, VkBuffer from, VkBuffer to,
                                                    uint32_t count, const VkBufferCopy *regions)
{
    add(commands, COPIES, count);
    for (uint32_t i = 0; i < count; i++)
        add(commands, BYTES, regions[i].size);
    device_of(commands)->CmdCopyBuffer(commands, from, to, count, regions);
}

static VKAPI_ATTR void VKAPI_CALL own_CmdUpdateBuffer(VkCommandBuffer commands, VkBuffer to, VkDeviceSize offset,
                                                      VkDeviceSize size, const void *data)
{
    add(commands, COPIES, 1);
    add(commands, BYTES, size);
    device_of(commands)->CmdUpdateBuffer(commands, to, offset, size, data);
}

static VKAPI_ATTR void VKAPI_CALL own_CmdCopyImage(VkCommandBuffer commands, VkImage from,
                                                   VkImageLayout from_layout, VkImage to, VkImageLayout to_layout,
                                                   uint32_t count, const VkImageCopy *regions)
{
    add(commands, COPIES, count);
    device_of(commands)->CmdCopyImage(commands, from, from_layout, to, to_layout, count, regions);
}

static VKAPI_ATTR void VKAPI_CALL own_CmdCopyBufferToImage(VkCommandBuffer commands, VkBuffer from, VkImage to,
                                                           VkImageLayout layout, uint32_t count,
                                                           const VkBufferImageCopy *regions)
{
    add(commands, COPIES, count);
    device_of(commands)->CmdCopyBufferToImage(commands, from, to, layout, count, regions);
}

static VKAPI_ATTR void VKAPI_CALL own_CmdCopyImageToBuffer(VkCommandBuffer commands, VkImage from,
                                                           VkImageLayout layout, VkBuffer to, uint32_t count,
                                                           const VkBufferImageCopy *regions)
{
    add(commands, COPIES, count);
    device_of(commands)->CmdCopyImageToBuffer(commands, from, layout, to, count, regions);
}

static VKAPI_ATTR void VKAPI_CALL own_CmdFillBuffer(VkCommandBuffer commands, VkBuffer buffer,
                                                    VkDeviceSize offset, VkDeviceSize size, uint32_t data)
{
    add(commands, FILLS, 1);
    device_of(commands)->CmdFillBuffer(commands, buffer, offset, size, data);
}

static VKAPI_ATTR void VKAPI_CALL own_CmdClearColorImage(VkCommandBuffer commands, VkImage image,
                                                         VkImageLayout layout, const VkClearColorValue *color,
                                                         uint32_t count, const VkImageSubresourceRange *ranges)
{
    add(commands, FILLS, 1);
    device_of(commands)->CmdClearColorImage(commands, image, layout, color, count, ranges);
}

static VKAPI_ATTR void VKAPI_CALL own_CmdPipelineBarrier(
    VkCommandBuffer commands, VkPipelineStageFlags before, VkPipelineStageFlags after, VkDependencyFlags flags,
    uint32_t memory_count, const VkMemoryBarrier *memory, uint32_t buffer_count,
    const VkBufferMemoryBarrier *buffers, uint32_t image_count, const VkImageMemoryBarrier *images)
{
    add(commands, BARRIERS, 1);
    device_of(commands)->CmdPipelineBarrier(commands, before, after, flags, memory_count, memory, buffer_count,
                                            buffers, image_count, images);
}

static VKAPI_ATTR void VKAPI_CALL own_CmdWriteTimestamp(VkCommandBuffer commands, VkPipelineStageFlagBits stage,
                                                        VkQueryPool pool, uint32_t query)
{
    add(commands, TIMESTAMPS, 1);
    device_of(commands)->CmdWriteTimestamp(commands, stage, pool, query);
}
