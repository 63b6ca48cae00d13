// client: needs images
/* cl_khr_srgb_image_writes: kernels write linear colours to images of sRGB, which hold the curve's value nearest to
 * them; alpha stays as it is. The same kernels write other images in between. */
#include "common.h"
#include <math.h>

enum { W = 64, H = 4, D = 2, COUNT = W * H * D };

static cl_context context;
static cl_device_id device;
static cl_command_queue queue;
static cl_program program;

static const char *source =
    "#pragma OPENCL EXTENSION cl_khr_3d_image_writes : enable\n"
    "float4 color(int x, int y, int z) {\n"
    "  float v = (x + 64 * (y + 4 * z)) / 511.0f; return (float4)(v, 1.0f - v, v * v * 1.2f - 0.1f, v); }\n"
    "#define AT int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2)\n"
    "kernel void to_1d(write_only image1d_t i) { AT; write_imagef(i, x, color(x, y, z)); }\n"
    "kernel void to_1d_array(write_only image1d_array_t i) { AT; write_imagef(i, (int2)(x, y), color(x, y, z)); }\n"
    "kernel void to_2d(write_only image2d_t i) { AT; write_imagef(i, (int2)(x, y), color(x, y, z)); }\n"
    "kernel void to_2d_array(write_only image2d_array_t i) { AT; write_imagef(i, (int4)(x, y, z, 0), color(x, y, z)); }\n"
    "kernel void to_3d(write_only image3d_t i) { AT; write_imagef(i, (int4)(x, y, z, 0), color(x, y, z)); }\n"
    "kernel void edges(write_only image2d_t i) {\n"
    "  write_imagef(i, (int2)(0, 0), (float4)(NAN, -1.0f, 2.0f, 0.5f));\n"
    "  write_imagef(i, (int2)(1, 0), (float4)(INFINITY, -INFINITY, 0.0031308f, 2.0f)); }\n"
    "kernel void both(write_only image2d_t a, write_only image2d_t b) {\n"
    "  AT; write_imagef(a, (int2)(x, y), color(x, y, z)); write_imagef(b, (int2)(x, y), color(x, y, z)); }\n"
    "kernel void sizes(write_only image2d_t i, global int *out) { out[0] = get_image_width(i) * get_image_height(i); }\n"
    "constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;\n"
    "kernel void reads(read_only image2d_t i, global float4 *out) {\n"
    "  AT; out[y * 64 + x] = read_imagef(i, nearest, (int2)(x, y)); }\n";

static double encoded(double linear)
{
    if (!(linear > 0))
        return 0;
    if (linear >= 1)
        return 255;
    return 255 * (linear <= 0.0031308 ? 12.92 * linear : 1.055 * pow(linear, 1 / 2.4) - 0.055);
}

static double plain(double value)
{
    return !(value > 0) ? 0 : value >= 1 ? 255 : value * 255;
}

/* The pixels of an image of some order against the colours that `to_…` wrote. */
static void check_pixels(const char *name, cl_mem image, const size_t region[3], cl_channel_order order)
{
    unsigned char got[COUNT][4];
    size_t origin[3] = {0, 0, 0};
    MUST(clEnqueueReadImage(queue, image, CL_TRUE, origin, region, 0, 0, got, 0, NULL, NULL));
    int is_srgb = order == CL_sRGBA || order == CL_sBGRA, swapped = order == CL_sBGRA || order == CL_BGRA, wrong = 0;
    size_t height = region[1];
    for (size_t z = 0; z < region[2]; z++)
        for (size_t y = 0; y < height; y++)
            for (size_t x = 0; x < W; x++) {
                unsigned char *texel = got[(z * height + y) * W + x];
                double v = (double)(x + 64 * (y + 4 * z)) / 511;
                double color[4] = {v, 1 - v, v * v * 1.2 - 0.1, v};
                for (int c = 0; c < 4; c++) {
                    int place = swapped && c < 3 ? 2 - c : c;
                    double expected = is_srgb && c < 3 ? encoded(color[c]) : plain(color[c]);
                    wrong += fabs(texel[place] - expected) > 0.6;
                }
            }
    if (wrong && values_matter()) {
        fprintf(stderr, "%s, order %#x: %d wrong channels\n", name, order, wrong);
        failures++;
    }
}

static cl_mem create(cl_channel_order order, cl_image_desc desc)
{
    cl_image_format format = {order, CL_UNORM_INT8};
    return MADE(clCreateImage, context, CL_MEM_READ_WRITE, &format, &desc, NULL);
}

