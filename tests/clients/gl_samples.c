// client: link -lEGL -lOpenGL -lm
// client: once
// client: needs images
/* cl_khr_gl_msaa_sharing: kernels read each sample of OpenGL's textures, planes and layers of them, of colours and depths;
 * queries, and the errors of what samples cannot be used for. */
#include "gl_common.h"
#include <math.h>

enum { WIDTH = 37, HEIGHT = 21, LAYERS = 3, SAMPLES = 4 };

static cl_context context;
static cl_command_queue queue;

static const char VERTEX[] =
    "#version 430\n"
    "void main() { gl_Position = vec4(vec2(gl_VertexID & 1, gl_VertexID >> 1) * 4.0 - 1.0, 0.0, 1.0); }\n";

/* A number of each sample, from 0 to 63, and 64 more in each channel; the shader and the test know it alike. */
static int number(int x, int y, int layer, int sample)
{
    return (x * 3 + y * 5 + layer * 7 + sample * 11) % 64;
}
#define NUMBER "int n = (int(gl_FragCoord.x) * 3 + int(gl_FragCoord.y) * 5 + layer * 7 + index * 11) % 64;\n"

static const char FLOATS[] = "#version 430\n"
                             "uniform int layer, index;\n"
                             "uniform float shift, scale;\n"
                             "uniform int curve;\n"
                             "out vec4 pixel;\n"
                             "void main() {\n" NUMBER
                             "  pixel = (vec4(n, 63 - n, n / 2, 63) + shift) * scale;\n"
                             "  vec3 bent = pow((pixel.rgb + 0.055) / 1.055, vec3(2.4));\n"
                             "  if (curve != 0)\n"
                             "    pixel.rgb = mix(pixel.rgb / 12.92, bent, greaterThan(pixel.rgb, vec3(0.04045)));\n"
                             "}\n";
static const char SIGNED[] = "#version 430\n"
                             "uniform int layer, index;\n"
                             "out ivec4 pixel;\n"
                             "void main() {\n" NUMBER "  pixel = ivec4(n, 63 - n, n / 2, 63) - 32;\n"
                             "}\n";
static const char UNSIGNED[] = "#version 430\n"
                               "uniform int layer, index;\n"
                               "out uvec4 pixel;\n"
                               "void main() {\n" NUMBER "  pixel = uvec4(n, 63 - n, n / 2, 63);\n"
                               "}\n";
static const char DEPTHS[] = "#version 430\n"
                             "uniform int layer, index;\n"
                             "void main() {\n" NUMBER "  gl_FragDepth = float(n) / 64.0;\n"
                             "}\n";

struct format {
    GLenum internal;
    cl_uint order, data_type;
    /* 'f', 'i', 'u' or 'd'. */
    char class;
    /* Channels are (number + shift) * scale. */
    float shift, scale;
    /* What a value may differ by. */
    float tolerance;
};

static const struct format FORMATS[] = {
    {GL_RGBA8, CL_RGBA, CL_UNORM_INT8, 'f', 0, 1.0f / 255, 1e-6f},
    {GL_R8, CL_R, CL_UNORM_INT8, 'f', 0, 1.0f / 255, 1e-6f},
    {GL_RG16, CL_RG, CL_UNORM_INT16, 'f', 0, 1.0f / 65535, 1e-7f},
    {GL_RGBA8_SNORM, CL_RGBA, CL_SNORM_INT8, 'f', -32, 1.0f / 127, 1e-6f},
    {GL_RGBA16_SNORM, CL_RGBA, CL_SNORM_INT16, 'f', -32, 1.0f / 32767, 1e-7f},
    {GL_RGBA16F, CL_RGBA, CL_HALF_FLOAT, 'f', -32, 0.25f, 0},
    {GL_RGBA32F, CL_RGBA, CL_FLOAT, 'f', -32, 3.5f, 0},
    /* What is stored are the numbers times four. A device may be half a step of the bent numbers away from the curve, which is 2.3
     * times as steep at 1. */
    {GL_SRGB8_ALPHA8, CL_sRGBA, CL_UNORM_INT8, 'f', 0, 4.0f / 255, 0.5f / 255 * 2.3f},
    {GL_RGBA8I, CL_RGBA, CL_SIGNED_INT8, 'i', 0, 0, 0},
    {GL_R16I, CL_R, CL_SIGNED_INT16, 'i', 0, 0, 0},
    {GL_RGBA32I, CL_RGBA, CL_SIGNED_INT32, 'i', 0, 0, 0},
    {GL_RGBA8UI, CL_RGBA, CL_UNSIGNED_INT8, 'u', 0, 0, 0},
    {GL_RG32UI, CL_RG, CL_UNSIGNED_INT32, 'u', 0, 0, 0},
    {GL_DEPTH_COMPONENT32F, CL_DEPTH, CL_FLOAT, 'd', 0, 0, 0},
    {GL_DEPTH_COMPONENT16, CL_DEPTH, CL_UNORM_INT16, 'd', 0, 0, 1.0f / 65535},
    {GL_DEPTH24_STENCIL8, CL_DEPTH_STENCIL, CL_UNORM_INT24, 'd', 0, 0, 1e-6f},
    {GL_DEPTH32F_STENCIL8, CL_DEPTH_STENCIL, CL_FLOAT, 'd', 0, 0, 0},
};
enum { FORMAT_COUNT = sizeof FORMATS / sizeof *FORMATS };

