// client: needs images
/* What nothing has written reads as zero: buffers, sub-buffers, images and SVM allocations made of
 * memory that others have left full, also in another context and on each device of a context. */
#include "common.h"

enum { STALE = 0xa5, DEVICES = 8 };

static const char *source =
    "kernel void copy(global const uchar *from, global uchar *to)\n"
    "{\n"
    "    to[get_global_id(0)] = from[get_global_id(0)];\n"
    "}\n"
    "kernel void mark(global uchar *p, int first)\n"
    "{\n"
    "    p[first + get_global_id(0)] = 7;\n"
    "}\n"
    "kernel void texels(read_only image2d_t from, global uint4 *to)\n"
    "{\n"
    "    int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
    "    to[at.y * get_global_size(0) + at.x] = read_imageui(from, at);\n"
    "}\n";

/* Sizes of buffers: less than a word, odd, a page, more than the host clears itself, memory of their
 * own. */
static const size_t sizes[] = {3, 133, 4096, 200001, 17 << 20};
enum { SIZES = sizeof sizes / sizeof *sizes };

static cl_device_id devices[DEVICES];
static cl_uint device_count;
static cl_context context;
static cl_command_queue queue, other_queue, free_queue;
static cl_kernel copy, mark, texels;
static unsigned char *bytes;
static long stale;

/* Counts a range of bytes that are not all of one value. */
static void look_at(size_t first, size_t end, int value)
{
    if (first < end)
        stale += bytes[first] != value || memcmp(bytes + first, bytes + first + 1, end - first - 1);
}

/* Looks for bytes outside [from, to) that are not 0, and for those inside that are not `inside`. */
static void look(size_t size, size_t from, size_t to, int inside)
{
    look_at(0, from, 0);
    look_at(from, to, inside);
    look_at(to, size, 0);
}

static cl_mem make(size_t size)
{
    return MADE(clCreateBuffer, context, CL_MEM_READ_WRITE, size, NULL);
}

/* Leaves memory of so many bytes full, and gives a buffer that may be made of it. */
static cl_mem fresh(size_t size)
{
    cl_uchar full = STALE;
    cl_mem old[3];
    for (int i = 0; i < 3; i++) {
        old[i] = make(size);
        MUST(clEnqueueFillBuffer(queue, old[i], &full, 1, 0, size, 0, NULL, NULL));
    }
    MUST(clFinish(queue));
    for (int i = 0; i < 3; i++)
        MUST(clReleaseMemObject(old[i]));
    return make(size);
}

static void read_whole(cl_mem buffer, size_t size)
{
    memset(bytes, STALE, size);
    MUST(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, size, bytes, 0, NULL, NULL));
}

/* Has a kernel mark bytes on a queue that is not flushed. */
static void mark_bytes(cl_command_queue on, cl_mem buffer, size_t first, size_t count)
{
    cl_int start = (cl_int)first;
    MUST(clSetKernelArg(mark, 0, sizeof buffer, &buffer));
    MUST(clSetKernelArg(mark, 1, sizeof start, &start));
    if (count)
        MUST(clEnqueueNDRangeKernel(on, mark, 1, NULL, &count, NULL, 0, NULL, NULL));
}

