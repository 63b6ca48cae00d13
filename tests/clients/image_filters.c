// client: needs images
/* Linear filters of literal samplers against OpenCL's formulas (8.2): every addressing mode, in pixels and normalised, of bytes,
 * signed bytes, 16-bit numbers and floats. A processor filters in floats; a GPU may have eight bits for the shares. */
#include "common.h"
#include "sampled_places.h"

enum { WIDTH = 61, HEIGHT = 37, PLACES = 1 << 12 };

static cl_context context;
static cl_command_queue queue;
static cl_device_id device;

static const struct {
    const char *name;
    cl_image_format format;
    int channels, bytes;
    double one;
} formats[] = {
    {"bytes", {CL_RGBA, CL_UNORM_INT8}, 4, 1, 255},
    {"one byte", {CL_R, CL_UNORM_INT8}, 1, 1, 255},
    {"signed bytes", {CL_RGBA, CL_SNORM_INT8}, 4, 1, 127},
    {"shorts", {CL_RGBA, CL_UNORM_INT16}, 4, 2, 65535},
    {"floats", {CL_RGBA, CL_FLOAT}, 4, 4, 1},
};

static const struct {
    const char *name;
    cl_addressing_mode mode;
    int normalized_only;
} modes[] = {{"CLK_ADDRESS_NONE", CL_ADDRESS_NONE, 0},
             {"CLK_ADDRESS_CLAMP_TO_EDGE", CL_ADDRESS_CLAMP_TO_EDGE, 0},
             {"CLK_ADDRESS_CLAMP", CL_ADDRESS_CLAMP, 0},
             {"CLK_ADDRESS_REPEAT", CL_ADDRESS_REPEAT, 1},
             {"CLK_ADDRESS_MIRRORED_REPEAT", CL_ADDRESS_MIRRORED_REPEAT, 1}};

static unsigned char pixels[WIDTH * HEIGHT * 16];
static float places[PLACES][2], got[PLACES][4];

/* A channel of a pixel as a number; of the border, zeros, but for an alpha that the image does not have. */
static double channel_at(int f, int x, int y, int channel)
{
    if (channel >= formats[f].channels)
        return channel == 3;
    if (x < 0 || y < 0)
        return 0;
    int at = (y * WIDTH + x) * formats[f].channels + channel;
    switch (formats[f].format.image_channel_data_type) {
    case CL_UNORM_INT8: return pixels[at] / formats[f].one;
    case CL_SNORM_INT8: return fmax(-1, (signed char)pixels[at] / formats[f].one);
    case CL_UNORM_INT16: return ((unsigned short *)(void *)pixels)[at] / formats[f].one;
    default: return ((float *)(void *)pixels)[at];
    }
}

static void check_filter(int f, int m, int normalized, double tolerance)
{
    char source[512];
    snprintf(source, sizeof source,
             "constant sampler_t s = CLK_NORMALIZED_COORDS_%s | %s | CLK_FILTER_LINEAR;\n"
             "kernel void filter(read_only image2d_t image, global const float2 *at, global float4 *out)\n"
             "{ size_t i = get_global_id(0); out[i] = read_imagef(image, s, at[i]); }\n",
             normalized ? "TRUE" : "FALSE", modes[m].name);
    const char *text = source;
    cl_program program = PROGRAM(context, text, "");
    cl_kernel kernel = MADE(clCreateKernel, program, "filter");
    for (int i = 0; i < PLACES; i++)
        for (int k = 0; k < 2; k++) {
            double c = rand() / (double)RAND_MAX;
            /* CLK_ADDRESS_NONE promises that nothing outside is read. */
            c = modes[m].mode == CL_ADDRESS_NONE ? 0.02 + 0.95 * c : 3 * c - 1;
            places[i][k] = (float)(normalized ? c : c * (k ? HEIGHT : WIDTH));
        }
    cl_image_desc shape = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = WIDTH, .image_height = HEIGHT};
    cl_mem image = MADE(clCreateImage, context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, &formats[f].format, &shape,
                        pixels);
    cl_mem at = MADE(clCreateBuffer, context, CL_MEM_COPY_HOST_PTR, sizeof places, places);
    cl_mem out = MADE(clCreateBuffer, context, CL_MEM_READ_WRITE, sizeof got, NULL);
    MUST(clSetKernelArg(kernel, 0, sizeof image, &image));
    MUST(clSetKernelArg(kernel, 1, sizeof at, &at));
    MUST(clSetKernelArg(kernel, 2, sizeof out, &out));
    size_t range = PLACES;
    MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &range, NULL, 0, NULL, NULL));
    MUST(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    for (int i = 0; i < PLACES; i++) {
        int xs[2], ys[2];
        float right, down;
        along(places[i][0], normalized, modes[m].mode, 1, WIDTH, xs, &right);
        along(places[i][1], normalized, modes[m].mode, 1, HEIGHT, ys, &down);
        for (int k = 0; k < 4; k++) {
            double want = (1 - down) * ((1 - right) * channel_at(f, xs[0], ys[0], k) + right * channel_at(f, xs[1], ys[0], k)) +
                          down * ((1 - right) * channel_at(f, xs[0], ys[1], k) + right * channel_at(f, xs[1], ys[1], k));
            if (!(fabs(got[i][k] - want) <= tolerance)) {
                fprintf(stderr, "%s, %s, %s: at (%g, %g) part %d is %g, not %g\n", formats[f].name, modes[m].name,
                        normalized ? "normalised" : "in pixels", places[i][0], places[i][1], k, got[i][k], want);
                failures++;
                i = PLACES - 1;
                break;
            }
        }
    }
    MUST(clReleaseMemObject(image));
    MUST(clReleaseMemObject(at));
    MUST(clReleaseMemObject(out));
    MUST(clReleaseKernel(kernel));
    MUST(clReleaseProgram(program));
}

int main(void)
{
    cl_platform_id platform;
    cl_device_type type;
    MUST(clGetPlatformIDs(1, &platform, NULL));
    MUST(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
    MUST(clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof type, &type, NULL));
    context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    queue = MADE(clCreateCommandQueueWithProperties, context, device, NULL);
    double tolerance = type == CL_DEVICE_TYPE_CPU ? 1e-6 : 0.02;
    for (int f = 0; f < (int)(sizeof formats / sizeof *formats); f++) {
        for (size_t i = 0; i < sizeof pixels; i++)
            pixels[i] = (unsigned char)(rand() >> 7);
        if (formats[f].format.image_channel_data_type == CL_FLOAT)
            for (int i = 0; i < WIDTH * HEIGHT * 4; i++)
                ((float *)(void *)pixels)[i] = (float)rand() / (float)RAND_MAX;
        for (int m = 0; m < (int)(sizeof modes / sizeof *modes); m++)
            for (int normalized = modes[m].normalized_only; normalized < 2; normalized++)
                check_filter(f, m, normalized, tolerance);
    }
    MUST(clReleaseCommandQueue(queue));
    release_last(context);
    return finish();
}
