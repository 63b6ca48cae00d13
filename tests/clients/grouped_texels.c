// client: needs images
/* Images whose texels lie in groups: RAW10 and RAW12 (cl_ext_image_raw10_raw12) and packed YUV (cl_intel_packed_yuv). */
#include "common.h"
#include <math.h>

#ifndef CL_MEM_IMMUTABLE_EXT
#define CL_MEM_IMMUTABLE_EXT (1 << 6)
#endif

enum { WIDTH = 12, HEIGHT = 5, RAW10 = 0x10E3, RAW12 = 0x10E4 };

static cl_context context;
static cl_command_queue queue;
static cl_device_id device;
static cl_program program;

static const char *source =
    "constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;\n"
    "constant sampler_t shares = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;\n"
    "#define AT int x = get_global_id(0), y = get_global_id(1), n = y * get_global_size(0) + x;\n"
    "kernel void read_u(read_only image2d_t i, global uint4 *o) { AT o[n] = read_imageui(i, (int2)(x, y)); }\n"
    "kernel void sample_u(read_only image2d_t i, global uint4 *o) { AT o[n] = read_imageui(i, nearest, (int2)(x, y)); }\n"
    "kernel void write_u(write_only image2d_t i, uint add)\n"
    "{ AT if (x % 4 == 1 || x % 4 == 2) write_imageui(i, (int2)(x, y), (uint4)(n * 67 + add, 1, 2, 3)); }\n"
    "kernel void read_f(read_only image2d_t i, global float4 *o) { AT o[n] = read_imagef(i, (int2)(x, y)); }\n"
    "kernel void sample_f(read_only image2d_t i, global float4 *o)\n"
    "{ AT o[n] = read_imagef(i, shares, (float2)((x + 0.5f) / get_global_size(0), (y + 0.5f) / get_global_size(1))); }\n"
    "kernel void ask(read_only image2d_t i, global int *o)\n"
    "{ o[0] = get_image_channel_data_type(i); o[1] = get_image_channel_order(i);\n"
    "  o[3] = CLK_UNSIGNED_INT_RAW10_EXT; o[4] = CLK_UNSIGNED_INT_RAW12_EXT;\n"
    "  o[5] = __opencl_c_ext_image_raw10_raw12 + cl_ext_image_raw10_raw12 + cl_intel_packed_yuv; }\n";

static cl_image_desc plane_of(size_t width, size_t height)
{
    return (cl_image_desc){.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = width, .image_height = height};
}

static void run(const char *name, cl_mem image, cl_mem numbers, const unsigned *add)
{
    cl_kernel kernel = MADE(clCreateKernel, program, name);
    MUST(clSetKernelArg(kernel, 0, sizeof image, &image));
    if (add)
        MUST(clSetKernelArg(kernel, 1, sizeof *add, add));
    else
        MUST(clSetKernelArg(kernel, 1, sizeof numbers, &numbers));
    size_t range[2] = {WIDTH, HEIGHT};
    MUST(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, range, NULL, 0, NULL, NULL));
    MUST(clReleaseKernel(kernel));
}

static void same(cl_mem image, const unsigned char *expected, size_t size, const char *what)
{
    const size_t zero[3] = {0}, plane[3] = {WIDTH, HEIGHT, 1};
    unsigned char got[WIDTH * HEIGHT * 2];
    memset(got, 0xcc, sizeof got);
    MUST(clEnqueueReadImage(queue, image, CL_TRUE, zero, plane, 0, 0, got, 0, NULL, NULL));
    for (size_t i = 0; i < size; i++) {
        if (got[i] != expected[i]) {
            fprintf(stderr, "%s: byte %zu is %#x, not %#x\n", what, i, got[i], expected[i]);
            failures++;
            return;
        }
    }
}

/* A texel of a row as the extension's tables have it. */
static unsigned raw_texel(const unsigned char *row, int bits, int x)
{
    if (bits == 10) {
        const unsigned char *group = row + x / 4 * 5;
        return (unsigned)group[x % 4] << 2 | (group[4] >> x % 4 * 2 & 3);
    }
    const unsigned char *group = row + x / 2 * 3;
    return (unsigned)group[x % 2] << 4 | (group[2] >> x % 2 * 4 & 15);
}

static void set_raw_texel(unsigned char *row, int bits, int x, unsigned value)
{
    int low = bits - 8, count = 8 / low, place = x % count;
    unsigned char *group = row + x / count * (count + 1), mask = (unsigned char)(((1 << low) - 1) << place * low);
    group[place] = (unsigned char)(value >> low);
    group[count] = (unsigned char)((group[count] & ~mask) | ((value << place * low) & mask));
}

