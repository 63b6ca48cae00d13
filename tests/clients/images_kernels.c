// client: needs images
/* Images and samplers in kernels: every type read and written, addressing and filters against
 * OpenCL's formulas, what kernels are told of images, orders of channels, and the errors of
 * clSetKernelArg. */
#include "common.h"
#include "sampled_places.h"

static cl_context context;
static cl_command_queue queue;
static cl_device_id device;
static cl_program program;

enum { W = 6, H = 5, D = 4 };

static const char *source =
    "#define COPY(name, type, coord, at) \\\n"
    "    kernel void name(read_only type from, write_only type to) { \\\n"
    "        int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2); \\\n"
    "        coord at_ = at; \\\n"
    "        write_imageui(to, at_, read_imageui(from, at_) + (uint4)(1, 2, 3, 4)); \\\n"
    "    }\n"
    "COPY(copy_1d, image1d_t, int, x)\n"
    "COPY(copy_1d_buffer, image1d_buffer_t, int, x)\n"
    "COPY(copy_1d_array, image1d_array_t, int2, ((int2)(x, y)))\n"
    "COPY(copy_2d, image2d_t, int2, ((int2)(x, y)))\n"
    "COPY(copy_2d_array, image2d_array_t, int4, ((int4)(x, y, z, 0)))\n"
    "COPY(copy_3d, image3d_t, int4, ((int4)(x, y, z, 0)))\n"
    "kernel void sample_2d(read_only image2d_t image, sampler_t s, global float4 *out,\n"
    "                      global const float2 *at) {\n"
    "    size_t i = get_global_id(0);\n"
    "    out[i] = read_imagef(image, s, at[i]);\n"
    "}\n"
    "kernel void sample_3d(read_only image3d_t image, sampler_t s, global float4 *out,\n"
    "                      global const float4 *at) {\n"
    "    size_t i = get_global_id(0);\n"
    "    out[i] = read_imagef(image, s, at[i]);\n"
    "}\n"
    "kernel void sample_array(read_only image2d_array_t image, sampler_t s, global float4 *out,\n"
    "                         global const float4 *at) {\n"
    "    size_t i = get_global_id(0);\n"
    "    out[i] = read_imagef(image, s, at[i]);\n"
    "}\n"
    "kernel void sample_ints(read_only image3d_t box, read_only image1d_array_t rows, sampler_t s,\n"
    "                        global float4 *out) {\n"
    "    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);\n"
    "    size_t i = (z * get_global_size(1) + y) * get_global_size(0) + x;\n"
    "    out[2 * i] = read_imagef(box, s, (int4)(x - 1, y - 1, z - 1, 0));\n"
    "    out[2 * i + 1] = read_imagef(rows, s, (int2)(x - 1, y));\n"
    "}\n"
    "constant sampler_t literal = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP |\n"
    "                             CLK_FILTER_NEAREST;\n"
    "kernel void look(read_only image2d_t image, global int *told, global float4 *color) {\n"
    "    told[0] = get_image_width(image);\n"
    "    told[1] = get_image_height(image);\n"
    "    told[2] = get_image_channel_order(image);\n"
    "    told[3] = get_image_channel_data_type(image);\n"
    "    color[0] = read_imagef(image, literal, (int2)(1, 2));\n"
    "    color[1] = read_imagef(image, literal, (int2)(-1, 2));\n"
    "}\n"
    "kernel void sizes(read_only image3d_t box, read_only image2d_array_t planes,\n"
    "                  read_only image1d_array_t rows, read_only image1d_buffer_t line,\n"
    "                  global int *told) {\n"
    "    told[0] = get_image_width(box);\n"
    "    told[1] = get_image_height(box);\n"
    "    told[2] = get_image_depth(box);\n"
    "    told[3] = get_image_width(planes);\n"
    "    told[4] = get_image_height(planes);\n"
    "    told[5] = (int)get_image_array_size(planes);\n"
    "    told[6] = get_image_width(rows);\n"
    "    told[7] = (int)get_image_array_size(rows);\n"
    "    told[8] = get_image_width(line);\n"
    "}\n"
    "kernel void paint(write_only image2d_t image, float4 color) {\n"
    "    write_imagef(image, (int2)(get_global_id(0), get_global_id(1)), color);\n"
    "}\n";

