// client: needs images
/* Image objects without kernels: formats, creation with its errors, queries, and what queues do
 * with them. Every type of image and every size of texel is filled, written, copied, mapped and
 * read back, with tight pitches and wide ones. */
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#include "common.h"
#include <stdint.h>

static cl_context context;
static cl_command_queue queue;
static cl_device_id device;

enum { W = 13, H = 7, D = 5 };

typedef struct {
    cl_mem_object_type type;
    const char *name;
    size_t region[3];
} shape;

static const shape shapes[] = {
    {CL_MEM_OBJECT_IMAGE1D, "1D", {W, 1, 1}},
    {CL_MEM_OBJECT_IMAGE1D_BUFFER, "1D buffer", {W, 1, 1}},
    {CL_MEM_OBJECT_IMAGE1D_ARRAY, "1D array", {W, D, 1}},
    {CL_MEM_OBJECT_IMAGE2D, "2D", {W, H, 1}},
    {CL_MEM_OBJECT_IMAGE2D_ARRAY, "2D array", {W, H, D}},
    {CL_MEM_OBJECT_IMAGE3D, "3D", {W, H, D}},
};

static const struct {
    cl_image_format format;
    size_t size;
} formats[] = {
    {{CL_R, CL_UNORM_INT8}, 1},          {{CL_RG, CL_UNSIGNED_INT8}, 2},
    {{CL_RGBA, CL_UNORM_INT8}, 4},       {{CL_RGBA, CL_HALF_FLOAT}, 8},
    {{CL_RGBA, CL_UNSIGNED_INT32}, 16},
};

static cl_image_desc describe(const shape *s, cl_mem *buffer, size_t texel)
{
    cl_image_desc d;
    memset(&d, 0, sizeof d);
    d.image_type = s->type;
    d.image_width = s->region[0];
    if (s->type == CL_MEM_OBJECT_IMAGE1D_ARRAY)
        d.image_array_size = s->region[1];
    else if (s->region[1] > 1)
        d.image_height = s->region[1];
    if (s->type == CL_MEM_OBJECT_IMAGE3D)
        d.image_depth = s->region[2];
    if (s->type == CL_MEM_OBJECT_IMAGE2D_ARRAY)
        d.image_array_size = s->region[2];
    *buffer = NULL;
    if (s->type == CL_MEM_OBJECT_IMAGE1D_BUFFER) {
        *buffer = MADE(clCreateBuffer, context, 0, s->region[0] * texel + 64, NULL);
        d.buffer = *buffer;
    }
    return d;
}

static unsigned char pattern(size_t i) { return (unsigned char)(i * 37 + i / 256 * 11 + 5); }

/* Compares a box of an image with the same box of `want`; both are whole images, tightly packed. */
static void same(const char *what, const shape *s, const unsigned char *got,
                 const unsigned char *want, size_t size)
{
    if (memcmp(got, want, size) == 0)
        return;
    size_t i = 0;
    while (got[i] == want[i])
        i++;
    fprintf(stderr, "%s, %s: byte %zu is %d, not %d\n", s->name, what, i, got[i], want[i]);
    failures++;
}

