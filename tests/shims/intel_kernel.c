/* The kernel's side of Intel's GPUs (i915), for Mesa's drivers ANV and hasvk (Broadwell and before). INTEL_GPU names one of `gpus`. */
#define _GNU_SOURCE
#include "drm_kernel.h"
#include <i915_drm.h>

enum { INTEL = 0x8086 };

static const int has_timelines = 1;

typedef struct {
    const char *name;
    unsigned device, revision;
    unsigned slices, subslices, units; /* subslices of each slice, execution units of each subslice */
    int frequency;                     /* of timestamps, Hz */
    int address_bits;
    uint64_t memory, visible;          /* the GPU's own, bytes; 0: the host's. What the host can map of it */
} Gpu;

static const Gpu gpus[] = {
    {"bdw", 0x1616, 9, 1, 3, 8, 12500000, 48, 0, 0},
    {"hsw", 0x0412, 6, 1, 2, 10, 12500000, 31, 0, 0},
    {"skl", 0x1912, 6, 1, 3, 8, 12000000, 48, 0, 0},
    {"tgl", 0x9a49, 1, 1, 6, 16, 19200000, 48, 0, 0},
    {"dg2", 0x56a0, 8, 8, 4, 16, 19200000, 48, 8ull << 30, 256 << 20},
};

static const Gpu *gpu(void) { return named_row("INTEL_GPU", gpus, sizeof gpus / sizeof *gpus, sizeof *gpus); }

static void describe(drmDevice *told) { describe_card(told, INTEL, gpu()->device, gpu()->revision); }

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
    case I915_PARAM_CMD_PARSER_VERSION: *value = 10; return 0;
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
    case I915_CONTEXT_PARAM_GTT_SIZE: context->value = 1ull << gpu()->address_bits; return 0;
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
    case _IOC_NR(DRM_IOCTL_VERSION): return tell_version(p, "i915", 1, 6);
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
    case _IOC_NR(DRM_IOCTL_I915_GEM_MMAP_OFFSET): return tell_offset(((struct drm_i915_gem_mmap_offset *)p)->handle, &((struct drm_i915_gem_mmap_offset *)p)->offset);
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
    case _IOC_NR(DRM_IOCTL_I915_GEM_EXECBUFFER2):
    case _IOC_NR(DRM_IOCTL_I915_GEM_WAIT):
    case _IOC_NR(DRM_IOCTL_I915_GEM_SET_DOMAIN):
    case _IOC_NR(DRM_IOCTL_I915_GEM_SET_CACHING):
    case _IOC_NR(DRM_IOCTL_I915_GEM_SET_TILING):
    case _IOC_NR(DRM_IOCTL_I915_GEM_MADVISE):
    case _IOC_NR(DRM_IOCTL_I915_GEM_VM_DESTROY):
    case _IOC_NR(DRM_IOCTL_I915_GEM_CONTEXT_DESTROY):
    case _IOC_NR(DRM_IOCTL_I915_GEM_CONTEXT_SETPARAM): return 0;
    default: return answer_ended(request, p);
    }
}
