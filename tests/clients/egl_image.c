// client: link -lEGL -lOpenGL
// client: once
// client: needs images
/* cl_khr_egl_image: images of EGL made of textures and renderbuffers of OpenGL and OpenGL ES go back and forth texel by
 * texel, whether the context of OpenCL was made from one of OpenGL or not; the errors of each function. */
#include "gl_common.h"

#include <CL/cl_egl.h>

enum { W = 24, H = 16, D = 3, LEVELS = 3, TEXEL = 4, INVALID_EGL_OBJECT = -1093 };

static clCreateFromEGLImageKHR_fn create_from_image;
static clEnqueueAcquireEGLObjectsKHR_fn acquire_objects;
static clEnqueueReleaseEGLObjectsKHR_fn release_objects;
static cl_context context;
static cl_command_queue queue;

static void acquire(cl_mem object)
{
    MUST(acquire_objects(queue, 1, &object, 0, NULL, NULL));
}

static void release(cl_mem object)
{
    MUST(release_objects(queue, 1, &object, 0, NULL, NULL));
}

/* A place in an object of OpenGL that an image of EGL can be made of. */
struct place {
    const char *name;
    EGLenum source;
    /* The target that the texture is bound to, and the one of its image; 0 for a renderbuffer. */
    GLenum bound, image;
    int level, slice;
};

static const struct place PLACES[] = {
    {"texture", EGL_GL_TEXTURE_2D, GL_TEXTURE_2D, GL_TEXTURE_2D, 0, 0},
    {"level 1", EGL_GL_TEXTURE_2D, GL_TEXTURE_2D, GL_TEXTURE_2D, 1, 0},
    {"cube's face", EGL_GL_TEXTURE_CUBE_MAP_NEGATIVE_Y, GL_TEXTURE_CUBE_MAP, GL_TEXTURE_CUBE_MAP_NEGATIVE_Y, 0, 0},
    {"level 2 of a face", EGL_GL_TEXTURE_CUBE_MAP_POSITIVE_Z, GL_TEXTURE_CUBE_MAP, GL_TEXTURE_CUBE_MAP_POSITIVE_Z,
     2, 0},
    {"slice", EGL_GL_TEXTURE_3D, GL_TEXTURE_3D, GL_TEXTURE_3D, 0, 2},
    {"renderbuffer", EGL_GL_RENDERBUFFER, 0, 0, 0, 0},
};
enum { PLACE_COUNT = sizeof PLACES / sizeof *PLACES };

static int width_of(const struct place *p, int level)
{
    return (p->bound == GL_TEXTURE_CUBE_MAP ? H : W) >> level;
}

/* Different for each face, level and slice. */
static void fill_texels(unsigned char *bytes, int count, unsigned seed)
{
    unsigned state = seed * 2654435761u + 99;
    for (int i = 0; i < count; i++) {
        state = state * 1664525u + 1013904223u;
        bytes[i] = (unsigned char)(state >> 24);
    }
}

static unsigned seed_of(GLenum image, int level, int slice)
{
    return image * 64 + (unsigned)level * 8 + (unsigned)slice;
}

static void fill_texture(const struct place *p, GLenum image)
{
    static unsigned char bytes[W * H * D * TEXEL];
    for (int level = 0; level < LEVELS; level++) {
        int w = width_of(p, level), h = H >> level, size = w * h * TEXEL;
        for (int slice = 0; slice < D; slice++)
            fill_texels(bytes + slice * size, size, seed_of(image, level, slice));
        if (p->bound != GL_TEXTURE_3D)
            glTexSubImage2D(image, level, 0, 0, w, h, GL_RGBA, GL_UNSIGNED_BYTE, bytes);
        else if (level == 0)
            glTexSubImage3D(image, 0, 0, 0, 0, w, h, D, GL_RGBA, GL_UNSIGNED_BYTE, bytes);
    }
}

/* An object with known texels in all its images. */
static GLuint make_object(const struct place *p)
{
    GLuint name;
    if (!p->bound) {
        glGenRenderbuffers(1, &name);
        glBindRenderbuffer(GL_RENDERBUFFER, name);
        glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, W, H);
        return name;
    }
    glGenTextures(1, &name);
    glBindTexture(p->bound, name);
    /* Of one storage for all levels: Mesa's images of others may have texels of their own. */
    if (p->bound == GL_TEXTURE_3D)
        glTexStorage3D(p->bound, 1, GL_RGBA8, W, H, D);
    else
        glTexStorage2D(p->bound, LEVELS, GL_RGBA8, width_of(p, 0), H);
    if (p->bound == GL_TEXTURE_CUBE_MAP)
        for (int face = 0; face < 6; face++)
            fill_texture(p, GL_TEXTURE_CUBE_MAP_POSITIVE_X + face);
    else
        fill_texture(p, p->image);
    glTexParameteri(p->bound, GL_TEXTURE_MIN_FILTER,
                    p->bound == GL_TEXTURE_3D ? GL_NEAREST : GL_NEAREST_MIPMAP_NEAREST);
    return name;
}