static void round_trips(const shape *s, cl_image_format format, size_t texel)
{
    cl_int error;
    const size_t zero[3] = {0, 0, 0};
    size_t w = s->region[0], h = s->region[1], d = s->region[2];
    size_t size = w * h * d * texel;
    unsigned char *data = malloc(size), *got = malloc(size), *want = malloc(size);
    for (size_t i = 0; i < size; i++)
        data[i] = pattern(i);
    cl_mem buffer = NULL, other_buffer = NULL;
    cl_image_desc desc = describe(s, &buffer, texel);
    int shows = buffer != NULL;
    cl_mem image = MADE(clCreateImage, context, shows ? 0 : CL_MEM_COPY_HOST_PTR, &format, &desc, shows ? NULL : data);
    if (shows)
        MUST(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, size, data, 0, NULL, NULL));
    MUST(clEnqueueReadImage(queue, image, CL_TRUE, zero, s->region, 0, 0, got, 0, NULL, NULL));
    same("first contents", s, got, data, size);

    /* A box inside, with wide pitches in the host's memory. */
    size_t origin[3] = {2, h > 2 ? 1 : 0, d > 2 ? 2 : 0};
    size_t region[3] = {w - 5, h > 2 ? h - 2 : 1, d > 2 ? d - 3 : 1};
    int is_array = s->type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
    size_t row = (w + 3) * texel, slice = is_array ? row : row * (h + 1);
    int slices = d > 1 || is_array;
    unsigned char *wide = malloc(slice * D * H);
    memset(wide, 0xee, slice * D * H);
    memcpy(want, data, size);
    for (size_t z = 0; z < region[2]; z++)
        for (size_t y = 0; y < region[1]; y++)
            for (size_t x = 0; x < region[0] * texel; x++) {
                unsigned char value = pattern(x * 3 + y * 7 + z);
                wide[z * slice + y * row + x] = value;
                size_t at = ((origin[2] + z) * h + origin[1] + y) * w + origin[0];
                want[at * texel + x] = value;
            }
    MUST(clEnqueueWriteImage(queue, image, CL_FALSE, origin, region, row, slices ? slice : 0, wide,
                             0, NULL, NULL));
    MUST(clEnqueueReadImage(queue, image, CL_TRUE, zero, s->region, 0, 0, got, 0, NULL, NULL));
    same("write of a box", s, got, want, size);
    unsigned char *back = malloc(slice * D * H);
    memset(back, 0xee, slice * D * H);
    MUST(clEnqueueReadImage(queue, image, CL_TRUE, origin, region, row, slices ? slice : 0, back, 0,
                            NULL, NULL));
    same("read of a box", s, back, wide, slice * D * H);

    /* Copies: to another image, to a buffer at an odd offset and back. */
    cl_image_desc other_desc = describe(s, &other_buffer, texel);
    cl_mem other = MADE(clCreateImage, context, 0, &format, &other_desc, NULL);
    MUST(clEnqueueCopyImage(queue, image, other, zero, zero, s->region, 0, NULL, NULL));
    MUST(clEnqueueReadImage(queue, other, CL_TRUE, zero, s->region, 0, 0, got, 0, NULL, NULL));
    same("copy", s, got, want, size);
    cl_mem bytes = MADE(clCreateBuffer, context, 0, size + 64, NULL);
    MUST(clEnqueueCopyImageToBuffer(queue, image, bytes, zero, s->region, 3, 0, NULL, NULL));
    MUST(clEnqueueReadBuffer(queue, bytes, CL_TRUE, 3, size, got, 0, NULL, NULL));
    same("copy to a buffer", s, got, want, size);
    MUST(clEnqueueWriteBuffer(queue, bytes, CL_TRUE, 16, size, data, 0, NULL, NULL));
    MUST(clEnqueueCopyBufferToImage(queue, bytes, other, 16, zero, s->region, 0, NULL, NULL));
    MUST(clEnqueueReadImage(queue, other, CL_TRUE, zero, s->region, 0, 0, got, 0, NULL, NULL));
    same("copy from a buffer", s, got, data, size);

    /* A map sees the box, and what is written through it arrives. */
    size_t row_pitch = 1, slice_pitch = 1;
    unsigned char *mapped =
        clEnqueueMapImage(queue, image, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, origin, region,
                          &row_pitch, &slice_pitch, 0, NULL, NULL, &error);
    MUST(error);
    size_t line = is_array ? slice_pitch : row_pitch;
    if (!slices)
        EQ(slice_pitch, 0);
    for (size_t z = 0; z < region[2]; z++)
        for (size_t y = 0; y < region[1]; y++)
            for (size_t x = 0; x < region[0] * texel; x++) {
                unsigned char *p = &mapped[z * slice_pitch + y * line + x];
                size_t at = (((origin[2] + z) * h + origin[1] + y) * w + origin[0]) * texel + x;
                if (*p != want[at]) {
                    fprintf(stderr, "%s, mapped: %zu %zu %zu\n", s->name, x, y, z);
                    failures++;
                    goto unmap;
                }
                want[at] = *p = (unsigned char)~*p;
            }
