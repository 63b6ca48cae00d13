/* The kernel's side of Broadcom's VideoCore GPUs (v3d), for Mesa's driver V3DV. V3D_GPU names one of `gpus`. */
#define _GNU_SOURCE
#include "drm_kernel.h"
#include <v3d_drm.h>

static const int has_timelines = 0;

typedef struct {
    const char *name, *compatible;
    uint32_t core0, core1, hub3; /* identification registers */
} Gpu;

static const Gpu gpus[] = {
    {"pi4", "brcm,2711-v3d", 0x04443356, 0x81001422, 0x00000000},
    {"pi5", "brcm,2712-v3d", 0x07443356, 0x81001431, 0x00000a00},
};

static const Gpu *gpu(void) { return named_row("V3D_GPU", gpus, sizeof gpus / sizeof *gpus, sizeof *gpus); }

static void describe(drmDevice *told) { describe_part(told, gpu()->compatible); }

static int parameter(struct drm_v3d_get_param *asked)
{
    switch (asked->param) {
    case DRM_V3D_PARAM_V3D_CORE0_IDENT0: asked->value = gpu()->core0; return 0;
    case DRM_V3D_PARAM_V3D_CORE0_IDENT1: asked->value = gpu()->core1; return 0;
    case DRM_V3D_PARAM_V3D_HUB_IDENT3: asked->value = gpu()->hub3; return 0;
    case DRM_V3D_PARAM_SUPPORTS_TFU:
    case DRM_V3D_PARAM_SUPPORTS_CSD:
    case DRM_V3D_PARAM_SUPPORTS_CACHE_FLUSH:
    case DRM_V3D_PARAM_SUPPORTS_MULTISYNC_EXT:
    case DRM_V3D_PARAM_SUPPORTS_CPU_QUEUE: asked->value = 1; return 0;
    case DRM_V3D_PARAM_V3D_UIFCFG:
    case DRM_V3D_PARAM_V3D_HUB_IDENT1:
    case DRM_V3D_PARAM_V3D_HUB_IDENT2:
    case DRM_V3D_PARAM_V3D_CORE0_IDENT2:
    case DRM_V3D_PARAM_SUPPORTS_PERFMON:
    case DRM_V3D_PARAM_GLOBAL_RESET_COUNTER:
    case DRM_V3D_PARAM_CONTEXT_RESET_COUNTER: asked->value = 0; return 0;
    default: return refuse(EINVAL);
    }
}

/* The GPU's addresses have 32 bits. */
static uint32_t address_of(uint32_t handle) { return (uint32_t)memory_of(handle).start; }

static int create(struct drm_v3d_create_bo *request)
{
    int result = create_memory(request->size, &request->handle);
    request->offset = address_of(request->handle);
    return result;
}

/* Synchronization objects: V3DV submits in threads of its own, and waits in others for what is yet to be submitted. */

enum { MOST_SYNCS = 1 << 16 };
static char ended[MOST_SYNCS]; /* by handle; of MOST_SYNCS handles that follow one another, the driver has few at once */
static pthread_cond_t some_ended = PTHREAD_COND_INITIALIZER;

static void set_ended(uint32_t handle, int value)
{
    pthread_mutex_lock(&lock);
    ended[handle % MOST_SYNCS] = (char)value;
    pthread_cond_broadcast(&some_ended);
    pthread_mutex_unlock(&lock);
}

static int create_sync(struct drm_syncobj_create *request)
{
    request->handle = new_handle();
    set_ended(request->handle, request->flags & DRM_SYNCOBJ_CREATE_SIGNALED);
    return 0;
}

static int set_all(const struct drm_syncobj_array *request, int value)
{
    const uint32_t *handles = (const uint32_t *)(uintptr_t)request->handles;
    for (uint32_t i = 0; i < request->count_handles; i++)
        set_ended(handles[i], value);
    return 0;
}

static uint32_t count_ended(const struct drm_syncobj_wait *request)
{
    const uint32_t *handles = (const uint32_t *)(uintptr_t)request->handles;
    uint32_t count = 0;
    for (uint32_t i = 0; i < request->count_handles; i++)
        count += ended[handles[i] % MOST_SYNCS] != 0;
    return count;
}

