/* A device of the embedded profile: its queries, its extensions and macro, and kernels with 64-bit integers that write
 * arrays of images, which that profile leaves to extensions. */
// client: env PUMICE_MASK=fullProfile
#include "common.h"
#include <string.h>

static const char source[] =
    "#if __EMBEDDED_PROFILE__ != 1 || !defined(cles_khr_int64) || !defined(cles_khr_2d_image_array_writes)\n"
    "#error not the embedded profile\n"
    "#endif\n"
    "kernel void fill(write_only image2d_array_t image, global long *sums, long step) {\n"
    "    int4 at = (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0);\n"
    "    write_imageui(image, at, (uint4)(at.x, at.y, at.z, 7));\n"
    "    size_t place = (at.z * 2 + at.y) * 4 + at.x;\n"
    "    sums[place] = step * (long)place;\n"
    "}\n";

enum { WIDTH = 4, HEIGHT = 2, LAYERS = 3, TEXELS = WIDTH * HEIGHT * LAYERS };

static cl_device_id device;

static void check_queries(void)
{
    char text[64] = "";
    MUST(clGetDeviceInfo(device, CL_DEVICE_PROFILE, sizeof text, text, NULL));
    CHECK(!strcmp(text, "EMBEDDED_PROFILE"));
    cl_platform_id platform = NULL;
    MUST(clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL));
    MUST(clGetPlatformInfo(platform, CL_PLATFORM_PROFILE, sizeof text, text, NULL));
    CHECK(!strcmp(text, "FULL_PROFILE"));
    static char extensions[1 << 14];
    MUST(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof extensions, extensions, NULL));
    CHECK(strstr(extensions, "cles_khr_int64") != NULL);
    static const struct {
        cl_device_info name;
        cl_uint least;
    } counts[] = {{CL_DEVICE_MAX_READ_IMAGE_ARGS, 8}, {CL_DEVICE_MAX_WRITE_IMAGE_ARGS, 8}, {CL_DEVICE_MAX_SAMPLERS, 8}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        cl_uint count = 0;
        MUST(clGetDeviceInfo(device, counts[i].name, sizeof count, &count, NULL));
        CHECK(count >= counts[i].least);
    }
    static const struct {
        cl_device_info name;
        size_t least;
    } sizes[] = {{CL_DEVICE_IMAGE2D_MAX_WIDTH, 2048},
                 {CL_DEVICE_IMAGE2D_MAX_HEIGHT, 2048},
                 {CL_DEVICE_IMAGE3D_MAX_DEPTH, 2048},
                 {CL_DEVICE_IMAGE_MAX_ARRAY_SIZE, 256},
                 {CL_DEVICE_IMAGE_MAX_BUFFER_SIZE, 2048}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        size_t size = 0;
        MUST(clGetDeviceInfo(device, sizes[i].name, sizeof size, &size, NULL));
        CHECK(size >= sizes[i].least);
    }
}

int main(void)
{
    device = pumice_device();
    cl_bool images = CL_FALSE;
    MUST(clGetDeviceInfo(device, CL_DEVICE_IMAGE_SUPPORT, sizeof images, &images, NULL));
    if (!images) {
        // Without images only too little local memory keeps a device from the full profile.
        char profile[64] = "";
        cl_ulong local = 0;
        MUST(clGetDeviceInfo(device, CL_DEVICE_PROFILE, sizeof profile, profile, NULL));
        MUST(clGetDeviceInfo(device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof local, &local, NULL));
        CHECK(!strcmp(profile, local < 32 << 10 ? "EMBEDDED_PROFILE" : "FULL_PROFILE"));
        return finish();
    }
    check_queries();

    cl_context context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    cl_command_queue queue = MADE(clCreateCommandQueueWithProperties, context, device, NULL);
    cl_program program = PROGRAM(context, source, "-cl-std=CL3.0");
    cl_kernel kernel = MADE(clCreateKernel, program, "fill");
    const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D_ARRAY,
                                .image_width = WIDTH,
                                .image_height = HEIGHT,
                                .image_array_size = LAYERS};
    cl_mem image = MADE(clCreateImage, context, CL_MEM_WRITE_ONLY, &format, &desc, NULL);
    cl_mem sums = MADE(clCreateBuffer, context, CL_MEM_WRITE_ONLY, TEXELS * sizeof(cl_long), NULL);
    const cl_long step = 0x123456789LL;
    MUST(clSetKernelArg(kernel, 0, sizeof image, &image));
    MUST(clSetKernelArg(kernel, 1, sizeof sums, &sums));
    MUST(clSetKernelArg(kernel, 2, sizeof step, &step));
    const size_t global[3] = {WIDTH, HEIGHT, LAYERS}, origin[3] = {0};
    MUST(clEnqueueNDRangeKernel(queue, kernel, 3, NULL, global, NULL, 0, NULL, NULL));
    cl_uchar4 texels[TEXELS];
    cl_long values[TEXELS];
    MUST(clEnqueueReadImage(queue, image, CL_TRUE, origin, global, 0, 0, texels, 0, NULL, NULL));
    MUST(clEnqueueReadBuffer(queue, sums, CL_TRUE, 0, sizeof values, values, 0, NULL, NULL));
    for (int i = 0; i < TEXELS; i++) {
        EQ(texels[i].s[0], i % WIDTH);
        EQ(texels[i].s[1], i / WIDTH % HEIGHT);
        EQ(texels[i].s[2], i / WIDTH / HEIGHT);
        EQ(texels[i].s[3], 7);
        EQ(values[i], step * i);
    }
    MUST(clReleaseMemObject(image));
    MUST(clReleaseMemObject(sums));
    MUST(clReleaseKernel(kernel));
    MUST(clReleaseProgram(program));
    MUST(clReleaseCommandQueue(queue));
    release_last(context);
    return finish();
}