unmap:
    MUST(clEnqueueUnmapMemObject(queue, image, mapped, 0, NULL, NULL));
    EQ(clEnqueueUnmapMemObject(queue, image, mapped, 0, NULL, NULL), CL_INVALID_VALUE);
    MUST(clEnqueueReadImage(queue, image, CL_TRUE, zero, s->region, 0, 0, got, 0, NULL, NULL));
    same("map", s, got, want, size);

    /* A fill of the box, with bits that are the colour's own. */
    if (format.image_channel_data_type == CL_UNSIGNED_INT32) {
        cl_uint color[4] = {1, 0x80000000u, 3, 0xffffffffu};
        MUST(clEnqueueFillImage(queue, image, color, origin, region, 0, NULL, NULL));
        for (size_t z = 0; z < region[2]; z++)
            for (size_t y = 0; y < region[1]; y++)
                for (size_t x = 0; x < region[0]; x++) {
                    size_t at = ((origin[2] + z) * h + origin[1] + y) * w + origin[0] + x;
                    memcpy(&want[at * 16], color, 16);
                }
        MUST(clEnqueueReadImage(queue, image, CL_TRUE, zero, s->region, 0, 0, got, 0, NULL, NULL));
        same("fill", s, got, want, size);
    }

    /* The image's own queries. */
    size_t value = 0;
    cl_mem_object_type type = 0;
    MUST(clGetMemObjectInfo(image, CL_MEM_TYPE, sizeof type, &type, NULL));
    EQ(type, s->type);
    MUST(clGetImageInfo(image, CL_IMAGE_ELEMENT_SIZE, sizeof value, &value, NULL));
    EQ(value, texel);
    MUST(clGetImageInfo(image, CL_IMAGE_WIDTH, sizeof value, &value, NULL));
    EQ(value, w);
    MUST(clGetImageInfo(image, CL_IMAGE_HEIGHT, sizeof value, &value, NULL));
    EQ(value, desc.image_height);
    MUST(clGetImageInfo(image, CL_IMAGE_DEPTH, sizeof value, &value, NULL));
    EQ(value, desc.image_depth);
    MUST(clGetImageInfo(image, CL_IMAGE_ARRAY_SIZE, sizeof value, &value, NULL));
    EQ(value, desc.image_array_size);
    MUST(clGetImageInfo(image, CL_IMAGE_ROW_PITCH, sizeof value, &value, NULL));
    EQ(value, w * texel);
    MUST(clGetImageInfo(image, CL_IMAGE_SLICE_PITCH, sizeof value, &value, NULL));
    EQ(value, !slices ? 0 : is_array ? w * texel : w * h * texel);
    cl_mem shown = NULL;
    MUST(clGetMemObjectInfo(image, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof shown, &shown, NULL));
    CHECK(shown == buffer);

    /* Out of bounds, and in dimensions that are not there. */
    size_t beyond[3] = {w, 0, 0};
    size_t one[3] = {1, 1, 1}, none[3] = {1, 0, 1}, flat[3] = {1, 1, D + 1};
    EQ(clEnqueueReadImage(queue, image, CL_TRUE, beyond, one, 0, 0, got, 0, NULL, NULL),
       CL_INVALID_VALUE);
    EQ(clEnqueueReadImage(queue, image, CL_TRUE, zero, none, 0, 0, got, 0, NULL, NULL),
       CL_INVALID_VALUE);
    EQ(clEnqueueWriteImage(queue, image, CL_TRUE, zero, flat, 0, 0, got, 0, NULL, NULL),
       CL_INVALID_VALUE);
    EQ(clEnqueueReadImage(queue, image, CL_TRUE, zero, s->region, w * texel - 1, 0, got, 0, NULL,
                          NULL),
       CL_INVALID_VALUE);
    EQ(clEnqueueCopyImage(queue, image, image, zero, zero, one, 0, NULL, NULL),
       CL_MEM_COPY_OVERLAP);

    MUST(clFinish(queue));
    MUST(clReleaseMemObject(bytes));
    MUST(clReleaseMemObject(other));
    MUST(clReleaseMemObject(image));
    if (buffer)
        MUST(clReleaseMemObject(buffer));
    if (other_buffer)
        MUST(clReleaseMemObject(other_buffer));
    free(data), free(got), free(want), free(wide), free(back);
}

