/* The objects of random_commands.c: how they are made, and which of their bytes a command takes. */
#ifndef PUMICE_RANDOM_COMMANDS_OBJECTS_H
#define PUMICE_RANDOM_COMMANDS_OBJECTS_H
#include "random_commands_kernels.h"

enum { LARGE = 1 << 20 };

/* What all threads share. */
static cl_device_id device;
static cl_context context;
static cl_program program;
static cl_command_queue queues[QUEUES];
static cl_bool has_images, has_shared, writes_volumes;
static cl_bool is_pumice; /* whose new buffers are zero, and which makes images of buffers */
static size_t alignment; /* of sub-buffers, bytes */
static size_t most_texels; /* of an image of a buffer */

static size_t some_size(size_t most)
{
    unsigned kind = below(10);
    size_t size = kind < 4 ? 1 + below(256) : kind < 8 ? 1 + below(16384) : 1 + below(262144);
    return size < most ? size : most;
}

static void make_buffer(Object *object)
{
    static const cl_mem_flags flags[] = {0, 0, CL_MEM_ALLOC_HOST_PTR, CL_MEM_COPY_HOST_PTR, CL_MEM_USE_HOST_PTR};
    cl_mem_flags flag = flags[below(5)];
    cl_int error = 0;
    object->size = 64 + (chance(5) ? LARGE + below(LARGE) : some_size(LARGE));
    object->model = calloc(1, object->size);
    if (!is_pumice && !(flag & CL_MEM_USE_HOST_PTR))
        flag |= CL_MEM_COPY_HOST_PTR;
    if (flag & (CL_MEM_COPY_HOST_PTR | CL_MEM_USE_HOST_PTR)) {
        unsigned char *start = noise(object->size + 64);
        if (flag & CL_MEM_USE_HOST_PTR && chance(50))
            start += 4 * below(16);
        object->host = start;
        memcpy(object->model, start, object->size);
    }
    object->views[0].mem = MADE(clCreateBuffer, context, flag, object->size, object->host);
    object->views[0].size = object->size;
    object->view_count = 1;
    if (!(flag & CL_MEM_USE_HOST_PTR))
        object->host = NULL;
    if (is_pumice && has_images && object->size / 4 <= most_texels && chance(30)) {
        cl_image_format words = {CL_R, CL_UNSIGNED_INT32};
        cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = object->size / 4};
        desc.mem_object = object->views[0].mem;
        object->strip = MADE(clCreateImage, context, 0, &words, &desc, NULL);
    }
    while (object->view_count < VIEWS && object->size > 2 * alignment && chance(60)) {
        size_t start = below((unsigned)(object->size / alignment)) * alignment;
        size_t room = object->size - start;
        cl_buffer_region region = {start, room < 16 || chance(50) ? room : 16 + below((unsigned)room - 15)};
        int view = object->view_count++;
        object->views[view].mem =
            clCreateSubBuffer(object->views[0].mem, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
        MUST(error);
        object->views[view].start = region.origin;
        object->views[view].size = region.size;
    }
}

static void make_shared(Object *object)
{
    object->size = 64 + some_size(LARGE);
    object->shared = clSVMAlloc(context, CL_MEM_READ_WRITE, object->size, 0);
    CHECK(object->shared);
    if (!object->shared)
        give_up();
    object->model = calloc(1, object->size);
    /* What it holds at first is undefined. */
    Command draft = {.queue = (int)below(QUEUES)};
    Region all = linear(0, object->size);
    say(&draft, "clear");
    touch(&draft, object, 0, all, 1);
    Waits waits = order(&draft, 0);
    cl_event event = NULL;
    unsigned char zero = 0;
    MUST(clEnqueueSVMMemFill(queues[draft.queue], object->shared, &zero, 1, object->size, waits.count,
                             wait_list(&waits), &event));
    append(&draft, event);
}

static int is_supported(cl_mem_object_type type, cl_image_format wanted)
{
    cl_image_format formats[256];
    cl_uint count = 0;
    MUST(clGetSupportedImageFormats(context, CL_MEM_READ_WRITE, type, 256, formats, &count));
    for (cl_uint i = 0; i < count && i < 256; i++) {
        if (!memcmp(&formats[i], &wanted, sizeof wanted))
            return 1;
    }
    return 0;
}

