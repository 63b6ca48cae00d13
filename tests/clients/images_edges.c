// client: needs images
/* What devices do differently at the edges of formats and images: image buffers of every format, rounding
   and clamping to 16-bit UNORM and to integers, NaN, infinity (OpenCL C specification, section 8.3), and a coordinate
   just below a repeated edge (section 8.2). */
#include "common.h"
#include <math.h>

enum { W = 33, MOST_FORMATS = 200, MOST_BYTES = 16 };

static const char *source =
    "kernel void floats(read_only image1d_buffer_t from, write_only image1d_buffer_t to) {\n"
    "    int i = get_global_id(0);\n"
    "    write_imagef(to, i, read_imagef(from, i));\n"
    "}\n"
    "kernel void ints(read_only image1d_buffer_t from, write_only image1d_buffer_t to) {\n"
    "    int i = get_global_id(0);\n"
    "    write_imagei(to, i, read_imagei(from, i));\n"
    "}\n"
    "kernel void uints(read_only image1d_buffer_t from, write_only image1d_buffer_t to) {\n"
    "    int i = get_global_id(0);\n"
    "    write_imageui(to, i, read_imageui(from, i));\n"
    "}\n"
    "kernel void put(global const float4 *from, write_only image1d_buffer_t to) {\n"
    "    int i = get_global_id(0);\n"
    "    write_imagef(to, i, from[i]);\n"
    "}\n"
    "kernel void get(read_only image1d_buffer_t from, global float4 *to) {\n"
    "    int i = get_global_id(0);\n"
    "    to[i] = read_imagef(from, i);\n"
    "}\n"
    "kernel void put_ints(global const int4 *from, write_only image1d_buffer_t to) {\n"
    "    int i = get_global_id(0);\n"
    "    write_imagei(to, i, from[i]);\n"
    "}\n"
    "kernel void put_uints(global const uint4 *from, write_only image1d_buffer_t to) {\n"
    "    int i = get_global_id(0);\n"
    "    write_imageui(to, i, from[i]);\n"
    "}\n"
    "kernel void paint(global const float4 *from, write_only image1d_t to) {\n"
    "    int i = get_global_id(0);\n"
    "    write_imagef(to, i, from[i]);\n"
    "}\n"
    "kernel void sample(read_only image1d_t from, global float4 *to) {\n"
    "    const sampler_t repeat = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_NEAREST;\n"
    "    int i = get_global_id(0);\n"
    "    to[i] = read_imagef(from, repeat, ldexp(-1.0f, -20 - i));\n"
    "}\n";

static cl_device_id device;
static cl_context context;
static cl_command_queue queue;
static cl_program program;

static cl_mem image_of(cl_mem buffer, cl_image_format format)
{
    cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = W, .buffer = buffer};
    return MADE(clCreateImage, context, 0, &format, &desc, NULL);
}

static cl_mem buffer_of(size_t size, void *data)
{
    return MADE(clCreateBuffer, context, data ? CL_MEM_COPY_HOST_PTR : 0, size, data);
}

static void run(const char *name, cl_mem from, cl_mem to)
{
    size_t count = W;
    cl_kernel kernel = MADE(clCreateKernel, program, name);
    MUST(clSetKernelArg(kernel, 0, sizeof from, &from));
    MUST(clSetKernelArg(kernel, 1, sizeof to, &to));
    MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &count, NULL, 0, NULL, NULL));
    MUST(clReleaseKernel(kernel));
}

static const char *kernel_for(cl_channel_type type)
{
    if (type >= CL_SIGNED_INT8 && type <= CL_SIGNED_INT32)
        return "ints";
    return type >= CL_UNSIGNED_INT8 && type <= CL_UNSIGNED_INT32 ? "uints" : "floats";
}

/* A byte that makes neither a number that is none, nor a denormal, nor the second -1 of SNORM. */
static unsigned char byte_of(size_t i)
{
    return (unsigned char)(0x31 + i * 7 % 0x3f);
}