static cl_kernel kernel_of(const char *name)
{
    cl_int error;
    cl_kernel kernel = clCreateKernel(program, name, &error);
    if (error)
        fprintf(stderr, "%s: ", name);
    MUST(error);
    return kernel;
}

static const size_t zero[3] = {0, 0, 0};

static void copies(void)
{
    static const struct {
        const char *name;
        cl_mem_object_type type;
        size_t region[3];
    } kinds[] = {
        {"copy_1d", CL_MEM_OBJECT_IMAGE1D, {W, 1, 1}},
        {"copy_1d_buffer", CL_MEM_OBJECT_IMAGE1D_BUFFER, {W, 1, 1}},
        {"copy_1d_array", CL_MEM_OBJECT_IMAGE1D_ARRAY, {W, H, 1}},
        {"copy_2d", CL_MEM_OBJECT_IMAGE2D, {W, H, 1}},
        {"copy_2d_array", CL_MEM_OBJECT_IMAGE2D_ARRAY, {W, H, D}},
        {"copy_3d", CL_MEM_OBJECT_IMAGE3D, {W, H, D}},
    };
    cl_int error;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        static cl_uint data[D][H][W][4], got[D][H][W][4];
        const size_t *r = kinds[k].region;
        size_t count = r[0] * r[1] * r[2];
        cl_uint *texels = &data[0][0][0][0], *back = &got[0][0][0][0];
        for (size_t i = 0; i < count * 4; i++)
            texels[i] = (cl_uint)(i * 2654435761u);
        cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT32};
        cl_image_desc d = {.image_type = kinds[k].type, .image_width = W};
        if (kinds[k].type == CL_MEM_OBJECT_IMAGE1D_ARRAY)
            d.image_array_size = H;
        else if (r[1] > 1)
            d.image_height = H;
        if (kinds[k].type == CL_MEM_OBJECT_IMAGE3D)
            d.image_depth = D;
        if (kinds[k].type == CL_MEM_OBJECT_IMAGE2D_ARRAY)
            d.image_array_size = D;
        cl_mem buffers[2] = {NULL, NULL}, images[2];
        for (int i = 0; i < 2; i++) {
            if (kinds[k].type == CL_MEM_OBJECT_IMAGE1D_BUFFER) {
                /* The second one in a sub-buffer. */
                buffers[i] = MADE(clCreateBuffer, context, 0, 1024, NULL);
                cl_buffer_region part = {512, 256};
                if (i == 1) {
                    cl_mem whole = buffers[1];
                    buffers[1] = clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &part,
                                                   &error);
                    MUST(error);
                    MUST(clReleaseMemObject(whole));
                }
                d.buffer = buffers[i];
            }
            images[i] = clCreateImage(context, i ? CL_MEM_WRITE_ONLY : CL_MEM_READ_ONLY, &format,
                                      &d, NULL, &error);
            if (buffers[i] && error == CL_INVALID_VALUE)
                images[i] = MADE(clCreateImage, context, 0, &format, &d, NULL);
        }
        MUST(clEnqueueWriteImage(queue, images[0], CL_FALSE, zero, r, 0, 0, texels, 0, NULL, NULL));
        cl_kernel kernel = kernel_of(kinds[k].name);
        MUST(clSetKernelArg(kernel, 0, sizeof(cl_mem), &images[0]));
        MUST(clSetKernelArg(kernel, 1, sizeof(cl_mem), &images[1]));
        MUST(clEnqueueNDRangeKernel(queue, kernel, 3, NULL, r, NULL, 0, NULL, NULL));
        MUST(clEnqueueReadImage(queue, images[1], CL_TRUE, zero, r, 0, 0, back, 0, NULL, NULL));
        for (size_t i = 0; i < count * 4; i++)
            if (back[i] != texels[i] + i % 4 + 1) {
                fprintf(stderr, "%s: word %zu is %x, not %x\n", kinds[k].name, i, back[i],
                        (unsigned)(texels[i] + i % 4 + 1));
                failures++;
                break;
            }
        if (buffers[1]) {
            /* The buffer has the bytes. */
            memset(back, 0, W * 16);
            MUST(clEnqueueReadBuffer(queue, buffers[1], CL_TRUE, 0, W * 16, back, 0, NULL, NULL));
            EQ(back[5], texels[5] + 2);
        }
        MUST(clReleaseKernel(kernel));
        for (int i = 0; i < 2; i++) {
            MUST(clReleaseMemObject(images[i]));
            if (buffers[i])
                MUST(clReleaseMemObject(buffers[i]));
        }
    }
}