static void buffers(size_t size)
{
    cl_uchar seven = 7;
    size_t count = size / 3;
    for (int use = 0; use < 15; use++) {
        size_t first = size / 3;
        cl_mem buffer = fresh(size), second = NULL;
        cl_int error = 0;
        int marked = 1;
        switch (use) {
        case 0: /* Read at once. */
            marked = 0;
            break;
        case 1: { /* Mapped. */
            marked = 0;
            void *view = MADE(clEnqueueMapBuffer, queue, buffer, CL_TRUE, CL_MAP_READ, 0, size, 0, NULL, NULL);
            memcpy(bytes, view, size);
            look(size, 0, 0, 0);
            MUST(clEnqueueUnmapMemObject(queue, buffer, view, 0, NULL, NULL));
            break;
        }
        case 2: /* Copied. */
        case 3: /* Read by a kernel. */
            marked = 0;
            second = fresh(size);
            if (use == 2) {
                MUST(clEnqueueCopyBuffer(queue, buffer, second, 0, 0, size, 0, NULL, NULL));
            } else {
                MUST(clSetKernelArg(copy, 0, sizeof buffer, &buffer));
                MUST(clSetKernelArg(copy, 1, sizeof second, &second));
                MUST(clEnqueueNDRangeKernel(queue, copy, 1, NULL, &size, NULL, 0, NULL, NULL));
            }
            read_whole(second, size);
            look(size, 0, 0, 0);
            break;
        case 4: /* Written in part, by each kind of command. */
            memset(bytes, seven, count);
            MUST(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, first, count, bytes, 0, NULL, NULL));
            break;
        case 5:
            MUST(clEnqueueFillBuffer(queue, buffer, &seven, 1, first, count, 0, NULL, NULL));
            break;
        case 6:
            second = make(size);
            MUST(clEnqueueFillBuffer(queue, second, &seven, 1, 0, size, 0, NULL, NULL));
            MUST(clEnqueueCopyBuffer(queue, second, buffer, 0, first, count, 0, NULL, NULL));
            break;
        case 7: {
            void *view = MADE(clEnqueueMapBuffer, queue, buffer, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, first,
                              count, 0, NULL, NULL);
            memset(view, seven, count);
            MUST(clEnqueueUnmapMemObject(queue, buffer, view, 0, NULL, NULL));
            break;
        }
        case 8: { /* By kernels on two queues that nothing orders. */
            size_t low = count / 2;
            mark_bytes(queue, buffer, first, low);
            MUST(clFlush(queue));
            mark_bytes(other_queue, buffer, first + low, count - low);
            MUST(clFinish(other_queue));
            break;
        }
        case 9: { /* A whole rectangle of rows that leave gaps. */
            if (size < 64) {
                marked = 0;
                break;
            }
            size_t origin[3] = {0, 0, 0}, region[3] = {count, 1, 1}, at[3] = {first, 0, 0};
            memset(bytes, seven, count);
            MUST(clEnqueueWriteBufferRect(queue, buffer, CL_TRUE, at, origin, region, 0, 0, 0, 0, bytes, 0,
                                          NULL, NULL));
            break;
        }
        case 10: { /* Through a sub-buffer, whose whole is not the whole. */
            cl_buffer_region region = {0, count};
            first = 0;
            second = MADE(clCreateSubBuffer, buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region);
            MUST(clEnqueueFillBuffer(queue, second, &seven, 1, 0, count, 0, NULL, NULL));
            break;
        }
        case 11: { /* By kernels of one queue that nothing orders. */
            size_t low = count / 2;
            mark_bytes(free_queue, buffer, first, low);
            mark_bytes(free_queue, buffer, first + low, count - low);
            MUST(clFinish(free_queue));
            break;
        }
        case 12: /* By a kernel, and the rest by the host on another queue. */
            mark_bytes(queue, buffer, first, count);
            MUST(clEnqueueReadBuffer(other_queue, buffer, CL_TRUE, 0, first, bytes, 0, NULL, NULL));
            look(first, 0, 0, 0);
            break;
        case 13: { /* By a kernel, and the rest by the host through a map. */
            mark_bytes(queue, buffer, first, count);
            void *view = clEnqueueMapBuffer(other_queue, buffer, CL_TRUE, CL_MAP_READ, 0, first, 0, NULL, NULL,
                                            &error);
            MUST(error);
            memcpy(bytes, view, first);
            look(first, 0, 0, 0);
            MUST(clEnqueueUnmapMemObject(other_queue, buffer, view, 0, NULL, NULL));
            MUST(clFinish(other_queue));
            break;
        }
        case 14: /* By a kernel, and the rest by a copy on another queue. */
            second = fresh(size);
            mark_bytes(queue, buffer, first, count);
            MUST(clEnqueueCopyBuffer(other_queue, buffer, second, 0, 0, first, 0, NULL, NULL));
            MUST(clEnqueueReadBuffer(other_queue, second, CL_TRUE, 0, first, bytes, 0, NULL, NULL));
            look(first, 0, 0, 0);
            break;
        }
        read_whole(buffer, size);
        look(size, first, marked ? first + count : first, seven);
        if (second)
            MUST(clReleaseMemObject(second));
        MUST(clReleaseMemObject(buffer));
    }
    /* A write of the whole memory leaves nothing of the old contents, and nothing else. */
    for (int use = 0; use < 4; use++) {
        memset(bytes, seven, size);
        cl_mem buffer = fresh(size), second = NULL;
        if (use == 0) {
            MUST(clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, size, bytes, 0, NULL, NULL));
            MUST(clFinish(queue));
        } else if (use == 1) {
            MUST(clEnqueueFillBuffer(queue, buffer, &seven, 1, 0, size, 0, NULL, NULL));
        } else {
            second = MADE(clCreateBuffer, context, CL_MEM_COPY_HOST_PTR, size, bytes);
            MUST(clEnqueueCopyBuffer(queue, second, buffer, 0, 0, size, 0, NULL, NULL));
        }
        if (use == 3)
            read_whole(second, size);
        else
            read_whole(buffer, size);
        size_t wrong = 0;
        for (size_t i = 0; i < size; i++)
            wrong += bytes[i] != seven;
        EQ(wrong, 0);
        if (second)
            MUST(clReleaseMemObject(second));
        MUST(clReleaseMemObject(buffer));
    }
}

