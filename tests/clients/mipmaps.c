// client: needs images
/* cl_khr_mipmap_image and cl_khr_mipmap_image_writes: images with levels are made, queried, written, read, copied,
 * filled and mapped level by level; kernels read them by a level of detail or gradients and write their levels. */
#include "common.h"
#include <math.h>

static cl_context context;
static cl_command_queue queue;
static cl_device_id device;

enum { LEVELS = 3, MOST = 16 * 8 * 4 };

/* The five types, 16 texels wide. `level` is the element of an origin that is the level. */
static const struct shape {
    cl_mem_object_type type;
    size_t size[3];
    int halves; /* dimensions that become smaller */
    int level;
} shapes[] = {
    {CL_MEM_OBJECT_IMAGE1D, {16, 1, 1}, 1, 1},
    {CL_MEM_OBJECT_IMAGE1D_ARRAY, {16, 3, 1}, 1, 2},
    {CL_MEM_OBJECT_IMAGE2D, {16, 6, 1}, 2, 2},
    {CL_MEM_OBJECT_IMAGE2D_ARRAY, {16, 6, 3}, 2, 3},
    {CL_MEM_OBJECT_IMAGE3D, {16, 6, 4}, 3, 3},
};
enum { SHAPES = 5 };

static cl_image_desc describe(const struct shape *shape, cl_uint levels)
{
    cl_image_desc desc = {0};
    desc.image_type = shape->type;
    desc.image_width = shape->size[0];
    desc.image_height = shape->size[1];
    desc.image_depth = shape->size[2];
    desc.image_array_size = shape->type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? shape->size[1] : shape->size[2];
    desc.num_mip_levels = levels;
    return desc;
}

static void region_of(const struct shape *shape, int level, size_t region[3])
{
    for (int d = 0; d < 3; d++) {
        region[d] = d < shape->halves ? shape->size[d] >> level : shape->size[d];
        if (region[d] == 0)
            region[d] = 1;
    }
}

static size_t texels_of(const struct shape *shape, int level)
{
    size_t region[3];
    region_of(shape, level, region);
    return region[0] * region[1] * region[2];
}

static const cl_image_format floats = {CL_RGBA, CL_FLOAT};
static const cl_image_format words = {CL_R, CL_UNSIGNED_INT32};

static cl_mem create(const cl_image_format *format, const struct shape *shape, cl_uint levels,
                     cl_int expected)
{
    cl_int error;
    cl_image_desc desc = describe(shape, levels);
    cl_mem image = clCreateImage(context, CL_MEM_READ_WRITE, format, &desc, NULL, &error);
    EQ(error, expected);
    return image;
}

