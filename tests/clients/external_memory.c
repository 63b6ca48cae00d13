// client: link -lvulkan
// client: env PUMICE_COARSE=always
/* Memory that a Vulkan program of another process has allocated (cl_khr_external_memory_opaque_fd): a buffer
 * and an image go back and forth between both programs, over a socket and without a copy of the buffer. */
#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <sys/stat.h>

#include "vulkan_share.h"

enum { WIDTH = 20, HEIGHT = 6, PITCH = 128, N = 4096, ROUNDS = 5, LARGE = 64 << 20 };
enum {
    OPAQUE_FD = 0x2060,
    DMA_BUF = 0x2067,
    DEVICE_TYPES = 0x204F,
    LINEAR_TYPES = 0x2052,
    PLATFORM_TYPES = 0x2044,
    DEVICE_LIST = 0x2051,
    COMMAND_ACQUIRE = 0x2047,
    COMMAND_RELEASE = 0x2048,
};

static int vulkan_program(int socket)
{
    VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                     .apiVersion = VK_API_VERSION_1_1};
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                 .pApplicationInfo = &application};
    VkInstance instance;
    VK(vkCreateInstance(&info, NULL, &instance));
    uint32_t count = 1;
    VkPhysicalDevice physical = VK_NULL_HANDLE;
    VkResult listed = vkEnumeratePhysicalDevices(instance, &count, &physical);
    CHECK(listed == VK_SUCCESS || listed == VK_INCOMPLETE);
    static VkExtensionProperties extensions[512];
    uint32_t known = 512, found = 0;
    VK(vkEnumerateDeviceExtensionProperties(physical, NULL, &known, extensions));
    for (uint32_t i = 0; i < known; i++)
        found |= !strcmp(extensions[i].extensionName, VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME);
    if (!found)
        return 0;
    float priority = 1;
    VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                     .queueCount = 1,
                                     .pQueuePriorities = &priority};
    const char *name = VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME;
    VkDeviceCreateInfo create = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                 .queueCreateInfoCount = 1,
                                 .pQueueCreateInfos = &queue,
                                 .enabledExtensionCount = 1,
                                 .ppEnabledExtensionNames = &name};
    VK(vkCreateDevice(physical, &create, NULL, &device));
    get_memory_fd = (PFN_vkGetMemoryFdKHR)vkGetDeviceProcAddr(device, "vkGetMemoryFdKHR");
    struct shared buffer = allocate(physical, N * 4), picture = allocate(physical, PITCH * HEIGHT), large = allocate(physical, LARGE);
    send_fd(socket, buffer.fd);
    send_fd(socket, picture.fd);
    send_fd(socket, large.fd);
    large.mapped[LARGE / 4 - 1] = 4711;
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < N; i++)
            buffer.mapped[i] = round * 1000 + i;
        for (int i = 0; i < PITCH * HEIGHT / 4; i++)
            picture.mapped[i] = round * 100000 + i;
        int answer = turn(socket, 't') ? turn(socket, 0) : 0;
        if (!answer)
            break;
        EQ(buffer.mapped[0], round * 2000);
        EQ(buffer.mapped[N - 1], (round * 1000 + N - 1) * 2);
        /* The picture has been turned upside down where the device has images; what lies between its rows
         * is as it was. */
        int flipped = answer == 'i';
        for (int y = 0; y < HEIGHT; y++) {
            int from = flipped ? HEIGHT - 1 - y : y;
            EQ(picture.mapped[y * PITCH / 4 + 3], round * 100000 + from * PITCH / 4 + 3);
        }
        EQ(picture.mapped[WIDTH], round * 100000 + WIDTH);
    }
    /* All has been looked at: the other program may write to the picture again. It ends with a word of its own at the end
     * of the large buffer. */
    if (turn(socket, 'd') && turn(socket, 0))
        EQ(large.mapped[LARGE / 4 - 1], 2 * 4711);
    vkDestroyBuffer(device, large.buffer, NULL);
    vkFreeMemory(device, large.memory, NULL);
    vkDestroyBuffer(device, buffer.buffer, NULL);
    vkDestroyBuffer(device, picture.buffer, NULL);
    vkFreeMemory(device, buffer.memory, NULL);
    vkFreeMemory(device, picture.memory, NULL);
    vkDestroyDevice(device, NULL);
    vkDestroyInstance(instance, NULL);
    return failures != 0;
}