static GLuint link_program(const char *fragment)
{
    GLuint program = glCreateProgram();
    const char *sources[2] = {VERTEX, fragment};
    const GLenum kinds[2] = {GL_VERTEX_SHADER, GL_FRAGMENT_SHADER};
    for (int i = 0; i < 2; i++) {
        GLuint shader = glCreateShader(kinds[i]);
        glShaderSource(shader, 1, &sources[i], NULL);
        glCompileShader(shader);
        glAttachShader(program, shader);
        glDeleteShader(shader);
    }
    glLinkProgram(program);
    GLint linked = 0;
    glGetProgramiv(program, GL_LINK_STATUS, &linked);
    EQ(linked, GL_TRUE);
    return program;
}

static GLenum target_of(int layers)
{
    return layers ? GL_TEXTURE_2D_MULTISAMPLE_ARRAY : GL_TEXTURE_2D_MULTISAMPLE;
}

/* Draws each sample's number, moved on by `move` samples. */
static void draw(GLuint texture, const struct format *f, int layers, int samples, int move)
{
    GLuint framebuffer, vertices;
    glGenFramebuffers(1, &framebuffer);
    glGenVertexArrays(1, &vertices);
    glBindVertexArray(vertices);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glViewport(0, 0, WIDTH, HEIGHT);
    const char *fragment = f->class == 'f' ? FLOATS : f->class == 'i' ? SIGNED : f->class == 'u' ? UNSIGNED : DEPTHS;
    GLuint program = link_program(fragment);
    glUseProgram(program);
    glUniform1f(glGetUniformLocation(program, "shift"), f->shift);
    glUniform1f(glGetUniformLocation(program, "scale"), f->scale);
    glUniform1i(glGetUniformLocation(program, "curve"), f->order == CL_sRGBA);
    GLenum attachment = f->class != 'd'                     ? GL_COLOR_ATTACHMENT0
                        : f->order == CL_DEPTH_STENCIL ? GL_DEPTH_STENCIL_ATTACHMENT
                                                            : GL_DEPTH_ATTACHMENT;
    glEnable(GL_DEPTH_TEST);
    glDepthFunc(GL_ALWAYS);
    glEnable(GL_SAMPLE_MASK);
    glEnable(GL_FRAMEBUFFER_SRGB);
    for (int layer = 0; layer < (layers ? layers : 1); layer++) {
        if (layers)
            glFramebufferTextureLayer(GL_FRAMEBUFFER, attachment, texture, 0, layer);
        else
            glFramebufferTexture2D(GL_FRAMEBUFFER, attachment, target_of(0), texture, 0);
        EQ(glCheckFramebufferStatus(GL_FRAMEBUFFER), GL_FRAMEBUFFER_COMPLETE);
        glUniform1i(glGetUniformLocation(program, "layer"), layer);
        for (int sample = 0; sample < samples; sample++) {
            glSampleMaski(0, 1u << sample);
            glUniform1i(glGetUniformLocation(program, "index"), sample + move);
            glDrawArrays(GL_TRIANGLES, 0, 3);
        }
    }
    glDisable(GL_SAMPLE_MASK);
    glDisable(GL_FRAMEBUFFER_SRGB);
    glDeleteFramebuffers(1, &framebuffer);
    glDeleteVertexArrays(1, &vertices);
    glDeleteProgram(program);
    glFinish();
    NO_GL_ERROR();
}

