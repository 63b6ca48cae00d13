// client: once-a-driver
/* Semaphores that leave the process and come back as file descriptors (cl_khr_external_semaphore): opaque
 * ones, which are one semaphore in several contexts, and sync files, which are copies. Where the device has
 * neither, all of it is absent. */
#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <unistd.h>

#include "common.h"

enum { N = 1024, ROUNDS = 40 };
enum {
    TYPE = 0x203D,
    BINARY = 1,
    EXPORT_TYPES = 0x203F,
    EXPORTABLE = 0x2054,
    OPAQUE_FD = 0x2055,
    SYNC_FD = 0x2058,
    DEVICE_IMPORTS = 0x204D,
    DEVICE_EXPORTS = 0x204E,
    PLATFORM_IMPORTS = 0x2037,
    INVALID_SEMAPHORE = -1142,
};

typedef struct semaphore *semaphore_t;
static semaphore_t (*create)(cl_context, const cl_ulong *, cl_int *);
static cl_int (*wait_for)(cl_command_queue, cl_uint, const semaphore_t *, const cl_ulong *, cl_uint,
                          const cl_event *, cl_event *);
static cl_int (*signal)(cl_command_queue, cl_uint, const semaphore_t *, const cl_ulong *, cl_uint,
                        const cl_event *, cl_event *);
static cl_int (*info)(semaphore_t, cl_uint, size_t, void *, size_t *);
static cl_int (*release)(semaphore_t);
static cl_int (*handle_of)(semaphore_t, cl_device_id, cl_uint, size_t, void *, size_t *);
static cl_int (*import_again)(semaphore_t, const cl_ulong *, int);

static cl_device_id device;

struct side {
    cl_context context;
    cl_command_queue queue;
    cl_mem memory;
};

static struct side side(void)
{
    struct side made;
    made.context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    made.queue = MADE(clCreateCommandQueueWithProperties, made.context, device, NULL);
    made.memory = MADE(clCreateBuffer, made.context, 0, N * 4, NULL);
    return made;
}

static void drop(struct side side)
{
    clReleaseMemObject(side.memory), clReleaseCommandQueue(side.queue);
    release_last(side.context);
}

static void absent(cl_uint kind)
{
    cl_int error = 0;
    struct side here = side();
    cl_ulong exported[] = {TYPE, BINARY, EXPORT_TYPES, kind, 0, 0}, imported[] = {TYPE, BINARY, kind, 0, 0};
    CHECK(!create(here.context, exported, &error));
    EQ(error, CL_INVALID_PROPERTY);
    CHECK(!create(here.context, imported, &error));
    EQ(error, CL_INVALID_PROPERTY);
    drop(here);
}

static void errors(struct side here, cl_uint kind)
{
    cl_int error = 0, fd = -1;
    int null = open("/dev/null", O_RDWR), closed = dup(null);
    close(closed);
    cl_ulong bad_fd[] = {TYPE, BINARY, kind, (cl_ulong)closed, 0};
    cl_ulong many[] = {TYPE, BINARY, EXPORT_TYPES, kind, kind, 0, 0};
    cl_ulong both[] = {TYPE, BINARY, EXPORT_TYPES, kind, 0, kind, (cl_ulong)null, 0};
    cl_ulong plain[] = {TYPE, BINARY, 0}, exported[] = {TYPE, BINARY, EXPORT_TYPES, kind, 0, 0};
    CHECK(!create(here.context, bad_fd, &error));
    EQ(error, CL_INVALID_PROPERTY);
    CHECK(!create(here.context, many, &error));
    EQ(error, CL_INVALID_VALUE);
    CHECK(!create(here.context, both, &error));
    EQ(error, CL_INVALID_OPERATION);
    CHECK(fcntl(null, F_GETFD) >= 0);
    close(null);
    semaphore_t without = MADE(create, here.context, plain);
    semaphore_t with = MADE(create, here.context, exported);
    cl_uint types[2] = {0};
    cl_bool exportable = 9;
    size_t size = 9;
    MUST(info(without, EXPORTABLE, sizeof exportable, &exportable, NULL));
    EQ(exportable, CL_FALSE);
    MUST(info(without, EXPORT_TYPES, 0, NULL, &size));
    EQ(size, 0);
    MUST(info(with, EXPORTABLE, sizeof exportable, &exportable, NULL));
    EQ(exportable, CL_TRUE);
    MUST(info(with, EXPORT_TYPES, sizeof types, types, &size));
    CHECK(size == 4 && types[0] == kind);
    EQ(handle_of(without, device, kind, sizeof fd, &fd, NULL), CL_INVALID_VALUE);
    EQ(handle_of(NULL, device, kind, sizeof fd, &fd, NULL), INVALID_SEMAPHORE);
    EQ(handle_of(with, NULL, kind, sizeof fd, &fd, NULL), CL_INVALID_DEVICE);
    EQ(handle_of(with, device, kind ^ 1, sizeof fd, &fd, NULL), CL_INVALID_VALUE);
    EQ(handle_of(with, device, kind, 3, &fd, NULL), CL_INVALID_VALUE);
    MUST(handle_of(with, device, kind, 0, NULL, &size));
    EQ(size, sizeof fd);
    EQ(import_again(with, NULL, -1), INVALID_SEMAPHORE);
    /* A sync file of nothing. */
    if (kind == SYNC_FD)
        EQ(handle_of(with, device, kind, sizeof fd, &fd, NULL), CL_OUT_OF_RESOURCES);
    MUST(release(without));
    MUST(release(with));
}