static void images(cl_mem_object_type type, size_t width, size_t height, size_t depth)
{
    cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
    cl_image_desc desc = {.image_type = type, .image_width = width, .image_height = height};
    size_t region[3] = {width, height, depth}, origin[3] = {0, 0, 0}, one[3] = {1, 1, 1};
    int array = type == CL_MEM_OBJECT_IMAGE1D_ARRAY || type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
    if (array)
        desc.image_array_size = type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? height : depth;
    if (type == CL_MEM_OBJECT_IMAGE3D)
        desc.image_depth = depth;
    if (type == CL_MEM_OBJECT_IMAGE1D_ARRAY)
        desc.image_height = 0;
    size_t size = width * height * depth * 4;
    cl_uint full[4] = {STALE, STALE, STALE, STALE}, seven[4] = {7, 7, 7, 7};
    for (int use = 0; use < 5; use++) {
        cl_mem old[3];
        for (int i = 0; i < 3; i++) {
            old[i] = MADE(clCreateImage, context, CL_MEM_READ_WRITE, &format, &desc, NULL);
            MUST(clEnqueueFillImage(queue, old[i], full, origin, region, 0, NULL, NULL));
        }
        MUST(clFinish(queue));
        for (int i = 0; i < 3; i++)
            MUST(clReleaseMemObject(old[i]));
        cl_mem image = MADE(clCreateImage, context, CL_MEM_READ_WRITE, &format, &desc, NULL);
        size_t marked = 0;
        if (use == 1) { /* One texel filled. */
            MUST(clEnqueueFillImage(queue, image, seven, origin, one, 0, NULL, NULL));
            marked = 4;
        } else if (use == 2) { /* One texel written. */
            memset(bytes, 7, 4);
            MUST(clEnqueueWriteImage(queue, image, CL_TRUE, origin, one, 0, 0, bytes, 0, NULL, NULL));
            marked = 4;
        } else if (use == 3) { /* All of them. */
            MUST(clEnqueueFillImage(queue, image, seven, origin, region, 0, NULL, NULL));
            marked = size;
        } else if (use == 4 && type == CL_MEM_OBJECT_IMAGE2D) { /* Read by a kernel. */
            cl_mem sums = make(size * 4);
            size_t global[2] = {width, height};
            MUST(clSetKernelArg(texels, 0, sizeof image, &image));
            MUST(clSetKernelArg(texels, 1, sizeof sums, &sums));
            MUST(clEnqueueNDRangeKernel(queue, texels, 2, NULL, global, NULL, 0, NULL, NULL));
            read_whole(sums, size * 4);
            look(size * 4, 0, 0, 0);
            MUST(clReleaseMemObject(sums));
        }
        memset(bytes, STALE, size);
        MUST(clEnqueueReadImage(queue, image, CL_TRUE, origin, region, 0, 0, bytes, 0, NULL, NULL));
        look(size, 0, marked, 7);
        MUST(clReleaseMemObject(image));
    }
}

/* A read of a new buffer that is still to come finds zeros, though the next command overwrites all of it. */
static void read_before_overwrite(void)
{
    enum { BYTES = 1000 };
    static unsigned char marks[BYTES], got[BYTES];
    memset(marks, 0x55, sizeof marks);
    for (int round = 0; round < rounds_of(60); round++) {
        cl_mem marked = MADE(clCreateBuffer, context, CL_MEM_COPY_HOST_PTR, BYTES, marks);
        cl_mem other = MADE(clCreateBuffer, context, CL_MEM_COPY_HOST_PTR, BYTES, marks);
        cl_mem fresh = MADE(clCreateBuffer, context, 0, BYTES, NULL);
        memset(got, 0xee, sizeof got);
        MUST(clEnqueueCopyBuffer(queue, marked, other, 0, 0, 16, 0, NULL, NULL));
        MUST(clEnqueueReadBuffer(queue, fresh, CL_FALSE, 0, BYTES, got, 0, NULL, NULL));
        MUST(clEnqueueCopyBuffer(queue, marked, fresh, 0, 0, BYTES, 0, NULL, NULL));
        MUST(clFinish(queue));
        for (int i = 0; i < BYTES; i++)
            stale += got[i] != 0;
        MUST(clReleaseMemObject(marked));
        MUST(clReleaseMemObject(other));
        MUST(clReleaseMemObject(fresh));
    }
}

