// client: needs images
/* Images whose channels are the highest 10, 12 or 14 bits of 16 (cl_ext_image_unsigned_10x6_12x4_14x2): what kernels read and
 * write, and that the host's bytes stay as they are. */
#include "common.h"
#include <math.h>

enum { WIDTH = 13, HEIGHT = 5, LAYERS = 3, TEXELS = WIDTH * HEIGHT * LAYERS };

static cl_context context;
static cl_command_queue queue;
static cl_device_id device;
static cl_program program;

struct kind {
    cl_channel_type type;
    int bits, is_share;
};
static const struct kind kinds[] = {
    {0x10E1, 10, 1}, {0x10E9, 12, 1}, {0x10EA, 14, 1}, {0x10E6, 10, 0}, {0x10E7, 12, 0}, {0x10E8, 14, 0},
};
static const cl_channel_order orders[] = {CL_R, CL_RG, CL_RGBA};
static const int counts[] = {1, 2, 4};

static const char *source =
    "constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;\n"
    "constant sampler_t linear = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;\n"
    "#define AT int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2); "
    "int n = (z * get_global_size(1) + y) * get_global_size(0) + x;\n"
    "kernel void read_f(read_only image2d_t i, global float4 *o) { AT o[n] = read_imagef(i, (int2)(x, y)); }\n"
    "kernel void read_u(read_only image2d_t i, global uint4 *o) { AT o[n] = read_imageui(i, (int2)(x, y)); }\n"
    "kernel void sample_f(read_only image2d_t i, global float4 *o)\n"
    "{ AT o[n] = read_imagef(i, nearest, (float2)(x + 0.3f, y + 0.7f)); }\n"
    "kernel void sample_u(read_only image2d_t i, global uint4 *o)\n"
    "{ AT o[n] = read_imageui(i, nearest, (float2)(x + 0.3f, y + 0.7f)); }\n"
    "kernel void between(read_only image2d_t i, global float4 *o)\n"
    "{ AT o[n] = read_imagef(i, linear, (float2)(x + 1.0f, y + 0.5f)); }\n"
    "kernel void read_layers(read_only image2d_array_t i, global uint4 *o)\n"
    "{ AT o[n] = read_imageui(i, (int4)(x, y, z, 0)); }\n"
    "kernel void read_box(read_only image3d_t i, global uint4 *o) { AT o[n] = read_imageui(i, (int4)(x, y, z, 0)); }\n"
    "kernel void read_row(read_only image1d_t i, global uint4 *o) { AT o[n] = read_imageui(i, x); }\n"
    "kernel void write_layers(write_only image2d_array_t i)\n"
    "{ AT if (z == 1) write_imageui(i, (int4)(x, y, z, 0), (uint4)(x + 20 * y)); }\n"
    "kernel void write_f(write_only image2d_t i, global const float4 *from)\n"
    "{ AT if ((x + y) % 2) write_imagef(i, (int2)(x, y), from[n]); }\n"
    "kernel void write_u(write_only image2d_t i, global const uint4 *from)\n"
    "{ AT if ((x + y) % 2) write_imageui(i, (int2)(x, y), from[n]); }\n"
    "kernel void ask(read_only image2d_t i, global int *o)\n"
    "{ o[0] = get_image_channel_data_type(i); o[1] = get_image_channel_order(i); o[2] = get_image_width(i);\n"
    "  o[3] = CLK_UNORM_INT10X6_EXT; o[4] = CLK_UNORM_INT12X4_EXT; o[5] = CLK_UNORM_INT14X2_EXT;\n"
    "  o[6] = CLK_UNSIGNED_INT10X6_EXT; o[7] = CLK_UNSIGNED_INT12X4_EXT; o[8] = CLK_UNSIGNED_INT14X2_EXT;\n"
    "  o[9] = CLK_UNORM_10X6_EXT == CLK_UNORM_INT10X6_EXT && CLK_UNORM_12X4_EXT == CLK_UNORM_INT12X4_EXT\n"
    "    && CLK_UNORM_14X2_EXT == CLK_UNORM_INT14X2_EXT;\n"
    "#ifdef cl_ext_image_unsigned_10x6_12x4_14x2\n"
    "  o[10] = __opencl_c_ext_image_unsigned_10x6_12x4_14x2;\n"
    "#endif\n"
    "}\n";

