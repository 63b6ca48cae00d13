/* A Vulkan layer for drivers whose device executes nothing (Mesa's drm-shim): every
 * submission completes as soon as what it waits for has completed.
 *
 * The layer keeps the values of semaphores, the states of fences and the results of queries itself; the
 * driver gets every call too, but its answers about them are not used. Submissions of a queue complete in
 * order. Timestamps are the host's monotonic clock in the device's unit, and differ; copies of them into
 * mapped buffers are carried out. Nothing else is executed.
 *
 * LAYER_LEAKS=FILE: the layer writes to FILE the objects that are left when a device is destroyed, and the
 * numbers of objects of a device that is left when the process ends. */
#define _GNU_SOURCE
#define LAYER_NAME "VK_LAYER_PUMICE_completion"
#include <stdint.h>

#define INSTANCE_OWN(X)
#define INSTANCE_NEXT(X) X(GetPhysicalDeviceProperties)
#define DEVICE_OWN(X)                                                                                     \
    X(CreateSemaphore) X(DestroySemaphore) X(GetSemaphoreCounterValue) X(WaitSemaphores)                  \
    X(SignalSemaphore) X(CreateFence) X(DestroyFence) X(ResetFences) X(GetFenceStatus) X(WaitForFences)   \
    X(QueueSubmit) X(QueueSubmit2) X(QueueWaitIdle) X(DeviceWaitIdle)                                     \
    X(CreateQueryPool) X(DestroyQueryPool) X(ResetQueryPool) X(GetQueryPoolResults)                       \
    X(AllocateCommandBuffers) X(FreeCommandBuffers) X(DestroyCommandPool)                                 \
    X(BeginCommandBuffer) X(CmdWriteTimestamp) X(CmdWriteTimestamp2) X(CmdResetQueryPool)                 \
    X(CmdCopyQueryPoolResults) X(CmdExecuteCommands)                                                      \
    X(AllocateMemory) X(FreeMemory) X(MapMemory) X(UnmapMemory)                                           \
    X(CreateBuffer) X(DestroyBuffer) X(BindBufferMemory) X(BindBufferMemory2)                             \
    X(GetCalibratedTimestampsEXT)
#define DEVICE_NEXT(X)

struct device_data {
    /* Nanoseconds in a tick of the device's clock. */
    double period;
    uint64_t last_tick;
    struct queue *queues;
};

#include "vulkan_layer.h"

#include "completion_objects.h"
#include "completion_queries.h"

static void opened(struct device *device)
{
    pthread_once(&once, set_up);
    VkPhysicalDeviceProperties properties;
    device->instance->GetPhysicalDeviceProperties(device->physical, &properties);
    device->data.period = properties.limits.timestampPeriod > 0 ? properties.limits.timestampPeriod : 1;
}

static void closing(struct device *device)
{
    const char *path = getenv("LAYER_LEAKS");
    FILE *file = path ? fopen(path, "a") : NULL;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < BUCKETS; i++)
        for (struct object **place = &table[i]; *place;) {
            struct object *object = *place;
            if (object->device != device) {
                place = &object->next;
                continue;
            }
            /* Command buffers go with their pool. */
            if (file && object->kind != COMMANDS)
                fprintf(file, "%s 0x%llx is left\n", kind_names[object->kind],
                        (unsigned long long)object->handle);
            drop(place);
        }
    for (struct queue *queue = device->data.queues, *next; queue; queue = next) {
        if (file && queue->first)
            fputs("a submission has not completed\n", file);
        next = queue->next;
        for (struct batch *batch = queue->first, *behind; batch; batch = behind) {
            behind = batch->next;
            free(batch->wait);
            free(batch->signal);
            free(batch->op);
            free(batch);
        }
        free(queue);
    }
    pthread_mutex_unlock(&lock);
    if (file)
        fclose(file);
}

