/* Buffers and sub-buffers: every command that moves bytes, checked against the same done on the
 * host, and the errors of creation, ranges, flags and maps. */
#include "common.h"

enum { N = 4096 };
static unsigned char model[N], host[N], other[N];
static cl_context context;
static cl_command_queue queue;

static void expect(cl_mem buffer, const unsigned char *want, size_t size, int line)
{
    memset(host, 0xee, sizeof host);
    cl_int error = clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, size, host, 0, NULL, NULL);
    if (error || memcmp(host, want, size) != 0) {
        fprintf(stderr, "%s:%d: the buffer differs, error %d\n", __FILE__, line, error);
        for (size_t i = 0; i < size; i++)
            if (host[i] != want[i]) {
                fprintf(stderr, "  first at %zu: %02x, not %02x\n", i, host[i], want[i]);
                break;
            }
        failures++;
    }
}

static void copy_rect(unsigned char *to, const size_t *to_origin, size_t to_row, size_t to_slice,
                      const unsigned char *from, const size_t *from_origin, size_t from_row,
                      size_t from_slice, const size_t *region)
{
    for (size_t z = 0; z < region[2]; z++)
        for (size_t y = 0; y < region[1]; y++)
            memcpy(to + (to_origin[2] + z) * to_slice + (to_origin[1] + y) * to_row + to_origin[0],
                   from + (from_origin[2] + z) * from_slice + (from_origin[1] + y) * from_row +
                       from_origin[0],
                   region[0]);
}

static int destroyed[4], order;
static void CL_CALLBACK on_destroy(cl_mem m, void *data)
{
    (void)m;
    destroyed[(size_t)data] = ++order;
}

