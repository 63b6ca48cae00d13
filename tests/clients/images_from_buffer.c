// client: needs images
/* Images that are rows of a buffer (2D images made of buffers, cl_ext_image_from_buffer): all types, with gaps between rows
 * and slices. What is done to one of both shows in the other. */
#include "common.h"

enum {
    WIDTH = 7,
    HEIGHT = 5,
    DEPTH = 3,
    ROW = 12,             /* texels from a row to the next */
    SLICE = ROW * 8,      /* texels from a slice to the next */
    FIRST = 64,           /* texels before the sub-buffer */
    N = FIRST + SLICE * DEPTH,
};

static cl_context context;
static cl_command_queue queue;
static cl_device_id device;
static cl_program program;

static const char *source =
    "kernel void read1(read_only image1d_t i, global int *o) { int x = get_global_id(0); o[x] = read_imagei(i, x).x; }\n"
    "kernel void write1(write_only image1d_t i, int a) { int x = get_global_id(0); write_imagei(i, x, (int4)(a + x)); }\n"
    "kernel void read1a(read_only image1d_array_t i, global int *o)\n"
    "{ int x = get_global_id(0), z = get_global_id(2); o[x + 7 * z] = read_imagei(i, (int2)(x, z)).x; }\n"
    "kernel void write1a(write_only image1d_array_t i, int a)\n"
    "{ int x = get_global_id(0), z = get_global_id(2); write_imagei(i, (int2)(x, z), (int4)(a + x + 7 * z)); }\n"
    "kernel void read2(read_only image2d_t i, global int *o)\n"
    "{ int x = get_global_id(0), y = get_global_id(1); o[x + 7 * y] = read_imagei(i, (int2)(x, y)).x; }\n"
    "kernel void write2(write_only image2d_t i, int a)\n"
    "{ int x = get_global_id(0), y = get_global_id(1); write_imagei(i, (int2)(x, y), (int4)(a + x + 7 * y)); }\n"
    "kernel void read2a(read_only image2d_array_t i, global int *o)\n"
    "{ int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);\n"
    "  o[x + 7 * (y + 5 * z)] = read_imagei(i, (int4)(x, y, z, 0)).x; }\n"
    "kernel void write2a(write_only image2d_array_t i, int a)\n"
    "{ int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);\n"
    "  write_imagei(i, (int4)(x, y, z, 0), (int4)(a + x + 7 * (y + 5 * z))); }\n"
    "kernel void read3(read_only image3d_t i, global int *o)\n"
    "{ int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);\n"
    "  o[x + 7 * (y + 5 * z)] = read_imagei(i, (int4)(x, y, z, 0)).x; }\n"
    "kernel void write3(write_only image3d_t i, int a)\n"
    "{ int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);\n"
    "  write_imagei(i, (int4)(x, y, z, 0), (int4)(a + x + 7 * (y + 5 * z))); }\n"
    "kernel void corner(write_only image2d_t i, int a) { write_imagei(i, (int2)(1, 2), (int4)(a)); }\n"
    "kernel void add(global int *b) { b[get_global_id(0)] += 1000; }\n";

struct shape {
    cl_mem_object_type type;
    const char *name;
    size_t region[3];
    size_t row, slice; /* texels */
};

static const struct shape shapes[] = {
    {CL_MEM_OBJECT_IMAGE1D, "1", {WIDTH, 1, 1}, 0, 0},
    {CL_MEM_OBJECT_IMAGE1D_ARRAY, "1a", {WIDTH, 1, DEPTH}, ROW, SLICE},
    {CL_MEM_OBJECT_IMAGE2D, "2", {WIDTH, HEIGHT, 1}, ROW, 0},
    {CL_MEM_OBJECT_IMAGE2D, "2", {WIDTH, HEIGHT, 1}, 0, 0},
    {CL_MEM_OBJECT_IMAGE2D_ARRAY, "2a", {WIDTH, HEIGHT, DEPTH}, ROW, SLICE},
    {CL_MEM_OBJECT_IMAGE3D, "3", {WIDTH, HEIGHT, DEPTH}, ROW, SLICE},
    {CL_MEM_OBJECT_IMAGE3D, "3", {WIDTH, HEIGHT, DEPTH}, 0, 0},
};

