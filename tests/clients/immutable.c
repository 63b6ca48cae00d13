/* Immutable memory objects (cl_ext_immutable_memory_objects): every flag and command that could change one is refused;
 * reads, copies from them and kernels that read work. */
#include "common.h"

#ifndef CL_MEM_IMMUTABLE_EXT
#define CL_MEM_IMMUTABLE_EXT (1 << 6)
#endif
/* Half of the numbers is where a sub-buffer may begin on every device. */
enum { N = 128 };

static cl_context context;
static cl_command_queue queue;
static int numbers[N];

/* The error of creating a buffer, or success. */
static cl_int buffer_error(cl_mem_flags flags, void *host)
{
    cl_int error = 1;
    cl_mem made = clCreateBuffer(context, flags, sizeof numbers, host, &error);
    EQ(made != NULL, error == CL_SUCCESS);
    if (made)
        MUST(clReleaseMemObject(made));
    return error;
}

static void buffers(cl_device_id device)
{
    const cl_mem_flags immutable = CL_MEM_IMMUTABLE_EXT, copied = CL_MEM_IMMUTABLE_EXT | CL_MEM_COPY_HOST_PTR;
    EQ(buffer_error(immutable, NULL), CL_INVALID_VALUE);
    EQ(buffer_error(immutable | CL_MEM_ALLOC_HOST_PTR, NULL), CL_INVALID_VALUE);
    EQ(buffer_error(copied | CL_MEM_READ_WRITE, numbers), CL_INVALID_VALUE);
    EQ(buffer_error(copied | CL_MEM_WRITE_ONLY, numbers), CL_INVALID_VALUE);
    EQ(buffer_error(copied | CL_MEM_HOST_WRITE_ONLY, numbers), CL_INVALID_VALUE);
    EQ(buffer_error(copied | CL_MEM_READ_ONLY, numbers), CL_SUCCESS);
    EQ(buffer_error(immutable | CL_MEM_USE_HOST_PTR, numbers), CL_SUCCESS);
    EQ(buffer_error(copied, NULL), CL_INVALID_HOST_PTR);

    cl_int error;
    cl_mem fixed = MADE(clCreateBuffer, context, copied, sizeof numbers, numbers);
    cl_mem_flags flags = 0;
    MUST(clGetMemObjectInfo(fixed, CL_MEM_FLAGS, sizeof flags, &flags, NULL));
    EQ(flags, copied);
    cl_mem other = MADE(clCreateBuffer, context, CL_MEM_READ_WRITE, sizeof numbers, NULL);
    cl_buffer_region half = {sizeof numbers / 2, sizeof numbers / 2};
    const cl_mem_flags refused[] = {CL_MEM_READ_WRITE, CL_MEM_WRITE_ONLY, CL_MEM_HOST_WRITE_ONLY};
    for (int i = 0; i < 3; i++) {
        error = 0;
        CHECK(!clCreateSubBuffer(fixed, refused[i], CL_BUFFER_CREATE_TYPE_REGION, &half, &error));
        EQ(error, CL_INVALID_VALUE);
    }
    cl_mem part = MADE(clCreateSubBuffer, fixed, 0, CL_BUFFER_CREATE_TYPE_REGION, &half);
    MUST(clGetMemObjectInfo(part, CL_MEM_FLAGS, sizeof flags, &flags, NULL));
    CHECK(flags & CL_MEM_IMMUTABLE_EXT);

    int pattern = 7, got[N] = {0};
    size_t zero[3] = {0}, row[3] = {sizeof(int), 1, 1};
    cl_mem both[] = {fixed, part};
    for (int i = 0; i < 2; i++) {
        cl_mem to = both[i];
        EQ(clEnqueueWriteBuffer(queue, to, CL_TRUE, 0, 4, &pattern, 0, NULL, NULL), CL_INVALID_OPERATION);
        EQ(clEnqueueWriteBufferRect(queue, to, CL_TRUE, zero, zero, row, 0, 0, 0, 0, &pattern, 0, NULL, NULL),
           CL_INVALID_OPERATION);
        EQ(clEnqueueFillBuffer(queue, to, &pattern, 4, 0, 4, 0, NULL, NULL), CL_INVALID_OPERATION);
        EQ(clEnqueueCopyBuffer(queue, other, to, 0, 0, 4, 0, NULL, NULL), CL_INVALID_OPERATION);
        EQ(clEnqueueCopyBufferRect(queue, other, to, zero, zero, row, 0, 0, 0, 0, 0, NULL, NULL),
           CL_INVALID_OPERATION);
        cl_map_flags writes[] = {CL_MAP_WRITE, CL_MAP_WRITE_INVALIDATE_REGION, CL_MAP_READ | CL_MAP_WRITE};
        for (int k = 0; k < 3; k++) {
            error = 0;
            CHECK(!clEnqueueMapBuffer(queue, to, CL_TRUE, writes[k], 0, 4, 0, NULL, NULL, &error));
            EQ(error, CL_INVALID_OPERATION);
        }
        int *mapped = MADE(clEnqueueMapBuffer, queue, to, CL_TRUE, CL_MAP_READ, 0, 4, 0, NULL, NULL);
        EQ(*mapped, numbers[i * N / 2]);
        MUST(clEnqueueUnmapMemObject(queue, to, mapped, 0, NULL, NULL));
    }
    /* A kernel reads it. */
    const char *source = "kernel void sum(global const int *a, global int *b) { b[get_global_id(0)] += a[get_global_id(0)]; }";
    cl_program program = PROGRAM(context, source, NULL);
    cl_kernel kernel = MADE(clCreateKernel, program, "sum");
    MUST(clEnqueueCopyBuffer(queue, fixed, other, 0, 0, sizeof numbers, 0, NULL, NULL));
    MUST(clSetKernelArg(kernel, 0, sizeof fixed, &fixed));
    EQ(clSetKernelArg(kernel, 1, sizeof fixed, &fixed), CL_INVALID_ARG_VALUE);
    EQ(clSetKernelArg(kernel, 1, sizeof part, &part), CL_INVALID_ARG_VALUE);
    MUST(clSetKernelArg(kernel, 1, sizeof other, &other));
    size_t global = N;
    MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
    MUST(clEnqueueReadBuffer(queue, other, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    for (int i = 0; i < N; i++)
        EQ(got[i], 2 * numbers[i]);
    MUST(clEnqueueReadBuffer(queue, fixed, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    CHECK(!memcmp(got, numbers, sizeof got));
    MUST(clReleaseKernel(kernel));
    MUST(clReleaseProgram(program));
    MUST(clReleaseMemObject(part));
    MUST(clReleaseMemObject(other));
    MUST(clReleaseMemObject(fixed));
}

static void images(cl_device_id device)
{
    enum { SIDE = 4 };
    cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
    cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = SIDE, .image_height = SIDE};
    cl_int error = 0;
    CHECK(!clCreateImage(context, CL_MEM_IMMUTABLE_EXT, &format, &desc, NULL, &error));
    EQ(error, CL_INVALID_VALUE);
    const cl_mem_flags copied = CL_MEM_IMMUTABLE_EXT | CL_MEM_COPY_HOST_PTR;
    CHECK(!clCreateImage(context, copied | CL_MEM_READ_WRITE, &format, &desc, numbers, &error));
    EQ(error, CL_INVALID_VALUE);
    cl_mem fixed = MADE(clCreateImage, context, copied, &format, &desc, numbers);
    cl_mem other = MADE(clCreateImage, context, CL_MEM_READ_WRITE, &format, &desc, NULL);
    cl_mem bytes = MADE(clCreateBuffer, context, CL_MEM_READ_WRITE, sizeof numbers, NULL);
    /* An image of an immutable image is one too. */
    desc.mem_object = fixed;
    CHECK(!clCreateImage(context, CL_MEM_READ_ONLY, &format, &desc, NULL, &error));
    EQ(error, CL_INVALID_VALUE);
    cl_mem view = MADE(clCreateImage, context, CL_MEM_IMMUTABLE_EXT, &format, &desc, NULL);
    MUST(clReleaseMemObject(view));

    float color[4] = {0};
    size_t zero[3] = {0}, all[3] = {SIDE, SIDE, 1}, pitch;
    EQ(clEnqueueWriteImage(queue, fixed, CL_TRUE, zero, all, 0, 0, numbers, 0, NULL, NULL), CL_INVALID_OPERATION);
    EQ(clEnqueueFillImage(queue, fixed, color, zero, all, 0, NULL, NULL), CL_INVALID_OPERATION);
    EQ(clEnqueueCopyImage(queue, other, fixed, zero, zero, all, 0, NULL, NULL), CL_INVALID_OPERATION);
    EQ(clEnqueueCopyBufferToImage(queue, bytes, fixed, 0, zero, all, 0, NULL, NULL), CL_INVALID_OPERATION);
    CHECK(!clEnqueueMapImage(queue, fixed, CL_TRUE, CL_MAP_WRITE, zero, all, &pitch, NULL, 0, NULL, NULL, &error));
    EQ(error, CL_INVALID_OPERATION);
    int got[SIDE * SIDE] = {0};
    MUST(clEnqueueReadImage(queue, fixed, CL_TRUE, zero, all, 0, 0, got, 0, NULL, NULL));
    CHECK(!memcmp(got, numbers, sizeof got));

    const char *source = "kernel void w(write_only image2d_t i) { write_imagef(i, (int2)(0), (float4)(1)); }\n"
                         "kernel void r(read_only image2d_t i, global int *n)"
                         "{ *n = convert_int_rte(read_imagef(i, (int2)(1, 0)).x * 255); }";
    cl_program program = PROGRAM(context, source, NULL);
    cl_kernel writes = MADE(clCreateKernel, program, "w");
    cl_kernel reads = MADE(clCreateKernel, program, "r");
    EQ(clSetKernelArg(writes, 0, sizeof fixed, &fixed), CL_INVALID_ARG_VALUE);
    MUST(clSetKernelArg(writes, 0, sizeof other, &other));
    MUST(clSetKernelArg(reads, 0, sizeof fixed, &fixed));
    MUST(clSetKernelArg(reads, 1, sizeof bytes, &bytes));
    size_t one = 1;
    MUST(clEnqueueNDRangeKernel(queue, reads, 1, NULL, &one, NULL, 0, NULL, NULL));
    MUST(clEnqueueReadBuffer(queue, bytes, CL_TRUE, 0, 4, got, 0, NULL, NULL));
    EQ(got[0], numbers[1] & 255);
    /* Formats whose texels lie in groups are listed only where the access is named. */
    cl_mem_flags asked[] = {CL_MEM_IMMUTABLE_EXT, CL_MEM_IMMUTABLE_EXT | CL_MEM_READ_ONLY, CL_MEM_READ_ONLY};
    cl_uint counts[3] = {0};
    for (int i = 0; i < 3; i++)
        MUST(clGetSupportedImageFormats(context, asked[i], CL_MEM_OBJECT_IMAGE2D, 0, NULL, &counts[i]));
    CHECK(counts[0] > 0 && counts[0] <= counts[1]);
    EQ(counts[1], counts[2]);
    MUST(clReleaseKernel(reads));
    MUST(clReleaseKernel(writes));
    MUST(clReleaseProgram(program));
    MUST(clReleaseMemObject(bytes));
    MUST(clReleaseMemObject(other));
    MUST(clReleaseMemObject(fixed));
}

int main(void)
{
    cl_device_id device = pumice_device();
    static char names[8192];
    MUST(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof names, names, NULL));
    CHECK(strstr(names, "cl_ext_immutable_memory_objects"));
    context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    queue = MADE(clCreateCommandQueue, context, device, 0);
    for (int i = 0; i < N; i++)
        numbers[i] = 1000 + 3 * i;
    buffers(device);
    cl_bool has_images = CL_FALSE;
    MUST(clGetDeviceInfo(device, CL_DEVICE_IMAGE_SUPPORT, sizeof has_images, &has_images, NULL));
    if (has_images)
        images(device);
    MUST(clReleaseCommandQueue(queue));
    release_last(context);
    return finish();
}