static void copies(cl_image_format format)
{
    unsigned char data[W * MOST_BYTES], got[W * MOST_BYTES];
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = byte_of(i);
    cl_mem from = buffer_of(sizeof data, data), to = buffer_of(sizeof data, NULL);
    cl_mem images[2] = {image_of(from, format), image_of(to, format)};
    size_t texel = 0;
    MUST(clGetImageInfo(images[0], CL_IMAGE_ELEMENT_SIZE, sizeof texel, &texel, NULL));
    run(kernel_for(format.image_channel_data_type), images[0], images[1]);
    MUST(clEnqueueReadBuffer(queue, to, CL_TRUE, 0, W * texel, got, 0, NULL, NULL));
    if (memcmp(got, data, W * texel) != 0) {
        fprintf(stderr, "order %x, type %x: another copy\n", format.image_channel_order, format.image_channel_data_type);
        failures++;
    }
    for (int i = 0; i < 2; i++)
        MUST(clReleaseMemObject(images[i]));
    MUST(clReleaseMemObject(from));
    MUST(clReleaseMemObject(to));
}

/* Numbers and what 16 bits hold of them. A half may go to either neighbour: the error may be 0.6 (section 8.3.1.2). */
static void rounding(void)
{
    static const struct {
        float value;
        cl_ushort bits;
    } cases[] = {
        {0, 0},       {1, 65535},     {0.5f, 32768}, {2, 65535},       {-1, 0},
        {INFINITY, 65535}, {-INFINITY, 0}, {0.25f, 16384}, {1.0f / 65535, 1},
        {0.4f / 65535, 0}, {0.6f / 65535, 1},
    };
    enum { CASES = sizeof cases / sizeof *cases };
    cl_float values[W * 4] = {0};
    cl_ushort bits[W * 4];
    cl_float back[W * 4];
    for (int i = 0; i < W * 4; i++)
        values[i] = cases[i % CASES].value;
    cl_image_format format = {CL_RGBA, CL_UNORM_INT16};
    cl_mem texels = buffer_of(sizeof bits, NULL), floats = buffer_of(sizeof values, values);
    cl_mem image = image_of(texels, format);
    run("put", floats, image);
    run("get", image, floats);
    MUST(clEnqueueReadBuffer(queue, texels, CL_TRUE, 0, sizeof bits, bits, 0, NULL, NULL));
    MUST(clEnqueueReadBuffer(queue, floats, CL_TRUE, 0, sizeof back, back, 0, NULL, NULL));
    for (int i = 0; i < W * 4; i++) {
        cl_ushort expected = cases[i % CASES].bits;
        if (cases[i % CASES].value == 0.5f && bits[i] == expected - 1)
            expected--;
        float wanted = (float)(expected / 65535.0);
        if (bits[i] != expected || fabsf(back[i] - wanted) > 1.5f * 0x1p-24f * wanted) {
            fprintf(stderr, "%a: %d, read as %a\n", values[i], bits[i], back[i]);
            failures++;
        }
    }
    MUST(clReleaseMemObject(image));
    MUST(clReleaseMemObject(texels));
    MUST(clReleaseMemObject(floats));
}

/* NaN is written as 0, but as NaN to channels that are floats. Whatever lies beside it stays as it is; halves are left out
   of this: SwiftShader's NaN reaches into the channel above. */