/* A device that is never destroyed may keep objects: only their numbers are written. */
__attribute__((destructor)) static void at_exit(void)
{
    const char *path = getenv("LAYER_LEAKS");
    FILE *file = path && devices ? fopen(path, "a") : NULL;
    size_t counts[KINDS] = {0};
    for (size_t i = 0; file && i < BUCKETS; i++)
        for (struct object *object = table[i]; object; object = object->next)
            counts[object->kind]++;
    for (int kind = 0; file && kind < KINDS; kind++)
        fprintf(file, "%zu %s at the end\n", counts[kind], kind_names[kind]);
    if (file)
        fclose(file);
}

static int is_reached(const struct value *wait)
{
    struct object *semaphore = find(SEMAPHORE, wait->semaphore);
    return !semaphore || semaphore->value >= (semaphore->is_timeline ? wait->value : 1);
}

static int is_ready(const struct batch *batch)
{
    for (size_t i = 0; i < batch->waits; i++)
        if (!is_reached(&batch->wait[i]))
            return 0;
    return 1;
}

/* Waits until the driver has taken a batch: one that makes timelines of its own passes batches to its device in a thread,
 * and the objects of a completed batch may go. The device itself has nothing to do. */
static void wait_for_driver(struct device *device, const struct batch *batch)
{
    for (size_t i = 0; i < batch->signals; i++) {
        struct object *semaphore = find(SEMAPHORE, batch->signal[i].semaphore);
        if (!semaphore || !semaphore->is_timeline)
            continue;
        VkSemaphore handle = (VkSemaphore)batch->signal[i].semaphore;
        VkSemaphoreWaitInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
                                    .semaphoreCount = 1,
                                    .pSemaphores = &handle,
                                    .pValues = &batch->signal[i].value};
        device->WaitSemaphores(device->handle, &info, UINT64_MAX);
    }
    if (batch->fence) {
        VkFence fence = (VkFence)batch->fence;
        device->WaitForFences(device->handle, 1, &fence, VK_TRUE, UINT64_MAX);
    }
}

static void complete(struct device *device, struct batch *batch)
{
    wait_for_driver(device, batch);
    for (size_t i = 0; i < batch->waits; i++) {
        struct object *semaphore = find(SEMAPHORE, batch->wait[i].semaphore);
        if (semaphore && !semaphore->is_timeline)
            semaphore->value = 0;
    }
    for (size_t i = 0; i < batch->ops; i++)
        carry_out(device, &batch->op[i]);
    for (size_t i = 0; i < batch->signals; i++) {
        struct object *semaphore = find(SEMAPHORE, batch->signal[i].semaphore);
        if (semaphore)
            semaphore->value = semaphore->is_timeline ? batch->signal[i].value : 1;
    }
    struct object *fence = find(FENCE, batch->fence);
    if (fence)
        fence->value = 1;
}

/* Completes every batch that can complete, on all devices: semaphores may be shared. The caller holds the
 * lock. */
static void go_on(void)
{
    int again = 1;
    pthread_mutex_lock(&lists);
    while (again) {
        again = 0;
        for (struct device *device = devices; device; device = device->next)
            for (struct queue *queue = device->data.queues; queue; queue = queue->next)
                while (queue->first && is_ready(queue->first)) {
                    struct batch *batch = queue->first;
                    queue->first = batch->next;
                    if (!queue->first)
                        queue->end = &queue->first;
                    complete(device, batch);
                    free(batch->wait);
                    free(batch->signal);
                    free(batch->op);
                    free(batch);
                    again = 1;
                }
    }
    pthread_mutex_unlock(&lists);
    pthread_cond_broadcast(&changed);
}

static struct queue *queue_of(struct device *device, VkQueue handle)
{
    struct queue *queue = device->data.queues;
    while (queue && queue->handle != handle)
        queue = queue->next;
    if (!queue) {
        queue = room(sizeof *queue);
        queue->handle = handle;
        queue->end = &queue->first;
        queue->next = device->data.queues;
        device->data.queues = queue;
    }
    return queue;
}

