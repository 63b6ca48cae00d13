// client: link -lvulkan
/* Frames of a Vulkan program go through OpenCL in another process and back: both share a buffer, an image's rows and two
 * semaphores (cl_khr_external_semaphore), and neither program waits on the host for what the other's device does. */
#define _POSIX_C_SOURCE 200809L
#include "vulkan_share.h"

enum { WIDTH = 32, HEIGHT = 24, PITCH = WIDTH * 4, N = 4096, FRAMES = 12 };
enum {
    OPAQUE_MEMORY = 0x2060,
    SEMAPHORE_TYPE = 0x203D,
    BINARY = 1,
    EXPORT_TYPES = 0x203F,
    OPAQUE_SEMAPHORE = 0x2055,
    SYNC_FILE = 0x2058,
};

static VkQueue vulkan_queue;
static VkCommandBuffer commands;
static PFN_vkGetSemaphoreFdKHR get_semaphore_fd;
static PFN_vkImportSemaphoreFdKHR import_semaphore_fd;

/* The value of a word of a frame: as it is drawn. */
static int drawn(int frame, int i)
{
    return frame * 100000 + i * 3;
}

/* Copies between the Vulkan program's own memory and what is shared, handed over to or by another API. */
static void record(const struct shared own[2], const struct shared with[2], int to_shared)
{
    VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    VK(vkBeginCommandBuffer(commands, &begin));
    VkBufferMemoryBarrier barriers[2];
    for (int i = 0; i < 2; i++)
        barriers[i] = (VkBufferMemoryBarrier){
            .sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER,
            .srcAccessMask = to_shared ? VK_ACCESS_TRANSFER_WRITE_BIT : 0,
            .dstAccessMask = to_shared ? 0 : VK_ACCESS_TRANSFER_READ_BIT,
            .srcQueueFamilyIndex = to_shared ? 0 : VK_QUEUE_FAMILY_EXTERNAL,
            .dstQueueFamilyIndex = to_shared ? VK_QUEUE_FAMILY_EXTERNAL : 0,
            .buffer = with[i].buffer,
            .size = VK_WHOLE_SIZE,
        };
    VkPipelineStageFlags copies = VK_PIPELINE_STAGE_TRANSFER_BIT;
    if (!to_shared)
        vkCmdPipelineBarrier(commands, copies, copies, 0, 0, NULL, 2, barriers, 0, NULL);
    const VkBufferCopy regions[2] = {{.size = N * 4}, {.size = PITCH * HEIGHT}};
    for (int i = 0; i < 2; i++)
        vkCmdCopyBuffer(commands, to_shared ? own[i].buffer : with[i].buffer,
                        to_shared ? with[i].buffer : own[i].buffer, 1, &regions[i]);
    if (to_shared)
        vkCmdPipelineBarrier(commands, copies, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, 0, 0, NULL, 2, barriers, 0, NULL);
    else {
        VkMemoryBarrier seen = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                                .dstAccessMask = VK_ACCESS_HOST_READ_BIT};
        vkCmdPipelineBarrier(commands, copies, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &seen, 0, NULL, 0, NULL);
    }
    VK(vkEndCommandBuffer(commands));
}

/* A semaphore that leaves the process as a descriptor of a kind. */
static VkSemaphore exportable(VkExternalSemaphoreHandleTypeFlagBits kind)
{
    VkExportSemaphoreCreateInfo exported = {.sType = VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO, .handleTypes = kind};
    VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &exported};
    VkSemaphore made;
    VK(vkCreateSemaphore(device, &info, NULL, &made));
    return made;
}

static int descriptor_of(VkSemaphore semaphore, VkExternalSemaphoreHandleTypeFlagBits kind)
{
    VkSemaphoreGetFdInfoKHR get = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR,
                                   .semaphore = semaphore,
                                   .handleType = kind};
    int fd = -1;
    VK(get_semaphore_fd(device, &get, &fd));
    return fd;
}