/* The texels of the host's memory, with bits that mean nothing. */
static unsigned short texels[TEXELS * 4], expected[TEXELS * 4], got[TEXELS * 4];

static cl_image_desc plane_of(size_t width, size_t height)
{
    return (cl_image_desc){.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = width, .image_height = height};
}

static void run(const char *name, cl_mem image, cl_mem numbers, size_t width, size_t height, size_t depth)
{
    cl_kernel kernel = MADE(clCreateKernel, program, name);
    MUST(clSetKernelArg(kernel, 0, sizeof image, &image));
    if (numbers)
        MUST(clSetKernelArg(kernel, 1, sizeof numbers, &numbers));
    size_t range[3] = {width, height, depth};
    MUST(clEnqueueNDRangeKernel(queue, kernel, 3, NULL, range, NULL, 0, NULL, NULL));
    MUST(clReleaseKernel(kernel));
}

static float share(unsigned value, int bits)
{
    return (float)value / (float)((1 << bits) - 1);
}

static int near_enough(const struct kind *k, unsigned bits, unsigned want)
{
    if (!k->is_share)
        return bits == want;
    float a, b;
    memcpy(&a, &bits, sizeof a);
    memcpy(&b, &want, sizeof b);
    return fabsf(a - b) <= 1.5f * 0x1p-23f * b;
}

static void check_read(const struct kind *k, int channels, const char *name, cl_mem numbers, size_t count)
{
    static unsigned read[TEXELS * 4];
    MUST(clEnqueueReadBuffer(queue, numbers, CL_TRUE, 0, count * 16, read, 0, NULL, NULL));
    for (size_t i = 0; i < count * 4; i++) {
        unsigned want[4];
        for (int c = 0; c < 4; c++) {
            unsigned value = c < channels ? texels[i / 4 * channels + c] >> (16 - k->bits) : c == 3;
            float number = c < channels ? share(value, k->bits) : (float)value;
            want[c] = value;
            if (k->is_share)
                memcpy(&want[c], &number, sizeof number);
        }
        if (!near_enough(k, read[i], want[i % 4])) {
            fprintf(stderr, "%s of type %#x with %d channels: number %zu is %#x, not %#x\n", name, k->type, channels, i,
                    read[i], want[i % 4]);
            failures++;
            return;
        }
    }
}

/* The image has the bytes of `expected`. */
static void same(cl_mem image, const size_t size[3], size_t bytes, const char *what)
{
    size_t zero[3] = {0};
    memset(got, 0xcc, sizeof got);
    MUST(clEnqueueReadImage(queue, image, CL_TRUE, zero, size, 0, 0, got, 0, NULL, NULL));
    for (size_t i = 0; i < bytes / 2; i++) {
        if (got[i] != expected[i]) {
            fprintf(stderr, "%s: channel %zu is %#x, not %#x\n", what, i, got[i], expected[i]);
            failures++;
            return;
        }
    }
}

