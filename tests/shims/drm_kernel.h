/* What the kernel's sides of all GPUs have in common: the device file, memory, synchronization objects, and the calls of
 * the C library that lead to them. A kernel's side includes this file, and defines `describe` and `answer`.
 *
 * It stands before libdrm and the C library: by LD_PRELOAD, or linked with a program. A device file that every machine has
 * stands for the GPU's, and each ioctl on it is answered here. Nothing executes; what was submitted has ended at once. Memory
 * and synchronization objects have no file descriptors: the layer `completion` could not know what others signal. */
#ifndef DRM_KERNEL_H
#define DRM_KERNEL_H
#include <drm.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/sync_file.h>
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
enum { NODE_MAJOR = 1, NODE_MINOR = 7, PAGE = 0x10000 };

/* From this offset on, the device file has registers: they read as zero. */
static const off64_t REGISTERS = 1ll << 56;

/* The kernel's synchronization objects can be timelines. */
static const int has_timelines;

/* Writes the bus that the GPU is on, and what libdrm tells of it. */
static void describe(drmDevice *device);

/* Answers an ioctl that is the GPU's own. */
static int answer(unsigned long request, void *p);

/* Gives the row that a variable names, of rows that begin with a name. Ends the process if it names none. */
static const void *named_row(const char *variable, const void *rows, size_t count, size_t size)
{
    const char *name = getenv(variable);
    for (const char *row = rows, *end = row + count * size; name && row < end; row += size) {
        if (!strcmp(name, *(const char *const *)row))
            return row;
    }
    fprintf(stderr, "%s names no GPU\n", variable);
    exit(1);
}

/* Writes what libdrm tells of a GPU that is part of a chip. */
__attribute__((unused)) static void describe_part(drmDevice *told, const char *compatible)
{
    static drmPlatformBusInfo bus = {.fullname = "/soc/gpu"};
    static char text[32];
    static char *list[] = {text, NULL};
    static drmPlatformDeviceInfo device = {.compatible = list};
    strncpy(text, compatible, sizeof text - 1);
    told->bustype = DRM_BUS_PLATFORM;
    told->businfo.platform = &bus;
    told->deviceinfo.platform = &device;
}

/* Writes what libdrm tells of a GPU on PCI. */
__attribute__((unused)) static void describe_card(drmDevice *told, unsigned vendor, unsigned number, unsigned revision)
{
    static drmPciBusInfo bus = {.dev = 2};
    static drmPciDeviceInfo device;
    device.vendor_id = device.subvendor_id = (uint16_t)vendor;
    device.device_id = (uint16_t)number;
    device.revision_id = (uint8_t)revision;
    told->bustype = DRM_BUS_PCI;
    told->businfo.pci = &bus;
    told->deviceinfo.pci = &device;
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
    static drmDevice all = {.nodes = nodes, .available_nodes = 1 << DRM_NODE_PRIMARY | 1 << DRM_NODE_RENDER};
    describe(&all);
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

/* Tells the offset at which an object is mapped. */
static int tell_offset(uint32_t handle, __u64 *offset)
{
    Memory mapped = memory_of(handle);
    *offset = mapped.start;
    return mapped.size ? 0 : refuse(ENOENT);
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

/* Writes a text of the version, or its length if the caller asks for that. Old versions of libdrm crash on empty ones. */
static void tell_text(const char *text, char *to, __kernel_size_t *length)
{
    size_t needed = strlen(text);
    if (to && *length >= needed)
        memcpy(to, text, needed);
    *length = needed;
}

/* Tells the kernel driver's name and version. */
static int tell_version(struct drm_version *told, const char *name, int major, int minor)
{
    told->version_major = major;
    told->version_minor = minor;
    told->version_patchlevel = 0;
    tell_text(name, told->name, &told->name_len);
    tell_text("20201103", told->date, &told->date_len);
    tell_text("executes nothing", told->desc, &told->desc_len);
    return 0;
}

static int capability(struct drm_get_cap *asked)
{
    switch (asked->capability) {
    case DRM_CAP_SYNCOBJ: asked->value = 1; return 0;
    case DRM_CAP_SYNCOBJ_TIMELINE: asked->value = has_timelines; return 0;
    default: asked->value = 0; return 0;
    }
}

/* Answers an ioctl on a synchronization object, for drivers that wait only for what they have submitted: it has ended, so
 * that each wait succeeds. */
__attribute__((unused)) static int answer_ended(unsigned long request, void *p)
{
    switch (_IOC_NR(request)) {
    case _IOC_NR(DRM_IOCTL_SYNCOBJ_CREATE): ((struct drm_syncobj_create *)p)->handle = new_handle(); return 0;
    case _IOC_NR(DRM_IOCTL_SYNCOBJ_DESTROY):
    case _IOC_NR(DRM_IOCTL_SYNCOBJ_WAIT):
    case _IOC_NR(DRM_IOCTL_SYNCOBJ_RESET):
    case _IOC_NR(DRM_IOCTL_SYNCOBJ_SIGNAL):
    case _IOC_NR(DRM_IOCTL_SYNCOBJ_QUERY):
    case _IOC_NR(DRM_IOCTL_SYNCOBJ_TRANSFER):
    case _IOC_NR(DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT):
    case _IOC_NR(DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL): return 0;
    default: return refuse(EINVAL);
    }
}

/* Answers an ioctl: those that are the same for all GPUs here. */
static int answer_any(unsigned long request, void *p)
{
    switch (_IOC_NR(request)) {
    case _IOC_NR(DRM_IOCTL_GET_CAP): return capability(p);
    case _IOC_NR(DRM_IOCTL_GEM_CLOSE): return close_memory(((struct drm_gem_close *)p)->handle);
    default: return answer(request, p);
    }
}

/* Files that stand for the end of what was submitted, which some drivers pass from one synchronization object to another:
 * they have no bytes, since all has ended. */

static int new_sync_file(void) { return memfd_create("ended", MFD_CLOEXEC); }

static int merge_sync_files(struct sync_merge_data *request)
{
    request->fence = new_sync_file();
    return request->fence < 0 ? -1 : 0;
}

/* Calls of the C library on the device file. */

int ioctl(int fd, unsigned long request, ...)
{
    va_list list;
    va_start(list, request);
    void *p = va_arg(list, void *);
    va_end(list);
    if (_IOC_TYPE(request) == DRM_IOCTL_BASE && is_gpu(fd))
        return answer_any(request, p);
    if (request == SYNC_IOC_MERGE)
        return merge_sync_files(p);
    return (int)syscall(SYS_ioctl, fd, request, p);
}

void *mmap64(void *at, size_t length, int protection, int flags, int fd, off64_t offset)
{
    int maps_gpu = !(flags & MAP_ANONYMOUS) && fd >= 0 && is_gpu(fd);
    if (maps_gpu && offset >= REGISTERS)
        flags |= MAP_ANONYMOUS;
    return (void *)syscall(SYS_mmap, at, length, protection, flags, maps_gpu ? store : fd, offset);
}

void *mmap(void *at, size_t length, int protection, int flags, int fd, off_t offset)
{
    return mmap64(at, length, protection, flags, fd, offset);
}
#endif