static cl_kernel kernel_of(const char *what, const char *name)
{
    char full[32];
    snprintf(full, sizeof full, "%s%s", what, name);
    return MADE(clCreateKernel, program, full);
}

static cl_image_desc desc_of(const struct shape *s, cl_mem buffer)
{
    cl_image_desc desc = {.image_type = s->type, .image_width = s->region[0]};
    if (s->type == CL_MEM_OBJECT_IMAGE2D || s->type == CL_MEM_OBJECT_IMAGE2D_ARRAY || s->type == CL_MEM_OBJECT_IMAGE3D)
        desc.image_height = s->region[1];
    if (s->type == CL_MEM_OBJECT_IMAGE3D)
        desc.image_depth = s->region[2];
    if (s->type == CL_MEM_OBJECT_IMAGE1D_ARRAY || s->type == CL_MEM_OBJECT_IMAGE2D_ARRAY)
        desc.image_array_size = s->region[2];
    desc.image_row_pitch = s->row * sizeof(int);
    desc.image_slice_pitch = s->slice * sizeof(int);
    desc.buffer = buffer;
    return desc;
}

/* The place of a texel among the sub-buffer's numbers. */
static size_t place(const struct shape *s, size_t x, size_t y, size_t z)
{
    size_t row = s->row ? s->row : s->region[0], slice = s->slice ? s->slice : row * s->region[1];
    return x + y * row + z * slice;
}

static int numbers[N], got[N];

