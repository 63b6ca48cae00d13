/* Queries, and the commands and mapped memory that their results go through, for completion.c. */

/* Each time is later than the one before. */
static uint64_t tick(struct device *device)
{
    uint64_t now = (uint64_t)((double)monotonic_ns() / device->data.period);
    if (now <= device->data.last_tick)
        now = device->data.last_tick + 1;
    return device->data.last_tick = now;
}

static void append(struct op **ops, size_t *count, size_t *capacity, const struct op *op)
{
    if (*count == *capacity) {
        *capacity = *capacity ? *capacity * 2 : 8;
        *ops = realloc(*ops, *capacity * sizeof **ops);
        if (!*ops)
            abort();
    }
    (*ops)[(*count)++] = *op;
}

static char *mapped_at(uint64_t handle, uint64_t offset)
{
    struct object *buffer = find(BUFFER, handle);
    struct object *memory = buffer ? find(MEMORY, buffer->memory) : NULL;
    return memory && memory->mapped ? memory->mapped + buffer->offset + offset : NULL;
}

static void put(char **to, uint64_t value, VkQueryResultFlags flags)
{
    size_t size = flags & VK_QUERY_RESULT_64_BIT ? 8 : 4;
    uint32_t half = (uint32_t)value;
    memcpy(*to, size == 8 ? (void *)&value : (void *)&half, size);
    *to += size;
}

/* Writes results as vkGetQueryPoolResults does. */
static VkResult give(struct object *pool, const struct op *op, char *to)
{
    VkResult result = VK_SUCCESS;
    for (uint32_t i = op->first; i < op->first + op->count; i++, to += op->stride) {
        char *at = to;
        if (pool->available[i] || op->flags & VK_QUERY_RESULT_PARTIAL_BIT)
            put(&at, pool->results[i], op->flags);
        else
            at += op->flags & VK_QUERY_RESULT_64_BIT ? 8 : 4;
        if (op->flags & VK_QUERY_RESULT_WITH_AVAILABILITY_BIT)
            put(&at, pool->available[i], op->flags);
        if (!pool->available[i])
            result = VK_NOT_READY;
    }
    return result;
}

static void reset(struct object *pool, uint32_t first, uint32_t count)
{
    memset(pool->available + first, 0, count);
    memset(pool->results + first, 0, count * sizeof *pool->results);
}

static void carry_out(struct device *device, const struct op *op)
{
    struct object *pool = find(POOL, op->pool);
    if (!pool)
        return;
    if (op->kind == WRITE_TIME) {
        pool->results[op->first] = tick(device);
        pool->available[op->first] = 1;
    } else if (op->kind == RESET_QUERIES) {
        reset(pool, op->first, op->count);
    } else {
        char *to = mapped_at(op->buffer, op->offset);
        if (to)
            give(pool, op, to);
    }
}