static float texels[D][H][W][4];

enum { POINTS = 96 };

/* A sampler on 2D, 3D and array images against the formulas. `dims` of 3 is a box, -2 an array. */
static void sampled(int dims, int normalized, cl_addressing_mode mode, cl_filter_mode filter)
{
    int linear = filter == CL_FILTER_LINEAR, box = dims == 3;
    cl_image_format format = {CL_RGBA, CL_FLOAT};
    cl_image_desc d = {.image_width = W, .image_height = H};
    d.image_type = dims == 2 ? CL_MEM_OBJECT_IMAGE2D
                   : box     ? CL_MEM_OBJECT_IMAGE3D
                             : CL_MEM_OBJECT_IMAGE2D_ARRAY;
    if (box)
        d.image_depth = D;
    else if (dims == -2)
        d.image_array_size = D;
    cl_mem image = MADE(clCreateImage, context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, &format, &d, texels);
    cl_sampler sampler = MADE(clCreateSampler, context, normalized, mode, filter);
    static float at[POINTS][4], got[POINTS][4];
    static const int size[3] = {W, H, D};
    for (int i = 0; i < POINTS; i++)
        for (int c = 0; c < 4; c++) {
            /* Away from where a rounding decides, and within a texel or so outside. */
            float x = (float)((i * 7 + c * 5) % 29) / 3.0f - 1.35f;
            if (mode == CL_ADDRESS_NONE)
                x = fmodf(fabsf(x), 2.0f) + 1.1f;
            at[i][c] = normalized && c < 3 ? x / (float)size[c] : x;
        }
    if (dims == -2)
        for (int i = 0; i < POINTS; i++)
            at[i][2] = (float)(i % 7) * 0.9f - 1.2f;
    float plane[POINTS][2];
    for (int i = 0; i < POINTS; i++)
        memcpy(plane[i], at[i], 8);
    cl_mem points = MADE(clCreateBuffer, context, CL_MEM_COPY_HOST_PTR, sizeof(at), at);
    if (dims == 2)
        MUST(clEnqueueWriteBuffer(queue, points, CL_TRUE, 0, sizeof plane, plane, 0, NULL, NULL));
    cl_mem out = MADE(clCreateBuffer, context, 0, sizeof got, NULL);
    cl_kernel kernel = kernel_of(dims == 2 ? "sample_2d" : box ? "sample_3d" : "sample_array");
    MUST(clSetKernelArg(kernel, 0, sizeof image, &image));
    MUST(clSetKernelArg(kernel, 1, sizeof sampler, &sampler));
    MUST(clSetKernelArg(kernel, 2, sizeof out, &out));
    MUST(clSetKernelArg(kernel, 3, sizeof points, &points));
    size_t count = POINTS;
    MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &count, NULL, 0, NULL, NULL));
    MUST(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    for (int i = 0; i < POINTS; i++) {
        int x[2], y[2], z[2] = {0, 0};
        float a, b, c = 0;
        along(at[i][0], normalized, mode, linear, W, x, &a);
        along(at[i][1], normalized, mode, linear, H, y, &b);
        if (box)
            along(at[i][2], normalized, mode, linear, D, z, &c);
        if (dims == -2) {
            float layer = rintf(at[i][2]);
            z[0] = z[1] = layer < 0 ? 0 : layer > D - 1 ? D - 1 : (int)layer;
        }
        for (int part = 0; part < 4; part++) {
            float want = 0;
            for (int n = 0; n < 8; n++) {
                int i0 = x[n & 1], j = y[n >> 1 & 1], k = z[n >> 2];
                float share = (n & 1 ? a : 1 - a) * (n >> 1 & 1 ? b : 1 - b) * (n >> 2 ? c : 1 - c);
                if (i0 >= 0 && j >= 0 && k >= 0 && share != 0)
                    want += share * texels[k][j][i0][part];
            }
            /* Devices interpolate in fixed point, with 8 bits or more. */
            float tolerance = linear ? 12.0f : 0.0f;
            if (!(fabsf(got[i][part] - want) <= tolerance)) {
                fprintf(stderr, "%s, %s, mode %x, %s: at (%g, %g, %g) part %d is %g, not %g\n",
                        dims == 2 ? "2D" : box ? "3D" : "2D array",
                        normalized ? "normalised" : "in texels", (unsigned)mode,
                        linear ? "linear" : "nearest", at[i][0], at[i][1], at[i][2], part,
                        got[i][part], want);
                failures++;
                i = POINTS;
                break;
            }
        }
    }
    MUST(clReleaseKernel(kernel));
    MUST(clReleaseSampler(sampler));
    MUST(clReleaseMemObject(points));
    MUST(clReleaseMemObject(out));
    MUST(clReleaseMemObject(image));
}

