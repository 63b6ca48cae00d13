/* The kernel's side of Intel's GPUs (i915), for Mesa's driver ANV: memory, contexts, submissions and synchronization
 * objects are answered as a kernel does, without a GPU. Nothing executes; what was submitted has ended at once.
 *
 * It stands before libdrm and the C library: by LD_PRELOAD, or linked with a program. INTEL_GPU names one of `gpus`. A
 * device file that every machine has stands for the GPU's, and each ioctl on it is answered here. Memory and
 * synchronization objects have no file descriptors: the layer `completion` could not know what others signal. */
#define _GNU_SOURCE
#include <drm.h>
#include <errno.h>
#include <fcntl.h>
#include <i915_drm.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>
#include <xf86drm.h>

static char node[] = "/dev/full";
enum { NODE_MAJOR = 1, NODE_MINOR = 7, PAGE = 0x10000, INTEL = 0x8086 };

typedef struct {
    const char *name;
    unsigned device, revision;
    unsigned slices, subslices, units; /* subslices of each slice, execution units of each subslice */
    int frequency;                     /* of timestamps, Hz */
    uint64_t memory, visible;          /* the GPU's own, bytes; 0: the host's. What the host can map of it */
} Gpu;

static const Gpu gpus[] = {
    {"skl", 0x1912, 6, 1, 3, 8, 12000000, 0, 0},
    {"tgl", 0x9a49, 1, 1, 6, 16, 19200000, 0, 0},
    {"dg2", 0x56a0, 8, 8, 4, 16, 19200000, 8ull << 30, 256 << 20},
};

static const Gpu *gpu(void)
{
    const char *name = getenv("INTEL_GPU");
    for (size_t i = 0; name && i < sizeof gpus / sizeof *gpus; i++) {
        if (!strcmp(name, gpus[i].name))
            return &gpus[i];
    }
    fprintf(stderr, "intel_kernel: INTEL_GPU names no GPU\n");
    exit(1);
}

static int is_gpu(int fd)
{
    struct stat s;
    return fstat(fd, &s) == 0 && S_ISCHR(s.st_mode) && major(s.st_rdev) == NODE_MAJOR && minor(s.st_rdev) == NODE_MINOR;
}

/* libdrm's list of devices has the GPU alone. */

static drmDevicePtr the_device(void)
{
    static char empty[] = "";
    static char *nodes[DRM_NODE_MAX] = {node, empty, node};
    static drmPciBusInfo bus = {.dev = 2};
    static drmPciDeviceInfo device;
    static drmDevice all = {
        .nodes = nodes,
        .available_nodes = 1 << DRM_NODE_PRIMARY | 1 << DRM_NODE_RENDER,
        .bustype = DRM_BUS_PCI,
        .businfo.pci = &bus,
        .deviceinfo.pci = &device,
    };
    device.vendor_id = device.subvendor_id = INTEL;
    device.device_id = (uint16_t)gpu()->device;
    device.revision_id = (uint8_t)gpu()->revision;
    return &all;
}

int drmGetDevices2(uint32_t flags, drmDevicePtr devices[], int most)
{
    (void)flags;
    if (devices && most > 0)
        devices[0] = the_device();
    return 1;
}
int drmGetDevices(drmDevicePtr devices[], int most) { return drmGetDevices2(0, devices, most); }
int drmGetDevice2(int fd, uint32_t flags, drmDevicePtr *device)
{
    (void)fd;
    (void)flags;
    *device = the_device();
    return 0;
}
int drmGetDevice(int fd, drmDevicePtr *device) { return drmGetDevice2(fd, 0, device); }
int drmGetDeviceFromDevId(dev_t id, uint32_t flags, drmDevicePtr *device)
{
    (void)id;
    return drmGetDevice2(-1, flags, device);
}
void drmFreeDevice(drmDevicePtr *device) { *device = NULL; }
void drmFreeDevices(drmDevicePtr devices[], int count)
{
    for (int i = 0; i < count; i++)
        devices[i] = NULL;
}

/* Memory: one file in memory, of which each object has a range that no other ever has. Its offset in the file is also
 * the one at which it is mapped. */

