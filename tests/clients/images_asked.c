// client: needs images
/* Kernels that ask images for their sizes and touch no pixel: images of every class of numbers, each of which has bindings
 * of its own in Vulkan, get right answers and no message of a validation layer. */
#include "common.h"

static cl_context context;
static cl_device_id device;
static cl_command_queue queue;
static cl_program program;
static cl_mem out;
/* With descriptors alone a kernel asks the binding, which is of floats. */
static int asks_binding;

static const char *source =
    "#define SIZES(ACCESS)                                                                                              \\\n"
    "  kernel void ACCESS##_1d(ACCESS image1d_t i, global int *o) { o[0] = get_image_width(i); }                          \\\n"
    "  kernel void ACCESS##_buffer(ACCESS image1d_buffer_t i, global int *o) { o[0] = get_image_width(i); }               \\\n"
    "  kernel void ACCESS##_1d_array(ACCESS image1d_array_t i, global int *o) {                                           \\\n"
    "    o[0] = get_image_width(i); o[1] = (int)get_image_array_size(i); }                                                \\\n"
    "  kernel void ACCESS##_2d(ACCESS image2d_t i, global int *o) {                                                       \\\n"
    "    o[0] = get_image_width(i); o[1] = get_image_height(i); o[2] = get_image_dim(i).y; }                              \\\n"
    "  kernel void ACCESS##_2d_array(ACCESS image2d_array_t i, global int *o) {                                           \\\n"
    "    o[0] = get_image_width(i); o[1] = get_image_height(i); o[2] = (int)get_image_array_size(i); }                    \\\n"
    "  kernel void ACCESS##_3d(ACCESS image3d_t i, global int *o) {                                                       \\\n"
    "    int4 d = get_image_dim(i); o[0] = d.x; o[1] = d.y; o[2] = d.z; }\n"
    "#ifdef cl_khr_3d_image_writes\n"
    "#pragma OPENCL EXTENSION cl_khr_3d_image_writes : enable\n"
    "#endif\n"
    "SIZES(read_only)\n"
    "SIZES(write_only)\n"
    "kernel void two(read_only image2d_t a, read_only image2d_t b, sampler_t s, int last, global int *o) {\n"
    "  o[0] = get_image_width(a); o[1] = last ? get_image_height(a) : get_image_height(b);\n"
    "  o[2] = (int)(read_imagef(b, s, (int2)(1, 1)).x * 255.0f + 0.5f); o[3] = get_image_width(b); }\n";

