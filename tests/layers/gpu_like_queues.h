/* The queues of a discrete card, for gpu_like.c. */

/* Time by which a submission is late, in nanoseconds. */
#define LATE 2000000

static const struct {
    VkQueueFlags flags;
    uint32_t count;
} families[FAMILIES] = {
    {VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT, 1},
    {VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT, 4},
    {VK_QUEUE_TRANSFER_BIT, 1},
};

struct value {
    VkSemaphore semaphore;
    uint64_t value;
};

/* A submitted batch that the driver has not got. */
struct batch {
    struct batch *next;
    uint32_t waits, signals, commands;
    /* Waits for other queues that were not over when it was submitted. */
    uint32_t pending;
    struct value *wait, *signal;
    VkCommandBuffer *command;
    VkFence fence;
};

/* A binary semaphore, which is a timeline semaphore for the driver: the host can wait for that. */
struct binary {
    struct binary *next;
    VkSemaphore handle;
    /* Signals submitted so far, which is the value of the last. */
    uint64_t signals;
    /* The queue that the last was submitted to. */
    const void *signaller;
};

/* Guards the list. */
static pthread_mutex_t binaries_lock = PTHREAD_MUTEX_INITIALIZER;
static struct binary *binaries;

static VKAPI_ATTR VkResult VKAPI_CALL own_CreateSemaphore(VkDevice handle, const VkSemaphoreCreateInfo *info,
                                                          const VkAllocationCallbacks *callbacks,
                                                          VkSemaphore *made)
{
    struct device *device = device_of(handle);
    /* Others wait for a semaphore that is exported. */
    if (in_chain(info->pNext, VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO) ||
        in_chain(info->pNext, VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO))
        return device->CreateSemaphore(handle, info, callbacks, made);
    const VkSemaphoreTypeCreateInfo type = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
        .pNext = info->pNext,
        .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE,
    };
    VkSemaphoreCreateInfo changed = *info;
    changed.pNext = &type;
    VkResult result = device->CreateSemaphore(handle, &changed, callbacks, made);
    if (result != VK_SUCCESS)
        return result;
    struct binary *binary = room(sizeof *binary);
    binary->handle = *made;
    pthread_mutex_lock(&binaries_lock);
    binary->next = binaries;
    binaries = binary;
    pthread_mutex_unlock(&binaries_lock);
    return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL own_DestroySemaphore(VkDevice handle, VkSemaphore semaphore,
                                                       const VkAllocationCallbacks *callbacks)
{
    pthread_mutex_lock(&binaries_lock);
    struct binary **place = &binaries;
    while (*place && (*place)->handle != semaphore)
        place = &(*place)->next;
    struct binary *gone = *place;
    if (gone)
        *place = gone->next;
    pthread_mutex_unlock(&binaries_lock);
    free(gone);
    device_of(handle)->DestroySemaphore(handle, semaphore, callbacks);
}

/* The value by which the driver signals a semaphore, or waits for it: that of the application, or of the last
 * signal of a binary one, which was submitted before its wait. */
static struct value value_of(VkSemaphore semaphore, uint32_t count, const uint64_t *values, uint32_t index,
                             const void *signaller)
{
    struct value value = {semaphore, index < count ? values[index] : 0};
    pthread_mutex_lock(&binaries_lock);
    for (struct binary *binary = binaries; binary; binary = binary->next)
        if (binary->handle == semaphore) {
            value.value = binary->signals += signaller != NULL;
            binary->signaller = signaller ? signaller : binary->signaller;
        }
    pthread_mutex_unlock(&binaries_lock);
    return value;
}

/* What applications take for a VkQueue: the loader's table stands first in it. */
struct queue {
    void *table;
    struct device *device;
    uint32_t index;
    pthread_t thread;
    /* Guards what follows; `changed` tells of each change. */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct batch *first, **end;
    int busy, stopping;
};