static void check_format(const struct kind *k, cl_channel_order order, int channels)
{
    cl_int error;
    const cl_image_format format = {order, k->type};
    const size_t zero[3] = {0}, plane[3] = {WIDTH, HEIGHT, 1}, bytes = WIDTH * HEIGHT * channels * 2;
    cl_image_desc desc = plane_of(WIDTH, HEIGHT);
    for (int i = 0; i < TEXELS * 4; i++)
        expected[i] = texels[i];
    cl_mem image = MADE(clCreateImage, context, CL_MEM_COPY_HOST_PTR, &format, &desc, texels);
    size_t number = 0;
    MUST(clGetImageInfo(image, CL_IMAGE_ELEMENT_SIZE, sizeof number, &number, NULL));
    EQ(number, channels * 2);
    MUST(clGetImageInfo(image, CL_IMAGE_ROW_PITCH, sizeof number, &number, NULL));
    EQ(number, WIDTH * channels * 2);
    MUST(clGetMemObjectInfo(image, CL_MEM_SIZE, sizeof number, &number, NULL));
    EQ(number, bytes);
    cl_mem numbers = MADE(clCreateBuffer, context, 0, TEXELS * 16, NULL);

    run(k->is_share ? "read_f" : "read_u", image, numbers, WIDTH, HEIGHT, 1);
    check_read(k, channels, "read", numbers, WIDTH * HEIGHT);
    run(k->is_share ? "sample_f" : "sample_u", image, numbers, WIDTH, HEIGHT, 1);
    check_read(k, channels, "sample", numbers, WIDTH * HEIGHT);
    if (k->is_share) {
        static float middle[WIDTH * HEIGHT * 4];
        run("between", image, numbers, WIDTH - 1, HEIGHT, 1);
        MUST(clEnqueueReadBuffer(queue, numbers, CL_TRUE, 0, sizeof middle, middle, 0, NULL, NULL));
        for (int i = 0; i < (WIDTH - 1) * HEIGHT; i++) {
            int at = (i / (WIDTH - 1) * WIDTH + i % (WIDTH - 1)) * channels, shift = 16 - k->bits;
            float want = (share(texels[at] >> shift, k->bits) + share(texels[at + channels] >> shift, k->bits)) / 2;
            CHECK(fabsf(middle[i * 4] - want) < 0.004f);
        }
    }
    same(image, plane, bytes, "after reading");

    /* Kernels write every second texel; the others keep even the bits that mean nothing. */
    static unsigned values[TEXELS * 4];
    const float shares[] = {0.0f, 1.0f, 0.4999f, 2.0f, -3.0f, NAN, 0.2f, 0.0004f, INFINITY, 0.75f};
    const unsigned most = (1u << k->bits) - 1, integers[] = {0, 1, most, most + 1, 70000, 0xffffffff, 77, 512};
    for (int i = 0; i < WIDTH * HEIGHT * 4; i++) {
        values[i] = integers[i % 8];
        if (k->is_share)
            memcpy(&values[i], &shares[i * 7 % 10], sizeof *values);
        int texel = i / 4, x = texel % WIDTH, y = texel / WIDTH, c = i % 4;
        if ((x + y) % 2 == 0 || c >= channels)
            continue;
        float f = shares[i * 7 % 10];
        f = f > 0 ? f < 1 ? f : 1 : 0;
        unsigned value = k->is_share ? (unsigned)rintf(f * (float)most) : values[i] < most ? values[i] : most;
        /* Some are written as they are: the bits that mean nothing become 0 there, too. */
        if (texel % 3 == 0) {
            value = values[i] = (unsigned)texels[texel * channels + c] >> (16 - k->bits);
            const float same_share = share(value, k->bits);
            if (k->is_share)
                memcpy(&values[i], &same_share, sizeof *values);
        }
        expected[texel * channels + c] = (unsigned short)(value << (16 - k->bits));
    }
    MUST(clEnqueueWriteBuffer(queue, numbers, CL_TRUE, 0, sizeof values, values, 0, NULL, NULL));
    run(k->is_share ? "write_f" : "write_u", image, numbers, WIDTH, HEIGHT, 1);
    same(image, plane, bytes, "after a kernel wrote");

    /* Bytes of the host: a write, a map, a fill, copies. */
    const size_t at[3] = {3, 1, 0}, part[3] = {4, 2, 1};
    unsigned short few[4 * 2 * 4];
    for (int i = 0; i < 32; i++)
        few[i] = (unsigned short)(i * 2053 + 11);
    MUST(clEnqueueWriteImage(queue, image, CL_TRUE, at, part, 0, 0, few, 0, NULL, NULL));
    for (int i = 0; i < 8 * channels; i++)
        expected[((1 + i / (4 * channels)) * WIDTH + 3) * channels + i % (4 * channels)] = few[i];
    same(image, plane, bytes, "after a write");
    size_t pitch = 0;
    unsigned short *mapped =
        clEnqueueMapImage(queue, image, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, at, part, &pitch, NULL, 0, NULL, NULL, &error);
    MUST(error);
    EQ(pitch, WIDTH * channels * 2);
    EQ(mapped[0], few[0]);
    mapped[1] = expected[(WIDTH + 3) * channels + 1] = 0xabcd;
    MUST(clEnqueueUnmapMemObject(queue, image, mapped, 0, NULL, NULL));
    same(image, plane, bytes, "after a map");
    const size_t corner[3] = {11, 4, 0}, two[3] = {2, 1, 1};
    union {
        float f[4];
        unsigned u[4];
    } color = {.u = {5, 4000000, 6, 7}};
    if (k->is_share)
        color.f[0] = 0.5f, color.f[1] = 1.5f, color.f[2] = 0.25f, color.f[3] = 0.0f;
    MUST(clEnqueueFillImage(queue, image, &color, corner, two, 0, NULL, NULL));
    for (int i = 0; i < 2 * channels; i++) {
        int c = i % channels;
        unsigned value = k->is_share ? (unsigned)rint((c == 1 ? 1.0 : (double)color.f[c]) * most)
                                     : color.u[c] < most ? color.u[c] : most;
        expected[(4 * WIDTH + 11) * channels + i] = (unsigned short)(value << (16 - k->bits));
    }
    same(image, plane, bytes, "after a fill");
    cl_mem other = MADE(clCreateImage, context, 0, &format, &desc, NULL);
    MUST(clEnqueueCopyImage(queue, image, other, zero, zero, plane, 0, NULL, NULL));
    same(other, plane, bytes, "after a copy");
    MUST(clEnqueueCopyImageToBuffer(queue, image, numbers, zero, plane, 6, 0, NULL, NULL));
    MUST(clEnqueueFillImage(queue, other, &color, zero, plane, 0, NULL, NULL));
    MUST(clEnqueueCopyBufferToImage(queue, numbers, other, 6, zero, plane, 0, NULL, NULL));
    same(other, plane, bytes, "after copies by way of a buffer");
    MUST(clReleaseMemObject(other));

    /* Rows of a buffer. */
    cl_uint pitches = 0;
    MUST(clGetDeviceInfo(device, CL_DEVICE_IMAGE_PITCH_ALIGNMENT, sizeof pitches, &pitches, NULL));
    CHECK(pitches > 0);
    desc.image_row_pitch = (size_t)((WIDTH + pitches) / pitches * pitches) * channels * 2;
    desc.buffer = MADE(clCreateBuffer, context, 0, desc.image_row_pitch * HEIGHT, NULL);
    cl_mem rows = MADE(clCreateImage, context, 0, &format, &desc, NULL);
    MUST(clEnqueueWriteImage(queue, rows, CL_TRUE, zero, plane, 0, 0, texels, 0, NULL, NULL));
    run(k->is_share ? "read_f" : "read_u", rows, numbers, WIDTH, HEIGHT, 1);
    check_read(k, channels, "rows", numbers, WIDTH * HEIGHT);
    MUST(clReleaseMemObject(rows));
    MUST(clReleaseMemObject(desc.buffer));
    MUST(clReleaseMemObject(numbers));
    MUST(clReleaseMemObject(image));
}

