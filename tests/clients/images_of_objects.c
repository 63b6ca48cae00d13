// client: needs images
/* Images made of other memory objects: what clCreateImage refuses, and images of depths that show the texels of images of
 * CL_R. */
#include "common.h"

enum { W = 16, H = 8 };

static cl_context context;
static cl_command_queue queue;
static cl_device_id device;

static const char *source =
    "kernel void get(read_only image2d_depth_t i, global float *o)\n"
    "{ int x = get_global_id(0), y = get_global_id(1); o[y * 16 + x] = read_imagef(i, (int2)(x, y)); }\n"
    "kernel void put(write_only image2d_depth_t i)\n"
    "{ int x = get_global_id(0), y = get_global_id(1); write_imagef(i, (int2)(x, y), (y * 16 + x) / 255.0f); }\n";

static cl_mem made(cl_context in, cl_image_format format, cl_image_desc desc)
{
    return MADE(clCreateImage, in, 0, &format, &desc, NULL);
}

static void refused(cl_mem_flags flags, cl_image_format format, cl_image_desc desc, cl_int expected, int line)
{
    cl_int error = 1;
    cl_mem image = clCreateImage(context, flags, &format, &desc, NULL, &error);
    if (error != expected || image) {
        fprintf(stderr, "line %d: clCreateImage gave %d, not %d\n", line, error, expected);
        failures++;
    }
    if (image)
        MUST(clReleaseMemObject(image));
}
#define REFUSED(flags, format, desc, expected) refused(flags, format, desc, expected, __LINE__)

static const cl_image_format rgba = {CL_RGBA, CL_UNORM_INT8}, srgb = {CL_sRGBA, CL_UNORM_INT8};
static const cl_image_desc plane = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = W, .image_height = H};

static cl_image_desc of(cl_mem object)
{
    cl_image_desc desc = plane;
    desc.mem_object = object;
    return desc;
}

/* Objects of another context, which may have other devices. */
static void other_contexts(void)
{
    cl_context other = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    cl_mem buffer = MADE(clCreateBuffer, other, 0, W * H * 4, NULL);
    cl_mem image = made(other, rgba, plane), rows = made(other, rgba, of(buffer));
    cl_image_desc line = {.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = W};
    line.mem_object = buffer;
    REFUSED(0, rgba, line, CL_INVALID_IMAGE_DESCRIPTOR);
    REFUSED(0, rgba, of(buffer), CL_INVALID_IMAGE_DESCRIPTOR);
    REFUSED(0, srgb, of(image), CL_INVALID_IMAGE_DESCRIPTOR);
    REFUSED(0, srgb, of(rows), CL_INVALID_IMAGE_DESCRIPTOR);
    MUST(clReleaseMemObject(rows));
    MUST(clReleaseMemObject(image));
    MUST(clReleaseMemObject(buffer));
    release_last(other);
    context_gone = 0;
}

static void pipes(void)
{
    cl_bool has_pipes = CL_FALSE;
    MUST(clGetDeviceInfo(device, CL_DEVICE_PIPE_SUPPORT, sizeof has_pipes, &has_pipes, NULL));
    if (!has_pipes)
        return;
    cl_mem pipe = MADE(clCreatePipe, context, 0, 4, W * H, NULL);
    cl_image_desc line = {.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = W};
    line.mem_object = pipe;
    REFUSED(0, rgba, line, CL_INVALID_IMAGE_DESCRIPTOR);
    REFUSED(0, rgba, of(pipe), CL_INVALID_IMAGE_DESCRIPTOR);
    MUST(clReleaseMemObject(pipe));
}