static void creation(void)
{
    cl_int error;
    float texels[64 * 4] = {0};
    const struct shape *plane = &shapes[2];
    for (cl_uint levels = 0; levels <= 5; levels++) {
        cl_mem image = create(&words, plane, levels, CL_SUCCESS);
        cl_uint told = 77;
        MUST(clGetImageInfo(image, CL_IMAGE_NUM_MIP_LEVELS, sizeof told, &told, NULL));
        EQ(told, levels);
        size_t bytes = 0, expected = 0;
        for (int level = 0; level == 0 || level < (int)levels; level++)
            expected += 4 * texels_of(plane, level);
        MUST(clGetMemObjectInfo(image, CL_MEM_SIZE, sizeof bytes, &bytes, NULL));
        EQ(bytes, expected);
        MUST(clReleaseMemObject(image));
    }
    create(&words, plane, 6, CL_INVALID_IMAGE_DESCRIPTOR);
    create(&words, plane, 0x80000000u, CL_INVALID_IMAGE_DESCRIPTOR);
    cl_image_desc desc = describe(plane, 2);
    clCreateImage(context, CL_MEM_COPY_HOST_PTR, &words, &desc, texels, &error);
    EQ(error, CL_INVALID_HOST_PTR);
    clCreateImage(context, CL_MEM_USE_HOST_PTR, &words, &desc, texels, &error);
    EQ(error, CL_INVALID_HOST_PTR);
    cl_mem buffer = MADE(clCreateBuffer, context, 0, sizeof texels, NULL);
    desc.buffer = buffer;
    clCreateImage(context, 0, &words, &desc, NULL, &error);
    EQ(error, CL_INVALID_IMAGE_DESCRIPTOR);
    cl_image_desc line = {0};
    line.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER;
    line.image_width = 16;
    line.num_mip_levels = 2;
    line.buffer = buffer;
    clCreateImage(context, 0, &words, &line, NULL, &error);
    EQ(error, CL_INVALID_IMAGE_DESCRIPTOR);
    /* An image of an image has the same levels. */
    cl_mem image = create(&floats, plane, 3, CL_SUCCESS);
    desc.buffer = image;
    clCreateImage(context, 0, &floats, &desc, NULL, &error);
    EQ(error, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    desc.num_mip_levels = 3;
    cl_mem view = MADE(clCreateImage, context, 0, &floats, &desc, NULL);
    MUST(clReleaseMemObject(view));
    MUST(clReleaseMemObject(image));
    MUST(clReleaseMemObject(buffer));
}

/* A number for each texel of each level. */
static cl_uint value(int level, size_t i)
{
    return (cl_uint)(level * 10000 + i + 1);
}

static void expect_level(cl_mem image, const struct shape *shape, int level, cl_uint first, cl_uint step)
{
    cl_uint got[MOST] = {0};
    size_t origin[4] = {0}, region[3];
    region_of(shape, level, region);
    origin[shape->level] = (size_t)level;
    MUST(clEnqueueReadImage(queue, image, CL_TRUE, origin, region, 0, 0, got, 0, NULL, NULL));
    for (size_t i = 0; i < texels_of(shape, level) && values_matter(); i++)
        if (got[i] != first + step * i) {
            fprintf(stderr, "type %x level %d texel %zu: %u, not %zu\n", shape->type, level, i, got[i],
                    first + step * i);
            failures++;
            return;
        }
}

static void transfers(const struct shape *shape)
{
    cl_int error;
    size_t region[3], none[4] = {0};
    cl_uint texels[MOST];
    cl_mem image = create(&words, shape, LEVELS, CL_SUCCESS);
    cl_mem other = create(&words, shape, LEVELS, CL_SUCCESS);
    cl_mem buffer = MADE(clCreateBuffer, context, 0, sizeof texels, NULL);
    /* What nothing has written is zero, in every level. */
    for (int level = 0; level < LEVELS; level++)
        expect_level(image, shape, level, 0, 0);
    for (int level = 0; level < LEVELS; level++) {
        size_t origin[4] = {0};
        origin[shape->level] = (size_t)level;
        region_of(shape, level, region);
        for (size_t i = 0; i < texels_of(shape, level); i++)
            texels[i] = value(level, i);
        MUST(clEnqueueWriteImage(queue, image, CL_TRUE, origin, region, 0, 0, texels, 0, NULL, NULL));
    }
    for (int level = 0; level < LEVELS; level++)
        expect_level(image, shape, level, value(level, 0), 1);
    /* By way of a buffer, and straight. */
    for (int level = 0; level < LEVELS; level++) {
        size_t origin[4] = {0};
        origin[shape->level] = (size_t)level;
        region_of(shape, level, region);
        if (level == 1) {
            MUST(clEnqueueCopyImage(queue, image, other, origin, origin, region, 0, NULL, NULL));
            continue;
        }
        MUST(clEnqueueCopyImageToBuffer(queue, image, buffer, origin, region, 64, 0, NULL, NULL));
        MUST(clEnqueueCopyBufferToImage(queue, buffer, other, 64, origin, region, 0, NULL, NULL));
    }
    for (int level = 0; level < LEVELS; level++)
        expect_level(other, shape, level, value(level, 0), 1);
    /* From a level into another of the same image: a part of the larger one. */
    size_t from[4] = {0}, to[4] = {0};
    from[shape->level] = 2;
    to[shape->level] = 1;
    region_of(shape, 2, region);
    MUST(clEnqueueCopyImage(queue, other, other, from, to, region, 0, NULL, NULL));
    expect_level(other, shape, 0, value(0, 0), 1);
    cl_uint first[2] = {0};
    size_t pair[3] = {2, 1, 1};
    MUST(clEnqueueReadImage(queue, other, CL_TRUE, to, pair, 0, 0, first, 0, NULL, NULL));
    if (values_matter()) {
        EQ(first[0], value(2, 0));
        EQ(first[1], value(2, 1));
    }
    /* Fills and maps. */
    cl_uint color[4] = {4711, 0, 0, 0};
    size_t small[4] = {0};
    small[shape->level] = 2;
    MUST(clEnqueueFillImage(queue, other, color, small, region, 0, NULL, NULL));
    expect_level(other, shape, 2, 4711, 0);
    expect_level(other, shape, 0, value(0, 0), 1);
    for (int level = 0; level < LEVELS; level++) {
        size_t origin[4] = {0}, row = 0, slice = 0;
        origin[shape->level] = (size_t)level;
        region_of(shape, level, region);
        unsigned char *mapped = MADE(clEnqueueMapImage, queue, image, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, origin,
                                     region, &row, &slice, 0, NULL, NULL);
        CHECK(row >= 4 * region[0]);
        int rows = shape->type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
        for (size_t z = 0, i = 0; z < region[2]; z++)
            for (size_t y = 0; y < region[1]; y++)
                for (size_t x = 0; x < region[0]; x++, i++) {
                    cl_uint *texel = (cl_uint *)(mapped + (rows ? y * slice : z * slice + y * row)) + x;
                    if (values_matter() && *texel != value(level, i)) {
                        fprintf(stderr, "type %x level %d mapped texel %zu: %u\n", shape->type, level, i, *texel);
                        failures++;
                    }
                    *texel = value(level, i) + 7;
                }
        MUST(clEnqueueUnmapMemObject(queue, image, mapped, 0, NULL, NULL));
    }
    for (int level = 0; level < LEVELS; level++)
        expect_level(image, shape, level, value(level, 0) + 7, 1);
    /* Levels and regions that are not there. */
    size_t beyond[4] = {0};
    beyond[shape->level] = LEVELS;
    region_of(shape, 1, region);
    error = clEnqueueReadImage(queue, image, CL_TRUE, beyond, pair, 0, 0, texels, 0, NULL, NULL);
    EQ(error, CL_INVALID_MIP_LEVEL);
    error = clEnqueueWriteImage(queue, image, CL_TRUE, beyond, pair, 0, 0, texels, 0, NULL, NULL);
    EQ(error, CL_INVALID_MIP_LEVEL);
    EQ(clEnqueueFillImage(queue, image, color, beyond, pair, 0, NULL, NULL), CL_INVALID_MIP_LEVEL);
    EQ(clEnqueueCopyImage(queue, image, other, beyond, none, pair, 0, NULL, NULL), CL_INVALID_MIP_LEVEL);
    EQ(clEnqueueCopyImage(queue, image, other, none, beyond, pair, 0, NULL, NULL), CL_INVALID_MIP_LEVEL);
    error = clEnqueueCopyImageToBuffer(queue, image, buffer, beyond, pair, 0, 0, NULL, NULL);
    EQ(error, CL_INVALID_MIP_LEVEL);
    error = clEnqueueCopyBufferToImage(queue, buffer, image, 0, beyond, pair, 0, NULL, NULL);
    EQ(error, CL_INVALID_MIP_LEVEL);
    size_t row, slice;
    clEnqueueMapImage(queue, image, CL_TRUE, CL_MAP_READ, beyond, pair, &row, &slice, 0, NULL, NULL, &error);
    EQ(error, CL_INVALID_MIP_LEVEL);
    error = clEnqueueReadImage(queue, image, CL_TRUE, small, region, 0, 0, texels, 0, NULL, NULL);
    EQ(error, CL_INVALID_VALUE);
    MUST(clReleaseMemObject(buffer));
    MUST(clReleaseMemObject(other));
    MUST(clReleaseMemObject(image));
}

static cl_sampler sampler_of(cl_uint filter, cl_uint between, float least, float most)
{
    cl_uint bits[2];
    memcpy(&bits[0], &least, 4);
    memcpy(&bits[1], &most, 4);
    cl_sampler_properties list[] = {CL_SAMPLER_NORMALIZED_COORDS,
                                    CL_TRUE,
                                    CL_SAMPLER_ADDRESSING_MODE,
                                    CL_ADDRESS_CLAMP_TO_EDGE,
                                    CL_SAMPLER_FILTER_MODE,
                                    filter,
                                    CL_SAMPLER_MIP_FILTER_MODE,
                                    between,
                                    CL_SAMPLER_LOD_MIN,
                                    bits[0],
                                    CL_SAMPLER_LOD_MAX,
                                    bits[1],
                                    0};
    return MADE(clCreateSamplerWithProperties, context, list);
}

static void samplers(void)
{
    cl_int error;
    cl_uint filter = 0;
    float lod[2] = {-1, -1};
    cl_sampler plain = MADE(clCreateSampler, context, CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_LINEAR);
    MUST(clGetSamplerInfo(plain, CL_SAMPLER_MIP_FILTER_MODE, sizeof filter, &filter, NULL));
    MUST(clGetSamplerInfo(plain, CL_SAMPLER_LOD_MIN, sizeof lod[0], &lod[0], NULL));
    MUST(clGetSamplerInfo(plain, CL_SAMPLER_LOD_MAX, sizeof lod[1], &lod[1], NULL));
    EQ(filter, CL_FILTER_NEAREST);
    CHECK(lod[0] == 0.0f && lod[1] == CL_FLT_MAX);
    MUST(clReleaseSampler(plain));
    cl_sampler own = sampler_of(CL_FILTER_NEAREST, CL_FILTER_LINEAR, 0.5f, 2.25f);
    MUST(clGetSamplerInfo(own, CL_SAMPLER_MIP_FILTER_MODE, sizeof filter, &filter, NULL));
    MUST(clGetSamplerInfo(own, CL_SAMPLER_LOD_MIN, sizeof lod[0], &lod[0], NULL));
    MUST(clGetSamplerInfo(own, CL_SAMPLER_LOD_MAX, sizeof lod[1], &lod[1], NULL));
    EQ(filter, CL_FILTER_LINEAR);
    CHECK(lod[0] == 0.5f && lod[1] == 2.25f);
    MUST(clReleaseSampler(own));
    cl_sampler_properties wrong[][5] = {
        {CL_SAMPLER_MIP_FILTER_MODE, 7, 0},
        {CL_SAMPLER_MIP_FILTER_MODE, CL_FILTER_LINEAR, CL_SAMPLER_MIP_FILTER_MODE, CL_FILTER_LINEAR, 0},
        {CL_SAMPLER_LOD_MIN, 0x7fc00000, 0},
    };
    for (int i = 0; i < 3; i++) {
        clCreateSamplerWithProperties(context, wrong[i], &error);
        EQ(error, CL_INVALID_VALUE);
    }
}

static const char *source =
    "#pragma OPENCL EXTENSION cl_khr_mipmap_image : enable\n"
    "#pragma OPENCL EXTENSION cl_khr_mipmap_image_writes : enable\n"
    "#ifndef cl_khr_mipmap_image\n"
    "#error no macro\n"
    "#endif\n"
    "constant sampler_t literal = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;\n"
    "kernel void read_2d(read_only image2d_t a, sampler_t s, global float4 *out, global const float4 *at) {\n"
    "    size_t i = get_global_id(0);\n"
    "    out[3 * i] = read_imagef(a, s, at[i].xy, at[i].z);\n"
    "    out[3 * i + 1] = read_imagef(a, s, at[i].xy);\n"
    "    out[3 * i + 2] = read_imagef(a, literal, at[i].xy, at[i].z);\n"
    "}\n"
    "kernel void steps_2d(read_only image2d_t a, sampler_t s, global float4 *out, global const float4 *at) {\n"
    "    size_t i = get_global_id(0);\n"
    "    float2 dx = (float2)(at[i].z, 0), dy = (float2)(0, at[i].w);\n"
    "    out[3 * i] = read_imagef(a, s, at[i].xy, dx, dy);\n"
    "    out[3 * i + 1] = read_imagef(a, s, at[i].xy, dy, dx);\n"
    "    out[3 * i + 2] = read_imagef(a, literal, at[i].xy, dx, dy);\n"
    "}\n"
    "kernel void levels(read_only image2d_t a, read_only image3d_t b, write_only image2d_array_t c,\n"
    "                   write_only image1d_t d, global int *out) {\n"
    "    out[0] = get_image_num_mip_levels(a);\n"
    "    out[1] = get_image_num_mip_levels(b);\n"
    "    out[2] = get_image_num_mip_levels(c);\n"
    "    out[3] = get_image_num_mip_levels(d);\n"
    "    out[4] = get_image_width(c);\n"
    "    out[5] = get_image_width(a);\n"
    "}\n"
    "#define WRITE(name, type, coord, at) \\\n"
    "    kernel void name(write_only type to, int level) { \\\n"
    "        int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2); \\\n"
    "        int w = get_global_size(0), h = get_global_size(1); \\\n"
    "        write_imageui(to, (coord)at, level, (uint4)(level * 100000 + (z * h + y) * w + x)); \\\n"
    "    }\n"
    "#define READ(name, type, coord, at) \\\n"
    "    kernel void name(read_only type from, global uint *to, sampler_t s, int level) { \\\n"
    "        int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2); \\\n"
    "        int w = get_global_size(0), h = get_global_size(1); \\\n"
    "        float3 m = ((float3)(x, y, z) + 0.5f) / (float3)(w, h, get_global_size(2)); \\\n"
    "        to[(z * h + y) * w + x] = read_imageui(from, s, (coord)at, (float)level).x; \\\n"
    "    }\n"
    "WRITE(write_1d, image1d_t, int, (x))\n"
    "WRITE(write_1d_array, image1d_array_t, int2, (x, y))\n"
    "WRITE(write_2d, image2d_t, int2, (x, y))\n"
    "WRITE(write_2d_array, image2d_array_t, int4, (x, y, z, 0))\n"
    "WRITE(write_3d, image3d_t, int4, (x, y, z, 0))\n"
    "READ(read_1d, image1d_t, float, (m.x))\n"
    "READ(read_1d_array, image1d_array_t, float2, (m.x, y))\n"
    "READ(read_2d_, image2d_t, float2, (m.x, m.y))\n"
    "READ(read_2d_array, image2d_array_t, float4, (m.x, m.y, z, 0))\n"
    "READ(read_3d, image3d_t, float4, (m.x, m.y, m.z, 0))\n"
    "kernel void fixed_level(write_only image2d_t to, uint4 color) {\n"
    "    write_imageui(to, (int2)(0, 0), 0, color);\n"
    "    write_imageui(to, (int2)(1, 0), 1, color + 1);\n"
    "    write_imageui(to, (int2)(2, 0), 2, color + 2);\n"
    "    write_imageui(to, (int2)(3, 0), color + 3);\n"
    "}\n";

static cl_program program;

static cl_kernel kernel_of(const char *name)
{
    return MADE(clCreateKernel, program, name);
}

static const char *writers[] = {"write_1d", "write_1d_array", "write_2d", "write_2d_array", "write_3d"};
static const char *readers[] = {"read_1d", "read_1d_array", "read_2d_", "read_2d_array", "read_3d"};

static void written_by_kernels(int n)
{
    const struct shape *shape = &shapes[n];
    cl_mem image = create(&words, shape, LEVELS, CL_SUCCESS);
    cl_mem buffer = MADE(clCreateBuffer, context, 0, 4 * MOST, NULL);
    cl_sampler sampler = sampler_of(CL_FILTER_NEAREST, CL_FILTER_NEAREST, 0, 100);
    cl_kernel writer = kernel_of(writers[n]), reader = kernel_of(readers[n]);
    MUST(clSetKernelArg(writer, 0, sizeof image, &image));
    MUST(clSetKernelArg(reader, 0, sizeof image, &image));
    MUST(clSetKernelArg(reader, 1, sizeof buffer, &buffer));
    MUST(clSetKernelArg(reader, 2, sizeof sampler, &sampler));
    for (cl_int level = 0; level < LEVELS; level++) {
        size_t region[3];
        region_of(shape, level, region);
        MUST(clSetKernelArg(writer, 1, sizeof level, &level));
        MUST(clEnqueueNDRangeKernel(queue, writer, 3, NULL, region, NULL, 0, NULL, NULL));
    }
    for (cl_int level = 0; level < LEVELS; level++) {
        expect_level(image, shape, level, (cl_uint)level * 100000, 1);
        size_t region[3];
        cl_uint got[MOST] = {0};
        region_of(shape, level, region);
        MUST(clSetKernelArg(reader, 3, sizeof level, &level));
        MUST(clEnqueueNDRangeKernel(queue, reader, 3, NULL, region, NULL, 0, NULL, NULL));
        MUST(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 4 * texels_of(shape, level), got, 0, NULL, NULL));
        for (size_t i = 0; i < texels_of(shape, level) && values_matter(); i++)
            if (got[i] != (cl_uint)level * 100000 + i) {
                fprintf(stderr, "%s level %d texel %zu: %u\n", readers[n], level, i, got[i]);
                failures++;
                break;
            }
    }
    MUST(clReleaseKernel(reader));
    MUST(clReleaseKernel(writer));
    MUST(clReleaseSampler(sampler));
    MUST(clReleaseMemObject(buffer));
    MUST(clReleaseMemObject(image));
}