/* The frames of the Vulkan program. */
static void frames(int socket, VkPhysicalDevice physical, int opaque)
{
    VkExternalSemaphoreHandleTypeFlagBits kind = opaque ? VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT
                                                        : VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT;
    struct shared own[2] = {allocate(physical, N * 4), allocate(physical, PITCH * HEIGHT)};
    struct shared with[2] = {allocate(physical, N * 4), allocate(physical, PITCH * HEIGHT)};
    VkSemaphore ready = exportable(kind), done = exportable(kind);
    for (int i = 0; i < 2; i++) {
        close(own[i].fd);
        send_fd(socket, with[i].fd);
        close(with[i].fd);
    }
    if (opaque) {
        const VkSemaphore both[2] = {ready, done};
        for (int i = 0; i < 2; i++) {
            int fd = descriptor_of(both[i], kind);
            send_fd(socket, fd);
            close(fd);
        }
    }
    VkFenceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VkFence fence;
    VK(vkCreateFence(device, &info, NULL, &fence));
    const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_TRANSFER_BIT;
    for (int frame = 0; frame < FRAMES; frame++) {
        for (int i = 0; i < N; i++)
            own[0].mapped[i] = drawn(frame, i);
        for (int i = 0; i < WIDTH * HEIGHT; i++)
            own[1].mapped[i] = drawn(frame, i) + 1;
        record(own, with, 1);
        VkSubmitInfo draw = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                             .commandBufferCount = 1,
                             .pCommandBuffers = &commands,
                             .signalSemaphoreCount = 1,
                             .pSignalSemaphores = &ready};
        VK(vkQueueSubmit(vulkan_queue, 1, &draw, fence));
        int fd = opaque ? -1 : descriptor_of(ready, kind);
        send_fd(socket, fd);
        if (fd >= 0)
            close(fd);
        /* The commands are recorded anew below. */
        VK(vkWaitForFences(device, 1, &fence, VK_TRUE, UINT64_MAX));
        VK(vkResetFences(device, 1, &fence));
        int answered = 0;
        fd = receive_fd(socket, &answered);
        if (!answered) {
            fprintf(stderr, "the OpenCL program is gone\n");
            exit(1);
        }
        if (!opaque) {
            VkImportSemaphoreFdInfoKHR import = {.sType = VK_STRUCTURE_TYPE_IMPORT_SEMAPHORE_FD_INFO_KHR,
                                                 .semaphore = done,
                                                 .flags = VK_SEMAPHORE_IMPORT_TEMPORARY_BIT,
                                                 .handleType = kind,
                                                 .fd = fd};
            VK(import_semaphore_fd(device, &import));
        }
        record(own, with, 0);
        VkSubmitInfo fetch = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                              .waitSemaphoreCount = 1,
                              .pWaitSemaphores = &done,
                              .pWaitDstStageMask = &stage,
                              .commandBufferCount = 1,
                              .pCommandBuffers = &commands};
        VK(vkQueueSubmit(vulkan_queue, 1, &fetch, fence));
        VK(vkWaitForFences(device, 1, &fence, VK_TRUE, UINT64_MAX));
        VK(vkResetFences(device, 1, &fence));
        int wrong = 0;
        for (int i = 0; i < N; i++)
            wrong += own[0].mapped[i] != drawn(frame, i) * 2;
        for (int y = 0; y < HEIGHT; y++)
            for (int x = 0; x < WIDTH; x++)
                wrong += own[1].mapped[y * WIDTH + x] != drawn(frame, (HEIGHT - 1 - y) * WIDTH + x) + 1;
        EQ(wrong, 0);
    }
    vkDestroyFence(device, fence, NULL);
    vkDestroySemaphore(device, ready, NULL);
    vkDestroySemaphore(device, done, NULL);
    for (int i = 0; i < 2; i++) {
        vkDestroyBuffer(device, own[i].buffer, NULL);
        vkDestroyBuffer(device, with[i].buffer, NULL);
        vkFreeMemory(device, own[i].memory, NULL);
        vkFreeMemory(device, with[i].memory, NULL);
    }
}