/* A fill of more texels than are copied at a time: nine slices of a quarter of a MiB, the ones around them left. */
static void large_fill(cl_mem_object_type type)
{
    enum { SIDE = 256, SLICES = 11, SLICE = SIDE * SIDE };
    cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
    cl_image_desc desc = {.image_type = type,
                          .image_width = SIDE,
                          .image_height = SIDE,
                          .image_depth = type == CL_MEM_OBJECT_IMAGE3D ? SLICES : 0,
                          .image_array_size = type == CL_MEM_OBJECT_IMAGE3D ? 0 : SLICES};
    cl_mem image = MADE(clCreateImage, context, 0, &format, &desc, NULL);
    const size_t zero[3] = {0, 0, 0}, all[3] = {SIDE, SIDE, SLICES};
    const size_t origin[3] = {0, 0, 1}, region[3] = {SIDE, SIDE, SLICES - 2};
    const cl_uint first[4] = {1, 2, 3, 4}, second[4] = {250, 251, 252, 253};
    MUST(clEnqueueFillImage(queue, image, first, zero, all, 0, NULL, NULL));
    MUST(clEnqueueFillImage(queue, image, second, origin, region, 0, NULL, NULL));
    unsigned char *got = malloc(SLICES * SLICE * 4);
    MUST(clEnqueueReadImage(queue, image, CL_TRUE, zero, all, 0, 0, got, 0, NULL, NULL));
    for (size_t i = 0; i < SLICES * SLICE * 4; i++) {
        size_t slice = i / (SLICE * 4);
        cl_uint want = (slice == 0 || slice == SLICES - 1 ? first : second)[i % 4];
        if (got[i] != want) {
            fprintf(stderr, "large fill: slice %zu, byte %zu is %u, not %u\n", slice, i, got[i], want);
            failures++;
            break;
        }
    }
    free(got);
    MUST(clReleaseMemObject(image));
}