static void told(void)
{
    cl_int got[6] = {0}, expected[6] = {3, 2, 4, 1, 16, 16};
    cl_mem images[4] = {
        create(&floats, &shapes[2], 3, CL_SUCCESS),
        create(&floats, &shapes[4], 2, CL_SUCCESS),
        create(&floats, &shapes[3], 4, CL_SUCCESS),
        create(&floats, &shapes[0], 0, CL_SUCCESS),
    };
    cl_mem out = MADE(clCreateBuffer, context, 0, sizeof got, NULL);
    cl_kernel kernel = kernel_of("levels");
    for (cl_uint i = 0; i < 4; i++)
        MUST(clSetKernelArg(kernel, i, sizeof images[i], &images[i]));
    MUST(clSetKernelArg(kernel, 4, sizeof out, &out));
    MUST(clEnqueueTask(queue, kernel, 0, NULL, NULL));
    MUST(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    for (int i = 0; i < 6 && values_matter(); i++)
        EQ(got[i], expected[i]);
    MUST(clReleaseKernel(kernel));
    kernel = kernel_of("fixed_level");
    cl_uint color[4] = {50, 50, 50, 50}, texel = 0;
    cl_mem colored = create(&words, &shapes[2], 3, CL_SUCCESS);
    /* An image with one level has the others in no place, and those of level 0 are kept. */
    MUST(clSetKernelArg(kernel, 0, sizeof colored, &colored));
    MUST(clSetKernelArg(kernel, 1, sizeof color, color));
    MUST(clEnqueueTask(queue, kernel, 0, NULL, NULL));
    size_t at[4][4] = {{0, 0, 0, 0}, {1, 0, 1, 0}, {2, 0, 2, 0}, {3, 0, 0, 0}}, one[3] = {1, 1, 1};
    for (cl_uint i = 0; i < 4; i++) {
        MUST(clEnqueueReadImage(queue, colored, CL_TRUE, at[i], one, 0, 0, &texel, 0, NULL, NULL));
        if (values_matter())
            EQ(texel, 50 + i);
    }
    MUST(clReleaseKernel(kernel));
    for (int i = 0; i < 4; i++)
        MUST(clReleaseMemObject(images[i]));
    MUST(clReleaseMemObject(colored));
    MUST(clReleaseMemObject(out));
}

/* Each level of the image has one colour: its number. */
static cl_mem numbered(void)
{
    const struct shape *plane = &shapes[2];
    cl_mem image = create(&floats, plane, LEVELS, CL_SUCCESS);
    for (int level = 0; level < LEVELS; level++) {
        size_t origin[4] = {0}, region[3];
        origin[2] = (size_t)level;
        region_of(plane, level, region);
        float color[4] = {(float)level, 1, 2, 3};
        MUST(clEnqueueFillImage(queue, image, color, origin, region, 0, NULL, NULL));
    }
    return image;
}

struct reading {
    float at[4];
    float with_sampler;
    float with_literal;
};

static void readings(const char *name, cl_mem image, cl_sampler sampler, const struct reading *list, int count)
{
    float at[16][4], got[16][3][4];
    for (int i = 0; i < count; i++)
        memcpy(at[i], list[i].at, sizeof at[i]);
    cl_mem in = MADE(clCreateBuffer, context, CL_MEM_COPY_HOST_PTR, sizeof at, at);
    cl_mem out = MADE(clCreateBuffer, context, 0, sizeof got, NULL);
    cl_kernel kernel = kernel_of(name);
    MUST(clSetKernelArg(kernel, 0, sizeof image, &image));
    MUST(clSetKernelArg(kernel, 1, sizeof sampler, &sampler));
    MUST(clSetKernelArg(kernel, 2, sizeof out, &out));
    MUST(clSetKernelArg(kernel, 3, sizeof in, &in));
    size_t size = (size_t)count;
    MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, NULL, 0, NULL, NULL));
    MUST(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, (size_t)count * sizeof got[0], got, 0, NULL, NULL));
    int steps = !strcmp(name, "steps_2d");
    for (int i = 0; i < count && values_matter(); i++) {
        float expected[3] = {list[i].with_sampler, steps ? list[i].with_sampler : 0, list[i].with_literal};
        for (int k = 0; k < 3; k++)
            /* Devices' own samplers have 8 bits for the place between two levels. */
            if (fabsf(got[i][k][0] - expected[k]) > 1.0f / 128 || got[i][k][1] != 1 || got[i][k][3] != 3) {
                fprintf(stderr, "%s %d.%d at level %g: %g %g, not %g\n", name, i, k, list[i].at[2], got[i][k][0],
                        got[i][k][1], expected[k]);
                failures++;
            }
    }
    MUST(clReleaseKernel(kernel));
    MUST(clReleaseMemObject(in));
    MUST(clReleaseMemObject(out));
}

