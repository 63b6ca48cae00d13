// client: needs images
/* Random images, regions and pitches, most of them wrong: every call answers with success or one of
 * the specification's errors, and no transfer touches memory beyond what it was given. */
#include "common.h"

static unsigned long long state = 0x9e3779b97f4a7c15ull;

static unsigned below(unsigned limit)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)((state >> 11) % limit);
}

/* Mostly small, now and then absurd. */
static size_t size_of(void)
{
    static const size_t odd[] = {0, 65535, 1u << 20, (size_t)1 << 40, (size_t)-1, (size_t)-4};
    return below(30) ? 1 + below(8) : odd[below(6)];
}

static void region_of(size_t *values, int origin)
{
    for (int i = 0; i < 3; i++)
        values[i] = below(20) == 0  ? size_of()
                    : below(2) == 0 ? (size_t)(origin ? below(3) : 1 + below(4))
                                    : (size_t)!origin;
}

static void expected(const char *call, cl_int error)
{
    static const cl_int known[] = {
        CL_SUCCESS, CL_INVALID_VALUE, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR,
        CL_INVALID_IMAGE_DESCRIPTOR, CL_INVALID_IMAGE_SIZE, CL_INVALID_HOST_PTR,
        CL_IMAGE_FORMAT_NOT_SUPPORTED, CL_INVALID_OPERATION, CL_INVALID_MEM_OBJECT,
        CL_MEM_COPY_OVERLAP, CL_IMAGE_FORMAT_MISMATCH, CL_MEM_OBJECT_ALLOCATION_FAILURE,
        CL_OUT_OF_RESOURCES, CL_OUT_OF_HOST_MEMORY, CL_INVALID_MIP_LEVEL};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (error == known[i])
            return;
    fprintf(stderr, "%s gave %d\n", call, error);
    failures++;
}

enum { GUARD = 4096, ROOM = 1 << 16, KEPT = 6, ROUNDS = 4000 };

int main(void)
{
    static const cl_channel_type types[] = {CL_UNORM_INT8, CL_UNSIGNED_INT32, CL_FLOAT,
                                            CL_HALF_FLOAT, CL_UNORM_SHORT_565, 0x1234};
    static unsigned char memory[GUARD + ROOM + GUARD];
    cl_int error;
    cl_device_id device = pumice_device();
    cl_context context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    cl_command_queue queue = MADE(clCreateCommandQueueWithProperties, context, device, NULL);
    cl_mem buffer = clCreateBuffer(context, 0, 4096, NULL, &error), kept[KEPT] = {NULL};
    MUST(error);
    memset(memory, 0xa5, sizeof memory);
    unsigned made = 0, moved = 0;
    for (unsigned round = 0; round < ROUNDS; round++) {
        cl_mem *slot = &kept[below(KEPT)];
        if (!*slot || below(4) == 0) {
            cl_image_format format = {CL_R + below(20), types[below(6)]};
            if (below(2))
                format.image_channel_order = CL_RGBA, format.image_channel_data_type = types[below(4)];
            cl_image_desc d = {.image_type = CL_MEM_OBJECT_BUFFER + below(9),
                               .image_width = size_of(),
                               .image_height = size_of(),
                               .image_depth = size_of(),
                               .image_array_size = size_of(),
                               .image_row_pitch = below(8) ? 0 : size_of(),
                               .image_slice_pitch = below(8) ? 0 : size_of(),
                               .num_mip_levels = below(4) ? 0 : below(6)};
            if (below(8) == 0)
                d.buffer = below(2) ? buffer : kept[below(KEPT)];
            /* Memory that is given is large enough for what small sizes and pitches reach. */
            size_t largest = 65535;
            int small = d.image_width < 9 && d.image_height < 9 && d.image_depth < 9 &&
                        d.image_array_size < 9 && d.image_row_pitch < largest / 9 &&
                        d.image_slice_pitch < largest / 9;
            int give = small && below(2);
            cl_mem_flags flags = give ? CL_MEM_COPY_HOST_PTR : below(8) ? 0 : below(1 << 6);
            cl_mem image = clCreateImage(context, flags, &format, &d,
                                         give ? memory + GUARD : NULL, &error);
            expected("clCreateImage", error);
            EQ(image != NULL, error == CL_SUCCESS);
            if (image) {
                made++;
                if (*slot)
                    MUST(clReleaseMemObject(*slot));
                *slot = image;
            }
            continue;
        }
        size_t origin[4], other[4], region[3], row = below(4) ? 0 : below(200);
        size_t slice = below(6) ? 0 : below(2000);
        region_of(origin, 1), region_of(other, 1), region_of(region, 0);
        /* The mip level of an array of planes or a box. */
        origin[3] = below(5), other[3] = below(5);
        /* A box of at most four texels a side and these pitches stay inside the room. */
        int small = region[0] < 200 && region[1] < 9 && region[2] < 9;
        cl_mem second = kept[below(KEPT)];
        /* Under the validation layer no image is copied to itself: the layer advises a layout for
         * each end of a copy, and one image cannot have both. */
        if (second == *slot && getenv("VK_INSTANCE_LAYERS"))
            second = NULL;
        cl_uint color[4] = {below(300), below(300), below(300), below(300)};
        switch (below(6)) {
        case 0:
            error = clEnqueueReadImage(queue, *slot, CL_TRUE, origin, region, row, slice,
                                       small ? memory + GUARD : NULL, 0, NULL, NULL);
            break;
        case 1:
            error = clEnqueueWriteImage(queue, *slot, CL_TRUE, origin, region, row, slice,
                                        small ? memory + GUARD : NULL, 0, NULL, NULL);
            break;
        case 2:
            error = clEnqueueCopyImage(queue, *slot, second ? second : buffer, origin, other, region,
                                       0, NULL, NULL);
            break;
        case 3:
            error = clEnqueueCopyImageToBuffer(queue, *slot, buffer, origin, region, size_of(), 0,
                                               NULL, NULL);
            break;
        case 4:
            error = clEnqueueFillImage(queue, *slot, color, origin, region, 0, NULL, NULL);
            break;
        default: {
            size_t pitches[2];
            void *mapped = clEnqueueMapImage(queue, *slot, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE,
                                             origin, region, &pitches[0], &pitches[1], 0, NULL,
                                             NULL, &error);
            if (mapped)
                MUST(clEnqueueUnmapMemObject(queue, *slot, mapped, 0, NULL, NULL));
        }
        }
        expected("an enqueue", error);
        moved += error == CL_SUCCESS;
    }
    MUST(clFinish(queue));
    /* Enough valid images were made and moved. */
    CHECK(made > ROUNDS / 50);
    CHECK(moved > ROUNDS / 50);
    for (size_t i = 0; i < GUARD; i++)
        if (memory[i] != 0xa5 || memory[GUARD + ROOM + i] != 0xa5) {
            fprintf(stderr, "a guard byte at %zu\n", i);
            failures++;
            break;
        }
    for (int i = 0; i < KEPT; i++)
        if (kept[i])
            MUST(clReleaseMemObject(kept[i]));
    MUST(clReleaseMemObject(buffer));
    MUST(clReleaseCommandQueue(queue));
    release_last(context);
    printf("%u images, %u commands\n", made, moved);
    return finish();
}