static int vulkan_program(int socket)
{
    VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_1};
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application};
    VkInstance instance;
    char kind = (char)turn(socket, 0);
    if (kind != 'o' && kind != 's')
        return 0;
    VK(vkCreateInstance(&info, NULL, &instance));
    uint32_t count = 1;
    VkPhysicalDevice physical = VK_NULL_HANDLE;
    VkResult listed = vkEnumeratePhysicalDevices(instance, &count, &physical);
    CHECK(listed == VK_SUCCESS || listed == VK_INCOMPLETE);
    float priority = 1;
    VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                     .queueCount = 1,
                                     .pQueuePriorities = &priority};
    const char *names[] = {VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME, VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME};
    VkDeviceCreateInfo create = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                 .queueCreateInfoCount = 1,
                                 .pQueueCreateInfos = &queue,
                                 .enabledExtensionCount = 2,
                                 .ppEnabledExtensionNames = names};
    VK(vkCreateDevice(physical, &create, NULL, &device));
    vkGetDeviceQueue(device, 0, 0, &vulkan_queue);
    get_memory_fd = (PFN_vkGetMemoryFdKHR)vkGetDeviceProcAddr(device, "vkGetMemoryFdKHR");
    get_semaphore_fd = (PFN_vkGetSemaphoreFdKHR)vkGetDeviceProcAddr(device, "vkGetSemaphoreFdKHR");
    import_semaphore_fd = (PFN_vkImportSemaphoreFdKHR)vkGetDeviceProcAddr(device, "vkImportSemaphoreFdKHR");
    VkCommandPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                         .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT};
    VkCommandPool pool;
    VK(vkCreateCommandPool(device, &pool_info, NULL, &pool));
    VkCommandBufferAllocateInfo allocation = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                              .commandPool = pool,
                                              .commandBufferCount = 1};
    VK(vkAllocateCommandBuffers(device, &allocation, &commands));
    frames(socket, physical, kind == 'o');
    vkDestroyCommandPool(device, pool, NULL);
    vkDestroyDevice(device, NULL);
    vkDestroyInstance(instance, NULL);
    return failures != 0;
}

typedef struct semaphore *semaphore_t;
typedef cl_int (*transfer_t)(cl_command_queue, cl_uint, const cl_mem *, cl_uint, const cl_event *, cl_event *);
typedef cl_int (*of_queue_t)(cl_command_queue, cl_uint, const semaphore_t *, const cl_ulong *, cl_uint, const cl_event *,
                             cl_event *);

static const char *source =
    "kernel void twice(global int *data) { data[get_global_id(0)] *= 2; }\n"
    "kernel void flip(read_only image2d_t from, write_only image2d_t to)\n"
    "{\n"
    "    int2 at = {get_global_id(0), get_global_id(1)};\n"
    "    write_imagei(to, at, read_imagei(from, (int2)(at.x, get_global_size(1) - 1 - at.y)));\n"
    "}\n";

