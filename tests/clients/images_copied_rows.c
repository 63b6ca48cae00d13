// client: needs images
/* clEnqueueCopyImage between images of unlike types: a region of a 1D image array has layers where one of another image has
 * rows. Each side has texels of its own or is rows of a buffer, with and without gaps; some formats are kept as rows of a
 * buffer in any case. */
#include "common.h"

enum { W = 8, H = 6, D = 3, ROW = 11, TALL = ROW * 7, FIRST = 16, N = FIRST + TALL * H };

typedef unsigned short texel;

static cl_context context;
static cl_command_queue queue;
static cl_image_format format;

static const struct type {
    cl_mem_object_type type;
    const char *name;
} types[] = {
    {CL_MEM_OBJECT_IMAGE1D, "1D"},       {CL_MEM_OBJECT_IMAGE1D_BUFFER, "1D buffer"},
    {CL_MEM_OBJECT_IMAGE1D_ARRAY, "1D array"}, {CL_MEM_OBJECT_IMAGE2D, "2D"},
    {CL_MEM_OBJECT_IMAGE2D_ARRAY, "2D array"}, {CL_MEM_OBJECT_IMAGE3D, "3D"},
};
enum { TYPES = sizeof types / sizeof *types };

enum { OWN, OF_BUFFER, WITH_GAPS, KINDS };
static const char *kinds[] = {"", " of a buffer", " of a buffer with gaps"};

/* An image of some type, and the numbers that its texels or its buffer have. */
struct side {
    const struct type *type;
    int kind;
    cl_mem buffer, image;
    size_t height, depth, row, slice;
    texel numbers[N];
};

static int has_slices(const struct side *s)
{
    return s->type->type == CL_MEM_OBJECT_IMAGE2D_ARRAY || s->type->type == CL_MEM_OBJECT_IMAGE3D;
}

/* A place in the image, by its coordinates in the API, among the side's numbers. */
static texel *at(struct side *s, size_t x, size_t y, size_t z)
{
    /* The second coordinate of a 1D array is the layer. */
    size_t pitch = s->type->type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? s->slice : s->row;
    return &s->numbers[FIRST + x + y * pitch + z * s->slice];
}

/* False where there is no such image. */
static int make(struct side *s, const struct type *type, int kind, texel first)
{
    cl_image_desc desc = {.image_type = type->type, .image_width = W};
    *s = (struct side){.type = type, .kind = kind, .height = 1, .depth = 1, .row = W};
    switch (type->type) {
    case CL_MEM_OBJECT_IMAGE1D_ARRAY:
        desc.image_array_size = s->height = H;
        break;
    case CL_MEM_OBJECT_IMAGE2D_ARRAY:
        desc.image_array_size = s->depth = D;
        desc.image_height = s->height = H;
        break;
    case CL_MEM_OBJECT_IMAGE3D:
        desc.image_depth = s->depth = D;
        desc.image_height = s->height = H;
        break;
    case CL_MEM_OBJECT_IMAGE2D:
        desc.image_height = s->height = H;
        break;
    case CL_MEM_OBJECT_IMAGE1D_BUFFER:
        if (kind != OF_BUFFER)
            return 0;
        break;
    default:
        break;
    }
    s->slice = type->type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? W : W * H;
    if (kind == WITH_GAPS) {
        if (type->type == CL_MEM_OBJECT_IMAGE1D)
            return 0;
        s->row = ROW;
        s->slice = TALL;
        desc.image_row_pitch = s->row * sizeof(texel);
        if (has_slices(s) || type->type == CL_MEM_OBJECT_IMAGE1D_ARRAY)
            desc.image_slice_pitch = s->slice * sizeof(texel);
    }
    if (kind != OWN) {
        s->buffer = MADE(clCreateBuffer, context, 0, sizeof s->numbers, NULL);
        desc.mem_object = s->buffer;
    }
    s->image = MADE(clCreateImage, context, 0, &format, &desc, NULL);
    for (int i = 0; i < N; i++)
        s->numbers[i] = (texel)(first + i);
    if (kind != OWN)
        MUST(clEnqueueWriteBuffer(queue, s->buffer, CL_TRUE, 0, (N - FIRST) * sizeof(texel), s->numbers + FIRST, 0, NULL, NULL));
    else
        MUST(clEnqueueWriteImage(queue, s->image, CL_TRUE, (size_t[]){0, 0, 0}, (size_t[]){W, s->height, s->depth}, 0, 0,
                                 s->numbers + FIRST, 0, NULL, NULL));
    return 1;
}

static void release(struct side *s)
{
    MUST(clReleaseMemObject(s->image));
    if (s->buffer)
        MUST(clReleaseMemObject(s->buffer));
}