static GLuint make_texture(const struct format *f, int layers, int samples)
{
    GLuint texture;
    glGenTextures(1, &texture);
    glBindTexture(target_of(layers), texture);
    if (layers)
        glTexImage3DMultisample(target_of(layers), samples, f->internal, WIDTH, HEIGHT, layers, GL_TRUE);
    else
        glTexImage2DMultisample(target_of(layers), samples, f->internal, WIDTH, HEIGHT, GL_TRUE);
    draw(texture, f, layers, samples, 0);
    return texture;
}

/* A kernel that writes every sample, and what the built-in functions tell. */
static cl_kernel reader(const struct format *f, int layers)
{
    const char *read = f->class == 'i' ? "as_float4(read_imagei" : f->class == 'u' ? "as_float4(read_imageui" : "(read_imagef";
    char source[1024];
    snprintf(source, sizeof source,
             "kernel void copy(read_only image2d%s_msaa%s_t image, global float4 *out, global int *told) {\n"
             "  int x = get_global_id(0), y = get_global_id(1), layer = get_global_id(2);\n"
             "  int samples = get_image_num_samples(image);\n"
             "  for (int s = 0; s < samples; s++)\n"
             "    out[((layer * samples + s) * %d + y) * %d + x] = %s(image, %s, s));\n"
             "  told[0] = samples;\n"
             "  told[1] = get_image_width(image);\n"
             "  told[2] = get_image_height(image);\n"
             "  told[3] = all(get_image_dim(image) == (int2)(%d, %d));\n"
             "  told[4] = %s;\n"
             "  told[5] = get_image_channel_order(image);\n"
             "  told[6] = get_image_channel_data_type(image);\n"
             "}\n",
             layers ? "_array" : "", f->class == 'd' ? "_depth" : "", HEIGHT, WIDTH, read,
             layers ? "(int4)(x, y, layer, 0)" : "(int2)(x, y)", WIDTH, HEIGHT,
             layers ? "get_image_array_size(image)" : "0");
    return build_kernel(context, source, "copy");
}

/* The number that a channel of a sample is. */
static float expected(const struct format *f, int n, int channel, float got)
{
    int numbers[4] = {n, 63 - n, n / 2, 63};
    float value = numbers[channel];
    cl_uint bits;
    memcpy(&bits, &got, sizeof bits);
    if (f->class == 'i')
        return (int)bits == numbers[channel] - 32 ? got : NAN;
    if (f->class == 'u')
        return bits == (cl_uint)numbers[channel] ? got : NAN;
    if (f->class == 'd')
        return value / 64;
    value = (value + f->shift) * f->scale;
    if (f->order == CL_sRGBA && channel < 3)
        return value <= 0.04045f ? value / 12.92f : powf((value + 0.055f) / 1.055f, 2.4f);
    return value;
}

/* Reads all samples by a kernel and compares them; `move` as for draw. */
static void check_samples(cl_mem image, const struct format *f, int layers, int samples, int move)
{
    const int planes = layers ? layers : 1;
    const size_t size = sizeof(cl_float4) * WIDTH * HEIGHT * planes * samples;
    cl_int told[7] = {0};
    cl_mem out = MADE(clCreateBuffer, context, CL_MEM_READ_WRITE, size, NULL);
    cl_mem facts = MADE(clCreateBuffer, context, CL_MEM_READ_WRITE, sizeof told, NULL);
    cl_kernel kernel = reader(f, layers);
    MUST(clSetKernelArg(kernel, 0, sizeof image, &image));
    MUST(clSetKernelArg(kernel, 1, sizeof out, &out));
    MUST(clSetKernelArg(kernel, 2, sizeof facts, &facts));
    size_t global[3] = {WIDTH, HEIGHT, planes};
    MUST(clEnqueueAcquireGLObjects(queue, 1, &image, 0, NULL, NULL));
    MUST(clEnqueueNDRangeKernel(queue, kernel, 3, NULL, global, NULL, 0, NULL, NULL));
    MUST(clEnqueueReleaseGLObjects(queue, 1, &image, 0, NULL, NULL));
    cl_float4 *got = malloc(size);
    MUST(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, size, got, 0, NULL, NULL));
    MUST(clEnqueueReadBuffer(queue, facts, CL_TRUE, 0, sizeof told, told, 0, NULL, NULL));
    const int channels = f->order == CL_R || f->class == 'd' ? 1 : f->order == CL_RG ? 2 : 4;
    int wrong = 0;
    for (int plane = 0; plane < planes * samples; plane++)
        for (int y = 0; y < HEIGHT; y++)
            for (int x = 0; x < WIDTH; x++)
                for (int channel = 0; channel < channels; channel++) {
                    float value = got[(plane * HEIGHT + y) * WIDTH + x].s[channel];
                    float right = expected(f, number(x, y, plane / samples, plane % samples + move), channel, value);
                    if (memcmp(&value, &right, sizeof value) && !(fabsf(value - right) <= f->tolerance) && !wrong++)
                        fprintf(stderr, "format %#x: %d, %d, plane %d, channel %d: %g, not %g\n", f->internal, x, y,
                                plane, channel, value, right);
                }
    EQ(wrong, 0);
    EQ(told[0], samples);
    EQ(told[1], WIDTH);
    EQ(told[2], HEIGHT);
    EQ(told[3], 1);
    EQ(told[4], layers);
    EQ(told[5], f->order);
    EQ(told[6], f->data_type);
    free(got);
    MUST(clReleaseKernel(kernel));
    MUST(clReleaseMemObject(out));
    MUST(clReleaseMemObject(facts));
}