static void delete_object(const struct place *p, GLuint name)
{
    if (p->bound)
        glDeleteTextures(1, &name);
    else
        glDeleteRenderbuffers(1, &name);
}

static EGLImage make_image(const struct place *p, GLuint name)
{
    const EGLAttrib list[] = {p->bound == GL_TEXTURE_3D ? EGL_GL_TEXTURE_ZOFFSET : EGL_GL_TEXTURE_LEVEL,
                              p->bound == GL_TEXTURE_3D ? p->slice : p->level, EGL_NONE};
    return eglCreateImage(egl_display, egl_context, p->source, (EGLClientBuffer)(uintptr_t)name,
                          p->bound ? list : NULL);
}

/* The framebuffer that reads or draws one image of an object. */
static GLuint attach(const struct place *p, GLenum image, GLuint name, int level, int slice)
{
    GLuint framebuffer;
    glGenFramebuffers(1, &framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    if (!p->bound)
        glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, name);
    else if (p->bound == GL_TEXTURE_3D)
        glFramebufferTextureLayer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, name, level, slice);
    else
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, image, name, level);
    EQ(glCheckFramebufferStatus(GL_FRAMEBUFFER), GL_FRAMEBUFFER_COMPLETE);
    return framebuffer;
}

static void detach(GLuint framebuffer)
{
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glDeleteFramebuffers(1, &framebuffer);
}

static int differ(const unsigned char *got, const unsigned char *expected, int size)
{
    int count = 0;
    for (int i = 0; i < size; i++)
        count += got[i] != expected[i];
    return count;
}

/* The texels that OpenGL sees in one image of an object are those. */
static void check_texels(const struct place *p, GLenum image, GLuint name, int level, int slice,
                         const unsigned char *expected)
{
    static unsigned char got[W * H * TEXEL];
    int w = width_of(p, level), h = H >> level;
    GLuint framebuffer = attach(p, image, name, level, slice);
    glReadPixels(0, 0, w, h, GL_RGBA, GL_UNSIGNED_BYTE, got);
    detach(framebuffer);
    int wrong = differ(got, expected, w * h * TEXEL);
    if (wrong) {
        fprintf(stderr, "%s: %d bytes of image %#x, level %d, slice %d differ\n", p->name, wrong, image, level, slice);
        failures++;
    }
}

/* The images of the object that OpenCL was not given have the texels that they had. */
static void check_others(const struct place *p, GLuint name)
{
    unsigned char expected[W * H * TEXEL];
    for (int face = 0; face < (p->bound == GL_TEXTURE_CUBE_MAP ? 6 : 1); face++) {
        GLenum image = p->bound == GL_TEXTURE_CUBE_MAP ? GL_TEXTURE_CUBE_MAP_POSITIVE_X + face : p->image;
        for (int level = 0; level < (p->bound == GL_TEXTURE_3D ? 1 : LEVELS); level++)
            for (int slice = 0; slice < (p->bound == GL_TEXTURE_3D ? D : 1); slice++) {
                if (image == p->image && level == p->level && slice == p->slice)
                    continue;
                fill_texels(expected, width_of(p, level) * (H >> level) * TEXEL, seed_of(image, level, slice));
                check_texels(p, image, name, level, slice, expected);
            }
    }
}

static void check_queries(cl_mem image, size_t width, size_t height)
{
    cl_mem_object_type type = 0;
    cl_image_format format = {0, 0};
    size_t got[2] = {0, 0};
    MUST(clGetMemObjectInfo(image, CL_MEM_TYPE, sizeof type, &type, NULL));
    EQ(type, CL_MEM_OBJECT_IMAGE2D);
    MUST(clGetImageInfo(image, CL_IMAGE_FORMAT, sizeof format, &format, NULL));
    EQ(format.image_channel_order, CL_RGBA);
    EQ(format.image_channel_data_type, CL_UNORM_INT8);
    MUST(clGetImageInfo(image, CL_IMAGE_WIDTH, sizeof *got, &got[0], NULL));
    MUST(clGetImageInfo(image, CL_IMAGE_HEIGHT, sizeof *got, &got[1], NULL));
    EQ(got[0], width);
    EQ(got[1], height);
    EQ(clGetGLObjectInfo(image, NULL, NULL), CL_INVALID_GL_OBJECT);
}