static void make_image(Object *object)
{
    static const cl_image_format formats[] = {
        {CL_R, CL_UNSIGNED_INT32},    {CL_RGBA, CL_UNSIGNED_INT8}, {CL_RG, CL_UNSIGNED_INT16},
        {CL_RGBA, CL_UNSIGNED_INT32}, {CL_R, CL_UNSIGNED_INT8},    {CL_RGBA, CL_UNSIGNED_INT16},
    };
    object->type = dimensionalities[below(DIMENSIONALITIES)].type;
    object->format = formats[below(6)];
    if (!is_supported(object->type, object->format))
        object->format = formats[1];
    object->texel = channels_of(object->format) * channel_bytes(object->format);
    int depth = object->type == CL_MEM_OBJECT_IMAGE3D || object->type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
    object->extent[0] = 1 + below(90);
    object->extent[1] = object->type == CL_MEM_OBJECT_IMAGE1D ? 1 : 1 + below(40);
    object->extent[2] = depth ? 1 + below(10) : 1;
    object->size = object->extent[0] * object->extent[1] * object->extent[2] * object->texel;
    int is_lines = object->type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
    cl_image_desc desc = {.image_type = object->type, .image_width = object->extent[0]};
    if (is_lines)
        desc.image_array_size = object->extent[1];
    else
        desc.image_height = object->extent[1];
    if (object->type == CL_MEM_OBJECT_IMAGE2D_ARRAY)
        desc.image_array_size = object->extent[2];
    else
        desc.image_depth = object->extent[2];
    void *start = noise(object->size);
    object->model = malloc(object->size);
    memcpy(object->model, start, object->size);
    object->views[0].mem = MADE(clCreateImage, context, CL_MEM_COPY_HOST_PTR, &object->format, &desc, start);
    object->view_count = 1;
}

static void make_object(Object *object)
{
    *object = (Object){.number = run->next_number++, .map_command = -1};
    unsigned what = below(10);
    if (what < 4 && has_images) {
        object->kind = IMAGE;
        make_image(object);
    } else if (what < 6 && has_shared) {
        object->kind = SHARED;
        make_shared(object);
    } else {
        object->kind = BUFFER;
        make_buffer(object);
    }
}

static Object *any_object(void) { return &run->objects[below((unsigned)run->object_count)]; }

static Object *object_of(enum kind first, enum kind second)
{
    for (int tries = 0; tries < 60; tries++) {
        Object *object = any_object();
        if (object->kind == first || object->kind == second)
            return object;
    }
    return NULL;
}

static int view_of(Object *object) { return object->kind == BUFFER ? (int)below((unsigned)object->view_count) : 0; }

/* A range within a view, its ends multiples of `unit`. */
static Region range_of(Object *object, int view, size_t unit, size_t most)
{
    size_t base = object->kind == BUFFER ? object->views[view].start : 0;
    size_t units = (object->kind == BUFFER ? object->views[view].size : object->size) / unit;
    size_t length = some_size(most) / unit;
    length = length < 1 ? 1 : length > units ? units : length;
    if (chance(10))
        length = units * unit <= most ? units : length;
    size_t start = below((unsigned)(units - length + 1));
    return linear(base + start * unit, length * unit);
}

static Region box(const Object *image, const size_t at[3], const size_t size[3])
{
    size_t row = image->extent[0] * image->texel, slice = row * image->extent[1];
    return (Region){at[2] * slice + at[1] * row + at[0] * image->texel, size[0] * image->texel, size[1], row, size[2], slice};
}

static void some_box(const Object *image, size_t at[3], size_t size[3])
{
    for (int i = 0; i < 3; i++) {
        size[i] = chance(30) ? image->extent[i] : 1 + below((unsigned)image->extent[i]);
        at[i] = below((unsigned)(image->extent[i] - size[i] + 1));
    }
}

static cl_mem handle(const Object *object, int view) { return object->views[view].mem; }

static int is_lines(const Object *image) { return image->type == CL_MEM_OBJECT_IMAGE1D_ARRAY; }

static int has_slices(const Object *image)
{
    return image->type == CL_MEM_OBJECT_IMAGE3D || image->type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
}

static void release_object(Object *object)
{
    if (object->strip)
        MUST(clReleaseMemObject(object->strip));
    for (int view = object->view_count - 1; view >= 0; view--)
        MUST(clReleaseMemObject(object->views[view].mem));
    free(object->model);
}
#endif