typedef struct {
    uint64_t start, size;
    int open;
} Memory;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int store = -1;
static uint64_t store_size = PAGE;
static Memory *objects;
static uint32_t object_count, object_room;
static uint32_t last_handle; /* of synchronization objects, contexts and address spaces */

static uint32_t new_handle(void) { return __atomic_add_fetch(&last_handle, 1, __ATOMIC_SEQ_CST); }

static int refuse(int code)
{
    errno = code;
    return -1;
}

/* Gives a handle, 0 if there is no memory. */
static uint32_t new_memory(uint64_t size)
{
    uint32_t handle = 0;
    pthread_mutex_lock(&lock);
    if (store < 0)
        store = memfd_create("gpu", MFD_CLOEXEC);
    if (object_count + 1 >= object_room) {
        uint32_t room = object_room ? 2 * object_room : 1024;
        Memory *more = realloc(objects, sizeof *objects * room);
        if (more) {
            objects = more;
            object_room = room;
        }
    }
    size = (size + PAGE - 1) / PAGE * PAGE;
    if (object_count + 1 < object_room && ftruncate(store, (off_t)(store_size + size)) == 0) {
        handle = ++object_count;
        objects[handle] = (Memory){store_size, size, 1};
        store_size += size;
    }
    pthread_mutex_unlock(&lock);
    return handle;
}

/* An open object's range; `size` is 0 if there is none. */
static Memory memory_of(uint32_t handle)
{
    Memory found = {0};
    pthread_mutex_lock(&lock);
    if (handle && handle <= object_count && objects[handle].open)
        found = objects[handle];
    pthread_mutex_unlock(&lock);
    return found;
}

static int create_memory(uint64_t size, uint32_t *handle)
{
    *handle = new_memory(size);
    return *handle ? 0 : refuse(ENOMEM);
}

static int close_memory(uint32_t handle)
{
    Memory closed = memory_of(handle);
    if (!closed.size)
        return refuse(EINVAL);
    objects[handle].open = 0;
    fallocate(store, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)closed.start, (off_t)closed.size);
    return 0;
}

/* What the kernel tells of the GPU. */

/* Writes a query's answer, or its length if the caller asks for that. */
static void tell(struct drm_i915_query_item *item, const void *answer, size_t length)
{
    if (item->length >= (int)length)
        memcpy((void *)(uintptr_t)item->data_ptr, answer, length);
    else if (item->length)
        length = 0;
    item->length = length ? (int)length : -EINVAL;
}

static void tell_topology(struct drm_i915_query_item *item)
{
    const Gpu *g = gpu();
    struct drm_i915_query_topology_info *info = calloc(1, 4096);
    unsigned per_slice = (g->subslices + 7) / 8, per_subslice = (g->units + 7) / 8, slice_bytes = (g->slices + 7) / 8;
    info->max_slices = (uint16_t)g->slices;
    info->max_subslices = (uint16_t)g->subslices;
    info->max_eus_per_subslice = (uint16_t)g->units;
    info->subslice_offset = (uint16_t)slice_bytes;
    info->subslice_stride = (uint16_t)per_slice;
    info->eu_offset = (uint16_t)(slice_bytes + g->slices * per_slice);
    info->eu_stride = (uint16_t)per_subslice;
    for (unsigned slice = 0; slice < g->slices; slice++) {
        info->data[slice / 8] |= (uint8_t)(1 << slice % 8);
        for (unsigned subslice = 0; subslice < g->subslices; subslice++) {
            unsigned number = slice * g->subslices + subslice;
            info->data[info->subslice_offset + slice * per_slice + subslice / 8] |= (uint8_t)(1 << subslice % 8);
            for (unsigned unit = 0; unit < g->units; unit++)
                info->data[info->eu_offset + number * per_subslice + unit / 8] |= (uint8_t)(1 << unit % 8);
        }
    }
    tell(item, info, sizeof *info + info->eu_offset + g->slices * g->subslices * per_subslice);
    free(info);
}