/* Turns an image upside down and inverts its colours. */
static const char flip_source[] =
    "kernel void flip(read_only image2d_t from, write_only image2d_t to)\n"
    "{ int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
    "  float4 colour = read_imagef(from, (int2)(at.x, get_image_height(from) - 1 - at.y));\n"
    "  write_imagef(to, at, (float4)(1 - colour.xyz, colour.w)); }\n";

static void round_trip(const struct place *p)
{
    static unsigned char before[W * H * TEXEL], got[W * H * TEXEL], after[W * H * TEXEL];
    GLuint name = make_object(p);
    int w = width_of(p, p->level), h = H >> p->level, size = w * h * TEXEL;
    fill_texels(before, size, seed_of(p->image, p->level, p->slice));
    if (!p->bound) {
        GLuint framebuffer = attach(p, 0, name, 0, 0);
        glClearColor(0.2f, 0.4f, 0.6f, 1);
        glClear(GL_COLOR_BUFFER_BIT);
        detach(framebuffer);
        for (int i = 0; i < size; i += TEXEL)
            memcpy(before + i, "\x33\x66\x99\xff", TEXEL);
    }
    NO_GL_ERROR();
    EGLImage source = make_image(p, name);
    if (source == EGL_NO_IMAGE) {
        fprintf(stderr, "%s: no image of EGL: %#x\n", p->name, eglGetError());
        failures++;
        return;
    }
    cl_mem image = MADE(create_from_image, context, egl_display, source, CL_MEM_READ_WRITE, NULL);
    check_queries(image, w, h);
    size_t origin[3] = {0, 0, 0}, region[3] = {w, h, 1};
    acquire(image);
    MUST(clEnqueueReadImage(queue, image, CL_TRUE, origin, region, 0, 0, got, 0, NULL, NULL));
    int wrong = differ(got, before, size);
    fill_texels(after, size, 1234);
    MUST(clEnqueueWriteImage(queue, image, CL_TRUE, origin, region, 0, 0, after, 0, NULL, NULL));
    release(image);
    MUST(clFinish(queue));
    if (wrong) {
        fprintf(stderr, "%s: %d bytes differ in OpenCL\n", p->name, wrong);
        failures++;
    }
    check_texels(p, p->image, name, p->level, p->slice, after);

    /* What a kernel writes; OpenGL has other texels by now. */
    cl_kernel flip = build_kernel(context, flip_source, "flip");
    cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
    cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = w, .image_height = h};
    cl_mem other = MADE(clCreateImage, context, CL_MEM_READ_WRITE, &format, &desc, NULL);
    GLuint framebuffer = attach(p, p->image, name, p->level, p->slice);
    glClearColor(1, 0, 0.2f, 1);
    glEnable(GL_SCISSOR_TEST);
    glScissor(0, 0, w, h / 4);
    glClear(GL_COLOR_BUFFER_BIT);
    glDisable(GL_SCISSOR_TEST);
    detach(framebuffer);
    glFinish();
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            const unsigned char *from = after + ((h - 1 - y) * w + x) * TEXEL;
            unsigned char *to = before + (y * w + x) * TEXEL;
            const unsigned char cleared[TEXEL] = {255, 0, 51, 255};
            from = h - 1 - y < h / 4 ? cleared : from;
            for (int c = 0; c < 3; c++)
                to[c] = 255 - from[c];
            to[3] = from[3];
        }
    cl_event events[2];
    MUST(acquire_objects(queue, 1, &image, 0, NULL, &events[0]));
    MUST(clEnqueueCopyImage(queue, image, other, origin, origin, region, 0, NULL, NULL));
    MUST(clSetKernelArg(flip, 0, sizeof other, &other));
    MUST(clSetKernelArg(flip, 1, sizeof image, &image));
    MUST(clEnqueueNDRangeKernel(queue, flip, 2, NULL, region, NULL, 0, NULL, NULL));
    MUST(release_objects(queue, 1, &image, 0, NULL, &events[1]));
    MUST(clWaitForEvents(2, events));
    cl_command_type types[2] = {0, 0};
    for (int i = 0; i < 2; i++) {
        MUST(clGetEventInfo(events[i], CL_EVENT_COMMAND_TYPE, sizeof *types, &types[i], NULL));
        MUST(clReleaseEvent(events[i]));
    }
    EQ(types[0], CL_COMMAND_ACQUIRE_EGL_OBJECTS_KHR);
    EQ(types[1], CL_COMMAND_RELEASE_EGL_OBJECTS_KHR);
    check_texels(p, p->image, name, p->level, p->slice, before);
    if (p->bound)
        check_others(p, name);
    MUST(clReleaseMemObject(other));
    MUST(clReleaseKernel(flip));

    /* The image and the object go; OpenCL's image keeps the texels. */
    eglDestroyImage(egl_display, source);
    delete_object(p, name);
    acquire(image);
    MUST(clEnqueueReadImage(queue, image, CL_TRUE, origin, region, 0, 0, got, 0, NULL, NULL));
    EQ(differ(got, before, size), 0);
    release(image);
    MUST(clFinish(queue));
    MUST(clReleaseMemObject(image));
    NO_GL_ERROR();
}