static void write_shapes(cl_channel_order order)
{
    struct {
        const char *name;
        cl_image_desc desc;
        size_t region[3];
    } all[] = {
        {"to_1d", {.image_type = CL_MEM_OBJECT_IMAGE1D, .image_width = W}, {W, 1, 1}},
        {"to_1d_array", {.image_type = CL_MEM_OBJECT_IMAGE1D_ARRAY, .image_width = W, .image_array_size = H}, {W, H, 1}},
        {"to_2d", {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = W, .image_height = H}, {W, H, 1}},
        {"to_2d_array",
         {.image_type = CL_MEM_OBJECT_IMAGE2D_ARRAY, .image_width = W, .image_height = H, .image_array_size = D},
         {W, H, D}},
        {"to_3d", {.image_type = CL_MEM_OBJECT_IMAGE3D, .image_width = W, .image_height = H, .image_depth = D}, {W, H, D}},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        cl_mem image = create(order, all[i].desc);
        cl_kernel kernel = MADE(clCreateKernel, program, all[i].name);
        MUST(clSetKernelArg(kernel, 0, sizeof image, &image));
        MUST(clEnqueueNDRangeKernel(queue, kernel, 3, NULL, all[i].region, NULL, 0, NULL, NULL));
        check_pixels(all[i].name, image, all[i].region, order);
        MUST(clReleaseKernel(kernel));
        MUST(clReleaseMemObject(image));
    }
}

static const cl_image_desc plane = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = W, .image_height = H};
static const size_t whole[3] = {W, H, 1};

/* What a kernel reads back is linear again. OpenCL bounds its error on the curve, by half a step ("Conversion Rules for
 * sRGBA and sBGRA Images"), and devices use that up: near white half a step is 0.0045. Alpha is a share of 255. */
static void read_back(cl_mem image)
{
    unsigned char stored[W * H][4];
    float got[W * H][4];
    size_t origin[3] = {0, 0, 0};
    cl_mem out = MADE(clCreateBuffer, context, 0, sizeof got, NULL);
    cl_kernel kernel = MADE(clCreateKernel, program, "reads");
    MUST(clSetKernelArg(kernel, 0, sizeof image, &image));
    MUST(clSetKernelArg(kernel, 1, sizeof out, &out));
    MUST(clEnqueueNDRangeKernel(queue, kernel, 3, NULL, whole, NULL, 0, NULL, NULL));
    MUST(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    MUST(clEnqueueReadImage(queue, image, CL_TRUE, origin, whole, 0, 0, stored, 0, NULL, NULL));
    double worst[2] = {0, 0};
    for (int i = 0; i < W * H; i++)
        for (int c = 0; c < 4; c++) {
            double steps = c < 3 ? encoded(got[i][c]) : plain(got[i][c]);
            worst[c == 3] = fmax(worst[c == 3], fabs(steps - stored[i][c]));
        }
    if (values_matter() && (worst[0] > 0.5 || worst[1] > 0.001)) {
        fprintf(stderr, "reads of sRGB are %.4f steps away from the curve, alphas %.4f\n", worst[0], worst[1]);
        failures++;
    }
    MUST(clReleaseKernel(kernel));
    MUST(clReleaseMemObject(out));
}

/* One kernel object writes images of either kind in turn, and both at once. */
static void in_turn(void)
{
    cl_mem images[] = {create(CL_sRGBA, plane), create(CL_RGBA, plane)};
    cl_channel_order orders[] = {CL_sRGBA, CL_RGBA};
    cl_kernel kernel = MADE(clCreateKernel, program, "to_2d");
    for (int i = 0; i < 4; i++) {
        MUST(clSetKernelArg(kernel, 0, sizeof(cl_mem), &images[i & 1]));
        MUST(clEnqueueNDRangeKernel(queue, kernel, 3, NULL, whole, NULL, 0, NULL, NULL));
        check_pixels("in turn", images[i & 1], whole, orders[i & 1]);
    }
    MUST(clReleaseKernel(kernel));
    kernel = MADE(clCreateKernel, program, "both");
    for (int i = 0; i < 2; i++) {
        MUST(clSetKernelArg(kernel, 0, sizeof(cl_mem), &images[i]));
        MUST(clSetKernelArg(kernel, 1, sizeof(cl_mem), &images[1 - i]));
        MUST(clEnqueueNDRangeKernel(queue, kernel, 3, NULL, whole, NULL, 0, NULL, NULL));
        check_pixels("both", images[0], whole, orders[0]);
        check_pixels("both", images[1], whole, orders[1]);
    }
    MUST(clReleaseKernel(kernel));

    read_back(images[0]);
    kernel = MADE(clCreateKernel, program, "edges");
    MUST(clSetKernelArg(kernel, 0, sizeof(cl_mem), &images[0]));
    size_t one = 1, origin[3] = {0, 0, 0}, two[3] = {2, 1, 1};
    MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    unsigned char got[8];
    /* A half of a step goes to the even one. */
    double expected[8] = {0, 0, 255, 128, 255, 0, encoded(0.0031308), 255};
    MUST(clEnqueueReadImage(queue, images[0], CL_TRUE, origin, two, 0, 0, got, 0, NULL, NULL));
    for (int i = 0; i < 8 && values_matter(); i++)
        if (fabs(got[i] - expected[i]) > 0.6) {
            fprintf(stderr, "channel %d of the edges is %d, not %.2f\n", i, got[i], expected[i]);
            failures++;
        }
    MUST(clReleaseKernel(kernel));
    MUST(clReleaseMemObject(images[0]));
    MUST(clReleaseMemObject(images[1]));
}

static int is_listed(cl_mem_flags flags, cl_channel_order order)
{
    cl_image_format formats[256];
    cl_uint count = 0;
    MUST(clGetSupportedImageFormats(context, flags, CL_MEM_OBJECT_IMAGE2D, 256, formats, &count));
    for (cl_uint i = 0; i < count; i++)
        if (formats[i].image_channel_order == order)
            return 1;
    return 0;
}

/* A kernel that reads and writes would read what is not decoded: such images do not go to it. */
/* A kernel may take an image of sRGB and write none of its pixels. */
static void asked(void)
{
    cl_int pixels = 0;
    cl_kernel kernel = MADE(clCreateKernel, program, "sizes");
    cl_mem image = create(CL_sRGBA, plane);
    cl_mem out = MADE(clCreateBuffer, context, 0, sizeof pixels, NULL);
    MUST(clSetKernelArg(kernel, 0, sizeof image, &image));
    MUST(clSetKernelArg(kernel, 1, sizeof out, &out));
    MUST(clEnqueueTask(queue, kernel, 0, NULL, NULL));
    MUST(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof pixels, &pixels, 0, NULL, NULL));
    if (values_matter())
        EQ(pixels, W * H);
    MUST(clReleaseMemObject(out));
    MUST(clReleaseMemObject(image));
    MUST(clReleaseKernel(kernel));
}

