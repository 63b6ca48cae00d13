/* The kernel's side of Intel's GPUs from Xe2 on (xe), for Mesa's driver ANV. INTEL_GPU names one of `gpus`. */
#define _GNU_SOURCE
#include "drm_kernel.h"
#include <xe_drm.h>

enum { INTEL = 0x8086, CLOCK = 19200000 /* Hz */, MASK_BYTES = 8 };

static const int has_timelines = 1;

typedef struct {
    const char *name;
    unsigned device, revision;
    unsigned major, minor;       /* of the graphics */
    unsigned subslices, units;   /* execution units of each subslice */
    uint64_t memory;             /* the GPU's own, bytes, all of which the host can map; 0: the host's */
} Gpu;

static const Gpu gpus[] = {
    {"bmg", 0xe20b, 0, 20, 1, 20, 8, 12ull << 30},
    {"ptl", 0xb080, 0, 30, 0, 12, 8, 0},
};

static const Gpu *gpu(void) { return named_row("INTEL_GPU", gpus, sizeof gpus / sizeof *gpus, sizeof *gpus); }

static void describe(drmDevice *told) { describe_card(told, INTEL, gpu()->device, gpu()->revision); }

/* What the kernel tells of the GPU. */

/* Writes a query's answer, or its length if the caller asks for that. */
static int tell(struct drm_xe_device_query *query, const void *answer, size_t length)
{
    if (query->size == 0) {
        query->size = (uint32_t)length;
        return 0;
    }
    if (query->size != length)
        return refuse(EINVAL);
    memcpy((void *)(uintptr_t)query->data, answer, length);
    return 0;
}

static int tell_engines(struct drm_xe_device_query *query)
{
    static const uint16_t classes[] = {DRM_XE_ENGINE_CLASS_RENDER, DRM_XE_ENGINE_CLASS_COPY, DRM_XE_ENGINE_CLASS_COMPUTE};
    enum { ENGINES = sizeof classes / sizeof *classes };
    struct {
        struct drm_xe_query_engines info;
        struct drm_xe_engine engines[ENGINES];
    } told = {.info.num_engines = ENGINES};
    for (int i = 0; i < ENGINES; i++)
        told.engines[i].instance.engine_class = classes[i];
    return tell(query, &told, sizeof told);
}

static int tell_memory(struct drm_xe_device_query *query)
{
    struct {
        struct drm_xe_query_mem_regions info;
        struct drm_xe_mem_region regions[2];
    } told = {.info.num_mem_regions = gpu()->memory ? 2 : 1};
    told.regions[0] = (struct drm_xe_mem_region){
        .mem_class = DRM_XE_MEM_REGION_CLASS_SYSMEM, .min_page_size = 4096, .total_size = 16ull << 30};
    told.regions[1] = (struct drm_xe_mem_region){
        .mem_class = DRM_XE_MEM_REGION_CLASS_VRAM, .instance = 1, .min_page_size = PAGE,
        .total_size = gpu()->memory, .cpu_visible_size = gpu()->memory};
    return tell(query, &told, sizeof told.info + told.info.num_mem_regions * sizeof *told.regions);
}

static int tell_settings(struct drm_xe_device_query *query)
{
    enum { SETTINGS = DRM_XE_QUERY_CONFIG_MAX_EXEC_QUEUE_PRIORITY + 1 };
    struct {
        struct drm_xe_query_config info;
        uint64_t settings[SETTINGS];
    } told = {.info.num_params = SETTINGS};
    const Gpu *g = gpu();
    told.settings[DRM_XE_QUERY_CONFIG_REV_AND_DEVICE_ID] = g->revision << 16 | g->device;
    told.settings[DRM_XE_QUERY_CONFIG_FLAGS] = g->memory ? DRM_XE_QUERY_CONFIG_FLAG_HAS_VRAM : 0;
    told.settings[DRM_XE_QUERY_CONFIG_MIN_ALIGNMENT] = g->memory ? PAGE : 4096;
    told.settings[DRM_XE_QUERY_CONFIG_VA_BITS] = 48;
    told.settings[DRM_XE_QUERY_CONFIG_MAX_EXEC_QUEUE_PRIORITY] = 2;
    return tell(query, &told, sizeof told);
}

static int tell_graphics(struct drm_xe_device_query *query)
{
    struct {
        struct drm_xe_query_gt_list info;
        struct drm_xe_gt graphics;
    } told = {.info.num_gt = 1};
    const Gpu *g = gpu();
    told.graphics.type = DRM_XE_QUERY_GT_TYPE_MAIN;
    told.graphics.reference_clock = CLOCK;
    told.graphics.near_mem_regions = g->memory ? 2 : 1;
    told.graphics.far_mem_regions = g->memory ? 1 : 0;
    told.graphics.ip_ver_major = (uint16_t)g->major;
    told.graphics.ip_ver_minor = (uint16_t)g->minor;
    return tell(query, &told, sizeof told);
}