/* The host's memory as the image's own, with a wide pitch. */
static void host_memory(void)
{
    enum { PITCH = 20 };
    static unsigned char memory[PITCH * 4 * H];
    for (size_t i = 0; i < sizeof memory; i++)
        memory[i] = pattern(i);
    cl_int error;
    cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
    cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                          .image_width = W,
                          .image_height = H,
                          .image_row_pitch = PITCH * 4};
    cl_mem image = MADE(clCreateImage, context, CL_MEM_USE_HOST_PTR, &format, &desc, memory);
    void *host = NULL;
    MUST(clGetMemObjectInfo(image, CL_MEM_HOST_PTR, sizeof host, &host, NULL));
    CHECK(host == memory);
    unsigned char texel[4];
    size_t origin[3] = {3, 2, 0}, one[3] = {1, 1, 1}, row = 0;
    MUST(clEnqueueReadImage(queue, image, CL_TRUE, origin, one, 0, 0, texel, 0, NULL, NULL));
    size_t at = 2 * PITCH * 4 + 3 * 4;
    for (int i = 0; i < 4; i++)
        EQ(texel[i], pattern(at + i));
    cl_uint color[4] = {9, 8, 7, 300};
    MUST(clEnqueueFillImage(queue, image, color, origin, one, 0, NULL, NULL));
    unsigned char *mapped = MADE(clEnqueueMapImage, queue, image, CL_TRUE, CL_MAP_READ, origin, one, &row, NULL, 0,
                                 NULL, NULL);
    CHECK(mapped == memory + at);
    EQ(row, PITCH * 4);
    EQ(mapped[0], 9);
    EQ(mapped[3], 255);
    MUST(clEnqueueUnmapMemObject(queue, image, mapped, 0, NULL, NULL));
    /* Columns side by side may be mapped for writing, a texel twice not. */
    size_t wide[3] = {2, H, 1}, narrow[3] = {1, 3, 1}, left[3] = {1, 0, 0}, right[3] = {3, 1, 0};
    mapped = MADE(clEnqueueMapImage, queue, image, CL_TRUE, CL_MAP_WRITE, left, wide, &row, NULL, 0, NULL, NULL);
    unsigned char *beside = MADE(clEnqueueMapImage, queue, image, CL_TRUE, CL_MAP_WRITE, right, narrow, &row, NULL, 0,
                                 NULL, NULL);
    CHECK(!clEnqueueMapImage(queue, image, CL_TRUE, CL_MAP_WRITE, origin, one, &row, NULL, 0, NULL,
                             NULL, &error));
    EQ(error, CL_INVALID_OPERATION);
    MUST(clEnqueueUnmapMemObject(queue, image, mapped, 0, NULL, NULL));
    MUST(clEnqueueUnmapMemObject(queue, image, beside, 0, NULL, NULL));
    MUST(clReleaseMemObject(image));
}