static void check_raw(int bits)
{
    cl_int error;
    const cl_image_format format = {CL_R, bits == 10 ? RAW10 : RAW12};
    const size_t zero[3] = {0}, plane[3] = {WIDTH, HEIGHT, 1}, row = WIDTH * bits / 8, size = row * HEIGHT;
    const size_t group = bits == 10 ? 4 : 2;
    unsigned char bytes[WIDTH * HEIGHT * 2], expected[WIDTH * HEIGHT * 2];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(i * 73 + i / 5);
    memcpy(expected, bytes, sizeof bytes);
    cl_image_desc desc = plane_of(WIDTH, HEIGHT);
    cl_mem image = MADE(clCreateImage, context, CL_MEM_COPY_HOST_PTR, &format, &desc, bytes);
    size_t number = 0;
    MUST(clGetImageInfo(image, CL_IMAGE_ROW_PITCH, sizeof number, &number, NULL));
    EQ(number, row);
    MUST(clGetImageInfo(image, CL_IMAGE_ELEMENT_SIZE, sizeof number, &number, NULL));
    EQ(number, 2);
    MUST(clGetMemObjectInfo(image, CL_MEM_SIZE, sizeof number, &number, NULL));
    EQ(number, size);
    cl_mem numbers = MADE(clCreateBuffer, context, 0, WIDTH * HEIGHT * 16, NULL);
    unsigned read[WIDTH * HEIGHT * 4];
    for (int sampled = 0; sampled < 2; sampled++) {
        run(sampled ? "sample_u" : "read_u", image, numbers, NULL);
        MUST(clEnqueueReadBuffer(queue, numbers, CL_TRUE, 0, sizeof read, read, 0, NULL, NULL));
        for (int i = 0; i < WIDTH * HEIGHT; i++) {
            EQ(read[i * 4], raw_texel(bytes + i / WIDTH * row, bits, i % WIDTH));
            CHECK(read[i * 4 + 1] == 0 && read[i * 4 + 2] == 0 && read[i * 4 + 3] == 1);
        }
    }
    same(image, expected, size, "after reading");
    /* A kernel writes some texels of each group; too large numbers become the largest. */
    const unsigned add = 3000, most = (1u << bits) - 1;
    run("write_u", image, NULL, &add);
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        unsigned value = (unsigned)i * 67 + add;
        if (i % WIDTH % 4 == 1 || i % WIDTH % 4 == 2)
            set_raw_texel(expected + i / WIDTH * row, bits, i % WIDTH, value < most ? value : most);
    }
    same(image, expected, size, "after a kernel wrote");
    /* The host's bytes. */
    const size_t at[3] = {4, 1, 0}, part[3] = {4, 2, 1};
    size_t width = part[0] * bits / 8, left = at[0] * bits / 8, pitch = 0;
    MUST(clEnqueueWriteImage(queue, image, CL_TRUE, at, part, row, 0, bytes, 0, NULL, NULL));
    for (size_t y = 0; y < 2; y++)
        memcpy(expected + (1 + y) * row + left, bytes + y * row, width);
    same(image, expected, size, "after a write");
    unsigned char *mapped =
        clEnqueueMapImage(queue, image, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, at, part, &pitch, NULL, 0, NULL, NULL, &error);
    MUST(error);
    EQ(pitch, row);
    CHECK(memcmp(mapped, expected + row + left, width) == 0);
    mapped[row + 1] = expected[2 * row + left + 1] = 0x5a;
    MUST(clEnqueueUnmapMemObject(queue, image, mapped, 0, NULL, NULL));
    same(image, expected, size, "after a map");
    const unsigned color[4] = {0x2a7, 1, 2, 3};
    MUST(clEnqueueFillImage(queue, image, color, at, part, 0, NULL, NULL));
    for (int i = 0; i < 8; i++)
        set_raw_texel(expected + (1 + i / 4) * row, bits, 4 + i % 4, color[0]);
    same(image, expected, size, "after a fill");
    cl_mem other = MADE(clCreateImage, context, 0, &format, &desc, NULL);
    MUST(clEnqueueCopyImage(queue, image, other, zero, zero, plane, 0, NULL, NULL));
    same(other, expected, size, "after a copy");
    MUST(clEnqueueCopyImageToBuffer(queue, image, numbers, at, part, 3, 0, NULL, NULL));
    MUST(clEnqueueReadBuffer(queue, numbers, CL_TRUE, 3, 2 * width, read, 0, NULL, NULL));
    CHECK(memcmp(read, expected + row + left, width) == 0);
    CHECK(memcmp((char *)read + width, expected + 2 * row + left, width) == 0);
    MUST(clEnqueueCopyBufferToImage(queue, numbers, other, 3, zero, part, 0, NULL, NULL));
    memcpy(expected, expected + row + left, width);
    memcpy(expected + row, expected + 2 * row + left, width);
    same(other, expected, size, "after a copy from a buffer");
    MUST(clReleaseMemObject(other));
    /* Rows of a buffer begin anywhere. */
    desc.image_row_pitch = row + 3;
    desc.buffer = MADE(clCreateBuffer, context, CL_MEM_COPY_HOST_PTR, sizeof bytes, bytes);
    cl_mem rows = MADE(clCreateImage, context, CL_MEM_READ_ONLY, &format, &desc, NULL);
    run("read_u", rows, numbers, NULL);
    MUST(clEnqueueReadBuffer(queue, numbers, CL_TRUE, 0, sizeof read, read, 0, NULL, NULL));
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        EQ(read[i * 4], raw_texel(bytes + (size_t)(i / WIDTH) * (row + 3), bits, i % WIDTH));
    MUST(clReleaseMemObject(rows));
    MUST(clReleaseMemObject(desc.buffer));

    /* Groups are whole. */
    for (size_t d = 1; d < group; d++) {
        cl_image_desc odd = plane_of(WIDTH + d, HEIGHT);
        CHECK(!clCreateImage(context, CL_MEM_READ_ONLY, &format, &odd, NULL, &error));
        EQ(error, CL_INVALID_IMAGE_DESCRIPTOR);
        const size_t origin[3] = {d, 0, 0}, region[3] = {group, 1, 1}, narrow[3] = {d, 1, 1};
        EQ(clEnqueueReadImage(queue, image, CL_TRUE, origin, region, 0, 0, read, 0, NULL, NULL), CL_INVALID_VALUE);
        EQ(clEnqueueReadImage(queue, image, CL_TRUE, zero, narrow, 0, 0, read, 0, NULL, NULL), CL_INVALID_VALUE);
    }
    const cl_image_format wrong = {CL_RG, format.image_channel_data_type};
    desc = plane_of(WIDTH, HEIGHT);
    CHECK(!clCreateImage(context, CL_MEM_READ_ONLY, &wrong, &desc, NULL, &error));
    EQ(error, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    desc.image_type = CL_MEM_OBJECT_IMAGE1D;
    CHECK(!clCreateImage(context, CL_MEM_READ_ONLY, &format, &desc, NULL, &error));
    EQ(error, CL_IMAGE_FORMAT_NOT_SUPPORTED);
    MUST(clReleaseMemObject(numbers));
    MUST(clReleaseMemObject(image));
}

