/* Transfers and maps that repeat allocate nothing: their staging memory, and that in which a map shows a buffer, are kept. No
 * call fails by the plan, whose report tells how many there were. */
// client: env PUMICE_STAGING_ONLY=on
// client: env PUMICE_MASK=bufferDeviceAddress
// client: env PUMICE_FAULTS=vkAllocateMemory:device:4000000000,vkCreateBuffer:device:4000000000,vkCreateFence:device:4000000000
#include "report.h"

enum { SIZE = 20 << 20, ROUNDS = 12 };

static cl_command_queue queue;
static cl_mem buffer, image;
static unsigned char data[SIZE], got[SIZE];

/* Returns the number of calls that a line of the plan has counted. */
static long calls_of(const char *name)
{
    char *faults = strstr(driver_report(), "\"faults\""), quoted[64];
    snprintf(quoted, sizeof quoted, "\"%s\"", name);
    char *line = faults ? strstr(faults, quoted) : NULL, *calls = line ? strstr(line, "\"calls\"") : NULL;
    CHECK(calls != NULL);
    if (!calls)
        return 0;
    calls += strlen("\"calls\"");
    return atol(calls + strspn(calls, ": "));
}

/* A blocking write and read, which bring what was written. */
static void transfer(size_t size, int round)
{
    memset(data, round, size);
    MUST(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, size / 4, size, data, 0, NULL, NULL));
    MUST(clEnqueueReadBuffer(queue, buffer, CL_TRUE, size / 4, size, got, 0, NULL, NULL));
    EQ(memcmp(data, got, size), 0);
}

/* Transfers of rows, which have gaps on both sides. */
static void transfer_rows(size_t rows, int round)
{
    size_t origin[3] = {0}, region[3] = {40, rows, 1};
    memset(data, round, rows * 64);
    MUST(clEnqueueWriteBufferRect(queue, buffer, CL_TRUE, origin, origin, region, 64, 0, 64, 0, data, 0, NULL, NULL));
    MUST(clEnqueueReadBufferRect(queue, buffer, CL_TRUE, origin, origin, region, 64, 0, 64, 0, got, 0, NULL, NULL));
    for (size_t row = 0; row < rows; row += 97)
        EQ(memcmp(data + row * 64, got + row * 64, 40), 0);
}

/* A map that shows what a write has put there, and an unmap that brings what the host wrote there. */
static void map(size_t size, int round)
{
    cl_int error = 0;
    unsigned char first = (unsigned char)round, last = (unsigned char)(round + 1);
    memset(data, first, size + 1);
    MUST(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, size + 1, data, 0, NULL, NULL));
    unsigned char *at =
        clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 1, size, 0, NULL, NULL, &error);
    MUST(error);
    EQ(at[0], first);
    EQ(at[size - 1], first);
    at[size - 1] = last;
    MUST(clEnqueueUnmapMemObject(queue, buffer, at, 0, NULL, NULL));
    at = MADE(clEnqueueMapBuffer, queue, buffer, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, 1, 1, 0, NULL, NULL);
    at[0] = last;
    MUST(clEnqueueUnmapMemObject(queue, buffer, at, 0, NULL, NULL));
    MUST(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, size + 1, got, 0, NULL, NULL));
    EQ(got[0], first);
    EQ(got[1], last);
    EQ(got[2], size > 2 ? first : last);
    EQ(got[size], last);
}

/* Transfers of an image, by its texels and by a map. */
static void transfer_image(size_t width, int round)
{
    size_t origin[3] = {0}, region[3] = {width, 1000, 1}, pitch = 0;
    memset(data, round, width * 4000);
    MUST(clEnqueueWriteImage(queue, image, CL_TRUE, origin, region, 0, 0, data, 0, NULL, NULL));
    unsigned char *at = MADE(clEnqueueMapImage, queue, image, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, origin, region,
                             &pitch, NULL, 0, NULL, NULL);
    EQ(at[0], round);
    at[0] = (unsigned char)(round + 1);
    MUST(clEnqueueUnmapMemObject(queue, image, at, 0, NULL, NULL));
    MUST(clEnqueueReadImage(queue, image, CL_TRUE, origin, region, 0, 0, got, 0, NULL, NULL));
    EQ(got[0], round + 1);
    EQ(got[width * 4000 - 1], round);
}

/* Everything once. */
static void all(int round)
{
    static const size_t sizes[] = {16, 4096, 70000, 1 << 20, 3 << 20, 8 << 20, 15 << 20};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        transfer(sizes[i], round);
        map(sizes[i], round);
    }
    transfer_rows(100, round);
    /* Validation layers compare each region of a copy with every other. */
    transfer_rows((size_t)rounds_of(9000), round);
    for (size_t width = 10; image && width < 4000; width *= 19)
        transfer_image(width, round);
}

int main(void)
{
    cl_bool images = CL_FALSE;
    cl_device_id device = pumice_device();
    MUST(clGetDeviceInfo(device, CL_DEVICE_IMAGE_SUPPORT, sizeof images, &images, NULL));
    cl_context context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    queue = MADE(clCreateCommandQueueWithProperties, context, device, NULL);
    buffer = MADE(clCreateBuffer, context, CL_MEM_READ_WRITE, SIZE, NULL);
    cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
    cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4000, .image_height = 1000};
    if (images)
        image = MADE(clCreateImage, context, CL_MEM_READ_WRITE, &format, &desc, NULL);
    static const char *const names[] = {"vkAllocateMemory", "vkCreateBuffer", "vkCreateFence"};
    long before[3], more[3];
    /* Another thread may still be letting go of the memory of the last transfer when the next begins. */
    for (int round = 0; round < 3; round++)
        all(round);
    for (int i = 0; i < 3; i++)
        before[i] = calls_of(names[i]);
    for (int round = 3; round < ROUNDS; round++)
        all(round);
    for (int i = 0; i < 3; i++) {
        more[i] = calls_of(names[i]) - before[i];
        fprintf(stderr, "%s: %ld, then %ld more\n", names[i], before[i], more[i]);
    }
    CHECK(before[0] > 0 && before[1] > 0);
    for (int i = 0; i < 3; i++)
        CHECK(more[i] < ROUNDS / 2);
    if (images)
        MUST(clReleaseMemObject(image));
    MUST(clReleaseMemObject(buffer));
    MUST(clReleaseCommandQueue(queue));
    MUST(clReleaseContext(context));
    return finish();
}