/* Copies between types, and floats that become texels. */
static void between_types(void)
{
    cl_image_format format = {CL_R, CL_UNSIGNED_INT32};
    const size_t zero[3] = {0, 0, 0};
    cl_image_desc plane = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = W, .image_height = H};
    cl_image_desc box = {.image_type = CL_MEM_OBJECT_IMAGE3D,
                         .image_width = W,
                         .image_height = H,
                         .image_depth = D};
    cl_image_desc planes = {.image_type = CL_MEM_OBJECT_IMAGE2D_ARRAY,
                            .image_width = W,
                            .image_height = H,
                            .image_array_size = D};
    cl_uint data[H][W], got[H][W];
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++)
            data[y][x] = (cl_uint)(y * 100 + x);
    cl_mem a = MADE(clCreateImage, context, CL_MEM_COPY_HOST_PTR, &format, &plane, data);
    cl_mem b = MADE(clCreateImage, context, 0, &format, &box, NULL);
    cl_mem c = MADE(clCreateImage, context, 0, &format, &planes, NULL);
    size_t slice[3] = {0, 0, 3}, layer[3] = {0, 0, 1}, region[3] = {W, H, 1};
    MUST(clEnqueueCopyImage(queue, a, b, zero, slice, region, 0, NULL, NULL));
    MUST(clEnqueueCopyImage(queue, b, c, slice, layer, region, 0, NULL, NULL));
    MUST(clEnqueueReadImage(queue, c, CL_TRUE, layer, region, 0, 0, got, 0, NULL, NULL));
    CHECK(memcmp(got, data, sizeof got) == 0);
    cl_image_format another = {CL_R, CL_SIGNED_INT32};
    cl_mem d = MADE(clCreateImage, context, 0, &another, &plane, NULL);
    EQ(clEnqueueCopyImage(queue, a, d, zero, zero, region, 0, NULL, NULL),
       CL_IMAGE_FORMAT_MISMATCH);
    EQ(clEnqueueReadBuffer(queue, a, CL_TRUE, 0, 4, got, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    cl_mem buffer = MADE(clCreateBuffer, context, 0, 64, NULL);
    EQ(clEnqueueReadImage(queue, buffer, CL_TRUE, zero, region, 0, 0, got, 0, NULL, NULL),
       CL_INVALID_MEM_OBJECT);
    EQ(clEnqueueCopyImageToBuffer(queue, a, buffer, zero, region, 0, 0, NULL, NULL),
       CL_INVALID_VALUE);
    EQ(clEnqueueCopyBuffer(queue, buffer, a, 0, 0, 4, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    cl_mem objects[2] = {a, c};
    MUST(clEnqueueMigrateMemObjects(queue, 2, objects, 0, 0, NULL, NULL));
    MUST(clReleaseMemObject(buffer));
    MUST(clReleaseMemObject(a));
    MUST(clReleaseMemObject(b));
    MUST(clReleaseMemObject(c));
    MUST(clReleaseMemObject(d));

    cl_float color[4] = {0.0f, 0.5f, 1.0f, 2.0f};
    cl_image_format unorm = {CL_BGRA, CL_UNORM_INT8};
    cl_mem e = MADE(clCreateImage, context, 0, &unorm, &plane, NULL);
    unsigned char texel[4];
    size_t one[3] = {1, 1, 1}, last[3] = {W - 1, H - 1, 0};
    MUST(clEnqueueFillImage(queue, e, color, zero, region, 0, NULL, NULL));
    MUST(clEnqueueReadImage(queue, e, CL_TRUE, last, one, 0, 0, texel, 0, NULL, NULL));
    EQ(texel[0], 255);
    EQ(texel[1], 128);
    EQ(texel[2], 0);
    EQ(texel[3], 255);
    MUST(clReleaseMemObject(e));
}

static void refused(cl_mem_flags flags, cl_image_format format, cl_image_desc desc, void *host,
                    cl_int expected, int line)
{
    cl_int error = 1;
    cl_mem image = clCreateImage(context, flags, &format, &desc, host, &error);
    if (error != expected || image) {
        fprintf(stderr, "line %d: clCreateImage gave %d, not %d\n", line, error, expected);
        failures++;
    }
}
#define REFUSED(flags, format, desc, host, expected) \
    refused(flags, format, desc, host, expected, __LINE__)

static void errors(void)
{
    static unsigned char host[64 * 64 * 4];
    cl_int error;
    const cl_image_format rgba = {CL_RGBA, CL_UNORM_INT8};
    const cl_image_desc good = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 16, .image_height = 16};
    cl_image_desc d;
    EQ((clCreateImage(context, 0, NULL, &good, NULL, &error), error),
       CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    EQ((clCreateImage(context, 0, &rgba, NULL, NULL, &error), error), CL_INVALID_IMAGE_DESCRIPTOR);
    REFUSED(CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, rgba, good, NULL, CL_INVALID_VALUE);
    REFUSED(0, ((cl_image_format){CL_RGBA, 0x1234}), good, NULL,
            CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    REFUSED(0, ((cl_image_format){CL_RGB, CL_FLOAT}), good, NULL,
            CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    REFUSED(0, ((cl_image_format){CL_LUMINANCE, CL_SIGNED_INT8}), good, NULL,
            CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    REFUSED(0, ((cl_image_format){CL_RGBx, CL_UNORM_SHORT_565}), good, NULL,
            CL_IMAGE_FORMAT_NOT_SUPPORTED);
    /* Kernels could not write it. */
    REFUSED(CL_MEM_WRITE_ONLY, ((cl_image_format){CL_RA, CL_FLOAT}), good, NULL,
            CL_IMAGE_FORMAT_NOT_SUPPORTED);
    d = good, d.image_width = 0;
    REFUSED(0, rgba, d, NULL, CL_INVALID_IMAGE_DESCRIPTOR);
    d = good, d.image_height = 0;
    REFUSED(0, rgba, d, NULL, CL_INVALID_IMAGE_DESCRIPTOR);
    d = good, d.image_width = (size_t)1 << 40;
    REFUSED(0, rgba, d, NULL, CL_INVALID_IMAGE_SIZE);
    d = good, d.image_width = (size_t)-1;
    REFUSED(0, rgba, d, NULL, CL_INVALID_IMAGE_SIZE);
    d = good, d.image_type = CL_MEM_OBJECT_BUFFER;
    REFUSED(0, rgba, d, NULL, CL_INVALID_IMAGE_DESCRIPTOR);
    d = good, d.num_mip_levels = 40;
    REFUSED(0, rgba, d, NULL, CL_INVALID_IMAGE_DESCRIPTOR);
    d = good, d.image_row_pitch = 64;
    REFUSED(0, rgba, d, NULL, CL_INVALID_IMAGE_DESCRIPTOR);
    d = good, d.image_row_pitch = 60;
    REFUSED(CL_MEM_COPY_HOST_PTR, rgba, d, host, CL_INVALID_IMAGE_DESCRIPTOR);
    d = good, d.image_type = CL_MEM_OBJECT_IMAGE3D;
    REFUSED(0, rgba, d, NULL, CL_INVALID_IMAGE_DESCRIPTOR);
    d = good, d.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER;
    REFUSED(0, rgba, d, NULL, CL_INVALID_IMAGE_DESCRIPTOR);
    cl_mem buffer = MADE(clCreateBuffer, context, CL_MEM_READ_ONLY, 256, NULL);
    d.image_width = 65, d.image_height = 0, d.buffer = buffer;
    REFUSED(0, rgba, d, NULL, CL_INVALID_IMAGE_SIZE);
    d.image_width = 16;
    REFUSED(CL_MEM_WRITE_ONLY, rgba, d, NULL, CL_INVALID_VALUE);
    d = good, d.image_width = 8, d.image_height = 9, d.buffer = buffer;
    REFUSED(CL_MEM_READ_ONLY, rgba, d, NULL, CL_INVALID_IMAGE_SIZE);
    d = good, d.image_type = CL_MEM_OBJECT_IMAGE1D, d.image_width = 65, d.buffer = buffer;
    REFUSED(CL_MEM_READ_ONLY, rgba, d, NULL, CL_INVALID_IMAGE_SIZE);
    REFUSED(CL_MEM_COPY_HOST_PTR, rgba, good, NULL, CL_INVALID_HOST_PTR);
    REFUSED(0, rgba, good, host, CL_INVALID_HOST_PTR);
    EQ((clCreateImage2D(context, 0, &rgba, 0, 4, 0, NULL, &error), error), CL_INVALID_IMAGE_SIZE);
    EQ((clCreateImage3D(context, 0, &rgba, 4, 4, 0, 0, 0, NULL, &error), error),
       CL_INVALID_IMAGE_SIZE);
    /* clCreateImage takes a depth of 1, the older call does not. */
    EQ((clCreateImage3D(context, 0, &rgba, 4, 4, 1, 0, 0, NULL, &error), error),
       CL_INVALID_IMAGE_SIZE);
    EQ((clCreateImage3D(NULL, 0, &rgba, 4, 4, 1, 0, 0, NULL, &error), error), CL_INVALID_CONTEXT);
    d = good, d.image_type = CL_MEM_OBJECT_IMAGE3D, d.image_depth = 1;
    cl_mem flat = MADE(clCreateImage, context, 0, &rgba, &d, NULL);
    MUST(clReleaseMemObject(flat));
    size_t value;
    EQ(clGetImageInfo(buffer, CL_IMAGE_WIDTH, sizeof value, &value, NULL), CL_INVALID_MEM_OBJECT);
    MUST(clReleaseMemObject(buffer));
    cl_mem old = MADE(clCreateImage2D, context, CL_MEM_COPY_HOST_PTR, &rgba, 8, 8, 64, host);
    EQ(clGetImageInfo(old, CL_MEM_SIZE, sizeof value, &value, NULL), CL_INVALID_VALUE);
    MUST(clReleaseMemObject(old));
    old = MADE(clCreateImage3D, context, CL_MEM_COPY_HOST_PTR, &rgba, 8, 8, 2, 0, 0, host);
    MUST(clReleaseMemObject(old));

    /* Calls that the image's host access flags forbid. */
    const size_t zero[3] = {0, 0, 0}, one[3] = {1, 1, 1};
    size_t row;
    cl_mem hidden = MADE(clCreateImage, context, CL_MEM_HOST_NO_ACCESS, &rgba, &good, NULL);
    EQ(clEnqueueReadImage(queue, hidden, CL_TRUE, zero, one, 0, 0, host, 0, NULL, NULL),
       CL_INVALID_OPERATION);
    EQ((clEnqueueMapImage(queue, hidden, CL_TRUE, CL_MAP_WRITE, zero, one, &row, NULL, 0, NULL,
                          NULL, &error),
        error),
       CL_INVALID_OPERATION);
    EQ((clEnqueueMapImage(queue, hidden, CL_TRUE, CL_MAP_WRITE, zero, one, NULL, NULL, 0, NULL,
                          NULL, &error),
        error),
       CL_INVALID_OPERATION);
    MUST(clReleaseMemObject(hidden));
}

static void samplers(void)
{
    cl_int error;
    cl_sampler sampler =
        clCreateSampler(context, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_LINEAR, &error);
    MUST(error);
    cl_uint value = 7;
    MUST(clGetSamplerInfo(sampler, CL_SAMPLER_NORMALIZED_COORDS, sizeof value, &value, NULL));
    EQ(value, CL_FALSE);
    MUST(clGetSamplerInfo(sampler, CL_SAMPLER_ADDRESSING_MODE, sizeof value, &value, NULL));
    EQ(value, CL_ADDRESS_CLAMP);
    MUST(clGetSamplerInfo(sampler, CL_SAMPLER_FILTER_MODE, sizeof value, &value, NULL));
    EQ(value, CL_FILTER_LINEAR);
    MUST(clRetainSampler(sampler));
    MUST(clGetSamplerInfo(sampler, CL_SAMPLER_REFERENCE_COUNT, sizeof value, &value, NULL));
    EQ(value, 2);
    MUST(clReleaseSampler(sampler));
    MUST(clReleaseSampler(sampler));
    const cl_sampler_properties list[] = {CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR, 0};
    sampler = MADE(clCreateSamplerWithProperties, context, list);
    MUST(clGetSamplerInfo(sampler, CL_SAMPLER_NORMALIZED_COORDS, sizeof value, &value, NULL));
    EQ(value, CL_TRUE);
    MUST(clReleaseSampler(sampler));
    EQ((clCreateSampler(context, CL_TRUE, 0, CL_FILTER_LINEAR, &error), error), CL_INVALID_VALUE);
    EQ((clCreateSampler(context, CL_TRUE, CL_ADDRESS_NONE, 5, &error), error), CL_INVALID_VALUE);
    const cl_sampler_properties twice[] = {CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR,
                                           CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR, 0};
    EQ((clCreateSamplerWithProperties(context, twice, &error), error), CL_INVALID_VALUE);
    EQ(clReleaseSampler((cl_sampler)queue), CL_INVALID_SAMPLER);
}

int main(void)
{
    device = pumice_device();
    cl_bool images = CL_FALSE;
    MUST(clGetDeviceInfo(device, CL_DEVICE_IMAGE_SUPPORT, sizeof images, &images, NULL));
    EQ(images, CL_TRUE);
    context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    queue = MADE(clCreateCommandQueueWithProperties, context, device, NULL);
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        cl_uint count = 0;
        MUST(clGetSupportedImageFormats(context, CL_MEM_READ_WRITE, shapes[i].type, 0, NULL,
                                        &count));
        CHECK(count >= 10);
        for (size_t j = 0; j < sizeof formats / sizeof *formats; j++)
            round_trips(&shapes[i], formats[j].format, formats[j].size);
    }
    large_fill(CL_MEM_OBJECT_IMAGE2D_ARRAY);
    large_fill(CL_MEM_OBJECT_IMAGE3D);
    host_memory();
    between_types();
    errors();
    samplers();
    MUST(clReleaseCommandQueue(queue));
    release_last(context);
    return finish();
}