static VkResult submit_now(struct queue *queue, const struct batch *batch)
{
    VkSemaphore signals[16];
    uint64_t values[16];
    for (uint32_t i = 0; i < batch->signals; i++) {
        signals[i] = batch->signal[i].semaphore;
        values[i] = batch->signal[i].value;
    }
    VkTimelineSemaphoreSubmitInfo timeline = {
        .sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
        .signalSemaphoreValueCount = batch->signals,
        .pSignalSemaphoreValues = values,
    };
    VkSubmitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
        .pNext = &timeline,
        .commandBufferCount = batch->commands,
        .pCommandBuffers = batch->command,
        .signalSemaphoreCount = batch->signals,
        .pSignalSemaphores = signals,
    };
    struct device *device = queue->device;
    pthread_mutex_lock(&device->data.real_lock);
    VkResult result = device->QueueSubmit(device->data.real, 1, &info, batch->fence);
    pthread_mutex_unlock(&device->data.real_lock);
    return result;
}

/* Waits on the host, since the driver's queue would let none of the others pass. */
static void wait_for(struct queue *queue, const struct batch *batch)
{
    for (uint32_t i = 0; i < batch->waits; i++) {
        VkSemaphoreWaitInfo info = {
            .sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
            .semaphoreCount = 1,
            .pSemaphores = &batch->wait[i].semaphore,
            .pValues = &batch->wait[i].value,
        };
        queue->device->WaitSemaphores(queue->device->handle, &info, UINT64_MAX);
    }
}

static void tell(const struct queue *queue, const struct batch *batch, uint64_t start)
{
    const char *path = getenv("LAYER_QUEUES");
    FILE *file = path ? fopen(path, "a") : NULL;
    if (!file)
        return;
    fprintf(file, "%u %llu %llu %u %u\n", queue->index, (unsigned long long)start,
            (unsigned long long)monotonic_ns(), batch->commands, batch->pending);
    fclose(file);
}

static void *serve(void *data)
{
    struct queue *queue = data;
    pthread_mutex_lock(&queue->lock);
    for (;;) {
        while (!queue->first && !queue->stopping)
            pthread_cond_wait(&queue->changed, &queue->lock);
        struct batch *batch = queue->first;
        if (!batch)
            break;
        queue->first = batch->next;
        if (!queue->first)
            queue->end = &queue->first;
        queue->busy = 1;
        pthread_mutex_unlock(&queue->lock);
        wait_for(queue, batch);
        uint64_t start = monotonic_ns();
        const struct timespec late = {0, LATE};
        nanosleep(&late, NULL);
        if (submit_now(queue, batch) != VK_SUCCESS)
            abort();
        tell(queue, batch, start);
        free(batch->wait);
        free(batch->signal);
        free(batch->command);
        free(batch);
        pthread_mutex_lock(&queue->lock);
        queue->busy = 0;
        pthread_cond_broadcast(&queue->changed);
    }
    pthread_mutex_unlock(&queue->lock);
    return NULL;
}

static struct queue *start_queue(struct device *device, uint32_t index)
{
    struct queue *queue = room(sizeof *queue);
    queue->table = table_of(device->handle);
    queue->device = device;
    queue->index = index;
    queue->end = &queue->first;
    pthread_mutex_init(&queue->lock, NULL);
    pthread_cond_init(&queue->changed, NULL);
    if (pthread_create(&queue->thread, NULL, serve, queue))
        abort();
    return queue;
}

static void stop_queue(struct queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    queue->stopping = 1;
    pthread_cond_broadcast(&queue->changed);
    pthread_mutex_unlock(&queue->lock);
    pthread_join(queue->thread, NULL);
    pthread_mutex_destroy(&queue->lock);
    pthread_cond_destroy(&queue->changed);
    free(queue);
}

