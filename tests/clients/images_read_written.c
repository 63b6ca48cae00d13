// client: needs images read-write-images
/* Kernels that read and write one image: planes of all formats that are listed for it, and all types of images. Devices that read
 * no storage image without its format have a pipeline for each format; one kernel gets images of two. */
#include "common.h"

enum { WIDTH = 4, HEIGHT = 2, DEPTH = 3, MOST = WIDTH * HEIGHT * DEPTH * 16 };

static cl_context context;
static cl_command_queue queue;
static cl_program program;

/* The two pixels of each pair change places. */
static const char *source =
    "#define EXCHANGE(NAME, TYPE, SUFFIX, PIXEL, COORDINATES, AT, NEXT)\\\n"
    "kernel void NAME##_##SUFFIX(read_write TYPE image) {\\\n"
    "    int x = 2 * get_global_id(0), y = get_global_id(1), z = get_global_id(2);\\\n"
    "    COORDINATES at = AT, next = at + NEXT;\\\n"
    "    PIXEL first = read_image##SUFFIX(image, at), second = read_image##SUFFIX(image, next);\\\n"
    "    write_image##SUFFIX(image, at, second);\\\n"
    "    write_image##SUFFIX(image, next, first);\\\n"
    "}\n"
    "#define EXCHANGES(SUFFIX, PIXEL)\\\n"
    "EXCHANGE(row, image1d_t, SUFFIX, PIXEL, int, x, 1)\\\n"
    "EXCHANGE(texels, image1d_buffer_t, SUFFIX, PIXEL, int, x, 1)\\\n"
    "EXCHANGE(rows, image1d_array_t, SUFFIX, PIXEL, int2, (int2)(x, y), (int2)(1, 0))\\\n"
    "EXCHANGE(plane, image2d_t, SUFFIX, PIXEL, int2, (int2)(x, y), (int2)(1, 0))\\\n"
    "EXCHANGE(planes, image2d_array_t, SUFFIX, PIXEL, int4, (int4)(x, y, z, 0), (int4)(1, 0, 0, 0))\\\n"
    "EXCHANGE(box, image3d_t, SUFFIX, PIXEL, int4, (int4)(x, y, z, 0), (int4)(1, 0, 0, 0))\n"
    "EXCHANGES(f, float4)\n"
    "EXCHANGES(i, int4)\n"
    "EXCHANGES(ui, uint4)\n"
    "kernel void add(read_write image2d_t a, read_write image2d_t b) {\n"
    "    int2 at = (int2)(get_global_id(0), 0);\n"
    "    uint4 sum = read_imageui(a, at) + read_imageui(b, at);\n"
    "    write_imageui(a, at, sum);\n"
    "    write_imageui(b, at, sum + 1);\n"
    "}\n";

static const struct {
    const char *kernel;
    cl_mem_object_type type;
    size_t extent[3];
} types[] = {
    {"row", CL_MEM_OBJECT_IMAGE1D, {WIDTH, 1, 1}},
    {"texels", CL_MEM_OBJECT_IMAGE1D_BUFFER, {WIDTH, 1, 1}},
    {"rows", CL_MEM_OBJECT_IMAGE1D_ARRAY, {WIDTH, HEIGHT, 1}},
    {"plane", CL_MEM_OBJECT_IMAGE2D, {WIDTH, HEIGHT, 1}},
    {"planes", CL_MEM_OBJECT_IMAGE2D_ARRAY, {WIDTH, HEIGHT, DEPTH}},
    {"box", CL_MEM_OBJECT_IMAGE3D, {WIDTH, HEIGHT, DEPTH}},
};

static cl_kernel kernel_of(const char *name)
{
    return MADE(clCreateKernel, program, name);
}

static cl_uint formats_of(cl_mem_object_type type, cl_image_format formats[512])
{
    cl_uint count;
    MUST(clGetSupportedImageFormats(context, CL_MEM_KERNEL_READ_AND_WRITE, type, 512, formats, &count));
    CHECK(count <= 512);
    return count;
}

