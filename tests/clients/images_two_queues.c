// client: needs images
// client: races
/* Kernels on two queues write different texels of one image that is rows of a buffer, without order between them: the buffer
 * has what both wrote. */
#include "common.h"

enum { WIDTH = 50, HEIGHT = 40, PITCH = 64, ROUNDS = 8 };

static cl_context context;
static cl_device_id device;

static const char *source =
    "kernel void every_second(write_only image2d_t i, int first, int value)\n"
    "{ int x = get_global_id(0), y = get_global_id(1); if ((x + y) % 2 == first) write_imagei(i, (int2)(x, y), (int4)(value)); }\n"
    "kernel void every_second_u(write_only image2d_t i, int first, int value)\n"
    "{ int x = get_global_id(0), y = get_global_id(1);\n"
    "  if ((x + y) % 2 == first) write_imageui(i, (int2)(x, y), (uint4)(value)); }\n";

static void check(cl_kernel kernel, cl_image_format format, size_t texel, int shift)
{
    cl_command_queue queues[2];
    for (int q = 0; q < 2; q++) {
        queues[q] = MADE(clCreateCommandQueue, context, device, 0);
    }
    static unsigned char bytes[PITCH * HEIGHT * 16];
    const size_t pitch = PITCH * texel;
    cl_mem buffer = MADE(clCreateBuffer, context, 0, pitch * HEIGHT, NULL);
    cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = WIDTH, .image_height = HEIGHT};
    desc.image_row_pitch = pitch;
    desc.buffer = buffer;
    cl_mem image = MADE(clCreateImage, context, CL_MEM_READ_WRITE, &format, &desc, NULL);
    /* The rows between the image's are nobody's. */
    memset(bytes, 0x33, sizeof bytes);
    MUST(clEnqueueWriteBuffer(queues[0], buffer, CL_TRUE, 0, pitch * HEIGHT, bytes, 0, NULL, NULL));
    for (int round = 0; round < ROUNDS; round++) {
        size_t size[2] = {WIDTH, HEIGHT};
        for (int q = 0; q < 2; q++) {
            int first = q, value = 2 * round + q + 1;
            MUST(clSetKernelArg(kernel, 0, sizeof image, &image));
            MUST(clSetKernelArg(kernel, 1, sizeof first, &first));
            MUST(clSetKernelArg(kernel, 2, sizeof value, &value));
            MUST(clEnqueueNDRangeKernel(queues[q], kernel, 2, NULL, size, NULL, 0, NULL, NULL));
        }
        for (int q = 0; q < 2; q++)
            MUST(clFlush(queues[q]));
        for (int q = 0; q < 2; q++)
            MUST(clFinish(queues[q]));
        MUST(clEnqueueReadBuffer(queues[0], buffer, CL_TRUE, 0, pitch * HEIGHT, bytes, 0, NULL, NULL));
        int wrong = 0;
        for (int y = 0; y < HEIGHT; y++)
            for (int x = 0; x < PITCH; x++) {
                const unsigned char *at = bytes + (size_t)y * pitch + (size_t)x * texel;
                unsigned want = (unsigned)(2 * round + (x + y) % 2 + 1) << shift;
                if (x >= WIDTH)
                    wrong += at[0] != 0x33;
                else
                    wrong += at[0] != (want & 255) || (texel > 1 && at[1] != want >> 8);
            }
        if (wrong) {
            fprintf(stderr, "type %#x, round %d: %d texels are wrong\n", format.image_channel_data_type, round, wrong);
            failures++;
            break;
        }
    }
    MUST(clReleaseMemObject(image));
    MUST(clReleaseMemObject(buffer));
    for (int q = 0; q < 2; q++)
        MUST(clReleaseCommandQueue(queues[q]));
}

int main(void)
{
    device = pumice_device();
    context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    cl_program program = PROGRAM(context, source, NULL);
    cl_kernel ints = MADE(clCreateKernel, program, "every_second"), uints = MADE(clCreateKernel, program, "every_second_u");
    check(ints, (cl_image_format){CL_R, CL_SIGNED_INT8}, 1, 0);
    check(ints, (cl_image_format){CL_R, CL_SIGNED_INT16}, 2, 0);
    check(ints, (cl_image_format){CL_R, CL_SIGNED_INT32}, 4, 0);
    check(ints, (cl_image_format){CL_RGBA, CL_SIGNED_INT32}, 16, 0);
    /* Channels in the highest ten bits of 16. */
    check(uints, (cl_image_format){CL_R, 0x10E6}, 2, 6);
    MUST(clReleaseKernel(ints));
    MUST(clReleaseKernel(uints));
    MUST(clReleaseProgram(program));
    release_last(context);
    return finish();
}