static void ask(const char *name, cl_mem image, const int expected[3])
{
    cl_int got[3] = {-1, -1, -1};
    cl_kernel kernel = MADE(clCreateKernel, program, name);
    MUST(clEnqueueWriteBuffer(queue, out, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    MUST(clSetKernelArg(kernel, 0, sizeof image, &image));
    MUST(clSetKernelArg(kernel, 1, sizeof out, &out));
    size_t one = 1;
    MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    MUST(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    for (int i = 0; i < 3 && values_matter(); i++)
        if (got[i] != expected[i]) {
            fprintf(stderr, "%s: number %d is %d, not %d\n", name, i, got[i], expected[i]);
            failures++;
        }
    MUST(clReleaseKernel(kernel));
}

static void shapes_of(const cl_image_format *format)
{
    cl_mem buffer = MADE(clCreateBuffer, context, 0, 13 * 16, NULL);
    struct {
        const char *name;
        cl_image_desc desc;
        int expected[3];
    } all[] = {
        {"1d", {.image_type = CL_MEM_OBJECT_IMAGE1D, .image_width = 11}, {11, -1, -1}},
        {"buffer", {.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 13, .mem_object = buffer}, {13, -1, -1}},
        {"1d_array", {.image_type = CL_MEM_OBJECT_IMAGE1D_ARRAY, .image_width = 7, .image_array_size = 5}, {7, 5, -1}},
        {"2d", {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 9, .image_height = 6}, {9, 6, 6}},
        {"2d_array",
         {.image_type = CL_MEM_OBJECT_IMAGE2D_ARRAY, .image_width = 8, .image_height = 3, .image_array_size = 4},
         {8, 3, 4}},
        {"3d", {.image_type = CL_MEM_OBJECT_IMAGE3D, .image_width = 5, .image_height = 4, .image_depth = 3}, {5, 4, 3}},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        cl_mem image = MADE(clCreateImage, context, CL_MEM_READ_WRITE, format, &all[i].desc, NULL);
        char name[32];
        snprintf(name, sizeof name, "read_only_%s", all[i].name);
        ask(name, image, all[i].expected);
        snprintf(name, sizeof name, "write_only_%s", all[i].name);
        ask(name, image, all[i].expected);
        MUST(clReleaseMemObject(image));
    }
    MUST(clReleaseMemObject(buffer));
}

/* One image is only asked and the other read too. */
static void two_images(void)
{
    cl_int got[4];
    cl_image_format words = {CL_RGBA, asks_binding ? CL_FLOAT : CL_UNSIGNED_INT32}, bytes = {CL_RGBA, CL_UNORM_INT8};
    cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 12, .image_height = 10};
    cl_mem first = MADE(clCreateImage, context, CL_MEM_READ_ONLY, &words, &desc, NULL);
    cl_uchar pixels[3][2][4] = {{{0}}};
    pixels[1][1][0] = 77;
    desc.image_width = 2;
    desc.image_height = 3;
    cl_mem second = MADE(clCreateImage, context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, &bytes, &desc, pixels);
    cl_sampler sampler = MADE(clCreateSampler, context, CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_NEAREST);
    cl_kernel kernel = MADE(clCreateKernel, program, "two");
    for (int last = 0; last < 2; last++) {
        MUST(clSetKernelArg(kernel, 0, sizeof first, &first));
        MUST(clSetKernelArg(kernel, 1, sizeof second, &second));
        MUST(clSetKernelArg(kernel, 2, sizeof sampler, &sampler));
        MUST(clSetKernelArg(kernel, 3, sizeof last, &last));
        MUST(clSetKernelArg(kernel, 4, sizeof out, &out));
        size_t one = 1;
        MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
        MUST(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
        if (values_matter()) {
            EQ(got[0], 12);
            EQ(got[1], last ? 10 : 3);
            EQ(got[2], 77);
            EQ(got[3], 2);
        }
    }
    MUST(clReleaseKernel(kernel));
    MUST(clReleaseSampler(sampler));
    MUST(clReleaseMemObject(first));
    MUST(clReleaseMemObject(second));
}

int main(void)
{
    device = pumice_device();
    context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    queue = MADE(clCreateCommandQueue, context, device, 0);
    program = PROGRAM(context, source, "-cl-std=CL1.2");
    out = MADE(clCreateBuffer, context, 0, 64, NULL);
    cl_image_format formats[] = {
        {CL_RGBA, CL_UNORM_INT8},    {CL_RGBA, CL_FLOAT},          {CL_RGBA, CL_UNSIGNED_INT8},
        {CL_RGBA, CL_SIGNED_INT16},  {CL_RGBA, CL_UNSIGNED_INT32}, {CL_RGBA, CL_SIGNED_INT32},
        {CL_RGBA, CL_HALF_FLOAT},
    };
    char extensions[8192] = "";
    MUST(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof extensions, extensions, NULL));
    asks_binding = !strstr(extensions, "cl_ext_buffer_device_address");
    for (size_t i = 0; i < (asks_binding ? 2 : sizeof formats / sizeof *formats); i++)
        shapes_of(&formats[i]);
    two_images();
    MUST(clReleaseMemObject(out));
    MUST(clReleaseProgram(program));
    MUST(clReleaseCommandQueue(queue));
    release_last(context);
    return finish();
}