/* The commands that the layer carries out, with those of secondary command buffers where they run. */
static void take(struct batch *batch, size_t *capacity, uint64_t commands)
{
    struct object *buffer = find(COMMANDS, commands);
    for (size_t i = 0; buffer && i < buffer->op_count; i++) {
        const struct op *op = &buffer->ops[i];
        if (op->kind == EXECUTE)
            take(batch, capacity, op->buffer);
        else
            append(&batch->op, &batch->ops, capacity, op);
    }
}

static void enqueue(struct device *device, VkQueue handle, struct batch *batch)
{
    struct queue *queue = queue_of(device, handle);
    *queue->end = batch;
    queue->end = &batch->next;
}

static void enqueue_fence(struct device *device, VkQueue queue, VkFence fence)
{
    if (!fence)
        return;
    struct batch *batch = room(sizeof *batch);
    batch->fence = ID(fence);
    enqueue(device, queue, batch);
}

static VKAPI_ATTR VkResult VKAPI_CALL own_QueueSubmit(VkQueue queue, uint32_t count, const VkSubmitInfo *submits,
                                                      VkFence fence)
{
    struct device *device = device_of(queue);
    VkResult result = device->QueueSubmit(queue, count, submits, fence);
    if (result != VK_SUCCESS)
        return result;
    pthread_mutex_lock(&lock);
    for (uint32_t i = 0; i < count; i++) {
        const VkSubmitInfo *info = &submits[i];
        const VkTimelineSemaphoreSubmitInfo *values =
            in_chain(info->pNext, VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO);
        struct batch *batch = room(sizeof *batch);
        batch->waits = info->waitSemaphoreCount;
        batch->wait = room(batch->waits * sizeof *batch->wait);
        for (uint32_t k = 0; k < info->waitSemaphoreCount; k++)
            batch->wait[k] = (struct value){ID(info->pWaitSemaphores[k]),
                                            values && k < values->waitSemaphoreValueCount
                                                ? values->pWaitSemaphoreValues[k]
                                                : 0};
        batch->signals = info->signalSemaphoreCount;
        batch->signal = room(batch->signals * sizeof *batch->signal);
        for (uint32_t k = 0; k < info->signalSemaphoreCount; k++)
            batch->signal[k] = (struct value){ID(info->pSignalSemaphores[k]),
                                              values && k < values->signalSemaphoreValueCount
                                                  ? values->pSignalSemaphoreValues[k]
                                                  : 0};
        size_t capacity = 0;
        for (uint32_t k = 0; k < info->commandBufferCount; k++)
            take(batch, &capacity, ID(info->pCommandBuffers[k]));
        enqueue(device, queue, batch);
    }
    enqueue_fence(device, queue, fence);
    go_on();
    pthread_mutex_unlock(&lock);
    return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL own_QueueSubmit2(VkQueue queue, uint32_t count,
                                                       const VkSubmitInfo2 *submits, VkFence fence)
{
    struct device *device = device_of(queue);
    VkResult result = device->QueueSubmit2(queue, count, submits, fence);
    if (result != VK_SUCCESS)
        return result;
    pthread_mutex_lock(&lock);
    for (uint32_t i = 0; i < count; i++) {
        const VkSubmitInfo2 *info = &submits[i];
        struct batch *batch = room(sizeof *batch);
        batch->waits = info->waitSemaphoreInfoCount;
        batch->wait = room(batch->waits * sizeof *batch->wait);
        for (uint32_t k = 0; k < info->waitSemaphoreInfoCount; k++)
            batch->wait[k] = (struct value){ID(info->pWaitSemaphoreInfos[k].semaphore),
                                            info->pWaitSemaphoreInfos[k].value};
        batch->signals = info->signalSemaphoreInfoCount;
        batch->signal = room(batch->signals * sizeof *batch->signal);
        for (uint32_t k = 0; k < info->signalSemaphoreInfoCount; k++)
            batch->signal[k] = (struct value){ID(info->pSignalSemaphoreInfos[k].semaphore),
                                              info->pSignalSemaphoreInfos[k].value};
        size_t capacity = 0;
        for (uint32_t k = 0; k < info->commandBufferInfoCount; k++)
            take(batch, &capacity, ID(info->pCommandBufferInfos[k].commandBuffer));
        enqueue(device, queue, batch);
    }
    enqueue_fence(device, queue, fence);
    go_on();
    pthread_mutex_unlock(&lock);
    return VK_SUCCESS;
}

/* The time `timeout` nanoseconds from now, as far as a timespec reaches. */
static struct timespec until(uint64_t timeout)
{
    uint64_t now = monotonic_ns();
    uint64_t end = timeout > (uint64_t)INT64_MAX - now ? (uint64_t)INT64_MAX : now + timeout;
    return (struct timespec){(time_t)(end / 1000000000u), (long)(end % 1000000000u)};
}

/* Waits for a condition, with the lock; false when the time is up. */
#define WAIT_WHILE(condition, timeout)                              \
    ({                                                              \
        struct timespec end_ = until(timeout);                      \
        int late_ = 0;                                              \
        while ((condition) && !late_)                               \
            late_ = pthread_cond_timedwait(&changed, &lock, &end_); \
        !(condition);                                               \
    })

static VKAPI_ATTR VkResult VKAPI_CALL own_CreateSemaphore(VkDevice handle, const VkSemaphoreCreateInfo *info,
                                                          const VkAllocationCallbacks *callbacks,
                                                          VkSemaphore *made)
{
    struct device *device = device_of(handle);
    VkResult result = device->CreateSemaphore(handle, info, callbacks, made);
    if (result != VK_SUCCESS)
        return result;
    const VkSemaphoreTypeCreateInfo *type =
        in_chain(info->pNext, VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO);
    pthread_mutex_lock(&lock);
    struct object *object = add(device, SEMAPHORE, ID(*made));
    object->is_timeline = type && type->semaphoreType == VK_SEMAPHORE_TYPE_TIMELINE;
    object->value = object->is_timeline ? type->initialValue : 0;
    pthread_mutex_unlock(&lock);
    return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL own_DestroySemaphore(VkDevice handle, VkSemaphore semaphore,
                                                       const VkAllocationCallbacks *callbacks)
{
    removed(SEMAPHORE, ID(semaphore));
    device_of(handle)->DestroySemaphore(handle, semaphore, callbacks);
}

static VKAPI_ATTR VkResult VKAPI_CALL own_GetSemaphoreCounterValue(VkDevice handle, VkSemaphore semaphore,
                                                                   uint64_t *value)
{
    VkResult result = device_of(handle)->GetSemaphoreCounterValue(handle, semaphore, value);
    pthread_mutex_lock(&lock);
    struct object *object = find(SEMAPHORE, ID(semaphore));
    *value = object ? object->value : 0;
    pthread_mutex_unlock(&lock);
    return result;
}

static int are_reached(const VkSemaphoreWaitInfo *info)
{
    uint32_t reached = 0;
    for (uint32_t i = 0; i < info->semaphoreCount; i++) {
        struct value wait = {ID(info->pSemaphores[i]), info->pValues[i]};
        reached += is_reached(&wait) != 0;
    }
    return info->flags & VK_SEMAPHORE_WAIT_ANY_BIT ? reached > 0 : reached == info->semaphoreCount;
}

static VKAPI_ATTR VkResult VKAPI_CALL own_WaitSemaphores(VkDevice handle, const VkSemaphoreWaitInfo *info,
                                                         uint64_t timeout)
{
    pthread_mutex_lock(&lock);
    int done = WAIT_WHILE(!are_reached(info), timeout);
    pthread_mutex_unlock(&lock);
    if (!done)
        return VK_TIMEOUT;
    /* The driver's own end of the wait; its device has nothing to wait for. */
    return device_of(handle)->WaitSemaphores(handle, info, timeout);
}

static VKAPI_ATTR VkResult VKAPI_CALL own_SignalSemaphore(VkDevice handle, const VkSemaphoreSignalInfo *info)
{
    VkResult result = device_of(handle)->SignalSemaphore(handle, info);
    if (result != VK_SUCCESS)
        return result;
    pthread_mutex_lock(&lock);
    struct object *object = find(SEMAPHORE, ID(info->semaphore));
    if (object)
        object->value = info->value;
    go_on();
    pthread_mutex_unlock(&lock);
    return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL own_CreateFence(VkDevice handle, const VkFenceCreateInfo *info,
                                                      const VkAllocationCallbacks *callbacks, VkFence *made)
{
    struct device *device = device_of(handle);
    VkResult result = device->CreateFence(handle, info, callbacks, made);
    if (result != VK_SUCCESS)
        return result;
    pthread_mutex_lock(&lock);
    add(device, FENCE, ID(*made))->value = (info->flags & VK_FENCE_CREATE_SIGNALED_BIT) != 0;
    pthread_mutex_unlock(&lock);
    return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL own_DestroyFence(VkDevice handle, VkFence fence,
                                                   const VkAllocationCallbacks *callbacks)
{
    removed(FENCE, ID(fence));
    device_of(handle)->DestroyFence(handle, fence, callbacks);
}

static int is_signalled(VkFence fence)
{
    struct object *object = find(FENCE, ID(fence));
    return !object || object->value;
}

static VKAPI_ATTR VkResult VKAPI_CALL own_ResetFences(VkDevice handle, uint32_t count, const VkFence *fences)
{
    pthread_mutex_lock(&lock);
    for (uint32_t i = 0; i < count; i++) {
        struct object *object = find(FENCE, ID(fences[i]));
        if (object)
            object->value = 0;
    }
    pthread_mutex_unlock(&lock);
    return device_of(handle)->ResetFences(handle, count, fences);
}

static VKAPI_ATTR VkResult VKAPI_CALL own_GetFenceStatus(VkDevice handle, VkFence fence)
{
    (void)handle;
    pthread_mutex_lock(&lock);
    int signalled = is_signalled(fence);
    pthread_mutex_unlock(&lock);
    return signalled ? VK_SUCCESS : VK_NOT_READY;
}

static int are_signalled(uint32_t count, const VkFence *fences, VkBool32 all)
{
    uint32_t signalled = 0;
    for (uint32_t i = 0; i < count; i++)
        signalled += is_signalled(fences[i]) != 0;
    return all ? signalled == count : signalled > 0;
}

static VKAPI_ATTR VkResult VKAPI_CALL own_WaitForFences(VkDevice handle, uint32_t count, const VkFence *fences,
                                                        VkBool32 all, uint64_t timeout)
{
    pthread_mutex_lock(&lock);
    int done = WAIT_WHILE(!are_signalled(count, fences, all), timeout);
    pthread_mutex_unlock(&lock);
    return done ? device_of(handle)->WaitForFences(handle, count, fences, all, timeout) : VK_TIMEOUT;
}

static int is_busy(struct device *device, VkQueue only)
{
    for (struct queue *queue = device->data.queues; queue; queue = queue->next)
        if (queue->first && (!only || queue->handle == only))
            return 1;
    return 0;
}

static VKAPI_ATTR VkResult VKAPI_CALL own_QueueWaitIdle(VkQueue queue)
{
    struct device *device = device_of(queue);
    pthread_mutex_lock(&lock);
    (void)WAIT_WHILE(is_busy(device, queue), UINT64_MAX);
    pthread_mutex_unlock(&lock);
    return device->QueueWaitIdle(queue);
}

static VKAPI_ATTR VkResult VKAPI_CALL own_DeviceWaitIdle(VkDevice handle)
{
    struct device *device = device_of(handle);
    pthread_mutex_lock(&lock);
    (void)WAIT_WHILE(is_busy(device, NULL), UINT64_MAX);
    pthread_mutex_unlock(&lock);
    return device->DeviceWaitIdle(handle);
}
