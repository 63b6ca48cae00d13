/* cl_intel_subgroups: blocks of images, for every format with pixels of up to four bytes, at every offset and
 * beyond the borders; and whether the device's list, the macros and the functions agree, also without sub-groups. */
#include "common.h"
#include <unistd.h>

enum { WIDTH = 37, HEIGHT = 11, MOST = 4 * WIDTH * HEIGHT, VALUES = 16 * 128 };

static cl_device_id device;
static cl_context context;
static cl_command_queue queue;
static size_t lanes;

static const char *source =
    "#define KERNELS(T, F, N) \\\n"
    "kernel void read##F##N(read_only image2d_t i, int2 c, global T *o) { \\\n"
    "    union { T##N v; T a[N + 0]; } u; \\\n"
    "    u.v = intel_sub_group_block_read##F##N(i, c); \\\n"
    "    for (int n = 0; n < N; n++) o[n * get_local_size(0) + get_local_id(0)] = u.a[n]; } \\\n"
    "kernel void write##F##N(write_only image2d_t i, int2 c, global const T *o) { \\\n"
    "    union { T##N v; T a[N + 0]; } u; \\\n"
    "    for (int n = 0; n < N; n++) u.a[n] = o[n * get_local_size(0) + get_local_id(0)]; \\\n"
    "    intel_sub_group_block_write##F##N(i, c, u.v); }\n"
    "KERNELS(uchar, _uc, 2) KERNELS(uchar, _uc, 16) KERNELS(ushort, _us, 4) KERNELS(ushort, _us, 16)\n"
    "KERNELS(uint, , 2) KERNELS(uint, _ui, 8) KERNELS(ulong, _ul, 4)\n"
    "kernel void read_uc1(read_only image2d_t i, int2 c, global uchar *o)\n"
    "{ o[get_local_id(0)] = intel_sub_group_block_read_uc(i, c); }\n"
    "kernel void write_uc1(write_only image2d_t i, int2 c, global const uchar *o)\n"
    "{ intel_sub_group_block_write_uc(i, c, o[get_local_id(0)]); }\n"
    "kernel void size(global uint *o) { *o = get_max_sub_group_size(); }\n";

static const struct block {
    const char *name;
    int bytes, rows;
} blocks[] = {
    {"_uc1", 1, 1}, {"_uc2", 1, 2}, {"_uc16", 1, 16}, {"_us4", 2, 4},
    {"_us16", 2, 16}, {"2", 4, 2}, {"_ui8", 4, 8}, {"_ul4", 8, 4},
};

static unsigned seed = 1;
static unsigned random_bits(void)
{
    seed = seed * 1664525u + 1013904223u;
    return seed >> 8;
}

static int inside(int n, int size)
{
    return n < 0 ? 0 : n >= size ? size - 1 : n;
}

/* The byte that a read finds at a byte of a row: of the nearest pixel. */
static unsigned char byte_at(const unsigned char *texels, int pixel, int x, int y)
{
    int within = x & (pixel - 1);
    int n = inside((x - within) / pixel, WIDTH);
    return texels[(inside(y, HEIGHT) * WIDTH + n) * pixel + within];
}

static cl_kernel kernel_of(cl_program program, const char *what, const char *name)
{
    char full[32];
    snprintf(full, sizeof full, "%s%s", what, name);
    return MADE(clCreateKernel, program, full);
}

static cl_int run(cl_kernel kernel, cl_mem image, int x, int y, cl_mem values)
{
    cl_int at[2] = {x, y};
    MUST(clSetKernelArg(kernel, 0, sizeof image, &image));
    MUST(clSetKernelArg(kernel, 1, sizeof at, at));
    MUST(clSetKernelArg(kernel, 2, sizeof values, &values));
    return clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &lanes, &lanes, 0, NULL, NULL);
}

static unsigned char texels[MOST], got[MOST], values[8 * VALUES], read_back[8 * VALUES];
static const size_t origin[3] = {0, 0, 0}, region[3] = {WIDTH, HEIGHT, 1};

