// client: env PUMICE_ZERO_MEMORY=off
/* Memory that buffers are made of, as the layer `memory` writes it down (LAYER_MEMORY names the file;
 * without it only the results count): on a card the device's own, staging memory of the host for writing,
 * cached memory for reading back, the part that both reach for arguments; few allocations for many
 * buffers; and as much as the device offers. */
#include "common.h"

static cl_device_id device;
static cl_context context;
static cl_command_queue queue;
static const char *path;

/* Counts the lines of the log that begin with the text. If `flags` is given, it gets the flags of the last. */
static int lines(const char *start, char flags[64])
{
    FILE *log = path ? fopen(path, "r") : NULL;
    char line[256];
    int found = 0;
    while (log && fgets(line, sizeof line, log))
        if (!strncmp(line, start, strlen(start))) {
            found++;
            if (flags)
                sscanf(line + strlen(start), " type %*u %63s", flags);
        }
    if (log)
        fclose(log);
    return found;
}

/* Returns whether the device has memory of a type with all of these flags and none of the others. */
static int has_type(const char *with, const char *without)
{
    for (int i = 0; i < 32; i++) {
        char start[32], flags[64] = "";
        snprintf(start, sizeof start, "type %d ", i);
        FILE *log = fopen(path, "r");
        char line[256];
        while (log && fgets(line, sizeof line, log))
            if (!strncmp(line, start, strlen(start)))
                sscanf(line + strlen(start), "%*u %63s", flags);
        if (log)
            fclose(log);
        if (*flags && strstr(flags, with) && !strstr(flags, without))
            return 1;
    }
    return 0;
}

/* Counts the buffers of some bytes, or a quarter more. */
static int buffers_of(size_t size, char flags[64])
{
    FILE *log = fopen(path, "r");
    char line[256], of_this[64];
    size_t bytes;
    int found = 0;
    while (log && fgets(line, sizeof line, log))
        if (sscanf(line, "buffer %zu type %*u %63s", &bytes, of_this) == 2 && bytes >= size && bytes <= size / 4 * 5) {
            found++;
            strcpy(flags, of_this);
        }
    if (log)
        fclose(log);
    return found;
}

/* Checks that a buffer of so many bytes was made, with some flags and without others. Staging memory is a little larger, so
 * that it serves for the next transfer. */
static void expect(size_t size, const char *with, const char *without)
{
    char flags[64] = "";
    if (!path)
        return;
    CHECK(buffers_of(size, flags) > 0);
    if (!strstr(flags, with) || strstr(flags, without)) {
        fprintf(stderr, "%zu bytes are of memory %s: no %s, or %s\n", size, flags, with, without);
        failures++;
    }
}

static cl_mem made(cl_mem_flags flags, size_t size)
{
    cl_int value = 0;
    cl_mem buffer = MADE(clCreateBuffer, context, flags, size, NULL);
    MUST(clEnqueueFillBuffer(queue, buffer, &value, 4, 0, 4, 0, NULL, NULL));
    MUST(clFinish(queue));
    return buffer;
}

/* Sizes that nothing else has, nor a quarter more. */
enum { PLAIN = 1234564, PINNED = 2345684, WRITTEN = 777776, READ = 555552, MANY = 3000 };

static void classes(void)
{
    int card = path && has_type("device", "visible") && has_type("visible", "device");
    /* Cached memory that would have to be invalidated is not used. */
    const char *cached = path && has_type("coherent|cached", "-") ? "cached" : "visible";
    cl_mem plain = made(0, PLAIN), pinned = made(CL_MEM_ALLOC_HOST_PTR, PINNED);
    expect(PLAIN, "device", card ? "visible" : "-");
    expect(PINNED, cached, "-");
    if (path && !card)
        expect(PLAIN, cached, "-");
    char *bytes = calloc(1, PLAIN);
    MUST(clEnqueueWriteBuffer(queue, plain, CL_TRUE, 0, WRITTEN, bytes, 0, NULL, NULL));
    MUST(clEnqueueReadBuffer(queue, plain, CL_TRUE, 0, READ, bytes, 0, NULL, NULL));
    free(bytes);
    if (card) {
        expect(WRITTEN, "visible", "device");
        expect(READ, cached, "device");
    }
    MUST(clReleaseMemObject(plain));
    MUST(clReleaseMemObject(pinned));
}

/* Many buffers take few allocations. */
static void parts(void)
{
    int before = lines("allocate", NULL);
    cl_mem *all = malloc(MANY * sizeof *all);
    for (int i = 0; i < MANY; i++) {
        all[i] = MADE(clCreateBuffer, context, 0, 4096, NULL);
    }
    for (int i = 0; i < MANY; i++)
        MUST(clReleaseMemObject(all[i]));
    free(all);
    CHECK(lines("allocate", NULL) - before <= 2);
}

/* As much as CL_DEVICE_MAX_MEM_ALLOC_SIZE says, up to 3 GiB; and where that is half of the memory, nearly all of it: what
 * is left is enough for a little more and not for much. */
static void most(void)
{
    cl_ulong most = 0, memory = 0;
    MUST(clGetDeviceInfo(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof most, &most, NULL));
    MUST(clGetDeviceInfo(device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof memory, &memory, NULL));
    /* mesa-drm-shim has 4 GiB for everything. */
    if (most > (cl_ulong)3 << 30)
        most = (cl_ulong)3 << 30;
    printf("%llu of %llu MiB\n", (unsigned long long)(most >> 20), (unsigned long long)(memory >> 20));
    cl_mem whole = made(0, most);
    if (memory == 2 * most) {
        cl_mem other = made(0, most - (40 << 20)), little = made(0, 4096);
        cl_int error = 0, value = 0;
        cl_mem much = clCreateBuffer(context, 0, most, NULL, &error);
        if (much)
            error = clEnqueueFillBuffer(queue, much, &value, 4, 0, 4, 0, NULL, NULL);
        if (much && !error)
            error = clFinish(queue);
        CHECK(error == CL_MEM_OBJECT_ALLOCATION_FAILURE || error == CL_OUT_OF_RESOURCES);
        if (much)
            MUST(clReleaseMemObject(much));
        MUST(clReleaseMemObject(little));
        MUST(clReleaseMemObject(other));
    }
    MUST(clReleaseMemObject(whole));
}

int main(void)
{
    path = getenv("LAYER_MEMORY");
    device = pumice_device();
    context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    queue = MADE(clCreateCommandQueueWithProperties, context, device, NULL);
    /* The memory of a driver on the processor is the machine's: it is not to be filled. */
    if (path)
        most();
    classes();
    parts();
    MUST(clReleaseCommandQueue(queue));
    release_last(context);
    return finish();
}
