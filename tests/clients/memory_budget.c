// client: env LAYER_BUDGET=512
/* The memory that the process is to use (VK_EXT_memory_budget): what the device says that it has, objects that do not
 * fit, and memory that comes back when the commands that used it have ended. The layer `gpu_like` has the budget;
 * where it is not, every object fits. */
#include "common.h"

enum { MIB = 1 << 20 };

/* MiB of a buffer of which the budget has room for one; less where the device's buffers end before. */
static size_t large_mib = 300;
static cl_context context;
static cl_command_queue queue;

static cl_mem buffer_of(size_t mib, cl_int *error)
{
    return clCreateBuffer(context, 0, mib * MIB, NULL, error);
}

/* Objects that do not fit are refused by the call that makes them, and leave everything as it was. */
static void refused(void)
{
    cl_int error = 0;
    cl_mem large = MADE(buffer_of, large_mib);
    CHECK(!buffer_of(large_mib, &error));
    EQ(error, CL_MEM_OBJECT_ALLOCATION_FAILURE);
    cl_bool images = CL_FALSE;
    cl_device_id device = pumice_device();
    MUST(clGetDeviceInfo(device, CL_DEVICE_IMAGE_SUPPORT, sizeof images, &images, NULL));
    cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
    cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 6144, .image_height = 4096};
    cl_mem made[4];
    int count = 0;
    while (images && count < 4 && (made[count] = clCreateImage(context, 0, &format, &desc, NULL, &error)))
        count++;
    if (images) {
        CHECK(count > 0 && count < 3);
        EQ(error, CL_MEM_OBJECT_ALLOCATION_FAILURE);
    }
    while (count)
        MUST(clReleaseMemObject(made[--count]));
    MUST(clReleaseMemObject(large));
    /* A failed call has kept nothing. */
    large = MADE(buffer_of, large_mib);
    MUST(clReleaseMemObject(large));
}

/* Memory of a released object that commands still use is waited for. */
static void comes_back(void)
{
    for (cl_uint round = 0; round < 4; round++) {
        cl_int error = 0;
        cl_mem large = buffer_of(large_mib, &error);
        if (!large) {
            fprintf(stderr, "round %u: %d\n", round, error);
            failures++;
            return;
        }
        cl_uint got[2] = {1, 1};
        MUST(clEnqueueFillBuffer(queue, large, &round, 4, 0, large_mib * MIB / 4, 0, NULL, NULL));
        MUST(clEnqueueReadBuffer(queue, large, CL_FALSE, 0, 4, &got[0], 0, NULL, NULL));
        if (round % 2) {
            MUST(clEnqueueReadBuffer(queue, large, CL_TRUE, large_mib * MIB - 4, 4, &got[1], 0, NULL, NULL));
            EQ(got[0], round);
            EQ(got[1], 0);
        }
        MUST(clReleaseMemObject(large));
        if (round % 2 == 0) {
            /* The next one is made while this one is in use. */
            cl_mem next = buffer_of(large_mib, &error);
            EQ(error, CL_SUCCESS);
            if (next)
                MUST(clReleaseMemObject(next));
            MUST(clFinish(queue));
            EQ(got[0], round);
        }
    }
}

int main(void)
{
    cl_ulong memory = 0, most = 0;
    cl_device_id device = pumice_device();
    MUST(clGetDeviceInfo(device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof memory, &memory, NULL));
    MUST(clGetDeviceInfo(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof most, &most, NULL));
    CHECK(most <= memory);
    if (most / MIB < large_mib)
        large_mib = most / MIB;
    context = MADE(clCreateContext, NULL, 1, &device, NULL, NULL);
    queue = MADE(clCreateCommandQueueWithProperties, context, device, NULL);
    /* Only that layer's runs have its log. */
    if (getenv("LAYER_QUEUES")) {
        EQ(memory, 512ull * MIB);
        refused();
    }
    comes_back();
    MUST(clReleaseCommandQueue(queue));
    release_last(context);
    return finish();
}