static void check_block(cl_program program, cl_mem image, cl_mem buffer, int pixel, const struct block *b)
{
    /* Words of an image begin at multiples of four bytes for writes, anywhere for reads. */
    const int at[][2] = {{0, 0}, {4, 1}, {3, 2}, {-5, -1}, {WIDTH * pixel - 6, HEIGHT - 2}, {-8, 3}};
    cl_kernel reads = kernel_of(program, "read", b->name), writes = kernel_of(program, "write", b->name);
    int count = (int)lanes * b->rows;
    for (size_t k = 0; k < sizeof at / sizeof *at; k++) {
        int x = at[k][0], y = at[k][1];
        MUST(clEnqueueWriteImage(queue, image, CL_TRUE, origin, region, 0, 0, texels, 0, NULL, NULL));
        MUST(run(reads, image, x, y, buffer));
        MUST(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, (size_t)(count * b->bytes), read_back, 0, NULL, NULL));
        for (int n = 0; n < count; n++) {
            for (int byte = 0; byte < b->bytes; byte++) {
                int from = x + n % (int)lanes * b->bytes + byte;
                unsigned char right = byte_at(texels, pixel, from, y + n / (int)lanes);
                if (read_back[n * b->bytes + byte] != right && values_matter()) {
                    fprintf(stderr, "read%s at %d, %d, pixels of %d: byte %d of value %d is %d, not %d\n", b->name, x, y,
                            pixel, byte, n, read_back[n * b->bytes + byte], right);
                    failures++;
                    goto next;
                }
            }
        }
        if (x % 4)
            continue;
        for (int i = 0; i < count * b->bytes; i++)
            values[i] = (unsigned char)random_bits();
        MUST(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, (size_t)(count * b->bytes), values, 0, NULL, NULL));
        MUST(run(writes, image, x, y, buffer));
        MUST(clEnqueueReadImage(queue, image, CL_TRUE, origin, region, 0, 0, got, 0, NULL, NULL));
        static unsigned char right[MOST];
        memcpy(right, texels, sizeof right);
        for (int n = 0; n < count; n++) {
            for (int byte = 0; byte < b->bytes; byte++) {
                int to = x + n % (int)lanes * b->bytes + byte, row = y + n / (int)lanes;
                if (to >= 0 && to < WIDTH * pixel && row >= 0 && row < HEIGHT)
                    right[row * WIDTH * pixel + to] = values[n * b->bytes + byte];
            }
        }
        for (int i = 0; i < WIDTH * HEIGHT * pixel; i++) {
            if (got[i] != right[i] && values_matter()) {
                fprintf(stderr, "write%s at %d, %d, pixels of %d: byte %d is %d, not %d\n", b->name, x, y, pixel, i,
                        got[i], right[i]);
                failures++;
                goto next;
            }
        }
    }
next:
    MUST(clReleaseKernel(reads));
    MUST(clReleaseKernel(writes));
}

/* Texels that lie in groups (cl_ext_image_raw10_raw12, cl_intel_packed_yuv). */
static int is_grouped(const cl_image_format *format)
{
    cl_channel_type type = format->image_channel_data_type;
    cl_channel_order order = format->image_channel_order;
    return type == 0x10E3 || type == 0x10E4 || (order >= 0x4076 && order <= 0x4079);
}

/* Texels that Vulkan does not have, these and cl_ext_image_unsigned_10x6_12x4_14x2's: the driver converts them for
 * kernels, which gives no blocks. */
static int is_converted(const cl_image_format *format)
{
    cl_channel_type type = format->image_channel_data_type;
    return is_grouped(format) || type == 0x10E1 || (type >= 0x10E6 && type <= 0x10EA);
}

static cl_program build(const char *text, cl_int *built)
{
    cl_program program = MADE(clCreateProgramWithSource, context, 1, &text, NULL);
    *built = clBuildProgram(program, 1, &device, "-cl-std=CL1.2", NULL, NULL);
    return program;
}

static char log_text[4096];
static void must_not_build(const char *text, const char *reason)
{
    cl_int built;
    cl_program program = build(text, &built);
    EQ(built, CL_BUILD_PROGRAM_FAILURE);
    MUST(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log_text, log_text, NULL));
    if (!strstr(log_text, reason)) {
        fprintf(stderr, "the log lacks \"%s\":\n%s\n", reason, log_text);
        failures++;
    }
    MUST(clReleaseProgram(program));
}

/* The list, the macros and the functions agree; gives whether the extensions are there. */
static int check_agreement(void)
{
    const char *names[] = {"cl_intel_subgroups", "cl_intel_subgroups_char", "cl_intel_subgroups_short",
                           "cl_intel_subgroups_long", "cl_intel_subgroup_local_block_io"};
    char listed[8192] = "";
    MUST(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof listed, listed, NULL));
    int all = strstr(listed, "cl_intel_spirv_subgroups") != NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char word[64], text[256];
        snprintf(word, sizeof word, "%s ", names[i]);
        strcat(listed, " ");
        EQ(strstr(listed, word) != NULL, all);
        snprintf(text, sizeof text, "#ifdef %s\n#error there\n#endif\nkernel void k() {}\n", names[i]);
        cl_int built;
        MUST(clReleaseProgram(build(text, &built)));
        EQ(built == CL_SUCCESS, !all);
    }
    if (!all)
        must_not_build("kernel void k(global uint *p) { p[64] = intel_sub_group_block_read(p); }\n",
                       "requires cl_intel_subgroups support");
    return all;
}