static EGLImage image_of(GLenum internal, GLenum format, GLenum type, const void *texels, GLuint *name)
{
    glGenTextures(1, name);
    glBindTexture(GL_TEXTURE_2D, *name);
    glTexImage2D(GL_TEXTURE_2D, 0, internal, W, H, 0, format, type, texels);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    return eglCreateImage(egl_display, egl_context, EGL_GL_TEXTURE_2D, (EGLClientBuffer)(uintptr_t)*name, NULL);
}

static const struct format {
    GLenum internal, format, type;
    cl_uint order, data_type;
    int texel;
} FORMATS[] = {
    {GL_R8, GL_RED, GL_UNSIGNED_BYTE, CL_R, CL_UNORM_INT8, 1},
    {GL_RG8, GL_RG, GL_UNSIGNED_BYTE, CL_RG, CL_UNORM_INT8, 2},
    {GL_R16, GL_RED, GL_UNSIGNED_SHORT, CL_R, CL_UNORM_INT16, 2},
    {GL_RG16, GL_RG, GL_UNSIGNED_SHORT, CL_RG, CL_UNORM_INT16, 4},
    {GL_RGBA16, GL_RGBA, GL_UNSIGNED_SHORT, CL_RGBA, CL_UNORM_INT16, 8},
    {GL_RGBA16F, GL_RGBA, GL_HALF_FLOAT, CL_RGBA, CL_HALF_FLOAT, 8},
    {GL_R32F, GL_RED, GL_FLOAT, CL_R, CL_FLOAT, 4},
    {GL_RGBA32UI, GL_RGBA_INTEGER, GL_UNSIGNED_INT, CL_RGBA, CL_UNSIGNED_INT32, 16},
};
enum { FORMAT_COUNT = sizeof FORMATS / sizeof *FORMATS };

/* Texels of other formats. Not every EGL makes images of all of them. */
static void formats(void)
{
    static unsigned char before[W * H * 16], got[W * H * 16], after[W * H * 16];
    int made = 0;
    for (int i = 0; i < FORMAT_COUNT; i++) {
        const struct format *f = &FORMATS[i];
        int size = W * H * f->texel;
        fill_texels(before, size, i + 1);
        fill_texels(after, size, i + 50);
        /* No float is a NaN. */
        for (int byte = 1; byte < size; byte += 2)
            before[byte] &= 0x3b, after[byte] &= 0x3b;
        GLuint name;
        EGLImage source = image_of(f->internal, f->format, f->type, before, &name);
        if (source == EGL_NO_IMAGE) {
            EQ(eglGetError() != EGL_SUCCESS, 1);
            glDeleteTextures(1, &name);
            continue;
        }
        made++;
        cl_int error;
        cl_mem image = create_from_image(context, egl_display, source, CL_MEM_READ_WRITE, NULL, &error);
        if (error) {
            fprintf(stderr, "format %#x: %d\n", f->internal, error);
            failures++;
            continue;
        }
        cl_image_format format = {0, 0};
        MUST(clGetImageInfo(image, CL_IMAGE_FORMAT, sizeof format, &format, NULL));
        EQ(format.image_channel_order, f->order);
        EQ(format.image_channel_data_type, f->data_type);
        size_t origin[3] = {0, 0, 0}, region[3] = {W, H, 1};
        acquire(image);
        MUST(clEnqueueReadImage(queue, image, CL_TRUE, origin, region, 0, 0, got, 0, NULL, NULL));
        int wrong = differ(got, before, size);
        MUST(clEnqueueWriteImage(queue, image, CL_TRUE, origin, region, 0, 0, after, 0, NULL, NULL));
        release(image);
        MUST(clFinish(queue));
        glBindTexture(GL_TEXTURE_2D, name);
        glGetTexImage(GL_TEXTURE_2D, 0, f->format, f->type, got);
        wrong += differ(got, after, size);
        if (wrong) {
            fprintf(stderr, "%d bytes differ in format %#x\n", wrong, f->internal);
            failures++;
        }
        MUST(clReleaseMemObject(image));
        eglDestroyImage(egl_display, source);
        glDeleteTextures(1, &name);
        NO_GL_ERROR();
    }
    printf("%d of %d further formats\n", made, FORMAT_COUNT);
}