/* Other types of images. */
static void check_types(void)
{
    const cl_image_format format = {CL_RGBA, 0x10E7};
    cl_image_desc layers = plane_of(WIDTH, HEIGHT), box = plane_of(WIDTH, HEIGHT), row = plane_of(WIDTH, 0);
    layers.image_type = CL_MEM_OBJECT_IMAGE2D_ARRAY, layers.image_array_size = LAYERS;
    box.image_type = CL_MEM_OBJECT_IMAGE3D, box.image_depth = LAYERS;
    row.image_type = CL_MEM_OBJECT_IMAGE1D;
    const struct {
        const cl_image_desc *desc;
        const char *kernel;
        size_t height, depth;
    } types[] = {{&layers, "read_layers", HEIGHT, LAYERS}, {&box, "read_box", HEIGHT, LAYERS}, {&row, "read_row", 1, 1}};
    cl_mem numbers = MADE(clCreateBuffer, context, 0, TEXELS * 16, NULL);
    for (int i = 0; i < 3; i++) {
        cl_mem image = MADE(clCreateImage, context, CL_MEM_COPY_HOST_PTR, &format, types[i].desc, texels);
        run(types[i].kernel, image, numbers, WIDTH, types[i].height, types[i].depth);
        check_read(&kinds[4], 4, types[i].kernel, numbers, WIDTH * types[i].height * types[i].depth);
        if (i == 0) {
            run("write_layers", image, NULL, WIDTH, HEIGHT, LAYERS);
            memcpy(expected, texels, sizeof expected);
            for (int n = 0; n < WIDTH * HEIGHT * 4; n++) {
                unsigned value = (unsigned)(n / 4 % WIDTH + 20 * (n / 4 / WIDTH));
                unsigned short *there = &expected[WIDTH * HEIGHT * 4 + n];
                if (*there >> 4 != value)
                    *there = (unsigned short)(value << 4);
            }
            same(image, (size_t[]){WIDTH, HEIGHT, LAYERS}, sizeof expected, "layers");
        }
        MUST(clReleaseMemObject(image));
    }
    /* Memory of the application's. */
    static unsigned short own[WIDTH * HEIGHT * 4];
    memcpy(own, texels, sizeof own);
    cl_image_desc desc = plane_of(WIDTH, HEIGHT);
    cl_mem image = MADE(clCreateImage, context, CL_MEM_USE_HOST_PTR, &format, &desc, own);
    run("read_u", image, numbers, WIDTH, HEIGHT, 1);
    check_read(&kinds[4], 4, "memory of the application's", numbers, WIDTH * HEIGHT);
    MUST(clReleaseMemObject(image));
    MUST(clReleaseMemObject(numbers));
}