/* Waits until the driver has got everything. */
static void drain(struct queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    while (queue->first || queue->busy)
        pthread_cond_wait(&queue->changed, &queue->lock);
    pthread_mutex_unlock(&queue->lock);
}

/* Returns whether a wait is for the same queue: that orders nothing. */
static int is_own(const struct queue *queue, VkSemaphore semaphore)
{
    int own = 0;
    pthread_mutex_lock(&binaries_lock);
    for (struct binary *binary = binaries; binary; binary = binary->next)
        own |= binary->handle == semaphore && binary->signaller == queue;
    pthread_mutex_unlock(&binaries_lock);
    return own;
}

static void enqueue(struct queue *queue, struct batch *batch)
{
    for (uint32_t i = 0; i < batch->waits; i++) {
        uint64_t value = 0;
        queue->device->GetSemaphoreCounterValue(queue->device->handle, batch->wait[i].semaphore, &value);
        batch->pending += value < batch->wait[i].value && !is_own(queue, batch->wait[i].semaphore);
    }
    pthread_mutex_lock(&queue->lock);
    *queue->end = batch;
    queue->end = &batch->next;
    pthread_cond_broadcast(&queue->changed);
    pthread_mutex_unlock(&queue->lock);
}

static struct batch *batch_of(uint32_t waits, uint32_t signals, uint32_t commands)
{
    if (signals > 16)
        abort();
    struct batch *batch = room(sizeof *batch);
    batch->waits = waits;
    batch->signals = signals;
    batch->commands = commands;
    batch->wait = room(waits * sizeof *batch->wait);
    batch->signal = room(signals * sizeof *batch->signal);
    batch->command = room(commands * sizeof *batch->command);
    return batch;
}

