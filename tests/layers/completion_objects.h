/* What completion.c knows of objects, by their handles. */

enum kind { SEMAPHORE, FENCE, POOL, MEMORY, BUFFER, COMMANDS, KINDS };
static const char *const kind_names[KINDS] = {"VkSemaphore",    "VkFence",  "VkQueryPool",
                                              "VkDeviceMemory", "VkBuffer", "VkCommandBuffer"};

enum op_kind { WRITE_TIME, RESET_QUERIES, COPY_QUERIES, EXECUTE };

/* A recorded command that the layer carries out. */
struct op {
    enum op_kind kind;
    uint64_t pool, buffer;
    uint32_t first, count;
    VkDeviceSize offset, stride;
    VkQueryResultFlags flags;
};

/* What is known of a handle. */
struct object {
    enum kind kind;
    uint64_t handle;
    struct device *device;
    struct object *next;
    /* Semaphore: its value, 0 or 1 for a binary one. Fence: 1 if signalled. */
    uint64_t value;
    int is_timeline;
    /* Query pool: results and whether they are there. */
    uint64_t *results;
    uint8_t *available;
    uint32_t count;
    /* Memory: where it is mapped, as if from its start. Buffer: where it lies in which memory. */
    char *mapped;
    uint64_t memory, offset;
    /* Command buffer. */
    uint64_t command_pool;
    struct op *ops;
    size_t op_count, op_room;
};

struct value {
    uint64_t semaphore, value;
};

/* A batch that has been submitted and has not completed. */
struct batch {
    struct batch *next;
    size_t waits, signals, ops;
    struct value *wait, *signal;
    struct op *op;
    uint64_t fence;
};

struct queue {
    VkQueue handle;
    struct queue *next;
    struct batch *first, **end;
};

/* Guards everything below and all device_data; `changed` tells of each completion. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed;
static pthread_once_t once = PTHREAD_ONCE_INIT;

#define BUCKETS 4096
static struct object *table[BUCKETS];

#define ID(handle) ((uint64_t)(uintptr_t)(handle))

static void set_up(void)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&changed, &attributes);
}

static struct object **bucket(enum kind kind, uint64_t handle)
{
    return &table[(handle * 0x9e3779b97f4a7c15u >> 48 ^ kind) % BUCKETS];
}

static struct object *find(enum kind kind, uint64_t handle)
{
    struct object *object = *bucket(kind, handle);
    while (object && (object->handle != handle || object->kind != kind))
        object = object->next;
    return object;
}

static struct object *add(struct device *device, enum kind kind, uint64_t handle)
{
    struct object *object = room(sizeof *object), **head = bucket(kind, handle);
    *object = (struct object){.kind = kind, .handle = handle, .device = device, .next = *head};
    return *head = object;
}

static void drop(struct object **place)
{
    struct object *object = *place;
    *place = object->next;
    free(object->results);
    free(object->available);
    free(object->ops);
    free(object);
}

static void removed(enum kind kind, uint64_t handle)
{
    pthread_mutex_lock(&lock);
    for (struct object **place = bucket(kind, handle); *place; place = &(*place)->next)
        if ((*place)->kind == kind && (*place)->handle == handle) {
            drop(place);
            break;
        }
    pthread_mutex_unlock(&lock);
}