static void every_format(int layers)
{
    for (int i = 0; i < FORMAT_COUNT; i++) {
        const struct format *f = &FORMATS[i];
        GLuint texture = make_texture(f, layers, SAMPLES);
        cl_mem image = MADE(clCreateFromGLTexture, context, CL_MEM_READ_ONLY, target_of(layers), 0, texture);
        check_samples(image, f, layers, SAMPLES, 0);
        /* Nothing has changed them, and what OpenGL draws anew arrives. */
        check_samples(image, f, layers, SAMPLES, 0);
        draw(texture, f, layers, SAMPLES, 1);
        check_samples(image, f, layers, SAMPLES, 1);
        MUST(clReleaseMemObject(image));
        glDeleteTextures(1, &texture);
    }
}

static void queries(void)
{
    for (int layers = 0; layers <= LAYERS; layers += LAYERS) {
        GLuint texture = make_texture(&FORMATS[0], layers, SAMPLES);
        cl_mem image = MADE(clCreateFromGLTexture, context, CL_MEM_READ_WRITE, target_of(layers), 0, texture);
        GLsizei samples = 0;
        size_t size = 0;
        MUST(clGetGLTextureInfo(image, CL_GL_NUM_SAMPLES, sizeof samples, &samples, &size));
        EQ(samples, SAMPLES);
        EQ(size, sizeof samples);
        GLenum target = 0;
        MUST(clGetGLTextureInfo(image, CL_GL_TEXTURE_TARGET, sizeof target, &target, NULL));
        EQ(target, target_of(layers));
        cl_gl_object_type kind = 0;
        GLuint name = 0;
        MUST(clGetGLObjectInfo(image, &kind, &name));
        EQ(kind, layers ? CL_GL_OBJECT_TEXTURE2D_ARRAY : CL_GL_OBJECT_TEXTURE2D);
        EQ(name, texture);
        cl_mem_object_type type = 0;
        MUST(clGetMemObjectInfo(image, CL_MEM_TYPE, sizeof type, &type, NULL));
        EQ(type, layers ? CL_MEM_OBJECT_IMAGE2D_ARRAY : CL_MEM_OBJECT_IMAGE2D);
        cl_uint count = 0;
        MUST(clGetImageInfo(image, CL_IMAGE_NUM_SAMPLES, sizeof count, &count, NULL));
        EQ(count, SAMPLES);
        const size_t sizes[][2] = {{CL_IMAGE_WIDTH, WIDTH}, {CL_IMAGE_HEIGHT, HEIGHT}, {CL_IMAGE_ARRAY_SIZE, layers}};
        for (int i = 0; i < 3; i++) {
            MUST(clGetImageInfo(image, (cl_image_info)sizes[i][0], sizeof size, &size, NULL));
            EQ(size, sizes[i][1]);
        }
        MUST(clReleaseMemObject(image));
        glDeleteTextures(1, &texture);
    }
    /* A texture without samples has one; an object that is no texture has none to tell of. */
    GLuint plain, buffer;
    glGenTextures(1, &plain);
    glBindTexture(GL_TEXTURE_2D, plain);
    glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA8, WIDTH, HEIGHT);
    cl_mem image = MADE(clCreateFromGLTexture, context, CL_MEM_READ_ONLY, GL_TEXTURE_2D, 0, plain);
    GLsizei samples = 0;
    MUST(clGetGLTextureInfo(image, CL_GL_NUM_SAMPLES, sizeof samples, &samples, NULL));
    EQ(samples, 1);
    cl_uint count = 9;
    MUST(clGetImageInfo(image, CL_IMAGE_NUM_SAMPLES, sizeof count, &count, NULL));
    EQ(count, 0);
    MUST(clReleaseMemObject(image));
    glGenBuffers(1, &buffer);
    glBindBuffer(GL_ARRAY_BUFFER, buffer);
    glBufferData(GL_ARRAY_BUFFER, 64, NULL, GL_STATIC_DRAW);
    cl_mem bytes = MADE(clCreateFromGLBuffer, context, CL_MEM_READ_ONLY, buffer);
    EQ(clGetGLTextureInfo(bytes, CL_GL_NUM_SAMPLES, sizeof samples, &samples, NULL), CL_INVALID_GL_OBJECT);
    MUST(clReleaseMemObject(bytes));
    glDeleteTextures(1, &plain);
    glDeleteBuffers(1, &buffer);
}

