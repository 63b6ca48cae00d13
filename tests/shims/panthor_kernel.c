/* The kernel's side of Arm's Mali GPUs with command streams (panthor), for Mesa's driver PanVK. MALI_GPU names one of
 * `gpus`. */
#define _GNU_SOURCE
#include "drm_kernel.h"
#include <panthor_drm.h>

static const int has_timelines = 1;

typedef struct {
    const char *name;
    uint32_t id;
    uint64_t cores; /* those that there are, a bit each */
} Gpu;

static const Gpu gpus[] = {
    {"g610", 0xa8670005, 0x50005},
    {"g720", 0xc8700000, 0x50005},
};

static const Gpu *gpu(void) { return named_row("MALI_GPU", gpus, sizeof gpus / sizeof *gpus, sizeof *gpus); }

static void describe(drmDevice *told) { describe_part(told, "arm,mali-valhall-csf"); }

static struct drm_panthor_gpu_info gpu_info(void)
{
    return (struct drm_panthor_gpu_info){
        .gpu_id = gpu()->id,
        .csf_id = 0x040a0412,
        .l2_features = 0x07120306,
        .tiler_features = 0x809,
        .mem_features = 0x301,
        .mmu_features = 0x2830, /* addresses of 48 bits */
        .thread_features = 0x10000,
        .max_threads = 2048,
        .thread_max_workgroup_size = 1024,
        .thread_max_barrier_size = 1024,
        .texture_features = {~0u, ~0u, ~0u, ~0u},
        .as_present = 0xff,
        .selected_coherency = DRM_PANTHOR_GPU_COHERENCY_NONE,
        .shader_present = gpu()->cores,
        .l2_present = 1,
        .tiler_present = 1,
    };
}

static struct drm_panthor_timestamp_info timestamp(void)
{
    enum { FREQUENCY = 24000000 };
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (struct drm_panthor_timestamp_info){
        .timestamp_frequency = FREQUENCY,
        .current_timestamp = (uint64_t)now.tv_sec * FREQUENCY + (uint64_t)now.tv_nsec * FREQUENCY / 1000000000,
        .cpu_timestamp_sec = (uint64_t)now.tv_sec,
        .cpu_timestamp_nsec = (uint64_t)now.tv_nsec,
    };
}

/* Writes a query's answer, or its length if the caller asks for that. */
static int tell(struct drm_panthor_dev_query *asked, const void *answer, uint32_t length)
{
    if (asked->pointer)
        memcpy((void *)(uintptr_t)asked->pointer, answer, asked->size < length ? asked->size : length);
    asked->size = length;
    return 0;
}

static int query(struct drm_panthor_dev_query *asked)
{
    const struct drm_panthor_gpu_info info = gpu_info();
    const struct drm_panthor_timestamp_info now = timestamp();
    const struct drm_panthor_csif_info streams = {
        .csg_slot_count = 8,
        .cs_slot_count = 8,
        .cs_reg_count = 96,
        .scoreboard_slot_count = 8,
        .unpreserved_cs_reg_count = 4,
    };
    const struct drm_panthor_group_priorities_info priorities = {
        .allowed_mask = 1 << PANTHOR_GROUP_PRIORITY_LOW | 1 << PANTHOR_GROUP_PRIORITY_MEDIUM,
    };
    switch (asked->type) {
    case DRM_PANTHOR_DEV_QUERY_GPU_INFO: return tell(asked, &info, sizeof info);
    case DRM_PANTHOR_DEV_QUERY_CSIF_INFO: return tell(asked, &streams, sizeof streams);
    case DRM_PANTHOR_DEV_QUERY_TIMESTAMP_INFO: return tell(asked, &now, sizeof now);
    case DRM_PANTHOR_DEV_QUERY_GROUP_PRIORITIES_INFO: return tell(asked, &priorities, sizeof priorities);
    default: return refuse(EINVAL);
    }
}

static int create_heap(struct drm_panthor_tiler_heap_create *request)
{
    request->handle = new_handle();
    request->tiler_heap_ctx_gpu_va = (uint64_t)request->handle << 32;
    request->first_heap_chunk_gpu_va = request->tiler_heap_ctx_gpu_va + PAGE;
    return 0;
}

static int answer(unsigned long request, void *p)
{
    switch (_IOC_NR(request)) {
    case _IOC_NR(DRM_IOCTL_VERSION): return tell_version(p, "panthor", 1, 4);
    case _IOC_NR(DRM_IOCTL_PANTHOR_DEV_QUERY): return query(p);
    case _IOC_NR(DRM_IOCTL_PANTHOR_VM_CREATE): ((struct drm_panthor_vm_create *)p)->id = new_handle(); return 0;
    case _IOC_NR(DRM_IOCTL_PANTHOR_VM_GET_STATE):
        ((struct drm_panthor_vm_get_state *)p)->state = DRM_PANTHOR_VM_STATE_USABLE;
        return 0;
    case _IOC_NR(DRM_IOCTL_PANTHOR_BO_CREATE): {
        struct drm_panthor_bo_create *create = p;
        return create_memory(create->size, &create->handle);
    }
    case _IOC_NR(DRM_IOCTL_PANTHOR_BO_MMAP_OFFSET): return tell_offset(((struct drm_panthor_bo_mmap_offset *)p)->handle, &((struct drm_panthor_bo_mmap_offset *)p)->offset);
    case _IOC_NR(DRM_IOCTL_PANTHOR_GROUP_CREATE): ((struct drm_panthor_group_create *)p)->group_handle = new_handle(); return 0;
    case _IOC_NR(DRM_IOCTL_PANTHOR_GROUP_GET_STATE): {
        struct drm_panthor_group_get_state *state = p;
        state->state = state->fatal_queues = 0;
        return 0;
    }
    case _IOC_NR(DRM_IOCTL_PANTHOR_TILER_HEAP_CREATE): return create_heap(p);
    case _IOC_NR(DRM_IOCTL_PANTHOR_VM_DESTROY):
    case _IOC_NR(DRM_IOCTL_PANTHOR_VM_BIND):
    case _IOC_NR(DRM_IOCTL_PANTHOR_GROUP_DESTROY):
    case _IOC_NR(DRM_IOCTL_PANTHOR_GROUP_SUBMIT):
    case _IOC_NR(DRM_IOCTL_PANTHOR_TILER_HEAP_DESTROY):
    case _IOC_NR(DRM_IOCTL_PANTHOR_BO_SET_LABEL): return 0;
    default: return answer_ended(request, p);
    }
}