static cl_mem image_of(cl_mem_flags flags, cl_image_format format, cl_mem_object_type type, const size_t extent[3], cl_mem buffer)
{
    cl_image_desc desc = {.image_type = type, .image_width = extent[0], .image_height = extent[1], .image_depth = extent[2]};
    if (type == CL_MEM_OBJECT_IMAGE1D_ARRAY || type == CL_MEM_OBJECT_IMAGE2D_ARRAY)
        desc.image_array_size = type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? extent[1] : extent[2];
    desc.buffer = buffer;
    return MADE(clCreateImage, context, flags, &format, &desc, NULL);
}

/* Bytes of a pixel that a kernel can read and write back unchanged: no NaN, no -1 of two kinds. */
static void fill(unsigned char *bytes, size_t count, cl_channel_type data_type)
{
    for (size_t i = 0; i < count; i++)
        bytes[i] = (unsigned char)(1 + (i * 37 + i / 8) % 126);
    for (size_t i = 0; data_type == CL_FLOAT && i + 4 <= count; i += 4)
        memcpy(bytes + i, &(cl_float){(float)i / 4 - 7.5f}, 4);
    for (size_t i = 0; data_type == CL_HALF_FLOAT && i + 2 <= count; i += 2)
        memcpy(bytes + i, &(cl_half){(cl_half)(0x3c00 + 9 * i)}, 2);
}

static void exchanged(int which, cl_image_format format)
{
    const size_t *extent = types[which].extent, pixels = extent[0] * extent[1] * extent[2];
    cl_mem buffer = NULL;
    if (types[which].type == CL_MEM_OBJECT_IMAGE1D_BUFFER) {
        buffer = MADE(clCreateBuffer, context, 0, MOST, NULL);
    }
    cl_mem image = image_of(CL_MEM_KERNEL_READ_AND_WRITE | CL_MEM_READ_WRITE, format, types[which].type, extent, buffer);
    size_t size;
    MUST(clGetImageInfo(image, CL_IMAGE_ELEMENT_SIZE, sizeof size, &size, NULL));
    unsigned char before[MOST], after[MOST];
    CHECK(pixels * size <= MOST);
    fill(before, pixels * size, format.image_channel_data_type);
    size_t origin[3] = {0};
    MUST(clEnqueueWriteImage(queue, image, CL_TRUE, origin, extent, 0, 0, before, 0, NULL, NULL));

    char name[32];
    int is_signed = format.image_channel_data_type >= CL_SIGNED_INT8 && format.image_channel_data_type <= CL_SIGNED_INT32;
    int is_unsigned = format.image_channel_data_type >= CL_UNSIGNED_INT8 && format.image_channel_data_type <= CL_UNSIGNED_INT32;
    snprintf(name, sizeof name, "%s_%s", types[which].kernel, is_signed ? "i" : is_unsigned ? "ui" : "f");
    cl_kernel kernel = kernel_of(name);
    size_t items[3] = {extent[0] / 2, extent[1], extent[2]};
    MUST(clSetKernelArg(kernel, 0, sizeof image, &image));
    MUST(clEnqueueNDRangeKernel(queue, kernel, 3, NULL, items, NULL, 0, NULL, NULL));
    MUST(clEnqueueReadImage(queue, image, CL_TRUE, origin, extent, 0, 0, after, 0, NULL, NULL));
    int wrong = 0;
    for (size_t i = 0; i < pixels; i++)
        wrong += memcmp(after + i * size, before + (i ^ 1) * size, size) != 0;
    if (wrong)
        fprintf(stderr, "%s, order %#x, type %#x\n", name, format.image_channel_order, format.image_channel_data_type);
    EQ(wrong, 0);
    MUST(clReleaseKernel(kernel));
    MUST(clReleaseMemObject(image));
    if (buffer)
        MUST(clReleaseMemObject(buffer));
}