static void refused(void)
{
    EQ(is_listed(CL_MEM_KERNEL_READ_AND_WRITE, CL_sRGBA), 0);
    const char *text = "kernel void k(read_write image2d_t i) { int2 p = 0; write_imagef(i, p, read_imagef(i, p)); }";
    cl_program built = MADE(clCreateProgramWithSource, context, 1, &text, NULL);
    if (clBuildProgram(built, 1, &device, "-cl-std=CL3.0", NULL, NULL) == CL_SUCCESS) {
        cl_kernel kernel = MADE(clCreateKernel, built, "k");
        cl_mem image = create(CL_sRGBA, plane);
        size_t one = 1;
        MUST(clSetKernelArg(kernel, 0, sizeof image, &image));
        EQ(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL), CL_IMAGE_FORMAT_NOT_SUPPORTED);
        MUST(clReleaseMemObject(image));
        MUST(clReleaseKernel(kernel));
    }
    MUST(clReleaseProgram(built));
}

int main(void)
{
    device = pumice_device();
    char extensions[8192] = "";
    MUST(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof extensions, extensions, NULL));
    context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    queue = MADE(clCreateCommandQueue, context, device, 0);
    if (!strstr(extensions, "cl_khr_srgb_image_writes")) {
        EQ(is_listed(CL_MEM_WRITE_ONLY, CL_sRGBA), 0);
        return finish();
    }
    EQ(is_listed(CL_MEM_WRITE_ONLY, CL_sRGBA), 1);
    EQ(is_listed(CL_MEM_READ_WRITE, CL_sRGBA), 1);
    program = PROGRAM(context, source, "-cl-std=CL1.2");
    write_shapes(CL_sRGBA);
    if (is_listed(CL_MEM_READ_WRITE, CL_sBGRA))
        write_shapes(CL_sBGRA);
    write_shapes(CL_RGBA);
    in_turn();
    asked();
    refused();
    MUST(clReleaseProgram(program));
    MUST(clReleaseCommandQueue(queue));
    release_last(context);
    return finish();
}