static cl_context context;
static cl_int (*acquire)(cl_command_queue, cl_uint, const cl_mem *, cl_uint, const cl_event *, cl_event *);
static cl_int (*release)(cl_command_queue, cl_uint, const cl_mem *, cl_uint, const cl_event *, cl_event *);

static const char *source =
    "kernel void twice(global int *data) { data[get_global_id(0)] *= 2; }\n"
    "kernel void sums(global const int *from, global int *to, int n)\n"
    "{ int i = get_global_id(0); for (int k = 0; k < n; k++) to[i] += from[i]; }\n"
    "#ifdef __IMAGE_SUPPORT__\n"
    "kernel void flip(write_only image2d_t to, read_only image2d_t from)\n"
    "{\n"
    "    int2 at = {get_global_id(0), get_global_id(1)};\n"
    "    write_imageui(to, at, read_imageui(from, (int2)(at.x, get_global_size(1) - 1 - at.y)));\n"
    "}\n"
    "#endif\n";

static void errors(cl_device_id own, cl_command_queue queue, int fd)
{
    cl_int error = 0;
    cl_ulong handle = (cl_ulong)(size_t)own;
    int null = open("/dev/null", O_RDWR), closed = dup(fd);
    close(closed);
    cl_ulong unknown[] = {0x2222, 1, 0}, bad_fd[] = {OPAQUE_FD, (cl_ulong)closed, 0};
    cl_ulong no_fd[] = {OPAQUE_FD, (cl_ulong)-1, 0}, list[] = {DEVICE_LIST, handle, 0, 0};
    cl_ulong twice[] = {OPAQUE_FD, (cl_ulong)fd, OPAQUE_FD, (cl_ulong)fd, 0};
    cl_ulong two[] = {OPAQUE_FD, (cl_ulong)fd, DEVICE_LIST, handle, handle, 0, 0};
    cl_ulong wrong[] = {OPAQUE_FD, (cl_ulong)fd, DEVICE_LIST, (cl_ulong)(size_t)queue, 0, 0};
    cl_ulong right[] = {OPAQUE_FD, (cl_ulong)fd, 0};
    cl_ulong other[] = {OPAQUE_FD, (cl_ulong)null, 0};
    struct {
        const cl_ulong *list;
        cl_mem_flags flags;
        cl_int error;
    } bad[] = {
        {unknown, 0, CL_INVALID_PROPERTY}, {bad_fd, 0, CL_INVALID_VALUE},
        {no_fd, 0, CL_INVALID_VALUE},   {list, 0, CL_INVALID_PROPERTY},
        {twice, 0, CL_INVALID_PROPERTY},   {two, 0, CL_INVALID_DEVICE},
        {wrong, 0, CL_INVALID_DEVICE},     {right, CL_MEM_ALLOC_HOST_PTR, CL_INVALID_VALUE},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        cl_mem made = clCreateBufferWithProperties(context, bad[i].list, bad[i].flags, N * 4, NULL, &error);
        CHECK(!made);
        EQ(error, bad[i].error);
    }
    /* A file that is no memory: drivers have different words for it. */
    CHECK(!clCreateBufferWithProperties(context, other, 0, N * 4, NULL, &error));
    CHECK(error == CL_INVALID_PROPERTY || error == CL_MEM_OBJECT_ALLOCATION_FAILURE);
    /* More than there is. */
    CHECK(!clCreateBufferWithProperties(context, right, 0, 1 << 26, NULL, &error));
    CHECK(error == CL_INVALID_PROPERTY || error == CL_MEM_OBJECT_ALLOCATION_FAILURE);
    CHECK(!clCreateBufferWithProperties(context, right, 0, 0, NULL, &error));
    EQ(error, CL_INVALID_BUFFER_SIZE);
    /* A descriptor that is none is told of after the other arguments. */
    CHECK(!clCreateBufferWithProperties(context, bad_fd, 0, 0, NULL, &error));
    EQ(error, CL_INVALID_BUFFER_SIZE);
    /* A call that fails leaves the handle with the application. */
    CHECK(fcntl(fd, F_GETFD) >= 0);
    close(null);
    cl_mem plain = MADE(clCreateBuffer, context, 0, 64, NULL);
    EQ(acquire(queue, 1, &plain, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    EQ(release(queue, 1, &plain, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    EQ(acquire(queue, 0, &plain, 0, NULL, NULL), CL_INVALID_VALUE);
    EQ(acquire(queue, 1, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
    EQ(acquire(NULL, 0, NULL, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    EQ(acquire(queue, 0, NULL, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
    MUST(acquire(queue, 0, NULL, 0, NULL, NULL));
    clReleaseMemObject(plain);
}

/* Milliseconds of processor time that this process has taken. */
static double processor_time(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return now.tv_sec * 1e3 + now.tv_nsec * 1e-6;
}

/* Handing over a large buffer takes no time that a copy would: the driver's processor runs in this process. */
static void cost(cl_command_queue queue, cl_kernel twice, int fd)
{
    enum { TIMES = 16 };
    cl_ulong list[] = {OPAQUE_FD, (cl_ulong)fd, 0};
    cl_mem large = MADE(clCreateBufferWithProperties, context, list, 0, LARGE, NULL);
    char *from = calloc(1, LARGE), *to = malloc(LARGE);
    CHECK(from && to);
    memset(to, 1, LARGE);
    double start = processor_time();
    for (int i = 0; i < TIMES; i++) {
        from[i] = i;
        memcpy(to, from, LARGE);
        CHECK(to[i] == i);
    }
    double copied = processor_time() - start;
    start = processor_time();
    for (int i = 0; i < TIMES; i++) {
        MUST(acquire(queue, 1, &large, 0, NULL, NULL));
        MUST(release(queue, 1, &large, 0, NULL, NULL));
        MUST(clFinish(queue));
    }
    double handed = processor_time() - start;
    printf("%d times %d MiB: %.1f ms to hand over, %.1f ms to copy\n", TIMES, LARGE >> 20, handed, copied);
    free(from), free(to);
    size_t one = 1, last = LARGE / 4 - 1;
    MUST(acquire(queue, 1, &large, 0, NULL, NULL));
    MUST(clSetKernelArg(twice, 0, sizeof large, &large));
    MUST(clEnqueueNDRangeKernel(queue, twice, 1, &last, &one, NULL, 0, NULL, NULL));
    MUST(release(queue, 1, &large, 0, NULL, NULL));
    MUST(clFinish(queue));
    MUST(clReleaseMemObject(large));
}

/* Two buffers of the same memory, whose addresses need not tell: a kernel that has both loads through one what it has stored
 * through the other. */
static void same_memory(cl_command_queue queue, cl_program program, int fd)
{
    enum { ITEMS = 1024 };
    cl_mem both[2] = {NULL, NULL};
    for (int i = 0; i < 2; i++) {
        cl_ulong list[] = {OPAQUE_FD, (cl_ulong)dup(fd), 0};
        both[i] = MADE(clCreateBufferWithProperties, context, list, 0, LARGE, NULL);
    }
    cl_int values[ITEMS], rounds = 4;
    for (int i = 0; i < ITEMS; i++)
        values[i] = i + 1;
    cl_kernel sums = MADE(clCreateKernel, program, "sums");
    MUST(clSetKernelArg(sums, 0, sizeof *both, &both[0]));
    MUST(clSetKernelArg(sums, 1, sizeof *both, &both[1]));
    MUST(clSetKernelArg(sums, 2, sizeof rounds, &rounds));
    MUST(acquire(queue, 2, both, 0, NULL, NULL));
    MUST(clEnqueueWriteBuffer(queue, both[0], CL_TRUE, 0, sizeof values, values, 0, NULL, NULL));
    size_t global = ITEMS, local = 64;
    MUST(clEnqueueNDRangeKernel(queue, sums, 1, NULL, &global, &local, 0, NULL, NULL));
    MUST(clEnqueueReadBuffer(queue, both[1], CL_TRUE, 0, sizeof values, values, 0, NULL, NULL));
    MUST(release(queue, 2, both, 0, NULL, NULL));
    MUST(clFinish(queue));
    for (int i = 0; i < ITEMS; i += 31)
        EQ(values[i], 16 * (i + 1));
    for (int i = 0; i < 2; i++)
        MUST(clReleaseMemObject(both[i]));
    MUST(clReleaseKernel(sums));
}

/* An acquire on another queue takes place after the release that was enqueued before it, and finds what was written. */
static void two_queues(cl_device_id own, int fd)
{
    cl_int error;
    cl_command_queue queues[2];
    for (int q = 0; q < 2; q++) {
        queues[q] = MADE(clCreateCommandQueue, context, own, 0);
    }
    cl_ulong list[] = {OPAQUE_FD, (cl_ulong)fd, 0};
    cl_image_format format = {CL_R, CL_UNSIGNED_INT32};
    cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = WIDTH, .image_height = HEIGHT};
    desc.image_row_pitch = PITCH;
    cl_mem image = MADE(clCreateImageWithProperties, context, list, 0, &format, &desc, NULL);
    const unsigned before[4] = {1}, written[4] = {815};
    const size_t zero[3] = {0}, whole[3] = {WIDTH, HEIGHT, 1};
    unsigned got[WIDTH * HEIGHT];
    MUST(acquire(queues[0], 1, &image, 0, NULL, NULL));
    MUST(clEnqueueFillImage(queues[0], image, before, zero, whole, 0, NULL, NULL));
    MUST(release(queues[0], 1, &image, 0, NULL, NULL));
    MUST(clFinish(queues[0]));
    cl_event held = clCreateUserEvent(context, &error), acquired;
    MUST(error);
    MUST(acquire(queues[0], 1, &image, 0, NULL, NULL));
    MUST(clEnqueueFillImage(queues[0], image, written, zero, whole, 0, NULL, NULL));
    MUST(clFinish(queues[0]));
    MUST(release(queues[0], 1, &image, 1, &held, NULL));
    MUST(acquire(queues[1], 1, &image, 0, NULL, &acquired));
    MUST(clFlush(queues[1]));
    /* An acquire that waits for nothing ends within this time, and takes the old contents. */
    cl_int status = CL_QUEUED;
    for (int i = 0; i < 100 && status != CL_COMPLETE; i++) {
        nanosleep(&(struct timespec){0, 2000000}, NULL);
        MUST(clGetEventInfo(acquired, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    }
    CHECK(status != CL_COMPLETE);
    MUST(clSetUserEventStatus(held, CL_COMPLETE));
    MUST(clEnqueueReadImage(queues[1], image, CL_TRUE, zero, whole, 0, 0, got, 0, NULL, NULL));
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        EQ(got[i], 815);
    MUST(release(queues[1], 1, &image, 0, NULL, NULL));
    MUST(clFinish(queues[1]));
    MUST(clFinish(queues[0]));
    MUST(clReleaseEvent(held));
    MUST(clReleaseEvent(acquired));
    MUST(clReleaseMemObject(image));
    MUST(clReleaseCommandQueue(queues[0]));
    MUST(clReleaseCommandQueue(queues[1]));
}

static void opencl_program(int socket)
{
    cl_device_id own = pumice_device();
    char names[8192] = "";
    MUST(clGetDeviceInfo(own, CL_DEVICE_EXTENSIONS, sizeof names, names, NULL));
    int there = strstr(names, "cl_khr_external_memory_opaque_fd") != NULL;
    int answered, fd = receive_fd(socket, &answered);
    cl_uint types[4] = {0};
    size_t size = 0;
    if (!there || fd < 0) {
        printf("skipped: no opaque file descriptors of memory\n");
        if (!strstr(names, "cl_khr_external_memory"))
            EQ(clGetDeviceInfo(own, DEVICE_TYPES, sizeof types, types, &size), CL_INVALID_VALUE);
        return;
    }
    CHECK(strstr(names, "cl_khr_external_memory "));
    MUST(clGetDeviceInfo(own, DEVICE_TYPES, sizeof types, types, &size));
    EQ(types[0], OPAQUE_FD);
    EQ(size / 4, strstr(names, "cl_khr_external_memory_dma_buf") ? 2 : 1);
    MUST(clGetDeviceInfo(own, LINEAR_TYPES, sizeof types, types, NULL));
    EQ(types[0], OPAQUE_FD);
    MUST(clGetPlatformInfo(pumice_platform(), PLATFORM_TYPES, sizeof types, types, &size));
    EQ(types[0], OPAQUE_FD);
    load_function(&acquire, "clEnqueueAcquireExternalMemObjectsKHR");
    load_function(&release, "clEnqueueReleaseExternalMemObjectsKHR");
    CHECK(acquire && release);

    context = MADE(clCreateContext, NULL, 1, &own, NULL, NULL);
    cl_command_queue queue = MADE(clCreateCommandQueueWithProperties, context, own, NULL);
    int second = receive_fd(socket, &answered), third = receive_fd(socket, &answered), second_again = dup(second);
    int first_again = dup(fd);
    cl_ulong list[] = {OPAQUE_FD, (cl_ulong)fd, DEVICE_LIST, (cl_ulong)(size_t)own, 0, 0}, back[8];
    cl_mem buffer = MADE(clCreateBufferWithProperties, context, list, 0, N * 4, NULL);
    /* The handle is the driver's now. */
    CHECK(fcntl(fd, F_GETFD) < 0);
    MUST(clGetMemObjectInfo(buffer, CL_MEM_PROPERTIES, sizeof back, back, &size));
    CHECK(size == sizeof list && memcmp(list, back, size) == 0);
    cl_bool has_images = CL_FALSE;
    MUST(clGetDeviceInfo(own, CL_DEVICE_IMAGE_SUPPORT, sizeof has_images, &has_images, NULL));
    cl_mem shared[2] = {buffer, NULL}, flipped = NULL;
    cl_kernel flip = NULL;
    cl_program program = PROGRAM(context, source, NULL);
    cl_kernel twice = MADE(clCreateKernel, program, "twice");
    MUST(clSetKernelArg(twice, 0, sizeof buffer, &buffer));
    if (has_images) {
        cl_image_format format = {CL_R, CL_UNSIGNED_INT32};
        cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = WIDTH};
        desc.image_height = HEIGHT;
        flipped = MADE(clCreateImage, context, 0, &format, &desc, NULL);
        desc.image_row_pitch = PITCH;
        cl_ulong of_image[] = {OPAQUE_FD, (cl_ulong)second, 0};
        shared[1] = MADE(clCreateImageWithProperties, context, of_image, 0, &format, &desc, NULL);
        flip = MADE(clCreateKernel, program, "flip");
        MUST(clSetKernelArg(flip, 0, sizeof flipped, &flipped));
        MUST(clSetKernelArg(flip, 1, sizeof shared[1], &shared[1]));
    }
    size_t global = N, sizes[3] = {WIDTH, HEIGHT, 1}, zero[3] = {0, 0, 0};
    cl_uint count = has_images ? 2 : 1, kind = 0;
    for (int round = 0; round < ROUNDS; round++) {
        if (!turn(socket, 0))
            break;
        cl_event acquired, released;
        MUST(acquire(queue, count, shared, 0, NULL, &acquired));
        MUST(clGetEventInfo(acquired, CL_EVENT_COMMAND_TYPE, sizeof kind, &kind, NULL));
        EQ(kind, COMMAND_ACQUIRE);
        MUST(clEnqueueNDRangeKernel(queue, twice, 1, NULL, &global, NULL, 1, &acquired, NULL));
        if (has_images) {
            MUST(clEnqueueNDRangeKernel(queue, flip, 2, NULL, sizes, NULL, 0, NULL, NULL));
            MUST(clEnqueueCopyImage(queue, flipped, shared[1], zero, zero, sizes, 0, NULL, NULL));
        }
        MUST(release(queue, count, shared, 0, NULL, &released));
        MUST(clGetEventInfo(released, CL_EVENT_COMMAND_TYPE, sizeof kind, &kind, NULL));
        EQ(kind, COMMAND_RELEASE);
        MUST(clWaitForEvents(1, &released));
        clReleaseEvent(acquired), clReleaseEvent(released);
        if (has_images) {
            cl_uint texel[4] = {0};
            size_t one[3] = {1, 1, 1}, at[3] = {3, 0, 0};
            MUST(clEnqueueReadImage(queue, flipped, CL_TRUE, at, one, 0, 0, texel, 0, NULL, NULL));
            EQ(texel[0], round * 100000 + (HEIGHT - 1) * PITCH / 4 + 3);
        }
        CHECK(turn(socket, has_images ? 'i' : 'b'));
    }
    CHECK(turn(socket, 0));
    if (has_images)
        two_queues(own, second_again);
    else
        close(second_again);
    same_memory(queue, program, third);
    cost(queue, twice, third);
    CHECK(turn(socket, 'l'));
    /* At the end: a driver may refuse memory that it has refused once as a buffer of another size. */
    errors(own, queue, first_again);
    close(first_again);
    clReleaseMemObject(buffer), clReleaseKernel(twice);
    if (has_images)
        clReleaseMemObject(flipped), clReleaseMemObject(shared[1]), clReleaseKernel(flip);
    clReleaseProgram(program), clReleaseCommandQueue(queue);
    release_last(context);
}

int main(void)
{
    return two_programs(vulkan_program, opencl_program);
}
