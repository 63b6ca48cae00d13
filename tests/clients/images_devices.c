// client: needs images
// client: all-drivers
/* An image in a context of every device there is, in turns: each one sees what the others wrote, by
 * kernels, fills, copies, maps and the host. With one device its queues take the turns. */
#include "common.h"

enum { W = 33, H = 9, TURNS = 8, MOST = 9 };

static const char *source =
    "kernel void step(read_only image2d_t from, write_only image2d_t to)\n"
    "{\n"
    "    int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
    "    write_imageui(to, at, read_imageui(from, at) * 3u + (uint4)(at.x, at.y, 1, 2));\n"
    "}\n";

int main(void)
{
    cl_device_id devices[MOST];
    cl_uint count = 0;
    cl_int error;
    MUST(clGetDeviceIDs(pumice_platform(), CL_DEVICE_TYPE_ALL, MOST, devices, &count));
    cl_context context = MADE(clCreateContext, NULL, count, devices, NULL, NULL);
    cl_uint turns = count > 1 ? count : 2;
    cl_command_queue queues[MOST];
    for (cl_uint i = 0; i < turns; i++) {
        queues[i] =
            clCreateCommandQueueWithProperties(context, devices[i % count], NULL, &error);
        MUST(error);
    }
    cl_program program = PROGRAM(context, source, NULL);
    cl_kernel kernel = MADE(clCreateKernel, program, "step");
    static cl_uint want[H][W][4], got[H][W][4];
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++)
            for (int c = 0; c < 4; c++)
                want[y][x][c] = (cl_uint)(y * 1000 + x * 10 + c);
    const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT32};
    const cl_image_desc desc = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = W, .image_height = H};
    cl_mem images[2];
    for (int i = 0; i < 2; i++) {
        images[i] = MADE(clCreateImage, context, i ? 0 : CL_MEM_COPY_HOST_PTR, &format, &desc, i ? NULL : want);
    }
    const size_t zero[3] = {0, 0, 0}, region[3] = {W, H, 1}, corner[3] = {4, 3, 1};
    for (cl_uint turn = 0; turn < TURNS; turn++) {
        cl_command_queue a = queues[turn % turns], b = queues[(turn + 1) % turns];
        cl_mem from = images[turn % 2], to = images[(turn + 1) % 2];
        cl_event steps[4];
        MUST(clSetKernelArg(kernel, 0, sizeof from, &from));
        MUST(clSetKernelArg(kernel, 1, sizeof to, &to));
        MUST(clEnqueueNDRangeKernel(a, kernel, 2, NULL, region, NULL, 0, NULL, &steps[0]));
        MUST(clFlush(a));
        cl_uint color[4] = {turn, 2, 3, 4};
        MUST(clEnqueueFillImage(b, to, color, zero, corner, 1, &steps[0], &steps[1]));
        MUST(clEnqueueCopyImage(b, to, from, zero, zero, region, 1, &steps[1], &steps[2]));
        MUST(clFlush(b));
        size_t pitch = 0;
        cl_uint *mapped = MADE(clEnqueueMapImage, a, from, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, zero, region, &pitch,
                               NULL, 1, &steps[2], NULL);
        EQ(pitch, W * 16);
        mapped[0] += 7;
        MUST(clEnqueueUnmapMemObject(a, from, mapped, 0, NULL, &steps[3]));
        MUST(clFlush(a));
        /* The next turn reads what this one wrote last. */
        MUST(clEnqueueCopyImage(b, from, to, zero, zero, region, 1, &steps[3], NULL));
        MUST(clFinish(b));
        for (int i = 0; i < 4; i++)
            MUST(clReleaseEvent(steps[i]));
        for (cl_uint y = 0; y < H; y++)
            for (cl_uint x = 0; x < W; x++) {
                const cl_uint add[4] = {x, y, 1, 2};
                for (int c = 0; c < 4; c++)
                    want[y][x][c] = x < 4 && y < 3 ? color[c] : want[y][x][c] * 3 + add[c];
            }
        want[0][0][0] += 7;
        MUST(clEnqueueReadImage(a, to, CL_TRUE, zero, region, 0, 0, got, 0, NULL, NULL));
        if (memcmp(got, want, sizeof got)) {
            fprintf(stderr, "turn %u\n", turn);
            failures++;
            if (values_matter())
                break;
        }
    }
    for (int i = 0; i < 2; i++)
        MUST(clReleaseMemObject(images[i]));
    MUST(clReleaseKernel(kernel));
    MUST(clReleaseProgram(program));
    for (cl_uint i = 0; i < turns; i++)
        MUST(clReleaseCommandQueue(queues[i]));
    release_last(context);
    return finish();
}