static void svm(void)
{
    cl_device_svm_capabilities has = 0;
    for (cl_uint i = 0; i < device_count; i++) {
        has = 0;
        MUST(clGetDeviceInfo(devices[i], CL_DEVICE_SVM_CAPABILITIES, sizeof has, &has, NULL));
        if (!has)
            return;
    }
    queue = MADE(clCreateCommandQueueWithProperties, context, devices[0], NULL);
    for (int i = 0; i < SIZES; i++) {
        void *old[3];
        for (int j = 0; j < 3; j++) {
            old[j] = clSVMAlloc(context, CL_MEM_READ_WRITE, sizes[i], 0);
            /* Several devices have no common memory where the pointers of one are not its addresses. */
            if (!old[j] && device_count > 1) {
                MUST(clReleaseCommandQueue(queue));
                return;
            }
            CHECK(old[j] != NULL);
            MUST(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_WRITE, old[j], sizes[i], 0, NULL, NULL));
            memset(old[j], STALE, sizes[i]);
            MUST(clEnqueueSVMUnmap(queue, old[j], 0, NULL, NULL));
        }
        MUST(clFinish(queue));
        for (int j = 0; j < 3; j++)
            clSVMFree(context, old[j]);
        void *new = clSVMAlloc(context, CL_MEM_READ_WRITE, sizes[i], 0);
        CHECK(new != NULL);
        MUST(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, new, sizes[i], 0, NULL, NULL));
        memcpy(bytes, new, sizes[i]);
        MUST(clEnqueueSVMUnmap(queue, new, 0, NULL, NULL));
        MUST(clFinish(queue));
        look(sizes[i], 0, 0, 0);
        clSVMFree(context, new);
    }
    MUST(clReleaseCommandQueue(queue));
}

static void in_a_context(void)
{
    context = MADE(clCreateContext, NULL, device_count, devices, NULL, NULL);
    cl_program program = PROGRAM(context, source, "");
    copy = MADE(clCreateKernel, program, "copy");
    mark = MADE(clCreateKernel, program, "mark");
    texels = MADE(clCreateKernel, program, "texels");
    for (cl_uint device = 0; device < device_count; device++) {
        queue = MADE(clCreateCommandQueueWithProperties, context, devices[device], NULL);
        other_queue = MADE(clCreateCommandQueueWithProperties, context, devices[device], NULL);
        cl_queue_properties any_order[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
        free_queue = MADE(clCreateCommandQueueWithProperties, context, devices[device], any_order);
        for (int i = 0; i < SIZES; i++)
            buffers(sizes[i]);
        images(CL_MEM_OBJECT_IMAGE1D, 300, 1, 1);
        images(CL_MEM_OBJECT_IMAGE1D_ARRAY, 60, 5, 1);
        images(CL_MEM_OBJECT_IMAGE2D, 64, 33, 1);
        images(CL_MEM_OBJECT_IMAGE2D_ARRAY, 40, 30, 3);
        images(CL_MEM_OBJECT_IMAGE3D, 20, 10, 5);
        read_before_overwrite();
        MUST(clReleaseCommandQueue(free_queue));
        MUST(clReleaseCommandQueue(other_queue));
        MUST(clReleaseCommandQueue(queue));
    }
    svm();
    MUST(clReleaseKernel(texels));
    MUST(clReleaseKernel(mark));
    MUST(clReleaseKernel(copy));
    MUST(clReleaseProgram(program));
    MUST(clReleaseContext(context));
}

int main(void)
{
    MUST(clGetDeviceIDs(pumice_platform(), CL_DEVICE_TYPE_ALL, DEVICES, devices, &device_count));
    device_count = device_count < DEVICES ? device_count : DEVICES;
    bytes = malloc(sizes[SIZES - 1]);
    in_a_context();
    /* The memory of the first context, in a second one. */
    in_a_context();
    free(bytes);
#ifdef LEFT_AS_IT_WAS
    CHECK(stale > 0);
#else
    EQ(stale, 0);
#endif
    return finish();
}