static void levels_of_detail(void)
{
    cl_mem image = numbered();
    cl_sampler nearest = sampler_of(CL_FILTER_NEAREST, CL_FILTER_NEAREST, 0, CL_FLT_MAX);
    cl_sampler linear = sampler_of(CL_FILTER_LINEAR, CL_FILTER_LINEAR, 0, CL_FLT_MAX);
    cl_sampler limited = sampler_of(CL_FILTER_LINEAR, CL_FILTER_LINEAR, 0.5f, 1.25f);
    const struct reading by_nearest[] = {
        {{0.5f, 0.5f, 0, 0}, 0, 0},        {{0.1f, 0.9f, 1, 0}, 1, 1},   {{0.5f, 0.5f, 2, 0}, 2, 2},
        {{0.5f, 0.5f, 0.4f, 0}, 0, 0},     {{0.5f, 0.5f, 0.6f, 0}, 1, 1}, {{0.5f, 0.5f, 1.75f, 0}, 2, 2},
        {{0.5f, 0.5f, -3, 0}, 0, 0},       {{0.5f, 0.5f, 9, 0}, 2, 2},   {{0.5f, 0.5f, 1e30f, 0}, 2, 2},
    };
    readings("read_2d", image, nearest, by_nearest, 9);
    const struct reading by_linear[] = {
        {{0.5f, 0.5f, 0, 0}, 0, 0},         {{0.5f, 0.5f, 0.25f, 0}, 0.25f, 0}, {{0.5f, 0.5f, 1, 0}, 1, 1},
        {{0.5f, 0.5f, 1.75f, 0}, 1.75f, 2}, {{0.5f, 0.5f, 2, 0}, 2, 2},         {{0.5f, 0.5f, 7, 0}, 2, 2},
    };
    readings("read_2d", image, linear, by_linear, 6);
    /* Without a level of detail level 0 is read, whatever the sampler's range. */
    const struct reading by_range[] = {
        {{0.5f, 0.5f, 0.25f, 0}, 0.5f, 0},
        {{0.5f, 0.5f, 1, 0}, 1, 1},
        {{0.5f, 0.5f, 2, 0}, 1.25f, 2},
    };
    readings("read_2d", image, limited, by_range, 3);
    /* 16 by 6 texels: the step along x is z * 16 of them, that along y w * 6. */
    const struct reading by_steps[] = {
        {{0.5f, 0.5f, 1.0f / 16, 0}, 0, 0},          {{0.5f, 0.5f, 2.0f / 16, 0}, 1, 1},
        {{0.5f, 0.5f, 4.0f / 16, 1.0f / 6}, 2, 2},   {{0.5f, 0.5f, 0, 2.0f / 6}, 1, 1},
        {{0.5f, 0.5f, 0, 0}, 0, 0},                  {{0.5f, 0.5f, -2.0f / 16, 0}, 1, 1},
        {{0.5f, 0.5f, 500, 0}, 2, 2},
    };
    readings("steps_2d", image, nearest, by_steps, 7);
    const struct reading by_limited_steps[] = {
        {{0.5f, 0.5f, 1.0f / 16, 0}, 0.5f, 0},
        {{0.5f, 0.5f, 4.0f / 16, 0}, 1.25f, 2},
        {{0.5f, 0.5f, 0, 2.0f / 6}, 1, 1},
    };
    readings("steps_2d", image, limited, by_limited_steps, 3);
    MUST(clReleaseSampler(limited));
    MUST(clReleaseSampler(linear));
    MUST(clReleaseSampler(nearest));
    MUST(clReleaseMemObject(image));
}

static int listed(const char *name)
{
    char text[8192] = "";
    MUST(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof text, text, NULL));
    const char *found = strstr(text, name);
    return found && (found[strlen(name)] == ' ' || found[strlen(name)] == 0);
}

int main(void)
{
    cl_int error;
    device = pumice_device();
    CHECK(listed("cl_khr_mipmap_image"));
    context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    queue = MADE(clCreateCommandQueueWithProperties, context, device, NULL);
    creation();
    for (int i = 0; i < SHAPES; i++)
        transfers(&shapes[i]);
    samplers();
    if (listed("cl_khr_mipmap_image_writes")) {
        program = MADE(clCreateProgramWithSource, context, 1, &source, NULL);
        error = clBuildProgram(program, 1, &device, "-cl-std=CL2.0", NULL, NULL);
        if (error != CL_SUCCESS) {
            char log[4096] = "";
            clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
            fprintf(stderr, "%s\n", log);
            exit(1);
        }
        for (int i = 0; i < SHAPES; i++)
            written_by_kernels(i);
        told();
        levels_of_detail();
        MUST(clReleaseProgram(program));
    }
    MUST(clReleaseCommandQueue(queue));
    release_last(context);
    return finish();
}