static void opencl_program(int socket)
{
    cl_device_id own = pumice_device();
    static char names[16384];
    MUST(clGetDeviceInfo(own, CL_DEVICE_EXTENSIONS, sizeof names, names, NULL));
    int opaque = strstr(names, "cl_khr_external_semaphore_opaque_fd") != NULL;
    int sync = strstr(names, "cl_khr_external_semaphore_sync_fd") != NULL;
    cl_bool has_images = CL_FALSE;
    MUST(clGetDeviceInfo(own, CL_DEVICE_IMAGE_SUPPORT, sizeof has_images, &has_images, NULL));
    if (!strstr(names, "cl_khr_external_memory_opaque_fd") || !has_images || !(opaque || sync)) {
        printf("skipped: the device shares no memory, images or semaphores by descriptor\n");
        return;
    }
    CHECK(turn(socket, opaque ? 'o' : 's'));
    semaphore_t (*create)(cl_context, const cl_ulong *, cl_int *);
    cl_int (*release_semaphore)(semaphore_t);
    cl_int (*handle_of)(semaphore_t, cl_device_id, cl_uint, size_t, void *, size_t *);
    cl_int (*import_again)(semaphore_t, const cl_ulong *, int);
    transfer_t acquire, release;
    of_queue_t signal, wait_for;
    load_function(&create, "clCreateSemaphoreWithPropertiesKHR");
    load_function(&release_semaphore, "clReleaseSemaphoreKHR");
    load_function(&handle_of, "clGetSemaphoreHandleForTypeKHR");
    load_function(&import_again, "clReImportSemaphoreSyncFdKHR");
    load_function(&signal, "clEnqueueSignalSemaphoresKHR");
    load_function(&wait_for, "clEnqueueWaitSemaphoresKHR");
    load_function(&acquire, "clEnqueueAcquireExternalMemObjectsKHR");
    load_function(&release, "clEnqueueReleaseExternalMemObjectsKHR");

    cl_context context = MADE(clCreateContext, NULL, 1, &own, NULL, NULL);
    cl_command_queue queue = MADE(clCreateCommandQueueWithProperties, context, own, NULL);
    int fds[4] = {-1, -1, -1, -1}, answered = 0;
    for (int i = 0; i < (opaque ? 4 : 2); i++) {
        fds[i] = receive_fd(socket, &answered);
        CHECK(fds[i] >= 0);
    }
    const cl_image_format format = {CL_R, CL_SIGNED_INT32};
    cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = WIDTH, .image_height = HEIGHT};
    cl_mem flipped = MADE(clCreateImage, context, 0, &format, &desc, NULL);
    desc.image_row_pitch = PITCH;
    cl_ulong of_buffer[] = {OPAQUE_MEMORY, (cl_ulong)fds[0], 0}, of_image[] = {OPAQUE_MEMORY, (cl_ulong)fds[1], 0};
    cl_mem shared[2];
    shared[0] = MADE(clCreateBufferWithProperties, context, of_buffer, 0, N * 4, NULL);
    shared[1] = MADE(clCreateImageWithProperties, context, of_image, 0, &format, &desc, NULL);
    /* Sync files come with each frame; the first one is of something that is over. */
    cl_ulong ready_list[] = {SEMAPHORE_TYPE, BINARY, opaque ? OPAQUE_SEMAPHORE : SYNC_FILE, (cl_ulong)fds[2], 0};
    cl_ulong done_opaque[] = {SEMAPHORE_TYPE, BINARY, OPAQUE_SEMAPHORE, (cl_ulong)fds[3], 0};
    cl_ulong done_sync[] = {SEMAPHORE_TYPE, BINARY, EXPORT_TYPES, SYNC_FILE, 0, 0};
    semaphore_t ready = MADE(create, context, ready_list);
    semaphore_t done = MADE(create, context, opaque ? done_opaque : done_sync);
    if (!opaque)
        MUST(wait_for(queue, 1, &ready, NULL, 0, NULL, NULL));
    cl_program program = PROGRAM(context, source, NULL);
    cl_kernel twice = MADE(clCreateKernel, program, "twice");
    cl_kernel flip = MADE(clCreateKernel, program, "flip");
    MUST(clSetKernelArg(twice, 0, sizeof shared[0], &shared[0]));
    MUST(clSetKernelArg(flip, 0, sizeof shared[1], &shared[1]));
    MUST(clSetKernelArg(flip, 1, sizeof flipped, &flipped));
    const size_t words = N, zero[3] = {0, 0, 0}, sizes[3] = {WIDTH, HEIGHT, 1};
    for (int frame = 0; frame < FRAMES; frame++) {
        int fd = receive_fd(socket, &answered);
        CHECK(answered);
        if (!answered)
            break;
        if (!opaque)
            MUST(import_again(ready, NULL, fd));
        MUST(wait_for(queue, 1, &ready, NULL, 0, NULL, NULL));
        MUST(acquire(queue, 2, shared, 0, NULL, NULL));
        MUST(clEnqueueNDRangeKernel(queue, twice, 1, NULL, &words, NULL, 0, NULL, NULL));
        MUST(clEnqueueNDRangeKernel(queue, flip, 2, NULL, sizes, NULL, 0, NULL, NULL));
        MUST(clEnqueueCopyImage(queue, flipped, shared[1], zero, zero, sizes, 0, NULL, NULL));
        MUST(release(queue, 2, shared, 0, NULL, NULL));
        MUST(signal(queue, 1, &done, NULL, 0, NULL, NULL));
        MUST(clFlush(queue));
        fd = -1;
        if (!opaque)
            MUST(handle_of(done, own, SYNC_FILE, sizeof fd, &fd, NULL));
        send_fd(socket, fd);
        if (fd >= 0)
            close(fd);
    }
    MUST(clFinish(queue));
    MUST(release_semaphore(ready));
    MUST(release_semaphore(done));
    clReleaseMemObject(shared[0]), clReleaseMemObject(shared[1]), clReleaseMemObject(flipped);
    clReleaseKernel(twice), clReleaseKernel(flip), clReleaseProgram(program), clReleaseCommandQueue(queue);
    release_last(context);
    printf("%d frames by semaphores of %s\n", FRAMES, opaque ? "opaque_fd" : "sync_fd");
}

int main(void)
{
    return two_programs(vulkan_program, opencl_program);
}