/* The time when a wait ends is one of the monotonic clock. It is looked at every millisecond. */
static int wait_for_syncs(struct drm_syncobj_wait *request)
{
    uint32_t needed = request->flags & DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL ? request->count_handles : 1;
    for (;;) {
        struct timespec now, soon;
        clock_gettime(CLOCK_MONOTONIC, &now);
        clock_gettime(CLOCK_REALTIME, &soon);
        soon.tv_nsec += 1000000;
        soon.tv_sec += soon.tv_nsec / 1000000000;
        soon.tv_nsec %= 1000000000;
        pthread_mutex_lock(&lock);
        int done = count_ended(request) >= needed;
        int late = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec >= request->timeout_nsec;
        if (!done && !late)
            pthread_cond_timedwait(&some_ended, &lock, &soon);
        pthread_mutex_unlock(&lock);
        if (done)
            return 0;
        if (!(request->flags & DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT))
            return refuse(EINVAL);
        if (late)
            return refuse(ETIME);
    }
}

static int export_sync_file(struct drm_syncobj_handle *request)
{
    if (!(request->flags & DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE))
        return refuse(EINVAL);
    request->fd = new_sync_file();
    return request->fd < 0 ? -1 : 0;
}

static int import_sync_file(const struct drm_syncobj_handle *request)
{
    if (!(request->flags & DRM_SYNCOBJ_FD_TO_HANDLE_FLAGS_IMPORT_SYNC_FILE))
        return refuse(EINVAL);
    set_ended(request->handle, 1);
    return 0;
}

/* Ends what was submitted: the objects that a list of extensions names, and one more. */
static int submit(uint64_t extensions, uint32_t sync)
{
    for (const struct drm_v3d_extension *next = (void *)(uintptr_t)extensions; next; next = (void *)(uintptr_t)next->next) {
        if (next->id != DRM_V3D_EXT_ID_MULTI_SYNC)
            continue;
        const struct drm_v3d_multi_sync *all = (const void *)next;
        const struct drm_v3d_sem *out = (const void *)(uintptr_t)all->out_syncs;
        for (uint32_t i = 0; i < all->out_sync_count; i++)
            set_ended(out[i].handle, 1);
    }
    if (sync)
        set_ended(sync, 1);
    return 0;
}

static int answer(unsigned long request, void *p)
{
    switch (_IOC_NR(request)) {
    case _IOC_NR(DRM_IOCTL_VERSION): return tell_version(p, "v3d", 1, 0);
    case _IOC_NR(DRM_IOCTL_V3D_GET_PARAM): return parameter(p);
    case _IOC_NR(DRM_IOCTL_V3D_CREATE_BO): return create(p);
    case _IOC_NR(DRM_IOCTL_V3D_MMAP_BO): return tell_offset(((struct drm_v3d_mmap_bo *)p)->handle, &((struct drm_v3d_mmap_bo *)p)->offset);
    case _IOC_NR(DRM_IOCTL_V3D_GET_BO_OFFSET): {
        struct drm_v3d_get_bo_offset *asked = p;
        asked->offset = address_of(asked->handle);
        return 0;
    }
    case _IOC_NR(DRM_IOCTL_V3D_WAIT_BO): return 0;
    case _IOC_NR(DRM_IOCTL_V3D_SUBMIT_CL): {
        struct drm_v3d_submit_cl *commands = p;
        return submit(commands->extensions, commands->out_sync);
    }
    case _IOC_NR(DRM_IOCTL_V3D_SUBMIT_TFU): {
        struct drm_v3d_submit_tfu *copy = p;
        return submit(copy->extensions, copy->out_sync);
    }
    case _IOC_NR(DRM_IOCTL_V3D_SUBMIT_CSD): {
        struct drm_v3d_submit_csd *dispatch = p;
        return submit(dispatch->extensions, dispatch->out_sync);
    }
    case _IOC_NR(DRM_IOCTL_V3D_SUBMIT_CPU): return submit(((struct drm_v3d_submit_cpu *)p)->extensions, 0);
    case _IOC_NR(DRM_IOCTL_SYNCOBJ_CREATE): return create_sync(p);
    case _IOC_NR(DRM_IOCTL_SYNCOBJ_DESTROY): return 0;
    case _IOC_NR(DRM_IOCTL_SYNCOBJ_WAIT): return wait_for_syncs(p);
    case _IOC_NR(DRM_IOCTL_SYNCOBJ_RESET): return set_all(p, 0);
    case _IOC_NR(DRM_IOCTL_SYNCOBJ_SIGNAL): return set_all(p, 1);
    case _IOC_NR(DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD): return export_sync_file(p);
    case _IOC_NR(DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE): return import_sync_file(p);
    default: return refuse(EINVAL);
    }
}
