/* A device without images: the queries say so, images and samplers are refused, and a program with
 * an image does not build. */
// client: env PUMICE_IMAGES=off
#include "common.h"
#include <string.h>

int main(void)
{
    cl_int error = 0;
    cl_device_id device = pumice_device();
    cl_context context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);

    cl_bool images = CL_TRUE;
    MUST(clGetDeviceInfo(device, CL_DEVICE_IMAGE_SUPPORT, sizeof images, &images, NULL));
    EQ(images, CL_FALSE);
    static const cl_device_info counts[] = {CL_DEVICE_MAX_READ_IMAGE_ARGS,
                                            CL_DEVICE_MAX_WRITE_IMAGE_ARGS,
                                            CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS,
                                            CL_DEVICE_MAX_SAMPLERS};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        cl_uint count = 1;
        MUST(clGetDeviceInfo(device, counts[i], sizeof count, &count, NULL));
        EQ(count, 0);
    }
    size_t size = 1;
    MUST(clGetDeviceInfo(device, CL_DEVICE_IMAGE2D_MAX_WIDTH, sizeof size, &size, NULL));
    EQ(size, 0);
    static char extensions[1 << 14];
    MUST(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof extensions, extensions, NULL));
    CHECK(!strstr(extensions, "image"));
    cl_uint count = 1;
    MUST(clGetSupportedImageFormats(context, 0, CL_MEM_OBJECT_IMAGE2D, 0, NULL, &count));
    EQ(count, 0);

    const cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
    const cl_image_desc desc = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
    CHECK(!clCreateImage(context, 0, &format, &desc, NULL, &error));
    EQ(error, CL_INVALID_OPERATION);
    CHECK(!clCreateSamplerWithProperties(context, NULL, &error));
    EQ(error, CL_INVALID_OPERATION);

    const char *source = "#ifdef __IMAGE_SUPPORT__\n#error images\n#endif\n"
                         "kernel void plain(global int *a) { *a = 1; }\n";
    cl_program program = PROGRAM(context, source, NULL);
    MUST(clReleaseProgram(program));
    source = "kernel void reads(read_only image2d_t a) {}\n";
    program = MADE(clCreateProgramWithSource, context, 1, &source, NULL);
    EQ(clBuildProgram(program, 1, &device, NULL, NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    static char log[1 << 14];
    MUST(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
    CHECK(strstr(log, "__opencl_c_images") != NULL);
    MUST(clReleaseProgram(program));
    release_last(context);
    return finish();
}