static void no_numbers(void)
{
    static const cl_channel_type types[] = {CL_UNORM_INT8, CL_UNORM_INT16, CL_SNORM_INT8, CL_SNORM_INT16, CL_HALF_FLOAT, CL_FLOAT};
    static const cl_channel_order orders[] = {CL_RGBA, CL_BGRA, CL_R, CL_RG, CL_sRGBA};
    cl_float values[W * 4];
    for (int i = 0; i < W * 4; i++)
        values[i] = (i / 4 >> i % 4 & 1) ? (i % 8 < 4 ? NAN : -NAN) : 1;
    cl_mem from = buffer_of(sizeof values, values);
    cl_image_format formats[MOST_FORMATS];
    cl_uint count = 0;
    MUST(clGetSupportedImageFormats(context, CL_MEM_WRITE_ONLY, CL_MEM_OBJECT_IMAGE1D, MOST_FORMATS, formats, &count));
    int found = 0;
    for (cl_uint f = 0; f < count; f++) {
        cl_image_format format = formats[f];
        int type = -1, order = -1;
        for (int t = 0; t < 6; t++)
            type = types[t] == format.image_channel_data_type ? t : type;
        for (int o = 0; o < 5; o++)
            order = orders[o] == format.image_channel_order ? o : order;
        if (type < 0 || order < 0)
            continue;
        cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE1D, .image_width = W};
        cl_mem image = MADE(clCreateImage, context, CL_MEM_WRITE_ONLY, &format, &desc, NULL);
        run("paint", from, image);
        unsigned char got[W * MOST_BYTES];
        size_t origin[3] = {0}, region[3] = {W, 1, 1};
        MUST(clEnqueueReadImage(queue, image, CL_TRUE, origin, region, 0, 0, got, 0, NULL, NULL));
        static const int channels_of[] = {4, 4, 1, 2, 4}, bytes_of[] = {1, 2, 1, 2, 2, 4};
        static const cl_uint ones[] = {0xff, 0xffff, 0x7f, 0x7fff, 0x3c00, 0x3f800000};
        int channels = channels_of[order], bytes = bytes_of[type];
        for (int i = 0; i < W * channels; i++) {
            int channel = order == 1 && i % 4 < 3 ? 2 - i % 4 : i % channels;
            cl_uint word = 0, infinity = type == 4 ? 0x7c00 : 0x7f800000, magnitude = type == 4 ? 0x7fff : 0x7fffffff;
            memcpy(&word, got + i * bytes, bytes);
            int is_nan = isnan(values[i / channels * 4 + channel]);
            int right = !is_nan ? word == ones[type] : type < 4 ? word == 0 : (word & magnitude) > infinity;
            if (!right) {
                fprintf(stderr, "order %x, type %x: %s is %x\n", format.image_channel_order, format.image_channel_data_type,
                        is_nan ? "NaN" : "1", word);
                failures++;
            }
        }
        found++;
        MUST(clReleaseMemObject(image));
    }
    CHECK(found >= 4);
    MUST(clReleaseMemObject(from));
}

/* Infinity is written to floats and halves as it is, numbers beyond halves as infinity or the greatest half. The channels beside
   them get what they are given. */
static void infinities(void)
{
    static const float great[] = {INFINITY, 65536, 70000, 131072, 1e6f, 3e38f};
    cl_float values[W * 4];
    for (int i = 0; i < W * 4; i++)
        values[i] = (i / 4 >> i % 4 & 1) ? copysignf(great[i % 6], i % 8 < 4 ? 1 : -1) : 1;
    cl_mem from = buffer_of(sizeof values, values);
    for (int is_half = 0; is_half < 2; is_half++) {
        cl_image_format format = {CL_RGBA, is_half ? CL_HALF_FLOAT : CL_FLOAT};
        cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE1D, .image_width = W};
        cl_mem image = MADE(clCreateImage, context, CL_MEM_WRITE_ONLY, &format, &desc, NULL);
        run("paint", from, image);
        union {
            cl_half halves[W * 4];
            cl_float floats[W * 4];
        } got;
        size_t origin[3] = {0}, region[3] = {W, 1, 1};
        MUST(clEnqueueReadImage(queue, image, CL_TRUE, origin, region, 0, 0, &got, 0, NULL, NULL));
        for (int i = 0; i < W * 4; i++) {
            if (!is_half) {
                CHECK(got.floats[i] == values[i]);
                continue;
            }
            int half = values[i] == 1 ? 0x3c00 : values[i] > 0 ? 0x7c00 : 0xfc00;
            int may_be_less = half != 0x3c00 && !isinf(values[i]);
            if (got.halves[i] != half && !(may_be_less && got.halves[i] == half - 1)) {
                fprintf(stderr, "%g is %x\n", values[i], got.halves[i]);
                failures++;
            }
        }
        MUST(clReleaseMemObject(image));
    }
    MUST(clReleaseMemObject(from));
}

