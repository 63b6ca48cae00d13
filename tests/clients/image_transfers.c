/* Reads and writes of images that do not block are commands of the device's like others: they keep their order among kernels,
 * a write has taken the application's bytes once its call has returned where the device does it, and many make few
 * submissions. LAYER_QUEUES names the file in which the layer `gpu_like` writes the batches; without it only the texels
 * count. */
#include "common.h"
#include "queue_log.h"

enum { ROUNDS = 64, W = 37, H = 11, PITCH = W * 4 + 12, MOST_BATCHES = 40 };

static const char *source =
    "kernel void step(read_only image2d_t from, write_only image2d_t to, uint n)\n"
    "{\n"
    "    int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
    "    write_imageui(to, at, read_imageui(from, at) + n);\n"
    "}\n";

static unsigned char in[ROUNDS][H][PITCH], out[ROUNDS][H][W * 4];

int main(void)
{
    cl_device_id device = pumice_device();
    cl_bool has_images = CL_FALSE;
    MUST(clGetDeviceInfo(device, CL_DEVICE_IMAGE_SUPPORT, sizeof has_images, &has_images, NULL));
    if (!has_images)
        return finish();
    cl_context context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    cl_command_queue queue = MADE(clCreateCommandQueueWithProperties, context, device, NULL);
    cl_program program = PROGRAM(context, source, NULL);
    cl_kernel kernel = MADE(clCreateKernel, program, "step");
    cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
    cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = W, .image_height = H};
    cl_mem from = MADE(clCreateImage, context, CL_MEM_READ_ONLY, &format, &desc, NULL);
    cl_mem to = MADE(clCreateImage, context, CL_MEM_WRITE_ONLY, &format, &desc, NULL);
    MUST(clSetKernelArg(kernel, 0, sizeof from, &from));
    MUST(clSetKernelArg(kernel, 1, sizeof to, &to));
    for (int r = 0; r < ROUNDS; r++)
        for (int y = 0; y < H; y++)
            for (int x = 0; x < PITCH; x++)
                in[r][y][x] = (unsigned char)((r * 31 + y * 7 + x) % 100);
    /* The first launch waits for its pipeline. */
    size_t origin[3] = {0, 0, 0}, region[3] = {W, H, 1}, size[2] = {W, H};
    cl_uint add = 0;
    MUST(clSetKernelArg(kernel, 2, sizeof add, &add));
    MUST(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, size, NULL, 0, NULL, NULL));
    MUST(clFinish(queue));

    int before = batches();
    for (cl_uint r = 0; r < ROUNDS; r++) {
        MUST(clEnqueueWriteImage(queue, from, CL_FALSE, origin, region, PITCH, 0, in[r], 0, NULL, NULL));
        MUST(clSetKernelArg(kernel, 2, sizeof r, &r));
        MUST(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, size, NULL, 0, NULL, NULL));
        MUST(clEnqueueReadImage(queue, to, CL_FALSE, origin, region, 0, 0, out[r], 0, NULL, NULL));
    }
    MUST(clFinish(queue));
    CHECK(batches() - before <= MOST_BATCHES);
    int wrong = 0;
    for (int r = 0; r < ROUNDS; r++)
        for (int y = 0; y < H; y++)
            for (int x = 0; x < W * 4; x++)
                wrong += out[r][y][x] != in[r][y][x] + r;
    EQ(wrong, 0);

    /* What a read brings, a write behind it sends back. */
    static unsigned char back[H][W * 4];
    MUST(clEnqueueReadImage(queue, to, CL_FALSE, origin, region, 0, 0, back, 0, NULL, NULL));
    MUST(clEnqueueWriteImage(queue, from, CL_FALSE, origin, region, 0, 0, back, 0, NULL, NULL));
    size_t texel[3] = {1, 1, 1}, place[3] = {W - 2, 3, 0};
    unsigned char one[4] = {200, 201, 202, 203}, read[4] = {0};
    cl_event done = NULL;
    MUST(clEnqueueWriteImage(queue, from, CL_FALSE, place, texel, 0, 0, one, 0, NULL, &done));
    MUST(clWaitForEvents(1, &done));
    MUST(clReleaseEvent(done));
    memset(out[0], 0, sizeof out[0]);
    MUST(clEnqueueReadImage(queue, from, CL_TRUE, origin, region, 0, 0, out[0], 0, NULL, NULL));
    MUST(clEnqueueReadImage(queue, from, CL_TRUE, place, texel, 0, 0, read, 0, NULL, NULL));
    CHECK(memcmp(read, one, 4) == 0);
    memcpy(&out[ROUNDS - 1][3][4 * (W - 2)], one, 4);
    CHECK(memcmp(out[0], out[ROUNDS - 1], sizeof out[0]) == 0);

    MUST(clReleaseMemObject(from));
    MUST(clReleaseMemObject(to));
    MUST(clReleaseKernel(kernel));
    MUST(clReleaseProgram(program));
    MUST(clReleaseCommandQueue(queue));
    release_last(context);
    return finish();
}