/* The order of channels, and the places of the first Y, of U and of V among four bytes. */
struct yuv {
    cl_channel_order order;
    int y, u, v;
};
static const struct yuv yuvs[] = {{0x4076, 0, 1, 3}, {0x4077, 1, 0, 2}, {0x4078, 0, 3, 1}, {0x4079, 1, 2, 0}};

static void check_yuv(const struct yuv *k)
{
    cl_int error;
    const cl_image_format format = {k->order, CL_UNORM_INT8};
    const size_t zero[3] = {0}, plane[3] = {WIDTH, HEIGHT, 1}, row = WIDTH * 2, size = row * HEIGHT;
    unsigned char bytes[WIDTH * HEIGHT * 2], expected[WIDTH * HEIGHT * 2];
    for (size_t i = 0; i < sizeof bytes; i++)
        expected[i] = bytes[i] = (unsigned char)(i * 59 + i / 3);
    cl_image_desc desc = plane_of(WIDTH, HEIGHT);
    cl_mem image = MADE(clCreateImage, context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, &format, &desc, bytes);
    size_t number = 0;
    MUST(clGetImageInfo(image, CL_IMAGE_ROW_PITCH, sizeof number, &number, NULL));
    EQ(number, row);
    MUST(clGetImageInfo(image, CL_IMAGE_ELEMENT_SIZE, sizeof number, &number, NULL));
    EQ(number, 2);
    MUST(clGetImageInfo(image, CL_IMAGE_WIDTH, sizeof number, &number, NULL));
    EQ(number, WIDTH);
    cl_mem numbers = MADE(clCreateBuffer, context, 0, WIDTH * HEIGHT * 16, NULL);
    float read[WIDTH * HEIGHT * 4];
    for (int sampled = 0; sampled < 2; sampled++) {
        run(sampled ? "sample_f" : "read_f", image, numbers, NULL);
        MUST(clEnqueueReadBuffer(queue, numbers, CL_TRUE, 0, sizeof read, read, 0, NULL, NULL));
        for (int i = 0; i < WIDTH * HEIGHT; i++) {
            const unsigned char *group = bytes + i / 2 * 4;
            const int channels[4] = {group[k->v], group[k->y + i % 2 * 2], group[k->u], 255};
            for (int c = 0; c < 4; c++)
                CHECK(fabsf(read[i * 4 + c] - (float)channels[c] / 255) < (sampled ? 0.002f : 1e-6f));
        }
    }
    same(image, expected, size, "after reading");
    const size_t at[3] = {2, 1, 0}, part[3] = {4, 2, 1};
    size_t pitch = 0;
    MUST(clEnqueueWriteImage(queue, image, CL_TRUE, at, part, row, 0, bytes, 0, NULL, NULL));
    for (size_t y = 0; y < 2; y++)
        memcpy(expected + (1 + y) * row + 4, bytes + y * row, 8);
    same(image, expected, size, "after a write");
    unsigned char *mapped = MADE(clEnqueueMapImage, queue, image, CL_TRUE, CL_MAP_READ, at, part, &pitch, NULL, 0,
                                 NULL, NULL);
    EQ(pitch, row);
    CHECK(memcmp(mapped + row, expected + 2 * row + 4, 8) == 0);
    MUST(clEnqueueUnmapMemObject(queue, image, mapped, 0, NULL, NULL));
    /* V, Y and U. */
    const float color[4] = {0.2f, 0.6f, 1.0f, 0.0f};
    MUST(clEnqueueFillImage(queue, image, color, at, part, 0, NULL, NULL));
    for (int i = 0; i < 4; i++) {
        unsigned char *group = expected + (size_t)(1 + i / 2) * row + 4 + i % 2 * 4;
        group[k->v] = 51, group[k->u] = 255, group[k->y] = group[k->y + 2] = 153;
    }
    same(image, expected, size, "after a fill");
    cl_mem other = MADE(clCreateImage, context, CL_MEM_READ_ONLY, &format, &desc, NULL);
    MUST(clEnqueueCopyImage(queue, image, other, zero, zero, plane, 0, NULL, NULL));
    same(other, expected, size, "after a copy");
    MUST(clEnqueueCopyImageToBuffer(queue, image, numbers, at, part, 0, 0, NULL, NULL));
    MUST(clEnqueueCopyBufferToImage(queue, numbers, other, 0, zero, part, 0, NULL, NULL));
    memcpy(expected, expected + row + 4, 8);
    memcpy(expected + row, expected + 2 * row + 4, 8);
    same(other, expected, size, "after a copy by way of a buffer");

    /* Origins and widths are even, and kernels only read. */
    const size_t odd[3] = {1, 0, 0}, two[3] = {2, 1, 1}, one[3] = {1, 1, 1};
    EQ(clEnqueueReadImage(queue, image, CL_TRUE, odd, two, 0, 0, read, 0, NULL, NULL), CL_INVALID_VALUE);
    EQ(clEnqueueWriteImage(queue, image, CL_TRUE, zero, one, 0, 0, read, 0, NULL, NULL), CL_INVALID_VALUE);
    EQ(clEnqueueCopyImage(queue, image, other, zero, odd, two, 0, NULL, NULL), CL_INVALID_VALUE);
    EQ(clEnqueueCopyImage(queue, image, other, odd, zero, two, 0, NULL, NULL), CL_INVALID_VALUE);
    EQ(clEnqueueCopyImageToBuffer(queue, image, numbers, odd, two, 0, 0, NULL, NULL), CL_INVALID_VALUE);
    EQ(clEnqueueCopyBufferToImage(queue, numbers, image, 0, zero, one, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK(!clEnqueueMapImage(queue, image, CL_TRUE, CL_MAP_READ, odd, two, &pitch, NULL, 0, NULL, NULL, &error));
    EQ(error, CL_INVALID_VALUE);
    cl_image_desc wide = plane_of(WIDTH + 1, HEIGHT);
    CHECK(!clCreateImage(context, CL_MEM_READ_ONLY, &format, &wide, NULL, &error));
    EQ(error, CL_INVALID_IMAGE_DESCRIPTOR);
    CHECK(!clCreateImage(context, CL_MEM_READ_WRITE, &format, &desc, NULL, &error));
    EQ(error, CL_IMAGE_FORMAT_NOT_SUPPORTED);
    CHECK(!clCreateImage(context, CL_MEM_WRITE_ONLY, &format, &desc, NULL, &error));
    EQ(error, CL_IMAGE_FORMAT_NOT_SUPPORTED);
    cl_image_desc levels = desc;
    levels.num_mip_levels = 2;
    CHECK(!clCreateImage(context, CL_MEM_READ_ONLY, &format, &levels, NULL, &error));
    EQ(error, CL_INVALID_IMAGE_DESCRIPTOR);
    const cl_image_format wrong = {k->order, CL_UNSIGNED_INT8};
    CHECK(!clCreateImage(context, CL_MEM_READ_ONLY, &wrong, &desc, NULL, &error));
    EQ(error, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    MUST(clReleaseMemObject(other));
    MUST(clReleaseMemObject(numbers));
    MUST(clReleaseMemObject(image));
}

/* The numbers of formats among those that are supported: RAW and YUV. */
static void count(cl_mem_flags flags, cl_mem_object_type type, int raw, int yuv)
{
    static cl_image_format formats[512];
    cl_uint number = 0;
    MUST(clGetSupportedImageFormats(context, flags, type, 512, formats, &number));
    for (cl_uint i = 0; i < number; i++) {
        raw -= formats[i].image_channel_data_type == RAW10 || formats[i].image_channel_data_type == RAW12;
        yuv -= formats[i].image_channel_order >= 0x4076 && formats[i].image_channel_order <= 0x4079;
    }
    CHECK(raw == 0 && yuv == 0);
}

static void check_queries(void)
{
    count(CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D, 2, 4);
    /* Whoever reads and writes, or has immutable images, takes regions that are no groups. */
    count(0, CL_MEM_OBJECT_IMAGE2D, 0, 0);
    count(CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D, 0, 0);
    count(CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, CL_MEM_OBJECT_IMAGE2D, 0, 0);
    count(CL_MEM_IMMUTABLE_EXT | CL_MEM_USE_HOST_PTR, CL_MEM_OBJECT_IMAGE2D, 0, 0);
    count(CL_MEM_WRITE_ONLY, CL_MEM_OBJECT_IMAGE2D, 2, 0);
    count(CL_MEM_KERNEL_READ_AND_WRITE, CL_MEM_OBJECT_IMAGE2D, 0, 0);
    count(CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE3D, 0, 0);
    count(CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE1D_BUFFER, 0, 0);
    const cl_image_format formats[] = {{0x4077, CL_UNORM_INT8}, {CL_R, RAW12}};
    cl_image_desc desc = plane_of(8, 8);
    for (int i = 0; i < 2; i++) {
        cl_mem image = MADE(clCreateImage, context, CL_MEM_READ_ONLY, &formats[i], &desc, NULL);
        int said[6] = {0};
        cl_mem numbers = MADE(clCreateBuffer, context, CL_MEM_COPY_HOST_PTR, sizeof said, said);
        cl_kernel kernel = MADE(clCreateKernel, program, "ask");
        MUST(clSetKernelArg(kernel, 0, sizeof image, &image));
        MUST(clSetKernelArg(kernel, 1, sizeof numbers, &numbers));
        size_t one = 1;
        MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
        MUST(clEnqueueReadBuffer(queue, numbers, CL_TRUE, 0, sizeof said, said, 0, NULL, NULL));
        EQ(said[0], formats[i].image_channel_data_type);
        EQ(said[1], formats[i].image_channel_order);
        EQ(said[3], RAW10);
        EQ(said[4], RAW12);
        EQ(said[5], 3);
        MUST(clReleaseKernel(kernel));
        MUST(clReleaseMemObject(numbers));
        MUST(clReleaseMemObject(image));
    }
}

int main(void)
{
    device = pumice_device();
    static char names[8192];
    MUST(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof names, names, NULL));
    CHECK(strstr(names, "cl_ext_image_raw10_raw12"));
    CHECK(strstr(names, "cl_intel_packed_yuv"));
    context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    queue = MADE(clCreateCommandQueue, context, device, 0);
    program = PROGRAM(context, source, "-cl-std=CL3.0");
    check_raw(10);
    check_raw(12);
    for (int i = 0; i < 4; i++)
        check_yuv(&yuvs[i]);
    check_queries();
    MUST(clReleaseProgram(program));
    MUST(clReleaseCommandQueue(queue));
    release_last(context);
    return finish();
}