/* The buffer has what the array has. */
static void same(cl_mem buffer, const char *what)
{
    MUST(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    for (int i = 0; i < N; i++) {
        if (got[i] != numbers[i]) {
            fprintf(stderr, "%s: number %d is %d, not %d\n", what, i, got[i], numbers[i]);
            failures++;
            return;
        }
    }
}

static void one(const struct shape *s)
{
    for (int i = 0; i < N; i++)
        numbers[i] = 7 * i + 1;
    cl_mem buffer = MADE(clCreateBuffer, context, CL_MEM_COPY_HOST_PTR, sizeof numbers, numbers);
    cl_buffer_region region = {FIRST * sizeof(int), (N - FIRST) * sizeof(int)};
    cl_mem part = MADE(clCreateSubBuffer, buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region);
    cl_mem out = MADE(clCreateBuffer, context, 0, sizeof numbers, NULL);
    cl_image_format format = {CL_R, CL_SIGNED_INT32};
    cl_image_desc desc = desc_of(s, part);
    cl_mem image = MADE(clCreateImage, context, CL_MEM_READ_WRITE, &format, &desc, NULL);
    size_t row = 0, slice = 77;
    cl_mem parent = NULL;
    MUST(clGetImageInfo(image, CL_IMAGE_ROW_PITCH, sizeof row, &row, NULL));
    MUST(clGetImageInfo(image, CL_IMAGE_SLICE_PITCH, sizeof slice, &slice, NULL));
    MUST(clGetImageInfo(image, CL_IMAGE_BUFFER, sizeof parent, &parent, NULL));
    EQ(row, sizeof(int) * (s->row ? s->row : s->region[0]));
    CHECK(parent == part);
    MUST(clGetMemObjectInfo(image, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof parent, &parent, NULL));
    CHECK(parent == part);

    const size_t *r = s->region;
    size_t zero[3] = {0};
    cl_kernel reads = kernel_of("read", s->name), writes = kernel_of("write", s->name), add = kernel_of("add", "");
    /* A kernel reads through the image what another did to the buffer. */
    size_t all = N;
    MUST(clSetKernelArg(add, 0, sizeof buffer, &buffer));
    MUST(clEnqueueNDRangeKernel(queue, add, 1, NULL, &all, NULL, 0, NULL, NULL));
    for (int i = 0; i < N; i++)
        numbers[i] += 1000;
    MUST(clSetKernelArg(reads, 0, sizeof image, &image));
    MUST(clSetKernelArg(reads, 1, sizeof out, &out));
    MUST(clEnqueueNDRangeKernel(queue, reads, 3, NULL, r, NULL, 0, NULL, NULL));
    MUST(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    for (size_t z = 0; z < r[2]; z++)
        for (size_t y = 0; y < r[1]; y++)
            for (size_t x = 0; x < r[0]; x++)
                EQ(got[x + r[0] * (y + r[1] * z)], numbers[FIRST + place(s, x, y, z)]);
    same(buffer, "after reading");
    /* The buffer has what a kernel writes through the image, and the gaps stay. */
    for (int round = 0; round < 3; round++) {
        int base = 5000 * (round + 1);
        MUST(clSetKernelArg(writes, 0, sizeof image, &image));
        MUST(clSetKernelArg(writes, 1, sizeof base, &base));
        MUST(clEnqueueNDRangeKernel(queue, writes, 3, NULL, r, NULL, 0, NULL, NULL));
        for (size_t z = 0; z < r[2]; z++)
            for (size_t y = 0; y < r[1]; y++)
                for (size_t x = 0; x < r[0]; x++)
                    numbers[FIRST + place(s, x, y, z)] = base + (int)(x + r[0] * (y + r[1] * z));
        same(buffer, "after writing");
    }
    /* The host reads, writes, fills and maps through the image. */
    /* The coordinates of an array of rows are two. */
    size_t box[3] = {r[0], r[1], r[2]};
    if (s->type == CL_MEM_OBJECT_IMAGE1D_ARRAY)
        box[1] = r[2], box[2] = 1;
    static int tight[WIDTH * HEIGHT * DEPTH];
    MUST(clEnqueueReadImage(queue, image, CL_TRUE, zero, box, 0, 0, tight, 0, NULL, NULL));
    for (size_t i = 0; i < r[0] * r[1] * r[2]; i++)
        EQ(tight[i], 15000 + (int)i);
    for (size_t i = 0; i < r[0] * r[1] * r[2]; i++)
        tight[i] = -(int)i;
    MUST(clEnqueueWriteImage(queue, image, CL_TRUE, zero, box, 0, 0, tight, 0, NULL, NULL));
    for (size_t z = 0; z < r[2]; z++)
        for (size_t y = 0; y < r[1]; y++)
            for (size_t x = 0; x < r[0]; x++)
                numbers[FIRST + place(s, x, y, z)] = -(int)(x + r[0] * (y + r[1] * z));
    same(buffer, "after a write");
    int color[4] = {123, 0, 0, 0};
    size_t second[3] = {1, 0, 0}, less[3] = {2, box[1], box[2]};
    MUST(clEnqueueFillImage(queue, image, color, second, less, 0, NULL, NULL));
    for (size_t z = 0; z < r[2]; z++)
        for (size_t y = 0; y < r[1]; y++)
            numbers[FIRST + place(s, 1, y, z)] = numbers[FIRST + place(s, 2, y, z)] = 123;
    same(buffer, "after a fill");
    size_t pitch = 0, pitch2 = 0;
    int *mapped = MADE(clEnqueueMapImage, queue, image, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, second, less, &pitch,
                       &pitch2, 0, NULL, NULL);
    EQ(pitch, row);
    EQ(mapped[0], 123);
    mapped[1] = 321;
    MUST(clEnqueueUnmapMemObject(queue, image, mapped, 0, NULL, NULL));
    numbers[FIRST + place(s, 2, 0, 0)] = 321;
    same(buffer, "after a map");
    /* Copies between both and another image. */
    MUST(clEnqueueCopyImageToBuffer(queue, image, out, zero, box, 0, 0, NULL, NULL));
    MUST(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    for (size_t z = 0; z < r[2]; z++)
        for (size_t y = 0; y < r[1]; y++)
            for (size_t x = 0; x < r[0]; x++)
                EQ(got[x + r[0] * (y + r[1] * z)], numbers[FIRST + place(s, x, y, z)]);
    cl_image_desc own = desc_of(s, NULL);
    own.image_row_pitch = own.image_slice_pitch = 0;
    cl_mem other = MADE(clCreateImage, context, CL_MEM_READ_WRITE, &format, &own, NULL);
    MUST(clEnqueueCopyImage(queue, image, other, zero, zero, box, 0, NULL, NULL));
    MUST(clEnqueueFillImage(queue, image, color, zero, box, 0, NULL, NULL));
    MUST(clEnqueueCopyImage(queue, other, image, zero, zero, box, 0, NULL, NULL));
    same(buffer, "after copies of images");
    MUST(clEnqueueFillImage(queue, image, color, zero, box, 0, NULL, NULL));
    MUST(clEnqueueCopyBufferToImage(queue, out, image, 0, zero, box, 0, NULL, NULL));
    same(buffer, "after a copy of bytes");
    EQ(clEnqueueCopyImageToBuffer(queue, image, part, zero, box, 0, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
    MUST(clReleaseMemObject(other));
    MUST(clReleaseKernel(add));
    MUST(clReleaseKernel(reads));
    MUST(clReleaseKernel(writes));
    MUST(clReleaseMemObject(image));
    MUST(clReleaseMemObject(out));
    MUST(clReleaseMemObject(part));
    MUST(clReleaseMemObject(buffer));
}

/* Many launches at once, on two queues and out of order, each with an image of its own rows. */
static void many(void)
{
    enum { IMAGES = 6, ROUNDS = 20 };
    cl_int error;
    cl_command_queue queues[2];
    for (int i = 0; i < 2; i++) {
        queues[i] = MADE(clCreateCommandQueue, context, device, i ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0);
    }
    cl_mem parts[IMAGES], images[IMAGES];
    cl_kernel corner = kernel_of("corner", "");
    cl_event last[IMAGES] = {0};
    for (int i = 0; i < IMAGES; i++) {
        cl_image_format format = {CL_R, CL_SIGNED_INT32};
        cl_mem own = MADE(clCreateBuffer, context, 0, ROW * HEIGHT * sizeof(int), NULL);
        parts[i] = own;
        cl_image_desc desc = desc_of(&shapes[2], own);
        images[i] = clCreateImage(context, CL_MEM_WRITE_ONLY, &format, &desc, NULL, &error);
        EQ(error, CL_SUCCESS);
    }
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < IMAGES; i++) {
            int value = round * IMAGES + i;
            cl_event done;
            MUST(clSetKernelArg(corner, 0, sizeof images[i], &images[i]));
            MUST(clSetKernelArg(corner, 1, sizeof value, &value));
            size_t size = 1;
            MUST(clEnqueueNDRangeKernel(queues[(round + i) % 2], corner, 1, NULL, &size, NULL, last[i] != NULL,
                                        last[i] ? &last[i] : NULL, &done));
            if (last[i])
                MUST(clReleaseEvent(last[i]));
            last[i] = done;
        }
        MUST(clFlush(queues[0]));
        MUST(clFlush(queues[1]));
    }
    for (int i = 0; i < IMAGES; i++) {
        int values[ROW * HEIGHT];
        MUST(clEnqueueReadBuffer(queue, parts[i], CL_TRUE, 0, sizeof values, values, 1, &last[i], NULL));
        for (int k = 0; k < ROW * HEIGHT; k++)
            EQ(values[k], k == 1 + 2 * ROW ? (ROUNDS - 1) * IMAGES + i : 0);
        MUST(clReleaseEvent(last[i]));
        MUST(clReleaseMemObject(images[i]));
        MUST(clReleaseMemObject(parts[i]));
    }
    MUST(clReleaseKernel(corner));
    MUST(clReleaseCommandQueue(queues[0]));
    MUST(clReleaseCommandQueue(queues[1]));
}

static void errors(void)
{
    cl_int error;
    cl_image_format format = {CL_RGBA, CL_UNORM_INT8}, srgb = {CL_sRGBA, CL_UNORM_INT8};
    cl_mem buffer = MADE(clCreateBuffer, context, CL_MEM_READ_ONLY, 4096, NULL);
    cl_image_desc good = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 8, .image_height = 4, .image_row_pitch = 64};
    good.buffer = buffer;
#define REFUSED(flags, with, desc, wanted)                                       \
    do {                                                                         \
        CHECK(!clCreateImage(context, flags, &(with), &(desc), NULL, &error));   \
        EQ(error, wanted);                                                       \
    } while (0)
    cl_image_desc d = good;
    d.image_row_pitch = 62;
    REFUSED(CL_MEM_READ_ONLY, format, d, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    d.image_row_pitch = 28;
    REFUSED(CL_MEM_READ_ONLY, format, d, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    d = good, d.image_height = 65;
    REFUSED(CL_MEM_READ_ONLY, format, d, CL_INVALID_IMAGE_SIZE);
    REFUSED(CL_MEM_READ_WRITE, format, good, CL_INVALID_VALUE);
    d = good, d.image_type = CL_MEM_OBJECT_IMAGE3D, d.image_depth = 2, d.image_slice_pitch = 300;
    REFUSED(CL_MEM_READ_ONLY, format, d, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    d.image_slice_pitch = 4096;
    REFUSED(CL_MEM_READ_ONLY, format, d, CL_INVALID_IMAGE_SIZE);
    cl_mem image = MADE(clCreateImage, context, 0, &format, &good, NULL);
    /* An image of the image, with other numbers for the same bytes. */
    d = good, d.mem_object = image;
    cl_mem view = MADE(clCreateImage, context, 0, &srgb, &d, NULL);
    MUST(clReleaseMemObject(view));
    d.image_row_pitch = 0;
    REFUSED(0, srgb, d, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    d.image_type = CL_MEM_OBJECT_IMAGE1D;
    REFUSED(0, format, d, CL_INVALID_IMAGE_DESCRIPTOR);
    MUST(clReleaseMemObject(image));
    MUST(clReleaseMemObject(buffer));
    static char memory[4100];
    char *odd = memory + 1 + (-(size_t)memory & 3);
    buffer = MADE(clCreateBuffer, context, CL_MEM_USE_HOST_PTR | CL_MEM_READ_ONLY, 2048, odd);
    good.buffer = buffer;
    REFUSED(CL_MEM_READ_ONLY, format, good, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    MUST(clReleaseMemObject(buffer));
}

int main(void)
{
    device = pumice_device();
    static char names[8192];
    MUST(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof names, names, NULL));
    CHECK(strstr(names, "cl_khr_image2d_from_buffer") && strstr(names, "cl_ext_image_from_buffer") &&
          strstr(names, "cl_ext_image_requirements_info"));
    cl_uint pitch = 0, base = 0;
    MUST(clGetDeviceInfo(device, CL_DEVICE_IMAGE_PITCH_ALIGNMENT, sizeof pitch, &pitch, NULL));
    MUST(clGetDeviceInfo(device, CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT, sizeof base, &base, NULL));
    CHECK(pitch == 1 && base == 1);
    context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    queue = MADE(clCreateCommandQueue, context, device, 0);
    program = PROGRAM(context, source, NULL);
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        one(&shapes[i]);
    many();
    errors();
    MUST(clReleaseProgram(program));
    MUST(clReleaseCommandQueue(queue));
    release_last(context);
    return finish();
}
