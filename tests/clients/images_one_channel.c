// client: needs images
/* Kernels write images of one channel that other kernels read in several: intensity and luminance hold the red of
 * what is written. No kernel both reads and writes them. */
#include "common.h"

enum { W = 6, H = 5 };

static cl_context context;
static cl_command_queue queue;
static cl_program program;

static const char *source =
    "kernel void paint(write_only image2d_t image) {\n"
    "    int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
    "    write_imagef(image, at, (float4)((at.x + 6 * at.y) / 32.0f, 0.3f, 0.6f, 0.9f));\n"
    "}\n"
    "constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;\n"
    "kernel void look(read_only image2d_t image, global float4 *colors) {\n"
    "    int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
    "    colors[at.x + 6 * at.y] = read_imagef(image, nearest, at);\n"
    "}\n"
    "#ifdef __opencl_c_read_write_images\n"
    "kernel void change(read_write image2d_t image) {\n"
    "    write_imagef(image, (int2)(0), read_imagef(image, (int2)(1)));\n"
    "}\n"
    "#endif\n";

static cl_kernel kernel_of(const char *name)
{
    return MADE(clCreateKernel, program, name);
}

/* Whether a format is listed for images of these flags. */
static int listed(cl_mem_flags flags, cl_image_format format)
{
    static cl_image_format formats[512];
    cl_uint count;
    MUST(clGetSupportedImageFormats(context, flags, CL_MEM_OBJECT_IMAGE2D, 512, formats, &count));
    for (cl_uint i = 0; i < count; i++)
        if (memcmp(&formats[i], &format, sizeof format) == 0)
            return 1;
    return 0;
}

/* Paints an image and reads it back: what kernels see and what lies in memory. */
static void painted(cl_image_format format, int is_half)
{
    cl_int error;
    cl_kernel paint = kernel_of("paint"), look = kernel_of("look");
    cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = W, .image_height = H};
    cl_mem image = MADE(clCreateImage, context, CL_MEM_READ_WRITE, &format, &desc, NULL);
    cl_mem colors = MADE(clCreateBuffer, context, 0, W * H * sizeof(cl_float4), NULL);
    size_t all[2] = {W, H}, origin[3] = {0}, region[3] = {W, H, 1};
    MUST(clSetKernelArg(paint, 0, sizeof image, &image));
    MUST(clSetKernelArg(look, 0, sizeof image, &image));
    MUST(clSetKernelArg(look, 1, sizeof colors, &colors));
    MUST(clEnqueueNDRangeKernel(queue, paint, 2, NULL, all, NULL, 0, NULL, NULL));
    MUST(clEnqueueNDRangeKernel(queue, look, 2, NULL, all, NULL, 0, NULL, NULL));
    float seen[W * H][4], texels[W * H];
    cl_half halves[W * H];
    MUST(clEnqueueReadBuffer(queue, colors, CL_TRUE, 0, sizeof seen, seen, 0, NULL, NULL));
    void *host = is_half ? (void *)halves : (void *)texels;
    MUST(clEnqueueReadImage(queue, image, CL_TRUE, origin, region, 0, 0, host, 0, NULL, NULL));
    int wrong = 0;
    for (int i = 0; i < W * H; i++) {
        float red = i / 32.0f, alpha = format.image_channel_order == CL_LUMINANCE ? 1 : red;
        wrong += seen[i][0] != red || seen[i][1] != red || seen[i][2] != red || seen[i][3] != alpha;
        wrong += !is_half && texels[i] != red;
    }
    EQ(wrong, 0);
    if (is_half) {
        EQ(halves[1], 0x2800);
        EQ(halves[16], 0x3800);
        EQ(halves[29], 0x3b40);
    }
    /* Reading it in the kernel that writes it would not give every channel. */
    CHECK(!listed(CL_MEM_KERNEL_READ_AND_WRITE, format));
    cl_kernel change = clCreateKernel(program, "change", &error);
    if (error == CL_SUCCESS) {
        size_t one = 1;
        MUST(clSetKernelArg(change, 0, sizeof image, &image));
        EQ(clEnqueueNDRangeKernel(queue, change, 1, NULL, &one, NULL, 0, NULL, NULL), CL_IMAGE_FORMAT_NOT_SUPPORTED);
        MUST(clReleaseKernel(change));
    }
    MUST(clReleaseMemObject(colors));
    MUST(clReleaseMemObject(image));
    MUST(clReleaseKernel(paint));
    MUST(clReleaseKernel(look));
}

int main(void)
{
    cl_device_id device = pumice_device();
    context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    queue = MADE(clCreateCommandQueueWithProperties, context, device, NULL);
    program = PROGRAM(context, source, "-cl-std=CL3.0");
    static const cl_channel_order orders[] = {CL_INTENSITY, CL_LUMINANCE};
    int painting = 0;
    for (int i = 0; i < 2; i++)
        for (int is_half = 0; is_half < 2; is_half++) {
            cl_image_format format = {orders[i], is_half ? CL_HALF_FLOAT : CL_FLOAT};
            cl_image_format red = {CL_R, format.image_channel_data_type};
            /* What holds for red holds for them. */
            EQ(listed(CL_MEM_READ_WRITE, format), listed(CL_MEM_READ_WRITE, red));
            if (listed(CL_MEM_READ_WRITE, format)) {
                painted(format, is_half);
                painting++;
            }
        }
    CHECK(painting > 0);
    MUST(clReleaseProgram(program));
    MUST(clReleaseCommandQueue(queue));
    release_last(context);
    return finish();
}