static VKAPI_ATTR VkResult VKAPI_CALL own_QueueSubmit(VkQueue handle, uint32_t count, const VkSubmitInfo *submits,
                                                      VkFence fence)
{
    struct queue *queue = (struct queue *)handle;
    for (uint32_t i = 0; i < count; i++) {
        const VkSubmitInfo *info = &submits[i];
        const VkTimelineSemaphoreSubmitInfo *values =
            in_chain(info->pNext, VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO);
        struct batch *batch =
            batch_of(info->waitSemaphoreCount, info->signalSemaphoreCount, info->commandBufferCount);
        for (uint32_t k = 0; k < batch->waits; k++)
            batch->wait[k] = value_of(info->pWaitSemaphores[k], values ? values->waitSemaphoreValueCount : 0,
                                      values ? values->pWaitSemaphoreValues : NULL, k, NULL);
        for (uint32_t k = 0; k < batch->signals; k++)
            batch->signal[k] =
                value_of(info->pSignalSemaphores[k], values ? values->signalSemaphoreValueCount : 0,
                         values ? values->pSignalSemaphoreValues : NULL, k, queue);
        memcpy(batch->command, info->pCommandBuffers, batch->commands * sizeof *batch->command);
        batch->fence = i + 1 == count ? fence : VK_NULL_HANDLE;
        enqueue(queue, batch);
    }
    if (!count && fence) {
        struct batch *batch = batch_of(0, 0, 0);
        batch->fence = fence;
        enqueue(queue, batch);
    }
    return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL own_QueueSubmit2(VkQueue handle, uint32_t count,
                                                       const VkSubmitInfo2 *submits, VkFence fence)
{
    struct queue *queue = (struct queue *)handle;
    for (uint32_t i = 0; i < count; i++) {
        const VkSubmitInfo2 *info = &submits[i];
        struct batch *batch = batch_of(info->waitSemaphoreInfoCount, info->signalSemaphoreInfoCount,
                                       info->commandBufferInfoCount);
        for (uint32_t k = 0; k < batch->waits; k++)
            batch->wait[k] = value_of(info->pWaitSemaphoreInfos[k].semaphore, 1,
                                      &info->pWaitSemaphoreInfos[k].value, 0, NULL);
        for (uint32_t k = 0; k < batch->signals; k++)
            batch->signal[k] = value_of(info->pSignalSemaphoreInfos[k].semaphore, 1,
                                        &info->pSignalSemaphoreInfos[k].value, 0, queue);
        for (uint32_t k = 0; k < batch->commands; k++)
            batch->command[k] = info->pCommandBufferInfos[k].commandBuffer;
        batch->fence = i + 1 == count ? fence : VK_NULL_HANDLE;
        enqueue(queue, batch);
    }
    if (!count && fence) {
        struct batch *batch = batch_of(0, 0, 0);
        batch->fence = fence;
        enqueue(queue, batch);
    }
    return VK_SUCCESS;
}

static VkResult wait_idle(struct device *device)
{
    pthread_mutex_lock(&device->data.real_lock);
    VkResult result = device->QueueWaitIdle(device->data.real);
    pthread_mutex_unlock(&device->data.real_lock);
    return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL own_QueueWaitIdle(VkQueue handle)
{
    struct queue *queue = (struct queue *)handle;
    drain(queue);
    return wait_idle(queue->device);
}

static VKAPI_ATTR VkResult VKAPI_CALL own_DeviceWaitIdle(VkDevice handle)
{
    struct device *device = device_of(handle);
    for (int i = 0; i < QUEUES; i++)
        drain(device->data.queues[i]);
    return wait_idle(device);
}

static VKAPI_ATTR void VKAPI_CALL own_GetDeviceQueue(VkDevice handle, uint32_t family, uint32_t index,
                                                     VkQueue *queue)
{
    for (uint32_t i = 0; i < family; i++)
        index += families[i].count;
    *queue = (VkQueue)device_of(handle)->data.queues[index];
}

static VKAPI_ATTR void VKAPI_CALL own_GetDeviceQueue2(VkDevice handle, const VkDeviceQueueInfo2 *info,
                                                      VkQueue *queue)
{
    own_GetDeviceQueue(handle, info->queueFamilyIndex, info->queueIndex, queue);
}

static VKAPI_ATTR VkResult VKAPI_CALL own_CreateCommandPool(VkDevice handle, const VkCommandPoolCreateInfo *info,
                                                            const VkAllocationCallbacks *callbacks,
                                                            VkCommandPool *made)
{
    VkCommandPoolCreateInfo changed = *info;
    changed.queueFamilyIndex = 0;
    return device_of(handle)->CreateCommandPool(handle, &changed, callbacks, made);
}

static void put_family(VkPhysicalDevice physical, uint32_t index, VkQueueFamilyProperties *properties)
{
    uint32_t one = 1;
    instance_of(physical)->GetPhysicalDeviceQueueFamilyProperties(physical, &one, properties);
    properties->queueFlags = families[index].flags;
    properties->queueCount = families[index].count;
    if (!(families[index].flags & VK_QUEUE_COMPUTE_BIT))
        properties->timestampValidBits = 0;
}

static VKAPI_ATTR void VKAPI_CALL
own_GetPhysicalDeviceQueueFamilyProperties(VkPhysicalDevice physical, uint32_t *count,
                                           VkQueueFamilyProperties *properties)
{
    if (!properties) {
        *count = FAMILIES;
        return;
    }
    *count = *count < FAMILIES ? *count : FAMILIES;
    for (uint32_t i = 0; i < *count; i++)
        put_family(physical, i, &properties[i]);
}

static VKAPI_ATTR void VKAPI_CALL
own_GetPhysicalDeviceQueueFamilyProperties2(VkPhysicalDevice physical, uint32_t *count,
                                            VkQueueFamilyProperties2 *properties)
{
    if (!properties) {
        *count = FAMILIES;
        return;
    }
    *count = *count < FAMILIES ? *count : FAMILIES;
    for (uint32_t i = 0; i < *count; i++)
        put_family(physical, i, &properties[i].queueFamilyProperties);
}
