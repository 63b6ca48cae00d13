/* The kernel's udmabuf, which makes a dma-buf of a file in memory. lavapipe shares memory by it; here the file in memory
 * stands for the dma-buf, by LD_PRELOAD. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <linux/udmabuf.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static int open_file(const char *path, int flags, int mode)
{
    if (path && !strcmp(path, "/dev/udmabuf"))
        return memfd_create("udmabuf", MFD_CLOEXEC);
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int open(const char *path, int flags, ...)
{
    va_list list;
    va_start(list, flags);
    int mode = va_arg(list, int);
    va_end(list);
    return open_file(path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
    va_list list;
    va_start(list, flags);
    int mode = va_arg(list, int);
    va_end(list);
    return open_file(path, flags, mode);
}

int ioctl(int fd, unsigned long request, ...)
{
    va_list list;
    va_start(list, request);
    void *p = va_arg(list, void *);
    va_end(list);
    switch (request) {
    case UDMABUF_CREATE: return fcntl((int)((struct udmabuf_create *)p)->memfd, F_DUPFD_CLOEXEC, 0);
    case DMA_BUF_IOCTL_SYNC: return 0;
    default: return (int)syscall(SYS_ioctl, fd, request, p);
    }
}