/* Pitches, sizes, orders and data types that are not those of the image that is shown. */
static void views(void)
{
    cl_mem image = made(context, rgba, plane);
    cl_image_desc d = of(image);
    MUST(clReleaseMemObject(made(context, srgb, d)));
    d.image_row_pitch = W * 4;
    MUST(clReleaseMemObject(made(context, srgb, d)));
    d.image_row_pitch = W * 8;
    REFUSED(0, srgb, d, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    d = of(image), d.image_height = H / 2;
    REFUSED(0, srgb, d, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    REFUSED(0, ((cl_image_format){CL_BGRA, CL_UNORM_INT8}), of(image), CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    REFUSED(0, ((cl_image_format){CL_RGBA, CL_SNORM_INT8}), of(image), CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    MUST(clReleaseMemObject(image));
    /* The application's memory gives an image its pitch. */
    static unsigned char memory[H][2 * W][4];
    d = plane, d.image_row_pitch = W * 8;
    image = MADE(clCreateImage, context, CL_MEM_COPY_HOST_PTR, &rgba, &d, memory);
    d.mem_object = image;
    MUST(clReleaseMemObject(made(context, srgb, d)));
    d.image_row_pitch = 0;
    MUST(clReleaseMemObject(made(context, srgb, d)));
    d.image_row_pitch = W * 12;
    REFUSED(0, srgb, d, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    MUST(clReleaseMemObject(image));
}

static int has_depths(cl_channel_type type)
{
    static cl_image_format formats[512];
    cl_uint count = 0;
    MUST(clGetSupportedImageFormats(context, CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D, 512, formats, &count));
    for (cl_uint i = 0; i < count; i++)
        if (formats[i].image_channel_order == CL_DEPTH && formats[i].image_channel_data_type == type)
            return 1;
    return 0;
}

/* A kernel reads and writes the texels of CL_R as depths; the image has them itself, or a buffer has. */
static void depths(cl_program program, cl_channel_type type, int of_buffer)
{
    static unsigned char texels[W * H * 4];
    static float got[W * H];
    size_t bytes = type == CL_FLOAT ? 4 : 2, zero[3] = {0, 0, 0}, region[3] = {W, H, 1};
    for (int i = 0; i < W * H; i++) {
        float f = (float)(W * H - i) / 255;
        cl_ushort u = (cl_ushort)((W * H - i) * 257);
        memcpy(texels + (size_t)i * bytes, type == CL_FLOAT ? (void *)&f : (void *)&u, bytes);
    }
    cl_mem out = MADE(clCreateBuffer, context, 0, sizeof got, NULL);
    cl_mem buffer = MADE(clCreateBuffer, context, 0, sizeof texels, NULL);
    cl_image_format plain = {CL_R, type}, depth = {CL_DEPTH, type};
    cl_mem image = made(context, plain, of_buffer ? of(buffer) : plane), view = made(context, depth, of(image));
    cl_image_format format;
    MUST(clGetImageInfo(view, CL_IMAGE_FORMAT, sizeof format, &format, NULL));
    EQ(format.image_channel_order, CL_DEPTH);
    MUST(clEnqueueWriteImage(queue, image, CL_TRUE, zero, region, 0, 0, texels, 0, NULL, NULL));
    cl_kernel get = MADE(clCreateKernel, program, "get");
    MUST(clSetKernelArg(get, 0, sizeof view, &view));
    MUST(clSetKernelArg(get, 1, sizeof out, &out));
    MUST(clEnqueueNDRangeKernel(queue, get, 2, NULL, region, NULL, 0, NULL, NULL));
    MUST(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    int wrong = 0;
    for (int i = 0; i < W * H; i++) {
        float off = got[i] - (float)(W * H - i) / 255;
        wrong += !(off < 1e-5f && off > -1e-5f);
    }
    EQ(wrong, 0);
    cl_kernel put = MADE(clCreateKernel, program, "put");
    MUST(clSetKernelArg(put, 0, sizeof view, &view));
    MUST(clEnqueueNDRangeKernel(queue, put, 2, NULL, region, NULL, 0, NULL, NULL));
    MUST(clEnqueueReadImage(queue, image, CL_TRUE, zero, region, 0, 0, texels, 0, NULL, NULL));
    wrong = 0;
    for (int i = 0; i < W * H; i++) {
        float f;
        cl_ushort u;
        memcpy(&f, texels + (size_t)i * 4, 4);
        memcpy(&u, texels + (size_t)i * 2, 2);
        float off = (type == CL_FLOAT ? f : (float)u / 65535) - (float)i / 255;
        wrong += !(off < 2e-5f && off > -2e-5f);
    }
    EQ(wrong, 0);
    /* The table of orders that go together has no other pair of depths. */
    if (!of_buffer) {
        cl_mem deep = made(context, depth, plane);
        REFUSED(0, plain, of(deep), CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
        MUST(clReleaseMemObject(deep));
    }
    MUST(clReleaseKernel(get));
    MUST(clReleaseKernel(put));
    MUST(clReleaseMemObject(view));
    MUST(clReleaseMemObject(image));
    MUST(clReleaseMemObject(buffer));
    MUST(clReleaseMemObject(out));
}

int main(void)
{
    device = pumice_device();
    context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    queue = MADE(clCreateCommandQueue, context, device, 0);
    cl_program program = PROGRAM(context, source, "-cl-std=CL2.0");
    other_contexts();
    pipes();
    views();
    const cl_channel_type types[] = {CL_FLOAT, CL_UNORM_INT16};
    for (int i = 0; i < 2; i++)
        for (int of_buffer = 0; of_buffer < 2; of_buffer++)
            if (has_depths(types[i]))
                depths(program, types[i], of_buffer);
    MUST(clReleaseProgram(program));
    MUST(clReleaseCommandQueue(queue));
    release_last(context);
    return finish();
}