/* Integer coordinates, which are in texels, where Vulkan has normalised ones only. */
static void integers(void)
{
    static cl_float got[D + 2][H + 2][W + 2][2][4];
    cl_image_format format = {CL_RGBA, CL_FLOAT};
    cl_image_desc d = {.image_type = CL_MEM_OBJECT_IMAGE3D,
                       .image_width = W,
                       .image_height = H,
                       .image_depth = D};
    cl_image_desc a = {
        .image_type = CL_MEM_OBJECT_IMAGE1D_ARRAY, .image_width = W, .image_array_size = H};
    const cl_mem_flags flags = CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR;
    cl_mem box = MADE(clCreateImage, context, flags, &format, &d, texels);
    cl_mem rows = MADE(clCreateImage, context, flags, &format, &a, texels);
    cl_sampler sampler = MADE(clCreateSampler, context, 0, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST);
    cl_mem out = MADE(clCreateBuffer, context, 0, sizeof got, NULL);
    cl_kernel kernel = kernel_of("sample_ints");
    MUST(clSetKernelArg(kernel, 0, sizeof box, &box));
    MUST(clSetKernelArg(kernel, 1, sizeof rows, &rows));
    MUST(clSetKernelArg(kernel, 2, sizeof sampler, &sampler));
    MUST(clSetKernelArg(kernel, 3, sizeof out, &out));
    size_t range[3] = {W + 2, H + 2, D + 2};
    MUST(clEnqueueNDRangeKernel(queue, kernel, 3, NULL, range, NULL, 0, NULL, NULL));
    MUST(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    int wrong = 0;
    for (int z = -1; z <= D; z++)
        for (int y = -1; y <= H; y++)
            for (int x = -1; x <= W; x++)
                for (int part = 0; part < 4; part++) {
                    const float *pair = &got[z + 1][y + 1][x + 1][0][0];
                    int row = y + 1 > H - 1 ? H - 1 : y + 1, across = x >= 0 && x < W;
                    int inside = across && y >= 0 && y < H && z >= 0 && z < D;
                    wrong += pair[part] != (inside ? texels[z][y][x][part] : 0);
                    wrong += pair[4 + part] != (across ? texels[0][row][x][part] : 0);
                }
    EQ(wrong, 0);
    MUST(clReleaseKernel(kernel));
    MUST(clReleaseSampler(sampler));
    MUST(clReleaseMemObject(out));
    MUST(clReleaseMemObject(box));
    MUST(clReleaseMemObject(rows));
}

/* Orders of channels: bytes 10, 20, 30, 40 of a texel as a kernel sees them. */
static void orders(void)
{
    static const struct {
        cl_image_format format;
        int color[4], border_alpha;
    } rows[] = {
        {{CL_R, CL_UNORM_INT8}, {10, 0, 0, 255}, 1},
        {{CL_RG, CL_UNORM_INT8}, {10, 20, 0, 255}, 1},
        {{CL_RGBA, CL_UNORM_INT8}, {10, 20, 30, 40}, 0},
        {{CL_BGRA, CL_UNORM_INT8}, {30, 20, 10, 40}, 0},
        {{CL_ARGB, CL_UNORM_INT8}, {20, 30, 40, 10}, 0},
        {{CL_ABGR, CL_UNORM_INT8}, {40, 30, 20, 10}, 0},
        {{CL_A, CL_UNORM_INT8}, {0, 0, 0, 10}, 0},
        {{CL_RA, CL_UNORM_INT8}, {10, 0, 0, 20}, 0},
        {{CL_INTENSITY, CL_UNORM_INT8}, {10, 10, 10, 10}, 0},
        {{CL_LUMINANCE, CL_UNORM_INT8}, {10, 10, 10, 255}, 1},
    };
    cl_int error;
    cl_kernel kernel = kernel_of("look");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        static const unsigned char bytes[] = {10, 20, 30, 40};
        cl_image_desc d = {
            .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = W, .image_height = H};
        cl_mem image =
            clCreateImage(context, CL_MEM_READ_ONLY, &rows[i].format, &d, NULL, &error);
        MUST(error);
        size_t at[3] = {1, 2, 0}, one[3] = {1, 1, 1}, item = 1;
        MUST(clEnqueueWriteImage(queue, image, CL_TRUE, at, one, 0, 0, bytes, 0, NULL, NULL));
        cl_int told[4];
        cl_float color[2][4];
        cl_mem t = MADE(clCreateBuffer, context, 0, sizeof told, NULL);
        cl_mem c = MADE(clCreateBuffer, context, 0, sizeof color, NULL);
        MUST(clSetKernelArg(kernel, 0, sizeof image, &image));
        MUST(clSetKernelArg(kernel, 1, sizeof t, &t));
        MUST(clSetKernelArg(kernel, 2, sizeof c, &c));
        MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &item, NULL, 0, NULL, NULL));
        MUST(clEnqueueReadBuffer(queue, t, CL_TRUE, 0, sizeof told, told, 0, NULL, NULL));
        MUST(clEnqueueReadBuffer(queue, c, CL_TRUE, 0, sizeof color, color, 0, NULL, NULL));
        EQ(told[0], W);
        EQ(told[1], H);
        EQ(told[2], rows[i].format.image_channel_order);
        EQ(told[3], rows[i].format.image_channel_data_type);
        for (int k = 0; k < 4; k++) {
            EQ(lrintf(color[0][k] * 255), rows[i].color[k]);
            EQ(color[1][k], k == 3 ? rows[i].border_alpha : 0);
        }
        MUST(clReleaseMemObject(t));
        MUST(clReleaseMemObject(c));
        MUST(clReleaseMemObject(image));
    }
    MUST(clReleaseKernel(kernel));
}