/* The image has the side's numbers, and the gaps of its buffer are as they were. */
static void check(struct side *s, const struct side *from)
{
    static texel got[N];
    memset(got, 0, sizeof got);
    size_t zero[3] = {0, 0, 0}, all[3] = {W, s->height, s->depth};
    MUST(clEnqueueReadImage(queue, s->image, CL_TRUE, zero, all, 0, 0, got, 0, NULL, NULL));
    int wrong = 0, gaps = 0;
    for (size_t z = 0; z < s->depth; z++)
        for (size_t y = 0; y < s->height; y++)
            for (size_t x = 0; x < W; x++)
                wrong += got[x + W * (y + s->height * z)] != *at(s, x, y, z);
    if (s->buffer) {
        MUST(clEnqueueReadBuffer(queue, s->buffer, CL_TRUE, 0, (N - FIRST) * sizeof(texel), got, 0, NULL, NULL));
        for (int i = 0; i < N - FIRST; i++)
            gaps += got[i] != s->numbers[FIRST + i];
    }
    if (wrong || gaps) {
        fprintf(stderr, "%s%s -> %s%s: %d wrong texels, %d wrong numbers in the buffer\n", from->type->name,
                kinds[from->kind], s->type->name, kinds[s->kind], wrong, gaps);
        failures++;
    }
}

static void copy(const struct type *a, int kind_a, const struct type *b, int kind_b)
{
    static struct side from, to;
    if (!make(&from, a, kind_a, 1000))
        return;
    if (!make(&to, b, kind_b, 30000)) {
        release(&from);
        return;
    }
    /* A copy of some rows within the images, then one of whole rows. */
    for (int whole = 0; whole < 2; whole++) {
        size_t rows = from.height < to.height ? from.height : to.height;
        size_t rows_moved = rows == 1 ? 1 : rows - 2, slices = has_slices(&from) && has_slices(&to) ? 2 : 1;
        size_t x = whole ? 0 : 2;
        size_t source[3] = {x, from.height > 1, has_slices(&from)};
        size_t target[3] = {whole ? 0 : 1, to.height > 1 ? 2 : 0, has_slices(&to)};
        size_t region[3] = {whole ? W : 3, rows_moved, slices};
        cl_int error = clEnqueueCopyImage(queue, from.image, to.image, source, target, region, 0, NULL, NULL);
        if (error) {
            fprintf(stderr, "%s%s -> %s%s: %d\n", a->name, kinds[kind_a], b->name, kinds[kind_b], error);
            failures++;
            continue;
        }
        for (size_t k = 0; k < slices; k++)
            for (size_t j = 0; j < region[1]; j++)
                for (size_t i = 0; i < region[0]; i++)
                    *at(&to, target[0] + i, target[1] + j, target[2] + k) =
                        *at(&from, source[0] + i, source[1] + j, source[2] + k);
        check(&to, &from);
    }
    check(&from, &from);
    release(&from);
    release(&to);
}

/* Rows of one buffer: images that have no bytes in common, or some. */
static void of_one_buffer(void)
{
    texel numbers[2 * W * H], got[2 * W * H];
    for (int i = 0; i < 2 * W * H; i++)
        numbers[i] = (texel)(i * 3 + 1);
    cl_mem buffer = MADE(clCreateBuffer, context, CL_MEM_COPY_HOST_PTR, sizeof numbers, numbers);
    /* Layers and rows in turns. */
    cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE1D_ARRAY, .image_width = W, .image_array_size = H};
    desc.image_row_pitch = desc.image_slice_pitch = 2 * W * sizeof(texel);
    desc.mem_object = buffer;
    cl_mem layers = MADE(clCreateImage, context, 0, &format, &desc, NULL);
    desc = (cl_image_desc){.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 2 * W, .image_height = H};
    desc.mem_object = buffer;
    cl_mem rows = MADE(clCreateImage, context, 0, &format, &desc, NULL);
    size_t zero[3] = {0, 0, 0}, beside[3] = {W, 0, 0}, partly[3] = {W - 1, 0, 0}, region[3] = {W, H, 1};
    MUST(clEnqueueCopyImage(queue, layers, rows, zero, beside, region, 0, NULL, NULL));
    EQ(clEnqueueCopyImage(queue, rows, layers, partly, zero, region, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++)
            numbers[2 * W * y + W + x] = numbers[2 * W * y + x];
    MUST(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    EQ(memcmp(got, numbers, sizeof got), 0);
    MUST(clReleaseMemObject(layers));
    MUST(clReleaseMemObject(rows));
    MUST(clReleaseMemObject(buffer));
}

static int is_listed(cl_mem_object_type type)
{
    static cl_image_format formats[512];
    cl_uint count = 0;
    MUST(clGetSupportedImageFormats(context, CL_MEM_READ_WRITE, type, 512, formats, &count));
    for (cl_uint i = 0; i < count; i++)
        if (!memcmp(&formats[i], &format, sizeof format))
            return 1;
    return 0;
}

int main(void)
{
    cl_device_id device = pumice_device();
    context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    queue = MADE(clCreateCommandQueue, context, device, 0);
    /* The last is CL_UNSIGNED_INT14X2_EXT: Vulkan has no such texels. */
    const cl_channel_type data_types[] = {CL_UNSIGNED_INT16, 0x10E8};
    for (size_t f = 0; f < sizeof data_types / sizeof *data_types; f++) {
        format = (cl_image_format){CL_R, data_types[f]};
        for (int a = 0; a < TYPES * KINDS; a++)
            for (int b = 0; b < TYPES * KINDS; b++)
                if (is_listed(types[a / KINDS].type) && is_listed(types[b / KINDS].type))
                    copy(&types[a / KINDS], a % KINDS, &types[b / KINDS], b % KINDS);
    }
    format = (cl_image_format){CL_R, CL_UNSIGNED_INT16};
    of_one_buffer();
    MUST(clReleaseCommandQueue(queue));
    release_last(context);
    return finish();
}