static void tell_engines(struct drm_i915_query_item *item)
{
    enum { ENGINES = 3 };
    static const uint16_t classes[ENGINES] = {I915_ENGINE_CLASS_RENDER, I915_ENGINE_CLASS_COPY, I915_ENGINE_CLASS_COMPUTE};
    struct {
        struct drm_i915_query_engine_info info;
        struct drm_i915_engine_info engines[ENGINES];
    } answer = {0};
    /* Engines that only compute came with Xe-HPG. */
    answer.info.num_engines = gpu()->memory ? ENGINES : ENGINES - 1;
    for (uint32_t i = 0; i < answer.info.num_engines; i++)
        answer.engines[i].engine.engine_class = classes[i];
    tell(item, &answer, sizeof answer.info + answer.info.num_engines * sizeof *answer.engines);
}

static void tell_memory(struct drm_i915_query_item *item)
{
    struct {
        struct drm_i915_query_memory_regions info;
        struct drm_i915_memory_region_info regions[2];
    } answer = {0};
    struct drm_i915_memory_region_info *host = &answer.regions[0], *own = &answer.regions[1];
    host->region.memory_class = I915_MEMORY_CLASS_SYSTEM;
    host->probed_size = host->unallocated_size = 16ull << 30;
    host->probed_cpu_visible_size = host->unallocated_cpu_visible_size = 16ull << 30;
    own->region.memory_class = I915_MEMORY_CLASS_DEVICE;
    own->probed_size = own->unallocated_size = gpu()->memory;
    own->probed_cpu_visible_size = own->unallocated_cpu_visible_size = gpu()->visible;
    answer.info.num_regions = gpu()->memory ? 2 : 1;
    tell(item, &answer, sizeof answer.info + answer.info.num_regions * sizeof *answer.regions);
}

static int query(const struct drm_i915_query *all)
{
    struct drm_i915_query_item *items = (void *)(uintptr_t)all->items_ptr;
    for (uint32_t i = 0; i < all->num_items; i++) {
        switch (items[i].query_id) {
        case DRM_I915_QUERY_TOPOLOGY_INFO:
        case DRM_I915_QUERY_GEOMETRY_SUBSLICES: tell_topology(&items[i]); break;
        case DRM_I915_QUERY_ENGINE_INFO: tell_engines(&items[i]); break;
        case DRM_I915_QUERY_MEMORY_REGIONS: tell_memory(&items[i]); break;
        default: items[i].length = -EINVAL;
        }
    }
    return 0;
}

static int parameter(int which, int *value)
{
    const Gpu *g = gpu();
    switch (which) {
    case I915_PARAM_CHIPSET_ID: *value = (int)g->device; return 0;
    case I915_PARAM_REVISION: *value = (int)g->revision; return 0;
    case I915_PARAM_EU_TOTAL: *value = (int)(g->slices * g->subslices * g->units); return 0;
    case I915_PARAM_SUBSLICE_TOTAL: *value = (int)(g->slices * g->subslices); return 0;
    case I915_PARAM_SLICE_MASK: *value = (1 << g->slices) - 1; return 0;
    case I915_PARAM_SUBSLICE_MASK: *value = (1 << g->subslices) - 1; return 0;
    case I915_PARAM_CS_TIMESTAMP_FREQUENCY: *value = g->frequency; return 0;
    case I915_PARAM_HAS_LLC: *value = !g->memory; return 0;
    case I915_PARAM_MMAP_GTT_VERSION: *value = 4; return 0; /* with offsets of GEM_MMAP_OFFSET */
    case I915_PARAM_HAS_SCHEDULER: *value = I915_SCHEDULER_CAP_ENABLED | I915_SCHEDULER_CAP_PRIORITY; return 0;
    case I915_PARAM_MMAP_VERSION:
    case I915_PARAM_MMAP_GTT_COHERENT:
    case I915_PARAM_HAS_WAIT_TIMEOUT:
    case I915_PARAM_HAS_EXECBUF2:
    case I915_PARAM_HAS_EXEC_SOFTPIN:
    case I915_PARAM_HAS_EXEC_ASYNC:
    case I915_PARAM_HAS_EXEC_FENCE:
    case I915_PARAM_HAS_EXEC_FENCE_ARRAY:
    case I915_PARAM_HAS_EXEC_TIMELINE_FENCES:
    case I915_PARAM_HAS_EXEC_CAPTURE:
    case I915_PARAM_HAS_EXEC_BATCH_FIRST:
    case I915_PARAM_HAS_CONTEXT_ISOLATION:
    case I915_PARAM_HAS_USERPTR_PROBE: *value = 1; return 0;
    default: return refuse(EINVAL);
    }
}