/* One kernel and images of two formats, in both orders. */
static void two_formats(void)
{
    const cl_image_format formats[2] = {{CL_R, CL_UNSIGNED_INT8}, {CL_RGBA, CL_UNSIGNED_INT32}};
    const size_t extent[3] = {WIDTH, 1, 1};
    cl_kernel add = kernel_of("add");
    cl_mem images[2];
    unsigned char bytes[WIDTH] = {1, 2, 3, 4};
    cl_uint words[WIDTH][4] = {{10}, {20}, {30}, {40}};
    size_t origin[3] = {0}, items = WIDTH;
    for (int i = 0; i < 2; i++)
        images[i] = image_of(CL_MEM_KERNEL_READ_AND_WRITE | CL_MEM_READ_WRITE, formats[i], CL_MEM_OBJECT_IMAGE2D, extent, NULL);
    MUST(clEnqueueWriteImage(queue, images[0], CL_TRUE, origin, extent, 0, 0, bytes, 0, NULL, NULL));
    MUST(clEnqueueWriteImage(queue, images[1], CL_TRUE, origin, extent, 0, 0, words, 0, NULL, NULL));
    /* 1 and 10 become 11 and 12, these 24 and 23, and those 47 and 48. */
    for (int round = 0; round < 3; round++) {
        MUST(clSetKernelArg(add, 0, sizeof(cl_mem), &images[round % 2]));
        MUST(clSetKernelArg(add, 1, sizeof(cl_mem), &images[1 - round % 2]));
        MUST(clEnqueueNDRangeKernel(queue, add, 1, NULL, &items, NULL, 0, NULL, NULL));
    }
    MUST(clEnqueueReadImage(queue, images[0], CL_TRUE, origin, extent, 0, 0, bytes, 0, NULL, NULL));
    MUST(clEnqueueReadImage(queue, images[1], CL_TRUE, origin, extent, 0, 0, words, 0, NULL, NULL));
    for (cl_uint i = 0; i < WIDTH; i++) {
        EQ(bytes[i], 44 * (i + 1) + 3);
        EQ(words[i][0], 44 * (i + 1) + 4);
    }
    /* Red alone has no green: what changes it is the 1 that two launches add. */
    EQ(words[0][1], 2);
    MUST(clReleaseKernel(add));
    MUST(clReleaseMemObject(images[0]));
    MUST(clReleaseMemObject(images[1]));
}

/* An image that was not made for reading and writing in one kernel works where its format allows it; a launch is refused
 * where it does not. */
static void other_flags(const cl_image_format *formats, cl_uint count)
{
    const size_t extent[3] = {WIDTH, 1, 1};
    const cl_image_format bgra = {CL_BGRA, CL_UNORM_INT8};
    int is_listed = 0;
    for (cl_uint i = 0; i < count; i++)
        is_listed |= !memcmp(&formats[i], &bgra, sizeof bgra);
    cl_mem image = image_of(CL_MEM_READ_WRITE, bgra, CL_MEM_OBJECT_IMAGE2D, extent, NULL);
    cl_kernel kernel = kernel_of("plane_f");
    size_t items[3] = {WIDTH / 2, 1, 1};
    MUST(clSetKernelArg(kernel, 0, sizeof image, &image));
    EQ(clEnqueueNDRangeKernel(queue, kernel, 3, NULL, items, NULL, 0, NULL, NULL),
       is_listed ? CL_SUCCESS : CL_IMAGE_FORMAT_NOT_SUPPORTED);
    MUST(clFinish(queue));
    MUST(clReleaseKernel(kernel));
    MUST(clReleaseMemObject(image));
}

/* One of each kind of numbers. Kernels have types of their own for depth. */
static int is_example(cl_image_format format)
{
    cl_channel_type type = format.image_channel_data_type;
    return format.image_channel_order == CL_RGBA && (type == CL_UNORM_INT8 || type == CL_SIGNED_INT32 || type == CL_UNSIGNED_INT16);
}

int main(void)
{
    cl_device_id device = pumice_device();
    context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    queue = MADE(clCreateCommandQueueWithProperties, context, device, NULL);
    program = PROGRAM(context, source, "-cl-std=CL3.0");
    static cl_image_format formats[512];
    for (int which = 0; which < (int)(sizeof types / sizeof *types); which++) {
        cl_uint count = formats_of(types[which].type, formats);
        /* Those that OpenCL asks for, of one channel and of four. */
        CHECK(count >= 18);
        for (cl_uint i = 0; i < count; i++)
            if (types[which].type == CL_MEM_OBJECT_IMAGE2D ? formats[i].image_channel_order != CL_DEPTH : is_example(formats[i]))
                exchanged(which, formats[i]);
    }
    two_formats();
    cl_uint count = formats_of(CL_MEM_OBJECT_IMAGE2D, formats);
    other_flags(formats, count);
    MUST(clReleaseProgram(program));
    MUST(clReleaseCommandQueue(queue));
    release_last(context);
    return finish();
}