static cl_int creation_error(GLenum target, GLint level, GLuint texture)
{
    cl_int error = 0;
    cl_mem image = clCreateFromGLTexture(context, CL_MEM_READ_ONLY, target, level, texture, &error);
    if (image)
        MUST(clReleaseMemObject(image));
    return error;
}

static void refused_creations(void)
{
    const GLenum plane = target_of(0), layered = target_of(LAYERS);
    GLuint texture = make_texture(&FORMATS[0], 0, SAMPLES);
    EQ(creation_error(plane, 1, texture), CL_INVALID_MIP_LEVEL);
    EQ(creation_error(plane, -1, texture), CL_INVALID_MIP_LEVEL);
    EQ(creation_error(layered, 0, texture), CL_INVALID_GL_OBJECT);
    EQ(creation_error(GL_TEXTURE_2D, 0, texture), CL_INVALID_GL_OBJECT);
    EQ(creation_error(plane, 0, texture + 1000), CL_INVALID_GL_OBJECT);
    cl_int error = 0;
    EQ(clCreateFromGLTexture2D(context, CL_MEM_READ_ONLY, plane, 0, texture, &error) == NULL, 1);
    EQ(error, CL_INVALID_VALUE);
    /* A texture that has no level yet. */
    GLuint empty;
    glGenTextures(1, &empty);
    glBindTexture(plane, empty);
    EQ(creation_error(plane, 0, empty), CL_INVALID_GL_OBJECT);
    glDeleteTextures(1, &empty);
    /* Formats that OpenCL does not have. */
    glGenTextures(1, &empty);
    glBindTexture(plane, empty);
    glTexImage2DMultisample(plane, SAMPLES, GL_RGB10_A2UI, WIDTH, HEIGHT, GL_TRUE);
    EQ(creation_error(plane, 0, empty), CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    glDeleteTextures(1, &empty);
    GLuint renderbuffer;
    glGenRenderbuffers(1, &renderbuffer);
    glBindRenderbuffer(GL_RENDERBUFFER, renderbuffer);
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, SAMPLES, GL_RGBA8, WIDTH, HEIGHT);
    EQ(clCreateFromGLRenderbuffer(context, CL_MEM_READ_ONLY, renderbuffer, &error) == NULL, 1);
    EQ(error, CL_INVALID_OPERATION);
    glDeleteRenderbuffers(1, &renderbuffer);
    /* OpenCL alone makes no image with samples. */
    cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
    cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 8, .image_height = 8, .num_samples = 4};
    EQ(clCreateImage(context, CL_MEM_READ_ONLY, &format, &desc, NULL, &error) == NULL, 1);
    EQ(error, CL_INVALID_IMAGE_DESCRIPTOR);
    /* Nor an image of one. */
    cl_mem image = MADE(clCreateFromGLTexture, context, CL_MEM_READ_ONLY, plane, 0, texture);
    desc = (cl_image_desc){.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = WIDTH, .image_height = HEIGHT};
    desc.mem_object = image;
    EQ(clCreateImage(context, CL_MEM_READ_ONLY, &format, &desc, NULL, &error) == NULL, 1);
    EQ(error, CL_INVALID_IMAGE_DESCRIPTOR);
    MUST(clReleaseMemObject(image));
    glDeleteTextures(1, &texture);
    NO_GL_ERROR();
}