/* Two mip levels, where there are such images. */
static void check_levels(const char *names)
{
    if (!strstr(names, "cl_khr_mipmap_image "))
        return;
    const char *text = "#pragma OPENCL EXTENSION cl_khr_mipmap_image : enable\n"
                       "kernel void level(read_only image2d_t i, sampler_t s, float lod, global float *o)\n"
                       "{ o[get_global_id(0)] = read_imagef(i, s, (float2)((get_global_id(0) + 0.5f) / 4, 0.5f), lod).x; }\n";
    cl_program levels = PROGRAM(context, text, "-cl-std=CL2.0");
    cl_kernel kernel = MADE(clCreateKernel, levels, "level");
    const cl_image_format format = {CL_R, 0x10E1};
    cl_image_desc desc = plane_of(8, 2);
    desc.num_mip_levels = 2;
    cl_mem image = MADE(clCreateImage, context, 0, &format, &desc, NULL);
    unsigned short first[16], second[4] = {0xffff, 0x8040, 0x0040, 0x1f80};
    for (int i = 0; i < 16; i++)
        first[i] = (unsigned short)(i * 4099);
    size_t level[3] = {0}, whole[3] = {8, 2, 1}, half[3] = {4, 1, 1};
    MUST(clEnqueueWriteImage(queue, image, CL_TRUE, level, whole, 0, 0, first, 0, NULL, NULL));
    level[2] = 1;
    MUST(clEnqueueWriteImage(queue, image, CL_TRUE, level, half, 0, 0, second, 0, NULL, NULL));
    cl_sampler_properties list[] = {CL_SAMPLER_NORMALIZED_COORDS, CL_TRUE, CL_SAMPLER_ADDRESSING_MODE,
                                    CL_ADDRESS_CLAMP_TO_EDGE,     CL_SAMPLER_FILTER_MODE, CL_FILTER_NEAREST, 0};
    cl_sampler sampler = MADE(clCreateSamplerWithProperties, context, list);
    float lod = 1.0f, read[4];
    cl_mem numbers = MADE(clCreateBuffer, context, 0, sizeof read, NULL);
    MUST(clSetKernelArg(kernel, 0, sizeof image, &image));
    MUST(clSetKernelArg(kernel, 1, sizeof sampler, &sampler));
    MUST(clSetKernelArg(kernel, 2, sizeof lod, &lod));
    MUST(clSetKernelArg(kernel, 3, sizeof numbers, &numbers));
    size_t four = 4;
    MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &four, NULL, 0, NULL, NULL));
    MUST(clEnqueueReadBuffer(queue, numbers, CL_TRUE, 0, sizeof read, read, 0, NULL, NULL));
    for (int i = 0; i < 4; i++)
        CHECK(fabsf(read[i] - share(second[i] >> 6, 10)) <= 1e-6f);
    unsigned short back[4] = {0};
    MUST(clEnqueueReadImage(queue, image, CL_TRUE, level, half, 0, 0, back, 0, NULL, NULL));
    CHECK(memcmp(back, second, sizeof back) == 0);
    MUST(clReleaseMemObject(numbers));
    MUST(clReleaseSampler(sampler));
    MUST(clReleaseMemObject(image));
    MUST(clReleaseKernel(kernel));
    MUST(clReleaseProgram(levels));
}