static VKAPI_ATTR VkResult VKAPI_CALL own_CreateQueryPool(VkDevice handle, const VkQueryPoolCreateInfo *info,
                                                          const VkAllocationCallbacks *callbacks,
                                                          VkQueryPool *made)
{
    struct device *device = device_of(handle);
    VkResult result = device->CreateQueryPool(handle, info, callbacks, made);
    if (result != VK_SUCCESS)
        return result;
    pthread_mutex_lock(&lock);
    struct object *object = add(device, POOL, ID(*made));
    object->count = info->queryCount;
    object->results = room(info->queryCount * sizeof *object->results);
    object->available = room(info->queryCount);
    pthread_mutex_unlock(&lock);
    return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL own_DestroyQueryPool(VkDevice handle, VkQueryPool pool,
                                                       const VkAllocationCallbacks *callbacks)
{
    removed(POOL, ID(pool));
    device_of(handle)->DestroyQueryPool(handle, pool, callbacks);
}

static VKAPI_ATTR void VKAPI_CALL own_ResetQueryPool(VkDevice handle, VkQueryPool pool, uint32_t first,
                                                     uint32_t count)
{
    pthread_mutex_lock(&lock);
    struct object *object = find(POOL, ID(pool));
    if (object)
        reset(object, first, count);
    pthread_mutex_unlock(&lock);
    device_of(handle)->ResetQueryPool(handle, pool, first, count);
}

static VKAPI_ATTR VkResult VKAPI_CALL own_GetQueryPoolResults(VkDevice handle, VkQueryPool pool, uint32_t first,
                                                              uint32_t count, size_t size, void *data,
                                                              VkDeviceSize stride, VkQueryResultFlags flags)
{
    (void)handle;
    (void)size;
    pthread_mutex_lock(&lock);
    struct object *object = find(POOL, ID(pool));
    struct op op = {.first = first, .count = count, .stride = stride, .flags = flags};
    VkResult result = object ? give(object, &op, data) : VK_ERROR_DEVICE_LOST;
    pthread_mutex_unlock(&lock);
    return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL own_AllocateCommandBuffers(VkDevice handle,
                                                                 const VkCommandBufferAllocateInfo *info,
                                                                 VkCommandBuffer *made)
{
    struct device *device = device_of(handle);
    VkResult result = device->AllocateCommandBuffers(handle, info, made);
    if (result != VK_SUCCESS)
        return result;
    pthread_mutex_lock(&lock);
    for (uint32_t i = 0; i < info->commandBufferCount; i++)
        add(device, COMMANDS, ID(made[i]))->command_pool = ID(info->commandPool);
    pthread_mutex_unlock(&lock);
    return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL own_FreeCommandBuffers(VkDevice handle, VkCommandPool pool, uint32_t count,
                                                         const VkCommandBuffer *buffers)
{
    for (uint32_t i = 0; i < count; i++)
        removed(COMMANDS, ID(buffers[i]));
    device_of(handle)->FreeCommandBuffers(handle, pool, count, buffers);
}

static VKAPI_ATTR void VKAPI_CALL own_DestroyCommandPool(VkDevice handle, VkCommandPool pool,
                                                         const VkAllocationCallbacks *callbacks)
{
    pthread_mutex_lock(&lock);
    for (size_t i = 0; pool && i < BUCKETS; i++)
        for (struct object **place = &table[i]; *place;)
            if ((*place)->kind == COMMANDS && (*place)->command_pool == ID(pool))
                drop(place);
            else
                place = &(*place)->next;
    pthread_mutex_unlock(&lock);
    device_of(handle)->DestroyCommandPool(handle, pool, callbacks);
}

static VKAPI_ATTR VkResult VKAPI_CALL own_BeginCommandBuffer(VkCommandBuffer commands,
                                                             const VkCommandBufferBeginInfo *info)
{
    pthread_mutex_lock(&lock);
    struct object *object = find(COMMANDS, ID(commands));
    if (object)
        object->op_count = 0;
    pthread_mutex_unlock(&lock);
    return device_of(commands)->BeginCommandBuffer(commands, info);
}

static void record(VkCommandBuffer commands, struct op op)
{
    pthread_mutex_lock(&lock);
    struct object *object = find(COMMANDS, ID(commands));
    if (object)
        append(&object->ops, &object->op_count, &object->op_room, &op);
    pthread_mutex_unlock(&lock);
}

static VKAPI_ATTR void VKAPI_CALL own_CmdWriteTimestamp(VkCommandBuffer commands, VkPipelineStageFlagBits stage,
                                                        VkQueryPool pool, uint32_t query)
{
    record(commands, (struct op){.kind = WRITE_TIME, .pool = ID(pool), .first = query});
    device_of(commands)->CmdWriteTimestamp(commands, stage, pool, query);
}

static VKAPI_ATTR void VKAPI_CALL own_CmdWriteTimestamp2(VkCommandBuffer commands, VkPipelineStageFlags2 stage,
                                                         VkQueryPool pool, uint32_t query)
{
    record(commands, (struct op){.kind = WRITE_TIME, .pool = ID(pool), .first = query});
    device_of(commands)->CmdWriteTimestamp2(commands, stage, pool, query);
}

static VKAPI_ATTR void VKAPI_CALL own_CmdResetQueryPool(VkCommandBuffer commands, VkQueryPool pool,
                                                        uint32_t first, uint32_t count)
{
    record(commands, (struct op){.kind = RESET_QUERIES, .pool = ID(pool), .first = first, .count = count});
    device_of(commands)->CmdResetQueryPool(commands, pool, first, count);
}

static VKAPI_ATTR void VKAPI_CALL own_CmdCopyQueryPoolResults(VkCommandBuffer commands, VkQueryPool pool,
                                                              uint32_t first, uint32_t count, VkBuffer buffer,
                                                              VkDeviceSize offset, VkDeviceSize stride,
                                                              VkQueryResultFlags flags)
{
    record(commands, (struct op){.kind = COPY_QUERIES,
                                 .pool = ID(pool),
                                 .buffer = ID(buffer),
                                 .first = first,
                                 .count = count,
                                 .offset = offset,
                                 .stride = stride,
                                 .flags = flags});
    device_of(commands)->CmdCopyQueryPoolResults(commands, pool, first, count, buffer, offset, stride, flags);
}

static VKAPI_ATTR void VKAPI_CALL own_CmdExecuteCommands(VkCommandBuffer commands, uint32_t count,
                                                         const VkCommandBuffer *secondary)
{
    for (uint32_t i = 0; i < count; i++)
        record(commands, (struct op){.kind = EXECUTE, .buffer = ID(secondary[i])});
    device_of(commands)->CmdExecuteCommands(commands, count, secondary);
}

static VKAPI_ATTR VkResult VKAPI_CALL own_AllocateMemory(VkDevice handle, const VkMemoryAllocateInfo *info,
                                                         const VkAllocationCallbacks *callbacks,
                                                         VkDeviceMemory *made)
{
    struct device *device = device_of(handle);
    VkResult result = device->AllocateMemory(handle, info, callbacks, made);
    if (result != VK_SUCCESS)
        return result;
    pthread_mutex_lock(&lock);
    struct object *object = add(device, MEMORY, ID(*made));
    const VkImportMemoryHostPointerInfoEXT *import =
        in_chain(info->pNext, VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT);
    object->mapped = import ? import->pHostPointer : NULL;
    pthread_mutex_unlock(&lock);
    return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL own_FreeMemory(VkDevice handle, VkDeviceMemory memory,
                                                 const VkAllocationCallbacks *callbacks)
{
    removed(MEMORY, ID(memory));
    device_of(handle)->FreeMemory(handle, memory, callbacks);
}

static VKAPI_ATTR VkResult VKAPI_CALL own_MapMemory(VkDevice handle, VkDeviceMemory memory, VkDeviceSize offset,
                                                    VkDeviceSize size, VkMemoryMapFlags flags, void **data)
{
    VkResult result = device_of(handle)->MapMemory(handle, memory, offset, size, flags, data);
    pthread_mutex_lock(&lock);
    struct object *object = find(MEMORY, ID(memory));
    if (object && result == VK_SUCCESS)
        object->mapped = (char *)*data - offset;
    pthread_mutex_unlock(&lock);
    return result;
}

static VKAPI_ATTR void VKAPI_CALL own_UnmapMemory(VkDevice handle, VkDeviceMemory memory)
{
    pthread_mutex_lock(&lock);
    struct object *object = find(MEMORY, ID(memory));
    if (object)
        object->mapped = NULL;
    pthread_mutex_unlock(&lock);
    device_of(handle)->UnmapMemory(handle, memory);
}

static VKAPI_ATTR VkResult VKAPI_CALL own_CreateBuffer(VkDevice handle, const VkBufferCreateInfo *info,
                                                       const VkAllocationCallbacks *callbacks, VkBuffer *made)
{
    struct device *device = device_of(handle);
    VkResult result = device->CreateBuffer(handle, info, callbacks, made);
    pthread_mutex_lock(&lock);
    if (result == VK_SUCCESS)
        add(device, BUFFER, ID(*made));
    pthread_mutex_unlock(&lock);
    return result;
}

static VKAPI_ATTR void VKAPI_CALL own_DestroyBuffer(VkDevice handle, VkBuffer buffer,
                                                    const VkAllocationCallbacks *callbacks)
{
    removed(BUFFER, ID(buffer));
    device_of(handle)->DestroyBuffer(handle, buffer, callbacks);
}

static void bound(VkBuffer buffer, VkDeviceMemory memory, VkDeviceSize offset)
{
    pthread_mutex_lock(&lock);
    struct object *object = find(BUFFER, ID(buffer));
    if (object) {
        object->memory = ID(memory);
        object->offset = offset;
    }
    pthread_mutex_unlock(&lock);
}

static VKAPI_ATTR VkResult VKAPI_CALL own_BindBufferMemory(VkDevice handle, VkBuffer buffer,
                                                           VkDeviceMemory memory, VkDeviceSize offset)
{
    bound(buffer, memory, offset);
    return device_of(handle)->BindBufferMemory(handle, buffer, memory, offset);
}

static VKAPI_ATTR VkResult VKAPI_CALL own_BindBufferMemory2(VkDevice handle, uint32_t count,
                                                            const VkBindBufferMemoryInfo *infos)
{
    for (uint32_t i = 0; i < count; i++)
        bound(infos[i].buffer, infos[i].memory, infos[i].memoryOffset);
    return device_of(handle)->BindBufferMemory2(handle, count, infos);
}

static VKAPI_ATTR VkResult VKAPI_CALL own_GetCalibratedTimestampsEXT(VkDevice handle, uint32_t count,
                                                                     const VkCalibratedTimestampInfoEXT *infos,
                                                                     uint64_t *times, uint64_t *deviation)
{
    struct device *device = device_of(handle);
    uint64_t now = monotonic_ns();
    for (uint32_t i = 0; i < count; i++)
        times[i] = infos[i].timeDomain == VK_TIME_DOMAIN_DEVICE_EXT
                       ? (uint64_t)((double)now / device->data.period)
                       : now;
    *deviation = 0;
    return VK_SUCCESS;
}
