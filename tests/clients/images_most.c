// client: needs images
/* A kernel with as many images as the device says that one takes, beside a buffer. With a
 * CL_DEVICE_MAX_PARAMETER_SIZE of 1024 a kernel has up to 128 arguments, with more up to 255. */
#include "common.h"

enum { MOST = 160, LINE = 64 };

static cl_context context;
static cl_command_queue queue;
static cl_device_id device;

/* Sums the first components of that many images. The border of an image is told in four bytes, for
 * which devices without addresses (they have no SVM) have no place but push constants. */
static cl_kernel kernel_of(cl_uint count, cl_program *program)
{
    static char source[MOST * LINE * 2 + 256];
    cl_device_svm_capabilities svm = 0;
    MUST(clGetDeviceInfo(device, CL_DEVICE_SVM_CAPABILITIES, sizeof svm, &svm, NULL));
    char *at = source;
    at += sprintf(at, "kernel void sum(global float *out");
    for (cl_uint i = 0; i < count; i++)
        at += sprintf(at, ", read_only image2d_t image%u", i);
    at += sprintf(at, ")\n{\n    const sampler_t sampler = CLK_NORMALIZED_COORDS_FALSE | "
                      "CLK_ADDRESS_CLAMP%s | CLK_FILTER_NEAREST;\n    float sum = 0.0f;\n",
                  svm ? "" : "_TO_EDGE");
    for (cl_uint i = 0; i < count; i++)
        at += sprintf(at, "    sum += read_imagef(image%u, sampler, (int2)(0, 0)).x;\n", i);
    sprintf(at, "    *out = sum;\n}\n");
    const char *text = source;
    cl_int error = 0;
    *program = MADE(clCreateProgramWithSource, context, 1, &text, NULL);
    error = clBuildProgram(*program, 1, &device, NULL, NULL, NULL);
    if (error) {
        static char log[1 << 16];
        clGetProgramBuildInfo(*program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        fprintf(stderr, "%u images: %s", count, log);
    }
    MUST(error);
    return MADE(clCreateKernel, *program, "sum");
}

int main(void)
{
    device = pumice_device();
    context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    queue = MADE(clCreateCommandQueueWithProperties, context, device, NULL);

    cl_uint count = 0;
    size_t size = 0;
    MUST(clGetDeviceInfo(device, CL_DEVICE_MAX_READ_IMAGE_ARGS, sizeof count, &count, NULL));
    MUST(clGetDeviceInfo(device, CL_DEVICE_MAX_PARAMETER_SIZE, sizeof size, &size, NULL));
    CHECK(count >= 128 && count <= MOST);
    CHECK(size >= 1024);
    const cl_uint arguments = size == 1024 ? 128 : 255;
    if (count > arguments - 1)
        count = arguments - 1;

    cl_program program;
    cl_kernel kernel = kernel_of(count, &program);
    const cl_image_format format = {CL_RGBA, CL_FLOAT};
    const cl_image_desc desc = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 1, .image_height = 1};
    cl_mem images[MOST];
    float sum = 0.0f, got = 0.0f;
    for (cl_uint i = 0; i < count; i++) {
        cl_float texel[4] = {(cl_float)(i + 1), 0.0f, 0.0f, 0.0f};
        images[i] = MADE(clCreateImage, context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, &format, &desc, texel);
        MUST(clSetKernelArg(kernel, i + 1, sizeof *images, &images[i]));
        sum += texel[0];
    }
    cl_mem out = MADE(clCreateBuffer, context, 0, sizeof got, NULL);
    MUST(clSetKernelArg(kernel, 0, sizeof out, &out));
    const size_t one = 1;
    MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    MUST(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof got, &got, 0, NULL, NULL));
    CHECK(got == sum);

    MUST(clReleaseMemObject(out));
    for (cl_uint i = 0; i < count; i++)
        MUST(clReleaseMemObject(images[i]));
    MUST(clReleaseKernel(kernel));
    MUST(clReleaseProgram(program));
    MUST(clReleaseCommandQueue(queue));
    release_last(context);
    return finish();
}