static cl_mem image_of(cl_mem_flags flags, cl_mem_object_type type)
{
    cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
    cl_image_desc d = {.image_type = type, .image_width = W};
    if (type == CL_MEM_OBJECT_IMAGE2D || type == CL_MEM_OBJECT_IMAGE3D ||
        type == CL_MEM_OBJECT_IMAGE2D_ARRAY)
        d.image_height = H;
    if (type == CL_MEM_OBJECT_IMAGE3D)
        d.image_depth = D;
    if (type == CL_MEM_OBJECT_IMAGE1D_ARRAY || type == CL_MEM_OBJECT_IMAGE2D_ARRAY)
        d.image_array_size = D;
    if (type == CL_MEM_OBJECT_IMAGE1D_BUFFER) {
        d.buffer = MADE(clCreateBuffer, context, 0, 64, NULL);
    }
    cl_mem image = MADE(clCreateImage, context, flags, &format, &d, NULL);
    if (d.buffer)
        MUST(clReleaseMemObject(d.buffer));
    return image;
}

static void sizes(void)
{
    static const cl_mem_object_type types[] = {
        CL_MEM_OBJECT_IMAGE3D, CL_MEM_OBJECT_IMAGE2D_ARRAY, CL_MEM_OBJECT_IMAGE1D_ARRAY,
        CL_MEM_OBJECT_IMAGE1D_BUFFER};
    static const cl_int want[] = {W, H, D, W, H, D, W, D, W};
    cl_kernel kernel = kernel_of("sizes");
    cl_int got[9];
    cl_mem images[4];
    for (cl_uint i = 0; i < 4; i++) {
        images[i] = image_of(0, types[i]);
        MUST(clSetKernelArg(kernel, i, sizeof(cl_mem), &images[i]));
    }
    cl_mem out = MADE(clCreateBuffer, context, 0, sizeof got, NULL);
    MUST(clSetKernelArg(kernel, 4, sizeof out, &out));
    size_t one = 1;
    MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    MUST(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    for (int i = 0; i < 9; i++)
        EQ(got[i], want[i]);
    for (int i = 0; i < 4; i++)
        MUST(clReleaseMemObject(images[i]));
    MUST(clReleaseMemObject(out));
    MUST(clReleaseKernel(kernel));
}

static void arguments(void)
{
    cl_kernel kernel = kernel_of("sample_2d"), paint = kernel_of("paint");
    cl_mem image = image_of(0, CL_MEM_OBJECT_IMAGE2D);
    cl_mem written = image_of(CL_MEM_WRITE_ONLY, CL_MEM_OBJECT_IMAGE2D);
    cl_mem read = image_of(CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D);
    cl_mem box = image_of(0, CL_MEM_OBJECT_IMAGE3D);
    cl_mem line = image_of(0, CL_MEM_OBJECT_IMAGE1D_BUFFER);
    cl_mem none = NULL, buffer = MADE(clCreateBuffer, context, 0, 1024, NULL);
    cl_sampler sampler = MADE(clCreateSampler, context, 1, CL_ADDRESS_NONE, CL_FILTER_NEAREST);
    const size_t size = sizeof image;
    MUST(clSetKernelArg(kernel, 0, size, &image));
    EQ(clSetKernelArg(kernel, 0, size, NULL), CL_INVALID_MEM_OBJECT);
    EQ(clSetKernelArg(kernel, 0, size, &none), CL_INVALID_MEM_OBJECT);
    EQ(clSetKernelArg(kernel, 0, size, &buffer), CL_INVALID_MEM_OBJECT);
    EQ(clSetKernelArg(kernel, 0, size, &sampler), CL_INVALID_MEM_OBJECT);
    EQ(clSetKernelArg(kernel, 0, 4, &image), CL_INVALID_ARG_SIZE);
    EQ(clSetKernelArg(kernel, 0, size, &written), CL_INVALID_ARG_VALUE);
    EQ(clSetKernelArg(kernel, 0, size, &box), CL_INVALID_MEM_OBJECT);
    EQ(clSetKernelArg(kernel, 0, size, &line), CL_INVALID_MEM_OBJECT);
    EQ(clSetKernelArg(paint, 0, size, &read), CL_INVALID_ARG_VALUE);
    MUST(clSetKernelArg(kernel, 1, size, &sampler));
    EQ(clSetKernelArg(kernel, 1, size, NULL), CL_INVALID_SAMPLER);
    EQ(clSetKernelArg(kernel, 1, size, &image), CL_INVALID_SAMPLER);
    EQ(clSetKernelArg(kernel, 1, size, &none), CL_INVALID_SAMPLER);
    EQ(clSetKernelArg(kernel, 1, 4, &sampler), CL_INVALID_ARG_SIZE);
    EQ(clSetKernelArg(kernel, 2, size, &image), CL_INVALID_MEM_OBJECT);
    cl_kernel_arg_access_qualifier access = 0;
    MUST(clGetKernelArgInfo(kernel, 0, CL_KERNEL_ARG_ACCESS_QUALIFIER, sizeof access, &access,
                            NULL));
    EQ(access, CL_KERNEL_ARG_ACCESS_READ_ONLY);
    MUST(clGetKernelArgInfo(paint, 0, CL_KERNEL_ARG_ACCESS_QUALIFIER, sizeof access, &access,
                            NULL));
    EQ(access, CL_KERNEL_ARG_ACCESS_WRITE_ONLY);
    char name[32] = "";
    MUST(clGetKernelArgInfo(kernel, 0, CL_KERNEL_ARG_TYPE_NAME, sizeof name, name, NULL));
    CHECK(strcmp(name, "image2d_t") == 0);

    /* Floats become texels as the host's fill makes them. */
    cl_float color[4] = {0.0f, 0.5f, 1.0f, 0.25f};
    size_t range[2] = {W, H}, region[3] = {W, H, 1};
    unsigned char got[H][W][4];
    MUST(clSetKernelArg(paint, 0, size, &written));
    MUST(clSetKernelArg(paint, 1, sizeof color, color));
    MUST(clEnqueueNDRangeKernel(queue, paint, 2, NULL, range, NULL, 0, NULL, NULL));
    MUST(clEnqueueReadImage(queue, written, CL_TRUE, zero, region, 0, 0, got, 0, NULL, NULL));
    EQ(got[H - 1][W - 1][0], 0);
    CHECK(got[H - 1][W - 1][1] == 127 || got[H - 1][W - 1][1] == 128);
    EQ(got[H - 1][W - 1][2], 255);
    EQ(got[H - 1][W - 1][3], 64);

    MUST(clReleaseSampler(sampler));
    MUST(clReleaseMemObject(buffer));
    MUST(clReleaseMemObject(line));
    MUST(clReleaseMemObject(box));
    MUST(clReleaseMemObject(read));
    MUST(clReleaseMemObject(written));
    MUST(clReleaseMemObject(image));
    MUST(clReleaseKernel(paint));
    MUST(clReleaseKernel(kernel));
}

int main(void)
{
    cl_int error = 0;
    device = pumice_device();
    context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    queue = MADE(clCreateCommandQueueWithProperties, context, device, NULL);
    program = MADE(clCreateProgramWithSource, context, 1, &source, NULL);
    error = clBuildProgram(program, 1, &device, "-cl-kernel-arg-info", NULL, NULL);
    if (error) {
        static char log[1 << 16];
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        fprintf(stderr, "%s", log);
    }
    MUST(error);
    float *flat = &texels[0][0][0][0];
    for (int i = 0; i < D * H * W * 4; i++)
        flat[i] = (float)(i * 37 % 1000 + 1);
    copies();
    static const cl_addressing_mode modes[] = {CL_ADDRESS_NONE, CL_ADDRESS_CLAMP_TO_EDGE,
                                               CL_ADDRESS_CLAMP, CL_ADDRESS_REPEAT,
                                               CL_ADDRESS_MIRRORED_REPEAT};
    static const int dims[] = {2, 3, -2};
    for (int n = 0; n < 3; n++)
        for (int m = 0; m < 5; m++)
            for (int f = 0; f < 2; f++) {
                cl_filter_mode filter = f ? CL_FILTER_LINEAR : CL_FILTER_NEAREST;
                sampled(dims[n], 1, modes[m], filter);
                if (m < 3)
                    sampled(dims[n], 0, modes[m], filter);
            }
    integers();
    orders();
    sizes();
    arguments();
    MUST(clReleaseProgram(program));
    MUST(clReleaseCommandQueue(queue));
    release_last(context);
    return finish();
}
