// client: needs images
/* Planar images (cl_intel_planar_yuv): kernels read and write the planes of an NV12 image, whose bytes lie as the extension
 * says. */
#include "common.h"

enum {
    NV12 = 0x410E,
    MAX_WIDTH = 0x417E,
    MAX_HEIGHT = 0x417F,
    NO_ACCESS = 1 << 24,
    UNRESTRICTED = 1 << 25,
    WIDTH = 16,
    HEIGHT = 8,
    PITCH = 20,
    BYTES = PITCH * HEIGHT * 3 / 2,
};

static cl_context context;
static const cl_image_format nv12 = {NV12, CL_UNORM_INT8};

static cl_int refused(cl_mem_flags flags, cl_image_format format, cl_image_desc desc, void *host)
{
    cl_int error = 1;
    CHECK(!clCreateImage(context, flags, &format, &desc, host, &error));
    return error;
}

int main(void)
{
    cl_device_id device = pumice_device();
    static char names[8192];
    MUST(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof names, names, NULL));
    CHECK(strstr(names, "cl_intel_planar_yuv"));
    size_t most[2] = {0}, plane[2] = {0};
    MUST(clGetDeviceInfo(device, MAX_WIDTH, sizeof *most, &most[0], NULL));
    MUST(clGetDeviceInfo(device, MAX_HEIGHT, sizeof *most, &most[1], NULL));
    MUST(clGetDeviceInfo(device, CL_DEVICE_IMAGE2D_MAX_WIDTH, sizeof *plane, &plane[0], NULL));
    MUST(clGetDeviceInfo(device, CL_DEVICE_IMAGE2D_MAX_HEIGHT, sizeof *plane, &plane[1], NULL));
    for (int i = 0; i < 2; i++)
        CHECK(most[i] % 4 == 0 && most[i] <= plane[i] && most[i] + 4 > plane[i]);
    cl_int error;
    context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    cl_command_queue queue = MADE(clCreateCommandQueue, context, device, 0);
    cl_image_format formats[4];
    cl_uint count = 0;
    MUST(clGetSupportedImageFormats(context, NO_ACCESS, CL_MEM_OBJECT_IMAGE2D, 4, formats, &count));
    CHECK(count == 1 && formats[0].image_channel_order == NV12 && formats[0].image_channel_data_type == CL_UNORM_INT8);

    unsigned char bytes[BYTES], got[BYTES];
    for (int i = 0; i < BYTES; i++)
        bytes[i] = (unsigned char)(i * 7 + 1);
    const cl_mem_flags flags = NO_ACCESS | UNRESTRICTED | CL_MEM_HOST_NO_ACCESS;
    cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = WIDTH, .image_height = HEIGHT};
    desc.image_row_pitch = PITCH;
    cl_mem image = MADE(clCreateImage, context, flags | CL_MEM_COPY_HOST_PTR, &nv12, &desc, bytes);
    size_t number = 0;
    MUST(clGetImageInfo(image, CL_IMAGE_ELEMENT_SIZE, sizeof number, &number, NULL));
    EQ(number, 1);
    MUST(clGetImageInfo(image, CL_IMAGE_ROW_PITCH, sizeof number, &number, NULL));
    EQ(number, PITCH);
    MUST(clGetMemObjectInfo(image, CL_MEM_SIZE, sizeof number, &number, NULL));
    EQ(number, BYTES);

    /* Planes: sizes are the image's own. */
    cl_image_format luma_format = {CL_R, CL_UNORM_INT8}, chroma_format = {CL_RG, CL_UNSIGNED_INT8};
    cl_image_desc of = {.image_type = CL_MEM_OBJECT_IMAGE2D, .mem_object = image};
    cl_mem luma = MADE(clCreateImage, context, CL_MEM_READ_WRITE, &luma_format, &of, NULL);
    of.image_depth = 1;
    cl_mem chroma = MADE(clCreateImage, context, CL_MEM_READ_WRITE, &chroma_format, &of, NULL);
    MUST(clGetImageInfo(chroma, CL_IMAGE_WIDTH, sizeof number, &number, NULL));
    EQ(number, WIDTH / 2);
    MUST(clGetImageInfo(chroma, CL_IMAGE_HEIGHT, sizeof number, &number, NULL));
    EQ(number, HEIGHT / 2);
    cl_mem parent = NULL;
    MUST(clGetMemObjectInfo(chroma, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof parent, &parent, NULL));
    CHECK(parent == image);

    const char *source =
        "kernel void invert(read_only image2d_t luma, write_only image2d_t to)\n"
        "{ int2 at = (int2)(get_global_id(0), get_global_id(1)); write_imagef(to, at, 1 - read_imagef(luma, at)); }\n"
        "kernel void swap(read_only image2d_t chroma, write_only image2d_t to)\n"
        "{ int2 at = (int2)(get_global_id(0), get_global_id(1)); write_imageui(to, at, read_imageui(chroma, at).yxzw); }\n";
    cl_program program = PROGRAM(context, source, NULL);
    cl_kernel invert = MADE(clCreateKernel, program, "invert"), swap = MADE(clCreateKernel, program, "swap");
    EQ(clSetKernelArg(invert, 0, sizeof image, &image), CL_INVALID_ARG_VALUE);
    /* Into the planes of another image. */
    desc.image_row_pitch = 0;
    cl_mem result = MADE(clCreateImage, context, flags, &nv12, &desc, NULL);
    of.mem_object = result, of.image_depth = 0;
    cl_mem luma_to = MADE(clCreateImage, context, CL_MEM_READ_WRITE, &luma_format, &of, NULL);
    of.image_depth = 1;
    cl_mem chroma_to = MADE(clCreateImage, context, CL_MEM_READ_WRITE, &chroma_format, &of, NULL);
    MUST(clSetKernelArg(invert, 0, sizeof luma, &luma));
    MUST(clSetKernelArg(invert, 1, sizeof luma_to, &luma_to));
    MUST(clSetKernelArg(swap, 0, sizeof chroma, &chroma));
    MUST(clSetKernelArg(swap, 1, sizeof chroma_to, &chroma_to));
    size_t whole[3] = {WIDTH, HEIGHT, 1}, half[3] = {WIDTH / 2, HEIGHT / 2, 1}, zero[3] = {0};
    MUST(clEnqueueNDRangeKernel(queue, invert, 2, NULL, whole, NULL, 0, NULL, NULL));
    MUST(clEnqueueNDRangeKernel(queue, swap, 2, NULL, half, NULL, 0, NULL, NULL));
    MUST(clEnqueueReadImage(queue, luma_to, CL_TRUE, zero, whole, 0, 0, got, 0, NULL, NULL));
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            EQ(got[y * WIDTH + x], 255 - bytes[y * PITCH + x]);
    MUST(clEnqueueReadImage(queue, chroma_to, CL_TRUE, zero, half, 0, 0, got, 0, NULL, NULL));
    for (int y = 0; y < HEIGHT / 2; y++)
        for (int x = 0; x < WIDTH; x++)
            EQ(got[y * WIDTH + x], bytes[(HEIGHT + y) * PITCH + (x ^ 1)]);
    /* The host writes a plane, and the other stays. */
    memset(got, 9, sizeof got);
    MUST(clEnqueueWriteImage(queue, luma, CL_TRUE, zero, whole, 0, 0, got, 0, NULL, NULL));
    MUST(clEnqueueReadImage(queue, chroma, CL_TRUE, zero, half, 0, 0, got, 0, NULL, NULL));
    EQ(got[0], bytes[HEIGHT * PITCH]);
    EQ(got[WIDTH * HEIGHT / 2 - 1], bytes[(HEIGHT + HEIGHT / 2 - 1) * PITCH + WIDTH - 1]);

    /* The image itself is used by its planes only. */
    float color[4] = {0};
    size_t pitch;
    EQ(clEnqueueReadImage(queue, image, CL_TRUE, zero, whole, 0, 0, got, 0, NULL, NULL), CL_INVALID_OPERATION);
    EQ(clEnqueueWriteImage(queue, image, CL_TRUE, zero, whole, 0, 0, got, 0, NULL, NULL), CL_INVALID_OPERATION);
    EQ(clEnqueueFillImage(queue, image, color, zero, whole, 0, NULL, NULL), CL_INVALID_OPERATION);
    EQ(clEnqueueCopyImage(queue, image, result, zero, zero, whole, 0, NULL, NULL), CL_INVALID_OPERATION);
    CHECK(!clEnqueueMapImage(queue, image, CL_TRUE, CL_MAP_READ, zero, whole, &pitch, NULL, 0, NULL, NULL, &error));
    EQ(error, CL_INVALID_OPERATION);

    cl_image_desc good = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = WIDTH, .image_height = HEIGHT}, bad;
    EQ(refused(NO_ACCESS, nv12, good, NULL), CL_INVALID_VALUE);
    EQ(refused(NO_ACCESS | CL_MEM_READ_ONLY | CL_MEM_HOST_NO_ACCESS, nv12, good, NULL), CL_INVALID_VALUE);
    EQ(refused(CL_MEM_READ_ONLY | CL_MEM_HOST_NO_ACCESS, nv12, good, NULL), CL_IMAGE_FORMAT_NOT_SUPPORTED);
    EQ(refused(flags, (cl_image_format){NV12, CL_UNSIGNED_INT8}, good, NULL), CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    EQ(refused(flags, nv12, good, bytes), CL_INVALID_HOST_PTR);
    bad = good, bad.image_width = 18;
    EQ(refused(flags, nv12, bad, NULL), CL_INVALID_IMAGE_SIZE);
    bad = good, bad.image_height = 6;
    EQ(refused(flags, nv12, bad, NULL), CL_INVALID_IMAGE_SIZE);
    bad = good, bad.image_width = most[0] + 4;
    EQ(refused(flags, nv12, bad, NULL), CL_INVALID_IMAGE_SIZE);
    bad = good, bad.image_height = 0;
    EQ(refused(flags, nv12, bad, NULL), CL_INVALID_IMAGE_DESCRIPTOR);
    bad = good, bad.image_depth = 2;
    EQ(refused(flags, nv12, bad, NULL), CL_INVALID_IMAGE_DESCRIPTOR);
    bad = good, bad.image_type = CL_MEM_OBJECT_IMAGE3D, bad.image_depth = 1;
    EQ(refused(flags, nv12, bad, NULL), CL_IMAGE_FORMAT_NOT_SUPPORTED);
    bad = of, bad.image_depth = 2;
    EQ(refused(0, luma_format, bad, NULL), CL_INVALID_IMAGE_DESCRIPTOR);
    bad.image_depth = 1;
    EQ(refused(0, luma_format, bad, NULL), CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    /* What the image forbids, its planes are allowed only where it says so. */
    cl_mem strict = MADE(clCreateImage, context, NO_ACCESS | CL_MEM_HOST_NO_ACCESS, &nv12, &good, NULL);
    bad.mem_object = strict, bad.image_depth = 0;
    EQ(refused(CL_MEM_READ_ONLY, luma_format, bad, NULL), CL_INVALID_VALUE);
    MUST(clReleaseMemObject(strict));
    cl_mem all[] = {luma, chroma, luma_to, chroma_to, image, result};
    for (int i = 0; i < 6; i++)
        MUST(clReleaseMemObject(all[i]));
    MUST(clReleaseKernel(invert));
    MUST(clReleaseKernel(swap));
    MUST(clReleaseProgram(program));
    MUST(clReleaseCommandQueue(queue));
    release_last(context);
    return finish();
}
