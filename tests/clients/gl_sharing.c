// client: link -lEGL -lOpenGL
// client: once
// client: needs images
/* cl_khr_gl_sharing and cl_khr_gl_depth_images on OpenGL by EGL: buffers, textures of every format, target and level,
 * and renderbuffers go back and forth byte by byte; the errors of each function. */
#include "gl_common.h"

static cl_context context;
static cl_command_queue queue;

/* Different bytes for each seed; in floats and halves no NaN, whose bits may change on the way. */
static void fill_bytes(unsigned char *bytes, size_t size, unsigned seed)
{
    unsigned state = seed * 2654435761u + 12345;
    for (size_t i = 0; i < size; i++) {
        state = state * 1664525u + 1013904223u;
        /* Exponents of floats and halves lie in the odd bytes. */
        bytes[i] = (unsigned char)(state >> 24) & (i % 2 ? 0x3b : 0x7f);
    }
}

static void acquire(cl_mem object)
{
    MUST(clEnqueueAcquireGLObjects(queue, 1, &object, 0, NULL, NULL));
}

static void release(cl_mem object)
{
    MUST(clEnqueueReleaseGLObjects(queue, 1, &object, 0, NULL, NULL));
}

/* A buffer that a kernel changes. */
static void buffers(void)
{
    enum { N = 1000 };
    static const char source[] = "kernel void add(global int *v) { v[get_global_id(0)] += 7; }";
    int values[N];
    for (int i = 0; i < N; i++)
        values[i] = i * 3;
    GLuint names[2];
    glGenBuffers(2, names);
    glBindBuffer(GL_ARRAY_BUFFER, names[0]);
    glBufferData(GL_ARRAY_BUFFER, sizeof values, values, GL_STATIC_DRAW);
    glBindBuffer(GL_ARRAY_BUFFER, names[1]);
    /* The second takes nothing from the host. */
    glBufferStorage(GL_ARRAY_BUFFER, sizeof values, values, 0);
    NO_GL_ERROR();
    cl_kernel kernel = build_kernel(context, source, "add");
    for (int b = 0; b < 2; b++) {
        cl_mem buffer = MADE(clCreateFromGLBuffer, context, CL_MEM_READ_WRITE, names[b]);
        size_t size = 0;
        MUST(clGetMemObjectInfo(buffer, CL_MEM_SIZE, sizeof size, &size, NULL));
        EQ(size, sizeof values);
        cl_gl_object_type type = 0;
        GLuint name = 0;
        MUST(clGetGLObjectInfo(buffer, &type, &name));
        EQ(type, CL_GL_OBJECT_BUFFER);
        EQ(name, names[b]);
        MUST(clGetGLObjectInfo(buffer, NULL, NULL));
        EQ(clGetGLTextureInfo(buffer, CL_GL_TEXTURE_TARGET, sizeof name, &name, NULL), CL_INVALID_GL_OBJECT);

        acquire(buffer);
        MUST(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
        size_t global = N;
        MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
        release(buffer);
        MUST(clFinish(queue));
        int got[N];
        glBindBuffer(GL_ARRAY_BUFFER, names[b]);
        glGetBufferSubData(GL_ARRAY_BUFFER, 0, sizeof got, got);
        int wrong = 0;
        for (int i = 0; i < N; i++)
            wrong += got[i] != values[i] + 7;
        EQ(wrong, 0);
        MUST(clReleaseMemObject(buffer));

        /* Kernels only read it; what the host writes arrives all the same. */
        buffer = MADE(clCreateFromGLBuffer, context, CL_MEM_READ_ONLY, names[b]);
        acquire(buffer);
        MUST(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
        EQ(got[9], 34);
        release(buffer);
        const int written = -5;
        acquire(buffer);
        MUST(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 9 * sizeof written, sizeof written, &written, 0, NULL, NULL));
        release(buffer);
        MUST(clFinish(queue));
        glGetBufferSubData(GL_ARRAY_BUFFER, 0, sizeof got, got);
        EQ(got[9], -5);
        EQ(got[10], 37);
        MUST(clReleaseMemObject(buffer));
    }
    /* A buffer that has changed its size in the meantime, or is gone, fails the command. */
    glBindBuffer(GL_ARRAY_BUFFER, names[0]);
    glBufferData(GL_ARRAY_BUFFER, sizeof values, values, GL_STATIC_DRAW);
    cl_mem buffer = MADE(clCreateFromGLBuffer, context, 0, names[0]);
    glBufferData(GL_ARRAY_BUFFER, sizeof values / 2, values, GL_STATIC_DRAW);
    cl_event event;
    MUST(clEnqueueAcquireGLObjects(queue, 1, &buffer, 0, NULL, &event));
    EQ(clWaitForEvents(1, &event), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    cl_int status = 0;
    MUST(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    EQ(status, CL_INVALID_GL_OBJECT);
    MUST(clReleaseEvent(event));
    glDeleteBuffers(2, names);
    MUST(clEnqueueAcquireGLObjects(queue, 1, &buffer, 0, NULL, &event));
    EQ(clWaitForEvents(1, &event), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    MUST(clReleaseEvent(event));
    MUST(clReleaseMemObject(buffer));
    MUST(clReleaseKernel(kernel));
    NO_GL_ERROR();
}

struct format {
    GLenum internal, format, type;
    cl_uint order, data_type;
    int texel;
};

#define COLOUR(base, red, rg, rgba, data, bytes)                                     \
    {GL_R##base, red, data##_GL, CL_R, data##_CL, bytes},                     \
    {GL_RG##base, rg, data##_GL, CL_RG, data##_CL, 2 * bytes},                \
    {GL_RGBA##base, rgba, data##_GL, CL_RGBA, data##_CL, 4 * bytes}
#define NUMBERS(base, data, bytes) COLOUR(base, GL_RED, GL_RG, GL_RGBA, data, bytes)
#define INTEGERS(base, data, bytes) \
    COLOUR(base, GL_RED_INTEGER, GL_RG_INTEGER, GL_RGBA_INTEGER, data, bytes)

#define UNORM8_GL GL_UNSIGNED_BYTE
#define UNORM8_CL CL_UNORM_INT8
#define UNORM16_GL GL_UNSIGNED_SHORT
#define UNORM16_CL CL_UNORM_INT16
#define SNORM8_GL GL_BYTE
#define SNORM8_CL CL_SNORM_INT8
#define SNORM16_GL GL_SHORT
#define SNORM16_CL CL_SNORM_INT16
#define HALF_GL GL_HALF_FLOAT
#define HALF_CL CL_HALF_FLOAT
#define FLOAT_GL GL_FLOAT
#define FLOAT_CL CL_FLOAT
#define SINT8_GL GL_BYTE
#define SINT8_CL CL_SIGNED_INT8
#define SINT16_GL GL_SHORT
#define SINT16_CL CL_SIGNED_INT16
#define SINT32_GL GL_INT
#define SINT32_CL CL_SIGNED_INT32
#define UINT8_GL GL_UNSIGNED_BYTE
#define UINT8_CL CL_UNSIGNED_INT8
#define UINT16_GL GL_UNSIGNED_SHORT
#define UINT16_CL CL_UNSIGNED_INT16
#define UINT32_GL GL_UNSIGNED_INT
#define UINT32_CL CL_UNSIGNED_INT32

static const struct format FORMATS[] = {
    NUMBERS(8, UNORM8, 1),
    NUMBERS(16, UNORM16, 2),
    NUMBERS(8_SNORM, SNORM8, 1),
    NUMBERS(16_SNORM, SNORM16, 2),
    NUMBERS(16F, HALF, 2),
    NUMBERS(32F, FLOAT, 4),
    INTEGERS(8I, SINT8, 1),
    INTEGERS(16I, SINT16, 2),
    INTEGERS(32I, SINT32, 4),
    INTEGERS(8UI, UINT8, 1),
    INTEGERS(16UI, UINT16, 2),
    INTEGERS(32UI, UINT32, 4),
    {GL_SRGB8_ALPHA8, GL_RGBA, GL_UNSIGNED_BYTE, CL_sRGBA, CL_UNORM_INT8, 4},
    {GL_RGBA, GL_RGBA, GL_UNSIGNED_BYTE, CL_RGBA, CL_UNORM_INT8, 4},
    {GL_DEPTH_COMPONENT16, GL_DEPTH_COMPONENT, GL_UNSIGNED_SHORT, CL_DEPTH, CL_UNORM_INT16, 2},
    {GL_DEPTH_COMPONENT32F, GL_DEPTH_COMPONENT, GL_FLOAT, CL_DEPTH, CL_FLOAT, 4},
};
enum { FORMAT_COUNT = sizeof FORMATS / sizeof *FORMATS };

static int is_depth(const struct format *f)
{
    return f->order == CL_DEPTH;
}

struct target {
    GLenum bound, image;
    cl_mem_object_type type;
    cl_gl_object_type kind;
    /* Sizes of level 0; layers are the last. */
    int width, height, depth, dimensions, layered, levels;
};

static const struct target TARGETS[] = {
    {GL_TEXTURE_1D, GL_TEXTURE_1D, CL_MEM_OBJECT_IMAGE1D, CL_GL_OBJECT_TEXTURE1D, 37, 1, 1, 1, 0, 3},
    {GL_TEXTURE_1D_ARRAY, GL_TEXTURE_1D_ARRAY, CL_MEM_OBJECT_IMAGE1D_ARRAY,
     CL_GL_OBJECT_TEXTURE1D_ARRAY, 37, 5, 1, 2, 1, 3},
    {GL_TEXTURE_2D, GL_TEXTURE_2D, CL_MEM_OBJECT_IMAGE2D, CL_GL_OBJECT_TEXTURE2D, 37, 21, 1, 2, 0, 3},
    {GL_TEXTURE_RECTANGLE, GL_TEXTURE_RECTANGLE, CL_MEM_OBJECT_IMAGE2D, CL_GL_OBJECT_TEXTURE2D, 37,
     21, 1, 2, 0, 1},
    {GL_TEXTURE_CUBE_MAP, GL_TEXTURE_CUBE_MAP_NEGATIVE_Y, CL_MEM_OBJECT_IMAGE2D,
     CL_GL_OBJECT_TEXTURE2D, 20, 20, 1, 2, 0, 3},
    {GL_TEXTURE_2D_ARRAY, GL_TEXTURE_2D_ARRAY, CL_MEM_OBJECT_IMAGE2D_ARRAY,
     CL_GL_OBJECT_TEXTURE2D_ARRAY, 19, 13, 4, 3, 1, 3},
    {GL_TEXTURE_3D, GL_TEXTURE_3D, CL_MEM_OBJECT_IMAGE3D, CL_GL_OBJECT_TEXTURE3D, 19, 13, 9, 3, 0, 3},
};
enum { TARGET_COUNT = sizeof TARGETS / sizeof *TARGETS };

static int halved(int size, int level)
{
    return size >> level ? size >> level : 1;
}

/* The sizes of a level. */
static void sizes(const struct target *t, int level, int out[3])
{
    out[0] = halved(t->width, level);
    out[1] = t->dimensions == 2 && t->layered ? t->height : halved(t->height, level);
    out[2] = t->dimensions == 3 && t->layered ? t->depth : halved(t->depth, level);
}

static void tex_image(const struct target *t, GLenum image, const struct format *f, int level, const void *bytes)
{
    int s[3];
    sizes(t, level, s);
    if (t->dimensions == 1)
        glTexImage1D(image, level, f->internal, s[0], 0, f->format, f->type, bytes);
    else if (t->dimensions == 2)
        glTexImage2D(image, level, f->internal, s[0], s[1], 0, f->format, f->type, bytes);
    else
        glTexImage3D(image, level, f->internal, s[0], s[1], s[2], 0, f->format, f->type, bytes);
}

static int bytes_differ(const unsigned char *a, const unsigned char *b, size_t size)
{
    size_t count = 0, first = size;
    for (size_t i = 0; i < size; i++)
        if (a[i] != b[i]) {
            count++;
            if (first == size)
                first = i;
        }
    if (count)
        fprintf(stderr, "%zu of %zu bytes differ, the first at %zu: %#x, not %#x\n", count, size, first,
                a[first], b[first]);
    return count != 0;
}

/* One level there and back: what OpenGL wrote is read by OpenCL, and the other way round. */
static void level_round_trip(cl_mem image, const struct target *t, const struct format *f, int level,
                             int image_level, int levels)
{
    int s[3];
    sizes(t, level, s);
    size_t size = (size_t)s[0] * s[1] * s[2] * f->texel;
    unsigned char *before = malloc(size), *got = malloc(size), *after = malloc(size);
    fill_bytes(before, size, level + 1);
    fill_bytes(after, size, level + 77);
    size_t region[3] = {s[0], s[1], s[2]};
    /* The level stands behind the last coordinate. */
    size_t origin[4] = {0, 0, 0, 0};
    if (levels > 1)
        origin[t->dimensions] = image_level;
    MUST(clEnqueueReadImage(queue, image, CL_TRUE, origin, region, 0, 0, got, 0, NULL, NULL));
    int differ = bytes_differ(got, before, size);
    MUST(clEnqueueWriteImage(queue, image, CL_TRUE, origin, region, 0, 0, after, 0, NULL, NULL));
    if (differ) {
        fprintf(stderr, "  to OpenCL: format %#x, target %#x, level %d\n", f->internal, t->image, level);
        failures++;
    }
    free(before);
    free(got);
    free(after);
}

static void check_after(const struct target *t, const struct format *f, int level)
{
    int s[3];
    sizes(t, level, s);
    size_t size = (size_t)s[0] * s[1] * s[2] * f->texel;
    unsigned char *got = malloc(size), *after = malloc(size);
    fill_bytes(after, size, level + 77);
    glGetTexImage(t->image, level, f->format, f->type, got);
    if (bytes_differ(got, after, size)) {
        fprintf(stderr, "  to OpenGL: format %#x, target %#x, level %d\n", f->internal, t->image, level);
        failures++;
    }
    free(got);
    free(after);
}

/* A texture with its levels, filled. */
static GLuint make_texture(const struct target *t, const struct format *f)
{
    GLuint texture;
    glGenTextures(1, &texture);
    glBindTexture(t->bound, texture);
    for (int level = 0; level < t->levels; level++) {
        int s[3];
        sizes(t, level, s);
        size_t size = (size_t)s[0] * s[1] * s[2] * f->texel;
        unsigned char *bytes = malloc(size);
        fill_bytes(bytes, size, level + 1);
        tex_image(t, t->image, f, level, bytes);
        if (t->bound == GL_TEXTURE_CUBE_MAP)
            for (int face = 0; face < 6; face++)
                if (GL_TEXTURE_CUBE_MAP_POSITIVE_X + face != t->image)
                    tex_image(t, GL_TEXTURE_CUBE_MAP_POSITIVE_X + face, f, level, NULL);
        free(bytes);
    }
    if (t->bound != GL_TEXTURE_RECTANGLE)
        glTexParameteri(t->bound, GL_TEXTURE_MAX_LEVEL, t->levels - 1);
    NO_GL_ERROR();
    return texture;
}

static void texture(const struct target *t, const struct format *f, int miplevel)
{
    GLuint texture = make_texture(t, f);
    cl_int error;
    cl_mem image = clCreateFromGLTexture(context, CL_MEM_READ_WRITE, t->image, miplevel, texture, &error);
    if (error) {
        fprintf(stderr, "format %#x, target %#x, level %d: %d\n", f->internal, t->image, miplevel, error);
        failures++;
        return;
    }
    cl_mem_object_type type = 0;
    cl_gl_object_type kind = 0;
    cl_image_format format = {0, 0};
    GLenum target = 0;
    GLint level = -9;
    GLuint name = 0;
    size_t width = 0;
    MUST(clGetMemObjectInfo(image, CL_MEM_TYPE, sizeof type, &type, NULL));
    MUST(clGetImageInfo(image, CL_IMAGE_FORMAT, sizeof format, &format, NULL));
    MUST(clGetImageInfo(image, CL_IMAGE_WIDTH, sizeof width, &width, NULL));
    MUST(clGetGLObjectInfo(image, &kind, &name));
    MUST(clGetGLTextureInfo(image, CL_GL_TEXTURE_TARGET, sizeof target, &target, NULL));
    MUST(clGetGLTextureInfo(image, CL_GL_MIPMAP_LEVEL, sizeof level, &level, NULL));
    EQ(type, t->type);
    EQ(kind, t->kind);
    EQ(name, texture);
    EQ(target, t->image);
    EQ(level, miplevel);
    EQ(format.image_channel_order, f->order);
    EQ(format.image_channel_data_type, f->data_type);
    EQ(width, halved(t->width, miplevel < 0 ? 0 : miplevel));
    int first = miplevel < 0 ? 0 : miplevel, count = miplevel < 0 ? t->levels : 1;
    acquire(image);
    for (int i = 0; i < count; i++)
        level_round_trip(image, t, f, first + i, i, count);
    release(image);
    MUST(clFinish(queue));
    glBindTexture(t->bound, texture);
    for (int i = 0; i < count; i++)
        check_after(t, f, first + i);
    MUST(clReleaseMemObject(image));
    glDeleteTextures(1, &texture);
    NO_GL_ERROR();
}

static void textures(void)
{
    for (int t = 0; t < TARGET_COUNT; t++)
        for (int f = 0; f < FORMAT_COUNT; f++) {
            /* OpenCL has depth images of planes only. */
            if (is_depth(&FORMATS[f]) && TARGETS[t].type != CL_MEM_OBJECT_IMAGE2D &&
                TARGETS[t].type != CL_MEM_OBJECT_IMAGE2D_ARRAY)
                continue;
            texture(&TARGETS[t], &FORMATS[f], 0);
            if (TARGETS[t].levels > 1) {
                texture(&TARGETS[t], &FORMATS[f], 2);
                if (!is_depth(&FORMATS[f]))
                    texture(&TARGETS[t], &FORMATS[f], -1);
            }
        }
}

/* A texture that shows a buffer. */
static void buffer_texture(void)
{
    enum { N = 64 };
    static const char source[] = "kernel void twice(read_only image1d_buffer_t in, global float4 *out)\n"
                                 "{ int i = get_global_id(0); out[i] = 2 * read_imagef(in, i); }";
    float values[N][4], got[N][4];
    for (int i = 0; i < N * 4; i++)
        values[i / 4][i % 4] = i * 0.25f;
    GLuint buffer, texture;
    glGenBuffers(1, &buffer);
    glBindBuffer(GL_TEXTURE_BUFFER, buffer);
    glBufferData(GL_TEXTURE_BUFFER, sizeof values, values, GL_STATIC_DRAW);
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_BUFFER, texture);
    glTexBuffer(GL_TEXTURE_BUFFER, GL_RGBA32F, buffer);
    cl_int error;
    cl_mem image = MADE(clCreateFromGLTexture, context, CL_MEM_READ_ONLY, GL_TEXTURE_BUFFER, 0, texture);
    cl_gl_object_type kind = 0;
    size_t width = 0;
    MUST(clGetGLObjectInfo(image, &kind, NULL));
    MUST(clGetImageInfo(image, CL_IMAGE_WIDTH, sizeof width, &width, NULL));
    EQ(kind, CL_GL_OBJECT_TEXTURE_BUFFER);
    EQ(width, N);
    cl_mem out = MADE(clCreateBuffer, context, 0, sizeof got, NULL);
    cl_kernel kernel = build_kernel(context, source, "twice");
    MUST(clSetKernelArg(kernel, 0, sizeof image, &image));
    MUST(clSetKernelArg(kernel, 1, sizeof out, &out));
    size_t global = N;
    acquire(image);
    MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
    release(image);
    MUST(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    int wrong = 0;
    for (int i = 0; i < N * 4; i++)
        wrong += got[i / 4][i % 4] != i * 0.5f;
    EQ(wrong, 0);
    EQ((intptr_t)clCreateFromGLTexture(context, 0, GL_TEXTURE_BUFFER, 1, texture, &error), 0);
    EQ(error, CL_INVALID_MIP_LEVEL);
    MUST(clReleaseKernel(kernel));
    MUST(clReleaseMemObject(out));
    MUST(clReleaseMemObject(image));
    glDeleteTextures(1, &texture);
    glDeleteBuffers(1, &buffer);
    NO_GL_ERROR();
}

/* Kernels read and write textures of depths and colours. */
static void kernels(void)
{
    enum { W = 16, H = 8 };
    static const char source[] =
        "kernel void depth(read_only image2d_depth_t in, write_only image2d_t out) {\n"
        "    int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
        "    float d = read_imagef(in, at);\n"
        "    write_imageui(out, at, (uint4)(as_uint(d), at.x, at.y, 9));\n"
        "}\n";
    float depths[H][W];
    for (int i = 0; i < W * H; i++)
        depths[i / W][i % W] = i / (float)(W * H);
    GLuint textures[2];
    glGenTextures(2, textures);
    glBindTexture(GL_TEXTURE_2D, textures[0]);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_DEPTH_COMPONENT32F, W, H, 0, GL_DEPTH_COMPONENT, GL_FLOAT, depths);
    glBindTexture(GL_TEXTURE_2D, textures[1]);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA32UI, W, H, 0, GL_RGBA_INTEGER, GL_UNSIGNED_INT, NULL);
    cl_mem images[2];
    images[0] = MADE(clCreateFromGLTexture, context, CL_MEM_READ_ONLY, GL_TEXTURE_2D, 0, textures[0]);
    images[1] = MADE(clCreateFromGLTexture2D, context, CL_MEM_WRITE_ONLY, GL_TEXTURE_2D, 0, textures[1]);
    cl_kernel kernel = build_kernel(context, source, "depth");
    MUST(clSetKernelArg(kernel, 0, sizeof images[0], &images[0]));
    MUST(clSetKernelArg(kernel, 1, sizeof images[1], &images[1]));
    size_t global[2] = {W, H};
    MUST(clEnqueueAcquireGLObjects(queue, 2, images, 0, NULL, NULL));
    MUST(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, NULL, 0, NULL, NULL));
    cl_event event;
    MUST(clEnqueueReleaseGLObjects(queue, 2, images, 0, NULL, &event));
    cl_command_type type = 0;
    MUST(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
    EQ(type, CL_COMMAND_RELEASE_GL_OBJECTS);
    MUST(clWaitForEvents(1, &event));
    MUST(clReleaseEvent(event));
    GLuint got[H][W][4];
    glGetTexImage(GL_TEXTURE_2D, 0, GL_RGBA_INTEGER, GL_UNSIGNED_INT, got);
    int wrong = 0;
    for (int i = 0; i < W * H; i++) {
        float d;
        memcpy(&d, &got[i / W][i % W][0], sizeof d);
        wrong += d != depths[i / W][i % W] || got[i / W][i % W][1] != i % W || got[i / W][i % W][2] != i / W;
    }
    EQ(wrong, 0);
    MUST(clReleaseKernel(kernel));
    MUST(clReleaseMemObject(images[0]));
    MUST(clReleaseMemObject(images[1]));
    glDeleteTextures(2, textures);
    NO_GL_ERROR();
}

/* Kernels read the depths beside stencil values; nothing else moves them. */
static void depth_stencil(GLenum internal, GLenum type, cl_channel_type data_type, size_t element)
{
    enum { W = 16, H = 8 };
    static const char source[] =
        "kernel void read(read_only image2d_depth_t in, global float *out) {\n"
        "    int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
        "    out[at.y * get_image_width(in) + at.x] = read_imagef(in, at);\n"
        "}\n";
    GLuint texels[H * W * 2];
    float expected[H * W], got[H * W];
    for (int i = 0; i < W * H; i++) {
        expected[i] = i / 128.0f;
        if (data_type == CL_FLOAT) {
            memcpy(&texels[i * 2], &expected[i], 4);
            texels[i * 2 + 1] = i;
        } else {
            GLuint depth = (GLuint)(i / 128.0 * 0xffffff + 0.5);
            texels[i] = depth << 8 | i;
            expected[i] = (float)(depth / (double)0xffffff);
        }
    }
    GLuint texture;
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexImage2D(GL_TEXTURE_2D, 0, internal, W, H, 0, GL_DEPTH_STENCIL, type, texels);
    cl_int error;
    cl_mem image = MADE(clCreateFromGLTexture, context, CL_MEM_READ_ONLY, GL_TEXTURE_2D, 0, texture);
    cl_image_format format;
    size_t size = 0;
    MUST(clGetImageInfo(image, CL_IMAGE_FORMAT, sizeof format, &format, NULL));
    MUST(clGetImageInfo(image, CL_IMAGE_ELEMENT_SIZE, sizeof size, &size, NULL));
    EQ(format.image_channel_order, CL_DEPTH_STENCIL);
    EQ(format.image_channel_data_type, data_type);
    EQ(size, element);
    cl_mem out = MADE(clCreateBuffer, context, 0, sizeof got, NULL);
    cl_kernel kernel = build_kernel(context, source, "read");
    MUST(clSetKernelArg(kernel, 0, sizeof image, &image));
    MUST(clSetKernelArg(kernel, 1, sizeof out, &out));
    size_t global[2] = {W, H};
    acquire(image);
    MUST(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, NULL, 0, NULL, NULL));
    size_t origin[3] = {0, 0, 0}, region[3] = {W, H, 1};
    float colour[4] = {0, 0, 0, 0};
    EQ(clEnqueueReadImage(queue, image, CL_TRUE, origin, region, 0, 0, got, 0, NULL, NULL),
       CL_INVALID_OPERATION);
    EQ(clEnqueueWriteImage(queue, image, CL_TRUE, origin, region, 0, 0, got, 0, NULL, NULL),
       CL_INVALID_OPERATION);
    EQ(clEnqueueFillImage(queue, image, colour, origin, region, 0, NULL, NULL), CL_INVALID_OPERATION);
    EQ(clEnqueueCopyImageToBuffer(queue, image, out, origin, region, 0, 0, NULL, NULL),
       CL_INVALID_OPERATION);
    EQ(clEnqueueCopyBufferToImage(queue, out, image, 0, origin, region, 0, NULL, NULL),
       CL_INVALID_OPERATION);
    EQ(clEnqueueCopyImage(queue, image, image, origin, origin, region, 0, NULL, NULL), CL_INVALID_OPERATION);
    size_t pitch;
    CHECK(!clEnqueueMapImage(queue, image, CL_TRUE, CL_MAP_READ, origin, region, &pitch, NULL, 0, NULL, NULL,
                             &error));
    EQ(error, CL_INVALID_OPERATION);
    release(image);
    MUST(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    int wrong = 0;
    for (int i = 0; i < W * H; i++) {
        float off = got[i] - expected[i];
        wrong += off > 1e-7f || off < -1e-7f;
    }
    EQ(wrong, 0);
    cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = W, .image_height = H};
    CHECK(!clCreateImage(context, CL_MEM_READ_ONLY, &format, &desc, NULL, &error));
    EQ(error, CL_IMAGE_FORMAT_NOT_SUPPORTED);
    MUST(clReleaseKernel(kernel));
    MUST(clReleaseMemObject(image));
    MUST(clReleaseMemObject(out));
    glDeleteTextures(1, &texture);
    NO_GL_ERROR();
}

static void renderbuffer(const struct format *f)
{
    enum { W = 23, H = 11 };
    GLuint buffer, framebuffer, texture;
    glGenRenderbuffers(1, &buffer);
    glBindRenderbuffer(GL_RENDERBUFFER, buffer);
    glRenderbufferStorage(GL_RENDERBUFFER, f->internal, W, H);
    glGenFramebuffers(1, &framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    GLenum attachment = is_depth(f) ? GL_DEPTH_ATTACHMENT : GL_COLOR_ATTACHMENT0;
    GLenum drawn = is_depth(f) ? GL_NONE : GL_COLOR_ATTACHMENT0;
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, attachment, GL_RENDERBUFFER, buffer);
    glDrawBuffer(drawn);
    glReadBuffer(drawn);
    if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) {
        fprintf(stderr, "renderbuffers of %#x cannot be drawn to\n", f->internal);
        glDeleteFramebuffers(1, &framebuffer);
        glDeleteRenderbuffers(1, &buffer);
        glGetError();
        return;
    }
    size_t size = (size_t)W * H * f->texel;
    unsigned char *before = malloc(size), *got = malloc(size), *after = malloc(size);
    fill_bytes(before, size, 5);
    fill_bytes(after, size, 6);
    /* The contents come by way of a texture. */
    GLuint source;
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexImage2D(GL_TEXTURE_2D, 0, f->internal, W, H, 0, f->format, f->type, before);
    glGenFramebuffers(1, &source);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, source);
    glFramebufferTexture2D(GL_READ_FRAMEBUFFER, attachment, GL_TEXTURE_2D, texture, 0);
    glReadBuffer(drawn);
    glBlitFramebuffer(0, 0, W, H, 0, 0, W, H, is_depth(f) ? GL_DEPTH_BUFFER_BIT : GL_COLOR_BUFFER_BIT,
                      GL_NEAREST);
    NO_GL_ERROR();
    cl_int error;
    cl_mem image = clCreateFromGLRenderbuffer(context, CL_MEM_READ_WRITE, buffer, &error);
    if (error) {
        fprintf(stderr, "renderbuffer of %#x: %d\n", f->internal, error);
        failures++;
        return;
    }
    cl_gl_object_type kind = 0;
    GLuint name = 0;
    GLenum target;
    MUST(clGetGLObjectInfo(image, &kind, &name));
    EQ(kind, CL_GL_OBJECT_RENDERBUFFER);
    EQ(name, buffer);
    EQ(clGetGLTextureInfo(image, CL_GL_TEXTURE_TARGET, sizeof target, &target, NULL), CL_INVALID_GL_OBJECT);
    acquire(image);
    size_t origin[3] = {0, 0, 0}, region[3] = {W, H, 1};
    MUST(clEnqueueReadImage(queue, image, CL_TRUE, origin, region, 0, 0, got, 0, NULL, NULL));
    int differ = bytes_differ(got, before, size);
    MUST(clEnqueueWriteImage(queue, image, CL_TRUE, origin, region, 0, 0, after, 0, NULL, NULL));
    release(image);
    MUST(clFinish(queue));
    glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer);
    glReadPixels(0, 0, W, H, f->format, f->type, got);
    differ |= bytes_differ(got, after, size);
    if (differ) {
        fprintf(stderr, "  renderbuffer of format %#x\n", f->internal);
        failures++;
    }
    MUST(clReleaseMemObject(image));
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glDeleteFramebuffers(1, &framebuffer);
    glDeleteFramebuffers(1, &source);
    glDeleteTextures(1, &texture);
    glDeleteRenderbuffers(1, &buffer);
    free(before);
    free(got);
    free(after);
    NO_GL_ERROR();
}

#define FAILS(call, code)      \
    do {                       \
        cl_int error = 0;      \
        CHECK((call) == NULL); \
        EQ(error, code);       \
    } while (0)

static void object_errors(void)
{
    GLuint buffers[2], textures[6], renderbuffers[3];
    glGenBuffers(2, buffers);
    glGenTextures(6, textures);
    glGenRenderbuffers(3, renderbuffers);
    glBindBuffer(GL_ARRAY_BUFFER, buffers[0]);
    glBindBuffer(GL_ARRAY_BUFFER, buffers[1]);
    glBufferData(GL_ARRAY_BUFFER, 64, NULL, GL_STATIC_DRAW);
    FAILS(clCreateFromGLBuffer(NULL, 0, buffers[1], &error), CL_INVALID_CONTEXT);
    FAILS(clCreateFromGLBuffer(context, CL_MEM_USE_HOST_PTR, buffers[1], &error), CL_INVALID_VALUE);
    FAILS(clCreateFromGLBuffer(context, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, buffers[1], &error),
          CL_INVALID_VALUE);
    FAILS(clCreateFromGLBuffer(context, 0, 0, &error), CL_INVALID_GL_OBJECT);
    FAILS(clCreateFromGLBuffer(context, 0, 987654, &error), CL_INVALID_GL_OBJECT);
    /* Without a data store. */
    FAILS(clCreateFromGLBuffer(context, 0, buffers[0], &error), CL_INVALID_GL_OBJECT);

    glBindTexture(GL_TEXTURE_2D, textures[0]);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 16, 16, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
    glBindTexture(GL_TEXTURE_2D, textures[1]);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGB565, 16, 16, 0, GL_RGB, GL_UNSIGNED_BYTE, NULL);
    glBindTexture(GL_TEXTURE_2D, textures[2]);
    glBindTexture(GL_TEXTURE_3D, textures[3]);
    glTexImage3D(GL_TEXTURE_3D, 0, GL_R32F, 4, 4, 4, 0, GL_RED, GL_FLOAT, NULL);
    GLenum plane = GL_TEXTURE_2D;
    FAILS(clCreateFromGLTexture(NULL, 0, plane, 0, textures[0], &error), CL_INVALID_CONTEXT);
    FAILS(clCreateFromGLTexture(context, CL_MEM_COPY_HOST_PTR, plane, 0, textures[0], &error),
          CL_INVALID_VALUE);
    FAILS(clCreateFromGLTexture(context, 0, 0x1234, 0, textures[0], &error), CL_INVALID_VALUE);
    FAILS(clCreateFromGLTexture(context, 0, GL_TEXTURE_CUBE_MAP, 0, textures[0], &error), CL_INVALID_VALUE);
    FAILS(clCreateFromGLTexture(context, 0, plane, 0, 987654, &error), CL_INVALID_GL_OBJECT);
    /* Of another type. */
    FAILS(clCreateFromGLTexture(context, 0, GL_TEXTURE_3D, 0, textures[0], &error), CL_INVALID_GL_OBJECT);
    FAILS(clCreateFromGLTexture(context, 0, plane, 0, textures[3], &error), CL_INVALID_GL_OBJECT);
    /* Without texels. */
    FAILS(clCreateFromGLTexture(context, 0, plane, 0, textures[2], &error), CL_INVALID_GL_OBJECT);
    /* A level that the sizes do not allow, and one that is not there. */
    FAILS(clCreateFromGLTexture(context, 0, plane, 5, textures[0], &error), CL_INVALID_MIP_LEVEL);
    FAILS(clCreateFromGLTexture(context, 0, plane, 1, textures[0], &error), CL_INVALID_GL_OBJECT);
    FAILS(clCreateFromGLTexture(context, 0, plane, -1, textures[0], &error), CL_INVALID_GL_OBJECT);
    FAILS(clCreateFromGLTexture(context, 0, plane, 0, textures[1], &error),
          CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    /* The forms of OpenCL 1.0. */
    FAILS(clCreateFromGLTexture2D(context, 0, GL_TEXTURE_3D, 0, textures[3], &error), CL_INVALID_VALUE);
    FAILS(clCreateFromGLTexture3D(context, 0, plane, 0, textures[0], &error), CL_INVALID_VALUE);
    cl_int made;
    cl_mem box = MADE(clCreateFromGLTexture3D, context, 0, GL_TEXTURE_3D, 0, textures[3]);
    size_t depth = 0;
    MUST(clGetImageInfo(box, CL_IMAGE_DEPTH, sizeof depth, &depth, NULL));
    EQ(depth, 4);
    /* Queries. */
    EQ(clGetGLObjectInfo(NULL, NULL, NULL), CL_INVALID_MEM_OBJECT);
    GLenum target;
    EQ(clGetGLTextureInfo(box, 0x1234, sizeof target, &target, NULL), CL_INVALID_VALUE);
    EQ(clGetGLTextureInfo(box, CL_GL_TEXTURE_TARGET, 1, &target, NULL), CL_INVALID_VALUE);
    EQ(clGetGLTextureInfo(box, CL_GL_TEXTURE_TARGET, 0, NULL, NULL), CL_INVALID_VALUE);
    MUST(clReleaseMemObject(box));

    glBindRenderbuffer(GL_RENDERBUFFER, renderbuffers[0]);
    glBindRenderbuffer(GL_RENDERBUFFER, renderbuffers[1]);
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, 4, GL_RGBA8, 16, 16);
    glBindRenderbuffer(GL_RENDERBUFFER, renderbuffers[2]);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_RGB565, 16, 16);
    FAILS(clCreateFromGLRenderbuffer(NULL, 0, renderbuffers[0], &error), CL_INVALID_CONTEXT);
    FAILS(clCreateFromGLRenderbuffer(context, CL_MEM_USE_HOST_PTR, renderbuffers[0], &error),
          CL_INVALID_VALUE);
    FAILS(clCreateFromGLRenderbuffer(context, 0, 987654, &error), CL_INVALID_GL_OBJECT);
    FAILS(clCreateFromGLRenderbuffer(context, 0, renderbuffers[0], &error), CL_INVALID_GL_OBJECT);
    FAILS(clCreateFromGLRenderbuffer(context, 0, renderbuffers[1], &error), CL_INVALID_OPERATION);
    FAILS(clCreateFromGLRenderbuffer(context, 0, renderbuffers[2], &error),
          CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);

    /* Commands. */
    cl_mem plain = clCreateBuffer(context, 0, 64, NULL, &made), bad = NULL;
    MUST(made);
    cl_mem good = MADE(clCreateFromGLBuffer, context, 0, buffers[1]);
    EQ(clGetGLObjectInfo(plain, NULL, NULL), CL_INVALID_GL_OBJECT);
    EQ(clEnqueueAcquireGLObjects(NULL, 1, &good, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    EQ(clEnqueueAcquireGLObjects(queue, 0, NULL, 0, NULL, NULL), CL_SUCCESS);
    EQ(clEnqueueAcquireGLObjects(queue, 0, &good, 0, NULL, NULL), CL_INVALID_VALUE);
    EQ(clEnqueueAcquireGLObjects(queue, 1, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
    EQ(clEnqueueAcquireGLObjects(queue, 1, &bad, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    EQ(clEnqueueAcquireGLObjects(queue, 1, &plain, 0, NULL, NULL), CL_INVALID_GL_OBJECT);
    EQ(clEnqueueReleaseGLObjects(queue, 1, &plain, 0, NULL, NULL), CL_INVALID_GL_OBJECT);
    EQ(clEnqueueAcquireGLObjects(queue, 1, &good, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
    /* A context without OpenGL. */
    cl_device_id device = pumice_device();
    cl_context other = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    cl_command_queue other_queue = MADE(clCreateCommandQueue, other, device, 0);
    EQ(clEnqueueAcquireGLObjects(other_queue, 1, &good, 0, NULL, NULL), CL_INVALID_CONTEXT);
    FAILS(clCreateFromGLBuffer(other, 0, buffers[1], &error), CL_INVALID_CONTEXT);
    FAILS(clCreateFromGLTexture(other, 0, plane, 0, textures[0], &error), CL_INVALID_CONTEXT);
    FAILS(clCreateFromGLRenderbuffer(other, 0, renderbuffers[0], &error), CL_INVALID_CONTEXT);
    MUST(clReleaseCommandQueue(other_queue));
    MUST(clReleaseContext(other));
    MUST(clReleaseMemObject(plain));
    MUST(clReleaseMemObject(good));
    glDeleteBuffers(2, buffers);
    glDeleteTextures(6, textures);
    glDeleteRenderbuffers(3, renderbuffers);
    NO_GL_ERROR();
}

static cl_int context_error(const cl_context_properties *list)
{
    cl_device_id device = pumice_device();
    cl_int error = 0;
    cl_context made = clCreateContext(list, 1, &device, NULL, NULL, &error);
    if (made)
        MUST(clReleaseContext(made));
    return error;
}

static void context_errors(void)
{
    cl_context_properties platform = (cl_context_properties)pumice_platform();
    cl_context_properties display = (cl_context_properties)egl_display;
    cl_context_properties gl = (cl_context_properties)egl_context;
#define LIST(...) context_error((cl_context_properties[]){CL_CONTEXT_PLATFORM, platform, __VA_ARGS__, 0})
    EQ(LIST(CL_GL_CONTEXT_KHR, gl, CL_EGL_DISPLAY_KHR, display), CL_SUCCESS);
    EQ(LIST(CL_GL_CONTEXT_KHR, 0, CL_EGL_DISPLAY_KHR, 0), CL_SUCCESS);
    EQ(LIST(CL_GL_CONTEXT_KHR, gl), SHAREGROUP_REFERENCE);
    EQ(LIST(CL_EGL_DISPLAY_KHR, display), SHAREGROUP_REFERENCE);
    EQ(LIST(CL_GL_CONTEXT_KHR, 0x12340, CL_EGL_DISPLAY_KHR, display), SHAREGROUP_REFERENCE);
    EQ(LIST(CL_GL_CONTEXT_KHR, gl, CL_EGL_DISPLAY_KHR, 0x12340), SHAREGROUP_REFERENCE);
    EQ(LIST(CL_GL_CONTEXT_KHR, gl, CL_EGL_DISPLAY_KHR, display, CL_GLX_DISPLAY_KHR, display),
       CL_INVALID_OPERATION);
    EQ(LIST(CL_GL_CONTEXT_KHR, gl, CL_WGL_HDC_KHR, 16), CL_INVALID_OPERATION);
    EQ(LIST(CL_CGL_SHAREGROUP_KHR, 16), CL_INVALID_OPERATION);
    /* The process has loaded no GLX. */
    EQ(LIST(CL_GL_CONTEXT_KHR, gl, CL_GLX_DISPLAY_KHR, display), CL_INVALID_OPERATION);
    EQ(LIST(CL_GL_CONTEXT_KHR, gl, CL_EGL_DISPLAY_KHR, display, CL_CONTEXT_INTEROP_USER_SYNC, 0),
       CL_INVALID_PROPERTY);
    EQ(LIST(CL_GL_CONTEXT_KHR, gl, CL_GL_CONTEXT_KHR, gl, CL_EGL_DISPLAY_KHR, display),
       CL_INVALID_PROPERTY);

    clGetGLContextInfoKHR_fn get_info;
    load_function(&get_info, "clGetGLContextInfoKHR");
    cl_device_id devices[16] = {NULL};
    size_t size = 0;
#define INFO(name, bytes, to, ret, ...) \
    get_info((cl_context_properties[]){CL_CONTEXT_PLATFORM, platform, __VA_ARGS__, 0}, name, bytes, to, ret)
    MUST(INFO(CL_CURRENT_DEVICE_FOR_GL_CONTEXT_KHR, sizeof devices, devices, &size, CL_GL_CONTEXT_KHR, gl,
              CL_EGL_DISPLAY_KHR, display));
    EQ(size, sizeof *devices);
    CHECK(devices[0] == pumice_device());
    MUST(INFO(CL_DEVICES_FOR_GL_CONTEXT_KHR, sizeof devices, devices, &size, CL_GL_CONTEXT_KHR, gl,
              CL_EGL_DISPLAY_KHR, display));
    CHECK(size >= sizeof *devices && devices[0] == pumice_device());
    EQ(INFO(CL_DEVICES_FOR_GL_CONTEXT_KHR, 1, devices, &size, CL_GL_CONTEXT_KHR, gl, CL_EGL_DISPLAY_KHR,
            display),
       CL_INVALID_VALUE);
    EQ(INFO(0x1234, sizeof devices, devices, &size, CL_GL_CONTEXT_KHR, gl, CL_EGL_DISPLAY_KHR, display),
       CL_INVALID_VALUE);
    EQ(INFO(CL_DEVICES_FOR_GL_CONTEXT_KHR, sizeof devices, devices, &size, CL_GL_CONTEXT_KHR, 0),
       SHAREGROUP_REFERENCE);
    EQ(INFO(CL_DEVICES_FOR_GL_CONTEXT_KHR, sizeof devices, devices, &size, 0x9999, 1), CL_INVALID_VALUE);
}

int main(void)
{
    CHECK(lists_extension("cl_khr_gl_sharing"));
    CHECK(lists_extension("cl_khr_gl_depth_images"));
    open_gl();
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    cl_int error;
    context = shared_context(&error);
    MUST(error);
    queue = MADE(clCreateCommandQueue, context, pumice_device(), 0);
    buffers();
    textures();
    buffer_texture();
    kernels();
    depth_stencil(GL_DEPTH24_STENCIL8, GL_UNSIGNED_INT_24_8, CL_UNORM_INT24, 4);
    depth_stencil(GL_DEPTH32F_STENCIL8, GL_FLOAT_32_UNSIGNED_INT_24_8_REV, CL_FLOAT, 8);
    for (int f = 0; f < FORMAT_COUNT; f++)
        renderbuffer(&FORMATS[f]);
    object_errors();
    context_errors();
    MUST(clReleaseCommandQueue(queue));
    release_last(context);
    close_gl();
    return finish();
}