static void check_queries(void)
{
    cl_int error;
    static cl_image_format formats[512];
    for (int t = 0; t < 6; t++) {
        const cl_mem_object_type types[] = {CL_MEM_OBJECT_IMAGE1D, CL_MEM_OBJECT_IMAGE1D_ARRAY, CL_MEM_OBJECT_IMAGE2D,
                                            CL_MEM_OBJECT_IMAGE2D_ARRAY, CL_MEM_OBJECT_IMAGE3D,
                                            CL_MEM_OBJECT_IMAGE1D_BUFFER};
        const cl_mem_flags flags[] = {CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY, CL_MEM_READ_WRITE, CL_MEM_KERNEL_READ_AND_WRITE};
        for (int f = 0; f < 4; f++) {
            cl_uint count = 0;
            MUST(clGetSupportedImageFormats(context, flags[f], types[t], 512, formats, &count));
            int found = 0;
            for (cl_uint i = 0; i < count; i++)
                for (int k = 0; k < 6; k++)
                    found += formats[i].image_channel_data_type == kinds[k].type;
            /* Of numbers that are rounded at the end of a kernel, none are read by the one that writes. */
            EQ(found, t == 5 || f == 3 ? 0 : 18);
        }
    }
    cl_image_format format = {CL_R, 0x10E1};
    cl_image_desc desc = plane_of(4, 4);
    CHECK(!clCreateImage(context, CL_MEM_KERNEL_READ_AND_WRITE, &format, &desc, NULL, &error));
    EQ(error, CL_IMAGE_FORMAT_NOT_SUPPORTED);
    format.image_channel_order = CL_BGRA;
    CHECK(!clCreateImage(context, CL_MEM_READ_ONLY, &format, &desc, NULL, &error));
    EQ(error, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    format.image_channel_order = CL_RG;
    desc.image_row_pitch = 18;
    static char bytes[128];
    CHECK(!clCreateImage(context, CL_MEM_COPY_HOST_PTR, &format, &desc, bytes, &error));
    EQ(error, CL_INVALID_IMAGE_DESCRIPTOR);

    format.image_channel_order = CL_RG, desc.image_row_pitch = 0;
    cl_mem image = MADE(clCreateImage, context, 0, &format, &desc, NULL);
    int said[12] = {0};
    cl_mem numbers = MADE(clCreateBuffer, context, CL_MEM_COPY_HOST_PTR, sizeof said, said);
    run("ask", image, numbers, 1, 1, 1);
    MUST(clEnqueueReadBuffer(queue, numbers, CL_TRUE, 0, sizeof said, said, 0, NULL, NULL));
    EQ(said[0], 0x10E1);
    EQ(said[1], CL_RG);
    EQ(said[2], 4);
    for (int k = 0; k < 6; k++)
        EQ(said[3 + k], kinds[k].type);
    EQ(said[9], 1);
    EQ(said[10], 1);
    MUST(clReleaseMemObject(numbers));
    MUST(clReleaseMemObject(image));
}

int main(void)
{
    device = pumice_device();
    static char names[8192];
    MUST(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof names, names, NULL));
    CHECK(strstr(names, "cl_ext_image_unsigned_10x6_12x4_14x2"));
    context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    queue = MADE(clCreateCommandQueue, context, device, 0);
    program = PROGRAM(context, source, "-cl-std=CL3.0");
    for (int i = 0; i < TEXELS * 4; i++)
        texels[i] = (unsigned short)(i * 40503 + i / 7);
    for (int k = 0; k < 6; k++)
        for (int o = 0; o < 3; o++)
            check_format(&kinds[k], orders[o], counts[o]);
    check_types();
    check_levels(names);
    check_queries();
    MUST(clReleaseProgram(program));
    MUST(clReleaseCommandQueue(queue));
    release_last(context);
    return finish();
}