/* Texels without alpha: kernels read 1 there, and what they write to it is lost. */
static void without_alpha(void)
{
    static unsigned char texels[W * H * 3], got[W * H * TEXEL];
    fill_texels(texels, sizeof texels, 5);
    GLuint name;
    EGLImage source = image_of(GL_RGB8, GL_RGB, GL_UNSIGNED_BYTE, texels, &name);
    if (source == EGL_NO_IMAGE) {
        glDeleteTextures(1, &name);
        return;
    }
    cl_mem image = MADE(create_from_image, context, egl_display, source, CL_MEM_READ_WRITE, NULL);
    check_queries(image, W, H);
    size_t origin[3] = {0, 0, 0}, region[3] = {W, H, 1};
    acquire(image);
    MUST(clEnqueueReadImage(queue, image, CL_TRUE, origin, region, 0, 0, got, 0, NULL, NULL));
    int wrong = 0;
    for (int i = 0; i < W * H; i++)
        wrong += got[4 * i] != texels[3 * i] || got[4 * i + 2] != texels[3 * i + 2] || got[4 * i + 3] != 255;
    EQ(wrong, 0);
    const cl_float colour[4] = {1, 0, 0.2f, 0};
    MUST(clEnqueueFillImage(queue, image, colour, origin, region, 0, NULL, NULL));
    release(image);
    acquire(image);
    MUST(clEnqueueReadImage(queue, image, CL_TRUE, origin, region, 0, 0, got, 0, NULL, NULL));
    EQ(memcmp(got, "\xff\x00\x33\xff", 4), 0);
    release(image);
    MUST(clReleaseMemObject(image));
    eglDestroyImage(egl_display, source);
    glDeleteTextures(1, &name);
    NO_GL_ERROR();
}

static void refused(cl_mem made, cl_int error, cl_int expected, int line)
{
    if (made || error != expected) {
        fprintf(stderr, "line %d: error %d, not %d\n", line, error, expected);
        failures++;
    }
}
#define REFUSED(call, expected)                   \
    do {                                          \
        cl_int error = 0;                         \
        cl_mem made = (call);                     \
        refused(made, error, expected, __LINE__); \
    } while (0)

static void creation_errors(EGLImage source)
{
    void *display = egl_display, *wrong = (void *)(uintptr_t)0x12340;
    const cl_egl_image_properties_khr list[] = {1, 1, 0}, empty[] = {0};
    REFUSED(create_from_image(NULL, display, source, 0, NULL, &error), CL_INVALID_CONTEXT);
    REFUSED(create_from_image(context, display, source, 0, list, &error), CL_INVALID_VALUE);
    REFUSED(create_from_image(context, NULL, source, 0, NULL, &error), CL_INVALID_VALUE);
    REFUSED(create_from_image(context, wrong, source, 0, NULL, &error), CL_INVALID_VALUE);
    static const cl_mem_flags bad[] = {
        CL_MEM_USE_HOST_PTR,
        CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY,
        CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS,
        (cl_mem_flags)1 << 6 /* CL_MEM_IMMUTABLE_EXT */ | CL_MEM_READ_WRITE,
        (cl_mem_flags)1 << 40,
    };
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++)
        REFUSED(create_from_image(context, display, source, bad[i], NULL, &error), CL_INVALID_VALUE);
    REFUSED(create_from_image(context, display, NULL, 0, NULL, &error), INVALID_EGL_OBJECT);
    REFUSED(create_from_image(context, display, wrong, 0, NULL, &error), INVALID_EGL_OBJECT);
    GLuint name;
    EGLImage gone = image_of(GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, NULL, &name);
    CHECK(gone != EGL_NO_IMAGE);
    eglDestroyImage(egl_display, gone);
    REFUSED(create_from_image(context, display, gone, 0, NULL, &error), INVALID_EGL_OBJECT);
    glDeleteTextures(1, &name);
    EGLImage small = image_of(GL_RGB565, GL_RGB, GL_UNSIGNED_BYTE, NULL, &name);
    if (small != EGL_NO_IMAGE) {
        REFUSED(create_from_image(context, display, small, 0, NULL, &error), CL_IMAGE_FORMAT_NOT_SUPPORTED);
        eglDestroyImage(egl_display, small);
    }
    glDeleteTextures(1, &name);
    cl_mem image = MADE(create_from_image, context, display, source, CL_MEM_HOST_NO_ACCESS, empty);
    unsigned char texels[W * H * TEXEL];
    size_t origin[3] = {0, 0, 0}, region[3] = {W, H, 1};
    acquire(image);
    EQ(clEnqueueReadImage(queue, image, CL_TRUE, origin, region, 0, 0, texels, 0, NULL, NULL),
       CL_INVALID_OPERATION);
    release(image);
    MUST(clReleaseMemObject(image));
}