static void refused_commands(void)
{
    GLuint texture = make_texture(&FORMATS[0], 0, SAMPLES);
    cl_int error;
    cl_mem image = MADE(clCreateFromGLTexture, context, CL_MEM_READ_WRITE, target_of(0), 0, texture);
    cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
    cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = WIDTH, .image_height = HEIGHT};
    cl_mem other = MADE(clCreateImage, context, CL_MEM_READ_WRITE, &format, &desc, NULL);
    cl_mem buffer = MADE(clCreateBuffer, context, CL_MEM_READ_WRITE, WIDTH * HEIGHT * 4, NULL);
    MUST(clEnqueueAcquireGLObjects(queue, 1, &image, 0, NULL, NULL));
    static char bytes[WIDTH * HEIGHT * 4];
    const size_t from[3] = {0, 0, 0}, region[3] = {1, 1, 1};
    const cl_float4 color = {{1, 1, 1, 1}};
    EQ(clEnqueueReadImage(queue, image, CL_TRUE, from, region, 0, 0, bytes, 0, NULL, NULL), CL_INVALID_OPERATION);
    EQ(clEnqueueWriteImage(queue, image, CL_TRUE, from, region, 0, 0, bytes, 0, NULL, NULL), CL_INVALID_OPERATION);
    EQ(clEnqueueCopyImage(queue, image, other, from, from, region, 0, NULL, NULL), CL_INVALID_OPERATION);
    EQ(clEnqueueCopyImage(queue, other, image, from, from, region, 0, NULL, NULL), CL_INVALID_OPERATION);
    EQ(clEnqueueCopyImageToBuffer(queue, image, buffer, from, region, 0, 0, NULL, NULL), CL_INVALID_OPERATION);
    EQ(clEnqueueCopyBufferToImage(queue, buffer, image, 0, from, region, 0, NULL, NULL), CL_INVALID_OPERATION);
    EQ(clEnqueueFillImage(queue, image, &color, from, region, 0, NULL, NULL), CL_INVALID_OPERATION);
    size_t pitch;
    void *mapped = clEnqueueMapImage(queue, image, CL_TRUE, CL_MAP_READ, from, region, &pitch, NULL, 0, NULL, NULL, &error);
    EQ(mapped == NULL, 1);
    EQ(error, CL_INVALID_OPERATION);
    MUST(clEnqueueReleaseGLObjects(queue, 1, &image, 0, NULL, NULL));
    MUST(clFinish(queue));
    /* Arguments of other types. */
    cl_kernel samples = reader(&FORMATS[0], 0), layers = reader(&FORMATS[0], LAYERS);
    cl_kernel plain = build_kernel(
        context, "kernel void f(read_only image2d_t i, global float4 *o) { *o = read_imagef(i, (int2)(0, 0)); }", "f");
    cl_kernel array = build_kernel(
        context, "kernel void g(read_only image2d_array_t i, global float4 *o) { *o = read_imagef(i, (int4)(0)); }", "g");
    MUST(clSetKernelArg(samples, 0, sizeof image, &image));
    EQ(clSetKernelArg(samples, 0, sizeof other, &other), CL_INVALID_MEM_OBJECT);
    EQ(clSetKernelArg(layers, 0, sizeof image, &image), CL_INVALID_MEM_OBJECT);
    EQ(clSetKernelArg(plain, 0, sizeof image, &image), CL_INVALID_MEM_OBJECT);
    EQ(clSetKernelArg(array, 0, sizeof image, &image), CL_INVALID_MEM_OBJECT);
    MUST(clSetKernelArg(plain, 0, sizeof other, &other));
    cl_kernel kernels[] = {samples, layers, plain, array};
    for (int i = 0; i < 4; i++)
        MUST(clReleaseKernel(kernels[i]));
    MUST(clReleaseMemObject(image));
    MUST(clReleaseMemObject(other));
    MUST(clReleaseMemObject(buffer));
    glDeleteTextures(1, &texture);
    NO_GL_ERROR();
}

