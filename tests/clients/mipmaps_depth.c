// client: needs images
/* cl_khr_mipmap_image on images of depths: kernels read and write the levels of planes and arrays of planes, and the
 * host reads what they wrote. */
#include "common.h"
#include <math.h>

enum { LEVELS = 3, W = 16, H = 8, LAYERS = 3, MOST = W * H * LAYERS };

static const char *source =
    "constant sampler_t nearest = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;\n"
    "#define AT int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2); \\\n"
    "    int w = get_global_size(0), h = get_global_size(1); int i = (z * h + y) * w + x; \\\n"
    "    float2 m = ((float2)(x, y) + 0.5f) / (float2)(w, h)\n"
    "#define DEPTH ((level * 400 + i) / 2048.0f)\n"
    "kernel void write_plane(write_only image2d_depth_t to, int level) {\n"
    "    AT; write_imagef(to, (int2)(x, y), level, DEPTH); }\n"
    "kernel void write_array(write_only image2d_array_depth_t to, int level) {\n"
    "    AT; write_imagef(to, (int4)(x, y, z, 0), level, DEPTH); }\n"
    "kernel void read_plane(read_only image2d_depth_t from, global float *to, int level) {\n"
    "    AT; to[i] = read_imagef(from, nearest, m, (float)level); }\n"
    "kernel void read_array(read_only image2d_array_depth_t from, global float *to, int level) {\n"
    "    AT; to[i] = read_imagef(from, nearest, (float4)(m, z, 0), (float)level); }\n";

static cl_context context;
static cl_command_queue queue;
static cl_program program;

static cl_kernel kernel_of(const char *name, cl_mem image)
{
    cl_kernel kernel = MADE(clCreateKernel, program, name);
    MUST(clSetKernelArg(kernel, 0, sizeof image, &image));
    return kernel;
}

static void region_of(size_t layers, int level, size_t region[3])
{
    region[0] = W >> level;
    region[1] = H >> level;
    region[2] = layers;
}

/* What a kernel wrote into a level, in units of 1/2048. */
static double wrote(int level, size_t i)
{
    return level * 400 + (double)i;
}

static void levels_of(cl_channel_type type, size_t layers)
{
    cl_image_format format = {CL_DEPTH, type};
    cl_image_desc desc = {
        .image_type = layers > 1 ? CL_MEM_OBJECT_IMAGE2D_ARRAY : CL_MEM_OBJECT_IMAGE2D,
        .image_width = W,
        .image_height = H,
        .image_array_size = layers > 1 ? layers : 0,
        .num_mip_levels = LEVELS,
    };
    cl_mem image = MADE(clCreateImage, context, CL_MEM_READ_WRITE, &format, &desc, NULL);
    cl_mem buffer = MADE(clCreateBuffer, context, 0, MOST * sizeof(float), NULL);
    cl_kernel writer = kernel_of(layers > 1 ? "write_array" : "write_plane", image);
    cl_kernel reader = kernel_of(layers > 1 ? "read_array" : "read_plane", image);
    MUST(clSetKernelArg(reader, 1, sizeof buffer, &buffer));
    for (cl_int level = 0; level < LEVELS; level++) {
        size_t region[3];
        region_of(layers, level, region);
        MUST(clSetKernelArg(writer, 1, sizeof level, &level));
        MUST(clEnqueueNDRangeKernel(queue, writer, 3, NULL, region, NULL, 0, NULL, NULL));
    }
    for (cl_int level = 0; level < LEVELS; level++) {
        float read[MOST] = {0};
        union {
            float floats[MOST];
            unsigned short shorts[MOST];
        } held = {{0}};
        size_t region[3], origin[4] = {0};
        region_of(layers, level, region);
        origin[layers > 1 ? 3 : 2] = (size_t)level;
        MUST(clSetKernelArg(reader, 2, sizeof level, &level));
        MUST(clEnqueueNDRangeKernel(queue, reader, 3, NULL, region, NULL, 0, NULL, NULL));
        MUST(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof read, read, 0, NULL, NULL));
        MUST(clEnqueueReadImage(queue, image, CL_TRUE, origin, region, 0, 0, &held, 0, NULL, NULL));
        int wrong = 0;
        for (size_t i = 0; i < region[0] * region[1] * layers; i++) {
            double host = type == CL_FLOAT ? held.floats[i] : held.shorts[i] / 65535.0;
            wrong += fabs(read[i] * 2048 - wrote(level, i)) > 0.05 || fabs(host * 2048 - wrote(level, i)) > 0.05;
        }
        if (wrong && values_matter()) {
            fprintf(stderr, "type %#x, %zu layers, level %d: %d wrong depths\n", type, layers, level, wrong);
            failures++;
        }
    }
    MUST(clReleaseKernel(reader));
    MUST(clReleaseKernel(writer));
    MUST(clReleaseMemObject(buffer));
    MUST(clReleaseMemObject(image));
}

int main(void)
{
    cl_device_id device = pumice_device();
    char extensions[8192] = "";
    MUST(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof extensions, extensions, NULL));
    CHECK(strstr(extensions, "cl_khr_mipmap_image"));
    if (!strstr(extensions, "cl_khr_mipmap_image_writes"))
        return finish();
    context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    queue = MADE(clCreateCommandQueueWithProperties, context, device, NULL);
    program = PROGRAM(context, source, "-cl-std=CL3.0");
    levels_of(CL_FLOAT, 1);
    levels_of(CL_FLOAT, LAYERS);
    levels_of(CL_UNORM_INT16, 1);
    levels_of(CL_UNORM_INT16, LAYERS);
    MUST(clReleaseProgram(program));
    MUST(clReleaseCommandQueue(queue));
    release_last(context);
    return finish();
}