/* One context writes, signals and hands the descriptor on; the other waits and copies. */
static void opaque(void)
{
    struct side a = side(), b = side();
    errors(a, OPAQUE_FD);
    cl_ulong exported[] = {TYPE, BINARY, EXPORT_TYPES, OPAQUE_FD, 0, 0};
    semaphore_t out = MADE(create, a.context, exported);
    int fd = -1;
    MUST(handle_of(out, device, OPAQUE_FD, sizeof fd, &fd, NULL));
    CHECK(fd >= 0);
    cl_ulong imported[] = {TYPE, BINARY, OPAQUE_FD, (cl_ulong)fd, 0};
    semaphore_t in = MADE(create, b.context, imported);
    CHECK(fcntl(fd, F_GETFD) < 0);
    cl_bool exportable = 9;
    MUST(info(in, EXPORTABLE, sizeof exportable, &exportable, NULL));
    EQ(exportable, CL_FALSE);
    for (int round = 0; round < ROUNDS; round++) {
        int got = -1;
        cl_event waited;
        MUST(clEnqueueFillBuffer(a.queue, a.memory, &round, 4, 0, N * 4, 0, NULL, NULL));
        MUST(signal(a.queue, 1, &out, NULL, 0, NULL, NULL));
        MUST(wait_for(b.queue, 1, &in, NULL, 0, NULL, &waited));
        MUST(clWaitForEvents(1, &waited));
        clReleaseEvent(waited);
        MUST(clEnqueueReadBuffer(a.queue, a.memory, CL_TRUE, 4, 4, &got, 0, NULL, NULL));
        EQ(got, round);
    }
    MUST(release(out));
    MUST(release(in));
    drop(a);
    drop(b);
}

static void sync_files(void)
{
    struct side a = side(), b = side();
    errors(a, SYNC_FD);
    cl_ulong exported[] = {TYPE, BINARY, EXPORT_TYPES, SYNC_FD, 0, 0};
    semaphore_t out = MADE(create, a.context, exported);
    /* -1 is something that is over. */
    cl_ulong over[] = {TYPE, BINARY, SYNC_FD, (cl_ulong)-1, 0};
    semaphore_t in = MADE(create, b.context, over);
    cl_event waited;
    MUST(wait_for(b.queue, 1, &in, NULL, 0, NULL, &waited));
    MUST(clWaitForEvents(1, &waited));
    clReleaseEvent(waited);
    EQ(import_again(in, NULL, -2), CL_INVALID_VALUE);
    for (int round = 0; round < ROUNDS; round++) {
        int fd = -2, got = -1;
        MUST(clEnqueueFillBuffer(a.queue, a.memory, &round, 4, 0, N * 4, 0, NULL, NULL));
        MUST(signal(a.queue, 1, &out, NULL, 0, NULL, NULL));
        MUST(handle_of(out, device, SYNC_FD, sizeof fd, &fd, NULL));
        CHECK(fd >= -1);
        MUST(import_again(in, NULL, fd));
        CHECK(fd == -1 || fcntl(fd, F_GETFD) < 0);
        MUST(wait_for(b.queue, 1, &in, NULL, 0, NULL, &waited));
        MUST(clWaitForEvents(1, &waited));
        clReleaseEvent(waited);
        MUST(clEnqueueReadBuffer(a.queue, a.memory, CL_TRUE, 4, 4, &got, 0, NULL, NULL));
        EQ(got, round);
    }
    MUST(release(out));
    MUST(release(in));
    drop(a);
    drop(b);
}

int main(void)
{
    load_function(&create, "clCreateSemaphoreWithPropertiesKHR");
    load_function(&wait_for, "clEnqueueWaitSemaphoresKHR");
    load_function(&signal, "clEnqueueSignalSemaphoresKHR");
    load_function(&info, "clGetSemaphoreInfoKHR");
    load_function(&release, "clReleaseSemaphoreKHR");
    load_function(&handle_of, "clGetSemaphoreHandleForTypeKHR");
    load_function(&import_again, "clReImportSemaphoreSyncFdKHR");
    device = pumice_device();
    char names[8192] = "";
    MUST(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof names, names, NULL));
    int with_opaque = strstr(names, "cl_khr_external_semaphore_opaque_fd") != NULL;
    int with_sync = strstr(names, "cl_khr_external_semaphore_sync_fd") != NULL;
    cl_uint types[4] = {0}, queries[] = {DEVICE_IMPORTS, DEVICE_EXPORTS};
    size_t size = 0;
    for (int i = 0; i < 2; i++) {
        cl_int error = clGetDeviceInfo(device, queries[i], sizeof types, types, &size);
        EQ(error, with_opaque || with_sync ? CL_SUCCESS : CL_INVALID_VALUE);
        if (!error)
            EQ(size, 4 * (with_opaque + with_sync));
    }
    MUST(clGetPlatformInfo(pumice_platform(), PLATFORM_IMPORTS, sizeof types, types, &size));
    EQ(size, 4 * (with_opaque + with_sync));
    if (with_opaque)
        opaque();
    else
        absent(OPAQUE_FD);
    if (with_sync)
        sync_files();
    else
        absent(SYNC_FD);
    return failures != 0;
}