static int context_parameter(struct drm_i915_gem_context_param *context)
{
    switch (context->param) {
    case I915_CONTEXT_PARAM_GTT_SIZE: context->value = 1ull << 48; return 0;
    case I915_CONTEXT_PARAM_VM: context->value = new_handle(); return 0;
    default: context->value = 0; return 0;
    }
}

static int map_memory(struct drm_i915_gem_mmap *request)
{
    Memory mapped = memory_of(request->handle);
    if (!mapped.size)
        return refuse(ENOENT);
    void *at = mmap(NULL, request->size, PROT_READ | PROT_WRITE, MAP_SHARED, store, (off_t)(mapped.start + request->offset));
    request->addr_ptr = (uintptr_t)at;
    return at == MAP_FAILED ? -1 : 0;
}

static int map_offset(struct drm_i915_gem_mmap_offset *request)
{
    Memory mapped = memory_of(request->handle);
    request->offset = mapped.start;
    return mapped.size ? 0 : refuse(ENOENT);
}

/* Writes a text of the version, or its length if the caller asks for that. Old versions of libdrm crash on empty ones. */
static void tell_text(const char *text, char *to, __kernel_size_t *length)
{
    size_t needed = strlen(text);
    if (to && *length >= needed)
        memcpy(to, text, needed);
    *length = needed;
}

static int version(struct drm_version *told)
{
    told->version_major = 1;
    told->version_minor = 6;
    told->version_patchlevel = 0;
    tell_text("i915", told->name, &told->name_len);
    tell_text("20201103", told->date, &told->date_len);
    tell_text("Intel Graphics", told->desc, &told->desc_len);
    return 0;
}

static int capability(struct drm_get_cap *asked)
{
    switch (asked->capability) {
    case DRM_CAP_SYNCOBJ:
    case DRM_CAP_SYNCOBJ_TIMELINE: asked->value = 1; return 0;
    default: asked->value = 0; return 0;
    }
}

/* The one register that is read: the GPU's clock. */
static int timestamp(struct drm_i915_reg_read *read)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    uint64_t frequency = (uint64_t)gpu()->frequency;
    read->val = (uint64_t)now.tv_sec * frequency + (uint64_t)now.tv_nsec * frequency / 1000000000;
    return 0;
}