/* Integers beyond the channels become the least and the greatest that these hold. */
static void clamping(void)
{
    static const struct {
        cl_channel_type type;
        int bits, is_signed;
    } types[] = {
        {CL_SIGNED_INT8, 8, 1},   {CL_SIGNED_INT16, 16, 1},   {CL_SIGNED_INT32, 32, 1},
        {CL_UNSIGNED_INT8, 8, 0}, {CL_UNSIGNED_INT16, 16, 0}, {CL_UNSIGNED_INT32, 32, 0},
    };
    static const cl_uint cases[] = {0, 1, 127, 128, 255, 256, 32767, 32768, 65535, 65536, 0x6ef58c, 0x7fffffff,
                                    0x80000000, 0xffff7fff, 0xffff8000, 0xffffff7f, 0xffffff80, 0xffffffff};
    enum { CASES = sizeof cases / sizeof *cases };
    cl_uint values[W * 4];
    for (int i = 0; i < W * 4; i++)
        values[i] = cases[i % CASES];
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        unsigned char got[W * MOST_BYTES];
        int bits = types[t].bits, is_signed = types[t].is_signed;
        cl_mem from = buffer_of(sizeof values, values), to = buffer_of(sizeof got, NULL);
        cl_mem image = image_of(to, (cl_image_format){CL_RGBA, types[t].type});
        run(is_signed ? "put_ints" : "put_uints", from, image);
        MUST(clEnqueueReadBuffer(queue, to, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
        long least = is_signed ? -(1L << (bits - 1)) : 0, most = (1L << (bits - is_signed)) - 1;
        for (int i = 0; i < W * 4; i++) {
            long value = is_signed ? (cl_int)values[i] : (long)values[i];
            long wanted = value < least ? least : value > most ? most : value;
            cl_uint word = 0;
            memcpy(&word, got + i * bits / 8, bits / 8);
            if (word != ((cl_uint)wanted & (0xffffffffu >> (32 - bits)))) {
                fprintf(stderr, "%ld in %d bits, %ssigned: %x\n", value, bits, is_signed ? "" : "un", word);
                failures++;
            }
        }
        MUST(clReleaseMemObject(image));
        MUST(clReleaseMemObject(from));
        MUST(clReleaseMemObject(to));
    }
}

/* A little below 0 is 1 once it is wrapped, and then the first texel again. A GPU may wrap without rounding, which gives the
 * last texel. */
static void repeated_edge(void)
{
    enum { WIDTH = 162 };
    cl_device_type type = 0;
    MUST(clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof type, &type, NULL));
    cl_float texels[WIDTH], got[W * 4];
    for (int i = 0; i < WIDTH; i++)
        texels[i] = (cl_float)i;
    cl_image_format format = {CL_R, CL_FLOAT};
    cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE1D, .image_width = WIDTH};
    cl_mem image = MADE(clCreateImage, context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, &format, &desc, texels);
    cl_mem to = buffer_of(sizeof got, NULL);
    run("sample", image, to);
    MUST(clEnqueueReadBuffer(queue, to, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    for (int i = 0; i < W; i++) {
        float coordinate = ldexpf(-1.0f, -20 - i), wrapped = (coordinate - floorf(coordinate)) * WIDTH;
        float wanted = wrapped >= WIDTH ? 0 : floorf(wrapped);
        int is_last = wanted == 0 && got[i * 4] == WIDTH - 1;
        if (got[i * 4] != wanted && !(is_last && type != CL_DEVICE_TYPE_CPU)) {
            fprintf(stderr, "at %a: texel %g, not %g\n", coordinate, got[i * 4], wanted);
            failures++;
        }
    }
    MUST(clReleaseMemObject(image));
    MUST(clReleaseMemObject(to));
}

int main(void)
{
    device = pumice_device();
    context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    queue = MADE(clCreateCommandQueue, context, device, 0);
    program = PROGRAM(context, source, "");
    cl_image_format formats[MOST_FORMATS];
    cl_uint count = 0;
    MUST(clGetSupportedImageFormats(context, CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE1D_BUFFER, MOST_FORMATS, formats, &count));
    int found = 0;
    for (cl_uint i = 0; i < count; i++) {
        copies(formats[i]);
        found += formats[i].image_channel_order == CL_RGBA;
    }
    /* What section 5.3.1.1 asks for. */
    CHECK(found >= 11);
    rounding();
    no_numbers();
    infinities();
    clamping();
    repeated_edge();
    MUST(clReleaseProgram(program));
    MUST(clReleaseCommandQueue(queue));
    release_last(context);
    return finish();
}