static void command_errors(EGLImage source)
{
    cl_int error;
    cl_mem image = MADE(create_from_image, context, egl_display, source, CL_MEM_READ_ONLY, NULL);
    cl_mem plain = clCreateBuffer(context, 0, 64, NULL, &error), none = NULL;
    MUST(error);
    cl_device_id device = pumice_device();
    cl_context other = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    cl_command_queue elsewhere = MADE(clCreateCommandQueue, other, device, 0);
    clEnqueueAcquireEGLObjectsKHR_fn both[] = {acquire_objects, release_objects};
    for (int i = 0; i < 2; i++) {
        EQ(both[i](NULL, 1, &image, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
        EQ(both[i](queue, 0, NULL, 0, NULL, NULL), CL_SUCCESS);
        EQ(both[i](queue, 0, &image, 0, NULL, NULL), CL_INVALID_VALUE);
        EQ(both[i](queue, 1, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
        EQ(both[i](queue, 1, &none, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
        EQ(both[i](elsewhere, 1, &image, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
        EQ(both[i](queue, 1, &plain, 0, NULL, NULL), INVALID_EGL_OBJECT);
        EQ(both[i](queue, 1, &image, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
    }
    CHECK(clEnqueueAcquireGLObjects(queue, 1, &image, 0, NULL, NULL) != CL_SUCCESS);
    MUST(clReleaseCommandQueue(elsewhere));
    MUST(clReleaseContext(other));
    MUST(clReleaseMemObject(plain));
    MUST(clReleaseMemObject(image));
}

static void errors(void)
{
    GLuint name;
    EGLImage source = image_of(GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, NULL, &name);
    CHECK(source != EGL_NO_IMAGE);
    creation_errors(source);
    command_errors(source);
    eglDestroyImage(egl_display, source);
    glDeleteTextures(1, &name);
    NO_GL_ERROR();
}

static void open_context(int from_opengl)
{
    cl_int error;
    cl_device_id device = pumice_device();
    context = from_opengl ? shared_context(&error) : clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    MUST(error);
    queue = MADE(clCreateCommandQueue, context, device, 0);
}

static void close_context(void)
{
    MUST(clReleaseCommandQueue(queue));
    context_gone = 0;
    release_last(context);
}

int main(void)
{
    CHECK(lists_extension("cl_khr_egl_image"));
    load_function(&create_from_image, "clCreateFromEGLImageKHR");
    load_function(&acquire_objects, "clEnqueueAcquireEGLObjectsKHR");
    load_function(&release_objects, "clEnqueueReleaseEGLObjectsKHR");
    open_gl();
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    open_context(1);
    for (int i = 0; i < PLACE_COUNT; i++)
        round_trip(&PLACES[i]);
    close_context();
    open_context(0);
    for (int i = 0; i < PLACE_COUNT; i++)
        round_trip(&PLACES[i]);
    formats();
    without_alpha();
    errors();
    close_gl();

    /* The display begins anew, and the context of OpenCL stays. */
    const EGLint version[] = {EGL_CONTEXT_MAJOR_VERSION, 3, EGL_NONE};
    open_egl(EGL_OPENGL_ES_API, version);
    for (int i = 0; i < PLACE_COUNT; i++)
        round_trip(&PLACES[i]);
    close_context();
    close_gl();
    return finish();
}