int main(void)
{
    cl_int error = 0;
    cl_device_id device = pumice_device();
    context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    queue = MADE(clCreateCommandQueueWithProperties, context, device, NULL);

    /* Creation errors, in the specification's order. */
    CHECK(!clCreateBuffer(context, 1 << 30, 16, NULL, &error));
    EQ(error, CL_INVALID_VALUE);
    CHECK(!clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 16, NULL, &error));
    EQ(error, CL_INVALID_VALUE);
    CHECK(!clCreateBuffer(context, CL_MEM_READ_WRITE, 0, NULL, &error));
    EQ(error, CL_INVALID_BUFFER_SIZE);
    CHECK(!clCreateBuffer(context, CL_MEM_READ_WRITE, (size_t)-1, NULL, &error));
    EQ(error, CL_INVALID_BUFFER_SIZE);
    CHECK(!clCreateBuffer(context, CL_MEM_USE_HOST_PTR, 16, NULL, &error));
    EQ(error, CL_INVALID_HOST_PTR);
    CHECK(!clCreateBuffer(context, 0, 16, host, &error));
    EQ(error, CL_INVALID_HOST_PTR);
    CHECK(!clCreateBuffer(NULL, 0, 16, NULL, &error));
    EQ(error, CL_INVALID_CONTEXT);

    /* A flag that only queries look at is no error. */
    cl_mem both = MADE(clCreateBuffer, context, CL_MEM_KERNEL_READ_AND_WRITE, 16, NULL);
    MUST(clReleaseMemObject(both));

    for (size_t i = 0; i < N; i++)
        model[i] = (unsigned char)(i * 7 + i / 256);
    cl_mem a = MADE(clCreateBuffer, context, CL_MEM_COPY_HOST_PTR, N, model);
    cl_mem b = MADE(clCreateBuffer, context, CL_MEM_READ_WRITE, N, NULL);
    expect(a, model, N, __LINE__);

    /* Write, read at an offset, ranges. */
    memset(other, 0x5a, sizeof other);
    MUST(clEnqueueWriteBuffer(queue, a, CL_FALSE, 13, 100, other, 0, NULL, NULL));
    memset(model + 13, 0x5a, 100);
    expect(a, model, N, __LINE__);
    EQ(clEnqueueReadBuffer(queue, a, CL_TRUE, N, 1, host, 0, NULL, NULL), CL_INVALID_VALUE);
    EQ(clEnqueueReadBuffer(queue, a, CL_TRUE, (size_t)-1, 2, host, 0, NULL, NULL),
       CL_INVALID_VALUE);
    EQ(clEnqueueReadBuffer(queue, a, CL_TRUE, 0, 1, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
    EQ(clEnqueueReadBuffer(NULL, a, CL_TRUE, 0, 1, host, 0, NULL, NULL),
       CL_INVALID_COMMAND_QUEUE);
    EQ(clEnqueueReadBuffer(queue, NULL, CL_TRUE, 0, 1, host, 0, NULL, NULL),
       CL_INVALID_MEM_OBJECT);
    EQ(clEnqueueReadBuffer(queue, a, CL_TRUE, 0, 1, host, 1, NULL, NULL),
       CL_INVALID_EVENT_WAIT_LIST);

    /* Copy and its overlap rule. */
    unsigned char model_b[N];
    memset(model_b, 0, N);
    cl_uchar zero = 0;
    MUST(clEnqueueFillBuffer(queue, b, &zero, 1, 0, N, 0, NULL, NULL));
    MUST(clEnqueueCopyBuffer(queue, a, b, 5, 1001, 777, 0, NULL, NULL));
    memcpy(model_b + 1001, model + 5, 777);
    expect(b, model_b, N, __LINE__);
    EQ(clEnqueueCopyBuffer(queue, a, a, 0, 10, 11, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
    MUST(clEnqueueCopyBuffer(queue, a, a, 0, 2048, 2048, 0, NULL, NULL));
    memcpy(model + 2048, model, 2048);
    expect(a, model, N, __LINE__);

    /* Boxes apart that share bytes only since pitches left out pack their rows tightly. */
    size_t from[3] = {0, 0, 0}, to[3] = {0, 3, 0}, box[3] = {7, 3, 2};
    MUST(clEnqueueCopyBufferRect(queue, a, a, from, to, box, 0, 0, 0, 0, 0, NULL, NULL));
    for (size_t i = 0; i < 7 * 3 * 2; i++)
        model[21 + i] = model[i];
    expect(a, model, N, __LINE__);
    to[1] = 2;
    EQ(clEnqueueCopyBufferRect(queue, a, a, from, to, box, 0, 0, 0, 0, 0, NULL, NULL),
       CL_MEM_COPY_OVERLAP);
    to[1] = 3;
    EQ(clEnqueueCopyBufferRect(queue, a, a, from, to, box, 7, 21, 7, 21, 0, NULL, NULL),
       CL_MEM_COPY_OVERLAP);

    /* Fills of every pattern size. */
    for (size_t size = 1; size <= 128; size *= 2) {
        unsigned char pattern[128];
        for (size_t i = 0; i < size; i++)
            pattern[i] = (unsigned char)(size + i * 3);
        MUST(clEnqueueFillBuffer(queue, b, pattern, size, size, 3 * size, 0, NULL, NULL));
        for (size_t i = 0; i < 3 * size; i++)
            model_b[size + i] = pattern[i % size];
        expect(b, model_b, N, __LINE__);
    }
    EQ(clEnqueueFillBuffer(queue, b, other, 3, 0, 3, 0, NULL, NULL), CL_INVALID_VALUE);
    EQ(clEnqueueFillBuffer(queue, b, other, 256, 0, 256, 0, NULL, NULL), CL_INVALID_VALUE);
    EQ(clEnqueueFillBuffer(queue, b, other, 4, 2, 4, 0, NULL, NULL), CL_INVALID_VALUE);
    EQ(clEnqueueFillBuffer(queue, b, NULL, 4, 0, 4, 0, NULL, NULL), CL_INVALID_VALUE);

    /* Rectangles. */
    size_t bo[3] = {3, 2, 1}, ho[3] = {1, 0, 2}, region[3] = {10, 4, 2};
    MUST(clEnqueueReadBufferRect(queue, a, CL_TRUE, bo, ho, region, 32, 320, 16, 128, other, 0,
                                 NULL, NULL));
    unsigned char want[N];
    memset(want, 0x5a, N);
    copy_rect(want, ho, 16, 128, model, bo, 32, 320, region);
    CHECK(memcmp(want, other, N) == 0);
    MUST(clEnqueueWriteBufferRect(queue, b, CL_FALSE, bo, ho, region, 32, 320, 16, 128, other, 0,
                                  NULL, NULL));
    copy_rect(model_b, bo, 32, 320, other, ho, 16, 128, region);
    expect(b, model_b, N, __LINE__);
    MUST(clEnqueueCopyBufferRect(queue, a, b, bo, ho, region, 32, 320, 16, 128, 0, NULL, NULL));
    copy_rect(model_b, ho, 16, 128, model, bo, 32, 320, region);
    expect(b, model_b, N, __LINE__);
    EQ(clEnqueueReadBufferRect(queue, a, CL_TRUE, bo, ho, region, 9, 320, 16, 128, other, 0, NULL,
                               NULL),
       CL_INVALID_VALUE);
    size_t empty[3] = {10, 0, 2};
    EQ(clEnqueueReadBufferRect(queue, a, CL_TRUE, bo, ho, empty, 0, 0, 0, 0, other, 0, NULL, NULL),
       CL_INVALID_VALUE);
    size_t far[3] = {0, 0, 13};
    EQ(clEnqueueReadBufferRect(queue, a, CL_TRUE, far, ho, region, 32, 320, 16, 128, other, 0,
                               NULL, NULL),
       CL_INVALID_VALUE);

    /* Maps: counts, pointers, contents. */
    cl_uint count = 9;
    unsigned char *p = MADE(clEnqueueMapBuffer, queue, b, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 64, 128, 0, NULL, NULL);
    CHECK(memcmp(p, model_b + 64, 128) == 0);
    MUST(clGetMemObjectInfo(b, CL_MEM_MAP_COUNT, sizeof count, &count, NULL));
    EQ(count, 1);
    memset(p, 0x11, 128);
    memset(model_b + 64, 0x11, 128);
    MUST(clEnqueueUnmapMemObject(queue, b, p, 0, NULL, NULL));
    expect(b, model_b, N, __LINE__);
    MUST(clGetMemObjectInfo(b, CL_MEM_MAP_COUNT, sizeof count, &count, NULL));
    EQ(count, 0);
    EQ(clEnqueueUnmapMemObject(queue, b, p, 0, NULL, NULL), CL_INVALID_VALUE);
    clEnqueueMapBuffer(queue, b, CL_TRUE, CL_MAP_READ, N, 1, 0, NULL, NULL, &error);
    EQ(error, CL_INVALID_VALUE);
    clEnqueueMapBuffer(queue, b, CL_TRUE, 1 << 10, 0, 1, 0, NULL, NULL, &error);
    EQ(error, CL_INVALID_VALUE);

    /* Regions that overlap may be mapped for reading as often as one likes, for writing once. */
    unsigned char *written = MADE(clEnqueueMapBuffer, queue, b, CL_TRUE, CL_MAP_WRITE, 64, 128, 0, NULL, NULL);
    CHECK(!clEnqueueMapBuffer(queue, b, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, 191, 8, 0, NULL,
                              NULL, &error));
    EQ(error, CL_INVALID_OPERATION);
    unsigned char *others[] = {
        clEnqueueMapBuffer(queue, b, CL_TRUE, CL_MAP_WRITE, 192, 8, 0, NULL, NULL, &error),
        clEnqueueMapBuffer(queue, b, CL_TRUE, CL_MAP_READ, 100, 50, 0, NULL, NULL, &error),
        clEnqueueMapBuffer(queue, b, CL_TRUE, CL_MAP_READ, 100, 50, 0, NULL, NULL, &error)};
    MUST(clGetMemObjectInfo(b, CL_MEM_MAP_COUNT, sizeof count, &count, NULL));
    EQ(count, 4);
    for (int i = 0; i < 3; i++)
        MUST(clEnqueueUnmapMemObject(queue, b, others[i], 0, NULL, NULL));
    MUST(clEnqueueUnmapMemObject(queue, b, written, 0, NULL, NULL));
    written = MADE(clEnqueueMapBuffer, queue, b, CL_TRUE, CL_MAP_WRITE, 0, 256, 0, NULL, NULL);
    MUST(clEnqueueUnmapMemObject(queue, b, written, 0, NULL, NULL));
    expect(b, model_b, N, __LINE__);

    /* CL_MEM_USE_HOST_PTR: the mapped pointer is the application's. */
    static unsigned char mine[1024] __attribute__((aligned(128)));
    memset(mine, 0x42, sizeof mine);
    cl_mem u = MADE(clCreateBuffer, context, CL_MEM_USE_HOST_PTR, sizeof mine, mine);
    cl_uint word = 0x01020304;
    MUST(clEnqueueFillBuffer(queue, u, &word, 4, 256, 256, 0, NULL, NULL));
    p = MADE(clEnqueueMapBuffer, queue, u, CL_TRUE, CL_MAP_READ, 128, 512, 0, NULL, NULL);
    CHECK(p == mine + 128);
    EQ(p[0], 0x42);
    EQ(mine[256], ((unsigned char *)&word)[0]);
    EQ(mine[511], ((unsigned char *)&word)[3]);
    MUST(clEnqueueUnmapMemObject(queue, u, p, 0, NULL, NULL));
    void *hp = NULL;
    MUST(clGetMemObjectInfo(u, CL_MEM_HOST_PTR, sizeof hp, &hp, NULL));
    CHECK(hp == mine);
    MUST(clReleaseMemObject(u));

    /* Whole pages may be used where they are: what is written on either side is seen on the other
     * after a map, whatever the driver does, and nothing outside of the size is touched. */
    unsigned char *pages = NULL;
    CHECK(!posix_memalign((void **)&pages, 4096, 8192));
    memset(pages, 0x11, 8192);
    u = MADE(clCreateBuffer, context, CL_MEM_USE_HOST_PTR, 5000, pages);
    MUST(clEnqueueFillBuffer(queue, u, &word, 4, 4000, 1000, 0, NULL, NULL));
    p = clEnqueueMapBuffer(queue, u, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, 5000, 0, NULL, NULL,
                           &error);
    MUST(error);
    CHECK(p == pages);
    EQ(pages[3999], 0x11);
    EQ(pages[4996], ((unsigned char *)&word)[0]);
    EQ(pages[5000], 0x11);
    memset(pages, 0x22, 16);
    MUST(clEnqueueUnmapMemObject(queue, u, p, 0, NULL, NULL));
    MUST(clEnqueueReadBuffer(queue, u, CL_TRUE, 0, 32, host, 0, NULL, NULL));
    EQ(host[15], 0x22);
    EQ(host[16], 0x11);
    /* A read into the very memory. */
    MUST(clEnqueueReadBuffer(queue, u, CL_TRUE, 0, 5000, pages, 0, NULL, NULL));
    MUST(clFinish(queue));
    MUST(clReleaseMemObject(u));
    EQ(pages[4996], ((unsigned char *)&word)[0]);
    free(pages);

    /* Where kernels reach all memory of the process, the memory is the buffer wherever it begins: programs for
     * processors look at it without a map. */
    cl_device_svm_capabilities svm = 0;
    clGetDeviceInfo(device, CL_DEVICE_SVM_CAPABILITIES, sizeof svm, &svm, NULL);
    if (svm & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM && !getenv("PUMICE_STAGING_ONLY")) {
        unsigned char *inside = NULL;
        CHECK(!posix_memalign((void **)&inside, 4096, 8192));
        memset(inside, 0x33, 8192);
        u = MADE(clCreateBuffer, context, CL_MEM_USE_HOST_PTR, 5000, inside + 2064);
        MUST(clEnqueueFillBuffer(queue, u, &word, 4, 0, 5000, 0, NULL, NULL));
        MUST(clFinish(queue));
        EQ(inside[2063], 0x33);
        EQ(inside[2064], ((unsigned char *)&word)[0]);
        EQ(inside[7063], ((unsigned char *)&word)[3]);
        EQ(inside[7064], 0x33);
        inside[2065] = 0x44;
        MUST(clEnqueueReadBuffer(queue, u, CL_TRUE, 1, 2, host, 0, NULL, NULL));
        EQ(host[0], 0x44);
        EQ(host[1], ((unsigned char *)&word)[2]);
        p = MADE(clEnqueueMapBuffer, queue, u, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 16, 64, 0, NULL, NULL);
        CHECK(p == inside + 2080);
        MUST(clEnqueueUnmapMemObject(queue, u, p, 0, NULL, NULL));
        MUST(clGetMemObjectInfo(u, CL_MEM_HOST_PTR, sizeof hp, &hp, NULL));
        CHECK(hp == inside + 2064);
        size_t offset = 77;
        MUST(clGetMemObjectInfo(u, CL_MEM_OFFSET, sizeof offset, &offset, NULL));
        EQ(offset, 0);
        MUST(clReleaseMemObject(u));
        free(inside);
    }

    /* Host access flags. */
    cl_mem w = MADE(clCreateBuffer, context, CL_MEM_HOST_WRITE_ONLY, 64, NULL);
    EQ(clEnqueueReadBuffer(queue, w, CL_TRUE, 0, 4, host, 0, NULL, NULL), CL_INVALID_OPERATION);
    EQ(clEnqueueWriteBuffer(queue, w, CL_TRUE, 0, 4, host, 0, NULL, NULL), CL_SUCCESS);
    clEnqueueMapBuffer(queue, w, CL_TRUE, CL_MAP_READ, 0, 4, 0, NULL, NULL, &error);
    EQ(error, CL_INVALID_OPERATION);
    MUST(clReleaseMemObject(w));

    /* Sub-buffers. */
    cl_uint align = 0;
    MUST(clGetDeviceInfo(device, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof align, &align, NULL));
    align /= 8;
    cl_buffer_region r = {align, 512};
    cl_mem s = MADE(clCreateSubBuffer, a, 0, CL_BUFFER_CREATE_TYPE_REGION, &r);
    expect(s, model + align, 512, __LINE__);
    cl_mem parent = NULL;
    size_t offset = 0;
    MUST(clGetMemObjectInfo(s, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof parent, &parent, NULL));
    MUST(clGetMemObjectInfo(s, CL_MEM_OFFSET, sizeof offset, &offset, NULL));
    CHECK(parent == a && offset == align);
    MUST(clEnqueueWriteBuffer(queue, s, CL_TRUE, 10, 5, "hello", 0, NULL, NULL));
    memcpy(model + align + 10, "hello", 5);
    expect(a, model, N, __LINE__);
    CHECK(!clCreateSubBuffer(s, 0, CL_BUFFER_CREATE_TYPE_REGION, &r, &error));
    EQ(error, CL_INVALID_MEM_OBJECT);
    cl_buffer_region odd = {1, 16}, out = {align, N}, none = {align, 0};
    CHECK(!clCreateSubBuffer(a, 0, CL_BUFFER_CREATE_TYPE_REGION, &odd, &error));
    EQ(error, CL_MISALIGNED_SUB_BUFFER_OFFSET);
    CHECK(!clCreateSubBuffer(a, 0, CL_BUFFER_CREATE_TYPE_REGION, &out, &error));
    EQ(error, CL_INVALID_VALUE);
    CHECK(!clCreateSubBuffer(a, 0, CL_BUFFER_CREATE_TYPE_REGION, &none, &error));
    EQ(error, CL_INVALID_BUFFER_SIZE);
    CHECK(!clCreateSubBuffer(a, 0, 7, &r, &error));
    EQ(error, CL_INVALID_VALUE);

    /* Destructor callbacks: reverse order, when the last reference goes; a parent outlives its
     * sub-buffer. */
    MUST(clSetMemObjectDestructorCallback(a, on_destroy, (void *)0));
    MUST(clSetMemObjectDestructorCallback(a, on_destroy, (void *)1));
    MUST(clSetMemObjectDestructorCallback(s, on_destroy, (void *)2));
    MUST(clReleaseMemObject(a));
    EQ(order, 0);
    MUST(clReleaseMemObject(s));
    EQ(destroyed[2], 1);
    EQ(destroyed[1], 2);
    EQ(destroyed[0], 3);

    MUST(clEnqueueMigrateMemObjects(queue, 1, &b, 0, 0, NULL, NULL));
    EQ(clEnqueueMigrateMemObjects(queue, 0, NULL, 0, 0, NULL, NULL), CL_INVALID_VALUE);
    MUST(clFinish(queue));
    MUST(clReleaseMemObject(b));
    MUST(clReleaseCommandQueue(queue));
    release_last(context);
    return finish();
}