static int answer(unsigned long request, void *p)
{
    switch (_IOC_NR(request)) {
    case _IOC_NR(DRM_IOCTL_VERSION): return version(p);
    case _IOC_NR(DRM_IOCTL_GET_CAP): return capability(p);
    case _IOC_NR(DRM_IOCTL_GEM_CLOSE): return close_memory(((struct drm_gem_close *)p)->handle);
    case _IOC_NR(DRM_IOCTL_SYNCOBJ_CREATE): ((struct drm_syncobj_create *)p)->handle = new_handle(); return 0;
    case _IOC_NR(DRM_IOCTL_I915_GETPARAM): return parameter(((drm_i915_getparam_t *)p)->param, ((drm_i915_getparam_t *)p)->value);
    case _IOC_NR(DRM_IOCTL_I915_QUERY): return query(p);
    case _IOC_NR(DRM_IOCTL_I915_GEM_CREATE): {
        struct drm_i915_gem_create *create = p;
        return create_memory(create->size, &create->handle);
    }
    case _IOC_NR(DRM_IOCTL_I915_GEM_CREATE_EXT): {
        struct drm_i915_gem_create_ext *create = p;
        return create_memory(create->size, &create->handle);
    }
    case _IOC_NR(DRM_IOCTL_I915_GEM_USERPTR): {
        struct drm_i915_gem_userptr *user = p;
        return create_memory(1, &user->handle);
    }
    case _IOC_NR(DRM_IOCTL_I915_GEM_MMAP): return map_memory(p);
    case _IOC_NR(DRM_IOCTL_I915_GEM_MMAP_OFFSET): return map_offset(p);
    case _IOC_NR(DRM_IOCTL_I915_GEM_GET_TILING): ((struct drm_i915_gem_get_tiling *)p)->tiling_mode = I915_TILING_NONE; return 0;
    case _IOC_NR(DRM_IOCTL_I915_GEM_GET_APERTURE): {
        struct drm_i915_gem_get_aperture *aperture = p;
        aperture->aper_size = aperture->aper_available_size = 1ull << 32;
        return 0;
    }
    case _IOC_NR(DRM_IOCTL_I915_GEM_BUSY): ((struct drm_i915_gem_busy *)p)->busy = 0; return 0;
    case _IOC_NR(DRM_IOCTL_I915_GEM_CONTEXT_CREATE): ((struct drm_i915_gem_context_create *)p)->ctx_id = new_handle(); return 0;
    case _IOC_NR(DRM_IOCTL_I915_GEM_CONTEXT_GETPARAM): return context_parameter(p);
    case _IOC_NR(DRM_IOCTL_I915_GEM_VM_CREATE): ((struct drm_i915_gem_vm_control *)p)->vm_id = new_handle(); return 0;
    case _IOC_NR(DRM_IOCTL_I915_GET_RESET_STATS): {
        struct drm_i915_reset_stats *stats = p;
        stats->reset_count = stats->batch_active = stats->batch_pending = 0;
        return 0;
    }
    case _IOC_NR(DRM_IOCTL_I915_REG_READ): return timestamp(p);
    /* What was submitted has ended, so that each wait succeeds. */
    case _IOC_NR(DRM_IOCTL_SYNCOBJ_DESTROY):
    case _IOC_NR(DRM_IOCTL_SYNCOBJ_WAIT):
    case _IOC_NR(DRM_IOCTL_SYNCOBJ_RESET):
    case _IOC_NR(DRM_IOCTL_SYNCOBJ_SIGNAL):
    case _IOC_NR(DRM_IOCTL_SYNCOBJ_QUERY):
    case _IOC_NR(DRM_IOCTL_SYNCOBJ_TRANSFER):
    case _IOC_NR(DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT):
    case _IOC_NR(DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL):
    case _IOC_NR(DRM_IOCTL_I915_GEM_EXECBUFFER2):
    case _IOC_NR(DRM_IOCTL_I915_GEM_WAIT):
    case _IOC_NR(DRM_IOCTL_I915_GEM_SET_DOMAIN):
    case _IOC_NR(DRM_IOCTL_I915_GEM_SET_CACHING):
    case _IOC_NR(DRM_IOCTL_I915_GEM_SET_TILING):
    case _IOC_NR(DRM_IOCTL_I915_GEM_MADVISE):
    case _IOC_NR(DRM_IOCTL_I915_GEM_VM_DESTROY):
    case _IOC_NR(DRM_IOCTL_I915_GEM_CONTEXT_DESTROY):
    case _IOC_NR(DRM_IOCTL_I915_GEM_CONTEXT_SETPARAM): return 0;
    default: return refuse(EINVAL);
    }
}

/* Calls of the C library on the device file. */

int ioctl(int fd, unsigned long request, ...)
{
    va_list list;
    va_start(list, request);
    void *p = va_arg(list, void *);
    va_end(list);
    if (_IOC_TYPE(request) == DRM_IOCTL_BASE && is_gpu(fd))
        return answer(request, p);
    return (int)syscall(SYS_ioctl, fd, request, p);
}

void *mmap64(void *at, size_t length, int protection, int flags, int fd, off64_t offset)
{
    int maps_gpu = !(flags & MAP_ANONYMOUS) && fd >= 0 && is_gpu(fd);
    return (void *)syscall(SYS_mmap, at, length, protection, flags, maps_gpu ? store : fd, offset);
}

void *mmap(void *at, size_t length, int protection, int flags, int fd, off_t offset)
{
    return mmap64(at, length, protection, flags, fd, offset);
}