int main(int argc, char **argv)
{
    (void)argc;
    device = pumice_device();
    cl_int error;
    context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    queue = MADE(clCreateCommandQueueWithProperties, context, device, NULL);
    int there = check_agreement();
    cl_bool images = CL_FALSE;
    MUST(clGetDeviceInfo(device, CL_DEVICE_IMAGE_SUPPORT, sizeof images, &images, NULL));
    if (there && !images)
        must_not_build("kernel void k(read_only image2d_t i, global uint *p)\n"
                       "{ *p = intel_sub_group_block_read(i, (int2)(0, 0)); }\n", "image");
    if (!there || !images) {
        printf("%s\n", there ? "no images" : "no sub-groups");
        return finish();
    }

    must_not_build("kernel void both(read_only image2d_t i, global uint *p) {\n"
                   "    *p = intel_sub_group_block_read(i, (int2)(0, 0)) + read_imageui(i, (int2)(0, 0)).x; }\n",
                   "blocks of an image, and pixels of the same image");
    cl_int built;
    cl_program program = build(source, &built);
    if (built != CL_SUCCESS) {
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log_text, log_text, NULL);
        fprintf(stderr, "%s\n", log_text);
        return 1;
    }
    cl_mem buffer = MADE(clCreateBuffer, context, 0, sizeof values, NULL);
    cl_kernel size = kernel_of(program, "size", "");
    size_t one = 1;
    cl_uint told = 0;
    MUST(clSetKernelArg(size, 0, sizeof buffer, &buffer));
    MUST(clEnqueueNDRangeKernel(queue, size, 1, NULL, &one, NULL, 0, NULL, NULL));
    MUST(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof told, &told, 0, NULL, NULL));
    MUST(clReleaseKernel(size));
    lanes = values_matter() ? told : 8;
    CHECK(lanes >= 4 && lanes <= 128);

    for (size_t i = 0; i < sizeof texels; i++)
        texels[i] = (unsigned char)random_bits();
    static cl_image_format formats[256];
    cl_uint count = 0;
    MUST(clGetSupportedImageFormats(context, CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D, 256, formats, &count));
    int seen = 0;
    for (cl_uint f = 0; f < count && f < 256; f++) {
        cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = WIDTH, .image_height = HEIGHT};
        if (is_grouped(&formats[f]))
            desc.image_width = WIDTH / 4 * 4;
        cl_mem image = clCreateImage(context, CL_MEM_READ_WRITE, &formats[f], &desc, NULL, &error);
        if (error == CL_IMAGE_FORMAT_NOT_SUPPORTED)
            image = MADE(clCreateImage, context, CL_MEM_READ_ONLY, &formats[f], &desc, NULL);
        size_t pixel = 0;
        MUST(clGetImageInfo(image, CL_IMAGE_ELEMENT_SIZE, sizeof pixel, &pixel, NULL));
        if (pixel > 4 || is_converted(&formats[f])) {
            cl_kernel reads = kernel_of(program, "read", "2");
            EQ(run(reads, image, 0, 0, buffer), CL_IMAGE_FORMAT_NOT_SUPPORTED);
            MUST(clReleaseKernel(reads));
        } else {
            cl_mem_flags flags = 0;
            MUST(clGetMemObjectInfo(image, CL_MEM_FLAGS, sizeof flags, &flags, NULL));
            int before = failures;
            /* All blocks of one format of each size, one block of the others. */
            for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b++)
                if (flags & CL_MEM_READ_WRITE && (!(seen & 1 << pixel) || b == f % (sizeof blocks / sizeof *blocks)))
                    check_block(program, image, buffer, (int)pixel, &blocks[b]);
            if (flags & CL_MEM_READ_WRITE)
                seen |= 1 << pixel;
            if (failures > before)
                fprintf(stderr, "format %x, %x\n", formats[f].image_channel_order, formats[f].image_channel_data_type);
        }
        MUST(clReleaseMemObject(image));
    }
    EQ(seen, 1 << 1 | 1 << 2 | 1 << 4);

    /* An image that is rows of a buffer. */
    cl_mem bytes = MADE(clCreateBuffer, context, 0, 64 * 64 * 4, NULL);
    cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
    cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = WIDTH, .image_height = HEIGHT,
                          .image_row_pitch = 256, .buffer = bytes};
    cl_mem rows = MADE(clCreateImage, context, CL_MEM_READ_WRITE, &format, &desc, NULL);
    check_block(program, rows, buffer, 4, &blocks[6]);
    check_block(program, rows, buffer, 4, &blocks[2]);
    MUST(clReleaseMemObject(rows));
    MUST(clReleaseMemObject(bytes));
    MUST(clReleaseMemObject(buffer));
    MUST(clReleaseProgram(program));
    MUST(clReleaseCommandQueue(queue));
    release_last(context);

    /* Without the types that sub-groups need the extensions are absent, or as they were. */
    const char *mask = getenv("PUMICE_MASK");
    if (!failures && (!mask || !strstr(mask, "shaderSubgroupExtendedTypes"))) {
        char longer[512];
        snprintf(longer, sizeof longer, "%s%sshaderSubgroupExtendedTypes", mask ? mask : "", mask ? "," : "");
        setenv("PUMICE_MASK", longer, 1);
        fflush(stdout);
        execv(argv[0], argv);
    }
    return finish();
}