static int tell_topology(struct drm_xe_device_query *query)
{
    static const uint16_t types[] = {
        DRM_XE_TOPO_DSS_GEOMETRY, DRM_XE_TOPO_DSS_COMPUTE, DRM_XE_TOPO_L3_BANK, DRM_XE_TOPO_SIMD16_EU_PER_DSS};
    enum { TYPES = sizeof types / sizeof *types, STEP = sizeof(struct drm_xe_query_topology_mask) + MASK_BYTES };
    unsigned char told[TYPES * STEP] = {0};
    for (int i = 0; i < TYPES; i++) {
        unsigned count = types[i] == DRM_XE_TOPO_SIMD16_EU_PER_DSS ? gpu()->units : gpu()->subslices;
        uint64_t bits = (1ull << count) - 1;
        struct drm_xe_query_topology_mask *mask = (void *)&told[i * STEP];
        mask->type = types[i];
        mask->num_bytes = MASK_BYTES;
        memcpy(mask->mask, &bits, sizeof bits);
    }
    return tell(query, told, sizeof told);
}

/* The firmware's table of the hardware: keys, each with the number of its words and the words. */
static int tell_hardware(struct drm_xe_device_query *query)
{
    enum { MAX_DUAL_SUBSLICES = 2, MAX_UNITS_OF_SUBSLICE = 3 };
    const uint32_t told[] = {MAX_DUAL_SUBSLICES, 1, gpu()->subslices, MAX_UNITS_OF_SUBSLICE, 1, gpu()->units};
    return tell(query, told, sizeof told);
}

/* The GPU's clock beside the host's. */
static int tell_cycles(struct drm_xe_device_query *query)
{
    struct drm_xe_query_engine_cycles told;
    if (query->size == 0)
        return tell(query, &told, sizeof told);
    memcpy(&told, (void *)(uintptr_t)query->data, sizeof told);
    struct timespec now;
    clock_gettime(told.clockid, &now);
    told.width = 36;
    told.engine_cycles = (uint64_t)now.tv_sec * CLOCK + (uint64_t)now.tv_nsec * CLOCK / 1000000000;
    told.cpu_timestamp = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
    told.cpu_delta = 1;
    return tell(query, &told, sizeof told);
}

static int query(struct drm_xe_device_query *query)
{
    switch (query->query) {
    case DRM_XE_DEVICE_QUERY_ENGINES: return tell_engines(query);
    case DRM_XE_DEVICE_QUERY_MEM_REGIONS: return tell_memory(query);
    case DRM_XE_DEVICE_QUERY_CONFIG: return tell_settings(query);
    case DRM_XE_DEVICE_QUERY_GT_LIST: return tell_graphics(query);
    case DRM_XE_DEVICE_QUERY_HWCONFIG: return tell_hardware(query);
    case DRM_XE_DEVICE_QUERY_GT_TOPOLOGY: return tell_topology(query);
    case DRM_XE_DEVICE_QUERY_ENGINE_CYCLES: return tell_cycles(query);
    default: return refuse(EINVAL);
    }
}

static int answer(unsigned long request, void *p)
{
    switch (_IOC_NR(request)) {
    case _IOC_NR(DRM_IOCTL_VERSION): return tell_version(p, "xe", 1, 1);
    case _IOC_NR(DRM_IOCTL_XE_DEVICE_QUERY): return query(p);
    case _IOC_NR(DRM_IOCTL_XE_GEM_CREATE): {
        struct drm_xe_gem_create *create = p;
        return create_memory(create->size, &create->handle);
    }
    case _IOC_NR(DRM_IOCTL_XE_GEM_MMAP_OFFSET): {
        struct drm_xe_gem_mmap_offset *map = p;
        return tell_offset(map->handle, &map->offset);
    }
    case _IOC_NR(DRM_IOCTL_XE_VM_CREATE): ((struct drm_xe_vm_create *)p)->vm_id = new_handle(); return 0;
    case _IOC_NR(DRM_IOCTL_XE_EXEC_QUEUE_CREATE): ((struct drm_xe_exec_queue_create *)p)->exec_queue_id = new_handle(); return 0;
    case _IOC_NR(DRM_IOCTL_XE_EXEC_QUEUE_GET_PROPERTY): ((struct drm_xe_exec_queue_get_property *)p)->value = 0; return 0;
    case _IOC_NR(DRM_IOCTL_XE_VM_BIND):
    case _IOC_NR(DRM_IOCTL_XE_VM_DESTROY):
    case _IOC_NR(DRM_IOCTL_XE_EXEC_QUEUE_DESTROY):
    case _IOC_NR(DRM_IOCTL_XE_EXEC):
    case _IOC_NR(DRM_IOCTL_XE_WAIT_USER_FENCE):
    case _IOC_NR(DRM_IOCTL_XE_MADVISE): return 0;
    default: return answer_ended(request, p);
    }
}