/* The texture's parameters change what shaders of OpenGL see, not what kernels do, and stay as they are. */
static void parameters(void)
{
    GLuint texture = make_texture(&FORMATS[0], 0, SAMPLES);
    const GLint swizzle[4] = {GL_ALPHA, GL_ZERO, GL_RED, GL_ONE};
    const GLenum names[4] = {GL_TEXTURE_SWIZZLE_R, GL_TEXTURE_SWIZZLE_G, GL_TEXTURE_SWIZZLE_B, GL_TEXTURE_SWIZZLE_A};
    glBindTexture(target_of(0), texture);
    for (int i = 0; i < 4; i++)
        glTexParameteri(target_of(0), names[i], swizzle[i]);
    glFinish();
    cl_mem image = MADE(clCreateFromGLTexture, context, CL_MEM_READ_ONLY, target_of(0), 0, texture);
    check_samples(image, &FORMATS[0], 0, SAMPLES, 0);
    MUST(clReleaseMemObject(image));
    glBindTexture(target_of(0), texture);
    for (int i = 0; i < 4; i++) {
        GLint now = 0;
        glGetTexParameteriv(target_of(0), names[i], &now);
        EQ(now, swizzle[i]);
    }
    glDeleteTextures(1, &texture);
    NO_GL_ERROR();
}

/* A texture that has other samples than when the image was made, or is gone. */
static void changed(void)
{
    GLuint texture = make_texture(&FORMATS[0], LAYERS, SAMPLES);
    cl_mem image = MADE(clCreateFromGLTexture, context, CL_MEM_READ_ONLY, target_of(LAYERS), 0, texture);
    glBindTexture(target_of(LAYERS), texture);
    glTexImage3DMultisample(target_of(LAYERS), SAMPLES, GL_RGBA8, WIDTH, HEIGHT, LAYERS + 1, GL_TRUE);
    for (int i = 0; i < 2; i++) {
        cl_event event;
        MUST(clEnqueueAcquireGLObjects(queue, 1, &image, 0, NULL, &event));
        EQ(clWaitForEvents(1, &event), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        cl_int status = 0;
        MUST(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
        EQ(status, CL_INVALID_GL_OBJECT);
        MUST(clReleaseEvent(event));
        glDeleteTextures(1, &texture);
    }
    MUST(clReleaseMemObject(image));
}

/* A texture whose name OpenGL deletes while OpenCL has it: kernels and commands have what the acquire brought, and the
 * release fails. */
static void deleted_meanwhile(void)
{
    GLuint texture;
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    static cl_uchar texels[WIDTH * HEIGHT * 4];
    for (size_t i = 0; i < sizeof texels; i++)
        texels[i] = (cl_uchar)(i * 7);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, WIDTH, HEIGHT, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
    glFinish();
    cl_mem image = MADE(clCreateFromGLTexture, context, CL_MEM_READ_WRITE, GL_TEXTURE_2D, 0, texture);
    MUST(clEnqueueAcquireGLObjects(queue, 1, &image, 0, NULL, NULL));
    MUST(clFinish(queue));
    glDeleteTextures(1, &texture);
    glFinish();
    static cl_uchar got[sizeof texels];
    const size_t from[3] = {0, 0, 0}, region[3] = {WIDTH, HEIGHT, 1};
    MUST(clEnqueueReadImage(queue, image, CL_TRUE, from, region, 0, 0, got, 0, NULL, NULL));
    EQ(memcmp(got, texels, sizeof texels), 0);
    const cl_float4 color = {{1, 0, 0, 1}};
    MUST(clEnqueueFillImage(queue, image, &color, from, region, 0, NULL, NULL));
    cl_event event;
    MUST(clEnqueueReleaseGLObjects(queue, 1, &image, 0, NULL, &event));
    EQ(clWaitForEvents(1, &event), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    cl_int status = 0;
    MUST(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    EQ(status, CL_INVALID_GL_OBJECT);
    MUST(clReleaseEvent(event));
    MUST(clReleaseMemObject(image));
}

int main(void)
{
    open_gl();
    EQ(lists_extension("cl_khr_gl_msaa_sharing"), 1);
    cl_int error;
    context = shared_context(&error);
    MUST(error);
    queue = MADE(clCreateCommandQueueWithProperties, context, pumice_device(), NULL);
    every_format(0);
    every_format(LAYERS);
    queries();
    refused_creations();
    refused_commands();
    parameters();
    changed();
    deleted_meanwhile();
    MUST(clReleaseCommandQueue(queue));
    release_last(context);
    close_gl();
    return finish();
}
